//! Diagnostics: the problems of scripts, as editors show them.

use std::{collections::BTreeMap, path::Path, str::FromStr};

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, PublishDiagnosticsParams, Uri,
};
use svc_lang::{
    diag::{Code, Problem, Report, Severity, Source},
    stdlib::PREFIX,
};

use super::{
    documents::{Documents, Look},
    lines::Page,
    uri,
};

/// The diagnostics published last, by document.
#[derive(Default)]
pub(super) struct Published(BTreeMap<String, PublishDiagnosticsParams>);

impl Published {
    /// Forgets the published diagnostics of a document, so that they are published again.
    pub(super) fn forget(&mut self, uri: &Uri) {
        self.0.remove(uri.as_str());
    }

    /// The diagnostics to publish now: those of documents whose problems changed, and empty ones
    /// for documents without problems.
    pub(super) fn update(&mut self, documents: &Documents) -> Vec<PublishDiagnosticsParams> {
        let now = all(documents);
        let gone = self
            .0
            .iter()
            .filter(|(uri, old)| !now.contains_key(*uri) && !old.diagnostics.is_empty());
        let emptied = gone.map(|(_, old)| PublishDiagnosticsParams {
            uri: old.uri.clone(),
            diagnostics: Vec::new(),
            version: None,
        });
        let changed = now.iter().filter(|(uri, new)| self.0.get(*uri) != Some(new));
        let published = emptied.chain(changed.map(|(_, new)| new.clone())).collect();
        self.0 = now;
        published
    }
}

/// The diagnostics of all open documents, and of the closed files that they import.
fn all(documents: &Documents) -> BTreeMap<String, PublishDiagnosticsParams> {
    let mut all = BTreeMap::new();
    for look in documents.all() {
        let uri = look.document.uri.clone();
        let version = Some(look.document.version);
        let diagnostics = About::document(&look).all(&look.analysis.report);
        let own = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        all.insert(uri.as_str().to_owned(), own);
        // A pipeline built by a template is not a file; its problems are reported where it is used.
        for used in look.analysis.report.used.iter().filter(|it| !it.source.is_built()) {
            let Some(uri) = address(&used.source).filter(|it| !documents.is_open(it)) else {
                continue;
            };
            let page = Page::new(used.source.text(), documents.encoding);
            let about = About { uri: &uri, page: &page, manual: documents.manual.as_deref() };
            let diagnostics = about.all(used);
            let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version: None };
            all.insert(uri.as_str().to_owned(), params);
        }
    }
    all
}

/// The address of an imported file; a module of the standard library has none.
pub(super) fn address(source: &Source) -> Option<Uri> {
    if source.name().starts_with(PREFIX) {
        return None;
    }
    uri::of_name(source.name(), None::<&Path>)
}

/// The document that diagnostics belong to.
pub(super) struct About<'a> {
    uri: &'a Uri,
    page: &'a Page,
    /// The address of the page that explains error codes, if the client configured one.
    manual: Option<&'a str>,
}

impl<'a> About<'a> {
    pub(super) fn document(look: &Look<'a>) -> Self {
        let manual = look.documents.manual.as_deref();
        Self { uri: &look.document.uri, page: look.page(), manual }
    }

    fn all(&self, report: &Report) -> Vec<Diagnostic> {
        report.problems.iter().map(|it| self.one(it)).collect()
    }

    /// One problem as a diagnostic.
    pub(super) fn one(&self, problem: &Problem) -> Diagnostic {
        Diagnostic {
            range: self.page.range(problem.span()),
            severity: Some(match problem.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(problem.code.as_str().to_owned())),
            code_description: self.explained(problem.code),
            source: Some("svc".to_owned()),
            message: message(problem),
            related_information: Some(self.related(problem)),
            tags: (problem.code == Code::E221).then(|| vec![DiagnosticTag::UNNECESSARY]),
            data: None,
        }
    }

    /// The link to the section about a code: its heading as an anchor.
    fn explained(&self, code: Code) -> Option<CodeDescription> {
        let heading = format!("{} {}", code.as_str(), code.title()).to_lowercase();
        let kept = heading.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '_'));
        let anchor = kept.collect::<String>().replace(' ', "-");
        let href = Uri::from_str(&format!("{}#{anchor}", self.manual?)).ok()?;
        Some(CodeDescription { href })
    }

    /// The further places of a problem.
    fn related(&self, problem: &Problem) -> Vec<DiagnosticRelatedInformation> {
        let others = problem.labels.iter().skip(1).map(|label| DiagnosticRelatedInformation {
            location: Location { uri: self.uri.clone(), range: self.page.range(label.span) },
            message: label.text.clone(),
        });
        others.collect()
    }
}

fn message(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{problem}\nhelp: {help}"),
        None => problem.to_string(),
    }
}
