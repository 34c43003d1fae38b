//! One search, from its parameters to its hits, with recovery from index failures.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Type, Value},
};
use tantivy::{
    Index,
    query::{AllQuery, ConstScoreQuery, EmptyQuery, Query},
};

use super::{
    Mode, Syntax, facets, fallback,
    hits::Hits,
    manifest::Manifest,
    meta::{Condition, Counts, Known, Order},
    near::Sequence,
    notices::Notices,
    place::{self, Lock, Place, Snapshot},
    query,
    query::{Nearest, Words},
    rank::{self, Found},
    schema,
    source::{Listing, Source},
    trouble::Trouble,
    update::Update,
    weights::Weights,
};
use crate::meaning::Space;

mod meaning;

pub(super) use meaning::How;

/// A search as a call asks for it.
pub(super) struct Search {
    pub(super) query: Text,
    pub(super) source: PathBuf,
    /// The name of a collection, which is searched instead.
    pub(super) index: Option<Text>,
    pub(super) syntax: Syntax,
    pub(super) how: How,
    pub(super) weights: Weights,
    pub(super) condition: Option<Condition>,
    pub(super) wanted: Wanted,
}

/// What is wanted of the documents that are found.
pub(super) enum Wanted {
    /// The best ones, with metadata of a type.
    Hits { most: usize, order: Option<Order>, meta: Option<Type> },
    /// How many have each value of a field, for this many values.
    Counts { field: String, most: usize },
}

/// Runs a search: the hits, or one record of counts.
pub(super) fn run(cx: &Cx, search: Search) -> Result<Vec<Value>, OpError> {
    let notices = Notices::default();
    let source = match &search.index {
        Some(name) => Source::of_collection(cx, name)?,
        None => Source::of(cx, &search.source)?,
    };
    if search.syntax == Syntax::Query && !search.is_of_all() {
        // A wrong query fails before documents are read.
        query::parsed(&search.query)?;
    }
    let space = search.space(cx)?;
    let all = place::all(cx);
    let listing = source.list(cx, all.as_deref().ok(), &notices)?;
    let job = Job { cx, search, source, listing, space };
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
    let found = found.map_err(|trouble| match trouble {
        Trouble::Op(err) => err,
        Trouble::Damaged(why) | Trouble::Place(why) => {
            OpError::failed(format!("cannot use the index: {why}"))
        }
    })?;
    notices.emit(cx);
    Ok(found)
}

/// Updates the index of a named collection, so that the next search need not. An index that cannot
/// be stored or is damaged is left to that search.
pub(super) fn refresh(cx: &Cx, name: &Text) -> Result<(), OpError> {
    let notices = Notices::default();
    let source = Source::of_collection(cx, name)?;
    let Ok(all) = place::all(cx) else { return Ok(()) };
    let listing = source.list(cx, None, &notices)?;
    let job = Job { cx, search: Search::of_nothing(), source, listing, space: None };
    let place = Place::of(&all, &job.source.root);
    match guarded(|| job.current(&place, &notices)) {
        Err(Trouble::Op(err)) => Err(err),
        _ => Ok(()),
    }
}

impl Search {
    fn of_nothing() -> Self {
        Self {
            query: Text::default(),
            source: PathBuf::new(),
            index: None,
            syntax: Syntax::Words,
            how: How { mode: Mode::Words, model: None, weight: 0.0 },
            weights: Weights::default(),
            condition: None,
            wanted: Wanted::Hits { most: 0, order: None, meta: None },
        }
    }

    /// Whether the query is empty and stands for all documents.
    fn is_of_all(&self) -> bool {
        let is_sorted = match &self.wanted {
            Wanted::Hits { order, .. } => order.is_some(),
            Wanted::Counts { .. } => true,
        };
        self.query.trim().is_empty() && (is_sorted || self.condition.is_some())
    }
}

/// A search whose source is known.
struct Job<'a> {
    cx: &'a Cx,
    search: Search,
    source: Source,
    listing: Listing,
    /// The model, unless only words are compared.
    space: Option<Space>,
}

impl Job<'_> {
    /// Searches the stored index. A damaged one is rebuilt, once.
    fn on_disk(&self, all: &Path, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let place = Place::of(all, &self.source.root);
        let why =
            match guarded(|| self.search(&self.current(&place, notices)?, Some(&place), notices)) {
                Err(Trouble::Damaged(why)) => why,
                other => return other,
            };
        notices.add(format!("the index was damaged and is rebuilt: {why}"));
        let rebuilt = guarded(|| {
            let lock = place.lock(self.cx)?;
            let index = place.create(&lock)?;
            let kept = Some((&place, &lock));
            let there = self.updated(index, Manifest::default(), notices, kept)?;
            drop(lock);
            self.search(&there, Some(&place), notices)
        });
        rebuilt.map_err(|trouble| match trouble {
            Trouble::Damaged(why) => Trouble::Place(why),
            other => other,
        })
    }

    fn in_memory(&self, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        let there = self.updated(place::in_memory(), Manifest::default(), notices, None)?;
        self.search(&there, None, notices)
    }

    /// Returns the stored index, up to date. Takes the lock only if there is something to do.
    fn current(&self, place: &Place, notices: &Notices) -> Result<Snapshot, Trouble> {
        let now = self.cx.host().now();
        if let Some(there) = place.open(now)?
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

    fn search(
        &self,
        there: &Snapshot,
        place: Option<&Place>,
        notices: &Notices,
    ) -> Result<Vec<Value>, Trouble> {
        let found = if there.searcher.num_docs() == 0 {
            notices.add_of_query(format!("`{}` contains no documents", self.source.show_root()));
            self.result(there, &EmptyQuery, &Found::default())?
        } else {
            self.check_fields(there, notices)?;
            self.found(there, place, notices)?
        };
        self.repeat_file_notices(there, notices);
        Ok(found)
    }

    /// Reports fields that the call names and no document has.
    fn check_fields(&self, there: &Snapshot, notices: &Notices) -> Result<(), Trouble> {
        let known = Known { there, notices };
        if let Some(condition) = &self.search.condition {
            known.check(condition)?;
        }
        match &self.search.wanted {
            Wanted::Hits { order: Some(order), .. } => known.check_field(&order.path),
            Wanted::Hits { .. } => Ok(()),
            Wanted::Counts { field, .. } => known.check_field(field),
        }
    }

    fn found(
        &self,
        there: &Snapshot,
        place: Option<&Place>,
        notices: &Notices,
    ) -> Result<Vec<Value>, Trouble> {
        let text = &self.search.query;
        if self.search.is_of_all() {
            return self.all(there, notices);
        }
        let languages = schema::languages(&there.searcher)?;
        if let Some(space) = &self.space {
            return self.by_meaning(there, place, space, &languages, notices);
        }
        match self.search.syntax {
            Syntax::Query => {
                let query = query::parsed_in_all(&languages, text)?;
                // Here the query is a more likely cause of a panic than the index.
                let rank = || self.ranked(there, query.as_ref(), None);
                let found = guarded(rank).map_err(Trouble::of_query)?;
                if found.ranked.is_empty() && !excluded(&found, notices) {
                    notices.add_of_query("no document matches the query".to_owned());
                }
                self.result(there, query.as_ref(), &found)
            }
            Syntax::Words => {
                let words = Words::of(text, &languages);
                let Some(query) = words.query(&there.searcher, &self.search.weights)? else {
                    notices.add_of_query("the query has no word to search for".to_owned());
                    return self.result(there, &EmptyQuery, &Found::default());
                };
                let found = self.ranked(there, query.as_ref(), Some(&words.sequence))?;
                if found.ranked.is_empty() && !excluded(&found, notices) {
                    return self.nearest(there, &words, notices);
                }
                self.result(there, query.as_ref(), &found)
            }
        }
    }

    /// Takes all documents that fulfil the conditions.
    fn all(&self, there: &Snapshot, notices: &Notices) -> Result<Vec<Value>, Trouble> {
        // A constant score orders documents by their ids.
        let query = ConstScoreQuery::new(Box::new(AllQuery), 0.0);
        let found = self.ranked(there, &query, None)?;
        if found.ranked.is_empty() {
            excluded(&found, notices);
        }
        self.result(there, &query, &found)
    }

    /// Searches for other words than those of the query, which no document has.
    fn nearest(
        &self,
        there: &Snapshot,
        words: &Words,
        notices: &Notices,
    ) -> Result<Vec<Value>, Trouble> {
        let Nearest { query, taken } = words.nearest(&there.searcher)?;
        let found = match &query {
            Some(query) => self.ranked(there, query.as_ref(), None)?,
            None => Found::default(),
        };
        for (word, stems) in &taken {
            let spelled = |stem: &String| fallback::spelled(&there.searcher, &found.ranked, stem);
            let others: Vec<String> = stems.iter().map(|it| format!("`{}`", spelled(it))).collect();
            notices.add_of_query(match others.as_slice() {
                [] => format!("no document contains `{word}`"),
                others => {
                    let others = others.join(", ");
                    format!("no document contains `{word}`; searched for {others} instead")
                }
            });
        }
        if found.ranked.is_empty() {
            excluded(&found, notices);
        }
        match query {
            Some(query) => self.result(there, query.as_ref(), &found),
            None => self.result(there, &EmptyQuery, &found),
        }
    }

    fn ranked(
        &self,
        there: &Snapshot,
        query: &dyn Query,
        sequence: Option<&Sequence>,
    ) -> Result<Found, Trouble> {
        let wanted = rank::Wanted { sequence, ..self.conditions() };
        match &self.search.wanted {
            Wanted::Hits { most, .. } => rank::best(self.cx, there, query, *most, wanted),
            Wanted::Counts { .. } => Ok(rank::all(self.cx, there, query, wanted)?.found),
        }
    }

    fn conditions(&self) -> rank::Wanted<'_> {
        let condition = self.search.condition.as_ref();
        let order = match &self.search.wanted {
            Wanted::Hits { order, .. } => order.as_ref(),
            Wanted::Counts { .. } => None,
        };
        rank::Wanted { condition, order, sequence: None, weights: self.search.weights }
    }

    fn result(
        &self,
        there: &Snapshot,
        query: &dyn Query,
        found: &Found,
    ) -> Result<Vec<Value>, Trouble> {
        let meta = match &self.search.wanted {
            Wanted::Hits { meta, .. } => meta.as_ref(),
            Wanted::Counts { field, most } => {
                let docs = found.ranked.iter().map(|it| it.doc);
                let counts = Counts::of(there, field, docs)?;
                return Ok(vec![facets::record(field, counts, found.ranked.len(), *most)]);
            }
        };
        let terms = query::terms(query).into();
        let (source, query) = (&self.source, &self.search.query);
        let hits = Hits { source, query, terms, there, wanted: meta };
        let read = |it| {
            self.cx.check()?;
            hits.read(it)
        };
        found.ranked.iter().map(read).collect()
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

/// Reports that conditions exclude all documents with the words, if they do.
fn excluded(found: &Found, notices: &Notices) -> bool {
    let why = match found.excluded {
        0 => return false,
        1 => "`where` excludes the document that matches the query".to_owned(),
        all => format!("`where` excludes all {all} documents that match the query"),
    };
    notices.add_of_query(why);
    true
}

/// A damaged index may make tantivy panic in places without checks; such a panic counts as damage.
fn guarded<T>(search: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(search))
        .unwrap_or_else(|_| Err(Trouble::Damaged("inconsistent index".to_owned())))
}
