//! Failures of running inline code, in the terms of the language.

use rhai::{Dynamic, EvalAltResult as Rhai, Position};
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::units,
};

use super::{limits, watch::Stop};

/// The most characters of a message created by code.
const LONGEST: usize = 300;

/// Converts an error of rhai, and returns its place in the code; `stop` is the reason if it was
/// stopped.
pub(super) fn explained(err: Rhai, stop: Option<Stop>) -> (OpError, Position) {
    let err = innermost(err);
    let position = err.position();
    let error = match (stop, &err) {
        (Some(stop), Rhai::ErrorTerminated(..)) => stopped(stop),
        _ => op_error(err),
    };
    (error, position)
}

/// The error itself, without the calls around it.
fn innermost(err: Rhai) -> Rhai {
    match err {
        Rhai::ErrorInFunctionCall(_, _, inner, _) => innermost(*inner),
        other => other,
    }
}

fn op_error(err: Rhai) -> OpError {
    match err {
        Rhai::ErrorTooManyOperations(_) => stopped(Stop::Operations),
        Rhai::ErrorStackOverflow(_) => exhausted(
            format!("function calls nested too deeply (limit {} levels)", limits::CALLS),
            "use a loop: a function may call itself without end",
        ),
        Rhai::ErrorTooManyVariables(_) => exhausted(
            format!("too many variables at the same time (limit {})", limits::VARIABLES),
            "keep values in an array or a map",
        ),
        Rhai::ErrorDataTooLarge(what, _) => too_large(&what),
        Rhai::ErrorArithmetic(why, _) => OpError::failed(lower(why)),
        Rhai::ErrorRuntime(value, _) => raised(&value),
        Rhai::ErrorFunctionNotFound(signature, _) => no_function(&signature),
        Rhai::ErrorVariableNotFound(name, _) => {
            OpError::failed(format!("unknown variable `{name}`"))
                .help("pass the value as a parameter: a function only sees its parameters")
        }
        Rhai::ErrorArrayBounds(len, idx, _) => {
            OpError::failed(format!("no item {idx} in an array of length {len}"))
                .help("use an index from 0 to `xs.len() - 1`")
        }
        Rhai::ErrorStringBounds(len, idx, _) => {
            OpError::failed(format!("no character {idx} in a string of length {len}"))
        }
        Rhai::ErrorPropertyNotFound(name, _) => OpError::failed(format!("unknown field `{name}`")),
        Rhai::ErrorMismatchDataType(wanted, given, _) => {
            OpError::failed(format!("expected {}, found {}", ours(&wanted), ours(&given)))
        }
        Rhai::ErrorFor(_) => {
            OpError::failed("`for` expects an array, a range, or the `chars()` of a string")
        }
        other => {
            let mut other = other;
            other.clear_position();
            OpError::failed(lower(other.to_string()))
        }
    }
}

fn stopped(stop: Stop) -> OpError {
    match stop {
        Stop::Operations => exhausted(
            format!("the code took too many operations (limit {})", limits::OPERATIONS),
            "work on fewer items, make sure that every loop ends, or write a component",
        ),
        Stop::Time => {
            let most = units::show_duration(limits::TIME);
            let help = format!(
                "work on fewer items or write a component; without a `timeout` the limit is {most}"
            );
            OpError::new(ErrorKind::Timeout, "the code took too long").help(help)
        }
        Stop::Cancelled => OpError::cancelled(),
        Stop::Memory => exhausted(
            format!("the code used too much memory (limit {})", units::show_size(limits::MEMORY)),
            "keep fewer large values at the same time",
        ),
    }
}

fn too_large(what: &str) -> OpError {
    let message = if what.contains("string") {
        format!("string too large (limit {})", units::show_size(limits::TEXT as u64))
    } else if what.contains("map") {
        format!("map too large (limit {} fields, including nested maps)", limits::FIELDS)
    } else {
        format!("array too large (limit {} items, including nested arrays)", limits::ITEMS)
    };
    exhausted(message, "work on fewer items at a time, or write a component")
}

fn exhausted(message: impl Into<String>, help: &str) -> OpError {
    OpError::new(ErrorKind::Exhausted, message).help(help)
}

/// `throw value`
fn raised(value: &Dynamic) -> OpError {
    match value.to_string() {
        text if text.is_empty() => OpError::failed("the code threw an error without a message"),
        text => OpError::failed(short(&text)),
    }
}

fn no_function(signature: &str) -> OpError {
    let (name, args) = signature.split_once('(').unwrap_or((signature, ""));
    let (name, args) = (name.trim(), args.trim_end_matches(')'));
    let args: Vec<&str> = args.split(", ").filter(|it| !it.is_empty()).map(ours).collect();
    let is_sign = !name.starts_with(|it: char| it.is_alphabetic() || it == '_');
    match (is_sign, args.as_slice()) {
        (true, [a, b]) => OpError::failed(format!("`{name}` is not defined for {a} and {b}"))
            .help("convert one of them: `to_float()`, `to_int()`, `to_string()`"),
        _ => {
            let property = name.strip_prefix("get$").or_else(|| name.strip_prefix("set$"));
            let what = match property {
                None if name.starts_with("anon$") => {
                    let message = format!("a closure does not take {} arguments", args.len());
                    return OpError::failed(message)
                        .help("pass as many arguments as it has between `|`");
                }
                Some(property) => format!("{} has no `{property}`", args.first().unwrap_or(&"it")),
                None => format!("unknown function `{name}({})`", args.join(", ")),
            };
            OpError::failed(what)
                .help("use the functions of rhai for numbers, strings, arrays and maps")
        }
    }
}

/// The name of a rhai type in the language.
fn ours(ty: &str) -> &str {
    match ty.trim().trim_start_matches('&').trim_start_matches("mut ") {
        it if it.contains("ImmutableString") => "string",
        "i64" => "int",
        "f64" => "float",
        "()" => "null",
        "&str" | "str" | "ImmutableString" | "String" => "string",
        "array" | "Array" => "list",
        "map" | "Map" => "record",
        it if it.ends_with("Amount") => "amount",
        it if it.ends_with("FnPtr") || it == "Fn" => "function",
        it => it,
    }
}

/// Shortens a text of any length for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// Converts a message to the style of this project: a lower-case start, and no full stop.
pub(super) fn lower(message: impl Into<String>) -> String {
    let message: String = message.into();
    let mut chars = message.trim_end_matches('.').chars();
    let first = chars.next().map(|it| it.to_lowercase().to_string());
    short(&first.into_iter().chain(std::iter::once(chars.collect())).collect::<String>())
        .replace('\'', "`")
}
