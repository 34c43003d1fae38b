//! The formats, and the ops that convert between them.

use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use svc_contract::{
    choices,
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Generic, Op, OpError, Scheme, Tool, Var, params,
    },
    value::{Text, Value, arithmetic::LONGEST_TEXT, json, memory},
};

use super::{binary, csv_text, patch::plain, strip_mark, toml_text, too_long, xml, yaml};

choices! {
    /// A format of structured data.
    pub(super) enum Format {
        Json = "json",
        Yaml = "yaml",
        Toml = "toml",
        Xml = "xml",
        Csv = "csv",
        Msgpack = "msgpack",
        Cbor = "cbor",
    }
}

/// A text, or bytes.
pub(super) enum Content {
    Text(Text),
    Bytes(Arc<[u8]>),
}

impl Field for Content {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Text(it) => Some(Self::Text(it)),
            Value::Bytes(it) => Some(Self::Bytes(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::Text(it) => Value::Text(it),
            Self::Bytes(it) => Value::Bytes(it),
        }
    }
}

impl Format {
    fn is_binary(self) -> bool {
        matches!(self, Self::Msgpack | Self::Cbor)
    }

    pub(super) fn read(self, content: &Content, cx: &Cx) -> Result<Value, OpError> {
        match (self.is_binary(), content) {
            (true, Content::Bytes(bytes)) => self.read_bytes(bytes),
            (true, Content::Text(text)) => {
                let bytes = BASE64_STANDARD.decode(text.trim()).map_err(|err| {
                    OpError::invalid_input(format!("invalid base64: {err}"))
                        .help("a text of a binary format is in base64; give bytes as they are")
                })?;
                self.read_bytes(&bytes)
            }
            (false, Content::Text(text)) => self.read_text(text, cx),
            (false, Content::Bytes(bytes)) => {
                let text = std::str::from_utf8(bytes).map_err(|err| {
                    let at = err.valid_up_to();
                    let line = bytes[..at].split(|it| *it == b'\n').count();
                    let why = format!("invalid byte at offset {at}, in line {line}");
                    OpError::invalid_input(format!("not valid UTF-8 ({why})"))
                        .help("convert the text to UTF-8 before")
                })?;
                self.read_text(text, cx)
            }
        }
    }

    fn read_bytes(self, bytes: &[u8]) -> Result<Value, OpError> {
        match self {
            Self::Msgpack => binary::read_msgpack(bytes),
            _ => binary::read_cbor(bytes),
        }
    }

    fn read_text(self, text: &str, cx: &Cx) -> Result<Value, OpError> {
        let text = strip_mark(text);
        match self {
            Self::Yaml => yaml::read(text, cx),
            Self::Toml => toml_text::read(text),
            Self::Xml => xml::read(text, cx),
            Self::Csv => csv_text::read(text, cx),
            _ => json::read(text)
                .map_err(|err| OpError::invalid_input(format!("invalid JSON: {err}")).because(err)),
        }
    }

    /// Writes a value that is JSON.
    fn write(self, value: &Value, cx: &Cx) -> Result<Written, OpError> {
        let text = match self {
            Self::Json => Value::from(
                json::write_within(value, true, LONGEST_TEXT)
                    .ok_or_else(|| memory::check().err().map_or_else(too_long, OpError::from))?,
            ),
            Self::Yaml => yaml::write(value)?,
            Self::Toml => toml_text::write(value)?,
            Self::Xml => xml::write(value)?,
            Self::Csv => csv_text::write(value, cx)?.into(),
            Self::Msgpack => return binary::write_msgpack(value).map(Written::Bytes),
            Self::Cbor => return binary::write_cbor(value).map(Written::Bytes),
        };
        Ok(Written::Text(text))
    }
}

enum Written {
    /// A value that is a text.
    Text(Value),
    Bytes(Vec<u8>),
}

params! {
    /// Converts a text or bytes from one format of structured data to another.
    ///
    /// JSON and XML are written with an indent of two spaces. See `parse_yaml`, `parse_toml`,
    /// `parse_xml` and `to_yaml` for the formats. A document of TOML is an object, and fields that are
    /// null are left out; one of XML is an object with a single field, its outermost element, in the
    /// form that `parse_xml` returns. CSV is a list of objects, one for each row, with the names of
    /// the first row; the types of its columns are guessed. MessagePack and CBOR are bytes, or a text
    /// in base64, and are written as a text in base64; `encode` returns bytes. Text that is not of the
    /// format is an error of kind `invalid_input` with its line; so is a value that the other format
    /// cannot express.
    pub(super) struct Infer {
        /// What to convert.
        text: Content,
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
    const TOOL: Option<Tool> = Some(Tool::builder("convert_format"));
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
        Example::ok(
            "CSV to YAML",
            r#""name,age\nAnn,41\nBob,\n" >> convert(from: "csv", to: "yaml")"#,
            r#""- name: Ann\n  age: 41\n- name: Bob\n  age: ~\n""#,
        ),
        Example::err("Not TOML", r#""a = " >> convert(from: "toml", to: "json")"#, "invalid TOML"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = self.from.read(&self.text, cx)?;
        Ok(match self.to.write(&value, cx)? {
            Written::Text(it) => it,
            Written::Bytes(it) => BASE64_STANDARD.encode(it).into(),
        })
    }
}

params! {
    /// Writes a value in a format of structured data, as bytes.
    ///
    /// MessagePack and CBOR are written in their shortest form, and without what JSON does not have:
    /// units are strings as the language writes them. The other formats are UTF-8. `decode` reads the
    /// result.
    pub(super) struct Encode {
        /// The value to write.
        value: Var<'T'>,
        /// The format.
        format: Format,
    }
}

impl Op for Encode {
    const NAME: &'static str = "encode";
    const YIELDS: Scheme = Scheme::Bytes;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "write messagepack",
        "value as cbor bytes",
        "serialise to a compact binary format",
        "msgpack bytes of an object",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "CBOR",
            r#"{ a: [1, 2] } >> convert.encode(format: "cbor")"#,
            r#""a16161820102""#,
        ),
        Example::err(
            "Not a table",
            r#"{ a: 1 } >> convert.encode(format: "csv")"#,
            "a table is a list of objects, not record",
        ),
    ];
}

impl Compute for Encode {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(match self.format.write(&plain(self.value.0)?, cx)? {
            Written::Text(it) => Value::Bytes(it.as_str().unwrap_or_default().as_bytes().into()),
            Written::Bytes(it) => Value::Bytes(it.into()),
        })
    }
}

params! {
    /// Reads a value from bytes, or from a text, in a format of structured data.
    ///
    /// `decode<T>` also checks that the value is a `T`, which is then the type of the result; without a
    /// type, it is `json`. A text in MessagePack or CBOR is in base64. Byte strings of these formats
    /// become base64, keys that are numbers become strings, and tags of CBOR are left out. What is not
    /// of the format, more than 127 levels of nesting, a duplicate key, an infinite number and text that is not
    /// UTF-8 are errors of kind `invalid_input` with their place.
    pub(super) struct Decode {
        /// What to read.
        content: Content,
        /// The format.
        format: Format,
    }
}

impl Op for Decode {
    const NAME: &'static str = "decode";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const SAYS: &'static [&'static str] = &[
        "read messagepack",
        "parse cbor bytes",
        "msgpack file as data",
        "decode a binary data format",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "There and back",
            r#"{ a: [1.5, -2.5], b: null, c: "ü" } >> convert.encode(format: "msgpack") >> convert.decode(format: "msgpack")"#,
            r#"{"a":[1.5,-2.5],"b":null,"c":"ü"}"#,
        ),
        Example::err(
            "Cut off",
            r#""oWFh" >> convert.decode(format: "cbor")"#,
            "it ends too early, at byte 3",
        ),
    ];
}

impl Compute for Decode {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        self.format.read(&self.content, cx)
    }
}
