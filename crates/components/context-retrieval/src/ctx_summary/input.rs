//! The input of a summary: a string, a document, or a list of documents.

use svc_contract::{
    registry::{Field, Max, Scheme, documents::Doc},
    value::{Record, Text, Value},
};
use svc_text::pages;

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
    /// The page where the text starts, if it has pages.
    pub page: Option<i64>,
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
        let doc = |it: Document| Doc::new(it.id, it.title, it.path, it.text);
        Value::List(self.0.into_iter().map(|it| doc(it).encode()).collect())
    }
}

fn document(record: &Record) -> Option<Document> {
    let text = |name| match record.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it.clone(),
        _ => Text::default(),
    };
    let body = record.get("text")?.as_str()?;
    let page = match record.get("page") {
        Some(Value::Int(page)) => Some(*page),
        _ => None,
    };
    let page = pages::first(page, &text("id"), &text("path"), body);
    Some(Document {
        page,
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
    /// the page of a position of the text, and its title if that differs.
    pub(super) fn label(&self, at: usize) -> String {
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
        let page = self.page.map(|first| pages::cited(path, pages::at(first, &self.text, at)));
        let name = match page {
            Some(page) if !name.is_empty() => format!("{name}, {page}"),
            _ => name,
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
            Document { id, title, path, ..Document::default() }.label(0)
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

    #[test]
    fn labels_say_the_page() {
        let text: Text = "one\n\u{c}\ntwo".into();
        let (path, title): (Text, Text) = ("a/r.pdf".into(), "A report".into());
        let document =
            Document { id: path.clone(), title, path, text, page: Some(3), ..Document::default() };
        assert_eq!(document.label(0), "a/r.pdf, p. 3 (A report)");
        assert_eq!(document.label(6), "a/r.pdf, p. 4 (A report)");
    }
}
