//! The calls that a term may make, through all flows that it names.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use svc_contract::{
    registry::Price,
    value::{FlowRef, Text, Type, Value, json, paths},
};
use svc_lang::{
    check::{Term, TermKind, TypedCall, TypedFlow},
    diag::Source,
};

/// The flows of an argument: it is one, or a list of tools.
pub(super) fn typed_flows(arg: &Value) -> Vec<Arc<TypedFlow>> {
    arg.flows().iter().filter_map(FlowRef::downcast).collect()
}

/// Whether running a term may cost anything.
pub(super) fn spends(term: &Term) -> bool {
    reaches(term, |it| !matches!(it.op.op.price, Price::Free))
}

/// Whether running a term may write something that must not be written twice.
pub(super) fn writes_once(term: &Term) -> bool {
    reaches(term, |call| {
        call.op.op.call_writes_once(&|it| call.args.get(it)?.constant()).unwrap_or(true)
    })
}

/// Whether running a term calls anything that is not pure, or a closure without a version: then its
/// result depends on more than its input.
pub(super) fn looks_outside(term: &Term) -> bool {
    reaches(term, |it| !it.op.op.is_pure() || !it.op.op.is_repeatable())
}

/// Everything that determines the behaviour of a flow and of all flows that it names: the texts
/// of their files, the versions of the components they call, and facts outside those texts,
/// such as types of other files and tuned defaults. Paths start from `folder`.
pub(super) fn made_of(flow: &Arc<TypedFlow>, folder: &Path) -> Vec<Text> {
    let mut walk = Walk::new(|_| false);
    walk.parts = Some(Parts { folder, parts_read: Vec::new() });
    walk.files.insert(flow.source.name().into(), flow.source.clone());
    walk.signature(flow);
    walk.term(&flow.body);
    // A resumed run knows its files by other names, so the names give no order.
    let mut parts: Vec<Text> = walk.files.values().map(|it| it.text().into()).collect();
    parts.sort_unstable();
    parts.extend(walk.parts.map(|it| it.parts_read).unwrap_or_default());
    parts
}

/// Everything in a term that determines what it does, except the texts of its files.
pub(super) fn parts_of(term: &Term, folder: &Path) -> Vec<Text> {
    let mut walk = Walk::new(|_| false);
    walk.parts = Some(Parts { folder, parts_read: Vec::new() });
    walk.term(term);
    walk.parts.map(|it| it.parts_read).unwrap_or_default()
}

fn reaches(term: &Term, wanted: fn(&TypedCall) -> bool) -> bool {
    let mut walk = Walk::new(wanted);
    walk.term(term);
    walk.found
}

struct Walk<'a> {
    wanted: fn(&TypedCall) -> bool,
    found: bool,
    /// Flows already walked, and their files.
    seen: BTreeSet<*const TypedFlow>,
    files: BTreeMap<Text, Source>,
    /// The parts of the flows, if they are requested.
    parts: Option<Parts<'a>>,
}

/// Parts of flows that are not visible in their texts.
struct Parts<'a> {
    folder: &'a Path,
    parts_read: Vec<Text>,
}

impl Parts<'_> {
    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => {
                self.push(&format!("{} {}", call.op, call.op.version()));
                self.push(&call.wanted.as_ref().map(Type::structure).unwrap_or_default());
            }
            TermKind::Const(Value::Path(it)) => self.push(&paths::join(self.folder, it)),
            TermKind::Const(it) => self.push(&json::write(it)),
            TermKind::Cast { .. } | TermKind::Rhai { .. } => self.push(&term.ty.structure()),
            TermKind::Path { folder: Some(it), .. } => {
                self.push(&self.folder.join(it).to_string_lossy());
            }
            _ => {}
        }
    }

    fn push(&mut self, part: &str) {
        self.parts_read.push(part.into());
    }
}

impl Walk<'_> {
    fn new(wanted: fn(&TypedCall) -> bool) -> Self {
        let (seen, files) = (BTreeSet::new(), BTreeMap::new());
        Self { wanted, found: false, seen, files, parts: None }
    }

    fn signature(&mut self, flow: &TypedFlow) {
        let Some(parts) = &mut self.parts else { return };
        flow.params.iter().for_each(|it| parts.push(&it.ty.structure()));
        parts.push(&flow.yields.structure());
    }

    fn term(&mut self, term: &Term) {
        if let Some(parts) = &mut self.parts {
            parts.term(term);
        }
        match &term.kind {
            TermKind::Call(call) => self.found |= (self.wanted)(call),
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow)
                if self.seen.insert(Arc::as_ptr(flow)) =>
            {
                self.files.insert(flow.source.name().into(), flow.source.clone());
                self.signature(flow);
                self.term(&flow.body);
            }
            _ => {}
        }
        if !self.found {
            term.each_part(&mut |it| stacker::maybe_grow(64 << 10, 1 << 20, || self.term(it)));
        }
    }
}
