//! Scripts for goals that are chains of ops: the words of the goal ask for ops by the phrasings of
//! the registry, its values are their inputs and arguments, and the types decide what fits.
//!
//! A script is one only if it serves every word with content and uses every value; the rest of a
//! goal is a typed hole at the end of a sketch.

mod arguments;
mod goal;
mod meaning;
mod search;
mod zones;

use svc_contract::{
    registry::{Catalog, Effect, FieldScheme, Scheme},
    value::Type,
};
use svc_text::stems::Vocabulary;

use goal::{Goal, Mask, bit};
use meaning::meanings;
use search::{Asked, Draft, Search, Step};

use crate::{
    Need, Part, Workflow,
    plan::Wanted,
    tables::lexicon::Lexicon,
    workflow::{self, head},
};

/// The default budget of a script that spends money.
const USUAL_BUDGET: &str = "$0.50";

/// The part of its words that a sketch has to serve.
const LEAST_OF_SKETCH: f64 = 0.6;

/// Two pipelines that are as good as each other, within this, are alternatives.
const NEAR: f64 = 0.5;

/// What it is worth that the goal names a field of the result.
const OF_FIELD: f64 = 1.5;

/// What comes of a goal.
pub(crate) struct Outcome {
    /// A script or a sketch.
    pub(crate) workflow: Option<Workflow>,
    /// The words that nothing serves.
    pub(crate) open: Vec<String>,
}

/// Reads a goal as a chain of ops.
pub(crate) fn answer(wanted: &Wanted, output: Option<&Type>, catalog: &dyn Catalog) -> Outcome {
    let mut words = Vocabulary::default();
    let lexicon = Lexicon::of(catalog.registry(), &mut words);
    let goal = Goal::of(&wanted.goal, &lexicon, &mut words);
    let meanings = meanings(&goal, catalog, &mut words);
    let mut search =
        Search { goal: &goal, meanings: &meanings, catalog, seen: &wanted.seen, words: &mut words };
    let starts = match &wanted.input {
        Some(ty) => search.given(ty).into_iter().collect(),
        None => search.starts(),
    };
    let mut drafts = search.drafts(starts.clone());
    drafts.extend(search.together(&starts));
    let mut drafts: Vec<Draft> =
        drafts.into_iter().map(|it| with_field(it, &goal, catalog)).collect();
    drafts.sort_by(|a, b| search.worth(b).total_cmp(&search.worth(a)));
    let finish = Finish { wanted, output, goal: &goal, catalog };
    let is_whole = |it: &&Draft| it.open(&goal) == 0 && it.uses_all(&goal);
    let is_short = |it: &&Draft| it.steps.len() <= wanted.max_steps;
    let whole: Vec<&Draft> = drafts.iter().filter(is_whole).filter(is_short).collect();
    for (at, draft) in whole.iter().enumerate() {
        let Some(workflow) = finish.script(draft) else { continue };
        let near = |it: &&&Draft| it.score >= draft.score - NEAR && !it.does_as(draft);
        let others = whole[at + 1..].iter().filter(near).take(2);
        let others: Vec<String> = others.map(|it| it.stages.join(" >> ")).collect();
        let workflow = finish.with_choice(workflow, draft, &others);
        return Outcome { workflow: Some(workflow), open: Vec::new() };
    }
    let best = drafts.first();
    let open = best.map_or(goal.content, |it| it.open(&goal));
    let open = goal.words(open).into_iter().map(str::to_owned).collect();
    Outcome { workflow: best.and_then(|it| finish.sketch(it)), open }
}

impl Draft {
    /// Whether another pipeline has the same ops.
    fn does_as(&self, other: &Self) -> bool {
        let ops = |it: &Self| it.steps.iter().map(|it| it.meaning).collect::<Vec<_>>();
        ops(self) == ops(other)
    }
}

impl Search<'_> {
    /// A pipeline that begins with the input of the script.
    fn given(&self, ty: &str) -> Option<Draft> {
        let asked = Asked { name: "given".into(), ty: ty.into(), doc: "The input.".into() };
        let params = vec![asked];
        let of_type = self.catalog.type_of(ty)?;
        let (stages, steps) = (vec!["given".to_owned()], Vec::new());
        Some(Draft { params, stages, ty: of_type, covered: 0, used: 0, steps, score: 0.0 })
    }

    /// Two ops over one value, as the fields of a record: `the average and the median of ..`.
    fn together(&mut self, starts: &[Draft]) -> Vec<Draft> {
        let mut all = Vec::new();
        for start in starts {
            let one = self.drafts(vec![start.clone()]);
            let one: Vec<Draft> = one.into_iter().filter(|it| it.steps.len() == 1).collect();
            for (at, first) in one.iter().enumerate() {
                all.extend(one[at + 1..].iter().filter_map(|it| self.joined(start, first, it)));
            }
        }
        all
    }

    fn joined(&self, start: &Draft, first: &Draft, other: &Draft) -> Option<Draft> {
        let is_apart = first.covered & !other.covered & self.goal.content != 0
            && other.covered & !first.covered & self.goal.content != 0;
        let both = [first, other].map(|it| it.steps.first());
        let [Some(one), Some(two)] = both else { return None };
        let name = |it: &Step| it.op.map(|it| it.op.name);
        let (one_name, two_name) = (name(one)?, name(two)?);
        let field = |it: &Draft, name: &str| {
            format!("{name}: (it >> {})", it.stages[start.stages.len()..].join(" >> "))
        };
        let mut fields = [(one, first, one_name), (two, other, two_name)];
        fields.sort_by_key(|(step, ..)| step.words.trailing_zeros());
        let fields = fields.map(|(_, it, name)| field(it, name)).join(", ");
        let mut stages = start.stages.clone();
        stages.push(format!("{{ {fields} }}"));
        let mut joined = Draft {
            stages,
            covered: first.covered | other.covered,
            used: first.used | other.used,
            steps: vec![one.clone(), two.clone()],
            score: first.score.min(other.score) - 1.0,
            ..start.clone()
        };
        let tried = self.catalog.tried(&joined.script());
        joined.ty = tried.gives.filter(|_| is_apart && tried.errors.is_empty())?;
        Some(joined)
    }
}

/// The draft with the field of its result that the goal asks for.
fn with_field(draft: Draft, goal: &Goal, catalog: &dyn Catalog) -> Draft {
    let last = draft.steps.last().and_then(|it| it.op);
    let Some(Scheme::Record(_, fields)) = last.map(|it| it.op.yields) else { return draft };
    let Some((places, name)) = asked_field(&draft, fields, goal) else { return draft };
    let mut with = draft.clone();
    with.stages.push(format!(".{name}"));
    with.covered |= places;
    with.score += OF_FIELD;
    let tried = catalog.tried(&with.script());
    match tried.gives.filter(|_| tried.errors.is_empty()) {
        Some(ty) => Draft { ty, ..with },
        None => draft,
    }
}

/// The field that a word of the goal names, with the places of that word: the noun behind `what`
/// or `which`, or a word that nothing else serves. `which` alone asks for the only text.
fn asked_field(
    draft: &Draft,
    fields: &'static [FieldScheme],
    goal: &Goal,
) -> Option<(Mask, &'static str)> {
    let mut words = Vocabulary::default();
    let asks = |at: &usize| matches!(&*goal.tokens[*at].lower, "what" | "which");
    let question = (0..goal.tokens.len()).find(asks);
    // To be written, a record needs a text: what the goal calls the result.
    let of_last = draft.steps.last().map_or(0, |it| it.words);
    let open = draft.open(goal) | if goal.target.is_some() { of_last } else { 0 };
    let noun = question.map(|it| it + 1).filter(|it| *it < goal.tokens.len());
    let places = noun.into_iter().chain((0..goal.tokens.len()).filter(|at| open & bit(*at) != 0));
    for at in places {
        let Some(term) = words.read(&goal.tokens[at].lower).next().map(|it| it.term) else {
            continue;
        };
        let mut says = |text: &str| words.terms(&text.replace('_', " ")).contains(&term);
        let by_name = fields.iter().find(|it| says(it.name));
        if let Some(field) = by_name.or_else(|| fields.iter().find(|it| says(it.doc))) {
            return Some((bit(at), field.name));
        }
    }
    let mut texts = fields.iter().filter(|it| matches!(it.scheme, Scheme::Text));
    let (only, None) = (texts.next()?, texts.next()) else { return None };
    let is_which = goal.tokens[question?].lower == "which";
    is_which.then_some((0, only.name))
}

struct Finish<'a> {
    wanted: &'a Wanted,
    output: Option<&'a Type>,
    goal: &'a Goal,
    catalog: &'a dyn Catalog,
}

impl Finish<'_> {
    /// The script of a draft that serves the whole goal.
    fn script(&self, draft: &Draft) -> Option<Workflow> {
        if draft.steps.is_empty() && self.goal.target.is_none() && draft.stages.len() < 2 {
            return self.computed(draft);
        }
        let mut draft = draft.clone();
        if let Some(output) = self.output {
            draft.stages.extend(self.catalog.way_between(&draft.ty, output)?.stages);
        }
        if let Some(target) = &self.goal.target {
            draft.stages.extend(self.written(&draft.ty, target)?);
        }
        self.workflow(&draft, &draft.script())
    }

    /// A workflow with other pipelines that are as good. Nothing in the goal decides between them,
    /// so this is a question.
    fn with_choice(&self, workflow: Workflow, draft: &Draft, others: &[String]) -> Workflow {
        let alternatives = others.iter().map(|it| it.as_str().into()).collect();
        let Some(other) = others.first() else { return workflow };
        let own = draft.stages.join(" >> ");
        let question = format!("do you mean `{own}` or `{other}`?");
        let question = Some(question.as_str().into());
        Workflow { question, alternatives, ..Workflow::none(&self.wanted.goal) }
    }

    /// The script of arithmetic that the goal states: a value that is not a plain literal.
    fn computed(&self, draft: &Draft) -> Option<Workflow> {
        let is_computed = draft.stages.first().is_some_and(|it| it.contains(" * "));
        if is_computed { self.workflow(draft, &draft.script()) } else { None }
    }

    fn workflow(&self, draft: &Draft, body: &str) -> Option<Workflow> {
        let mut bounds = self.goal.bounds.clone();
        let spends = |it: &Step| it.op.is_some_and(|op| op.op.effects.contains(&Effect::Spends));
        let has_budget = bounds.iter().any(|(key, _)| *key == "max_cost");
        if draft.steps.iter().any(spends) && !has_budget {
            bounds.push(("max_cost", USUAL_BUDGET.to_owned()));
        }
        let tried = [&bounds, &self.goal.bounds]
            .into_iter()
            .map(|it| self.catalog.tried(&format!("{}{body}\n", edition(it))));
        let tried = tried.into_iter().find(|it| it.errors.is_empty())?;
        let is_wanted = |it: &Type| tried.gives.as_ref().is_some_and(|ty| ty.fits(it));
        if !self.output.is_none_or(is_wanted) {
            return None;
        }
        let whole = format!("{}{}", head(&self.wanted.goal, &tried), tried.text);
        let tried = self.catalog.tried(&whole);
        let workflow =
            self.described(draft).described(&tried).with_script(tried.text.as_str().into());
        tried.errors.is_empty().then_some(workflow)
    }

    /// The steps, the parts and the params of a draft.
    fn described(&self, draft: &Draft) -> Workflow {
        let step = |it: &Step| workflow::Step {
            stage: it.stage.as_str().into(),
            op: it.op.map(|it| it.to_string().into()),
            does: it.op.map(|it| it.op.summary()).unwrap_or_default().into(),
        };
        let part = |it: &Step| Part {
            phrase: self.goal.words(it.words).join(" ").into(),
            stage: it.stage.as_str().into(),
        };
        let need = |it: &Asked| Need {
            name: it.name.as_str().into(),
            ty: it.ty.as_str().into(),
            doc: it.doc.as_str().into(),
        };
        Workflow {
            steps: draft.steps.iter().map(step).collect(),
            parts: draft.steps.iter().filter(|it| it.words != 0).map(part).collect(),
            needs: draft.params.iter().map(need).collect(),
            ..Workflow::none(&self.wanted.goal)
        }
    }

    /// The stages that write a value to the file of the goal.
    fn written(&self, ty: &Type, target: &str) -> Option<Vec<String>> {
        let is_json = target.trim_end_matches('"').ends_with(".json");
        let lines = matches!(ty, Type::List(item, _) if **item == Type::Text);
        let mut stages = match ty {
            _ if is_json => return Some(vec![format!("save_json(to: {target})")]),
            Type::Text => Vec::new(),
            _ if lines => vec!["join(sep: \"\\n\")".to_owned()],
            _ => self.catalog.way_between(ty, &Type::Text)?.stages,
        };
        stages.push(format!("write_file(to: {target})"));
        Some(stages)
    }

    /// A draft with a typed hole in place of what it does not serve.
    fn sketch(&self, draft: &Draft) -> Option<Workflow> {
        let served = (self.goal.content & draft.covered).count_ones();
        let share = f64::from(served) / f64::from(self.goal.content.count_ones().max(1));
        if draft.steps.is_empty() || share < LEAST_OF_SKETCH || !draft.uses_all(self.goal) {
            return None;
        }
        let open: Mask = draft.open(self.goal);
        let left: Vec<String> =
            self.goal.words(open).into_iter().map(|it| format!("`{it}`")).collect();
        let ends = self.output.map_or_else(|| "json".to_owned(), ToString::to_string);
        let hole = format!("?rest: {} -> {ends}", draft.ty);
        let body = format!("{}\n  >> {hole}  # not covered: {}\n", draft.script(), left.join(", "));
        let sketch = self.catalog.tried(&body);
        let only_hole = sketch.errors.iter().all(|it| it.contains("hole"));
        let note = format!("not covered by the script: {}", left.join(", "));
        let goal = literal_goal(&self.wanted.goal);
        (only_hole && !left.is_empty()).then(|| Workflow {
            verdict: "sketch".into(),
            script: Some(format!("# Goal: {goal}\n\n{}", sketch.text).into()),
            notes: vec![note.into()],
            ..self.described(draft)
        })
    }
}

fn literal_goal(goal: &str) -> String {
    goal.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn edition(bounds: &[(&'static str, String)]) -> String {
    if bounds.is_empty() {
        return String::new();
    }
    let all: Vec<String> = bounds.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("svc 1 within {{ {} }}\n\n", all.join(", "))
}
