//! Answers that can be seen by their shape, such as an address of electronic mail or a clock time.

/// What an answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Email,
    Phone,
    Clock,
    Weekday,
    Percent,
    Colour,
    Degrees,
    /// A number with letters or marks, such as `HS-128`.
    Code,
}

/// Phrases of questions, in lower case, and what they ask for. The first that is found counts.
const ASKING: &[(&str, Shape)] = &[
    ("e-mail", Shape::Email),
    ("email", Shape::Email),
    ("mail address", Shape::Email),
    ("phone number", Shape::Phone),
    ("telephone number", Shape::Phone),
    ("mobile number", Shape::Phone),
    ("fax number", Shape::Phone),
    ("number do i ring", Shape::Phone),
    ("number do i call", Shape::Phone),
    ("number can i ring", Shape::Phone),
    ("number can i call", Shape::Phone),
    ("what time", Shape::Clock),
    ("which time", Shape::Clock),
    ("at what hour", Shape::Clock),
    ("which weekday", Shape::Weekday),
    ("what day of the week", Shape::Weekday),
    ("which day of the week", Shape::Weekday),
    ("which days", Shape::Weekday),
    ("what days", Shape::Weekday),
    ("which evening", Shape::Weekday),
    ("percentage", Shape::Percent),
    ("what percent", Shape::Percent),
    ("what share", Shape::Percent),
    ("which share", Shape::Percent),
    ("interest rate", Shape::Percent),
    ("what colour", Shape::Colour),
    ("what color", Shape::Colour),
    ("which colour", Shape::Colour),
    ("which color", Shape::Colour),
    ("temperature", Shape::Degrees),
    ("how hot", Shape::Degrees),
    ("how warm", Shape::Degrees),
    ("how cold", Shape::Degrees),
    ("serial number", Shape::Code),
    ("serial no", Shape::Code),
    ("policy number", Shape::Code),
    ("claim number", Shape::Code),
    ("account number", Shape::Code),
    ("order number", Shape::Code),
    ("part number", Shape::Code),
    ("part no", Shape::Code),
    ("item number", Shape::Code),
    ("model number", Shape::Code),
    ("registration number", Shape::Code),
    ("vat number", Shape::Code),
    ("tax number", Shape::Code),
    ("reference number", Shape::Code),
    ("booking code", Shape::Code),
    ("the code of", Shape::Code),
    ("the code for", Shape::Code),
    ("what is the code", Shape::Code),
    ("what's the code", Shape::Code),
    ("which code", Shape::Code),
    ("licence number", Shape::Code),
    ("license number", Shape::Code),
    ("iban", Shape::Code),
    ("postcode", Shape::Code),
    ("post code", Shape::Code),
    ("zip code", Shape::Code),
];

const COLOURS: &[&str] = &[
    "red",
    "green",
    "blue",
    "yellow",
    "black",
    "white",
    "grey",
    "gray",
    "brown",
    "orange",
    "pink",
    "purple",
    "violet",
    "silver",
    "gold",
    "golden",
    "beige",
    "navy",
    "turquoise",
    "cream",
    "ivory",
    "maroon",
    "burgundy",
    "crimson",
    "scarlet",
    "magenta",
    "cyan",
    "bronze",
    "transparent",
];

const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Shape {
    /// What a question in lower case asks for.
    pub(super) fn asked(question: &str) -> Option<Self> {
        let is_whole = |at: usize, it: &str| {
            !question[..at].ends_with(char::is_alphanumeric)
                && !question[at + it.len()..].starts_with(char::is_alphanumeric)
        };
        let has = |it: &str| question.match_indices(it).any(|(at, it)| is_whole(at, it));
        ASKING.iter().find(|it| has(it.0)).map(|it| it.1)
    }

    /// Whether a sentence has such an answer.
    pub(super) fn is_in(self, sentence: &str) -> bool {
        let lower = sentence.to_lowercase();
        let mut words = lower.split(|it: char| !it.is_alphanumeric());
        match self {
            Self::Email => lower.split_whitespace().any(|it| {
                it.split_once('@').is_some_and(|it| !it.0.is_empty() && it.1.contains('.'))
            }),
            Self::Phone => {
                longest_digits(&lower) >= 6
                    && !crate::dates::MONTHS.iter().any(|it| lower.contains(it))
            }
            Self::Clock => has_clock(&lower),
            Self::Weekday => words.any(is_weekday),
            Self::Percent => {
                lower.contains('%') || lower.contains("per cent") || words.any(is_share)
            }
            Self::Colour => words.any(|it| COLOURS.contains(&it)),
            Self::Degrees => {
                lower.contains('°')
                    || words.any(|it| matches!(it, "degrees" | "degree" | "celsius" | "temp"))
                    || lower.contains("temperature")
                        && lower.contains(|it: char| it.is_ascii_digit())
            }
            Self::Code => lower.split_whitespace().any(is_code),
        }
    }
}

/// How far a sentence names a person that the question does not: 1 for a title or a full name, less
/// for a single name.
pub(super) fn person(sentence: &str, question: &str) -> f64 {
    const TITLES: &[&str] = &[
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "rev",
        "sir",
        "professor",
        "doctor",
        "cllr",
        "herr",
        "frau",
        "captain",
    ];
    let asked = question.to_lowercase();
    let words: Vec<&str> = sentence
        .split(|it: char| it.is_whitespace() || matches!(it, ',' | ';' | '(' | ')' | ':' | '"'))
        .map(|it| it.trim_matches(|it: char| !it.is_alphanumeric()))
        .collect();
    let is_name = |it: &str| {
        let rest = it.get(it.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
        it.starts_with(char::is_uppercase)
            && rest.chars().all(|it| it.is_lowercase() || it == '-' || it == '\'')
            || it.contains('-') && it.starts_with(char::is_uppercase)
    };
    let is_date = |it: &str| {
        let lower = it.to_lowercase();
        let months = crate::dates::MONTHS.iter().chain(&crate::dates::WEEKDAYS);
        lower.len() > 2 && months.into_iter().any(|it| it.starts_with(&lower))
    };
    let is_new = |it: &str| is_name(it) && !asked.contains(&it.to_lowercase()) && !is_date(it);
    let mut best: f64 = 0.0;
    for (at, _) in words.iter().enumerate().filter(|it| is_new(it.1)) {
        let before = at.checked_sub(1).and_then(|it| words.get(it)).copied().unwrap_or_default();
        let has_title = TITLES.contains(&before.to_lowercase().as_str());
        let is_initial = before.len() == 1 && before.starts_with(char::is_uppercase);
        let is_full = at > 1 && is_new(before) || at == 1 && is_new(before) && before.len() > 2;
        best = best.max(match () {
            () if has_title || is_initial || is_full => 1.0,
            () if at > 0 => 0.6,
            () => 0.3,
        });
    }
    best
}

fn is_share(word: &str) -> bool {
    matches!(word, "percent" | "half" | "third" | "quarter" | "thirds" | "quarters")
}

/// A day of the week, in full or shortened, one or several.
fn is_weekday(word: &str) -> bool {
    let is_day = |day: &str| {
        word.strip_prefix(day).is_some_and(|rest| {
            matches!(rest, "" | "s" | "day" | "days" | "sday" | "sdays" | "nesday" | "nesdays")
                || matches!(rest, "rs" | "rsday" | "rsdays" | "urday" | "urdays")
        })
    };
    DAYS.iter().any(|it| is_day(it))
        || matches!(word, "daily" | "weekdays" | "weekends" | "weekend")
}

/// How many digits stand together, apart from spaces and marks of telephone numbers.
fn longest_digits(text: &str) -> usize {
    let (mut longest, mut now) = (0, 0);
    for it in text.chars() {
        match it {
            '0'..='9' => now += 1,
            ' ' | '-' | '/' | '+' | '(' | ')' => {}
            _ => now = 0,
        }
        longest = longest.max(now);
    }
    longest
}

/// Whether a text has a time such as `9 am`, `16:15`, `3.20` or `noon`.
fn has_clock(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|it: char| it.is_whitespace() || matches!(it, ',' | ';' | '(' | ')' | '-' | '–'))
        .filter(|it| !it.is_empty())
        .collect();
    let is_half =
        |it: &str| matches!(it, "am" | "pm" | "a.m." | "p.m." | "o'clock" | "a.m" | "p.m");
    words.iter().enumerate().any(|(at, it)| {
        let it = it.trim_end_matches('.');
        let digits = it.trim_end_matches(char::is_alphabetic);
        let is_number = digits.starts_with(|it: char| it.is_ascii_digit());
        let parts = digits.split_once([':', '.']);
        let is_time = parts.is_some_and(|(hour, minute)| {
            hour.parse::<u8>().is_ok_and(|it| it < 25)
                && minute.len() == 2
                && minute.parse::<u8>().is_ok_and(|it| it < 60)
        });
        matches!(it, "noon" | "midnight" | "midday")
            || is_time
            || is_number
                && (it.strip_prefix(digits).is_some_and(is_half)
                    || words.get(at + 1).is_some_and(|it| is_half(it.trim_end_matches('.'))))
    })
}

/// Whether a word is made of digits and letters or marks, or of at least four digits.
fn is_code(word: &str) -> bool {
    let word = word.trim_matches(|it: char| !it.is_alphanumeric());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_price = word.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b','));
    let has_letters = word.contains(char::is_alphabetic);
    digits >= 4 && !is_price || digits > 0 && has_letters && word.len() > 2 || digits >= 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_ask_for_a_shape() {
        for (question, shape) in [
            ("what is her email?", Some(Shape::Email)),
            ("what time does it open?", Some(Shape::Clock)),
            ("serial number of the mill", Some(Shape::Code)),
            ("what colour is it?", Some(Shape::Colour)),
            ("who paints it?", None),
        ] {
            assert_eq!(Shape::asked(question), shape, "{question}");
        }
    }

    #[test]
    fn persons_have_a_title_or_two_names() {
        assert!(person("It was built by Mr Lee.", "who built it?") > 0.9);
        assert!(person("Then Jana Vogel came.", "who came?") > 0.9);
        assert!(person("there Jana Vogel came.", "did Jana Vogel come?") < 0.1);
        assert!(person("the mill was built", "who built it?") < 0.1);
    }

    #[test]
    fn answers_have_a_shape() {
        for (shape, yes, no) in [
            (Shape::Email, "Write to ann@mill.example.", "Write to Ann @ the mill."),
            (Shape::Phone, "Ring 0431 555 01.", "Ring 12 times."),
            (Shape::Clock, "It opens at 9 am.", "It has 9 doors."),
            (Shape::Clock, "From 16:15 on.", "A ratio of 3:1."),
            (Shape::Weekday, "Open on Tuesdays.", "Open in the sunlight."),
            (Shape::Percent, "A third of it burned.", "It burned."),
            (Shape::Colour, "The mill is green.", "The mill is old."),
            (Shape::Degrees, "Bake it at 200 °C.", "Bake 200 loaves."),
            (Shape::Code, "The part HS-128.", "The part costs 128."),
        ] {
            assert!(shape.is_in(yes) && !shape.is_in(no), "{shape:?}");
        }
    }
}
