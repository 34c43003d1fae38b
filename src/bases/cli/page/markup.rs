//! Texts as a page shows them.

/// As much of the beginning of a text as that, and whether there is more.
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
