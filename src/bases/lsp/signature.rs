//! Signature help: the parameters of the call at the cursor.

use lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation,
};
use svc_assist::{Callable, Port, active, call_at};

use super::{
    documents::Look,
    hover::{markdown, page},
};

/// The signature of the innermost call around a place, and the active argument.
pub(super) fn signature(look: &Look<'_>, at: usize) -> Option<SignatureHelp> {
    let call = call_at(look.text(), at)?;
    let registry = look.documents.engine.registry();
    let callable = Callable::named(call.name, &look.analysis.facts, registry)?;
    let ports = callable.ports();
    let active = active(&call, &ports).and_then(|it| u32::try_from(it).ok());
    let information = SignatureInformation {
        label: callable.signature(),
        documentation: Some(page(&callable)),
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

fn parameter(port: Port) -> ParameterInformation {
    let documentation = Some(port.doc).filter(|it| !it.is_empty());
    ParameterInformation {
        label: ParameterLabel::Simple(port.label),
        documentation: documentation.map(|it| Documentation::MarkupContent(markdown(it))),
    }
}
