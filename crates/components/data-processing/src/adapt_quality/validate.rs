//! Validates a value by a JSON schema.

use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, Tool, Var, findings::Finding,
        params, record,
    },
    value::{Record, Type, Value},
};

use crate::worker::{self, Task};

record! {
    /// Whether a value is valid.
    struct Validity {
        /// Whether nothing was found.
        valid: bool,
        /// What is wrong, by place; at most 1,000.
        findings: Vec<Finding>,
    }
}

params! {
    /// Validates a value by a JSON schema (draft 2020-12, or the one that `$schema` names).
    ///
    /// `path` of a finding points into the value, such as `lines[3].amount`, and `rule` is the keyword of
    /// the schema. Where several alternatives (`oneOf`, `anyOf`) are given and none fits, the finding names the
    /// nearest one. Schemas are not loaded from files or servers: those that `$ref` names are given as `others`.
    /// A schema that is not one is an error of kind `invalid_input`; validating has 10 s of processor time.
    pub(super) struct Validate {
        /// The value, for example a list of records.
        value: Var<'T'>,
        /// The schema.
        schema: Var<'S'>,
        /// Further schemas, each under its address.
        others: Option<Var<'O'>> = None,
        /// Whether `format` is tested; the standard says that it only describes.
        formats: bool = false,
    }
}

impl Op for Validate {
    const NAME: &'static str = "validate";
    const YIELDS: Scheme = Validity::SCHEME;
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Failed, ErrorKind::Timeout, ErrorKind::Unsupported];
    const TOOL: Option<Tool> = Some(Tool::builder("validate_records"));
    const SAYS: &'static [&'static str] = &[
        "validate json by a schema",
        "json schema",
        "check records against a schema",
        "which records break the schema",
        "are all required fields there",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two mistakes",
            r#"let schema = { items: { required: ["id"], properties: { n: { minimum: 0 } } } }
'[{"id": 1, "n": -2}, {"n": 3}]' >> parse_json >> profile.validate(schema: schema) >> .findings >> each { { p: .path, m: .message } }"#,
            r#"[{"p":"[0].n","m":"expected at least 0, found -2"},{"p":"[1]","m":"missing `id`"}]"#,
        ),
        Example::err(
            "Not a schema",
            r#"1 >> profile.validate(schema: { type: "number?" })"#,
            "invalid JSON schema",
        ),
    ];
}

impl Compute for Validate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let json =
            |it: Value| it.cast(&Type::Json).map_err(|err| OpError::invalid_input(err.to_string()));
        let asked = Record::from_iter([
            ("value".into(), json(self.value.0)?),
            ("schema".into(), json(self.schema.0)?),
            ("others".into(), json(self.others.map_or(Value::Null, |it| it.0))?),
            ("formats".into(), self.formats.into()),
        ]);
        let found = worker::run(Task::Schema, "", &Value::Record(asked), cx)?;
        let findings = Vec::<Finding>::decode(found)
            .ok_or_else(|| OpError::bug("the worker returned an invalid answer"))?;
        Ok(Validity { valid: findings.is_empty(), findings }.encode())
    }
}
