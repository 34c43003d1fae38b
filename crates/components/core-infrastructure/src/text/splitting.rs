//! Splits and joins texts.

use svc_contract::{
    registry::{
        CheckCall, ErrorKind, Example, Inline, Items, Max, Measure, Op, OpError, Scheme, params,
    },
    value::{Text, Value},
};

use super::super::test_text_len;

const TEXTS: Scheme = Scheme::List(&Scheme::Text, Max::Unknown);

fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> Value {
    Value::List(parts.map(Value::text).collect())
}

params! {
    /// Splits a text at a separator.
    ///
    /// Adjacent separators and separators at the ends produce empty strings; a text without a
    /// separator is returned as the only item. An empty separator is an error.
    pub(super) struct Split {
        /// The text to split.
        text: Text,
        /// The text between the parts, matched literally (not a pattern).
        sep: Text,
    }
}

impl Op for Split {
    const NAME: &'static str = "split";
    const YIELDS: Scheme = TEXTS;
    const CHECK: Option<CheckCall> = Some(|call| call.test("sep", |it: Text| test_separator(&it)));
    const SAYS: &'static [&'static str] = &[
        "split a string at commas",
        "break a line into its fields",
        "separate values divided by semicolons",
        "the parts between the slashes of an address",
        "turn a comma-separated line into a list",
        "tokenise on a delimiter",
        "explode a string into an array",
        "take apart at every comma",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Fields of a line", r#""a,b,,c" >> split(sep: ",")"#, r#"["a","b","","c"]"#),
        Example::err("An empty separator", r#""abc" >> split(sep: "")"#, "`sep` is empty"),
    ];
}

impl Inline for Split {
    fn run(self) -> Result<Value, OpError> {
        test_separator(&self.sep)?;
        Ok(texts(self.text.split(&*self.sep)))
    }
}

fn test_separator(sep: &str) -> Result<(), OpError> {
    if sep.is_empty() {
        let help = "use `words` to split at white space, or `lines` at line ends";
        return Err(OpError::invalid_input("`sep` is empty").help(help));
    }
    Ok(())
}

params! {
    /// Joins strings into one, with a separator between them.
    ///
    /// The result for an empty list is the empty string. Fails if the result would be larger than
    /// 256 MiB.
    pub(super) struct Join {
        /// The strings to join.
        items: Items<Text>,
        /// The text to put between the strings.
        sep: Text = "".into(),
    }
}

impl Op for Join {
    const NAME: &'static str = "join";
    const YIELDS: Scheme = Scheme::Text;
    const OUTPUT: Measure = Measure::Joined("items", "sep");
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "glue strings together",
        "concatenate words",
        "put a comma between the names",
        "merge strings with a separator",
        "write a list of names as one line",
        "stick the elements of an array together with a delimiter",
        "implode into a single string",
        "one long string with something in between",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A list in words", r#"["a", "b", "c"] >> join(sep: ", ")"#, r#""a, b, c""#),
        Example::ok("Without a separator", r#"join(["4", "2"])"#, r#""42""#),
    ];
}

impl Inline for Join {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0.iter().map(text_of).collect::<Result<Vec<_>, _>>()?;
        let letters: usize = items.iter().map(|it| it.len()).sum();
        let between = self.sep.len().saturating_mul(items.len().saturating_sub(1));
        test_text_len(letters.saturating_add(between))?;
        Ok(items.join(&*self.sep).into())
    }
}

fn text_of(item: &Value) -> Result<&str, OpError> {
    item.as_str().ok_or_else(|| {
        let message = format!("expected a list of strings, found an item of type {}", item.kind());
        OpError::invalid_input(message)
            .help("use `each { show }` to convert other values to strings")
    })
}

params! {
    /// Splits a text into its lines, which end with `\n` or `\r\n`.
    ///
    /// The line ends are not part of the lines, and a line end at the end of the text does not
    /// start another line.
    pub(super) struct Lines {
        /// The text to split.
        text: Text,
    }
}

impl Op for Lines {
    const NAME: &'static str = "lines";
    const YIELDS: Scheme = TEXTS;
    const SAYS: &'static [&'static str] = &[
        "split a text into lines",
        "go through a text line by line",
        "break a text at its newlines",
        "one entry for each line of a log",
        "separate the verses of a poem",
        "rows of a text one after another",
        "iterate over the newlines of a string",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Two lines", r#""one\r\ntwo\n" >> lines"#, r#"["one","two"]"#)];
}

impl Inline for Lines {
    fn run(self) -> Result<Value, OpError> {
        Ok(texts(self.text.lines()))
    }
}

params! {
    /// Splits a text at any white space.
    ///
    /// Punctuation stays with its word. A blank text has no words.
    pub(super) struct Words {
        /// The text to split.
        text: Text,
    }
}

impl Op for Words {
    const NAME: &'static str = "words";
    const YIELDS: Scheme = TEXTS;
    const SAYS: &'static [&'static str] = &[
        "split a sentence into words",
        "break a text at spaces",
        "tokenise by white space",
        "every single word of a paragraph",
        "all words of an essay",
        "tokens of a phrase separated by whitespace",
        "chop a sentence into its terms",
        "chop a line up into words",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Words", r#""to  be, or\nnot" >> words"#, r#"["to","be,","or","not"]"#),
        Example::ok("Counting words", r#"len(words("to be or not"))"#, "4"),
    ];
}

impl Inline for Words {
    fn run(self) -> Result<Value, OpError> {
        Ok(texts(self.text.split_whitespace()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives, many};

    use super::*;

    #[test]
    fn separators_at_the_ends_count() {
        gives::<Split>(r#"["", ","]"#, r#"[""]"#);
        gives::<Split>(r#"[",a,", ","]"#, r#"["","a",""]"#);
        gives::<Split>(r#"["aaa", "aa"]"#, r#"["","a"]"#);
        gives::<Split>(r#"["1→2", "→"]"#, r#"["1","2"]"#);
        assert_eq!(fails::<Split>(r#"["a", ""]"#).kind, ErrorKind::InvalidInput);
    }

    #[test]
    fn lines_end_either_way() {
        gives::<Lines>(r#"["a\nb\r\n\nc"]"#, r#"["a","b","","c"]"#);
        gives::<Lines>(r#"["a\rb"]"#, r#"["a\rb"]"#);
        gives::<Lines>(r#"[""]"#, "[]");
        gives::<Words>(r#"[" \t\n"]"#, "[]");
    }

    #[test]
    fn joining_nothing_is_empty() {
        gives::<Join>("[[]]", r#""""#);
        gives::<Join>(r#"[["ä"], "-"]"#, r#""ä""#);
        assert!(fails::<Join>("[[1]]").message.contains("item of type int"));
    }

    #[test]
    fn joining_too_much_fails_before_memory_does() {
        let sep = Value::from("x".repeat(1 << 20));
        let err = fails_with::<Join>(vec![many(300, "a".into()), sep]);
        assert_eq!(err.kind, ErrorKind::Failed);
    }
}
