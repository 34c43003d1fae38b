//! Recommends algorithms of this program for a task, by rules about the size and the kind of the data.

mod rules;

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Effect, Example, Field, Op, OpError, Registry, Scheme, Scope,
        Tool, Var, compute, nearest, params, record,
    },
    value::{Text, Value},
};

use rules::{RULES, Rule, TASKS};

pub(super) const COMPONENT: Component = Component {
    name: "adapt_algo_select",
    cluster: "self-optimisation",
    summary: "Recommends an algorithm of this program for a task and the size of the data.",
    version: 1,
    bias: Bias::new(
        "rules about the size and the kind of the data",
        &["data are like those of published comparisons", "a cross-validation decides in the end"],
    ),
    aliases: &[],
    ops: &[compute::<Recommend>()],
};

record! {
    /// An algorithm for a task.
    struct Recommendation {
        /// The algorithm.
        name: Text,
        /// The op of this program that does it.
        op: Text,
        /// How well it fits, from 0 to 1; comparable within one task.
        score: f64,
        /// Why.
        reason: Text,
    }
}

record! {
    /// What fits a task.
    struct Recommended {
        /// The task, by its name here.
        task: Text,
        /// The algorithms, best first; empty if none fits.
        recommendations: Vec<Recommendation>,
        /// Why none fits, or what else to know.
        note: Option<Text>,
    }
}

params! {
    /// Recommends algorithms for a task, by rules about the size and the kind of the data.
    ///
    /// The tasks are `classification`, `regression`, `ab_test`, `estimation`, `diagnosis` (Bayesian networks), `search`, `ranking`,
    /// `question_answering`, `summarization`, `keywords`, `entities` and `deduplication`. `clustering`, `forecasting`,
    /// `anomaly_detection`, `recommendation` and `optimization` are known, too, but nothing here does them, which `note` says.
    ///
    /// Only what this program has is recommended. The constraints are `interpretable`, for models whose
    /// reasons can be read, and `fast`, for predictions within microseconds; both are false by
    /// default. For tables, `adapt_automl.compare` measures what is recommended here.
    struct Recommend {
        /// The task, such as `classification`.
        task: Text,
        /// The number of rows, documents or observations.
        rows: u32,
        /// The number of columns besides the target.
        features: Option<u32> = None,
        /// `{ interpretable: true, fast: true }`.
        constraints: Option<Var<'C'>> = None,
    }
}

impl Op for Recommend {
    const NAME: &'static str = "recommend";
    const YIELDS: Scheme = Recommended::SCHEME;
    /// The registry is not an argument, so reading it is an effect.
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("components"))];
    const TOOL: Option<Tool> = Some(Tool::free("recommend_algo"));
    const SAYS: &'static [&'static str] = &[
        "which algorithm should i use",
        "recommend a model for my data",
        "best method for this task",
        "choose between random forest and logistic regression",
        "which algorithm fits few rows",
        "algorithm selection",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A small table whose reasons must be read",
            r#"let found = "regression" >> adapt_algo_select.recommend(rows: 200, features: 8, constraints: { interpretable: true })
found.recommendations >> first >> .name"#,
            r#""ridge_regression""#,
        ),
        Example::ok(
            "Nothing here does it",
            r#"let found = "clustering" >> adapt_algo_select.recommend(rows: 1000)
found.note"#,
            r#""nothing in this program does clustering""#,
        ),
        Example::err(
            "An unknown task",
            r#""telepathy" >> adapt_algo_select.recommend(rows: 10)"#,
            "unknown task `telepathy`",
        ),
    ];
}

/// What an algorithm has to cope with.
struct Situation {
    rows: i64,
    features: Option<i64>,
    is_interpretable: bool,
    is_fast: bool,
}

impl Situation {
    #[expect(clippy::cast_precision_loss, reason = "a ratio needs few digits")]
    fn rows_per_feature(&self) -> Option<f64> {
        let features = self.features.filter(|it| *it > 0)?;
        Some(self.rows as f64 / features as f64)
    }
}

impl Compute for Recommend {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let task = task(&self.task)?;
        let constraints = self.constraints.as_ref().map(|it| &it.0);
        let situation = Situation {
            rows: i64::from(self.rows),
            features: self.features.map(i64::from),
            is_interpretable: flag(constraints, "interpretable")?,
            is_fast: flag(constraints, "fast")?,
        };
        let catalog = cx.catalog()?;
        Ok(recommended(task, &situation, catalog.registry()).encode())
    }
}

/// The task that is meant by a name or by other words.
fn task(given: &str) -> Result<&'static str, OpError> {
    let plain = given.trim().to_lowercase().replace(['-', ' '], "_");
    let is_meant = |(name, words): &&(&str, &[&str])| {
        *name == plain || words.iter().any(|it| it.replace(['-', ' '], "_") == plain)
    };
    if let Some((name, _)) = TASKS.iter().find(is_meant) {
        return Ok(name);
    }
    let shown: String = given.chars().take(60).collect();
    let names: Vec<&str> = TASKS.iter().map(|it| it.0).collect();
    let all = names.join(", ");
    let help = match nearest(&plain, names.iter().copied()) {
        Some(near) => format!("use `{near}`, or another one of: {all}"),
        None => format!("use one of: {all}"),
    };
    Err(OpError::invalid_input(format!("unknown task `{shown}`")).help(help))
}

fn flag(constraints: Option<&Value>, name: &str) -> Result<bool, OpError> {
    const KNOWN: [&str; 2] = ["interpretable", "fast"];
    let Some(given) = constraints.filter(|it| !it.is_null()) else { return Ok(false) };
    let Some(record) = given.as_record() else {
        let message = format!("expected an object for `constraints`, found {}", given.kind());
        return Err(
            OpError::invalid_input(message).help("use `{ interpretable: true, fast: true }`")
        );
    };
    if let Some((unknown, _)) = record.iter().find(|it| !KNOWN.contains(&it.0.as_ref())) {
        let shown: String = unknown.chars().take(40).collect();
        let message = format!("unknown constraint `{shown}`");
        return Err(OpError::invalid_input(message).help("use `interpretable` and `fast`"));
    }
    match record.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(it)) => Ok(*it),
        Some(other) => {
            let kind = other.kind();
            let message = format!("expected true or false for `constraints.{name}`, found {kind}");
            Err(OpError::invalid_input(message))
        }
    }
}

fn recommended(task: &'static str, it: &Situation, registry: &Registry) -> Recommended {
    let is_there = |rule: &&Rule| {
        let op = registry.find_op(rule.component, rule.op);
        op.is_some_and(|it| it.op.lacks().is_none())
    };
    let of_task: Vec<&Rule> = RULES.iter().filter(|it| it.task == task).filter(is_there).collect();
    let mut all: Vec<Recommendation> = of_task.iter().filter_map(|rule| judged(rule, it)).collect();
    // The sort is stable: of equal scores, the one that is listed first.
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    let note = note(task, it, of_task.is_empty(), all.is_empty());
    Recommended { task: task.into(), recommendations: all, note: note.map(Text::from) }
}

fn judged(rule: &Rule, it: &Situation) -> Option<Recommendation> {
    let found = (rule.judge)(it)?;
    let sum: f64 = rule.usual + found.iter().map(|it| it.0).sum::<f64>();
    let score = (sum.clamp(0.0, 1.0) * 100.0).round() / 100.0;
    let reasons = std::iter::once(rule.reason.to_owned()).chain(found.into_iter().map(|it| it.1));
    let reason = reasons.collect::<Vec<_>>().join("; ");
    let op = format!("{}.{}", rule.component, rule.op);
    Some(Recommendation { name: rule.name.into(), op: op.into(), score, reason: reason.into() })
}

fn note(task: &str, it: &Situation, is_unknown: bool, is_empty: bool) -> Option<String> {
    let is_table = matches!(task, "classification" | "regression");
    if is_unknown {
        return Some(format!("nothing in this program does {}", task.replace('_', " ")));
    }
    if is_table && it.rows < 10 {
        return Some("fewer than 10 rows are too few to learn from".to_owned());
    }
    if is_table && is_empty {
        let limits = "at most 50,000 rows and 200 features";
        return Some(format!("learning takes {limits}: take a sample, or leave features out"));
    }
    if is_table {
        return Some("`adapt_automl.compare` tries these and measures which is best".to_owned());
    }
    is_empty.then(|| format!("nothing in this program does {task} with so much data"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation(rows: i64, features: i64) -> Situation {
        Situation { rows, features: Some(features), is_interpretable: false, is_fast: false }
    }

    fn order(task: &'static str, it: &Situation) -> Vec<&'static str> {
        let rules = RULES.iter().filter(|rule| rule.task == task);
        let mut all: Vec<(f64, &str)> =
            rules.filter_map(|rule| Some((judged(rule, it)?.score, rule.name))).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().map(|it| it.1).collect()
    }

    #[test]
    fn few_rows_want_simple_models_and_many_rows_trees() {
        assert_eq!(order("classification", &situation(60, 20))[0], "logistic_regression");
        assert_eq!(order("classification", &situation(20_000, 20))[0], "gradient_boosting");
        assert_eq!(order("regression", &situation(80, 30))[0], "ridge_regression");
    }

    #[test]
    fn constraints_and_limits_exclude() {
        let readable = Situation { is_interpretable: true, ..situation(20_000, 20) };
        assert_eq!(order("classification", &readable), ["logistic_regression", "naive_bayes"]);
        assert!(order("classification", &situation(5, 2)).is_empty());
        assert!(order("regression", &situation(60_000, 2)).is_empty());
        assert!(order("regression", &situation(600, 201)).is_empty());
    }

    #[test]
    fn tasks_are_known_by_other_words() {
        assert_eq!(task("Semantic search").unwrap(), "search");
        assert_eq!(task("A/B test").unwrap(), "ab_test");
        let err = task("clasification").unwrap_err();
        assert_eq!(err.message, "unknown task `clasification`");
    }

    #[test]
    fn every_rule_is_of_a_known_task_and_names_are_unique() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(TASKS.iter().any(|it| it.0 == rule.task), "{}", rule.task);
            let same = |it: &&Rule| it.task == rule.task && it.name == rule.name;
            assert_eq!(RULES.iter().filter(same).count(), 1, "{at}: {}", rule.name);
        }
    }
}
