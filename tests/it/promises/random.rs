//! Random scripts with every construct.

use std::fmt::Write as _;

use fastrand::Rng;

use super::numbers::Given;

/// A script, and the caps of its named branches.
pub(super) struct Script {
    pub(super) text: String,
    /// The names of branches and their caps, in cents and tokens.
    pub(super) caps: Vec<(String, u64, u64)>,
    /// The params that every run is given.
    pub(super) params: Vec<Given>,
}

/// Writes scripts.
pub(super) struct Writer<'r> {
    pub(super) rng: &'r mut Rng,
    /// The remaining number of calls.
    calls: usize,
    names: usize,
    pub(super) flows: usize,
    caps: Vec<(String, u64, u64)>,
    /// The names in scope that are numbers.
    pub(super) counts: Vec<String>,
    kind: Kind,
    /// Whether the stage is in a branch that may be cancelled.
    races: bool,
}

/// The topic of scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Anything.
    Loose,
    /// Caps that are reached.
    Tight,
    /// Calls that take an exact time, and wait for their turns.
    Timed,
}

/// A script with some calls.
pub(super) fn script(rng: &mut Rng, kind: Kind) -> Script {
    let calls = rng.usize(1..12);
    let (names, flows, races) = (0, 0, false);
    let (caps, counts) = (Vec::new(), Vec::new());
    Writer { rng, calls, names, flows, caps, counts, kind, races }.file()
}

impl Writer<'_> {
    fn file(&mut self) -> Script {
        let mut text = String::new();
        if self.rng.bool() {
            let bounds = self.bounds();
            writeln!(text, "svc 1 within {{ {bounds} }}").unwrap();
        }
        let (with_param, with_count) = (self.rng.bool(), self.rng.bool());
        if with_param {
            writeln!(text, "param topic: string = \"{}\"", "t".repeat(self.rng.usize(0..200)))
                .unwrap();
        }
        if with_count {
            writeln!(text, "param most: int = {}", self.rng.u32(0..9)).unwrap();
        }
        let params = self.ranged();
        for Given { name, low, high } in &params {
            writeln!(text, "param {name}: int {low}..{high}").unwrap();
        }
        for _ in 0..self.rng.usize(0..3) {
            let flow = self.flow();
            writeln!(text, "{flow}").unwrap();
        }
        if self.flows > 0 {
            let takers = self.takers();
            writeln!(text, "{takers}").unwrap();
            let counters = self.counters();
            writeln!(text, "{counters}").unwrap();
        }
        self.counts = params.iter().map(|it| it.name.clone()).collect();
        for name in ["a", "b"] {
            if self.rng.u8(0..3) == 0 {
                let pipeline = self.pipeline(2);
                writeln!(text, "let {name} = \"{name}\" >> {pipeline}").unwrap();
            }
        }
        let lets: Vec<&str> =
            ["a", "b"].into_iter().filter(|it| text.contains(&format!("let {it} ="))).collect();
        let head = match (with_param, self.rng.u8(0..3)) {
            (true, 0 | 1) => "topic".to_owned(),
            _ => format!(
                "\"{}\"",
                lets.iter().fold("in".to_owned(), |all, it| format!("{all}${{{it}}}"))
            ),
        };
        let take = if with_count && self.rng.bool() {
            format!(
                "\n  >> list(most: 9) >> take(n: most) >> each {{ {} }} >> join(sep: \"\")",
                self.stage(1)
            )
        } else {
            String::new()
        };
        let pipeline = self.pipeline(4);
        writeln!(text, "{head}{take}\n  >> {pipeline}").unwrap();
        Script { text, caps: std::mem::take(&mut self.caps), params }
    }

    fn flow(&mut self) -> String {
        let within = if self.rng.u8(0..3) == 0 {
            format!(" within {{ {} }}", self.bounds())
        } else {
            String::new()
        };
        let first = self.pipeline(2);
        let second = self.pipeline(1);
        let name = format!("f{}", self.flows);
        self.flows += 1;
        format!(
            "flow {name}(x: string) -> string{within} {{\n  let p = x >> {first}\n  let q = x >> {second}\n  \"${{p}}-${{q}}\"\n}}"
        )
    }

    pub(super) fn pipeline(&mut self, depth: usize) -> String {
        let stages: Vec<String> = (0..self.rng.usize(1..3)).map(|_| self.stage(depth)).collect();
        stages.join(" >> ")
    }

    fn stage(&mut self, depth: usize) -> String {
        if depth == 0 || self.calls == 0 {
            return self.call();
        }
        let depth = depth - 1;
        // Nothing that must happen once races: no flow, and nothing that calls one.
        match self.rng.u8(0..if self.races { 10 } else { 24 }) {
            0 | 1 => self.parallel(depth),
            2 | 3 => self.each(depth),
            4 => {
                let (turns, body) = (self.rng.u8(1..4), self.pipeline(depth));
                let until = ["len(it) > 10", "len(it) > 99", "it == \"x\""][self.rng.usize(0..3)];
                let otherwise = self.pipeline(depth.min(1));
                format!("repeat {turns} {{ {body} }} until {until} else {{ {otherwise} }}")
            }
            5 => {
                let (one, other) = (self.pipeline(depth), self.pipeline(depth));
                format!("if len(it) > {} {{ {one} }} else {{ {other} }}", self.rng.u8(0..20))
            }
            6 => {
                let (one, other) = (self.pipeline(depth), self.pipeline(depth));
                format!("match len(it) > 5 {{ true => {one}, false => {other} }}")
            }
            7 => format!("({}) fallback ({})", self.pipeline(depth), self.pipeline(depth.min(1))),
            8 => format!("({}) within {{ {} }}", self.pipeline(depth), self.bounds()),
            9 => self.race(depth),
            10 if self.flows > 0 => format!("f{}", self.rng.usize(0..self.flows)),
            11 if self.flows > 0 => self.passed(),
            12 | 13 => self.made(),
            14 => self.grouped(depth),
            15 => self.block(depth),
            16 => self.asked(depth),
            17 | 18 => self.counted(depth),
            19 => self.broken(depth),
            20 if self.flows > 0 => self.counting(),
            21 => format!("({}) within {{ {} }}", self.pipeline(depth), self.bounds()),
            _ => self.call(),
        }
    }

    fn parallel(&mut self, depth: usize) -> String {
        let (one, two) = (self.name(), self.name());
        let (first, second) = (self.pipeline(depth), self.pipeline(depth));
        let first = if self.rng.bool() {
            let (cents, tokens) = self.cap();
            self.caps.push((one.clone(), cents, tokens));
            let cap = match self.rng.u8(0..3) {
                0 => format!("max_cost: {}", dollars(cents)),
                1 => format!("max_tokens: {tokens}"),
                _ => format!("max_cost: {}, max_tokens: {tokens}", dollars(cents)),
            };
            let is_missing = |key: &str| !cap.contains(key);
            let last = self.caps.last_mut().expect("it was pushed above");
            if is_missing("max_cost") {
                last.1 = u64::MAX;
            }
            if is_missing("max_tokens") {
                last.2 = u64::MAX;
            }
            format!("({first}) within {{ {cap} }}")
        } else {
            first
        };
        let third = self.name();
        let optional = if self.rng.bool() {
            self.call()
        } else {
            format!("({}) fallback ({})", self.call(), self.call())
        };
        format!(
            "parallel {{ {one}: {first}, {two}: {second}, {third}?: {optional} }} >> \"${{.{one}}}${{.{two}}}${{.{third} ?? \"-\"}}\""
        )
    }

    fn race(&mut self, depth: usize) -> String {
        let around = std::mem::replace(&mut self.races, true);
        let branches: Vec<String> = (0..self.rng.usize(1..4))
            .map(|_| format!("{}: {}", self.name(), self.pipeline(depth)))
            .collect();
        self.races = around;
        format!("race {{ {} }}", branches.join(", "))
    }

    fn each(&mut self, depth: usize) -> String {
        let most = self.rng.u8(0..if self.kind == Kind::Timed { 40 } else { 7 });
        let body = self.pipeline(depth);
        let within = if self.rng.bool() {
            format!(" within {{ {} }}", self.bounds())
        } else {
            String::new()
        };
        let list = match self.rng.u8(0..4) {
            0 => "[it, \"two\", \"3\"]".to_owned(),
            1 => format!("list(most: {most}) >> where {{ len(it) > 1 }}"),
            2 => format!("list(most: {most}) >> sort {{ len(it) }} >> reverse"),
            _ => format!("list(most: {most})"),
        };
        if self.rng.bool() {
            format!("{list} >> each {{ {body} }}{within} >> join(sep: \"\")")
        } else {
            format!("{list} >> each? {{ {body} }}{within} >> compact >> join(sep: \"\")")
        }
    }

    pub(super) fn call(&mut self) -> String {
        self.calls = self.calls.saturating_sub(1);
        if self.kind == Kind::Timed && self.rng.u8(0..8) > 0 {
            return format!("wait(duration: {}ms)", self.rng.u16(500..2_000));
        }
        let call = match self.rng.u8(0..10) {
            0..=3 => {
                let exact = if self.rng.bool() { ", exact: true" } else { "" };
                format!(
                    "step(cents: {}, tokens: {}, takes: {}ms{exact})",
                    self.rng.u8(0..20),
                    self.rng.u16(0..500),
                    self.rng.u16(0..3_000)
                )
            }
            4..=6 => format!("speak(cap: {})", self.rng.u16(0..300)),
            7 => format!("wait(duration: {}ms)", self.rng.u16(0..2_000)),
            8 if !self.races => "post".to_owned(),
            _ => format!("\"${{it}}{}\"", "w".repeat(self.rng.usize(0..40))),
        };
        match self.rng.u8(0..5) {
            0 if !call.starts_with('"') && call != "post" => {
                format!("{call} within {{ {} }}", self.bounds())
            }
            _ => call,
        }
    }

    fn bounds(&mut self) -> String {
        let mut bounds = Vec::new();
        let (cents, tokens) = self.cap();
        let mut may = |odds: u8| self.rng.u8(0..odds) == 0;
        if may(3) {
            bounds.push(format!("max_cost: {}", dollars(cents)));
        }
        if may(3) {
            bounds.push(format!("max_tokens: {tokens}"));
        }
        if may(3) {
            bounds.push("timeout: 9s".to_owned());
        }
        if may(4) {
            bounds.push("attempt_timeout: 2s".to_owned());
        }
        if may(3) {
            bounds.push("max_retries: 1".to_owned());
        }
        if may(5) {
            bounds.push("retry_on: [\"failed\", \"unavailable\", \"timeout\"]".to_owned());
        }
        if may(4) || bounds.is_empty() {
            bounds.push("max_parallel: 2".to_owned());
        }
        bounds.join(", ")
    }

    fn cap(&mut self) -> (u64, u64) {
        match self.kind {
            Kind::Tight => (self.rng.u64(1..60), self.rng.u64(100..2_000)),
            Kind::Loose | Kind::Timed => (self.rng.u64(100..5_000), self.rng.u64(5_000..200_000)),
        }
    }

    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }
}

fn dollars(cents: u64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}
