//! Picks parts of a JSON value.

use svc_contract::{
    choices,
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Field as _, Foreseen, KnownCall, Max, Op,
        OpError, Scheme, Var, params,
    },
    value::{Text, Value},
};

use super::{jsonpath, patch::plain, place, pointer};
use crate::worker::{self, Task};

choices! {
    /// The language of a query.
    enum Language {
        Jsonpath = "jsonpath",
        Jq = "jq",
        Pointer = "pointer",
    }
}

params! {
    /// Picks or computes parts of a JSON value by JSONPath (RFC 9535), jq, or a JSON pointer (RFC 6901).
    ///
    /// All results are a list, which may be empty. JSONPath: `$.store.book[?@.price < 10].title`,
    /// with the functions `length`, `count`, `value`, `match` and `search`. jq:
    /// `.store.book[] | select(.price < 10) | .title`, and all that the program `jq` computes, but
    /// without modules, the environment and the clock; a jq program has 10 s of processor time and 512 MiB of memory. A pointer:
    /// `/store/book/0/title`, with one result or none.
    ///
    /// A query that is not well-formed is an error of kind `invalid_input` with its place.
    pub(super) struct Query {
        /// The value.
        value: Var<'T'>,
        /// The query.
        path: Text,
        /// The language of the query.
        language: Language = Language::Jsonpath,
    }
}

impl Op for Query {
    const NAME: &'static str = "query";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(check);
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Failed, ErrorKind::Timeout, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "jsonpath query",
        "run a jq program",
        "jq filter on json",
        "value at a json pointer",
        "pick nested values out of json by an expression",
        "all prices anywhere in a json document",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "JSONPath",
            r#"{ books: [{ title: "A", price: 8 }, { title: "B", price: 12 }] } >> convert.query(path: "$.books[?@.price < 10].title")"#,
            r#"["A"]"#,
        ),
        Example::ok(
            "jq",
            r#"{ books: [{ title: "A", price: 8 }, { title: "B", price: 12 }] } >> convert.query(path: "[.books[].price] | add / length", language: "jq")"#,
            "[10.0]",
        ),
        Example::ok(
            "A JSON pointer",
            r#"{ a: [{ b: "w" }, { b: "x" }] } >> convert.query(path: "/a/1/b", language: "pointer")"#,
            r#"["x"]"#,
        ),
        Example::err(
            "A mistake",
            r#"{ a: 1 } >> convert.query(path: "$.a[")"#,
            "at line 1, column 5",
        ),
    ];
}

impl Compute for Query {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = plain(self.value.0)?;
        match self.language {
            Language::Jq => worker::run(Task::Jq, &self.path, &value, cx),
            Language::Pointer => {
                let parts = pointer::parts(&self.path)?;
                Ok(Value::from(
                    pointer::get(&value, &parts).cloned().into_iter().collect::<Vec<_>>(),
                ))
            }
            Language::Jsonpath => {
                let found = jsonpath::find(&parsed(&self.path)?, &value, cx)?;
                Ok(Value::from(found.into_iter().cloned().collect::<Vec<_>>()))
            }
        }
    }
}

fn parsed(path: &str) -> Result<jsonpath::Query, OpError> {
    jsonpath::parse(path).map_err(|err| {
        let place = place(path, err.offset);
        OpError::invalid_input(format!("invalid JSONPath: {}{place}", err.why))
            .help("write it like `$.items[?@.price < 10].name`")
    })
}

/// Reads the query, if it is not one of jq, which has a process of its own.
fn check(call: &KnownCall<'_>) -> Foreseen {
    let language = call.value("language").and_then(|it| Language::decode(it.clone()));
    call.test("path", |path: Text| match language {
        Some(Language::Jsonpath) => parsed(&path).map(drop),
        Some(Language::Pointer) => pointer::parts(&path).map(drop),
        Some(Language::Jq) | None => Ok(()),
    })
}
