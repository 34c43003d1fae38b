//! How strongly a step speaks of an op.

use svc_contract::registry::{Generic, Match, OpRef, Param, Scheme, Where};
use svc_text::synonyms;

use super::{
    arguments::{is_count, takes_instructions},
    filters::is_of_one,
    goal::is_filler,
    mention::{Reader, is_generic},
};

/// The penalty of an op for each word of its name that the step does not contain.
const UNSAID: f64 = 0.35;

impl Reader<'_> {
    /// The words of an op that no mention covers yet.
    pub(super) fn open<'m>(&self, found: &'m Match) -> impl Iterator<Item = &'m (String, Where)> {
        found
            .words
            .iter()
            .filter(|(word, place)| *place != Where::Documentation && !self.covered.contains(word))
    }

    /// Whether a step strongly mentions an op: by its name, or by its summary at the head.
    pub(super) fn is_strong(&self, found: &Match) -> bool {
        let mut named = self.open(found).filter(|(word, place)| match place {
            Where::Name => !is_generic(word),
            Where::Meant if synonyms::is_ambiguous(word) && !self.says_of(found, word) => false,
            Where::Meant => {
                (!is_generic(word) || self.is_verb(word))
                    && (word == self.head || !synonyms::is_for_a_model(word))
            }
            // A word of a summary is too weak by itself.
            _ => word == self.head && !is_generic(word) && self.says_more(found),
        });
        named.next().is_some()
    }

    /// Whether a step begins with a word that is usually a noun: `number the lines`.
    fn is_verb(&self, word: &str) -> bool {
        self.clause.words.first().is_some_and(|it| it == word) && !word.ends_with('s')
    }

    /// Whether an op matches a second word of the step in an important place.
    fn says_of(&self, found: &Match, word: &str) -> bool {
        let gives = |it: &Param| {
            it.default.is_none() && self.clause.literals.iter().any(|at| at.literal.fits(it.scheme))
        };
        found.op.op.params.iter().skip(1).any(gives)
            || is_of_one(self.clause)
            || found
                .words
                .iter()
                .any(|(it, place)| it != word && !is_generic(it) && *place != Where::Documentation)
    }

    /// Whether a step has a literal, or a second word, for an op.
    fn says_more(&self, found: &Match) -> bool {
        !self.clause.literals.is_empty() || found.words.len() > 1
    }

    pub(super) fn gain(&self, found: &Match) -> f64 {
        let mut gain: f64 = self
            .open(found)
            .map(|(word, place)| {
                let share = if is_generic(word) { 0.4 } else { 1.0 };
                share
                    * match place {
                        Where::Summary if is_generic(word) => 0.1,
                        Where::Name => 3.0,
                        Where::Meant if word == self.head => 2.8,
                        Where::Meant => 2.5,
                        Where::Summary => 1.0,
                        Where::Documentation => 0.0,
                    }
            })
            .sum();
        gain += found.score / 40.0;
        gain -= UNSAID * Self::unsaid(found);
        gain + self.fit_of_arguments(found.op)
    }

    /// The number of words of an op's name that the step does not contain.
    pub(super) fn unsaid(found: &Match) -> f64 {
        let name = found.op.script_name();
        let all = name.rsplit('.').next().unwrap_or(&name).split('_');
        let all = all.filter(|it| !is_filler(it)).count();
        let said = found.words.iter().filter(|(_, it)| matches!(it, Where::Name | Where::Meant));
        f64::from(u32::try_from(all.saturating_sub(said.count())).unwrap_or(u32::MAX))
    }

    /// Prefers ops whose required arguments the step contains.
    pub(super) fn fit_of_arguments(&self, op: OpRef) -> f64 {
        let mut literals: Vec<_> = self.clause.literals.iter().map(|it| &it.literal).collect();
        let mut fit = 0.0;
        for param in op.op.params.iter().skip(1) {
            if param.scheme.flow().is_some() && param.default.is_none() {
                // `count the words` names the op `words`, and does not mean to call it.
                fit += if self.names_other(op) && self.says_callable() { 1.0 } else { -4.0 };
                continue;
            }
            let given = literals.iter().position(|it| it.fits(param.scheme));
            if given.is_none() && is_count(param) && is_of_one(self.clause) {
                // `the first line` contains the number.
                fit += 0.5;
                continue;
            }
            match (given, param.default.is_none()) {
                (Some(at), true) => {
                    literals.remove(at);
                    fit += 1.0;
                }
                (None, true) if takes_instructions(op) && matches!(param.scheme, Scheme::Text) => {}
                (None, true) => fit -= 1.2,
                _ => {}
            }
        }
        let reads_type = matches!(op.op.generic, Generic::Tested | Generic::Read);
        if reads_type { fit - 0.1 } else { fit }
    }

    /// Whether a step speaks of a component or a flow: `evaluate the component upper`.
    fn says_callable(&self) -> bool {
        let nouns = ["component", "flow", "op"];
        self.clause.words.iter().any(|it| nouns.contains(&it.as_str()))
    }

    /// Whether a step contains the name of another op, which can be called.
    fn names_other(&self, op: OpRef) -> bool {
        let is_other = |it: &&Match| it.op.to_string() != op.to_string();
        let says = |it: &Match| self.clause.words.contains(&it.op.script_name());
        self.matches.iter().filter(is_other).any(says)
    }

    /// Whether the name or summary of an op matches a word.
    pub(super) fn is_served(&self, word: &str) -> bool {
        let has = |it: &Match| {
            it.words.iter().any(|(at, place)| at == word && *place != Where::Documentation)
        };
        self.matches.iter().any(has)
    }
}
