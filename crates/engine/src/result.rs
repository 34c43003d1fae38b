//! The type of the result that a program needs from a script.

use std::sync::Arc;

use svc_contract::{registry::Scheme, value::Type};
use svc_lang::{
    check::{Checked, Term, TermKind},
    diag::{Code, Problem, Report, Span},
    plan::Plan,
};

/// The plan, if the result of its script fits the expected type.
pub(super) fn of_type(plan: Arc<Plan>, wanted: Option<Scheme>) -> Result<Arc<Plan>, Report> {
    match wanted.and_then(|it| misfit(plan.program(), it)) {
        Some(problem) => {
            let mut report = plan.program().warnings.clone();
            report.problems.push(problem);
            Err(report)
        }
        None => Ok(plan),
    }
}

/// The problem of a script whose result has another type, at its last stage.
fn misfit(program: &Checked, wanted: Scheme) -> Option<Problem> {
    let (given, span) = match &program.main {
        Some(main) if main.ty.fits(&lenient(&wanted.plain())) => return None,
        Some(main) => (main.ty.to_string(), last_stage(main)),
        None => ("nothing".to_owned(), Span::default()),
    };
    let message = format!("expected {}, found {given}", wanted.show());
    let problem = Problem::error(Code::E217, span, message)
        .label(format!("this is {given}"))
        .help("the program that runs the script needs a result of this type");
    Some(problem)
}

/// The place that decides the type of a pipeline.
fn last_stage(main: &Term) -> Span {
    match &main.kind {
        TermKind::Pipeline(stages) => stages.last().map_or(main.span, last_stage),
        TermKind::Block(block) => last_stage(&block.result),
        _ => main.span,
    }
}

/// The type with `json` replaced by a type that everything fits: the program takes any value there.
fn lenient(ty: &Type) -> Type {
    match ty {
        Type::Json => Type::Unknown,
        Type::Optional(inner) => lenient(inner).optional(),
        Type::List(item, max) => Type::List(Arc::new(lenient(item)), *max),
        Type::Map(item) => Type::Map(Arc::new(lenient(item))),
        Type::Record(of) => {
            let fields = of.fields.iter().map(|(name, ty)| (name.clone(), lenient(ty)));
            Type::record(fields.collect())
        }
        other => other.clone(),
    }
}
