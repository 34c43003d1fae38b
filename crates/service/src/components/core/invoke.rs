//! One op of a component by its names.

use std::sync::Arc;

use svc_contract::{
    registry::{ErrorKind, Example, Field, Inline, Op, OpError, Scheme, Tool, params, record},
    value::{Text, Type, Value},
};
use svc_engine::{Engine, blocks::PipelineStep};
use svc_lang::diag::Source;

use super::{Meta, ResourceBounds, millis, run_id, with};
use crate::{
    Answer, Bounds, Call, Fault, Work,
    call::Args,
    decode::{AnyFields, decode},
    quality::Quality,
    resolve::in_a_script,
};

record! {
    /// The result of an operation.
    struct Invoked {
        /// The result itself.
        result: Value,
        /// The confidence that the result states, if it does.
        confidence: Option<f64>,
        /// How good the result is, if anything is known of that.
        quality: Option<Quality>,
        /// The time of the call in milliseconds.
        ms: f64,
        /// The run, if it is stored.
        run_id: Option<String>,
    }
}

params! {
    /// Calls one op of a component by its names, with params as an object.
    pub(super) struct Invoke {
        /// The component, or a short name of one of its ops.
        component: Text,
        /// The op.
        op: Text = "infer".into(),
        /// The arguments by the names of the params.
        params: AnyFields = AnyFields::none(),
        /// Tighter bounds than the default ones.
        bounds: Option<ResourceBounds> = None,
        /// A label for usage reports.
        session_id: Option<Text> = None,
    }
}

impl Op for Invoke {
    const NAME: &'static str = "invoke";
    const YIELDS: Scheme = Invoked::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "call a component by its name",
        "invoke an operation with a json object",
        "run one op from another program",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invoke_component"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script calls the component itself",
        r#"core.invoke("text", op: "upper")"#,
        "a script cannot call it",
    )];
}

impl Inline for Invoke {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("core.invoke"))
    }
}

params! {
    /// Calls one op of a component by its names, and tests that the result has a type.
    pub(super) struct InvokeTyped {
        /// The component, or a short name of one of its ops.
        component: Text,
        /// The type of the result, as scripts write it: `[{ title: string }]`.
        expect: Text,
        /// The op.
        op: Text = "infer".into(),
        /// The arguments by the names of the params.
        params: AnyFields = AnyFields::none(),
        /// Tighter bounds than the default ones.
        bounds: Option<ResourceBounds> = None,
        /// A label for usage reports.
        session_id: Option<Text> = None,
    }
}

impl Op for InvokeTyped {
    const NAME: &'static str = "invoke_typed";
    const YIELDS: Scheme = Invoked::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "call a component and check the type of the result",
        "invoke an operation that must give a given shape",
        "typed call from another program",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invoke_component_typed"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script calls the component itself",
        r#"core.invoke_typed("text", expect: "string", op: "upper")"#,
        "a script cannot call it",
    )];
}

impl Inline for InvokeTyped {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("core.invoke_typed"))
    }
}

/// The type that a caller expects of a result.
#[derive(Clone)]
pub(crate) struct Expected(Arc<Type>);

impl Expected {
    /// Reads a type as the type of a param, so that it may name the records of components.
    fn parse(text: &str, engine: &Engine) -> Result<Self, Fault> {
        let wrong = |why: String| Fault::field("expect", why);
        if text.contains(['\n', '\r', '=', '#']) {
            return Err(wrong(format!("expected a type on one line, found {text:?}")));
        }
        let checked = engine.check(Source::new("expect", format!("param value: {text}\nvalue")));
        let program = checked.map_err(|report| {
            let first = report.errors().next().map(|it| it.message.clone());
            wrong(format!("expected a type, found `{text}`: {}", first.unwrap_or_default()))
        })?;
        let input = program.inputs.iter().find(|it| it.name.as_ref() == "value");
        let ty =
            input.map(|it| it.ty.clone()).ok_or_else(|| wrong("expected a type".to_owned()))?;
        Ok(Self(Arc::new(ty)))
    }

    /// Tests a result; a misfit is an error of the kind `invalid_output`, with its path.
    pub(super) fn test(&self, value: &Value) -> Result<(), Fault> {
        match value.clone().cast(&self.0) {
            Ok(_) => Ok(()),
            Err(misfit) => {
                let message = misfit.within("result").to_string();
                Err(OpError::new(ErrorKind::InvalidOutput, message).into())
            }
        }
    }
}

pub(super) fn work(args: Args, bounds: Bounds) -> Result<(Call, Meta), Fault> {
    let asked: Invoke = decode(args)?;
    let call = call(&asked.component, &asked.op, asked.params, asked.bounds, bounds)?;
    Ok((call, Meta::Invoke))
}

pub(super) fn typed_work(
    args: Args,
    bounds: Bounds,
    engine: &Engine,
) -> Result<(Call, Meta), Fault> {
    let asked: InvokeTyped = decode(args)?;
    let expected = Expected::parse(&asked.expect, engine)?;
    let call = call(&asked.component, &asked.op, asked.params, asked.bounds, bounds)?;
    Ok((call, Meta::InvokeTyped(expected)))
}

fn call(
    component: &str,
    op: &str,
    params: AnyFields,
    own: Option<ResourceBounds>,
    bounds: Bounds,
) -> Result<Call, Fault> {
    let mut step = PipelineStep::new(component, op);
    step.params = params.args();
    Ok(Call { work: Work::Op(step), bounds: with(own, bounds)? })
}

pub(super) fn result(answer: &Answer) -> Value {
    Invoked {
        result: answer.value.clone(),
        confidence: answer.confidence(),
        quality: answer.quality.clone(),
        ms: millis(answer.took),
        run_id: run_id(answer),
    }
    .encode()
}
