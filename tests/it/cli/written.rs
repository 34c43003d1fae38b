//! `--output`: results in files.

use std::{fs, io::Read as _};

use flate2::read::GzDecoder;

use super::{Done, Place};

/// Rows with a value of each kind, a gap, a nested value, and text that needs quotes.
const ROWS: &str = r#"[
  { name: "a, \"b\"", n: 1, cost: $1.50, took: 90s, day: parse_date("2026-01-31"), tags: ["x", "y"], gap: null },
  { name: "<i>", n: 2, cost: $0.25, took: 2h, day: parse_date("2026-02-28"), tags: [], gap: 3 },
]"#;

fn place() -> Place {
    Place::new(&[
        ("rows.svc", ROWS),
        ("text.svc", r#""only text""#),
        ("any.svc", "param n: int = 1\nparse_json(if n == 1 { \"[1, 2]\" } else { \"[{}]\" })"),
        ("fails.svc", "param n: int = 0\n[{ a: 1 / n }]"),
    ])
}

fn read(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).unwrap()
}

/// The table in a file, as `svc` reads it.
fn table(place: &Place, name: &str) -> serde_json::Value {
    let script = format!("table.read(path: \"{name}\")");
    place.svc_with(script.as_bytes(), &["run", "-", "--json", "--no-store"]).json()
}

fn names(place: &Place) -> Vec<String> {
    let all = fs::read_dir(place.path()).unwrap();
    let mut all: Vec<String> =
        all.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    all.sort();
    all
}

#[test]
fn a_result_without_rows_has_the_columns_of_its_type() {
    let script = "[{ k: 1, v: $2 }] >> where { .k > 5 }";
    let place = Place::new(&[("none.svc", script)]);
    for ending in ["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "html"] {
        place.svc(&["run", "none.svc", "--output", &format!("none.{ending}")]).gives("");
    }
    assert_eq!(read(&place, "none.csv"), "k,v\n");
    assert_eq!(read(&place, "none.tsv"), "k\tv\n");
    assert!(read(&place, "none.html").contains("<bdi>v</bdi>"));
    for name in ["none.parquet", "none.xlsx"] {
        let script = format!("table.read(path: \"{name}\") >> to_csv");
        let read = place.svc_with(script.as_bytes(), &["run", "-", "--json", "--no-store"]);
        assert_eq!(read.json(), "k,v\n", "{name}");
    }
}

/// The dates of a workbook begin in 1900.
#[test]
fn days_before_1900_are_texts_of_a_workbook() {
    let script =
        "let days: [date] = [\"1899-12-30\", \"1899-12-31\", \"1900-01-01\", \"1900-03-01\"]
        days >> each { { d: it, t: time_at(it, \"12:00\", \"UTC\") } }";
    let place = Place::new(&[("days.svc", script)]);
    place.svc(&["run", "days.svc", "--output", "days.xlsx"]).gives("");
    assert_eq!(table(&place, "days.xlsx"), place.svc(&["run", "days.svc", "--json"]).json());
}

#[test]
fn each_ending_is_a_format() {
    let place = place();
    for ending in ["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "html", "csv.gz"] {
        let file = format!("out/rows.{ending}");
        let done = place.svc(&["run", "rows.svc", "--output", &file]);
        done.gives("");
        assert!(done.err.contains(&format!("note: wrote `{file}`: ")), "{}", done.err);
    }
    let csv = "name,n,cost,took,day,tags,gap\n\
               \"a, \"\"b\"\"\",1,$1.50,1m30s,2026-01-31,\"[\"\"x\"\",\"\"y\"\"]\",\n\
               <i>,2,$0.25,2h,2026-02-28,[],3\n";
    assert_eq!(read(&place, "out/rows.csv"), csv);
    let packed = fs::File::open(place.path().join("out/rows.csv.gz")).unwrap();
    let mut unpacked = String::new();
    GzDecoder::new(packed).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, csv);
    assert!(read(&place, "out/rows.html").contains("&lt;i&gt;</td>"));
    assert!(read(&place, "out/rows.tsv").starts_with("name\tn\tcost\t"));
    assert_eq!(read(&place, "out/rows.jsonl").lines().count(), 2);
    let json: serde_json::Value = serde_json::from_str(&read(&place, "out/rows.json")).unwrap();
    assert_eq!(json, place.svc(&["run", "rows.svc", "--json"]).json());
    for file in ["out/rows.parquet", "out/rows.xlsx"] {
        let rows = table(&place, file);
        assert_eq!(rows[0]["name"], "a, \"b\"", "{file}: {rows}");
        assert_eq!(rows[1]["cost"], "$0.25", "{file}: {rows}");
        // A date, not the text of one.
        assert!(rows[0]["day"].as_str().unwrap().starts_with("2026-01-31"), "{file}: {rows}");
        assert_eq!(rows[0]["tags"], r#"["x","y"]"#, "{file}: {rows}");
    }
}

#[test]
fn a_table_is_a_list_of_records() {
    let place = place();
    let refused = |args: &[&str], message: &str| {
        let done = place.svc(args);
        done.fails(2, message);
        assert!(!done.err.contains("wrote"), "{}", done.err);
    };
    refused(&["run", "text.svc", "--output", "x.csv"], "expected a list of records, found string");
    refused(&["run", "text.svc", "--output", "x.txt"], "unknown ending of `x.txt`");
    refused(&["run", "text.svc", "--output", "x.txt"], "use one of .csv, .tsv, .jsonl");
    refused(&["run", "text.svc", "--output", "x.xlsx.gz"], "unknown ending");
    fs::create_dir(place.path().join("folder.csv")).unwrap();
    refused(&["run", "rows.svc", "--output", "folder.csv"], "it is a folder");
    refused(&["show", "last", "--output", "folder.csv"], "it is a folder");
    place.svc(&["run", "text.svc", "--output", "x.json"]).gives("");
    assert_eq!(read(&place, "x.json"), "\"only text\"\n");
    assert_eq!(
        names(&place),
        [".cache", ".runs", "any.svc", "fails.svc", "folder.csv", "rows.svc", "text.svc", "x.json"]
            .into_iter()
            .filter(|it| place.path().join(it).exists())
            .collect::<Vec<_>>()
    );
}

/// The name of a run in a help text.
fn run_in(done: &Done) -> String {
    let at = done.err.find("`svc show ").unwrap_or_else(|| panic!("{}", done.err));
    done.err[at + "`svc show ".len()..].split(' ').next().unwrap().to_owned()
}

#[test]
fn a_result_is_not_lost_when_it_cannot_be_written() {
    let place = place();
    // Only the run knows that the result is not a table.
    let done = place.svc(&["run", "any.svc", "--output", "x.csv"]);
    done.fails(1, "expected a list of records, found int as row 1");
    assert_eq!(done.out, "");
    let run = run_in(&done);
    place.svc(&["show", &run, "--output", "x.json"]).gives("");
    assert_eq!(read(&place, "x.json"), "[\n  1,\n  2\n]\n");
    // Without a store, it is printed.
    let done = place.svc(&["run", "any.svc", "--output", "x.csv", "--no-store"]);
    done.fails(1, "the result is printed instead");
    assert_eq!(done.out, "1\n2\n");
    // A file where a folder is needed, and a place that no one can write to.
    for wrong in ["rows.svc/x.csv", "/proc/svc/x.csv", "/proc/svc.html"] {
        let done = place.svc(&["run", "rows.svc", "--output", wrong]);
        assert_ne!(done.code, Some(0), "{wrong}");
        assert!(
            done.err.contains("cannot use `") && done.err.contains("svc show "),
            "{}",
            done.err
        );
    }
    assert!(!place.path().join("x.csv").exists());
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_earlier_file() {
    let place = place();
    fs::write(place.path().join("big.svc"), "range(0, 2000) >> each { { n: it } }").unwrap();
    fs::write(place.path().join("big.csv"), "earlier").unwrap();
    let svc = assert_cmd::cargo::cargo_bin!("svc").display().to_string();
    let line = format!("ulimit -f 2; '{svc}' run big.svc --output big.csv --no-store");
    let mut command = std::process::Command::new("sh");
    let done = command.args(["-c", &line]).current_dir(place.path()).output().unwrap();
    let done = Done::of(done);
    assert_ne!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("cannot use `big.csv`"), "{}", done.err);
    assert_eq!(done.out.lines().count(), 2001, "{}", done.err);
    assert_eq!(read(&place, "big.csv"), "earlier");
    assert!(!names(&place).iter().any(|it| it.contains("part")), "{:?}", names(&place));
}

#[test]
fn other_options_keep_their_meaning() {
    let place = place();
    let json = place.svc(&["run", "rows.svc", "--json"]).out;
    let done = place.svc(&["run", "rows.svc", "--json", "--output", "x.csv"]);
    done.gives(&json);
    // The rules are for the script, not for the command.
    place.svc(&["run", "rows.svc", "--deny", "writes", "--output", "y.csv"]).gives("");
    assert_eq!(read(&place, "x.csv"), read(&place, "y.csv"));
    // A failed run writes nothing.
    let done = place.svc(&["run", "fails.svc", "--output", "z.csv"]);
    done.fails(1, "zero");
    assert!(!place.path().join("z.csv").exists());
    let done = place.svc(&["run", "any.svc", "--json", "--output", "z.csv"]);
    assert_eq!((done.code, done.out.as_str()), (Some(1), "[\n  1,\n  2\n]\n"), "{}", done.err);
    // Stored and repeated runs.
    place.svc(&["run", "rows.svc"]);
    place.svc(&["show", "last", "--output", "shown.csv"]).gives("");
    let done = place.svc(&["replay", "last", "--output", "again.csv"]);
    done.gives("the same: 0 calls, and the result\n");
    assert_eq!(read(&place, "shown.csv"), read(&place, "x.csv"));
    assert_eq!(read(&place, "again.csv"), read(&place, "x.csv"));
    // The run of the command that writes is not recorded.
    let runs = place.svc(&["runs", "--json"]).out;
    assert!(!runs.contains("table.write"), "{runs}");
}
