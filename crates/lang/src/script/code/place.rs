//! Conversion of lines and columns of rhai to bytes.

use rhai::Position;

/// The range of `code` at a position: the word or sign that begins there, or the end of the
/// code if the position is unknown.
pub(super) fn range_at(code: &str, position: Position) -> (usize, usize) {
    let Some(line) = position.line() else {
        let end = code.trim_end().len();
        return (end, end);
    };
    let start_of_line = start_of_line(code, line);
    let rest = &code[start_of_line..];
    let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let column = position.position().unwrap_or(1).saturating_sub(1);
    let start = rest.char_indices().nth(column).map_or(rest.trim_end().len(), |(it, _)| it);
    (start_of_line + start, start_of_line + start + word_len(&rest[start..]))
}

/// Lines end at `\n`; a `\r` before it is a column.
fn start_of_line(code: &str, line: usize) -> usize {
    match line {
        0 | 1 => 0,
        _ => code.match_indices('\n').nth(line - 2).map_or(code.len(), |(it, _)| it + 1),
    }
}

fn word_len(rest: &str) -> usize {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    match rest.chars().next() {
        None => 0,
        Some(it) if is_word(it) => rest.find(|it| !is_word(it)).unwrap_or(rest.len()),
        Some(it) => it.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let code = " let a = \"äöü\"; wrong;\r\n\tlet ß = 1; x2 + 1\r\n";
        let at = |line, column| {
            let (start, end) = range_at(code, Position::new(line, column));
            &code[start..end]
        };
        assert_eq!(at(1, 17), "wrong");
        assert_eq!(at(2, 2), "let");
        assert_eq!(at(2, 13), "x2");
        assert_eq!(at(2, 16), "+");
        assert_eq!(at(9, 1), "");
        assert_eq!(range_at(code, Position::NONE), (code.trim_end().len(), code.trim_end().len()));
    }
}
