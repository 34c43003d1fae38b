//! The ways to call an op on the result of a draft.

use svc_contract::{
    registry::{Effect, FieldScheme, OpRef, Scheme, Way},
    value::Type,
};

use super::{
    arguments::Filling,
    asking,
    draft::{Asked, Draft, Stage},
    filters,
    goal::Clause,
    mention::{Mention, is_free_text},
    route::{ASKED, DETOUR, Route, detour},
};

/// The bonus if a test selects among items.
const CHOSEN: f64 = 0.6;

/// The penalty if a value is used only as its text form.
const AS_TEXT: f64 = 3.5;

impl Route<'_> {
    /// Returns the ways to call an op on the result of a draft.
    pub(super) fn called(
        &self,
        draft: &Draft,
        step: usize,
        op: OpRef,
        mention: &Mention,
    ) -> Vec<Draft> {
        if draft.is_empty() {
            return self.begun(draft, step, op, mention);
        }
        let op = self.of_table(draft, op, mention).unwrap_or(op);
        if self.has_read(draft, step, op)
            || self.has_joined(draft, step, op)
            || Self::has_cut(draft, op)
        {
            return vec![draft.clone()];
        }
        let Some(ty) = &draft.ty else { return Vec::new() };
        let clause = &self.clauses[step];
        let ways = self.ways(draft, ty, step, op);
        let on = ways.into_iter().map(|(way, each, bonus)| {
            let mut next = draft.clone();
            let per_item = each || way.of_items;
            next.score += bonus - DETOUR * f64::from(u32::try_from(way.stages.len()).unwrap_or(9));
            if way.of_items && !each {
                next.score -= DETOUR / 2.0;
            }
            for stage in &way.stages {
                let stage = self.stage_between(stage, step, &mut next.used);
                next.stages.push(Stage { per_item, ..stage });
            }
            // The content of a file or a page is not a question.
            if is_free_text(op) && draft.stages.last().is_some_and(|it| it.op.is_some()) {
                next.score -= AS_TEXT;
            }
            if way.stages.iter().any(|it| it.contains("show")) || self.is_other_kind(step, op) {
                next.score -= AS_TEXT;
            }
            self.call(&mut next, step, op, per_item);
            if per_item && !clause.each && filters::is_test(op) && way.stages.is_empty() {
                next.keep(clause);
            }
            next
        });
        on.collect()
    }

    /// The ways to convert the result of a draft to the input of an op: the way, whether it works
    /// per item, and the bonus.
    fn ways(&self, draft: &Draft, ty: &Type, step: usize, op: OpRef) -> Vec<(Way, bool, f64)> {
        let clause = &self.clauses[step];
        let mut ways: Vec<(Way, bool, f64)> = Vec::new();
        if clause.each
            && let Type::List(item, _) = ty
            && let Some(way) = self.catalog.way_to(item, op)
        {
            ways.push((way, true, 0.5));
        }
        if filters::is_test(op)
            && filters::chooses(clause)
            && let Type::List(item, _) = ty
            && let Some(way) = self.catalog.way_to(item, op)
        {
            ways.push((way, true, CHOSEN));
        }
        // For a list of lists, the items of each are counted.
        if let Type::List(item, _) = ty
            && matches!(**item, Type::List(..))
            && op.script_name() == "len"
            && draft.stages.last().is_some_and(|it| it.per_item)
        {
            ways.push((Way::default(), true, DETOUR));
        }
        ways.extend(self.whole(ty, op).map(|it| (it, false, 0.0)));
        ways.extend(Self::by_text_of_each(ty, op).map(|it| (it, false, -DETOUR)));
        ways.retain(|(way, ..)| is_plausible(draft, op, way, clause));
        // A goal never means a list of one item.
        ways.retain(|(way, ..)| !way.stages.iter().any(|it| it == "[it]"));
        if ways.iter().all(|(way, ..)| way.stages.iter().any(|it| it.contains("show"))) {
            ways.extend(self.by_texts(ty, op).map(|it| (it, false, 0.0)));
            ways.extend(by_records(ty, op).map(|it| (it, false, 0.0)));
        }
        if ways.is_empty() && asking::is_asked(op) {
            ways.push((Way::default(), false, -DETOUR));
        }
        ways
    }

    /// The way to convert a whole value to the input of an op. A list is written as one text:
    /// written per item, each text would replace the previous one.
    fn whole(&self, ty: &Type, op: OpRef) -> Option<Way> {
        let way = self.catalog.way_to(ty, op)?;
        if way.of_items && op.op.writes() {
            self.catalog.way_between(ty, &op.op.input()?.scheme.plain())
        } else {
            Some(way)
        }
    }

    /// Whether an op writes JSON although neither the step nor its file mentions it.
    fn is_other_kind(&self, step: usize, op: OpRef) -> bool {
        let clause = &self.clauses[step];
        let mut kinds = clause.literals.iter().filter_map(|it| it.literal.kind_of_file());
        let says = clause.words.iter().any(|it| it == "json");
        op.op.writes() && op.script_name().contains("json") && !says && kinds.all(|it| it != "json")
    }

    /// The way from documents to an op that takes a list of texts.
    fn by_texts(&self, ty: &Type, op: OpRef) -> Option<Way> {
        let Type::List(item, max) = ty else { return None };
        let Type::Record(of) = item.as_ref() else { return None };
        let (_, text) = of.fields.iter().find(|(name, _)| **name == *"text")?;
        let mut way = self.catalog.way_to(&Type::List(text.clone().into(), *max), op)?;
        way.stages.insert(0, "each { .text }".into());
        Some(way)
    }

    /// The way from the text of each document to an op that takes one text.
    fn by_text_of_each(ty: &Type, op: OpRef) -> Option<Way> {
        let Type::List(item, _) = ty else { return None };
        let Type::Record(of) = item.as_ref() else { return None };
        let has_text = of.fields.iter().any(|(name, ty)| **name == *"text" && ty.is_text());
        let takes_text = op.op.input().is_some_and(|it| matches!(it.scheme, Scheme::Text));
        (has_text && takes_text && !op.op.writes())
            .then(|| Way { stages: vec![".text".into()], of_items: true })
    }

    /// A stage between two that the goal mentions. The step's file or folder may belong to it.
    fn stage_between(&self, stage: &str, step: usize, used: &mut Vec<(usize, usize)>) -> Stage {
        let plain = detour(self.catalog, stage);
        let Some(op) = plain.op.filter(|it| is_free_text(*it) && it.script_name() == stage) else {
            return plain;
        };
        let call = self.filling(step, used).call(op);
        used.extend(call.used.iter().map(|idx| (step, *idx)));
        Stage::of(op, written(stage, &call.args))
    }

    pub(super) fn filling<'f>(&'f self, step: usize, used: &[(usize, usize)]) -> Filling<'f> {
        let used = used.iter().filter(|(at, _)| *at == step).map(|(_, idx)| *idx).collect();
        let next = self.clauses.get(step + 1);
        Filling { clause: &self.clauses[step], next, used, catalog: self.catalog }
    }

    /// Adds a call of an op, with the arguments from the step.
    pub(super) fn call(&self, draft: &mut Draft, step: usize, op: OpRef, per_item: bool) {
        let clause = &self.clauses[step];
        let name = op.script_name();
        if asking::is_asked(op) {
            let text = asking::stage(&name, clause, !draft.is_empty());
            // The model gets the text of the whole step, with all its literals.
            draft.used.extend((0..clause.literals.len()).map(|idx| (step, idx)));
            draft.stages.push(Stage { per_item, ..Stage::of(op, text) });
            return;
        }
        let call = self.filling(step, &draft.used).call(op);
        draft.used.extend(call.used.iter().map(|idx| (step, *idx)));
        let text = written(&name, &call.args);
        for (param, ty) in call.asked {
            draft.score -= ASKED;
            draft.ask(Asked { name: param.name.into(), ty, doc: param.summary() });
        }
        draft.stages.push(Stage { per_item, ..Stage::of(op, text) });
    }
}

/// Whether a goal can mean a way without mentioning it: a value is converted to text only for a
/// file or on request, and a quoted text is not split into lines.
fn is_plausible(draft: &Draft, op: OpRef, way: &Way, clause: &Clause) -> bool {
    let has = |name: &str| way.stages.iter().any(|it| it == name);
    let says = |word: &str| clause.words.iter().any(|it| it == word);
    let reads = |it: &Stage| {
        it.op.is_some_and(|it| it.op.effects.iter().any(|it| matches!(it, Effect::Reads(_))))
    };
    let is_text = draft.stages.first().is_some_and(|it| it.text.starts_with('"'))
        && !draft.stages.iter().any(reads);
    let is_shown = op.op.writes() || draft.stages.len() == 1 || says("text") || says("string");
    (!has("show") || is_shown || asking::is_asked(op)) && !(has("lines") && is_text)
}

/// The way from JSON to an op that takes records whose fields may have any type: as texts.
fn by_records(ty: &Type, op: OpRef) -> Option<Way> {
    let Scheme::List(Scheme::Record(_, fields), _) = op.op.input()?.scheme else { return None };
    let field = |it: &FieldScheme| match it.scheme {
        Scheme::Var(_) => format!("{}: string", it.name),
        other => format!("{}: {}", it.name, other.show()),
    };
    let record = format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "));
    let stage = match ty {
        Type::Json => format!("(it as [{record}])"),
        Type::List(item, _) if **item == Type::Json => format!("each {{ it as {record} }}"),
        _ => return None,
    };
    Some(Way { stages: vec![stage], of_items: false })
}

/// Formats a call with its arguments.
fn written(name: &str, args: &[(&'static str, String)]) -> String {
    let args: Vec<String> = args.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) }
}
