//! The stable name of a node: where it stands, never when it ran.

use std::fmt;

/// A path from the inside out, on the stack of whoever runs: `found/web/search`,
/// `each[3]/summary`, `!fallback/search`.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root,
    Name(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, &'a str, usize),
}

impl<'a> Path<'a> {
    pub(super) fn name(&'a self, name: &'a str) -> Self {
        Self::Name(self, name)
    }

    pub(super) fn item(&'a self, name: &'a str, idx: usize) -> Self {
        Self::Item(self, name, idx)
    }
}

impl fmt::Display for Path<'_> {
    /// Collects the steps first: a path may be deeper than the stack.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut at = self;
        while let Self::Name(outer, _) | Self::Item(outer, _, _) = at {
            steps.push(at);
            at = outer;
        }
        for (idx, step) in steps.iter().rev().enumerate() {
            let slash = if idx == 0 { "" } else { "/" };
            match step {
                Self::Root => {}
                Self::Name(_, name) => write!(f, "{slash}{name}")?,
                Self::Item(_, name, idx) => write!(f, "{slash}{name}[{idx}]")?,
            }
        }
        Ok(())
    }
}

/// The place of a node in the script, without the numbers of items and turns:
/// `each[3]/summary` stands at `each[]/summary`, as the plan names it.
pub fn place_of(path: &str) -> String {
    let mut place = String::with_capacity(path.len());
    let mut inside = false;
    for it in path.chars() {
        inside = inside && it != ']';
        if !inside {
            place.push(it);
        }
        inside = inside || it == '[';
    }
    place
}

#[cfg(test)]
mod tests {
    use super::{Path, place_of};

    #[test]
    fn a_place_has_no_numbers() {
        assert_eq!(place_of("a/each[3]/repeat[12]/b#2"), "a/each[]/repeat[]/b#2");
    }

    #[test]
    fn paths_read_from_the_outside_in() {
        let each = Path::Root.item("each", 3);
        assert_eq!(each.name("summary").to_string(), "each[3]/summary");
    }
}
