//! Converts between formats of structured data; picks, compares and changes parts of JSON values.

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, Var,
        compute, params,
    },
    value::{Text, Type, Value},
};

mod binary;
mod csv_text;
mod diff;
mod formats;
mod jq;
mod jsonpath;
mod patch;
mod pointer;
mod query;
mod same;
#[cfg(test)]
mod tests;
mod toml_text;
mod xml;
mod xml_rules;
mod xml_types;
mod yaml;
mod yaml_scalars;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_convert",
    cluster: "data-processing",
    summary: "Converts JSON, YAML, TOML, XML, CSV, MessagePack and CBOR; JSONPath, jq, JSON patches.",
    version: 3,
    bias: Bias::new(
        "YAML 1.2 by its core schema, TOML 1.1, XML 1.0 without entities of its own, JSON of RFC 8259",
        &["a text holds exactly one document", "a repeated key is a mistake"],
    ),
    aliases: &[
        ("convert", "infer"),
        ("parse_yaml", "parse_yaml"),
        ("to_yaml", "to_yaml"),
        ("parse_toml", "parse_toml"),
        ("parse_xml", "parse_xml"),
    ],
    ops: &[
        compute::<formats::Infer>(),
        compute::<ParseYaml>(),
        compute::<ToYaml>(),
        compute::<ParseToml>(),
        compute::<ParseXml>(),
        compute::<formats::Encode>(),
        compute::<formats::Decode>(),
        compute::<query::Query>(),
        compute::<diff::Diff>(),
        compute::<patch::Patch>(),
    ],
};

pub(crate) use jq::run as run_jq;

/// The most levels of nesting, as in JSON.
const DEEPEST: usize = 127;

/// Editors on Windows start a file with this mark.
fn strip_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The place of a byte, for messages.
fn place(text: &str, offset: usize) -> String {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!(", at line {line}, column {column}")
}

fn too_long() -> OpError {
    OpError::failed("the result would be larger than 256MiB (limit of one call)")
}

fn too_deep() -> OpError {
    OpError::invalid_input(format!("too many levels of nesting (limit {DEEPEST})"))
}

params! {
    /// Parses a document of YAML 1.2.
    ///
    /// `parse_yaml<T>` also checks that the document is a `T`, which is then the type of the result;
    /// without a type, it is `json`. Anchors and merge keys (`<<`) are resolved. `yes` and `no` are
    /// strings, as the core schema of YAML 1.2 says. Tags of YAML itself decide what a text is (`!!str 1`, `!!int "1"`), where
    /// bytes and times stay texts; others, such as `!Ref`, are left out. An empty text is null. Text that is not YAML,
    /// a text that does not fit its tag, an unknown tag of YAML such as `!!python/tuple`, a second document, a duplicate key, a key that is a list or an object, `.inf` and `.nan`, and
    /// more than 127 levels of nesting are errors of kind `invalid_input`, with line and column.
    struct ParseYaml {
        /// The text: one document.
        text: Text,
    }
}

impl Op for ParseYaml {
    const NAME: &'static str = "parse_yaml";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const SAYS: &'static [&'static str] = &[
        "read yaml",
        "parse a docker compose file",
        "settings in a yml file",
        "front matter of a page",
        "yaml as typed records",
        "load a .yml or .yaml config",
        "kubernetes or github actions manifest as data",
        "header of a markdown post",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typed document",
            r#""name: Ann\nages: [7, 9]" >> parse_yaml<{ name: string, ages: [int] }>() >> .ages >> sum"#,
            "16",
        ),
        Example::ok(
            "An anchor",
            r#""base: &b { x: 1 }\nmore: { <<: *b, y: 2 }" >> parse_yaml >> at(path: "more")"#,
            r#"{"x":1,"y":2}"#,
        ),
        Example::ok("Tags", r#""- !!str 1\n- !!int '2'" >> parse_yaml"#, r#"["1",2]"#),
        Example::err(
            "A key twice",
            r#""a: 1\na: 2" >> parse_yaml"#,
            "duplicate key `a`, at line 2",
        ),
    ];
}

impl Compute for ParseYaml {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        yaml::read(strip_mark(&self.text), cx)
    }
}

params! {
    /// Writes a value as YAML.
    ///
    /// Units are strings as the language writes them; strings that a reader of YAML 1.1 or 1.2 could take for something else, such as `yes`, `1_000` and `2024-01-01`,
    /// are quoted. Floats that are not finite are null, as in JSON. Fails if the result would be larger than 256 MiB.
    struct ToYaml {
        /// The value to write.
        value: Var<'T'>,
    }
}

impl Op for ToYaml {
    const NAME: &'static str = "to_yaml";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "write data as yaml",
        "make a yml configuration",
        "save a record as yaml",
        "dump for people to edit",
        "emit a .yaml document",
        "yaml text of an object",
        "readable config output",
        "serialise to yml",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A record",
            r#"{ name: "Ann", tags: ["x", "true"] } >> to_yaml"#,
            r#""name: Ann\ntags:\n  - x\n  - \"true\"\n""#,
        ),
        Example::ok(
            "Texts that look like something else",
            r#"["1_000", "2024-01-01", "1.2.3"] >> to_yaml"#,
            r#""- \"1_000\"\n- \"2024-01-01\"\n- 1.2.3\n""#,
        ),
    ];
}

impl Compute for ToYaml {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        let value = self.value.0.cast(&Type::Json);
        yaml::write(&value.map_err(|err| OpError::invalid_input(err.to_string()))?)
    }
}

params! {
    /// Parses a document of TOML 1.1.
    ///
    /// `parse_toml<T>` also checks that the document is a `T`, which is then the type of the result;
    /// without a type, it is `json`. Dates and times are strings. The keys of a table are in
    /// alphabetical order. Text that is not TOML, `inf` and `nan` are errors of kind `invalid_input`
    /// with line and column.
    struct ParseToml {
        /// The text: one document.
        text: Text,
    }
}

impl Op for ParseToml {
    const NAME: &'static str = "parse_toml";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const SAYS: &'static [&'static str] = &[
        "read toml",
        "parse a cargo manifest",
        "settings in a toml file",
        "dependencies of pyproject.toml",
        "load a .toml config",
        "what does my cargo.toml or pyproject contain",
        "toml text into an object",
        "rust package settings",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A table",
            r#""[server]\nport = 80\nsince = 2026-01-31" >> parse_toml"#,
            r#"{"server":{"port":80,"since":"2026-01-31"}}"#,
        ),
        Example::err("No value", r#""a = 1\nb =" >> parse_toml"#, "at line 2, column 4"),
    ];
}

impl Compute for ParseToml {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        toml_text::read(strip_mark(&self.text))
    }
}

params! {
    /// Parses a document of XML 1.0.
    ///
    /// The result is an object with the outermost element. An element is an object of its attributes,
    /// as `@name`, and its elements; several of the same name are a list. Text next to them is
    /// `#text`. An element with nothing but text is that text, without space around it, and an
    /// empty one is the empty string. Names keep their prefix; comments, the declaration and a
    /// DOCTYPE are left out.
    ///
    /// `parse_xml<T>` reads the texts as the types of `T`: numbers, booleans, dates, units, choices.
    /// A field is the element of its name, else the attribute, else one of them with a prefix; `text`
    /// is also the text of an element. A list has all elements of its name, also one or none.
    ///
    /// Text that is not well-formed, an entity that XML does not define itself, a value that is not
    /// of its type, and more than 127 levels of nesting are errors of kind `invalid_input`.
    struct ParseXml {
        /// The text: one document.
        text: Text,
    }
}

impl Op for ParseXml {
    const NAME: &'static str = "parse_xml";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Read;
    const SAYS: &'static [&'static str] = &[
        "read xml",
        "parse an rss feed or a sitemap",
        "xml as typed records",
        "elements and attributes of an xml document",
        "turn a soap answer into json",
        "load an .xml document",
        "feed entries, such as atom or podcasts",
        "tags of an xml export",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Elements and attributes",
            r#""<list n='2'><item>a</item><item>b</item></list>" >> parse_xml"#,
            r#"{"list":{"@n":"2","item":["a","b"]}}"#,
        ),
        Example::ok(
            "Typed records",
            r#"type Book = { id: int, title: string, price: float? }
"<books><book id='7'><title>Emma</title></book></books>" >> parse_xml<{ books: { book: [Book] } }>() >> .books.book"#,
            r#"[{"id":7,"title":"Emma","price":null}]"#,
        ),
        Example::err("An open element", r#""<a><b></a>" >> parse_xml"#, "invalid XML"),
        Example::err(
            "Not a number",
            r#""<a><n>x</n></a>" >> parse_xml<{ a: { n: int } }>()"#,
            "`a.n`: expected int, found \"x\"",
        ),
    ];
}

impl Compute for ParseXml {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = xml::read(strip_mark(&self.text), cx)?;
        match cx.wanted() {
            Some(ty) => xml_types::typed(value, ty),
            None => Ok(value),
        }
    }
}
