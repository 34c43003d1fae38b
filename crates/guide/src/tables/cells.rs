//! Texts that mean something else: amounts with a currency, dates in the forms of a country, and times
//! of which the day counts.

/// How a script reads the text of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// `$1,240.00`, `3.50 EUR`: a number with this currency.
    Amount(&'static str),
    /// A date in this form.
    Date(&'static str),
    /// A time in this form, of which the day counts.
    Time(&'static str),
}

/// The forms of dates that say which number is the month: by a name, or by their order.
const DATES: [(&str, &str); 5] = [
    ("%Y/%m/%d", "9999/99/99"),
    ("%Y.%m.%d", "9999.99.99"),
    ("%d.%m.%Y", "99.99.9999"),
    ("%d/%m/%Y", "99/99/9999"),
    ("%m/%d/%Y", "99/99/9999"),
];

const CURRENCIES: [&str; 7] = ["$", "€", "£", "EUR", "USD", "GBP", "CHF"];

/// The forms of times (ISO 8601), with and without seconds and zone.
const TIMES: [(&str, &str); 8] = [
    ("%Y-%m-%dT%H:%M:%SZ", "9999-99-99T99:99:99Z"),
    ("%Y-%m-%dT%H:%M:%S", "9999-99-99T99:99:99"),
    ("%Y-%m-%dT%H:%M:%S%:z", "9999-99-99T99:99:99+99:99"),
    ("%Y-%m-%dT%H:%MZ", "9999-99-99T99:99Z"),
    ("%Y-%m-%dT%H:%M", "9999-99-99T99:99"),
    ("%Y-%m-%d %H:%M:%S", "9999-99-99 99:99:99"),
    ("%Y-%m-%d %H:%M", "9999-99-99 99:99"),
    ("%Y-%m-%dT%H:%M:%S%.fZ", "9999-99-99T99:99:99.999Z"),
];

impl Cell {
    /// How all of these texts can be read, if there is only one way.
    pub(super) fn of(values: &[String]) -> Option<Self> {
        let (first, rest) = values.split_first()?;
        let is_form =
            |mask: &str| has_form(first, mask) && rest.iter().all(|it| has_form(it, mask));
        if let Some((form, _)) = TIMES.iter().find(|(_, mask)| is_form(mask)) {
            return Some(Self::Time(form));
        }
        let fits = |form: &&str| values.iter().all(|it| iso_day(it, form).is_some());
        let mut forms = DATES.iter().filter(|(_, mask)| is_form(mask)).map(|it| it.0).filter(fits);
        match (forms.next(), forms.next()) {
            (Some(form), None) => return Some(Self::Date(form)),
            // `03/04/2026` is a day of March or of April.
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
        let is_of = |it: &&&str| values.iter().all(|text| is_amount(text, it));
        CURRENCIES.iter().find(is_of).map(|it| Self::Amount(it))
    }

    /// The expression that reads a cell.
    pub(super) fn text(self, cell: &str) -> String {
        match self {
            Self::Amount(currency) => {
                let plain = format!("replace({cell}, from: \",\", to: \"\")");
                format!("to_float(trim(replace({plain}, from: \"{currency}\", to: \"\")))")
            }
            Self::Date(form) | Self::Time(form) => format!("parse_date({cell}, format: {form:?})"),
        }
    }

    /// The day of a text as an ISO date.
    pub(super) fn day(self, text: &str) -> Option<String> {
        match self {
            Self::Amount(_) => None,
            Self::Date(form) => iso_day(text, form),
            Self::Time(_) => text.get(..10).map(str::to_owned),
        }
    }
}

/// Whether a text is like a mask, in which `9` is a digit and `+` a sign.
fn has_form(text: &str, mask: &str) -> bool {
    let fits = |(own, mask): (u8, u8)| match mask {
        b'9' => own.is_ascii_digit(),
        b'+' => matches!(own, b'+' | b'-'),
        _ => own == mask,
    };
    text.len() == mask.len() && text.bytes().zip(mask.bytes()).all(fits)
}

/// The ISO date of a date in a form of [`DATES`].
fn iso_day(text: &str, form: &str) -> Option<String> {
    let numbers: Vec<&str> = text.split(['/', '.']).collect();
    let parts: Vec<char> = form.chars().filter(char::is_ascii_alphabetic).collect();
    let part = |wanted: char| Some(*numbers.get(parts.iter().position(|it| *it == wanted)?)?);
    let (year, month, day) = (part('Y')?, part('m')?, part('d')?);
    let is_in = |text: &str, most: u32| text.parse().is_ok_and(|it| (1..=most).contains(&it));
    (is_in(month, 12) && is_in(day, 31)).then(|| format!("{year}-{month}-{day}"))
}

/// Whether a text is an amount with a currency, and a comma only between thousands.
fn is_amount(text: &str, currency: &str) -> bool {
    let plain = text.strip_prefix('-').unwrap_or(text);
    let number = plain.strip_prefix(currency).or_else(|| plain.strip_suffix(currency));
    let Some(number) = number.map(str::trim) else { return false };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let groups: Vec<&str> = whole.split(',').collect();
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let are_thousands = groups.iter().skip(1).all(|it| it.len() == 3);
    let is_first = groups.len() == 1 || groups[0].len() <= 3;
    is_digits(fraction) && groups.iter().all(|it| is_digits(it)) && are_thousands && is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Option<Cell> {
        Cell::of(&values.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn dates_are_read_if_their_order_is_clear() {
        assert_eq!(of(&["03/02/2026", "15/02/2026"]), Some(Cell::Date("%d/%m/%Y")));
        assert_eq!(of(&["02/03/2026", "02/15/2026"]), Some(Cell::Date("%m/%d/%Y")));
        assert_eq!(of(&["03/02/2026", "05/02/2026"]), None);
        assert_eq!(of(&["03.02.2026"]), Some(Cell::Date("%d.%m.%Y")));
        assert_eq!(of(&["13/14/2026"]), None);
        let day = Cell::Date("%d/%m/%Y").day("03/02/2026");
        assert_eq!(day.as_deref(), Some("2026-02-03"));
    }

    #[test]
    fn times_have_one_form() {
        assert_eq!(of(&["2026-04-07T08:00:00Z"]), Some(Cell::Time("%Y-%m-%dT%H:%M:%SZ")));
        assert_eq!(of(&["2026-04-07 08:00"]), Some(Cell::Time("%Y-%m-%d %H:%M")));
        assert_eq!(of(&["2026-04-07T08:00:00Z", "2026-04-07"]), None);
    }

    #[test]
    fn amounts_have_a_currency() {
        assert_eq!(of(&["$84.20", "$1,240.00"]), Some(Cell::Amount("$")));
        assert_eq!(of(&["3 EUR", "-12.50 EUR"]), Some(Cell::Amount("EUR")));
        assert_eq!(of(&["$3", "3 EUR"]), None);
        assert_eq!(of(&["1.240,00 €"]), None);
        assert_eq!(of(&["$12,40"]), None);
        assert_eq!(of(&["12", "$3"]), None);
        assert_eq!(of(&["free", "$3"]), None);
        assert_eq!(of(&[]), None);
    }
}
