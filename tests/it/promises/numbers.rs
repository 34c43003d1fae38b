//! The number of calls is computed: from params and values with ranges, through arithmetic, flows
//! that are passed on, and expressions without a value.

use super::random::Writer;

/// A param that only the run is given, and its declared range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) low: i64,
    pub(super) high: i64,
}

/// The ranges of params, and of the parameters and results of flows.
const RANGES: [(i64, i64); 5] = [(1, 2), (1, 2), (0, 3), (-2, 1), (2, 2)];

impl Writer<'_> {
    /// The params of a script that have ranges.
    pub(super) fn ranged(&mut self) -> Vec<Given> {
        let count = self.rng.usize(0..5).saturating_sub(1);
        let given = |idx: usize| {
            let (low, high) = RANGES[self.rng.usize(0..RANGES.len())];
            Given { name: format!("k{idx}"), low, high }
        };
        (0..count).map(given).collect()
    }

    /// A whole number, where `it` is a text.
    pub(super) fn number(&mut self, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return self.operand() };
        let (a, b) = (self.number(depth), self.number(depth));
        match self.rng.u8(0..20) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} * {b})"),
            4 => format!("({a} - {b})"),
            5..=7 => format!("sum([{a}, {b}, {}])", self.operand()),
            8 => format!("abs({a})"),
            9 => format!("max([{a}, {b}])"),
            10 => format!("min([{a}, {b}])"),
            11 => format!("clamp({a}, 0, {b})"),
            12 => format!("clamp(len(it), {a}, 3)"),
            13 => format!("div({a}, {b})"),
            14 => format!(
                "({a} >> repeat 3 {{ it + {} }} until it > 4 else {{ it * 2 }})",
                self.run_in_worker()
            ),
            15 => format!(
                "({a} >> repeat 2 {{ sum([it, {}]) }} until it > 3 else {{ fail(\"no\") }})",
                self.run_in_worker()
            ),
            16 => format!(
                "(if len(it) > {} {{ {a} }} else {{ {} }})",
                self.rng.u8(0..9),
                self.never()
            ),
            17 => format!("(({a}) fallback ({b}))"),
            18 => format!("(({}) fallback ({b}))", self.never()),
            _ => format!("(match len(it) > 3 {{ true => {a}, false => {b} }})"),
        }
    }

    fn operand(&mut self) -> String {
        match self.rng.u8(0..8) {
            0 => "len(it)".to_owned(),
            1 | 2 => "clamp(len(it), 1, 2)".to_owned(),
            _ => self.run_in_worker(),
        }
    }

    /// A number that does not depend on `it`.
    fn run_in_worker(&mut self) -> String {
        if self.counts.is_empty() || self.rng.u8(0..20) == 0 {
            self.rng.u8(0..4).to_string()
        } else {
            self.counts[self.rng.usize(0..self.counts.len())].clone()
        }
    }

    /// An expression that never has a value.
    pub(super) fn never(&mut self) -> &'static str {
        const ALL: [&str; 5] = [
            "fail(\"no\")",
            "fail(\"no\")[0]",
            "(fail(\"no\") >> first)",
            "max(fail(\"no\"))",
            "(fail(\"no\") + 1)",
        ];
        ALL[self.rng.usize(0..ALL.len())]
    }

    /// A stage that is repeated as often as a number requires.
    pub(super) fn counted(&mut self, depth: usize) -> String {
        let (mut count, body) = (self.number(2), self.pipeline(depth));
        if !self.counts.is_empty() && self.rng.bool() {
            // Each of them is in its range, but their sum is not.
            let all: Vec<String> =
                (0..self.rng.usize(2..12)).map(|_| self.run_in_worker()).collect();
            count = if self.rng.bool() {
                format!("sum([{}])", all.join(", "))
            } else {
                format!("({})", all.join(" + "))
            };
        }
        let list = match self.rng.u8(0..6) {
            0 => format!("list(most: {count}) >> take(n: 12)"),
            5 => {
                let (one, other) = (self.rng.u8(0..5), self.rng.u8(0..9));
                format!("((list(most: {one})) fallback (list(most: {other}))) >> take(n: {count})")
            }
            1 => format!("list(most: 9) >> skip(n: 1) >> take(n: {count})"),
            _ => format!("list(most: 40) >> take(n: {count})"),
        };
        let body = if self.rng.bool() {
            body
        } else {
            "step(cents: 1, tokens: 90, takes: 1ms, exact: true)".to_owned()
        };
        format!("{list} >> each {{ {body} }} >> join(sep: \"\")")
    }

    /// A stage that may end in an expression without a value.
    pub(super) fn broken(&mut self, depth: usize) -> String {
        let (one, never) = (self.pipeline(depth), self.never());
        match self.rng.u8(0..5) {
            0 => format!("if len(it) > {} {{ {never} }} else {{ {one} }}", self.rng.u8(0..40)),
            1 => format!("match len(it) > 5 {{ true => {one}, false => {never} }}"),
            2 => format!("({never}) fallback ({one})"),
            3 => format!("({one}) fallback ({never})"),
            _ => format!("repeat 2 {{ {one} }} until len(it) > 4 else {{ {never} }}"),
        }
    }

    /// A stage that passes on a flow that returns a number.
    pub(super) fn counting(&mut self) -> String {
        let flow = ["few", "fixed"][self.rng.usize(0..2)];
        let taker = ["often", "often2", "twice", "twice2"][self.rng.usize(0..4)];
        match taker {
            "often" | "often2" => format!("{taker}(g: {flow})"),
            _ => format!("{taker}(g: f{})", self.rng.usize(0..self.flows)),
        }
    }

    /// The flows that take flows and pass them to others.
    pub(super) fn counters(&mut self) -> String {
        let (call, other) = (self.call(), self.call());
        let promised = ["int 1..2", "int 0..3", "int"];
        let (inner, outer) = match self.rng.u8(0..4) {
            // More is promised of the flow than it may return.
            0 => (promised[self.rng.usize(0..3)], promised[self.rng.usize(0..3)]),
            _ => ("int 0..3", promised[self.rng.usize(0..2)]),
        };
        format!(
            "flow few(x: string) -> int 1..2 {{ clamp(len(x), 1, 2) }}
flow fixed(x: string) -> int 0..3 {{ sum([1, 1, 0]) }}
flow often(x: string, g: flow<string -> {inner}>) -> string {{ x >> list(most: 40) >> take(n: sum([(x >> g), (x >> g), 1]))
  >> each {{ {call} }} >> join(sep: \"\") }}
flow often2(x: string, g: flow<string -> {outer}>) -> string {{ x >> often(g: g) >> {other} }}
flow twice(x: string, g: flow<string -> string>) -> string {{ x >> given(g: g) }}
flow twice2(x: string, g: flow<string -> string>) -> string {{ x >> twice(g: g) >> g }}"
        )
    }
}
