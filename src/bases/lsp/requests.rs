//! The requests of the protocol: each is decoded, answered by one call, and encoded.

use lsp_server::{ErrorCode, Request};
use lsp_types::{
    CompletionResponse, DocumentSymbolResponse, SemanticTokens, SemanticTokensResult,
    TextDocumentPositionParams, WorkspaceSymbolResponse,
    request::{
        CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest,
        DocumentLinkRequest, DocumentSymbolRequest, FoldingRangeRequest, Formatting,
        GotoDefinition, HoverRequest, InlayHintRequest, PrepareRenameRequest, References, Rename,
        Request as Method, SelectionRangeRequest, SemanticTokensFullRequest, SignatureHelpRequest,
        WorkspaceSymbolRequest,
    },
};
use serde_json::Value;
use svc_assist::Asked;

use super::{
    actions, colours, completion,
    documents::{Documents, Look},
    edits,
    failure::Failure,
    hover, inlays, lenses, links, names, outline, rename, selections, signature,
    workspace::Workspace,
};

/// The state that requests are answered from.
pub(super) struct Requests<'a> {
    pub(super) documents: &'a Documents,
    pub(super) workspace: &'a Workspace,
    pub(super) snippets: bool,
    /// The commands of lenses that the client knows.
    pub(super) commands: &'a [String],
}

impl<'a> Requests<'a> {
    pub(super) fn answer(&self, request: Request) -> Result<Value, Failure> {
        let params = request.params;
        match request.method.as_str() {
            Completion::METHOD => with::<Completion>(params, |it| {
                let trigger = it.context.as_ref().and_then(|it| it.trigger_character.as_deref());
                let (look, at) = self.place(&it.text_document_position)?;
                let asked = match trigger {
                    Some(" ") => Asked::BySpace,
                    Some("\"" | "/") => Asked::ByPath,
                    _ => Asked::Plainly,
                };
                let list = completion::list(&look, at, asked, self.snippets);
                Ok(Some(if list.is_incomplete {
                    CompletionResponse::List(list)
                } else {
                    CompletionResponse::Array(list.items)
                }))
            }),
            SignatureHelpRequest::METHOD => with::<SignatureHelpRequest>(params, |it| {
                let (look, at) = self.place(&it.text_document_position_params)?;
                Ok(signature::signature(&look, at))
            }),
            HoverRequest::METHOD => with::<HoverRequest>(params, |it| {
                let (look, at) = self.place(&it.text_document_position_params)?;
                Ok(hover::hover(&look, at))
            }),
            GotoDefinition::METHOD => with::<GotoDefinition>(params, |it| {
                let (look, at) = self.place(&it.text_document_position_params)?;
                Ok(names::definition(&look, at))
            }),
            References::METHOD => with::<References>(params, |it| {
                let (look, at) = self.place(&it.text_document_position)?;
                Ok(Some(names::references(&look, at, it.context.include_declaration)))
            }),
            DocumentHighlightRequest::METHOD => with::<DocumentHighlightRequest>(params, |it| {
                let (look, at) = self.place(&it.text_document_position_params)?;
                Ok(Some(names::highlights(&look, at)))
            }),
            PrepareRenameRequest::METHOD => with::<PrepareRenameRequest>(params, |it| {
                let (look, at) = self.place(&it)?;
                rename::prepare(&look, at).map(Some)
            }),
            Rename::METHOD => with::<Rename>(params, |it| {
                let (look, at) = self.place(&it.text_document_position)?;
                rename::rename(&look, at, &it.new_name).map(Some)
            }),
            CodeActionRequest::METHOD => with::<CodeActionRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(actions::actions(&look, it.range, &it.context)))
            }),
            method => self.of_document(method, params),
        }
    }

    /// Answers a request about a whole document, or about all.
    fn of_document(&self, method: &str, params: Value) -> Result<Value, Failure> {
        match method {
            DocumentSymbolRequest::METHOD => with::<DocumentSymbolRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(DocumentSymbolResponse::Nested(outline::symbols(look.page()))))
            }),
            Formatting::METHOD => with::<Formatting>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(edits::formatted(&look)))
            }),
            FoldingRangeRequest::METHOD => with::<FoldingRangeRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(outline::folds(&look)))
            }),
            SemanticTokensFullRequest::METHOD => with::<SemanticTokensFullRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                let data = colours::tokens(&look);
                Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
            }),
            InlayHintRequest::METHOD => with::<InlayHintRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(inlays::hints(&look, it.range)))
            }),
            CodeLensRequest::METHOD => with::<CodeLensRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(lenses::lenses(&look, self.commands)))
            }),
            DocumentLinkRequest::METHOD => with::<DocumentLinkRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(links::links(&look)))
            }),
            SelectionRangeRequest::METHOD => with::<SelectionRangeRequest>(params, |it| {
                let look = self.documents.look(&it.text_document.uri)?;
                Ok(Some(selections::ranges(&look, &it.positions)))
            }),
            WorkspaceSymbolRequest::METHOD => with::<WorkspaceSymbolRequest>(params, |it| {
                let found = self.workspace.find(self.documents, &it.query);
                Ok(Some(WorkspaceSymbolResponse::Nested(found)))
            }),
            other => {
                Err(Failure::new(ErrorCode::MethodNotFound, format!("unknown method `{other}`")))
            }
        }
    }

    fn place(&self, at: &TextDocumentPositionParams) -> Result<(Look<'a>, usize), Failure> {
        let look = self.documents.look(&at.text_document.uri)?;
        let offset = look.document.offset(at.position)?;
        Ok((look, offset))
    }
}

/// Decodes the params of a request, answers it, encodes the answer.
fn with<R: Method>(
    params: Value,
    answer: impl FnOnce(R::Params) -> Result<R::Result, Failure>,
) -> Result<Value, Failure> {
    let params = serde_json::from_value(params)
        .map_err(|err| Failure::params(format!("`{}`: {err}", R::METHOD)))?;
    let answer = answer(params)?;
    serde_json::to_value(answer)
        .map_err(|err| Failure::new(ErrorCode::InternalError, err.to_string()))
}
