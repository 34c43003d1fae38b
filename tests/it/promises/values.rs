//! Stages that derive values: knowledge about these determines the cost of calls.

use super::random::Writer;

impl Writer<'_> {
    /// A stage that makes a text from a text, through a value of some kind.
    pub(super) fn made(&mut self) -> String {
        let stages = [
            // Lists and records are written as JSON, whose texts have escapes.
            "\"${[it, it]}\"",
            "[it, \"\\\"\"] >> \"${it}\"",
            "{ a: it, n: len(it) / 7, cost: $0.07, time: 90s } >> \"${it}${.n}${.cost}${.time}\"",
            "{ a: it, n: len(it) } >> { ...it, a: \"${.a}!\", more: [.n, 2] } >> \"${it}${.more}\"",
            "{ a: { b: it }, c: [it] } >> \"${.a.b}${.c[0] ?? \"\"}${.a}\"",
            // Numbers have decimals, and units.
            "\"${len(it) * 1.5:.2}${len(it) / 3}\"",
            "\"${len(it):.1}${len(it) > 3}\"",
            // Only a part of it is left.
            "[it, \"a\", \"b\"] >> unique >> reverse >> \"${it}${len(it)}\"",
            "[it, \"é\"] >> first",
            "match (if len(it) > 9 { \"long\" } else { \"short\" }) { \"long\" => \"l\", _ => it }",
        ];
        stages[self.rng.usize(0..stages.len())].to_owned()
    }

    /// A stage that groups texts, and processes every group.
    pub(super) fn grouped(&mut self, depth: usize) -> String {
        let (most, body) = (self.rng.u8(0..6), self.pipeline(depth));
        format!(
            "list(most: {most}) >> group {{ len(it) }} >> each {{ .items >> join(sep: \"\\\"\") >> {body} }} >> join(sep: \"\")"
        )
    }

    /// A block whose lines may depend on each other.
    pub(super) fn block(&mut self, depth: usize) -> String {
        let (one, two) = (self.name(), self.name());
        let (first, second) = (self.pipeline(depth), self.pipeline(depth));
        let last = self.call();
        format!(
            "[it] >> each {{ let {one} = it >> {first}  let {two} = it >> {second}  \"${{{one}}}${{{two}}}${{it}}\" >> {last} }} >> join(sep: \"\")"
        )
    }

    /// A condition with a cost, which may be evaluated only if needed.
    pub(super) fn asked(&mut self, depth: usize) -> String {
        let (call, one) = (self.call(), self.pipeline(depth));
        let word = ["or", "and"][self.rng.usize(0..2)];
        format!("if len(it) > 3 {word} len((it >> {call})) > 3 {{ {one} }} else {{ it }}")
    }

    /// A flow that others call, as a stage or through a component.
    pub(super) fn passed(&mut self) -> String {
        let flow = self.rng.usize(0..self.flows);
        match self.rng.u8(0..4) {
            0 => format!("given(g: f{flow})"),
            1 => format!("judged(g: f{flow})"),
            2 => format!("bounded(k: {})", ["len(it)", "1", "2"][self.rng.usize(0..3)]),
            _ => format!(
                "[{{ input: it, expected: \"x\" }}, {{ input: \"b\", expected: it }}] >> evaluate(flow: f{flow}) >> \"${{.score}}${{.passed}}\""
            ),
        }
    }

    /// The flows that take flows, and one whose bounds are known only at run time.
    pub(super) fn takers(&mut self) -> String {
        let (call, other) = (self.call(), self.call());
        format!(
            "flow given(x: string, g: flow<string -> string>) -> string {{ x >> g >> g }}
flow judged(x: string, g: flow<string -> string>) -> string {{ [{{ input: x, expected: \"\" }}] >> evaluate(flow: g) >> \"${{.failed}}\" }}
flow bounded(x: string, k: int) -> string {{ x >> (list(most: 5) >> each {{ {call} >> {other} }} >> join(sep: \"\")) within {{ max_retries: k, max_parallel: k + 1 }} }}"
        )
    }
}
