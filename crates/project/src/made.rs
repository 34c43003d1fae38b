//! Components that are made at run time: what those of documents and of servers share.

use std::time::Duration;

use svc_contract::{
    registry::{
        Bias, Component, Deferred, ErrorKind, Generic, Limits, Measure, OpDef, Param, ParamDefault,
        Price, Scheme, Takes, Version, called_io,
    },
    value::{Money, Value, json},
};
use svc_openapi::{Lock, Operation, Shape, fingerprint};

use crate::types::{Types, leaked};

/// What the settings say of the calls of an op.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) price: Option<Money>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_retries: Option<u32>,
}

/// An op without params and effects yet.
pub(crate) fn op(name: &'static str, doc: &str, version: Version, terms: Terms) -> OpDef {
    OpDef {
        name,
        version,
        doc: leaked(doc),
        says: &[],
        tool: None,
        params: Deferred::Is(&[]),
        yields: Deferred::Is(Scheme::Json),
        generic: Generic::No,
        effects: &[],
        decide: None,
        check: None,
        price: terms.price.map_or(Price::Free, Price::Fixed),
        errors: ErrorKind::OF_SERVERS,
        limits: Limits {
            max_tokens: Limits::DEFAULT.max_tokens,
            timeout: terms.timeout.or(Limits::DEFAULT.timeout),
            max_retries: terms.max_retries.unwrap_or(Limits::DEFAULT.max_retries),
            ..Limits::DEFAULT
        },
        output: Measure::Unknown,
        takes: Takes::Unsaid,
        examples: &[],
        body: called_io(),
    }
}

/// The params of an operation; the first one is the input. `lock` has the named types.
pub(crate) fn params(
    operation: &Operation,
    types: &Types,
    lock: Option<&Lock<'static>>,
) -> Vec<Param> {
    let of_operation = operation.params.iter().map(|it| {
        let scheme = types.scheme(lock, &it.shape);
        let default = it.default.as_ref().and_then(|it| json::read(&it.to_string()).ok());
        let default = default.and_then(|it| it.cast(&scheme.plain()).ok());
        let null = matches!(it.shape, Shape::Opt(_)).then_some(Value::Null);
        param(&it.name, &it.doc, scheme, default.or(null))
    });
    let mut all: Vec<Param> = of_operation.collect();
    if let Some(first) = all.first_mut() {
        first.is_input = true;
    }
    all
}

pub(crate) fn param(name: &str, doc: &str, scheme: Scheme, default: Option<Value>) -> Param {
    let default = default.map(|it| ParamDefault::Is(Box::leak(Box::new(it))));
    let doc = leaked(&format!(" {doc}\n"));
    Param::new(leaked(name), doc, scheme, default)
}

/// A component with these ops, which is never freed.
pub(crate) fn component(
    name: &'static str,
    cluster: &'static str,
    summary: &str,
    ops: Vec<OpDef>,
) -> &'static Component {
    Box::leak(Box::new(Component {
        name,
        cluster,
        summary: leaked(summary),
        version: 1,
        bias: Bias::NONE,
        aliases: &[],
        ops: ops.leak(),
    }))
}

/// A version that changes with a text.
pub(crate) fn version_of(text: &str) -> Version {
    let digits = fingerprint(text.as_bytes());
    Version::Own(u32::from_str_radix(&digits[..8], 16).unwrap_or_default())
}

/// Settings for an op that is not there; `what` it is not.
pub(crate) fn unknown_op<'a>(
    unknown: &str,
    what: &str,
    all: impl Iterator<Item = &'a str>,
) -> String {
    let near = all.min_by_key(|it| strsim::levenshtein(it, unknown));
    let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
    format!("`ops` names `{unknown}`, which is not {what}{near}")
}
