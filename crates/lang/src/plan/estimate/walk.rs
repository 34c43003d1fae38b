//! The abstract interpretation of the terms of a program.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use svc_contract::value::{FlowRef, Text, Type, Value};

use super::{
    EstimateContext, Past, Problems,
    abstract_value::AbstractValue,
    bounds::{Bounded, InForce},
    in_force,
    resource_use::ResourceUse,
    seen::{Seen, Slot, Sources},
};
use crate::{
    check::{BoundKey, Checked, Input, Term, TermKind, TypedBlock, TypedFlow, Var},
    diag::Source,
    plan::{EffectUse, Node, Range, Scopes, Verdict, scopes::Looks},
    syntax::ast::BinaryOp,
};

/// A larger plan shows its flows without their inner nodes.
const MOST_NODES: usize = 10_000;

/// After this many terms, a flow is visited once for all its calls.
const MOST_TERMS: usize = 200_000;

/// The most calls of a flow that are kept for comparison with later ones.
const MOST_CALLS: usize = 8;

/// More than the nodes of any plan.
const INPUTS: usize = usize::MAX / 2;

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Walk<'a> {
    pub(super) program: &'a Checked,
    pub(super) context: &'a EstimateContext<'a>,
    pub(super) nodes: Vec<Node>,
    pub(super) problems: Problems,
    pub(super) effects: BTreeSet<EffectUse>,
    /// The verdicts on the bounds of the whole file.
    pub(super) of_whole: Vec<Verdict>,
    /// The file of the current term.
    pub(super) source: Source,
    pub(super) frames: Vec<Vec<Slot>>,
    pub(super) path: Vec<String>,
    /// The blocks around the current term.
    pub(super) parents: Vec<usize>,
    /// All bounds around the current term, and those in the same pipeline.
    pub(super) force: InForce,
    pub(super) near: InForce,
    /// The body of the current file or flow: a bound on it is a promise.
    whole: Option<*const Term>,
    /// Whether terms are only visited, without nodes.
    is_quiet: bool,
    /// The number of flows around the current term.
    pub(super) flows_around: usize,
    /// The number of alternatives around the current term that another one follows.
    pub(super) tried_around: usize,
    /// Whether the arguments of flows are unknown.
    pub(super) is_open: bool,
    terms: usize,
    /// The usage of ops in earlier runs, by name.
    pub(super) past: BTreeMap<String, Option<Past>>,
    /// Results for flows in a plan that is too large to visit each call.
    memo: HashMap<Key, (AbstractValue, ResourceUse)>,
    /// Results for calls of flows that were visited without nodes.
    calls: HashMap<Key, Vec<WalkedCall>>,
    walked: HashSet<*const TypedFlow>,
    /// Whether the current scopes are those of the main pipeline.
    is_main: bool,
    /// The places of bounds.
    pub(super) scopes: Scopes,
    /// Whether the inputs can change anything but the time.
    pub(super) varies: bool,
    /// The flows passed as arguments, by the address that their values refer to.
    pub(super) flows: HashMap<*const TypedFlow, &'a Arc<TypedFlow>>,
}

/// Everything that determines the load of a flow, except its arguments.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    flow: *const TypedFlow,
    /// The arguments that are flows.
    given: Vec<Option<*const TypedFlow>>,
    force: InForce,
    /// Whether only amounts are computed, without problems and effects.
    is_muted: bool,
}

/// The result of one call of a flow.
struct WalkedCall {
    params: Vec<AbstractValue>,
    extent: AbstractValue,
    load: ResourceUse,
}

impl<'a> Walk<'a> {
    pub(super) fn new(program: &'a Checked, context: &'a EstimateContext<'a>) -> Self {
        Self {
            program,
            context,
            nodes: Vec::new(),
            problems: Problems::default(),
            effects: BTreeSet::new(),
            of_whole: Vec::new(),
            source: program.source.clone(),
            frames: Vec::new(),
            path: Vec::new(),
            parents: Vec::new(),
            force: in_force(context.caps),
            near: InForce::default(),
            whole: None,
            is_quiet: false,
            flows_around: 0,
            tried_around: 0,
            is_open: false,
            terms: 0,
            past: BTreeMap::new(),
            memo: HashMap::new(),
            calls: HashMap::new(),
            walked: HashSet::new(),
            is_main: true,
            scopes: Scopes::default(),
            varies: false,
            flows: HashMap::new(),
        }
    }

    /// Visits the main pipeline with its inputs.
    pub(super) fn whole(&mut self, main: &'a Term, inputs: Vec<AbstractValue>) -> ResourceUse {
        self.whole = Some(main);
        let slot = |(idx, extent)| Slot { sources: vec![INPUTS + idx], extent };
        self.frames = vec![inputs.into_iter().enumerate().map(slot).collect()];
        self.term(main).load
    }

    /// Judges the flows that are never called, each for any input.
    pub(super) fn flows_by_themselves(&mut self) {
        let program = self.program;
        self.is_main = false;
        for flow in &program.flows {
            if self.walked.contains(&Arc::as_ptr(flow)) {
                continue;
            }
            let given =
                flow.params.iter().map(|it| Slot::bare(AbstractValue::given(&it.ty))).collect();
            self.quietly(|walk| walk.body_of(flow, given));
        }
    }

    pub(super) fn term(&mut self, term: &'a Term) -> Seen {
        self.terms += 1;
        stacker::maybe_grow(64 << 10, 1 << 20, || self.kind(term))
    }

    fn kind(&mut self, term: &'a Term) -> Seen {
        match &term.kind {
            TermKind::Const(value) => {
                Seen::at_once(Sources::new(), AbstractValue::Known(value.clone()))
            }
            TermKind::Var(var) => self.variable(*var, &term.ty),
            TermKind::Pipeline(terms) => self.pipeline(terms),
            TermKind::Call(call) => self.call(call, term),
            TermKind::Flow { flow, name, segment, args } => {
                self.flow(flow, name, segment, args, term)
            }
            TermKind::CallRef { callee, name, segment, input } => {
                self.call_ref(callee, name, segment, input, term)
            }
            TermKind::Rhai { segment, args, .. } => self.rhai(segment, args, term),
            TermKind::Block(block) => self.block(block),
            TermKind::Parallel { names, branches } => self.parallel(names, branches, term),
            TermKind::Race { segment, branches } => self.race(segment, branches, term),
            TermKind::Each { segment, input, optional, body, .. } => {
                self.each(segment, input, *optional, body, term)
            }
            TermKind::If { segments, condition, then, otherwise } => {
                let arms = [(&segments.0, then.as_ref()), (&segments.1, otherwise.as_ref())];
                self.arms("if", condition, &arms, term)
            }
            TermKind::Match { value, arms } => {
                let arms: Vec<_> = arms.iter().map(|it| (&it.segment, &it.body)).collect();
                self.arms("match", value, &arms, term)
            }
            TermKind::Repeat(repeat) => self.repeat(repeat, term),
            TermKind::Within { segment, bounds, body } => {
                self.varies = true;
                // A term visited only for its amounts has no path.
                if self.problems.is_muted {
                    return self.within(bounds, body, term);
                }
                self.scopes.enter(self.path_to(segment), Looks::of(body, &self.source));
                let seen = self.within(bounds, body, term);
                self.scopes.leave();
                seen
            }
            TermKind::Fallback { segment, tries } => self.fallback(segment, tries, term),
            TermKind::Shape { segment, input, shape, key } => {
                self.shape(segment, input, *shape, key, term)
            }
            _ => self.value(term),
        }
    }

    /// Visits something without adding nodes.
    pub(super) fn quietly<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_quiet, true);
        let seen = look(self);
        self.is_quiet = before;
        seen
    }

    fn variable(&self, var: Var, ty: &Type) -> Seen {
        let frame = self.frames.len().checked_sub(1 + var.up).and_then(|it| self.frames.get(it));
        let slot = frame.and_then(|it| it.get(var.idx));
        slot.map_or_else(
            || Seen::at_once(Sources::new(), AbstractValue::of(ty)),
            |it| Seen::at_once(it.sources.clone(), it.extent.clone()),
        )
    }

    /// Splits sources into nodes and names of inputs.
    pub(super) fn split_sources(&self, sources: Sources) -> (Vec<usize>, Vec<Text>) {
        let (inputs, nodes): (Sources, _) = sources.into_iter().partition(|it| *it >= INPUTS);
        let name = |it: usize| self.program.inputs.get(it - INPUTS).map(|it| it.name.clone());
        (nodes, inputs.into_iter().filter_map(name).collect())
    }

    pub(super) fn framed<T>(&mut self, frame: Vec<Slot>, look: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(frame);
        let seen = look(self);
        self.frames.pop();
        seen
    }

    pub(super) fn below<T>(&mut self, segment: String, look: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let seen = look(self);
        self.path.pop();
        seen
    }

    fn pipeline(&mut self, terms: &'a [Term]) -> Seen {
        let mut seen = self.term(&terms[0]);
        for term in &terms[1..] {
            let it = Slot { sources: seen.sources, extent: seen.extent };
            let next = self.framed(vec![it], |this| this.term(term));
            seen = Seen { load: seen.load.then(next.load), ..next };
        }
        seen
    }

    /// Visits terms that do not need each other.
    pub(super) fn all(
        &mut self,
        terms: impl IntoIterator<Item = &'a Term>,
    ) -> (Sources, Vec<AbstractValue>, ResourceUse) {
        let (mut sources, mut extents) = (Sources::new(), Vec::new());
        let mut load = ResourceUse::none();
        for term in terms {
            let seen = self.term(term);
            sources.extend(seen.sources);
            extents.push(seen.extent);
            load = load.alongside(seen.load);
        }
        sources.sort_unstable();
        sources.dedup();
        (sources, extents, load)
    }

    fn flow(
        &mut self,
        flow: &'a Arc<TypedFlow>,
        name: &Text,
        segment: &Text,
        args: &'a [Term],
        term: &'a Term,
    ) -> Seen {
        let mut params = Vec::with_capacity(args.len());
        let (mut needs, mut before) = (Sources::new(), ResourceUse::none());
        for arg in args {
            let seen = self.term(arg);
            needs.extend(seen.sources.iter().copied());
            before = before.alongside(seen.load);
            params.push(Slot { sources: seen.sources, extent: seen.extent });
        }
        self.inside(name, Some(segment.to_string()), needs, term, |this, _| {
            let (extent, load) = this.body_of(flow, params);
            (extent, load.clone(), before.then(load))
        })
    }

    /// The extent of the result of a flow with these arguments, and its load.
    pub(super) fn body_of(
        &mut self,
        flow: &'a Arc<TypedFlow>,
        params: Vec<Slot>,
    ) -> (AbstractValue, ResourceUse) {
        self.walked.insert(Arc::as_ptr(flow));
        if self.terms > MOST_TERMS || self.nodes.len() >= MOST_NODES {
            return self.of_any_call(flow, params);
        }
        if !self.is_quiet() {
            return self.walked_body(flow, params);
        }
        let key = self.key(flow, &params);
        let extents: Vec<AbstractValue> = params.iter().map(|it| it.extent.clone()).collect();
        let is_same = |it: &&WalkedCall| it.params.iter().zip(&extents).all(|(a, b)| a.is_same(b));
        if let Some(it) = self.calls.get(&key).and_then(|all| all.iter().find(is_same)) {
            return (it.extent.clone(), it.load.clone());
        }
        let before = self.scopes.visits();
        let (extent, load) = self.walked_body(flow, params);
        // Scopes are recorded by the path of the call, so results with scopes are not shared.
        if !self.is_main || self.scopes.visits() == before {
            let calls = self.calls.entry(key).or_default();
            if calls.len() < MOST_CALLS {
                calls.push(WalkedCall {
                    params: extents,
                    extent: extent.clone(),
                    load: load.clone(),
                });
            }
        }
        (extent, load)
    }

    fn walked_body(
        &mut self,
        flow: &'a Arc<TypedFlow>,
        params: Vec<Slot>,
    ) -> (AbstractValue, ResourceUse) {
        let params = if self.is_open { self.opened(flow, params) } else { params };
        let frames = std::mem::replace(&mut self.frames, vec![params]);
        let source = std::mem::replace(&mut self.source, flow.source.clone());
        let near = std::mem::take(&mut self.near);
        let whole = self.whole.replace(&raw const flow.body);
        self.flows_around += 1;
        let seen = self.term(&flow.body);
        self.flows_around -= 1;
        (self.frames, self.source, self.near, self.whole) = (frames, source, near, whole);
        (seen.extent, seen.load)
    }

    /// The parameters of a flow with any values, except those that are flows.
    fn opened(&self, flow: &TypedFlow, params: Vec<Slot>) -> Vec<Slot> {
        let open = |(slot, param): (Slot, &Input)| match self.flow_in(&slot.extent) {
            Some(_) => slot,
            None => Slot { extent: AbstractValue::given(&param.ty), ..slot },
        };
        params.into_iter().zip(&flow.params).map(open).collect()
    }

    fn key(&self, flow: &'a Arc<TypedFlow>, params: &[Slot]) -> Key {
        let given = params.iter().map(|it| self.flow_in(&it.extent).map(Arc::as_ptr)).collect();
        let is_muted = self.problems.is_muted;
        Key { flow: Arc::as_ptr(flow), given, force: self.force.clone(), is_muted }
    }

    /// Like [`Self::body_of`], once for all calls with the same flows as arguments. Their lists
    /// count as given by the inputs, so they are not reported as unlimited.
    fn of_any_call(
        &mut self,
        flow: &'a Arc<TypedFlow>,
        params: Vec<Slot>,
    ) -> (AbstractValue, ResourceUse) {
        let key = self.key(flow, &params);
        if let Some((extent, load)) = self.memo.get(&key) {
            return (extent.clone(), load.clone());
        }
        let any = flow.params.iter().zip(params).map(|(declared, it)| {
            let is_flow = self.flow_in(&it.extent).is_some();
            Slot::bare(if is_flow { it.extent } else { AbstractValue::given(&declared.ty) })
        });
        let any = any.collect();
        let (extent, load) = self.quietly(|it| it.walked_body(flow, any));
        self.memo.insert(key, (extent.clone(), load.clone()));
        (extent, load)
    }

    fn call_ref(
        &mut self,
        callee: &'a Term,
        name: &Text,
        segment: &Text,
        input: &'a Term,
        term: &'a Term,
    ) -> Seen {
        let (needs, extents, before) = self.all([callee, input]);
        let idx = self.add(name, needs.clone(), term);
        if let Some(idx) = idx {
            self.nodes[idx].path = self.path_to(segment);
        }
        let load = match self.flow_in(&extents[0]) {
            Some(flow) => {
                let input = Some(&extents[1]);
                self.below(segment.to_string(), |this| {
                    this.quietly(|it| it.called(flow, &Sources::new(), input))
                })
            }
            // In a flow judged by itself, its flow parameters are unknown.
            None => ResourceUse::none(),
        };
        self.note_envelope(idx, &load);
        let extent = AbstractValue::of(&term.ty);
        Seen { sources: idx.map_or(needs, |it| vec![it]), extent, load: before.then(load) }
    }

    /// The flow of a value, if it is known.
    pub(super) fn flow_in(&self, extent: &AbstractValue) -> Option<&'a Arc<TypedFlow>> {
        let Some(Value::Flow(value)) = extent.as_known() else { return None };
        self.flows.get(&Arc::as_ptr(&value.downcast::<TypedFlow>()?)).copied()
    }

    /// The flows of a list of tools, if it is known.
    pub(super) fn flows_in(&self, extent: &AbstractValue) -> Vec<&'a Arc<TypedFlow>> {
        let known = extent.as_known().map(Value::flows).unwrap_or_default();
        let flow =
            |it: FlowRef| self.flows.get(&Arc::as_ptr(&it.downcast::<TypedFlow>()?)).copied();
        known.into_iter().filter_map(flow).collect()
    }

    fn block(&mut self, block: &'a TypedBlock) -> Seen {
        self.frames.push(Vec::new());
        let mut load = ResourceUse::none();
        let mut ends: Vec<Range<Duration>> = Vec::with_capacity(block.lets.len());
        for bind in &block.lets {
            let seen = if bind.skipped {
                Seen::at_once(Sources::new(), AbstractValue::null())
            } else {
                self.below(bind.segment.to_string(), |this| this.term(&bind.value))
            };
            ends.push(after(&bind.needs, &ends).plus(seen.load.time));
            load = load.alongside(seen.load);
            let slot = Slot { sources: seen.sources, extent: seen.extent };
            self.frames.last_mut().expect("it was pushed above").push(slot);
        }
        let result = self.term(&block.result);
        self.frames.pop();
        let end = after(&block.needs, &ends).plus(result.load.time);
        load = load.alongside(result.load);
        load.time = ends.into_iter().fold(end, Range::longest);
        Seen { load, ..result }
    }

    /// Visits bounds. Bounds of a single node are shown on it; bounds of several nodes are a node
    /// around them.
    fn within(&mut self, bounds: &'a [(BoundKey, Term)], body: &'a Term, term: &'a Term) -> Seen {
        let is_whole = self.whole.is_some_and(|it| std::ptr::eq(it, term));
        if is_whole {
            self.whole = Some(body);
        }
        let values: Vec<(BoundKey, Option<Value>)> = bounds
            .iter()
            .map(|(key, it)| {
                let value = self.quietly(|walk| walk.term(it).extent);
                (*key, value.as_known().cloned())
            })
            .collect();
        let (inner, limits) = self.force.inside(&values);
        let (near, _) = self.near.inside(&values);
        let outer = std::mem::replace(&mut self.near, near);
        let around = std::mem::replace(&mut self.force, inner);
        let (idx, seen) = self.bounded(body, bounds, is_whole);
        self.force = around;
        self.near = outer.clone();
        let mut verdicts = Vec::with_capacity(bounds.len());
        for ((key, it), (_, value)) in bounds.iter().zip(values) {
            let load = &seen.load;
            let bound = Bounded { key: *key, term: it, value, body, load, outer: &outer, is_whole };
            verdicts.push(self.judge(&bound));
        }
        let load = seen.load.limited(&limits);
        self.note_envelope(idx, &load);
        match idx.and_then(|it| self.nodes.get_mut(it)) {
            Some(node) => {
                node.verdicts.splice(0..0, verdicts);
            }
            None if is_whole && self.flows_around == 0 && !self.is_quiet => {
                self.of_whole.extend(verdicts);
            }
            None => {}
        }
        Seen { load, ..seen }
    }

    /// Visits the bounded term, and returns the node that shows the bounds.
    fn bounded(
        &mut self,
        body: &'a Term,
        bounds: &'a [(BoundKey, Term)],
        is_whole: bool,
    ) -> (Option<usize>, Seen) {
        let shown: Vec<(&'static str, String)> =
            bounds.iter().map(|(key, it)| (key.name(), self.bound_text(it))).collect();
        if is_whole {
            let seen = self.term(body);
            // It is shown on the node of the flow, or on the whole file.
            let idx = self.parents.last().copied().filter(|_| !self.is_quiet());
            if let Some(node) = idx.and_then(|it| self.nodes.get_mut(it)) {
                node.bounds.splice(0..0, shown);
            }
            return (idx, seen);
        }
        let first = self.nodes.len();
        if is_one_node(body) {
            let seen = self.term(body);
            let node = self.nodes.get_mut(first).filter(|_| !self.is_quiet);
            let idx = node.map(|node| {
                node.bounds.retain(|(key, _)| !shown.iter().any(|(it, _)| it == key));
                node.bounds.splice(0..0, shown);
                first
            });
            return (idx, seen);
        }
        let idx = self.add("within", Sources::new(), body);
        if let Some(idx) = idx {
            self.nodes[idx].path = String::new();
            self.nodes[idx].bounds = shown;
            self.parents.push(idx);
        }
        let seen = self.term(body);
        if idx.is_some() {
            self.parents.pop();
        }
        (idx, seen)
    }

    fn bound_text(&self, term: &Term) -> String {
        match term.constant() {
            Some(value) => value.to_string(),
            None => self.source.text().get(term.span.range()).unwrap_or_default().to_owned(),
        }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.is_quiet || !self.context.shows_nodes || self.nodes.len() >= MOST_NODES
    }

    /// Visits a coalescing or logical operator, whose right side may not be needed.
    pub(super) fn lazily(
        &mut self,
        op: BinaryOp,
        left: &'a Term,
        right: &'a Term,
        ty: &Type,
    ) -> Seen {
        let a = self.term(left);
        let b = self.term(right);
        let extent = match op {
            BinaryOp::Coalesce => match a.extent.as_known() {
                Some(Value::Null) => b.extent,
                Some(_) => a.extent,
                None => a.extent.or(&b.extent, ty),
            },
            _ => AbstractValue::of(ty).settled(a.extent.is_given() && b.extent.is_given()),
        };
        let mut sources = a.sources;
        sources.extend(b.sources);
        Seen { sources, extent, load: a.load.then(b.load.perhaps()) }
    }
}

/// The time when everything that is needed is available.
fn after(needs: &[usize], ends: &[Range<Duration>]) -> Range<Duration> {
    let ends = needs.iter().filter_map(|it| ends.get(*it));
    ends.fold(Range::none(), |latest, it| latest.longest(*it))
}

/// Whether a term is shown as one node, perhaps with others inside.
fn is_one_node(term: &Term) -> bool {
    match &term.kind {
        TermKind::Within { body, .. } => is_one_node(body),
        TermKind::Pipeline(_) | TermKind::Block(_) | TermKind::Record(_) => false,
        _ => true,
    }
}
