//! What scripts do not see of tables: how they are kept, and what stops an op.

use std::sync::Arc;

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Meter, OpError},
    value::{Type, Value, json},
};
use svc_host_os::test::TestHost;

use super::{
    derive::Filter,
    input::{Format, separator},
    join::Join,
    read::Read,
    sort::{Sample, Sort},
    window::Window,
    write::Write,
};
use crate::testing::Quiet;

fn cx_with(host: TestHost) -> Cx {
    let cancel = tokio_util::sync::CancellationToken::new();
    Cx::new("test", Arc::new(host), cancel, Arc::new(Quiet), Meter::default())
}

fn read(cx: &Cx) -> Result<Value, OpError> {
    read_file(cx, "x.csv")
}

fn read_file(cx: &Cx, path: &str) -> Result<Value, OpError> {
    call::<Read>(cx, vec![Value::Path(path.into()), "auto".into(), Value::Null, Value::Null])
}

/// Calls an op with all of its arguments.
fn call<O: Compute>(cx: &Cx, mut args: Vec<Value>) -> Result<Value, OpError> {
    O::decode(&mut args)?.run(cx)
}

#[test]
fn ops_keep_columns() {
    let cx = cx_with(TestHost::new().file("x.csv", "a,b\n3,x\n1,y\n2,x\n"));
    let rows = read(&cx).unwrap();
    let rows = call::<Filter>(&cx, vec![rows, "b == 'x'".into()]).unwrap();
    let rows = call::<Sort>(&cx, vec![rows, vec!["a"].into(), Value::Null]).unwrap();
    let rows = call::<Sample>(&cx, vec![rows, 1.into(), 3.into()]).unwrap();
    assert!(rows.as_list().unwrap().is_columns());
    let sample = json::write(&rows);
    assert!(
        ["[{\"a\":2,\"b\":\"x\"}]", "[{\"a\":3,\"b\":\"x\"}]"].contains(&sample.as_str()),
        "{sample}"
    );
}

#[test]
fn a_window_keeps_what_a_filter_by_the_number_of_a_row_keeps() {
    let line = |it: u32| format!("{},{}", it * 7 % 5, it * 13 % 11);
    let lines: Vec<String> = (0..200).map(line).collect();
    let cx = cx_with(TestHost::new().file("x.csv", format!("k,v\n{}\n", lines.join("\n"))));
    // Those that look back are computed from the kept rows, the others from all.
    let back = r#""s":"running_sum(v)","r":"rank()","l":"lag(v)","m":"moving_avg(v, 3)""#;
    let all = r#""next":"lead(v)","sum":"sum(v)","d":"dense_rank()""#;
    for (measures, most) in [(back, 1), (back, 3), (back, 17), (all, 1), (all, 3), (all, 17)] {
        let call_window = |measures: &str, keep: i64| {
            let measures = json::read(&format!("{{{measures}}}")).unwrap();
            let (by, order) = (vec!["k"].into(), vec!["-v"].into());
            let args = vec![read(&cx).unwrap(), by, order, measures, keep.into()];
            call::<Window>(&cx, args).unwrap()
        };
        let numbered = call_window(&format!("{measures},\"n\":\"row_number()\""), 0);
        let wanted = call::<Filter>(&cx, vec![numbered, format!("n <= {most}").as_str().into()]);
        let found = call_window(&format!("{measures},\"n\":\"row_number()\""), most);
        assert_eq!(found, wanted.unwrap(), "{measures}, {most}");
    }
}

#[test]
fn a_moving_average_has_a_window_of_any_length() {
    let lines: Vec<String> = (1..=30_000).map(|it| it.to_string()).collect();
    let cx = cx_with(TestHost::new().file("x.csv", format!("v\n{}\n", lines.join("\n"))));
    let last = |rows: &str| {
        let measures = json::read(&format!("{{\"m\":\"moving_avg(v, {rows})\"}}")).unwrap();
        let none = || Value::from(Vec::<Value>::new());
        let args = vec![read(&cx).unwrap(), none(), none(), measures, 0.into()];
        let rows = call::<Window>(&cx, args).map_err(|err| err.message)?;
        let last = rows.as_list().unwrap().get(29_999).cloned().unwrap();
        Ok::<_, String>(json::write(last.as_record().unwrap().get("m").unwrap()))
    };
    assert_eq!(last("20000").unwrap(), "20000.5");
    assert_eq!(last("9000000000").unwrap(), "15000.5");
    assert!(last("0").unwrap_err().contains("expected a number of rows that is at least 1"));
}

#[test]
fn lines_whose_fields_all_differ_are_refused() {
    let lines: Vec<String> = (0..20_000).map(|it| format!("{{\"k{it}\":1}}")).collect();
    let cx = cx_with(TestHost::new().file("x.jsonl", lines.join("\n")));
    let err = read_file(&cx, "x.jsonl").unwrap_err();
    assert!(err.message.contains("20000 rows × 20000 columns with 20000 values"), "{err:?}");
    assert!(err.help.as_deref().is_some_and(|it| it.contains("`read_jsonl`")), "{err:?}");
}

#[test]
fn a_type_decides_how_cells_are_read() {
    let text =
        "zip,price,day,rate,note,left\n0150,$2.50,2026-01-31,5,,x\n007,,2026-02-01,1.5,a,y\n";
    let row = Type::record(vec![
        ("rate".into(), Type::FLOAT),
        ("zip".into(), Type::Text),
        ("price".into(), Type::Money.optional()),
        ("day".into(), Type::Date),
        ("note".into(), Type::Text),
        ("more".into(), Type::INT.optional()),
    ]);
    let cx = cx_with(TestHost::new().file("x.csv", text)).wanting(Some(row.clone()));
    let rows = read(&cx).unwrap();
    assert!(rows.as_list().unwrap().is_columns());
    assert!(Type::list(row).admits(&rows));
    assert_eq!(
        json::write(&rows),
        r#"[{"rate":5.0,"zip":"0150","price":"$2.50","day":"2026-01-31","note":"","more":null},{"rate":1.5,"zip":"007","price":null,"day":"2026-02-01","note":"a","more":null}]"#
    );
    let fails = |ty: Type, text: &str| {
        let row = Type::record(vec![("n".into(), ty)]);
        read(&cx_with(TestHost::new().file("x.csv", text)).wanting(Some(row))).unwrap_err().message
    };
    assert_eq!(
        fails(Type::INT, "n\n1\n\"\"\n"),
        "`x.csv`, row 2: column `n`: expected int, found an empty cell"
    );
    assert_eq!(fails(Type::INT, "m\n1\n"), "`x.csv`, line 1: missing column `n`, found `m`");
    assert!(fails(Type::Date, "n\n2026-13-01\n").contains("row 1: column `n`: expected a date"));
}

#[test]
fn the_separator_is_the_one_of_the_header() {
    for (header, sep) in
        [("a,b;c,d", b','), ("a;\"x,y,z\";c", b';'), ("a\tb", b'\t'), ("a|b", b'|'), ("a", b',')]
    {
        assert_eq!(separator(header, Format::Csv), sep, "{header}");
    }
    assert_eq!(separator("a,b", Format::Tsv), b'\t');
}

#[test]
fn what_is_written_is_read_again() {
    let rows = json::read(
        r#"[{"a":"","b":null,"c":"x\"\n,","d":1.0},{"a":"y","b":2,"c":"\u00fc","d":-0.5}]"#,
    )
    .unwrap();
    for name in ["out.csv", "out.tsv", "out.jsonl"] {
        let host = Arc::new(TestHost::new());
        let cancel = tokio_util::sync::CancellationToken::new();
        let cx = Cx::new("test", host, cancel, Arc::new(Quiet), Meter::default());
        let args = vec![rows.clone(), Value::Path(name.into()), "auto".into()];
        let written = call::<Write>(&cx, args).unwrap();
        assert!(json::write(&written).contains("\"rows\":2"), "{written}");
        let again = read_file(&cx, name).unwrap();
        assert_eq!(json::write(&again), json::write(&rows), "{name}");
    }
}

#[test]
fn floats_that_are_not_finite_are_written_and_read() {
    let text = "a,b\n1.5,NaN\ninf,2.0\n-inf,\n";
    let host = Arc::new(TestHost::new().file("x.csv", text));
    let cancel = tokio_util::sync::CancellationToken::new();
    let cx = Cx::new("test", host, cancel, Arc::new(Quiet), Meter::default());
    let rows = read(&cx).unwrap();
    let args = vec![rows.clone(), Value::Path("out.csv".into()), "auto".into()];
    call::<Write>(&cx, args).unwrap();
    let written = cx.host().open(std::path::Path::new("out.csv")).unwrap();
    assert_eq!(std::io::read_to_string(written).unwrap(), text);
    let floats = json::write(&read_file(&cx, "out.csv").unwrap());
    assert_eq!(floats, r#"[{"a":1.5,"b":null},{"a":null,"b":2.0},{"a":null,"b":null}]"#);
    let typed = |ty: Type, text: &str| {
        let row = Type::record(vec![("n".into(), ty)]);
        let cx = cx_with(TestHost::new().file("x.csv", text)).wanting(Some(row));
        read(&cx).map(|it| json::write(&it)).map_err(|it| it.message)
    };
    let nulls = r#"[{"n":1.0},{"n":null}]"#;
    assert_eq!(typed(Type::FLOAT.optional(), "n\n1\nNaN\n").as_deref(), Ok(nulls));
    let fails = |ty: Type, text: &str| typed(ty, text).unwrap_err();
    assert!(
        fails(Type::FLOAT, "n\n1\nNaN\n").contains("row 2: column `n`: expected float, found NaN")
    );
    assert!(fails(Type::FLOAT.optional(), "n\n-inf\n").contains("expected float?, found -inf"));
}

#[test]
fn a_table_without_rows_is_read_again() {
    for (text, columns) in [("", 0), ("a,b\n", 2)] {
        let cx = cx_with(TestHost::new().file("x.csv", text));
        let rows = read(&cx).unwrap();
        assert_eq!(rows.as_list().unwrap().columns().unwrap().names.len(), columns);
        let row = Type::record(vec![("a".into(), Type::INT)]);
        let typed = read(&cx_with(TestHost::new().file("x.csv", text)).wanting(Some(row)));
        assert_eq!(json::write(&typed.unwrap()), "[]");
        let args = vec![rows, Value::Path("out.csv".into()), "auto".into()];
        call::<Write>(&cx, args).unwrap();
        let written = cx.host().open(std::path::Path::new("out.csv")).unwrap();
        assert_eq!(std::io::read_to_string(written).unwrap(), text);
    }
    assert!(read(&cx_with(TestHost::new().file("x.csv", "\n"))).is_err());
}

/// Keeps what a call says.
#[derive(Default)]
struct Notes(std::sync::Mutex<Vec<String>>);

impl svc_contract::registry::Monitor for Notes {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let (notes, cancel) = (Arc::new(Notes::default()), tokio_util::sync::CancellationToken::new());
    let host = Arc::new(TestHost::new().file("x.csv", ""));
    let cx = Cx::new("test", host, cancel, notes.clone(), Meter::default());
    assert_eq!(json::write(&read(&cx).unwrap()), "[]");
    assert_eq!(*notes.0.lock().unwrap(), ["`x.csv` is empty, so the table has no rows"]);
}

#[test]
fn a_cancelled_read_stops() {
    let cancel = tokio_util::sync::CancellationToken::new();
    let host = TestHost::new().file("x.csv", "a\n1\n");
    let cx = Cx::new("test", Arc::new(host), cancel.clone(), Arc::new(Quiet), Meter::default());
    cancel.cancel();
    assert_eq!(read(&cx).unwrap_err().kind, ErrorKind::Cancelled);
}

#[test]
fn a_table_without_rows_has_the_columns_of_its_type() {
    let row = |names: &[&str]| {
        Type::record(names.iter().map(|it| ((*it).into(), Type::Int(None))).collect())
    };
    let empty = |names: &[&str]| {
        let none = json::read("[]").unwrap();
        none.with_known_columns(&Type::list(row(names))).unwrap()
    };
    let cx = cx_with(TestHost::new());
    let right = json::read(r#"[{"k":2,"v":7}]"#).unwrap();
    let args = vec![empty(&["k", "v"]), right, vec!["k"].into(), "full".into()];
    let joined = call::<Join>(&cx, args).unwrap();
    assert_eq!(json::write(&joined), r#"[{"k":2,"v":null,"v_right":7}]"#);

    for (to, expected) in [("x.csv", "k,v\n"), ("x.tsv", "k\tv\n"), ("x.jsonl", "")] {
        let to = Value::Path(to.into());
        call::<Write>(&cx, vec![empty(&["k", "v"]), to.clone(), "auto".into()]).unwrap();
        let path = std::path::Path::new(to.as_str().unwrap());
        let written = svc_contract::host::read(cx.host(), path, 100).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
    #[cfg(feature = "files")]
    for to in ["x.xlsx", "x.parquet"] {
        let to = Value::Path(to.into());
        call::<Write>(&cx, vec![empty(&["k", "v"]), to, "auto".into()]).unwrap();
    }
    // What has columns or rows is as it is, and a table in a record is one as well.
    assert_eq!(empty(&["k"]).with_known_columns(&Type::list(row(&["a"]))), None);
    let rows = json::read(r#"[{"k":1}]"#).unwrap();
    assert_eq!(rows.with_known_columns(&Type::list(row(&["a"]))), None);
    let of = Type::record(vec![("t".into(), Type::list(row(&["a"])))]);
    let with = json::read(r#"{"t":[],"n":1}"#).unwrap().with_known_columns(&of).unwrap();
    let table = with.as_record().unwrap().get("t").unwrap().as_list().unwrap().columns().unwrap();
    assert_eq!(table.names.to_vec(), ["a".into()]);
}
