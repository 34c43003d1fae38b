//! Shortens text for a page.

/// The first `most` characters of a text, and whether there are more.
pub(super) fn beginning(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_beginning_is_one_of_letters() {
        assert_eq!(beginning("äöü", 2), ("äö", true));
        assert_eq!(beginning("äö", 2), ("äö", false));
    }
}
