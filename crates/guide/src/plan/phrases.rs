//! Phrases of several words, and files or punctuation marks mentioned by name.

use super::{
    goal::{BETWEEN, FILLERS},
    literals::{Literal, is_path},
    tokens::Token,
};

/// Phrases of several words, and the word for each.
const PHRASES: [(&str, &str); 49] = [
    ("with svc", "please"),
    ("in svc", "please"),
    ("how do i", "please"),
    ("how do you", "please"),
    ("how can i", "please"),
    ("how would i", "please"),
    ("how to", "please"),
    ("what is the way to", "please"),
    ("ask the guide", "guide ask"),
    ("into one text file", "into"),
    ("into one text", "join"),
    ("how many", "count"),
    ("how long", "length"),
    ("how often", "count"),
    ("number of", "count"),
    ("at the same time", "meanwhile"),
    ("side by side", "meanwhile"),
    ("in parallel", "meanwhile"),
    ("ask me", "approve"),
    ("ask a person", "approve"),
    ("ask a human", "approve"),
    ("ask someone", "approve"),
    ("ask the user", "approve"),
    ("let me confirm", "approve"),
    ("let me approve", "approve"),
    ("let me check", "approve"),
    ("let me review", "approve"),
    ("language model", "model"),
    ("capital letters", "uppercase"),
    ("upper case", "uppercase"),
    ("small letters", "lowercase"),
    ("lower case", "lowercase"),
    ("white space", "whitespace"),
    ("line breaks", "newlines"),
    ("add them up", "sum"),
    ("square root", "sqrt"),
    ("rounded up", "ceil"),
    ("round up", "ceil"),
    ("rounded down", "floor"),
    ("round down", "floor"),
    ("extract the text", "read the text"),
    ("extract text", "read text"),
    ("each url", "each line"),
    ("each link", "each line"),
    ("each row", "each line"),
    ("which components", "nav components"),
    ("which component", "nav component"),
    ("let the user", "approve"),
    ("which tools", "nav components"),
];

/// Phrases that forbid something.
const NEVER: [&[&str]; 5] = [&["don't"], &["dont"], &["do", "not"], &["never"], &["must", "not"]];

/// Things that a goal may exclude, rather than leave out of a list.
const TOOLS: &str = "model models llm ai gpt network internet web asking approval";

/// Punctuation marks by name, which are meant after `on`, `by`, `with`.
const SIGNS: [(&str, &str); 16] = [
    ("comma", ","),
    ("commas", ","),
    ("semicolon", ";"),
    ("semicolons", ";"),
    ("colon", ":"),
    ("colons", ":"),
    ("space", " "),
    ("spaces", " "),
    ("tab", "\t"),
    ("tabs", "\t"),
    ("newline", "\n"),
    ("newlines", "\n"),
    ("dash", "-"),
    ("dashes", "-"),
    ("hyphens", "-"),
    ("pipes", "|"),
];

/// Words after which the name of a mark means the mark.
const CUTTING: [&str; 5] = ["replace", "substitute", "swap", "split", "join"];

/// Words for a place that any word may name.
const PLACES: [&str; 5] = ["folder", "directory", "folders", "directories", "dir"];

/// Replaces each phrase in the tokens with one word, and paths and marks with literals.
pub(super) fn read(tokens: &[Token]) -> Vec<Token> {
    let mut rest = tokens;
    let mut read = Vec::new();
    let mut cuts = false;
    while let Some(token) = rest.first() {
        if let Some(len) = never(rest) {
            read.push(Token::Never);
            rest = &rest[len..];
            continue;
        }
        if let Some((len, words)) = phrase(rest) {
            read.extend(words.split(' ').map(|it| Token::Word(it.to_owned())));
            rest = &rest[len..];
            continue;
        }
        let before = read.iter().rev().find_map(Token::word);
        cuts = match token {
            Token::Break => false,
            _ => cuts || token.word().is_some_and(|it| CUTTING.contains(&it.as_str())),
        };
        let read_as = sign(token, before.as_deref(), cuts)
            .or_else(|| place(token, before.as_deref(), &rest[1..]));
        read.push(read_as.unwrap_or_else(|| token.clone()));
        rest = &rest[1..];
    }
    read
}

/// The number of tokens at the start that forbid something.
fn never(tokens: &[Token]) -> Option<usize> {
    const LONGEST: usize = 4;
    let says = |words: &&&[&str]| {
        words.iter().enumerate().all(|(at, word)| {
            tokens.get(at).and_then(Token::word).is_some_and(|it| it.replace('’', "'") == *word)
        })
    };
    if let Some(words) = NEVER.iter().find(says) {
        return Some(words.len());
    }
    let is_without = tokens.first()?.word()? == "without";
    let mut behind = tokens.iter().skip(1).take(LONGEST).map_while(Token::word);
    let is_tool = |it: String| TOOLS.split(' ').any(|tool| tool == it);
    (is_without && behind.any(is_tool)).then_some(1)
}

/// A phrase at the start: its number of tokens, and its meaning.
fn phrase(tokens: &[Token]) -> Option<(usize, &'static str)> {
    let first = tokens.first()?.word()?;
    PHRASES.iter().find_map(|(phrase, means)| {
        let mut words = phrase.split(' ');
        if words.next() != Some(first.as_str()) {
            return None;
        }
        let len = phrase.split(' ').count();
        let rest = tokens.get(1..len)?;
        let says = |it: &Token, word: &str| match it {
            Token::Literal(Literal::Number(_), written) => written == word,
            it => it.word().as_deref() == Some(word),
        };
        let is_said = rest.iter().zip(words).all(|(it, word)| says(it, word));
        is_said.then_some((len, *means))
    })
}

/// Converts a token to the mark that it names.
fn sign(token: &Token, before: Option<&str>, cuts: bool) -> Option<Token> {
    let word = token.word()?;
    let (_, sign) = SIGNS.iter().find(|(name, _)| *name == word)?;
    (cuts || matches!(before, Some("on" | "by" | "at" | "with" | "using")))
        .then(|| Token::Literal(Literal::Quoted((*sign).into()), word))
}

/// Converts a token to the path that it means.
fn place(token: &Token, before: Option<&str>, behind: &[Token]) -> Option<Token> {
    let next = behind.first().and_then(Token::word);
    let is_place = |it: Option<&str>| it.is_some_and(|it| PLACES.contains(&it));
    match token {
        Token::Literal(Literal::Quoted(text), written) => {
            let is_named = is_place(before) || is_place(next.as_deref()) || is_file(text, before);
            let literal = Literal::Path(text.clone());
            is_named.then(|| Token::Literal(literal, written.clone()))
        }
        Token::Word(word) => {
            let lower = word.to_lowercase();
            let behind_place = is_place(before) && !is_plain(&lower);
            let before_place = is_place(next.as_deref()) && !is_plain(&lower);
            let path = if lower == "current" { "." } else { word.as_str() };
            (behind_place || before_place)
                .then(|| Token::Literal(Literal::Path(path.into()), word.clone()))
        }
        _ => None,
    }
}

/// Whether a text in quotes is meant as a path.
fn is_file(text: &str, before: Option<&str>) -> bool {
    const OF_TEXTS: &str = "for with containing contains contain word words text string phrase \
        replace by mention mentions mentioning split say says about has line lines";
    let is_text = before.is_some_and(|it| OF_TEXTS.split(' ').any(|word| word == it));
    !is_text && !text.contains(char::is_whitespace) && !text.contains("://") && is_path(text)
}

/// Words next to `folder` that do not name one.
fn is_plain(word: &str) -> bool {
    const OTHERS: &str = "of and whole entire same new other another two three its their our your \
        called named where with which containing inside within under is are has there contents \
        search read file folder directory through empty for first count list";
    let all = OTHERS.split_whitespace().chain(FILLERS.split_whitespace());
    all.chain(BETWEEN).any(|it| it == word)
        || !word.chars().all(|it| it.is_alphanumeric() || "-_".contains(it))
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::tokens, *};

    fn literals(goal: &str) -> Vec<Literal> {
        let literal = |it: Token| match it {
            Token::Literal(literal, _) => Some(literal),
            _ => None,
        };
        read(&tokens(goal)).into_iter().filter_map(literal).collect()
    }

    #[test]
    fn a_text_in_quotes_may_be_a_path() {
        let path = |it: &str| Literal::Path(it.into());
        let text = |it: &str| Literal::Quoted(it.into());
        assert_eq!(literals("search the folder \"docs\" for \"a\""), [path("docs"), text("a")]);
        assert_eq!(literals("read 'notes.txt'"), [path("notes.txt")]);
        assert_eq!(
            literals("search for \"main.rs\" in the src folder"),
            [text("main.rs"), path("src")]
        );
        assert_eq!(literals("all files of this folder"), []);
    }

    #[test]
    fn phrases_do_not_reach_into_quotes() {
        assert_eq!(literals("print \"how many\""), [Literal::Quoted("how many".into())]);
        let words: Vec<_> =
            read(&tokens("How many words and how many lines")).into_iter().collect();
        let counts = words.iter().filter(|it| it.word().as_deref() == Some("count")).count();
        assert_eq!(counts, 2);
    }

    #[test]
    fn signs_have_names() {
        assert_eq!(literals("split it on commas"), [Literal::Quoted(",".into())]);
        assert_eq!(literals("count the commas"), []);
    }
}
