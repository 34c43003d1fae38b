//! Splits a goal into words and literals, and finds the ends of its steps.

use super::literals::Literal;

/// A word of a goal, a literal, the end of a step, or the start of a forbidden step.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(String),
    Literal(Literal, String),
    Break,
    Never,
}

impl Token {
    /// The word in lower case; `None` for other tokens.
    pub(super) fn word(&self) -> Option<String> {
        match self {
            Self::Word(it) => Some(it.to_lowercase()),
            _ => None,
        }
    }
}

/// Returns the words and literals of a goal, in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut rest = text;
    let (mut tokens, mut open) = (Vec::new(), Vec::new());
    while let Some(next) = rest.chars().next() {
        if next.is_whitespace() {
            rest = &rest[next.len_utf8()..];
            continue;
        }
        // A bracket that is not closed here is not closed later.
        let is_open = open.contains(&next);
        if let Some((inner, len)) = (!is_open).then(|| quote(rest)).flatten() {
            tokens.push(Token::Literal(Literal::Quoted(inner.to_owned()), rest[..len].to_owned()));
            rest = &rest[len..];
            continue;
        }
        if let Some(record) = (!is_open).then(|| braces(rest)).flatten() {
            tokens.push(Token::Literal(Literal::Quoted(record.to_owned()), record.to_owned()));
            rest = &rest[record.len()..];
            continue;
        }
        if "\"'`“‘{".contains(next) && !is_open {
            open.push(next);
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        chunk(&rest[..end], &mut tokens);
        rest = &rest[end..];
    }
    tokens
}

/// Reads the characters between blanks, with punctuation at the end that ends a step.
fn chunk(chunk: &str, tokens: &mut Vec<Token>) {
    let ends = |it: char| matches!(it, ',' | ';' | '.' | '?' | '!' | ':' | ')' | ']');
    let word = chunk.trim_end_matches(ends).trim_start_matches(['(', '[']);
    let word = ["'s", "’s"].iter().find_map(|it| word.strip_suffix(it)).unwrap_or(word);
    match Literal::read(word) {
        Some(literal) => tokens.push(Token::Literal(literal, word.to_owned())),
        None if word.is_empty() => {}
        None => tokens.push(Token::Word(word.to_owned())),
    }
    if chunk.ends_with(ends) && !chunk.ends_with(']') {
        tokens.push(Token::Break);
    }
}

/// A JSON record at the start.
fn braces(text: &str) -> Option<&str> {
    const LONGEST: usize = 10_000;
    let text = text.strip_prefix('{').map(|_| text)?;
    let mut depth = 0_usize;
    let end = text.bytes().take(LONGEST).position(|it| {
        depth += usize::from(it == b'{');
        depth -= usize::from(it == b'}');
        depth == 0
    })?;
    Some(&text[..=end])
}

/// A quoted text at the start, and its length including the quotes.
fn quote(text: &str) -> Option<(&str, usize)> {
    let first = text.chars().next()?;
    let close = match first {
        '"' | '\'' | '`' => first,
        '“' => '”',
        '‘' => '’',
        _ => return None,
    };
    let start = first.len_utf8();
    let ends = |at: usize| {
        text[at + close.len_utf8()..].chars().next().is_none_or(|it| !it.is_alphanumeric())
    };
    let mut found = text[start..].match_indices(close).map(|(idx, _)| start + idx);
    let end = found.find(|at| ends(*at))?;
    Some((&text[start..end], end + close.len_utf8()))
}

/// Joins adjacent numbers to one list: `3, 5 and 10`.
pub(super) fn joined_numbers(tokens: &mut Vec<Token>) {
    let mut joined: Vec<Token> = Vec::new();
    let mut idx = 0;
    while idx < tokens.len() {
        let mut numbers = Vec::new();
        let mut at = idx;
        // Two limits are not a list.
        let is_between = idx > 0 && tokens[idx - 1].word().is_some_and(|it| it == "between");
        while let Some(Token::Literal(Literal::Number(number), _)) = tokens.get(at) {
            numbers.push(*number);
            at += 1;
            while matches!(tokens.get(at), Some(Token::Break))
                || matches!(tokens.get(at), Some(Token::Word(it)) if it == "and")
            {
                at += 1;
            }
        }
        if is_between && numbers.len() == 2 {
            let ends = tokens[idx..at].iter().filter(|it| matches!(it, Token::Literal(..)));
            joined.extend(ends.cloned());
            joined.push(Token::Break);
            idx = at;
        } else if numbers.len() > 1 {
            let literal = Literal::Numbers(numbers);
            let written = literal.written();
            joined.push(Token::Literal(literal, written));
            if !matches!(tokens[at - 1], Token::Literal(..)) {
                joined.push(Token::Break);
            }
            idx = at;
        } else {
            joined.push(tokens[idx].clone());
            idx += 1;
        }
    }
    *tokens = joined;
}
