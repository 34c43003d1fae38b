//! The greatest width of text. No font is available when a picture is drawn, so this uses the
//! widest of the common ones.

/// A length in the picture.
pub(super) type Px = i64;

/// The kinds of text in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Font {
    /// The name of the file.
    File,
    /// The name of a node.
    Name,
    /// Types, amounts and bounds, in a monospaced font.
    Code,
    Badge,
}

impl Font {
    fn size(self) -> Px {
        match self {
            Self::File => 18,
            Self::Name => 13,
            Self::Code => 11,
            Self::Badge => 10,
        }
    }

    /// The distance from one line to the next.
    pub(super) fn line_height(self) -> Px {
        match self {
            Self::File => 26,
            Self::Name => 19,
            Self::Code | Self::Badge => 15,
        }
    }

    /// The width of a letter, in thousandths of the size.
    fn letter(self, letter: char) -> Px {
        match (self, letter) {
            (_, it) if !it.is_ascii() && !"≤·×…→~".contains(it) => 1_150,
            (Self::Code, _) => 605,
            (_, 'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ') => 390,
            (_, 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | 'I') => 490,
            (_, 'm' | 'w' | 'M' | 'W' | '@' | '%' | '…') => 1_110,
            (_, 'A'..='Z' | '#' | '&' | '≤' | '×' | '→' | '~' | '+' | '=' | '<' | '>') => 840,
            (_, _) => 720,
        }
    }

    pub(super) fn width(self, text: &str) -> Px {
        let letters: Px = text.chars().map(|it| self.letter(it)).sum();
        (letters * self.size()).div_euclid(1_000) + 1
    }

    /// The text, shortened to the available room.
    pub(super) fn cut(self, text: &str, room: Px) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let mut kept = String::new();
        for letter in text.chars() {
            if self.width(&kept) + self.width(&format!("{letter}…")) > room {
                break;
            }
            kept.push(letter);
        }
        format!("{}…", kept.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::Font;

    #[test]
    fn what_is_cut_has_room() {
        let long = "a name that is quite long, 名前も長い, and has no end";
        for room in [20, 60, 100, 333] {
            for font in [Font::File, Font::Name, Font::Code, Font::Badge] {
                let cut = font.cut(long, room);
                let is_marked = cut.ends_with('…') || cut == long;
                assert!(font.width(&cut) <= room && is_marked, "{font:?} {room}: {cut}");
            }
        }
        assert_eq!(Font::Code.cut("short", 100), "short");
    }
}
