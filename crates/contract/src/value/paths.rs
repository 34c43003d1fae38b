//! Paths as text: joined and normalised without accessing the file system.

use std::path::{Component, Path, PathBuf};

use super::Text;

/// `text` relative to `folder`; an absolute path stays as it is.
pub fn join(folder: &Path, text: &str) -> Text {
    let joined = tidy(&folder.join(text));
    joined.to_string_lossy().into()
}

/// Drops `.`, and resolves `..` after a folder name.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(tidy.components().next_back(), Some(Component::Normal(_))) =>
            {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_tidily() {
        assert_eq!(&*join(Path::new("examples"), "../docs/./a.md"), "docs/a.md");
        assert_eq!(&*join(Path::new(""), "."), ".");
        assert_eq!(&*join(Path::new("a"), "/b"), "/b");
        assert_eq!(&*join(Path::new("a"), "../../b"), "../b");
    }
}
