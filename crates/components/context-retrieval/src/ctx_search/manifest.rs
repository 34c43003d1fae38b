//! The list of files that an index was made from. It is stored in the index's own commits, so the
//! two cannot disagree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use svc_contract::{host::Stat, registry::OpError, value::Value};
use svc_documents::of_file;

use super::{reading::Content, records::Moves, source::Listing, trouble::Trouble};

/// The files of an index, by path relative to the source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest(pub(super) BTreeMap<String, File>);

/// The state of a file when it was indexed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct File {
    #[serde(rename = "s")]
    pub(super) size: u64,
    /// Nanoseconds since 1970.
    #[serde(rename = "m")]
    modified: i64,
    #[serde(rename = "i")]
    inode: u64,
    /// The time of the last change of status (`ctime`).
    #[serde(rename = "c", default)]
    changed: i64,
    /// When it was indexed, in milliseconds since 1970.
    #[serde(rename = "t", default)]
    at: i64,
    /// The BLAKE3 hash of the content, if all of it was read.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
    /// The notices about the file, which every search repeats.
    #[serde(rename = "n", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<String>,
    /// The first place that no record has used; 0 for a file without records.
    #[serde(rename = "e", default, skip_serializing_if = "is_zero")]
    pub(super) next: u64,
    /// Where its records are now.
    #[serde(rename = "p", default, skip_serializing_if = "Moves::is_empty")]
    pub(super) moves: Moves,
}

impl File {
    pub(super) fn new(stat: &Stat, content: Content, at: i64) -> Self {
        let Content { hash, notices, next, moves } = content;
        let (modified, changed) = (nanos(stat.modified), nanos(stat.changed));
        Self {
            size: stat.size,
            modified,
            inode: stat.inode,
            changed,
            at,
            hash,
            notices,
            next,
            moves,
        }
    }

    /// The same content, after its times have changed.
    pub(super) fn touched(self, stat: &Stat, at: i64) -> Self {
        let (modified, changed) = (nanos(stat.modified), nanos(stat.changed));
        Self { modified, changed, inode: stat.inode, at, ..self }
    }

    /// What documents of the file have from it.
    pub(super) fn properties(&self) -> Value {
        of_file(&Value::Null, self.modified.into(), self.size)
    }

    /// The metadata of a document of the file.
    pub(super) fn meta(&self, meta: &Value) -> Value {
        of_file(meta, self.modified.into(), self.size)
    }

    fn is_as(&self, stat: &Stat) -> bool {
        let times = (nanos(stat.modified), nanos(stat.changed));
        (self.size, self.inode) == (stat.size, stat.inode)
            && (self.modified, self.changed) == times
            && is_settled(times.0.max(times.1), self.at)
    }
}

/// Whether a write after the file was read would change its times. `last` is the file's last time
/// in nanoseconds, `read` the time of the read in milliseconds; file times are coarse.
pub(super) fn is_settled(last: i64, read: i64) -> bool {
    const COARSE: i64 = 2_000_000_000;
    last.saturating_add(COARSE) < read.saturating_mul(1_000_000)
}

impl Manifest {
    pub(super) fn read(payload: &str) -> Result<Self, Trouble> {
        serde_json::from_str(payload)
            .map_err(|err| Trouble::Damaged(format!("invalid list of files: {err}")))
    }

    pub(super) fn write(&self) -> Result<String, OpError> {
        serde_json::to_string(self)
            .map_err(|err| OpError::bug(format!("cannot write the list of files: {err}")))
    }

    /// Whether the index is up to date with these files.
    pub(super) fn is_of(&self, listing: &Listing) -> bool {
        self.0.len() == listing.files.len()
            && listing.files.iter().all(|(name, stat)| self.has(name, stat))
    }

    /// The files that are new or look changed.
    pub(super) fn changed<'a>(&self, listing: &'a Listing) -> Vec<(&'a str, &'a Stat)> {
        let files = listing.files.iter().map(|(name, stat)| (name.as_str(), stat));
        files.filter(|(name, stat)| !self.has(name, stat)).collect()
    }

    /// The files that no longer exist.
    pub(super) fn gone(&self, listing: &Listing) -> Vec<String> {
        self.0.keys().filter(|it| !listing.files.contains_key(*it)).cloned().collect()
    }

    /// Where a place of a file is now, in bytes.
    pub(super) fn position(&self, file: &str, place: u64) -> u64 {
        self.0.get(file).map_or(place, |it| it.moves.position(place))
    }

    fn has(&self, name: &str, stat: &Stat) -> bool {
        self.0.get(name).is_some_and(|known| known.is_as(stat))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(it: &u64) -> bool {
    *it == 0
}

fn nanos(time: i128) -> i64 {
    let most = if time < 0 { i64::MIN } else { i64::MAX };
    time.try_into().unwrap_or(most)
}
