//! Sets of things that belong together.

/// Disjoint sets of numbers from 0.
pub(super) struct Sets(Vec<usize>);

impl Sets {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The number that stands for the set of another; the smallest of them.
    pub(super) fn root(&mut self, mut it: usize) -> usize {
        while self.0[it] != it {
            self.0[it] = self.0[self.0[it]];
            it = self.0[it];
        }
        it
    }

    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}
