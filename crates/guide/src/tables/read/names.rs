//! The form of the result, as a goal shows it: a line with the values of one of the rows, and the
//! names of columns.

use super::{
    super::{
        derived::{Part, Source},
        query::{By, Piece},
        table::{Kind, is_plain},
        words::Literal,
    },
    Reader,
};

impl Reader<'_, '_> {
    /// `lines like "Ito, Keiko (2008)"`: which columns these values are from.
    pub(super) fn templates(&mut self) {
        if self.table().is_lines {
            return;
        }
        for at in 1..self.tokens.len() {
            let Some(Literal::Quoted(example)) = &self.tokens[at].literal else { continue };
            let before = self.before(at, 3);
            let shows = |it: &&str| {
                matches!(*it, "like" | "as" | "e.g" | "form" | "format" | "example" | "style")
            };
            if !before.iter().any(shows) || self.covered[at] {
                continue;
            }
            let found = self.of_row(example).or_else(|| self.of_names(example));
            if let Some(pieces) = found.or_else(|| self.of_group(example)) {
                self.query.template = pieces;
                self.cover(at, at + 1, "each");
                for it in at.saturating_sub(5)..at {
                    self.covered[it] |= matches!(
                        self.word(it),
                        "like"
                            | "line"
                            | "lines"
                            | "form"
                            | "format"
                            | "such"
                            | "style"
                            | "example"
                            | "e.g"
                            | "one"
                            | "for"
                    );
                }
                return;
            }
        }
    }

    /// An example with the values of a row, which must be all of its words and numbers but for words
    /// in small letters.
    fn of_row(&self, example: &str) -> Option<Vec<Piece>> {
        let rows = self.table().rows.iter();
        let all = rows.filter_map(|row| {
            let mut texts = self.table().texts(row);
            texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
            let pieces = split(example, &texts);
            let values = pieces.iter().filter(|it| matches!(it, Piece::Value(_))).count();
            (values > 0 && pieces.iter().all(is_constant)).then_some((values, pieces))
        });
        all.max_by_key(|(values, _)| *values).map(|(_, it)| it)
    }

    /// An example with the names of columns: `Name (year)`.
    fn of_names(&self, example: &str) -> Option<Vec<Piece>> {
        let names = self.table().own().map(|it| (it, self.col(it).name.to_lowercase()));
        let mut names: Vec<(usize, String)> = names.collect();
        names.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        let mut pieces = split(&example.to_lowercase(), &names);
        let is_plain = |it: &Piece| match it {
            Piece::Text(text) => !text.chars().any(char::is_alphanumeric),
            Piece::Value(_) => true,
        };
        for piece in &mut pieces {
            if let Piece::Text(text) = piece {
                text.retain(|it| !"<>{}".contains(it));
            }
        }
        (pieces.len() > 1 && pieces.iter().all(is_plain)).then_some(pieces)
    }

    /// An example of a group and its measure: `2025-12: 9`.
    fn of_group(&self, example: &str) -> Option<Vec<Piece>> {
        let (column, key) = self.group_in(example)?;
        let from = example.find(&key)?;
        let rest = &example[from + key.len()..];
        let start = rest.find(|it: char| it.is_ascii_digit())?;
        let len = rest[start..].find(|it: char| !it.is_ascii_digit() && it != '.');
        let end = len.map_or(rest.len(), |it| start + it);
        let pieces = [
            Piece::Text(example[..from].to_owned()),
            Piece::Value(By::Column(column)),
            Piece::Text(rest[..start].to_owned()),
            Piece::Value(By::Measure(0)),
            Piece::Text(rest[end..].to_owned()),
        ];
        let pieces: Vec<Piece> =
            pieces.into_iter().filter(|it| *it != Piece::Text(String::new())).collect();
        pieces.iter().all(is_constant).then_some(pieces)
    }

    /// The column of which an example has a value, or the form of a month.
    fn group_in(&self, example: &str) -> Option<(usize, String)> {
        let is_month = |it: &str| {
            it.len() == 7
                && it
                    .bytes()
                    .enumerate()
                    .all(|(at, it)| if at == 4 { it == b'-' } else { it.is_ascii_digit() })
        };
        let words = || example.split(|it: char| !it.is_alphanumeric() && it != '-');
        for mention in &self.mentions {
            let column = self.col(mention.column);
            if let Source::Part(_, Part::Month) = column.source
                && let Some(month) = words().find(|it| is_month(it))
            {
                return Some((mention.column, month.to_owned()));
            }
            if column.kind == Kind::Text
                && let Some(value) = column.values.iter().find(|it| example.contains(it.as_str()))
            {
                return Some((mention.column, value.clone()));
            }
        }
        None
    }

    /// `with the columns interviewer and replies`: other names, in the order of the columns.
    pub(super) fn renames(&mut self) {
        let Some(from) = (0..self.tokens.len())
            .find(|it| matches!(self.word(*it), "columns" | "headers" | "headings" | "header"))
        else {
            return;
        };
        let mut names: Vec<usize> = Vec::new();
        for at in from + 1..self.tokens.len() {
            let token = &self.tokens[at];
            if !token.is_stop && token.literal.is_none() {
                names.push(at);
            } else if !matches!(self.word(at), "and" | "the" | "are" | "should" | "be") {
                break;
            }
            if token.ends && names.len() > 1 {
                break;
            }
        }
        let measures =
            (0..self.query.measures.len()).filter(|it| self.query.measures[*it].is_shown);
        let is_group = !self.query.groups.is_empty();
        let keys = if is_group { self.query.groups.clone() } else { self.query.columns.clone() };
        let mut fields: Vec<By> = keys.into_iter().map(By::Column).collect();
        fields.extend(measures.filter(|_| is_group).map(By::Measure));
        if fields.len() != names.len() || names.is_empty() {
            return;
        }
        let own = |by: By| match by {
            By::Column(it) => self.query.name(it).to_lowercase(),
            By::Measure(it) => self.query.measure_name(it).to_lowercase(),
        };
        // A name that is the same but for capitals is written as in the goal.
        let same = |by: By| names.iter().copied().find(|it| own(by) == self.word(*it));
        let mut left = names.clone();
        left.retain(|it| !fields.iter().any(|by| own(*by) == self.word(*it)));
        let mut left = left.into_iter();
        let new = fields.iter().filter_map(|by| Some((*by, same(*by).or_else(|| left.next())?)));
        let new: Vec<(By, usize)> = new.collect();
        for (by, at) in new {
            let name = self.tokens[at].text.clone();
            if !is_plain(&name) {
                continue;
            }
            match by {
                By::Column(it) => self.query.renamed.push((it, name)),
                By::Measure(it) => self.query.measures[it].name = Some(name),
            }
        }
        self.cover(from, from + 1, "each");
        for at in names {
            self.covered[at] = true;
        }
    }
}

/// Whether a piece says the same for all rows: no number, and no name.
fn is_constant(piece: &Piece) -> bool {
    match piece {
        Piece::Text(text) => !text.chars().any(|it| it.is_ascii_digit() || it.is_uppercase()),
        Piece::Value(_) => true,
    }
}

/// The parts of an example: the values in it, each of them once, and what is between them.
fn split(example: &str, values: &[(usize, String)]) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(example.to_owned())];
    for (column, value) in values {
        let is_edge = |it: Option<char>| !it.is_some_and(char::is_alphanumeric);
        let found = pieces.iter().enumerate().find_map(|(idx, piece)| {
            let Piece::Text(text) = piece else { return None };
            let from = text.match_indices(value.as_str()).map(|(from, _)| from).find(|from| {
                is_edge(text[..*from].chars().next_back())
                    && is_edge(text[from + value.len()..].chars().next())
            })?;
            Some((idx, text[..from].to_owned(), text[from + value.len()..].to_owned()))
        });
        if let Some((idx, before, behind)) = found {
            let new = [Piece::Text(before), Piece::Value(By::Column(*column)), Piece::Text(behind)];
            let new = new.into_iter().filter(|it| *it != Piece::Text(String::new()));
            pieces.splice(idx..=idx, new);
        }
    }
    pieces
}
