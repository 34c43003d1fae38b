//! How the elements of a page show their text, for pages that are read as a whole.

/// Elements whose content is not text.
const UNSEEN: &[&str] = &[
    "head", "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "audio",
    "video", "canvas", "select", "textarea", "button",
];

/// Elements that are part of a line.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn",
    "em", "font", "i", "img", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp",
    "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

pub(super) fn is_unseen(element: &str) -> bool {
    UNSEEN.contains(&element)
}

pub(super) fn is_block(element: &str) -> bool {
    !INLINE.contains(&element)
}
