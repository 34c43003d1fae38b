//! The text of a paragraph as Markdown: emphasis, links, pictures and code.
//!
//! White space is collapsed as in a browser. A mark is written only where it has content, ends at
//! the end of its paragraph, and begins again in the next: a link around two paragraphs is two
//! links. Where asterisks would not be read as emphasis, as in `**a:**b`, tags are written.

use super::escape::{self, Class};

/// A mark around text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Strike,
    Link { url: String, title: String },
}

impl Mark {
    fn kind(&self) -> usize {
        match self {
            Self::Strong => 0,
            Self::Emphasis => 1,
            Self::Strike => 2,
            Self::Link { .. } => 3,
        }
    }

    fn tag(&self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Strike => "del",
            Self::Link { .. } => "a",
        }
    }
}

#[derive(Debug)]
enum Piece {
    Text(String),
    Code(String),
    /// Markdown as it is.
    Raw(String),
    Break,
    Open(Mark),
    Close(Mark),
}

/// The text of a paragraph so far.
#[derive(Default)]
pub(super) struct Inline {
    pieces: Vec<Piece>,
    /// The marks around the text to come, each kind at most once.
    marks: Vec<Mark>,
    /// How many of them were written in this paragraph.
    written: usize,
    /// How many elements of each kind are open: one inside another of its kind changes nothing.
    open: [u32; 4],
    space: bool,
}

impl Inline {
    pub(super) fn open(&mut self, mark: Mark) {
        let open = &mut self.open[mark.kind()];
        *open += 1;
        if *open == 1 {
            self.marks.push(mark);
        }
    }

    /// Ends the mark that was opened last of those of its kind.
    pub(super) fn close(&mut self, mark: &Mark) {
        let open = &mut self.open[mark.kind()];
        *open = open.saturating_sub(1);
        if *open > 0 {
            return;
        }
        let Some(at) = self.marks.iter().rposition(|it| it.kind() == mark.kind()) else { return };
        while self.written > at {
            self.written -= 1;
            self.pieces.push(Piece::Close(self.marks[self.written].clone()));
        }
        self.marks.remove(at);
    }

    pub(super) fn text(&mut self, text: &str) {
        for (idx, word) in text.split(|it: char| it.is_ascii_whitespace()).enumerate() {
            if idx > 0 {
                self.space = true;
            }
            if word.is_empty() {
                continue;
            }
            self.before();
            match self.pieces.last_mut() {
                Some(Piece::Text(it)) => it.push_str(word),
                _ => self.pieces.push(Piece::Text(word.to_owned())),
            }
        }
    }

    pub(super) fn space(&mut self) {
        self.space = true;
    }

    pub(super) fn code(&mut self, code: &str) {
        if code.is_empty() {
            return;
        }
        self.before();
        match self.pieces.last_mut() {
            Some(Piece::Code(it)) => it.push_str(code),
            _ => self.pieces.push(Piece::Code(code.to_owned())),
        }
    }

    pub(super) fn raw(&mut self, markdown: String) {
        self.before();
        self.pieces.push(Piece::Raw(markdown));
    }

    /// A line break, unless it would be the first of the paragraph.
    pub(super) fn line_break(&mut self) {
        self.space = false;
        if !self.pieces.is_empty() {
            self.pieces.push(Piece::Break);
        }
    }

    pub(super) fn image(&mut self, alt: &str, url: &str, title: &str) {
        self.raw(format!("![{}]({})", escape::label(alt), escape::target(url, title)));
    }

    /// Writes the space and the marks that are missing before the next piece.
    fn before(&mut self) {
        let follows = !matches!(self.pieces.last(), None | Some(Piece::Break));
        if std::mem::take(&mut self.space) && follows {
            match self.pieces.last_mut() {
                Some(Piece::Text(it)) => it.push(' '),
                _ => self.pieces.push(Piece::Text(" ".to_owned())),
            }
        }
        for mark in &self.marks[self.written..] {
            let continues = matches!(self.pieces.last(), Some(Piece::Close(it))
                if it == mark && !matches!(mark, Mark::Link { .. }));
            if continues {
                self.pieces.pop();
            } else {
                self.pieces.push(Piece::Open(mark.clone()));
            }
        }
        self.written = self.marks.len();
    }

    /// Ends the paragraph and returns it; the marks continue in the next.
    pub(super) fn take(&mut self) -> String {
        for mark in self.marks[..self.written].iter().rev() {
            self.pieces.push(Piece::Close(mark.clone()));
        }
        self.written = 0;
        self.space = false;
        let mut pieces = std::mem::take(&mut self.pieces);
        while matches!(pieces.last(), Some(Piece::Break)) {
            pieces.pop();
        }
        written(&pieces)
    }
}

fn written(pieces: &[Piece]) -> String {
    let mut out = String::new();
    // The delimiters of the open marks.
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        match piece {
            Piece::Text(text) => escape::text(text, &mut out),
            Piece::Code(code) => escape::code(code, &mut out),
            Piece::Raw(markdown) => out.push_str(markdown),
            Piece::Break => out.push_str("\\\n"),
            Piece::Open(Mark::Link { url, title }) => {
                if let Some(link) = autolink(pieces, at, url, title) {
                    out.push_str(&link);
                    at += 3;
                    continue;
                }
                // Else the two would be a picture.
                if out.ends_with('!') && !out.ends_with("\\!") {
                    out.truncate(out.len() - 1);
                    out.push_str("\\!");
                }
                open.push(None);
                out.push('[');
            }
            Piece::Close(Mark::Link { url, title }) => {
                open.pop();
                out.extend(["](", &escape::target(url, title), ")"]);
            }
            Piece::Open(mark) => {
                let delimiter = delimiter(pieces, at, mark);
                match delimiter {
                    Some(it) => out.push_str(it),
                    None => out.extend(["<", mark.tag(), ">"]),
                }
                open.push(delimiter);
            }
            Piece::Close(mark) => match open.pop().flatten() {
                Some(it) => out.push_str(it),
                None => out.extend(["</", mark.tag(), ">"]),
            },
        }
        at += 1;
    }
    out
}

/// A link whose text is its address: `<https://a.org>`.
fn autolink(pieces: &[Piece], at: usize, url: &str, title: &str) -> Option<String> {
    let (Some(Piece::Text(text)), Some(Piece::Close(Mark::Link { .. }))) =
        (pieces.get(at + 1), pieces.get(at + 2))
    else {
        return None;
    };
    let is_plain = |it: &str| !it.contains(|it: char| it <= ' ' || matches!(it, '<' | '>' | '\\'));
    let is_address = url.starts_with("https://") || url.starts_with("http://");
    (title.is_empty() && text == url && is_address && is_plain(url)).then(|| format!("<{url}>"))
}

/// The delimiter of a mark, or nothing if Markdown has none that is read as one here.
fn delimiter(pieces: &[Piece], at: usize, mark: &Mark) -> Option<&'static str> {
    let end = end(pieces, at)?;
    let around = |at: usize| (at.checked_sub(1).map(|it| &pieces[it]), pieces.get(at + 1));
    let ((before, first), (last, after)) = (around(at), around(end));
    let (outer, inner) =
        ([class(before, true), class(after, false)], [class(first, false), class(last, true)]);
    let flanks = |inner: Class, outer: Class| match inner {
        Class::Space => false,
        Class::Mark => outer != Class::Word,
        Class::Word => true,
    };
    let is_read = flanks(inner[0], outer[0]) && flanks(inner[1], outer[1]);
    let touches = [before, first, last, after]
        .into_iter()
        .flatten()
        .any(|it| matches!(it, Piece::Open(it) | Piece::Close(it) if it.kind() < 2 && it != mark));
    match mark {
        Mark::Strong if is_read => Some("**"),
        Mark::Strike if is_read => Some("~~"),
        Mark::Emphasis if is_read && !touches => Some("*"),
        Mark::Emphasis if is_read && !outer.contains(&Class::Word) => Some("_"),
        _ => None,
    }
}

/// The end of the mark that opens at `at`: no other of its kind is inside.
fn end(pieces: &[Piece], at: usize) -> Option<usize> {
    let Piece::Open(mark) = &pieces[at] else { return None };
    let ends = |it: &Piece| matches!(it, Piece::Close(it) if it.kind() == mark.kind());
    pieces[at..].iter().position(ends).map(|it| at + it)
}

/// The class of the last or first character of a piece.
fn class(piece: Option<&Piece>, is_last: bool) -> Class {
    match piece {
        None | Some(Piece::Break) => Class::Space,
        Some(Piece::Text(text)) => {
            let letter = if is_last { text.chars().next_back() } else { text.chars().next() };
            letter.map_or(Class::Space, Class::of)
        }
        Some(_) => Class::Mark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(&str, &[Mark])]) -> String {
        let mut inline = Inline::default();
        for (text, marks) in parts {
            marks.iter().for_each(|it| inline.open(it.clone()));
            inline.text(text);
            marks.iter().rev().for_each(|it| inline.close(it));
        }
        inline.take()
    }

    fn link(url: &str) -> Mark {
        Mark::Link { url: url.into(), title: String::new() }
    }

    #[test]
    fn marks_stand_where_they_are_read_as_marks() {
        use Mark::{Emphasis, Strong};
        let bold: &[Mark] = &[Strong];
        assert_eq!(of(&[("a ", &[]), (" b ", bold), ("c", &[])]), "a **b** c");
        assert_eq!(of(&[("a:", bold), ("b", &[])]), "<strong>a:</strong>b");
        assert_eq!(of(&[("a", bold), ("b", bold)]), "**ab**");
        assert_eq!(of(&[("a", &[Strong, Emphasis])]), "**_a_**");
        assert_eq!(of(&[("x", &[]), ("a", &[Emphasis, Strong])]), "x<em>**a**</em>");
        assert_eq!(of(&[(" ", bold), ("x", &[])]), "x");
    }

    #[test]
    fn links_and_what_looks_like_one() {
        assert_eq!(of(&[("wow!", &[]), ("a", &[link("b")])]), "wow\\![a](b)");
        assert_eq!(of(&[("http://a.b/c_d", &[link("http://a.b/c_d")])]), "<http://a.b/c_d>");
        assert_eq!(of(&[("[a](b)", &[])]), "\\[a\\](b)");
        let mut inline = Inline::default();
        inline.open(link("u"));
        inline.text("one");
        assert_eq!(inline.take(), "[one](u)");
        inline.text("two");
        inline.close(&link("u"));
        assert_eq!(inline.take(), "[two](u)");
    }
}
