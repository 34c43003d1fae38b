//! Text in HTML and XML.

use crate::visible::visible;

/// Escapes text for HTML and XML, in elements and in attributes. Invisible characters are written
/// out, and characters that XML does not allow are replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            it => safe.push(it),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn text_is_only_text() {
        let text = "</p><script>'\"&\u{1b}\u{ffff}\n";
        let safe = "&lt;/p&gt;&lt;script&gt;&#39;&quot;&amp;\\u{1b}\u{fffd}\n";
        assert_eq!(escaped(text), safe);
    }
}
