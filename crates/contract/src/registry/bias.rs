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
}

impl Bias {
    /// The bias of a component that assumes nothing.
    pub const NONE: Self = Self::new("direct", &[]);

    pub const fn new(strategy: &'static str, assumptions: &'static [&'static str]) -> Self {
        Self { strategy, assumptions }
    }
}

impl Component {
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
