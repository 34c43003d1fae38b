//! Types as text.

use svc::{Engine, registry::OpError, value::Type};

/// The longest text of a type, in bytes.
const LONGEST: usize = 64 << 10;

/// Reads a type as a script writes it: `[float]`, `{ name: string, age: int? }`. `secret` is the
/// type of a text that must not be shown.
pub fn read_type(engine: &Engine, text: &str) -> Result<Type, OpError> {
    let text = text.trim();
    if text == "secret" {
        return Ok(Type::Secret);
    }
    let unreadable = |why: &str| {
        OpError::invalid_input(format!("invalid type `{text}`: {why}")).help(
            "write a type of the language, such as `[float]` or `{ name: string, age: int? }`",
        )
    };
    if text.len() > LONGEST {
        return Err(unreadable("it is too long"));
    }
    // The language reads its own types: as that of the only param of a script.
    let checked = engine.check(format!("param it_is: {text}\nit_is")).map_err(|report| {
        let first = report.problems.iter().find(|it| it.is_error());
        unreadable(first.map_or("it is not a type", |it| &it.message))
    })?;
    match &checked.inputs[..] {
        [input] if input.is_required() || input.ty.is_optional() && input.default.is_none() => {
            Ok(input.ty.clone())
        }
        _ => Err(unreadable("expected one type")),
    }
}

#[cfg(test)]
mod tests {
    use super::read_type;

    #[test]
    fn types_are_read_as_they_are_shown() {
        let engine = svc::engine();
        for text in ["int", "[float]", "string?", "{ name: string, tags: [string]? }", "json"] {
            assert_eq!(read_type(&engine, text).unwrap().to_string(), text);
        }
        for text in ["", "number", "int = 3", "int\n1 >> str", "[int", "int  2 >> str"] {
            assert!(read_type(&engine, text).is_err(), "{text}");
        }
    }
}
