//! Signature help: what the call around the cursor takes.

use lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation,
};

use super::{
    describe::{Callable, Port, markdown},
    documents::Look,
    place::{Call, call_at},
};

/// The signature of the innermost call around a place, and the argument that is written.
pub(super) fn signature(look: &Look<'_>, at: usize) -> Option<SignatureHelp> {
    let call = call_at(look.text(), at)?;
    let registry = look.documents.engine.registry();
    let callable = Callable::named(call.name, &look.analysis.facts, registry)?;
    let ports = callable.ports();
    let active = active(&call, &ports).and_then(|it| u32::try_from(it).ok());
    let information = SignatureInformation {
        label: callable.signature(),
        documentation: Some(callable.documentation()),
        parameters: Some(ports.into_iter().map(parameter).collect()),
        active_parameter: active,
    };
    let active_parameter = active;
    Some(SignatureHelp {
        signatures: vec![information],
        active_signature: Some(0),
        active_parameter,
    })
}

/// The parameter that an argument is for: the value that enters a stage fills the first.
fn active(call: &Call<'_>, ports: &[Port]) -> Option<usize> {
    match call.argument {
        Some(name) => ports.iter().position(|it| it.name == name),
        None => {
            let idx = call.idx + usize::from(call.is_stage);
            (idx < ports.len()).then_some(idx)
        }
    }
}

fn parameter(port: Port) -> ParameterInformation {
    let documentation = Some(port.doc).filter(|it| !it.is_empty());
    ParameterInformation {
        label: ParameterLabel::Simple(port.label),
        documentation: documentation.map(|it| Documentation::MarkupContent(markdown(it))),
    }
}
