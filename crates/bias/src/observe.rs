//! Separates traces of workflows that are like earlier ones from those that are not.
//!
//! A trace is compared with those that were observed before: each number by how far it is from what is
//! usual, each word by whether it was ever seen. It is novel if it is farther from its nearest ones than
//! nearly all known traces are from theirs (conformal anomaly detection, Laxhammar & Falkman 2010).

use std::collections::{BTreeMap, BTreeSet};

use svc_contract::value::{Value, json};

use crate::{stats::median, value::number};

/// The neighbours whose mean distance counts.
const NEIGHBOURS: usize = 3;

/// With fewer known traces, nothing is usual.
const FEWEST: usize = 8;

/// The share of known traces that are nearer to their neighbours than a novel one.
const USUAL: f64 = 0.95;

/// The most parts of a trace that are looked at, and its most levels.
const MOST_PARTS: usize = 256;
const DEEPEST: usize = 6;

/// What a trace is like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observed {
    pub situation: String,
    pub is_novel: bool,
    /// The share of known traces that are more usual than this one, or less if it is not novel.
    pub confidence: f64,
}

/// The parts of a trace.
#[derive(Clone, Debug, Default)]
struct Features {
    numbers: BTreeMap<String, f64>,
    words: BTreeSet<String>,
}

/// How unusual a trace is among known ones: the share of known ones that are nearer to their neighbours.
pub fn novelty(known: &[Value], trace: &Value) -> f64 {
    let known: Vec<Features> = known.iter().map(Features::of).collect();
    Usual::of(&known).share(&Features::of(trace))
}

/// Says what a trace is like, given those that were observed before.
pub(crate) fn observed(known: &[Value], trace: &Value) -> Observed {
    let own = Features::of(trace);
    let known: Vec<Features> = known.iter().map(Features::of).collect();
    if known.len() < FEWEST {
        let situation = format!(
            "{}; only {} traces are known, so nothing is usual yet",
            own.shown(),
            known.len()
        );
        return Observed { situation, is_novel: true, confidence: 0.5 };
    }
    let usual = Usual::of(&known);
    let share = usual.share(&own);
    let is_novel = share > USUAL;
    let confidence = if is_novel { share } else { 1.0 - share / 2.0 };
    let parts = usual.unusual(&own);
    let situation = match (is_novel, parts.is_empty()) {
        (true, false) => format!("unlike the {} known traces: {}", known.len(), parts.join("; ")),
        (true, true) => format!("a combination that none of the {} known traces has", known.len()),
        (false, false) => format!("like known traces, although {}", parts.join("; ")),
        (false, true) => format!("like known traces: {}", own.shown()),
    };
    Observed { situation, is_novel, confidence }
}

impl Features {
    fn of(trace: &Value) -> Self {
        let mut own = Self::default();
        own.add("", trace, 0);
        own
    }

    fn add(&mut self, path: &str, value: &Value, depth: usize) {
        if depth > DEEPEST || self.numbers.len() + self.words.len() >= MOST_PARTS {
            return;
        }
        match value {
            Value::Record(record) => {
                for (name, it) in record.iter() {
                    let path =
                        if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    self.add(&path, it, depth + 1);
                }
            }
            Value::List(list) => {
                #[expect(clippy::cast_precision_loss, reason = "a length")]
                self.numbers.insert(format!("{path}.length"), list.len() as f64);
                list.iter().for_each(|it| self.add(path, it, depth + 1));
            }
            Value::Int(_) | Value::Float(_) => {
                if let Some(it) = number(value).filter(|it| it.is_finite()) {
                    // The mean of the numbers of a list.
                    let known = self.numbers.entry(path.to_owned()).or_insert(it);
                    *known = f64::midpoint(*known, it);
                }
            }
            Value::Null => {}
            other => {
                let text: String = json::write(other).chars().take(60).collect();
                self.words.insert(format!("{path}={text}"));
            }
        }
    }

    fn shown(&self) -> String {
        let known = ["quality_score", "latency", "latency_ms", "cost", "errors"];
        let parts: Vec<String> = known
            .iter()
            .filter_map(|it| Some(format!("{it} {}", self.numbers.get(*it)?)))
            .collect();
        if parts.is_empty() { "a trace without a score".to_owned() } else { parts.join(", ") }
    }
}

/// What is usual of known traces.
struct Usual<'a> {
    known: &'a [Features],
    /// The middle and the spread of each number.
    numbers: BTreeMap<&'a str, (f64, f64)>,
    /// The distance of each known trace to its neighbours, sorted.
    distances: Vec<f64>,
}

impl<'a> Usual<'a> {
    fn of(known: &'a [Features]) -> Self {
        let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for own in known {
            for (name, it) in &own.numbers {
                all.entry(name).or_default().push(*it);
            }
        }
        let spread = |all: &Vec<f64>| {
            let middle = median(all);
            let away: Vec<f64> = all.iter().map(|it| (it - middle).abs()).collect();
            // The median deviation of normal numbers is .6745 of their standard deviation; a number that
            // hardly varies is unusual if it differs by a tenth.
            (middle, (median(&away) / 0.6745).max(middle.abs() * 0.05).max(1e-9))
        };
        let numbers = all.iter().map(|(name, it)| (*name, spread(it))).collect();
        let mut usual = Self { known, numbers, distances: Vec::new() };
        let distances = (0..known.len()).map(|idx| usual.distance(&known[idx], Some(idx)));
        let mut distances: Vec<f64> = distances.collect();
        distances.sort_by(f64::total_cmp);
        usual.distances = distances;
        usual
    }

    /// The mean distance to the nearest known traces.
    #[expect(clippy::cast_precision_loss, reason = "a few neighbours")]
    fn distance(&self, own: &Features, except: Option<usize>) -> f64 {
        let others = self.known.iter().enumerate().filter(|(idx, _)| Some(*idx) != except);
        let mut all: Vec<f64> = others.map(|(_, it)| self.between(own, it)).collect();
        all.sort_by(f64::total_cmp);
        let nearest = &all[..all.len().min(NEIGHBOURS)];
        if nearest.is_empty() { 0.0 } else { nearest.iter().sum::<f64>() / nearest.len() as f64 }
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of parts")]
    fn between(&self, a: &Features, b: &Features) -> f64 {
        let names: BTreeSet<&String> = a.numbers.keys().chain(b.numbers.keys()).collect();
        let mut sum = 0.0;
        for name in names {
            let spread = self.numbers.get(name.as_str()).map_or(1.0, |it| it.1);
            sum += match (a.numbers.get(name), b.numbers.get(name)) {
                // Farther than ten deviations is not more unlike.
                (Some(a), Some(b)) => ((a - b).abs() / spread).min(10.0).powi(2),
                _ => 4.0,
            };
        }
        let differing = a.words.symmetric_difference(&b.words).count();
        (sum + 2.0 * differing as f64).sqrt()
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn share(&self, own: &Features) -> f64 {
        if self.distances.is_empty() {
            return 0.5;
        }
        let distance = self.distance(own, None);
        let nearer = self.distances.partition_point(|it| *it < distance);
        nearer as f64 / self.distances.len() as f64
    }

    /// What is unusual of a trace, the most unusual first.
    fn unusual(&self, own: &Features) -> Vec<String> {
        let mut parts: Vec<(f64, String)> = Vec::new();
        for (name, it) in &own.numbers {
            let Some((middle, spread)) = self.numbers.get(name.as_str()) else {
                parts.push((5.0, format!("`{name}` was never seen")));
                continue;
            };
            let away = (it - middle) / spread;
            if away.abs() > 3.0 {
                let what = if away > 0.0 { "above" } else { "below" };
                parts.push((
                    away.abs(),
                    format!("`{name}` is {it:.4}, {what} the usual {middle:.4}"),
                ));
            }
        }
        for word in &own.words {
            if !self.known.iter().any(|it| it.words.contains(word)) {
                parts.push((4.0, format!("`{word}` was never seen")));
            }
        }
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        parts.into_iter().take(4).map(|it| it.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    fn trace(rng: &mut Rng, kind: usize) -> Value {
        let noise = |rng: &mut Rng| 1.0 + (rng.f64() - 0.5) * 0.3;
        let (quality, latency, components) = match kind {
            0 => (0.8, 1.0, "search,summary"),
            1 => (0.6, 3.0, "fetch,scrape"),
            // The kinds that were not there before.
            2 => (0.2, 1.0, "search,summary"),
            3 => (0.8, 9.0, "search,summary"),
            _ => (0.8, 1.0, "search,translate"),
        };
        let text = format!(
            r#"{{"quality_score": {}, "latency": {}, "workflow": "{components}", "tokens": {}}}"#,
            quality * noise(rng),
            latency * noise(rng),
            (900.0 * noise(rng)).round()
        );
        json::read(&text).unwrap()
    }

    #[test]
    fn planted_kinds_are_told_from_known_ones() {
        let mut rng = Rng::with_seed(5);
        let known: Vec<Value> = (0..80).map(|it| trace(&mut rng, it % 2)).collect();
        let mut scores = Vec::new();
        for round in 0..40 {
            scores.push((novelty(&known, &trace(&mut rng, round % 2)), false));
            scores.push((novelty(&known, &trace(&mut rng, 2 + round % 3)), true));
        }
        let (mut above, mut all) = (0.0, 0.0);
        for (a, _) in scores.iter().filter(|it| it.1) {
            for (b, _) in scores.iter().filter(|it| !it.1) {
                all += 1.0;
                above += if a > b {
                    1.0
                } else if a < b {
                    0.0
                } else {
                    0.5
                };
            }
        }
        assert!(above / all > 0.95, "AUC {}", above / all);
    }

    #[test]
    fn the_situation_names_what_is_unusual() {
        let mut rng = Rng::with_seed(6);
        let known: Vec<Value> = (0..40).map(|it| trace(&mut rng, it % 2)).collect();
        let slow = json::read(
            r#"{"quality_score": 0.8, "latency": 60, "workflow": "search,summary", "tokens": 900}"#,
        );
        let found = observed(&known, &slow.unwrap());
        assert!(found.is_novel && found.situation.contains("`latency` is 60"), "{found:?}");
        assert!(!observed(&known, &trace(&mut rng, 0)).is_novel);
        let few = observed(&known[..3], &known[0]);
        assert!(few.is_novel && few.confidence < 0.6, "{few:?}");
        observed(&known, &Value::Null);
    }
}
