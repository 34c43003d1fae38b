//! The article of a page, without what stands around it.
//!
//! The algorithm is that of Readability (Mozilla, after Arc90): text chooses the element with the
//! article, and what is inside is dropped where it is mostly links. As in trafilatura, an element
//! that is named as the text of an article is preferred, and one that is named otherwise dropped.
//! What holds most of the text is never dropped by its name.

use super::{
    html::{Step, walk},
    tree::{Id, Seen, Tree},
};

mod choose;
mod dates;
mod facts;
mod metadata;
mod signs;

use choose::Choice;
pub(super) use dates::iso;
use facts::{Facts, count, share};
pub use metadata::Metadata;
pub(super) use metadata::metadata;
pub(super) use signs::is_hidden;

/// Elements that are never part of an article.
const OUTSIDE: &[&str] = &[
    "aside", "button", "dialog", "footer", "head", "iframe", "input", "menu", "nav", "noscript",
    "object", "script", "select", "style", "svg", "template", "textarea", "audio", "video",
    "canvas", "math",
];

/// The minimum number of letters of an article, outside links.
const SHORTEST: usize = 250;

/// What separates an article from what stands around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticleRules {
    /// The share of letters in links, from 0 to 1, above which a list or a box is not text.
    pub link_density: f64,
    /// The minimum number of letters of a paragraph that counts.
    pub min_text: usize,
}

impl Default for ArticleRules {
    fn default() -> Self {
        Self { link_density: 0.5, min_text: 25 }
    }
}

/// The parts of a page that are its article.
pub(super) struct Article {
    pub(super) roots: Vec<Id>,
    /// For each node, whether it is not part of the article although it is inside one of `roots`.
    pub(super) dropped: Vec<bool>,
}

/// Returns the article of a page, or `None` for a page without one, such as a list of links.
pub(super) fn article(html: &Tree, rules: ArticleRules) -> Option<Article> {
    attempt(html, rules, true).or_else(|| attempt(html, rules, false))
}

fn attempt(html: &Tree, rules: ArticleRules, is_strict: bool) -> Option<Article> {
    let mut dropped = outside(html, is_strict);
    let root = html.ids().start;
    let mut facts = vec![Facts::default(); dropped.len()];
    count(html, root, &mut dropped, &mut facts, |_, _| false);
    if is_strict {
        let most = facts[root].plain() / 2;
        count(html, root, &mut dropped, &mut facts, |id, facts| {
            facts.plain() <= most && signs::is_around(html, id) && !signs::is_body(html, id)
        });
    }
    let choice = Choice::new(html, &facts, rules.min_text);
    let mut found = Article { roots: choice.with_siblings(choice.top()?), dropped };
    let left = found.clean(html, rules);
    if let Some(roots) = bodies(html, &facts, &found.dropped) {
        let mut other = Article { roots, dropped: found.dropped.clone() };
        let body = other.clean(html, rules);
        if body >= SHORTEST && body * 2 >= left {
            return Some(other);
        }
    }
    (left >= SHORTEST).then_some(found)
}

impl Article {
    /// Drops what is not text, and returns the number of letters outside links that are left.
    fn clean(&mut self, html: &Tree, rules: ArticleRules) -> usize {
        let mut left = 0;
        // One for all roots: a page may have as many as paragraphs.
        let mut facts = vec![Facts::default(); self.dropped.len()];
        for root in &self.roots {
            count(html, *root, &mut self.dropped, &mut facts, |_, _| false);
            let most = facts[*root].plain() / 2;
            count(html, *root, &mut self.dropped, &mut facts, |id, it| {
                it.plain() <= most && is_clutter(html, rules, id, it)
            });
            left += facts[*root].plain();
        }
        left
    }
}

/// The largest element that is named as the text of an article, with its siblings that are.
fn bodies(html: &Tree, facts: &[Facts], dropped: &[bool]) -> Option<Vec<Id>> {
    let is_body = |id: &Id| !dropped[*id] && facts[*id].plain() > 0 && signs::is_body(html, *id);
    let largest =
        html.ids().filter(is_body).max_by_key(|it| (facts[*it].plain(), usize::MAX - *it))?;
    let parent = html.parent(largest)?;
    Some(html.children(parent).filter(is_body).collect())
}

/// For each node, whether it is outside any article by its kind or its names.
fn outside(html: &Tree, is_strict: bool) -> Vec<bool> {
    let mut dropped = vec![false; html.ids().len()];
    walk(html, html.ids().start, |step| {
        let Step::In(id, Seen::Element { name, .. }) = step else { return true };
        let is_frame = matches!(name, "html" | "body" | "article" | "main" | "a");
        dropped[id] = OUTSIDE.contains(&name)
            || !matches!(name, "html" | "body") && signs::is_hidden(html, id)
            || is_strict && !is_frame && signs::is_unlikely(html, id);
        !dropped[id]
    });
    dropped
}

/// Whether a part of an article is none of it.
fn is_clutter(html: &Tree, rules: ArticleRules, id: Id, facts: &Facts) -> bool {
    match html.name(id) {
        Some("h1") => true,
        Some("h2" | "h3" | "h4" | "h5" | "h6") => signs::weight(html, id) < 0.0,
        Some(
            name @ ("div" | "section" | "ul" | "ol" | "table" | "form" | "fieldset" | "header"),
        ) => is_link_list(html, rules, (id, name), facts),
        Some("figcaption" | "figure") => true,
        Some("p" | "li") => facts.chars < 200 && facts.link_density() > 0.8,
        _ => false,
    }
}

fn is_link_list(html: &Tree, rules: ArticleRules, (id, name): (Id, &str), facts: &Facts) -> bool {
    let weight = signs::weight(html, id);
    if weight < 0.0 {
        return true;
    }
    if facts.commas >= 10 {
        return false;
    }
    let is_list = matches!(name, "ul" | "ol") || share(facts.listed, facts.chars) > 0.9;
    let density = facts.link_density();
    let is_figure = facts.images > 0;
    let most = rules.link_density;
    !is_list && facts.items > facts.paragraphs + 100
        || facts.inputs > facts.paragraphs / 3
        || !is_list
            && facts.chars < rules.min_text
            && !is_figure
            && share(facts.headed, facts.chars) < 0.9
        || !is_list && weight < 25.0 && density > most * 0.4
        || weight >= 25.0 && density > most
        || is_list && density > most
}
