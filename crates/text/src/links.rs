//! The links and pictures of Markdown.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// A link or picture that is written in place, as in `[text](target)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The whole link.
    pub range: Range<usize>,
    pub target: String,
}

/// The links and pictures in a text, in their order.
pub fn links(text: &str) -> Vec<Link> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let link = |(event, range): (Event<'_>, Range<usize>)| match event {
        Event::Start(
            Tag::Link { link_type: LinkType::Inline, dest_url, .. }
            | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
        ) => Some(Link { range, target: dest_url.into_string() }),
        _ => None,
    };
    events.filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_are_found() {
        let text = "# [a](b.md#c)\n\n`[no](code)` ![p](p.svg)\n\n```\n[no](fence)\n```\n\n\
                    | [t](../t) |\n|---|\n";
        let found = links(text);
        let targets: Vec<&str> = found.iter().map(|it| &*it.target).collect();
        assert_eq!(targets, ["b.md#c", "p.svg", "../t"]);
        assert_eq!(&text[found[1].range.clone()], "![p](p.svg)");
    }
}
