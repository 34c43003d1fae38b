//! Random whole scripts with every construct of the language.

use fastrand::Rng;
use svc_contract::value::Type;

use super::values::{self, ENUMS, literal, pick, value};

/// A declared flow.
#[derive(Clone)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) takes: Type,
    pub(super) gives: Type,
    /// A parameter that is a flow, by name.
    pub(super) flow: Option<(String, Type, Type)>,
    /// Another parameter without a default.
    pub(super) more: Option<(String, Type)>,
}

/// Writes a script.
pub(super) struct Writer<'r> {
    pub(super) rng: &'r mut Rng,
    /// The names in scope; `it` is one of them where a value enters.
    pub(super) names: Vec<(String, Type)>,
    /// The flows that can be called, and the parameters in scope that are flows.
    pub(super) flows: Vec<Signature>,
    pub(super) given: Vec<Signature>,
    /// Whether only inline ops may be called.
    pub(super) is_quick: bool,
    pub(super) has_batch: bool,
    fuel: usize,
    count: usize,
}

/// Generic flows, which expressions of every type call.
const GENERIC: [&str; 5] = [
    "flow same<T>(x: T) -> T { x }",
    "flow nth<T>(all: [T], n: int) -> T { all[n] ?? (all >> first) }",
    "flow both<A, B>(a: A, b: B) -> { a: A, b: B } { { a: a, b: b } }",
    "flow by<T>(x: T, change: flow<T -> T>) -> T { x >> change }",
    "flow or_else<T>(x: T?, other: T) -> T { if x != null { x } else { same(other) } }",
];

/// Ops for parameters that are flows.
const COMPONENTS: [(&str, Type, Type); 8] = [
    ("upper", Type::Text, Type::Text),
    ("trim", Type::Text, Type::Text),
    ("to_int", Type::Text, Type::INT),
    ("to_float", Type::Text, Type::FLOAT),
    ("floor", Type::FLOAT, Type::INT),
    ("abs", Type::INT, Type::INT),
    ("show", Type::INT, Type::Text),
    ("first", Type::Never, Type::Never),
];

/// A script with one line per statement, so that lines can be left out.
pub(super) fn script(rng: &mut Rng) -> String {
    let mut writer = Writer {
        rng,
        names: Vec::new(),
        flows: Vec::new(),
        given: Vec::new(),
        is_quick: false,
        has_batch: false,
        fuel: 0,
        count: 0,
    };
    writer.file()
}

impl Writer<'_> {
    pub(super) fn name(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    /// Whether there is budget left for nested expressions.
    pub(super) fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    fn file(&mut self) -> String {
        let mut lines = Vec::new();
        if self.rng.u8(0..4) == 0 {
            let cap = pick(self.rng, &[10, 30, 60, 100, 400]);
            lines.push(format!("svc 1 within {{ max_tokens: {cap} }}"));
        }
        lines.extend(ENUMS.trim_end().lines().map(str::to_owned));
        lines.extend(GENERIC.map(str::to_owned));
        for _ in 0..self.rng.usize(0..4) {
            let line = self.param();
            lines.push(line);
        }
        if self.rng.u8(0..6) == 0 {
            lines.push("secret key".to_owned());
            lines.push("flow hide(x: string, k: secret<string>) -> string { x }".to_owned());
            self.names.push(("key".to_owned(), Type::Secret));
        }
        if self.rng.u8(0..24) == 0 {
            lines.push("use \"std:batch\" as batch".to_owned());
            lines.push("use \"std:retry\" as retry".to_owned());
            self.has_batch = true;
        }
        let outside = std::mem::take(&mut self.names);
        for _ in 0..self.rng.usize(0..4) {
            let line = self.flow();
            lines.push(line);
        }
        self.names = outside;
        let mut results = Vec::new();
        for _ in 0..self.rng.usize(1..4) {
            let (line, name) = self.bind();
            lines.push(line);
            results.extend(name);
        }
        if self.rng.bool()
            && let Some((line, name)) = self.handed()
        {
            lines.push(line);
            results.push(name);
        }
        if self.rng.u8(0..6) == 0 {
            let (chain, name) = self.chain();
            lines.extend(chain);
            results.push(name);
        }
        lines.push("{".to_owned());
        lines.extend(results.iter().map(|it| format!("  {it}: {it},")));
        let result = self.result();
        lines.push(format!("  r: {result},"));
        if self.rng.bool() {
            let cost = self.cost();
            lines.push(format!("  cost: {cost},"));
        }
        lines.push("}".to_owned());
        lines.join("\n") + "\n"
    }

    fn param(&mut self) -> String {
        let (name, ty) = (self.name('p'), values::ty(self.rng, 2));
        self.names.push((name.clone(), ty.clone()));
        match self.rng.u8(0..3) {
            0 => format!("param {name}: {ty} = {}", literal(&value(self.rng, &ty))),
            _ => format!("param {name}: {ty}"),
        }
    }

    fn flow(&mut self) -> String {
        let (name, takes, gives) = (self.name('f'), self.a_type(), self.a_type());
        let mut params = vec![format!("x: {takes}")];
        self.names = vec![("x".to_owned(), takes.clone())];
        let mut signature =
            Signature { name: name.clone(), takes, gives: gives.clone(), flow: None, more: None };
        if self.rng.bool() {
            let ty = values::ty(self.rng, 1);
            self.names.push(("y".to_owned(), ty.clone()));
            if self.rng.bool() {
                params.push(format!("y: {ty} = {}", literal(&value(self.rng, &ty))));
            } else {
                params.push(format!("y: {ty}"));
                signature.more = Some(("y".to_owned(), ty));
            }
        }
        if self.rng.u8(0..3) > 0 {
            let (takes, gives) = self.flow_type();
            params.push(format!("g: flow<{takes} -> {gives}>"));
            signature.flow = Some(("g".to_owned(), takes.clone(), gives.clone()));
            let given = Signature { name: "g".to_owned(), takes, gives, flow: None, more: None };
            self.given = vec![given];
        }
        self.fuel = 12;
        let (gives, body) = self.passed_on().unwrap_or_else(|| {
            let body = self.expr(&gives, 3);
            (gives, body)
        });
        signature.gives = gives.clone();
        self.given.clear();
        self.names.clear();
        self.flows.push(signature);
        let within = match self.rng.u8(0..8) {
            0 => " within { timeout: 9s }",
            _ => "",
        };
        format!("flow {name}({}) -> {gives}{within} {{ {body} }}", params.join(", "))
    }

    /// The flows whose only parameters are a value and a flow.
    fn takers(&self) -> Vec<Signature> {
        let all = self.flows.iter().filter(|it| it.flow.is_some() && it.more.is_none());
        all.cloned().collect()
    }

    /// A call of a flow that takes a flow, which it may pass on.
    fn handed(&mut self) -> Option<(String, String)> {
        let takers = self.takers();
        if takers.is_empty() {
            return None;
        }
        let taker = pick(self.rng, &takers).clone();
        let (param, takes, gives) = taker.flow?;
        let (name, input) = (self.name('w'), self.leaf(&taker.takes));
        let flow = self.flow_name(&takes, &gives);
        Some((format!("let {name} = {input} >> {}({param}: {flow})", taker.name), name))
    }

    /// A flow that is passed on twice, with about the same type each time; and the name of the
    /// result.
    fn chain(&mut self) -> (Vec<String>, String) {
        let (first, second, own) = (self.name('h'), self.name('h'), self.name('h'));
        let (takes, gives, name) = (values::plain(self.rng), self.a_type(), self.name('w'));
        let almost = match self.rng.u8(0..4) {
            0 => Type::INT,
            1 => gives.clone().optional(),
            _ => gives.clone(),
        };
        let (input, value) =
            (literal(&value(self.rng, &takes)), literal(&value(self.rng, &almost)));
        let lines = vec![
            format!(
                "flow {first}(x: {takes}, g: flow<{takes} -> {gives}>) -> {gives} {{ x >> g }}"
            ),
            format!(
                "flow {second}(x: {takes}, g: flow<{takes} -> {almost}>) -> {gives} {{ x >> {first}(g: g) }}"
            ),
            format!("flow {own}(x: {takes}) -> {almost} {{ {value} }}"),
            format!("let {name} = {input} >> {second}(g: {own})"),
        ];
        (lines, name)
    }

    /// The result of the given flow, called here or passed on to another flow.
    fn passed_on(&mut self) -> Option<(Type, String)> {
        let given = self.given.first().cloned().filter(|_| self.rng.bool())?;
        let takers = self.takers();
        if takers.is_empty() || self.rng.u8(0..3) == 0 {
            let input = self.leaf(&given.takes);
            return Some((given.gives, format!("({input} >> g)")));
        }
        let taker = pick(self.rng, &takers).clone();
        let (input, (name, ..)) = (self.leaf(&taker.takes), taker.flow?);
        Some((taker.gives, format!("({input} >> {}({name}: g))", taker.name)))
    }

    /// A common type of flows, so that many flows almost fit each other.
    fn a_type(&mut self) -> Type {
        let often = [
            Type::INT,
            Type::Int(Some((1, 3))),
            Type::FLOAT,
            Type::Text,
            Type::INT.optional(),
            values::list(Type::INT, None),
            values::list(Type::Int(Some((1, 2))), Some(2)),
        ];
        match self.rng.u8(0..4) {
            0 => values::ty(self.rng, 2),
            _ => pick(self.rng, &often).clone(),
        }
    }

    /// The parameter and result types of a known flow, or similar ones.
    fn flow_type(&mut self) -> (Type, Type) {
        let known =
            COMPONENTS.iter().take(7).map(|(_, takes, gives)| (takes.clone(), gives.clone()));
        let own = self.flows.iter().filter(|it| it.flow.is_none() && it.more.is_none());
        let mut all: Vec<_> =
            known.chain(own.map(|it| (it.takes.clone(), it.gives.clone()))).collect();
        // Parameter types are often those of flows that are passed on, or similar ones.
        let taken = self.takers().into_iter().filter_map(|it| it.flow);
        let taken: Vec<_> = taken.map(|(_, takes, gives)| (takes, gives)).collect();
        if !taken.is_empty() && self.rng.u8(0..3) > 0 {
            all = taken;
        }
        let (takes, gives) = pick(self.rng, &all).clone();
        let near = |rng: &mut Rng, ty: Type| match (rng.u8(0..5), ty) {
            (0, Type::Int(_)) => Type::Int(Some((1, 3))),
            (1, Type::Int(_)) => Type::FLOAT,
            (0, Type::FLOAT) => Type::INT,
            (1, ty) => ty.optional(),
            (_, ty) => ty,
        };
        (near(self.rng, takes), near(self.rng, gives))
    }

    /// The name of a flow for a parameter that takes one, more or less fitting.
    pub(super) fn flow_name(&mut self, takes: &Type, gives: &Type) -> String {
        let fits = |from: &Type, to: &Type| takes.fits(from) && to.fits(gives);
        let known = COMPONENTS.iter().filter(|(_, from, to)| fits(from, to));
        let mut all: Vec<String> = known.map(|(name, ..)| (*name).to_owned()).collect();
        let own = self.flows.iter().filter(|it| it.more.is_none() && it.flow.is_none());
        all.extend(own.filter(|it| fits(&it.takes, &it.gives)).map(|it| it.name.clone()));
        all.extend(self.given.iter().map(|it| it.name.clone()));
        if all.is_empty() {
            all.extend(["to_int", "upper", "floor"].map(str::to_owned));
        }
        pick(self.rng, &all).clone()
    }

    /// A `let`, and its name if its value may be shown.
    fn bind(&mut self) -> (String, Option<String>) {
        let (name, ty) = (self.name('v'), self.a_type());
        self.fuel = 14;
        let is_secret = self.names.iter().any(|(_, it)| *it == Type::Secret);
        let ty = if is_secret && self.rng.u8(0..4) == 0 { Type::Secret } else { ty };
        let body = self.expr(&ty, 3);
        let declared = match self.rng.u8(0..3) {
            0 => format!(
                ": {}",
                if ty == Type::Secret { "secret<string>".to_owned() } else { ty.to_string() }
            ),
            _ => String::new(),
        };
        self.names.push((name.clone(), ty.clone()));
        let shown = (ty != Type::Secret || self.rng.u8(0..4) == 0).then(|| name.clone());
        (format!("let {name}{declared} = {body}"), shown)
    }

    fn result(&mut self) -> String {
        self.fuel = 14;
        let ty = values::ty(self.rng, 2);
        self.expr(&ty, 3)
    }

    /// An expression whose cost grows with its input.
    fn cost(&mut self) -> String {
        self.fuel = 14;
        let list = match self.rng.u8(0..4) {
            3 => self.falling_back(),
            0 => "range(0, 9)".to_owned(),
            1 => "(\"x\" >> list(most: 7))".to_owned(),
            _ => self.expr(&values::list(Type::INT, None), 2),
        };
        let count = match self.rng.u8(0..3) {
            0 => self.expr(&Type::INT, 2),
            _ => self.expr(&Type::Int(Some((0, 3))), 2),
        };
        let taken =
            if self.rng.u8(0..4) > 0 { format!(" >> take(n: {count})") } else { String::new() };
        let call = if self.rng.bool() {
            "step(cents: 1, tokens: 10, takes: 1ms, exact: true)"
        } else {
            "speak(cap: 3)"
        };
        format!("({list}{taken} >> each {{ \"x\" >> {call} }} >> len)")
    }

    /// A list that may be replaced by a longer or shorter one.
    fn falling_back(&mut self) -> String {
        let max = |rng: &mut Rng| values::list(Type::INT, Some(rng.u64(1..6)));
        let (one, other) = (max(self.rng), max(self.rng));
        let (one, other) = (self.expr(&one, 1), self.expr(&other, 1));
        let condition = self.entered(&Type::INT, |this| this.condition(1));
        format!(
            "(({one} >> each {{ if {condition} {{ fail(\"no\") }} else {{ it }} }}) fallback {other})"
        )
    }
}

/// The same script with a small random change, after which it may not check.
pub(super) fn changed(rng: &mut Rng, text: &str) -> String {
    let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ',', '[', ']']).collect();
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let first = words.iter().position(|it| it.starts_with("param") || it.starts_with("let"));
    let first = first.unwrap_or(0);
    for _ in 0..rng.usize(1..3) {
        let (a, b) = (rng.usize(first..words.len()), rng.usize(first..words.len()));
        match rng.u8(0..3) {
            0 => words.swap(a, b),
            1 => words[a] = words[b..=b].concat(),
            _ => words[a] = another(rng, &words[a]),
        }
    }
    words.concat()
}

/// Another word of the same kind.
fn another(rng: &mut Rng, word: &str) -> String {
    const KINDS: [&[&str]; 7] = [
        &["int", "float", "string", "int 1..3", "float 0..1", "bool", "json", "duration"],
        &["first", "last", "min", "max", "sum", "len", "reverse", "unique", "flatten", "abs"],
        &["each", "where", "sort", "group", "each?"],
        &["+", "-", "*", "/", "%", "==", "<", "and", "or", "??"],
        &["0", "1", "2", "5", "1.5", "null", "\"a\"", "[]", "30s", "$1"],
        &["true", "false", "it"],
        &["upper", "trim", "show", "to_int", "floor", "words"],
    ];
    let end = word.find([' ', '\n', '(', ')', ',', '[', ']']).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    let kind = KINDS.iter().find(|it| it.contains(&name));
    kind.map_or_else(|| word.to_owned(), |it| format!("{}{rest}", pick(rng, it)))
}
