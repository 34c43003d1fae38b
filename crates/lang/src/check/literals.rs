//! Help for values that nearly fit: literals of another type, values that may be null, and values
//! that are not json.

use svc_contract::value::{Money, Type, Value, units};

use super::{Checker, Term};
use crate::diag::Problem;

/// Numbers in words.
const WORDS: [(&str, i64); 13] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
];

/// A literal of the expected type, and whether only that can be meant.
struct Rewritten {
    text: String,
    help: String,
    is_sure: bool,
}

impl Checker<'_> {
    /// Adds the literal that is meant to the problem of a literal of the wrong type: `2` for
    /// `"2"`. Returns whether there is one.
    pub(super) fn as_literal(
        &self,
        problem: Problem,
        term: &Term,
        wanted: &Type,
    ) -> (Problem, bool) {
        let written = &self.source.text()[term.span.range()];
        let Some(meant) = term.constant().and_then(|it| rewritten(it, written, wanted)) else {
            return (problem, false);
        };
        let problem = problem.help(meant.help).fix(term.span, meant.text);
        (problem.suggested_if(!meant.is_sure), true)
    }

    /// Help where json is expected: a value with a known type does not fit.
    pub(super) fn json_help(&self, given: &Type, wanted: &Type) -> Option<String> {
        let is_known = self.registry.find("to_json").is_some();
        (is_known && *wanted.required() == Type::Json && !given.holds_secret()).then(|| {
            format!(
                "write {given} instead of json where the type is declared, or turn the value into \
                 json with `.. >> to_json >> parse_json`"
            )
        })
    }
}

/// Help for a value that only misses its type because it, or a part of it, may be null.
pub(super) fn null_help(given: &Type, wanted: &Type) -> Option<String> {
    let part = null_part(given, wanted)?;
    Some(if part.is_empty() {
        "replace null with `?? value`, or test it first: `if x != null { .. }`".to_owned()
    } else {
        let name = part.rsplit('.').next().unwrap_or_default();
        let items = part.matches("[]").count();
        let build = format!("{{ ...it, {name}: .{name} ?? .. }}");
        let build = if items > 0 { format!("each {{ {build} }}") } else { build };
        let is_nested = part.matches('.').count() > 1;
        if is_nested || items > 1 {
            format!("`{part}` may be null: replace null with `??`, or compare it with null first")
        } else {
            format!(
                "`{part}` may be null: write `.. >> {build}`, or compare `.{name}` with null first"
            )
        }
    })
}

/// The part of a value that may be null where null is not expected: `.b`, `[].b`.
fn null_part(given: &Type, wanted: &Type) -> Option<String> {
    match (given, wanted) {
        (Type::Optional(given), Type::Optional(wanted)) => null_part(given, wanted),
        (Type::Optional(inner), _) => inner.fits(wanted).then(String::new),
        (given, Type::Optional(wanted)) => null_part(given, wanted),
        (Type::List(given, _), Type::List(wanted, _)) => {
            null_part(given, wanted).map(|it| format!("[]{it}"))
        }
        (Type::Record(given), Type::Record(wanted)) => {
            // Another field may be wrong for another reason, which has nothing to do with null.
            let mut wrong = wanted
                .fields
                .iter()
                .filter(|(name, ty)| given.get(name).map_or(!ty.is_optional(), |it| !it.fits(ty)));
            let ((name, ty), None) = (wrong.next()?, wrong.next()) else { return None };
            given.get(name).and_then(|it| null_part(it, ty)).map(|it| format!(".{name}{it}"))
        }
        _ => None,
    }
}

/// The type of a value that was found, in words.
pub(super) fn found(ty: &Type) -> String {
    if is_empty_list(ty) { "an empty list".to_owned() } else { brief(ty) }
}

/// A type as in a message: of a record with very many fields, only the first ones.
pub(super) fn brief(ty: &Type) -> String {
    const LONGEST: usize = 400;
    let whole = ty.to_string();
    if whole.len() <= LONGEST {
        return whole;
    }
    let end = whole.char_indices().nth(LONGEST).map_or(whole.len(), |it| it.0);
    let end = whole[..end].rfind(", ").unwrap_or(end);
    format!("{}, ..", &whole[..end])
}

/// Whether it is the type of `[]`, whose items have no type.
pub(super) fn is_empty_list(ty: &Type) -> bool {
    matches!(ty, Type::List(item, Some(0)) if **item == Type::Never)
}

fn rewritten(value: &Value, written: &str, wanted: &Type) -> Option<Rewritten> {
    match value {
        // A constant may stand elsewhere, as the default of a parameter does.
        Value::Text(text) if written.starts_with(['"', '\'']) => {
            unquoted(text.trim(), wanted).or_else(|| in_list(value, written, wanted))
        }
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Money(_) | Value::Duration(_)
            if wanted.required().is_text() && !written.contains('"') =>
        {
            let text = format!("\"{written}\"");
            let help = format!("write `{text}`");
            Some(Rewritten { text, help, is_sure: true })
        }
        Value::Int(it) if it.to_string() == written => {
            let text = match wanted.required() {
                Type::Duration => format!("{it}s"),
                Type::Money => format!("${it}"),
                Type::Size => format!("{it}MB"),
                _ => return None,
            };
            let help = format!("write the number with its unit, as in `{text}`");
            Some(Rewritten { text, help, is_sure: false })
        }
        _ => in_list(value, written, wanted),
    }
}

/// A literal where a list of such literals is expected: `["log"]` for `"log"`. A text of several
/// words or lines may be meant as several items.
fn in_list(value: &Value, written: &str, wanted: &Type) -> Option<Rewritten> {
    let Type::List(item, max) = wanted.required() else { return None };
    let fits = match value {
        Value::Text(_) => item.is_text() && written.starts_with(['"', '\'']),
        Value::Int(_) => matches!(**item, Type::Int(None) | Type::Float(None)),
        Value::Float(_) => matches!(**item, Type::Float(None)),
        Value::Bool(_) => **item == Type::Bool,
        _ => false,
    };
    let is_written = match value {
        Value::Text(text) => !text.contains('\n'),
        Value::Int(it) => it.to_string() == written,
        Value::Float(_) => written.parse::<f64>().is_ok(),
        Value::Bool(it) => it.to_string() == written,
        _ => false,
    };
    if !fits || !is_written || *max == Some(0) {
        return None;
    }
    let text = format!("[{written}]");
    let is_sure = !written.contains([' ', ',']);
    Some(Rewritten { help: format!("write a list: `{text}`"), text, is_sure })
}

/// The literal of another type in a string.
fn unquoted(text: &str, wanted: &Type) -> Option<Rewritten> {
    let word = WORDS.iter().find(|(word, _)| *word == text).map(|(_, number)| *number);
    let number = text.parse::<i64>().ok();
    let (text, is_sure) = match wanted.required() {
        Type::Int(range) => {
            let found = number.or(word)?;
            let fits = range.is_none_or(|(low, high)| (low..=high).contains(&found));
            (fits.then(|| found.to_string())?, number.is_some())
        }
        Type::Float(_) if number.is_some() => (text.to_owned(), true),
        Type::Float(_) => {
            let is_plain = text.chars().all(|it| it.is_ascii_digit() || it == '.')
                && text.starts_with(|it: char| it.is_ascii_digit())
                && text.ends_with(|it: char| it.is_ascii_digit());
            (text.parse::<f64>().ok().filter(|_| is_plain).map(|_| text.to_owned())?, true)
        }
        Type::Bool if matches!(text, "true" | "false") => (text.to_owned(), true),
        Type::Duration => (units::parse_duration(text).map(|_| text.to_owned())?, true),
        Type::Money => (Money::parse(text.strip_prefix('$')?).map(|_| text.to_owned())?, true),
        Type::Size => (units::parse_size(text).map(|_| text.to_owned())?, true),
        _ => return None,
    };
    let help = if is_sure {
        format!("write `{text}` without quotes")
    } else {
        format!("write the number in digits: `{text}`")
    };
    Some(Rewritten { text, help, is_sure })
}
