//! The commands that change nothing but what is remembered.

use std::path::PathBuf;

use clap::Args;
use svc_contract::value::{Timestamp, Value, times};
use svc_service::bias::Work;

use super::{Common, Failure, Result, Session, USAGE, read_json};

/// Show the components that can be tuned, with their active params.
#[derive(Args)]
pub(super) struct Snapshot {
    #[command(flatten)]
    common: Common,
}

impl Snapshot {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        let found = work.snapshot();
        if self.common.json {
            return self.common.print(found, session);
        }
        self.common.print(work.overview(), session)
    }
}

/// Show what is known of a component: contracts, verification, domain, memory.
#[derive(Args)]
pub(super) struct Understand {
    /// The component.
    component: String,
    #[command(flatten)]
    common: Common,
}

impl Understand {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.understand(&self.component);
        self.common.print(found, session)
    }
}

/// Say whether a trace of a workflow is novel, and keep it.
#[derive(Args)]
pub(super) struct Observe {
    /// A file with the trace as JSON; `-` reads standard input. Without it, the state of the tuning.
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Observe {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let trace = self.trace.as_ref().map(|it| read_json(it, session)).transpose()?;
        let work = self.common.work(session)?;
        self.common.print(work.observe(trace.as_ref()).await, session)
    }
}

/// Score a trace of a workflow, or a component on its cases, by speed, cost and quality.
#[derive(Args)]
pub(super) struct Evaluate {
    /// The name of a component, or a file with a trace as JSON.
    #[arg(value_name = "COMPONENT|TRACE")]
    what: PathBuf,
    /// How much each counts: `quality=2,speed=1`.
    #[arg(long, value_name = "NAME=NUMBER,..")]
    weights: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Evaluate {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let is_file = session.engine.host().stat(&self.what).is_ok_and(|it| !it.is_dir);
        let trace = if is_file || self.what.as_os_str() == "-" {
            read_json(&self.what, session)?
        } else {
            let name = self.what.to_string_lossy().into_owned();
            Value::Record([("component".into(), name.into())].into_iter().collect())
        };
        let weights = weights_of(self.weights.as_deref())?;
        let work = self.common.work(session)?;
        self.common.print(work.evaluate(&trace, weights.as_ref()).await, session)
    }
}

/// `quality=2,speed=1` as a record.
pub(super) fn weights_of(text: Option<&str>) -> Result<Option<Value>> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        Failure::new(USAGE, format!("expected NAME=NUMBER, found `{text}`"))
            .help("write `--weights quality=2,speed=1`")
    };
    let each = text.split(',').map(|it| {
        let (name, number) = it.split_once('=').ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        Ok((name.trim().into(), Value::Float(number)))
    });
    Ok(Some(Value::Record(each.collect::<Result<_>>()?)))
}

/// List the versions of a component, the latest first.
#[derive(Args)]
pub(super) struct History {
    /// The component.
    component: String,
    /// The most versions.
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    common: Common,
}

impl History {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.history(&self.component, self.limit);
        self.common.print(found, session)
    }
}

/// Show how two versions of a component differ.
#[derive(Args)]
pub(super) struct Compare {
    /// The component.
    component: String,
    /// The first version; -1 is the one before the active one.
    #[arg(allow_hyphen_values = true)]
    a: i64,
    /// The second version.
    #[arg(allow_hyphen_values = true)]
    b: i64,
    #[command(flatten)]
    common: Common,
}

impl Compare {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.compare(&self.component, self.a, self.b);
        self.common.print(found, session)
    }
}

/// List what was done to biases, the latest first.
#[derive(Args)]
pub(super) struct Audit {
    /// Only of one component.
    component: Option<String>,
    /// The most entries.
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: usize,
    /// Only since this time: `2026-11-27T00:00:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Verify that no entry was changed or removed.
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        if self.verify {
            return self.common.print(work.verify_log(), session);
        }
        let since = self.since.as_deref().map(|it| {
            times::parse_time(it).map(Timestamp::as_millisecond).ok_or_else(|| {
                Failure::new(USAGE, format!("`{it}` is not a time"))
                    .help("write `--since 2026-11-27T00:00:00Z`")
            })
        });
        let found = work.audit_log(self.component.as_deref(), self.limit, since.transpose()?);
        self.common.print(found, session)
    }
}

/// Count changes, refusals and rollbacks.
#[derive(Args)]
pub(super) struct Metrics {
    /// Only of one component.
    component: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Metrics {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.metrics(self.component.as_deref());
        self.common.print(found, session)
    }
}

/// List the six principles, with what each of them measures.
#[derive(Args)]
pub(super) struct Principles {
    #[command(flatten)]
    common: Common,
}

impl Principles {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let all = Work::principles();
        let principles = all.as_record().and_then(|it| it.get("principles")).cloned();
        self.common.print(Ok(principles.unwrap_or_default()), session)
    }
}

/// Show the four safety layers.
#[derive(Args)]
pub(super) struct Status {
    #[command(flatten)]
    common: Common,
}

impl Status {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.safety_status();
        self.common.print(found, session)
    }
}

/// Keep a note for later evolutions.
#[derive(Args)]
pub(super) struct Remember {
    /// The note.
    text: String,
    /// Where it comes from.
    #[arg(long, default_value = "manual")]
    source: String,
    #[command(flatten)]
    common: Common,
}

impl Remember {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.remember(&self.text, &self.source);
        self.common.print(found, session)
    }
}

/// Search the notes of people and of evolutions.
#[derive(Args)]
pub(super) struct Recall {
    /// The question.
    question: String,
    #[command(flatten)]
    common: Common,
}

impl Recall {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.recall(&self.question);
        self.common.print(found, session)
    }
}
