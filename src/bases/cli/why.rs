//! `svc why`: why the calls of a run were made.

use std::collections::BTreeMap;

use clap::Args;
use svc_engine::why::{Called, Reason, Why as Reasons};

use super::{
    Session,
    exit::{OK, Result},
    keeping::{self, Keeping},
    terminal,
};

/// Say why the calls of a run were made: what differs from the run before.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Why {
    /// The run, by its name, the beginning of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Only this call, as `svc show` names it, or all at a place: `each[]/ask`.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Compare with this run instead of the one before of the same script.
    #[arg(long, value_name = "RUN")]
    since: Option<String>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: Keeping,
}

const EXAMPLES: &str = "Examples:
  svc why last
  svc why last 'each[3]/ask'
  svc why last --since 01j9";

/// So many places of one reason are named.
const MOST_PATHS: usize = 3;

impl Why {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let engine = self.keeping.engine(session)?;
        let why = engine.why(&self.run, self.path.as_deref(), self.since.as_deref());
        let why = why.map_err(keeping::failure)?;
        match self.json {
            true => terminal::print_json(&why)?,
            false => terminal::print(&told(&why))?,
        }
        Ok(OK)
    }
}

/// The calls that have the same reasons together, in the order in which they were made.
fn told(why: &Reasons) -> String {
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
        Some(run) => vec![format!("not made again: its result is that of {run}")],
        None => call.reasons.iter().map(|it| line(it, since)).collect(),
    }
}

fn line(reason: &Reason, since: Option<&str>) -> String {
    let since = since.unwrap_or("the run before");
    match reason {
        Reason::First => "no run of the script came before".to_owned(),
        Reason::Missing => format!("there is no result of it in {since}"),
        Reason::Failure { kind, message } => format!("it had failed ({kind}): {message}"),
        Reason::Price { before, now } => {
            format!("its price changed: {before} could not be funded, now it is {now}")
        }
        Reason::Explicit { option } => format!("`{option}` asked for it"),
        Reason::ReuseAge { age, max_age } => {
            format!("its earlier result is {age} old, and may be {max_age} old")
        }
        Reason::NotAsked => {
            "nothing differs; without `max_age` or `--reuse` every run makes its calls anew"
                .to_owned()
        }
        Reason::ComponentVersion { before, now } => {
            format!("the version of its component is {now}, and was {before}")
        }
        Reason::Component { before, now } => format!("it calls {now}, and called {before}"),
        Reason::Model { before, now } => format!("it asks {now}, and asked {before}"),
        Reason::Tunable { name, before, now } => {
            format!("the tunable `{name}` is {now}, and was {before}")
        }
        Reason::Argument { name, before, now } => {
            format!("the script says another `{name}`: {now}, and said {before}")
        }
        Reason::Input { from } => {
            format!("what enters it has changed: `{from}` gave another result")
        }
        Reason::InputFile { path } => format!("the file `{path}`, which it reads, has changed"),
        Reason::Param { name, before, now } => {
            format!("the param `{name}` is {now}, and was {before}")
        }
        Reason::Import { file } => format!("the file `{file}`, which the script uses, has changed"),
        Reason::Template { file } => format!("the template `{file}` has changed"),
        Reason::Unknown { name } => {
            format!("its argument `{name}` differs, and nothing that is kept says why")
        }
    }
}
