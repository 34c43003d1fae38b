//! The encoder of a folder, read once for all calls that use it.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use svc_contract::{
    host,
    registry::{Cx, OpError, Size},
};
use svc_encoder::{Encoder, FILES};

use crate::failed;

/// The largest file of a model.
const LARGEST: Size = Size(4 << 30);

/// The last encoder, and the hash of its files.
static LAST: Mutex<Option<(blake3::Hash, Arc<Encoder>)>> = Mutex::new(None);

/// Reads the encoder of a folder, and returns it with the hash of its files.
pub(super) fn read(folder: &Path, cx: &Cx) -> Result<([u8; 32], Arc<Encoder>), OpError> {
    let mut files = HashMap::new();
    let mut hash = blake3::Hasher::new();
    for (name, is_needed) in FILES {
        cx.check()?;
        match host::read(cx.host(), &folder.join(name), LARGEST.0) {
            Ok(content) => {
                hash.update(name.as_bytes()).update(&content.len().to_le_bytes()).update(&content);
                files.insert(name, content);
            }
            Err(err) if err.kind() == std::io::ErrorKind::NotFound && !is_needed => {}
            Err(err) => return Err(failed(err, &folder.join(name)).help(HELP)),
        }
    }
    let hash = hash.finalize();
    // The lock is held while an encoder is read: several calls at once read it once.
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, encoder)) = last.as_ref()
        && *known == hash
    {
        return Ok((hash.into(), encoder.clone()));
    }
    let encoder = Encoder::read(|name| files.get(name).map(Vec::as_slice)).map_err(|unusable| {
        let message = format!("cannot use `{}` as an encoder: {unusable}", folder.display());
        OpError::invalid_input(message).help(HELP)
    })?;
    let encoder = Arc::new(encoder);
    *last = Some((hash, encoder.clone()));
    Ok((hash.into(), encoder))
}

const HELP: &str = "give a folder with `config.json`, `model.safetensors` and `vocab.txt`, as \
                    sentence-transformers saves a BERT model";

/// How many texts are encoded at once. Each takes long enough to look at the clock afterwards.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The vectors of a few texts, each computed by a thread.
pub(super) fn vectors<T: AsRef<str> + Sync>(
    encoder: &Encoder,
    texts: &[T],
) -> Result<Vec<Vec<f32>>, OpError> {
    let encoded = thread::scope(|scope| {
        let encode = |it: &'_ T| encoder.encode(it.as_ref());
        let running = texts.iter().map(|it| scope.spawn(move || encode(it)));
        let running: Vec<_> = running.collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect::<Result<Vec<_>, _>>()
    });
    encoded.map_err(|_| OpError::bug("the encoder panicked"))
}
