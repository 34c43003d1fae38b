//! The text parts of a page: a summary, the result and the script.

use std::{fmt::Write as _, time::Duration};

use serde_json::Value as Json;
use svc_contract::value::{Money, Value, json, units};
use svc_text::markup::escaped;

use super::{
    Left, Page, Result,
    markup::beginning,
    pictures::{self, Picture},
};
use svc_text::dates::time;

use crate::{failure, store::Run};

/// The number of characters of a result that are shown without JavaScript.
const SHOWN: usize = 2_000;

pub(super) fn title(run: &Run) -> String {
    format!("{} – run {}, {}", run.script, run.id, run.state.word())
}

/// The name and state of the run, its times, its cost against its caps, and its inputs.
pub(super) fn summary(page: &Page<'_>) -> String {
    let run = page.run;
    let state = run.state.word();
    let mut text = format!(
        "<h1>{}</h1> <span class=\"state {state}\">{state}</span>\n<dl>",
        escaped(&run.script)
    );
    for (name, markup) in facts(page) {
        text.push_str(&format!("<div><dt>{name}</dt><dd>{markup}</dd></div>\n"));
    }
    text.push_str("</dl>\n");
    if let Some(failed) = failure::shown(run) {
        text.push_str(&format!("<p class=\"failure\">{}</p>\n", escaped(&failed)));
    }
    text + inputs(run).as_str()
}

/// The facts of the summary: names, with values as markup.
fn facts(page: &Page<'_>) -> Vec<(&'static str, String)> {
    let run = page.run;
    let caps: Json = serde_json::from_str(&run.bounds).unwrap_or_default();
    let at = |it: i64| format!("<time data-at=\"{it}\">{}</time>", time(it));
    let mut facts = vec![
        ("Run", format!("<code>{}</code>", escaped(run.id.as_str()))),
        ("Started", at(run.started)),
    ];
    if let Some(ended) = run.ended {
        let took = u64::try_from(ended.saturating_sub(run.started)).unwrap_or(0);
        facts.push(("Ended", at(ended)));
        facts.push(("Took", against(&time_of(took), caps["timeout_ms"].as_u64().map(time_of))));
    }
    let cost_cap = caps["max_cost_nanos"].as_i64().map(|it| Money::from_nanos(it).to_string());
    facts.push(("Cost", against(&run.used.cost.to_string(), cost_cap)));
    let token_cap = caps["max_tokens"].as_u64().map(|it| it.to_string());
    facts.push(("Tokens", against(&run.used.tokens.to_string(), token_cap)));
    facts.push(("Calls", page.nodes.len().to_string()));
    facts.push(("Version", format!("svc {}", escaped(&run.version))));
    facts
}

fn time_of(millis: u64) -> String {
    units::show_duration(Duration::from_millis(millis))
}

fn against(used: &str, cap: Option<String>) -> String {
    let cap = cap.map(|it| format!(" <span class=\"quiet\">of {}</span>", escaped(&it)));
    escaped(used) + cap.unwrap_or_default().as_str()
}

fn inputs(run: &Run) -> String {
    // As values, whose fields keep their order.
    let inputs = json::read(&run.params).unwrap_or_default();
    let Some(inputs) = inputs.as_record() else { return String::new() };
    let rows: String = inputs.iter().map(|(name, value)| input(name, value)).collect();
    if rows.is_empty() { rows } else { format!("<dl class=\"inputs\">{rows}</dl>\n") }
}

fn input(name: &str, value: &Value) -> String {
    let value = value.as_str().map_or_else(|| json::write(value), str::to_owned);
    let (shown, is_cut) = beginning(&value, SHOWN);
    let dots = if is_cut { " …" } else { "" };
    let (name, shown) = (escaped(name), escaped(shown));
    format!("<div><dt>input {name}</dt><dd><bdi>{shown}</bdi>{dots}</dd></div>\n")
}

/// The beginning of the result, which the page's script replaces by the whole result.
pub(super) fn result(page: &Page<'_>) -> Result<String> {
    let Some(hash) = page.run.value else {
        return Ok("<p class=\"quiet\">The run has no result.</p>".to_owned());
    };
    let text = page.store.text(hash)?.unwrap_or_default();
    let (shown, is_cut) = beginning(&text, SHOWN);
    let more = if is_cut { "\n…" } else { "" };
    let pictures: String = page.pictures.iter().map(Picture::image).collect();
    let images = pictures::of(&text, page.limits.value);
    Ok(format!("{pictures}{images}<div id=\"result\"><pre>{}{more}</pre></div>", escaped(shown)))
}

/// The script with line numbers. The line at which the run failed is marked.
pub(super) fn script(run: &Run, text: Option<&str>) -> String {
    let Some(text) = text else {
        return "<p class=\"quiet\">The store no longer has the text of the script.</p>".to_owned();
    };
    let failed = failure::line(run);
    let mut lines = String::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let (mark, end) = if Some(number) == failed { ("<mark>", "</mark>") } else { ("", "") };
        // Writing into a string cannot fail.
        let _ = writeln!(lines, "{mark}<i>{number:>4}</i>  {}{end}", escaped(line));
    }
    format!("<pre class=\"code\" tabindex=\"0\">{lines}</pre>")
}

/// A note about the values that were cut. It comes after the values, because it is known only when
/// they have been written.
pub(super) fn left(left: Left, run: &Run) -> String {
    if left == Left::default() {
        return String::new();
    }
    let run = escaped(run.id.as_str());
    format!(
        "<p id=\"left\">Cut in this page: {left}. <code>svc tap {run} PATH</code> prints a \
         whole value, and <code>svc show {run} --html FILE --max-size SIZE</code> raises the \
         limit.</p>\n"
    )
}

pub(super) fn footer(run: &Run) -> String {
    format!(
        "Times are from the clock of the machine that ran the script. To print a value: \
         <code>svc tap {} PATH</code>",
        escaped(run.id.as_str())
    )
}
