//! Judges the guide by results: its scripts run on the data of the goals, and what comes out is
//! compared with what the authors of the goals computed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

use serde::Deserialize;
use serde_json::Value;

/// The authors, each with a folder of goals and data.
const AUTHORS: [&str; 5] = ["office", "developer", "reader", "everyday", "second"];

/// A goal in plain words, and what its result has to be.
#[derive(Deserialize)]
pub(crate) struct Goal {
    #[serde(default)]
    id: String,
    #[serde(rename = "goal")]
    pub(crate) text: String,
    /// The part of the goal that nothing does.
    #[serde(default)]
    impossible: Option<String>,
    /// The result, compared leniently.
    #[serde(default)]
    value: Option<toml::Value>,
    #[serde(flatten)]
    checks: Checks,
    /// What the files that the script writes have to contain.
    #[serde(default)]
    files: BTreeMap<String, Checks>,
    #[serde(skip)]
    author: &'static str,
}

/// What a text has to contain.
#[derive(Default, Deserialize)]
struct Checks {
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// Texts whose first occurrences are in this order.
    #[serde(default)]
    in_order: Vec<String>,
}

#[derive(Deserialize)]
struct Goals {
    goal: Vec<Goal>,
}

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Right,
    /// A script that runs and gives another result, or any script for an impossible goal.
    Wrong,
    /// A script that fails when it runs.
    Fails,
    Sketch,
    Refused,
}

/// The numbers of one half of the goals.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) possible: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) fails: usize,
    pub(crate) sketches: usize,
    pub(crate) refused: usize,
    pub(crate) impossible: usize,
    /// The impossible goals that got no script that runs.
    pub(crate) rightly_refused: usize,
}

impl Goal {
    /// The frozen half is never read while the guide is changed.
    pub(crate) fn is_frozen(&self) -> bool {
        self.id.bytes().last().is_some_and(|it| it % 2 == 0)
    }
}

pub(crate) fn goals() -> Vec<Goal> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goals");
    let mut all = Vec::new();
    for author in AUTHORS {
        let text = fs::read_to_string(folder.join(author).join("goals.toml"));
        let goals: Goals = toml::from_str(&text.expect("goals")).expect("TOML");
        all.extend(goals.goal.into_iter().map(|it| Goal { author, ..it }));
    }
    all
}

/// Judges all goals, some at the same time. Returns each with its outcome and what came out.
pub(crate) fn judged(svc: &Path, goals: &[Goal]) -> Vec<(Outcome, String)> {
    let each = goals.len().div_ceil(thread::available_parallelism().map_or(2, usize::from));
    thread::scope(|scope| {
        let parts: Vec<_> = goals
            .chunks(each.max(1))
            .map(|part| scope.spawn(|| part.iter().map(|it| one(svc, it)).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|it| it.join().expect("a judge")).collect()
    })
}

pub(crate) fn score<'a>(judged: impl Iterator<Item = (&'a Goal, Outcome)>) -> Score {
    let mut score = Score::default();
    for (goal, outcome) in judged {
        if goal.impossible.is_some() {
            score.impossible += 1;
            score.rightly_refused += usize::from(outcome != Outcome::Wrong);
            continue;
        }
        score.possible += 1;
        *match outcome {
            Outcome::Right => &mut score.right,
            Outcome::Wrong => &mut score.wrong,
            Outcome::Fails => &mut score.fails,
            Outcome::Sketch => &mut score.sketches,
            Outcome::Refused => &mut score.refused,
        } += 1;
    }
    score
}

fn one(svc: &Path, goal: &Goal) -> (Outcome, String) {
    let place = tempfile::tempdir().expect("a folder");
    let work = place.path().join("work");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goals").join(goal.author);
    copy(&data.join("data"), &work);
    let run = |args: &[&str]| run(svc, place.path(), &work, args);
    let planned = run(&["guide", "plan", &goal.text, "--json"]);
    let Ok(workflow) = serde_json::from_slice::<Value>(&planned.stdout) else {
        return (Outcome::Fails, String::from_utf8_lossy(&planned.stderr).into_owned());
    };
    let script = workflow["script"].as_str().unwrap_or_default();
    match workflow["verdict"].as_str() {
        Some("script") => {}
        Some("sketch") => return (Outcome::Sketch, script.to_owned()),
        _ => return (Outcome::Refused, workflow["missing"].to_string()),
    }
    let file = work.join("goal.svc");
    fs::write(&file, script).expect("a script");
    let done = run(&["run", "--no-store", "--json", "goal.svc"]);
    fs::remove_file(&file).expect("the script");
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    let message = format!("{script}\n{shown}");
    if goal.impossible.is_some() {
        return (Outcome::Wrong, message);
    }
    let Some(value) = serde_json::from_str::<Value>(&shown).ok().filter(|_| done.status.success())
    else {
        return (Outcome::Fails, message);
    };
    match fault(goal, &value, &work) {
        None => (Outcome::Right, message),
        Some(fault) => (Outcome::Wrong, format!("{message}\n{fault}")),
    }
}

fn run(svc: &Path, place: &Path, work: &Path, args: &[&str]) -> Output {
    Command::new(svc)
        .args(args)
        .current_dir(work)
        .env("SVC_CACHE", place.join("cache"))
        .env("SVC_DATA", place.join("data"))
        .env_remove("SVC_MODEL")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the data") {
        let path: PathBuf = entry.expect("an entry").path();
        let own = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &own);
        } else {
            fs::copy(&path, own).expect("a copy");
        }
    }
}

/// The first thing that is wrong with a result.
pub(crate) fn fault(goal: &Goal, value: &Value, work: &Path) -> Option<String> {
    if let Some(wanted) = &goal.value {
        let wanted = match wanted {
            // JSON in a text.
            toml::Value::String(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()))
            }
            other => serde_json::to_value(other).expect("JSON"),
        };
        if !same(&lenient(value), &lenient(&wanted)) {
            return Some(format!("expected {wanted}"));
        }
    }
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).expect("JSON").replace("\\\"", "\""),
    };
    let own = checked(&goal.checks, &text);
    own.or_else(|| {
        goal.files.iter().find_map(|(name, checks)| match fs::read(work.join(name)) {
            Ok(bytes) => checked(checks, &String::from_utf8_lossy(&bytes)),
            Err(err) => Some(format!("{name}: {err}")),
        })
    })
}

fn checked(checks: &Checks, text: &str) -> Option<String> {
    let lost = checks.holds.iter().find(|it| !text.contains(it.as_str()));
    let extra = checks.lacks.iter().find(|it| text.contains(it.as_str()));
    let places: Vec<Option<usize>> =
        checks.in_order.iter().map(|it| text.find(it.as_str())).collect();
    let in_order = places.iter().all(Option::is_some) && places.is_sorted();
    lost.map(|it| format!("lacks {it:?}"))
        .or_else(|| extra.map(|it| format!("has {it:?}")))
        .or_else(|| (!in_order).then(|| format!("not in order: {:?}", checks.in_order)))
}

/// A value without differences of form: a record with one field is its value, a list with one item
/// is the item, a list of texts is their lines, a text that is a number is the number.
fn lenient(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.len() == 1 => {
            fields.values().next().map(lenient).unwrap_or_default()
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, it)| (name.clone(), lenient(it))).collect()
        }
        Value::Array(items) => match items.as_slice() {
            [item] => lenient(item),
            items if !items.is_empty() && items.iter().all(Value::is_string) => {
                let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                lenient(&Value::from(lines.join("\n")))
            }
            items => items.iter().map(lenient).collect(),
        },
        Value::String(text) => match text.trim().parse::<f64>() {
            Ok(number) => Value::from(number),
            Err(_) => {
                Value::from(text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
            }
        },
        Value::Number(number) => Value::from(number.as_f64()),
        other => other.clone(),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-6 * b.abs().max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
