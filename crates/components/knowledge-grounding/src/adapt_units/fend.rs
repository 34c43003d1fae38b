//! Calls `fend-core` within bounds: it is a whole language, of which only quantities are let in.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
};

use regex::{Captures, Regex};
use svc_contract::registry::{Cx, OpError};

use super::letters;

const LONGEST: usize = 500;
/// The most steps of an evaluation; a conversion takes some hundreds.
const MOST_STEPS: u32 = 20_000;

/// Units that fend lacks, or defines otherwise: its dyne is not a force, its millimetre of mercury is a torr, its `T` is
/// a number, its `Nm` a nautical mile, and its `Cal` a small calorie.
const UNITS: [(&str, &str, &str); 14] = [
    ("Cal", "", "1 kcal"),
    ("dyne", "dynes", "1e-5 N"),
    ("dyn", "", "1e-5 N"),
    ("angstrom", "angstroms", "1e-10 m"),
    ("Å", "", "1e-10 m"),
    ("mmHg", "", "133.322387415 Pa"),
    ("mbar", "", "100 Pa"),
    ("kbar", "", "1e8 Pa"),
    ("kbit", "", "1e3 bit"),
    ("Mbit", "", "1e6 bit"),
    ("Gbit", "", "1e9 bit"),
    ("Ω", "", "1 ohm"),
    ("kΩ", "", "1e3 ohm"),
    ("MΩ", "", "1e6 ohm"),
];

/// The same with prefixes such as `k`.
const WITH_PREFIXES: [(&str, &str); 3] = [("T", "1 tesla"), ("Nm", "1 N m"), ("Ws", "1 W s")];

/// Stops an evaluation that takes too many steps, or that is cancelled.
struct Steps<'a> {
    count: AtomicU32,
    cx: &'a Cx,
}

impl fend_core::Interrupt for Steps<'_> {
    fn should_interrupt(&self) -> bool {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        count > MOST_STEPS || (count.is_multiple_of(64) && self.cx.check().is_err())
    }
}

fn invalid(message: String) -> OpError {
    OpError::invalid_input(message)
}

/// The text of a quantity, without what is not one: assignments, functions, dates, factorials and huge exponents.
pub(super) fn tested(text: &str, param: &str, cx: &Cx) -> Result<String, OpError> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        let found = text.len();
        return Err(invalid(format!("expected 1 to {LONGEST} bytes for `{param}`, found {found}")));
    }
    let is_known = |it: char| {
        it.is_alphanumeric() || it.is_whitespace() || ".,+-*/^()°µμΩ%'\"²³·×−_′″ℓÅ$€£¥".contains(it)
    };
    if let Some(wrong) = text.chars().find(|it| !is_known(*it)) {
        let letter = text.chars().take_while(|it| *it != wrong).count() + 1;
        return Err(invalid(format!(
            "expected a quantity, found `{wrong}` at letter {letter} of `{param}`"
        ))
        .help("write a quantity, such as `5 km` or `60 W * 8 hours`"));
    }
    let text = text.replace('−', "-").replace(['·', '×'], "*");
    if has_huge_exponent(&text) {
        return Err(invalid(format!("an exponent in `{param}` is too large (limit 999)")));
    }
    if let Some(wrong) = odd_comma(&text) {
        let message = format!("expected three digits behind each comma of `{wrong}` in `{param}`");
        return Err(invalid(message).help("write a decimal point: `2.5`, and not `2,5`"));
    }
    if let Some(wrong) = in_another_base(&text) {
        return Err(invalid(format!("expected a decimal number, found `{wrong}` in `{param}`"))
            .help("write decimal digits, and `*` to multiply"));
    }
    if adds_scales(&text) {
        let message = format!(
            "`{param}` adds or subtracts temperatures of a scale, which has no one meaning"
        );
        return Err(invalid(message).help("write kelvins: `5 K` for a difference of 5 °C"));
    }
    let text = quotients(&degrees(&inches(&text)));
    let names = [("fl oz", "floz"), ("²", "^2"), ("³", "^3")];
    let text = names.iter().fold(text, |text, (from, to)| text.replace(from, to));
    letters::test(&text, param, cx)?;
    Ok(text)
}

/// A number with a comma that separates no thousands.
fn odd_comma(text: &str) -> Option<&str> {
    let numbers = text.split(|it: char| !it.is_ascii_digit() && it != ',' && it != '.');
    let mut numbers =
        numbers.filter(|it| it.contains(',') && it.starts_with(|it: char| it.is_ascii_digit()));
    numbers.find(|number| {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut groups = whole.split(',');
        let is_first = groups.next().is_some_and(|it| it.len() <= 3 || !whole.contains(','));
        fraction.contains(',') || !is_first || groups.any(|it| it.len() != 3)
    })
}

/// A number in another base, such as `0x10`, which may also be a product.
fn in_another_base(text: &str) -> Option<&str> {
    static BASED: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"\b0(?:[xX][0-9a-fA-F]|[bB][01]|[oO][0-7])\w*";
        Regex::new(pattern).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
    });
    BASED.find(text).map(|it| it.as_str())
}

/// With quotients as arithmetic has them: `kcal a day` is `kcal per day`, and what is behind `/100 km` is
/// not multiplied.
fn quotients(text: &str) -> String {
    static A_DAY: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"(?i)([a-zµ°Ω%)²³]) an? ([a-zµ])";
        Regex::new(pattern).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
    });
    static PER_HUNDRED: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"([a-zA-Zµ²³]) ?(?:/|per) ?(100 ?[a-zA-Zµ]+)";
        Regex::new(pattern).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
    });
    let text = A_DAY.replace_all(text, "$1 per $2");
    PER_HUNDRED.replace_all(&text, "$1/($2)").into_owned()
}

/// Whether a result that is not exact is that of a root, a power or a function, which have 15 right digits.
pub(super) fn is_rounded(text: &str) -> bool {
    const NAMES: [&str; 9] = ["sqrt", "cbrt", "root", "ln", "log", "exp", "sin", "cos", "tan"];
    text.contains('^') || NAMES.iter().any(|it| text.contains(it))
}

/// Whether two temperatures of a scale are added or subtracted: 10 °C are 283.15 K, but a
/// difference of 10 °C is 10 K.
fn adds_scales(text: &str) -> bool {
    const SCALES: [&str; 8] = ["°C", "°F", "degC", "degF", "℃", "℉", "celsius", "fahrenheit"];
    let is_sum = text
        .trim_start_matches(['-', '+', ' '])
        .split_whitespace()
        .any(|it| matches!(it, "+" | "-"));
    is_sum && SCALES.iter().map(|it| text.matches(it).count()).sum::<usize>() > 1
}

/// With the unit `in` written out, since the same word also converts.
fn inches(text: &str) -> String {
    let mut words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    for idx in 0..words.len() {
        let ends = words.get(idx + 1).is_none_or(|it| !it.starts_with(char::is_alphabetic));
        if ends && words[idx].trim_end() == "in" {
            words[idx] = "inch ";
        }
    }
    words.concat().trim_end().to_owned()
}

/// With degrees of a scale as such: to fend, `20 degrees C` is an angle, and a temperature.
fn degrees(text: &str) -> String {
    static WRITTEN_OUT: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"(?i:\b(?:deg|degree|degrees) ?|°)(?:(C|(?i:celsius))|(?:F|(?i:fahrenheit)))\b|° (?:(C)|F)\b";
        Regex::new(pattern).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
    });
    let scale = |found: &Captures<'_>| {
        let is_celsius = found.get(1).or(found.get(2)).is_some();
        if is_celsius { "°C" } else { "°F" }
    };
    WRITTEN_OUT.replace_all(text, scale).into_owned()
}

/// Whether four digits follow an `e` after a digit, or a `^`.
fn has_huge_exponent(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    (0..letters.len()).any(|at| {
        let is_power = letters[at] == '^';
        let is_e = matches!(letters[at], 'e' | 'E') && at > 0 && letters[at - 1].is_ascii_digit();
        let rest = letters[at + 1..].iter().skip_while(|it| matches!(it, ' ' | '-' | '+' | '('));
        (is_power || is_e) && rest.take_while(|it| it.is_ascii_digit()).count() > 3
    })
}

/// What fend prints for an expression.
pub(super) fn evaluated(text: &str, cx: &Cx) -> Result<String, OpError> {
    let mut context = fend_core::Context::new();
    context.disable_rng();
    for (singular, plural, definition) in UNITS {
        let kind = fend_core::CustomUnitAttribute::None;
        context.define_custom_unit_v1(singular, plural, definition, &kind);
    }
    for (name, definition) in WITH_PREFIXES {
        let kind = fend_core::CustomUnitAttribute::AllowShortPrefix;
        context.define_custom_unit_v1(name, "", definition, &kind);
    }
    let steps = Steps { count: AtomicU32::new(0), cx };
    match fend_core::evaluate_with_interrupt(text, &mut context, &steps) {
        Ok(it) => Ok(it.get_main_result().to_owned()),
        Err(err) => {
            cx.check()?;
            Err(explained(&err))
        }
    }
}

fn explained(err: &str) -> OpError {
    if err == "interrupted" {
        return invalid("the expression takes too long".to_owned()).help("use smaller powers");
    }
    if let Some(name) =
        err.strip_prefix("unknown identifier '").and_then(|it| it.strip_suffix('\''))
    {
        return invalid(format!("unknown unit `{name}`"))
            .help("write its symbol or its English name: `km`, `feet`, `kWh`");
    }
    if err.contains("exchange rates") {
        return invalid("currencies are not converted, as their rates change".to_owned())
            .help("multiply by a rate: `100 * 0.92`");
    }
    if err.starts_with("found '") {
        return invalid(format!("expected a quantity: {err}"))
            .help("write a quantity, such as `5 km` or `5 ft 3 inches`");
    }
    invalid(err.to_owned())
}

/// The number at the start of what fend prints, and its text.
pub(super) fn number(shown: &str) -> Result<(f64, String), OpError> {
    let shown = shown.strip_prefix("approx. ").unwrap_or(shown);
    let text: String =
        shown.chars().take_while(|it| it.is_ascii_digit() || "+-./eE".contains(*it)).collect();
    let value = match text.split_once('/') {
        Some((above, below)) => {
            above.parse::<f64>().ok().zip(below.parse().ok()).map(|(a, b): (f64, f64)| a / b)
        }
        None => text.parse().ok(),
    };
    match value.filter(|it: &f64| it.is_finite()) {
        Some(value) => Ok((value, text)),
        None => {
            let shown: String = shown.chars().take(60).collect();
            Err(invalid(format!("expected a quantity, found `{shown}`"))
                .help("write a number with a unit, such as `5 km`"))
        }
    }
}
