//! The inputs of a step: its texts and numbers, and the ops that read its files.

use svc_contract::registry::{Effect, OpRef, Param, Scheme, Scope};

use super::{
    draft::{Draft, Stage},
    goal::LiteralInContext,
    literals::Literal,
    mention::{Mention, is_free_text},
    route::{DETOUR, Route},
};

/// A value that a pipeline can begin with.
pub(super) struct Value {
    pub(super) written: String,
    /// The literals that it uses, by step and index in the step.
    pub(super) used: Vec<(usize, usize)>,
    /// Whether it is a list of the op's input type.
    pub(super) per_item: bool,
}

impl Route<'_> {
    /// Whether the step names a folder, and a quoted text to look for in it.
    pub(super) fn has_folder(&self, step: usize) -> bool {
        let literals = self.clauses[step].literals.iter();
        let is_folder = |it: &Literal| it.kind_of_file() == Some("files");
        literals.map(|it| &it.literal).any(is_folder) && self.quoted(step).is_some()
    }

    /// The literals that an op can begin with, of this step or else of a later one.
    pub(super) fn values(&self, step: usize, op: OpRef, input: &Param) -> Option<Value> {
        (step..self.clauses.len()).find_map(|at| {
            let literals = &self.clauses[at].literals;
            let fitting = self.fitting(at, step, op, input);
            let is_place =
                |it: &usize| matches!(literals[*it].literal, Literal::Url(_) | Literal::Path(_));
            if fitting.len() > 1 && fitting.iter().all(is_place) {
                let all: Vec<String> =
                    fitting.iter().map(|idx| literals[*idx].literal.written()).collect();
                let used = fitting.iter().map(|idx| (at, *idx)).collect();
                return Some(Value {
                    written: format!("[{}]", all.join(", ")),
                    used,
                    per_item: true,
                });
            }
            if fitting.is_empty() && at == step {
                return self.texts(step, input);
            }
            let idx = *fitting.first()?;
            let written = literals[idx].literal.written();
            Some(Value { written, used: vec![(at, idx)], per_item: false })
        })
    }

    /// All quoted texts, if an op takes a list of them: `join "a" and "b" with "-"`.
    fn texts(&self, step: usize, input: &Param) -> Option<Value> {
        let is_aside = |it: &String| matches!(it.as_str(), "with" | "by" | "on" | "using");
        let is_item = |it: &LiteralInContext| {
            matches!(it.literal, Literal::Quoted(_)) && !it.before.last().is_some_and(is_aside)
        };
        matches!(input.scheme, Scheme::List(Scheme::Text | Scheme::Var(_) | Scheme::Ordered(_), _))
            .then_some(())?;
        let literals = self.clauses[step].literals.iter().enumerate();
        let items: Vec<_> = literals.filter(|(_, it)| is_item(it)).collect();
        (items.len() > 1).then(|| {
            let all: Vec<String> = items.iter().map(|(_, it)| it.literal.written()).collect();
            let used = items.iter().map(|(idx, _)| (step, *idx)).collect();
            Value { written: format!("[{}]", all.join(", ")), used, per_item: false }
        })
    }

    /// The literals of the step `at` that fit the input of an op of the step `step`.
    fn fitting(&self, at: usize, step: usize, op: OpRef, input: &Param) -> Vec<usize> {
        let takes = input.scheme;
        let needs = |it: &&Param| {
            it.default.is_none() && matches!(it.scheme, Scheme::Text | Scheme::Var(_))
        };
        let needed = op.op.params.iter().skip(1).filter(needs).count();
        let literals = &self.clauses[at].literals;
        let quoted = literals.iter().filter(|it| matches!(it.literal, Literal::Quoted(_)));
        let is_spare = at != step || quoted.count() > needed;
        let fits = |it: &Literal| match it {
            // Next to a file, a text is searched for in the file.
            Literal::Quoted(_) if self.clauses[at].has_place() && !is_free_text(op) => false,
            Literal::Quoted(_) => is_spare && it.fits(takes),
            // An address is a text only if a text is meant.
            Literal::Url(_) if input.name != "url" && at == step => false,
            Literal::Path(_) | Literal::Url(_) | Literal::Number(_) if at != step => {
                matches!(takes, Scheme::Var(_))
            }
            it => it.fits(takes),
        };
        let mut all: Vec<usize> =
            (0..literals.len()).filter(|idx| fits(&literals[*idx].literal)).collect();
        // `in "a text"` marks the input.
        let is_within = |it: &String| matches!(it.as_str(), "in" | "of" | "from" | "within");
        let is_first = |it: &LiteralInContext| {
            matches!(it.literal, Literal::Quoted(_)) && it.before.last().is_some_and(is_within)
        };
        all.sort_by_key(|idx| !is_first(&literals[*idx]));
        all
    }

    /// The first quoted text of a step.
    pub(super) fn quoted(&self, step: usize) -> Option<usize> {
        let literals = &self.clauses[step].literals;
        literals.iter().position(|it| matches!(it.literal, Literal::Quoted(_)))
    }

    /// Begins with the content of a file or page that this step, or a later one, names.
    pub(super) fn read(&self, step: usize) -> Vec<Draft> {
        let several = self.read_several(step);
        if !several.is_empty() {
            return several;
        }
        let literals = self.clauses[step].literals.iter().enumerate();
        let readable =
            literals.filter(|(_, it)| matches!(it.literal, Literal::Path(_) | Literal::Url(_)));
        let Some((idx, given)) = readable.map(|(idx, it)| (idx, &it.literal)).next() else {
            return Vec::new();
        };
        let begun = self.best_readers(given).into_iter().take(2).filter_map(|op| {
            let input = op.op.input()?;
            let name = op.script_name();
            let filling = self.filling(step, &[(step, idx)]);
            let call = filling.call(op);
            let mut args = vec![format!("{}: {}", input.name, given.written())];
            let extra = call.args.iter().filter(|(name, _)| *name == "glob");
            args.extend(extra.map(|(name, value)| format!("{name}: {value}")));
            let mut draft = Draft { used: vec![(step, idx)], ..Draft::default() };
            draft.score -= DETOUR;
            draft.stages.push(Stage::of(op, format!("{name}({})", args.join(", "))));
            if self.is_table(step, given) {
                let rows = self.catalog.registry().resolve("parse_csv");
                draft.stages.extend(rows.map(|it| Stage::of(it, it.script_name())));
            }
            self.tried(draft)
        });
        begun.collect()
    }

    /// Whether a step mentions the rows of a file, and not its text.
    fn is_table(&self, step: usize, file: &Literal) -> bool {
        const ROWS: &str = "row rows column columns csv table cell cells parse records record";
        let says = |it: &String| ROWS.split_whitespace().any(|word| word == it);
        file.plain().to_lowercase().ends_with(".csv")
            && self.clauses.iter().any(|it| it.words.iter().any(says))
            && !self.clauses[step].words.iter().any(|it| it == "lines" || it == "line")
    }

    /// The op that splits a table into rows, if a step mentions rows and not lines.
    pub(super) fn of_table(&self, draft: &Draft, op: OpRef, mention: &Mention) -> Option<OpRef> {
        let is_read = draft.stages.iter().any(|it| it.text.contains(".csv\""));
        let of_rows = mention.words.iter().any(|it| it.starts_with("row"));
        let rows = self.catalog.registry().resolve("parse_csv")?;
        (op.script_name() == "lines" && is_read && of_rows).then_some(rows)
    }

    /// Whether an op splits what a draft has already split: rows into lines, lines into lines.
    pub(super) fn has_cut(draft: &Draft, op: OpRef) -> bool {
        let name = op.script_name();
        let has = |it: &str| draft.ops().any(|of| of == it);
        match name.as_str() {
            "lines" => has("lines") || has("parse_csv"),
            "words" | "parse_csv" => has(&name),
            _ => false,
        }
    }

    /// Whether an op reads a file, and a draft has read the only one that the step names.
    pub(super) fn has_read(&self, draft: &Draft, step: usize, op: OpRef) -> bool {
        let literals = self.clauses[step].literals.iter().enumerate();
        let mut places = literals.filter(|(_, it)| matches!(it.literal, Literal::Path(_)));
        let Some((idx, given)) = places.next() else { return false };
        let is_op = |it: &(i64, OpRef)| it.1.to_string() == op.to_string();
        draft.used.contains(&(step, idx))
            && places.next().is_none()
            && self.readers(&given.literal).iter().any(is_op)
    }

    /// Whether an op reads the file of a step, but others are better suited: a folder is not a
    /// file.
    pub(super) fn reads_worse(&self, step: usize, op: OpRef) -> bool {
        let mut places = self.clauses[step].literals.iter().map(|it| &it.literal);
        let Some(place) = places.find(|it| matches!(it, Literal::Path(_))) else {
            return false;
        };
        let readers = self.readers(place);
        let is_op = |it: &&(i64, OpRef)| it.1.to_string() == op.to_string();
        let best = readers.iter().map(|(rank, _)| *rank).max();
        readers.iter().find(is_op).is_some_and(|(rank, _)| Some(*rank) < best)
    }

    /// The ops that fit the kind of a literal best.
    pub(super) fn best_readers(&self, literal: &Literal) -> Vec<OpRef> {
        let readers = self.readers(literal);
        let best = readers.iter().map(|(rank, _)| *rank).max();
        readers.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, op)| op).collect()
    }

    /// The ops that read a literal, and how well they fit its kind.
    fn readers(&self, literal: &Literal) -> Vec<(i64, OpRef)> {
        let kinds = ["pdf", "json", "jsonl", "files"];
        let kind = literal.kind_of_file().unwrap_or("page");
        let components = self.catalog.registry().components().iter().copied();
        let ops = components
            .flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }));
        let rank = |op: OpRef| {
            let input = op.op.input()?;
            let reads = op.op.effects.iter().any(|it| match it {
                Effect::Reads(Scope::Path(name) | Scope::Web(name)) => *name == input.name,
                _ => false,
            });
            let scheme_fits = literal.fits(input.scheme);
            let is_only_reading = op.op.effects.len() == 1 && reads && scheme_fits;
            let name = op.script_name();
            let has = |word: &str| name.split('_').any(|it| it == word);
            let other = kinds.iter().filter(|it| **it != kind && has(it)).count();
            let rank = 2 * i64::from(has(kind)) - i64::try_from(other).unwrap_or(9);
            is_only_reading.then_some((rank, op))
        };
        ops.filter_map(rank).collect()
    }
}
