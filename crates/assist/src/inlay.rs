//! Notes between the words of a script: types that are not written, and the costs of stages.

use std::collections::BTreeMap;

use svc_contract::value::{Money, Type};
use svc_lang::{
    check::{Analysis, Facts, Mention, NameKind, Target},
    diag::Span,
    plan::{Envelope, Node, Plan},
};

/// A note that an editor shows between the words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inlay {
    pub at: usize,
    /// `: [Hit; max 3]`, `Summary · ≤ $0.02`
    pub label: String,
    /// The type in full, and the whole envelope.
    pub details: String,
    /// Whether it follows the name of a `let`.
    pub is_let: bool,
}

/// The maximum number of notes, so that a script of one long line stays readable.
const MOST: usize = 2_000;

/// The maximum length of a type in a note, in characters.
const LONGEST: usize = 40;

/// The notes inside a part of a script: the type of every `let` without a written one, of every
/// stage that another one follows on a line below, and of the result; and the most that a stage
/// costs, if the script has a plan.
pub fn inlays(text: &str, analysis: &Analysis, plan: Option<&Plan>, within: Span) -> Vec<Inlay> {
    let is_inside = |at: usize| within.start <= at && at <= within.end;
    let mut notes = BTreeMap::new();
    for (at, ty) in lets(text, &analysis.facts).filter(|(at, _)| is_inside(*at)) {
        notes.insert(at, Inlay { at, is_let: true, ..typed(": ", ty) });
    }
    let result = analysis.program.as_ref().and_then(|it| it.main.as_ref());
    let result = result.map(|it| (it.span.end, &it.ty));
    let types = followed(text, &analysis.facts).chain(result);
    for (at, ty) in types.filter(|(at, ty)| is_inside(*at) && !ty.is_unknown()) {
        notes.entry(at).or_insert_with(|| Inlay { at, ..typed("", ty) });
    }
    let own = analysis.report.source.name();
    for (at, envelope) in plan.map(|it| costs(it, own, &analysis.facts)).unwrap_or_default() {
        if let Some(most) = envelope.cost_at_most().filter(|_| is_inside(at)) {
            add_cost(
                notes.entry(at).or_insert_with(|| Inlay { at, ..Inlay::default() }),
                &most,
                envelope,
            );
        }
    }
    notes.into_values().take(MOST).collect()
}

fn typed(before: &str, ty: &Type) -> Inlay {
    let full = ty.to_string();
    let label = format!("{before}{}", shortened(&full));
    Inlay { label, details: format!("```svc\n{full}\n```"), ..Inlay::default() }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST - 1).collect();
    format!("{}…", kept.trim_end())
}

fn add_cost(note: &mut Inlay, most: &str, envelope: &Envelope) {
    let join = |text: &mut String, between: &str, part: &str| {
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(part);
    };
    join(&mut note.label, " · ", most);
    join(&mut note.details, "\n\n", &envelope.summary());
}

/// The names of `let`s without a written type: the ends of the names.
fn lets<'a>(text: &'a str, facts: &'a Facts) -> impl Iterator<Item = (usize, &'a Type)> {
    facts.mentions.iter().filter_map(|Mention { span, target }| match target {
        Target::Here { defined, kind: NameKind::Let, ty } if defined == span => {
            let rest = text.get(span.end..)?.trim_start();
            (rest.starts_with('=') && !ty.is_unknown()).then_some((span.end, ty))
        }
        _ => None,
    })
}

/// The stages that another one follows on a line below: their ends.
fn followed<'a>(text: &'a str, facts: &'a Facts) -> impl Iterator<Item = (usize, &'a Type)> {
    let stages = facts.nodes.iter().filter(|it| it.is_stage);
    let goes_on = |end: usize| text.get(end..).is_some_and(goes_on_below);
    stages.filter(move |it| goes_on(it.span.end)).map(|it| (it.span.end, &it.gives))
}

/// Whether the next stage begins on a line below, after comments.
fn goes_on_below(rest: &str) -> bool {
    let mut lines = rest.lines().map(str::trim_start);
    let is_comment = |it: &str| it.is_empty() || it.starts_with('#');
    lines.next().is_some_and(is_comment)
        && lines.find(|it| !is_comment(it)).is_some_and(|it| it.starts_with(">>"))
}

/// The estimates of the stages of a script: the end of each, and the largest of its estimates.
fn costs<'p>(plan: &'p Plan, own: &str, facts: &Facts) -> Vec<(usize, &'p Envelope)> {
    let mut nodes: BTreeMap<usize, Vec<&Node>> = BTreeMap::new();
    for node in plan.nodes().iter().filter(|it| it.source.name() == own) {
        nodes.entry(node.span.start).or_default().push(node);
    }
    // A stage with its bounds begins where the stage alone begins.
    let mut stages: BTreeMap<usize, usize> = BTreeMap::new();
    for stage in facts.nodes.iter().filter(|it| it.is_stage) {
        let end = stages.entry(stage.span.start).or_default();
        *end = stage.span.end.max(*end);
    }
    let estimate = |start, end| {
        let inside = nodes.get(&start)?.iter().filter(|it| it.span.end <= end);
        inside.map(|it| (it.span.end, &it.envelope)).max_by_key(|(end, it)| (*end, size(it)))
    };
    stages.into_iter().filter_map(|(start, end)| Some((end, estimate(start, end)?.1))).collect()
}

/// An order of estimates by their costs; an unknown one is the largest.
fn size(envelope: &Envelope) -> (bool, i64, bool, u64) {
    let (cost, tokens) = (envelope.cost.max, envelope.tokens.max);
    let nanos = cost.map_or(0, Money::nanos);
    (cost.is_none(), nanos, tokens.is_none(), tokens.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_may_stand_before_the_next_stage() {
        assert!(goes_on_below("  # a\n\n  # b\n  >> take(n: 1)"));
        assert!(goes_on_below("\n>> len"));
        assert!(!goes_on_below(" >> len\n>> len"));
        assert!(!goes_on_below("\nlet x = 1\n>> len"));
        assert!(!goes_on_below(""));
    }

    #[test]
    fn long_types_are_cut() {
        assert_eq!(shortened("[int]"), "[int]");
        let long = shortened(&"ä".repeat(100));
        assert_eq!((long.chars().count(), long.ends_with('…')), (LONGEST, true));
    }
}
