//! What is wrong with a query that has operators: where, why, and what to write instead.

use svc_contract::registry::OpError;
use tantivy::{
    query::{Occur, QueryParserError},
    query_grammar::{UserInputAst, UserInputLeaf, parse_query, parse_query_lenient},
};

/// The fields that a query may name.
const FIELDS: [&str; 3] = ["body", "file", "id"];

/// The maximum depth of parentheses; the parser is recursive.
const DEEPEST: usize = 32;

/// The length of the part of a query that a message shows, in characters.
const SHOWN: usize = 20;

/// Parses a query. Fails at the first mistake that can be named.
pub(super) fn parse(text: &str) -> Result<UserInputAst, OpError> {
    brackets(text)?;
    operators(text)?;
    let Ok(mut parsed) = parse_query(text) else { return Err(unexpected(text)) };
    fields(text, &parsed)?;
    if let UserInputAst::Clause(parts) = &mut parsed {
        for (_, part) in parts.iter_mut() {
            complete(part);
        }
    }
    Ok(parsed)
}

/// Lets a part that only excludes mean all other documents, as in `cat AND NOT dog`: for tantivy,
/// it means none.
fn complete(part: &mut UserInputAst) {
    if let UserInputAst::Clause(parts) = part {
        for (_, part) in parts.iter_mut() {
            complete(part);
        }
        if !parts.is_empty() && parts.iter().all(|it| it.0 == Some(Occur::MustNot)) {
            parts.push((Some(Occur::Should), UserInputAst::Leaf(Box::new(UserInputLeaf::All))));
        }
    }
}

/// The error of a query that was parsed but is not supported.
pub(super) fn refused(err: &QueryParserError) -> OpError {
    use QueryParserError::{
        AllButQueryForbidden, PhrasePrefixRequiresAtLeastTwoTerms, RangeMustNotHavePhrase,
    };
    let why = match err {
        AllButQueryForbidden => {
            "all of its words are excluded; add a word without `-`, or `*` for all documents".into()
        }
        PhrasePrefixRequiresAtLeastTwoTerms { phrase, .. } => format!(
            "`\"{phrase}\"*` has fewer than two words to search for; write the words before the \
             unfinished one"
        ),
        RangeMustNotHavePhrase => "a limit of a range is not one word; write one word".into(),
        other => format!("this form is not supported ({other}); use words, phrases and operators"),
    };
    invalid(&why)
}

/// The error of a query on which the parser fails.
pub(super) fn unexpected(text: &str) -> OpError {
    let at = parse_query_lenient(text).1.first().map_or(0, |it| it.pos);
    let at = text.floor_char_boundary(at.min(text.len()));
    match text[at..].trim() {
        "" => invalid("it ends too early; complete or remove the last part"),
        _ => at_place(text, at, "unexpected", "put text with special characters in `\"`"),
    }
}

fn invalid(why: &str) -> OpError {
    OpError::invalid_input(format!("invalid `query`: {why}"))
}

/// The error at a byte of the query.
fn at_place(text: &str, at: usize, what: &str, help: &str) -> OpError {
    let shown: String = text[at..].chars().take(SHOWN).collect();
    let column = text[..at].chars().count() + 1;
    invalid(&format!("{what} `{}` at character {column}; {help}", shown.trim_end()))
}

/// Finds quotes and brackets without their counterpart.
fn brackets(text: &str) -> Result<(), OpError> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut quote: Option<(usize, char)> = None;
    let mut is_escaped = false;
    let mut is_inside_word = false;
    for (at, letter) in text.char_indices() {
        let was_inside = std::mem::replace(&mut is_inside_word, letter.is_alphanumeric());
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (letter, quote) {
            ('\\', _) => is_escaped = true,
            (_, Some((_, end))) => quote = quote.filter(|_| letter != end),
            ('\'', None) if was_inside => {
                let help = "write `\\'`, or the words in `\"`";
                return Err(at_place(text, at, "unexpected apostrophe before", help));
            }
            ('*' | '~', None) if was_inside => {
                let help = "it may only follow a phrase, as in `\"two wo\"*` and `\"two words\"~1`";
                return Err(at_place(text, at, "unexpected", help));
            }
            ('"' | '\'', None) => quote = Some((at, letter)),
            ('(' | '[' | '{', None) => open.push((at, letter)),
            (')', None) if open.pop().is_none_or(|it| it.1 != '(') => {
                return Err(at_place(text, at, "unexpected", "remove it, or add the `(`"));
            }
            (']' | '}', None) if open.pop().is_none_or(|it| it.1 == '(') => {
                return Err(at_place(text, at, "unexpected", "remove it, or add the `[`"));
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return Err(invalid(&format!("parentheses nested too deeply (limit {DEEPEST})")));
        }
    }
    match quote.or(open.pop()) {
        Some((at, letter)) => {
            let end = match letter {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                quote => quote,
            };
            Err(at_place(text, at, "missing end of", &format!("add `{end}`")))
        }
        None => Ok(()),
    }
}

/// Finds `AND` and `OR` without a word on both sides.
fn operators(text: &str) -> Result<(), OpError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_operator = |it: &str| matches!(it, "AND" | "OR");
    for (idx, word) in words.iter().enumerate().filter(|(_, it)| is_operator(it)) {
        let before = idx.checked_sub(1).map(|it| words[it]);
        let after = words.get(idx + 1);
        let is_alone = before.is_none_or(|it| is_operator(it) || it.ends_with('('))
            || after.is_none_or(|it| is_operator(it) || it.starts_with(')'));
        if is_alone && !text.contains(['"', '\'']) {
            let why = format!(
                "`{word}` needs a word on both sides; add the word, or write `\"{word}\"` for the \
                 word itself"
            );
            return Err(invalid(&why));
        }
    }
    Ok(())
}

/// Finds fields that a query may not name, and forms that are not supported.
fn fields(text: &str, parsed: &UserInputAst) -> Result<(), OpError> {
    match parsed {
        UserInputAst::Clause(parts) => parts.iter().try_for_each(|it| fields(text, &it.1)),
        UserInputAst::Boost(part, _) => fields(text, part),
        UserInputAst::Leaf(leaf) => {
            let field = match leaf.as_ref() {
                UserInputLeaf::Range { field: None, .. } => {
                    let why = "a range needs a field; write `body:` before the `[`";
                    return Err(invalid(why));
                }
                UserInputLeaf::Exists { field } if field == "body" => {
                    return Err(invalid("every document has a `body`; write `*`"));
                }
                UserInputLeaf::Literal(it) => it.field_name.as_ref(),
                UserInputLeaf::Range { field, .. } | UserInputLeaf::Set { field, .. } => {
                    field.as_ref()
                }
                UserInputLeaf::Exists { field } => Some(field),
                UserInputLeaf::All => None,
                UserInputLeaf::Regex { .. } => {
                    let why = "regular expressions are not supported; write `\"two wo\"*` for the \
                               beginning of a word";
                    return Err(invalid(why));
                }
            };
            field.map_or(Ok(()), |it| known(text, it))
        }
    }
}

fn known(text: &str, field: &str) -> Result<(), OpError> {
    if FIELDS.contains(&field) {
        return Ok(());
    }
    let at = text.find(field).unwrap_or(0);
    let help = "a query may name `body`, `file` and `id`; put text with `:` in `\"`";
    Err(at_place(text, at, "unknown field in", help))
}
