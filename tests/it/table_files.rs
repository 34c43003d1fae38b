//! Tables in files of pandas, pyarrow and openpyxl (`table_files/make.py`), and in files that are wrong.

use std::{path::Path, sync::Arc};

use svc::Engine;
use svc_contract::value::json;
use svc_host_os::OsHost;

fn engine() -> Engine {
    let host = OsHost::default().working_in(assert_cmd::cargo::cargo_bin!("svc"));
    svc::engine().with_host(Arc::new(host))
}

fn at(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/table_files");
    format!("{:?}", folder.join(name).to_string_lossy())
}

async fn result(script: &str) -> String {
    match engine().run(script.to_owned()).await {
        Ok(it) => json::write(&it.value),
        Err(err) => err.to_string(),
    }
}

async fn read(name: &str) -> String {
    result(&format!("table.read(path: {})", at(name))).await
}

#[tokio::test]
async fn files_of_pandas_are_read() {
    for compression in ["snappy", "gzip", "lz4", "none"] {
        assert_eq!(
            read(&format!("pandas_{compression}.parquet")).await,
            r#"[{"id":1,"name":"tea","price":4.5,"sold":true,"at":"2026-01-31T09:30:00.000001Z"},{"id":2,"name":null,"price":null,"sold":false,"at":null},{"id":3,"name":"a \"b\", ü","price":-0.25,"sold":true,"at":"1969-12-31T23:59:59Z"}]"#,
            "{compression}"
        );
    }
}

#[tokio::test]
async fn all_kinds_of_columns_are_read() {
    let expected = r#"[{"i8":-1,"u32":4000000000,"f16":1.5,"f32":0.10000000149011612,"day":"2026-01-31","clock":"9h30m","cents":12.34,"word":"x","raw":"ff00","ms":"2026-01-31T09:30:00Z","empty":null},{"i8":null,"u32":1,"f16":null,"f32":2.0,"day":null,"clock":null,"cents":null,"word":"y","raw":null,"ms":null,"empty":null},{"i8":3,"u32":null,"f16":-2.0,"f32":null,"day":"1960-02-29","clock":"23h59m59s","cents":-0.01,"word":"x","raw":"","ms":null,"empty":null}]"#;
    assert_eq!(read("pyarrow.parquet").await, expected);
    assert_eq!(read("int96.parquet").await, expected);
    assert_eq!(read("no_rows.parquet").await, "[]");
    let typed = format!(
        "type Row = {{ day: date?, cents: float?, raw: bytes?, clock: duration? }}\ntable.read<Row>(path: {}) >> take(n: 1)",
        at("pyarrow.parquet")
    );
    assert_eq!(
        result(&typed).await,
        r#"[{"day":"2026-01-31","cents":12.34,"raw":"ff00","clock":"9h30m"}]"#
    );
    let chosen = format!(
        "table.read(path: {}, columns: [\"word\", \"i8\"]) >> take(n: 1)",
        at("pyarrow.parquet")
    );
    assert_eq!(result(&chosen).await, r#"[{"word":"x","i8":-1}]"#);
}

#[tokio::test]
async fn workbooks_of_openpyxl_are_read() {
    assert_eq!(
        read("openpyxl.xlsx").await,
        r#"[{"item":"pear","count":12,"price":0.5,"since":"2026-01-31","sold":true,"zip":"0150","G":null},{"item":"fig","count":null,"price":2.0,"since":"2026-02-01T09:30:00Z","sold":false,"zip":"5003","G":"note"}]"#
    );
    let typed = format!(
        "type Row = {{ item: string, count: int?, price: float, since: time, more: int? }}\ntable.read<Row>(path: {}) >> each {{ .since }}",
        at("openpyxl.xlsx")
    );
    assert_eq!(result(&typed).await, r#"["2026-01-31T00:00:00Z","2026-02-01T09:30:00Z"]"#);
    let sheet = |name: &str| format!("table.read(path: {}, sheet: {name:?})", at("openpyxl.xlsx"));
    assert!(result(&sheet("Other")).await.contains("row 1: duplicate column `a`"));
    assert!(result(&sheet("Empty")).await.contains("the sheet `Empty` is empty"));
    assert!(
        result(&sheet("None"))
            .await
            .contains("has no sheet `None`, found `Stock`, `Other`, `Empty`")
    );
    let wrong = format!("table.read<{{ itme: string }}>(path: {})", at("openpyxl.xlsx"));
    assert!(result(&wrong).await.contains("missing column `itme`, found `item`"));
}

#[tokio::test]
async fn what_is_written_is_read_again() {
    const ROWS: &str = r#"[{"id":1,"name":"tea","price":4.5,"sold":true,"day":"2026-01-31","at":"2026-01-31T09:30:00Z"},{"id":-2,"name":null,"price":0.25,"sold":false,"day":"1999-12-31","at":"1999-12-31T23:59:59Z"}]"#;
    let row =
        "type Row = { id: int, name: string?, price: float, sold: bool, day: date, at: time }";
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.parquet", "x.xlsx"] {
        let file = format!("{:?}", folder.path().join(name).to_string_lossy());
        let write = format!("{row}\nparam rows: [Row]\nrows >> table.write(to: {file})");
        let written = engine().run(write).param("rows", json::read(ROWS).unwrap()).await;
        assert!(json::write(&written.unwrap().value).contains("\"rows\":2"), "{name}");
        let read = format!("{row}\ntable.read<Row>(path: {file})");
        assert_eq!(result(&read).await, ROWS, "{name}");
    }
}

/// The same table gives the same bytes.
#[tokio::test]
async fn files_are_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.parquet", "x.xlsx"] {
        let mut all = Vec::new();
        for _ in 0..2 {
            let file = folder.path().join(name);
            let script = format!(
                "[{{ a: 1, b: \"x\" }}, {{ a: 2, b: \"y\" }}] >> table.write(to: {:?})",
                file.to_string_lossy()
            );
            assert!(result(&script).await.contains("\"rows\":2"));
            all.push(std::fs::read(&file).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(1100));
        }
        assert!(all[0] == all[1], "{name}");
    }
}

#[tokio::test]
async fn wrong_files_are_errors() {
    assert!(read("nested.parquet").await.contains("the column `tags` is nested"));
    let chosen = format!("table.read(path: {}, columns: [\"id\"])", at("nested.parquet"));
    assert_eq!(result(&chosen).await, r#"[{"id":1},{"id":2}]"#);
    assert!(read("zstd.parquet").await.contains("zstd"), "{}", read("zstd.parquet").await);
    let missing = format!("table.read(path: {}, columns: [\"idd\"])", at("nested.parquet"));
    assert!(result(&missing).await.contains("missing column `idd`, found `id`, `tags`"));
    let folder = tempfile::tempdir().unwrap();
    let source = std::fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/table_files/pyarrow.parquet"),
    )
    .unwrap();
    let mut rng = fastrand::Rng::with_seed(3);
    let file = folder.path().join("x.parquet");
    let script = format!("table.read(path: {:?})", file.to_string_lossy());
    for content in
        [&b"PAR1"[..], b"", b"a,b\n1,2\n", &source[..source.len() / 2], &source[..source.len() - 1]]
    {
        std::fs::write(&file, content).unwrap();
        let found = result(&script).await;
        assert!(found.contains("invalid_input"), "{found}");
    }
    // Each of these is read, or an error of the file: nothing crashes or hangs.
    for _ in 0..60 {
        let mut bytes = source.clone();
        for _ in 0..rng.usize(1..12) {
            let place = rng.usize(4..bytes.len());
            bytes[place] = rng.u8(..);
        }
        std::fs::write(&file, &bytes).unwrap();
        let found = result(&script).await;
        assert!(found.starts_with('[') || found.contains("invalid_input"), "{found}");
    }
    let workbook = folder.path().join("x.xlsx");
    std::fs::write(&workbook, b"not a workbook").unwrap();
    let found = result(&format!("table.read(path: {:?})", workbook.to_string_lossy())).await;
    assert!(found.contains("it is not a workbook"), "{found}");
    let old = result(&format!(
        "[{{ a: 1 }}] >> table.write(to: {:?})",
        folder.path().join("x.xls").to_string_lossy()
    ))
    .await;
    assert!(old.contains("workbooks are written as XLSX"), "{old}");
}
