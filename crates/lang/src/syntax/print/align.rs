//! Aligns the trailing comments of consecutive lines in one column.

/// A comment after a token, as laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trailing {
    pub(super) line: usize,
    /// The column where the line ends before the comment.
    pub(super) column: usize,
    /// The offset of the comment in the text.
    pub(super) at: usize,
}

/// The smallest distance of a comment from the text before it.
const GAP: usize = 2;

/// Aligns the comments, which directly follow their lines in `text`.
pub(super) fn comments(text: String, trailing: &[Trailing]) -> String {
    if trailing.is_empty() {
        return text;
    }
    let mut aligned = String::with_capacity(text.len() + trailing.len() * GAP);
    let mut done = 0;
    for run in trailing.chunk_by(|a, b| a.line + 1 == b.line) {
        let column = run.iter().map(|it| it.column).max().unwrap_or_default() + GAP;
        for it in run {
            aligned.push_str(&text[done..it.at]);
            aligned.extend(std::iter::repeat_n(' ', column - it.column));
            done = it.at;
        }
    }
    aligned.push_str(&text[done..]);
    aligned
}
