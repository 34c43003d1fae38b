//! What pieces of a script do to the world, and which two of them get in each other's way.

use std::path::Path;

use super::{Branch, Checker, Let, Term, TermKind};
use crate::{
    diag::{Code, Problem, Span},
    registry::{Effect, Scope},
    value::Value,
};

/// One use of a file or folder whose path is known.
struct Use {
    path: String,
    writes: bool,
    span: Span,
}

/// Whether running a term changes the world, costs money, or asks somebody.
pub(super) fn acts(term: &Term) -> bool {
    let own = match &term.kind {
        TermKind::Call(call) => call.op.op.effects.iter().any(|it| !matches!(it, Effect::Reads(_))),
        // Known since its body was checked; walking the body at every call would take time
        // that doubles with every flow that calls another one twice.
        TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) => flow.acts,
        _ => false,
    };
    let mut acts_inside = own;
    term.each_part(&mut |it| acts_inside = acts_inside || acts(it));
    acts_inside
}

impl Checker<'_> {
    /// Branches run at the same time: two that use one path, one of them writing, race.
    pub(super) fn unordered_branches(&mut self, branches: &[Branch]) {
        let uses: Vec<Vec<Use>> = branches.iter().map(|it| uses(&it.body)).collect();
        for (idx, later) in uses.iter().enumerate() {
            for earlier in &uses[..idx] {
                self.race(earlier, later);
            }
        }
    }

    /// Lets of which neither needs the other run at the same time, too.
    pub(super) fn unordered_lets(&mut self, lets: &[Let]) {
        let uses: Vec<Vec<Use>> = lets.iter().map(|it| uses(&it.value)).collect();
        if uses.iter().flatten().all(|it| !it.writes) {
            return;
        }
        for later in (0..lets.len()).filter(|it| !uses[*it].is_empty()) {
            let needed = all_needs(lets, later);
            for earlier in (0..later).filter(|it| !needed[*it]) {
                self.race(&uses[earlier], &uses[later]);
            }
        }
    }

    fn race(&mut self, earlier: &[Use], later: &[Use]) {
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
    Problem::warning(Code::E307, b.span, format!("`{}` is used twice without an order", b.path))
        .label(format!("{} it", verb(b)))
        .also(a.span, format!("{} `{}` at the same time", verb(a), a.path))
        .help("let one use the other's result, so that they run one after the other")
}

/// Which lets one needs, directly or through others. Lets need only earlier ones.
fn all_needs(lets: &[Let], of: usize) -> Vec<bool> {
    let mut needed = vec![false; lets.len()];
    let mut open = vec![of];
    while let Some(next) = open.pop() {
        for idx in &lets[next].needs {
            if !std::mem::replace(&mut needed[*idx], true) {
                open.push(*idx);
            }
        }
    }
    needed
}

fn overlap(a: &str, b: &str) -> bool {
    Path::new(a).starts_with(b) || Path::new(b).starts_with(a)
}

/// The files and folders that a term uses, as far as they are known before the run.
fn uses(term: &Term) -> Vec<Use> {
    let mut found = Vec::new();
    collect(term, &mut found);
    found
}

fn collect(term: &Term, found: &mut Vec<Use>) {
    if let TermKind::Call(call) = &term.kind {
        for effect in call.op.op.effects {
            let (scope, writes) = match effect {
                Effect::Reads(scope) => (scope, false),
                Effect::Writes { scope, .. } => (scope, true),
                Effect::Spends | Effect::Asks => continue,
            };
            let Scope::Path(name) = scope else { continue };
            let idx = call.op.op.params.iter().position(|it| it.name == *name);
            let Some(arg) = idx.and_then(|it| call.args.get(it)) else { continue };
            if let Some(Value::Path(path)) = arg.constant() {
                found.push(Use { path: path.to_string(), writes, span: term.span });
            }
        }
    }
    term.each_part(&mut |it| collect(it, found));
}
