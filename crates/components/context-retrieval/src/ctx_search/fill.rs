//! Fills and empties named indexes.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Items, Limits, Op, OpError, Scheme, Scope,
        Tool,
        documents::{self, Doc},
        params, record,
    },
    value::{Record, Text, Value},
};

use super::{collection::Collection, job};

const EFFECTS: &[Effect] = &[Effect::Writes { scope: Scope::Named("cache"), idempotent: true }];

record! {
    /// What documents did to an index.
    struct Filled {
        /// The name of the index, for what comes after.
        name: Text,
        /// The number of documents that the index did not have, or had with another content.
        added: i64,
        /// The number of documents in the index.
        total: i64,
    }
}

record! {
    /// What was taken out of an index.
    struct Removed {
        /// The name of the index, for what comes after.
        name: Text,
        /// The number of documents that were removed.
        removed: i64,
    }
}

params! {
    /// Puts documents into an index with a name, for `search(index: ..)`.
    ///
    /// A document replaces the one with the same id, and of several in the list the last one counts.
    /// The documents come from anywhere: pages, feeds, mails, records. Hits of a search have their
    /// `path`, `title` and `meta`, and `start` and `end` are those of the whole text.
    ///
    /// Independent parts of a script run at the same time: pass the `name` of the result to the search
    /// that comes after.
    ///
    /// The index is in the cache directory, each owner of a service has indexes of their own, and
    /// it stays until the cache is deleted. Each call writes all documents of the index, all or
    /// nothing: pass many at once. Processes that change an index at the same time do so one after
    /// the other.
    ///
    /// Fails with `invalid_input` if the name has other than lower-case letters, digits, `-` and `_`, or
    /// a document has an id of 0 or more than 1,024 bytes, a `meta` of more than 16KiB, or more than 16MiB.
    pub(super) struct Fill {
        /// The documents.
        docs: Items<Doc>,
        /// The name of the index, which is created if it does not exist.
        name: Text,
    }
}

impl Op for Fill {
    const NAME: &'static str = "index";
    const YIELDS: Scheme = Filled::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "index documents under a name",
        "add pages to a search index",
        "build a searchable collection from fetched pages",
        "make my records searchable",
        "keep documents for later searches",
        "update a document in the index",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("index_documents"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Filled and searched",
            r#"let pets = [
  { id: "cats", title: "Cats", path: "https://pets.test/cats", text: "A cat sleeps all day." },
  { id: "dogs", title: "Dogs", path: "https://pets.test/dogs", text: "A dog barks." },
]
let filled = pets >> search.index(name: "pets")
"sleeping" >> search(index: filled.name) >> each { { path: .path, of: filled.total } }"#,
            r#"[{"path":"https://pets.test/cats","of":2}]"#,
        ),
        Example::ok(
            "A document replaces the one with its id",
            r#"let doc = { id: "a", title: "", path: "", text: "one" }
let first = [doc] >> search.index(name: "notes")
let same = [doc] >> search.index(name: first.name)
let other = [{ ...doc, text: "two" }] >> search.index(name: same.name)
[first.added, same.added, other.added]"#,
            "[1,0,1]",
        ),
        Example::err(
            "A name that is a path",
            r#"[] >> search.index(name: "../notes")"#,
            "invalid name of an index",
        ),
    ];
}

impl Compute for Fill {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let collection = Collection::of(cx, &self.name)?;
        let docs: Vec<&Record> = documents::records(&self.docs.0).collect::<Result<_, _>>()?;
        let changed = collection.add(&docs, cx)?;
        job::refresh(cx, &self.name)?;
        let (added, total) = (number(changed.added), number(changed.total));
        Ok(Filled { name: self.name, added, total }.encode())
    }
}

params! {
    /// Removes documents from an index with a name.
    ///
    /// Ids that the index does not have are ignored. An index without documents remains.
    ///
    /// Fails with `not_found` if the index does not exist.
    pub(super) struct Remove {
        /// The ids of the documents.
        ids: Vec<Text>,
        /// The name of the index.
        name: Text,
    }
}

impl Op for Remove {
    const NAME: &'static str = "remove";
    const YIELDS: Scheme = Removed::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "remove documents from an index",
        "delete an entry of a named search index",
        "take a page out of the collection",
        "forget an indexed document",
        "unindex records by their ids",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "One of two",
            r#"let doc = { id: "a", title: "", path: "", text: "one" }
let filled = [doc, { ...doc, id: "b" }] >> search.index(name: "notes")
let removed = ["a", "z"] >> search.remove(name: filled.name)
"one" >> search(index: removed.name) >> each { { id: .id, removed: removed.removed, of: filled.total } }"#,
            r#"[{"id":"b","removed":1,"of":2}]"#,
        ),
        Example::err(
            "An index that does not exist",
            r#"["a"] >> search.remove(name: "nothing")"#,
            "unknown index `nothing`",
        ),
    ];
}

impl Compute for Remove {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let collection = Collection::of(cx, &self.name)?;
        if !collection.exists() {
            return Err(collection.unknown());
        }
        let changed = collection.remove(&self.ids, cx)?;
        job::refresh(cx, &self.name)?;
        Ok(Removed { name: self.name, removed: number(changed.removed) }.encode())
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
