//! Columns that a script computes from others: the month of a date, the days between two dates.

use super::table::{Column, Kind};

/// More columns with numbers than this are not multiplied.
const MOST_NUMBERS: usize = 8;

/// More columns with dates than this are not compared.
const MOST_DATES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A column of the file.
    Own,
    Part(usize, Part),
    /// The days from one date to another.
    Days(usize, usize),
    /// The product of two numbers.
    Product(usize, usize),
}

/// A part of a date, by which rows are grouped and chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Month,
    Quarter,
    Year,
    Weekday,
}

impl Part {
    /// The part that a word names.
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "month" | "months" | "monthly" => Some(Self::Month),
            "quarter" | "quarters" | "quarterly" => Some(Self::Quarter),
            "year" | "years" | "yearly" => Some(Self::Year),
            "weekday" | "weekdays" => Some(Self::Weekday),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Weekday => "weekday",
        }
    }
}

/// Adds the columns that can be computed from the dates.
pub(super) fn extend(columns: &mut Vec<Column>) {
    let is_date = |it: &usize| columns[*it].kind == Kind::Date;
    let dates: Vec<usize> = (0..columns.len()).filter(is_date).collect();
    let column = |source: Source, name: &str, kind: Kind, optional: bool| {
        let values = if source.is_weekday() { weekdays() } else { Vec::new() };
        let (name, header) = (name.to_owned(), String::new());
        Column { name, header, terms: Vec::new(), kind, optional, values, source, cell: None }
    };
    let mut all = Vec::new();
    for date in &dates {
        let optional = columns[*date].optional;
        for part in [Part::Month, Part::Quarter, Part::Year, Part::Weekday] {
            all.push(column(Source::Part(*date, part), part.name(), Kind::Text, optional));
        }
    }
    for from in dates.iter().filter(|_| dates.len() <= MOST_DATES) {
        for to in dates.iter().filter(|it| *it != from) {
            let optional = columns[*from].optional || columns[*to].optional;
            all.push(column(Source::Days(*from, *to), "days", Kind::Days, optional));
        }
    }
    let numbers: Vec<usize> = (0..columns.len())
        .filter(|it| matches!(columns[*it].kind, Kind::Int | Kind::Float))
        .collect();
    for (at, a) in numbers.iter().enumerate().filter(|_| numbers.len() <= MOST_NUMBERS) {
        for b in &numbers[at + 1..] {
            let optional = columns[*a].optional || columns[*b].optional;
            all.push(column(Source::Product(*a, *b), "product", Kind::Float, optional));
        }
    }
    columns.append(&mut all);
}

fn weekdays() -> Vec<String> {
    svc_text::dates::WEEKDAYS.map(str::to_owned).into()
}

impl Source {
    fn is_weekday(self) -> bool {
        matches!(self, Self::Part(_, Part::Weekday))
    }

    /// The columns of the file that it needs.
    pub(super) fn needs(self, own: usize) -> Vec<usize> {
        match self {
            Self::Own => vec![own],
            Self::Part(of, _) => vec![of],
            Self::Days(from, to) | Self::Product(from, to) => vec![from, to],
        }
    }

    /// The value, as a script computes it from the columns that it needs.
    pub(super) fn text(self, cell: impl Fn(usize) -> String, own: usize) -> String {
        match self {
            Self::Own => cell(own),
            Self::Part(of, Part::Weekday) => format!("weekday({})", cell(of)),
            Self::Part(of, Part::Month) => format!("format_date({}, \"%Y-%m\")", cell(of)),
            Self::Part(of, Part::Quarter) => format!("format_date({}, \"%Y-Q%q\")", cell(of)),
            Self::Part(of, Part::Year) => format!("format_date({}, \"%Y\")", cell(of)),
            Self::Days(from, to) => format!("between_dates({}, {})", cell(from), cell(to)),
            Self::Product(a, b) => format!("({} * {})", cell(a), cell(b)),
        }
    }
}
