//! Fuses several rankings of the same questions into one.

use std::collections::HashMap;

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Max, Op, OpError, Scheme, choices, documents::Hit,
        params,
    },
    value::{Text, Value},
};

use super::{Candidate, candidates, score_of, size};
use crate::meaning::spread;

/// The constant of reciprocal rank fusion, as its authors chose it.
const RANKS: f64 = 60.0;

choices! {
    /// How rankings are fused.
    pub(super) enum Method {
        Rrf = "rrf",
        CombSum = "combsum",
        Borda = "borda",
    }
}

params! {
    /// Fuses several rankings of the same question into one, and keeps the best hits.
    ///
    /// A hit that several searches find well comes before one that only one of them finds, such as a
    /// search for words and one by meaning. `rrf` adds 1 / (60 + rank) of each list (reciprocal rank
    /// fusion, Cormack, Clarke & Büttcher 2009), and ignores the scores. `combsum` adds the scores,
    /// mapped to 0..1 within each list and query (Fox & Shaw 1993): better where the scores mean
    /// something. `borda` gives each hit as many points as there are hits behind it (Aslam &
    /// Montague 2001).
    ///
    /// Each list is best first. Two hits are the same if their paths, ids and places are; the first
    /// one is returned, with the new score. Scores are comparable within one query. Hits with equal
    /// scores keep their order.
    pub(super) struct Fuse {
        /// The rankings, each best first.
        rankings: Vec<Items<Hit>>,
        /// How they are fused: `rrf`, `combsum` or `borda`.
        method: Method = Method::Rrf,
        /// The number of hits to keep.
        #[range(1..=1_000)]
        keep: i64 = 10,
    }
}

impl Op for Fuse {
    const NAME: &'static str = "fuse";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Arg("keep"));
    const SAYS: &'static [&'static str] = &[
        "fuse two rankings",
        "combine the results of several searches",
        "reciprocal rank fusion",
        "hybrid search of keywords and vectors",
        "merge result lists into one ranking",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "What two searches find",
            r#"let hit = { path: "x", title: "", text: "", query: "heat", snippet: "", start: 0, end: 0 }
let words = [{ ...hit, id: "a", score: 9.0 }, { ...hit, id: "b", score: 7.0 }]
let meaning = [{ ...hit, id: "b", score: 0.8 }, { ...hit, id: "c", score: 0.7 }]
[words, meaning] >> rerank.fuse >> each { .id }"#,
            r#"["b","a","c"]"#,
        ),
        Example::ok(
            "By their scores",
            r#"let hit = { path: "x", title: "", text: "", query: "heat", snippet: "", start: 0, end: 0 }
let words = [{ ...hit, id: "a", score: 9.0 }, { ...hit, id: "b", score: 8.0 }, { ...hit, id: "c", score: 1.0 }]
let meaning = [{ ...hit, id: "c", score: 0.8 }, { ...hit, id: "b", score: 0.4 }, { ...hit, id: "a", score: 0.2 }]
[words, meaning] >> rerank.fuse(method: "combsum", keep: 1) >> each { .id }"#,
            r#"["b"]"#,
        ),
        Example::ok("No rankings", "[] >> rerank.fuse", "[]"),
    ];
}

impl Compute for Fuse {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut lists = Vec::with_capacity(self.rankings.len());
        for hits in &self.rankings {
            cx.check()?;
            lists.push(candidates(&hits.0, None)?);
        }
        let mut fused = fused(lists, self.method);
        fused.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Value::List(fused.into_iter().take(size(self.keep)).map(Candidate::hit).collect()))
    }
}

/// The hits of one query.
#[derive(Default)]
struct Fused {
    hits: Vec<Candidate>,
    /// Where a hit is in `hits`.
    places: HashMap<[Text; 4], usize>,
    /// The place of each hit of each list, best first, with its score.
    lists: Vec<Vec<(usize, f64)>>,
}

/// All hits with their new scores, in the order of their first occurrence.
fn fused(lists: Vec<Vec<Candidate>>, method: Method) -> Vec<Candidate> {
    let count = lists.len();
    let mut order: Vec<Text> = Vec::new();
    let mut queries: HashMap<Text, Fused> = HashMap::new();
    for (list, hits) in lists.into_iter().enumerate() {
        for hit in hits {
            let query = queries.entry(hit.query.clone()).or_insert_with(|| {
                order.push(hit.query.clone());
                Fused { lists: vec![Vec::new(); count], ..Fused::default() }
            });
            query.add(list, hit);
        }
    }
    order.iter().filter_map(|it| queries.remove(it)).flat_map(|it| it.scored(method)).collect()
}

impl Fused {
    fn add(&mut self, list: usize, hit: Candidate) {
        let key = hit.identity();
        let given = score_of(&hit.record);
        let place = *self.places.entry(key).or_insert_with(|| {
            self.hits.push(hit);
            self.hits.len() - 1
        });
        self.lists[list].push((place, given));
    }

    fn scored(mut self, method: Method) -> Vec<Candidate> {
        for list in &self.lists {
            match method {
                Method::Rrf => add_ranks(&mut self.hits, list),
                Method::CombSum => add_scores(&mut self.hits, list),
                Method::Borda => add_points(&mut self.hits, list),
            }
        }
        self.hits
    }
}

#[expect(clippy::cast_precision_loss, reason = "lists have far fewer than 2^52 hits")]
fn number(count: usize) -> f64 {
    count as f64
}

fn add_ranks(hits: &mut [Candidate], list: &[(usize, f64)]) {
    for (rank, (place, _)) in list.iter().enumerate() {
        hits[*place].score += 1.0 / (RANKS + number(rank + 1));
    }
}

fn add_scores(hits: &mut [Candidate], list: &[(usize, f64)]) {
    let scores: Vec<f64> = list.iter().map(|(_, score)| *score).collect();
    for ((place, _), score) in list.iter().zip(spread(&scores)) {
        hits[*place].score += score;
    }
}

/// Hits that a list does not have share the points that are left.
fn add_points(hits: &mut [Candidate], list: &[(usize, f64)]) {
    let most = hits.len();
    let rest = number(most - list.len() + 1) / 2.0;
    let mut is_ranked = vec![false; most];
    for (rank, (place, _)) in list.iter().enumerate() {
        hits[*place].score += number(most - rank);
        is_ranked[*place] = true;
    }
    for (hit, _) in hits.iter_mut().zip(is_ranked).filter(|(_, it)| !it) {
        hit.score += rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cx, decode, hit};

    /// Fuses lists of ids with scores, and returns them with their new scores.
    fn fuse(lists: &[&[(&str, f64)]], method: &str) -> Vec<(String, f64)> {
        let list = |it: &&[(&str, f64)]| -> Value {
            it.iter().map(|(id, score)| hit(id, "", "", "q", *score)).collect::<Vec<_>>().into()
        };
        let lists: Vec<Value> = lists.iter().map(list).collect();
        let op = decode::<Fuse>(lists.into(), &[("method", method.into())]);
        let fused = op.run(&cx()).unwrap();
        let read = |it: &Value| {
            let record = it.as_record().unwrap();
            let Some(Value::Float(score)) = record.get("score") else { panic!("{record:?}") };
            (record.get("id").unwrap().to_string(), *score)
        };
        fused.as_list().unwrap().iter().map(read).collect()
    }

    type Scores<'a> = &'a [(&'a str, f64)];

    const RANX: [(&str, Scores<'_>); 3] = [
        (
            "rrf",
            &[
                ("d1", 0.032_266_458_495_966_696),
                ("d3", 0.032_266_458_495_966_696),
                ("d6", 0.016_393_442_622_950_82),
                ("d2", 0.016_129_032_258_064_516),
                ("d5", 0.016_129_032_258_064_516),
                ("d4", 0.015_625),
            ],
        ),
        (
            "combsum",
            &[
                ("d3", 1.720_930_232_558_139_5),
                ("d1", 1.0),
                ("d5", 0.980_392_156_862_745_1),
                ("d2", 0.767_441_860_465_116_3),
                ("d4", 0.0),
                ("d6", 0.0),
            ],
        ),
        (
            "borda",
            &[("d1", 13.0), ("d3", 13.0), ("d2", 10.0), ("d5", 9.5), ("d6", 9.5), ("d4", 8.0)],
        ),
    ];

    /// The scores of ranx 0.3.21: `fuse(runs, norm="min-max" | None, method=..)`.
    #[test]
    fn scores_are_those_of_ranx() {
        let one: &[_] = &[("d1", 12.0), ("d2", 9.5), ("d3", 9.0), ("d4", 1.25)];
        let two: &[_] = &[("d3", 0.91), ("d5", 0.9), ("d1", 0.4)];
        let three: &[_] = &[("d6", 3.0)];
        for (method, wanted) in RANX {
            let got = fuse(&[one, two, three], method);
            let ids: Vec<&str> = got.iter().map(|it| it.0.as_str()).collect();
            let wanted_ids: Vec<&str> = wanted.iter().map(|it| it.0).collect();
            assert_eq!(ids, wanted_ids, "{method}: {got:?}");
            for ((_, got), (id, wanted)) in got.iter().zip(wanted) {
                assert!((got - wanted).abs() < 1e-12, "{method} {id}: {got} {wanted}");
            }
        }
    }

    #[test]
    fn queries_are_fused_each_by_itself() {
        let lists: Vec<Value> = vec![
            vec![hit("a", "", "", "one", 1.0), hit("a", "", "", "two", 1.0)].into(),
            vec![hit("b", "", "", "two", 1.0), hit("a", "", "", "two", 0.5)].into(),
        ];
        let fused = decode::<Fuse>(lists.into(), &[]).run(&cx()).unwrap();
        let shown = |it: &Value| {
            let record = it.as_record().unwrap();
            format!("{} {}", record.get("query").unwrap(), record.get("id").unwrap())
        };
        let shown: Vec<String> = fused.as_list().unwrap().iter().map(shown).collect();
        assert_eq!(shown, ["two a", "one a", "two b"]);
    }

    #[test]
    fn hostile_scores_are_survived() {
        let one: &[_] = &[("a", f64::NAN), ("b", f64::INFINITY), ("c", -1.0)];
        for method in ["rrf", "combsum", "borda"] {
            let fused = fuse(&[one, one, &[]], method);
            assert_eq!(fused.len(), 3, "{method}");
            assert!(fused.iter().all(|it| it.1.is_finite()), "{fused:?}");
        }
    }
}
