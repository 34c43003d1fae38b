//! The literals of a goal: quoted texts, paths, addresses, numbers and amounts.

use svc_contract::{
    registry::Scheme,
    value::{Money, units},
};

/// A value in a goal that a script can use unchanged.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Quoted(String),
    Path(String),
    Url(String),
    Glob(String),
    Number(f64),
    Numbers(Vec<f64>),
    /// All whole numbers of a range.
    Span(f64, f64),
    Duration(String),
    Money(Money),
    Size(String),
}

impl Literal {
    /// Reads one word of a goal, without punctuation.
    pub(super) fn read(word: &str) -> Option<Self> {
        if word.starts_with("http://") || word.starts_with("https://") {
            return Some(Self::Url(word.to_owned()));
        }
        if let Some(dollars) = word.strip_prefix('$') {
            return Money::parse(dollars).map(Self::Money);
        }
        if let Some(number) = number(word) {
            return Some(Self::Number(number));
        }
        if word.starts_with(|it: char| it.is_ascii_digit()) {
            let duration = units::parse_duration(word).map(|_| Self::Duration(word.to_owned()));
            let size = || units::parse_size(word).map(|_| Self::Size(word.to_owned()));
            return duration.or_else(size);
        }
        if word.contains('*') && word.contains('.') {
            return Some(Self::Glob(word.to_owned()));
        }
        is_path(word).then(|| Self::Path(word.to_owned()))
    }

    /// A number with the word after it: `5 seconds`, `10 MB`, `20 cents`.
    pub(super) fn of_unit(number: f64, unit: &str) -> Option<Self> {
        let short = match unit {
            "ms" | "milliseconds" | "millisecond" => "ms",
            "seconds" | "second" | "secs" => "s",
            "minutes" | "minute" | "mins" => "m",
            "hours" | "hour" => "h",
            "days" | "day" => "d",
            "kb" | "kilobytes" => return Some(Self::Size(format!("{number}kB"))),
            "mb" | "megabytes" => return Some(Self::Size(format!("{number}MB"))),
            "gb" | "gigabytes" => return Some(Self::Size(format!("{number}GB"))),
            "dollars" | "dollar" => return Money::from_dollars(number).map(Self::Money),
            "cents" | "cent" => return Money::from_dollars(number / 100.0).map(Self::Money),
            _ => return None,
        };
        Some(Self::Duration(format!("{number}{short}")))
    }

    /// The literal in the syntax of a script.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Quoted(it) | Self::Path(it) | Self::Url(it) | Self::Glob(it) => quoted(it),
            Self::Number(it) => it.to_string(),
            Self::Numbers(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                format!("[{}]", all.join(", "))
            }
            Self::Span(low, high) => format!("range({low}, {})", high + 1.0),
            Self::Duration(it) | Self::Size(it) => it.clone(),
            Self::Money(it) => it.to_string(),
        }
    }

    /// The literal as in the goal, without quotes; empty if it is not a text.
    pub(super) fn plain(&self) -> &str {
        match self {
            Self::Quoted(it) | Self::Path(it) | Self::Url(it) | Self::Glob(it) => it,
            _ => "",
        }
    }

    /// Whether it is a list of numbers.
    pub(super) fn is_several(&self) -> bool {
        matches!(self, Self::Numbers(_) | Self::Span(..))
    }

    /// Whether it is valid where `scheme` is expected.
    pub(super) fn fits(&self, scheme: Scheme) -> bool {
        match (self, scheme) {
            (_, Scheme::Optional(inner)) => self.fits(*inner),
            (_, Scheme::OneOf(all)) => all.iter().any(|it| self.fits(*it)),
            (Self::Number(it), Scheme::IntRange(low, high)) => {
                it.to_string().parse().is_ok_and(|it: i64| (low..=high).contains(&it))
            }
            (Self::Number(it), Scheme::FloatRange(low, high)) => (low..=high).contains(it),
            (Self::Number(it), Scheme::Int) => it.fract() == 0.0,
            (Self::Number(_), Scheme::Float | Scheme::Amount(_) | Scheme::Ordered(_))
            | (Self::Quoted(_) | Self::Url(_), Scheme::Text | Scheme::TextOf(_))
            | (Self::Path(_), Scheme::Path)
            | (Self::Numbers(_) | Self::Span(..), Scheme::List(..))
            | (Self::Duration(_), Scheme::Duration | Scheme::Amount(_))
            | (Self::Money(_), Scheme::Money | Scheme::Amount(_))
            | (Self::Size(_), Scheme::Size | Scheme::Amount(_))
            | (Self::Quoted(_) | Self::Numbers(_) | Self::Span(..), Scheme::Var(_)) => true,
            _ => false,
        }
    }

    /// Whether it names a file that is not text, and that no op reads or writes.
    pub(super) fn is_closed(&self) -> bool {
        const KINDS: &str = "doc docx xls xlsx ppt pptx odt ods png jpg jpeg gif bmp tiff webp svg mp3 \
            mp4 wav ogg flac avi mov mkv zip gz tgz tar 7z rar exe dll so bin db sqlite parquet";
        let Self::Path(path) = self else { return false };
        let Some((_, kind)) = path.rsplit_once('.') else { return false };
        KINDS.split_whitespace().any(|it| kind.eq_ignore_ascii_case(it))
    }

    /// The kind of file of a path, in the words of the documentation: `pdf`, `json`, `text`.
    pub(super) fn kind_of_file(&self) -> Option<&str> {
        let Self::Path(path) = self else { return None };
        let name = path.rsplit('/').next().unwrap_or_default();
        match name.rsplit_once('.') {
            Some(("" | ".", _)) | None => Some("files"),
            Some((_, "")) => Some("files"),
            Some((_, kind @ ("pdf" | "json" | "jsonl"))) => Some(kind),
            Some(_) => Some("text"),
        }
    }
}

/// Quotes a text, and escapes special characters.
pub(super) fn quoted(text: &str) -> String {
    let mut written = String::from('"');
    for it in text.chars() {
        match it {
            '"' | '\\' | '$' => written.extend(['\\', it]),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => {}
            it => written.push(it),
        }
    }
    written + "\""
}

fn number(word: &str) -> Option<f64> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let lower = word.to_lowercase();
    if let Some(idx) = WORDS.iter().position(|it| *it == lower) {
        return u32::try_from(idx).ok().map(f64::from);
    }
    let is_number = word.starts_with(|it: char| it.is_ascii_digit() || it == '-');
    let plain = word.replace(['_', ','], "");
    plain.parse::<f64>().ok().filter(|it| is_number && it.is_finite())
}

/// `./notes`, `docs/`, `report.txt`.
pub(super) fn is_path(word: &str) -> bool {
    if word.contains('@') || word.contains(';') {
        return false;
    }
    if word.contains('/') {
        return word.len() > 1;
    }
    let Some((name, kind)) = word.rsplit_once('.') else { return false };
    let is_kind = (1..=5).contains(&kind.len()) && kind.chars().all(char::is_alphanumeric);
    is_kind
        && name.len() + kind.len() > 2
        && !name.is_empty()
        && !name.contains('.')
        && kind.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_stand_in_a_script_is_read_as_it_is() {
        let read = |it: &str| Literal::read(it).map(|it| it.written());
        for (word, written) in [
            ("./notes", "\"./notes\""),
            ("a.txt", "\"a.txt\""),
            ("$0.10", "$0.10"),
            ("30s", "30s"),
            ("10MB", "10MB"),
            ("three", "3"),
            ("1_000", "1000"),
            ("*.md", "\"*.md\""),
        ] {
            assert_eq!(read(word).as_deref(), Some(written), "{word}");
        }
        for word in ["notes", "e.g", "bob@example.com", "tl;dr", "/"] {
            assert_eq!(read(word), None, "{word}");
        }
    }

    #[test]
    fn a_text_cannot_leave_its_quotes() {
        assert_eq!(quoted("a\"b${c}\\\n"), r#""a\"b\${c}\\\n""#);
    }
}
