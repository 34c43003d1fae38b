//! The links of a page.

use svc_contract::{host::address::Address, registry::Cx, value::Value};
use svc_documents::elements;

/// What a page says about others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links {
    /// The addresses that it links, in its order.
    pub(super) pages: Vec<Address>,
    /// Its own address, if it says so.
    pub(super) canonical: Option<Address>,
}

/// The ends of paths that are not pages with text.
const NOT_PAGES: &[&str] = &[
    "7z", "avi", "bmp", "bz2", "css", "dmg", "doc", "docx", "exe", "gif", "gz", "ico", "iso",
    "jpeg", "jpg", "js", "m4a", "mov", "mp3", "mp4", "ogg", "png", "ppt", "pptx", "rar", "svg",
    "tar", "tgz", "tif", "tiff", "wav", "webm", "webp", "woff", "woff2", "xls", "xlsx", "zip",
];

/// Fields of queries that count visitors and do not change the page.
const COUNTING: &[&str] = &[
    "fbclid",
    "gclid",
    "utm_campaign",
    "utm_content",
    "utm_id",
    "utm_medium",
    "utm_source",
    "utm_term",
];

/// The links of the page at an address. A page that cannot be read has none.
pub(super) fn links(cx: &Cx, at: &Address, page: &str) -> Links {
    let wanted = "a[href], area[href], base[href], link[rel][href], meta[name][content]";
    let found = elements(page, wanted, cx.host(), &|| cx.cancel.is_cancelled());
    let Ok(Value::List(found)) = found else { return Links::default() };
    let mut links = Links::default();
    let mut base = at.clone();
    let mut follows = true;
    for element in found.iter().filter_map(Element::of) {
        match element.tag.as_str() {
            "base" => base = element.href(at).unwrap_or(base),
            "link" if element.has("rel", "canonical") => links.canonical = element.href(&base),
            "meta" if element.has("name", "robots") => {
                follows &= !element.has("content", "nofollow") && !element.has("content", "none");
            }
            "a" | "area" => links.pages.extend(element.href(&base).filter(is_page)),
            _ => {}
        }
    }
    if !follows {
        links.pages.clear();
    }
    links
}

struct Element {
    tag: String,
    attributes: Value,
}

impl Element {
    fn of(value: &Value) -> Option<Self> {
        let record = value.as_record()?;
        let html = record.get("html")?.as_str()?.strip_prefix('<')?;
        let end = html.find(|it: char| !it.is_ascii_alphanumeric())?;
        Some(Self {
            tag: html[..end].to_ascii_lowercase(),
            attributes: record.get("attributes")?.clone(),
        })
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.as_record()?.get(name)?.as_str()
    }

    /// Whether an attribute has a word.
    fn has(&self, name: &str, word: &str) -> bool {
        let value = self.get(name).unwrap_or_default().to_ascii_lowercase();
        value.split([' ', ',']).any(|it| it == word)
    }

    fn href(&self, base: &Address) -> Option<Address> {
        base.join(self.get("href")?).ok().map(|it| plain(&it))
    }
}

/// The address without the fields that count visitors.
pub(super) fn plain(address: &Address) -> Address {
    let text = address.to_string();
    let Some((page, query)) = text.split_once('?') else { return address.clone() };
    let is_kept = |it: &&str| !COUNTING.contains(&it.split('=').next().unwrap_or_default());
    let query: Vec<&str> = query.split('&').filter(is_kept).collect();
    let plain =
        if query.is_empty() { page.to_owned() } else { format!("{page}?{}", query.join("&")) };
    Address::read(&plain).unwrap_or_else(|_| address.clone())
}

fn is_page(address: &Address) -> bool {
    let name = address.path().rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map(|it| it.1.to_ascii_lowercase());
    end.is_none_or(|it| !NOT_PAGES.contains(&it.as_str()))
}
