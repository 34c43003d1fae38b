//! The outcome as SARIF 2.1.0, which code scanning and editors read.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value, json};
use svc_engine::output::verdict::Place;
use svc_lang::diag::Code;

use super::{Finding, Outcome};

/// What a path keeps of itself in a URI.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The rules that are not codes of problems.
const RULES: [(&str, &str); 6] = [
    ("unreadable", "script that cannot be read"),
    ("unformatted", "script that is not formatted"),
    ("over-limit", "estimate above a limit"),
    ("certificate", "certificate that does not hold"),
    ("growth", "estimate that has grown"),
    ("new-effect", "effect that the script did not have before"),
];

/// The whole report. Paths are relative to the current folder.
pub fn report(outcome: &Outcome, version: &str) -> Value {
    let mut rules: Vec<&str> = outcome.findings().map(|it| it.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = outcome.findings().map(|it| result(it, &rules)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "svc",
                "version": version,
                "rules": rules.iter().map(|it| rule(it)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true }],
            "results": results,
        }],
    })
}

fn rule(id: &str) -> Value {
    let code = Code::ALL.iter().find(|it| it.as_str() == id);
    let own = RULES.iter().find(|(name, _)| *name == id).map(|(_, title)| *title);
    let title = code.map(|it| it.title()).or(own).unwrap_or(id);
    match code {
        Some(_) => json!({
            "id": id,
            "shortDescription": { "text": title },
            "help": { "text": format!("`svc explain {id}` explains it, with an example") },
        }),
        None => json!({ "id": id, "shortDescription": { "text": title } }),
    }
}

fn result(finding: &Finding, rules: &[&str]) -> Value {
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = Map::new();
    result.insert("ruleId".into(), finding.rule.as_str().into());
    let index = rules.iter().position(|it| *it == finding.rule);
    result.insert("ruleIndex".into(), index.into());
    result.insert("level".into(), finding.level.name().into());
    result.insert("message".into(), json!({ "text": message }));
    let place = physical(&finding.file, finding.place.as_ref());
    result.insert("locations".into(), json!([{ "physicalLocation": place }]));
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(idx, it)| {
            let place = physical(&finding.file, Some(&it.span));
            json!({ "id": idx + 1, "physicalLocation": place, "message": { "text": it.text } })
        });
        result.insert("relatedLocations".into(), related.collect());
    }
    if !finding.fixes.is_empty() {
        let replacements = finding.fixes.iter().map(|it| {
            json!({
                "deletedRegion": region(&it.span),
                "insertedContent": { "text": it.text },
            })
        });
        let change = json!({
            "artifactLocation": { "uri": uri(&finding.file) },
            "replacements": replacements.collect::<Value>(),
        });
        let text = finding.help.as_deref().unwrap_or("fix it");
        result.insert(
            "fixes".into(),
            json!([{ "description": { "text": text }, "artifactChanges": [change] }]),
        );
    }
    result.into()
}

fn physical(file: &str, place: Option<&Place>) -> Value {
    let file = json!({ "uri": uri(file) });
    match place {
        Some(place) => json!({ "artifactLocation": file, "region": region(place) }),
        None => json!({ "artifactLocation": file }),
    }
}

/// Lines and columns count from 1, and the end is not part of it.
fn region(place: &Place) -> Value {
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    })
}

/// A path as a URI: a relative one stays relative.
fn uri(file: &str) -> String {
    let path = utf8_percent_encode(&file.replace('\\', "/"), PATH).to_string();
    if path.starts_with('/') { format!("file://{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        for (file, text) in [
            ("a b/ä#1.svc", "a%20b/%C3%A4%231.svc"),
            ("/a/b.svc", "file:///a/b.svc"),
            ("c:x.svc", "c%3Ax.svc"),
            ("../x.svc", "../x.svc"),
        ] {
            assert_eq!(uri(file), text);
        }
    }
}
