//! Steps that omit words of the previous step: `search a/ for "x" and b/ for "y"`.

use super::{
    goal::{Clause, LiteralInContext},
    literals::Literal,
};

impl Clause {
    /// Completes a step that contains only other literals for the action of the previous step.
    pub(super) fn in_full(&self, before: &Self) -> Option<Self> {
        let is_bare = self.content().next().is_none() && before.content().next().is_some();
        let (own, theirs) = (&self.literals, &before.literals);
        let is_alike = own.len() == theirs.len()
            && own.iter().zip(theirs).all(|(a, b)| {
                is_same_kind(&a.literal, &b.literal) && a.is_target() == b.is_target()
            });
        if is_bare && is_alike && own.len() > 1 && own.iter().any(LiteralInContext::is_place) {
            return Some(Self::put_into(before, own.clone()));
        }
        let folder = is_bare.then(|| self.only_folder()).flatten()?;
        let other = before.literals.iter().position(|it| is_folder(&it.literal))?;
        before.searches().then(|| {
            let mut literals = before.literals.clone();
            literals[other].literal = folder.literal.clone();
            Self::put_into(before, literals)
        })
    }

    /// Returns the words of another step, with other literals.
    fn put_into(before: &Self, literals: Vec<LiteralInContext>) -> Self {
        let mut text = before.text.clone();
        for (new, old) in literals.iter().zip(&before.literals) {
            if !old.literal.plain().is_empty() {
                text = text.replace(old.literal.plain(), new.literal.plain());
            }
        }
        let contexts = before.literals.iter();
        let literals = literals.into_iter().zip(contexts);
        let literals = literals
            .map(|(it, of)| LiteralInContext {
                before: of.before.clone(),
                behind: of.behind.clone(),
                ..it
            })
            .collect();
        Self { literals, text, is_beside: true, ..before.clone() }
    }

    /// The folder of the step, if it contains nothing else.
    fn only_folder(&self) -> Option<&LiteralInContext> {
        match self.literals.as_slice() {
            [only] if is_folder(&only.literal) => Some(only),
            _ => None,
        }
    }

    /// Whether the step searches for something.
    fn searches(&self) -> bool {
        const SEARCHING: [&str; 5] = ["search", "find", "look", "query", "searching"];
        self.words.iter().any(|it| SEARCHING.contains(&it.as_str()))
    }
}

impl LiteralInContext {
    fn is_place(&self) -> bool {
        matches!(self.literal, Literal::Path(_) | Literal::Url(_))
    }
}

fn is_folder(literal: &Literal) -> bool {
    matches!(literal, Literal::Path(_)) && literal.kind_of_file() == Some("files")
}

fn is_same_kind(one: &Literal, other: &Literal) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}
