//! The ops that the words of a goal ask for, by the phrasings of the registry.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use svc_contract::registry::{Catalog, Effect, OpRef, Scheme, Scope, Subject, Topic};
use svc_text::{
    search::folded,
    stems::{Term, Vocabulary, Word},
};

use crate::closed::negates;

use super::{
    formats::extension,
    goal::{Goal, Kind, MOST_TOKENS, Mask, bit, bits},
};

/// At most so many ops take part in the search.
const MOST: usize = 14;

/// The part of a phrasing, by weight, that a goal has to say; more of it for an op that acts.
const LEAST: f64 = 0.55;
const LEAST_TO_ACT: f64 = 0.7;

/// Words that are further apart do not belong to one phrasing.
const WIDEST: u32 = 12;

/// One word alone asks for an op if it names it, or if no more ops than this have it.
const MOST_SPREAD: usize = 3;

/// A word speaks of an op if it is as important for it as this part of its importance for another.
const LEAST_OWN: f64 = 0.4;

/// What it costs that a flow does what an op does.
const OF_FLOW: f64 = 1.0;

/// So many words of different phrasings of one op ask for it, too; this is what they count.
const FEWEST_LOOSE: u32 = 3;
const OF_LOOSE: f64 = 0.4;

/// An op that the goal may ask for.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) what: What,
    /// As a script writes it.
    pub(super) name: String,
    /// The words of the phrasing that fits best.
    pub(super) core: Mask,
    /// All words of the goal that speak of the op.
    pub(super) covers: Mask,
    /// The part of the phrasings of the op that have each word.
    pub(super) owns: Vec<f64>,
    /// How much the words say, and how much of the phrasing they are.
    pub(super) strength: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Op(OpRef),
    /// A word of the language that is a stage of its own.
    Stage(&'static str),
    /// A flow of a module of the standard library.
    Flow(&'static str),
    /// Texts by their lengths, the longest first if it is set.
    Lengths(bool),
}

impl Meaning {
    pub(super) fn op(&self) -> Option<OpRef> {
        match self.what {
            What::Op(op) => Some(op),
            What::Stage(_) | What::Flow(_) | What::Lengths(_) => None,
        }
    }
}

/// The words of the language that stand alone.
const STAGES: [&str; 1] = ["sort"];

/// The ops that a goal may ask for, best first.
pub(super) fn meanings(goal: &Goal, catalog: &dyn Catalog, words: &mut Vocabulary) -> Vec<Meaning> {
    let mut said: HashMap<Term, Mask> = HashMap::new();
    for (at, token) in goal.tokens.iter().enumerate() {
        if token.literal.is_none() && goal.forbidden & bit(at) == 0 {
            let word = catalog.topics().respelt(&token.lower).unwrap_or(&token.lower);
            for term in words.read(&folded(&word.replace('-', " "))).map(|it| it.term) {
                *said.entry(term).or_default() |= bit(at);
            }
        }
    }
    let mut spread: HashMap<Term, (usize, usize)> = HashMap::new();
    for topic in catalog.topics().all().iter().filter(|it| it.op().is_some()) {
        for (term, count) in counts(topic, words) {
            let (ops, most) = spread.entry(term).or_default();
            (*ops, *most) = (*ops + 1, count.max(*most));
        }
    }
    let mut reader = Reader { goal, catalog, words, said, spread };
    let mut all: Vec<Meaning> =
        catalog.topics().all().iter().filter_map(|it| reader.meaning(it)).collect();
    all.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    all.truncate(MOST);
    drop_borrowed(&mut all);
    all.extend(by_values(goal, catalog));
    all.extend(by_length(goal));
    all
}

/// `the three longest lines, biggest first`
fn by_length(goal: &Goal) -> Option<Meaning> {
    const LONG: [&str; 3] = ["longest", "biggest", "largest"];
    const SHORT: [&str; 2] = ["shortest", "smallest"];
    let lower = |at: usize| goal.tokens.get(at).map_or("", |it| it.lower.as_str());
    let at = (0..goal.tokens.len()).find(|it| matches!(lower(*it), "longest" | "shortest"))?;
    let falls = lower(at) == "longest";
    let names: &[&str] = if falls { &LONG } else { &SHORT };
    let again = (0..goal.tokens.len()).filter(|it| names.contains(&lower(*it)));
    let covers = again.fold(bit(at), |mask, it| {
        mask | bit(it) | if lower(it + 1) == "first" { bit(it + 1) } else { 0 }
    });
    let (what, owns) = (What::Lengths(falls), vec![0.0; MOST_TOKENS]);
    Some(Meaning { what, name: "sort".into(), core: bit(at), covers, owns, strength: 4.0 })
}

/// Takes words from ops that have them by the way: `count` speaks of `len`, not of `words`.
fn drop_borrowed(all: &mut [Meaning]) {
    let most = |at: usize| all.iter().map(|it| it.owns[at]).fold(0.0, f64::max);
    let most: Vec<f64> = (0..MOST_TOKENS).map(most).collect();
    for meaning in all {
        let borrowed = (0..MOST_TOKENS).filter(|at| meaning.owns[*at] < most[*at] * LEAST_OWN);
        meaning.covers &= !bits(borrowed) | meaning.core;
    }
}

/// The ops that a value asks for without a word: those that show a moment in a time zone, and those
/// that are named after the format of a file.
fn by_values(goal: &Goal, catalog: &dyn Catalog) -> Vec<Meaning> {
    let has_zone = goal.givens.iter().any(|it| it.kind == Kind::Zone);
    let paths = goal.givens.iter().filter(|it| it.kind == Kind::Path);
    let formats: Vec<&str> = paths.filter_map(|it| extension(&it.text)).collect();
    let shows = |it: &OpRef| {
        let takes_time = it.op.input().is_some_and(|it| matches!(it.scheme, Scheme::Time));
        takes_time && it.op.params.iter().any(|it| it.doc.contains("time zone"))
    };
    let reads = |it: &OpRef| {
        let is_named = it.op.name.split('_').any(|it| formats.contains(&it));
        is_named || formats.iter().any(|format| it.op.doc.contains(&format!("`.{format}`")))
    };
    let ops = catalog.topics().all().iter().filter_map(Topic::op);
    let fitting = ops.filter(|it| has_zone && shows(it) || reads(it));
    let meaning = |op: OpRef| {
        let what = What::Op(op);
        let (name, owns) = (op.script_name(), vec![0.0; MOST_TOKENS]);
        Meaning { what, name, core: 0, covers: 0, owns, strength: 0.0 }
    };
    fitting.map(meaning).collect()
}

struct Reader<'a> {
    goal: &'a Goal,
    catalog: &'a dyn Catalog,
    words: &'a mut Vocabulary,
    /// The terms of the goal, with their places.
    said: HashMap<Term, Mask>,
    /// How many ops have a word in their phrasings, and in how many of one op it is at most.
    spread: HashMap<Term, (usize, usize)>,
}

impl Reader<'_> {
    fn meaning(&mut self, topic: &Topic) -> Option<Meaning> {
        let what = match topic.subject {
            Subject::Op(op) => What::Op(op),
            Subject::Construct => What::Stage(STAGES.into_iter().find(|it| *it == topic.name)?),
            Subject::Flow(module) => What::Flow(module),
            Subject::Code => return None,
        };
        let names = topic.name.rsplit('.').next().unwrap_or_default();
        let names =
            format!("{names} {}", topic.other_names).trim().replace(' ', "|").replace('_', " ");
        let named = self.terms(&names);
        let counted = counts(topic, self.words);
        let least = if acts(what) { LEAST_TO_ACT } else { LEAST };
        // The name of a flow says little without its module, and so does that of an op without its
        // component: `adapt_units.extract`.
        let is_named = !matches!(what, What::Flow(_));
        // A file in the goal is enough for one that reads files: `table.read`.
        let stands_alone = is_named && (!topic.name.contains('.') || reads_files(what));
        let names = names.split('|').filter(|_| stands_alone).map(|it| (it, 1.0));
        let phrases = names.chain(topic.says.iter().map(|it| (it.as_str(), least)));
        let fits = phrases.filter_map(|(it, least)| self.fit(it, least, &named, &counted));
        let fits = fits.collect::<Vec<_>>();
        let mut own: HashSet<Term> = self.terms(&topic.says.join(" "));
        own.extend(&named);
        own.extend(self.terms(&topic.summary));
        let covers = self.places(&own) & self.goal.content;
        let best = fits.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let loose = || self.loose(topic, covers).filter(|_| !acts(what));
        let (core, strength) = best.or_else(loose)?;
        // Little words mean something in the phrasing only.
        let covers = covers & !self.goal.little | core;
        let owns = self.owned(topic, &named);
        let name = topic.name.clone();
        let strength = if is_named { strength } else { strength - OF_FLOW };
        Some(Meaning { what, name, core, covers, owns, strength })
    }

    /// The part of the phrasings that have each word of the goal; a name has it wholly.
    fn owned(&mut self, topic: &Topic, named: &HashSet<Term>) -> Vec<f64> {
        let mut owns = vec![0.0; MOST_TOKENS];
        #[expect(clippy::cast_precision_loss, reason = "there are some phrasings")]
        let share = 1.0 / topic.says.len().max(1) as f64;
        let all = topic.says.iter().map(|it| (self.terms(it), share)).collect::<Vec<_>>();
        for (terms, share) in all.into_iter().chain([(named.clone(), 1.0)]) {
            let places = self.places(&terms);
            let own = owns.iter_mut().enumerate().filter(|(at, _)| places & bit(*at) != 0);
            for (_, own) in own {
                *own += share;
            }
        }
        owns
    }

    /// Words of several phrasings of one op.
    fn loose(&self, topic: &Topic, covers: Mask) -> Option<(Mask, f64)> {
        let core = covers & !self.goal.little;
        let is_enough = core.count_ones() >= FEWEST_LOOSE && width(core) <= WIDEST;
        let words = self.goal.words(core).into_iter().map(folded);
        let weight: f64 = words.map(|it| self.catalog.topics().rarity(&it)).sum();
        (is_enough && !topic.says.is_empty()).then_some((core, weight * OF_LOOSE))
    }

    /// How well a phrasing fits: the places of its words, and their weight.
    fn fit(
        &mut self,
        phrase: &str,
        least: f64,
        named: &HashSet<Term>,
        own: &BTreeMap<Term, usize>,
    ) -> Option<(Mask, f64)> {
        let phrase = folded_all(phrase);
        let (mut core, mut matched, mut total) = (0, 0.0, 0.0);
        let mut is_special = false;
        for Word { term, is_stop, range } in self.words.read(&phrase).collect::<Vec<_>>() {
            let word = &phrase[range];
            if is_number(word) {
                is_special |= self.goal.givens.iter().any(|it| it.kind == Kind::Number);
                continue;
            }
            // `no capitals` is not about capitals.
            if negates(word) && !self.said.contains_key(&term) {
                return None;
            }
            let weight = self.catalog.topics().rarity(word).max(0.3);
            total += weight;
            if let Some(places) = self.said.get(&term) {
                matched += weight;
                core |= places;
                let (spread, most) = self.spread.get(&term).copied().unwrap_or_default();
                let is_main = own.get(&term).is_some_and(|it| *it == most && *it > 1);
                is_special |=
                    !is_stop && (named.contains(&term) || spread <= MOST_SPREAD || is_main);
            }
        }
        let content = core & self.goal.content & !self.goal.little;
        let is_near = content != 0 && width(content) <= WIDEST;
        let says_enough = is_special || (core & self.goal.content).count_ones() > 1;
        let share = matched / total;
        let is_it = is_near && says_enough && share >= least;
        is_it.then_some((core & self.goal.content, matched * share))
    }

    fn terms(&mut self, text: &str) -> HashSet<Term> {
        self.words.read(&folded_all(text)).map(|it| it.term).collect()
    }

    /// The places of terms in the goal.
    fn places(&self, terms: &HashSet<Term>) -> Mask {
        let said = self.said.iter().filter(|(term, _)| terms.contains(term));
        said.fold(0, |mask, (_, at)| mask | at)
    }
}

/// From the first to the last token of a set.
fn width(mask: Mask) -> u32 {
    Mask::BITS.saturating_sub(mask.leading_zeros() + mask.trailing_zeros())
}

/// Whether a word of a phrasing stands for any number: `groups of ten`.
fn is_number(word: &str) -> bool {
    const WORDS: [&str; 14] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
        "hundred", "thousand", "dozen",
    ];
    WORDS.contains(&word) || word.bytes().all(|it| it.is_ascii_digit())
}

/// In how many phrasings of an op each word is.
fn counts(topic: &Topic, words: &mut Vocabulary) -> BTreeMap<Term, usize> {
    let mut counts: BTreeMap<Term, usize> = BTreeMap::new();
    for phrase in &topic.says {
        let own: BTreeSet<Term> = words.terms(&folded_all(phrase)).into_iter().collect();
        for term in own {
            *counts.entry(term).or_default() += 1;
        }
    }
    counts
}

fn folded_all(text: &str) -> String {
    text.split(' ').map(folded).collect::<Vec<_>>().join(" ")
}

/// Whether an op does nothing to the world but read files.
fn reads_files(what: What) -> bool {
    let What::Op(op) = what else { return false };
    let reads = |it: &Effect| matches!(it, Effect::Reads(Scope::Path(_)));
    !op.op.effects.is_empty() && op.op.effects.iter().all(reads)
}

/// Whether an op changes something, asks a person, or spends.
fn acts(what: What) -> bool {
    let What::Op(op) = what else { return false };
    op.op.effects.iter().any(|it| !matches!(it, Effect::Reads(_)))
}
