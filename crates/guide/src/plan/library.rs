//! Goals that a single flow of the standard library serves.

use std::collections::BTreeSet;

use svc_contract::registry::{LibraryFlow, OpRef};
use svc_text::{
    stems::{Term, Vocabulary},
    synonyms,
};

use super::{
    arguments::{sentence, topic},
    asking,
    draft::{Draft, Stage},
    goal::{Clause, Goal, LiteralInContext},
    literals::{Literal, quoted},
    mention::is_generic,
    route::Route,
};

/// The weights of a word of the goal in the name of a module, in the summary of a module, in the
/// name of a flow, and in the summary of a flow.
const OF_MODULE: f64 = 1.5;
const OF_SUMMARY: f64 = 1.0;
const OF_FLOW: f64 = 0.8;
const OF_DOC: f64 = 0.4;

/// The minimum score of a flow.
pub(super) const LEAST: f64 = 2.0;

/// The score from which a flow is chosen over any other pipeline.
pub(super) const SURE: f64 = 3.4;

/// A flow for a goal.
pub(super) struct Served {
    pub(super) draft: Draft,
    /// How well the flow matches the goal.
    pub(super) score: f64,
}

impl Route<'_> {
    /// The script that calls the flow which matches the goal best.
    pub(super) fn by_library(&self, goal: &str, read: &Goal) -> Option<Served> {
        let mut words = Vocabulary::default();
        let content: Vec<&str> = read.clauses.iter().flat_map(Clause::content).collect();
        let mut terms = |word: &str| {
            let meant = synonyms::meanings(word).collect::<Vec<_>>().join(" ");
            (words.terms(&format!("{word} {meant}")), is_generic(word))
        };
        let asked: BTreeSet<(Vec<Term>, bool)> = content.iter().map(|it| terms(it)).collect();
        let mut ranked: Vec<(f64, LibraryFlow)> = self
            .catalog
            .library()
            .into_iter()
            .filter(|it| says_model(read) || !needs_model(it))
            .map(|it| (score(&it, &asked, &mut words), it))
            .filter(|(score, _)| *score >= LEAST)
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().find_map(|(score, flow)| {
            let draft = self.called_from_library(&flow, goal)?;
            Some(Served { draft, score })
        })
    }

    fn called_from_library(&self, flow: &LibraryFlow, goal: &str) -> Option<Draft> {
        let mut draft = Draft { uses: Some(flow.module), ..Draft::default() };
        let mut params = flow.params.iter().map(|it| Declared::read(it));
        let input = params.next()?;
        self.enter(&input, goal, &mut draft)?;
        let mut args = Vec::new();
        for param in params {
            match self.value(&param, goal, &mut draft) {
                Some(value) => args.push(format!("{}: {value}", param.name)),
                None if param.is_optional => {}
                None => return None,
            }
        }
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        let first = flow.doc.split(". ").next().unwrap_or_default();
        let note = first.replace('\n', " ").trim_end_matches('.').to_lowercase();
        let text = format!("{}.{}{args}", flow.module, flow.name);
        draft.stages.push(Stage { note, ..Stage::value(text) });
        let draft = self.tried(draft)?;
        self.stored(draft)
    }

    /// Begins with the input of the flow.
    fn enter(&self, param: &Declared, goal: &str, draft: &mut Draft) -> Option<()> {
        let readable = matches!(param.ty, "string" if param.is_a_text()) || param.ty == "[Doc]";
        let wants = |it: &Draft| {
            let ty = it.ty.as_ref().map(ToString::to_string).unwrap_or_default();
            ty == "string" || ty.starts_with(param.ty.trim_end_matches(']'))
        };
        if readable {
            let read = (0..self.clauses.len()).flat_map(|step| self.read(step));
            let read = read.filter_map(|it| self.uncut(it)).find(wants);
            if let Some(read) = read {
                draft.stages = read.stages;
                draft.used = read.used;
                return Some(());
            }
        }
        let value = self.value(param, goal, draft)?;
        draft.stages.push(Stage::value(value));
        Some(())
    }

    /// Replaces a parsed table with the text that it was read from.
    fn uncut(&self, mut draft: Draft) -> Option<Draft> {
        let is_rows = |it: &Stage| it.op.is_some_and(|it| it.script_name() == "parse_csv");
        if !draft.stages.last().is_some_and(is_rows) {
            return Some(draft);
        }
        draft.stages.pop();
        self.tried(draft)
    }

    /// The value for a param from the goal, by type and name.
    fn value(&self, param: &Declared, goal: &str, draft: &mut Draft) -> Option<String> {
        let free: Vec<((usize, usize), &LiteralInContext)> = self
            .literals()
            .filter(|(place, it)| !draft.used.contains(place) && !it.is_target())
            .collect();
        let of_kind = |is: fn(&Literal) -> bool| -> Vec<((usize, usize), String)> {
            let found = free.iter().filter(|(_, it)| is(&it.literal));
            found.map(|(place, it)| (*place, it.literal.written())).collect()
        };
        let found = match param.ty {
            _ if param.ty.starts_with("[path") => several(of_kind(is_place)),
            "path" => of_kind(is_place).into_iter().take(1).collect(),
            _ if param.ty.starts_with("[string") => several(of_kind(is_quoted)),
            _ if param.ty.starts_with("int") && param.name == "n" => {
                of_kind(is_number).into_iter().take(1).collect()
            }
            "string" if param.name == "fields" => return fields(self.clauses),
            "string" if !param.is_optional => {
                let quoted = of_kind(is_quoted).into_iter().take(1).collect::<Vec<_>>();
                if quoted.is_empty() {
                    return param.is_asked().then(|| self.wording(param, goal));
                }
                quoted
            }
            _ => return None,
        };
        draft.used.extend(found.iter().map(|(place, _)| *place));
        let written: Vec<String> = found.into_iter().map(|(_, it)| it).collect();
        match (written.as_slice(), param.ty.starts_with('[')) {
            ([], _) => None,
            (all, true) => Some(format!("[{}]", all.join(", "))),
            ([first, ..], false) => Some(first.clone()),
        }
    }

    fn literals(&self) -> impl Iterator<Item = ((usize, usize), &LiteralInContext)> {
        let steps = self.clauses.iter().enumerate();
        steps.flat_map(|(step, it)| {
            it.literals.iter().enumerate().map(move |(idx, it)| ((step, idx), it))
        })
    }

    /// A question or a task in the words of the goal.
    fn wording(&self, param: &Declared, goal: &str) -> String {
        let topic = self.clauses.iter().find_map(topic).filter(|_| param.name == "question");
        quoted(&topic.unwrap_or_else(|| sentence(goal, '.')))
    }

    /// Writes the result to the file that the goal names for it.
    fn stored(&self, draft: Draft) -> Option<Draft> {
        let mut targets = self.literals().filter(|(_, it)| it.is_target());
        let Some((place, target)) = targets.next() else { return Some(draft) };
        let registry = self.catalog.registry();
        let write = |name: &str, before: Option<&str>| {
            let op: OpRef = registry.resolve(name)?;
            let mut draft = draft.clone();
            draft.stages.extend(before.map(Stage::value));
            let text = format!("{name}(to: {})", target.literal.written());
            draft.stages.push(Stage::of(op, text));
            draft.used.push(place);
            self.tried(draft)
        };
        write("write_file", None)
            .or_else(|| write("write_file", Some(".text")))
            .or_else(|| write("save_json", None))
    }
}

/// The declaration of a param of a flow.
struct Declared<'a> {
    name: &'a str,
    ty: &'a str,
    is_optional: bool,
}

impl<'a> Declared<'a> {
    fn read(written: &'a str) -> Self {
        let (name, rest) = written.split_once(':').unwrap_or((written, ""));
        let (ty, is_optional) = match rest.split_once(" = ") {
            Some((ty, _)) => (ty, true),
            None => (rest, false),
        };
        Self { name: name.trim(), ty: ty.trim(), is_optional }
    }

    /// Whether it is a text to process rather than a question.
    fn is_a_text(&self) -> bool {
        !self.is_asked()
    }

    /// Whether it is a question or a task.
    fn is_asked(&self) -> bool {
        matches!(self.name, "question" | "task" | "brief" | "aim")
    }
}

/// How well a flow matches a goal.
fn score(flow: &LibraryFlow, asked: &BTreeSet<(Vec<Term>, bool)>, words: &mut Vocabulary) -> f64 {
    let mut terms = |text: &str| words.terms(&text.replace('_', " "));
    let places = [
        (OF_MODULE, terms(flow.module)),
        (OF_SUMMARY, terms(flow.summary)),
        (OF_FLOW, terms(&flow.name)),
        (OF_DOC, terms(&flow.doc)),
    ];
    let counts = |(terms, is_generic): &(Vec<Term>, bool)| {
        let has = |all: &[Term]| terms.iter().any(|it| all.contains(it));
        let best = places.iter().find(|(_, all)| has(all)).map_or(0.0, |it| it.0);
        if *is_generic { best / 3.0 } else { best }
    };
    asked.iter().map(counts).sum()
}

/// The fields to extract, formatted as in a type.
fn fields(clauses: &[Clause]) -> Option<String> {
    let record = clauses.iter().find_map(|it| asking::fields(&it.text))?;
    Some(quoted(record.trim_matches(['{', '}', ' '])))
}

/// Returns the values if there is more than one, otherwise none.
fn several<T>(all: Vec<T>) -> Vec<T> {
    if all.len() > 1 { all } else { Vec::new() }
}

fn says_model(goal: &Goal) -> bool {
    let is_model =
        |it: &str| matches!(it, "model" | "models" | "llm" | "ai" | "gpt" | "chatgpt" | "llms");
    goal.clauses.iter().any(|it| it.words.iter().any(|word| is_model(word)))
}

fn needs_model(flow: &LibraryFlow) -> bool {
    flow.name.ends_with("by_model")
}

fn is_place(it: &Literal) -> bool {
    matches!(it, Literal::Path(_))
}

fn is_quoted(it: &Literal) -> bool {
    matches!(it, Literal::Quoted(_))
}

fn is_number(it: &Literal) -> bool {
    matches!(it, Literal::Number(_))
}
