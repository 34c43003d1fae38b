//! The nodes of a plan: every call and block, with what it needs and what it does.

use super::{
    Envelope, Verdict,
    effects::{EffectUse, of_call},
};
use crate::{
    check::{Block, BoundKey, Call, Checked, Entry, Flow, Piece, Term, TermKind, Var},
    diag::{Source, Span},
    value::{Text, Type, units},
};

/// One vertex of the plan.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its stable name: `found/web/search`, `each[]/summary`. Bounds around several nodes
    /// have none.
    pub path: String,
    /// What the script calls it: `search`, `parallel`, `each`.
    pub name: String,
    /// The op's canonical name; blocks have none.
    pub op: Option<String>,
    /// `inline`, `compute` or `io`; blocks have none.
    pub cost_class: Option<&'static str>,
    pub ty: Type,
    /// The nodes whose results it uses.
    pub needs: Vec<usize>,
    /// How many blocks it stands in.
    pub depth: usize,
    /// The block that it stands in, if any; it comes before it.
    pub parent: Option<usize>,
    pub effects: Vec<EffectUse>,
    /// The bounds that hold for it alone, its own defaults among them.
    pub bounds: Vec<(&'static str, String)>,
    /// What it takes, all that stands in it included, however often that runs.
    pub envelope: Envelope,
    /// What is known of the bounds that the script wrote for it.
    pub verdicts: Vec<Verdict>,
    /// What has to be there before anything behind it can start: `all items`, `all branches`.
    pub barrier: Option<&'static str>,
    /// Further remarks: what is not retried, which price is unknown.
    pub notes: Vec<String>,
    pub span: Span,
    /// The text that the span is a part of: a flow may stand in another file.
    pub source: Source,
}

/// A plan with more nodes than this shows its flows without their insides.
const MOST_NODES: usize = 10_000;

/// The nodes of a program, in the order of the script.
pub(super) fn of(program: &Checked) -> Vec<Node> {
    let mut walk = Walk {
        program,
        source: program.source.clone(),
        nodes: Vec::new(),
        frames: Vec::new(),
        path: Vec::new(),
        depth: 0,
        timed: 0,
    };
    if let Some(main) = &program.main {
        walk.frames.push(vec![Vec::new(); program.inputs.len()]);
        walk.term(main);
    }
    walk.nodes
}

/// The nodes that a value comes from.
type Sources = Vec<usize>;

struct Walk<'a> {
    program: &'a Checked,
    /// The text that the terms stand in.
    source: Source,
    nodes: Vec<Node>,
    /// Where the variables of each frame come from.
    frames: Vec<Vec<Sources>>,
    path: Vec<String>,
    depth: usize,
    /// How many bounds around give a time.
    timed: usize,
}

impl<'a> Walk<'a> {
    fn term(&mut self, term: &'a Term) -> Sources {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.kind(term))
    }

    fn kind(&mut self, term: &'a Term) -> Sources {
        match &term.kind {
            TermKind::Const(_) => Vec::new(),
            TermKind::Var(var) => self.variable(*var),
            TermKind::Pipeline(terms) => self.pipeline(terms),
            TermKind::Call(call) => self.call(call, term),
            TermKind::Flow { flow, name, segment, args } => {
                self.flow(flow, name, segment, args, term)
            }
            TermKind::CallRef { name, segment, input, .. } => {
                let needs = self.term(input);
                let idx = self.add(name, needs, term);
                self.nodes[idx].path = self.path_to(segment);
                vec![idx]
            }
            TermKind::Block(block) => self.block(block),
            TermKind::Parallel { branches, .. } => {
                self.inside("parallel", None, Vec::new(), term, |this| {
                    for branch in branches {
                        let mark = if branch.optional { "?" } else { "" };
                        let name = format!("{}{mark}", branch.name);
                        this.below(name, |this| this.term(&branch.body));
                    }
                })
            }
            TermKind::Each { segment, input, optional, body } => {
                let needs = self.term(input);
                let word = if *optional { "each?" } else { "each" };
                self.inside(word, Some(format!("{segment}[]")), needs, term, |this| {
                    let own = vec![this.nodes.len() - 1];
                    this.framed(vec![own], |this| this.term(body));
                })
            }
            TermKind::If { segments, condition, then, otherwise } => {
                let needs = self.term(condition);
                self.inside("if", None, needs, term, |this| {
                    this.below(segments.0.to_string(), |this| this.term(then));
                    this.below(segments.1.to_string(), |this| this.term(otherwise));
                })
            }
            TermKind::Match { value, arms } => {
                let needs = self.term(value);
                self.inside("match", None, needs, term, |this| {
                    for arm in arms {
                        this.below(arm.segment.to_string(), |this| this.term(&arm.body));
                    }
                })
            }
            TermKind::Repeat(repeat) => {
                let needs = self.term(&repeat.input);
                let word = format!("repeat {}", repeat.turns);
                self.inside(&word, Some(format!("{}[]", repeat.segment)), needs, term, |this| {
                    let own = vec![this.nodes.len() - 1];
                    this.framed(vec![own.clone()], |this| this.term(&repeat.until));
                    this.framed(vec![own.clone()], |this| this.term(&repeat.body));
                    if let Some(otherwise) = &repeat.otherwise {
                        this.framed(vec![own.clone()], |this| this.term(otherwise));
                    }
                })
            }
            TermKind::Within { bounds, body } => self.within(bounds, body),
            TermKind::Fallback { segment, tries } => {
                let mut sources = self.term(&tries[0]);
                for term in &tries[1..] {
                    sources.extend(self.below(segment.to_string(), |this| {
                        this.framed(vec![Vec::new()], |this| this.term(term))
                    }));
                }
                sources
            }
            TermKind::Shape { segment, input, shape, key } => {
                let needs = self.term(input);
                let idx = self.add(shape.word(), needs, term);
                self.nodes[idx].path = self.path_to(segment);
                self.framed(vec![vec![idx]], |this| this.term(key));
                vec![idx]
            }
            TermKind::Record(entries) => self.union(entries.iter().map(|it| match it {
                Entry::Field(_, term) | Entry::Spread(term, _) => term,
            })),
            TermKind::Text(pieces) => self.union(pieces.iter().filter_map(|it| match it {
                Piece::Value(term, _) => Some(term),
                Piece::Text(_) => None,
            })),
            _ => {
                let mut parts = Vec::new();
                term.each_part(&mut |it| parts.push(it));
                self.union(parts)
            }
        }
    }

    fn union(&mut self, terms: impl IntoIterator<Item = &'a Term>) -> Sources {
        let mut all: Sources = terms.into_iter().flat_map(|it| self.term(it)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn variable(&self, var: Var) -> Sources {
        let frame = self.frames.len().checked_sub(1 + var.up).and_then(|it| self.frames.get(it));
        frame.and_then(|it| it.get(var.idx)).cloned().unwrap_or_default()
    }

    fn framed<T>(&mut self, frame: Vec<Sources>, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(frame);
        let walked = walk(self);
        self.frames.pop();
        walked
    }

    fn below<T>(&mut self, segment: String, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let walked = walk(self);
        self.path.pop();
        walked
    }

    fn pipeline(&mut self, terms: &'a [Term]) -> Sources {
        let mut sources = self.term(&terms[0]);
        for term in &terms[1..] {
            sources = self.framed(vec![sources], |this| this.term(term));
        }
        sources
    }

    fn call(&mut self, call: &'a Call, term: &'a Term) -> Sources {
        let needs = self.union(&call.args);
        if call.op.op.is_inline() {
            let is_input = !matches!(call.args.first().map(|it| &it.kind), Some(TermKind::Var(_)));
            if is_input {
                return needs;
            }
        }
        let idx = self.add(&call.name, needs, term);
        let path = self.path_to(&call.segment);
        let is_timed = self.timed > 0;
        let node = &mut self.nodes[idx];
        node.path = path;
        node.op = Some(call.op.to_string());
        node.cost_class = Some(call.op.op.cost_class());
        node.effects = of_call(call);
        node.bounds = own_bounds(call, is_timed);
        for flow in call.args.iter().filter_map(given_flow) {
            self.called_back(flow, &call.segment, idx);
        }
        vec![idx]
    }

    /// What an op calls that was given to it stands below the op.
    fn called_back(&mut self, flow: &'a Flow, segment: &Text, op: usize) {
        if self.nodes.len() >= MOST_NODES {
            return;
        }
        self.depth += 1;
        self.below(segment.to_string(), |this| {
            this.below(flow.name.to_string(), |this| this.body(flow, vec![vec![op]]));
        });
        self.depth -= 1;
    }

    fn flow(
        &mut self,
        flow: &'a Flow,
        name: &Text,
        segment: &Text,
        args: &'a [Term],
        term: &'a Term,
    ) -> Sources {
        let params: Vec<Sources> = args.iter().map(|it| self.term(it)).collect();
        let needs = params.iter().flatten().copied().collect();
        self.inside(name, Some(segment.to_string()), needs, term, |this| {
            if this.nodes.len() < MOST_NODES {
                this.body(flow, params);
            }
        })
    }

    /// The inside of a flow, which sees its params only.
    fn body(&mut self, flow: &'a Flow, params: Vec<Sources>) {
        let frames = std::mem::replace(&mut self.frames, vec![params]);
        let source = std::mem::replace(&mut self.source, flow.source.clone());
        self.term(&flow.body);
        (self.frames, self.source) = (frames, source);
    }

    fn block(&mut self, block: &'a Block) -> Sources {
        self.frames.push(Vec::new());
        for bind in &block.lets {
            let sources = match bind.skipped {
                true => Vec::new(),
                false => self.below(bind.name.to_string(), |this| this.term(&bind.value)),
            };
            self.frames.last_mut().expect("it was pushed above").push(sources);
        }
        let result = self.term(&block.result);
        self.frames.pop();
        result
    }

    /// A node that holds others.
    fn inside(
        &mut self,
        name: &str,
        segment: Option<String>,
        needs: Sources,
        term: &'a Term,
        walk: impl FnOnce(&mut Self),
    ) -> Sources {
        let idx = self.add(name, needs, term);
        self.depth += 1;
        match segment {
            Some(segment) => {
                self.nodes[idx].path = self.path_to(&segment);
                self.below(segment, walk);
            }
            None => walk(self),
        }
        self.depth -= 1;
        vec![idx]
    }

    /// Bounds of one node stand beside it; bounds of several are a node that holds them.
    fn within(&mut self, bounds: &'a [(BoundKey, Term)], body: &'a Term) -> Sources {
        let shown: Vec<(&'static str, String)> =
            bounds.iter().map(|(key, term)| (key.name(), bound_text(term, self.program))).collect();
        let is_timed = bounds.iter().any(|(key, _)| *key == BoundKey::Timeout);
        self.timed += usize::from(is_timed);
        let first = self.nodes.len();
        let sources = if is_one_node(body) {
            let sources = self.term(body);
            if let Some(node) = self.nodes.get_mut(first) {
                node.bounds.retain(|(key, _)| !shown.iter().any(|(it, _)| it == key));
                node.bounds.splice(0..0, shown);
            }
            sources
        } else {
            let idx = self.add("within", Vec::new(), body);
            self.nodes[idx].path = String::new();
            self.nodes[idx].bounds = shown;
            self.depth += 1;
            let sources = self.term(body);
            self.depth -= 1;
            sources
        };
        self.timed -= usize::from(is_timed);
        sources
    }

    fn path_to(&self, segment: &str) -> String {
        let mut path = self.path.join("/");
        if !path.is_empty() {
            path.push('/');
        }
        path + segment
    }

    fn add(&mut self, name: &str, needs: Sources, term: &Term) -> usize {
        self.nodes.push(Node {
            path: self.path_to(name),
            name: name.to_owned(),
            op: None,
            cost_class: None,
            ty: term.ty.clone(),
            needs,
            depth: self.depth,
            parent: None,
            effects: Vec::new(),
            bounds: Vec::new(),
            envelope: Envelope::NONE,
            verdicts: Vec::new(),
            barrier: None,
            notes: Vec::new(),
            span: term.span,
            source: self.source.clone(),
        });
        self.nodes.len() - 1
    }
}

/// The flow that an argument is.
fn given_flow(arg: &Term) -> Option<&Flow> {
    match &arg.kind {
        TermKind::FlowRef(flow) => Some(flow),
        _ => None,
    }
}

/// Whether a term is shown as one node, perhaps with others inside.
fn is_one_node(term: &Term) -> bool {
    match &term.kind {
        TermKind::Within { body, .. } => is_one_node(body),
        TermKind::Pipeline(_)
        | TermKind::Block(_)
        | TermKind::Fallback { .. }
        | TermKind::Record(_) => false,
        _ => true,
    }
}

/// The bounds that an op has when the script gives none. A time that stands anywhere
/// around replaces the op's own.
fn own_bounds(call: &Call, is_timed: bool) -> Vec<(&'static str, String)> {
    let op = call.op.op;
    if op.is_inline() {
        return Vec::new();
    }
    let retries = if op.writes_once() { 0 } else { op.limits.max_retries };
    let timeout = op.limits.timeout.filter(|_| !is_timed);
    let timeout = timeout.map(|it| ("timeout", units::show_duration(it)));
    timeout.into_iter().chain([("max_retries", retries.to_string())]).collect()
}

fn bound_text(term: &Term, program: &Checked) -> String {
    match term.constant() {
        Some(value) => value.to_string(),
        None => program.source.text().get(term.span.range()).unwrap_or_default().to_owned(),
    }
}
