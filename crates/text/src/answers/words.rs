//! Documents as numbered words, sentence by sentence.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{Source, ages, count, layout, records};
use crate::{
    blocks::{Block, Kind, blocks},
    language::{self, Forms, Language},
    plain::plain,
    scripts,
};

/// The number of a stem.
pub(super) type Term = u32;

/// Longer words are data, not language.
const LONGEST: usize = 64;

/// The words of documents, with numbers for their stems.
pub(super) struct Words {
    forms: Forms,
    pub language: Language,
    numbers: HashMap<Box<str>, Term>,
    /// The most recent word of each stem, and how often it begins with a capital inside of sentences.
    pub known: Vec<Known>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub words: HashSet<Box<str>>,
    pub capitals: u32,
    pub count: u32,
}

/// A word of a text that has a meaning of its own.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub lower: Box<str>,
    pub stem: Box<str>,
    /// How many words stand before it.
    pub at: u32,
    pub is_capital: bool,
    pub is_stop: bool,
}

impl Word {
    /// Whether it is more than a word of grammar. A single capital inside of a sentence is a name, as
    /// in `house A`.
    pub(super) fn has_meaning(&self) -> bool {
        let is_letter = self.is_capital && self.at > 0 && self.lower.len() == 1;
        !self.is_stop || is_letter && &*self.lower != "i"
    }
}

impl Words {
    pub(super) fn of(language: Language) -> Self {
        let forms = language.forms();
        Self { forms, language, numbers: HashMap::new(), known: Vec::new() }
    }

    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Word> + 'a {
        let in_text = whole_numbers(text).filter(|it| it.len() <= LONGEST);
        in_text.zip(0_u32..).filter_map(|(range, at)| {
            let word = text.get(range)?;
            let lower = match word.as_bytes() {
                [b'0'..=b'9', ..] => of_number(word).into(),
                _ => language::lower(word),
            };
            let is_stop = self.forms.is_stop_word(&lower) || lower == "s" || lower == "t";
            let stem = self.forms.stem(&lower).into_owned().into();
            let is_capital = word.starts_with(char::is_uppercase);
            Some(Word { stem, at, is_capital, is_stop, lower: lower.into_owned().into() })
        })
    }

    pub(super) fn term(&self, stem: &str) -> Option<Term> {
        self.numbers.get(stem).copied()
    }

    /// Whether a word in lower case, or another form of it, is in the documents or a stop word.
    pub(super) fn knows(&self, lower: &str) -> bool {
        self.forms.is_stop_word(lower) || self.term(&self.forms.stem(lower)).is_some()
    }

    fn read(&mut self, text: &str) -> Vec<(Term, u32)> {
        let pieces: Vec<Word> = self.pieces(text).collect();
        let short = initials(&pieces);
        let all = pieces.into_iter().filter(Word::has_meaning).chain(short);
        all.filter_map(|it| Some((self.add(&it)?, it.at))).collect()
    }

    fn add(&mut self, word: &Word) -> Option<Term> {
        let next = Term::try_from(self.known.len()).ok()?;
        let term = *self.numbers.entry(word.stem.clone()).or_insert(next);
        if term == next {
            self.known.push(Known::default());
        }
        let known = self.known.get_mut(term as usize)?;
        if !known.words.contains(&word.lower) {
            known.words.insert(word.lower.clone());
        }
        if word.at > 0 {
            known.count += 1;
            known.capitals += u32::from(word.is_capital);
        }
        Some(term)
    }
}

/// The words of a text, where `1,200` and `0.5` are one each.
fn whole_numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_digits = |it: &Range<usize>| {
        text.get(it.clone()).is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    let mut words = scripts::words(text).peekable();
    std::iter::from_fn(move || {
        let mut word = words.next()?;
        // A number that belongs to a name, as in `LX-4`.
        if let Some(next) = words.peek()
            && next.start == word.end + 1
            && text.get(word.end..next.start) == Some("-")
            && is_digits(next)
            && text.get(word.clone()).is_some_and(|it| it.starts_with(char::is_alphabetic))
        {
            word.end = next.end;
            words.next();
            return Some(word);
        }
        while is_digits(&(word.end.saturating_sub(1)..word.end))
            && let Some(next) = words.peek()
            && next.start == word.end + 1
            && matches!(text.get(word.end..next.start), Some("." | ","))
            && is_digits(next)
        {
            word.end = next.end;
            words.next();
        }
        Some(word)
    })
}

/// A number without marks between its digits and without an ending, as in `1950s` and `3rd`.
fn of_number(word: &str) -> String {
    let digits = word.replace(',', "").to_lowercase();
    let end = digits.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(digits.len());
    match digits.get(end..) {
        Some("s" | "st" | "nd" | "rd" | "th") => digits[..end].to_owned(),
        _ => digits,
    }
}

/// What names of several words are shortened to, such as `EU`.
fn initials(words: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut name: Vec<&Word> = Vec::new();
    let mut end = |name: &mut Vec<&Word>| {
        if let [first, _, ..] = name[..]
            && name.len() <= 6
        {
            let lower: Box<str> = name.iter().filter_map(|it| it.lower.chars().next()).collect();
            let (stem, at) = (lower.clone(), first.at);
            found.push(Word { lower, stem, at, is_capital: true, is_stop: false });
        }
        name.clear();
    };
    for word in words {
        match () {
            () if word.is_capital && !word.is_stop => name.push(word),
            () if matches!(&*word.lower, "of" | "the" | "and" | "for") => {}
            () => end(&mut name),
        }
    }
    end(&mut name);
    found
}

/// A sentence and where it stands.
pub(super) struct Place {
    pub source: usize,
    pub section: usize,
    pub block: usize,
    pub range: Range<usize>,
    pub text: String,
    pub terms: Vec<(Term, u32)>,
    pub form: Form,
    /// The terms of the head of its table.
    pub context: Vec<Term>,
}

/// What a sentence stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Prose,
    Row,
    Code,
    Heading,
}

/// The level of a heading without marks, below those that have some.
const PLAIN: u8 = 7;

/// What is known of a document while it is read.
struct Reading<'a> {
    number: usize,
    title: &'a str,
    text: &'a str,
    width: Option<usize>,
    headings: Vec<(u8, String)>,
    /// The terms of a sentence that ends with a colon: what follows belongs to it.
    leading: Vec<Term>,
}

/// What stands below the same headings.
pub(super) struct Section {
    pub source: usize,
    pub headings: Vec<String>,
    /// The terms of the headings and of the title of the document.
    pub terms: Vec<Term>,
}

/// Documents, cut into sentences.
pub(super) struct Read {
    pub words: Words,
    pub places: Vec<Place>,
    pub sections: Vec<Section>,
    /// The sentences of each block.
    pub blocks: Vec<Range<usize>>,
    /// In how many blocks each term stands.
    pub in_blocks: Vec<u32>,
    /// The terms of each document.
    pub in_source: Vec<HashSet<Term>>,
    /// The sentences with each term.
    pub with: Vec<Vec<u32>>,
    /// How new each document is, from -1 to 1.
    pub ages: Vec<f64>,
}

impl Read {
    pub(super) fn of<E>(
        sources: &[Source],
        words: Words,
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut read = Self {
            words,
            places: Vec::new(),
            sections: Vec::new(),
            blocks: Vec::new(),
            in_blocks: Vec::new(),
            in_source: Vec::new(),
            with: Vec::new(),
            ages: Vec::new(),
        };
        let dates: Vec<_> = sources.iter().map(|it| ages::date(it.title, it.text)).collect();
        read.ages = ages::ages(&dates);
        for (number, source) in sources.iter().enumerate() {
            pause()?;
            read.enter(number, source.title, &[]);
            if let Some(sign) = records::separator(source.text) {
                read.records(number, source.text, sign);
                continue;
            }
            let mut reading = Reading {
                number,
                title: source.title,
                text: source.text,
                width: layout::width(source.text),
                headings: Vec::new(),
                leading: Vec::new(),
            };
            let mut blocks = blocks(source.text).peekable();
            while let Some(block) = blocks.next() {
                pause()?;
                read.next(&mut reading, &block, blocks.peek());
            }
        }
        read.count();
        Ok(read)
    }

    /// Reads a block, which is a heading if the next one stands below it.
    fn next(&mut self, reading: &mut Reading, block: &Block, next: Option<&Block>) {
        let text = reading.text;
        let shown = text.get(block.range.clone()).unwrap_or_default();
        match block.kind {
            Kind::Heading(level) => self.heading(reading, level, block.body.clone()),
            Kind::Markup if shown.starts_with("<!--") => {}
            Kind::Paragraph if is_above(text, shown, next) => {
                self.heading(reading, PLAIN, block.body.clone());
            }
            _ => self.block(reading, block),
        }
    }

    /// A heading is a sentence too, as it may answer by itself.
    fn heading(&mut self, reading: &mut Reading, level: u8, range: Range<usize>) {
        let text = plain(reading.text.get(range.clone()).unwrap_or_default());
        reading.headings.retain(|(it, _)| *it < level);
        reading.headings.push((level, text.clone()));
        reading.leading.clear();
        self.enter(reading.number, reading.title, &reading.headings);
        let first = self.places.len();
        let terms = self.words.read(&text);
        if !text.is_empty() {
            self.place(reading.number, range, text, terms, Form::Heading, Vec::new());
            self.blocks.push(first..self.places.len());
        }
    }

    fn enter(&mut self, source: usize, title: &str, headings: &[(u8, String)]) {
        let headings: Vec<String> = headings.iter().map(|it| it.1.clone()).collect();
        let title = title.replace('_', " ");
        let mut terms: Vec<Term> = Vec::new();
        for text in headings.iter().map(String::as_str).chain([&*title]) {
            terms.extend(self.words.read(text).into_iter().map(|it| it.0));
        }
        terms.sort_unstable();
        terms.dedup();
        self.sections.push(Section { source, headings, terms });
    }

    fn place(
        &mut self,
        source: usize,
        range: Range<usize>,
        text: String,
        terms: Vec<(Term, u32)>,
        form: Form,
        context: Vec<Term>,
    ) {
        let (section, block) = (self.sections.len() - 1, self.blocks.len());
        self.places.push(Place { source, section, block, range, text, terms, form, context });
    }

    fn block(&mut self, reading: &mut Reading, block: &Block) {
        match block.kind {
            Kind::Table => self.table(reading, block.body.clone()),
            Kind::Code => {
                let lines: Vec<Range<usize>> = lines(reading.text, block.body.clone()).collect();
                self.sentences(reading, lines, Form::Code);
            }
            _ => self.prose(reading, block.body.clone()),
        }
    }

    fn prose(&mut self, reading: &mut Reading, body: Range<usize>) {
        let mut lines = layout::lines(reading.text, body, reading.width);
        let line = |it: &Range<usize>| reading.text.get(it.clone()).unwrap_or_default();
        if let [first, second, ..] = &lines[..]
            && layout::is_heading(line(first))
            && layout::is_statement(line(second))
        {
            let first = lines.remove(0);
            self.heading(reading, PLAIN, first);
        }
        let line = |it: &Range<usize>| reading.text.get(it.clone()).unwrap_or_default();
        let outer = reading.leading.len();
        // The first line of a table without marks names its columns.
        if lines.len() > 2 && lines.iter().all(|it| !layout::is_statement(line(it))) {
            let head = plain(line(&lines[0]));
            reading.leading.extend(self.words.read(&head).into_iter().map(|it| it.0));
        }
        let named = reading.leading.len();
        let sentences = layout::sentences(reading.text, &lines);
        self.sentences(reading, sentences, Form::Prose);
        if named > outer && reading.leading.len() == named {
            reading.leading.truncate(outer);
        }
    }

    fn sentences(&mut self, reading: &mut Reading, ranges: Vec<Range<usize>>, form: Form) {
        let first = self.places.len();
        let mut leads = None;
        // What leads into this block alone is not of the ones after it.
        let outer = reading.leading.len();
        let ranges = if form == Form::Prose { self.run_in(reading, ranges) } else { ranges };
        for range in ranges {
            let raw = reading.text.get(range.clone()).unwrap_or_default();
            let text = if form == Form::Prose { plain(raw) } else { raw.trim().to_owned() };
            if text.is_empty() {
                continue;
            }
            let terms = self.words.read(&text);
            leads = text.ends_with([':', '：']).then(|| terms.iter().map(|it| it.0).collect());
            self.place(reading.number, range, text, terms, form, reading.leading.clone());
        }
        match leads {
            Some(leads) => reading.leading = leads,
            // The items of a list have what stands above it in common.
            None if self.is_short(first) => reading.leading.truncate(outer),
            None => reading.leading.clear(),
        }
        self.blocks.push(first..self.places.len());
    }

    /// A first sentence of few words, as in `Parking. Six places are behind the house.`, is a
    /// heading in the line: it belongs to the next sentence, and to the paragraph.
    fn run_in(
        &mut self,
        reading: &mut Reading,
        mut ranges: Vec<Range<usize>>,
    ) -> Vec<Range<usize>> {
        const MOST: usize = 4;
        if let [first, second, ..] = &ranges[..]
            && let Some(text) = reading.text.get(first.clone())
            && text.trim_end_matches('*').ends_with('.')
            && text.split_whitespace().count() <= MOST
            && self.is_name(text)
            && reading.text.get(first.end..second.start).is_some_and(|it| !it.contains('\n'))
        {
            let terms = self.words.read(&plain(text));
            reading.leading.extend(terms.into_iter().map(|it| it.0));
            ranges[1].start = ranges[0].start;
            ranges.remove(0);
        }
        ranges
    }

    /// Whether a text has no words of grammar, as those of a sentence, such as `It is red.`
    fn is_name(&self, text: &str) -> bool {
        let joins = |it: &str| matches!(it, "of" | "the" | "and" | "for" | "any" | "other");
        self.words.pieces(text).all(|it| !it.is_stop || joins(&it.lower))
    }

    /// Whether the sentences from the given one on are one line of a list.
    fn is_short(&self, first: usize) -> bool {
        self.places.len() <= first + 2
    }

    fn table(&mut self, reading: &mut Reading, body: Range<usize>) {
        let text = reading.text;
        let mut rows: Vec<Range<usize>> = lines(text, body).collect();
        let line = |it: &Range<usize>| text.get(it.clone()).unwrap_or_default();
        let is_rule = |it: &Range<usize>| !line(it).contains(char::is_alphanumeric);
        let mut head: Vec<String> = Vec::new();
        if rows.get(1).is_some_and(is_rule) {
            head = split_cells(line(&rows[0])).collect();
            rows.drain(..2);
        }
        let mut context = self.table_head(&head);
        context.extend(&reading.leading);
        for range in rows {
            let cut: Vec<String> = split_cells(line(&range)).collect();
            self.row(reading.number, range, cells(&cut, &head), &cut, &context);
        }
    }

    /// The terms of the names of the columns. They count once for the whole table.
    fn table_head(&mut self, head: &[String]) -> Vec<Term> {
        let names = head.join(", ").replace('_', " ");
        self.words.read(&names).into_iter().map(|it| it.0).collect()
    }

    /// A row is a block of its own: the rows around it are about other things.
    fn row(
        &mut self,
        source: usize,
        range: Range<usize>,
        text: String,
        cells: &[String],
        context: &[Term],
    ) {
        let terms = self.words.read(&cells.join(" , "));
        if text.is_empty() {
            return;
        }
        let first = self.places.len();
        self.place(source, range, text, terms, Form::Row, context.to_vec());
        self.blocks.push(first..self.places.len());
    }

    /// The rows of a table whose cells a sign separates, each as a sentence with the names of its
    /// columns.
    fn records(&mut self, source: usize, text: &str, sign: char) {
        let mut rows = lines(text, 0..text.len()).filter(|it| !it.is_empty());
        let cut = |it: Range<usize>| records::cells(text.get(it).unwrap_or_default(), sign);
        let head = rows.next().map(cut).unwrap_or_default();
        let context = self.table_head(&head);
        for range in rows {
            let cells = cut(range.clone());
            let text = records::sentence(&head, &cells);
            self.row(source, range, text, &cells, &context);
        }
    }

    fn count(&mut self) {
        let terms = self.words.known.len();
        self.in_blocks = vec![0; terms];
        self.with = vec![Vec::new(); terms];
        let sources = self.sections.iter().map(|it| it.source + 1).max().unwrap_or_default();
        self.in_source = vec![HashSet::new(); sources];
        for block in &self.blocks {
            let mut all: Vec<Term> = Vec::new();
            for number in block.clone() {
                let place = &self.places[number];
                all.extend(place.terms.iter().map(|it| it.0));
                for (term, _) in &place.terms {
                    let with = &mut self.with[*term as usize];
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    if with.last() != Some(&number) {
                        with.push(number);
                    }
                }
            }
            all.sort_unstable();
            all.dedup();
            for term in &all {
                self.in_blocks[*term as usize] += 1;
            }
            if let Some(first) = self.places.get(block.start) {
                self.in_source[first.source].extend(all);
            }
        }
        for section in &self.sections {
            self.in_source[section.source].extend(&section.terms);
        }
    }

    /// How rare a term is.
    pub(super) fn rarity(&self, term: Option<Term>) -> f64 {
        let with = term.map_or(0, |it| self.in_blocks[it as usize]);
        ((count(self.blocks.len()) + 1.0) / (f64::from(with) + 0.5)).ln_1p()
    }
}

/// Whether a paragraph is the heading of the block behind it.
fn is_above(text: &str, shown: &str, next: Option<&Block>) -> bool {
    let Some(next) = next else { return false };
    let below = text.get(next.body.clone()).unwrap_or_default();
    let is_below = match next.kind {
        Kind::Paragraph => layout::is_statement(below) || below.trim().contains('\n'),
        Kind::Item | Kind::Table | Kind::Code => true,
        Kind::Heading(_) | Kind::Markup => false,
    };
    is_below && !shown.contains('\n') && layout::is_heading(shown)
}

/// A row of a table as a text, with the names of its columns where there are several.
fn cells(cells: &[String], head: &[String]) -> String {
    let named = |(idx, it): (usize, &String)| match head.get(idx) {
        Some(name) if cells.len() > 2 && !name.is_empty() => format!("{name} {it}"),
        _ => it.clone(),
    };
    let mut filled = cells.iter().enumerate().filter(|it| !it.1.is_empty());
    let first = filled.next().map(|it| it.1.clone()).unwrap_or_default();
    let rest: Vec<String> = filled.map(named).collect();
    if rest.is_empty() { first } else { format!("{first}: {}", rest.join(", ")) }
}

fn split_cells(row: &str) -> impl Iterator<Item = String> {
    row.trim().trim_matches('|').split('|').map(|it| plain(it.trim()))
}

fn lines(text: &str, body: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = body.start;
    text.get(body).unwrap_or_default().split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end().len()
    })
}
