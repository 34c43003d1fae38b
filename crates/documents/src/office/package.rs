//! The parts of a ZIP package, with limits of size.

use std::{
    collections::HashMap,
    io::{Cursor, Read},
};

use svc_contract::value::units::show_size;
use zip::{ZipArchive, result::ZipError};

use super::super::{LARGEST_FILE, Unreadable, encoding};
use super::xml::{Step, Visit, walk};

/// The maximum size of all parts that are read.
const MOST: u64 = 4 * LARGEST_FILE;

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(content: &'a [u8]) -> Result<Self, Unreadable> {
        let archive = ZipArchive::new(Cursor::new(content)).map_err(|err| {
            Unreadable::Damaged(format!("it is not a readable office document ({err})"))
        })?;
        Ok(Self { archive, left: MOST })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// A part as text, if there is one of this name.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Unreadable> {
        let part = match self.archive.by_name(name) {
            Ok(it) if it.encrypted() => return Err(Unreadable::Encrypted),
            Ok(it) => it,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(err) => return Err(damaged(name, &err)),
        };
        let most = LARGEST_FILE.min(self.left);
        let mut bytes = Vec::new();
        let read =
            part.take(most + 1).read_to_end(&mut bytes).map_err(|err| damaged(name, &err))?;
        if read as u64 > most {
            let most = show_size(most);
            return Err(Unreadable::Damaged(format!("its part `{name}` is larger than {most}")));
        }
        self.left -= read as u64;
        Ok(Some(encoding::text(bytes).text))
    }

    /// A part that must be there.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, Unreadable> {
        self.text(name)?.ok_or_else(|| Unreadable::Damaged(format!("its part `{name}` is missing")))
    }

    /// The parts to which a part refers: their paths and kinds, by the id of the reference.
    pub(super) fn relations(
        &mut self,
        part: &str,
    ) -> Result<HashMap<String, Relation>, Unreadable> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let sep = if folder.is_empty() { "" } else { "/" };
        let mut all = HashMap::new();
        let Some(xml) = self.text(&format!("{folder}{sep}_rels/{name}.rels"))? else {
            return Ok(all);
        };
        walk(&xml, |step| {
            if let Step::Open(tag) = step
                && let (Some(id), Some(target)) = (tag.get("Id"), tag.get("Target"))
                && tag.get("TargetMode").is_none_or(|it| it != "External")
            {
                let kind = tag.get("Type").unwrap_or_default();
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                all.insert(id, Relation { path: resolved(folder, &target), kind });
            }
            Ok(Visit::Enter)
        })?;
        Ok(all)
    }
}

fn damaged(name: &str, err: &dyn std::fmt::Display) -> Unreadable {
    Unreadable::Damaged(format!("its part `{name}` cannot be read ({err})"))
}

/// A part to which another one refers.
pub(super) struct Relation {
    pub(super) path: String,
    /// The last word of the type: `slide`, `notesSlide`.
    pub(super) kind: String,
}

/// A path relative to a folder of the package, without `.` and `..`.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    let (folder, target) = match target.strip_prefix('/') {
        Some(target) => ("", target),
        None => (folder, target),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
