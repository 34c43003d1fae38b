//! Converts text to numbers, and any value to text.

use std::{fmt::Write as _, num::IntErrorKind};

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Op, OpError, Scheme, Var, params},
    value::{Text, Value, arithmetic::LONGEST_TEXT},
};

use super::super::{excerpt, written};

params! {
    /// Parses a whole number in decimal digits, with or without a sign.
    ///
    /// White space around it is allowed, anything else is not: `"12 apples"`, `"1_000"` and `"1.0"`
    /// are errors of kind `invalid_input`, and so is a number outside -2^63 to 2^63 - 1.
    pub(super) struct ParseInt {
        /// The text to parse.
        text: Text,
    }
}

impl Op for ParseInt {
    const NAME: &'static str = "parse_int";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "turn a string into a whole number",
        "read an integer from text",
        "convert digits to a number",
        "a count that arrives as text",
        "parse a number without decimals",
        "\"17\" as an integer",
        "numeric string to a real number type without a fraction",
        "make a number of digits",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A number", r#"to_int(" 42 ") + 1"#, "43"),
        Example::err("Not a number", r#"to_int("12 apples")"#, "`12 apples` is not a whole number"),
    ];
}

impl Inline for ParseInt {
    fn run(self) -> Result<Value, OpError> {
        let text = self.text.trim();
        let number = text.parse::<i64>().map_err(|err| match err.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => out_of_range(text, "int"),
            _ => OpError::invalid_input(format!("`{}` is not a whole number", excerpt(text)))
                .help("use `to_float` for numbers with a point or an exponent"),
        })?;
        Ok(number.into())
    }
}

params! {
    /// Parses a number with or without a sign, a point and an exponent: `2`, `-0.5`, `1e6`.
    ///
    /// White space around it is allowed, anything else is not. `inf`, `nan` and numbers beyond
    /// about 1.8e308 are errors of kind `invalid_input`.
    pub(super) struct ParseFloat {
        /// The text to parse.
        text: Text,
    }
}

impl Op for ParseFloat {
    const NAME: &'static str = "parse_float";
    const YIELDS: Scheme = Scheme::Float;
    const SAYS: &'static [&'static str] = &[
        "turn a string into a decimal number",
        "read a fraction such as 0.25 from text",
        "convert text with a decimal point to a number",
        "cast a string to float",
        "parse a measurement in scientific notation",
        "\"3.14\" as a real number",
        "string to double",
        "read a price as a decimal",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A number", r#"to_float("0.25") * 2"#, "0.5"),
        Example::err("A decimal comma", r#"to_float("0,25")"#, "`0,25` is not a number"),
    ];
}

impl Inline for ParseFloat {
    fn run(self) -> Result<Value, OpError> {
        let text = self.text.trim();
        // Rust also parses the names of non-finite numbers, which are not allowed here.
        let has_digit = text.contains(|it: char| it.is_ascii_digit());
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number.into()),
            Ok(_) if has_digit => Err(out_of_range(text, "float")),
            _ => Err(OpError::invalid_input(format!("`{}` is not a number", excerpt(text)))
                .help("write it like 1234.5, with a point and without spaces")),
        }
    }
}

fn out_of_range(text: &str, ty: &str) -> OpError {
    OpError::invalid_input(format!("`{}` is beyond the range of {ty}", excerpt(text)))
}

params! {
    /// Writes any value as text, as `"${value}"` does.
    ///
    /// A string stays unchanged, units are written as in the language (`1h30m`, `$0.05`, `10MB`), a
    /// list or record as JSON, null as `null`.
    pub(super) struct Show {
        /// The value to write.
        value: Var<'T'>,
    }
}

impl Op for Show {
    const NAME: &'static str = "show";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "turn a value into text",
        "convert a number to a string",
        "display any value as a string",
        "stringify numbers before joining them",
        "write a duration or an amount as text",
        "format a value for a message",
        "cast anything to str",
        "print a number or a boolean as text",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A unit", "show(90m)", r#""1h30m""#),
        Example::ok("Numbers to join", r#"[1, 2] >> each { show } >> join(sep: "-")"#, r#""1-2""#),
    ];
}

impl Inline for Show {
    fn run(self) -> Result<Value, OpError> {
        Ok(match self.value.0 {
            Value::Text(text) => Value::Text(text),
            other => written(LONGEST_TEXT, |it| write!(it, "{other}"))?.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::testing::{fails, gives, gives_with};

    use super::*;

    #[test]
    fn ints_are_read_exactly() {
        gives::<ParseInt>(r#"["-9223372036854775808"]"#, "-9223372036854775808");
        gives::<ParseInt>(r#"["\t+7\n"]"#, "7");
        for wrong in ["", " ", "1_000", "0x10", "1.0", "٣", "--1", "1 2"] {
            let err = fails::<ParseInt>(&format!("[{wrong:?}]"));
            assert!(err.message.contains("is not a whole number"), "{err}");
        }
        let err = fails::<ParseInt>(r#"["9223372036854775808"]"#);
        assert!(err.message.contains("beyond the range of int"));
    }

    #[test]
    fn floats_are_finite() {
        gives::<ParseFloat>(r#"["-.5e1"]"#, "-5.0");
        gives::<ParseFloat>(r#"["3"]"#, "3.0");
        for wrong in ["", "inf", "-Infinity", "NaN", "1,5", "1f"] {
            let err = fails::<ParseFloat>(&format!("[{wrong:?}]"));
            assert!(err.message.contains("is not a number"), "{err}");
        }
        assert!(fails::<ParseFloat>(r#"["1e999"]"#).message.contains("beyond the range"));
    }

    #[test]
    fn long_input_is_cut_in_messages() {
        let err = fails::<ParseInt>(&format!("[{:?}]", "ä".repeat(10_000)));
        assert!(err.message.chars().count() < 80);
    }

    #[test]
    fn any_value_shows() {
        gives::<Show>(r#"["a"]"#, r#""a""#);
        gives::<Show>("[null]", r#""null""#);
        gives::<Show>("[2.0]", r#""2.0""#);
        gives::<Show>(r#"[[1, "a"]]"#, r#""[1,\"a\"]""#);
        gives_with::<Show>(&[Duration::from_mins(90).into()], r#""1h30m""#);
    }
}
