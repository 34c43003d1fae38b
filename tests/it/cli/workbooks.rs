//! Workbooks of openpyxl, `XlsxWriter`, xlwt and odfpy, read by the program in its worker processes.

use std::{fs, io::Write as _, path::Path};

use super::Place;

fn place(names: &[&str]) -> Place {
    let place = Place::new(&[]);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/workbooks");
    for name in names {
        fs::copy(data.join(name), place.path().join(name)).unwrap();
    }
    place
}

fn run(place: &Place, script: &str) -> super::Done {
    place.svc_with(script.as_bytes(), &["run", "-", "--json"])
}

#[track_caller]
fn gives(place: &Place, script: &str, wanted: &serde_json::Value) {
    let done = run(place, script);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_eq!(&done.json(), wanted);
}

#[track_caller]
fn fails(place: &Place, script: &str, wanted: &str) {
    let done = run(place, script);
    assert_ne!(done.code, Some(0), "{}", done.out);
    assert!(!done.out.is_empty(), "{}", done.err);
    // With `--json`, the error is the output.
    let message = done.json()["error"].clone();
    let all = format!("{} {}", message["message"], message["help"]).replace("\\\"", "\"");
    assert!(all.contains(wanted), "{all}");
}

#[test]
fn cells_of_every_kind_are_typed_by_the_header() {
    let place = place(&["orders.xlsx"]);
    let script = r#"
        type Order = {
            Customer: string, Order: int, Placed: date, Shipped: time?, Net: float, Paid: bool,
            Worked: duration?, At: duration?, Note: string?, Missing: string?,
        }
        path("orders.xlsx") >> sheet<Order>
    "#;
    gives(
        &place,
        script,
        &serde_json::json!([
            {
                "Customer": "Ann Doe", "Order": 1001, "Placed": "2026-01-31",
                "Shipped": "2026-02-01T17:45:30Z", "Net": 12.5, "Paid": true,
                "Worked": "1d6h15m", "At": "9h30m", "Note": "first", "Missing": null,
            },
            {
                "Customer": "Øyvind & Co <x>", "Order": 1002, "Placed": "2024-02-29",
                "Shipped": null, "Net": 3.0, "Paid": false, "Worked": null, "At": "0s",
                "Note": null, "Missing": null,
            },
            {
                "Customer": "  spaced  ", "Order": 1003, "Placed": "1999-12-31",
                "Shipped": "2026-02-01T00:00:00Z", "Net": -0.1, "Paid": true,
                "Worked": "2d", "At": null, "Note": "line 1\nline 2", "Missing": null,
            },
        ]),
    );
    gives(
        &place,
        r#"path("orders.xlsx") >> sheet<{ Placed: date }>() >> where { .Placed > "2024-01-01" } >> len"#,
        &serde_json::json!(2),
    );
    fails(
        &place,
        r#"path("orders.xlsx") >> sheet<{ Worked: string, Order: date }>()"#,
        "row 2 of the sheet `Orders`: column `Order`: expected a date such as \"2026-11-23\", found 1001",
    );
    fails(
        &place,
        r#"path("orders.xlsx") >> sheet<{ Ordre: int }>()"#,
        "row 1 of the sheet `Orders`: missing column `Ordre`, found `Order`, `Customer`",
    );
}

#[test]
fn sheets_and_parts_are_chosen() {
    let place = place(&["orders.xlsx", "sums.xlsx"]);
    let plan = serde_json::json!([{ "team": "red", "q1": 10.0 }, { "team": "blue", "q1": 20.5 }]);
    for sheet in [r#""Plan 2026""#, r#""plan 2026""#, "2"] {
        let script = format!(
            "path(\"orders.xlsx\") >> sheet<{{ team: string, q1: float }}>(sheet: {sheet}, range: \"B4:C6\")"
        );
        gives(&place, &script, &plan);
    }
    let plan = |range: &str| {
        format!("path(\"orders.xlsx\") >> sheet(sheet: 2, header: false, range: \"{range}\")")
    };
    gives(
        &place,
        &plan("A5:"),
        &serde_json::json!([
            { "A": null, "B": "red", "C": 10, "D": 11 }, { "A": null, "B": "blue", "C": 20.5, "D": null },
        ]),
    );
    gives(&place, &plan("D:D"), &serde_json::json!([{ "D": "q1" }, { "D": 11 }]));
    gives(&place, &plan("2:2"), &serde_json::json!([{ "B": "Budget of the year" }]));
    gives(&place, &plan("A1:A9"), &serde_json::json!([]));
    fails(&place, &plan("D2:B3"), "invalid range `D2:B3`");
    fails(
        &place,
        r#"path("orders.xlsx") >> sheet(sheet: 2, range: "A4:")"#,
        "row 4 of the sheet `Plan 2026`: duplicate column `q1` in the header",
    );
    fails(&place, r#"path("orders.xlsx") >> sheet(sheet: "Empty")"#, "`Empty` is empty");
    fails(
        &place,
        r#"path("orders.xlsx") >> sheet(sheet: "Ordres")"#,
        "`orders.xlsx` has no sheet `Ordres`, found `Orders`, `Plan 2026`, `Empty`",
    );
    fails(&place, r#"path("orders.xlsx") >> sheet(sheet: 0)"#, "sheets are numbered from 1");
    // A sheet of a chart has no cells, and does not count.
    gives(&place, r#"path("sums.xlsx") >> sheet(sheet: 2)"#, &serde_json::json!([{ "x": "y" }]));
    gives(
        &place,
        r#"path("sums.xlsx") >> sheet(range: "A1:B9")"#,
        &serde_json::json!([{ "n": 1, "sum": 2 }, { "n": 3, "sum": "#DIV/0!" }]),
    );
}

#[test]
fn other_formats_and_calendars_are_read() {
    let place = place(&["mac.xlsx", "old.xls", "table.ods", "locked.xlsx"]);
    gives(
        &place,
        r#"path("mac.xlsx") >> sheet"#,
        &serde_json::json!([{ "day": "2026-01-31" }, { "day": "2026-01-31T12:00:00Z" }]),
    );
    let row = "{ name: string, day: date, n: float }";
    let ann = serde_json::json!([{ "name": "Ann", "day": "2026-01-31", "n": 2.5 }]);
    gives(&place, &format!("path(\"old.xls\") >> sheet<{row}>()"), &ann);
    gives(&place, &format!("path(\"table.ods\") >> sheet<{row}>()"), &ann);
    gives(
        &place,
        r#"path("table.ods") >> sheet<{ spent: duration, at: time }>()"#,
        &serde_json::json!([{ "spent": "1d6h15m", "at": "2026-01-31T10:20:30Z" }]),
    );
    fails(&place, r#"path("locked.xlsx") >> sheet"#, "cannot read `locked.xlsx`: it is encrypted");
}

/// A ZIP archive of parts that are stored or deflated.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A workbook of one sheet with these rows.
fn workbook(rows: &str) -> Vec<u8> {
    const WORKBOOK: &[u8] = br#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    const RELATIONS: &[u8] = br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
    const ROOT: &[u8] = br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    let sheet = format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    );
    archive(&[
        ("_rels/.rels", ROOT),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

#[test]
fn hostile_workbooks_are_refused() {
    let place = place(&["orders.xlsx"]);
    let write = |name: &str, content: &[u8]| fs::write(place.path().join(name), content).unwrap();
    let read = |name: &str| format!("path(\"{name}\") >> sheet");
    let whole = fs::read(place.path().join("orders.xlsx")).unwrap();
    write("cut.xlsx", &whole[..whole.len() / 2]);
    fails(&place, &read("cut.xlsx"), "cannot read `cut.xlsx`: it is not a readable workbook");
    write("empty.xlsx", b"");
    fails(&place, &read("empty.xlsx"), "it is not a workbook of XLSX, XLSB, XLS or ODS");
    write("other.xlsx", &archive(&[("a.txt", b"hi")]));
    fails(&place, &read("other.xlsx"), "it is not a readable workbook");
    fails(&place, r#"path("orders.xlsx") >> sheet(max_size: 1kB)"#, "larger than 1kB");
    // The corners of the largest sheet: a table of all cells between them would fill the memory.
    let corners = r#"<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>"#;
    write("wide.xlsx", &workbook(corners));
    gives(&place, r#"path("wide.xlsx") >> sheet(header: false) >> len"#, &serde_json::json!(1));
    let rows: Vec<String> = (1..2_000)
        .map(|it| format!(r#"<row r="{it}"><c r="XFD{it}"><v>1</v></c></row>"#))
        .collect();
    let rows = format!("{corners}{}", rows.concat());
    write("sparse.xlsx", &workbook(&rows));
    fails(&place, &read("sparse.xlsx"), "the sheet has too many cells (limit 10000000)");
    // 600 MB of text in a file of 600 kB.
    let long = format!(
        r#"<row r="1"><c r="A1" t="inlineStr"><is><t>{}</t></is></c></row>"#,
        "a".repeat(600 << 20)
    );
    let bomb = workbook(&long);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    drop(long);
    write("bomb.xlsx", &bomb);
    fails(&place, &read("bomb.xlsx"), "it is damaged: reading it needs more than 512MiB of memory");
}
