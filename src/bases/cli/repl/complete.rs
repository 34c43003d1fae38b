//! Completion with Tab: what fits the types, and commands, settings and files.

use rustyline::{
    Context,
    completion::{FilenameCompleter, Pair},
};
use svc_api::charts::MARKS;
use svc_assist::{
    Asked, Choice, Choices, Draft, Sort, complete,
    session::{ANSWER, Session},
};
use svc_contract::value::Value;
use svc_engine::Unsaved;
use svc_lang::{
    diag::{Source, Span, visible_line},
    syntax::token::{TokenKind, lex},
};
use unicode_width::UnicodeWidthStr as _;

use super::{commands, settings, tree, tune};

/// The candidates at a byte of a line, and where the completed text begins.
pub(super) fn candidates(session: &Session, line: &str, at: usize) -> (usize, Vec<Pair>) {
    match line.strip_prefix(':') {
        Some(command) => of_command(session, line, command, at),
        None => of_script(session, line, at, 0),
    }
}

/// The same for a statement that begins at the byte `begins` of the line.
fn of_script(session: &Session, line: &str, at: usize, begins: usize) -> (usize, Vec<Pair>) {
    let entered = &line[begins..];
    let (source, analysis) = session.analyse(entered);
    let shift = session.shift(entered);
    let (engine, unsaved) = (session.engine(), &Unsaved::new());
    let draft = Draft { engine, source: &source, unsaved, analysis: &analysis };
    let place = at - begins + shift;
    let is_in_text = is_in_text(entered, at - begins);
    let mut choices = complete(&draft, place, Asked::Plainly);
    if let Some(choices) = choices.as_mut().filter(|_| is_in_text) {
        choices.all.retain(|it| it.sort == Sort::Literal);
    }
    match choices {
        Some(choices) if !choices.all.is_empty() => pairs(choices, place, &source, begins, shift),
        _ if is_in_text => files(line, at),
        _ => (at, Vec::new()),
    }
}

/// The choices that begin with the typed text, or else those that contain it.
fn pairs(
    choices: Choices,
    place: usize,
    source: &Source,
    begins: usize,
    shift: usize,
) -> (usize, Vec<Pair>) {
    let start = choices.span.start.min(place);
    let at = (start + begins).saturating_sub(shift);
    if choices.fills_hole {
        // What is behind the cursor stays in the line.
        let is_whole = choices.span.end == place;
        return (at, if is_whole { shown(&choices.all) } else { Vec::new() });
    }
    let typed = source.text()[start..place].to_lowercase();
    let (leading, others): (Vec<Choice>, Vec<Choice>) =
        choices.all.into_iter().partition(|it| it.label.to_lowercase().starts_with(&typed));
    let holds = |it: &Choice| it.label.to_lowercase().contains(&typed);
    let chosen =
        if leading.is_empty() { others.into_iter().filter(holds).collect() } else { leading };
    (at, shown(&chosen))
}

/// One line per choice: its name and its description.
fn shown(choices: &[Choice]) -> Vec<Pair> {
    let widest = choices.iter().map(|it| it.label.width()).max().unwrap_or(0);
    let screen = super::super::screen::size().0.saturating_sub(2);
    let pair = |it: &Choice| {
        let gap = " ".repeat(widest - it.label.width() + 2);
        let line = format!("{}{gap}{}", it.label, description(it));
        Pair {
            display: tree::cut(&visible_line(line.trim_end()), screen),
            replacement: it.beginning().to_owned(),
        }
    };
    choices.iter().map(pair).collect()
}

/// The description of a choice: for a call, its result and summary, because its arguments are shown
/// when they are typed.
fn description(choice: &Choice) -> String {
    let detail = choice.detail.as_deref().unwrap_or_default();
    let gives = detail.rsplit_once(" -> ").map(|(_, it)| it);
    match gives.filter(|_| choice.sort == Sort::Call) {
        Some(gives) => {
            let said = choice.doc.split("\n\n").next().unwrap_or_default().replace('\n', " ");
            format!("-> {gives}  {said}")
        }
        None => detail.to_owned(),
    }
}

/// Whether a place is inside a string.
fn is_in_text(text: &str, at: usize) -> bool {
    let lexed = lex(text);
    let is_open = |it: Span| lexed.flaws.iter().any(|flaw| flaw.span().start == it.start);
    let is_inside = |it: Span| it.start < at && (at < it.end || (at == it.end && is_open(it)));
    lexed.tokens.iter().any(|it| it.kind == TokenKind::Text && is_inside(it.span))
}

fn files(line: &str, at: usize) -> (usize, Vec<Pair>) {
    let found = FilenameCompleter::new().complete_path(line, at);
    let (start, mut pairs) = found.unwrap_or((at, Vec::new()));
    // File names may contain control characters.
    for pair in &mut pairs {
        pair.display = visible_line(&pair.display).into_owned();
    }
    (start, pairs)
}

fn of_command(session: &Session, line: &str, command: &str, at: usize) -> (usize, Vec<Pair>) {
    let Some(gap) = command.find(char::is_whitespace).filter(|it| *it + 1 < at) else {
        let own = commands::ALL.iter().map(|(name, ..)| (*name).to_owned());
        return (1, beginning(&line[1..at], own.chain(commands::of_svc()), " "));
    };
    let (word, begins) = (&command[..gap], gap + 2);
    let start = line[..at].rfind(char::is_whitespace).map_or(begins, |it| it + 1);
    let typed = &line[start..at];
    match word {
        "type" | "t" | "plan" | "bounds" => of_script(session, line, at, begins),
        "load" | "l" | "save" | "save!" | "check" | "run" | "fmt" | "fix" | "test" => {
            files(line, at)
        }
        "set" => {
            let keys = settings::KEYS.iter().map(|(key, _)| (*key).to_owned());
            (start, beginning(typed, keys, " "))
        }
        "tune" => of_tunable(session, line, begins, at),
        "chart" => of_chart(session, line, at, start),
        "forget" | "tree" | "json" | "param" => {
            let names = session.bindings().into_iter().map(|it| it.name.to_string());
            (start, beginning(typed, names, ""))
        }
        "help" | "h" | "inspect" => {
            let registry = session.engine().registry();
            (start, beginning(typed, registry.names().map(str::to_owned), ""))
        }
        _ => (at, Vec::new()),
    }
}

/// Marks and files; behind `of=`, names.
fn of_chart(session: &Session, line: &str, at: usize, start: usize) -> (usize, Vec<Pair>) {
    let typed = &line[start..at];
    if let Some(name) = typed.strip_prefix("of=") {
        let names = session.bindings().into_iter().map(|it| it.name.to_string());
        return (at - name.len(), beginning(name, names, ""));
    }
    if typed.contains('/') {
        return files(line, at);
    }
    let marks = MARKS.iter().copied().chain(["color=", "of="]).map(str::to_owned);
    let columns = session.bindings().into_iter().find(|it| it.name.as_ref() == ANSWER);
    let columns = columns.and_then(|it| it.value).map_or_else(Vec::new, |it| columns_of(&it.1));
    (start, beginning(typed, marks.chain(columns), ""))
}

/// The names of the columns of a table.
fn columns_of(value: &Value) -> Vec<String> {
    let first = value.as_list().and_then(|it| it.get(0)).and_then(Value::as_record);
    first.map_or_else(Vec::new, |it| it.names().iter().map(ToString::to_string).collect())
}

/// The names of tunables, and after one its values.
fn of_tunable(session: &Session, line: &str, begins: usize, at: usize) -> (usize, Vec<Pair>) {
    let registry = session.engine().registry();
    let entered = &line[begins..at];
    match entered.trim_start().split_once(['=', ' ']) {
        Some((name, _)) => {
            let start = line[..at].rfind(['=', ' ']).map_or(begins, |it| it + 1);
            (start, beginning(&line[start..at], tune::values(registry, name).into_iter(), ""))
        }
        None => {
            let start = at - entered.trim_start().len();
            (start, beginning(&line[start..at], tune::names(registry).into_iter(), " "))
        }
    }
}

fn beginning(typed: &str, names: impl Iterator<Item = String>, end: &str) -> Vec<Pair> {
    let mut names: Vec<String> = names.filter(|it| it.starts_with(typed)).collect();
    names.sort();
    names.dedup();
    let pair = |it: String| Pair { replacement: format!("{it}{end}"), display: it };
    names.into_iter().map(pair).collect()
}

/// The latest line of the history that begins like this line.
pub(super) fn remembered(line: &str, cx: &Context<'_>) -> Option<String> {
    use rustyline::history::SearchDirection;
    let last = cx.history().len().checked_sub(1)?;
    let found = cx.history().starts_with(line, last, SearchDirection::Reverse).ok()??;
    let rest = found.entry.get(line.len()..)?.lines().next()?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(session: &Session, line: &str) -> Vec<String> {
        let (_, pairs) = candidates(session, line, line.len());
        pairs.into_iter().map(|it| it.replacement).collect()
    }

    #[test]
    fn only_what_fits_is_offered() {
        let session = Session::new(crate::engine(), ".");
        let for_text = labels(&session, "\"a\" >> upp");
        assert_eq!(for_text, ["upper"]);
        assert!(labels(&session, "5 >> upp").is_empty());
        assert!(labels(&session, "[1, 2] >> ").contains(&"each { ".to_owned()));
        assert_eq!(labels(&session, "[1, 2] >> take("), ["n: "]);
        assert_eq!(labels(&session, "\"a\" >> replace(from: \"a\", "), ["to: "]);
        let others = labels(&session, "replace(\"a\", ");
        assert!(others.contains(&"from: ".to_owned()) && !others.contains(&"text: ".to_owned()));
        assert_eq!(labels(&session, "[{ alpha: 1 }] >> each { it.al"), ["alpha"]);
        assert_eq!(labels(&session, "[{ alpha: 1 }] >> each { .al"), ["alpha"]);
        assert_eq!(labels(&session, "search(\"x\", syntax: \"wo"), ["\"words\""]);
    }

    #[test]
    fn a_hole_is_replaced_by_what_fits() {
        let session = Session::new(crate::engine(), ".");
        for line in ["[\"a\"] >> ?", "[\"a\"] >> ?some", "[\"a\"] >> ?some: [string] -> [string]"] {
            let (start, pairs) = candidates(&session, line, line.len());
            let offered: Vec<&str> = pairs.iter().map(|it| it.replacement.as_str()).collect();
            assert_eq!(start, 9, "{line}");
            assert!(offered.contains(&"reverse") && offered.contains(&"sort { "), "{offered:?}");
            assert!(!offered.contains(&"upper"), "{offered:?}");
        }
        // What is behind the cursor would stay.
        let line = "[\"a\"] >> ?some: [string] -> [string]";
        assert!(candidates(&session, line, 14).1.is_empty());
        assert_eq!(labels(&session, "[\"a\"] >> ?some: [str")[0], "string");
    }

    #[test]
    fn commands_and_settings_are_offered() {
        let session = Session::new(crate::engine(), ".");
        assert_eq!(labels(&session, ":hist"), ["history "]);
        assert_eq!(labels(&session, ":set max_"), ["max_cost ", "max_memory ", "max_tokens "]);
        assert_eq!(labels(&session, ":tune rerank.wi"), ["rerank.window "]);
        assert_eq!(labels(&session, ":tune ctx_rerank.wi"), ["ctx_rerank.window "]);
        assert_eq!(labels(&session, ":tune rerank.window d"), ["default"]);
        assert_eq!(labels(&session, ":cha"), ["chart "]);
        assert_eq!(labels(&session, ":chart h"), ["heatmap", "histogram"]);
        assert_eq!(labels(&session, ":chart bar o"), ["of="]);
        assert_eq!(labels(&session, ":type \"a\" >> upp"), ["upper"]);
    }
}
