//! Updates an index from its source.

use svc_contract::{host::Stat, registry::Cx};
use svc_documents::Document;
use tantivy::{
    Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, merge_policy::LogMergePolicy,
    query::Query,
};

use super::{
    manifest::{File, Manifest},
    notices::Notices,
    place::{Lock, Place},
    queue::{Queue, Row},
    reading::{self, Content, Missed},
    records::Records,
    schema::{self, file_term},
    source::{Listing, Source},
    trouble::Trouble,
};

/// The memory that the writer may use before it writes a segment, in bytes.
const WRITER_BYTES: usize = 64 << 20;

/// The amount of text after which a commit is made, in bytes, so that an interrupted build can
/// continue.
const COMMIT_BYTES: u64 = 256 << 20;

/// A segment with a larger share of removed documents is rewritten.
const MOST_REMOVED: f32 = 0.3;

/// The environment of an update.
#[derive(Clone, Copy)]
pub(super) struct Update<'a> {
    pub(super) cx: &'a Cx,
    pub(super) source: &'a Source,
    pub(super) listing: &'a Listing,
    pub(super) notices: &'a Notices,
    /// The place of the index.
    pub(super) kept: Option<(&'a Place, &'a Lock)>,
}

impl Update<'_> {
    /// Removes deleted files from `index` and reads new or changed ones. Commits at the end, unless
    /// nothing changed.
    pub(super) fn run(self, index: &Index, manifest: Manifest) -> Result<(), Trouble> {
        let mut draft = Draft::of(index, manifest, self.source.is_collection);
        for name in draft.manifest.gone(self.listing) {
            draft.remove(&name)?;
        }
        let changed = draft.manifest.changed(self.listing);
        let total = changed.len() as u64;
        for (done, (name, stat)) in (0..).zip(changed) {
            self.cx.check()?;
            self.cx.progress("indexing", done, Some(total));
            self.refresh(&mut draft, name, stat)?;
            if draft.uncommitted > COMMIT_BYTES {
                draft.commit()?;
                self.seal()?;
            }
        }
        self.cx.progress("indexing", total, Some(total));
        draft.finish()?;
        self.seal()
    }

    fn seal(self) -> Result<(), Trouble> {
        self.kept.map_or(Ok(()), |(place, lock)| place.seal_up(lock, self.cx.host().now()))
    }

    /// Updates one file.
    fn refresh(self, draft: &mut Draft, name: &str, stat: &Stat) -> Result<(), Trouble> {
        match self.read(draft, name, stat) {
            Ok(file) => {
                draft.manifest.0.insert(name.to_owned(), file);
                draft.is_dirty = true;
                Ok(())
            }
            Err(Missed::Index(trouble)) => Err(trouble),
            Err(Missed::File(err)) => {
                self.cx.check()?;
                // The file is then not in the manifest, so the next search tries again.
                self.notices.add(format!("`{}`: skipped: {err}", self.source.show(name)));
                draft.remove(name)
            }
        }
    }

    /// Reads a file again, unless its content is unchanged.
    fn read(self, draft: &mut Draft, name: &str, stat: &Stat) -> Result<File, Missed> {
        let now = self.cx.host().now();
        if let Some(known) = draft.manifest.0.get(name)
            && known.size == stat.size
            && let Some(hash) = &known.hash
            && *hash == reading::hash(self.cx, self.source, name)?
        {
            return Ok(known.clone().touched(stat, now));
        }
        let read = self.content(draft, name, stat.size);
        if matches!(read, Err(Missed::File(_))) {
            // Removes documents that were added before the failure.
            draft.remove(name)?;
            draft.delete(name)?;
        }
        Ok(File::new(stat, read?, now))
    }

    /// Indexes the new records of a file, or else the whole file.
    fn content(self, draft: &mut Draft, name: &str, size: u64) -> Result<Content, Missed> {
        let (cx, source) = (self.cx, self.source);
        if let Some(known) = draft.records(cx, name)?
            && let Some(content) = reading::rows(cx, source, name, size, known, draft)?
        {
            return Ok(content);
        }
        if draft.manifest.0.contains_key(name) {
            draft.delete(name)?;
        }
        let read = reading::rows(cx, source, name, size, Records::default(), draft)?;
        Ok(read.unwrap_or_default())
    }
}

/// An index that is being changed. The writer is opened by the first change.
pub(super) struct Draft<'a> {
    index: &'a Index,
    manifest: Manifest,
    writer: Option<IndexWriter<Row>>,
    /// Whether the manifest differs from the last committed one.
    is_dirty: bool,
    /// Bytes of text since the last commit.
    uncommitted: u64,
    queue: Queue,
    /// The index before the update, if it was needed.
    before: Option<Searcher>,
    /// Whether the documents are those of a named collection.
    is_collection: bool,
}

impl<'a> Draft<'a> {
    fn of(index: &'a Index, manifest: Manifest, is_collection: bool) -> Self {
        Self {
            index,
            manifest,
            writer: None,
            is_dirty: false,
            uncommitted: 0,
            queue: Queue::default(),
            before: None,
            is_collection,
        }
    }

    /// Adds a document of a file.
    pub(super) fn add(
        &mut self,
        cx: &Cx,
        name: &str,
        it: &Document,
        place: u64,
        record: Option<u64>,
    ) -> Result<(), Trouble> {
        let bytes = it.text.len();
        self.uncommitted = self.uncommitted.saturating_add(bytes as u64);
        let row = schema::row(name, it, place, record, self.is_collection);
        let row = self.queue.row(cx, row, bytes)?;
        self.writer()?.add_document(row)?;
        Ok(())
    }

    fn writer(&mut self) -> Result<&mut IndexWriter<Row>, Trouble> {
        let writer = match self.writer.take() {
            Some(it) => it,
            None => writer(self.index)?,
        };
        Ok(self.writer.insert(writer))
    }

    /// The records of a file before the update; `None` if it had none.
    fn records(&mut self, cx: &Cx, name: &str) -> Result<Option<Records>, Trouble> {
        let Some(known) = self.manifest.0.get(name).filter(|it| it.next > 0) else {
            return Ok(None);
        };
        let before = match self.before.take() {
            Some(it) => it,
            None => {
                let reader = self.index.reader_builder().reload_policy(ReloadPolicy::Manual);
                TryInto::<IndexReader>::try_into(reader)?.searcher()
            }
        };
        Records::of(cx, self.before.insert(before), name, known.next).map(Some)
    }

    /// Removes the documents that the queries find.
    pub(super) fn delete_all(&mut self, removals: Vec<Box<dyn Query>>) -> Result<(), Trouble> {
        for removal in removals {
            self.writer()?.delete_query(removal)?;
        }
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), Trouble> {
        if self.manifest.0.remove(name).is_some() {
            self.is_dirty = true;
            self.delete(name)?;
        }
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), Trouble> {
        self.writer()?.delete_term(file_term(name));
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Trouble> {
        let payload = self.manifest.write()?;
        let mut commit = self.writer()?.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.uncommitted = 0;
        self.is_dirty = false;
        Ok(())
    }

    fn finish(mut self) -> Result<(), Trouble> {
        if self.is_dirty {
            self.commit()?;
        }
        if let Some(writer) = self.writer {
            writer.wait_merging_threads()?;
        }
        Ok(())
    }
}

/// A single thread writes: the documents keep the order of the walk, and the next file is read at
/// the same time.
fn writer(index: &Index) -> Result<IndexWriter<Row>, Trouble> {
    let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let mut policy = LogMergePolicy::default();
    policy.set_del_docs_ratio_before_merge(MOST_REMOVED);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}
