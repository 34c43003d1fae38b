//! Newcomers that work with numbers of phones, lists and addresses.

use svc::{
    choices, params, record,
    registry::{
        Bias, Component, ErrorKind, Example, Inline, Max, Op, OpError, Scheme, Var, inline,
    },
    value::{Text, Value},
};

use super::CLUSTER;

pub(super) const ALL: &[&Component] = &[&DREZ, &TWINE, &SNIB, &DOB];

const DREZ: Component = Component {
    name: "drez",
    cluster: CLUSTER,
    summary: "Makes numbers that can be called from everywhere.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Drez>()],
};

choices! {
    /// A country with its own way to write phone numbers.
    enum Country {
        Germany = "germany",
        France = "france",
        Britain = "britain",
        America = "america",
    }
}

params! {
    /// Returns a phone number in the international form of E.164, such as `+493012345`.
    ///
    /// Spaces, dashes, dots, slashes and parentheses are removed, and so is the `0` or `1` with which
    /// calls within the country begin. A number with `+` or `00` keeps its country. Fails if the
    /// number does not have 7 to 15 digits, or has other characters.
    struct Drez {
        /// The phone number.
        phone: Text,
        /// The country of numbers without a country code.
        country: Country,
    }
}

impl Op for Drez {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "phone number in international format",
        "normalise a telephone number",
        "e.164 form of a phone number",
        "add the country code to a mobile number",
        "make a number dialable from abroad",
        "clean up phone numbers",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Berlin", r#"drez("(030) 123-45", "germany")"#, r#""+493012345""#),
        Example::ok("New York", r#"drez("1 (212) 555-0100", "america")"#, r#""+12125550100""#),
        Example::ok(
            "With its country",
            r#"drez("0044 20 7946 0000", "france")"#,
            r#""+442079460000""#,
        ),
        Example::err("A word", r#"drez("home", "britain")"#, "`home` is not a phone number"),
    ];
}

impl Inline for Drez {
    fn run(self) -> Result<Value, OpError> {
        let is_between = |it: &char| matches!(it, ' ' | '-' | '.' | '/' | '(' | ')');
        let plain: String = self.phone.chars().filter(|it| !is_between(it)).collect();
        let abroad = plain.strip_prefix('+').or_else(|| plain.strip_prefix("00"));
        let (code, before) = match self.country {
            Country::Germany => ("49", '0'),
            Country::France => ("33", '0'),
            Country::Britain => ("44", '0'),
            Country::America => ("1", '1'),
        };
        let digits = match abroad {
            Some(digits) => digits.to_owned(),
            None => format!("{code}{}", plain.strip_prefix(before).unwrap_or(&plain)),
        };
        if !(7..=15).contains(&digits.len()) || !digits.bytes().all(|it| it.is_ascii_digit()) {
            let message = format!("`{}` is not a phone number", self.phone);
            return Err(OpError::invalid_input(message));
        }
        Ok(format!("+{digits}").into())
    }
}

const TWINE: Component = Component {
    name: "twine",
    cluster: CLUSTER,
    summary: "Plaits lists.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Jup>()],
};

params! {
    /// Interleaves two lists: the first item of each, then the second of each, and so on.
    ///
    /// What is left of the longer list follows at the end.
    struct Jup {
        /// The list that begins.
        items: Vec<Var<'T'>>,
        /// The other list.
        others: Vec<Var<'T'>>,
    }
}

impl Op for Jup {
    const NAME: &'static str = "jup";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "interleave two lists",
        "alternate between two lists",
        "take turns from both lists",
        "shuffle two stacks into one like cards",
        "one from here, one from there",
        "weave lists together",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Unequal lists", "[1, 3] >> twine.jup(others: [2, 4, 5])", "[1,2,3,4,5]"),
        Example::ok("Nothing to add", r#"["a"] >> twine.jup(others: [])"#, r#"["a"]"#),
    ];
}

impl Inline for Jup {
    fn run(self) -> Result<Value, OpError> {
        let (mut items, mut others) = (self.items.into_iter(), self.others.into_iter());
        let mut woven = Vec::new();
        loop {
            let (item, other) = (items.next(), others.next());
            if item.is_none() && other.is_none() {
                break;
            }
            woven.extend(item.into_iter().chain(other).map(|it| it.0));
        }
        Ok(woven.into())
    }
}

const SNIB: Component = Component {
    name: "snib",
    cluster: CLUSTER,
    summary: "Puts names in the order of people.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Snib>()],
};

params! {
    /// Sorts texts in natural order: numbers in them count by their value, so `a9` is before `a10`.
    ///
    /// Capitals do not matter. Texts that are equal in this order stay in theirs.
    struct Snib {
        /// The texts.
        texts: Vec<Text>,
    }
}

impl Op for Snib {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "natural sort order",
        "sort so that file 2 comes before file 10",
        "human sorting of names with numbers",
        "order versions by their numbers",
        "sort chapters by number",
        "alphanumeric sorting",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Chapters", r#"["ch10", "Ch9", "ch1"] >> snib"#, r#"["ch1","Ch9","ch10"]"#)];
}

/// A part of a text, as it is ordered: digits by their value, before letters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Number(usize, String),
    Word(String),
}

impl Inline for Snib {
    fn run(self) -> Result<Value, OpError> {
        let mut texts = self.texts;
        texts.sort_by_cached_key(|it| pieces(it));
        Ok(texts.into_iter().map(Value::Text).collect::<Vec<_>>().into())
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let chars: Vec<char> = text.to_lowercase().chars().collect();
    let runs = chars.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    runs.map(|run| {
        let text: String = run.iter().collect();
        if !run.iter().all(char::is_ascii_digit) {
            return Piece::Word(text);
        }
        let digits = text.trim_start_matches('0').to_owned();
        Piece::Number(digits.len(), digits)
    })
    .collect()
}

const DOB: Component = Component {
    name: "dob",
    cluster: CLUSTER,
    summary: "Prepares the post.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Kes>()],
};

record! {
    /// Who gets a letter, and where.
    struct Addressee {
        /// The full name.
        name: Text,
        /// The street and the number of the house.
        street: Text,
        /// The postcode.
        postcode: Text,
        /// The city.
        city: Text,
    }
}

params! {
    /// Returns the address label of an envelope: three lines with name, street, and city.
    ///
    /// The last line is the postcode, a space, and the city in capitals.
    struct Kes {
        /// Who gets the letter.
        to: Addressee,
    }
}

impl Op for Kes {
    const NAME: &'static str = "kes";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "address label for an envelope",
        "print the address of a person",
        "postal address of a contact",
        "how to write it on a letter",
        "mailing label of a customer",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "A letter",
        r#"{ name: "Ada", street: "Rue 1", postcode: "75001", city: "Paris" } >> dob.kes"#,
        r#""Ada\nRue 1\n75001 PARIS""#,
    )];
}

impl Inline for Kes {
    fn run(self) -> Result<Value, OpError> {
        let Addressee { name, street, postcode, city } = self.to;
        Ok(format!("{name}\n{street}\n{postcode} {}", city.to_uppercase()).into())
    }
}
