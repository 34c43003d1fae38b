//! The input of a summary: a string, a document, or a list of documents.

use svc_contract::{
    registry::{Field, Max, Scheme, documents::Doc},
    value::{Record, Text, Value},
};

/// The text or documents to summarise.
#[derive(Clone, Debug)]
pub(super) struct Input(pub Vec<Document>);

/// A document, and the query that it answers if it is a hit.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    pub id: Text,
    pub title: Text,
    pub path: Text,
    pub text: Text,
    pub query: Text,
    /// How well it answers the query; 0 if unknown.
    pub score: f64,
}

impl Field for Input {
    const SCHEME: Scheme =
        Scheme::OneOf(&[Scheme::Text, Doc::SCHEME, Scheme::List(&Doc::SCHEME, Max::Unknown)]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(match value {
            Value::Text(text) => vec![Document { text, ..Document::default() }],
            Value::Record(it) => vec![document(&it)?],
            Value::List(all) => {
                all.iter().map(|it| document(it.as_record()?)).collect::<Option<_>>()?
            }
            _ => return None,
        }))
    }

    fn encode(self) -> Value {
        let doc = |it: Document| Doc { id: it.id, title: it.title, path: it.path, text: it.text };
        Value::List(self.0.into_iter().map(|it| doc(it).encode()).collect())
    }
}

fn document(record: &Record) -> Option<Document> {
    let text = |name| match record.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it.clone(),
        _ => Text::default(),
    };
    record.get("text")?.as_str()?;
    Some(Document {
        id: text("id"),
        title: text("title"),
        path: text("path"),
        text: text("text"),
        query: text("query"),
        score: match record.get("score") {
            Some(Value::Float(it)) if it.is_finite() && *it > 0.0 => *it,
            _ => 0.0,
        },
    })
}

impl Document {
    /// The name of the document among the sources: its path, or its id if that is more specific,
    /// and its title if that differs.
    pub(super) fn label(&self) -> String {
        let (path, id) = (self.path.as_ref(), self.id.as_ref());
        // The id of a passage is its document's id with the number of the passage.
        let whole = id.rsplit_once('#').map_or(id, |(whole, _)| whole);
        let name = if path.is_empty() {
            id.to_owned()
        } else if path.ends_with(id) || path.ends_with(whole) {
            path.to_owned()
        } else {
            format!("{path}#{id}")
        };
        let title = self.title.trim();
        let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        match (name.as_str(), title) {
            ("", _) => title.to_owned(),
            (_, "") => name,
            _ if title == file_name || title == id || title == path => name,
            _ => format!("{name} ({title})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_say_path_record_and_title() {
        let label = |id: &str, title: &str, path: &str| {
            let (id, title, path) = (id.into(), title.into(), path.into());
            Document { id, title, path, ..Document::default() }.label()
        };
        assert_eq!(
            label("guide.md#2", "Guide › Caps", "docs/guide.md"),
            "docs/guide.md (Guide › Caps)"
        );
        assert_eq!(label("guide.md", "guide.md", "docs/guide.md"), "docs/guide.md");
        assert_eq!(label("17", "", "all.jsonl"), "all.jsonl#17");
        assert_eq!(label("17", "Wings", ""), "17 (Wings)");
        assert_eq!(label("", "Wings", ""), "Wings");
        assert_eq!(label("", "", ""), "");
    }
}
