//! Counts the attributes of the tag that an HTML tokenizer is reading.
//!
//! html5ever compares each attribute of a tag with all previous ones, and outputs a tag only when
//! it is complete. Therefore a page is passed to it in pieces that begin at each `<`. Its output
//! for a piece shows whether the piece begins a tag, which is then followed here by the same rules.

/// The tags that may be open at the end of the input; if a tag is open, it is one of these.
#[derive(Default)]
pub(super) struct Tags {
    open: Vec<Tag>,
    at: At,
}

/// The state of a tokenizer after a piece.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    /// In text, where a `<` may begin a tag.
    #[default]
    Text,
    /// In a tag, or in a comment.
    Inside,
    /// In one of the two: it output something for a piece, and then another tag may have begun.
    Either,
}

/// The output of the tokenizer for a piece.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    /// Whether it output a tag, a text, or a comment.
    pub(super) shown: bool,
    /// Whether it is in a `script` or a similar element, where only end tags can begin.
    pub(super) is_raw: bool,
}

struct Tag {
    place: Place,
    attributes: usize,
}

/// The state of a tokenizer inside a tag, as named in the HTML standard.
#[derive(Clone, Copy)]
enum Place {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
    Behind,
}

impl Tags {
    /// Follows a piece, which has a `<` at its start or nowhere, and returns the number of
    /// attributes of the tag that is open after it.
    pub(super) fn follow(&mut self, piece: &str, outcome: Outcome) -> usize {
        let begins = piece.starts_with('<');
        if outcome.shown {
            // The open tag was output, or was text.
            self.open.clear();
        }
        self.open.iter_mut().for_each(|it| it.follow(piece));
        if begins && (outcome.shown || self.at != At::Inside) {
            self.open.extend(Tag::of(piece, outcome.is_raw));
        }
        self.open.retain(|it| !matches!(it.place, Place::Behind));
        self.at = match (outcome.shown, begins) {
            (true, _) if self.open.is_empty() => At::Text,
            (true, _) => At::Either,
            (false, true) => At::Inside,
            (false, false) => self.at,
        };
        self.open.iter().map(|it| it.attributes).max().unwrap_or(0)
    }
}

impl Tag {
    /// The tag that begins a piece.
    fn of(piece: &str, is_raw: bool) -> Option<Self> {
        let after = piece.get(1..)?;
        let name = match after.strip_prefix('/') {
            None if is_raw => return None,
            name => name.unwrap_or(after),
        };
        let mut tag = Self { place: Place::TagName, attributes: 0 };
        tag.follow(name);
        name.starts_with(|it: char| it.is_ascii_alphabetic()).then_some(tag)
    }

    fn follow(&mut self, text: &str) {
        text.bytes().for_each(|it| self.take(it));
    }

    fn take(&mut self, byte: u8) {
        let is_space = byte.is_ascii_whitespace();
        self.place = match (self.place, byte) {
            (Place::Behind, _) => Place::Behind,
            (Place::Quoted(quote), _) if byte == quote => Place::BeforeName,
            (Place::Quoted(quote), _) => Place::Quoted(quote),
            (_, b'>') => Place::Behind,
            (Place::BeforeValue, b'"' | b'\'') => Place::Quoted(byte),
            (Place::BeforeValue, _) if is_space => Place::BeforeValue,
            (Place::Unquoted, _) if is_space => Place::BeforeName,
            (Place::BeforeValue | Place::Unquoted, _) => Place::Unquoted,
            (Place::Name | Place::AfterName, b'=') => Place::BeforeValue,
            (Place::Name | Place::AfterName, _) if is_space => Place::AfterName,
            (_, b'/') => Place::BeforeName,
            (Place::TagName | Place::BeforeName, _) if is_space => Place::BeforeName,
            (Place::TagName, _) => Place::TagName,
            (Place::Name, _) => Place::Name,
            (Place::BeforeName | Place::AfterName, _) => {
                self.attributes += 1;
                Place::Name
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(tag: &str) -> usize {
        Tags::default().follow(tag, Outcome { shown: false, is_raw: false })
    }

    #[test]
    fn attributes_are_counted_as_in_the_standard() {
        for (tag, count) in [
            ("<p", 0),
            ("<p/a", 1),
            ("</p a b", 2),
            ("<p a=b c = 'd e' f=\"g>h\"i", 4),
            ("<p a='b c d", 1),
            ("<p a=b/c d", 2),
            ("<p =a =b", 1),
            ("<p a / b/c", 3),
            ("<p a b>", 0),
            ("<!p a b", 0),
            ("< p a b", 0),
            ("<é a b", 0),
        ] {
            assert_eq!(attributes(tag), count, "{tag}");
        }
    }

    #[test]
    fn a_tag_goes_on_behind_a_bracket_in_it() {
        let follow = |pieces: &[(&str, bool, bool, usize)]| {
            let mut tags = Tags::default();
            for (piece, shown, is_raw, count) in pieces {
                let outcome = Outcome { shown: *shown, is_raw: *is_raw };
                assert_eq!(tags.follow(piece, outcome), *count, "{piece}");
            }
        };
        follow(&[
            ("<p a b='", false, false, 2),
            ("<q c d", false, false, 2),
            ("' c d ", false, false, 4),
            ("<q e>", true, false, 0),
            ("<p a", false, false, 1),
        ]);
        // A comment that contains something like a tag.
        follow(&[
            ("<!-- ", false, false, 0),
            ("<p a b", false, false, 0),
            ("<p a='-->", true, false, 1),
            ("<p a b", false, false, 2),
        ]);
        // The text of a script.
        follow(&[("<b c d", true, true, 0), ("</b c d", false, true, 2)]);
        // A bracket that is text, and one that opens a tag immediately after it.
        follow(&[
            ("<", false, false, 0),
            ("<p a='", true, false, 1),
            ("<b c=\"", false, false, 1),
            ("' d e", false, false, 3),
        ]);
    }
}
