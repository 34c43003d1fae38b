//! JSON Schema, by the crate `boon`, in a worker process: a small schema can take forever.

use std::error::Error;

use boon::{Compiler, Draft, ErrorKind, Schemas, UrlLoader, ValidationError};
use svc_contract::{
    registry::{
        Field as _,
        findings::{Finding, Severity},
    },
    value::{Record, Value},
};

use super::exact;

/// The most findings that are returned.
const MOST: usize = 1_000;

/// The address of the schema, which has none of its own.
const HERE: &str = "schema:///schema";

/// Validates the field `value` of a record by its `schema`, with `others` by their address and
/// `formats` to be tested or not; the result is a list of findings.
pub(crate) fn run(_: &str, asked: &Value) -> Result<Value, String> {
    let asked = asked.as_record().ok_or("expected a record")?;
    let get = |name: &str| asked.get(name).unwrap_or(&Value::Null);
    let json = |value: &Value| serde_json::to_value(value).map_err(|err| err.to_string());
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.use_loader(Box::new(Closed));
    if matches!(get("formats"), Value::Bool(true)) {
        compiler.enable_format_assertions();
    }
    exact::start();
    let exact = |value: &Value| {
        let mut schema = json(value)?;
        exact::rewrite(&mut schema).map_err(|err| format!("cannot use the JSON schema: {err}"))?;
        Ok::<_, String>(schema)
    };
    for (address, it) in get("others").as_record().into_iter().flat_map(Record::iter) {
        let added = compiler.add_resource(address, exact(it)?);
        added.map_err(|err| format!("invalid address `{address}` of a schema: {err}"))?;
    }
    let invalid = |err: boon::CompileError| format!("invalid JSON schema: {}", compile_error(&err));
    compiler.add_resource(HERE, exact(get("schema"))?).map_err(invalid)?;
    let (numbers, formats) = exact::formats();
    compiler.add_resource(exact::ADDRESS, numbers).map_err(invalid)?;
    formats.for_each(|it| compiler.register_format(it));
    let mut schemas = Schemas::new();
    let schema = compiler.compile(HERE, &mut schemas).map_err(invalid)?;
    let value = json(get("value"))?;
    let mut findings = Vec::new();
    if let Err(error) = schemas.validate(&value, schema) {
        collect(&error, &mut findings);
        findings.sort_by(|a: &Finding, b| (&a.path, &a.rule).cmp(&(&b.path, &b.rule)));
        findings.dedup_by(|a, b| (&a.path, &a.message) == (&b.path, &b.message));
    }
    Ok(findings.encode())
}

/// Loads nothing: a schema does not reach files or servers.
struct Closed;

impl UrlLoader for Closed {
    fn load(&self, _: &str) -> Result<serde_json::Value, Box<dyn Error>> {
        Err("schemas are not loaded from files or servers; give it as `others`".into())
    }
}

/// The first mistake of a schema, with its place.
fn compile_error(err: &boon::CompileError) -> String {
    let text = match err {
        boon::CompileError::ValidationError { src, .. } => {
            let mut findings = Vec::new();
            collect(src, &mut findings);
            match findings.first() {
                Some(it) if it.path.is_empty() => it.message.to_string(),
                Some(it) => format!("{} at `{}`", it.message, it.path),
                None => src.to_string(),
            }
        }
        boon::CompileError::LoadUrlError { url, src } => format!("cannot load `{url}`: {src}"),
        other => other.to_string(),
    };
    text.replace(HERE, "")
}

/// The errors that have no cause of their own.
fn collect(error: &ValidationError<'_, '_>, findings: &mut Vec<Finding>) {
    if findings.len() == MOST {
        return;
    }
    let names_itself =
        matches!(error.kind, ErrorKind::OneOf(_) | ErrorKind::AnyOf | ErrorKind::Contains);
    if !error.causes.is_empty() && !names_itself {
        error.causes.iter().for_each(|it| collect(it, findings));
        return;
    }
    // Of alternatives, the one that went furthest says most.
    let path = path(&error.instance_location.to_string());
    let mut message = message(&error.kind);
    if names_itself && let Some(best) = deepest(error) {
        let (at, why) = best;
        message = format!("{message}; the nearest one: {why}");
        if !at.is_empty() && at != path {
            message = format!("{message} at `{at}`");
        }
    }
    findings.push(Finding {
        rule: rule(&error.kind).into(),
        severity: Severity::Error,
        message: message.into(),
        path: path.into(),
        span: None,
        fix: None,
    });
}

/// The cause with the longest path below an error.
fn deepest(error: &ValidationError<'_, '_>) -> Option<(String, String)> {
    let mut best: Option<(usize, &ValidationError<'_, '_>)> = None;
    let mut open: Vec<&ValidationError<'_, '_>> = error.causes.iter().rev().collect();
    while let Some(it) = open.pop() {
        if it.causes.is_empty() {
            let depth = it.instance_location.tokens.len();
            if best.is_none_or(|(most, _)| depth > most) {
                best = Some((depth, it));
            }
        }
        open.extend(it.causes.iter().rev());
    }
    best.map(|(_, it)| (path(&it.instance_location.to_string()), message(&it.kind)))
}

/// A JSON pointer as a path of the language: `lines[3].amount`.
fn path(pointer: &str) -> String {
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let is_name = part.starts_with(|it: char| it.is_alphabetic() || it == '_')
            && part.chars().all(|it| it.is_alphanumeric() || it == '_');
        if part.bytes().all(|it| it.is_ascii_digit()) && !part.is_empty() {
            out.push_str(&format!("[{part}]"));
        } else if is_name {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&part);
        } else {
            out.push_str(&format!("[{}]", serde_json::Value::from(part)));
        }
    }
    out
}

/// The keyword that an error is about.
fn rule(kind: &ErrorKind<'_, '_>) -> &'static str {
    match kind {
        ErrorKind::Type { .. } => "type",
        ErrorKind::Required { .. } => "required",
        ErrorKind::Enum { .. } => "enum",
        ErrorKind::Const { .. } => "const",
        ErrorKind::Format { want, .. } => exact::limit(want).map_or("format", |it| it.keyword),
        ErrorKind::Pattern { .. } => "pattern",
        ErrorKind::Minimum { .. } => "minimum",
        ErrorKind::Maximum { .. } => "maximum",
        ErrorKind::ExclusiveMinimum { .. } => "exclusiveMinimum",
        ErrorKind::ExclusiveMaximum { .. } => "exclusiveMaximum",
        ErrorKind::MultipleOf { .. } => "multipleOf",
        ErrorKind::MinLength { .. } => "minLength",
        ErrorKind::MaxLength { .. } => "maxLength",
        ErrorKind::MinItems { .. } => "minItems",
        ErrorKind::MaxItems { .. } => "maxItems",
        ErrorKind::UniqueItems { .. } => "uniqueItems",
        ErrorKind::Contains | ErrorKind::MinContains { .. } => "contains",
        ErrorKind::MaxContains { .. } => "maxContains",
        ErrorKind::MinProperties { .. } => "minProperties",
        ErrorKind::MaxProperties { .. } => "maxProperties",
        ErrorKind::AdditionalProperties { .. } => "additionalProperties",
        ErrorKind::AdditionalItems { .. } => "items",
        ErrorKind::PropertyName { .. } => "propertyNames",
        ErrorKind::Dependency { .. } | ErrorKind::DependentRequired { .. } => "dependentRequired",
        ErrorKind::Not => "not",
        ErrorKind::OneOf(_) => "oneOf",
        ErrorKind::AnyOf => "anyOf",
        ErrorKind::AllOf => "allOf",
        ErrorKind::FalseSchema => "false",
        _ => "schema",
    }
}

fn message(kind: &ErrorKind<'_, '_>) -> String {
    let list = |all: &[&str]| all.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let shown = |it: &serde_json::Value| -> String { it.to_string().chars().take(80).collect() };
    match kind {
        ErrorKind::Type { got, want } => {
            let want: Vec<String> = want.iter().map(|it| it.to_string()).collect();
            format!("expected {}, found {got}", want.join(" or "))
        }
        ErrorKind::Required { want } => format!("missing {}", list(want)),
        ErrorKind::AdditionalProperties { got } => {
            let got: Vec<&str> = got.iter().map(AsRef::as_ref).collect();
            format!("unknown {}", list(&got))
        }
        ErrorKind::Enum { want } => {
            let all: Vec<String> = want.iter().take(10).map(shown).collect();
            let more = if want.len() > 10 { ", .." } else { "" };
            format!("expected one of {}{more}", all.join(", "))
        }
        ErrorKind::Const { want } => format!("expected {}", shown(want)),
        ErrorKind::Pattern { got, want } => {
            let got: String = got.chars().take(80).collect();
            format!("expected a text that matches `{want}`, found `{got}`")
        }
        ErrorKind::Format { got, want, .. } => match exact::limit(want) {
            Some(it) => format!("{}, found {got}", it.expected()),
            None => format!("expected a {want}, found {}", shown(got)),
        },
        ErrorKind::Minimum { got, want } => format!("expected at least {want}, found {got}"),
        ErrorKind::Maximum { got, want } => format!("expected at most {want}, found {got}"),
        ErrorKind::ExclusiveMinimum { got, want } => {
            format!("expected more than {want}, found {got}")
        }
        ErrorKind::ExclusiveMaximum { got, want } => {
            format!("expected less than {want}, found {got}")
        }
        ErrorKind::MultipleOf { got, want } => {
            format!("expected a multiple of {want}, found {got}")
        }
        ErrorKind::MinLength { got, want } => {
            format!("expected at least {want} characters, found {got}")
        }
        ErrorKind::MaxLength { got, want } => {
            format!("expected at most {want} characters, found {got}")
        }
        ErrorKind::MinItems { got, want } => format!("expected at least {want} items, found {got}"),
        ErrorKind::MaxItems { got, want } => format!("expected at most {want} items, found {got}"),
        ErrorKind::UniqueItems { got: [a, b] } => format!("items {a} and {b} are equal"),
        ErrorKind::OneOf(None) => "none of the alternatives fits".to_owned(),
        ErrorKind::OneOf(Some((a, b))) => format!("the alternatives {a} and {b} both fit"),
        ErrorKind::AnyOf => "none of the alternatives fits".to_owned(),
        ErrorKind::FalseSchema => "nothing is allowed here".to_owned(),
        other => other.to_string().replace(HERE, ""),
    }
}
