//! Splits entered text into statements.

use svc_contract::value::Text;
use svc_lang::{
    diag::Span,
    syntax::{
        self,
        ast::{Item, ItemKind},
    },
};

/// One entered statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The whole text that was entered with it.
    pub(super) whole: Text,
    pub(super) span: Span,
    /// The start of the comments above it.
    begins: usize,
    pub(super) act: Act,
    /// The start of the value of a `let` without a type.
    value: Option<usize>,
    /// The edition and bounds that it was entered with.
    edition: Option<Span>,
    /// The name keeps its old meaning until it is bound again.
    pub(super) rebinds: bool,
}

/// The kind of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Declares a name; nothing runs.
    Declare(Text),
    Let(Text),
    Pipeline,
    Test(Text),
    /// `svc 1 within { .. }`: bounds every statement that is entered with it.
    Edition,
}

impl Statement {
    /// The same text with everything else blanked, so that places stay the same.
    pub(super) fn alone(&self) -> String {
        let (mut gaps, mut at) = (Vec::new(), 0);
        for kept in [self.edition.unwrap_or_default(), self.computed()] {
            gaps.push(Span::new(at, kept.start.max(at)));
            at = kept.end;
        }
        gaps.push(Span::new(at, self.whole.len()));
        blanked(&self.whole, gaps.into_iter())
    }

    /// The part that is computed: all of it, or the value of a rebound name.
    pub(super) fn computed(&self) -> Span {
        let start = self.value.filter(|_| self.rebinds).unwrap_or(self.span.start);
        Span::new(start, self.span.end)
    }

    /// The text of the value of a `let`.
    pub(super) fn value(&self) -> Option<&str> {
        Some(&self.whole[self.value?..self.span.end])
    }

    /// Whether the value of a `let` refers to its own name.
    pub(super) fn names_itself(&self) -> bool {
        match (&self.act, self.value()) {
            (Act::Let(name), Some(value)) => super::scripts::mentions(value, name),
            _ => false,
        }
    }

    /// Whether it looks like a pipeline to the parser.
    pub(super) fn is_pipeline(&self) -> bool {
        self.act == Act::Pipeline || self.rebinds
    }

    /// The text to append to make it a script.
    pub(super) fn end(&self) -> String {
        match &self.act {
            Act::Let(_) if self.rebinds => String::new(),
            Act::Let(name) => format!("\n{name}"),
            Act::Pipeline => String::new(),
            Act::Declare(_) | Act::Test(_) | Act::Edition => "\nnull".to_owned(),
        }
    }

    /// The entered text, with the comments above it.
    pub(super) fn text(&self) -> String {
        self.whole[self.begins..self.span.end].trim().to_owned()
    }

    /// The title of its run: `repl: search("budgets") >> take(n: 3)`.
    pub(super) fn title(&self) -> String {
        const LONGEST: usize = 48;
        let words = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = words.chars().take(LONGEST).collect();
        let more = if cut.len() < words.len() { "…" } else { "" };
        format!("repl: {cut}{more}")
    }

    /// The whole text that it was entered in.
    pub fn entered(&self) -> &str {
        &self.whole
    }

    /// The name that it binds.
    pub fn name(&self) -> Option<&str> {
        match &self.act {
            Act::Declare(name) | Act::Let(name) => Some(name),
            Act::Pipeline | Act::Test(_) | Act::Edition => None,
        }
    }

    /// Whether it computes something.
    pub fn runs(&self) -> bool {
        matches!(self.act, Act::Let(_) | Act::Pipeline)
    }

    pub fn is_let(&self) -> bool {
        matches!(self.act, Act::Let(_))
    }

    pub fn is_test(&self) -> bool {
        matches!(self.act, Act::Test(_))
    }

    /// Whether it sets bounds for the other statements.
    pub fn bounds(&self) -> bool {
        self.act == Act::Edition && self.text().contains("within")
    }
}

/// The statements of a text, as far as it can be parsed.
pub(super) fn of(text: &str) -> Vec<Statement> {
    let mut acts = Vec::new();
    for region in syntax::regions(text) {
        let program = syntax::parse(&text[region.range()]).program;
        let here = |span: Span| Span::new(region.start + span.start, region.start + span.end);
        if let Some(edition) = &program.edition {
            acts.push((here(edition.span), Act::Edition, None));
        }
        let value = |it: &Item| value(it).map(|it| here(it).start);
        let items = program.items.iter();
        acts.extend(items.filter_map(|it| Some((here(it.span), act(it)?, value(it)))));
        acts.extend(program.main.map(|it| (here(it.span), Act::Pipeline, None)));
    }
    acts.sort_by_key(|(span, ..)| *span);
    let edition = acts.iter().find(|(_, act, _)| *act == Act::Edition).map(|(span, ..)| *span);
    let (whole, mut begins): (Text, usize) = (text.into(), 0);
    let statement = |(span, act, value): (Span, Act, Option<usize>)| {
        let from = std::mem::replace(&mut begins, span.end);
        Statement { whole: whole.clone(), span, begins: from, act, value, edition, rebinds: false }
    };
    acts.into_iter().map(statement).collect()
}

/// The value of a `let` without a type.
fn value(item: &Item) -> Option<Span> {
    match &item.kind {
        ItemKind::Let(it) if it.ty.is_none() => Some(it.value.span),
        _ => None,
    }
}

fn act(item: &Item) -> Option<Act> {
    Some(match &item.kind {
        ItemKind::Let(it) => Act::Let(it.name.text.clone()),
        ItemKind::Param { name, .. } | ItemKind::Type { name, .. } | ItemKind::Secret { name } => {
            Act::Declare(name.text.clone())
        }
        ItemKind::Flow(it) => Act::Declare(it.name.text.clone()),
        ItemKind::Use(it) => Act::Declare(it.name.text.clone()),
        ItemKind::Mock(it) => {
            let target: Vec<&str> = it.target.iter().map(|it| it.text.as_ref()).collect();
            Act::Declare(format!("mock {}", target.join(".")).into())
        }
        ItemKind::Test(it) => Act::Test(format!("test {}", it.name.text).into()),
        ItemKind::Broken { .. } => return None,
    })
}

/// The names that a text binds.
pub(super) fn names(text: &str) -> Vec<Text> {
    let named = of(text).into_iter().filter_map(|it| it.name().map(Text::from));
    named.collect()
}

/// The text with some parts replaced by spaces.
pub(super) fn blanked(text: &str, parts: impl Iterator<Item = Span>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for part in parts {
        let blank = |it: &mut u8| *it = if *it == b'\n' { b'\n' } else { b' ' };
        bytes[part.range()].iter_mut().for_each(blank);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
