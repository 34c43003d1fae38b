//! Why inline code failed while it ran, in the words of the language.

use rhai::{Dynamic, EvalAltResult as Rhai, Position};
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::units,
};

use super::{limits, watch::Stop};

/// The most characters of a message that code makes.
const LONGEST: usize = 300;

/// A failure of inline code, and where in the file.
#[derive(Clone, Debug)]
pub struct Failure {
    pub error: OpError,
    /// Bytes of the file; the whole island where nothing is known.
    pub place: (usize, usize),
}

impl Failure {
    /// Whether this program cannot do it at all.
    pub fn is_unsupported(&self) -> bool {
        self.error.kind == ErrorKind::Unsupported
    }
}

/// What rhai says went wrong, and where in the code; `stop` is why it was stopped.
pub(super) fn explained(err: Rhai, stop: Option<Stop>) -> (OpError, Position) {
    let err = innermost(err);
    let position = err.position();
    let error = match (stop, &err) {
        (Some(stop), Rhai::ErrorTerminated(..)) => stopped(stop),
        _ => told(err),
    };
    (error, position)
}

/// The error itself, without the calls that it came through.
fn innermost(err: Rhai) -> Rhai {
    match err {
        Rhai::ErrorInFunctionCall(_, _, inner, _) => innermost(*inner),
        other => other,
    }
}

fn told(err: Rhai) -> OpError {
    match err {
        Rhai::ErrorTooManyOperations(_) => stopped(Stop::Operations),
        Rhai::ErrorStackOverflow(_) => exhausted(
            format!("the code calls functions more than {} levels deep", limits::CALLS),
            "a function may call itself without an end; use a loop",
        ),
        Rhai::ErrorTooManyVariables(_) => exhausted(
            format!("the code has more than {} variables at the same time", limits::VARIABLES),
            "keep values in an array or a map",
        ),
        Rhai::ErrorDataTooLarge(what, _) => too_large(&what),
        Rhai::ErrorArithmetic(why, _) => OpError::failed(lower(why)),
        Rhai::ErrorRuntime(value, _) => raised(&value),
        Rhai::ErrorFunctionNotFound(signature, _) => no_function(&signature),
        Rhai::ErrorVariableNotFound(name, _) => {
            OpError::failed(format!("there is no variable `{name}` in the code"))
                .help("a function sees only its parameters: give the value as one")
        }
        Rhai::ErrorArrayBounds(len, idx, _) => {
            OpError::failed(format!("there is no item {idx} in an array of {len}"))
                .help("items are counted from 0; `xs.len()` tells how many there are")
        }
        Rhai::ErrorStringBounds(len, idx, _) => {
            OpError::failed(format!("there is no character {idx} in a string of {len}"))
        }
        Rhai::ErrorPropertyNotFound(name, _) => {
            OpError::failed(format!("the value has no field `{name}`"))
        }
        Rhai::ErrorMismatchDataType(wanted, given, _) => {
            OpError::failed(format!("{} is due here, but this is {}", ours(&wanted), ours(&given)))
        }
        Rhai::ErrorFor(_) => {
            OpError::failed("`for` wants an array, a range, or a string's `chars()`")
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
            format!("the code took more than {} operations", limits::OPERATIONS),
            "a loop may have no end; work on fewer items, or write a component",
        ),
        Stop::Time => {
            let most = units::show_duration(limits::TIME);
            let help = format!(
                "it has {most} where no `timeout` is set; work on fewer items, or write a component"
            );
            OpError::new(ErrorKind::Timeout, "the code took longer than it may").help(help)
        }
        Stop::Cancelled => OpError::cancelled(),
        Stop::Memory => exhausted(
            format!(
                "memory grew by more than {} while the code ran",
                units::show_size(limits::MEMORY)
            ),
            "keep fewer large values at the same time",
        ),
    }
}

fn too_large(what: &str) -> OpError {
    let message = if what.contains("string") {
        format!("a string grew beyond {}", units::show_size(limits::TEXT as u64))
    } else if what.contains("map") {
        format!("a map grew beyond {} fields, all maps in it included", limits::FIELDS)
    } else {
        format!("an array grew beyond {} items, all arrays in it included", limits::ITEMS)
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
        (true, [a, b]) => OpError::failed(format!("`{name}` does not work on {a} and {b}"))
            .help("convert one of them: `to_float()`, `to_int()`, `to_string()`"),
        _ => {
            let property = name.strip_prefix("get$").or_else(|| name.strip_prefix("set$"));
            let what = match property {
                None if name.starts_with("anon$") => {
                    let message = format!("a closure does not take {} arguments", args.len());
                    return OpError::failed(message).help("give it as many as it has between `|`");
                }
                Some(property) => format!("{} has no `{property}`", args.first().unwrap_or(&"it")),
                None => format!("there is no function `{name}({})`", args.join(", ")),
            };
            OpError::failed(what)
                .help("inline code has rhai's functions for numbers, strings, arrays and maps")
        }
    }
}

/// The language's name of one of rhai's types.
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

/// What a message shows of a text that may have any length.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// A message as ours begin and end.
pub(super) fn lower(message: impl Into<String>) -> String {
    let message: String = message.into();
    let mut chars = message.trim_end_matches('.').chars();
    let first = chars.next().map(|it| it.to_lowercase().to_string());
    short(&first.into_iter().chain(std::iter::once(chars.collect())).collect::<String>())
        .replace('\'', "`")
}
