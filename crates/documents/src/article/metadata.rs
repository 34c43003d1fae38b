//! What a page says about itself: its title, author, date, language and site.

use serde_json::Value as Json;
use svc_contract::value::Value;

use super::{
    super::{
        html::{one_line, texts},
        meta::Meta,
        tree::{Id, Tree},
    },
    dates,
};

/// The maximum number of elements of a kind that are looked at.
const MOST: usize = 500;

/// The maximum length of an author or a site, in bytes.
const LONGEST: usize = 200;

/// The maximum length of an address, and of a title that is searched for the name of the site, in
/// bytes.
const LONGEST_TITLE: usize = 1_000;

/// What a page says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Without the name of the site; `None` if the page has none.
    pub title: Option<String>,
    pub author: Option<String>,
    /// A date, or a moment, in the format of ISO 8601.
    pub published: Option<String>,
    /// A language tag such as `en-GB`.
    pub language: Option<String>,
    pub site: Option<String>,
    /// The address that the page gives for itself.
    pub address: Option<String>,
}

impl Metadata {
    /// What it says besides the title, as the metadata of a document.
    pub fn fields(&self) -> Value {
        let mut meta = Meta::new();
        meta.text("author", self.author.as_deref());
        meta.date("published", self.published.as_deref());
        meta.text("language", self.language.as_deref());
        meta.text("site", self.site.as_deref());
        meta.end()
    }
}

pub(crate) fn metadata(html: &Tree) -> Metadata {
    let said = Said::new(html);
    let site = said.meta(&["og:site_name"]).or_else(|| said.linked(&["publisher"], "name"));
    let site = site.or_else(|| said.meta(&["application-name"])).filter(|it| it.len() <= LONGEST);
    Metadata {
        title: said.title(site.as_deref()),
        author: said.author(),
        published: said.published(),
        language: said.language(),
        site,
        address: said.address(),
    }
}

/// Where a page describes itself.
struct Said<'a> {
    html: &'a Tree,
    /// Names and contents of its `meta` elements.
    metas: Vec<(String, &'a str)>,
    /// Its articles in JSON-LD.
    articles: Vec<Json>,
}

impl<'a> Said<'a> {
    fn new(html: &'a Tree) -> Self {
        let mut said = Self { html, metas: Vec::new(), articles: Vec::new() };
        for id in html.ids() {
            match html.name(id) {
                Some("meta") if said.metas.len() < MOST => said.add_meta(id),
                Some("script") if said.articles.len() < MOST => said.add_script(id),
                _ => {}
            }
        }
        said
    }

    fn add_meta(&mut self, id: Id) {
        let mut name = ["property", "name", "itemprop"].iter();
        let name = name.find_map(|it| self.html.attribute(id, it));
        let content = self.html.attribute(id, "content").filter(|it| !it.trim().is_empty());
        if let (Some(name), Some(content)) = (name, content) {
            self.metas.push((name.trim().to_ascii_lowercase(), content));
        }
    }

    fn add_script(&mut self, id: Id) {
        let kind = self.html.attribute(id, "type").unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("application/ld+json")
            && let Ok(json) = serde_json::from_str(&texts(self.html, id))
        {
            add_articles(json, &mut self.articles);
        }
    }

    /// The content of the first of these names that the page has.
    fn meta(&self, names: &[&str]) -> Option<String> {
        let of = |name: &&str| self.metas.iter().find(|it| it.0 == *name);
        names.iter().find_map(of).map(|it| one_line(it.1))
    }

    /// A text in JSON-LD.
    fn linked(&self, names: &[&str], inner: &str) -> Option<String> {
        let texts = self.articles.iter().flat_map(|it| names.iter().map(|name| &it[*name]));
        let mut texts = texts.map(|it| joined(it, inner)).filter(|it| !it.is_empty());
        texts.next()
    }

    /// The texts of the first elements that `is_wanted` finds.
    fn elements(&self, is_wanted: impl Fn(Id) -> bool) -> impl Iterator<Item = (Id, String)> {
        let found =
            self.html.ids().filter(move |it| self.html.name(*it).is_some() && is_wanted(*it));
        let found = found.take(16).map(|it| (it, one_line(&texts(self.html, it))));
        found.filter(|it| !it.1.is_empty())
    }

    fn title(&self, site: Option<&str>) -> Option<String> {
        let in_head = |id| {
            let above = self.html.parent(id).and_then(|it| self.html.name(it));
            self.html.name(id) == Some("title") && above == Some("head")
        };
        let heading: Vec<_> =
            self.elements(|id| self.html.name(id) == Some("h1")).map(|it| it.1).collect();
        let title = self.elements(in_head).next().map(|it| it.1);
        let title = title.or_else(|| self.meta(&["og:title", "twitter:title"]));
        match title {
            Some(title) => Some(without_site(&title, site, &heading).to_owned()),
            None => heading.into_iter().next(),
        }
    }

    fn author(&self) -> Option<String> {
        let names =
            ["author", "article:author", "parsely-author", "sailthru.author", "dc.creator", "byl"];
        let is_author = |id| {
            self.html.attribute(id, "rel") == Some("author")
                || self.html.attribute(id, "itemprop") == Some("author")
        };
        let said = self.linked(&["author"], "name").or_else(|| {
            let mut said = names.iter().filter_map(|it| self.meta(&[it]));
            said.find(|it| !it.contains("://"))
        });
        let said = said.or_else(|| self.elements(is_author).next().map(|it| it.1))?;
        let name = said.strip_prefix("By ").or_else(|| said.strip_prefix("by ")).unwrap_or(&said);
        (!name.is_empty() && name.len() <= LONGEST && !name.contains("://"))
            .then(|| name.to_owned())
    }

    fn published(&self) -> Option<String> {
        let names = [
            "article:published_time",
            "datepublished",
            "og:published_time",
            "parsely-pub-date",
            "sailthru.date",
            "pubdate",
            "publishdate",
            "dc.date.issued",
            "dc.date",
            "date",
        ];
        let said = self.articles.iter().filter_map(|it| it["datePublished"].as_str());
        let said = said.map(str::to_owned).chain(names.iter().filter_map(|it| self.meta(&[it])));
        let times = self.html.ids().filter(|it| self.html.name(*it) == Some("time"));
        let times = times.take(MOST).filter_map(|it| self.html.attribute(it, "datetime"));
        said.chain(times.map(str::to_owned)).find_map(|it| dates::iso(&it))
    }

    fn address(&self) -> Option<String> {
        let is_canonical = |id: &Id| {
            let rel = self.html.attribute(*id, "rel").unwrap_or_default();
            self.html.name(*id) == Some("link")
                && rel.split_whitespace().any(|it| it.eq_ignore_ascii_case("canonical"))
        };
        let link = self.html.ids().find(is_canonical);
        let said = link.and_then(|it| self.html.attribute(it, "href")).map(str::to_owned);
        let said = said.or_else(|| self.meta(&["og:url"]))?;
        let said = said.trim();
        let is_whole = said.starts_with("https://") || said.starts_with("http://");
        (is_whole && said.len() <= LONGEST_TITLE).then(|| said.to_owned())
    }

    fn language(&self) -> Option<String> {
        let mut ids = self.html.ids();
        let root = ids.find(|it| self.html.name(*it) == Some("html"))?;
        let said = self.html.attribute(root, "lang").map(str::to_owned);
        let said = said.filter(|it| !it.trim().is_empty());
        let said = said.or_else(|| self.meta(&["content-language", "og:locale", "inlanguage"]))?;
        let tag = said.trim().replace('_', "-");
        let is_tag = (2..=35).contains(&tag.len())
            && tag.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
        is_tag.then_some(tag)
    }
}

/// Collects the articles in JSON-LD: objects whose type says so, also in lists and graphs.
fn add_articles(json: Json, articles: &mut Vec<Json>) {
    match json {
        Json::Array(all) => all.into_iter().for_each(|it| add_articles(it, articles)),
        Json::Object(mut fields) => {
            if let Some(graph) = fields.remove("@graph") {
                add_articles(graph, articles);
            }
            let kind = fields.get("@type").map(Json::to_string).unwrap_or_default();
            if ["Article", "Posting", "Report", "WebPage"].iter().any(|it| kind.contains(it)) {
                articles.push(Json::Object(fields));
            }
        }
        _ => {}
    }
}

/// A text, the text `inner` of an object, or those of a list, joined by commas.
fn joined(json: &Json, inner: &str) -> String {
    match json {
        Json::String(text) => one_line(text),
        Json::Object(fields) => fields.get(inner).map(|it| joined(it, inner)).unwrap_or_default(),
        Json::Array(all) => {
            let all = all.iter().map(|it| joined(it, inner)).filter(|it| !it.is_empty());
            all.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// A title without the name of the site before or after it: a part that is the site, or around one
/// that is a heading of the page.
fn without_site<'a>(title: &'a str, site: Option<&str>, headings: &[String]) -> &'a str {
    const BETWEEN: &[&str] = &[" | ", " - ", " – ", " — ", " · ", " » ", " « ", " : "];
    let same = |one: &str, other: &str| {
        one.len() <= LONGEST_TITLE && one.to_lowercase() == other.to_lowercase()
    };
    let is_site = |part: &str| site.is_some_and(|it| same(it, part));
    let is_heading = |part: &str| headings.iter().any(|it| same(it, part));
    if title.len() > LONGEST_TITLE {
        return title;
    }
    let splits = BETWEEN.iter().flat_map(|it| {
        title.match_indices(it).map(|(at, between)| (&title[..at], &title[at + between.len()..]))
    });
    for (before, after) in splits {
        if is_site(after) || is_heading(before) {
            return before.trim();
        }
        if is_site(before) || is_heading(after) {
            return after.trim();
        }
    }
    title
}
