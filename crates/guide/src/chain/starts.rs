//! The beginnings of pipelines: the values of a goal, its files, moments, records of several values,
//! and params for what it does not have.

use svc_contract::value::{Type, literal};

use super::{
    arguments::{self, Form},
    formats::{extension, is_binary},
    goal::{Given, Kind, Mask, bit, bits},
    meaning::Meaning,
    search::{Asked, Draft, OF_CONVERSION, OF_LATE, Readers, Search, reader},
    typed,
};
use crate::tables::{Content, Seen};

impl Search<'_> {
    /// The values of the goal, as the beginnings of pipelines.
    pub(super) fn starts(&mut self) -> Vec<Draft> {
        let mut all = Vec::new();
        for idx in 0..self.goal.givens.len() {
            let given = &self.goal.givens[idx];
            let covered = self.label(given);
            for stages in self.beginnings(given) {
                let start = self.start(stages, bit(idx), covered);
                #[expect(clippy::cast_precision_loss, reason = "a goal has few values")]
                let late = idx as f64 * OF_LATE;
                all.extend(start.map(|it| Draft { score: it.score - late, ..it }));
            }
        }
        all.extend(self.path_starts());
        all.extend(self.clock_starts());
        all.extend(self.record_starts());
        if self.goal.givens.is_empty() {
            all.extend(self.asked());
        }
        all
    }

    fn start(&self, stages: Vec<String>, used: Mask, covered: Mask) -> Option<Draft> {
        let ty = self.catalog.tried(&stages.join(" >> ")).gives?;
        #[expect(clippy::cast_precision_loss, reason = "there are two stages")]
        let score = -(stages.len() as f64) * OF_CONVERSION;
        let (params, steps, module) = (Vec::new(), Vec::new(), None);
        Some(Draft { params, module, stages, ty, covered, used, steps, score })
    }

    /// How a value begins a pipeline: as it is, or read as a file.
    fn beginnings(&self, given: &Given) -> Vec<Vec<String>> {
        match given.kind {
            Kind::Path => {
                let readers = self.readers(given);
                // What is done with each thing in a text is done with each line.
                let text = readers.last().filter(|it| it.starts_with("read_text"));
                let lines = text.filter(|_| self.each() != 0);
                let lines = lines.map(|it| vec![it.clone(), "lines".to_owned()]);
                readers.iter().map(|it| vec![it.clone()]).chain(lines).collect()
            }
            Kind::Zone | Kind::Clock | Kind::Glob => Vec::new(),
            _ => vec![vec![given.text.clone()]],
        }
    }

    /// The stages that read a file: as what is in it if it was looked at, and as text.
    fn readers(&self, given: &Given) -> Vec<String> {
        let is_it = |it: &&Seen| {
            let is_file = it.within.is_none() && matches!(it.content, Content::One(_));
            is_file && literal::text(&it.path) == given.text
        };
        let seen = self.seen.iter().find(is_it);
        // What was made of the lines of a text is for questions about it.
        let seen = seen.filter(|it| !it.reader.contains("captures"));
        let typed = seen.map(typed::reader);
        let any = seen.map(|it| typed::untyped(&it.reader));
        let name = given.text.trim_end_matches('"');
        let is_text = extension(name).is_some() && !is_binary(name);
        let text = is_text.then(|| format!("read_text(path: {})", given.text));
        let mut all: Vec<String> = typed.into_iter().chain(any).chain(text).collect();
        all.dedup();
        all
    }

    /// Paths for the ops that take one.
    fn path_starts(&self) -> Vec<Draft> {
        let paths = self.goal.givens.iter().enumerate().filter(|(_, it)| it.kind == Kind::Path);
        let start = |(idx, given): (usize, &Given)| Draft {
            params: Vec::new(),
            module: None,
            stages: vec![given.text.clone()],
            ty: Type::Path,
            covered: self.label(given),
            used: bit(idx),
            steps: Vec::new(),
            score: 0.0,
        };
        let files = paths.clone().filter(|(_, it)| extension(&it.text).is_none());
        let files = files.filter_map(|(idx, it)| self.files_start(idx, it)).collect::<Vec<_>>();
        paths.map(start).chain(files).collect()
    }

    /// The texts of all files of a folder, if the goal speaks of them.
    fn files_start(&self, idx: usize, given: &Given) -> Option<Draft> {
        let is_file = |it: &usize| matches!(&*self.goal.tokens[*it].lower, "file" | "files");
        let nouns = bits((0..self.goal.tokens.len()).filter(is_file));
        let list = format!("list_files({})", given.text);
        let stages = vec![list, "each { .path >> read_text }".to_owned()];
        if nouns == 0 { None } else { self.start(stages, bit(idx), nouns | self.label(given)) }
    }

    /// A date, a time of day and a zone are a moment.
    fn clock_starts(&self) -> Vec<Draft> {
        let goal = self.goal;
        let find = |kind: Kind| goal.givens.iter().position(|it| it.kind == kind);
        let (Some(date), Some(clock)) = (find(Kind::Date), find(Kind::Clock)) else {
            return Vec::new();
        };
        let at = |idx: usize| goal.givens[idx].at;
        let zones = (0..goal.givens.len()).filter(|it| goal.givens[*it].kind == Kind::Zone);
        // The zone next to the time of day is its own; the other one is asked for.
        let Some(zone) = zones.min_by_key(|it| (at(*it).abs_diff(at(clock)), *it)) else {
            return Vec::new();
        };
        let [date_text, clock_text, zone_text] =
            [date, clock, zone].map(|it| goal.givens[it].text.as_str());
        let call = format!("time_at(clock: {clock_text}, zone: {zone_text})");
        let covered = self.label(&goal.givens[clock]) | self.label(&goal.givens[zone]);
        let used = bit(date) | bit(clock) | bit(zone);
        self.start(vec![date_text.to_owned(), call], used, covered).into_iter().collect()
    }

    /// The records that the ops take as inputs.
    fn record_starts(&self) -> Vec<Draft> {
        let readers = self.all_readers();
        let reads = |given: &Given, form: Form| reader(&readers, given, form);
        let ops = self.meanings.iter().filter_map(Meaning::op);
        let records = ops.filter_map(|op| arguments::record(op, self.goal, &reads));
        records.filter_map(|(text, used)| self.start(vec![text], used, 0)).collect()
    }

    pub(super) fn all_readers(&self) -> Readers {
        let files = self.goal.givens.iter().filter(|it| it.kind == Kind::Path);
        files.map(|it| (it.at, self.readers(it))).collect()
    }

    /// The noun next to a value that only says what it is: `these scores: 12, 7`.
    pub(super) fn label(&self, given: &Given) -> Mask {
        let is_plain = |at: usize| {
            let is_core = |it: &Meaning| it.core & bit(at) != 0;
            self.goal.content & !self.goal.little & bit(at) != 0
                && !self.meanings.iter().any(is_core)
        };
        let before = given.at.checked_sub(1).filter(|it| is_plain(*it));
        let behind = Some(given.end)
            .filter(|it| *it < self.goal.tokens.len() && !self.goal.tokens[it - 1].ends)
            .filter(|it| given.kind == Kind::Number && is_plain(*it));
        bits(before.into_iter().chain(behind))
    }

    /// A param of the script in place of a value that the goal does not have.
    fn asked(&mut self) -> Vec<Draft> {
        let mut all: Vec<Draft> = Vec::new();
        for meaning in self.meanings {
            let Some(op) = meaning.op() else { continue };
            let Some(input) = op.op.input() else { continue };
            let is_file =
                self.goal.tokens.iter().any(|it| matches!(&*it.lower, "file" | "document"));
            let (ty, start) = match input.scheme.show() {
                it if it.starts_with("string") && is_file => {
                    ("path".to_owned(), "read_text(path: file)".to_owned())
                }
                it => (it, input.name.to_owned()),
            };
            let name = if is_file { "file" } else { input.name };
            if self.catalog.type_of(&ty).is_none() || all.iter().any(|it| it.params[0].ty == ty) {
                continue;
            }
            let asked = Asked { name: name.to_owned(), ty, doc: input.doc.to_owned() };
            let tried = self.catalog.tried(&format!("param {}: {}\n{start}", asked.name, asked.ty));
            let Some(ty) = tried.gives else { continue };
            let nouns = self
                .goal
                .tokens
                .iter()
                .enumerate()
                .filter(|(_, it)| matches!(&*it.lower, "file" | "document" | "text" | "list"));
            let covered = bits(nouns.map(|(at, _)| at));
            let (params, stages) = (vec![asked], vec![start]);
            all.push(Draft {
                params,
                module: None,
                stages,
                ty,
                covered,
                used: 0,
                steps: Vec::new(),
                score: -1.0,
            });
        }
        all
    }
}
