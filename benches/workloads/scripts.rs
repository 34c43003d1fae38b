//! Scripts of any length.

use std::fmt::Write as _;

/// A script of this many lines, with typical content: about 55 bytes per line.
pub(crate) fn lines(lines: usize) -> String {
    let mut text = String::from("param question: string\nlet best0 = \"none\"\n");
    for idx in 1..=lines / 4 {
        write!(
            text,
            "## Finds the best {idx}.\n\
             let hits{idx} = question >> search(top_k: 20) within {{ timeout: 30s }}\n\
             let good{idx} = hits{idx} >> where {{ .score > 0.5 and len(.title) < 80 }}\n\
             let best{idx} = \"${{len(good{idx})}} of ${{len(hits{idx})}}, ${{best{}}}\"\n",
            idx - 1
        )
        .expect("writing to a string cannot fail");
    }
    writeln!(text, "best{}", lines / 4).expect("writing to a string cannot fail");
    text
}
