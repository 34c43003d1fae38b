//! Bounds that cannot be met for the values of one caller, but for those of another.

use svc_contract::value::Text;

use super::{EstimateContext, Problems, abstract_value::AbstractValue, walk::Walk};
use crate::{
    check::Checked,
    diag::{Code, Problem, Severity, Span},
};

/// The place of a bound that cannot be met, and the path of the call of a flow around it.
#[derive(Clone, Debug)]
pub(super) struct Impossible {
    pub(super) span: Span,
    pub(super) call: Option<Text>,
}

/// Turns errors about bounds into warnings if they follow from a default or from an argument of a
/// call: with other values the bound can be met, so the caller is named.
pub(super) fn blame_callers(
    program: &Checked,
    context: &EstimateContext<'_>,
    problems: &mut Problems,
) {
    let is_meant = |it: &Problem| it.code == Code::E309 && it.is_error();
    if !problems.by_file.iter().any(|(_, all)| all.iter().any(is_meant)) {
        return;
    }
    let certain = certain(program, context);
    let impossible = std::mem::take(&mut problems.impossible);
    for (source, all) in &mut problems.by_file {
        for problem in all.iter_mut().filter(|it| is_meant(it)) {
            if certain.has(source, problem) {
                continue;
            }
            let call = impossible.iter().find(|it| it.span == problem.span());
            let help = match call.and_then(|it| it.call.as_ref()) {
                Some(call) => format!(
                    "pass other values in the call `{call}`, or change the bound: the flow itself can keep it"
                ),
                None => format!(
                    "change {}, or pass other values to the script",
                    defaults(program, context)
                ),
            };
            *problem = Problem { severity: Severity::Warning, ..problem.clone().help(help) };
        }
    }
}

/// The problems of a program whose flows and inputs may have any values but the given ones.
fn certain(program: &Checked, context: &EstimateContext<'_>) -> Problems {
    let mut walk = Walk::new(program, context);
    walk.is_open = true;
    if let Some(main) = &program.main {
        let open = program.inputs.iter().map(|it| match context.given.get(&it.name) {
            Some(value) => AbstractValue::Known(value.clone()),
            None => AbstractValue::given(&it.ty),
        });
        let open = open.collect();
        walk.whole(main, open);
    }
    walk.flows_by_themselves();
    walk.problems
}

/// The defaults that an estimate uses, in words.
fn defaults(program: &Checked, context: &EstimateContext<'_>) -> String {
    let used = program
        .inputs
        .iter()
        .filter(|it| it.default.is_some() && !context.given.contains_key(&it.name));
    match used.collect::<Vec<_>>().as_slice() {
        [only] => format!("the default of `{}`", only.name),
        _ => "the defaults of the params".to_owned(),
    }
}
