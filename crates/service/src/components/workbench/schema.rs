//! What a job takes and gives.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, OpRef, Scheme, Scope,
        Tool, nearest, params, record,
    },
    value::{Text, Type, Value},
};
use svc_lang::{
    check::{Term, TermKind},
    diag::Source,
};

use super::{Bench, outside};
use crate::{Args, Bounds, Folder, Served, tools};

record! {
    /// What a job takes and gives.
    struct JobSchema {
        /// The tool or the script.
        job: String,
        /// The JSON Schema of its input.
        input_schema: Value,
        /// The JSON Schema of its result.
        output_schema: Value,
        /// An input that is accepted, if one is known.
        example: Option<Value>,
    }
}

params! {
    /// Returns the JSON Schemas of the input and the result of a job, with an example.
    pub(super) struct InputSchema {
        /// A tool or a served script.
        job: Text,
    }
}

impl Op for InputSchema {
    const NAME: &'static str = "input_schema";
    const YIELDS: Scheme = JobSchema::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("registry"))];
    const SAYS: &'static [&'static str] =
        &["which input does a job take", "schema of the input of a job", "example input for a job"];
    const TOOL: Option<Tool> = Some(Tool::free("job_input_schema"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.input_schema("guide_ask")"#);
}

impl Compute for InputSchema {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let rows = tools::table(bench.engine.registry());
        if let Some(row) = rows.iter().find(|it| it.name == &*self.job) {
            let example = of_tool(&bench, row.op).map(of_args);
            return Ok(JobSchema {
                job: self.job.to_string(),
                input_schema: row.input_schema.clone(),
                output_schema: row.output_schema.clone(),
                example,
            }
            .encode());
        }
        let scripts = bench.folder().map(Folder::scripts).unwrap_or_default();
        if let Some(served) = scripts.iter().find(|it| it.name == *self.job) {
            return Ok(JobSchema {
                job: self.job.to_string(),
                input_schema: served.input_schema.clone(),
                output_schema: served.output_schema.clone(),
                example: of_script(served).map(of_args),
            }
            .encode());
        }
        let names = rows.iter().map(|it| it.name).chain(scripts.iter().map(|it| it.name.as_str()));
        let error = OpError::not_found(format!(
            "unknown job `{}`: it is neither a tool nor a served script",
            self.job
        ));
        Err(match nearest(&self.job, names) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help("`guide_find_tool` finds the tool for a task"),
        })
    }
}

fn of_args(args: Args) -> Value {
    Value::Record(args.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
}

/// The arguments of the first example of an op that is a single call, if the op accepts them
/// without the files of the example.
fn of_tool(bench: &Bench, op: OpRef) -> Option<Args> {
    let examples = op.op.examples.iter();
    let alone = examples.filter(|it| it.yields.is_ok() && it.files.is_empty());
    alone.filter_map(|it| args_of(bench, op, it.script)).find(|args| {
        let mut step = svc_engine::blocks::PipelineStep::new(op.component.name, op.op.name);
        step.params = args.clone();
        let call = crate::Call { work: crate::Work::Op(step), bounds: Bounds::default() };
        let none = |name: &str| Err(crate::Fault::not_found(name.to_owned()));
        let resolved = crate::Resolved::of(call, &bench.engine, &none);
        resolved.is_ok_and(|it| it.plan(&bench.engine).is_ok())
    })
}

/// The arguments of the op in a script that consists of one call of it, with at most one constant
/// before it.
fn args_of(bench: &Bench, op: OpRef, script: &str) -> Option<Args> {
    let program = bench.engine.check(Source::new("example", script)).ok()?;
    let main = program.main.as_ref()?;
    let (input, call) = match &main.kind {
        TermKind::Call(call) => (None, call),
        TermKind::Pipeline(terms) => match terms.as_slice() {
            [input, Term { kind: TermKind::Call(call), .. }] => (constant(input), call),
            _ => return None,
        },
        _ => return None,
    };
    if call.op.to_string() != op.to_string() {
        return None;
    }
    let mut args = Args::new();
    for (param, term) in op.op.params.iter().zip(&call.args) {
        let value = match &term.kind {
            TermKind::Var(_) => input.clone()?,
            _ => constant(term)?,
        };
        let is_default = param.default.is_some_and(|it| it.value() == value);
        if !is_default && !value.is_null() {
            args.insert(param.name.to_owned(), value);
        }
    }
    Some(args)
}

fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Const(value) => Some(value.clone()),
        _ => None,
    }
}

/// Values for the params of a script that must be given.
fn of_script(served: &Served) -> Option<Args> {
    let inputs = served.plan.program().inputs.iter();
    let required = inputs.filter(|it| it.is_required() && !it.is_secret());
    required.map(|it| Some((it.name.to_string(), sample(&it.ty)?))).collect()
}

/// A small value of a type that needs nothing outside.
fn sample(ty: &Type) -> Option<Value> {
    match ty {
        Type::Optional(_) => Some(Value::Null),
        Type::Bool => Some(Value::Bool(true)),
        other => {
            let tried = [Value::from("text"), Value::Int(1), Value::Float(0.5)];
            tried.into_iter().find_map(|it| it.cast(other).ok())
        }
    }
}
