//! Constructors for templates: functions that return the text of a pipeline.

use rhai::{Array, Dynamic, Engine, EvalAltResult, INT, ImmutableString, Map, Position};
use svc_contract::{
    registry::{Registry, nearest},
    value::{literal, units},
};

use super::{limits, shape};

type Result<T> = std::result::Result<T, Box<EvalAltResult>>;

/// An expression in the syntax of a script; plain text would become a string.
#[derive(Clone)]
struct Written(ImmutableString);

/// Registers the constructors; the known stages are those of `registry`.
pub(super) fn register(engine: &mut Engine, registry: &Registry) {
    engine.register_type_with_name::<Written>("expression");
    engine.register_fn("expr", |text: ImmutableString| Written(text));
    let known = registry.clone();
    engine.register_fn("stage", move |name: &str| stage(&known, name, Map::new()));
    let known = registry.clone();
    engine.register_fn("stage", move |name: &str, args: Map| stage(&known, name, args));
    engine.register_fn("seq", seq);
    engine.register_fn("parallel", |it: Map| branches("parallel", it));
    engine.register_fn("race", |it: Map| branches("race", it));
    engine.register_fn("each", |body: &str| sized(format!("each {{ {body} }}")));
    engine.register_fn("repeat", |turns: INT, body: &str, until: &str| {
        sized(format!("repeat {turns} {{ {body} }} until {until}"))
    });
    engine.register_fn("within", |body: &str, bounds: Map| {
        sized(format!("{} within {{ {} }}", grouped(body), named(bounds)?))
    });
    engine.register_fn("fallback", |body: &str, other: &str| {
        sized(format!("{} fallback {}", grouped(body), grouped(other)))
    });
}

/// `summary(max_words: 80)`; a type may follow the name, as in `ask<Report>`.
fn stage(registry: &Registry, name: &str, args: Map) -> Result<String> {
    let bare = name.split('<').next().unwrap_or(name);
    if registry.resolve(bare).is_none() {
        let meant = nearest(bare, registry.names());
        let meant = meant.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        return failed(format!("unknown component `{bare}`{meant}"));
    }
    if args.is_empty() {
        return Ok(name.to_owned());
    }
    sized(format!("{name}({})", named(args)?))
}

fn seq(stages: Array) -> Result<String> {
    if stages.is_empty() {
        return failed("`seq` needs at least one stage");
    }
    let stages: Result<Vec<String>> = stages.into_iter().map(|it| pipeline(it, "seq")).collect();
    sized(stages?.join(" >> "))
}

/// `parallel { a: search, b: web }`, `race { a: search, b: web }`
fn branches(word: &str, branches: Map) -> Result<String> {
    let branch = |(name, it)| Ok(format!("{name}: {}", pipeline(it, word)?));
    let branches: Result<Vec<String>> = branches.into_iter().map(branch).collect();
    sized(format!("{word} {{ {} }}", branches?.join(", ")))
}

fn pipeline(part: Dynamic, of: &str) -> Result<String> {
    let given = part.type_name();
    match part.into_string() {
        Ok(text) => Ok(text),
        Err(_) => failed(format!("`{of}` expects pipelines, found {given}")),
    }
}

/// Puts several stages in parentheses, so that they bind as one.
fn grouped(body: &str) -> String {
    if body.contains(">>") { format!("({body})") } else { body.to_owned() }
}

/// `a: 1, b: "x"`
fn named(args: Map) -> Result<String> {
    let arg = |(name, value)| Ok(format!("{name}: {}", written(value)?));
    let args: Result<Vec<String>> = args.into_iter().map(arg).collect();
    Ok(args?.join(", "))
}

fn written(value: Dynamic) -> Result<String> {
    let value = match value.try_cast_result::<Written>() {
        Ok(Written(text)) => return Ok(text.into()),
        Err(other) => other,
    };
    let given = value.type_name();
    match shape::constant(value).ok().as_ref().and_then(literal::written) {
        Some(text) => Ok(text),
        None => failed(format!("cannot write a value of type {given} in a script")),
    }
}

fn sized(text: String) -> Result<String> {
    if text.len() > limits::TEMPLATE {
        let most = units::show_size(limits::TEMPLATE as u64);
        return failed(format!("the pipeline of a template is too large (limit {most})"));
    }
    Ok(text)
}

fn failed<T>(message: impl Into<ImmutableString>) -> Result<T> {
    Err(EvalAltResult::ErrorRuntime(message.into().into(), Position::NONE).into())
}
