//! `svc why`: explains why the calls of a run were made.

use std::collections::BTreeMap;

use clap::Args;
use svc_engine::why::{Called, Reason, Why as Reasons};

use super::{
    Session,
    exit::{OK, Result},
    keeping::{self, StoreArgs},
    terminal,
};

/// Explain why the calls of a run were made: what differs from the run before.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Why {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Only this call, by its path in `svc show`, or all calls of a place: `each[]/ask`.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Compare with this run instead of the previous run of the same script.
    #[arg(long, value_name = "RUN")]
    since: Option<String>,
    /// Print the reasons as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc why last
  svc why last 'each[3]/ask'
  svc why last --since 01j9";

/// The maximum number of paths listed per reason.
const MOST_PATHS: usize = 3;

impl Why {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let engine = self.keeping.engine(session)?;
        let why = engine.why(&self.run, self.path.as_deref(), self.since.as_deref());
        let why = why.map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&why)?;
        } else {
            terminal::print(&render(&why))?;
        }
        Ok(OK)
    }
}

/// The calls grouped by their reasons, in the order in which they were made.
fn render(why: &Reasons) -> String {
    let mut groups: Vec<(Vec<String>, Vec<&Called>)> = Vec::new();
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for call in &why.calls {
        let lines = lines(call, why.since.as_deref());
        let idx = *places.entry(lines.clone()).or_insert(groups.len());
        match groups.get_mut(idx) {
            Some((_, calls)) => calls.push(call),
            None => groups.push((lines, vec![call])),
        }
    }
    let mut text = match &why.since {
        Some(since) => format!("{} compared with {since}\n", why.run),
        None => format!("{}\n", why.run),
    };
    for (lines, calls) in groups {
        let named: Vec<&str> = calls.iter().take(MOST_PATHS).map(|it| it.path.as_str()).collect();
        let more = calls.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!("\n{}{more}\n", named.join(", ")));
        text.extend(lines.iter().map(|it| format!("  {it}\n")));
    }
    text
}

fn lines(call: &Called, since: Option<&str>) -> Vec<String> {
    match &call.taken_from {
        Some(run) => vec![format!("not made again: reused the result of {run}")],
        None => call.reasons.iter().map(|it| line(it, since)).collect(),
    }
}

fn line(reason: &Reason, since: Option<&str>) -> String {
    let since = since.unwrap_or("the previous run");
    match reason {
        Reason::First => "this is the first run of the script".to_owned(),
        Reason::Missing => format!("no result in {since}"),
        Reason::Failure { kind, message } => format!("the call had failed ({kind}): {message}"),
        Reason::Price { before, now } => {
            format!("the price changed: {before} could not be funded, now {now}")
        }
        Reason::Explicit { option } => format!("requested by `{option}`"),
        Reason::ReuseAge { age, max_age } => {
            format!("the earlier result is too old: {age} (limit {max_age})")
        }
        Reason::NotAsked => {
            "nothing differs; without `max_age` or `--reuse` every run makes all its calls"
                .to_owned()
        }
        Reason::ComponentVersion { before, now } => {
            format!("the version of the component changed from {before} to {now}")
        }
        Reason::Component { before, now } => {
            format!("the component changed from {before} to {now}")
        }
        Reason::Model { before, now } => format!("the model changed from {before} to {now}"),
        Reason::Tunable { name, before, now } => {
            format!("the tunable `{name}` changed from {before} to {now}")
        }
        Reason::Argument { name, before, now } => {
            format!("the argument `{name}` changed from {before} to {now}")
        }
        Reason::Input { from } => {
            format!("the input changed: `{from}` returned another result")
        }
        Reason::InputFile { path } => format!("the file `{path}`, which the call reads, changed"),
        Reason::Param { name, before, now } => {
            format!("the param `{name}` changed from {before} to {now}")
        }
        Reason::Import { file } => format!("the file `{file}`, which the script uses, changed"),
        Reason::Template { file } => format!("the template `{file}` changed"),
        Reason::Unknown { name } => {
            format!("the argument `{name}` changed for an unknown reason")
        }
    }
}
