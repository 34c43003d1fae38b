//! `svc guide`: a script for a goal, and the whole at a glance.

use clap::{Args, Subcommand};

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result},
    terminal,
};
use crate::{registry::ErrorKind, value::Value};

/// Get a script for a goal, or an overview.
#[derive(Args)]
pub(super) struct Guide {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Overview(Overview),
}

/// Tell what svc is, what it is built of, and how its language looks.
#[derive(Args)]
#[command(after_help = "Examples:
  svc guide overview
  svc guide overview --json | jq -r .language")]
struct Overview {
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

impl Guide {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        match self.what {
            What::Overview(it) => it.execute(session).await,
        }
    }
}

impl Overview {
    async fn execute(self, session: &Session) -> Result<u8> {
        let system = advice(session, "guide_system_overview", []).await?;
        if self.json {
            terminal::print_json(&system)?;
        } else {
            let next = fields(&system, "next").join("\n  ");
            let [summary, components] = ["summary", "components"].map(|it| field(&system, it));
            terminal::print(&format!("{summary}\n\n{components}\nNext:\n  {next}\n"))?;
        }
        Ok(OK)
    }
}

/// What a script of the guide gives.
pub(super) async fn advice<const N: usize>(
    session: &Session,
    script: &str,
    given: [(&str, Value); N],
) -> Result<Value> {
    let request = session.engine.run(script);
    let request = given.into_iter().fold(request, |it, (name, value)| it.param(name, value));
    let ended = request.await;
    ended.map(|it| it.value).map_err(|error| {
        terminal::tell(&error.render(session.terminal.err.style()));
        let code = error.kind().map_or(FAILED, ErrorKind::exit_code);
        Failure::new(code, "")
    })
}

/// Whether the environment names a language model.
pub(super) fn has_model(session: &Session) -> bool {
    session.engine.host().env("SVC_MODEL").is_some()
}

/// A field of a record as text.
pub(super) fn field(record: &Value, name: &str) -> String {
    let value = record.as_record().and_then(|it| it.get(name));
    value.map(ToString::to_string).unwrap_or_default()
}

/// A field of a record that is a list of texts.
pub(super) fn fields(record: &Value, name: &str) -> Vec<String> {
    match record.as_record().and_then(|it| it.get(name)) {
        Some(Value::List(items)) => items.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
