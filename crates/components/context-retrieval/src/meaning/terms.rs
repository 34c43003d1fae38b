//! The words of texts, and how many texts have each.

use std::collections::{BTreeMap, HashMap};

use svc_text::{
    language::{Language, detect, lower},
    scripts,
};

/// Longer words, in bytes, are not words but keys and encoded data.
const LONGEST: usize = 64;

/// How texts are read: the stems of their words without stop words, and sequences of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reader {
    /// The languages of the texts, that of most texts first.
    pub(super) languages: Vec<Language>,
    /// The most words in sequence that are read as one term.
    pub(super) ngram: usize,
}

impl Reader {
    /// Calls `each` with every term of a text.
    pub(super) fn read(&self, text: &str, each: impl FnMut(&str)) {
        let detected = detect(text).map(|it| it.language);
        let known = detected.filter(|it| self.languages.contains(it));
        let first = || self.languages.first().copied();
        read(known.or_else(first).unwrap_or(Language::ENGLISH), self.ngram, text, each);
    }
}

fn read(language: Language, ngram: usize, text: &str, mut each: impl FnMut(&str)) {
    let forms = language.forms();
    let mut before: Vec<String> = Vec::new();
    for place in scripts::words(text) {
        let lower = lower(&text[place]);
        if lower.len() > LONGEST || forms.is_stop_word(&lower) {
            continue;
        }
        let stem = forms.stem(&lower).into_owned();
        each(&stem);
        let mut term = stem.clone();
        for word in before.iter().rev() {
            term.insert(0, ' ');
            term.insert_str(0, word);
            each(&term);
        }
        if ngram > 1 {
            before.push(stem);
            if before.len() == ngram {
                before.remove(0);
            }
        }
    }
}

/// The terms of many texts, by numbers in the order in which they occur.
pub(super) struct Terms {
    ngram: usize,
    most: usize,
    numbers: HashMap<String, u32>,
    /// In how many texts each term is.
    texts: Vec<u32>,
    /// The terms of each text, with how often it has them.
    counts: Vec<Vec<(u32, u32)>>,
    languages: BTreeMap<Language, usize>,
}

/// A term, and how many texts have it.
pub(super) struct Chosen {
    pub(super) term: String,
    pub(super) texts: usize,
}

impl Terms {
    /// Counts at most this many different terms; others are ignored from then on.
    pub(super) fn new(ngram: usize, most: usize) -> Self {
        let (numbers, languages) = (HashMap::new(), BTreeMap::new());
        Self { ngram, most, numbers, texts: Vec::new(), counts: Vec::new(), languages }
    }

    pub(super) fn add(&mut self, text: &str) {
        let language = detect(text).map_or(Language::ENGLISH, |it| it.language);
        *self.languages.entry(language).or_default() += 1;
        let mut found: BTreeMap<u32, u32> = BTreeMap::new();
        read(language, self.ngram, text, |term| {
            let number = match self.numbers.get(term) {
                Some(number) => *number,
                None if self.numbers.len() < self.most => {
                    let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
                    self.numbers.insert(term.to_owned(), number);
                    self.texts.push(0);
                    number
                }
                None => return,
            };
            *found.entry(number).or_default() += 1;
        });
        for number in found.keys() {
            self.texts[*number as usize] += 1;
        }
        self.counts.push(found.into_iter().collect());
    }

    /// The number of texts.
    pub(super) fn texts(&self) -> usize {
        self.counts.len()
    }

    /// The languages of most texts first.
    pub(super) fn languages(&self, most: usize) -> Vec<Language> {
        let mut all: Vec<_> = self.languages.iter().map(|(it, count)| (*it, *count)).collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.1));
        all.into_iter().take(most).map(|it| it.0).collect()
    }

    /// The terms that most texts have, and at least `least`, in alphabetical order.
    pub(super) fn most_frequent(&self, least: usize, most: usize) -> Vec<Chosen> {
        let of = |(term, number): (&String, &u32)| Chosen {
            term: term.clone(),
            texts: self.texts[*number as usize] as usize,
        };
        let mut all: Vec<Chosen> = self.numbers.iter().map(of).collect();
        all.retain(|it| it.texts >= least);
        all.sort_unstable_by(|a, b| b.texts.cmp(&a.texts).then_with(|| a.term.cmp(&b.term)));
        all.truncate(most);
        all.sort_unstable_by(|a, b| a.term.cmp(&b.term));
        all
    }

    /// For each text the places of its terms in `chosen`, in their order, with how often it has them.
    pub(super) fn counts(
        &self,
        chosen: &[Chosen],
    ) -> impl Iterator<Item = Vec<(usize, u32)>> + use<'_> {
        let mut places: Vec<Option<usize>> = vec![None; self.texts.len()];
        for (place, it) in chosen.iter().enumerate() {
            if let Some(number) = self.numbers.get(&it.term) {
                places[*number as usize] = Some(place);
            }
        }
        self.counts.iter().map(move |text| {
            let known = |(term, count): &(u32, u32)| Some((places[*term as usize]?, *count));
            let mut found: Vec<(usize, u32)> = text.iter().filter_map(known).collect();
            found.sort_unstable();
            found
        })
    }
}
