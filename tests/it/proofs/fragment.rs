//! Random scripts of the constructs that the model has, as a text of the language and as a program of
//! the model.

use std::fmt::Write as _;

use fastrand::Rng;

/// The kind of amount that a program of the model counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tokens,
    /// In billionths of a dollar.
    Cost,
}

#[derive(Clone, Debug)]
enum Node {
    /// Cents, tokens and attempts.
    Step(u64, u64, u64),
    /// Five cents, once, and a write.
    Post,
    /// An inline stage.
    Free,
    Seq(Box<[Node; 2]>),
    /// Whether the second branch is optional.
    Par(Box<[Node; 2]>, bool),
    Race(Box<[Node; 2]>),
    /// The number of items, whether the list is that of a call, and whether it is `each?`.
    Each(u64, bool, bool, Box<Node>),
    /// Turns, and what decides, is repeated, and follows if it was not enough.
    Repeat(u64, Box<[Node; 3]>),
    /// A value, and two arms; whether it is a `match`.
    Choose(Box<[Node; 3]>, bool),
    Fallback(Box<[Node; 2]>),
    MaxTokens(u64, Box<Node>),
    /// In cents.
    MaxCost(u64, Box<Node>),
    /// An op that calls a flow, by its number, up to some times, with the attempts of the op.
    Often(usize, u64, u64),
}

/// A script of the fragment.
pub(super) struct Script {
    flows: Vec<Node>,
    main: Node,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    flows: Vec<Node>,
    /// Whether nothing may write, because it races or is passed on.
    is_pure: bool,
}

impl Script {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut maker = Maker { rng, flows: Vec::new(), is_pure: false };
        let main = maker.node(4);
        Self { flows: maker.flows, main }
    }

    /// The text of the script.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (idx, flow) in self.flows.iter().enumerate() {
            let body = stages(flow);
            writeln!(text, "flow f{idx}(x: string) -> string {{\n  x >> {body}\n}}").unwrap();
        }
        format!("{text}\"a\" >> {}\n", stages(&self.main))
    }

    /// The same as a program of the model, for one kind of amount.
    pub(super) fn model(&self, kind: Kind) -> String {
        self.program(&self.main, kind)
    }

    fn program(&self, node: &Node, kind: Kind) -> String {
        let of = |node: &Node| self.program(node, kind);
        let amount = |cents: u64, tokens: u64| match kind {
            Kind::Tokens => tokens,
            Kind::Cost => cents * 10_000_000,
        };
        match node {
            Node::Step(cents, tokens, tries) => {
                format!("(call (1) {} {tries} 0 done)", amount(*cents, *tokens))
            }
            Node::Post => format!("(call (1 3) {} 1 0 done)", amount(5, 0)),
            Node::Free => "done".to_owned(),
            Node::Seq(both) => format!("(seq {} {})", of(&both[0]), of(&both[1])),
            Node::Par(both, false) => format!("(par {} {})", of(&both[0]), of(&both[1])),
            Node::Par(both, true) => format!("(par {} (optional {}))", of(&both[0]), of(&both[1])),
            Node::Race(both) => format!("(race {} {})", of(&both[0]), of(&both[1])),
            Node::Each(items, is_called, is_optional, body) => {
                let body = if *is_optional { format!("(optional {})", of(body)) } else { of(body) };
                let list = if *is_called { "(call (2) 0 4 0 done)" } else { "done" };
                format!("(seq {list} (each {items} {body}))")
            }
            Node::Repeat(turns, all) => {
                format!("(repeat {turns} {} {} {})", of(&all[0]), of(&all[1]), of(&all[2]))
            }
            Node::Choose(all, _) => {
                format!("(choose {} {} {})", of(&all[0]), of(&all[1]), of(&all[2]))
            }
            Node::Fallback(both) => format!("(fallback {} {})", of(&both[0]), of(&both[1])),
            Node::MaxTokens(cap, body) if kind == Kind::Tokens => {
                format!("(within {cap} {})", of(body))
            }
            Node::MaxCost(cents, body) if kind == Kind::Cost => {
                format!("(within {} {})", amount(*cents, 0), of(body))
            }
            Node::MaxTokens(_, body) | Node::MaxCost(_, body) => of(body),
            Node::Often(flow, calls, tries) => {
                format!("(call () 0 {tries} {calls} {})", of(&self.flows[*flow]))
            }
        }
    }
}

/// Stages from a text to a text.
fn stages(node: &Node) -> String {
    match node {
        Node::Step(cents, tokens, tries) => {
            let call = format!("step(cents: {cents}, tokens: {tokens}, takes: 1s)");
            retried(&call, *tries)
        }
        Node::Post => "post".to_owned(),
        Node::Free => "trim".to_owned(),
        Node::Seq(both) => format!("{} >> {}", stages(&both[0]), stages(&both[1])),
        Node::Par(both, is_optional) => {
            let mark = if *is_optional { "?" } else { "" };
            let (a, b) = (stages(&both[0]), stages(&both[1]));
            let end = if *is_optional { "${.b ?? \"-\"}" } else { "${.b}" };
            format!("parallel {{ a: {a}, b{mark}: {b} }} >> \"${{.a}}{end}\"")
        }
        Node::Race(both) => {
            format!("race {{ a: {}, b: {} }}", stages(&both[0]), stages(&both[1]))
        }
        Node::Each(items, is_called, is_optional, body) => {
            let list = if *is_called {
                format!("list(most: {items})")
            } else {
                let all: Vec<String> = (0..*items).map(|it| format!("\"${{it}}{it}\"")).collect();
                format!("[{}]", all.join(", "))
            };
            let (mark, end) = if *is_optional { ("?", "compact >> ") } else { ("", "") };
            format!("{list} >> each{mark} {{ {} }} >> {end}join(sep: \"\")", stages(body))
        }
        Node::Repeat(turns, all) => {
            let [until, body, otherwise] = all.as_ref();
            format!(
                "repeat {turns} {{ {} }} until len({}) > 99 else {{ {} }}",
                stages(body),
                value(until),
                stages(otherwise)
            )
        }
        Node::Choose(all, is_match) => {
            let [of, one, other] = all.as_ref();
            let (of, one, other) = (value(of), stages(one), stages(other));
            if *is_match {
                format!("match len({of}) > 5 {{ true => {one}, false => {other} }}")
            } else {
                format!("if len({of}) > 5 {{ {one} }} else {{ {other} }}")
            }
        }
        Node::Fallback(both) => {
            format!("(({}) fallback ({}))", stages(&both[0]), stages(&both[1]))
        }
        Node::MaxTokens(cap, body) => {
            format!("(({}) within {{ max_tokens: {cap} }})", stages(body))
        }
        Node::MaxCost(cents, body) => {
            let dollars = format!("${}.{:02}", cents / 100, cents % 100);
            format!("(({}) within {{ max_cost: {dollars} }})", stages(body))
        }
        Node::Often(flow, calls, tries) => {
            retried(&format!("often(flow: f{flow}, rounds: {calls})"), *tries)
        }
    }
}

/// An expression over `it`.
fn value(node: &Node) -> String {
    match node {
        Node::Free => "it".to_owned(),
        node => format!("(it >> {})", stages(node)),
    }
}

/// A call with this number of attempts; the default is four.
fn retried(call: &str, tries: u64) -> String {
    format!("({call} within {{ max_retries: {} }})", tries - 1)
}

impl Maker<'_> {
    fn node(&mut self, depth: u8) -> Node {
        if depth == 0 {
            return self.call();
        }
        let depth = depth - 1;
        match self.rng.u8(0..17) {
            0 | 1 => Node::Seq(self.two(depth).into()),
            2 | 3 => Node::Par(self.two(depth).into(), self.rng.bool()),
            4 => {
                let around = std::mem::replace(&mut self.is_pure, true);
                let both = self.two(depth);
                self.is_pure = around;
                Node::Race(both.into())
            }
            5 | 6 => {
                let (items, is_called) = (self.rng.u64(1..5), self.rng.bool());
                Node::Each(items, is_called, self.rng.bool(), self.node(depth).into())
            }
            7 => {
                // The language allows no calls in `until`.
                let all = [Node::Free, self.node(depth), self.node(depth.min(1))];
                Node::Repeat(self.rng.u64(1..4), all.into())
            }
            8 | 9 => {
                let all = [self.simple(), self.node(depth), self.node(depth)];
                Node::Choose(all.into(), self.rng.bool())
            }
            10 => Node::Fallback(self.two(depth).into()),
            11 | 12 => Node::MaxTokens(self.cap(6_000), self.node(depth).into()),
            13 | 14 => Node::MaxCost(self.cap(400), self.node(depth).into()),
            15 if self.flows.len() < 3 => self.often(depth),
            _ => self.call(),
        }
    }

    fn two(&mut self, depth: u8) -> [Node; 2] {
        [self.node(depth), self.node(depth)]
    }

    /// Mostly small, and sometimes enough for everything.
    fn cap(&mut self, usual: u64) -> u64 {
        if self.rng.u8(0..3) == 0 { usual * 20 } else { self.rng.u64(usual / 40..usual / 4) }
    }

    fn often(&mut self, depth: u8) -> Node {
        let around = std::mem::replace(&mut self.is_pure, true);
        let flow = self.node(depth.min(2));
        self.is_pure = around;
        self.flows.push(flow);
        Node::Often(self.flows.len() - 1, self.rng.u64(1..4), self.rng.u64(1..4))
    }

    /// A call, or nothing.
    fn simple(&mut self) -> Node {
        if self.rng.bool() { Node::Free } else { self.call() }
    }

    fn call(&mut self) -> Node {
        match self.rng.u8(0..8) {
            0 if !self.is_pure => Node::Post,
            1 => Node::Free,
            _ => Node::Step(self.rng.u64(0..20), self.rng.u64(0..500), self.rng.u64(1..4)),
        }
    }
}
