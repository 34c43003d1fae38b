//! The list of completions, while it is built.

use std::collections::HashSet;

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
    /// Whether some are left out, since there are too many: more typed letters choose among them.
    pub is_cut: bool,
    /// What is typed so far, in lower case.
    typed: String,
    /// Whether there are too many, so that only those with the typed letters are in the list.
    is_crowded: bool,
    labels: HashSet<String>,
}

/// The maximum number of completions. An editor shows a dozen at once, and each costs time to describe.
const MOST: usize = 400;

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
    /// No completions yet of what is typed.
    pub(super) fn new(span: Span, typed: &str) -> Self {
        let typed = typed.to_lowercase();
        Self {
            span,
            all: Vec::new(),
            fills_hole: false,
            is_cut: false,
            typed,
            is_crowded: false,
            labels: HashSet::new(),
        }
    }

    /// No completions yet of a hole, which they replace.
    pub(super) fn of_hole(span: Span) -> Self {
        Self { fills_hole: true, ..Self::new(span, "") }
    }

    /// So many may be added next. An editor chooses by what is typed itself, unless there are too many.
    pub(super) fn expect(&mut self, count: usize) {
        self.is_crowded |= self.all.len() + count > MOST;
    }

    /// Whether a call has a place in the list. Only those that have one are described.
    pub(super) fn accepts(&mut self, label: &str) -> bool {
        if self.labels.contains(label) || (self.is_crowded && !self.has_typed(label)) {
            return false;
        }
        let is_full = self.all.len() >= MOST;
        self.is_cut |= is_full;
        !is_full
    }

    /// Whether a label has the typed letters in their order.
    fn has_typed(&self, label: &str) -> bool {
        let mut letters = label.chars().flat_map(char::to_lowercase);
        self.typed.chars().all(|typed| letters.any(|it| it == typed))
    }

    /// Adds a completion, unless it is already in the list.
    fn add(&mut self, choice: Choice) {
        if self.labels.insert(choice.label.clone()) {
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
        if !self.accepts(name) {
            return;
        }
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
        if !self.accepts(label) {
            return;
        }
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
    let filled = usize::from(form == Form::Stage);
    let required = callable.required(filled).into_iter();
    let args: Vec<String> = required
        .zip(1..)
        .map(|(param, place)| match form {
            Form::Stage => format!("{param}: ${{{place}:{param}}}"),
            Form::Function => format!("${{{place}:{param}}}"),
        })
        .collect();
    if args.is_empty() && form == Form::Stage {
        return name.to_owned();
    }
    format!("{name}({})", args.join(", "))
}
