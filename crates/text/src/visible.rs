//! Foreign text made safe to show: nothing in it controls a terminal, and nothing is invisible.
//!
//! Texts come from files, the network, models and other people's scripts. Characters that move
//! the cursor, change earlier output, reorder letters or are invisible are written as an escape
//! of the language: `\u{1b}`. The language reads the escape as the same character, so no text
//! looks like another one.

use std::borrow::Cow;

/// Escapes control and invisible characters, except line ends and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    written(text, Pass::Lines)
}

/// Like [`visible`], on one line: line ends and tabs are escaped, too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    written(text, Pass::Nothing)
}

/// Like [`visible`], but keeps colours, for the output of a renderer of this program. Its
/// input must be visible already: foreign colours cannot be distinguished from its own.
pub fn visible_styled(text: &str) -> Cow<'_, str> {
    written(text, Pass::Colours)
}

/// Escapes control and invisible characters in JSON; the result means the same.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_hidden(letter) {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.iter().map(|it| format!("\\u{it:04x}")));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// A whole text made visible, with a mapping of its places.
#[derive(Debug)]
pub struct Visible<'t> {
    pub text: Cow<'t, str>,
    /// After each change: the place in the original text, and in the visible one.
    moved: Vec<(usize, usize)>,
}

impl<'t> Visible<'t> {
    pub fn of(text: &'t str) -> Self {
        let mut moved = Vec::new();
        if !text.chars().any(is_suspect) {
            return Self { text: Cow::Borrowed(text), moved };
        }
        let mut shown = String::with_capacity(text.len());
        write(text, Pass::Lines, &mut shown, |before, after| moved.push((before, after)));
        Self { text: Cow::Owned(shown), moved }
    }

    /// Maps a place of the original text to the visible one.
    pub fn place(&self, offset: usize) -> usize {
        let changes = self.moved.partition_point(|(before, _)| *before <= offset);
        let (before, after) = match changes.checked_sub(1) {
            Some(last) => self.moved[last],
            None => (0, 0),
        };
        let place = after + offset.saturating_sub(before);
        let next = self.moved.get(changes).map_or(self.text.len(), |(_, after)| *after);
        place.min(next)
    }
}

/// Control characters that are not escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Nothing,
    Lines,
    Colours,
}

fn written(text: &str, pass: Pass) -> Cow<'_, str> {
    let stays = |it: char| !is_suspect(it) && (pass != Pass::Nothing || !matches!(it, '\n' | '\t'));
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    write(text, pass, &mut shown, |_, _| {});
    Cow::Owned(shown)
}

/// Writes a text with escapes. After each change, reports how many bytes of the text were
/// read and how many were written.
fn write(text: &str, pass: Pass, out: &mut String, mut changed: impl FnMut(usize, usize)) {
    let mut rest = text;
    let mut before = None;
    while let Some(letter) = rest.chars().next() {
        let colour = if pass == Pass::Colours { own_colour(rest) } else { None };
        let size = colour.map_or(letter.len_utf8(), str::len);
        let (own, behind) = rest.split_at(size);
        let stays = colour.is_some()
            || match letter {
                '\n' | '\t' => pass != Pass::Nothing,
                it if is_joiner(it) => joins(before, it, behind.chars().next()),
                it => !is_hidden(it),
            };
        if stays {
            out.push_str(own);
        } else {
            let is_line_end = letter == '\r' && behind.starts_with('\n');
            let is_mark = letter == BYTE_ORDER_MARK && rest.len() == text.len();
            // Neither is visible, and editors write both by themselves.
            if !(is_mark || is_line_end && pass != Pass::Nothing) {
                out.extend(letter.escape_unicode());
            }
            changed(text.len() - behind.len(), out.len());
        }
        // An escape ends in a bracket, which nothing joins.
        before = if stays { Some(letter) } else { None };
        rest = behind;
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether a letter may need an escape.
fn is_suspect(it: char) -> bool {
    it == '\r' || is_joiner(it) || is_hidden(it)
}

/// Whether a letter controls a terminal, changes the order of others, or is invisible:
/// control characters, and Unicode's default ignorable ones except joiners.
pub fn is_hidden(it: char) -> bool {
    match it {
        '\n' | '\t' => false,
        // All letters of most texts, so the list below is seldom reached.
        ' '..='~' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' => true,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' => true,
        BYTE_ORDER_MARK | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        it => it.is_control(),
    }
}

/// Whether a character joins letters or emoji, or selects the form of the letter before it.
fn is_joiner(it: char) -> bool {
    matches!(it, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a joiner is used as scripts need it: between letters outside ASCII.
fn joins(before: Option<char>, joiner: char, behind: Option<char>) -> bool {
    let shows = |it: char| !it.is_ascii() && !is_hidden(it) && !is_joiner(it);
    let is_keycap = |it: char| matches!(it, '0'..='9' | '#' | '*') && behind == Some('\u{20e3}');
    match joiner {
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|it| shows(it) || is_keycap(it)),
        _ => before.is_some_and(|it| shows(it) || it == '\u{fe0f}') && behind.is_some_and(shows),
    }
}

/// The escape sequence at the start of a text, if it is one that this program uses for colours:
/// bold, dim, underlined, and letters in one of the sixteen colours.
fn own_colour(text: &str) -> Option<&str> {
    const LONGEST: usize = 12;
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.bytes().take(LONGEST).position(|it| it == b'm')?;
    let is_own = |it: &str| {
        it.len() <= 2
            && it.bytes().all(|it| it.is_ascii_digit())
            && matches!(it.parse(), Ok(0_u8..=2 | 4 | 22 | 24 | 30..=37 | 39 | 90..=97))
    };
    numbers[..end].split(';').all(is_own).then(|| &text[..end + 3])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_written_out() {
        assert_eq!(visible("a\tb\nc"), "a\tb\nc");
        assert_eq!(
            visible("\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\r"),
            r"\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\u{d}"
        );
        assert_eq!(visible("x\r\ny"), "x\ny");
        assert_eq!(
            visible("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}"),
            r"a\u{202e}b\u{2066}c\u{200b}d\u{e0041}"
        );
        assert_eq!(visible_line("a\r\n\tb"), r"a\u{d}\u{a}\u{9}b");
        assert_eq!(visible("\u{feff}a\u{feff}"), r"a\u{feff}");
    }

    #[test]
    fn writing_keeps_its_joiners() {
        for text in [
            "👩\u{200d}🚀",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
        ] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("pay\u{200d}pal"), r"pay\u{200d}pal");
        assert_eq!(visible("日\u{200d}\u{200d}"), r"日\u{200d}\u{200d}");
    }

    #[test]
    fn only_plain_colours_pass_a_renderer() {
        for own in ["\u{1b}[1;31mx\u{1b}[0m", "\u{1b}[2mx\u{1b}[22m", "\u{1b}[36;1;4mx\u{1b}[39m"] {
            assert_eq!(visible_styled(own), own);
            assert!(!visible(own).contains('\u{1b}'));
        }
        for other in [
            "\u{1b}[8mx",
            "\u{1b}[2J",
            "\u{1b}[31337m",
            "\u{1b}]0;x\u{7}",
            "\u{1b}[m",
            "\u{1b}[+1m",
        ] {
            assert!(!visible_styled(other).contains('\u{1b}'), "{other:?}");
        }
    }

    #[test]
    fn places_stay_with_their_letters() {
        let text = "ä\u{1b}b\r\nc\u{202e}d";
        let shown = Visible::of(text);
        assert_eq!(shown.text, "ä\\u{1b}b\nc\\u{202e}d");
        for (at, letter) in text.char_indices().filter(|(_, it)| it.is_alphabetic()) {
            assert!(shown.text[shown.place(at)..].starts_with(letter), "{letter}");
        }
        assert_eq!(shown.place(text.len()), shown.text.len());
        assert_eq!(
            shown.place(text.find('\u{202e}').unwrap()),
            shown.text.find("\\u{202e").unwrap()
        );
    }

    proptest! {
        #[test]
        fn json_means_the_same(text in any::<String>(), more in "[\u{7f}\u{9b}\u{202e}\u{e0041}\n\"a]*") {
            for value in [text, more].map(serde_json::Value::from) {
                let json = value.to_string();
                let shown = visible_json(&json);
                prop_assert!(!shown.contains(is_hidden), "{:?}", shown);
                prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
            }
        }

        #[test]
        fn nothing_hidden_is_left(text in any::<String>(), more in "[\u{1b}\u{9b}\u{202e}\u{200d}\u{fe0f}a\n\r☃]*") {
            for text in [text, more] {
                for shown in [visible(&text), visible_line(&text), visible_styled(&text)] {
                    let hidden = |it: char| is_hidden(it) && it != '\u{1b}';
                    prop_assert!(!shown.contains(hidden), "{:?}", shown);
                }
                prop_assert_eq!(visible(&text).find('\u{1b}'), None);
                prop_assert!(!visible_line(&text).contains(char::is_control));
                let once = visible(&text);
                prop_assert_eq!(visible(&once), once.clone());
            }
        }

        #[test]
        fn every_place_is_one_of_the_text(text in "[a-z\u{1b}\u{9b}\u{202e}ä\n\r☃]*") {
            let shown = Visible::of(&text);
            let mut last = 0;
            for at in (0..=text.len()).filter(|it| text.is_char_boundary(*it)) {
                let place = shown.place(at);
                prop_assert!(shown.text.is_char_boundary(place) && place >= last);
                last = place;
                // In the middle of a line end it is not yet known to be one.
                if !text[..at].ends_with('\r') {
                    prop_assert_eq!(visible(&text[..at]).len(), place, "{}", at);
                }
            }
        }
    }
}
