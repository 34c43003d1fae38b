//! Folders and globs: the texts of their files, or the rows of their tables.

use std::path::Path;

use svc_contract::value::{List, Record, Value, literal};
use svc_engine::Engine;
use svc_guide::Named;

use super::{
    Source,
    formats::{self, Reader},
    read, shapes,
};

/// Folders with more files are not looked at.
const MOST_FILES: usize = 300;

/// Folders with more content are not looked at.
const MOST_BYTES: u64 = 4 << 20;

/// A file of a folder: its name and its text.
struct Doc<'a> {
    title: &'a str,
    text: &'a str,
}

pub(super) async fn sources(engine: &Engine, named: &Named) -> Option<Vec<Source>> {
    let (folder, reader) = match parted(&named.path) {
        Some((folder, glob)) => {
            let reader = reader(engine, &folder, Some(&glob)).await?;
            (folder, reader)
        }
        None => {
            let folder = named.path.clone();
            let of_format = match &named.glob {
                Some(glob) => reader(engine, &folder, Some(glob)).await,
                None => None,
            };
            // A format that no file has says something else.
            let reader = match of_format {
                Some(it) => it,
                None => reader(engine, &folder, None).await?,
            };
            (folder, reader)
        }
    };
    let value = read(engine, &reader, &folder).await?;
    let (reader, value) = visible(engine, &folder, reader, value).await?;
    let reader = reader.replace("{file}", &literal::text(&folder));
    Some(of_files(engine, named, reader, value).await)
}

/// The text of web pages is what their readers see.
async fn visible(
    engine: &Engine,
    folder: &str,
    reader: String,
    value: Value,
) -> Option<(String, Value)> {
    const TEXT: &str =
        ".text >> select_html(css: \"body\") >> each { .text } >> join(sep: \"\\n\")";
    let docs: Vec<Doc> = value.as_list()?.iter().map(doc).collect::<Option<_>>()?;
    let is_page = |it: &Doc| {
        let extension = it.title.rsplit('.').next().unwrap_or_default();
        ["html", "htm"].iter().any(|it| extension.eq_ignore_ascii_case(it))
    };
    if !docs.iter().all(is_page) {
        return Some((reader, value));
    }
    let reader = format!("{reader} >> each {{ {{ title: .title, text: {TEXT} }} }}");
    let value = read(engine, &reader, folder).await?;
    Some((reader, value))
}

/// The ways to look at some files: as one table, and as texts.
pub(super) async fn of_files(
    engine: &Engine,
    named: &Named,
    reader: String,
    value: Value,
) -> Vec<Source> {
    let path = named.path.clone();
    let texts = |value| {
        let (path, reader) = (path.clone(), reader.clone());
        Source { path, within: None, reader, parser: None, nouns: None, value, is_texts: true }
    };
    let Some((parser, rows, is_whole)) = tables(engine, &value).await else {
        return vec![texts(value)];
    };
    let table = Source { parser: Some(parser), is_texts: false, ..texts(rows) };
    if is_whole { vec![table] } else { vec![table, texts(value)] }
}

/// The folder and the rest of a path with wildcards.
fn parted(path: &str) -> Option<(String, String)> {
    let at = path.find(['*', '?', '{'])?;
    let (folder, glob) =
        path[..at].rfind('/').map_or(("", path), |at| (&path[..at], &path[at + 1..]));
    let folder = if folder.is_empty() { "." } else { folder };
    Some((folder.to_owned(), glob.to_owned()))
}

/// The stages that read the files of a folder; `None` if there are none, or too many, or some in
/// subfolders, which a goal may mean or not.
async fn reader(engine: &Engine, folder: &str, glob: Option<&str>) -> Option<String> {
    let only = glob.map(|it| format!(", glob: {}", literal::text(it))).unwrap_or_default();
    let listed = format!(
        "list_files(folder: {{file}}{only}, max_files: {}) within {{ timeout: 5s }} >> each {{ {{ path: .path, size: .size }} }}",
        MOST_FILES + 1
    );
    let listed = read(engine, &listed, folder).await?;
    let files = listed.as_list()?;
    let size = |it: &Value| match it.as_record().and_then(|it| it.get("size")) {
        Some(Value::Size(it)) => *it,
        _ => u64::MAX,
    };
    let bytes = files.iter().fold(0_u64, |sum, it| sum.saturating_add(size(it)));
    let is_deeper = |it: &Value| match it.as_record().and_then(|it| it.get("path")) {
        Some(Value::Path(it)) => Path::new(it.as_ref()).parent() != Some(Path::new(folder)),
        _ => true,
    };
    let is_too_much = files.len() > MOST_FILES || bytes > MOST_BYTES;
    if files.is_empty() || is_too_much || files.iter().any(is_deeper) {
        return None;
    }
    Some(format!("read_files(folder: {{file}}{only})"))
}

/// The stages from the text of each file to its rows, and all rows, if all files are tables of the
/// same columns, or texts with the same fields. Says whether there is nothing else in the files.
async fn tables(engine: &Engine, files: &Value) -> Option<(String, Value, bool)> {
    let docs: Vec<Doc> = files.as_list()?.iter().map(doc).collect::<Option<_>>()?;
    let texts: Vec<&str> = docs.iter().map(|it| it.text).collect();
    let parsers: Option<Vec<Reader>> = docs.iter().map(parser).collect();
    let parser = parsers.filter(|all| all.iter().all(|it| it.stages == all[0].stages));
    let is_whole = parser.is_some();
    let parser = match parser.and_then(|all| all.into_iter().next()) {
        Some(it) => it,
        None => Reader { stages: shapes::fields(&texts)?, is_table: true },
    };
    let stages = parser.stages;
    let mut rows = Vec::new();
    let mut is_list = None;
    for it in &docs {
        let script = format!("param text: string  text >> {}", stages.replace("{T}", "json"));
        let value = engine.run(script.as_str()).param("text", it.text).await.ok()?.value;
        let own = match &value {
            Value::List(own) => own.iter().cloned().collect(),
            Value::Record(_) => vec![value.clone()],
            _ => return None,
        };
        let is_own_list = matches!(value, Value::List(_));
        if *is_list.get_or_insert(is_own_list) != is_own_list {
            return None;
        }
        for row in own {
            let file = ("file".into(), Value::from(it.title));
            let row = row.as_record()?.iter().filter(|(name, _)| name.as_ref() != "file");
            let row = row.map(|(name, it)| (name.clone(), it.clone()));
            rows.push(Value::Record([file].into_iter().chain(row).collect::<Record>()));
        }
    }
    let stages = match (is_list?, parser.is_table) {
        (true, false) => stages.replace("<{T}>", "<[{T}]>"),
        _ => stages,
    };
    Some((stages, Value::List(List::from(rows)), is_whole))
}

/// The stages that parse a file.
fn parser(doc: &Doc) -> Option<Reader> {
    let extension = doc.title.rsplit_once('.')?.1.to_lowercase();
    formats::parser(&extension, doc.text)
}

fn doc(file: &Value) -> Option<Doc<'_>> {
    let record = file.as_record()?;
    Some(Doc { title: record.get("title")?.as_str()?, text: record.get("text")?.as_str()? })
}
