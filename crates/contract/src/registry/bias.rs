//! What a component assumes, and which of its params may be tuned.

use super::{Component, Param};

/// The way in which a component works, and what it takes for granted. A result is only as good
/// as its assumptions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bias {
    /// The method, in a few words.
    pub strategy: &'static str,
    /// Sentences that are true of inputs for which the method works well.
    pub assumptions: &'static [&'static str],
    /// What a change of its tunables is judged by, if it brings some.
    pub cases: Option<Cases>,
}

/// Inputs with known answers, by which changes of the tunables of a component are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cases {
    /// The cases as JSON Lines; a project writes its own in the same format.
    pub lines: &'static str,
    /// The files that they read, each with its path and content.
    pub files: &'static [(&'static str, &'static str)],
    /// By how many thousandths of the range of the score a change may be worse on cases that it
    /// has not seen.
    pub margin: u32,
}

impl Cases {
    /// Cases whose score may fall by a hundredth.
    pub const fn new(lines: &'static str, files: &'static [(&'static str, &'static str)]) -> Self {
        Self { lines, files, margin: 10 }
    }
}

impl Bias {
    /// The bias of a component that assumes nothing.
    pub const NONE: Self = Self::new("direct", &[]);

    pub const fn new(strategy: &'static str, assumptions: &'static [&'static str]) -> Self {
        Self { strategy, assumptions, cases: None }
    }

    /// The same, whose tunables are judged by these cases.
    #[must_use]
    pub const fn judged_by(self, cases: Cases) -> Self {
        Self { cases: Some(cases), ..self }
    }
}

impl Component {
    /// The name as that of a type: `CtxRerank` of `ctx_rerank`.
    pub fn type_name(&self) -> String {
        let word = |it: &str| {
            let (first, rest) = it.split_at(it.chars().next().map_or(0, char::len_utf8));
            first.to_ascii_uppercase() + rest
        };
        self.name.split('_').map(word).collect()
    }

    /// The params that [`Tuning`](super::Tuning) may change, each once.
    pub fn tunables(&self) -> impl Iterator<Item = &'static Param> {
        let all = || self.ops.iter().flat_map(|it| it.params).filter(|it| it.is_tunable());
        let is_first = move |idx: usize, name: &str| !all().take(idx).any(|it| it.name == name);
        all().enumerate().filter(move |(idx, it)| is_first(*idx, it.name)).map(|(_, it)| it)
    }

    /// The tunables that may be changed automatically: they are marked `#[tune]`.
    pub fn evolvable(&self) -> impl Iterator<Item = &'static Param> {
        self.tunables().filter(|it| it.is_evolvable)
    }
}
