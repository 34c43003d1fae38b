//! Texts and numbers of a fixed width.

use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Field, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::super::{rounded, test_text_len};

params! {
    /// Fills a text on its left until it has a number of characters.
    ///
    /// A text that is long enough stays unchanged. Characters are Unicode scalar values.
    /// `format_number` writes a number with zeros before it.
    pub(super) struct PadLeft {
        /// The text to fill.
        text: Text,
        /// The number of characters.
        #[range(0..=10_000)]
        width: i64,
        /// The character to fill with.
        fill: Text = " ".into(),
    }
}

impl Op for PadLeft {
    const NAME: &'static str = "pad_left";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| call.test("fill", |it: Text| filler("", 0, &it)));
    const SAYS: &'static [&'static str] = &[
        "align a column on the right",
        "leading zeros",
        "fill a text up to a width",
        "right-justify numbers in a report",
        "prefix with spaces",
        "put zeros or blanks in front until it is wide enough",
        "fixed width with leading fill",
        "indent to the right edge",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A code", r#""42" >> pad_left(width: 5, fill: "0")"#, r#""00042""#),
        Example::ok("Long enough", r#""longer" >> pad_left(width: 3)"#, r#""longer""#),
        Example::err(
            "Two characters",
            r#""a" >> pad_left(width: 5, fill: "ab")"#,
            "expected one character for `fill`, found `ab`",
        ),
    ];
}

impl Inline for PadLeft {
    fn run(self) -> Result<Value, OpError> {
        Ok(format!("{}{}", filler(&self.text, self.width, &self.fill)?, self.text).into())
    }
}

params! {
    /// Fills a text on its right until it has a number of characters.
    ///
    /// A text that is long enough stays unchanged; `slice` or `truncate` cut it. Characters are
    /// Unicode scalar values.
    pub(super) struct PadRight {
        /// The text to fill.
        text: Text,
        /// The number of characters.
        #[range(0..=10_000)]
        width: i64,
        /// The character to fill with.
        fill: Text = " ".into(),
    }
}

impl Op for PadRight {
    const NAME: &'static str = "pad_right";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| call.test("fill", |it: Text| filler("", 0, &it)));
    const SAYS: &'static [&'static str] = &[
        "align a column on the left",
        "columns of a text report",
        "left-justify names",
        "add spaces after a text",
        "dots up to the page number",
        "fill up with trailing blanks to a fixed width",
        "make columns line up by adding characters at the end",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A line", r#""${pad_right("tea", 6, ".")}1.50""#, r#""tea...1.50""#),
        Example::err(
            "No character",
            r#""a" >> pad_right(width: 5, fill: "")"#,
            "expected one character for `fill`, found ``",
        ),
    ];
}

impl Inline for PadRight {
    fn run(self) -> Result<Value, OpError> {
        Ok(format!("{}{}", self.text, filler(&self.text, self.width, &self.fill)?).into())
    }
}

/// What a text lacks to a width.
fn filler(text: &str, width: i64, fill: &str) -> Result<String, OpError> {
    if fill.chars().count() != 1 {
        let message = format!("expected one character for `fill`, found `{fill}`");
        return Err(OpError::invalid_input(message));
    }
    let missing = count(width).saturating_sub(text.chars().count());
    test_text_len(text.len() + missing * fill.len())?;
    Ok(fill.repeat(missing))
}

/// An int or a float.
enum Number {
    Int(i64),
    Float(f64),
}

impl Field for Number {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Int, Scheme::Float]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Int(it) => Some(Self::Int(it)),
            Value::Float(it) => Some(Self::Float(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::Int(it) => it.into(),
            Self::Float(it) => it.into(),
        }
    }
}

params! {
    /// Writes a number with a fixed number of digits.
    ///
    /// Halves are rounded away from zero, as by `round`. Without `decimals`, an int has none and a float
    /// as many as it needs.
    pub(super) struct FormatNumber {
        /// The number to write.
        number: Number,
        /// The number of digits after the point, from 0 to 15.
        decimals: Option<i64> = None,
        /// The least number of digits before the point, filled with zeros.
        #[range(0..=1_000)]
        width: i64 = 0,
        /// The text between groups of three digits, such as `,`.
        group: Text = "".into(),
        /// The decimal point.
        point: Text = ".".into(),
    }
}

impl Op for FormatNumber {
    const NAME: &'static str = "format_number";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| call.test("decimals", test_decimals));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "number with leading zeros",
        "two decimals after the point",
        "thousands separators",
        "number with a decimal comma",
        "show a price with cents",
        "print an amount nicely with separators",
        "fixed decimal places for display",
        "make a big number readable",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Zeros before it", "7 >> format_number(width: 3)", r#""007""#),
        Example::ok("Two decimals", "format_number(2.5, decimals: 2)", r#""2.50""#),
        Example::ok(
            "Groups, and a decimal comma",
            r#"-1234567.891 >> format_number(decimals: 2, group: ".", point: ",")"#,
            r#""-1.234.567,89""#,
        ),
        Example::err(
            "Too many decimals",
            "format_number(2.5, decimals: 99)",
            "invalid `decimals`: 99 is not between 0 and 15",
        ),
    ];
}

impl Inline for FormatNumber {
    fn run(self) -> Result<Value, OpError> {
        self.decimals.map_or(Ok(()), test_decimals)?;
        let text = match (self.number, self.decimals) {
            (Number::Int(it), None | Some(0)) => it.to_string(),
            (Number::Int(it), Some(decimals)) => format!("{it}.{}", "0".repeat(count(decimals))),
            (Number::Float(it), _) if !it.is_finite() => {
                return Err(OpError::failed(format!("cannot write {it} with digits")));
            }
            (Number::Float(it), None) => it.to_string(),
            (Number::Float(it), Some(decimals)) => {
                format!("{:.*}", count(decimals), rounded(it, decimals))
            }
        };
        let (sign, text) = text.strip_prefix('-').map_or(("", &*text), |it| ("-", it));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        // What rounds to zero has no sign.
        let is_zero = text.chars().all(|it| matches!(it, '0' | '.'));
        let sign = if is_zero { "" } else { sign };
        let width = count(self.width);
        let whole = grouped(&format!("{whole:0>width$}"), &self.group);
        let point = if fraction.is_empty() { "" } else { &*self.point };
        Ok(format!("{sign}{whole}{point}{fraction}").into())
    }
}

fn test_decimals(decimals: i64) -> Result<(), OpError> {
    if (0..=15).contains(&decimals) {
        return Ok(());
    }
    let message = format!("invalid `decimals`: {decimals} is not between 0 and 15");
    Err(OpError::invalid_input(message))
}

fn count(it: i64) -> usize {
    usize::try_from(it).unwrap_or_default()
}

fn grouped(digits: &str, group: &str) -> String {
    let mut all = String::with_capacity(digits.len());
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            all.push_str(group);
        }
        all.push(digit);
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives, gives_with};

    use super::*;

    #[test]
    fn characters_are_counted() {
        gives::<PadLeft>(r#"["é", 3, "·"]"#, r#""··é""#);
        gives::<PadRight>(r#"["é", 3, "·"]"#, r#""é··""#);
        gives::<PadLeft>(r#"["", 0]"#, r#""""#);
        assert!(fails::<PadLeft>(r#"["a", -1]"#).message.contains("`width`"));
        assert!(fails::<PadRight>(r#"["a", 10001]"#).message.contains("`width`"));
    }

    #[test]
    fn numbers_have_their_digits() {
        let of = |args: &str, wanted: &str| gives::<FormatNumber>(args, &format!("{wanted:?}"));
        of("[-7, null, 3]", "-007");
        of("[1234, null, 2]", "1234");
        of("[5, 2]", "5.00");
        of("[0.125, 2]", "0.13");
        of("[-0.004, 2]", "0.00");
        of("[2.675, 2]", "2.68");
        of("[1e21, 0, 0, \",\"]", "1,000,000,000,000,000,000,000");
        of("[999, null, 0, \",\"]", "999");
        of("[1000, null, 0, \" \"]", "1 000");
        of("[7, null, 7, \",\"]", "0,000,007");
        of("[0.1]", "0.1");
        of("[1e-7]", "0.0000001");
        of("[3.0]", "3");
        of("[-9223372036854775808]", "-9223372036854775808");
        gives_with::<FormatNumber>(&[Value::Float(-0.0)], "\"0\"");
        let err = fails_with::<FormatNumber>(vec![Value::Float(f64::INFINITY)]);
        assert_eq!(err.kind, ErrorKind::Failed);
        assert!(fails::<FormatNumber>("[1, 16]").message.contains("`decimals`"));
    }
}
