//! The capabilities of the server, and the required capabilities of the client.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DocumentLinkOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, RenameOptions, SaveOptions,
    SelectionRangeProviderCapability, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use svc_assist::Encoding;

use super::{colours, lines};

/// The capabilities and settings negotiated with the client.
#[derive(Clone, Debug)]
pub(super) struct Agreed {
    pub(super) encoding: Encoding,
    /// Whether the client supports snippets in completions.
    pub(super) snippets: bool,
    /// The commands of lenses that the client knows.
    pub(super) commands: Vec<String>,
    /// The address of the page that explains error codes.
    pub(super) manual: Option<String>,
}

impl Agreed {
    pub(super) fn with(params: &InitializeParams) -> Self {
        let client = &params.capabilities;
        let offered = client.general.as_ref().and_then(|it| it.position_encodings.as_deref());
        let completion = client.text_document.as_ref().and_then(|it| it.completion.as_ref());
        let item = completion.and_then(|it| it.completion_item.as_ref());
        let options = params.initialization_options.as_ref();
        let manual = options.and_then(|it| it["manual"].as_str()).map(str::to_owned);
        let named = options.and_then(|it| it["commands"].as_array()).into_iter().flatten();
        let commands = named.filter_map(|it| it.as_str()).map(str::to_owned).collect();
        Self {
            commands,
            encoding: lines::agreed(offered),
            snippets: item.and_then(|it| it.snippet_support).unwrap_or(false),
            manual,
        }
    }

    pub(super) fn result(&self) -> InitializeResult {
        InitializeResult {
            capabilities: self.capabilities(),
            server_info: Some(ServerInfo {
                name: "svc".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }

    fn capabilities(&self) -> ServerCapabilities {
        let words = |all: &[&str]| Some(all.iter().map(|it| (*it).to_owned()).collect());
        ServerCapabilities {
            position_encoding: Some(lines::kind(self.encoding)),
            text_document_sync: Some(sync()),
            completion_provider: Some(CompletionOptions {
                trigger_characters: words(&[">", ".", "(", " ", "\"", "/"]),
                ..CompletionOptions::default()
            }),
            signature_help_provider: Some(SignatureHelpOptions {
                trigger_characters: words(&["(", ","]),
                retrigger_characters: words(&[":"]),
                ..SignatureHelpOptions::default()
            }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_highlight_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
            })),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::SOURCE_FIX_ALL,
                ]),
                ..CodeActionOptions::default()
            })),
            inlay_hint_provider: Some(OneOf::Left(true)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
            }),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(OneOf::Left(true)),
                }),
                file_operations: None,
            }),
            folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
            semantic_tokens_provider: Some(
                SemanticTokensServerCapabilities::SemanticTokensOptions(SemanticTokensOptions {
                    legend: colours::legend(),
                    full: Some(SemanticTokensFullOptions::Bool(true)),
                    ..SemanticTokensOptions::default()
                }),
            ),
            ..ServerCapabilities::default()
        }
    }
}

fn sync() -> TextDocumentSyncCapability {
    TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
            include_text: Some(false),
        })),
        ..TextDocumentSyncOptions::default()
    })
}
