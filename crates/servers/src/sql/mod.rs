//! Statements of SQL: where each ends, what it begins with, and its params with names.
//!
//! The server parses them; a value is never a part of one. So a mistake here is an error of the
//! server, and no other statement.

mod token;

use std::{collections::BTreeSet, ops::Range};

use svc_contract::registry::OpError;

use crate::{address::System, params::Given};
use token::{Token, token};

/// One statement of a text.
pub(crate) struct Statement<'a> {
    /// All statements.
    whole: &'a str,
    /// The tokens but space and comments, with their places in `whole`.
    tokens: Vec<(Token, Range<usize>)>,
    system: System,
}

/// A statement as the server gets it.
pub(crate) struct Written {
    pub(crate) text: String,
    /// The names of its params, in the order of their values.
    pub(crate) names: Vec<String>,
    /// Where pieces of `text` begin, and where they are in the statements of the caller.
    origins: Vec<(usize, usize)>,
}

/// The statements of a text; empty ones are left out.
pub(crate) fn statements(whole: &str, system: System) -> Result<Vec<Statement<'_>>, OpError> {
    if let Some(at) = whole.find('\0') {
        let place = place_of(whole, at);
        return Err(OpError::invalid_input(format!("{place}a null character in a statement")));
    }
    let (mut all, mut tokens, mut at) = (Vec::new(), Vec::new(), 0);
    while at < whole.len() {
        let (kind, len) = token(&whole[at..], system);
        let place = at..(at + len).min(whole.len());
        at = place.end;
        match kind {
            Token::Blank => {}
            Token::Semicolon if tokens.is_empty() => {}
            Token::Semicolon if defines(whole, &tokens, system) => tokens.push((kind, place)),
            Token::Semicolon => {
                all.push(Statement { whole, tokens: std::mem::take(&mut tokens), system });
            }
            Token::RunComment => {
                let message = format!(
                    "{}`/*! .. */` is a comment that the server runs, which is not supported",
                    place_of(whole, place.start)
                );
                return Err(OpError::invalid_input(message).help("write its text outside"));
            }
            _ => tokens.push((kind, place)),
        }
    }
    while tokens.pop_if(|it| it.0 == Token::Semicolon).is_some() {}
    if !tokens.is_empty() {
        all.push(Statement { whole, tokens, system });
    }
    if all.is_empty() {
        return Err(OpError::invalid_input("expected an SQL statement, found an empty text"));
    }
    Ok(all)
}

/// Whether a statement defines a function or the like, whose own statements reach to the end of the text.
fn defines(whole: &str, tokens: &[(Token, Range<usize>)], system: System) -> bool {
    const DEFINED: [&str; 4] = ["FUNCTION", "PROCEDURE", "TRIGGER", "EVENT"];
    /// `CREATE OR REPLACE DEFINER = CURRENT_USER() FUNCTION IF NOT EXISTS ..`
    const BEFORE: usize = 10;
    let word = |it: &(Token, Range<usize>), word: &str| {
        it.0 == Token::Word && whole[it.1.clone()].eq_ignore_ascii_case(word)
    };
    let creates = tokens.first().is_some_and(|it| word(it, "CREATE"));
    creates
        && match system {
            System::MySql => {
                let mut first = tokens.iter().take(BEFORE);
                first.any(|it| DEFINED.iter().any(|of| word(it, of)))
            }
            System::Postgres => {
                tokens.windows(2).any(|it| word(&it[0], "BEGIN") && word(&it[1], "ATOMIC"))
            }
        }
}

/// The only statement of a text.
pub(crate) fn one(whole: &str, system: System) -> Result<Statement<'_>, OpError> {
    let mut all = statements(whole, system)?;
    match all.pop() {
        Some(one) if all.is_empty() => Ok(one),
        _ => Err(OpError::invalid_input("expected one SQL statement, found several")
            .help("`database.execute_server` runs several statements")),
    }
}

/// What only reads. The server refuses writes inside of it.
const READS: [&str; 8] =
    ["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"];

/// What begins or ends a transaction.
const TRANSACTIONS: [&str; 10] = [
    "BEGIN",
    "START",
    "COMMIT",
    "END",
    "ROLLBACK",
    "ABORT",
    "SAVEPOINT",
    "RELEASE",
    "PREPARE",
    "XA",
];

/// What reads or writes files of the server, or runs its programs.
const FILES: [&str; 3] = ["COPY", "LOAD", "HANDLER"];

impl Statement<'_> {
    /// The words outside of strings, in capitals.
    fn words(&self) -> impl Iterator<Item = String> + '_ {
        let words = self.tokens.iter().filter(|it| it.0 == Token::Word);
        words.map(|it| self.whole[it.1.clone()].to_uppercase())
    }

    fn first(&self) -> String {
        self.words().next().unwrap_or_default()
    }

    fn start(&self) -> usize {
        self.tokens.first().map_or(0, |it| it.1.start)
    }

    fn place(&self) -> String {
        place_of(self.whole, self.start())
    }

    /// Refuses what a query cannot be.
    pub(crate) fn test_read(&self) -> Result<(), OpError> {
        let first = self.first();
        self.test_files()?;
        if !READS.contains(&first.as_str()) {
            let message = format!("expected a statement that reads, found `{first}`");
            return Err(OpError::invalid_input(message)
                .help("`database.execute_server` runs statements that write"));
        }
        Ok(())
    }

    /// Refuses what cannot be a part of a transaction.
    pub(crate) fn test_write(&self) -> Result<(), OpError> {
        let first = self.first();
        self.test_files()?;
        let sets = || first == "SET" && self.words().any(|it| it == "AUTOCOMMIT");
        let commits = self.system == System::MySql && (first == "LOCK" || sets());
        if commits || TRANSACTIONS.contains(&first.as_str()) {
            let message =
                format!("{}a transaction is around all statements: `{first}`", self.place());
            return Err(OpError::invalid_input(message)
                .help("remove `BEGIN`, `COMMIT`, `ROLLBACK`, `LOCK` and the like"));
        }
        Ok(())
    }

    fn test_files(&self) -> Result<(), OpError> {
        let first = self.first();
        let into_file = || self.words().find(|it| matches!(it.as_str(), "OUTFILE" | "DUMPFILE"));
        let found = match self.system {
            _ if FILES.contains(&first.as_str()) => Some(first),
            System::MySql => into_file(),
            System::Postgres => None,
        };
        let Some(found) = found else { return Ok(()) };
        let message =
            format!("{}`{found}` uses files of the server, which is not supported", self.place());
        Err(OpError::invalid_input(message)
            .help("read rows with `query_server`, and write them with `params`"))
    }

    /// Whether rows that it reports are rows that it changed.
    pub(crate) fn counts(&self) -> bool {
        const WRITES: [&str; 5] = ["INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"];
        match self.first().as_str() {
            "WITH" => self.words().any(|it| WRITES.contains(&it.as_str())),
            "EXPLAIN" | "DESCRIBE" | "DESC" => false,
            first => !READS.contains(&first) && !matches!(first, "FETCH" | "MOVE"),
        }
    }

    /// Refuses, as one of several, a statement at which MySQL ends the transaction.
    pub(crate) fn test_kept_at_once(&self) -> Result<(), OpError> {
        if !self.ends_transaction() {
            return Ok(());
        }
        let message = format!(
            "{}MySQL keeps `{}` and all statements before it at once",
            self.place(),
            self.first()
        );
        Err(OpError::invalid_input(message).help("run it in a call of its own"))
    }

    fn ends_transaction(&self) -> bool {
        const DEFINES: [&str; 15] = [
            "CREATE",
            "ALTER",
            "DROP",
            "RENAME",
            "TRUNCATE",
            "GRANT",
            "REVOKE",
            "ANALYZE",
            "OPTIMIZE",
            "REPAIR",
            "CACHE",
            "FLUSH",
            "RESET",
            "INSTALL",
            "UNINSTALL",
        ];
        let mut words = self.words();
        let first = words.next().unwrap_or_default();
        let is_temporary = matches!(first.as_str(), "CREATE" | "DROP")
            && words.next().is_some_and(|it| it == "TEMPORARY");
        !is_temporary && DEFINES.contains(&first.as_str())
    }

    /// The text for the server: params with names as the system writes params.
    pub(crate) fn written(&self, given: &Given<'_>) -> Result<Written, OpError> {
        let end = self.tokens.last().map_or(0, |it| it.1.end);
        let mut written = Written { text: String::new(), names: Vec::new(), origins: Vec::new() };
        let mut from = self.start();
        for (kind, place) in &self.tokens {
            let shown = &self.whole[place.clone()];
            match kind {
                Token::Named => {
                    given.test_named(shown)?;
                    written.push(&self.whole[from..place.start], from);
                    let mark = written.mark(&shown[1..], self.system);
                    written.push(&mark, place.start);
                    from = place.end;
                }
                Token::Mark => given.test_marks(shown)?,
                _ => {}
            }
        }
        written.push(&self.whole[from..end], from);
        Ok(written)
    }

    /// The number of params without names.
    pub(crate) fn marks(&self) -> usize {
        self.tokens.iter().filter(|it| it.0 == Token::Mark).count()
    }

    /// Where in the statements of the caller a byte of the written text is, for a message.
    pub(crate) fn place_in(&self, written: &Written, byte: usize) -> String {
        let origin = written.origins.iter().rev().find(|it| it.0 <= byte);
        let at = origin.map_or(self.start(), |(new, old)| old + (byte - new));
        place_of(self.whole, at.min(self.whole.len()))
    }
}

impl Written {
    /// The names of its params, each once.
    pub(crate) fn used(&self) -> BTreeSet<String> {
        self.names.iter().cloned().collect()
    }

    fn push(&mut self, piece: &str, origin: usize) {
        self.origins.push((self.text.len(), origin));
        self.text.push_str(piece);
    }

    /// How a param is written. PostgreSQL has one number for all places of a name.
    fn mark(&mut self, name: &str, system: System) -> String {
        let known = self.names.iter().position(|it| it == name);
        if system == System::MySql {
            self.names.push(name.to_owned());
            return "?".to_owned();
        }
        let idx = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        format!("${}", idx + 1)
    }

    /// The byte at a number of characters, counted from 1.
    pub(crate) fn byte_at(&self, character: u32) -> usize {
        let before = usize::try_from(character).unwrap_or(1).saturating_sub(1);
        self.text.char_indices().nth(before).map_or(self.text.len(), |it| it.0)
    }
}

/// `column 8: `, with the line if there are several.
fn place_of(whole: &str, at: usize) -> String {
    let Some(before) = whole.get(..at) else { return String::new() };
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    if whole.trim().contains('\n') {
        format!("line {}, column {column}: ", before.matches('\n').count() + 1)
    } else {
        format!("column {column}: ")
    }
}

#[cfg(test)]
mod tests;
