//! Random scripts whose stages pass on the names of the bounds around them, and edits of them.

use std::fmt::Write as _;

use fastrand::Rng;

use super::till::Most;

#[derive(Clone, Debug)]
pub(super) enum Node {
    Pay {
        cents: u64,
        tokens: u64,
        retries: Option<u8>,
    },
    Scope(Scope),
    Each(usize, Vec<Node>),
    /// A number of turns, and the stages after them.
    Repeat(u8, Vec<Node>, Vec<Node>),
    /// A branch that may fail.
    Perhaps(usize, Vec<Node>),
    Both([(usize, Vec<Node>); 2]),
    Race([(usize, Vec<Node>); 2]),
    /// A call of a flow, with a unique number.
    Call(usize, usize),
    /// An op that calls a flow twice, with a unique number.
    Twice(usize, usize),
}

/// Stages with bounds.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    id: usize,
    most: Most,
    timeout: bool,
    body: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    head: Option<Scope>,
    flows: Vec<Scope>,
    main: Vec<Node>,
    names: usize,
}

impl Script {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut script = Self { head: None, flows: Vec::new(), main: Vec::new(), names: 0 };
        for _ in 0..rng.usize(0..3) {
            let flow = script.scope(rng, 1);
            script.flows.push(flow);
        }
        script.main = script.body(rng, 3);
        if rng.bool() {
            script.head = Some(script.scope(rng, 0));
        }
        script
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn scope(&mut self, rng: &mut Rng, depth: usize) -> Scope {
        let (id, body) = (self.name(), self.body(rng, depth));
        Scope { id, most: most(rng), timeout: rng.u8(0..6) == 0, body }
    }

    fn body(&mut self, rng: &mut Rng, depth: usize) -> Vec<Node> {
        (0..rng.usize(1..4)).map(|_| self.node(rng, depth)).collect()
    }

    fn node(&mut self, rng: &mut Rng, depth: usize) -> Node {
        if depth == 0 {
            return pay(rng);
        }
        let depth = depth - 1;
        match rng.u8(0..13) {
            0..=2 => Node::Scope(self.scope(rng, depth)),
            3 => Node::Each(rng.usize(1..4), self.body(rng, depth)),
            4 => Node::Repeat(rng.u8(1..4), self.body(rng, depth), self.body(rng, depth)),
            5 => Node::Perhaps(self.name(), self.body(rng, depth)),
            6 => Node::Both([0, 1].map(|_| (self.name(), self.body(rng, depth)))),
            7 if !self.flows.is_empty() => Node::Call(self.name(), rng.usize(..self.flows.len())),
            8 if !self.flows.is_empty() => Node::Twice(self.name(), rng.usize(..self.flows.len())),
            9 => Node::Race([0, 1].map(|_| (self.name(), self.body(rng, depth)))),
            _ => pay(rng),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut main = format!("\"run\" >> {}", stages(&self.main));
        if let Some(head) = &self.head {
            writeln!(text, "svc 1 within {{ {} }}", head.bounds()).unwrap();
            main = format!("\"run/{}\" >> {} >> back", head.tag(), stages(&self.main));
        }
        for (idx, flow) in self.flows.iter().enumerate() {
            let (bounds, tag, body) = (flow.bounds(), flow.tag(), stages(&flow.body));
            let inside = format!("\"${{x}}/{tag}\" >> {body} >> back");
            writeln!(text, "flow f{idx}(x: string) -> string within {{ {bounds} }} {{ {inside} }}")
                .unwrap();
        }
        writeln!(text, "{main}").unwrap();
        text
    }

    /// Makes one edit. Spending under a bound stays with the bound.
    pub(super) fn edit(&mut self, rng: &mut Rng) {
        match rng.u8(0..8) {
            0 => self.any_scope(rng, &mut |scope, rng| scope.most = most(rng)),
            1 => self.any_body(rng, &mut |body, _, rng| {
                let place = rng.usize(..body.len());
                if let Node::Pay { cents, tokens, .. } = &mut body[place] {
                    (*cents, *tokens) = (*cents + 1, *tokens + 1);
                }
            }),
            2 => self.any_body(rng, &mut |body, _, rng| {
                body.insert(rng.usize(..=body.len()), pay(rng));
            }),
            3 => self.any_body(rng, &mut |body, _, rng| {
                let place = rng.usize(..body.len());
                if body.len() > 1 && matches!(body[place], Node::Pay { .. }) {
                    body.remove(place);
                }
            }),
            4 => self.any_body(rng, &mut |body, id, rng| {
                let from = rng.usize(..body.len());
                let to = rng.usize(from + 1..=body.len());
                let body_of = body.drain(from..to).collect();
                let scope = Scope { id, most: most(rng), timeout: false, body: body_of };
                body.insert(from, Node::Scope(scope));
            }),
            5 => self.any_body(rng, &mut |body, _, rng| {
                let place = rng.usize(..body.len());
                if let Node::Scope(scope) = &body[place] {
                    let inside = scope.body.clone();
                    body.splice(place..=place, inside);
                }
            }),
            6 => self.any_body(rng, &mut |body, id, rng| {
                let scope = Scope { id, most: most(rng), timeout: false, body: vec![pay(rng)] };
                body.insert(rng.usize(..=body.len()), Node::Scope(scope));
            }),
            _ => self.head = self.head.take().xor(Some(self.fresh_head(rng))),
        }
    }

    fn fresh_head(&mut self, rng: &mut Rng) -> Scope {
        Scope { id: self.name(), most: most(rng), timeout: false, body: Vec::new() }
    }

    fn any_scope(&mut self, rng: &mut Rng, edit: &mut dyn FnMut(&mut Scope, &mut Rng)) {
        let mut all: Vec<&mut Scope> = self.head.iter_mut().collect();
        for flow in &mut self.flows {
            all.push(flow);
        }
        // Scopes inside others are found through their bodies.
        if !all.is_empty() && rng.bool() {
            let idx = rng.usize(..all.len());
            return edit(all[idx], rng);
        }
        self.any_body(rng, &mut |body, _, rng| {
            let mut scopes: Vec<_> = body.iter_mut().filter_map(scope_of).collect();
            if !scopes.is_empty() {
                let idx = rng.usize(..scopes.len());
                edit(scopes[idx], rng);
            }
        });
    }

    /// Edits one of all sequences of stages, with a name that is not used yet.
    fn any_body(&mut self, rng: &mut Rng, edit: &mut dyn FnMut(&mut Vec<Node>, usize, &mut Rng)) {
        let id = self.name();
        let mut count = 0;
        self.each_body(&mut |_| count += 1);
        let (wanted, mut at) = (rng.usize(..count), 0);
        self.each_body(&mut |body| {
            if at == wanted {
                edit(body, id, rng);
            }
            at += 1;
        });
    }

    fn each_body(&mut self, visit: &mut dyn FnMut(&mut Vec<Node>)) {
        inside(&mut self.main, visit);
        self.flows.iter_mut().for_each(|it| inside(&mut it.body, visit));
    }
}

fn scope_of(node: &mut Node) -> Option<&mut Scope> {
    match node {
        Node::Scope(scope) => Some(scope),
        _ => None,
    }
}

fn inside(body: &mut Vec<Node>, visit: &mut dyn FnMut(&mut Vec<Node>)) {
    for node in body.iter_mut() {
        match node {
            Node::Scope(Scope { body, .. }) | Node::Each(_, body) | Node::Perhaps(_, body) => {
                inside(body, visit);
            }
            Node::Repeat(_, body, otherwise) => {
                inside(body, visit);
                inside(otherwise, visit);
            }
            Node::Both(both) | Node::Race(both) => {
                for (_, body) in both {
                    inside(body, visit);
                }
            }
            Node::Pay { .. } | Node::Call(..) | Node::Twice(..) => {}
        }
    }
    visit(body);
}

fn most(rng: &mut Rng) -> Most {
    let (cents, tokens) = (rng.u64(5..40), rng.u64(60..500));
    match rng.u8(0..4) {
        0 => Most { cents: None, tokens: Some(tokens) },
        1 => Most { cents: Some(cents), tokens: Some(tokens) },
        2 => Most { cents: Some(cents), tokens: None },
        _ => Most::default(),
    }
}

fn pay(rng: &mut Rng) -> Node {
    let retries = [None, None, Some(0), Some(1)][rng.usize(..4)];
    Node::Pay { cents: rng.u64(0..5), tokens: rng.u64(0..60), retries }
}

impl Scope {
    fn tag(&self) -> String {
        format!("s{}:{}", self.id, self.most.written())
    }

    fn bounds(&self) -> String {
        let cost = self.most.cents.map(|it| format!("max_cost: ${}.{:02}", it / 100, it % 100));
        let tokens = self.most.tokens.map(|it| format!("max_tokens: {it}"));
        let timeout = self.timeout.then(|| "timeout: 9s".to_owned());
        let all: Vec<_> = [cost, tokens, timeout].into_iter().flatten().collect();
        if all.is_empty() { "max_parallel: 9".to_owned() } else { all.join(", ") }
    }
}

fn stages(body: &[Node]) -> String {
    body.iter().map(stage).collect::<Vec<_>>().join(" >> ")
}

fn stage(node: &Node) -> String {
    match node {
        Node::Pay { cents, tokens, retries } => {
            let retries = retries.map(|it| format!(" within {{ max_retries: {it} }}"));
            format!("pay(cents: {cents}, tokens: {tokens}){}", retries.unwrap_or_default())
        }
        Node::Scope(scope) => {
            let (tag, body, bounds) = (scope.tag(), stages(&scope.body), scope.bounds());
            format!("(\"${{it}}/{tag}\" >> {body} >> back) within {{ {bounds} }}")
        }
        Node::Each(count, body) => {
            let items: Vec<_> = (0..*count).map(|it| format!("\"${{it}}/i{it}\"")).collect();
            let (items, body) = (items.join(", "), stages(body));
            format!("[{items}] >> each {{ {body} }} >> join(sep: \"|\") >> back")
        }
        Node::Repeat(turns, body, otherwise) => {
            let (body, otherwise) = (stages(body), stages(otherwise));
            format!(
                "\"${{it}}/t0\" >> repeat {turns} {{ {body} >> turn }} until it == \"x\" else {{ {otherwise} }} >> back"
            )
        }
        Node::Perhaps(name, body) => {
            format!(
                "parallel {{ n{name}?: {}, keep: \"${{it}}\" }} >> \"${{.keep}}\"",
                stages(body)
            )
        }
        Node::Both([(one, first), (two, second)]) => {
            let (first, second) = (stages(first), stages(second));
            format!("parallel {{ n{one}: {first}, n{two}: {second} }} >> \"${{.n{one}}}\"")
        }
        Node::Race([(one, first), (two, second)]) => {
            format!("race {{ n{one}: {}, n{two}: {} }}", stages(first), stages(second))
        }
        Node::Call(number, flow) => format!("\"${{it}}/c{number}\" >> f{flow} >> back"),
        Node::Twice(number, flow) => {
            format!("\"${{it}}/w{number}\" >> twice(flow: f{flow}) >> back")
        }
    }
}
