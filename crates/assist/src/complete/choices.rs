//! The list of completions, while it is built.

use svc_contract::value::Type;
use svc_lang::{
    diag::Span,
    stdlib::{Module, PREFIX},
};

use super::super::{Callable, Port};

/// The completions, best first.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The range to replace.
    pub span: Span,
    pub all: Vec<Choice>,
    /// Whether they replace a hole: what is written there says nothing about them.
    pub fills_hole: bool,
}

/// One completion.
#[derive(Clone, Debug)]
pub struct Choice {
    pub label: String,
    pub sort: Sort,
    /// Its type or signature, if it has one.
    pub detail: Option<String>,
    pub doc: String,
    /// The text to insert, with placeholders: `take(n: ${1:n})`.
    pub snippet: String,
}

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Keyword,
    Variable,
    Field,
    /// A value of a type that has only a few.
    Literal,
    Type,
    /// A file that a script can use.
    File,
    Folder,
    Argument,
    Call,
    /// Several stages that lead to the expected type.
    Chain,
}

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// After `>>`: arguments are named, and the first parameter is filled.
    Stage,
    /// In an expression: arguments are positional.
    Function,
}

impl Choice {
    fn new(sort: Sort, label: &str) -> Self {
        let (label, snippet) = (label.to_owned(), label.to_owned());
        Self { label, sort, detail: None, doc: String::new(), snippet }
    }

    /// The text before the first placeholder.
    pub fn beginning(&self) -> &str {
        self.snippet.split('$').next().unwrap_or_default()
    }
}

impl Choices {
    pub(super) fn new(span: Span) -> Self {
        Self { span, all: Vec::new(), fills_hole: false }
    }

    /// Adds a completion, unless it is already in the list.
    fn add(&mut self, choice: Choice) {
        if !self.all.iter().any(|it| it.label == choice.label) {
            self.all.push(choice);
        }
    }

    /// A keyword of the language, and the text after it.
    pub(super) fn keyword(&mut self, word: &str, snippet: &str) {
        let snippet = snippet.to_owned();
        self.add(Choice { snippet, ..Choice::new(Sort::Keyword, word) });
    }

    pub(super) fn keywords(&mut self, words: &[(&str, &str)]) {
        for (word, snippet) in words {
            self.keyword(word, snippet);
        }
    }

    /// The literals of a type that has only a few.
    pub(super) fn literals(&mut self, expected: Option<&Type>) {
        match expected.map(Type::required) {
            Some(ty @ Type::Enum(of)) => {
                for variant in &of.variants {
                    self.value(&format!("{variant:?}"), &ty.to_string(), Sort::Literal);
                }
            }
            Some(Type::Bool) => {
                for word in ["true", "false"] {
                    self.value(word, &Type::Bool.to_string(), Sort::Literal);
                }
            }
            _ => {}
        }
    }

    /// A value in scope, or a part of one.
    pub(super) fn value(&mut self, name: &str, ty: &str, sort: Sort) {
        self.add(Choice { detail: Some(ty.to_owned()), ..Choice::new(sort, name) });
    }

    pub(super) fn field(&mut self, name: &str, ty: &Type) {
        self.value(name, &ty.to_string(), Sort::Field);
    }

    pub(super) fn type_name(&mut self, name: &str) {
        self.value(name, "", Sort::Type);
    }

    /// The name of a module of the standard library, in quotes.
    pub(super) fn module(&mut self, module: &Module<'_>) {
        self.add(Choice {
            detail: Some(module.summary().to_owned()),
            doc: module.docs(),
            ..Choice::new(Sort::File, &format!("\"{PREFIX}{}\"", module.name))
        });
    }

    /// A file or folder in quotes; the cursor stays inside those of a folder.
    pub(super) fn file(&mut self, path: &str, is_dir: bool) {
        let (sort, label, snippet) = if is_dir {
            (Sort::Folder, format!("\"{path}/\""), format!("\"{path}/$0\""))
        } else {
            (Sort::File, format!("\"{path}\""), format!("\"{path}\""))
        };
        self.add(Choice { snippet, ..Choice::new(sort, &label) });
    }

    /// A component that a test can mock.
    pub(super) fn mock(&mut self, name: &str, doc: &str) {
        self.add(Choice {
            doc: doc.to_owned(),
            snippet: format!("{name} = $0"),
            ..Choice::new(Sort::Call, name)
        });
    }

    /// An argument that is still missing.
    pub(super) fn argument(&mut self, port: &Port) {
        self.add(Choice {
            detail: Some(port.label.clone()),
            doc: port.doc.clone(),
            snippet: format!("{}: $0", port.name),
            ..Choice::new(Sort::Argument, &port.name)
        });
    }

    /// An op or flow, under the given name.
    pub(super) fn call(&mut self, label: &str, callable: &Callable<'_>, doc: &str, form: Form) {
        self.add(Choice {
            detail: Some(callable.signature()),
            doc: doc.to_owned(),
            snippet: call(label, callable, form),
            ..Choice::new(Sort::Call, label)
        });
    }
}

/// A call with placeholders for the required arguments.
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
