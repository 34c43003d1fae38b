//! Names, numbers and dates in a sentence.

use std::ops::Range;

use super::{
    super::language::Language,
    tokens::{Kind, Reader, Token},
};

/// What a piece of a sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Name,
    Number,
    /// A month, a year, or a day with them.
    Date,
}

/// The names, numbers and dates of a sentence, in order. Its first word is a name only before
/// another one.
pub fn named(sentence: &str) -> Vec<(Range<usize>, Named)> {
    let mut found: Vec<(Range<usize>, Named)> = Vec::new();
    let reader = Reader::new(Language::ENGLISH.forms());
    let mut tokens = reader.read(sentence);
    tokens.sort_by_key(|it| it.range.start);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let Some(kind) = kind(token, next) else { continue };
        let gap = found.last().and_then(|(range, _)| sentence.get(range.end..token.range.start));
        match (found.last_mut(), gap) {
            (Some((range, last)), Some(" " | ", " | "")) if joins(*last, kind, gap) => {
                range.end = token.range.end;
                *last = if *last == Named::Name { Named::Name } else { Named::Date };
            }
            _ => found.push((token.range.clone(), kind)),
        }
    }
    found
}

fn kind(token: &Token, next: Option<&Token>) -> Option<Named> {
    Some(match token.kind {
        Kind::Month => Named::Date,
        Kind::Number(it) if is_year(it.value) && it.unit.is_none() && it.decimals == 0 => {
            Named::Date
        }
        Kind::Number(it) if it.value < 32.0 && next.is_some_and(|it| it.kind == Kind::Month) => {
            Named::Date
        }
        Kind::Number(_) => Named::Number,
        Kind::Name => Named::Name,
        Kind::First if next.is_some_and(|it| it.is_name() && !it.is_apart) => Named::Name,
        _ => return None,
    })
}

fn is_year(value: f64) -> bool {
    (1_000.0..2_200.0).contains(&value) && value.fract() == 0.0
}

/// Whether two neighbours are one: words of a name, or parts of a date, such as `May 5, 1937`.
fn joins(last: Named, next: Named, gap: Option<&str>) -> bool {
    match (last, next) {
        (Named::Name, Named::Name) => gap == Some(" "),
        (Named::Date, Named::Date | Named::Number) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_dates_are_found() {
        let shown = |text: &str| -> Vec<(String, Named)> {
            named(text).into_iter().map(|(range, it)| (text[range].to_owned(), it)).collect()
        };
        assert_eq!(
            shown("In Santa Clara, Peyton Manning won on February 7, 2016 with 24 points."),
            [
                ("Santa Clara".to_owned(), Named::Name),
                ("Peyton Manning".to_owned(), Named::Name),
                ("February 7, 2016".to_owned(), Named::Date),
                ("24".to_owned(), Named::Number),
            ]
        );
        assert_eq!(shown("It opened on 7 May 1937")[0], ("7 May 1937".to_owned(), Named::Date));
        assert_eq!(shown("nothing here"), []);
    }
}
