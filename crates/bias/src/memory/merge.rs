//! Old notes that say nearly the same become one.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use svc_contract::registry::{Cx, OpError};
use svc_store::book::{Book, KeptNote};
use svc_text::{near::Known, sentences::sentences};

use super::{LONGEST, folded, identified};
use crate::biases::failed;

/// The share of shingles of which two notes are alike.
const ALIKE: f64 = 0.5;

/// Merges what was kept before a time. Returns the number of notes that are now part of others.
pub(super) fn old_ones(cx: &Cx, book: &Book, before: i64) -> Result<usize, OpError> {
    let mut old = book.kept_notes().map_err(failed)?;
    old.retain(|it| it.at < before);
    let mut merged = 0;
    for group in groups(&old) {
        cx.check()?;
        let Some(one) = merge(&group) else { continue };
        let ids = group.iter().map(|it| it.id.clone()).collect();
        book.merge_notes(one, ids).map_err(failed)?;
        merged += group.len() - 1;
    }
    Ok(merged)
}

/// The notes that are alike, the oldest first. A note is in the group of the first one that it is
/// like, so that a chain of small differences joins nothing that differs.
fn groups(notes: &[KeptNote]) -> Vec<Vec<&KeptNote>> {
    let mut near = Known::new(ALIKE);
    let mut first_of = Vec::with_capacity(notes.len());
    let mut groups: BTreeMap<usize, Vec<&KeptNote>> = BTreeMap::new();
    for (idx, note) in notes.iter().enumerate() {
        let like = near.add(&note.text).into_iter().map(|it| it.0);
        let first = like.filter(|&it| first_of[it] == it).min().unwrap_or(idx);
        first_of.push(first);
        groups.entry(first).or_default().push(note);
    }
    groups.into_values().filter(|it| it.len() > 1).collect()
}

/// One note for several, or none if it would be too long.
fn merge(group: &[&KeptNote]) -> Option<KeptNote> {
    let mut seen = HashSet::new();
    let mut said = Vec::new();
    for note in group {
        let parts = sentences(&note.text).map(|it| note.text[it].trim());
        said.extend(parts.filter(|it| !it.is_empty() && seen.insert(folded(it))));
    }
    let text = said.join(" ");
    if text.len() > LONGEST {
        return None;
    }
    let sources: BTreeSet<&str> = group.iter().flat_map(|it| it.source.split(", ")).collect();
    let tags: BTreeSet<&String> = group.iter().flat_map(|it| &it.tags).collect();
    let mut used: Vec<i64> = group.iter().flat_map(|it| &it.used).copied().collect();
    used.sort_unstable();
    let (id, digest) = identified(&text);
    Some(KeptNote {
        id,
        at: group.iter().map(|it| it.at).max()?,
        source: sources.into_iter().collect::<Vec<&str>>().join(", "),
        tags: tags.into_iter().cloned().collect(),
        text,
        digest,
        used,
    })
}
