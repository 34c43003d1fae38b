//! Strategies of evolution, as rhai files.
//!
//! A strategy is two functions: `propose(history)` says which candidates are tried next, and
//! `judge(results)` which of them are worth all cases. It runs in the sandbox of inline code: it ends,
//! reaches nothing, and cannot fail in a way that stops an evolution without a message.

use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{Text, Type, Value},
};
use svc_lang::script::{Ended, InlineScript, Watch, limits};
use tokio_util::sync::CancellationToken;

/// The strategies that come with this program.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("debate", include_str!("../../../stdlib/strategies/debate.rhai")),
    ("successive_halving", include_str!("../../../stdlib/strategies/successive_halving.rhai")),
    ("bandit_online", include_str!("../../../stdlib/strategies/bandit_online.rhai")),
];

/// The most asks of one proposal, and the most candidates of one ask.
const MOST_ASKS: usize = 64;
const MOST_EACH: i64 = 64;

/// A strategy, ready to run.
#[derive(Debug)]
pub struct Strategy {
    name: String,
    propose: InlineScript,
    judge: InlineScript,
    deadline: std::time::Duration,
}

/// What a strategy wants to be tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    pub wanted: Wanted,
    /// The share of the training cases on which it is tried first.
    pub share: f64,
}

/// Whose candidates.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Those of a proposer of this name.
    Of { proposer: String, count: usize },
    /// One with these params.
    Params(Value),
}

/// What a strategy thinks of results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The indexes of the results that are worth all cases.
    pub keep: Vec<usize>,
    /// Whether the evolution ends.
    pub stops: bool,
}

impl Strategy {
    /// A strategy that comes with this program.
    pub fn built_in(name: &str) -> Option<Result<Self, OpError>> {
        let (name, code) = BUILT_IN.iter().find(|it| it.0 == name)?;
        Some(Self::new(name, code))
    }

    /// Compiles a strategy.
    pub fn new(name: &str, code: &str) -> Result<Self, OpError> {
        for function in ["propose", "judge"] {
            if !has_function(code, function) {
                let message = format!("the strategy `{name}` has no function `{function}`");
                return Err(OpError::invalid_input(message)
                    .help("a strategy defines `fn propose(history)` and `fn judge(results)`"));
            }
        }
        let compiled = |function: &str, input: &str| {
            let code = format!("{code}\n{function}({input})");
            InlineScript::new(&code, 0, &[input.into()], &Type::Json).map_err(|wrong| {
                OpError::invalid_input(format!(
                    "the strategy `{name}` does not compile: {}",
                    wrong.message
                ))
            })
        };
        Ok(Self {
            name: name.to_owned(),
            propose: compiled("propose", "history")?,
            judge: compiled("judge", "results")?,
            deadline: limits::TIME,
        })
    }

    /// The candidates that are tried next; none ends the evolution.
    pub fn propose(&self, history: Value) -> Result<Vec<Ask>, OpError> {
        let asked = self.run(&self.propose, history, "propose")?;
        let Some(list) = asked.as_list() else {
            return Err(self.wrong("propose", "a list of asks", &asked));
        };
        if list.len() > MOST_ASKS {
            return Err(self.unfit(&format!(
                "`propose` asks for too much: {} (limit {MOST_ASKS})",
                list.len()
            )));
        }
        list.iter().map(|it| self.ask(it)).collect()
    }

    /// Which results are worth all cases, of `count`.
    pub fn judge(&self, results: Value, count: usize) -> Result<Judged, OpError> {
        let judged = self.run(&self.judge, results, "judge")?;
        let (keep, stops) = match &judged {
            Value::List(list) => (Some(list.clone()), false),
            Value::Record(record) => (
                record.get("keep").and_then(Value::as_list).cloned(),
                matches!(record.get("stop"), Some(Value::Bool(true))),
            ),
            _ => (None, false),
        };
        let Some(keep) = keep else {
            return Err(self.wrong(
                "judge",
                "a list of indexes, or `#{ keep: [..], stop: false }`",
                &judged,
            ));
        };
        let mut kept = Vec::new();
        for it in &keep {
            let idx = match it {
                Value::Int(it) => usize::try_from(*it).ok().filter(|it| *it < count),
                _ => None,
            };
            let Some(idx) = idx else {
                return Err(self.wrong("judge", &format!("indexes below {count}"), it));
            };
            if !kept.contains(&idx) {
                kept.push(idx);
            }
        }
        Ok(Judged { keep: kept, stops })
    }

    fn run(&self, code: &InlineScript, input: Value, function: &str) -> Result<Value, OpError> {
        let watch = Watch {
            operations: limits::OPERATIONS,
            deadline: Some(tokio::time::Instant::now() + self.deadline),
            cancel: CancellationToken::new(),
            host: None,
            memory: None,
        };
        code.run(&[input], &watch).map_err(|ended| match ended {
            Ended::Failed(failure) => {
                let OpError { kind, message, help, .. } = failure.error;
                let message = format!("`{function}` of the strategy `{}`: {message}", self.name);
                let error = OpError::new(kind, message);
                match help {
                    Some(help) => error.help(help),
                    None => error,
                }
            }
            Ended::Unfinished => self.unfit(&format!("`{function}` did not end")),
        })
    }

    fn ask(&self, value: &Value) -> Result<Ask, OpError> {
        let wrong = || {
            self.wrong(
                "propose",
                "`#{ by: \"tpe\", count: 4, share: 0.5 }` or `#{ params: #{..}, share: 1.0 }`",
                value,
            )
        };
        let record = value.as_record().ok_or_else(wrong)?;
        let known: &[&str] = &["by", "count", "share", "params"];
        if record.iter().any(|(name, _)| !known.contains(&&**name)) {
            return Err(wrong());
        }
        let share = match record.get("share") {
            None => 1.0,
            Some(it) => crate::value::number(it).ok_or_else(wrong)?,
        };
        if !(share > 0.0 && share <= 1.0) {
            return Err(self.unfit(&format!("a share is above 0 and at most 1, found {share}")));
        }
        let wanted = match (record.get("by"), record.get("params")) {
            (Some(Value::Text(name)), None) => {
                let count = match record.get("count") {
                    None => 1,
                    Some(Value::Int(it)) if (1..=MOST_EACH).contains(it) => *it,
                    Some(_) => return Err(wrong()),
                };
                let count = usize::try_from(count).unwrap_or(1);
                Wanted::Of { proposer: name.to_string(), count }
            }
            (None, Some(params @ Value::Record(_))) => Wanted::Params(params.clone()),
            _ => return Err(wrong()),
        };
        Ok(Ask { wanted, share })
    }

    fn wrong(&self, function: &str, expected: &str, found: &Value) -> OpError {
        let found = svc_contract::registry::Param::written(found);
        let found: Text = found.chars().take(80).collect::<String>().into();
        self.unfit(&format!("`{function}` returns {expected}, found {found}"))
    }

    fn unfit(&self, why: &str) -> OpError {
        OpError::new(ErrorKind::InvalidOutput, format!("the strategy `{}`: {why}", self.name))
            .help("the chapter on tuning shows what a strategy gets and returns")
    }
}

/// Whether code defines a function of this name, as far as its text shows.
fn has_function(code: &str, name: &str) -> bool {
    let mut rest = code;
    while let Some(at) = rest.find("fn ") {
        rest = &rest[at + 3..];
        if rest.trim_start().strip_prefix(name).is_some_and(|it| it.trim_start().starts_with('(')) {
            return true;
        }
    }
    false
}
