//! Fingerprints of the files that a call reads: an earlier result is reused only if the files
//! are the same.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{ErrorKind, Read as _},
    path::Path,
};

use svc_contract::{
    host::{Host, Stat},
    registry::{Effect, OpDef, Scope},
    value::Value,
};

use super::sandbox;

/// The maximum number of files inspected in a folder: a call that reads a larger folder is made
/// again.
const MOST_FILES: usize = 20_000;

/// A file up to this size is identified by its content, a larger one by its size and times.
const LARGEST_HASHED: u64 = 16 << 20;

/// File times are coarse, and a new file may be written again within the same tick: until the
/// file is this old, in nanoseconds, its times do not identify its content.
const SETTLED: i128 = 2_000_000_000;

/// The files and folders named by the arguments of a call, each with a fingerprint of its
/// state.
pub(super) fn files(host: &dyn Host, op: &OpDef, args: &[Value]) -> BTreeMap<String, String> {
    let effects = op.effects_of(&|idx| args.get(idx));
    let is_read = |name: &str| {
        effects.iter().any(|it| matches!(it, Effect::Reads(Scope::Path(of)) if *of == name))
    };
    let read = op.params.iter().zip(args).filter(|(param, _)| is_read(param.name));
    let paths = read.flat_map(|(_, arg)| sandbox::paths(arg));
    paths.map(|it| (it.to_string_lossy().into_owned(), state(host, &it))).collect()
}

/// The content of a file, or the names and times of all files in a folder.
fn state(host: &dyn Host, path: &Path) -> String {
    let known = match host.stat(path) {
        Ok(known) => known,
        Err(err) => return format!("not there: {}", err.kind()),
    };
    if known.is_dir {
        return folder(host, path);
    }
    let state = if known.is_file && known.size <= LARGEST_HASHED {
        content(host, path).unwrap_or_else(|| unknown(host))
    } else {
        entry(host, path, &known)
    };
    match written_ahead(host, path) {
        Some(rest) => format!("{state}, {rest}"),
        None => state,
    }
}

/// The changes of a database of `SQLite` that are not in its own file yet, but in the one next to
/// it.
fn written_ahead(host: &dyn Host, path: &Path) -> Option<String> {
    /// The start of the file, and the number after it for this mode.
    const START: &[u8] = b"SQLite format 3\0";
    const WAL: u8 = 2;
    let mut head = [0; 20];
    host.open(path).ok()?.read_exact(&mut head).ok()?;
    if !head.starts_with(START) || head[18] != WAL {
        return None;
    }
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let ahead = Path::new(&name);
    match host.stat(ahead) {
        Ok(known) => Some(entry(host, ahead, &known)),
        Err(err) if err.kind() == ErrorKind::NotFound => None,
        Err(_) => Some(unknown(host)),
    }
}

fn folder(host: &dyn Host, path: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for (idx, found) in host.walk(path).enumerate() {
        if idx == MOST_FILES {
            return unknown(host);
        }
        let line = match found {
            Ok(it) => format!(
                "{:?} {}\n",
                it.path.as_os_str().as_encoded_bytes(),
                entry(host, &it.path, &it.stat)
            ),
            Err(err) => format!("{err:?}\n"),
        };
        hasher.update(line.as_bytes());
    }
    format!("folder {}", hasher.finalize().to_hex())
}

/// The fingerprint of a file by its size and times, and by its content if those are not
/// sufficient.
fn entry(host: &dyn Host, path: &Path, known: &Stat) -> String {
    if !known.is_file {
        return unknown(host);
    }
    let Stat { size, modified, changed, inode, .. } = known;
    let mut text = format!("{size} bytes at {modified} and {changed} in {inode}");
    let settled = i128::from(host.now()) * 1_000_000 - SETTLED;
    if *(modified.max(changed)) > settled {
        let known = if *size <= LARGEST_HASHED { content(host, path) } else { None };
        // Writing to a string cannot fail.
        let _ = write!(text, ": {}", known.unwrap_or_else(|| unknown(host)));
    }
    text
}

fn content(host: &dyn Host, path: &Path) -> Option<String> {
    let hash = host.hash(path, LARGEST_HASHED).ok()?;
    Some(format!("content {}", hash.to_hex()))
}

/// A fingerprint that equals no other.
fn unknown(host: &dyn Host) -> String {
    format!("unknown at {} ({})", host.now(), host.chance())
}
