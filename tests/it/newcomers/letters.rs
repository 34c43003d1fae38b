//! Newcomers that change or measure words.

use svc::{
    params,
    registry::{Bias, Component, Example, Inline, Op, OpError, Scheme, inline},
    value::{Text, Value},
};

use super::CLUSTER;

pub(super) const ALL: &[&Component] = &[&QUAF, &TAVO, &GWAN, &HIST, &FENN, &PELK];

const QUAF: Component = Component {
    name: "quaf",
    cluster: CLUSTER,
    summary: "Moves letters along the alphabet.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Quaf>()],
};

params! {
    /// Encrypts a text with the Caesar cipher: each letter is moved along the alphabet.
    ///
    /// After `z` follows `a`. Capitals stay capitals, and everything but the letters a to z is kept.
    struct Quaf {
        /// The text to encrypt.
        text: Text,
        /// By how many letters; a negative shift decrypts.
        #[range(-25..=25)]
        shift: i64 = 3,
    }
}

impl Op for Quaf {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "caesar cipher",
        "shift the letters by three",
        "rot13 a message",
        "encrypt with a letter shift",
        "rotate the alphabet",
        "secret writing by moved letters",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("By three", r#""Xyz, abc!" >> quaf"#, r#""Abc, def!""#),
        Example::ok("Back", r#""Abc" >> quaf(shift: -3)"#, r#""Xyz""#),
    ];
}

impl Inline for Quaf {
    fn run(self) -> Result<Value, OpError> {
        let shift = u8::try_from(self.shift.rem_euclid(26)).unwrap_or_default();
        let moved = |it: char, first: u8| {
            let place = u8::try_from(it).unwrap_or(first) - first;
            char::from(first + (place + shift) % 26)
        };
        let text: String = self
            .text
            .chars()
            .map(|it| match it {
                'a'..='z' => moved(it, b'a'),
                'A'..='Z' => moved(it, b'A'),
                other => other,
            })
            .collect();
        Ok(text.into())
    }
}

const TAVO: Component = Component {
    name: "tavo",
    cluster: CLUSTER,
    summary: "Writes text for a telegraph.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Tavo>()],
};

/// The letters a to z, then the digits 0 to 9, in the International Morse code.
const SIGNS: [&str; 36] = [
    ".-", "-...", "-.-.", "-..", ".", "..-.", "--.", "....", "..", ".---", "-.-", ".-..", "--",
    "-.", "---", ".--.", "--.-", ".-.", "...", "-", "..-", "...-", ".--", "-..-", "-.--", "--..",
    "-----", ".----", "..---", "...--", "....-", ".....", "-....", "--...", "---..", "----.",
];

params! {
    /// Writes a text in Morse code, with dots and dashes.
    ///
    /// A space separates letters, and ` / ` words. Only the letters a to z and digits are written.
    struct Tavo {
        /// The text to write.
        text: Text,
    }
}

impl Op for Tavo {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "morse code of a text",
        "dots and dashes",
        "write it as a telegram",
        "sos in morse",
        "telegraph alphabet",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Two words", r#""Go 1!" >> tavo"#, r#""--. --- / .----""#)];
}

impl Inline for Tavo {
    fn run(self) -> Result<Value, OpError> {
        let words = self.text.split_whitespace().map(|word| {
            let signs: Vec<&str> = word.chars().filter_map(sign).collect();
            signs.join(" ")
        });
        let words: Vec<String> = words.filter(|it| !it.is_empty()).collect();
        Ok(words.join(" / ").into())
    }
}

fn sign(of: char) -> Option<&'static str> {
    let place = match u8::try_from(of.to_ascii_lowercase()).ok()? {
        letter @ b'a'..=b'z' => letter - b'a',
        digit @ b'0'..=b'9' => 26 + digit - b'0',
        _ => return None,
    };
    SIGNS.get(usize::from(place)).copied()
}

const GWAN: Component = Component {
    name: "gwan",
    cluster: CLUSTER,
    summary: "Plays with the first sounds of words.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Gwan>()],
};

params! {
    /// Translates English words to Pig Latin, in lower case.
    ///
    /// A word that begins with a vowel (a, e, i, o, u) gets `way` at its end. Of other words, all
    /// letters before the first vowel move to the end, followed by `ay`. Words are separated by one
    /// space.
    struct Gwan {
        /// The words.
        text: Text,
    }
}

impl Op for Gwan {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "pig latin",
        "say it in igpay atinlay",
        "move the first consonants to the end and add ay",
        "children's secret language",
        "translate into pig latin",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Two kinds of words", r#""String apple" >> gwan"#, r#""ingstray appleway""#)];
}

impl Inline for Gwan {
    fn run(self) -> Result<Value, OpError> {
        let lower = self.text.to_lowercase();
        let words = lower.split_whitespace().map(|word| match word.find(is_plain_vowel) {
            Some(0) => format!("{word}way"),
            Some(at) => format!("{}{}ay", &word[at..], &word[..at]),
            None => format!("{word}ay"),
        });
        Ok(words.collect::<Vec<_>>().join(" ").into())
    }
}

fn is_plain_vowel(it: char) -> bool {
    matches!(it, 'a' | 'e' | 'i' | 'o' | 'u')
}

const HIST: Component = Component {
    name: "hist",
    cluster: CLUSTER,
    summary: "Packs repeated characters.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Oy>()],
};

params! {
    /// Encodes the runs of equal characters of a text: how often, then the character.
    ///
    /// A character that stands alone has the count 1, so `aab` becomes `2a1b`.
    struct Oy {
        /// The text to encode.
        text: Text,
    }
}

impl Op for Oy {
    const NAME: &'static str = "oy";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "run-length encoding",
        "rle of a string",
        "pack repeated characters as counts",
        "compress runs of the same letter",
        "aaab as 3a1b",
        "collapse repeats into a number and the letter",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Three runs", r#""aaabcc" >> hist.oy"#, r#""3a1b2c""#)];
}

impl Inline for Oy {
    fn run(self) -> Result<Value, OpError> {
        let chars: Vec<char> = self.text.chars().collect();
        let runs = chars.chunk_by(|a, b| a == b);
        let text: String =
            runs.filter_map(|it| Some(format!("{}{}", it.len(), it.first()?))).collect();
        Ok(text.into())
    }
}

const FENN: Component = Component {
    name: "fenn",
    cluster: CLUSTER,
    summary: "Files names by their sound.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Fenn>()],
};

params! {
    /// Returns the Soundex code of a name: its first letter and three digits for its sound.
    ///
    /// American Soundex: names that sound alike in English have the same code.
    struct Fenn {
        /// The name.
        name: Text,
    }
}

impl Op for Fenn {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "soundex code of a surname",
        "phonetic key of a name",
        "names that sound alike",
        "how a last name sounds",
        "index names by sound",
        "robert and rupert have the same code",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Alike", r#"["Robert", "Rupert"] >> each { fenn }"#, r#"["R163","R163"]"#),
        Example::ok("`h` does not separate", r#""Ashcraft" >> fenn"#, r#""A261""#),
        Example::err("No letters", r#""42" >> fenn"#, "has no letters"),
    ];
}

impl Inline for Fenn {
    fn run(self) -> Result<Value, OpError> {
        let letters: Vec<char> =
            self.name.to_uppercase().chars().filter(char::is_ascii_uppercase).collect();
        let Some((first, rest)) = letters.split_first() else {
            return Err(OpError::invalid_input(format!("`{}` has no letters", self.name)));
        };
        let (mut code, mut last) = (String::from(*first), sound(*first));
        for letter in rest {
            let sound = sound(*letter);
            if let Some(digit) = sound.filter(|_| sound != last) {
                code.push(digit);
            }
            if !matches!(letter, 'H' | 'W') {
                last = sound;
            }
        }
        Ok(format!("{code:0<4.4}").into())
    }
}

fn sound(letter: char) -> Option<char> {
    Some(match letter {
        'B' | 'F' | 'P' | 'V' => '1',
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => '2',
        'D' | 'T' => '3',
        'L' => '4',
        'M' | 'N' => '5',
        'R' => '6',
        _ => return None,
    })
}

const PELK: Component = Component {
    name: "pelk",
    cluster: CLUSTER,
    summary: "Measures how words are spoken.",
    version: 1,
    bias: Bias::new("groups of vowels", &["the words are English"]),
    aliases: &[],
    ops: &[inline::<Pelk>()],
};

params! {
    /// Counts the syllables of English words.
    ///
    /// A syllable is a group of the vowels a, e, i, o, u and y. An `e` that ends a word does not
    /// count after a consonant other than `l`. A word has at least one syllable.
    struct Pelk {
        /// The words.
        text: Text,
    }
}

impl Op for Pelk {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "count the syllables",
        "how many syllables does a word have",
        "beats of a haiku line",
        "number of spoken parts of a word",
        "syllables in a verse",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A silent `e`", r#""A lone banana" >> pelk"#, "5"),
        Example::ok("After `l`", r#""little table" >> pelk"#, "4"),
    ];
}

impl Inline for Pelk {
    fn run(self) -> Result<Value, OpError> {
        let lower = self.text.to_lowercase();
        let words = lower.split(|it: char| !it.is_ascii_alphabetic()).filter(|it| !it.is_empty());
        Ok(words.map(syllables).sum::<usize>().into())
    }
}

fn syllables(word: &str) -> usize {
    let is_vowel = |it: &char| is_plain_vowel(*it) || *it == 'y';
    let letters: Vec<char> = word.chars().collect();
    let groups = letters.chunk_by(|a, b| is_vowel(a) == is_vowel(b));
    let groups = groups.filter(|it| it.first().is_some_and(is_vowel)).count();
    let is_silent = match letters.as_slice() {
        [.., before, 'e'] => !is_vowel(before) && *before != 'l',
        _ => false,
    };
    groups.saturating_sub(usize::from(is_silent)).max(1)
}
