//! The chosen sentences as text, with the numbers of their sources.

use super::{Infer, Style, Summary, candidates::Sentence, input::Document};

/// Formats the summary according to `style` and `cite`.
pub(super) fn show(
    docs: &[Document],
    sentences: &[Sentence],
    chosen: &[usize],
    op: &Infer,
) -> Summary {
    let mut sources: Vec<String> = Vec::new();
    let mut shown = Vec::with_capacity(chosen.len());
    for sentence in chosen.iter().filter_map(|it| sentences.get(*it)) {
        let number =
            docs.get(sentence.doc).and_then(|it| number(it.label(sentence.at), &mut sources));
        let text = cut(&sentence.text, op.max_words);
        shown.push(match number {
            Some(number) if op.cite => format!("{text} [{number}]"),
            _ => text,
        });
    }
    let text = match op.style {
        Style::Bullets => shown.iter().map(|it| format!("- {it}")).collect::<Vec<_>>().join("\n"),
        Style::Paragraph | Style::Short => shown.join(" "),
    };
    Summary { text: text.into(), sources: sources.into_iter().map(Into::into).collect() }
}

/// The number of a source, which is added if it is new; `None` for a source without a name.
fn number(label: String, sources: &mut Vec<String>) -> Option<usize> {
    if label.is_empty() {
        return None;
    }
    let known = sources.iter().position(|it| *it == label);
    Some(
        known.unwrap_or_else(|| {
            sources.push(label);
            sources.len() - 1
        }) + 1,
    )
}

/// The sentence, or its first words if it alone exceeds the limit.
fn cut(text: &str, max_words: i64) -> String {
    let most = usize::try_from(max_words).unwrap_or(usize::MAX);
    let mut words = text.split_whitespace();
    let first: Vec<&str> = words.by_ref().take(most).collect();
    if words.next().is_none() { text.to_owned() } else { format!("{} …", first.join(" ")) }
}
