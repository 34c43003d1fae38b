//! Questions that the documents of a folder are to answer.

use svc_contract::value::literal;

use crate::tables::{Answer, Content, Seen};

/// `Answer from the docs folder, please.` is the longest order to answer; more says something else.
const MOST_WORDS: usize = 8;

/// The script for a question with a folder that is to answer it: `According to the folder docs, ..?`,
/// `..? Answer from docs.`
pub(crate) fn answer(goal: &str, seen: &[Seen]) -> Option<Answer> {
    let folder = seen.iter().find(|it| matches!(it.content, Content::Texts(_)))?;
    let goal = goal.trim();
    let end = goal.find('?')? + 1;
    let (question, rest) = (&goal[..end], goal[end..].trim());
    let question = if rest.is_empty() {
        let (source, question) = question.split_once(',')?;
        let is_source = ["according to", "based on", "using", "going by", "from"]
            .iter()
            .any(|it| source.to_lowercase().starts_with(it));
        (is_source && names(source, &folder.path)).then_some(question.trim())?
    } else {
        let lower = rest.to_lowercase();
        let words = lower.split_whitespace().count();
        (lower.starts_with("answer") && names(rest, &folder.path) && words <= MOST_WORDS)
            .then_some(question)?
    };
    let path = literal::text(&folder.path);
    let stage = format!("chat.answer(source: {path})");
    let script = format!(
        "use \"std:chat\" as chat\n\n{}\n  >> {stage}\n  >> .text\n",
        literal::text(question)
    );
    Some(Answer { script, parts: vec![(goal.to_owned(), stage)] })
}

/// Whether a text has the path as a word.
fn names(text: &str, path: &str) -> bool {
    let trimmed = |it: &str| it.trim_end_matches(['.', ',', '!', '/']).to_owned();
    text.split_whitespace().any(|it| trimmed(it) == trimmed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_with_their_source_are_answered() {
        let seen = [Seen {
            path: "docs".to_owned(),
            within: None,
            reader: String::new(),
            nouns: None,
            content: Content::Texts(Vec::new()),
        }];
        for (goal, expected) in [
            ("How long is the warranty? Answer from the docs folder.", true),
            ("According to docs, how long is the warranty?", true),
            ("How long is the warranty?", false),
            ("How many files are in docs?", false),
            ("How long is the warranty? Answer my mail.", false),
        ] {
            let found = answer(goal, &seen);
            assert_eq!(found.is_some(), expected, "{goal}");
            assert!(found.is_none_or(|it| it.script.contains("ong is the warranty?\"\n")));
        }
    }
}
