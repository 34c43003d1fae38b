//! What the names in a page say about its parts: classes, ids and roles.

use super::super::tree::{Id, Tree};

/// Parts of names of what stands around an article, from Readability and trafilatura.
const UNLIKELY: &[&str] = &[
    "-ad-",
    "ai2html",
    "banner",
    "breadcrumb",
    "combx",
    "comment",
    "community",
    "cover-wrap",
    "disqus",
    "extra",
    "footer",
    "gdpr",
    "header",
    "legends",
    "menu",
    "related",
    "remark",
    "replies",
    "rss",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "social",
    "sponsor",
    "supplemental",
    "ad-break",
    "agegate",
    "pagination",
    "pager",
    "popup",
    "yom-remote",
    "newsletter",
    "paywall",
    "cookie",
    "consent",
    "taboola",
    "outbrain",
    "promo",
];

/// Parts of names of what may be an article although its name has one of [`UNLIKELY`].
const MAYBE: &[&str] = &["and", "article", "body", "column", "content", "main", "shadow"];

/// Parts of names of articles.
const POSITIVE: &[&str] = &[
    "article",
    "body",
    "content",
    "entry",
    "hentry",
    "h-entry",
    "main",
    "page",
    "pagination",
    "post",
    "text",
    "blog",
    "story",
];

/// Parts of names of what stands around an article.
const NEGATIVE: &[&str] = &[
    "-ad-",
    "hidden",
    "banner",
    "combx",
    "comment",
    "com-",
    "contact",
    "footer",
    "gdpr",
    "masthead",
    "media",
    "meta",
    "outbrain",
    "promo",
    "related",
    "scroll",
    "share",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "sponsor",
    "shopping",
    "tags",
    "widget",
    "newsletter",
    "taboola",
    "subscribe",
    "signup",
    "recirc",
    "byline",
    "author-bio",
    "social",
];

/// Roles of elements that are not part of an article.
const ROLES: &[&str] = &[
    "alert",
    "alertdialog",
    "complementary",
    "contentinfo",
    "dialog",
    "menu",
    "menubar",
    "navigation",
    "search",
];

/// Parts of names of the text of an article.
const BODIES: &[&str] = &[
    "article-body",
    "article-content",
    "article-text",
    "article__body",
    "article__content",
    "article__text",
    "article_body",
    "article_content",
    "article_text",
    "articlebody",
    "articlecontent",
    "articletext",
    "article-copy",
    "body-copy",
    "body-text",
    "content-body",
    "entry-content",
    "entry_content",
    "entry-body",
    "post-body",
    "post-content",
    "post-entry",
    "post-text",
    "post__content",
    "post_body",
    "post_content",
    "post_text",
    "postcontent",
    "postbody",
    "story-body",
    "story-content",
    "story__body",
    "story_body",
    "story-text",
    "storybody",
    "storytext",
    "field-body",
    "field-name-body",
    "blog-content",
    "main-text",
    "text-body",
];

/// Parts of names of what is not the article even inside of it.
const AROUND: &[&str] = &[
    "comment",
    "disqus",
    "related",
    "recirc",
    "newsletter",
    "sidebar",
    "share",
    "sharing",
    "social",
    "taboola",
    "outbrain",
    "sponsor",
    "promo",
    "byline",
    "author-bio",
    "authorbio",
    "about-author",
    "author-box",
    "breadcrumb",
    "subscribe",
    "signup",
    "sign-up",
    "advert",
    "pagination",
    "read-more",
    "readmore",
    "see-also",
    "more-on",
    "trending",
    "caption",
    "copyright",
    "tags",
    "timestamp",
    "dateline",
    "most-read",
    "recommend",
    "cookie",
    "modal",
    "popup",
    "footer",
    "nav-",
];

/// Whether an element is named as the text of an article.
pub(super) fn is_body(html: &Tree, id: Id) -> bool {
    let is_body = |it: &str| it.split_whitespace().any(|it| it == "articleBody");
    html.attribute(id, "itemprop").is_some_and(is_body) || has(&names(html, id), BODIES)
}

/// Whether an element is named as what is not the article even inside of it.
pub(super) fn is_around(html: &Tree, id: Id) -> bool {
    let names = names(html, id);
    has(&names, AROUND)
}

fn has(name: &str, parts: &[&str]) -> bool {
    parts.iter().any(|it| name.contains(it))
}

/// The class and id of an element, in lower case.
fn names(html: &Tree, id: Id) -> String {
    let of = |name| html.attribute(id, name).unwrap_or_default();
    let mut names = format!(" {} {} ", of("class"), of("id"));
    names.make_ascii_lowercase();
    names
}

/// Whether an element is not shown.
pub(crate) fn is_hidden(html: &Tree, id: Id) -> bool {
    let style = html.attribute(id, "style").unwrap_or_default();
    let style: String = style.chars().filter(|it| !it.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    html.has(id, "hidden")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
        || html.attribute(id, "aria-hidden") == Some("true")
}

/// Whether the names of an element are those of what stands around an article.
pub(super) fn is_unlikely(html: &Tree, id: Id) -> bool {
    let names = names(html, id);
    has(&names, UNLIKELY) && !has(&names, MAYBE)
        || html.attribute(id, "role").is_some_and(|it| ROLES.contains(&it))
}

/// 25 for each name of an article, -25 for each of what stands around it.
pub(super) fn weight(html: &Tree, id: Id) -> f64 {
    let of = |name| {
        let Some(name) = html.attribute(id, name) else { return 0.0 };
        let name = name.to_ascii_lowercase();
        let (good, bad) = (has(&name, POSITIVE), has(&name, NEGATIVE));
        f64::from(i8::from(good) - i8::from(bad)) * 25.0
    };
    of("class") + of("id")
}
