//! How deep the elements of an HTML file nest, without building its tree.
//!
//! The standard's tree construction looks through all open elements at many tags, so a
//! file of nothing but `<div>` would take time that grows with its square.

/// Elements that are closed without a tag of their own, or never open.
const UNCOUNTED: &[&[u8]] = &[
    b"area",
    b"base",
    b"body",
    b"br",
    b"col",
    b"colgroup",
    b"dd",
    b"dt",
    b"embed",
    b"head",
    b"hr",
    b"html",
    b"img",
    b"input",
    b"li",
    b"link",
    b"meta",
    b"optgroup",
    b"option",
    b"p",
    b"param",
    b"rp",
    b"rt",
    b"source",
    b"tbody",
    b"td",
    b"tfoot",
    b"th",
    b"thead",
    b"tr",
    b"track",
    b"wbr",
];

/// Elements whose content is not markup.
const RAW: &[&[u8]] = &[b"script", b"style", b"textarea", b"title"];

/// Whether more than `limit` elements are open at once somewhere.
pub(super) fn nest_deeper_than(limit: usize, html: &str) -> bool {
    let mut rest = html.as_bytes();
    let mut depth: usize = 0;
    while let Some(at) = rest.iter().position(|it| *it == b'<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = after(comment, b"-->");
            continue;
        }
        let is_end = rest.first() == Some(&b'/');
        let name = name(&rest[usize::from(is_end)..]);
        if name.is_empty() || UNCOUNTED.contains(&name.as_slice()) {
            continue;
        }
        if is_end {
            depth = depth.saturating_sub(1);
            continue;
        }
        depth += 1;
        if depth > limit {
            return true;
        }
        if RAW.contains(&name.as_slice()) {
            rest = after(rest, b"</");
            depth -= 1;
        }
    }
    false
}

/// The lower-case name that a tag begins with; names longer than any known are cut.
fn name(tag: &[u8]) -> Vec<u8> {
    const LONGEST: usize = 16;
    let is_name = |it: &&u8| it.is_ascii_alphanumeric();
    tag.iter().take(LONGEST).take_while(is_name).map(u8::to_ascii_lowercase).collect()
}

/// What follows the first `mark`.
fn after<'a>(text: &'a [u8], mark: &[u8]) -> &'a [u8] {
    let at = text.windows(mark.len()).position(|it| it == mark);
    at.map_or(&[], |at| &text[at + mark.len()..])
}
