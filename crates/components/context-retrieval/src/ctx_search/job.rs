//! One search, from its parameters to its hits, with recovery from index failures.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use svc_contract::{
    registry::{Cx, OpError},
    value::Value,
};
use tantivy::{Index, query::Query};

use super::{
    Infer, Syntax, fallback,
    hits::Hits,
    manifest::Manifest,
    notices::Notices,
    place::{self, Lock, Place, Snapshot},
    query,
    query::{Nearest, Words},
    rank::{self, Ranked},
    schema,
    source::{Listing, Source},
    trouble::Trouble,
    update::Update,
};

/// Runs a search.
pub(super) fn run(cx: &Cx, params: Infer) -> Result<Value, OpError> {
    let notices = Notices::default();
    let source = Source::of(cx, &params.source)?;
    if params.syntax == Syntax::Query {
        // A wrong query fails before documents are read.
        query::parsed(&params.query)?;
    }
    let all = place::all(cx);
    let listing = source.list(cx, all.as_deref().ok(), &notices)?;
    let job = Job { cx, params, source, listing };
    let found = match &all {
        Ok(all) => job.on_disk(all, &notices),
        Err(err) => Err(Trouble::Place(err.to_string())),
    };
    let found = match found {
        Err(Trouble::Place(why)) => {
            notices.add(format!("the index cannot be stored, so it was built in memory: {why}"));
            guarded(|| job.in_memory(&notices))
        }
        other => other,
    };
    let hits = found.map_err(|trouble| match trouble {
        Trouble::Op(err) => err,
        Trouble::Damaged(why) | Trouble::Place(why) => {
            OpError::failed(format!("cannot use the index: {why}"))
        }
    })?;
    notices.emit(cx);
    Ok(Value::List(hits.into()))
}

/// A search whose source is known.
struct Job<'a> {
    cx: &'a Cx,
    params: Infer,
    source: Source,
    listing: Listing,
}

impl Job<'_> {
    /// Searches the stored index. A damaged one is rebuilt, once.
    fn on_disk(&self, all: &Path, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let place = Place::of(all, &self.source.root);
        let why = match guarded(|| self.search(&self.current(&place, notices)?, notices)) {
            Err(Trouble::Damaged(why)) => why,
            other => return other,
        };
        notices.add(format!("the index was damaged and is rebuilt: {why}"));
        let rebuilt = guarded(|| {
            let lock = place.lock(self.cx)?;
            let index = place.create(&lock)?;
            let kept = Some((&place, &lock));
            self.search(&self.updated(index, Manifest::default(), notices, kept)?, notices)
        });
        rebuilt.map_err(|trouble| match trouble {
            Trouble::Damaged(why) => Trouble::Place(why),
            other => other,
        })
    }

    fn in_memory(&self, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let there = self.updated(place::in_memory(), Manifest::default(), notices, None)?;
        self.search(&there, notices)
    }

    /// Returns the stored index, up to date. Takes the lock only if there is something to do.
    fn current(&self, place: &Place, notices: &Notices) -> Result<Snapshot, Trouble> {
        let now = self.cx.host().now();
        if let Some(there) = place.open()?
            && there.manifest.is_of(&self.listing)
        {
            return Ok(there);
        }
        let lock = place.lock(self.cx)?;
        // Another process may meanwhile have done all or part of the work.
        let kept = Some((place, &lock));
        match place.open_locked(&lock, now)? {
            Some(there) => self.updated(there.index, there.manifest, notices, kept),
            None => self.updated(place.create(&lock)?, Manifest::default(), notices, kept),
        }
    }

    fn updated(
        &self,
        index: Index,
        from: Manifest,
        notices: &Notices,
        kept: Option<(&Place, &Lock)>,
    ) -> Result<Snapshot, Trouble> {
        let (cx, source, listing) = (self.cx, &self.source, &self.listing);
        Update { cx, source, listing, notices, kept }.run(&index, from)?;
        Snapshot::of(index)
    }

    fn search(&self, there: &Snapshot, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let hits = if there.searcher.num_docs() == 0 {
            notices.add_of_query(format!("`{}` contains no documents", self.source.show_root()));
            Vec::new()
        } else {
            self.hits(there, notices)?
        };
        self.repeat_file_notices(there, notices);
        Ok(hits)
    }

    fn hits(&self, there: &Snapshot, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let languages = schema::languages(&there.searcher)?;
        match self.params.syntax {
            Syntax::Query => {
                let query = query::parsed_in_all(&languages, &self.params.query)?;
                // Here the query is a more likely cause of a panic than the index.
                let rank = || self.ranked(there, query.as_ref());
                let ranked = guarded(rank).map_err(Trouble::of_query)?;
                if ranked.is_empty() {
                    notices.add_of_query("no document matches the query".to_owned());
                }
                self.read(there, query.as_ref(), &ranked)
            }
            Syntax::Words => {
                let words = Words::of(&self.params.query, &languages);
                let Some(query) = words.query(&there.searcher)? else {
                    notices.add_of_query("the query has no word to search for".to_owned());
                    return Ok(Vec::new());
                };
                let ranked = self.ranked(there, query.as_ref())?;
                if ranked.is_empty() {
                    return self.nearest(there, &words, notices);
                }
                self.read(there, query.as_ref(), &ranked)
            }
        }
    }

    /// Searches for other words than those of the query, which no document has.
    fn nearest(
        &self,
        there: &Snapshot,
        words: &Words,
        notices: &Notices,
    ) -> Result<Vec<Value>, Trouble> {
        let Nearest { query, taken } = words.nearest(&there.searcher)?;
        let ranked = match &query {
            Some(query) => self.ranked(there, query.as_ref())?,
            None => Vec::new(),
        };
        for (word, stems) in &taken {
            let spelled = |stem: &String| fallback::spelled(&there.searcher, &ranked, stem);
            let others: Vec<String> = stems.iter().map(|it| format!("`{}`", spelled(it))).collect();
            notices.add_of_query(match others.as_slice() {
                [] => format!("no document contains `{word}`"),
                others => {
                    let others = others.join(", ");
                    format!("no document contains `{word}`; searched for {others} instead")
                }
            });
        }
        query.map_or(Ok(Vec::new()), |query| self.read(there, query.as_ref(), &ranked))
    }

    fn ranked(&self, there: &Snapshot, query: &dyn Query) -> Result<Vec<Ranked>, Trouble> {
        let most = usize::try_from(self.params.top_k).unwrap_or(usize::MAX);
        rank::best(self.cx, there, query, most)
    }

    fn read(
        &self,
        there: &Snapshot,
        query: &dyn Query,
        ranked: &[Ranked],
    ) -> Result<Vec<Value>, Trouble> {
        let hits = Hits {
            source: &self.source,
            query: &self.params.query,
            terms: query::terms(query).into(),
            there,
        };
        let read = |it| {
            self.cx.check()?;
            hits.read(it)
        };
        ranked.iter().map(read).collect()
    }

    /// Repeats the notices of the files, which are stored in the index.
    fn repeat_file_notices(&self, there: &Snapshot, notices: &Notices) {
        for (name, file) in &there.manifest.0 {
            for notice in &file.notices {
                notices.add(format!("`{}`{notice}", self.source.show(name)));
            }
        }
    }
}

/// A damaged index may make tantivy panic in places without checks; such a panic counts as damage.
fn guarded<T>(search: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(search))
        .unwrap_or_else(|_| Err(Trouble::Damaged("inconsistent index".to_owned())))
}
