//! How files are read, by the extensions of their names.

use svc_contract::value::{Value, literal};
use svc_engine::Engine;
use svc_guide::Named;

use super::{Source, read, shapes};

/// Stages that read a source.
pub(super) struct Reader {
    /// The stages. `{file}` is the path, `{T}` the type of what is read.
    pub(super) stages: String,
    /// Whether they read a list of `{T}`, whatever is in the file.
    pub(super) is_table: bool,
}

pub(super) async fn sources(engine: &Engine, named: &Named) -> Vec<Source> {
    let path = named.path.as_str();
    let extension = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let (stages, is_table) = match extension.as_str() {
        "json" => ("read_json<{T}>(path: {file})".to_owned(), false),
        "jsonl" => ("read_jsonl(path: {file}) >> each { it as {T} }".to_owned(), true),
        "xlsx" | "xlsb" | "xls" | "ods" => (sheet(engine, named).await, true),
        "pdf" => return of_text(engine, path, path, "pdf_text(from: {file})").await,
        _ => return of_text(engine, path, path, "read_text(path: {file})").await,
    };
    let Some(value) = read(engine, &stages, path).await else { return Vec::new() };
    vec![of_value(path, Reader { stages, is_table }, value)]
}

/// The stage that reads the sheet that the goal names, else the first.
async fn sheet(engine: &Engine, named: &Named) -> String {
    for sheet in &named.sheets {
        let stage = format!("sheet<{{T}}>(from: {{file}}, sheet: {})", literal::text(sheet));
        if read(engine, &stage, &named.path).await.is_some() {
            return stage;
        }
    }
    "sheet<{T}>(from: {file})".to_owned()
}

/// The content of a file with a name, which some stages read as text from a path.
pub(super) async fn of_text(engine: &Engine, path: &str, name: &str, stages: &str) -> Vec<Source> {
    let Some(value) = read(engine, stages, path).await else { return Vec::new() };
    let Some(text) = value.as_str() else { return Vec::new() };
    let extension = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    if let Some(parser) = parser(&extension, text) {
        let reader = Reader { stages: format!("{stages} >> {}", parser.stages), ..parser };
        let value = read(engine, &reader.stages, path).await;
        return value.map(|it| of_value(path, reader, it)).into_iter().collect();
    }
    let mut all = Vec::new();
    for guess in shapes::guesses(&extension, text) {
        let is_table = !guess.stages.contains("parse_toml");
        let reader = Reader { stages: format!("{stages} >> {}", guess.stages), is_table };
        let found = read(engine, &reader.stages, path).await;
        let is_found = |it: &Value| it.as_list().is_none_or(|it| !it.is_empty());
        if let Some(value) = found.filter(is_found) {
            all.push(Source { nouns: guess.nouns, ..of_value(path, reader, value) });
            break;
        }
    }
    all.push(of_value(path, Reader { stages: stages.to_owned(), is_table: false }, value));
    all
}

/// A source of one value.
fn of_value(path: &str, reader: Reader, value: Value) -> Source {
    let is_list = !reader.is_table && matches!(value, Value::List(_));
    let stages = reader.stages;
    let reader = if is_list { stages.replace("<{T}>", "<[{T}]>") } else { stages };
    Source {
        path: path.to_owned(),
        within: None,
        reader,
        parser: None,
        nouns: None,
        value,
        is_texts: false,
    }
}

/// The stages that parse the text of a file with an extension; `None` if it is read as it is.
pub(super) fn parser(extension: &str, text: &str) -> Option<Reader> {
    let of = |parser: &str, args: &str, is_table: bool| {
        Some(Reader { stages: format!("{parser}<{{T}}>({args})"), is_table })
    };
    match extension {
        "csv" => of("parse_csv", &separator(text), true),
        "tsv" => of("parse_csv", "sep: \"\\t\"", true),
        "json" => of("parse_json", "", false),
        "yaml" | "yml" => of("parse_yaml", "", false),
        "toml" => of("parse_toml", "", false),
        "xml" => of("parse_xml", "", false),
        _ => None,
    }
}

/// The argument for the separator that is most frequent in the first line.
fn separator(text: &str) -> String {
    let head = text.lines().next().unwrap_or_default();
    let others = [";", "\t", "|"].into_iter().max_by_key(|it| head.matches(it).count());
    let others = others.filter(|it| head.matches(it).count() > head.matches(',').count());
    others.map(|it| format!("sep: {}", literal::text(it))).unwrap_or_default()
}
