//! Problems of inline code before it runs.

use rhai::{LexError, ParseError, ParseErrorType as Rhai};
use svc_contract::{registry::near, value::units};

use super::{Mistake, failure::lower, limits, sandbox};

impl Mistake {
    /// Converts an error of rhai; `known` are the names available to the code.
    pub(super) fn of(err: &ParseError, place: (usize, usize), known: &[&str]) -> Self {
        let (message, label, help) = explanation(&err.0);
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
            message: format!("inline code too long (limit {most})"),
            label: "too long",
            help: Some("write a component".to_owned()),
            meant: None,
            is_sure: false,
            place: (0, len),
        }
    }

    /// Moves the place from the code to the file, where the code begins at `base`.
    pub(super) fn in_file(mut self, base: usize) -> Self {
        self.place = (base + self.place.0, base + self.place.1);
        self
    }
}

fn explanation(err: &Rhai) -> (String, &'static str, Option<String>) {
    let help = |it: &str| Some(it.to_owned());
    match err {
        Rhai::VariableUndefined(name) => (
            format!("unknown variable `{name}`"),
            "not known",
            help(
                "add a parameter, as in `rhai(x: int, k: int = k)`: code only sees its parameters, and a function or closure only its own",
            ),
        ),
        Rhai::Reserved(word) => reserved(word),
        Rhai::BadInput(LexError::ImproperSymbol(word, _))
            if sandbox::DISABLED.contains(&word.as_str()) =>
        {
            reserved(word)
        }
        Rhai::BadInput(LexError::UnterminatedString) => {
            ("unterminated string".to_owned(), "starts or continues here", None)
        }
        Rhai::BadInput(err) => (lower(err.to_string()), "not valid rhai", None),
        Rhai::MissingToken(token, purpose) => {
            (format!("expected `{token}` {purpose}"), "unexpected token", None)
        }
        Rhai::UnexpectedEOF => ("unexpected end of the code".to_owned(), "ends here", None),
        Rhai::ExprTooDeep => (
            format!("expressions nested too deeply (limit {} levels)", limits::EXPRESSIONS),
            "too deep",
            help("name parts of it with `let`"),
        ),
        Rhai::TooManyFunctions => {
            (format!("too many functions (limit {})", limits::FUNCTIONS), "one too many", None)
        }
        Rhai::LiteralTooLarge(what, most) => {
            (format!("{} too large (limit {most})", lower(what.clone())), "too large", None)
        }
        Rhai::ModuleUndefined(name) => (
            format!("unknown module `{name}`"),
            "not available in code",
            help("write the function in the code itself"),
        ),
        // `f.curry(x)`: the word is disabled, so it is not a name of a function.
        Rhai::PropertyExpected => (
            "expected the name of a field or function".to_owned(),
            "not a field or function",
            help("`curry`, `print`, `debug` and `eval` are not available in code"),
        ),
        Rhai::WrongFnDefinition => (
            "function inside another block".to_owned(),
            "not at the top level of the code",
            help("move the function to the top level of the code"),
        ),
        other => (lower(other.to_string()), "not valid rhai", None),
    }
}

fn reserved(word: &str) -> (String, &'static str, Option<String>) {
    let help = match word {
        "import" | "export" => Some("write the function in the code itself: code has no modules"),
        "eval" => Some("write a function, or use `switch`: code cannot create code"),
        "print" | "debug" => Some("add the value to the result: code has no output"),
        "is_shared" => Some("remove it: code has no shared values"),
        "curry" => Some("pass the value as a parameter of the function"),
        _ => None,
    };
    (format!("`{word}` is not available in code"), "not available", help.map(str::to_owned))
}
