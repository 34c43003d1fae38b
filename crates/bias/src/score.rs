//! How well a result answers a case: named scores from 0 to 1.

use std::collections::{BTreeMap, BTreeSet};

use svc_contract::value::{Text, Value, json};

use crate::value::number;

/// A named score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// 1 if the result is the expected value.
    Equal,
    /// 1 minus the relative difference of two numbers.
    Close,
    /// The balanced mean of precision and recall of two lists, as sets.
    F1,
    /// The same of the words of two texts.
    Words,
    /// The share of the expected texts that the result contains.
    Contains,
    /// The gain of the first ten of a ranking, discounted by place (Järvelin & Kekäläinen 2002). Expected
    /// are ids, or a record from ids to grades.
    Ndcg,
    /// 1 divided by the place of the first expected one in a ranking.
    ReciprocalRank,
    /// The share of the expected ones among the first ten of a ranking.
    Recall,
    /// The result itself, a number from 0 to 1.
    Value,
    /// 1 if the call succeeds; if `false` is expected, 1 if it fails.
    Succeeds,
}

/// The names of all scores.
pub(crate) const NAMES: [(&str, Score); 10] = [
    ("equal", Score::Equal),
    ("close", Score::Close),
    ("f1", Score::F1),
    ("words", Score::Words),
    ("contains", Score::Contains),
    ("ndcg@10", Score::Ndcg),
    ("mrr", Score::ReciprocalRank),
    ("recall@10", Score::Recall),
    ("value", Score::Value),
    ("succeeds", Score::Succeeds),
];

/// The places of a ranking that count.
const PLACES: usize = 10;

impl Score {
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    pub fn name(self) -> &'static str {
        NAMES.iter().find(|it| it.1 == self).map_or("equal", |it| it.0)
    }

    /// The score of a result; of a call that failed, `result` is `None`.
    pub fn of(self, result: Option<&Value>, expected: &Value) -> f64 {
        if self == Self::Succeeds {
            let wanted = !matches!(expected, Value::Bool(false));
            return f64::from(u8::from(result.is_some() == wanted));
        }
        let Some(result) = result else { return 0.0 };
        let score = match self {
            Self::Equal => f64::from(u8::from(same(result, expected))),
            Self::Close => close(result, expected),
            Self::F1 => f1(&set(result), &set(expected)),
            Self::Words => words(result, expected),
            Self::Contains => contains(result, expected),
            Self::Ndcg => ndcg(&ranking(result), &grades(expected)),
            Self::ReciprocalRank => reciprocal(&ranking(result), &grades(expected)),
            Self::Recall => recall(&ranking(result), &grades(expected)),
            Self::Value => number(result).unwrap_or(0.0),
            Self::Succeeds => 1.0,
        };
        if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Whether two values are the same as JSON: a path is its text.
fn same(a: &Value, b: &Value) -> bool {
    a == b || json::write(a) == json::write(b)
}

fn close(result: &Value, expected: &Value) -> f64 {
    let (Some(a), Some(b)) = (number(result), number(expected)) else { return 0.0 };
    if (a - b).abs() < f64::MIN_POSITIVE { 1.0 } else { 1.0 - (a - b).abs() / a.abs().max(b.abs()) }
}

fn set(value: &Value) -> BTreeSet<String> {
    match value.as_list() {
        Some(list) => list.iter().map(name_of).collect(),
        None => BTreeSet::from([name_of(value)]),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn f1(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    match a.len() + b.len() {
        0 => 1.0,
        both => 2.0 * a.intersection(b).count() as f64 / both as f64,
    }
}

/// What a record is called in a ranking or in a set: its id, or else what it is about.
fn name_of(value: &Value) -> String {
    let named = value.as_record().and_then(|it| {
        let names = ["id", "path", "name", "word", "phrase", "label", "text"];
        names.into_iter().find_map(|name| it.get(name).filter(|it| !it.is_null()))
    });
    match named.unwrap_or(value) {
        Value::Text(it) | Value::Path(it) => it.to_string(),
        other => json::write(other),
    }
}

/// The text of a result: itself, or its field `text`.
fn text_of(value: &Value) -> Text {
    let inner = value.as_record().and_then(|it| it.get("text")).unwrap_or(value);
    match inner {
        Value::Text(it) | Value::Path(it) => it.clone(),
        other => json::write(other).into(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn words(result: &Value, expected: &Value) -> f64 {
    let (a, b) = (bag(&text_of(result)), bag(&text_of(expected)));
    let shared: usize =
        a.iter().map(|(word, count)| (*count).min(*b.get(word).unwrap_or(&0))).sum();
    let both: usize = a.values().sum::<usize>() + b.values().sum::<usize>();
    if both == 0 { 1.0 } else { 2.0 * shared as f64 / both as f64 }
}

fn bag(text: &str) -> BTreeMap<String, usize> {
    let mut bag = BTreeMap::new();
    for word in text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()) {
        *bag.entry(word.to_lowercase()).or_default() += 1;
    }
    bag
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn contains(result: &Value, expected: &Value) -> f64 {
    let text = json::write(result).to_lowercase();
    let wanted = set(expected);
    let found = wanted.iter().filter(|it| text.contains(&it.to_lowercase())).count();
    if wanted.is_empty() { 1.0 } else { found as f64 / wanted.len() as f64 }
}

/// The ids of a ranking, each once.
fn ranking(result: &Value) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = result.as_list().map(|it| it.iter().map(name_of).collect()).unwrap_or_default();
    let all: Vec<String> = all;
    all.into_iter().filter(|it| seen.insert(it.clone())).collect()
}

/// The expected ids with their grades.
fn grades(expected: &Value) -> BTreeMap<String, f64> {
    match expected {
        Value::Record(record) => {
            let grade = |it: &Value| number(it).unwrap_or(0.0);
            record.iter().map(|(id, it)| (id.to_string(), grade(it))).collect()
        }
        other => set(other).into_iter().map(|it| (it, 1.0)).collect(),
    }
}

fn ndcg(ranking: &[String], grades: &BTreeMap<String, f64>) -> f64 {
    let gain = |it: &String| grades.get(it).copied().unwrap_or(0.0).max(0.0);
    let found = discounted(ranking.iter().map(gain));
    let mut best: Vec<f64> = grades.values().map(|it| it.max(0.0)).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal = discounted(best.into_iter());
    if ideal > 0.0 { found / ideal } else { f64::from(u8::from(ranking.is_empty())) }
}

#[expect(clippy::cast_precision_loss, reason = "a place")]
fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains.take(PLACES).enumerate().map(|(at, gain)| gain / (at as f64 + 2.0).log2()).sum()
}

#[expect(clippy::cast_precision_loss, reason = "a place")]
fn reciprocal(ranking: &[String], grades: &BTreeMap<String, f64>) -> f64 {
    let is_wanted = |it: &String| grades.get(it).is_some_and(|grade| *grade > 0.0);
    ranking.iter().position(is_wanted).map_or(0.0, |at| 1.0 / (at as f64 + 1.0))
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn recall(ranking: &[String], grades: &BTreeMap<String, f64>) -> f64 {
    let wanted = grades.values().filter(|it| **it > 0.0).count();
    let is_wanted = |it: &&String| grades.get(*it).is_some_and(|grade| *grade > 0.0);
    let found = ranking.iter().take(PLACES).filter(is_wanted).count();
    match wanted.min(PLACES) {
        0 => f64::from(u8::from(ranking.is_empty())),
        most => found as f64 / most as f64,
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    fn scored(score: &str, result: &str, expected: &str) -> f64 {
        let [result, expected] = [result, expected].map(|it| json::read(it).unwrap());
        Score::named(score).unwrap().of(Some(&result), &expected)
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn rankings_are_scored_by_place() {
        near(scored("ndcg@10", r#"[{"id": "a"}, {"id": "b"}]"#, r#"["a"]"#), 1.0);
        near(scored("ndcg@10", r#"[{"id": "b"}, {"id": "a"}]"#, r#"["a"]"#), 1.0 / 3_f64.log2());
        // Grades: 1/log2(2) + 2/log2(3) of 2 + 1/log2(3).
        let ideal = 2.0 + 1.0 / 3_f64.log2();
        let found = 1.0 + 2.0 / 3_f64.log2();
        near(scored("ndcg@10", r#"["a", "b"]"#, r#"{"a": 1, "b": 2}"#), found / ideal);
        near(scored("mrr", r#"["x", "a"]"#, r#"["a"]"#), 0.5);
        near(scored("recall@10", r#"["x", "a"]"#, r#"["a", "b"]"#), 0.5);
        near(scored("ndcg@10", "[]", r#"["a"]"#), 0.0);
    }

    #[test]
    fn values_are_compared_as_json() {
        near(scored("equal", "1", "1"), 1.0);
        near(scored("equal", r#"{"a": [1, "x"]}"#, r#"{"a": [1, "x"]}"#), 1.0);
        near(scored("equal", "1", "2"), 0.0);
        near(scored("close", "90", "100"), 0.9);
        near(scored("close", "\"x\"", "100"), 0.0);
        near(scored("value", "7", "null"), 1.0);
    }

    #[test]
    fn texts_and_sets_are_compared_by_what_they_share() {
        near(scored("f1", r#"["a", "b"]"#, r#"["b", "c"]"#), 0.5);
        near(scored("words", r#"{"text": "the cat sat"}"#, r#""The cat""#), 0.8);
        near(scored("contains", r#"{"text": "the Cat sat"}"#, r#"["cat", "dog"]"#), 0.5);
    }

    #[test]
    fn a_call_that_failed_scores_nothing_unless_that_is_expected() {
        near(Score::Words.of(None, &Value::Null), 0.0);
        near(Score::Succeeds.of(None, &Value::Bool(false)), 1.0);
        near(Score::Succeeds.of(None, &Value::Bool(true)), 0.0);
    }
}
