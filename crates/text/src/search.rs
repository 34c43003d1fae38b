//! Ranks pages against words: each page has names, phrasings, a summary and details.
//!
//! Words are compared by their stems. The score of a page is the sum of three parts: BM25F over its
//! fields (Robertson, Zaragoza and Taylor, 2004), the share of a phrasing that the words cover, and
//! the pairs of adjacent words in the order of the page. A word that no page has is taken for one
//! that differs by one letter, or for two adjacent words: `webpage` finds `web page`.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use super::{
    stems::{Term, Vocabulary, words},
    typos::is_near,
};

/// The number of fields of a page.
const FIELDS: usize = 4;

/// The weight of a word in each field.
const WEIGHTS: [f64; FIELDS] = [5.0, 2.0, 2.0, 0.7];

/// How much the length of each field counts: the parameter `b` of BM25F.
const LENGTHS: [f64; FIELDS] = [0.3, 0.3, 0.5, 0.75];

/// How soon further occurrences count less.
const K1: f64 = 1.5;

/// The weight of the phrasing that fits best.
const OF_PHRASE: f64 = 0.8;

/// The weight of a pair of adjacent words.
const OF_PAIR: f64 = 0.5;

/// The share of a stop word.
const OF_STOP_WORD: f64 = 0.3;

/// The share of a word that is taken for another one.
const OF_GUESS: f64 = 0.6;

/// The lengths of words that may be misspelt: shorter ones have too many neighbours, longer ones
/// are data.
const SPELT: std::ops::RangeInclusive<usize> = 5..=24;

/// The minimum length of the two parts of a compound.
const SHORTEST_PART: usize = 3;

/// What is found.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub names: String,
    /// Phrasings in which people ask for it.
    pub phrases: Vec<String>,
    pub summary: String,
    pub details: String,
}

/// The part of a page that contains a word, from the most to the least important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Name,
    Phrase,
    Summary,
    Details,
}

const ALL: [Place; FIELDS] = [Place::Name, Place::Phrase, Place::Summary, Place::Details];

/// A page that matches.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of the page.
    pub page: usize,
    /// Higher is better, comparable within one search.
    pub score: f64,
    /// The words of the question that the page has, as byte ranges, in their order; without stop
    /// words.
    pub words: Vec<(Range<usize>, Place)>,
}

/// Some pages, indexed.
pub struct Search {
    words: Vocabulary,
    total: f64,
    occurrences: HashMap<Term, Vec<Occurrence>>,
    phrases: Vec<Phrase>,
    phrases_with: HashMap<Term, Vec<usize>>,
    /// The pages with a pair of adjacent words, outside of their details.
    pairs: HashMap<(Term, Term), BTreeSet<usize>>,
    /// All words, to correct misspelt ones.
    spelt: BTreeSet<Box<str>>,
}

/// The occurrences of a term in a page.
struct Occurrence {
    page: usize,
    /// How often, in each field, relative to the length of the field.
    counts: [f64; FIELDS],
}

impl Occurrence {
    fn weight(&self) -> f64 {
        let count: f64 =
            self.counts.iter().zip(WEIGHTS).map(|(count, weight)| count * weight).sum();
        count / (K1 + count)
    }

    /// The most important field with the term.
    fn place(&self) -> Option<Place> {
        self.counts.iter().position(|it| *it > 0.0).map(|it| ALL[it])
    }
}

struct Phrase {
    page: usize,
    /// Its terms, and whether each is a stop word.
    terms: BTreeMap<Term, bool>,
    weight: f64,
}

/// A word of a question.
struct Asked {
    range: Range<usize>,
    term: Term,
    weight: f64,
    is_stop: bool,
}

impl Search {
    pub fn of(pages: impl IntoIterator<Item = Page>) -> Self {
        let mut all = Self {
            words: Vocabulary::default(),
            total: 0.0,
            occurrences: HashMap::new(),
            phrases: Vec::new(),
            phrases_with: HashMap::new(),
            pairs: HashMap::new(),
            spelt: BTreeSet::new(),
        };
        let pages = pages.into_iter().enumerate();
        let lengths: Vec<[f64; FIELDS]> = pages.map(|(number, it)| all.add(number, &it)).collect();
        all.total = float(lengths.len());
        all.relate(&lengths);
        let weights: Vec<f64> = all.phrases.iter().map(|it| all.weight(it)).collect();
        for (phrase, weight) in all.phrases.iter_mut().zip(weights) {
            phrase.weight = weight;
        }
        all
    }

    /// The pages that match, best first; ties in their order.
    pub fn find(&self, question: &str) -> Vec<Found> {
        let asked = self.asked(question);
        let mut found: HashMap<usize, Found> = HashMap::new();
        self.add_words(&asked, &mut found);
        self.add_pairs(&asked, &mut found);
        self.add_phrases(&asked, &mut found);
        let mut found: Vec<Found> = found.into_values().collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.page.cmp(&b.page)));
        found
    }

    /// How much a word in any form says about a page: rarer words have a higher value, and a word that
    /// no page has 0.
    pub fn rarity(&self, word: &str) -> f64 {
        let known = self.words.known(&folded(word));
        known.map_or(0.0, |(term, is_stop)| self.idf(term) * share(is_stop))
    }

    /// A word that no page has, as the one that is spelt nearly the same.
    pub fn respelt(&self, word: &str) -> Option<&str> {
        let word = folded(word);
        if self.words.known(&word).is_some() {
            return None;
        }
        self.near(&word)
    }

    fn add_words(&self, asked: &[Asked], found: &mut HashMap<usize, Found>) {
        for it in asked {
            for at in self.occurrences.get(&it.term).into_iter().flatten() {
                let page = found.entry(at.page).or_insert_with(|| Found {
                    page: at.page,
                    score: 0.0,
                    words: Vec::new(),
                });
                page.score += it.weight * at.weight();
                let place = at.place().filter(|_| !it.is_stop);
                page.words.extend(place.map(|place| (it.range.clone(), place)));
            }
        }
    }

    fn add_pairs(&self, asked: &[Asked], found: &mut HashMap<usize, Found>) {
        for pair in asked.windows(2) {
            let [one, other] = pair else { continue };
            let weight = OF_PAIR * (one.weight + other.weight) / 2.0;
            for page in self.pairs.get(&(one.term, other.term)).into_iter().flatten() {
                if let Some(it) = found.get_mut(page) {
                    it.score += weight;
                }
            }
        }
    }

    /// Adds the phrasing of each page that fits best: the weight of the words in common, and how
    /// much of both sides they are.
    fn add_phrases(&self, asked: &[Asked], found: &mut HashMap<usize, Found>) {
        let total: f64 = asked.iter().map(|it| it.weight).sum();
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for it in asked {
            for phrase in self.phrases_with.get(&it.term).into_iter().flatten() {
                *shared.entry(*phrase).or_default() += it.weight;
            }
        }
        let mut best: BTreeMap<usize, f64> = BTreeMap::new();
        for (idx, weight) in shared {
            let phrase = &self.phrases[idx];
            let fit = weight * 2.0 * weight / (total + phrase.weight).max(f64::MIN_POSITIVE);
            let most = best.entry(phrase.page).or_default();
            *most = most.max(fit);
        }
        for (page, fit) in best {
            if let Some(it) = found.get_mut(&page) {
                it.score += OF_PHRASE * fit;
            }
        }
    }

    /// Adds a page, and returns the lengths of its fields.
    fn add(&mut self, number: usize, page: &Page) -> [f64; FIELDS] {
        let mut lengths = [0.0; FIELDS];
        let one = |text| std::slice::from_ref(text);
        let parts = [one(&page.names), &*page.phrases, one(&page.summary), one(&page.details)];
        for (field, texts) in ALL.into_iter().zip(parts) {
            for text in texts {
                lengths[field as usize] += self.add_text(number, field, text);
            }
        }
        lengths
    }

    /// Adds a text of a page, and returns the number of its words that count.
    fn add_text(&mut self, page: usize, field: Place, text: &str) -> f64 {
        let read = self.read(text);
        if field != Place::Details {
            for pair in read.windows(2) {
                self.pairs.entry((pair[0].0, pair[1].0)).or_default().insert(page);
            }
        }
        // A name may be a word that is ignored elsewhere: `at`, `first`.
        let counts = |is_stop: bool| !is_stop || field <= Place::Phrase;
        let mut length = 0.0;
        for (term, _) in read.iter().filter(|it| counts(it.1)) {
            length += 1.0;
            let all = self.occurrences.entry(*term).or_default();
            if all.last().is_none_or(|it| it.page != page) {
                all.push(Occurrence { page, counts: [0.0; FIELDS] });
            }
            if let Some(last) = all.last_mut() {
                last.counts[field as usize] += 1.0;
            }
        }
        if field == Place::Phrase {
            let terms: BTreeMap<Term, bool> = read.into_iter().collect();
            for term in terms.keys() {
                self.phrases_with.entry(*term).or_default().push(self.phrases.len());
            }
            self.phrases.push(Phrase { page, terms, weight: 0.0 });
        }
        length
    }

    /// The words of a text as terms, and whether each is a stop word.
    fn read(&mut self, text: &str) -> Vec<(Term, bool)> {
        let all = words(text).filter_map(|range| {
            let word = folded(&text[range]);
            let read = self.words.read(&word).next().map(|it| (it.term, it.is_stop));
            if SPELT.contains(&word.len()) {
                self.spelt.insert(word.into());
            }
            read
        });
        all.collect()
    }

    /// Divides the counts by the lengths of the fields.
    fn relate(&mut self, lengths: &[[f64; FIELDS]]) {
        let average = |field: usize| {
            let sum: f64 = lengths.iter().map(|it| it[field]).sum();
            (sum / self.total.max(1.0)).max(1.0)
        };
        let average: [f64; FIELDS] = std::array::from_fn(average);
        for it in self.occurrences.values_mut().flatten() {
            for (field, count) in it.counts.iter_mut().enumerate() {
                let relative = lengths[it.page][field] / average[field];
                *count /= 1.0 - LENGTHS[field] + LENGTHS[field] * relative;
            }
        }
    }

    fn weight(&self, phrase: &Phrase) -> f64 {
        phrase.terms.iter().map(|(term, is_stop)| self.idf(*term) * share(*is_stop)).sum()
    }

    fn idf(&self, term: Term) -> f64 {
        let found = self.occurrences.get(&term).map_or(0.0, |it| float(it.len()));
        ((self.total - found + 0.5) / (found + 0.5)).ln_1p()
    }

    /// The known words of a question, each term once.
    fn asked(&self, question: &str) -> Vec<Asked> {
        let all: Vec<(Range<usize>, String)> =
            words(question).map(|it| (it.clone(), folded(&question[it]))).collect();
        let mut asked: Vec<Asked> = Vec::new();
        for (range, word) in &all {
            match self.words.known(word) {
                Some(known) => self.ask(range, known, 1.0, &mut asked),
                None => self.guess(range, word, &mut asked),
            }
        }
        for pair in all.windows(2) {
            let [(one, first), (other, second)] = pair else { continue };
            if let Some(known) = self.words.known(&format!("{first}{second}")) {
                self.ask(&(one.start..other.end), known, OF_GUESS, &mut asked);
            }
        }
        asked
    }

    fn ask(&self, at: &Range<usize>, known: (Term, bool), by: f64, asked: &mut Vec<Asked>) {
        let (term, is_stop) = known;
        if !asked.iter().any(|it| it.term == term) {
            let weight = self.idf(term) * share(is_stop) * by;
            asked.push(Asked { range: at.clone(), term, weight, is_stop });
        }
    }

    /// Takes an unknown word for two adjacent ones, or for one that is spelt nearly the same.
    fn guess(&self, at: &Range<usize>, word: &str, asked: &mut Vec<Asked>) {
        if let Some(parts) = self.parts(word) {
            for known in parts {
                self.ask(at, known, 1.0, asked);
            }
        } else if let Some(known) = self.corrected(word) {
            self.ask(at, known, OF_GUESS, asked);
        }
    }

    fn parts(&self, word: &str) -> Option<[(Term, bool); 2]> {
        let places = SHORTEST_PART..word.len().saturating_sub(SHORTEST_PART - 1);
        places.filter(|it| word.is_char_boundary(*it)).find_map(|at| {
            let (first, second) = word.split_at(at);
            let (one, other) = (self.words.known(first)?, self.words.known(second)?);
            self.pairs.contains_key(&(one.0, other.0)).then_some([one, other])
        })
    }

    /// The first known word with the same first letter that differs by one letter.
    fn corrected(&self, word: &str) -> Option<(Term, bool)> {
        self.words.known(self.near(word)?)
    }

    fn near(&self, word: &str) -> Option<&str> {
        let first = word.chars().next().filter(char::is_ascii_lowercase)?;
        if !SPELT.contains(&word.len()) || word.bytes().any(|it| it.is_ascii_digit()) {
            return None;
        }
        let from: Box<str> = first.to_string().into();
        let mut all = self.spelt.range(from..).take_while(|it| it.starts_with(first));
        all.find(|it| is_near(it, word)).map(|it| &**it)
    }
}

fn share(is_stop: bool) -> f64 {
    if is_stop { OF_STOP_WORD } else { 1.0 }
}

#[expect(clippy::cast_precision_loss, reason = "so many pages do not fit into memory")]
fn float(count: usize) -> f64 {
    count as f64
}

/// A word in lower case, in American spelling: `summarise` is `summarize`.
pub fn folded(word: &str) -> String {
    const ENDS: [(&str, &str); 5] = [
        ("ising", "izing"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("isation", "ization"),
        ("ise", "ize"),
    ];
    const SHORTEST: usize = 4;
    let word = word.to_lowercase();
    let cut = |(end, other): &(&str, &str)| {
        let stem = word.strip_suffix(end).filter(|it| it.len() >= SHORTEST)?;
        Some(format!("{stem}{other}"))
    };
    ENDS.iter().find_map(cut).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(names: &str, phrases: &[&str], summary: &str) -> Page {
        Page {
            names: names.to_owned(),
            phrases: phrases.iter().map(|it| (*it).to_owned()).collect(),
            summary: summary.to_owned(),
            details: String::new(),
        }
    }

    fn search() -> Search {
        Search::of([
            page("unique", &["remove duplicates", "every name just once"], "Keeps distinct items."),
            page("fetch", &["load a web page", "text behind a link"], "Fetches a page."),
            page("ceil", &["always round up"], "The next larger integer."),
            page("floor", &["round down"], "The next smaller integer."),
            page("summary", &["summarise a report"], "Condenses a text."),
        ])
    }

    fn first(question: &str) -> Option<usize> {
        search().find(question).first().map(|it| it.page)
    }

    #[test]
    fn words_are_found_in_any_form() {
        assert_eq!(first("removing a duplicate"), Some(0));
        assert_eq!(first("Summarized reports"), Some(4));
        assert_eq!(first("xyzzy"), None);
        assert_eq!(first(""), None);
        assert_eq!(first("日本 ?! \u{301}"), None);
    }

    #[test]
    fn little_words_decide_between_phrasings() {
        assert_eq!(first("round it up"), Some(2));
        assert_eq!(first("round it down"), Some(3));
    }

    #[test]
    fn compounds_and_misspelt_words_are_taken_for_known_ones() {
        assert_eq!(first("webpages"), Some(1));
        assert_eq!(first("dupilcates"), Some(0));
        assert_eq!(first("summaris reprot"), Some(4));
    }

    #[test]
    fn a_match_says_which_words_matched() {
        let question = "please fetch the Report";
        let found = search().find(question);
        let words = |page: usize| {
            let found = found.iter().find(|it| it.page == page).unwrap();
            found.words.iter().map(|(it, at)| (&question[it.clone()], *at)).collect::<Vec<_>>()
        };
        assert_eq!(words(1), [("fetch", Place::Name)]);
        assert_eq!(words(4), [("Report", Place::Phrase)]);
    }

    #[test]
    fn rare_words_tell_more() {
        let search = search();
        assert!(search.rarity("duplicate") > search.rarity("round"));
        assert!(search.rarity("round") > search.rarity("a"));
        assert!(search.rarity("xyzzy").abs() < f64::EPSILON);
    }

    /// The maps of each index have another order.
    #[test]
    fn scores_are_the_same_in_each_index() {
        const WORDS: &str = "count merge apple river paint clock stone cloud horse table";
        // Each word is on more pages than the one after it.
        let starts = || WORDS.match_indices(' ').map(|(end, _)| &WORDS[..end]);
        let scores = || -> Vec<u64> {
            let all = Search::of(starts().map(|it| page("", &[it], "")));
            let found = starts().flat_map(|it| all.find(it));
            found.map(|it| it.score.to_bits()).collect()
        };
        let first = scores();
        assert!((0..20).all(|_| scores() == first));
    }
}
