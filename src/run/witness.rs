//! What files are like that a call reads, so that an earlier result of it is known to be of
//! the same ones.

use std::{collections::BTreeMap, path::Path};

use crate::{
    host::Host,
    registry::{Effect, OpDef, Scope},
    value::Value,
};

/// More files than these in one folder are not looked at: a call that reads there is made
/// anew.
const MOST_FILES: usize = 20_000;

/// The files and folders that the arguments of a call name, each with what tells it from a
/// later state.
pub(super) fn files(host: &dyn Host, op: &OpDef, args: &[Value]) -> BTreeMap<String, String> {
    let is_read = |name: &str| {
        op.effects.iter().any(|it| matches!(it, Effect::Reads(Scope::Path(of)) if *of == name))
    };
    let read = op.params.iter().zip(args).filter(|(param, _)| is_read(param.name));
    let mut files = BTreeMap::new();
    for (_, arg) in read {
        let of_list = arg.as_list().into_iter().flatten();
        for path in of_list.chain([arg]).filter_map(path) {
            files.insert(path.to_owned(), state(host, Path::new(path)));
        }
    }
    files
}

fn path(value: &Value) -> Option<&str> {
    match value {
        Value::Path(it) => Some(it),
        _ => None,
    }
}

/// Size and time of a file, or a hash of those of all files in a folder.
fn state(host: &dyn Host, path: &Path) -> String {
    let Ok(known) = host.stat(path) else { return "absent".to_owned() };
    if !known.is_dir {
        return format!("{} bytes at {}", known.size, known.modified);
    }
    let mut hasher = blake3::Hasher::new();
    for (idx, file) in host.walk(path).enumerate() {
        let Ok(file) = file else { continue };
        if idx == MOST_FILES {
            return format!("more than {MOST_FILES} files at {}", host.now());
        }
        let line = format!("{} {} {}\n", file.path.display(), file.stat.size, file.stat.modified);
        hasher.update(line.as_bytes());
    }
    format!("folder {}", hasher.finalize().to_hex())
}
