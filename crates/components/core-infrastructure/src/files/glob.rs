//! Patterns for the files of a folder.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use svc_contract::registry::OpError;

/// A pattern for names, or for paths if it contains a `/`.
pub(super) struct Glob {
    matcher: GlobMatcher,
    of_whole_path: bool,
}

impl Glob {
    pub(super) fn new(text: &str) -> Result<Self, OpError> {
        let built = GlobBuilder::new(text).literal_separator(true).build();
        let glob = built.map_err(|err| {
            let message = format!("invalid glob `{text}`: {}", err.kind());
            let help = "write it like `*.md`, `*.{md,txt}`, `docs/**/*.md`";
            OpError::invalid_input(message).help(help)
        })?;
        Ok(Self { matcher: glob.compile_matcher(), of_whole_path: text.contains('/') })
    }

    /// Whether the pattern matches the file at `path`, relative to the folder.
    pub(super) fn names(&self, path: &Path) -> bool {
        if self.of_whole_path {
            return self.matcher.is_match(path);
        }
        path.file_name().is_some_and(|it| self.matcher.is_match(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(glob: &str, path: &str) -> bool {
        Glob::new(glob).unwrap().names(Path::new(path))
    }

    #[test]
    fn a_glob_without_a_slash_is_about_the_name() {
        assert!(names("*.md", "a/b/c.md"));
        assert!(names("?.{md,txt}", "a/c.txt"));
        assert!(!names("a", "a/b"));
        assert!(names("*", "größe"));
    }

    #[test]
    fn a_glob_with_a_slash_is_about_the_path() {
        assert!(names("a/*.md", "a/c.md"));
        assert!(!names("a/*.md", "a/b/c.md"));
        assert!(names("a/**/*.md", "a/c.md"));
        assert!(names("**/*.md", "a/b/c.md"));
    }

    #[test]
    fn broken_globs_say_so() {
        let message = |glob| Glob::new(glob).err().unwrap().message;
        assert!(message("[").starts_with("invalid glob `[`"));
        assert!(message("{a").starts_with("invalid glob `{a`"));
    }
}
