//! Lines and columns of many places in one text.

/// The line starts of a text, which find a place without counting from the top.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line and column of a byte, both counted from 1; columns count characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|it| *it <= offset);
        let start = self.starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::diag::Source;

    #[test]
    fn places_are_those_of_the_source() {
        let text = "ä b\n\nß\nend";
        let (lines, source) = (Lines::new(text), Source::from(text));
        for offset in 0..=text.len() + 1 {
            assert_eq!(lines.position(offset), source.position(offset.min(text.len())));
        }
    }
}
