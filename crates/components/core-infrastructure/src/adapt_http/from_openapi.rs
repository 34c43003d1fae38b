//! The operations of an OpenAPI document that a run receives.

use svc_contract::{
    record,
    registry::{Compute, Cx, ErrorKind, Example, Field, Limits, Max, Op, OpError, Scheme, params},
    value::{Text, Value, json},
};
use svc_openapi::{Api, Operation, Parameter};

record! {
    /// An operation of a document.
    struct OpInfo {
        /// The name that it has as an op.
        name: Text,
        /// What it does.
        doc: Text,
        /// The method of its requests.
        method: Text,
        /// Its path, with the names of params in braces.
        path: Text,
        /// Whether it changes nothing.
        reads: bool,
        /// Those that a call must give come first.
        params: Vec<ParamInfo>,
        /// The type of the result.
        result: Text,
    }
}

record! {
    /// A param of an operation.
    struct ParamInfo {
        /// Its name.
        name: Text,
        /// Its type; one that ends with `?` may be left out.
        r#type: Text,
        /// What it means.
        doc: Text,
    }
}

params! {
    /// Lists the operations of an OpenAPI specification, version 3.0 or 3.1.
    ///
    /// It is a value of JSON, or a text in JSON or YAML. Each operation has the name and
    /// the types that it gets as an op of an API, which `svc api add` makes of it. Those that cannot
    /// become ops are left out, and a notice says why.
    pub(super) struct FromOpenapi {
        /// The specification.
        specification: Specification,
    }
}

/// JSON, or a text.
struct Specification(Value);

impl Field for Specification {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Json]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

impl Op for FromOpenapi {
    const NAME: &'static str = "from_openapi";
    const YIELDS: Scheme = Scheme::List(&OpInfo::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[];
    const LIMITS: Limits = Limits::DEFAULT;
    const SAYS: &'static [&'static str] = &[
        "what an openapi file offers",
        "list the endpoints of a swagger file",
        "operations of a rest api by its specification",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Names and types",
            r#"let document = "openapi: 3.1.0\npaths:\n  /pets/{id}:\n    get: { operationId: getPet, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }] }"
openapi_ops(document) >> each { "${.name}(${.params[0]?.name ?? ""}: ${.params[0]?.type ?? ""})" }"#,
            r#"["get_pet(id: int)"]"#,
        ),
        Example::err(
            "Another format",
            r#"openapi_ops("swagger: '2.0'")"#,
            "expected an OpenAPI document of version 3, found Swagger 2.0",
        ),
    ];
}

impl Compute for FromOpenapi {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text = match &self.specification.0 {
            Value::Text(text) => text.to_string(),
            other => json::write(other),
        };
        let wrong = |err: svc_openapi::ReadError| OpError::invalid_input(err.to_string());
        let document = svc_openapi::parse(text.as_bytes()).map_err(wrong)?;
        cx.check()?;
        let api = Api::read(&document, &[]).map_err(wrong)?;
        for it in &api.skipped {
            cx.notice(format!("{} is not an op: {}", it.operation, it.reason));
        }
        Ok(api.operations.iter().map(info).collect::<Vec<Value>>().into())
    }
}

fn info(of: &Operation) -> Value {
    let params = of.params.iter().map(param);
    let info = OpInfo {
        name: of.name.as_str().into(),
        doc: of.doc.as_str().into(),
        method: of.method.as_str().into(),
        path: of.path.as_str().into(),
        reads: of.reads(),
        params: params.collect(),
        result: of.result.to_string().into(),
    };
    info.encode()
}

fn param(of: &Parameter) -> ParamInfo {
    ParamInfo {
        name: of.name.as_str().into(),
        r#type: of.shape.to_string().into(),
        doc: of.doc.as_str().into(),
    }
}
