//! Converts between JSON, YAML, TOML and XML.

use svc_contract::{
    choices,
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, Var,
        compute, params,
    },
    value::{Text, Type, Value, arithmetic::LONGEST_TEXT, json, memory},
};

mod toml_text;
mod xml;
mod xml_types;
mod yaml;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_convert",
    cluster: "data-processing",
    summary: "Reads, writes and converts YAML, TOML, XML and JSON.",
    version: 2,
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
        compute::<Infer>(),
        compute::<ParseYaml>(),
        compute::<ToYaml>(),
        compute::<ParseToml>(),
        compute::<ParseXml>(),
    ],
};

/// The most levels of nesting, as in JSON.
const DEEPEST: usize = 127;

choices! {
    /// A format of structured data.
    enum Format {
        Json = "json",
        Yaml = "yaml",
        Toml = "toml",
        Xml = "xml",
    }
}

params! {
    /// Converts a text from one format of structured data to another.
    ///
    /// JSON and XML are written with an indent of two spaces. See `parse_yaml`, `parse_toml`,
    /// `parse_xml` and `to_yaml` for the formats. A document of TOML is an object, and fields that are
    /// null are left out; one of XML is an object with a single field, its outermost element, in the
    /// form that `parse_xml` returns. Text that is not of the format is an error of kind
    /// `invalid_input` with its line; so is a value that the other format cannot express.
    struct Infer {
        /// The text to convert.
        text: Text,
        /// Its format.
        from: Format,
        /// The format of the result.
        to: Format,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "convert yaml to json",
        "turn a toml configuration into yaml",
        "change the format of a settings file",
        "json as yaml",
        "turn xml into json",
        "write toml",
        "translate a config between json, yaml, toml and xml",
        "from one data format into another",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "YAML to JSON",
            r#""a: [1, x]" >> convert(from: "yaml", to: "json")"#,
            r#""{\n  \"a\": [\n    1,\n    \"x\"\n  ]\n}""#,
        ),
        Example::ok(
            "TOML to YAML",
            r#"convert("[a]\nb = 1.5\n", "toml", "yaml")"#,
            r#""a:\n  b: 1.5\n""#,
        ),
        Example::ok(
            "JSON to XML",
            r#"'{"list": {"@n": 2, "item": ["a", "b"]}}' >> convert(from: "json", to: "xml")"#,
            r#""<list n=\"2\">\n  <item>a</item>\n  <item>b</item>\n</list>\n""#,
        ),
        Example::err("Not TOML", r#""a = " >> convert(from: "toml", to: "json")"#, "invalid TOML"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = match self.from {
            Format::Json => json::read(strip_mark(&self.text))
                .map_err(|err| OpError::invalid_input(format!("invalid JSON: {err}")).because(err)),
            Format::Yaml => yaml::read(strip_mark(&self.text), cx),
            Format::Toml => toml_text::read(strip_mark(&self.text)),
            Format::Xml => xml::read(strip_mark(&self.text), cx),
        }?;
        match self.to {
            Format::Json => json::write_within(&value, true, LONGEST_TEXT)
                .map(Value::from)
                .ok_or_else(|| memory::check().err().map_or_else(too_long, OpError::from)),
            Format::Yaml => yaml::write(&value),
            Format::Toml => toml_text::write(&value),
            Format::Xml => xml::write(&value),
        }
    }
}

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
    /// strings, as the core schema of YAML 1.2 says. An empty text is null. Text that is not YAML,
    /// a second document, a duplicate key, a key that is a list or an object, `.inf` and `.nan`, and
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
    /// Units are strings as the language writes them; strings that YAML could take for something else
    /// are quoted. Fails if the result would be larger than 256 MiB.
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
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "A record",
        r#"{ name: "Ann", tags: ["x", "true"] } >> to_yaml"#,
        r#""name: Ann\ntags:\n  - x\n  - \"true\"\n""#,
    )];
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
