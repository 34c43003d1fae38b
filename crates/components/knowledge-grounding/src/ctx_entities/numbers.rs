//! Finds amounts of money, and numbers with a unit.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    found::{Found, Source},
    patterns::{ends, pattern, rest},
};

/// A number with separators of thousands and decimals.
const NUMBER: &str = r"(?:\d{1,3}(?:[,.'’\u{a0}\u{202f} ]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d+)?)";

const SCALE: &str = r"(?:[ \u{a0}-]?(?:thousand|million|billion|trillion|mn|mio|mrd|bn|tn|Millionen|Milliarden|millones|millions|milliards)\b|[kKmMB]\b)?";

const CODES: &str = "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|BRL|MXN|ZAR|KRW|SGD|HKD|THB|IDR|ILS|AED|SAR|RON|BGN|UAH|BTC";

const WORDS: &str = r"dollars?|euros?|pounds?|yen|yuan|rupees?|francs?|roubles?|rubles?|pesos?|cents?|pence|kronor|kroner|Dollar|Euro|Cent|Pfund|Franken";

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:(?:US|A|C|AU|CA|NZ|HK|S|R)?[$€£¥₹₩₽₺₪₴₫₿¢]|(?:{CODES})\b|Fr\.|Rs\.?)[ \u{{a0}}]?-?{NUMBER}{SCALE}"
    ))
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"{NUMBER}{SCALE}[ \u{{a0}}]?(?:[$€£¥₹₩₽₺₪₴₫₿¢]|(?:{CODES})\b|(?i:US )?(?:{WORDS})\b)"
    ))
});

static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"{NUMBER}{SCALE}[ \u{{a0}}-]?(?:%|‰|°[CF]?|(?:{UNITS})(?:[²³]|/h|/s)?\b)"))
});

const UNITS: &str = r"percent|per cent|percentage points?|Prozent|km|cm|mm|nm|µm|m|miles?|mi|feet|foot|ft|inch(?:es)?|yards?|meters?|metres?|kilomet(?:er|re)s?|kg|mg|g|µg|tons?|tonnes?|t|lbs?|oz|ounces?|grams?|kilos?|kilograms?|l|ml|cl|dl|lit(?:er|re)s?|gallons?|pints?|s|ms|min|h|hrs?|hours?|minutes?|seconds?|days?|weeks?|months?|years?|Stunden?|Minuten?|Sekunden?|Tagen?|Tage|Wochen?|Monaten?|Monate|Jahren?|Jahre|Hz|kHz|MHz|GHz|W|kW|MW|GW|TW|Wh|kWh|MWh|GWh|V|kV|A|mA|J|kJ|MJ|cal|kcal|N|kN|Pa|kPa|hPa|bar|psi|K|mol|B|kB|KB|MB|GB|TB|KiB|MiB|GiB|bytes?|bits?|kbps|Mbps|Gbps|km/h|mph|m/s|acres?|ha|hectares?|degrees?|people|pieces?|Stück|pages?";

/// Adds the quantities that begin at a place, where no word ends.
pub(super) fn find(text: &str, start: usize, all: &mut Vec<Found>) {
    let rest = rest(text, start);
    let Some(first) = rest.chars().next() else { return };
    let is_number = first.is_ascii_digit();
    let goes_on = text[..start].ends_with(['.', ',', '\''])
        && text[..start]
            .trim_end_matches(['.', ',', '\''])
            .ends_with(|it: char| it.is_ascii_digit());
    if goes_on {
        return;
    }
    let may_be_money = first.is_ascii_uppercase() || "$€£¥₹₩₽₺₪₴₫₿¢".contains(first);
    let found = |regex: &Regex, kind, score| {
        let end = start + regex.find(rest)?.end();
        ends(text, end).then(|| Found::new(start..end, kind, score, Source::Pattern))
    };
    if may_be_money {
        all.extend(found(&BEFORE, "money", 0.9));
    } else if is_number {
        all.extend(found(&AFTER, "money", 0.9).or_else(|| found(&UNIT, "amount", 0.8)));
    }
}
