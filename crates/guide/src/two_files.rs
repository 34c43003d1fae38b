//! Goals that compare the lines of two texts: those in one and not in the other, and those in both.

use svc_contract::value::literal;

use crate::tables::{
    Answer,
    words::{Literal, Token},
};

/// The script for a goal that asks for nothing else.
pub(crate) fn answer(
    goal: &str,
    tokens: &[Token],
    asks: &dyn Fn(&Token) -> bool,
) -> Option<Answer> {
    let path = |it: &Token| match &it.literal {
        Some(Literal::Path(path)) if is_text(path) => Some(path.clone()),
        _ => None,
    };
    let places: Vec<(usize, String)> =
        tokens.iter().enumerate().filter_map(|(at, it)| Some((at, path(it)?))).collect();
    let [(first_at, first), (second_at, second)] = places.as_slice() else { return None };
    let is_known = |it: &Token| {
        let literal = it.literal.is_none() || path(it).is_some();
        literal && (path(it).is_some() || it.is_stop || asks(it) || is_word_of_lines(&it.lower))
    };
    if !tokens.iter().all(is_known) {
        return None;
    }
    let has = |words: &[&str]| tokens.iter().any(|it| words.contains(&it.lower.as_str()));
    let lacks = |at: usize| {
        let before = &tokens[at.saturating_sub(3)..at];
        before.iter().any(|it| matches!(&*it.lower, "not" | "missing" | "lacks" | "lack"))
    };
    let (of, other, not) = match (lacks(*first_at), lacks(*second_at)) {
        (false, true) => (first, second, "not "),
        (true, false) => (second, first, "not "),
        _ if has(&["not", "missing", "without", "no"]) => return None,
        _ if has(&["both", "common"]) => (first, second, ""),
        _ => return None,
    };
    let (of, other) = (literal::text(of), literal::text(other));
    let stage = format!("where {{ {not}contains(other, item: it) }}");
    let script = format!(
        "let other = read_text(path: {other}) >> lines\nread_text(path: {of})\n  >> lines\n  >> {stage}\n"
    );
    Some(Answer { script, parts: vec![(goal.trim().to_owned(), stage)] })
}

/// Whether a file has lines that stand for themselves.
fn is_text(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, it)| matches!(it, "txt" | "md" | "list" | "lst"))
}

fn is_word_of_lines(word: &str) -> bool {
    matches!(
        word,
        "line"
            | "lines"
            | "entry"
            | "entries"
            | "item"
            | "items"
            | "name"
            | "names"
            | "both"
            | "common"
            | "not"
            | "missing"
            | "but"
            | "occur"
            | "appear"
            | "present"
            | "lack"
            | "lacks"
    )
}

#[cfg(test)]
mod tests {
    use svc_text::stems::Vocabulary;

    use super::*;
    use crate::tables::words::tokens;

    fn condition(goal: &str) -> Option<String> {
        let tokens = tokens(goal, &mut Vocabulary::default());
        let answer = answer(goal, &tokens, &|it| it.lower == "show")?;
        let of = answer.script.lines().nth(1)?.to_owned();
        Some(format!("{of} {}", answer.parts[0].1))
    }

    #[test]
    fn lines_are_compared() {
        let without = r#"read_text(path: "a.txt") where { not contains(other, item: it) }"#;
        for (goal, expected) in [
            ("What is in a.txt but not in b.txt?", without),
            ("lines of a.txt that are missing in b.txt", without),
            (
                "lines in both a.txt and b.txt",
                r#"read_text(path: "a.txt") where { contains(other, item: it) }"#,
            ),
        ] {
            assert_eq!(condition(goal).as_deref(), Some(expected), "{goal}");
        }
    }

    #[test]
    fn what_says_more_is_not_compared() {
        for goal in [
            "lines of a.txt and b.txt",
            "what is in a.csv but not in b.csv",
            "what is in a.txt but not in b.txt, sorted",
            "lines in neither a.txt nor b.txt",
        ] {
            assert_eq!(condition(goal), None, "{goal}");
        }
    }
}
