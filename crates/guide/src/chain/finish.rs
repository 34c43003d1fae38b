//! Converts a pipeline to a script with its bounds, its file and its header, or to a sketch.

use svc_contract::{
    registry::{Catalog, Effect},
    value::Type,
};

use super::{
    formats::extension,
    goal::{Goal, Mask},
    search::{Asked, Draft, Step},
};
use crate::{
    Need, Part, Workflow,
    plan::Wanted,
    workflow::{self, head},
};

/// The default budget of a script that spends money.
const USUAL_BUDGET: &str = "$0.50";

/// The part of its words that a sketch has to serve.
const LEAST_OF_SKETCH: f64 = 0.6;

pub(super) struct Finish<'a> {
    pub(super) wanted: &'a Wanted,
    pub(super) output: Option<&'a Type>,
    pub(super) goal: &'a Goal,
    pub(super) catalog: &'a dyn Catalog,
}

impl Finish<'_> {
    /// The script of a draft that serves the whole goal.
    pub(super) fn script(&self, draft: &Draft) -> Option<Workflow> {
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
    pub(super) fn with_choice(
        &self,
        workflow: Workflow,
        draft: &Draft,
        others: &[String],
    ) -> Workflow {
        let alternatives = others.iter().map(|it| it.as_str().into()).collect();
        let Some(other) = others.first() else { return workflow };
        let own = draft.stages.join(" >> ");
        let question = format!("do you mean `{own}` or `{other}`?");
        let question = Some(question.as_str().into());
        Workflow { alternatives, question, ..Workflow::none(&self.wanted.goal) }
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
        let step = |stage: &String| {
            let name = stage.strip_prefix("each { ").unwrap_or(stage);
            let name = name.split(['(', '<', ' ']).next().unwrap_or_default();
            let op = self.catalog.registry().resolve(name);
            workflow::Step {
                stage: stage.as_str().into(),
                op: op.map(|it| it.to_string().into()),
                does: op.map(|it| it.op.summary()).unwrap_or_default().into(),
            }
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
            steps: draft.stages.iter().map(step).collect(),
            parts: draft.steps.iter().filter(|it| it.words != 0).map(part).collect(),
            needs: draft.params.iter().map(need).collect(),
            ..Workflow::none(&self.wanted.goal)
        }
    }

    /// The stages that write a value to the file of the goal.
    fn written(&self, ty: &Type, target: &str) -> Option<Vec<String>> {
        let is_json = extension(target) == Some("json");
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
    pub(super) fn sketch(&self, draft: &Draft) -> Option<Workflow> {
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

/// The first line of a script within bounds; nothing if there are none.
pub(crate) fn edition(bounds: &[(&'static str, String)]) -> String {
    if bounds.is_empty() {
        return String::new();
    }
    let all: Vec<String> = bounds.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("svc 1 within {{ {} }}\n\n", all.join(", "))
}
