//! The effects of the pieces of a script, and pairs of them that conflict.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use svc_contract::{
    registry::{Effect, Scope},
    value::Value,
};

use super::{Checker, MOST_SUGGESTED, Term, TermKind, TypedBlock, TypedBranch, TypedLet};
use crate::diag::{Code, Problem, Span};

/// One use of a file or folder with a known path.
struct Use {
    path: String,
    writes: bool,
    /// Whether nothing stays of what was there.
    overwrites: bool,
    span: Span,
}

/// Whether running a term changes the world, costs money, or asks a person.
pub(super) fn acts(term: &Term) -> bool {
    let own = match &term.kind {
        TermKind::Call(call) => call.op.op.effects.iter().any(|it| !matches!(it, Effect::Reads(_))),
        // Known since its body was checked. Walking the body at every call would double the time
        // with every flow that calls another one twice.
        TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) => flow.acts,
        _ => false,
    };
    let mut acts_inside = own;
    term.each_part(&mut |it| acts_inside = acts_inside || acts(it));
    acts_inside
}

/// The pieces by the paths that they use.
#[derive(Default)]
struct Places<'a> {
    at: HashMap<&'a Path, Vec<usize>>,
    /// Pieces by every folder around a path.
    below: HashMap<&'a Path, Vec<usize>>,
}

impl<'a> Places<'a> {
    fn add(&mut self, path: &'a Path, piece: usize) {
        self.at.entry(path).or_default().push(piece);
        for folder in path.ancestors().skip(1) {
            self.below.entry(folder).or_default().push(piece);
        }
    }

    /// The pieces that use a path, something in it, or a folder around it.
    fn near(&self, path: &Path, found: &mut BTreeSet<usize>) {
        let around = path.ancestors().filter_map(|it| self.at.get(it));
        found.extend(around.chain(self.below.get(path)).flatten());
    }
}

impl Checker<'_> {
    /// Reports branches that conflict: they run at the same time and use the same path, and at least
    /// one of them writes.
    pub(super) fn unordered_branches(&mut self, branches: &[TypedBranch]) {
        let uses: Vec<Vec<Use>> = branches.iter().map(|it| uses(&it.body)).collect();
        self.conflicts(&uses, |_| Vec::new());
    }

    /// Reports pieces of a block that conflict: lets and the result that do not need each other run
    /// at the same time, too.
    pub(super) fn unordered_block(&mut self, block: &TypedBlock) {
        let TypedBlock { lets, result, needs } = block;
        let pieces = lets.iter().map(|it| &it.value).chain([result]);
        let uses: Vec<Vec<Use>> = pieces.map(uses).collect();
        self.conflicts(&uses, |later| {
            all_needs(lets, lets.get(later).map_or(needs, |it| &it.needs))
        });
    }

    /// Reports a file that every item of a list overwrites. What writes a folder may add to it.
    pub(super) fn overwritten_by_items(&mut self, body: &Term) {
        // A branch may be taken for one item only.
        if chooses(body) {
            return;
        }
        let is_file = |it: &Use| Path::new(&it.path).extension().is_some();
        let found = uses(body).into_iter().find(|it| it.overwrites && is_file(it));
        if let Some(Use { path, span, .. }) = found {
            self.report(
                Problem::warning(Code::E307, span, format!("every item overwrites `{path}`"))
                    .label("only one of the items is left in the file")
                    .help("make the path from the item, or write the list after `each`"),
            );
        }
    }

    /// Reports pieces that conflict with earlier ones. `needed` returns the earlier ones that a piece
    /// waits for.
    fn conflicts(&mut self, uses: &[Vec<Use>], needed: impl Fn(usize) -> Vec<bool>) {
        let mut suggested = 0;
        let (mut all, mut writing) = (Places::default(), Places::default());
        for (later, own) in uses.iter().enumerate() {
            let mut earlier = BTreeSet::new();
            for it in own {
                let places = if it.writes { &all } else { &writing };
                places.near(Path::new(&it.path), &mut earlier);
            }
            if !earlier.is_empty() {
                let needed = needed(later);
                for idx in earlier {
                    if suggested < MOST_SUGGESTED && !needed.get(idx).is_some_and(|it| *it) {
                        suggested += 1;
                        self.conflict(&uses[idx], own);
                    }
                }
            }
            for it in own {
                all.add(Path::new(&it.path), later);
                if it.writes {
                    writing.add(Path::new(&it.path), later);
                }
            }
        }
    }

    fn conflict(&mut self, earlier: &[Use], later: &[Use]) {
        for a in earlier {
            for b in later {
                if (a.writes || b.writes) && overlap(&a.path, &b.path) {
                    self.report(raced(a, b));
                    return;
                }
            }
        }
    }
}

fn raced(a: &Use, b: &Use) -> Problem {
    let verb = |it: &Use| if it.writes { "writes" } else { "reads" };
    Problem::warning(Code::E307, b.span, format!("`{}` is used twice in no defined order", b.path))
        .label(format!("{} it", verb(b)))
        .also(a.span, format!("{} `{}` at the same time", verb(a), a.path))
        .help("make one use the result of the other, so that they run in order")
}

/// The lets that are needed, directly or through others. Lets only need earlier ones.
fn all_needs(lets: &[TypedLet], direct: &[usize]) -> Vec<bool> {
    let mut needed = vec![false; lets.len()];
    let mut open = direct.to_vec();
    while let Some(next) = open.pop() {
        if !std::mem::replace(&mut needed[next], true) {
            open.extend(&lets[next].needs);
        }
    }
    needed
}

/// Whether some of a term runs only sometimes.
fn chooses(term: &Term) -> bool {
    let mut found = matches!(
        term.kind,
        TermKind::If { .. } | TermKind::Match { .. } | TermKind::Fallback { .. }
    );
    term.each_part(&mut |it| found = found || chooses(it));
    found
}

fn overlap(a: &str, b: &str) -> bool {
    Path::new(a).starts_with(b) || Path::new(b).starts_with(a)
}

/// The files and folders that a term uses, as far as known before the run.
fn uses(term: &Term) -> Vec<Use> {
    let mut found = Vec::new();
    collect(term, &mut found);
    found
}

fn collect(term: &Term, found: &mut Vec<Use>) {
    if let TermKind::Call(call) = &term.kind {
        for effect in call.op.op.effects {
            let (scope, writes, overwrites) = match effect {
                Effect::Reads(scope) => (scope, false, false),
                Effect::Writes { scope, idempotent } => (scope, true, *idempotent),
                Effect::Runs(_) | Effect::Spends | Effect::Asks => continue,
            };
            let Scope::Path(name) = scope else { continue };
            let idx = call.op.op.params.iter().position(|it| it.name == *name);
            let Some(arg) = idx.and_then(|it| call.args.get(it)) else { continue };
            if let Some(Value::Path(path)) = arg.constant() {
                found.push(Use { path: path.to_string(), writes, overwrites, span: term.span });
            }
        }
    }
    term.each_part(&mut |it| collect(it, found));
}
