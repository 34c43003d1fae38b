//! The beginning of a text, for a place that has little room.

/// At most so many letters of a text, and `…` if there are more.
pub fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The same of a text that is written in one line.
pub fn line(text: &str, most: usize) -> String {
    start(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_count_and_not_bytes() {
        assert_eq!(start("äöü", 3), "äöü");
        assert_eq!(start("äöü", 2), "äö…");
        assert_eq!(line("What\n is  it?", 20), "What is it?");
    }
}
