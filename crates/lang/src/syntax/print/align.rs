//! Comments behind the lines of one run of lines begin in one column.

/// A comment behind a token, as it was laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trailing {
    pub(super) line: usize,
    /// Where the line ends before the comment.
    pub(super) column: usize,
    /// Where the comment begins in the text.
    pub(super) at: usize,
}

/// The least distance of a comment from what stands before it.
const GAP: usize = 2;

/// Sets off the comments, which stand right behind their lines in `text`.
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
