//! Tests of tables of PDFs.

use lopdf::{Document, Object, Stream, dictionary};

use super::*;
use crate::tests::host;

/// A PDF with a page for each content.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut pdf = Document::with_version("1.5");
    let tree = pdf.new_object_id();
    let font = pdf.add_object(
        dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" },
    );
    let page = |content: &&str| -> Object {
        let content = pdf.add_object(Stream::new(dictionary! {}, content.as_bytes().to_vec()));
        let resources = dictionary! { "Font" => dictionary! { "F" => font } };
        let page = dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
        };
        pdf.add_object(page).into()
    };
    let kids: Vec<Object> = pages.iter().map(page).collect();
    let count = i64::try_from(kids.len()).unwrap();
    let node = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    pdf.objects.insert(tree, Object::Dictionary(node));
    let root = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    pdf.trailer.set("Root", root);
    let mut out = Vec::new();
    pdf.save_to(&mut out).unwrap();
    out
}

/// Shows texts at places.
fn shown(texts: &[(i32, i32, &str)]) -> String {
    let show = |(x, y, text): &(i32, i32, &str)| format!("BT /F 10 Tf {x} {y} Td ({text}) Tj ET\n");
    texts.iter().map(show).collect()
}

fn of(pages: &[&str]) -> Vec<(i64, Vec<Vec<String>>)> {
    let found = pdf_tables(&pdf(pages), &[], PdfTableRules::default(), &host(), &|| false).unwrap();
    assert_eq!(found.count, i64::try_from(pages.len()).unwrap());
    found.tables.into_iter().map(|it| (it.page, it.rows)).collect()
}

#[test]
fn cells_with_lines_around_them_are_found() {
    // A cell over two columns and one over two rows; lines as rectangles and as paths.
    let lines = "50 100 200 60 re S 50 120 m 250 120 l S 50 140 m 250 140 l S\n\
        150 100 m 150 140 l S\n";
    let text = shown(&[
        (60, 145, "both"),
        (60, 126, "a"),
        (60, 108, "two words"),
        (160, 126, "1"),
        (160, 108, "2"),
        (60, 300, "outside"),
    ]);
    let page = format!("{lines}{text}");
    let rows = [["both", "both"], ["a", "1"], ["two words", "2"]];
    assert_eq!(of(&["", &page]), [(2, rows.map(|it| it.map(String::from).to_vec()).to_vec())]);
    // A frame around text, and highlighted lines.
    let frame = format!("50 100 200 60 re S\n{}", shown(&[(60, 145, "a b"), (60, 108, "c")]));
    assert_eq!(of(&[&frame]), []);
}

#[test]
fn gaps_part_columns_where_there_are_no_lines() {
    let text = shown(&[
        (50, 300, "Some words of prose above the table, in one line."),
        (50, 260, "fruit"),
        (150, 260, "cost"),
        (50, 242, "pear and"),
        (50, 230, "plum"),
        (160, 242, "12.50"),
        (50, 212, "fig"),
        (165, 212, "3.00"),
    ]);
    let rows = [["fruit", "cost"], ["pear and plum", "12.50"], ["fig", "3.00"]];
    assert_eq!(of(&[&text]), [(1, rows.map(|it| it.map(String::from).to_vec()).to_vec())]);
    let prose = "A column of prose has lines that fill it";
    let lines: Vec<_> =
        (0..20).flat_map(|it| [(50, 700 - it * 12, prose), (300, 700 - it * 12, prose)]).collect();
    assert_eq!(of(&[&shown(&lines)]), []);
}

#[test]
fn words_are_joined_however_they_are_shown() {
    // Letter by letter, twice, in a form, sideways, and by a matrix.
    let letters = "BT /F 10 Tf 50 200 Td (f) Tj 2.78 0 Td (i) Tj 2.22 0 Td [(g) 20 (s)] TJ ET\n";
    let twice = shown(&[(150, 200, "one"), (150, 200, "one"), (50, 180, "b"), (150, 180, "2")]);
    let matrix = "q 2 0 0 2 0 0 cm BT /F 5 Tf 1 0 0 1 25 80 Tm (c) Tj 50 0 Td (3) Tj ET Q\n";
    let sideways = "BT /F 10 Tf 0 1 -1 0 90 180 Tm (sideways) Tj ET\n";
    let page = format!("{letters}{twice}{matrix}{sideways}");
    let rows = [["figs", "one"], ["b", "2"], ["c", "3"]];
    assert_eq!(of(&[&page]), [(1, rows.map(|it| it.map(String::from).to_vec()).to_vec())]);
}

fn lines(count: i32, line: impl Fn(i32) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn hostile_pages_are_errors_or_empty() {
    for page in [
        "q ".repeat(100_000),
        "1e38 0 0 1e38 1e38 1e38 cm ".repeat(1_000) + &shown(&[(1, 1, "x"), (50, 1, "y")]),
        lines(20_000, |it| format!("{it} 0 m {it} 500 l S 0 {it} m 500 {it} l S\n")),
        lines(300, |it| format!("{it}0 0 m {it}0 3000 l S 0 {it}0 m 3000 {it}0 l S\n")),
        "BT /F 0 Tf (x) Tj /F -5 Tf (y) Tj /None 5 Tf (z) Tj ET (".to_owned(),
        "/X Do 1 2 Td Tj TJ Tm cm re l".to_owned(),
    ] {
        let found = pdf_tables(&pdf(&[&page]), &[], PdfTableRules::default(), &host(), &|| false);
        assert!(found.is_ok_and(|it| it.tables.is_empty()), "{}", &page[..20]);
    }
    for content in [&b""[..], b"%PDF-1.5", b"x"] {
        let found = pdf_tables(content, &[], PdfTableRules::default(), &host(), &|| false);
        assert!(found.is_err());
    }
}
