//! Stages that call a language model: the prompt and the type, from the words of a goal.

use svc_contract::registry::{Generic, OpRef};

use super::{arguments::sentence, goal::Clause, literals::quoted};

/// Whether an op takes instructions in words for its input.
pub(super) fn is_asked(op: OpRef) -> bool {
    op.op.generic == Generic::Asked
}

/// The stage for a step; incoming text is appended to the prompt.
pub(super) fn stage(name: &str, clause: &Clause, enters: bool) -> String {
    let ty = answer(&clause.text).map(|it| format!("<{it}>")).unwrap_or_default();
    let task = task(&clause.text);
    let task = task.strip_prefix("for ").map_or(task.to_owned(), |it| format!("give {it}"));
    let prompt = quoted(&sentence(&task, if enters { ':' } else { '.' }));
    let prompt =
        if enters { format!("{}\\n\\n${{it}}\"", prompt.trim_end_matches('"')) } else { prompt };
    format!("{name}{ty}(prompt: {prompt})")
}

/// The type of the answer, if the text of a step mentions one.
pub(super) fn answer(text: &str) -> Option<String> {
    choices(text).or_else(|| fields(text))
}

/// The task for the model, without the words that only address the model.
fn task(text: &str) -> &str {
    const TO_A_MODEL: &str = "ask have let use a an the language model llm ai gpt to please";
    let mut rest = text.trim();
    while let Some((word, more)) = rest.split_once(' ') {
        let word = word.to_lowercase();
        if !TO_A_MODEL.split_whitespace().any(|it| it == word) {
            break;
        }
        rest = more.trim_start();
    }
    rest
}

/// Reads `as billing, bug or other` as an enum.
fn choices(text: &str) -> Option<String> {
    let (_, list) = text.rsplit_once(" as ")?;
    let all = listed(list)?;
    Some(all.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" | "))
}

/// Reads `extract vendor and total from ..` as a record.
pub(super) fn fields(text: &str) -> Option<String> {
    let (_, list) = text.split_once("extract ")?;
    let end = [" from ", " of ", " in ", " as "].iter().filter_map(|it| list.find(it)).min();
    let all = listed(&list[..end.unwrap_or(list.len())])?;
    let field = |it: &String| format!("{}: string", it.to_lowercase());
    Some(format!("{{ {} }}", all.iter().map(field).collect::<Vec<_>>().join(", ")))
}

/// Two or more words with commas or `or` between them.
fn listed(list: &str) -> Option<Vec<String>> {
    let list = list.replace(" or ", ",").replace(" and ", ",");
    let all: Vec<String> = list
        .split(',')
        .map(|it| it.trim().trim_start_matches("the ").to_owned())
        .filter(|it| !it.is_empty())
        .collect();
    let is_word = |it: &String| it.chars().all(|it| it.is_alphanumeric() || it == '_');
    let starts = |it: &String| it.starts_with(|it: char| it.is_alphabetic());
    (all.len() > 1 && all.iter().all(|it| is_word(it) && starts(it))).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_words_are_types() {
        assert_eq!(
            choices("Classify it as bug, idea or other").as_deref(),
            Some("\"bug\" | \"idea\" | \"other\"")
        );
        assert_eq!(
            fields("extract vendor and total from each").as_deref(),
            Some("{ vendor: string, total: string }")
        );
        assert_eq!(choices("save it as a.txt"), None);
        assert_eq!(fields("extract the date"), None);
    }
}
