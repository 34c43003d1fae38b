//! The files of a folder: those with a text, and what is counted in each.

use svc_text::stems::Vocabulary;

use super::{
    super::{
        Doc, closed,
        lexicon::{Lexicon, has},
        source::is_file,
        table::{Kind, Table},
        texts::Looked,
        words::{Literal, Token, token},
    },
    Goal, PLACES, SIZES, View, is_word,
};

/// Words of a clause that leaves files out, and of one that keeps them.
const LEAVING: [&str; 7] = ["excluding", "skip", "omit", "ignore", "exclude", "drop", "without"];
const KEEPING: [&str; 7] = ["show", "include", "including", "list", "keep", "also", "even"];

impl Goal<'_> {
    /// The view of some files that the goal asks for; an empty one if it asks for something about
    /// them that is not understood.
    pub(super) fn files(
        mut self,
        reader: &str,
        docs: &[Doc],
        lexicon: &Lexicon,
        words: &mut Vocabulary,
    ) -> Option<View> {
        self.say_counts(words);
        let says = |word: &str| self.find(&[word]).is_some();
        let is_question = self.asked().is_some()
            || self.each().is_some()
            || says("lines")
            || says("mention")
            || says("contain");
        let path = &self.seen.path;
        let none = is_question.then(|| self.view(Table::of_cells(path, "", &[], words)));
        self.asked_files(reader, docs, lexicon, words).or(none)
    }

    /// `the word count of every file` is the number of its words.
    fn say_counts(&mut self, words: &mut Vocabulary) {
        for (one, many) in [("word", "words"), ("line", "lines"), ("character", "characters")] {
            let Some(at) = self.find(&[one, "count"]) else { continue };
            let ends = self.tokens[at + 1].ends;
            let said = ["number", "of", many].map(|it| token(it, words));
            self.tokens.splice(at..at + 2, said);
            self.taken.splice(at..at + 2, [false; 3]);
            self.tokens[at + 2].ends = ends;
        }
    }

    fn asked_files(
        mut self,
        reader: &str,
        docs: &[Doc],
        lexicon: &Lexicon,
        words: &mut Vocabulary,
    ) -> Option<View> {
        let texts: Vec<&str> = docs.iter().map(|it| it.text.as_str()).collect();
        let lines: Vec<&str> = texts.iter().flat_map(|it| it.lines()).collect();
        self.learn_things();
        if self.is_mixed(docs) {
            return None;
        }
        if let Some(view) = self.measured(reader, words) {
            return Some(view);
        }
        let asked = self.asked();
        let each = self.each();
        if asked.is_none() && each.is_none() {
            if let Some(at) = self.find(&["what", "is", "in"]) {
                self.take(at, at + 3, "each");
                return Some(self.listed(reader, None, words));
            }
            self.take_files();
            return match self.size().filter(|it| it.1 != "lines") {
                Some(_) => self.total(reader, words),
                None => {
                    let reader = format!("{reader} >> each {{ .text >> lines }} >> flatten");
                    self.lines(&reader, &texts, lexicon, words)
                }
            };
        }
        let mut looked = self.looked(&lines, lexicon);
        if looked.is_none() {
            looked = self.only_text(&lines);
        }
        match looked {
            Some(looked) if self.counts(&looked) => {
                // Which files: those with the most of it, or with more than a number.
                let chooses = |it: &Token| {
                    closed::superlative(it).is_some()
                        || matches!(it.literal, Some(Literal::Number(_)))
                };
                let is_whole = asked.is_none() || self.tokens.iter().any(chooses);
                is_whole.then_some(())?;
                self.counted(reader, &looked, &lines, asked, words)
            }
            Some(looked) => self.chosen(reader, &looked, &texts, asked?, words),
            None => Some(self.sized(reader, docs, asked, words)),
        }
    }

    /// Whether the files are of several formats, and it is `entries` or `recipes` that are asked for.
    fn is_mixed(&self, docs: &[Doc]) -> bool {
        let extension = |it: &Doc| it.name.rsplit_once('.').map(|(_, it)| it.to_owned());
        let first = docs.first().and_then(extension);
        let noun = self.asked().or_else(|| Some(self.each()?.1 - 1));
        let is_name = noun.is_some_and(|it| {
            let token = &self.tokens[it];
            has(&self.names, token) && !has(&self.things, token) && !is_file(&token.lower)
        });
        is_name && docs.iter().any(|it| extension(it) != first)
    }

    /// Whether a word means a file of the folder.
    fn is_noun(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|it| it.literal.is_none()) else {
            return false;
        };
        is_file(&token.lower)
            || matches!(token.lower.as_str(), "text" | "texts")
            || has(&self.names, token)
            || has(&self.things, token)
    }

    /// The word for a file behind a place, or the next one after a word that is taken already.
    fn noun_behind(&self, at: usize) -> Option<usize> {
        let mut next = at + 1;
        while self.taken.get(next) == Some(&true) || matches!(self.lower(next), "of" | "the") {
            next += 1;
        }
        (self.is_noun(next) && !self.tokens[at].ends).then_some(next)
    }

    /// `There is one file per node`, `the file is named after the child`: what the files are for.
    fn learn_things(&mut self) {
        for at in 0..self.tokens.len() {
            let is_one = self.lower(at) == "one";
            let is_named = self.says(at, &["named", "after", "the"]);
            let thing = match (self.lower(at + 2), self.lower(at + 3)) {
                ("per", _) if is_one => at + 3,
                ("for", "each" | "every") if is_one => at + 4,
                _ if is_named => at + 3,
                _ => continue,
            };
            let nouns = if is_one { vec![at + 1, thing] } else { vec![thing] };
            let terms = nouns.iter().filter_map(|it| self.tokens.get(*it)?.term);
            self.things.extend(terms);
            // The whole clause says no more.
            let is_edge = |it: &usize| self.tokens[*it].ends;
            let start = (0..at).rev().find(is_edge).map_or(0, |it| it + 1);
            let known = |it: &usize| {
                let is_verb = matches!(self.lower(*it), "has" | "holds" | "contains" | "named");
                is_verb || self.taken[*it] || self.tokens[*it].is_stop || self.is_noun(*it)
            };
            let from = if (start..at).all(|it| known(&it)) { start } else { at };
            self.take(from, thing + 1, "each");
        }
    }

    /// The word for the files that are asked for: `which documents`, `how many files`.
    pub(super) fn asked(&self) -> Option<usize> {
        const ASKING: [&str; 4] = ["which", "what", "whose", "many"];
        let free = (0..self.tokens.len()).filter(|at| !self.taken[*at]);
        let mut asking = free.clone().filter(|at| ASKING.contains(&self.lower(*at)));
        let superlative = || {
            let is_it = |at: &usize| self.lower(*at).ends_with("est") && !self.tokens[*at].ends;
            let mut all = (0..self.tokens.len()).filter(is_it);
            all.find_map(|at| self.is_noun(at + 1).then_some(at + 1))
        };
        asking.find_map(|at| self.noun_behind(at)).or_else(superlative).or_else(|| {
            // `name the files that mention it`
            let mut nouns = free.filter(|at| self.is_noun(*at));
            nouns.find(|at| {
                let is_place = |it: &usize| {
                    self.taken[*it] || matches!(self.lower(*it), "in" | "of" | "from" | "the")
                };
                let next = (*at + 1..self.tokens.len()).find(|it| !is_place(it));
                next.is_some_and(|it| matches!(self.lower(it), "that" | "which" | "whose"))
            })
        })
    }

    /// The place of `each file`, `every .py file` or `per node`.
    pub(super) fn each(&self) -> Option<(usize, usize)> {
        const EACH: [&str; 3] = ["each", "every", "per"];
        let free = (0..self.tokens.len()).filter(|at| !self.taken[*at]);
        let mut each = free.filter(|at| EACH.contains(&self.lower(*at)));
        each.find_map(|at| {
            let noun = self.noun_behind(at)?;
            let counts = ["often", "many", "number", "count", "words", "lines", "characters"];
            let is_counted = (0..self.tokens.len()).any(|it| counts.contains(&self.lower(it)));
            is_counted.then_some((at, noun + 1))
        })
    }

    /// `all the files`: where lines come from.
    pub(super) fn take_files(&mut self) {
        for at in 0..self.tokens.len() {
            if is_file(self.lower(at)) {
                self.taken[at] = true;
            }
        }
    }

    /// The number that is named, with its place.
    fn size(&self) -> Option<(usize, &'static str, &'static str)> {
        let free = (0..self.tokens.len()).filter(|at| !self.taken[*at]);
        let mut all = free.filter_map(|at| {
            let (name, cell) = SIZES.iter().find(|(name, _)| *name == self.lower(at))?;
            Some((at, *name, *cell))
        });
        all.next()
    }

    /// What is counted in each file, without a verb that looks for it: `how often did each node run
    /// into a timeout`, `how many alarms did each sensor have`.
    fn only_text(&mut self, lines: &[&str]) -> Option<Looked> {
        let how = self.find(&["how", "often"]).or_else(|| self.find(&["how", "many"]))?;
        let is_size = SIZES.iter().any(|(name, _)| *name == self.lower(how + 2));
        let is_each = self.each().is_some();
        let end = (how..self.tokens.len()).find(|at| self.tokens[*at].ends);
        let clause = how + 2..end.map_or(self.tokens.len(), |it| it + 1);
        let is_content = |at: &usize| {
            !self.taken[*at]
                && !self.tokens[*at].is_stop
                && !self.is_noun(*at)
                && !PLACES.contains(&self.lower(*at))
        };
        let content: Vec<usize> = clause.filter(is_content).collect();
        let mut all = content.iter().filter_map(|at| Looked::word(&self.tokens, *at, lines));
        let looked = all.next().filter(|it| is_each && !is_size && it.is_once(lines))?;
        let verbs: Vec<usize> =
            content.into_iter().filter(|at| !(looked.from..looked.to).contains(at)).collect();
        if let [verb] = verbs.as_slice() {
            self.take(*verb, verb + 1, "where");
        }
        self.is_counted = true;
        Some(looked)
    }

    /// Whether the goal counts the lines with a text, and not the files with it.
    fn counts(&self, looked: &Looked) -> bool {
        let is_place = |at: &usize| {
            PLACES.contains(&self.lower(*at)) && !(looked.from..looked.to).contains(at)
        };
        let free = (0..self.tokens.len()).filter(|at| !self.taken[*at]);
        self.is_counted
            || free.clone().any(|at| self.lower(at) == "often")
            || free.clone().any(|at| is_place(&at))
    }

    /// Files with the number of their lines that have a text.
    fn counted(
        mut self,
        reader: &str,
        looked: &Looked,
        lines: &[&str],
        asked: Option<usize>,
        words: &mut Vocabulary,
    ) -> Option<View> {
        let each = self.each();
        let is_line = (0..self.tokens.len()).any(|at| self.lower(at) == "lines");
        if !is_line && !looked.is_once(lines) {
            return None;
        }
        let condition = looked.condition("it", lines);
        let count = format!("(.text >> lines >> where {{ {condition} }} >> len)");
        self.take(looked.from, looked.to, &format!("where {{ {condition} }}"));
        let mut reader = format!("{reader} >> each {{ {{ file: .title, count: {count} }} }}");
        if self.leaves_out(looked) {
            reader += " >> where { .count > 0 }";
        }
        for at in 0..self.tokens.len() {
            let is_place = PLACES.contains(&self.lower(at));
            let is_count = matches!(self.lower(at), "number" | "count" | "often");
            if !self.taken[at] && (is_place || is_count) {
                self.take(at, at + 1, "len");
            } else if self.says(at, &["how", "many"]) && asked.is_none_or(|it| it != at + 2) {
                self.take(at, at + 2, "len");
            } else if self.lower(at) == "worst" {
                self.say(at, "most", words);
            }
        }
        match (asked, each) {
            (Some(asked), _) => self.say(asked, "file", words),
            (None, Some((from, to))) => self.take(from, to, "each"),
            (None, None) => return None,
        }
        self.take_names(asked);
        let rows: Vec<(&str, bool)> = vec![("file", false), ("count", true)];
        let table = Table::of_cells(&self.seen.path, &reader, &rows, words);
        Some(self.view(table))
    }

    /// Takes a clause about the files without the text, and says whether they are left out.
    fn leaves_out(&mut self, looked: &Looked) -> bool {
        let is_none = |at: usize| {
            self.lower(at) == "none"
                || self.says(at, &["without", "any"])
                || self.says(at, &["with", "no"])
                || self.says(at, &["with", "zero"])
        };
        let Some(at) = (0..self.tokens.len()).find(|at| is_none(*at)) else { return false };
        let is_edge = |it: &usize| self.tokens[*it].ends;
        let from = (0..at).rev().find(is_edge).map_or(0, |it| it + 1);
        let to = (at..self.tokens.len()).find(is_edge).map_or(self.tokens.len(), |it| it + 1);
        let verbs = |all: &[&str]| (from..to).find(|it| all.contains(&self.lower(*it)));
        let (leaves, keeps) = (verbs(&LEAVING), verbs(&KEEPING));
        let Some(verb) = leaves.or(keeps) else { return false };
        let is_text = |it: &usize| {
            let own = &self.tokens[looked.from..looked.to];
            own.iter().any(|own| own.term.is_some() && own.term == self.tokens[*it].term)
        };
        let known = |it: &usize| {
            let lower = self.lower(*it);
            let is_glue = matches!(
                lower,
                "out" | "any" | "none" | "zero" | "no" | "too" | "well" | "with" | "without"
            );
            is_glue || *it == verb || self.tokens[*it].is_stop || self.is_noun(*it) || is_text(it)
        };
        let all: Vec<usize> = (from..to).filter(known).collect();
        for it in all {
            self.taken[it] = true;
        }
        leaves.is_some()
    }

    /// `I want the file names`: the names of files are what is returned anyway.
    fn take_names(&mut self, asked: Option<usize>) {
        for at in 0..self.tokens.len() {
            let is_noun = |at: usize| Some(at) != asked && self.is_noun(at);
            let is_name = match self.lower(at) {
                "filename" | "filenames" => true,
                "name" | "names" => at > 0 && is_noun(at - 1),
                _ => is_noun(at),
            };
            self.taken[at] |= is_name;
        }
    }

    /// Files that have a text.
    fn chosen(
        mut self,
        reader: &str,
        looked: &Looked,
        texts: &[&str],
        asked: usize,
        words: &mut Vocabulary,
    ) -> Option<View> {
        if self.size().is_some() {
            return None;
        }
        let stage = format!("where {{ {} }}", looked.condition(".text", texts));
        self.take(looked.from, looked.to, &stage);
        self.say(asked, "lines", words);
        self.take_names(Some(asked));
        let reader = format!("{reader} >> {stage} >> each {{ .title }}");
        Some(self.view(Table::of_lines(&self.seen.path, &reader, &[], words)))
    }

    /// Files with a number of the whole file.
    fn sized(
        mut self,
        reader: &str,
        docs: &[Doc],
        asked: Option<usize>,
        words: &mut Vocabulary,
    ) -> View {
        let Some((at, name, cell)) = self.size().or_else(|| self.length(docs, words)) else {
            return self.listed(reader, asked, words);
        };
        let reader = format!("{reader} >> each {{ {{ file: .title, {name}: {cell} }} }}");
        let has_total = self.tokens.iter().any(|it| closed::total(it).is_some());
        let is_asked = |words: [&str; 2]| at >= 2 && self.says(at - 2, &words);
        if is_asked(["how", "many"]) || is_asked(["number", "of"]) {
            self.take(at - 2, at, "len");
        }
        if let Some(verb) = self.find(&["contains"]).or_else(|| self.find(&["contain"])) {
            self.taken[verb] = true;
        }
        if let Some((from, to)) = self.each() {
            self.take(from, to, "each");
            if asked.is_none() && !has_total {
                self.take(at, at + 1, cell);
            }
        }
        if let Some(asked) = asked {
            let is_counted = asked > 0 && self.lower(asked - 1) == "many";
            self.say(asked, if is_counted { "rows" } else { "file" }, words);
        }
        self.take_names(asked);
        let cells = [("file", false), (name, true)];
        self.view(Table::of_cells(&self.seen.path, &reader, &cells, words))
    }

    /// `the longest`: the number of characters, if the number of words says the same.
    fn length(
        &mut self,
        docs: &[Doc],
        words: &mut Vocabulary,
    ) -> Option<(usize, &'static str, &'static str)> {
        let is_length = |it: &usize| matches!(self.lower(*it), "longest" | "shortest");
        let at = (0..self.tokens.len()).find(is_length)?;
        let is_long = self.lower(at) == "longest";
        let by = |size: &dyn Fn(&Doc) -> usize| {
            let most = docs.iter().map(size).max();
            let least = docs.iter().map(size).min();
            let wanted = if is_long { most } else { least };
            docs.iter().map(|it| Some(size(it)) == wanted).collect::<Vec<_>>()
        };
        let is_same =
            by(&|it| it.text.chars().count()) == by(&|it| it.text.split_whitespace().count());
        if !is_same {
            return None;
        }
        self.say(at, if is_long { "most" } else { "least" }, words);
        Some((at, SIZES[2].0, SIZES[2].1))
    }

    /// The sizes and ages of files on disk.
    fn measured(&self, reader: &str, words: &mut Vocabulary) -> Option<View> {
        const SAYING: [&str; 10] = [
            "size", "sizes", "largest", "biggest", "smallest", "newest", "oldest", "latest",
            "modified", "changed",
        ];
        let says = |it: &Token| SAYING.contains(&it.lower.as_str());
        let is_plain = |it: &Token| {
            is_word(it) || matches!(it.literal, Some(Literal::Path(_) | Literal::Number(_)))
        };
        let is_asked = self.tokens.iter().any(says) && self.tokens.iter().all(is_plain);
        if !is_asked
            || self.size().is_some()
            || !reader.starts_with("read_files(")
            || reader.contains(" >> ")
        {
            return None;
        }
        let mut goal = self.clone();
        let asked = goal.asked();
        if let Some(asked) = asked {
            goal.say(asked, "file", words);
        }
        goal.take_names(asked);
        let reader = format!(
            "{} >> each {{ {{ file: .name, size: .size / 1B, modified: .modified }} }}",
            reader.replace("read_files", "list_files")
        );
        let mut table = Table::of_cells(
            &self.seen.path,
            &reader,
            &[("file", false), ("size", true), ("modified", false)],
            words,
        );
        table.columns[2].kind = Kind::Date;
        table.columns[1].kind = Kind::Float;
        Some(goal.view(table))
    }

    /// The names of the files, whatever is in them.
    fn listed(mut self, reader: &str, asked: Option<usize>, words: &mut Vocabulary) -> View {
        let entries = reader.split(" >> each {").next().unwrap_or(reader);
        let reader = format!("{} >> each {{ .name }}", entries.replace("read_files", "list_files"));
        if let Some(asked) = asked {
            self.say(asked, "lines", words);
        }
        self.take_names(asked);
        self.view(Table::of_lines(&self.seen.path, &reader, &[], words))
    }

    /// A number of all files together.
    fn total(mut self, reader: &str, words: &mut Vocabulary) -> Option<View> {
        let (at, name, cell) = self.size()?;
        let reader = format!("{reader} >> each {{ {{ {name}: {cell} }} }}");
        let from = at.checked_sub(2)?;
        if self.says(from, &["how", "many"]) || self.says(from, &["number", "of"]) {
            self.take(from, at, "sum");
            let is_total = (0..self.tokens.len()).any(|it| self.lower(it) == "total");
            if !is_total {
                self.say(from, "total", words);
            }
        }
        Some(self.view(Table::of_cells(&self.seen.path, &reader, &[(name, true)], words)))
    }
}
