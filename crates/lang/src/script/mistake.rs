//! What is wrong with inline code before it runs.

use rhai::{LexError, ParseError, ParseErrorType as Rhai};
use svc_contract::{registry::near, value::units};

use super::{failure::lower, limits, sandbox};

/// A mistake that rhai finds when it reads code, and where in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub message: String,
    /// What the place is.
    pub label: &'static str,
    pub help: Option<String>,
    /// The word that is meant.
    pub meant: Option<String>,
    /// Whether nothing else can be meant.
    pub is_sure: bool,
    pub place: (usize, usize),
}

impl Mistake {
    /// Reads what rhai says; `known` are the names that the code is given.
    pub(super) fn of(err: &ParseError, place: (usize, usize), known: &[&str]) -> Self {
        let (message, label, help) = told(&err.0);
        let near = match err.0.as_ref() {
            Rhai::VariableUndefined(name) => near(name, known.iter().copied()),
            _ => None,
        };
        let (meant, is_sure) = (near.map(|it| it.name), near.is_some_and(|it| it.is_sure));
        let help = match meant {
            Some(meant) => Some(format!("did you mean `{meant}`?")),
            None => help,
        };
        Self { message, label, help, meant: meant.map(str::to_owned), is_sure, place }
    }

    pub(super) fn too_long(len: usize) -> Self {
        let most = units::show_size(limits::CODE as u64);
        Self {
            message: format!("inline code has at most {most}"),
            label: "too long",
            help: Some("write a component".to_owned()),
            meant: None,
            is_sure: false,
            place: (0, len),
        }
    }

    /// The same with a place of the file, whose code begins at `base`.
    pub(super) fn in_file(mut self, base: usize) -> Self {
        self.place = (base + self.place.0, base + self.place.1);
        self
    }
}

fn told(err: &Rhai) -> (String, &'static str, Option<String>) {
    let help = |it: &str| Some(it.to_owned());
    match err {
        Rhai::VariableUndefined(name) => (
            format!("there is no variable `{name}` in the code"),
            "not known",
            help(
                "code sees its parameters, and a function or closure in it only its own: name what it needs as a parameter, as in `rhai(x: int, k: int = k)`",
            ),
        ),
        Rhai::Reserved(word) => reserved(word),
        Rhai::BadInput(LexError::ImproperSymbol(word, _))
            if sandbox::DISABLED.contains(&word.as_str()) =>
        {
            reserved(word)
        }
        Rhai::BadInput(LexError::UnterminatedString) => {
            ("the string has no end".to_owned(), "begins or goes on here", None)
        }
        Rhai::BadInput(err) => (lower(err.to_string()), "not rhai", None),
        Rhai::MissingToken(token, purpose) => {
            (format!("`{token}` is due here {purpose}"), "something else stands here", None)
        }
        Rhai::UnexpectedEOF => ("the code ends too early".to_owned(), "ends here", None),
        Rhai::ExprTooDeep => (
            format!("expressions are nested more than {} levels deep", limits::EXPRESSIONS),
            "too deep",
            help("give parts of it names with `let`"),
        ),
        Rhai::TooManyFunctions => {
            (format!("more than {} functions", limits::FUNCTIONS), "one too many", None)
        }
        Rhai::LiteralTooLarge(what, most) => {
            (format!("{} larger than {most}", lower(what.clone())), "too large", None)
        }
        Rhai::ModuleUndefined(name) => (
            format!("there is no module `{name}`"),
            "code has no modules",
            help("write the function in the code itself"),
        ),
        // `f.curry(x)`: the word is no name of a function any more.
        Rhai::PropertyExpected => (
            "the name of a field or of a function is due here".to_owned(),
            "neither",
            help("`curry`, `print`, `debug` and `eval` are not available in code"),
        ),
        Rhai::WrongFnDefinition => (
            "a function stands inside something else".to_owned(),
            "not at the top of the code",
            help("define functions at the top of the code"),
        ),
        other => (lower(other.to_string()), "not rhai", None),
    }
}

fn reserved(word: &str) -> (String, &'static str, Option<String>) {
    let help = match word {
        "import" | "export" => Some("code has no modules: write the function in the code itself"),
        "eval" => Some("code cannot make code: write a function, or `switch`"),
        "print" | "debug" => {
            Some("code has no output: make what you want to see a part of the result")
        }
        "curry" => Some("give the value as a parameter of the function"),
        _ => None,
    };
    (format!("`{word}` is not available in code"), "not available", help.map(str::to_owned))
}
