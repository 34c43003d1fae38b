//! What makes a document of XML well-formed, as far as `quick-xml` does not test it.

/// Whether XML 1.0 has this character at all, also as a reference such as `&#1;`.
pub(super) fn is_allowed(it: char) -> bool {
    matches!(it, '\t' | '\n' | '\r') || (it >= ' ' && !matches!(it, '\u{fffe}' | '\u{ffff}'))
}

/// The place of the first character that XML does not have, and what is wrong.
pub(super) fn forbidden(text: &str) -> Option<(usize, String)> {
    let (at, letter) = text.char_indices().find(|it| !is_allowed(it.1))?;
    Some((at, format!("the character U+{:04X} is not allowed", u32::from(letter))))
}

/// Tests characters that references stand for.
pub(super) fn test_letters(text: &str) -> Result<(), String> {
    forbidden(text).map_or(Ok(()), |it| Err(it.1))
}

/// Tests the text of a comment.
pub(super) fn test_comment(text: &str) -> Result<(), String> {
    let is_wrong = text.contains("--") || text.ends_with('-');
    if is_wrong { Err("a comment cannot contain `--`".into()) } else { Ok(()) }
}

/// Tests the attributes of a tag as they are written, with their quotes.
pub(super) fn test_attributes(tag: &str) -> Result<(), String> {
    let mut rest = tag;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let Some((value, after)) = rest[start + 1..].split_once(quote) else { return Ok(()) };
        if value.contains('<') {
            return Err("expected `&lt;` in the value of an attribute, found `<`".into());
        }
        if after.starts_with(|it: char| !it.is_ascii_whitespace()) {
            return Err("missing space between two attributes".into());
        }
        rest = after;
    }
    Ok(())
}

/// The name of the attribute at a place of a tag.
pub(super) fn name_at(tag: &str, at: usize) -> &str {
    let rest = tag.get(at..).unwrap_or_default();
    rest.split(|it: char| it == '=' || it.is_ascii_whitespace()).next().unwrap_or_default()
}
