//! The reasons why the calls of a run were made, as text: `svc why`.

use std::{collections::BTreeMap, time::Duration};

use svc_contract::value::units;
use svc_engine::history::why::{Called, Reason, Why};

/// The maximum number of paths listed per reason.
const MOST_PATHS: usize = 3;

/// The calls grouped by their reasons, in the order in which they were made.
pub fn text(why: &Why) -> String {
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
            let [age, max_age] =
                [age, max_age].map(|it| units::show_measured(Duration::from_millis(*it)));
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
