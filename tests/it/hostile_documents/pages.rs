//! Pages, records and tables of absurd shapes, read by the real program.

use std::{fs, time::Duration};

use super::{FOUND, SEARCH, Watched, folder_with, report, svc, text, watched};

/// The memory limit of the program, in kilobytes.
const MOST: u64 = 512 << 10;

fn numbered(count: usize, each: impl Fn(usize) -> String) -> String {
    (0..count).map(each).collect()
}

#[test]
fn hostile_pages_and_records_are_skipped_or_read() {
    let bold = numbered(900, |it| format!("<b x{it}>"));
    let hostile = [
        ("h_formats.html", format!("<p>{bold}{}", "<p>x".repeat(50_000))),
        ("h_nested.html", "<div>".repeat(100_000)),
        (
            "h_hidden_depth.html",
            format!("<title></textarea><!--></title>{}", "<font>".repeat(50_000)),
        ),
        ("h_raw.html", format!("<svg><style>{}", "<g>".repeat(100_000))),
        ("h_misnested.html", ["<a><div>".repeat(900), "</a>".repeat(900)].concat()),
        ("h_attributes.html", format!("<p{}>x", numbered(5_000, |it| format!(" a{it}")))),
        ("h_tables.html", "<table><b>x".repeat(400)),
        ("h_depth.json", "[".repeat(1_000_000)),
        ("h_ids.json", format!("[{{\"id\":[{}0],\"text\":\"x\"}}]", "0,".repeat(3_000_000))),
        ("h_deep.jsonl", format!("{{\"id\":1,\"text\":\"x\",\"y\":{}", "[".repeat(1_000_000))),
        ("h_line.txt", "word ".repeat(1 << 20)),
        ("h_word.txt", "a".repeat(8 << 20)),
        ("h_marks.md", ["#".repeat(1_000_000), "[".repeat(100_000), "*_".repeat(100_000)].concat()),
        ("h_matter.md", format!("---\n{}", "a: b\n".repeat(500_000))),
    ];
    let folder = folder_with(hostile.map(|(name, it)| (name.to_owned(), it.into_bytes())));
    let bad = [b"text ".as_slice(), &[0xff, 0xfe].repeat(1 << 20)].concat();
    fs::write(folder.path().join("docs/h_bytes.md"), bad).unwrap();
    let ended = searched(&folder, &["h_nested", "h_misnested", "h_attributes"]);
    assert!(ended.own < MOST, "{} kB", ended.own);
    report(&format!("took {:?}, {} kB of its own", ended.took, ended.own));
}

/// Searches the folder: the good documents are found, and the pages of these names are skipped.
fn searched(folder: &tempfile::TempDir, damaged: &[&str]) -> Watched {
    fs::write(folder.path().join("a.svc"), SEARCH).unwrap();
    let command = svc(folder.path(), &["run", "--no-store", "--json", "a.svc"]);
    let ended = watched(command, |_, _| {});
    let (out, err) = (text(&ended.output.stdout), text(&ended.output.stderr));
    assert!(ended.output.status.success(), "{out}{err}");
    for path in FOUND {
        assert!(out.contains(path), "{path} is not in {out}{err}");
    }
    for name in damaged {
        let skipped = format!("{name}.html`: skipped: it is damaged:");
        assert!(err.contains(&skipped), "{name}: {err}");
    }
    ended
}

/// Pages of 256 KB, each of a shape that used to take quadratic time.
#[test]
fn no_page_takes_longer_than_its_size_allows() {
    const LEN: usize = 256 << 10;
    let of = |open: &str, then: &str| {
        [open.repeat(LEN / 2 / open.len()), then.repeat(LEN / 2 / then.len())].concat()
    };
    let pages = [
        ("h_hidden_depth.html", of("<div></x>", "<p></p>")),
        ("h_uncounted.html", of("<optgroup>", "<li>")),
        ("h_overlap.html", of("<a><div>", "</a>")),
        ("h_formats.html", of("<b><i><u>", "<p>x")),
        ("h_sizes.html", numbered(16_000, |it| format!("<font size={it}>"))),
        (
            "h_attributes.html",
            format!("<<p x='<y z=\"'{}>x", numbered(40_000, |it| format!(" a{it}"))),
        ),
    ];
    let folder = folder_with(pages.map(|(name, it)| (name.to_owned(), it.into_bytes())));
    let ended = searched(&folder, &["h_hidden_depth", "h_uncounted", "h_overlap", "h_attributes"]);
    assert!(ended.took < Duration::from_mins(1), "{:?}", ended.took);
    assert!(ended.own < MOST, "{} kB", ended.own);
    report(&format!("took {:?}, {} kB of its own", ended.took, ended.own));
}

#[test]
fn tables_of_a_million_columns_are_read() {
    let folder = folder_with([]);
    let wide = format!("{}\n\"{}\"", "a,".repeat(1_000_000), "x\"\"".repeat(200_000));
    fs::write(folder.path().join("t.csv"), wide).unwrap();
    fs::write(folder.path().join("deep.json"), "[".repeat(1_000_000)).unwrap();
    let run = |script: &str| {
        fs::write(folder.path().join("a.svc"), script).unwrap();
        let ended = watched(svc(folder.path(), &["run", "--no-store", "a.svc"]), |_, _| {});
        assert!(ended.own < MOST, "{} kB", ended.own);
        (text(&ended.output.stdout), text(&ended.output.stderr))
    };
    let (out, err) = run(r#"read_text(path: "t.csv") >> parse_csv >> each { len }"#);
    assert!(out.contains("1000001"), "{out}{err}");
    let (out, err) = run(r#"read_json(path: "deep.json")"#);
    assert!(out.is_empty() && err.contains("E401") && err.contains("recursion limit"), "{err}");
}
