//! Meanings of a step that names no op: an order, numbers, a search, a typed answer, a file to
//! write.

use svc_text::synonyms;

use super::{
    asking::{self, is_asked},
    fields,
    goal::LiteralInContext,
    items,
    literals::Literal,
    mention::{Mention, Reader, SECOND, What, takes_flow},
};

impl Reader<'_> {
    /// A search, if a step mentions the documents of a folder and a topic.
    pub(super) fn implied(&mut self) -> Option<Mention> {
        let literals = || self.clause.literals.iter().map(|it| &it.literal);
        let has_folder = literals().any(|it| it.kind_of_file() == Some("files"));
        let has_text = literals().any(|it| matches!(it, Literal::Quoted(_)));
        let speaks =
            |all: &str| self.clause.words.iter().any(|it| all.split(' ').any(|at| at == it));
        let has_topic = has_text || speaks("about on");
        if !has_folder || !has_topic || !speaks("docs documents document passages pages notes") {
            return None;
        }
        let what = vec![What::Op(self.search?)];
        self.covered.push(self.head.to_owned());
        Some(Mention { what, gain: SECOND, words: vec![self.head.to_owned()] })
    }

    /// A question to a model, if a step mentions the type of its answer.
    pub(super) fn typed(&mut self) -> Option<Mention> {
        asking::answer(&self.clause.text).filter(|_| synonyms::is_for_a_model(self.head))?;
        let found = self.matches.iter().find(|it| is_asked(it.op))?;
        self.covered.push(self.head.to_owned());
        let what = vec![What::Op(found.op)];
        Some(Mention { what, gain: 3.0, words: vec![self.head.to_owned()] })
    }

    /// Numbers, if a step only introduces them: `take the numbers 3 and 5`.
    pub(super) fn given(&mut self) -> Option<Mention> {
        const NOUNS: &str = "take consider have start begin list numbers integers number integer \
            values range sequence whole generate build everything count series array following";
        let [only] = self.clause.literals.as_slice() else { return None };
        let is_noun = |it: &str| NOUNS.split_whitespace().any(|noun| noun == it);
        if !only.literal.is_several() || !self.clause.content().all(is_noun) {
            return None;
        }
        let words: Vec<String> = self.clause.content().map(str::to_owned).collect();
        self.covered.extend(words.iter().cloned());
        Some(Mention { what: vec![What::LiteralInContext(0)], gain: 3.0, words })
    }

    /// An op that a step mentions by its whole name: `parse_int`.
    pub(super) fn named(&mut self) -> Option<Mention> {
        let is_whole = |it: &&String| it.contains('_');
        let (word, found) = self.clause.words.iter().filter(is_whole).find_map(|word| {
            Some((word, self.matches.iter().find(|it| it.op.script_name() == *word)?))
        })?;
        self.covered.extend(word.split('_').map(str::to_owned));
        self.covered.extend([word.clone(), self.head.to_owned()]);
        let what = vec![What::Op(found.op)];
        Some(Mention { what, gain: 4.0, words: vec![word.clone()] })
    }

    /// The op that writes a file, if a step names a target file but no op that writes.
    pub(super) fn stored(&self, mentions: &[Mention]) -> Option<Mention> {
        let is_target =
            |it: &LiteralInContext| matches!(it.literal, Literal::Path(_)) && it.is_target();
        let has_source = self.clause.literals.iter().any(LiteralInContext::is_source);
        let writes = |it: &What| matches!(it, What::Op(op) if op.op.writes());
        let is_written = mentions.iter().any(|it| it.what.iter().any(writes));
        let compares = synonyms::is_for_a_model(self.head);
        if is_written || compares || !has_source || !self.clause.literals.iter().any(is_target) {
            return None;
        }
        Some(Mention { what: vec![What::Op(self.write?)], gain: SECOND, words: Vec::new() })
    }

    /// Drops ops that are arguments of another one: `evaluate the component upper`.
    pub(super) fn drop_flows(&self, mentions: &mut Vec<Mention>) {
        let calls = |it: &Mention| matches!(it.what.first(), Some(What::Op(op)) if takes_flow(*op));
        let is_name = |it: &Mention| {
            matches!(it.what.first(), Some(What::Op(op))
                if self.clause.words.contains(&op.script_name()))
        };
        if mentions.iter().any(calls) {
            mentions.retain(|it| calls(it) || !is_name(it));
        }
    }

    /// `sort`, if the step requests an order.
    pub(super) fn sort(&mut self) -> Option<Mention> {
        let words = ["sort", "sorted", "order", "ordered", "longest", "shortest"];
        let turns =
            |it: &&&str| **it == "order" && self.clause.words.iter().any(|it| it == "reverse");
        let said = words
            .iter()
            .filter(|it| !turns(it))
            .find(|it| self.clause.words.iter().any(|word| word == *it));
        let word = said.copied().or_else(|| items::extreme_of_several(self.clause))?;
        let says = |all: &[&str]| all.iter().any(|it| self.clause.words.iter().any(|w| w == it));
        let length = matches!(word, "longest" | "shortest") || says(&["length"]);
        let down = word == "longest"
            || says(&["descending", "highest", "newest", "largest", "biggest", "greatest"]);
        let covered = words.iter().chain(&["alphabetically", "length", "descending", "ascending"]);
        self.covered.extend(covered.map(|it| (*it).to_owned()));
        self.covered.push(word.to_owned());
        self.covered.extend(fields::named(self.clause).map(str::to_owned));
        let what = vec![What::Sort { by_length: length, down }];
        Some(Mention { what, gain: 3.0, words: vec![word.to_owned()] })
    }
}
