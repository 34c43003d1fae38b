//! Renders Markdown of the book for a terminal.

use super::terminal::{Ink, Stream};

const WIDEST: usize = 80;

/// The paragraphs, each wrapped at [`WIDEST`] columns.
pub(super) fn page(markdown: &str, out: Stream) -> String {
    let paragraphs = markdown.split("\n\n").map(|it| paragraph(it, out));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// A script as an indented block.
pub(super) fn block(text: &str) -> String {
    let line = |it: &str| format!("    {it}").trim_end().to_owned() + "\n";
    text.lines().map(line).collect()
}

fn paragraph(markdown: &str, out: Stream) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words(markdown) {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDEST {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += width;
        text += &word;
    }
    painted(&text, out) + "\n"
}

/// Splits at white space, but keeps text in backticks together.
fn words(markdown: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for it in markdown.chars() {
        quoted ^= it == '`';
        if it.is_whitespace() && !quoted {
            words.push(String::new());
        } else if let Some(last) = words.last_mut() {
            last.push(if it == '\n' { ' ' } else { it });
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

/// With colour, code is coloured instead of being in backticks.
fn painted(text: &str, out: Stream) -> String {
    if !out.colour {
        return text.to_owned();
    }
    let pieces = text.split('`').enumerate();
    pieces.map(|(n, it)| if n % 2 == 1 { out.paint(it, Ink::Cyan) } else { it.into() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Stream, block, page};

    const PLAIN: Stream = Stream { is_terminal: false, colour: false };
    const COLOUR: Stream = Stream { is_terminal: true, colour: true };

    #[test]
    fn paragraphs_are_broken_between_words() {
        let text = format!("{} `a  b` c\n\n\nnext\nline", "x".repeat(74));
        let shown = format!("{}\n`a  b` c\n\nnext line\n", "x".repeat(74));
        assert_eq!(page(&text, PLAIN), shown);
    }

    #[test]
    fn code_has_backticks_or_colour() {
        assert_eq!(page("use `it`.", PLAIN), "use `it`.\n");
        assert_eq!(page("use `it`.", COLOUR), "use \u{1b}[1;36mit\u{1b}[0m.\n");
    }

    #[test]
    fn a_script_keeps_its_lines() {
        assert_eq!(block("a\n\n  >> b"), "    a\n\n      >> b\n");
    }
}
