//! Archives: their files as those of a folder, or one file that the goal names.

use svc_contract::value::{List, Value, literal};
use svc_engine::Engine;
use svc_guide::Named;

use super::{Source, folders, formats, read};

/// The stages from an entry of an archive to its text.
const TEXT: &str = ".bytes >> to_base64 >> from_base64";

pub(super) fn is_archive(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".zip", ".tar", ".tgz", ".gz"].iter().any(|it| lower.ends_with(it))
}

/// An archive, or the file in it that another path of the goal names.
pub(super) async fn sources(engine: &Engine, named: &Named, all: &[Named]) -> Vec<Source> {
    let unpacked =
        "read_bytes(path: {file}, max_size: 4MB) >> unpack(max_size: 4MB, max_files: 300)";
    let names = read(engine, &format!("{unpacked} >> each {{ .name }}"), &named.path).await;
    let names = names.as_ref().and_then(Value::as_list);
    let names: Vec<&str> =
        names.into_iter().flat_map(List::iter).filter_map(Value::as_str).collect();
    let unpacked = "read_bytes(path: {file}) >> unpack";
    let extension = named.path.rsplit('.').next().unwrap_or_default();
    if let [only] = names.as_slice()
        && extension.eq_ignore_ascii_case("gz")
    {
        return one(engine, named, unpacked, only, None).await;
    }
    let is_member = |name: &str, path: &str| name == path || name.ends_with(&format!("/{path}"));
    for member in all.iter().filter(|it| it.path != named.path) {
        let mut found = names.iter().filter(|it| is_member(it, &member.path));
        if let (Some(name), None) = (found.next(), found.next()) {
            return one(engine, named, unpacked, name, Some(&member.path)).await;
        }
    }
    let suffix = named.glob.as_deref().map(|it| it.trim_start_matches('*'));
    let suffix = suffix.filter(|it| names.iter().any(|name| name.ends_with(it)));
    let only =
        suffix.map(|it| format!(" >> where {{ ends_with(.name, suffix: {}) }}", literal::text(it)));
    let reader = format!(
        "{unpacked}{} >> each {{ {{ title: .name, text: {TEXT} }} }}",
        only.unwrap_or_default()
    );
    let Some(value) = read(engine, &reader, &named.path).await else { return Vec::new() };
    let reader = reader.replace("{file}", &literal::text(&named.path));
    folders::of_files(engine, named, reader, value).await
}

/// One file of an archive, as if it were on disk.
async fn one(
    engine: &Engine,
    named: &Named,
    unpacked: &str,
    name: &str,
    member: Option<&str>,
) -> Vec<Source> {
    let only = match member {
        Some(_) => format!("where {{ .name == {} }} >> ", literal::text(name)),
        None => String::new(),
    };
    let stages = format!("{unpacked} >> {only}each {{ {TEXT} }} >> join(sep: \"\\n\")");
    let archive = named.path.as_str();
    let sources = formats::of_text(engine, archive, name, &stages).await.into_iter();
    let in_archive = sources.map(|source| {
        let Some(member) = member else { return source };
        let reader = source.reader.replace("{file}", &literal::text(archive));
        let (path, within) = (member.to_owned(), Some(archive.to_owned()));
        Source { path, within, reader, ..source }
    });
    in_archive.collect()
}
