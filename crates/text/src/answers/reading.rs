//! Documents as numbered words, sentence by sentence.

use std::{collections::HashSet, ops::Range};

use super::{
    Source, ages, count, layout, letters, records,
    words::{Term, Words},
};
use crate::{
    blocks::{Block, Kind, blocks},
    plain::plain,
};

/// A sentence and where it stands.
pub(super) struct Place {
    pub source: usize,
    pub section: usize,
    pub block: usize,
    pub range: Range<usize>,
    pub text: String,
    pub terms: Vec<(Term, u32)>,
    pub form: Form,
    /// The terms of the head of its table, of what leads into it, and of the question before it.
    pub context: Vec<Term>,
    /// The list that it is an item of.
    pub list: Option<usize>,
}

/// What a sentence stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Prose,
    Row,
    Code,
    Heading,
    /// A line above a letter that says who wrote it and when.
    Letterhead,
}

/// The level of a heading without marks, below those that have some.
const PLAIN: u8 = 7;

/// The level of a question that the rest of its paragraph answers.
const QUESTION: u8 = 8;

/// A longer question does not stand for a heading.
const LONGEST_QUESTION: usize = 120;

/// So many sentences behind a question may answer it.
const ANSWERS: usize = 2;

/// The items of a list and the sentence that leads into it, or the heading above it.
pub(super) struct List {
    pub lead: Option<usize>,
    pub items: Range<usize>,
}

/// What is known of a document while it is read.
struct Reading<'a> {
    number: usize,
    title: &'a str,
    text: &'a str,
    width: Option<usize>,
    headings: Vec<(u8, String)>,
    /// The terms of a sentence that ends with a colon: what follows belongs to it.
    leading: Vec<Term>,
    /// Whether the block before was an item of a list.
    is_listing: bool,
    /// Whether only the head of a letter was read.
    is_letter: bool,
}

/// A table: its first row, the names of its columns, and the cells of each row.
pub(super) struct Table {
    pub first: usize,
    pub head: Vec<String>,
    pub cells: Vec<Vec<String>>,
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
    pub lists: Vec<List>,
    pub tables: Vec<Table>,
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
            lists: Vec::new(),
            tables: Vec::new(),
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
                is_listing: false,
                is_letter: true,
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
            Kind::Item => self.item(reading, block),
            _ => self.block(reading, block),
        }
        reading.is_listing = block.kind == Kind::Item;
    }

    /// An item belongs to the same list as the one before it.
    fn item(&mut self, reading: &mut Reading, block: &Block) {
        let first = self.places.len();
        if !reading.is_listing {
            let leads = |it: &Place| {
                it.source == reading.number
                    && (it.form == Form::Heading || it.text.ends_with([':', '：']))
            };
            let lead = first.checked_sub(1).filter(|it| leads(&self.places[*it]));
            self.lists.push(List { lead, items: first..first });
        }
        self.block(reading, block);
        let list = self.lists.len() - 1;
        for it in &mut self.places[first..] {
            it.list = Some(list);
        }
        self.lists[list].items.end = self.places.len();
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
        let list = None;
        self.places.push(Place { source, section, block, range, text, terms, form, context, list });
    }

    fn block(&mut self, reading: &mut Reading, block: &Block) {
        match block.kind {
            Kind::Table => self.table(reading, block.body.clone()),
            Kind::Code => {
                let lines: Vec<Range<usize>> = lines(reading.text, block.body.clone()).collect();
                self.sentences(reading, lines, Form::Code);
            }
            kind => self.prose(reading, kind, block.body.clone()),
        }
    }

    fn prose(&mut self, reading: &mut Reading, kind: Kind, body: Range<usize>) {
        let mut lines = layout::lines(reading.text, body, reading.width);
        if reading.is_letter {
            self.letterhead(reading, &mut lines);
        }
        let is_new = kind == Kind::Paragraph && reading.leading.is_empty();
        if is_new && reading.headings.last().is_some_and(|it| it.0 == QUESTION) {
            reading.headings.pop();
            self.enter(reading.number, reading.title, &reading.headings);
        }
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
        let mut sentences = layout::sentences(reading.text, &lines);
        if let Some(last) = asked(reading.text, &sentences) {
            let question = sentences[0].start..sentences[last].end;
            sentences.drain(..=last);
            self.heading(reading, QUESTION, question);
        }
        self.sentences(reading, sentences, Form::Prose);
        if named > outer && reading.leading.len() == named {
            reading.leading.truncate(outer);
        }
    }

    /// Takes the lines above a letter, such as `From: Ann` and `Subject: the mill`, of which the
    /// subject is a heading of the rest.
    fn letterhead(&mut self, reading: &mut Reading, lines: &mut Vec<Range<usize>>) {
        let line = |it: &Range<usize>| reading.text.get(it.clone()).unwrap_or_default();
        let heads = lines.iter().take_while(|it| letters::head(line(it)).is_some()).count();
        reading.is_letter = heads == lines.len() && heads > 0;
        if heads < 2 {
            return;
        }
        let mut subject = None;
        for range in lines.drain(..heads) {
            let text = plain(reading.text.get(range.clone()).unwrap_or_default());
            let head = letters::head(&text);
            if head.is_some_and(|it| it.is_subject) {
                let said = head.map_or(0, |it| it.said);
                subject = Some(range.start + said..range.end);
                continue;
            }
            let terms = self.words.read(&text);
            let first = self.places.len();
            self.place(reading.number, range, text, terms, Form::Letterhead, Vec::new());
            self.blocks.push(first..self.places.len());
        }
        if let Some(subject) = subject {
            self.heading(reading, 1, subject);
        }
    }

    fn sentences(&mut self, reading: &mut Reading, ranges: Vec<Range<usize>>, form: Form) {
        let first = self.places.len();
        let mut leads = None;
        // What leads into this block alone is not of the ones after it.
        let outer = reading.leading.len();
        let ranges = if form == Form::Prose { self.run_in(reading, ranges) } else { ranges };
        // A question and how many sentences may still answer it.
        let mut question: (Vec<Term>, usize) = (Vec::new(), 0);
        for range in ranges {
            let raw = reading.text.get(range.clone()).unwrap_or_default();
            let text = if form == Form::Prose { plain(raw) } else { raw.trim().to_owned() };
            if text.is_empty() {
                continue;
            }
            let terms = self.words.read(&text);
            leads = text.ends_with([':', '：']).then(|| terms.iter().map(|it| it.0).collect());
            let asks = text.ends_with(['?', '？']);
            let mut context = reading.leading.clone();
            if !asks && question.1 > 0 {
                context.extend(&question.0);
                question.1 -= 1;
            } else if asks {
                question = (terms.iter().map(|it| it.0).collect(), ANSWERS);
            }
            let form = if letters::is_salutation(&text) { Form::Letterhead } else { form };
            self.place(reading.number, range, text, terms, form, context);
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
            && !text.contains(|it: char| it.is_ascii_digit())
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
        let named = self.table_head(&head);
        self.tables.push(Table { first: self.places.len(), head: head.clone(), cells: Vec::new() });
        for range in rows {
            let cut: Vec<String> = split_cells(line(&range)).collect();
            let mut context = of_filled(&named, &cut);
            context.extend(&reading.leading);
            self.row(reading.number, range, cells(&cut, &head), cut, context);
        }
    }

    /// The terms of the name of each column.
    fn table_head(&mut self, head: &[String]) -> Vec<Vec<Term>> {
        let terms = |it: &String| self.words.read(&it.replace('_', " "));
        head.iter().map(terms).map(|it| it.into_iter().map(|it| it.0).collect()).collect()
    }

    /// A row is a block of its own: the rows around it are about other things.
    fn row(
        &mut self,
        source: usize,
        range: Range<usize>,
        text: String,
        cells: Vec<String>,
        context: Vec<Term>,
    ) {
        let terms = self.words.read(&cells.join(" , "));
        if text.is_empty() {
            return;
        }
        let first = self.places.len();
        self.place(source, range, text, terms, Form::Row, context);
        self.blocks.push(first..self.places.len());
        if let Some(table) = self.tables.last_mut() {
            table.cells.push(cells);
        }
    }

    /// The rows of a table whose cells a sign separates, each as a sentence with the names of its
    /// columns.
    fn records(&mut self, source: usize, text: &str, sign: char) {
        let mut rows = lines(text, 0..text.len()).filter(|it| !it.is_empty());
        let cut = |it: Range<usize>| records::cells(text.get(it).unwrap_or_default(), sign);
        let head = rows.next().map(cut).unwrap_or_default();
        let named = self.table_head(&head);
        self.tables.push(Table { first: self.places.len(), head: head.clone(), cells: Vec::new() });
        for range in rows {
            let cells = cut(range.clone());
            let text = records::sentence(&head, &cells);
            let context = of_filled(&named, &cells);
            self.row(source, range, text, cells, context);
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

/// The last sentence of the question with which a paragraph begins and that the rest of it answers, as
/// in `It leaks. What now? Close the tap.`
fn asked(text: &str, sentences: &[Range<usize>]) -> Option<usize> {
    let shown = |it: &Range<usize>| plain(text.get(it.clone()).unwrap_or_default());
    let asks = |it: &Range<usize>| shown(it).ends_with(['?', '？']);
    let last = sentences.iter().take(2).position(asks)?;
    let range = sentences[0].start..sentences[last].end;
    let is_bold = text.get(range.clone()).is_some_and(|it| it.starts_with("**"));
    let is_short = shown(&range).chars().count() <= LONGEST_QUESTION;
    (sentences.len() > last + 1 && is_short && (last == 0 || is_bold)).then_some(last)
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

/// The terms of the names of the columns in which a row has something.
fn of_filled(named: &[Vec<Term>], cells: &[String]) -> Vec<Term> {
    let filled = named.iter().zip(cells).filter(|it| it.1.contains(char::is_alphanumeric));
    filled.flat_map(|it| it.0).copied().collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn read(text: &str) -> Read {
        let sources = [Source { title: "", text }];
        Read::of(&sources, Words::of(Language::ENGLISH), || Ok::<(), ()>(())).unwrap()
    }

    #[test]
    fn the_subject_of_a_letter_is_a_heading() {
        let read =
            read("From: Ann\nDate: 4 May 2024\nSubject: Spraying\n\nDear Bo,\n\nIt is at nine.");
        let last = read.places.last().unwrap();
        assert_eq!(read.sections[last.section].headings, ["Spraying"]);
        let heads = read.places.iter().filter(|it| it.form == Form::Letterhead);
        assert_eq!(
            heads.map(|it| &*it.text).collect::<Vec<_>>(),
            ["From: Ann", "Date: 4 May 2024", "Dear Bo,"]
        );
    }

    #[test]
    fn a_question_is_the_heading_of_its_answer_alone() {
        let read = read("**Is it red?** It was blue once.\n\nThe mill is old.");
        let headings = |it: &Place| read.sections[it.section].headings.clone();
        let of = |text: &str| read.places.iter().find(|it| it.text == text).map(headings);
        assert_eq!(of("It was blue once."), Some(vec!["Is it red?".to_owned()]));
        assert_eq!(of("The mill is old."), Some(Vec::new()));
    }

    #[test]
    fn the_items_of_a_list_belong_together() {
        let read = read("Bring these:\n\n- a cup\n- a spoon\n\nThen go.\n\n- a hat");
        let lists: Vec<_> = read.lists.iter().map(|it| (it.lead, it.items.clone())).collect();
        assert_eq!(lists, [(Some(0), 1..3), (None, 4..5)]);
    }

    #[test]
    fn a_row_has_the_columns_that_are_filled() {
        let read = read("name,deputy\nAnn,Bo\nCid,\n");
        let has = |row: usize| {
            let deputy = read.words.term("deputi").or(read.words.term("deputy"));
            deputy.is_some_and(|it| read.places[row].context.contains(&it))
        };
        assert!(has(0) && !has(1));
    }
}
