//! Questions for the row of a table with the highest or lowest number.

use std::collections::BTreeSet;

use super::{
    evidence::{found, weigh},
    question::Question,
    reading::{Read, Table},
};
use crate::claims::related;

/// Words for most and least, and the columns that they are about.
const EXTREMES: &[(&str, bool, &str)] = &[
    ("highest", true, ""),
    ("most expensive", true, "price cost fee eur gbp usd euro euros amount share total"),
    ("dearest", true, "price cost fee eur gbp usd euro euros amount share total"),
    ("cheapest", false, "price cost fee eur gbp usd euro euros amount share total"),
    ("least expensive", false, "price cost fee eur gbp usd euro euros amount share total"),
    ("lowest", false, ""),
    ("smallest", false, ""),
    ("least", false, ""),
    ("fewest", false, ""),
    ("largest", true, ""),
    ("biggest", true, ""),
    ("greatest", true, ""),
    ("longest", true, "length duration days hours minutes weeks months years time km"),
    ("shortest", false, "length duration days hours minutes weeks months years time km"),
    ("heaviest", true, "weight kg g"),
    ("lightest", false, "weight kg g"),
    ("fastest", true, "speed"),
    ("slowest", false, "speed"),
    ("most", true, ""),
];

/// Tables of fewer rows have no extremes worth the name.
const ROWS: usize = 3;

/// The rows with the highest or lowest number, if a question asks for it, in tables that have a column
/// for it.
pub(super) fn rows(read: &Read, question: &Question) -> BTreeSet<usize> {
    let lower = question.own.to_lowercase();
    let is_asking = ["which", "what", "who", "where", "whose"];
    let mut words = lower.split(|it: char| !it.is_alphanumeric());
    let extreme = EXTREMES.iter().find(|it| lower.contains(it.0));
    let Some((_, is_most, about)) = extreme.filter(|_| words.any(|it| is_asking.contains(&it)))
    else {
        return BTreeSet::new();
    };
    let extreme = |table: &Table| {
        let column = column(read, question, table, about)?;
        let number = |row: &Vec<String>| row.get(column).and_then(|it| number(it));
        let all = table.cells.iter().enumerate();
        let all = all.filter_map(|(at, row)| Some((at, number(row)?)));
        let sign = if *is_most { 1.0 } else { -1.0 };
        let best = all.clone().max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
        (all.count() >= ROWS).then_some(table.first + best.0)
    };
    read.tables.iter().filter_map(extreme).collect()
}

/// The column that a question is about: the one whose name has most of its words, or a usual one.
fn column(read: &Read, question: &Question, table: &Table, about: &str) -> Option<usize> {
    let share = |name: &String| {
        let name = name.replace('_', " ");
        let terms = read.words.pieces(&name).filter_map(|it| read.words.term(&it.stem));
        let named = weigh(question, &found(question, terms));
        let is_usual =
            name.split(' ').any(|it| about.split(' ').any(|other| related_to(it, other)));
        named + if is_usual { 1.0 } else { 0.0 }
    };
    let is_numeric = |at: usize| {
        let filled = table.cells.iter().filter_map(|it| it.get(at)).filter(|it| !it.is_empty());
        let numbers = filled.clone().filter(|it| number(it).is_some()).count();
        numbers >= ROWS && numbers * 4 >= filled.count() * 3
    };
    let all = table.head.iter().enumerate().map(|(at, it)| (at, share(it)));
    let best = all.filter(|it| it.1 > 0.0 && is_numeric(it.0)).max_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|it| it.0)
}

fn related_to(word: &str, other: &str) -> bool {
    let word = word.to_lowercase();
    !other.is_empty() && (word == other || related(other)(&word))
}

/// The number with which a cell begins, apart from a sign of money.
fn number(cell: &str) -> Option<f64> {
    let text = cell.trim_start_matches(|it: char| !it.is_ascii_digit() && !it.is_alphabetic());
    let end = text.find(|it: char| !it.is_ascii_digit() && !matches!(it, '.' | ','));
    let digits = text.get(..end.unwrap_or(text.len()))?.trim_end_matches(['.', ',']);
    digits.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{Library, Source};
    use super::*;

    #[test]
    fn the_row_with_the_highest_number_is_found() {
        let text = "item,deposit eur,keeper\nPole,5,Bo\nMill,120,Ann\nMelter,15,Ann\n";
        let sources = [Source { title: "equipment.csv", text }];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        for (question, expected) in [
            ("Which item has the highest deposit?", "Mill"),
            ("which item has the lowest deposit?", "Pole"),
        ] {
            let reply = library.answer(question, &[], 1);
            assert!(reply.sentences[0].text.contains(expected), "{question} {reply:?}");
        }
    }

    #[test]
    fn numbers_stand_at_the_beginning_of_cells() {
        assert_eq!(number("£1,200 a year"), Some(1200.0));
        assert_eq!(number("12 kg"), Some(12.0));
        assert_eq!(number("about 12"), None);
        assert_eq!(number(""), None);
    }
}
