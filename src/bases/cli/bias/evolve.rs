//! `svc bias evolve` and its front.

use std::path::PathBuf;

use clap::Args;
use svc_api::tuning::{STEP_HEAD, front_svg, step_line};
use svc_contract::value::{Money, Value};
use svc_service::bias::{Config, Model, Step, Weights};

use super::{Common, Failure, Result, Session, reading::weights_of, write, write_json};
use crate::bases::cli::{
    signals::{Asked, Signals},
    terminal,
};

/// The most that a language model may cost if nothing else is said.
const MODEL_COST: Money = Money::cents(10);

/// Search for better params of a component on its cases. Nothing is applied.
///
/// Candidates are tried on the training cases and compared on the validation cases; the sealed ones are
/// only read by `svc bias apply`. Ctrl-C ends it; started again with the same options, it goes on where
/// it was.
#[derive(Args)]
pub(super) struct Evolve {
    /// The component.
    component: String,
    /// The most evaluations; one is a candidate on all training cases.
    #[arg(long, value_name = "N")]
    evaluations: Option<u64>,
    /// The most rounds of proposals.
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// The longest time: `10m`.
    #[arg(long, value_name = "TIME", value_parser = crate::bases::cli::given::duration)]
    time: Option<std::time::Duration>,
    /// What random choices begin with.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// `debate`, `successive_halving`, `bandit_online`, or a file that ends in `.rhai`.
    #[arg(long, value_name = "NAME|FILE")]
    strategy: Option<String>,
    /// Ask this language model for candidates, too: an alias, or `provider/model`. It is shown training
    /// cases.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The most that the model may cost: `0.10`.
    #[arg(long, value_name = "DOLLARS", requires = "model", value_parser = crate::bases::cli::given::money)]
    max_cost: Option<Money>,
    /// How much each counts when a candidate is chosen: `quality=2,speed=1`.
    #[arg(long, value_name = "NAME=NUMBER,..")]
    weights: Option<String>,
    /// A file with the trace of a workflow that used the component.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write the proposal to this file, for `svc bias apply`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a picture of the front to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Evolve {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let mut work = self.common.work(session)?;
        let config = self.config();
        let weights = weights_of(self.weights.as_deref())?;
        let weights = weights.map(|it| Weights::QUALITY.with(Some(&it)));
        let weights = weights.transpose().map_err(Failure::reading)?;
        let trace = self.trace.as_ref().map(|it| super::read_json(it, session)).transpose()?;
        let cancel = svc_engine::CancellationToken::new();
        work.cancel = cancel.clone();
        let is_shown = session.terminal.err.is_terminal;
        if is_shown {
            terminal::print_err(terminal::styled(STEP_HEAD));
        }
        let mut report = |step: &Step| {
            if is_shown {
                terminal::print_err(terminal::styled(&step_line(step)));
            }
        };
        let mut signals = Signals::new();
        let evolving = work.evolve(&self.component, trace.as_ref(), &config, weights, &mut report);
        let ended = tokio::select! {
            ended = evolving => ended,
            Some(Asked::Interrupt | Asked::End) = signals.next() => {
                cancel.cancel();
                let message = "interrupted; start it again to go on";
                return Err(Failure::new(super::super::exit::INTERRUPTED, message));
            }
        };
        let (answer, evolved) = match ended {
            Ok(found) => found,
            Err(err) => return self.common.print(Err(err), session),
        };
        evolved.warnings.iter().for_each(|it| session.terminal.note(it));
        if let Some(file) = &self.svg {
            let svg =
                front_svg(&evolved.frontier, &session.engine).await.map_err(Failure::reading)?;
            write(file, &svg, session)?;
        }
        let proposal = answer.as_record().and_then(|it| it.get("proposal")).cloned();
        if let Some(file) = &self.output {
            write_json(file, &proposal.clone().unwrap_or_default(), session)?;
        }
        if self.common.json {
            return self.common.put(&with_cost(answer, evolved.cost), session);
        }
        self.common.put(&summary(&answer, &evolved), session)
    }

    fn config(&self) -> Config {
        let default = Config::default();
        Config {
            max_iterations: self.iterations.unwrap_or(default.max_iterations),
            max_evaluations: self.evaluations.unwrap_or(default.max_evaluations),
            max_time: self.time.unwrap_or(default.max_time),
            seed: self.seed.unwrap_or(default.seed),
            strategy: self.strategy.clone().unwrap_or(default.strategy),
            model: self
                .model
                .clone()
                .map(|name| Model { name, max_cost: self.max_cost.unwrap_or(MODEL_COST) }),
        }
    }
}

/// What a person wants to know of an evolution.
fn summary(answer: &Value, evolved: &svc_service::bias::Evolved) -> Value {
    let version = answer.as_record().and_then(|it| it.get("version")).cloned();
    let fields: [(&str, Value); 8] = [
        ("proposal", evolved.shown().into()),
        ("is_better", evolved.is_better.into()),
        ("before", rounded(evolved.before)),
        ("after", rounded(evolved.after)),
        ("version", version.unwrap_or_default()),
        ("rounds", evolved.rounds.into()),
        ("evaluations", rounded(evolved.evaluations)),
        ("cost", evolved.cost.into()),
    ];
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}

/// The answer of the tool, with what a language model was paid: only the command line can ask one.
fn with_cost(answer: Value, cost: Money) -> Value {
    let Value::Record(record) = &answer else { return answer };
    let fields = record.iter().map(|(name, it)| (name.clone(), it.clone()));
    Value::Record(fields.chain([("cost".into(), cost.into())]).collect())
}

fn rounded(number: f64) -> Value {
    Value::Float((number * 1e4).round() / 1e4)
}

/// Show the candidates of the last evolution that no other one beats.
#[derive(Args)]
pub(super) struct Frontier {
    /// The component.
    component: String,
    /// Write a picture to this file: quality over speed.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Frontier {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        if let Some(file) = &self.svg {
            let front = work.measured_frontier(&self.component).map_err(Failure::reading)?;
            let svg = svc_api::tuning::kept_front_svg(&front, &session.engine).await;
            let svg = svg.map_err(Failure::reading)?;
            write(file, &svg, session)?;
        }
        if self.common.json {
            return self.common.print(work.frontier(&self.component), session);
        }
        let front = work.measured_frontier(&self.component).map_err(Failure::reading)?;
        let rows = front.into_iter().map(|(params, measured)| {
            let own = measured.as_record();
            let own = own.into_iter().flat_map(|it| it.iter().map(|(a, b)| (a.clone(), b.clone())));
            Value::Record(own.chain([("params".into(), params.into())]).collect())
        });
        self.common.put(&Value::List(rows.collect()), session)
    }
}
