//! What an office document or a book declares about itself, by Dublin Core.

use std::collections::BTreeMap;

use svc_contract::value::Value;

use super::{
    super::{Unreadable, meta::Meta},
    xml::{Step, Visit, walk},
};

/// The elements that are read, each with the name of its field. The first one of a name wins.
pub(super) type Names = [(&'static str, &'static str)];

/// Those of `docProps/core.xml`.
pub(super) const OF_CORE: &Names = &[
    ("creator", "author"),
    ("created", "created"),
    ("subject", "subject"),
    ("keywords", "keywords"),
    ("language", "language"),
];

/// Those of `meta.xml`. Its `creator` is the last one who changed the document.
pub(super) const OF_OPEN_DOCUMENT: &Names = &[
    ("initial-creator", "author"),
    ("creator", "author"),
    ("creation-date", "created"),
    ("subject", "subject"),
    ("keyword", "keywords"),
    ("language", "language"),
];

/// Those of the package file of a book.
pub(super) const OF_BOOK: &Names = &[
    ("creator", "author"),
    ("date", "published"),
    ("publisher", "publisher"),
    ("subject", "keywords"),
    ("language", "language"),
];

/// What a document declares.
#[derive(Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) meta: Value,
}

/// The maximum length of the texts of one element, in bytes.
const LONGEST: usize = 4 << 10;

pub(super) fn read(xml: &str, names: &Names) -> Result<Properties, Unreadable> {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    let mut open = None;
    walk(xml, |step| {
        match step {
            Step::Open(tag) if tag.name() == "title" => {
                open = (!found.contains_key("title")).then_some("title");
            }
            Step::Open(tag) => {
                open = names.iter().find(|it| it.0 == tag.name()).map(|it| it.0);
                if let Some(text) = open.and_then(|it| found.get_mut(it)) {
                    text.push_str(", ");
                }
            }
            Step::Text(text) => {
                if let Some(all) = open.map(|it| found.entry(it).or_default())
                    && all.len() < LONGEST
                {
                    all.push_str(text);
                }
            }
            Step::Close(_) => open = None,
        }
        Ok(Visit::Enter)
    })?;
    let mut meta = Meta::new();
    for (idx, (element, field)) in names.iter().enumerate() {
        let is_set = names[..idx].iter().any(|it| it.1 == *field && found.contains_key(it.0));
        match found.get(element).filter(|_| !is_set) {
            Some(date) if matches!(*field, "created" | "published") => {
                meta.date(field, Some(date.as_str()));
            }
            text => meta.text(field, text.map(String::as_str)),
        }
    }
    let title = found.remove("title").filter(|it| !it.trim().is_empty());
    Ok(Properties { title, meta: meta.end() })
}
