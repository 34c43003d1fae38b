//! Goals about two tables that share a column: joined, or the rows of one with or without a match in
//! the other.

use svc_contract::value::{Value, literal};
use svc_text::stems::Vocabulary;

use super::{
    Answer, Content, Seen,
    closed::{negates, total},
    lexicon::{Lexicon, has},
    table::{Kind, Table},
    words::{Literal, Token},
};

/// How the rows of two tables belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// All rows of both.
    Joined(&'static str),
    /// The rows of the left table with a match, or without one.
    Kept(&'static str),
    /// The rows of the left table, with one more column.
    Added(usize),
}

/// Words of a goal about two tables that say how they belong together.
const RELATING: [&str; 32] = [
    "join", "merge", "combine", "add", "with", "on", "by", "using", "and", "not", "no", "missing",
    "without", "but", "new", "compared", "versus", "both", "common", "also", "appear", "appears",
    "occur", "occurs", "present", "placed", "made", "any", "each", "every", "column", "matching",
];

struct Pair<'a> {
    tokens: &'a [Token],
    lexicon: &'a Lexicon,
    /// The tables in the order of the goal, and where it names them.
    tables: [Table; 2],
    at: [usize; 2],
}

/// The script for a goal that says how two tables belong together, and nothing else.
pub(super) fn answer(
    goal: &str,
    named: &[&Seen],
    tokens: &[Token],
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Option<Answer> {
    let place = |path: &str| {
        tokens.iter().position(|it| it.literal == Some(Literal::Path(path.to_owned())))
    };
    let mut tables: Vec<(usize, Table)> = Vec::new();
    for seen in named {
        let Content::One(value @ Value::List(_)) = &seen.content else { continue };
        let at = place(&seen.path)?;
        if seen.within.is_some() || tables.iter().any(|it| it.0 == at) {
            continue;
        }
        tables.push((at, Table::of(&seen.path, &reader(&seen.path)?, value, words)?));
    }
    tables.sort_by_key(|it| it.0);
    let [(first_at, first), (second_at, second)] = <[_; 2]>::try_from(tables).ok()?;
    let pair = Pair { tokens, lexicon, tables: [first, second], at: [first_at, second_at] };
    pair.answer(goal)
}

fn reader(path: &str) -> Option<String> {
    const TABLES: [&str; 5] = ["csv", "tsv", "jsonl", "xlsx", "parquet"];
    let is_table = TABLES.contains(&path.rsplit_once('.')?.1);
    is_table.then(|| format!("table.read(path: {})", literal::text(path)))
}

impl Pair<'_> {
    fn answer(&self, goal: &str) -> Option<Answer> {
        let (kind, left) = self.how()?;
        let key = self.key()?;
        if !(0..self.tokens.len()).all(|it| self.is_known(it, key, kind))
            || !self.says_one_noun(key)
        {
            return None;
        }
        let name = self.tables[0].columns[key].name.as_str();
        let (own, other) = (&self.tables[left].reader, &self.tables[1 - left].reader);
        let on = literal::text(name);
        let (other, how) = match kind {
            How::Joined(how) | How::Kept(how) => (other.clone(), how),
            How::Added(column) => {
                let added = &self.tables[1 - left].columns[column].name;
                let columns = format!("{{ {name}: \"{name}\", {added}: \"{added}\" }}");
                (format!("{other} >> table.derive(columns: {columns}, only: true)"), "left")
            }
        };
        let stage = format!("table.join(other: other, on: [{on}], how: \"{how}\")");
        // `which owners in deals.csv ..`: each of them once.
        let keys = if matches!(kind, How::Kept(_)) && self.asks_for_keys(key, left) {
            format!("  >> table.derive(columns: {{ {name}: {on} }}, only: true)\n  >> unique\n")
        } else {
            String::new()
        };
        let script = format!("let other = {other}\n{own}\n  >> {stage}\n{keys}");
        Some(Answer { script, parts: vec![(goal.trim().to_owned(), stage)] })
    }

    /// Whether the goal asks for the key, of which the left table may have several rows.
    fn asks_for_keys(&self, key: usize, left: usize) -> bool {
        let (column, table) = (&self.tables[0].columns[key], &self.tables[left]);
        let is_asked = |at: usize| {
            let links = matches!(self.word(at.wrapping_sub(1)), "on" | "by" | "using");
            has(&column.terms, &self.tokens[at]) && !links
        };
        let mut own = table.own();
        let repeats = own.any(|it| table.columns[it].name == column.name && table.repeats(it));
        repeats && (0..self.tokens.len()).any(is_asked)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |it| it.lower.as_str())
    }

    fn says(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.lower.as_str()))
    }

    /// How the tables belong together, and which of them is the left one.
    fn how(&self) -> Option<(How, usize)> {
        let lacks = |at: usize| {
            let before = &self.tokens[at.saturating_sub(5)..at];
            let from = before
                .iter()
                .rposition(|it| matches!(it.literal, Some(Literal::Path(_))))
                .map_or(0, |it| it + 1);
            before[from..]
                .iter()
                .any(|it| matches!(&*it.lower, "not" | "no" | "missing" | "without"))
        };
        let denied = self.tokens.iter().filter(|it| negates(it) || it.lower == "missing").count();
        match self.at.map(lacks) {
            [false, true] if denied == 1 => return Some((How::Kept("anti"), 0)),
            [true, false] if denied == 1 && self.says(&["but"]) => {
                return Some((How::Kept("anti"), 1));
            }
            _ if denied > 0 => return None,
            _ => {}
        }
        let is_new = self.tokens[..self.at[0]].iter().any(|it| it.lower == "new");
        if is_new && self.says(&["compared", "versus"]) {
            return Some((How::Kept("anti"), 0));
        }
        if self.says(&["both", "also"]) {
            return Some((How::Kept("semi"), 0));
        }
        match self.word(0) {
            "join" => Some((How::Joined("inner"), 0)),
            "merge" | "combine" => Some((How::Joined("full"), 0)),
            // `add the email from customers.csv to each order of sales.csv`
            "add" => {
                let of_first = &self.tables[0];
                let is_said = |it: &usize| {
                    self.tokens[..self.at[0]]
                        .iter()
                        .any(|word| has(&of_first.columns[*it].terms, word))
                };
                let mut said = of_first.own().filter(is_said);
                let (column, next) = (said.next()?, said.next());
                let is_to = self.tokens[self.at[0]..self.at[1]].iter().any(|it| it.lower == "to");
                (next.is_none() && is_to).then_some((How::Added(column), 1))
            }
            _ => None,
        }
    }

    /// The column that both have: that which the goal says, or the only one that could be a key.
    fn key(&self) -> Option<usize> {
        let [first, second] = &self.tables;
        let is_shared = |it: &usize| {
            let own = &first.columns[*it];
            second.own().any(|it| {
                let other = &second.columns[it];
                other.name == own.name && other.kind == own.kind
            })
        };
        let shared: Vec<usize> = first.own().filter(is_shared).collect();
        let is_said = |it: &usize| {
            self.tokens.windows(2).any(|two| {
                matches!(&*two[0].lower, "on" | "by" | "using")
                    && (has(&first.columns[*it].terms, &two[1])
                        || first.columns[*it].name.to_lowercase() == two[1].lower)
            })
        };
        if let Some(said) = shared.iter().copied().find(is_said) {
            return Some(said);
        }
        if let [one] = shared.as_slice() {
            return Some(*one);
        }
        // The first column that numbers or names the rows of both.
        let is_key = |table: &Table, name: &str| {
            table.own().any(|it| {
                let column = &table.columns[it];
                let is_name = matches!(column.kind, Kind::Int | Kind::Text) && !column.optional;
                column.name == name && is_name && !table.repeats(it)
            })
        };
        shared.into_iter().find(|it| {
            let name = &first.columns[*it].name;
            *it == 0 && is_key(first, name) && is_key(second, name)
        })
    }

    /// Whether a word is one for rows, for the key, or for what the goal says of both.
    fn is_known(&self, at: usize, key: usize, how: How) -> bool {
        let token = &self.tokens[at];
        if self.at.contains(&at) {
            return true;
        }
        let added = match how {
            How::Added(column) => has(&self.tables[0].columns[column].terms, token),
            _ => false,
        };
        let is_name = self.tables[0].columns[key].name.to_lowercase() == token.lower;
        token.literal.is_none()
            && (total(token).is_none() || token.lower == "add")
            && (RELATING.contains(&token.lower.as_str())
                || token.is_stop
                || added
                || is_name
                || self.lexicon.requests(token)
                || self.names_rows(token, key)
                || self.is_head(at))
            && !matches!(&*token.lower, "more" | "than" | "most" | "or" | "between" | "per")
    }

    fn names_rows(&self, token: &Token, key: usize) -> bool {
        has(&self.tables[0].columns[key].terms, token)
            || self.tables.iter().any(|it| has(&it.terms, token))
            || matches!(
                &*token.lower,
                "row"
                    | "rows"
                    | "record"
                    | "records"
                    | "entry"
                    | "entries"
                    | "table"
                    | "tables"
                    | "file"
                    | "files"
            )
    }

    /// `which products are ..`: a noun that says what the rows are.
    fn is_head(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |it| self.word(it));
        let is_asked =
            matches!(before, "which" | "what" | "the" | "all" | "list" | "find" | "show");
        is_asked
            && self.word(at).ends_with('s')
            && matches!(self.word(at + 1), "are" | "in" | "of" | "that" | "from" | "is" | "do")
            && self
                .tables
                .iter()
                .all(|it| it.columns.iter().all(|it| !has(&it.terms, &self.tokens[at])))
    }

    /// Two nouns that nothing explains are two kinds of rows.
    fn says_one_noun(&self, key: usize) -> bool {
        let heads = (0..self.tokens.len()).filter(|it| {
            let token = &self.tokens[*it];
            let is_known = self.names_rows(token, key) || self.lexicon.requests(token);
            self.is_head(*it) && !is_known && !token.is_stop
        });
        heads.count() <= 1
    }
}
