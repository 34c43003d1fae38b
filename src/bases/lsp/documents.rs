//! The documents that are open in the editor, with their analyses.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use lsp_types::{Position, TextDocumentContentChangeEvent, TextDocumentItem, Uri};
use svc_assist::{Draft, Encoding};
use svc_engine::{Engine, Unsaved};
use svc_lang::{check::Analysis, diag::Source, plan::Plan, syntax::token};

use super::{failure::Failure, lines::Page, uri};

/// An open script.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) page: Page,
    /// Whether the script imports other files, so that their changes affect it.
    uses_files: bool,
    analysis: OnceCell<Analysis>,
    plan: OnceCell<Option<Plan>>,
}

/// All open scripts.
pub(super) struct Documents {
    pub(super) engine: Engine,
    pub(super) encoding: Encoding,
    /// The address of the page that explains error codes.
    pub(super) manual: Option<String>,
    open: BTreeMap<String, Document>,
    /// The texts of the open scripts, for scripts that import them.
    unsaved: Unsaved,
}

/// A document with its analysis.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) documents: &'a Documents,
    pub(super) document: &'a Document,
    pub(super) analysis: &'a Analysis,
}

impl Documents {
    pub(super) fn new(engine: Engine, encoding: Encoding) -> Self {
        let (open, unsaved) = (BTreeMap::new(), Unsaved::new());
        Self { engine, encoding, manual: None, open, unsaved }
    }

    pub(super) fn open(&mut self, item: TextDocumentItem) {
        self.put(&item.uri, item.version, item.text.into());
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
        self.unsaved.remove(&uri::name_of(uri));
        self.files_changed();
    }

    /// Applies changes one after the other, as the protocol requires.
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Result<(), Failure> {
        let mut text = self.document(uri)?.page.text().to_string();
        for change in changes {
            let Some(range) = change.range else {
                text = change.text;
                continue;
            };
            let page = Page::new(text.as_str(), self.encoding);
            let (start, end) = (page.clamped(range.start), page.clamped(range.end));
            text.replace_range(start..end.max(start), &change.text);
        }
        self.put(uri, version, text.into());
        Ok(())
    }

    fn put(&mut self, uri: &Uri, version: i32, text: Arc<str>) {
        self.unsaved.insert(uri::name_of(uri), text.clone());
        self.files_changed();
        let document = Document::new(uri, version, text, self.encoding);
        self.open.insert(uri.as_str().to_owned(), document);
    }

    /// Discards the analyses of scripts that import other files.
    pub(super) fn files_changed(&mut self) {
        for document in self.open.values_mut().filter(|it| it.uses_files) {
            (document.analysis, document.plan) = (OnceCell::new(), OnceCell::new());
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Look<'_>> {
        self.open.values().map(|it| self.look_at(it))
    }

    pub(super) fn is_open(&self, uri: &Uri) -> bool {
        self.open.contains_key(uri.as_str())
    }

    pub(super) fn look(&self, uri: &Uri) -> Result<Look<'_>, Failure> {
        self.document(uri).map(|it| self.look_at(it))
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        let unknown = || Failure::params(format!("`{}` is not open", uri.as_str()));
        self.open.get(uri.as_str()).ok_or_else(unknown)
    }

    /// A document that is not open, as of the analysis of a script that uses it.
    pub(super) fn closed(&self, uri: &Uri, source: &Source) -> Document {
        Document::new(uri, 0, source.text().into(), self.encoding)
    }

    pub(super) fn look_at<'a>(&'a self, document: &'a Document) -> Look<'a> {
        let analysis = document.analysis.get_or_init(|| self.analyse(document.source()));
        Look { documents: self, document, analysis }
    }

    /// Analyses a text. Open documents take precedence over their files.
    pub(super) fn analyse(&self, source: Source) -> Analysis {
        self.engine.analyse_with(source, &self.unsaved)
    }
}

impl Document {
    fn new(uri: &Uri, version: i32, text: Arc<str>, encoding: Encoding) -> Self {
        let lexed = token::lex(&text);
        let uses_files = lexed.tokens.iter().any(|it| &text[it.span.range()] == "use");
        let (analysis, plan) = (OnceCell::new(), OnceCell::new());
        let page = Page::new(text, encoding);
        Self { uri: uri.clone(), version, page, uses_files, analysis, plan }
    }

    pub(super) fn source(&self) -> Source {
        uri::source(&self.uri, self.page.text().clone())
    }

    /// The byte offset of a position in a request.
    pub(super) fn offset(&self, position: Position) -> Result<usize, Failure> {
        let outside = || {
            let lines = self.page.line_count();
            Failure::params(format!(
                "line {} is out of range: the document has {lines}",
                position.line
            ))
        };
        self.page.offset(position).ok_or_else(outside)
    }
}

/// The largest script whose plan is made for an editor, in bytes.
const LARGEST_PLANNED: usize = 256 << 10;

impl<'a> Look<'a> {
    /// The plan of a script that passes the check, unless it is very long.
    pub(super) fn plan(&self) -> Option<&'a Plan> {
        let made = || {
            let program = self.analysis.program.as_ref()?;
            let is_short = self.text().len() <= LARGEST_PLANNED;
            is_short.then(|| self.documents.engine.plan_analysed(program).ok())?
        };
        self.document.plan.get_or_init(made).as_ref()
    }

    pub(super) fn text(&self) -> &'a str {
        self.document.page.text()
    }

    /// The document as a draft, for completion; `source` is the source of this document.
    pub(super) fn draft<'d>(&'d self, source: &'d Source) -> Draft<'d> {
        let (engine, unsaved) = (&self.documents.engine, &self.documents.unsaved);
        Draft { engine, source, unsaved, analysis: self.analysis }
    }

    pub(super) fn page(&self) -> &'a Page {
        &self.document.page
    }
}
