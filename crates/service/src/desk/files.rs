//! The files of a project, and what its runs write there.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::PoisonError,
};

use sha2::{Digest as _, Sha256};
use svc_contract::{
    host,
    registry::{ErrorKind, OpError, params, record},
    value::Text,
};
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow};

use super::{Desk, Page, ResourceState, at, body, conflict, media, state, text, word, written};
use crate::{Fault, Why};

/// The largest file in bytes.
pub const LARGEST_FILE: usize = 25 << 20;

/// The most files of a project.
const MOST: i64 = 10_000;

/// The longest name in bytes: file systems have 255, and numbers are added.
const LONGEST_NAME: usize = 200;

record! {
    /// A file of a project.
    pub struct Resource {
        /// `res_` and 26 signs.
        id: Text,
        /// Its name, by which scripts of the project read it.
        name: Text,
        /// What its content is, whatever was said.
        media_type: Text,
        /// Its size.
        bytes: i64,
        /// The hash of its content.
        sha256: Text,
        /// Whether it is there.
        state: ResourceState,
        /// The file that has the same content.
        duplicate_of: Option<Text>,
        /// When it was sent.
        created_at: Text,
    }
}

record! {
    /// Some files.
    pub struct Resources {
        /// The files, the first one first.
        resources: Vec<Resource>,
        /// Where the next page begins.
        next_cursor: Option<Text>,
    }
}

params! {
    /// A file to be kept, as JSON.
    pub struct NewResource {
        /// Its name, without a folder.
        pub name: Text,
        /// What it is; its content decides.
        pub media_type: Option<Text> = None,
        /// Its content in base64, at most 25 MiB.
        pub content_base64: Text,
    }
}

record! {
    /// What is kept of a file.
    pub(super) struct ResourceBody {
        /// The name in the folder of the project.
        name: Text,
        /// What its content is.
        media_type: Text,
        /// Its size.
        bytes: i64,
        /// The hash of its content.
        sha256: Text,
        /// The file that has the same content.
        duplicate_of: Option<Text>,
        /// When the file was last written, in milliseconds since 1970.
        modified: i64,
    }
}

impl Desk {
    /// The folder with the files of a project.
    pub(super) fn files_of(&self, project: &str) -> PathBuf {
        self.0.folder.join(project).join("files")
    }

    /// Keeps a file of a project. Blocks.
    pub fn add_resource(
        &self,
        project: &str,
        name: &str,
        content: &[u8],
    ) -> Result<Resource, Fault> {
        self.active_project(project)?;
        let wanted = clean(name)?;
        if content.len() > LARGEST_FILE {
            let message = format!("the file is larger than {} MiB", LARGEST_FILE >> 20);
            return Err(Fault::new(Why::TooLarge, message).help("split it into parts"));
        }
        let sha256 = host::digits(&Sha256::digest(content));
        let filing = self.0.filing.lock().unwrap_or_else(PoisonError::into_inner);
        // What runs have written meanwhile is not overwritten.
        self.note_files(project)?;
        let known = self.ready(project)?;
        let same = known.iter().find(|it| *it.1.sha256 == *sha256);
        let duplicate_of = same.map(|(row, _)| text(&row.id));
        if let Some((row, _)) = same.filter(|it| *it.1.name == *wanted) {
            // Sent again as it is: nothing changes.
            return Ok(Resource { duplicate_of, ..view(row)? });
        }
        let name =
            free(&wanted, |it| known.iter().any(|(_, kept)| kept.name.eq_ignore_ascii_case(it)));
        let path = self.files_of(project).join(&name);
        let host = self.service().shared.engine.shared_host();
        host.write(&path, content).map_err(|err| not_kept(&err, &name))?;
        let modified = host.stat(&path).map_or(0, |it| millis(it.modified));
        let kept = ResourceBody { duplicate_of, modified, ..described(&name, content) };
        let mut row = self.new_row(DeskKind::Resource, self.new_id("res_"), project, kept);
        row.state = word(ResourceState::Ready);
        let added = self.book().add_to_desk(row, (MOST, &["removed"])).wait()?;
        drop(filing);
        self.tell();
        match added {
            DeskAdded::Done(row) | DeskAdded::Taken(row) => view(&row),
            DeskAdded::Full => {
                let message = format!("the project has {MOST} files already");
                Err(Fault::new(Why::Conflict, message).help("remove some of them"))
            }
        }
    }

    /// The files of a project, the first one first.
    pub fn resources(
        &self,
        project: &str,
        limit: i64,
        cursor: Option<&Text>,
    ) -> Result<Resources, Fault> {
        self.row(DeskKind::Project, project)?;
        self.look_at_files(project)?;
        let page = Page::of(limit, cursor)?;
        let of = DeskFilter { after: page.after, limit: Some(page.most()), ..ready_of(project) };
        let (rows, next_cursor) = page.cut(self.rows(DeskKind::Resource, &of)?);
        let resources = rows.iter().map(view).collect::<Result<_, _>>()?;
        Ok(Resources { resources, next_cursor })
    }

    /// A file of a project.
    pub fn resource(&self, project: &str, id: &str) -> Result<Resource, Fault> {
        view(&self.resource_row(project, id)?)
    }

    fn resource_row(&self, project: &str, id: &str) -> Result<DeskRow, Fault> {
        let row = self.row(DeskKind::Resource, id)?;
        if row.parent == project { Ok(row) } else { Err(super::unknown(DeskKind::Resource, id)) }
    }

    /// The content of a file, with its name and media type. Blocks.
    pub fn content(&self, project: &str, id: &str) -> Result<(Resource, Vec<u8>), Fault> {
        let row = self.resource_row(project, id)?;
        if state::<ResourceState>(&row)? == ResourceState::Removed {
            return Err(conflict(&row, "read"));
        }
        let resource = view(&row)?;
        // As runs see it: a link that leads out leads nowhere.
        let path = Path::new("/").join(resource.name.as_ref());
        let host = self.service().of_project(project).engine().shared_host();
        let content = host::read(host.as_ref(), &path, LARGEST_FILE as u64);
        Ok((resource, content.map_err(|err| OpError::io(err, &path))?))
    }

    /// Removes a file. Blocks.
    pub fn remove_resource(&self, project: &str, id: &str) -> Result<Resource, Fault> {
        self.resource_row(project, id)?;
        let _filing = self.0.filing.lock().unwrap_or_else(PoisonError::into_inner);
        let removed = self.book().change_desk(self.owner().to_owned(), id.to_owned(), |row| {
            if state::<ResourceState>(row)? == ResourceState::Removed {
                return Err(conflict(row, "removed"));
            }
            row.state = word(ResourceState::Removed);
            Ok(())
        });
        let removed = removed.wait()?.ok_or_else(|| super::unknown(DeskKind::Resource, id))??;
        self.tell();
        let removed = view(&removed)?;
        let path = self.files_of(project).join(removed.name.as_ref());
        let host = self.service().shared.engine.shared_host();
        match host.remove(&path) {
            Err(err) if err.kind() != std::io::ErrorKind::NotFound => {
                Err(OpError::io(err, &path).into())
            }
            _ => Ok(removed),
        }
    }

    /// Notes what runs have written, changed or removed in the folder of a project. Blocks.
    fn look_at_files(&self, project: &str) -> Result<(), Fault> {
        let _filing = self.0.filing.lock().unwrap_or_else(PoisonError::into_inner);
        self.note_files(project)
    }

    fn note_files(&self, project: &str) -> Result<(), Fault> {
        let root = self.files_of(project);
        let host = self.service().shared.engine.shared_host();
        if host.stat(&root).is_err() {
            return Ok(());
        }
        let known = self.ready(project)?;
        let mut there = HashSet::new();
        let most = usize::try_from(MOST).unwrap_or(usize::MAX);
        for entry in host.walk(&root).take(most).flatten() {
            let name = entry.path.strip_prefix(&root).ok().and_then(Path::to_str);
            let Some(name) = name.filter(|_| entry.stat.is_file && !entry.is_link) else {
                continue;
            };
            there.insert(name.to_owned());
            let own = known.iter().find(|(_, it)| *it.name == *name);
            let modified = millis(entry.stat.modified);
            let is_same = own.is_some_and(|(_, it)| {
                it.modified == modified && it.bytes.unsigned_abs() == entry.stat.size
            });
            if is_same {
                continue;
            }
            let Ok(content) = host::read(host.as_ref(), &entry.path, LARGEST_FILE as u64) else {
                continue;
            };
            let kept = ResourceBody { modified, ..described(name, &content) };
            match own {
                Some((row, _)) => self.rewrite(row, kept)?,
                None => self.adopt(project, kept)?,
            }
        }
        for (row, _) in known.iter().filter(|(_, it)| !there.contains(it.name.as_ref())) {
            let removed = self.book().change_desk(
                self.owner().to_owned(),
                row.id.clone(),
                |row| -> Result<(), Fault> {
                    row.state = word(ResourceState::Removed);
                    Ok(())
                },
            );
            removed.wait()?;
        }
        Ok(())
    }

    fn rewrite(&self, row: &DeskRow, kept: ResourceBody) -> Result<(), Fault> {
        let changed = self.book().change_desk(
            self.owner().to_owned(),
            row.id.clone(),
            move |row| -> Result<(), Fault> {
                row.body = written(kept.clone());
                Ok(())
            },
        );
        changed.wait()?.transpose()?;
        Ok(())
    }

    fn adopt(&self, project: &str, kept: ResourceBody) -> Result<(), Fault> {
        let mut row = self.new_row(DeskKind::Resource, self.new_id("res_"), project, kept);
        row.state = word(ResourceState::Ready);
        self.book().add_to_desk(row, (MOST, &["removed"])).wait()?;
        Ok(())
    }

    /// The files of a project that are there.
    fn ready(&self, project: &str) -> Result<Vec<(DeskRow, ResourceBody)>, Fault> {
        let rows = self.rows(DeskKind::Resource, &ready_of(project))?;
        rows.into_iter().map(|row| body(&row).map(|it| (row, it))).collect()
    }
}

fn ready_of(project: &str) -> DeskFilter {
    DeskFilter {
        parent: Some(project.to_owned()),
        state: Some(word(ResourceState::Ready)),
        ..DeskFilter::default()
    }
}

/// What is kept of a file besides its times.
fn described(name: &str, content: &[u8]) -> ResourceBody {
    ResourceBody {
        name: name.into(),
        media_type: media::of(name, content).into(),
        bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        sha256: host::digits(&Sha256::digest(content)).into(),
        duplicate_of: None,
        modified: 0,
    }
}

fn millis(nanos: i128) -> i64 {
    i64::try_from(nanos / 1_000_000).unwrap_or_default()
}

fn view(row: &DeskRow) -> Result<Resource, Fault> {
    let kept: ResourceBody = body(row)?;
    Ok(Resource {
        id: text(&row.id),
        name: kept.name,
        media_type: kept.media_type,
        bytes: kept.bytes,
        sha256: kept.sha256,
        state: state(row)?,
        duplicate_of: kept.duplicate_of,
        created_at: at(row.at),
    })
}

/// A name of a file, if it is one: no folder, nothing that a terminal or a file system reads as
/// something else.
fn clean(name: &str) -> Result<String, Fault> {
    let wrong =
        |why: &str| Err(Fault::field("name", format!("expected the name of a file, {why}")));
    let name = name.trim();
    if name.is_empty() {
        return wrong("found an empty text");
    }
    if let Some(it) = name.chars().find(|it| it.is_control() || svc_text::visible::is_hidden(*it)) {
        return wrong(&format!("found the character {}", it.escape_unicode()));
    }
    if name.contains(['/', '\\', ':']) {
        return wrong("found a path");
    }
    if name.starts_with('.') || name.ends_with('.') {
        return wrong("found one that begins or ends with a dot");
    }
    if name.len() > LONGEST_NAME {
        return wrong(&format!("found one of more than {LONGEST_NAME} bytes"));
    }
    Ok(name.to_owned())
}

/// The name, or the same with a number, if it is taken.
fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or(name);
    let end = path.extension().and_then(|it| it.to_str()).map(|it| format!(".{it}"));
    let end = end.unwrap_or_default();
    let numbered = (2..).map(|no: u32| format!("{stem} ({no}){end}"));
    numbered.into_iter().find(|it| !is_taken(it)).unwrap_or_else(|| name.to_owned())
}

fn not_kept(err: &std::io::Error, name: &str) -> Fault {
    if err.kind() == std::io::ErrorKind::StorageFull {
        let message = format!("`{name}` was not kept: no space is left");
        let fault = Fault::new(Why::Busy, message).help("free some space, then send it again");
        return fault.retry_after(std::time::Duration::from_secs(10));
    }
    Fault::new(Why::Op(ErrorKind::Failed), format!("`{name}` was not kept: {err}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_are_accepted() {
        for name in ["a.txt", "Bericht 2024 (2).pdf", "日本.md", "a"] {
            assert_eq!(clean(name).unwrap(), name);
        }
        let long = "a".repeat(256);
        for name in [
            "",
            " ",
            "../a",
            "a/b",
            "a\\b",
            "..",
            ".env",
            "a.",
            "C:a",
            "a\nb",
            "a\0b",
            "\u{202e}a",
            "a\u{200b}b",
            &long,
        ] {
            assert_eq!(clean(name).unwrap_err().fields[0].field, "name", "{name:?}");
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let taken = ["a.txt", "a (2).txt", "b"];
        let is_taken = |it: &str| taken.contains(&it);
        assert_eq!(free("a.txt", is_taken), "a (3).txt");
        assert_eq!(free("b", is_taken), "b (2)");
        assert_eq!(free("c.tar.gz", is_taken), "c.tar.gz");
    }
}
