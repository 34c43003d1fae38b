//! The scripts of the folders that the editor has open, and the search for what they declare.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use lsp_types::{
    DidChangeWorkspaceFoldersParams, DocumentSymbol, InitializeParams, Location, OneOf, Uri,
    WorkspaceSymbol,
};
use svc_api::apis;
use svc_contract::host::{self, DirEntry, Host};
use svc_engine::Engine;

use super::{documents::Documents, lines::Page, outline, uri};

/// The limits of a search: files looked at, scripts read, the size of a script in bytes, results.
const MOST_FILES: usize = 20_000;
const MOST_SCRIPTS: usize = 2_000;
const LARGEST: u64 = 1 << 20;
const MOST_FOUND: usize = 500;

/// The folders of an editor, and the declarations found in their scripts.
#[derive(Default)]
pub(super) struct Workspace {
    folders: BTreeSet<PathBuf>,
    known: RefCell<BTreeMap<PathBuf, Known>>,
}

/// The declarations of a file, as of a time and a size.
struct Known {
    modified: i128,
    size: u64,
    symbols: Vec<WorkspaceSymbol>,
}

impl Workspace {
    pub(super) fn new(params: &InitializeParams) -> Self {
        let named = params.workspace_folders.iter().flatten().map(|it| &it.uri);
        let mut folders: BTreeSet<PathBuf> =
            named.filter_map(uri::file_of).map(PathBuf::from).collect();
        #[expect(deprecated, reason = "older clients send only this")]
        if params.workspace_folders.is_none() {
            folders.extend(params.root_uri.as_ref().and_then(uri::file_of).map(PathBuf::from));
        }
        Self { folders, known: RefCell::default() }
    }

    /// The engine with the components of the project of the first folder that has one. Only its
    /// settings and locks are read; wrong settings are for the commands to report.
    pub(super) fn engine(&self, engine: &Engine) -> Engine {
        let extended = self.folders.iter().filter_map(|it| apis::engine(engine, it).ok());
        let found = extended
            .map(|it| it.0)
            .find(|it| it.registry().components().len() > engine.registry().components().len());
        found.unwrap_or_else(|| engine.clone())
    }

    pub(super) fn change(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        let path = |uri: &Uri| uri::file_of(uri).map(PathBuf::from);
        for gone in params.event.removed.iter().filter_map(|it| path(&it.uri)) {
            self.folders.remove(&gone);
        }
        self.folders.extend(params.event.added.iter().filter_map(|it| path(&it.uri)));
    }

    /// The declarations whose names contain the letters of a query in this order, best first: those
    /// of open documents, and of the scripts in the folders.
    pub(super) fn find(&self, documents: &Documents, query: &str) -> Vec<WorkspaceSymbol> {
        let query = query.to_lowercase();
        let mut found = Vec::new();
        for look in documents.all() {
            let symbols = symbols(&look.document.uri, look.page());
            found.extend(ranked(&symbols, &query));
        }
        self.read(documents);
        for (path, known) in self.known.borrow().iter() {
            let is_open = || known.symbols.first().is_some_and(|it| is_open(documents, it));
            if self.folders.iter().any(|it| path.starts_with(it)) && !is_open() {
                found.extend(ranked(&known.symbols, &query));
            }
        }
        found.sort_by(|(a, one), (b, other)| {
            (a, one.name.len(), &one.name).cmp(&(b, other.name.len(), &other.name))
        });
        found.into_iter().map(|(_, it)| it).take(MOST_FOUND).collect()
    }

    /// Reads the scripts that changed since the last search.
    fn read(&self, documents: &Documents) {
        let host = documents.engine.host();
        let walks = self.folders.iter().map(|it| host.walk(it));
        let files = walks.flatten().take(MOST_FILES).filter_map(Result::ok);
        let is_script = |it: &DirEntry| {
            it.path.extension().is_some_and(|it| it == "svc") && it.stat.size <= LARGEST
        };
        let mut before = self.known.take();
        let mut known = BTreeMap::new();
        for DirEntry { path, stat, .. } in files.filter(is_script).take(MOST_SCRIPTS) {
            let (modified, size) = (stat.modified, stat.size);
            let same = |it: &Known| it.modified == modified && it.size == size;
            let read = || declared(documents, host, &path);
            let symbols = match before.remove(&path).filter(same) {
                Some(it) => Some(it.symbols),
                None => read(),
            };
            if let Some(symbols) = symbols {
                known.insert(path, Known { modified, size, symbols });
            }
        }
        self.known.replace(known);
    }
}

fn is_open(documents: &Documents, symbol: &WorkspaceSymbol) -> bool {
    match &symbol.location {
        OneOf::Left(it) => documents.is_open(&it.uri),
        OneOf::Right(it) => documents.is_open(&it.uri),
    }
}

fn declared(
    documents: &Documents,
    host: &dyn Host,
    path: &std::path::Path,
) -> Option<Vec<WorkspaceSymbol>> {
    let text = String::from_utf8(host::read(host, path, LARGEST).ok()?).ok()?;
    let uri = uri::of_name(path.to_str()?, None)?;
    Some(symbols(&uri, &Page::new(text, documents.encoding)))
}

/// The declarations of a script, also those inside of flows and tests.
fn symbols(uri: &Uri, page: &Page) -> Vec<WorkspaceSymbol> {
    let mut all = Vec::new();
    for outer in outline::symbols(page) {
        let container = Some(outer.name.clone());
        let inner = outer.children.clone().unwrap_or_default();
        all.push(symbol(uri, outer, None));
        all.extend(inner.into_iter().map(|it| symbol(uri, it, container.clone())));
    }
    all
}

fn symbol(uri: &Uri, it: DocumentSymbol, container_name: Option<String>) -> WorkspaceSymbol {
    let location = OneOf::Left(Location { uri: uri.clone(), range: it.selection_range });
    let (name, kind) = (it.name, it.kind);
    WorkspaceSymbol { name, kind, tags: None, container_name, location, data: None }
}

/// The symbols that match a query, with a rank: 0 for the beginning of the name, 1 for a part of it, 2
/// for single letters.
fn ranked(symbols: &[WorkspaceSymbol], query: &str) -> Vec<(u8, WorkspaceSymbol)> {
    let rank = |it: &WorkspaceSymbol| {
        let name = it.name.to_lowercase();
        let mut letters = name.chars();
        match name.find(query) {
            Some(0) => Some(0),
            Some(_) => Some(1),
            None => query.chars().all(|it| letters.any(|letter| letter == it)).then_some(2),
        }
    };
    symbols.iter().filter_map(|it| Some((rank(it)?, it.clone()))).collect()
}
