//! The documentation of the flows and types of a module.

use super::Module;
use crate::{
    diag::Span,
    syntax::{
        ast::{self, ItemKind, is_private},
        parse,
    },
};

/// Precedes the phrasings of users in a comment above a flow.
const ASKED: &str = "Asked as:";

/// The signature and documentation of a flow or template of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowDoc {
    pub name: String,
    /// The type parameters.
    pub generics: Vec<String>,
    pub doc: String,
    /// Phrasings in which users ask for it: the comment `# Asked as: ..; ..` above its
    /// documentation.
    pub says: Vec<String>,
    /// `bar: float 0..1 = 0.8`
    pub params: Vec<String>,
    pub yields: String,
}

impl FlowDoc {
    /// `review(text: string, bar: float 0..1 = 0.8) -> Report`
    pub fn signature(&self) -> String {
        let generics = self.type_params();
        format!("{}{generics}({}) -> {}", self.name, self.params.join(", "), self.yields)
    }

    /// `<A, B>`, or nothing if the flow is not generic.
    pub fn type_params(&self) -> String {
        match self.generics.join(", ") {
            none if none.is_empty() => none,
            some => format!("<{some}>"),
        }
    }

    /// The first sentence of its documentation.
    pub fn summary(&self) -> &str {
        self.doc.split_once(". ").map_or(&*self.doc, |(first, _)| &self.doc[..=first.len()])
    }
}

impl Module<'_> {
    /// The flows for other files; in the standard library those with documentation.
    pub fn flows(&self) -> Vec<FlowDoc> {
        let text = self.declarations();
        let items = parse(&text).program.items;
        let flow = |item: &ast::Item| match &item.kind {
            ItemKind::Flow(it) if self.shows(item, &it.name) => {
                Some(FlowDoc { says: self.says(&it.name.text), ..flow(&text, &item.doc, it) })
            }
            _ => None,
        };
        items.iter().filter_map(flow).collect()
    }

    /// The phrasings above the declaration of a flow.
    fn says(&self, flow: &str) -> Vec<String> {
        let declares = |line: &str| {
            let head = line.trim_start_matches("/// ");
            let rest = head.strip_prefix("flow ").or_else(|| head.strip_prefix("template "));
            rest.and_then(|it| it.strip_prefix(flow)).is_some_and(|it| it.starts_with(['<', '(']))
        };
        let lines: Vec<&str> = self.text.lines().collect();
        let Some(at) = lines.iter().position(|it| declares(it)) else { return Vec::new() };
        let above = lines[..at].iter().rev().take_while(|it| it.starts_with(['#', '/']));
        let comments = above.map(|it| it.trim_start_matches(['#', '/', ' ']));
        let asked: Vec<&str> = comments.filter_map(|it| it.strip_prefix(ASKED)).collect();
        let asked = asked.into_iter().rev().flat_map(|it| it.split(';'));
        asked.map(|it| it.trim().to_owned()).collect()
    }

    fn shows(&self, item: &ast::Item, name: &ast::Word) -> bool {
        !is_private(&name.text) && (self.shows_all || !item.doc.is_empty())
    }

    /// The declarations of the public types, each on one line.
    pub fn types(&self) -> Vec<String> {
        let text = self.declarations();
        let items = parse(&text).program.items;
        let types = items.iter().filter_map(|item| match &item.kind {
            ItemKind::Type { name, ty } if self.is_template() || self.shows(item, name) => {
                Some(format!("type {} = {}", name.text, in_a_line(&text, ty.span)))
            }
            _ => None,
        });
        types.collect()
    }

    /// The declarations as a script; those of templates are in comments.
    fn declarations(&self) -> String {
        if !self.is_template() {
            return self.text.to_owned();
        }
        let words = self.text.lines().filter_map(|it| it.strip_prefix("/// "));
        let declared = words.map(|it| match it.strip_prefix("template ") {
            Some(head) => format!("flow {head} {{ 0 }}\n"),
            None if it.starts_with("type ") => format!("{it}\n"),
            None => format!("## {it}\n"),
        });
        declared.collect()
    }
}

fn flow(text: &str, doc: &str, flow: &ast::Flow) -> FlowDoc {
    let param = |it: &ast::FlowParam| {
        let plain = format!("{}: {}", it.name.text, in_a_line(text, it.ty.span));
        match &it.default {
            Some(default) => format!("{plain} = {}", in_a_line(text, default.span)),
            None => plain,
        }
    };
    FlowDoc {
        name: flow.name.text.to_string(),
        generics: flow.generics.iter().map(|it| it.text.to_string()).collect(),
        doc: doc.split_whitespace().collect::<Vec<_>>().join(" "),
        says: Vec::new(),
        params: flow.params.iter().map(param).collect(),
        yields: in_a_line(text, flow.yields.span),
    }
}

/// Joins a piece of a script that may span several lines.
fn in_a_line(text: &str, span: Span) -> String {
    let words: Vec<&str> = text[span.range()].split_whitespace().collect();
    words.join(" ").replace("[ ", "[").replace(", ]", "]").replace(", }", " }")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module<'_> {
        Module { name: "m", file: "m.svc", text, tests: None, shows_all: false }
    }

    #[test]
    fn flows_are_shown_as_they_are_called() {
        let text = "## A pair.\ntype Pair = {\n  a: int,\n  b: int,\n}\ntype Own = int\n\
            ## Adds.  Quickly.\nflow add(of: Pair,\n  more: [int] = [\n    1,\n  ],\n) -> int { 1 }\n\
            # For the others.\nflow own() -> Own { 1 }";
        let module = module(text);
        let flows = module.flows();
        assert_eq!(flows.len(), 1);
        assert_eq!(flows[0].signature(), "add(of: Pair, more: [int] = [1]) -> int");
        assert_eq!(flows[0].summary(), "Adds.");
        assert_eq!(module.types(), ["type Pair = { a: int, b: int }"]);
    }

    #[test]
    fn templates_are_shown_like_flows() {
        let text = "// Adds.\n\n/// type Sum = int\n\n/// Adds up.\n\
            /// template add(of: int, times: int = 2) -> Sum\nfn add(times) { \"it\" }";
        let module = Module { file: "m.rhai", tests: Some(("m.test.svc", "")), ..module(text) };
        assert_eq!(module.flows()[0].signature(), "add(of: int, times: int = 2) -> Sum");
        assert_eq!(module.types(), ["type Sum = int"]);
    }
}
