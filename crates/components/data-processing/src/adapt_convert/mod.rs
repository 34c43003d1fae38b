//! Converts between JSON, YAML and TOML.

use svc_contract::{
    choices,
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Generic, Op, OpError, Scheme, Var,
        compute, params,
    },
    value::{Text, Type, Value, arithmetic::LONGEST_TEXT, json, memory},
};

mod toml_text;
mod yaml;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_convert",
    cluster: "data-processing",
    summary: "Reads, writes and converts YAML, TOML and JSON.",
    version: 1,
    bias: Bias::new(
        "YAML 1.2 by its core schema, TOML 1.1, JSON of RFC 8259",
        &["a text holds exactly one document", "a repeated key is a mistake"],
    ),
    aliases: &[
        ("convert", "infer"),
        ("parse_yaml", "parse_yaml"),
        ("to_yaml", "to_yaml"),
        ("parse_toml", "parse_toml"),
    ],
    ops: &[compute::<Infer>(), compute::<ParseYaml>(), compute::<ToYaml>(), compute::<ParseToml>()],
};

/// The most levels of nesting, as in JSON.
const DEEPEST: usize = 127;

choices! {
    /// A format of structured data.
    enum Source {
        Json = "json",
        Yaml = "yaml",
        Toml = "toml",
    }
}

choices! {
    /// A format that is written.
    enum Target {
        Json = "json",
        Yaml = "yaml",
    }
}

params! {
    /// Converts a text from one format of structured data to another.
    ///
    /// JSON is written with an indent of two spaces. See `parse_yaml`, `parse_toml` and `to_yaml` for
    /// the formats. Text that is not of the format is an error of kind `invalid_input` with its line.
    struct Infer {
        /// The text to convert.
        text: Text,
        /// Its format.
        from: Source,
        /// The format of the result.
        to: Target,
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
        Example::err("Not TOML", r#""a = " >> convert(from: "toml", to: "json")"#, "invalid TOML"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = match self.from {
            Source::Json => json::read(strip_mark(&self.text))
                .map_err(|err| OpError::invalid_input(format!("invalid JSON: {err}")).because(err)),
            Source::Yaml => yaml::read(strip_mark(&self.text), cx),
            Source::Toml => toml_text::read(strip_mark(&self.text)),
        }?;
        match self.to {
            Target::Json => json::write_within(&value, true, LONGEST_TEXT)
                .map(Value::from)
                .ok_or_else(|| memory::check().err().map_or_else(too_long, OpError::from)),
            Target::Yaml => yaml::write(&value),
        }
    }
}

/// Editors on Windows start a file with this mark.
fn strip_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
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
