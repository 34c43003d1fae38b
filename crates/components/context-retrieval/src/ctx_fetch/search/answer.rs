//! Reads the answers of search engines.

use serde_json::Value as Json;
use svc_contract::{
    host::address::Address,
    registry::{Cx, OpError},
    value::{Record, Text, Value},
};
use svc_documents as extract;
use svc_text::plain::on_one_line;

use super::{
    failure,
    provider::{Kind, Provider},
};

/// The most bytes that are kept of a title, of a text and of an address.
const LONGEST_TITLE: usize = 512;
const LONGEST_TEXT: usize = 8 << 10;
const LONGEST_URL: usize = 4 << 10;

/// A page that was found.
pub(super) struct Found {
    pub(super) url: String,
    pub(super) site: String,
    pub(super) title: String,
    pub(super) text: String,
    /// The text with the words that the engine marked.
    pub(super) snippet: String,
    pub(super) published: Option<String>,
}

/// One answer.
pub(super) struct Answer {
    pub(super) found: Vec<Found>,
    /// The engines behind a server that did not answer it.
    pub(super) failed: Vec<String>,
}

/// The names of the fields of a result.
struct Names {
    url: &'static str,
    title: &'static str,
    text: &'static str,
    published: &'static [&'static str],
}

const fn names(kind: Kind) -> Names {
    match kind {
        Kind::Brave => Names {
            url: "url",
            title: "title",
            text: "description",
            published: &["page_age", "age"],
        },
        Kind::Tavily => {
            Names { url: "url", title: "title", text: "content", published: &["published_date"] }
        }
        Kind::Serper => {
            Names { url: "link", title: "title", text: "snippet", published: &["date"] }
        }
        Kind::Searxng => Names {
            url: "url",
            title: "title",
            text: "content",
            published: &["publishedDate", "pubdate"],
        },
    }
}

/// Reads an answer. A result without an address on the web is left out.
pub(super) fn read(provider: &Provider, body: &[u8], cx: &Cx) -> Result<Answer, OpError> {
    let shown = || String::from_utf8_lossy(&body[..body.len().min(1_000)]).into_owned();
    let json: Json = serde_json::from_slice(body)
        .map_err(|_| failure::of_protocol(provider, "something other than JSON", &shown()))?;
    let results = match provider.kind {
        // Without results, `web` and `organic` are missing.
        Kind::Brave if json["type"] == "search" && json["web"].is_null() => Some(&[][..]),
        Kind::Brave => json["web"]["results"].as_array().map(Vec::as_slice),
        Kind::Serper if json["searchParameters"].is_object() && json["organic"].is_null() => {
            Some(&[][..])
        }
        Kind::Serper => json["organic"].as_array().map(Vec::as_slice),
        Kind::Tavily | Kind::Searxng => json["results"].as_array().map(Vec::as_slice),
    };
    let results = results
        .ok_or_else(|| failure::of_protocol(provider, "an answer without results", &shown()))?;
    let mut found = Vec::new();
    let mut left_out = 0;
    for it in results {
        cx.check()?;
        match one(&names(provider.kind), it, cx) {
            Some(it) => found.push(it),
            None => left_out += 1,
        }
    }
    if left_out > 0 {
        let what = if left_out == 1 { "1 result".into() } else { format!("{left_out} results") };
        cx.notice(format!("{what} of `{}` left out: without an address", provider.name()));
    }
    Ok(Answer { found, failed: failed(&json) })
}

fn one(names: &Names, json: &Json, cx: &Cx) -> Option<Found> {
    let text = |name: &str| json[name].as_str().map(str::trim).filter(|it| !it.is_empty());
    let given = text(names.url).filter(|it| it.len() <= LONGEST_URL)?;
    let address = Address::read(given).ok()?;
    let (url, site) = (address.to_string(), address.host().to_owned());
    let title = readable(text(names.title).unwrap_or_default(), LONGEST_TITLE, cx).0;
    let (plain, snippet) = readable(text(names.text).unwrap_or_default(), LONGEST_TEXT, cx);
    let mut dates = names.published.iter().filter_map(|it| text(it));
    let published = dates.find_map(extract::date);
    let title = if title.is_empty() { site.clone() } else { title };
    Some(Found { url, site, title, text: plain, snippet, published })
}

/// The names of engines of `SearXNG` that failed, such as `[["google", "timeout"]]`.
fn failed(json: &Json) -> Vec<String> {
    /// More names do not help.
    const MOST: usize = 10;
    let all = json["unresponsive_engines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |it: &Json| Some(on_one_line(it[0].as_str()?).chars().take(40).collect());
    all.iter().filter_map(name).take(MOST).collect()
}

/// What an engine shows of a page, on one line: without markup, and with the words that are marked in
/// it between `**`.
fn readable(given: &str, most: usize, cx: &Cx) -> (String, String) {
    let given = &given[..given.floor_char_boundary(most)];
    if !has_markup(given) {
        let text = clean(given);
        return (text.clone(), text);
    }
    let is_stopped = || cx.cancel.is_cancelled();
    let mut marked = given.to_owned();
    for (tag, with) in MARKS {
        marked = marked.replace(tag, with);
    }
    let read = |html: &str| extract::fragment(html, &is_stopped).unwrap_or_default();
    (clean(&read(given)), clean(&read(&marked)))
}

const MARKS: [(&str, &str); 6] = [
    ("<strong>", "**"),
    ("</strong>", "**"),
    ("<b>", "**"),
    ("</b>", "**"),
    ("<em>", "**"),
    ("</em>", "**"),
];

/// Whether a text is HTML: text that only has a `<` or `&` somewhere is not.
fn has_markup(text: &str) -> bool {
    let tag = |after: &str| {
        let name = after.strip_prefix('/').unwrap_or(after);
        name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '!') && after.contains('>')
    };
    let reference = |after: &str| {
        let end = after.char_indices().take(10).find(|it| it.1 == ';').map_or(0, |it| it.0);
        let name = after[..end].strip_prefix('#').unwrap_or(&after[..end]);
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    text.match_indices('<').any(|(at, _)| tag(&text[at + 1..]))
        || text.match_indices('&').any(|(at, _)| reference(&text[at + 1..]))
}

/// A text on one line, without control characters.
fn clean(text: &str) -> String {
    let spaced = |it: char| if it.is_control() { ' ' } else { it };
    on_one_line(&text.chars().map(spaced).collect::<String>())
}

/// What is known about a page besides its text.
pub(super) fn meta(provider: &Provider, site: String, published: Option<String>) -> Value {
    let known = [("provider", Some(provider.name().to_owned())), ("site", Some(site))];
    let all = known.into_iter().chain([("published", published)]);
    let (names, values): (Vec<Text>, Vec<Value>) =
        all.filter_map(|(name, it)| Some((Text::from(name), Value::from(Text::from(it?))))).unzip();
    Value::Record(Record::new(names.into(), values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cx;

    #[test]
    fn only_markup_is_taken_for_markup() {
        for html in ["a <b>c</b>", "a<br>b", "&amp;", "it&#x27;s", "<!-- x -->", "</p>"] {
            assert!(has_markup(html), "{html}");
        }
        for text in ["a < b", "a <b", "x & y", "AT&T", "a && b; c", "&;", "&#;", "1 <2> 3"] {
            assert!(!has_markup(text), "{text}");
        }
    }

    #[test]
    fn marked_words_are_marked_in_the_snippet_alone() {
        let read = |given: &str| readable(given, LONGEST_TEXT, &cx());
        let (text, snippet) =
            read("A <strong>cap</strong> is&nbsp;kept &lt;always&gt;<script>x</script>");
        assert_eq!(text, "A cap is kept <always>");
        assert_eq!(snippet, "A **cap** is kept <always>");
        assert_eq!(read("a <\u{1b}[31m b\u{0}c").0, "a < [31m b c");
        let long = "ä".repeat(LONGEST_TEXT);
        assert_eq!(read(&long).0.len(), LONGEST_TEXT);
    }
}
