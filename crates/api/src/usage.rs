//! How a script is run: `svc run FILE --help`.

use svc_contract::{host::secret_variable, value::Type};
use svc_engine::output::verdict::result_type;
use svc_lang::{
    check::{Checked, Input},
    plan::Plan,
};

/// What a script does and takes: its first comment, its usage, params, secrets, result and
/// effects, as plain text.
pub fn page(file: &str, plan: &Plan) -> String {
    let program = plan.program();
    let mut sections = vec![about(program.source.text()), usage(file, program)];
    let (secrets, params): (Vec<&Input>, Vec<&Input>) =
        program.inputs.iter().partition(|it| is_secret(it));
    sections.push(listed("Params", params.iter().map(|it| param(it, program.source.text()))));
    sections.push(listed("Secrets", secrets.iter().map(|it| secret(it))));
    sections.push(result_type(program).map_or_else(String::new, |ty| format!("Result: {ty}\n")));
    let effects: Vec<String> = plan.effects().iter().map(ToString::to_string).collect();
    if !effects.is_empty() {
        sections.push(format!("Effects: {}\n", effects.join(", ")));
    }
    sections.retain(|it| !it.is_empty());
    sections.join("\n")
}

/// The comment at the beginning of a script.
fn about(script: &str) -> String {
    let lines = script.lines().take_while(|it| it.starts_with('#') && !it.starts_with("##"));
    lines
        .map(|it| it[1..].strip_prefix(' ').unwrap_or(&it[1..]).trim_end().to_owned() + "\n")
        .collect()
}

fn usage(file: &str, program: &Checked) -> String {
    if program.main.is_none() {
        return String::new();
    }
    let params = program.inputs.iter().filter(|it| !is_secret(it));
    let options = if params.count() == 0 { "" } else { " [INPUT] [-p NAME=VALUE].." };
    let first = program.inputs.iter().find(|it| !is_secret(it));
    let input = match first {
        Some(it) if it.is_required() => format!("\nINPUT is the value of `{}`.\n", it.name),
        Some(_) => "\nINPUT is the value of the first param that has none yet.\n".to_owned(),
        None => "\n".to_owned(),
    };
    format!("Usage: svc run {file}{options}{input}")
}

/// A heading, and entries of a name and its documentation.
fn listed(title: &str, entries: impl Iterator<Item = (String, String)>) -> String {
    let mut text = String::new();
    for (head, doc) in entries {
        text += &format!("  {head}\n");
        for line in doc.lines() {
            text += &format!("      {line}\n");
        }
    }
    if text.is_empty() { text } else { format!("{title}:\n{text}") }
}

/// `top_k: int = 5`, as the script writes it, and its documentation.
fn param(input: &Input, script: &str) -> (String, String) {
    let default = match &input.default {
        Some(it) => script.get(it.span.range()).map(|it| format!(" = {it}")).unwrap_or_default(),
        None if input.is_required() => "  (required)".to_owned(),
        None => String::new(),
    };
    (format!("{}: {}{default}", input.name, input.ty), input.doc.clone())
}

fn secret(input: &Input) -> (String, String) {
    (format!("{} (from {})", input.name, secret_variable(&input.name)), input.doc.clone())
}

fn is_secret(input: &Input) -> bool {
    matches!(input.ty, Type::Secret)
}
