//! Converts ranked documents to hits.

use std::sync::Arc;

use svc_contract::{
    registry::{OpError, RecordDef as _, documents::Hit},
    value::{Record, Slot, Text, Type, Value, json},
};
use svc_text::{language::Language, pages};
use tantivy::{
    DocAddress, TantivyDocument,
    schema::{Field, Value as _},
};

use super::{
    place::Snapshot,
    rank::Ranked,
    schema::{self, fields},
    snippet,
    source::Source,
    trouble::Trouble,
};

/// The shared data of all hits of a search.
pub(super) struct Hits<'a> {
    pub(super) source: &'a Source,
    pub(super) query: &'a Text,
    /// The stems that snippets highlight.
    pub(super) terms: Arc<[String]>,
    pub(super) there: &'a Snapshot,
    /// The type of metadata that the call asks for.
    pub(super) wanted: Option<&'a Type>,
}

impl Hits<'_> {
    /// Reads one document. Its snippet is created when it is first read.
    pub(super) fn read(&self, ranked: &Ranked) -> Result<Value, Trouble> {
        let fields = fields();
        let row: TantivyDocument = self.there.searcher.doc(ranked.doc)?;
        let text = |field: Field| {
            let text = row.get_first(field).and_then(|it| it.as_str());
            text.map(Text::from).ok_or_else(|| Trouble::Damaged("a document is incomplete".into()))
        };
        let place = |field: Field| row.get_first(field).and_then(|it| it.as_u64()).unwrap_or(0);
        let (file, place, end) = (text(fields.file)?, place(fields.start), place(fields.end));
        let start = self.there.manifest.position(&file, place);
        let end = start.saturating_add(end.saturating_sub(place));
        let body = text(fields.text)?;
        let (id, file) = (text(fields.id)?, text(fields.file)?);
        let (path, start, end): (Text, u64, u64) =
            match row.get_first(fields.path).and_then(|it| it.as_str()) {
                // Its file is not known here: the whole text is the document.
                Some(path) => (path.into(), 0, body.len() as u64),
                None => (self.source.show(path_of(&file, &id)).into(), start, end),
            };
        let (shown, terms) = (body.clone(), self.terms.clone());
        let (paged, paged_terms) = (body.clone(), self.terms.clone());
        let language = schema::language(&row);
        let has_pages = pages::has_pages(&path, &body);
        let mut slots: Vec<Slot> = [
            Value::Text(id),
            Value::Text(text(fields.title)?),
            Value::Text(path),
            Value::Text(body),
            Value::Text(self.query.clone()),
            Value::Float(ranked.score),
        ]
        .map(Slot::Ready)
        .into();
        slots.push(Slot::deferred(move || snippet::of(language, &shown, &terms).into()));
        let int = |it| Slot::Ready(Value::Int(i64::try_from(it).unwrap_or(i64::MAX)));
        slots.extend([start, end].map(int));
        slots.push(if has_pages {
            Slot::deferred(move || page(language, &paged, &paged_terms))
        } else {
            Slot::Ready(Value::Null)
        });
        slots.push(Slot::Ready(self.meta(&row, &file, ranked.doc)?));
        Ok(Value::Record(Record::of_slots(Hit::names(), slots)))
    }

    /// What a document says about itself, and its file about it unless it is a record, as the type
    /// that the call asks for.
    fn meta(&self, row: &TantivyDocument, file: &str, doc: DocAddress) -> Result<Value, Trouble> {
        let text = row.get_first(fields().meta).and_then(|it| it.as_str());
        let own = text.map_or(Ok(Value::Null), json::read);
        let own = own.map_err(|err| Trouble::Damaged(format!("invalid metadata: {err}")))?;
        let segment = self.there.searcher.segment_reader(doc.segment_ord);
        let records = segment.fast_fields().column_opt::<u64>("hash")?;
        let is_record = records.is_some_and(|it| it.first(doc.doc_id).is_some());
        let meta = match self.there.manifest.0.get(file).filter(|_| !is_record) {
            Some(file) => file.meta(&own),
            None => own,
        };
        let Some(wanted) = self.wanted else { return Ok(meta) };
        meta.cast(wanted).map_err(|why| {
            let id = row.get_first(fields().id).and_then(|it| it.as_str()).unwrap_or_default();
            let message = format!("the metadata of `{id}` does not fit: {why}");
            let help = "make the field optional with `?`, or leave such documents out with `where`";
            OpError::invalid_input(message).help(help).into()
        })
    }
}

/// The path of a document: that of its file, or, for what is in an archive, the name in it.
fn path_of<'a>(file: &'a str, id: &'a str) -> &'a str {
    let is_member = id.strip_prefix(file).is_some_and(|it| it.starts_with('/'));
    if is_member { id } else { file }
}

/// The page of the words that a snippet shows.
fn page(language: Language, text: &str, terms: &[String]) -> Value {
    Value::Int(pages::at(1, text, snippet::place(language, text, terms)))
}
