//! Scripts for goals that are chains of ops: the words of the goal ask for ops by the phrasings of
//! the registry, its values are their inputs and arguments, and the types decide what fits.
//!
//! A script is one only if it serves every word with content and uses every value; the rest of a
//! goal is a typed hole at the end of a sketch.

mod arguments;
mod fields;
mod finish;
mod formats;
mod goal;
mod meaning;
mod search;
mod starts;
mod typed;
mod zones;

use svc_contract::{
    registry::{Catalog, Scheme},
    value::Type,
};
use svc_text::stems::Vocabulary;

use fields::with_field;
use finish::Finish;
pub(crate) use finish::edition;
use goal::{Goal, MOST_TOKENS};
pub(crate) use goal::{Kind, amount, of_unit};
use meaning::meanings;
use search::{Asked, Draft, Search, Step};

use crate::{
    Workflow,
    plan::Wanted,
    tables::{self, lexicon::Lexicon},
    write::Gate,
};

/// Two pipelines that are as good as each other, within this, are alternatives.
const NEAR: f64 = 0.5;

/// What is found for a goal.
pub(crate) struct Outcome {
    /// A script or a sketch.
    pub(crate) workflow: Option<Workflow>,
    /// Whether its first op is for just such values, and not for any list or file.
    pub(crate) is_special: bool,
    /// The words that nothing serves.
    pub(crate) open: Vec<String>,
}

/// Why a goal cannot be read as a chain of ops, if it is too long for that.
pub(crate) fn too_long(goal: &str) -> Option<String> {
    let tokens = tables::words::tokens(goal, &mut Vocabulary::default());
    (tokens.len() > MOST_TOKENS).then(|| {
        format!("the goal has more than {MOST_TOKENS} words; state one question in fewer words")
    })
}

/// Reads a goal as a chain of ops.
pub(crate) fn answer(
    wanted: &Wanted,
    output: Option<&Type>,
    catalog: &dyn Catalog,
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Outcome {
    let mut goal = Goal::of(&wanted.goal, lexicon, words);
    goal.find_names(|it| catalog.topics().rarity(it) > 0.0);
    goal.leave_out(&Gate::new(&wanted.goal, Vec::new(), catalog).forbidding());
    let meanings = meanings(&goal, catalog, words);
    let mut search =
        Search { goal: &goal, meanings: &meanings, catalog, seen: &wanted.seen, words };
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
    let has_zone = goal.givens.iter().any(|it| it.kind == Kind::Zone);
    let is_asked = |it: &Step| meanings[it.meaning].core != 0 || has_zone;
    let is_whole = |it: &&Draft| {
        let is_for_goal = it.steps.iter().any(is_asked) || it.steps.is_empty();
        is_for_goal && it.open(&goal) == 0 && it.uses_all(&goal) && it.fits_file()
    };
    let is_short = |it: &&Draft| it.steps.len() <= wanted.max_steps;
    let whole: Vec<&Draft> = drafts.iter().filter(is_whole).filter(is_short).collect();
    for (at, draft) in whole.iter().enumerate() {
        let Some(workflow) = finish.script(draft) else { continue };
        let near = |it: &&&Draft| it.score >= draft.score - NEAR && !it.does_as(draft);
        let others = whole[at + 1..].iter().filter(near).take(2);
        let others: Vec<String> = others.map(|it| it.stages.join(" >> ")).collect();
        let workflow = finish.with_choice(workflow, draft, &others);
        let is_special = is_special(draft);
        return Outcome { workflow: Some(workflow), is_special, open: Vec::new() };
    }
    let best = drafts.first();
    let open = best.map_or(goal.content, |it| it.open(&goal));
    let open = goal.words(open).into_iter().map(str::to_owned).collect();
    Outcome { workflow: best.and_then(|it| finish.sketch(it)), is_special: false, open }
}

/// Whether the first op takes records or numbers, whatever else there is.
fn is_special(draft: &Draft) -> bool {
    fn is_known(scheme: Scheme) -> bool {
        match scheme {
            Scheme::List(item, _) | Scheme::Optional(item) => is_known(*item),
            Scheme::Record(..) => true,
            _ => false,
        }
    }
    let input = draft.steps.first().and_then(|it| it.op).and_then(|it| it.op.input());
    input.is_some_and(|it| is_known(it.scheme))
}

impl Draft {
    /// Whether no op for Markdown reads a file of another format: it would find nothing.
    fn fits_file(&self) -> bool {
        const OTHERS: [&str; 4] = [".txt\"", ".log\"", ".html\"", ".csv\""];
        let reads_other = self.stages.iter().any(|it| OTHERS.iter().any(|end| it.contains(end)));
        !reads_other || !self.stages.iter().any(|it| it.contains("markdown_"))
    }

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
        let (stages, steps, module) = (vec!["given".to_owned()], Vec::new(), None);
        Some(Draft { params, module, stages, ty: of_type, covered: 0, used: 0, steps, score: 0.0 })
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
