//! What has no file of its own, as files that an editor can open: modules of the standard library,
//! and the documentation of components.
//!
//! Editors agree on no other way to show a text of the server. The files are in the cache folder,
//! apart for each version, and are written when a definition in them is requested. A change to one
//! of them has no effect, and is undone by the next request.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use svc_assist::ComponentPage;
use svc_contract::{
    host::{self, Host},
    registry::OpRef,
};
use svc_lang::{diag::Source, stdlib::PREFIX};

use super::uri;

/// The largest file that is compared with what it should be.
const LARGEST: u64 = 4 << 20;

/// The folder of these files.
pub(super) fn folder(host: &dyn Host) -> Option<PathBuf> {
    Some(host.cache_dir().ok()?.join("editor").join(env!("CARGO_PKG_VERSION")))
}

/// The address of a module of the standard library, whose file is written if necessary.
pub(super) fn module(host: &dyn Host, source: &Source) -> Option<Uri> {
    let name = source.name().strip_prefix(PREFIX)?;
    written(host, &folder(host)?.join("std").join(name), source.text())
}

/// The address of the documentation of a component, and the page.
pub(super) fn component(host: &dyn Host, op: OpRef) -> Option<(Uri, ComponentPage)> {
    let page = ComponentPage::new(op.component);
    let name = format!("{}.md", op.component.name);
    let uri = written(host, &folder(host)?.join("components").join(name), &page.text)?;
    Some((uri, page))
}

/// Whether a document is one of these files.
pub(super) fn contains(host: &dyn Host, document: &Uri) -> bool {
    let file = uri::file_of(document);
    folder(host).zip(file).is_some_and(|(folder, file)| Path::new(&file).starts_with(folder))
}

fn written(host: &dyn Host, path: &Path, text: &str) -> Option<Uri> {
    let is_same = host::read(host, path, LARGEST).is_ok_and(|it| it == text.as_bytes());
    if !is_same {
        host.write(path, text.as_bytes()).ok()?;
    }
    let folder = host.current_dir().ok();
    uri::of_name(path.to_str()?, folder.as_deref())
}
