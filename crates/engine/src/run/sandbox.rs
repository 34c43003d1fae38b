//! Restricts the file access of a call to the paths in its arguments.

use std::{path::PathBuf, sync::Arc};

use svc_contract::{
    host::{
        Host,
        guard::{self, By, Fence, Guard, Rules, Web},
    },
    registry::{Effect, OpDef, Scope},
    value::Value,
};

/// The host of a call. An op that declares the paths it touches is restricted to them; an op
/// that touches no paths from its arguments is not restricted, because its paths are
/// configured.
pub(super) fn narrowed(host: &Arc<dyn Host>, op: &OpDef, args: &[Value]) -> Arc<dyn Host> {
    let named = |param: &str| {
        let idx = op.params.iter().position(|it| it.name == param);
        idx.and_then(|it| args.get(it)).map(paths).unwrap_or_default()
    };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for effect in op.effects {
        match effect {
            Effect::Reads(Scope::Path(param)) => reads.extend(named(param)),
            Effect::Writes { scope: Scope::Path(param), .. } => writes.extend(named(param)),
            _ => {}
        }
    }
    if !op.touches_paths() {
        return host.clone();
    }
    // A path that cannot be resolved grants nothing, and fails as it would have anyway.
    let inside = reads.iter().filter_map(|it| host.real_path(it).ok()).collect();
    let places = writes.iter().filter_map(|it| guard::place(host.as_ref(), it).ok()).collect();
    let rules = Rules {
        by: By::Call(reads),
        reads: Fence::around(inside),
        writes: Fence::around(places),
        web: Web::default(),
        web_writes: Web::default(),
    };
    Arc::new(Guard::new(host.clone(), rules))
}

/// The paths in an argument: the path itself, or those of its documents.
pub(super) fn paths(value: &Value) -> Vec<PathBuf> {
    match value {
        Value::Path(path) | Value::Text(path) => vec![path.as_ref().into()],
        Value::Record(record) => record.get("path").map(paths).unwrap_or_default(),
        Value::List(items) => items.iter().flat_map(paths).collect(),
        _ => Vec::new(),
    }
}
