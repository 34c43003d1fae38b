//! Pieces of a script, quoted in messages.

use super::token;

/// The most letters of a quoted piece: enough to recognise it.
const MOST: usize = 60;

/// A piece of a script on one line, without comments and shortened if it is long.
pub fn quoted(piece: &str) -> String {
    let (mut text, mut at) = (String::with_capacity(piece.len()), 0);
    for comment in token::lex(piece).comments {
        text.push_str(&piece[at..comment.start]);
        at = comment.end;
    }
    text.push_str(&piece[at..]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, quoted};

    #[test]
    fn a_piece_is_quoted_on_one_line() {
        assert_eq!(quoted("(1 +  # one\n  2)"), "(1 + 2)");
        assert_eq!(quoted("\"a # b\""), "\"a # b\"");
        assert_eq!(quoted("\"\"\"\n  a\n  b\n\"\"\""), "\"\"\" a b \"\"\"");
        let long = quoted(&"word ".repeat(40));
        assert!(long.ends_with('…') && long.chars().count() <= MOST + 1, "{long}");
    }
}
