//! Items of a completion list.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat, Range,
    TextEdit,
};

use crate::{
    bases::lsp::describe::{Callable, Port, markdown},
    stdlib::{Module, PREFIX},
    value::Type,
};

/// A completion list that is being made, best first.
pub(super) struct Items {
    /// What is replaced.
    range: Range,
    /// Whether the client can fill in arguments.
    snippets: bool,
    all: Vec<CompletionItem>,
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// After `>>`: arguments are named, the first parameter is filled.
    Stage,
    /// In an expression: the arguments stand in their order.
    Function,
}

impl Items {
    pub(super) fn new(range: Range, snippets: bool) -> Self {
        Self { range, snippets, all: Vec::new() }
    }

    pub(super) fn finish(self) -> Vec<CompletionItem> {
        self.all
    }

    /// Adds something, unless it is there already. `snippet` may have places to fill in.
    fn add(&mut self, item: CompletionItem, snippet: &str) {
        if self.all.iter().any(|it| it.label == item.label) {
            return;
        }
        let is_plain = !snippet.contains('$');
        let text = match self.snippets || is_plain {
            true => snippet.replace("\\$", if self.snippets && !is_plain { "\\$" } else { "$" }),
            false => item.label.clone(),
        };
        let format = match self.snippets && !is_plain {
            true => InsertTextFormat::SNIPPET,
            false => InsertTextFormat::PLAIN_TEXT,
        };
        self.all.push(CompletionItem {
            sort_text: Some(format!("{:04}", self.all.len())),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: self.range,
                new_text: text,
            })),
            insert_text_format: Some(format),
            ..item
        });
    }

    /// A word of the language, and what stands behind it.
    pub(super) fn keyword(&mut self, word: &str, snippet: &str) {
        let kind = Some(CompletionItemKind::KEYWORD);
        self.add(
            CompletionItem { label: word.to_owned(), kind, ..CompletionItem::default() },
            snippet,
        );
    }

    pub(super) fn keywords(&mut self, words: &[(&str, &str)]) {
        for (word, snippet) in words {
            self.keyword(word, snippet);
        }
    }

    /// The literals of a type that has few.
    pub(super) fn literals(&mut self, due: Option<&Type>) {
        match due.map(Type::required) {
            Some(ty @ Type::Enum(of)) => {
                for variant in &of.variants {
                    self.choice(&format!("{variant:?}"), ty);
                }
            }
            Some(Type::Bool) => {
                for word in ["true", "false"] {
                    self.choice(word, &Type::Bool);
                }
            }
            _ => {}
        }
    }

    /// The name of a module of the standard library, with its quotes.
    pub(super) fn module(&mut self, module: &Module) {
        let name = format!("\"{PREFIX}{}\"", module.name);
        let item = CompletionItem {
            label: name.clone(),
            kind: Some(CompletionItemKind::MODULE),
            detail: Some(module.summary().to_owned()),
            documentation: Some(Documentation::String(module.docs())),
            ..CompletionItem::default()
        };
        self.add(item, &name);
    }

    /// A value in scope, or a part of one.
    pub(super) fn value(&mut self, name: &str, ty: &str, kind: CompletionItemKind) {
        let item = CompletionItem {
            label: name.to_owned(),
            kind: Some(kind),
            detail: Some(ty.to_owned()),
            ..CompletionItem::default()
        };
        self.add(item, name);
    }

    pub(super) fn field(&mut self, name: &str, ty: &Type) {
        self.value(name, &ty.to_string(), CompletionItemKind::FIELD);
    }

    fn choice(&mut self, literal: &str, ty: &Type) {
        self.value(literal, &ty.to_string(), CompletionItemKind::ENUM_MEMBER);
    }

    pub(super) fn type_name(&mut self, name: &str) {
        self.value(name, "", CompletionItemKind::STRUCT);
    }

    /// An argument that is not given yet.
    pub(super) fn argument(&mut self, port: &Port) {
        let item = CompletionItem {
            label: port.name.clone(),
            kind: Some(CompletionItemKind::PROPERTY),
            detail: Some(port.label.clone()),
            documentation: said(&port.doc),
            ..CompletionItem::default()
        };
        self.add(item, &format!("{}: $0", port.name));
    }

    /// Something that can be called, by the name that is written here.
    pub(super) fn call(&mut self, label: &str, callable: &Callable<'_>, doc: &str, form: Form) {
        let item = CompletionItem {
            label: label.to_owned(),
            kind: Some(CompletionItemKind::FUNCTION),
            detail: Some(callable.signature()),
            documentation: said(doc),
            ..CompletionItem::default()
        };
        self.add(item, &call(label, callable, form));
    }
}

fn said(doc: &str) -> Option<Documentation> {
    (!doc.is_empty()).then(|| Documentation::MarkupContent(markdown(doc.to_owned())))
}

/// A call with places for the arguments that must be given.
fn call(name: &str, callable: &Callable<'_>, form: Form) -> String {
    let ports = callable.ports();
    let filled = usize::from(form == Form::Stage);
    let required = ports.iter().skip(filled).filter(|it| it.is_required);
    let args: Vec<String> = required
        .enumerate()
        .map(|(idx, port)| match form {
            Form::Stage => format!("{0}: ${{{1}:{0}}}", port.name, idx + 1),
            Form::Function => format!("${{{}:{}}}", idx + 1, port.name),
        })
        .collect();
    if args.is_empty() && form == Form::Stage {
        return name.to_owned();
    }
    format!("{name}({})", args.join(", "))
}
