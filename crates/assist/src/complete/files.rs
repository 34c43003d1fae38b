//! Completions inside a string that names a file: in `use "..."`, and in arguments that are paths.

use std::path::Path;

use svc_contract::registry::{Effect, Scope};
use svc_lang::diag::Span;

use super::Choices;
use crate::{Callable, Draft, active, call_at, place::Place};

/// The maximum number of entries of a folder that are looked at.
const MOST: usize = 1_000;

/// What is offered besides folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Scripts,
    All,
}

/// Whether the string at a place is an argument that names a file or folder.
pub(super) fn is_path(draft: &Draft<'_>, place: &Place<'_>) -> bool {
    let Some(string) = place.string else { return false };
    let Some(call) = call_at(draft.text(), string.start) else { return false };
    let registry = draft.engine.registry();
    let facts = &draft.analysis.facts;
    let Some(callable @ Callable::Op(op)) = Callable::named(call.name, facts, registry) else {
        return false;
    };
    let names_path = |it: &Effect, name: &str| match it {
        Effect::Reads(Scope::Path(arg)) => *arg == name,
        Effect::Writes { scope: Scope::Path(arg), .. } => *arg == name,
        _ => false,
    };
    let param = active(&call, &callable.ports()).map(|it| op.op.params[it].name);
    param.is_some_and(|name| op.op.effects.iter().any(|it| names_path(it, name)))
}

/// The files and folders that begin with what the string says. They are listed as seen from the
/// folder of the script; a script that is not a file has none.
pub(super) fn add(
    draft: &Draft<'_>,
    place: &Place<'_>,
    string: Span,
    wanted: Wanted,
    items: &mut Choices,
) {
    let Some(folder) = draft.source.folder() else { return };
    items.span = replaced(draft.text(), string, place.at);
    let typed = &draft.text()[string.start + 1..place.at.max(string.start + 1)];
    let before = typed.rfind('/').map_or("", |it| &typed[..=it]);
    // What needs an escape in a string cannot be inserted as it is.
    let is_plain = |it: &str| !it.contains(['"', '\\', '$']) && !it.contains(char::is_control);
    if !is_plain(before) || typed.starts_with(svc_lang::stdlib::PREFIX) {
        return;
    }
    let listed = folder.join(before);
    let found = draft.engine.host().list(&listed, MOST).unwrap_or_default();
    for entry in found {
        let Some(name) = entry.path.file_name().and_then(|it| it.to_str()) else { continue };
        let is_script = || [".svc", ".rhai"].iter().any(|it| name.ends_with(it));
        let is_own = || listed.join(name) == Path::new(draft.source.name());
        let fits = entry.stat.is_dir || wanted == Wanted::All || (is_script() && !is_own());
        if fits && is_plain(name) {
            items.file(&format!("{before}{name}"), entry.stat.is_dir);
        }
    }
}

/// The string to replace: an open one ends at the cursor.
fn replaced(text: &str, string: Span, at: usize) -> Span {
    let inner = &text[string.range()];
    let is_closed = inner.len() > 1 && inner.ends_with('"') && !inner.contains('\n');
    if is_closed { string } else { Span::new(string.start, at) }
}
