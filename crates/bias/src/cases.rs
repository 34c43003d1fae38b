//! Cases: inputs with known answers, by which changes of the tunables of a component are judged.
//!
//! A component brings some, and a project has its own in `cases/COMPONENT.jsonl`, which decide alone once
//! they are enough. Cases are split by a hash of what they ask: most are for the search, some choose what it
//! proposes, and the sealed ones are only read when a candidate is to be applied. So two cases that ask the
//! same are never on two sides.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use svc_contract::{
    host::{self, Host},
    registry::{Component, OpError},
    value::{Record, Text, Value, json},
};

use crate::{
    layers::FEWEST_SEALED,
    score::{NAMES, Score},
    value::{object, texts},
};

/// A file of cases may be this large.
const LARGEST: u64 = 64 << 20;

/// A project may have so many cases of a component.
const MOST: usize = 20_000;

/// The shares of the cases that are sealed, and that choose.
const SEALED: f64 = 0.35;
const VALIDATION: f64 = 0.15;

/// So many cases say as little about a group as one group says about all others: the variance of the gain
/// between cases, divided by that between groups.
const AS_UNSURE: f64 = 100.0;

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub asks: Asks,
    pub expected: Value,
    pub score: Score,
    pub tags: Vec<String>,
    /// Whether the component brings it: then it reads the files of the component.
    pub is_built_in: bool,
    /// The hash of what it asks.
    pub digest: [u8; 32],
}

/// What a case calls.
#[derive(Clone, Debug)]
pub enum Asks {
    /// An op of the component with these arguments.
    Op { op: String, args: BTreeMap<String, Value> },
    /// A script with these params.
    Script { text: String, params: BTreeMap<String, Value> },
}

/// Which part of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Train,
    Validation,
    Sealed,
}

/// The cases of a component.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    pub all: Vec<Case>,
    /// By how much a change may be worse on sealed cases.
    pub margin: f64,
}

/// A line of a file that is not a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaseError {
    pub line: usize,
    pub why: String,
}

impl Cases {
    /// The cases that a component brings, and those of the project.
    pub fn of(component: &'static Component, host: &dyn Host) -> Result<Self, OpError> {
        let mut cases = Self::built_in(component)?;
        let file = Self::file_of(component.name);
        if host.stat(&file).is_ok() {
            let read = host::read(host, &file, LARGEST);
            let bytes = read.map_err(|err| {
                OpError::failed(format!("cannot read `{}`: {err}", file.display()))
            })?;
            let text = String::from_utf8(bytes).map_err(|_| {
                OpError::invalid_input(format!("`{}` is not UTF-8", file.display()))
            })?;
            let own = read_lines(&text, false).map_err(|err| wrong(&file, &err))?;
            cases.all.extend(own);
        }
        // A case of the project replaces one that asks the same.
        let mut by_digest: BTreeMap<[u8; 32], Case> = BTreeMap::new();
        for case in cases.all {
            by_digest.insert(case.digest, case);
        }
        cases.all = by_digest.into_values().collect();
        if cases.all.len() > MOST {
            let message = format!("`{}` has too many cases (limit {MOST})", component.name);
            return Err(OpError::invalid_input(message));
        }
        Ok(cases)
    }

    /// The cases that a component brings.
    pub fn built_in(component: &'static Component) -> Result<Self, OpError> {
        let Some(given) = component.bias.cases else {
            return Ok(Self { all: Vec::new(), margin: 0.01 });
        };
        let all = read_lines(given.lines, true).map_err(|err| {
            OpError::bug(format!("case {} of `{}`: {}", err.line, component.name, err.why))
        })?;
        Ok(Self { all, margin: f64::from(given.margin) / 1000.0 })
    }

    /// Cases of a text in JSON Lines.
    pub fn read(text: &str) -> Result<Self, String> {
        let all =
            read_lines(text, false).map_err(|err| format!("line {}: {}", err.line, err.why))?;
        Ok(Self { all, margin: 0.01 })
    }

    /// The file of a project with the cases of a component.
    pub fn file_of(component: &str) -> PathBuf {
        Path::new("cases").join(format!("{component}.jsonl"))
    }

    /// The cases of a part under a draw, in an order that looks random. Those of the project are all, if
    /// enough of them are sealed: those that the component brings ask for something else.
    pub fn part(&self, part: Part, component: &str, draw: u64) -> Vec<&Case> {
        let mut all: Vec<([u8; 32], &Case)> =
            self.all.iter().map(|it| (salted(component, draw, &it.digest), it)).collect();
        let own = all.iter().filter(|it| !it.1.is_built_in);
        let sealed = own.filter(|it| part_of(&it.0) == Part::Sealed).count();
        let has_enough = sealed >= FEWEST_SEALED;
        all.retain(|(hash, it)| part_of(hash) == part && !(has_enough && it.is_built_in));
        all.sort_by_key(|it| it.0);
        all.into_iter().map(|it| it.1).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// How much each of some cases counts: the cases of a large group count less each, so that it does not outvote
/// a small one. The mean is 1.
///
/// These are the weights of a random-effects mean (`DerSimonian` & Laird 1986): a group is one sample of what
/// else may come, and few cases say little about it. A group are the cases of the project with the same first
/// tag, and those that the component brings.
pub(crate) fn balance(cases: &[&Case]) -> Vec<f64> {
    let sizes = sizes(cases);
    let weights: Vec<f64> =
        cases.iter().map(|it| (sizes[&group(it)] + AS_UNSURE).recip()).collect();
    let mean = crate::stats::mean(&weights).max(f64::MIN_POSITIVE);
    weights.into_iter().map(|it| it / mean).collect()
}

/// The number of groups of some cases.
pub(crate) fn kinds(cases: &[&Case]) -> usize {
    sizes(cases).len()
}

/// The group of a case: whether the component brings it, or else its first tag.
fn group(case: &Case) -> (bool, Option<&str>) {
    let tag = case.tags.first().filter(|_| !case.is_built_in);
    (case.is_built_in, tag.map(String::as_str))
}

fn sizes<'a>(cases: &[&'a Case]) -> BTreeMap<(bool, Option<&'a str>), f64> {
    let mut sizes = BTreeMap::new();
    for it in cases {
        *sizes.entry(group(it)).or_default() += 1.0;
    }
    sizes
}

fn salted(component: &str, draw: u64, digest: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("svc 2026 parts of the cases");
    hasher.update(component.as_bytes()).update(&draw.to_le_bytes()).update(digest);
    *hasher.finalize().as_bytes()
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn part_of(hash: &[u8; 32]) -> Part {
    // The last bytes: the first ones order the cases.
    let bytes: [u8; 8] = hash[24..].try_into().unwrap_or_default();
    let share = u64::from_le_bytes(bytes) as f64 / u64::MAX as f64;
    match share {
        it if it < SEALED => Part::Sealed,
        it if it < SEALED + VALIDATION => Part::Validation,
        _ => Part::Train,
    }
}

/// Reads cases from JSON Lines.
pub(crate) fn read_lines(text: &str, is_built_in: bool) -> Result<Vec<Case>, CaseError> {
    let mut cases = Vec::new();
    for (idx, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| CaseError { line: idx + 1, why };
        let value = json::read(line).map_err(|err| wrong(format!("it is not JSON: {err}")))?;
        let record = value.as_record().ok_or_else(|| wrong("expected an object".to_owned()))?;
        cases.push(case(record, is_built_in).map_err(wrong)?);
    }
    Ok(cases)
}

const FIELDS: [&str; 8] =
    ["name", "op", "script", "input", "expected", "score", "tags", "description"];

fn case(record: &Record, is_built_in: bool) -> Result<Case, String> {
    for (name, _) in record.iter() {
        if !FIELDS.contains(&&**name) {
            return Err(format!("unknown field `{name}`; the fields are {}", FIELDS.join(", ")));
        }
    }
    let text = |name: &str| match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(it)) => Ok(Some(it.to_string())),
        Some(other) => Err(format!("expected a string for `{name}`, found {}", other.kind())),
    };
    let args = match record.get("input") {
        Some(Value::Record(it)) => {
            it.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
        }
        None => return Err("`input` is missing: the arguments by their names".to_owned()),
        Some(other) => {
            return Err(format!("expected an object for `input`, found {}", other.kind()));
        }
    };
    let asks = match (text("op")?, text("script")?) {
        (Some(_), Some(_)) => return Err("`op` and `script` exclude each other".to_owned()),
        (None, Some(script)) => Asks::Script { text: script, params: args },
        (op, None) => Asks::Op { op: op.unwrap_or_else(|| "infer".to_owned()), args },
    };
    let score = match text("score")? {
        None => Score::Equal,
        Some(name) => Score::named(&name).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|it| it.0).collect();
            format!("unknown score `{name}`; the scores are {}", names.join(", "))
        })?,
    };
    let is_needed = !matches!(score, Score::Value | Score::Succeeds);
    let expected = match record.get("expected") {
        Some(it) => it.clone(),
        None if is_needed => return Err("`expected` is missing: the known answer".to_owned()),
        None => Value::Null,
    };
    let tags = match record.get("tags").map(Value::as_list) {
        None => Vec::new(),
        Some(Some(list)) => list.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        Some(None) => return Err("expected a list for `tags`".to_owned()),
    };
    let digest = asks.digest();
    let name =
        text("name")?.unwrap_or_else(|| blake3::Hash::from_bytes(digest).to_hex()[..12].to_owned());
    Ok(Case { name, asks, expected, score, tags, is_built_in, digest })
}

impl Asks {
    /// The arguments or params by their names.
    pub(crate) fn input(&self) -> Value {
        match self {
            Self::Op { args, .. } | Self::Script { params: args, .. } => fields(args),
        }
    }

    fn digest(&self) -> [u8; 32] {
        let (kind, text, args) = match self {
            Self::Op { op, args } => ("op", op, args),
            Self::Script { text, params } => ("script", text, params),
        };
        let mut hasher = blake3::Hasher::new();
        for part in [kind, text.as_str(), json::write(&fields(args)).as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

fn fields(args: &BTreeMap<String, Value>) -> Value {
    let all = args.iter().map(|(name, value)| (Text::from(name.as_str()), value.clone()));
    Value::Record(all.collect())
}

impl Case {
    /// The case as a line of a file.
    pub fn line(&self) -> String {
        let (asked, args) = match &self.asks {
            Asks::Op { op, args } => (("op", Value::from(op.clone())), args),
            Asks::Script { text, params } => (("script", Value::from(text.clone())), params),
        };
        json::write(&object([
            ("name", self.name.clone().into()),
            asked,
            ("input", fields(args)),
            ("expected", self.expected.clone()),
            ("score", self.score.name().into()),
            ("tags", texts(self.tags.iter().map(String::as_str))),
        ]))
    }
}

/// Cases as a test-set file of the specification, and back.
pub mod test_set {
    use super::{Asks, BTreeMap, Case, Score, Value, fields, json, object, texts};

    /// The file with these cases.
    pub fn write(component: &str, date: &str, cases: &[&Case]) -> String {
        let case = |it: &&Case| {
            let (op, args) = match &it.asks {
                Asks::Op { op, args } => (op.clone(), fields(args)),
                Asks::Script { text, params } => (
                    String::new(),
                    object([("script", text.clone().into()), ("params", fields(params))]),
                ),
            };
            object([
                ("name", it.name.clone().into()),
                ("description", format!("a case of `{component}`").into()),
                ("input", args),
                ("tags", texts(it.tags.iter().map(String::as_str))),
                (
                    "tool",
                    format!("{component}.{}", if op.is_empty() { "infer" } else { &op }).into(),
                ),
                ("expected_pass", Value::Bool(true)),
                ("expected", it.expected.clone()),
                ("score", it.score.name().into()),
            ])
        };
        json::write_pretty(&object([
            ("version", "1".into()),
            ("suite_name", component.into()),
            ("date", date.into()),
            ("license", "MIT OR Apache-2.0".into()),
            ("cases", Value::List(cases.iter().map(case).collect())),
        ]))
    }

    /// The cases of a file. `tool` of a case names an op, as a tool or as `component.op`; a case without an
    /// expected value expects its call to succeed, or to fail if `expected_pass` is false.
    pub fn read(text: &str, op_of: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Case>, String> {
        let value = json::read(text).map_err(|err| format!("it is not JSON: {err}"))?;
        let file = value.as_record().ok_or("expected an object")?;
        for name in ["version", "suite_name", "date", "license"] {
            if file.get(name).and_then(Value::as_str).is_none() {
                return Err(format!("expected a string for `{name}`"));
            }
        }
        let cases = file.get("cases").and_then(Value::as_list);
        let cases = cases.ok_or("expected a list for `cases`")?;
        let each = cases
            .iter()
            .enumerate()
            .map(|(idx, it)| one(it, op_of).map_err(|why| format!("case {}: {why}", idx + 1)));
        each.collect()
    }

    fn one(value: &Value, op_of: &dyn Fn(&str) -> Option<String>) -> Result<Case, String> {
        let record = value.as_record().ok_or("expected an object")?;
        let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = text("name").ok_or("expected a string for `name`")?;
        text("description").ok_or("expected a string for `description`")?;
        let input = record.get("input").and_then(Value::as_record);
        let input = input.ok_or("expected an object for `input`")?;
        let tags =
            record.get("tags").and_then(Value::as_list).ok_or("expected a list for `tags`")?;
        let op = match text("tool") {
            None => "infer".to_owned(),
            Some(tool) => op_of(&tool).ok_or_else(|| {
                format!("`{tool}` is neither an op of this component nor its tool")
            })?,
        };
        let args: BTreeMap<String, Value> =
            input.iter().map(|(name, it)| (name.to_string(), it.clone())).collect();
        let script = input.get("script").and_then(Value::as_str);
        let asks = match (script, input.get("params")) {
            (Some(script), Some(Value::Record(params))) => Asks::Script {
                text: script.to_owned(),
                params: params.iter().map(|(name, it)| (name.to_string(), it.clone())).collect(),
            },
            _ => Asks::Op { op, args },
        };
        let passes = record.get("expected_pass").cloned().unwrap_or(Value::Bool(true));
        let (expected, score) = match record.get("expected") {
            Some(expected) => {
                let score = text("score").unwrap_or_else(|| "equal".to_owned());
                let score =
                    Score::named(&score).ok_or_else(|| format!("unknown score `{score}`"))?;
                (expected.clone(), score)
            }
            None => (passes, Score::Succeeds),
        };
        let tags = tags.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
        let digest = asks.digest();
        Ok(Case { name, asks, expected, score, tags, is_built_in: false, digest })
    }
}

fn wrong(file: &Path, err: &CaseError) -> OpError {
    OpError::invalid_input(format!("{}:{}: {}", file.display(), err.line, err.why))
        .help(r#"a case is {"input": {ARGUMENTS}, "expected": VALUE, "score": NAME}, one a line"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        let line = |it| format!("{{\"input\": {{\"query\": \"q{it}\"}}, \"expected\": {it}}}\n");
        (0..count).map(line).collect()
    }

    fn of(text: &str) -> Cases {
        Cases { all: read_lines(text, false).unwrap(), margin: 0.01 }
    }

    #[test]
    fn every_case_is_in_one_part_and_the_parts_have_their_shares() {
        let cases = of(&lines(2_000));
        let sizes =
            [Part::Train, Part::Validation, Part::Sealed].map(|it| cases.part(it, "x", 0).len());
        assert_eq!(sizes.iter().sum::<usize>(), 2_000);
        assert!((640..760).contains(&sizes[2]) && (240..360).contains(&sizes[1]), "{sizes:?}");
    }

    #[test]
    fn enough_cases_of_a_project_decide_alone() {
        let count = |own: usize| {
            let mut all = read_lines(&lines(60), true).unwrap();
            let other = lines(own).replace("\"q", "\"other q");
            all.extend(read_lines(&other, false).unwrap());
            let cases = Cases { all, margin: 0.01 };
            [Part::Train, Part::Validation, Part::Sealed].map(|part| {
                let built_in = |it: &&&Case| it.is_built_in;
                let all = cases.part(part, "x", 0);
                (all.iter().filter(built_in).count(), all.len())
            })
        };
        let sum = |of: [(usize, usize); 3]| of.iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert_eq!(sum(count(40)), (60, 100));
        assert_eq!(sum(count(200)), (0, 200));
    }

    #[test]
    fn a_case_stays_in_its_part_when_others_are_added_and_moves_with_a_draw() {
        let (few, many) = (of(&lines(100)), of(&lines(200)));
        let names = |it: &Cases, draw| -> Vec<[u8; 32]> {
            it.part(Part::Sealed, "x", draw).iter().map(|it| it.digest).collect()
        };
        let sealed = names(&many, 0);
        assert!(names(&few, 0).iter().all(|it| sealed.contains(it)));
        assert_ne!(names(&many, 0), names(&many, 1));
    }

    #[test]
    fn a_large_group_of_cases_does_not_outvote_a_small_one() {
        let line = |no: usize, tag: &str| {
            format!("{{\"input\": {{\"q\": {no}}}, \"expected\": 1, \"tags\": [\"{tag}\"]}}\n")
        };
        let sums = |of: &[(&str, usize)]| -> Vec<f64> {
            let each = of.iter().flat_map(|(tag, count)| (0..*count).map(move |no| line(no, tag)));
            let cases =
                Cases { all: read_lines(&each.collect::<String>(), false).unwrap(), margin: 0.0 };
            let all: Vec<&Case> = cases.all.iter().collect();
            let counts = balance(&all);
            let sum = |tag: &str| {
                let own = all.iter().zip(&counts).filter(|it| it.0.tags[0] == tag);
                own.map(|it| it.1).sum::<f64>()
            };
            of.iter().map(|(tag, _)| sum(tag)).collect()
        };
        let near = |found: &[f64], wanted: &[f64]| {
            let is_near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(is_near, "{found:?} {wanted:?}");
        };
        near(&sums(&[("a", 7)]), &[7.0]);
        near(&sums(&[("a", 20), ("b", 20)]), &[20.0, 20.0]);
        // Nine times as many cases count less than twice as much.
        let [large, small] = sums(&[("a", 900), ("b", 100)])[..] else { unreachable!() };
        near(&[large + small, large / small], &[1000.0, 1.8]);
        // Of two small groups, nearly each case counts the same.
        let [large, small] = sums(&[("a", 9), ("b", 1)])[..] else { unreachable!() };
        assert!((large / small - 8.3).abs() < 0.1, "{large} {small}");
    }

    #[test]
    fn cases_of_a_project_are_of_as_many_kinds_as_they_have_first_tags() {
        let kinds_of = |tags: &[&str]| {
            let line = |(no, tag): (usize, &&str)| {
                format!("{{\"input\": {{\"q\": {no}}}, \"expected\": 1, \"tags\": [{tag}]}}\n")
            };
            let all = of(&tags.iter().enumerate().map(line).collect::<String>());
            kinds(&all.all.iter().collect::<Vec<_>>())
        };
        assert_eq!(kinds_of(&[]), 0);
        assert_eq!(kinds_of(&["", ""]), 1);
        assert_eq!(kinds_of(&[r#""a""#, r#""a", "b""#, r#""b""#, ""]), 3);
    }

    #[test]
    fn cases_that_ask_the_same_have_the_same_digest() {
        let two = of("{\"name\": \"a\", \"input\": {\"q\": 1, \"r\": 2}, \"expected\": 1}\n\
            {\"name\": \"b\", \"input\": {\"r\": 2, \"q\": 1}, \"expected\": 2}");
        assert_eq!(two.all[0].digest, two.all[1].digest);
    }

    #[test]
    fn wrong_lines_are_named() {
        let why = |text: &str| read_lines(text, false).unwrap_err();
        assert_eq!(why("\n{").line, 2);
        for (text, part) in [
            ("[]", "expected an object"),
            ("{}", "`input` is missing"),
            (r#"{"input": 1}"#, "expected an object for `input`"),
            (r#"{"input": {}}"#, "`expected` is missing"),
            (r#"{"input": {}, "expected": 1, "score": "best"}"#, "the scores are equal, close"),
            (r#"{"input": {}, "expected": 1, "scores": "f1"}"#, "unknown field `scores`"),
            (r#"{"input": {}, "expected": 1, "op": "a", "script": "b"}"#, "exclude each other"),
        ] {
            assert!(why(text).why.contains(part), "{text}: {}", why(text).why);
        }
    }

    #[test]
    fn a_test_set_is_read_back_as_it_was_written() {
        let cases = of(&lines(3));
        let all: Vec<&Case> = cases.all.iter().collect();
        let text = test_set::write("ctx_search", "2026-11-27", &all);
        let op = |name: &str| name.strip_prefix("ctx_search.").map(str::to_owned);
        let read = test_set::read(&text, &op).unwrap();
        let lines = |all: &[Case]| all.iter().map(Case::line).collect::<Vec<_>>();
        assert_eq!(lines(&read), lines(&cases.all));
        assert!(test_set::read("{}", &op).unwrap_err().contains("`version`"));
    }
}
