//! Looks at the files that a goal names, so that a script can be written for what is in them.

use svc_contract::value::{List, Record, Value, literal};
use svc_engine::Engine;

/// Stages that read a file.
struct Reader {
    /// The script that reads the param `file` as it is.
    plain: String,
    /// The stages that read the file as a `{T}`.
    typed: String,
    /// Whether they read a list of `{T}`, whatever is in the file.
    is_table: bool,
}

/// What is in the files that a goal names: a list of `{ path, reader, value }`. Files that cannot be
/// read, and those of other formats, are left out.
pub(crate) async fn files(engine: &Engine, goal: &str) -> Value {
    let mut seen = Vec::new();
    for path in svc_guide::named_files(goal) {
        seen.extend(file(engine, &path).await);
    }
    Value::List(List::from(seen))
}

async fn file(engine: &Engine, path: &str) -> Option<Value> {
    let Reader { plain, typed, is_table } = reader(engine, path).await?;
    let value = read(engine, &plain, path).await?;
    let is_list = !is_table && matches!(value, Value::List(_));
    let typed = if is_list { typed.replace("<{T}>", "<[{T}]>") } else { typed };
    let fields = [("path", path.into()), ("reader", typed.into()), ("value", value)];
    let fields = fields.map(|(name, it)| (name.into(), it));
    Some(Value::Record(fields.into_iter().collect::<Record>()))
}

/// Runs stages that read a file. The path is a param, since a goal may contain anything.
async fn read(engine: &Engine, stages: &str, path: &str) -> Option<Value> {
    let script = format!("param file: path  {stages}");
    Some(engine.run(script.as_str()).param("file", path).await.ok()?.value)
}

/// How files with the extension of a path are read.
async fn reader(engine: &Engine, path: &str) -> Option<Reader> {
    let file = literal::text(path);
    let of = |plain: &str, typed: &str, is_table: bool| {
        let typed = typed.replace("{file}", &file);
        Some(Reader { plain: plain.to_owned(), typed, is_table })
    };
    let parsed = |parser: &str, args: &str, is_table: bool| {
        let plain = format!("read_text(path: file) >> {parser}<json>({args})");
        of(&plain, &format!("read_text(path: {{file}}) >> {parser}<{{T}}>({args})"), is_table)
    };
    match path.rsplit('.').next()?.to_lowercase().as_str() {
        "csv" => parsed("parse_csv", &separator(engine, path).await?, true),
        "tsv" => parsed("parse_csv", "sep: \"\\t\"", true),
        "yaml" | "yml" => parsed("parse_yaml", "", false),
        "toml" => parsed("parse_toml", "", false),
        "xml" => parsed("parse_xml", "", false),
        "json" => of("read_json(path: file)", "read_json<{T}>(path: {file})", false),
        "jsonl" => {
            of("read_jsonl(path: file)", "read_jsonl(path: {file}) >> each { it as {T} }", true)
        }
        "xlsx" | "xlsb" | "xls" | "ods" => {
            of("sheet(from: file)", "sheet<{T}>(from: {file})", true)
        }
        "txt" | "log" | "md" => of("read_text(path: file)", "read_text(path: {file})", false),
        _ => None,
    }
}

/// The argument for the separator that is most frequent in the first line.
async fn separator(engine: &Engine, path: &str) -> Option<String> {
    let text = read(engine, "read_text(path: file)", path).await?;
    let head = text.as_str()?.lines().next()?;
    let others = [";", "\t", "|"].into_iter().max_by_key(|it| head.matches(it).count())?;
    let is_usual = head.matches(',').count() >= head.matches(others).count();
    Some(if is_usual { String::new() } else { format!("sep: {}", literal::text(others)) })
}
