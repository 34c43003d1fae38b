//! The outcome for GitHub Actions: annotations at lines, and a summary in Markdown.

use std::fmt::Write as _;

use super::{
    Examined, Finding, Level, Outcome, State,
    gates::{self, Kind},
};

/// One command for each finding, which GitHub shows at its line.
pub fn annotations(outcome: &Outcome) -> String {
    outcome.findings().map(|it| annotation(it) + "\n").collect()
}

fn annotation(finding: &Finding) -> String {
    let command = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut fields = format!("file={}", property(&finding.file));
    if let Some(at) = &finding.place {
        let _ = write!(fields, ",line={},col={}", at.line, at.column);
        // GitHub accepts an end column only on the same line.
        let end = if at.end_line == at.line && at.end_column > at.column {
            format!(",endColumn={}", at.end_column)
        } else {
            String::new()
        };
        let _ = write!(fields, ",endLine={}{end}", at.end_line);
    }
    let _ = write!(fields, ",title={}", property(&format!("svc {}", finding.rule)));
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    format!("::{command} {fields}::{}", data(&message))
}

/// The text of a command: it ends with its line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The page for `$GITHUB_STEP_SUMMARY`.
pub fn summary(outcome: &Outcome) -> String {
    let mut page = format!("## svc ci: {}\n\n{}\n", verdict(outcome), sentence(outcome));
    let examined: Vec<&Examined> =
        outcome.scripts.iter().filter(|it| it.state != State::Unaffected).collect();
    if !examined.is_empty() {
        page += "\n| Script | Result | Tests | Cost | Tokens | Time | Calls |\n";
        page += "|---|---|---|---|---|---|---|\n";
        page.extend(examined.iter().map(|it| row(it)));
    }
    let findings: Vec<&Finding> = outcome.findings().collect();
    if !findings.is_empty() {
        page += "\n| Place | Rule | Finding |\n|---|---|---|\n";
        for it in findings.iter().take(MOST_SHOWN) {
            let place = match &it.place {
                Some(at) => format!("{}:{}", it.file, at.line),
                None => it.file.clone(),
            };
            let (place, level) = (cell(&place), it.level.name());
            let (rule, message) = (cell(&it.rule), cell(&it.message));
            let _ = writeln!(page, "| {place} | {level} {rule} | {message} |");
        }
        if let Some(more @ 1..) = findings.len().checked_sub(MOST_SHOWN) {
            let _ = writeln!(page, "\nand {more} more");
        }
    }
    page
}

/// The most findings of a summary: GitHub shows no page above 1 MiB.
const MOST_SHOWN: usize = 200;

fn verdict(outcome: &Outcome) -> &'static str {
    if outcome.has_failed() { "failed" } else { "passed" }
}

/// `3 scripts, 2 of them affected by the changes since main (1a2b3c4d)`
pub fn sentence(outcome: &Outcome) -> String {
    let all = crate::check::counted(outcome.scripts.len(), "script");
    match &outcome.base {
        None => all,
        Some((name, commit)) => {
            let short = commit.get(..8).unwrap_or(commit);
            let examined = outcome.examined();
            format!("{all}, {examined} affected by the changes since {name} ({short})")
        }
    }
}

fn row(script: &Examined) -> String {
    let result = if script.has_failed() { "failed" } else { "ok" };
    let (passed, failed) = script.tests();
    let tests = match (passed, failed) {
        (0, 0) => "none".to_owned(),
        (passed, 0) => format!("{passed} passed"),
        (passed, failed) => format!("{passed} passed, {failed} failed"),
    };
    let amounts = Kind::ALL.map(|it| amount(script, it)).join(" | ");
    format!("| {} | {result} | {tests} | {amounts} |\n", cell(&script.file))
}

/// `$0.10`, or `$0.10 → $0.30` if it has changed.
fn amount(script: &Examined, kind: Kind) -> String {
    let Some(after) = &script.amounts else { return String::new() };
    let now = gates::shown(after.get(kind));
    let before = script.before.as_ref().map(|it| it.get(kind));
    match before.filter(|it| *it != after.get(kind)) {
        Some(before) => format!("{} → {now}", gates::shown(before)),
        None => now,
    }
}

/// Text that stays in its cell and is not read as markup.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for it in text.chars() {
        match it {
            '\n' | '\r' => cell.push(' '),
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '\\' | '`' | '|' | '[' | ']' | '*' | '_' | '!' | '@' => {
                cell.push('\\');
                cell.push(it);
            }
            it => cell.push(it),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_command() {
        let finding = Finding::error("over-limit", "a,b:c.svc", "50%\n::set-env::".to_owned());
        let line = annotation(&finding);
        assert_eq!(line, "::error file=a%2Cb%3Ac.svc,title=svc over-limit::50%25%0A::set-env::");
    }

    #[test]
    fn a_cell_has_no_markup() {
        assert_eq!(cell("a|b\n<img> @all"), "a\\|b &lt;img&gt; \\@all");
    }
}
