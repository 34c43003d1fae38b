//! A JSON list of records, each a document; any other JSON is plain text.

use super::{Document, Sink, plain, record::Record};

/// Extracts the records of a list, or the file as one document.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    match records(&content) {
        Some(found) => {
            for it in found {
                let source = usize::try_from(it.start).ok().zip(usize::try_from(it.end).ok());
                let source = source.and_then(|(start, end)| content.get(start..end));
                if !source.is_some_and(|source| sink.is_known(source, it.start)) {
                    sink.document(it);
                }
            }
        }
        None => plain::extract(name, content, sink),
    }
}

/// Returns the documents of a list that contains only records.
fn records(content: &[u8]) -> Option<Vec<Document>> {
    let mut at = blank(content, 0);
    if content.get(at) != Some(&b'[') {
        return None;
    }
    let mut found = Vec::new();
    loop {
        let start = blank(content, at + 1);
        let mut values = serde_json::Deserializer::from_slice(content.get(start..)?).into_iter();
        let record: Record = values.next()?.ok()?;
        let end = start + values.byte_offset();
        found.push(record.document(start as u64, end as u64).ok()?);
        at = blank(content, end);
        match content.get(at)? {
            b',' => {}
            b']' => return (blank(content, at + 1) == content.len()).then_some(found),
            _ => return None,
        }
    }
}

/// The index of the first byte from `at` on that is not white space.
fn blank(content: &[u8], at: usize) -> usize {
    let rest = content.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|it| it.is_ascii_whitespace()).count()
}
