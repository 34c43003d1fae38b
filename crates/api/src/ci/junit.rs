//! The outcome as `JUnit` XML, which CI systems show as a list of tests: a suite for each script, and a
//! case for each step.

use std::{borrow::Cow, io, time::Duration};

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::{Examined, Finding, Level, Outcome, State, Step, StepKind};

/// The whole report.
pub fn report(outcome: &Outcome) -> io::Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counts = outcome.scripts.iter().map(Counts::of);
    let head = counts.fold(Counts::default(), |all, it| all.and(&it)).head("testsuites", "svc ci");
    xml.write_event(Event::Start(head))?;
    for script in &outcome.scripts {
        suite(&mut xml, script)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))?;
    let mut text = String::from_utf8(xml.into_inner()).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

type Xml = Writer<Vec<u8>>;

/// The cases of a suite, or of all.
#[derive(Default)]
struct Counts {
    cases: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    took: Duration,
}

impl Counts {
    fn of(script: &Examined) -> Self {
        if script.state == State::Unaffected {
            return Self { cases: 1, skipped: 1, ..Self::default() };
        }
        let failed = |kind: &StepKind| *kind == StepKind::Read;
        let steps = script.steps.iter().filter(|it| it.has_failed());
        let (errors, failures): (Vec<_>, Vec<_>) = steps.partition(|it| failed(&it.kind));
        Self {
            cases: script.steps.len(),
            failures: failures.len(),
            errors: errors.len(),
            skipped: 0,
            took: script.steps.iter().map(|it| it.took).sum(),
        }
    }

    fn and(self, other: &Self) -> Self {
        Self {
            cases: self.cases + other.cases,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
            took: self.took + other.took,
        }
    }

    fn head(&self, tag: &'static str, name: &str) -> BytesStart<'static> {
        let mut head = BytesStart::new(tag);
        let (cases, failures) = (self.cases.to_string(), self.failures.to_string());
        let (errors, skipped) = (self.errors.to_string(), self.skipped.to_string());
        let time = seconds(self.took);
        for (name, value) in [
            ("name", &*allowed(name)),
            ("tests", &cases),
            ("failures", &failures),
            ("errors", &errors),
            ("skipped", &skipped),
            ("time", &time),
        ] {
            head.push_attribute((name, value));
        }
        head
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn suite(xml: &mut Xml, script: &Examined) -> io::Result<()> {
    xml.write_event(Event::Start(Counts::of(script).head("testsuite", &script.file)))?;
    if script.state == State::Unaffected {
        let case = case("check", &script.file, Duration::ZERO);
        xml.write_event(Event::Start(case))?;
        let mut skipped = BytesStart::new("skipped");
        skipped.push_attribute(("message", "nothing that it depends on has changed"));
        xml.write_event(Event::Empty(skipped))?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    }
    for it in &script.steps {
        step(xml, script, it)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))
}

fn case(name: &str, file: &str, took: Duration) -> BytesStart<'static> {
    let mut case = BytesStart::new("testcase");
    case.push_attribute(("name", &*allowed(name)));
    case.push_attribute(("classname", &*allowed(file)));
    case.push_attribute(("file", &*allowed(file)));
    case.push_attribute(("time", &*seconds(took)));
    case
}

fn step(xml: &mut Xml, script: &Examined, step: &Step) -> io::Result<()> {
    let case = case(&step.kind.name(), &script.file, step.took);
    if step.findings.is_empty() {
        return xml.write_event(Event::Empty(case));
    }
    xml.write_event(Event::Start(case))?;
    let (errors, others): (Vec<&Finding>, Vec<_>) =
        step.findings.iter().partition(|it| it.level == Level::Error);
    if let Some(first) = errors.first() {
        let tag = if step.kind == StepKind::Read { "error" } else { "failure" };
        let mut failure = BytesStart::new(tag);
        failure.push_attribute(("message", &*allowed(&first.message)));
        failure.push_attribute(("type", &*allowed(&first.rule)));
        text(xml, &failure, &errors)?;
    }
    if !others.is_empty() {
        text(xml, &BytesStart::new("system-out"), &others)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

/// An element with one line for each finding.
fn text(xml: &mut Xml, head: &BytesStart<'_>, findings: &[&Finding]) -> io::Result<()> {
    let lines: Vec<String> = findings.iter().map(|it| line(it)).collect();
    let end = head.to_end().into_owned();
    xml.write_event(Event::Start(head.borrow()))?;
    xml.write_event(Event::Text(BytesText::new(&allowed(&lines.join("\n")))))?;
    xml.write_event(Event::End(end))
}

/// `report.svc:3:7: error E201: unknown name`
fn line(finding: &Finding) -> String {
    let Finding { rule, level, file, message, .. } = finding;
    let place = match &finding.place {
        Some(at) => format!("{file}:{}:{}", at.line, at.column),
        None => file.clone(),
    };
    let help = finding.help.as_deref().map(|it| format!("\n  help: {it}")).unwrap_or_default();
    format!("{place}: {} {rule}: {message}{help}", level.name())
}

/// The text without the characters that XML 1.0 cannot have.
fn allowed(text: &str) -> Cow<'_, str> {
    let is_allowed = |it: char| matches!(it, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if text.chars().all(is_allowed) {
        return text.into();
    }
    text.chars().map(|it| if is_allowed(it) { it } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_only_characters_of_xml() {
        let outcome = Outcome {
            scripts: vec![Examined::unreadable(
                "a<\u{1}>&\".svc".to_owned(),
                "]]> \u{0}\u{ffff}\n<b>".to_owned(),
            )],
            ..Outcome::default()
        };
        let text = report(&outcome).unwrap();
        assert!(text.contains("name=\"a&lt;\u{fffd}&gt;&amp;&quot;.svc\""), "{text}");
        assert!(text.contains("]]&gt; \u{fffd}\u{fffd}") && !text.contains("<b>"), "{text}");
        assert!(text.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{text}");
    }
}
