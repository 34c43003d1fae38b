//! Named collections: documents that a script puts into the cache and takes out again.
//!
//! The documents are in one file, a JSON object a line, which every change replaces as a whole: a
//! process that is killed leaves the file as it was. The index is made from this file like that of
//! any other source, so it may be damaged or from another version, and is built again.
#![expect(clippy::disallowed_methods, reason = "the index owns its directory")]

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Read},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use svc_contract::{
    host::Stat,
    registry::{Cx, OpError},
    value::{Record, Value, json},
};
use svc_documents::{Document, LARGEST_LINE, Sink};

use super::{
    place::{self, Lock},
    seal,
    trouble::Trouble,
};

/// The maximum length of a name, and of an id, in bytes.
const LONGEST_NAME: usize = 64;
const LONGEST_ID: usize = 1 << 10;

/// The maximum size of what a document says about itself, as JSON in bytes.
const MOST_META: usize = 16 << 10;

/// A named collection.
pub(super) struct Collection {
    name: String,
    dir: PathBuf,
}

/// A document as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
    /// As JSON.
    #[serde(borrow)]
    meta: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

/// The documents before and after a change.
pub(super) struct Changed {
    /// How many documents are new or differ.
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) total: u64,
}

impl Collection {
    /// The collection with a name, which need not exist.
    pub(super) fn of(cx: &Cx, name: &str) -> Result<Self, OpError> {
        let is_plain =
            |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"-_".contains(&it);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
            let message = format!(
                "invalid name of an index: expected 1 to {LONGEST_NAME} lower-case letters, digits, \
                 `-` and `_`, found `{name}`"
            );
            return Err(OpError::invalid_input(message).help("write it like `my-notes`"));
        }
        let all = place::all(cx).map_err(|err| unusable(&err))?;
        Ok(Self { name: name.to_owned(), dir: all.join("named").join(name) })
    }

    /// The file with the documents.
    pub(super) fn file(&self) -> PathBuf {
        self.dir.join("documents.jsonl")
    }

    pub(super) fn exists(&self) -> bool {
        self.file().is_file()
    }

    /// The error for a collection that does not exist.
    pub(super) fn unknown(&self) -> OpError {
        OpError::not_found(format!("unknown index `{}`", self.name))
            .help("fill it with `search.index`, or check its name")
    }

    /// Adds documents; one replaces the earlier one with the same id.
    pub(super) fn add(&self, docs: &[&Record], cx: &Cx) -> Result<Changed, OpError> {
        let mut lines: HashMap<&str, Vec<u8>> = HashMap::with_capacity(docs.len());
        let mut order = Vec::with_capacity(docs.len());
        for (idx, doc) in docs.iter().enumerate() {
            cx.check()?;
            let line = line(doc).map_err(|why| {
                let message = format!("cannot index document {}: {why}", idx + 1);
                OpError::invalid_input(message)
            })?;
            let id = text(doc, "id");
            if lines.insert(id, line).is_none() {
                order.push(id);
            }
        }
        self.change(cx, |old, out| {
            let mut changed = Changed { added: 0, removed: 0, total: 0 };
            let mut same = HashSet::new();
            for_each_line(old, cx, |id, line| {
                match lines.get(id) {
                    Some(new) if new != line => return Ok(()),
                    Some(_) => _ = lines.get_key_value(id).map(|it| same.insert(*it.0)),
                    None => {}
                }
                changed.total += 1;
                out.write_all(line)
            })?;
            for id in order.iter().filter(|it| !same.contains(*it)) {
                changed.added += 1;
                changed.total += 1;
                out.write_all(&lines[id])?;
            }
            Ok(changed)
        })
    }

    /// Removes the documents with these ids.
    pub(super) fn remove(&self, ids: &[impl AsRef<str>], cx: &Cx) -> Result<Changed, OpError> {
        let ids: HashSet<&str> = ids.iter().map(AsRef::as_ref).collect();
        self.change(cx, |old, out| {
            let mut changed = Changed { added: 0, removed: 0, total: 0 };
            for_each_line(old, cx, |id, line| {
                if ids.contains(id) {
                    changed.removed += 1;
                    return Ok(());
                }
                changed.total += 1;
                out.write_all(line)
            })?;
            Ok(changed)
        })
    }

    /// Replaces the file under a lock, unless nothing changes. One process after the other.
    fn change(
        &self,
        cx: &Cx,
        change: impl FnOnce(&mut dyn BufRead, &mut dyn io::Write) -> io::Result<Changed>,
    ) -> Result<Changed, OpError> {
        let _lock = Lock::of(&self.dir, cx).map_err(|trouble| match trouble {
            Trouble::Op(err) => err,
            Trouble::Damaged(why) | Trouble::Place(why) => unusable(&why),
        })?;
        let part = self.dir.join("documents.new");
        let changed = || -> io::Result<Changed> {
            let mut out = BufWriter::new(File::create(&part)?);
            let is_new = !self.exists();
            let mut old: Box<dyn BufRead> = match File::open(self.file()) {
                Ok(file) => Box::new(BufReader::new(file)),
                Err(err) if err.kind() == io::ErrorKind::NotFound => Box::new(io::empty()),
                Err(err) => return Err(err),
            };
            let changed = change(&mut old, &mut out)?;
            if is_new || changed.added + changed.removed > 0 {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.sync_all()?;
                drop(file);
                fs::rename(&part, self.file())?;
                // Not every system can open a folder.
                let _ = File::open(&self.dir).and_then(|it| it.sync_all());
            } else {
                drop(out);
                fs::remove_file(&part)?;
            }
            Ok(changed)
        };
        changed().map_err(|err| match cx.check() {
            Err(cancelled) => cancelled,
            Ok(()) => unusable(&err),
        })
    }
}

/// The error for a cache that cannot be read or written.
fn unusable(why: &dyn std::fmt::Display) -> OpError {
    OpError::failed(format!("cannot use the index: {why}"))
        .help("check that the cache directory is writable and has space")
}

/// Calls `each` with the id and the line of each document.
fn for_each_line(
    old: &mut dyn BufRead,
    cx: &Cx,
    mut each: impl FnMut(&str, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while old.read_until(b'\n', &mut line)? > 0 {
        cx.check().map_err(io::Error::other)?;
        let named: Named<'_> = serde_json::from_slice(&line)?;
        each(&named.id, &line)?;
        line.clear();
    }
    Ok(())
}

/// The line of a document, or why it cannot be kept.
fn line(doc: &Record) -> Result<Vec<u8>, String> {
    let id = text(doc, "id");
    if id.is_empty() || id.len() > LONGEST_ID {
        return Err(format!("its `id` must have 1 to {LONGEST_ID} bytes"));
    }
    let meta = json::write(doc.get("meta").unwrap_or(&Value::Null));
    if meta.len() > MOST_META || json::read(&meta).is_err() {
        return Err(format!(
            "its `meta` is deeply nested or larger than {}",
            Value::Size(MOST_META as u64)
        ));
    }
    let part = |name| Cow::Borrowed(text(doc, name));
    let kept = Kept {
        id: id.into(),
        title: part("title"),
        path: part("path"),
        text: part("text"),
        meta: meta.into(),
    };
    let mut line = serde_json::to_vec(&kept).map_err(|err| err.to_string())?;
    line.push(b'\n');
    if line.len() as u64 > LARGEST_LINE {
        return Err(format!("it is larger than {}", Value::Size(LARGEST_LINE)));
    }
    Ok(line)
}

fn text<'a>(doc: &'a Record, name: &str) -> &'a str {
    match doc.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it,
        _ => "",
    }
}

/// The state of the file with the documents.
pub(super) fn stat(file: &Path) -> io::Result<Stat> {
    let found = fs::metadata(file)?;
    let of = |it: io::Result<std::time::SystemTime>| {
        let since = it.ok().and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
        since.map_or(0, |it| i128::try_from(it.as_nanos()).unwrap_or_default())
    };
    let (inode, changed) = seal::of_system(&found);
    Ok(Stat {
        is_dir: false,
        is_file: found.is_file(),
        size: found.len(),
        modified: of(found.modified()),
        changed: changed.into(),
        inode,
    })
}

/// Opens the file with the documents.
pub(super) fn open(file: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(File::open(file)?))
}

/// Reads the documents of the file. The metadata of each is a record of its path and its own.
pub(super) fn extract(input: &mut dyn Read, sink: &mut dyn Sink) -> io::Result<()> {
    let (mut input, mut start, mut line) = (BufReader::new(input), 0, Vec::new());
    loop {
        line.clear();
        let end = start + input.read_until(b'\n', &mut line)? as u64;
        if end == start || sink.is_stopped() {
            return Ok(());
        }
        if !sink.is_known(&line, start) {
            let kept: Kept<'_> = serde_json::from_slice(&line)?;
            let meta = json::read(&kept.meta).map_err(io::Error::other)?;
            let both = vec![Value::text(kept.path.as_ref()), meta];
            sink.document(Document {
                id: kept.id.into_owned(),
                title: kept.title.into_owned(),
                text: kept.text.into_owned(),
                start,
                end,
                meta: Value::Record(Record::new(["path".into(), "meta".into()].into(), both)),
            });
        }
        start = end;
    }
}

/// The path and the own metadata of a document that [`extract`] read.
pub(super) fn parts(meta: &Value) -> (&str, Value) {
    let record = meta.as_record();
    let own = record.and_then(|it| it.get("meta")).cloned().unwrap_or_default();
    (record.map_or("", |it| text(it, "path")), own)
}
