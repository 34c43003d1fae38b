//! Scores the answers of `guide_plan_workflow` to the goals of `goals.toml` and `fresh.toml`, using
//! the checker.

use serde::Deserialize;
use svc::{Engine, value::Value};

const GOALS: &str = include_str!("goals.toml");
const FRESH: &str = include_str!("fresh.toml");

/// The maximum number of stages of a script in addition to the expected ones.
const MOST_OTHERS: usize = 3;

#[derive(Deserialize)]
struct Goals {
    goal: Vec<Goal>,
}

/// A goal, and the expected stages of a script for it.
#[derive(Deserialize)]
pub(crate) struct Goal {
    #[serde(rename = "goal")]
    pub(crate) text: String,
    /// One list of ops for each acceptable script; empty if no script is possible.
    #[serde(default)]
    stages: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) held_back: bool,
    /// Whether it belongs to the fresh goals.
    #[serde(skip)]
    pub(crate) fresh: bool,
}

/// The names of the sets of goals, in the order of their scores.
pub(crate) const SETS: [&str; 3] = ["tuned on", "held back", "fresh"];

/// The result for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// A script that checks, with the expected stages.
    Right,
    /// A script that checks, with other stages.
    Other,
    /// No script, although one is possible.
    No,
    /// No script, and none is possible.
    RightlyNo,
    /// A script, although none is possible.
    WronglyYes,
}

/// The score of one set.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) possible: usize,
    pub(crate) impossible: usize,
    /// The number of scripts that check.
    pub(crate) checked: usize,
    /// The number of scripts that check and have the expected stages.
    pub(crate) right: usize,
    /// The number of impossible goals that were refused.
    pub(crate) refused: usize,
}

impl Goal {
    fn is_possible(&self) -> bool {
        !self.stages.is_empty()
    }

    fn set(&self) -> usize {
        if self.fresh { 2 } else { usize::from(self.held_back) }
    }
}

pub(crate) fn goals() -> Vec<Goal> {
    let fresh = read(FRESH).into_iter().map(|it| Goal { fresh: true, ..it });
    read(GOALS).into_iter().chain(fresh).collect()
}

/// Parses goals from TOML.
pub(crate) fn read(text: &str) -> Vec<Goal> {
    toml::from_str::<Goals>(text).expect("the goals are TOML").goal
}

/// Returns the answer to every goal, with its script.
pub(crate) async fn answers(engine: &Engine, goals: Vec<Goal>) -> Vec<(Goal, Served, String)> {
    let mut all = Vec::new();
    for goal in goals {
        let (served, told) = answer(engine, &goal).await;
        all.push((goal, served, told));
    }
    all
}

async fn answer(engine: &Engine, goal: &Goal) -> (Served, String) {
    let script = "param goal: string  goal >> guide_plan_workflow";
    let planned = engine.run(script).param("goal", goal.text.as_str()).await;
    let planned = planned.expect("a plan or what is missing").value;
    let record = planned.as_record().expect("a record");
    match (record.get("script").and_then(Value::as_str), goal.is_possible()) {
        (Some(script), true) => (judged(engine, goal, script), script.to_owned()),
        (Some(script), false) => (Served::WronglyYes, script.to_owned()),
        (None, possible) => {
            let missing = record.get("missing").map(ToString::to_string).unwrap_or_default();
            (if possible { Served::No } else { Served::RightlyNo }, missing)
        }
    }
}

fn judged(engine: &Engine, goal: &Goal, script: &str) -> Served {
    let verdict = engine.verdict(script);
    if !verdict.ok {
        return Served::No;
    }
    let mut nodes: Vec<(usize, String)> =
        verdict.nodes.into_iter().filter_map(|it| Some((it.span.end, it.op?))).collect();
    nodes.extend(script.match_indices("sort {").map(|(at, _)| (at, "sort".to_owned())));
    let uses = script
        .match_indices("use \"")
        .filter_map(|(at, _)| Some((at, script[at..].split('"').nth(1)?.to_owned())));
    nodes.extend(uses);
    nodes.sort();
    let ops: Vec<&str> = nodes.iter().map(|(_, op)| op.as_str()).collect();
    let has = |wanted: &Vec<String>| {
        let mut rest = ops.iter();
        wanted.iter().all(|op| rest.any(|it| it == op)) && ops.len() <= wanted.len() + MOST_OTHERS
    };
    if goal.stages.iter().any(has) { Served::Right } else { Served::Other }
}

/// Returns the scores of the sets.
pub(crate) fn scores(answers: &[(Goal, Served, String)]) -> [Score; SETS.len()] {
    let mut scores = <[Score; SETS.len()]>::default();
    for (goal, served, _) in answers {
        let score = &mut scores[goal.set()];
        if goal.is_possible() {
            score.possible += 1;
        } else {
            score.impossible += 1;
        }
        score.checked += usize::from(matches!(served, Served::Right | Served::Other));
        score.right += usize::from(*served == Served::Right);
        score.refused += usize::from(*served == Served::RightlyNo);
    }
    scores
}
