//! Quantities in a text: a number, and a unit after it.

use std::sync::LazyLock;

use regex::Regex;
use svc_contract::{
    registry::{
        Compute, Cx, Example, Field as _, Max, Op, OpError, Scheme, documents::Span, params, record,
    },
    value::{Text, Value},
};

record! {
    /// A quantity in a text.
    struct Quantity {
        /// The number.
        value: f64,
        /// The unit, as it stands in the text.
        unit: Text,
        /// Where it stands: the number and the unit.
        span: Span,
    }
}

params! {
    /// Finds quantities in a text: numbers with units, in the order of the text.
    ///
    /// Numbers may have separators of thousands (`1,250`, `1 250`), decimals, an exponent (`1.2e5`, `3 × 10^8`) and a sign. Units have their symbols or English names, with powers and
    /// quotients: `km/h`, `m/s²`, `kg per m3`, `W/(m² K)`, `m s⁻²`. A number without a unit is not a quantity, and `in`, `a` and `am` after a number are words. `text[start..end]` in bytes is `span.text`.
    pub(super) struct Extract {
        /// The text.
        text: Text,
    }
}

impl Op for Extract {
    const NAME: &'static str = "extract";
    const YIELDS: Scheme = Scheme::List(&Quantity::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "find quantities with units in a text",
        "which measurements does a report mention",
        "pull weights and lengths out of a description",
        "read numbers with their units",
        "extract physical quantities",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A data sheet",
            r#""The pump moves 1,250 l/h at 3.5 bar and weighs 12 kg." >> adapt_units.extract >> each { "${.value} ${.unit}" }"#,
            r#"["1250.0 l/h","3.5 bar","12.0 kg"]"#,
        ),
        Example::ok(
            "Words are not units",
            r#""In 5 in 10 cases, 3 apples cost 2 m of rope." >> adapt_units.extract >> each { .span.text }"#,
            r#"["2 m"]"#,
        ),
        Example::ok(
            "Quotients and degrees",
            r#""Pump 10 l/min at 20 degrees C for 90 min." >> adapt_units.extract >> each { "${.value} ${.unit}" }"#,
            r#"["10.0 l/min","20.0 degrees C","90.0 min"]"#,
        ),
        Example::ok("Nothing", r#""" >> adapt_units.extract"#, "[]"),
    ];
}

const NUMBER: &str = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ \u{a0}\u{202f}]\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3}\b|[ \u{a0}]?[×x*][ \u{a0}]?10(?:\^[+−-]?\d{1,3}|[⁻]?[⁰¹²³⁴-⁹]{1,3}))?";

/// Symbols take prefixes, names take an `s`.
const SYMBOLS: &str = r"fl\.? oz|k?Cal|(?:[YZEPTGMkhdcmµμunpf]|da)?(?:m|g|s|A|K|mol|cd|Hz|N|Pa|J|W|V|Ω|ohm|F|C|T|H|S|lm|lx|Bq|Gy|Sv|kat|l|L|eV|Wh|Ws|Ah|Nm|bar|t|rad|cal|B|bit|bps|B/s)|(?:[KMGT]i)B|min|h|hr|hrs|d|wk|yr|ha|mi|ft|yd|nmi|lb|lbs|oz|st|gal|pt|qt|psi|atm|mmHg|Torr|mph|kph|km/h|kn|knots?|hp|BTU|rpm|ppm|ppb|dB|%|‰|° ?[CF]|°|deg(?: ?[CF])?|℃|℉|tsp|tbsp|pH";

const NAMES: &str = r"(?:(?:kilo|milli|centi|micro|nano|mega|giga|tera|deci|hecto)?(?:met(?:er|re)|gram|second|amp(?:ere)?|watt|volt|joule|newton|pascal|hertz|lit(?:er|re)|byte|bit|ton|tonne|calorie|watt[ -]hour|mole|ohm)s?)|inch(?:es)?|foot|feet|yards?|miles?|acres?|hectares?|pounds?|ounces?|stones?|gallons?|pints?|quarts?|cups?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|degrees?(?: (?:Celsius|Fahrenheit|C|F))?|kelvins?|percent|per cent|light[ -]years?|horsepower|fahrenheit|celsius|micron?s";

static QUANTITY: LazyLock<Regex> = LazyLock::new(|| {
    let power = r"(?:\^?-?[1-9]|[⁻]?[¹²³])?";
    // A unit ends where a word ends: of `min` and `mph`, `m` is not a unit.
    let unit = format!(r"(?:(?:(?i:square |cubic )?(?i:{NAMES})|{SYMBOLS}){power}\b{{end-half}})");
    let below = format!(r"(?:{SYMBOLS})(?:\^?-[1-9]|⁻[¹²³])\b{{end-half}}");
    let several = format!(r"\({unit}(?:[ ·*⋅]{unit})*\)");
    let whole = format!(
        r"(?P<number>[+−-]?{NUMBER})(?P<gap>[ \u{{a0}}\u{{202f}}]?|-)(?P<unit>{unit}(?:(?:/| per |[·*⋅]| (?i:a|an) )(?:{unit})|/{several}|/100[ \u{{a0}}]?{unit})?(?:/(?:{unit}))?(?: {below})*)"
    );
    Regex::new(&whole).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
});

impl Compute for Extract {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text: &str = &self.text;
        let mut all = Vec::new();
        let mut from = 0;
        while let Some(found) = QUANTITY.captures_at(text, from) {
            cx.check()?;
            let (Some(whole), Some(number), Some(unit)) =
                (found.get(0), found.name("number"), found.name("unit"))
            else {
                break;
            };
            let start = signed_start(text, number.start());
            if let (true, Some((value, unit))) = (
                stands_alone(text, start),
                read(text, start, number.end(), unit.start(), unit.end()),
            ) {
                let end = unit.1;
                let span = Span {
                    start: i64::try_from(start).unwrap_or(i64::MAX),
                    end: i64::try_from(end).unwrap_or(i64::MAX),
                    text: text[start..end].into(),
                };
                all.push(Quantity { value, unit: unit.0.into(), span });
                from = end;
            } else {
                // The rest of the number is not another one.
                from = number.end().max(whole.start() + 1);
                while !text.is_char_boundary(from) {
                    from += 1;
                }
            }
        }
        Ok(all.encode())
    }
}

/// A sign right after a word or a number is a hyphen.
fn signed_start(text: &str, start: usize) -> usize {
    let sign = text[start..].chars().next().filter(|it| matches!(it, '+' | '-' | '−'));
    let is_hyphen = text[..start].ends_with(|it: char| it.is_alphanumeric());
    match sign {
        Some(it) if is_hyphen => start + it.len_utf8(),
        _ => start,
    }
}

/// Whether a number is not the end of a word, a version or a longer number.
fn stands_alone(text: &str, start: usize) -> bool {
    let before = &text[..start];
    let is_part = before.ends_with(|it: char| it.is_alphanumeric() || it == '_');
    let after_number = before.ends_with(['.', ',', ':', '/'])
        && before[..before.len() - 1].ends_with(|it: char| it.is_ascii_digit());
    !is_part && !after_number
}

/// The value, and the longest unit that ends where no word goes on, with its end.
fn read(
    text: &str,
    start: usize,
    end: usize,
    from: usize,
    to: usize,
) -> Option<(f64, (String, usize))> {
    let value = value(&text[start..end])?;
    if is_decade(&text[start..end], &text[end..]) {
        return None;
    }
    let mut to = to;
    loop {
        let unit = text[from..to].trim_end();
        let rest = &text[from + unit.len()..];
        let after = rest.trim_start_matches(['\'', '’']);
        let goes_on = after.starts_with(|it: char| it.is_alphabetic() || it == '_')
            && unit.ends_with(|it: char| it.is_alphanumeric());
        let is_decimal = rest.starts_with(|it: char| it.is_ascii_digit());
        if !goes_on && !is_decimal && !unit.is_empty() {
            return Some((value, (unit.to_owned(), from + unit.len())));
        }
        // A quotient without its last part may be a unit.
        let shorter = unit.rfind(['/', ' ', '·', '*'])?;
        to = from + shorter;
    }
}

/// Whether these are years: `1990s` is not a time of 1,990 seconds.
fn is_decade(number: &str, rest: &str) -> bool {
    let is_year = number.len() == 4 && number.ends_with('0') && number.starts_with(['1', '2']);
    is_year && rest.starts_with('s')
}

fn value(text: &str) -> Option<f64> {
    let plain: String =
        text.chars().filter(|it| !matches!(it, ',' | ' ' | '\u{a0}' | '\u{202f}')).collect();
    let plain = plain.replace('−', "-");
    let at = plain.find(['×', 'x', '*']);
    let Some(at) = at else { return plain.parse().ok().filter(|it: &f64| it.is_finite()) };
    let mantissa: f64 = plain[..at].parse().ok()?;
    let exponent = plain[at..].trim_start_matches(['×', 'x', '*']).strip_prefix("10")?;
    let exponent: String = exponent.chars().filter_map(digit).collect();
    format!("{mantissa}e{exponent}").parse().ok().filter(|it: &f64| it.is_finite())
}

/// A digit or sign of an exponent, also a raised one.
fn digit(it: char) -> Option<char> {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    match it {
        '0'..='9' | '-' => Some(it),
        '⁻' => Some('-'),
        _ => {
            let at = RAISED.chars().position(|own| own == it)?;
            char::from_digit(u32::try_from(at).ok()?, 10)
        }
    }
}
