//! How much what is in a document counts in its score: the tunable params of a search.

/// The weights of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// How slowly further occurrences of a word count less.
    pub(super) k1: f32,
    /// How much the length of a document counts, from 0 to 1.
    pub(super) b: f32,
    /// How much the first word of a document counts in addition, compared to a word.
    pub(super) title_boost: f32,
    /// How much a pair of words close together counts, compared to a word.
    pub(super) proximity: f32,
    pub(super) feedback: Feedback,
}

/// How much the best documents count as evidence for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Feedback {
    /// The number of words that are taken; 0 turns the feedback off.
    pub(super) terms: usize,
    /// How much these words count, compared to those of the query.
    pub(super) weight: f64,
    /// The number of best documents whose words are taken.
    pub(super) docs: usize,
    /// How much the scores of the documents that one is most like count for it.
    pub(super) neighbours: f64,
}

impl Feedback {
    pub(super) fn is_off(&self) -> bool {
        self.terms == 0 && self.neighbours <= 0.0
    }

    /// How much the words and the neighbours count: together at most 1, so that the query always counts
    /// more than what was found for it.
    pub(super) fn shares(&self) -> (f64, f64) {
        let words = if self.terms == 0 { 0.0 } else { self.weight };
        let all = (words + self.neighbours).max(1.0);
        (words / all, self.neighbours / all)
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.6,
            title_boost: 0.6,
            proximity: 0.2,
            feedback: Feedback { terms: 0, weight: 1.0, docs: 10, neighbours: 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hits_say_counts_at_most_as_much_as_one_kind_of_it() {
        let shares =
            |terms, weight, neighbours| Feedback { terms, weight, docs: 10, neighbours }.shares();
        assert_eq!(shares(0, 1.0, 0.5), (0.0, 0.5));
        assert_eq!(shares(9, 0.25, 0.5), (0.25, 0.5));
        assert_eq!(shares(9, 1.0, 1.0), (0.5, 0.5));
    }
}
