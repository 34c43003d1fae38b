//! Merges of three texts, and patches.

use diffy::{ConflictStyle, MergeOptions, Patch};
use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};

use super::test_difference;

record! {
    /// Two versions of a text.
    struct Versions {
        /// The text that both come from.
        base: Text,
        /// One version.
        ours: Text,
        /// The other version.
        theirs: Text,
    }
}

record! {
    /// A place that both versions changed in different ways.
    struct Conflict {
        /// The line of the merged text where the conflict starts, from 1.
        line: i64,
        /// The lines of one version.
        ours: Text,
        /// The lines of the other version.
        theirs: Text,
    }
}

record! {
    /// Both versions in one text.
    struct Merged {
        /// The text; a conflict stands in it between `<<<<<<<` and `>>>>>>>`.
        text: Text,
        /// The conflicts, in order.
        conflicts: Vec<Conflict>,
    }
}

params! {
    /// Merges the changes of two versions of a text, line by line.
    ///
    /// Where both changed the same lines in different ways, the merged text has both between lines of
    /// `<<<<<<<`, `=======` and `>>>>>>>`, as `git merge-file` writes them. Versions with more than
    /// 20,000 lines between the first and the last change are an error of kind `invalid_input`.
    pub(super) struct Merge {
        /// The texts: `{ base: .., ours: .., theirs: .. }`.
        versions: Versions,
    }
}

impl Op for Merge {
    const NAME: &'static str = "merge";
    const YIELDS: Scheme = Merged::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "merge two versions of a file",
        "three-way merge",
        "combine the edits of two people",
        "find conflicts between changes",
        "reconcile two edited copies of the same original",
        "git merge of texts",
        "bring both sets of changes together",
        "did both people change the same line",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two changes",
            r#"{ base: "a\nb\nc\nd\n", ours: "A\nb\nc\nd\n", theirs: "a\nb\nc\nD\n" } >> merge_texts >> .text"#,
            r#""A\nb\nc\nD\n""#,
        ),
        Example::ok(
            "A conflict",
            r#"{ base: "a\n", ours: "b\n", theirs: "c\n" } >> merge_texts >> .conflicts"#,
            r#"[{"line":1,"ours":"b\n","theirs":"c\n"}]"#,
        ),
    ];
}

impl Compute for Merge {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Versions { base, ours, theirs } = self.versions;
        test_difference(&base, &ours)?;
        test_difference(&base, &theirs)?;
        cx.check()?;
        let length = marker_length(&[&base, &ours, &theirs]);
        let merged = MergeOptions::new()
            .set_conflict_style(ConflictStyle::Merge)
            .set_conflict_marker_length(length)
            .merge(&base, &ours, &theirs);
        let (text, conflicts) = match merged {
            Ok(text) => (text, Vec::new()),
            Err(text) => {
                let conflicts = conflicts(&text, length);
                (text, conflicts)
            }
        };
        Ok(Merged { text: text.into(), conflicts }.encode())
    }
}

/// Seven, or more if a line of a text could be taken for a marker.
fn marker_length(texts: &[&str]) -> usize {
    let run = |line: &str| match line.chars().next() {
        Some(sign @ ('<' | '=' | '>')) => line.chars().take_while(|it| *it == sign).count(),
        _ => 0,
    };
    let longest = texts.iter().flat_map(|it| it.lines()).map(run).max().unwrap_or(0);
    if longest < 7 { 7 } else { longest + 1 }
}

/// The conflicts that are marked in a merged text.
fn conflicts(text: &str, length: usize) -> Vec<Conflict> {
    let marker = |sign: &str| sign.repeat(length);
    let (start, middle, end) = (marker("<"), marker("="), marker(">"));
    let mut found: Vec<Conflict> = Vec::new();
    let (mut ours, mut theirs) = (String::new(), String::new());
    let mut place = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if line.starts_with(&start) {
            place = 1;
            found.push(Conflict { line: number, ours: "".into(), theirs: "".into() });
        } else if place == 1 && line.starts_with(&middle) {
            place = 2;
        } else if place == 2 && line.starts_with(&end) {
            place = 0;
            if let Some(last) = found.last_mut() {
                last.ours = std::mem::take(&mut ours).into();
                last.theirs = std::mem::take(&mut theirs).into();
            }
        } else if place == 1 {
            ours.push_str(line);
        } else if place == 2 {
            theirs.push_str(line);
        }
    }
    found
}

record! {
    /// A text and a change to it.
    struct Change {
        /// The text.
        text: Text,
        /// The change, as a unified diff.
        patch: Text,
    }
}

params! {
    /// Applies a patch in the form of a unified diff to a text.
    ///
    /// The lines around a change may have moved, and must be the same. A patch that is not one is an
    /// error of kind `invalid_input`; fails if it does not fit the text.
    pub(super) struct Apply {
        /// The text and the patch: `{ text: .., patch: .. }`.
        change: Change,
    }
}

impl Op for Apply {
    const NAME: &'static str = "apply";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "apply a patch to a text",
        "change a file by a unified diff",
        "carry an edit over to another version",
        "run patch on a string",
        "patch a string with a git diff",
        "run a .patch against the old version",
        "replay recorded changes",
        "bring a document up to date by a diff",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A changed line",
            r#"{ text: "a\nb\n", patch: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" } >> apply_patch"#,
            r#""a\nc\n""#,
        ),
        Example::err(
            "Another text",
            r#"{ text: "x\n", patch: "@@ -1 +1 @@\n-b\n+c\n" } >> apply_patch"#,
            "the patch does not fit the text (change 1)",
        ),
    ];
}

impl Compute for Apply {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.check()?;
        let Change { text, patch } = self.change;
        let patch = Patch::from_str(&patch).map_err(|err| {
            OpError::invalid_input(format!("cannot read the patch: {err}"))
                .help("`diff` makes such patches")
                .because(err)
        })?;
        diffy::apply(&text, &patch).map(Value::from).map_err(|err| {
            let number: String = err.to_string().chars().filter(char::is_ascii_digit).collect();
            OpError::failed(format!("the patch does not fit the text (change {number})"))
                .help("make the patch again with `diff` for this text")
                .because(err)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_longer_than_those_of_the_texts() {
        assert_eq!(marker_length(&["a", "====="]), 7);
        assert_eq!(marker_length(&["=========\n"]), 10);
    }

    #[test]
    fn conflicts_have_their_lines() {
        let text = "a\n<<<<<<< ours\nb\n=======\nc\nd\n>>>>>>> theirs\ne\n";
        let found = conflicts(text, 7);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].line, found[0].ours.as_ref(), found[0].theirs.as_ref()),
            (2, "b\n", "c\nd\n")
        );
    }
}
