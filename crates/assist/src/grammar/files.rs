//! The rules of the grammar files, as the build script has read them.

/// A rule of a grammar file.
#[derive(Clone, Debug)]
pub struct GrammarRule {
    pub name: String,
    pub kind: RuleKind,
    pub expr: Expr,
}

/// Whether a rule appears in the tree, and whether gaps may stand between its parts; the words
/// are those of pest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    Normal,
    Silent,
    Atomic,
    CompoundAtomic,
    NonAtomic,
}

/// What a rule accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Str(String),
    Range(char, char),
    Ident(String),
    Seq(Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>),
    Opt(Box<Expr>),
    Rep(Box<Expr>),
    RepOnce(Box<Expr>),
    PosPred(Box<Expr>),
    NegPred(Box<Expr>),
}

impl Expr {
    /// The names of all rules in it.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Ident(name) => vec![name],
            Self::Seq(a, b) | Self::Choice(a, b) => [a.names(), b.names()].concat(),
            Self::Opt(it)
            | Self::Rep(it)
            | Self::RepOnce(it)
            | Self::PosPred(it)
            | Self::NegPred(it) => it.names(),
            Self::Str(_) | Self::Range(..) => Vec::new(),
        }
    }
}

/// The rules of `grammar/svc.pest`.
pub fn svc() -> Vec<GrammarRule> {
    rules::svc()
}

/// The rules of `grammar/context_free.pest`.
pub(super) fn context_free() -> Vec<GrammarRule> {
    rules::context_free()
}

mod rules {
    use super::{Expr, GrammarRule, RuleKind};

    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));

    fn rule(name: &str, kind: RuleKind, expr: Expr) -> GrammarRule {
        GrammarRule { name: name.to_owned(), kind, expr }
    }

    fn text(text: &str) -> Expr {
        Expr::Str(text.to_owned())
    }

    fn name(name: &str) -> Expr {
        Expr::Ident(name.to_owned())
    }

    fn seq(first: Expr, then: Expr) -> Expr {
        Expr::Seq(Box::new(first), Box::new(then))
    }

    fn choice(first: Expr, or: Expr) -> Expr {
        Expr::Choice(Box::new(first), Box::new(or))
    }
}
