//! Every op of the registry, called with random values of random types: the result has the type
//! that the check inferred for the call. New ops are called as well.

use std::collections::BTreeMap;

use fastrand::Rng;
use svc_contract::{
    registry::{Generic, OpDef, OpRef, Param, Scheme},
    value::Type,
};

use super::{
    bench::{Bench, Found},
    rounds,
    values::{self, ENUMS, literal, pick, value},
};

/// The number of calls for each op that computes, and for each op with I/O.
const CALLS: u64 = 100;
const SLOW_CALLS: u64 = 20;

/// A call of an op as a script, part by part.
struct Writer<'r> {
    rng: &'r mut Rng,
    /// The declarations before the pipeline.
    head: String,
    variables: BTreeMap<char, Type>,
    names: usize,
}

/// A script that calls the op.
fn script(rng: &mut Rng, op: OpRef) -> String {
    let mut writer = Writer { rng, head: ENUMS.to_owned(), variables: BTreeMap::new(), names: 0 };
    let mut args: Vec<(&str, String)> = Vec::new();
    for param in op.op.params {
        if param.default.is_none() || writer.rng.bool() {
            let arg = writer.argument(param);
            args.push((param.name, arg));
        }
    }
    let asked = match op.op.generic {
        Generic::No => String::new(),
        _ if writer.rng.bool() => format!("<{}>", values::ty(writer.rng, 1)),
        _ => String::new(),
    };
    let (first, rest) = match args.split_first() {
        Some(((_, first), rest)) => (format!("{first} >> "), rest),
        None => (String::new(), &[][..]),
    };
    let rest: Vec<String> = rest.iter().map(|(name, it)| format!("{name}: {it}")).collect();
    let parens =
        if rest.is_empty() && asked.is_empty() { "" } else { &format!("({})", rest.join(", ")) };
    let name = op.script_name();
    format!("{}{first}{name}{asked}{parens}\n", writer.head)
}

impl Writer<'_> {
    fn argument(&mut self, param: &Param) -> String {
        if let Some((takes, gives, _)) = param.scheme.flow() {
            let (takes, gives) = (self.ty(takes), self.ty(gives));
            return self.flow(&takes, &gives);
        }
        let ty = self.ty(param.scheme);
        let ty = self.near(ty);
        match self.rng.u8(0..12) {
            0 => "(fail(\"no\"))".to_owned(),
            1 => "(fail(\"no\")[0])".to_owned(),
            2 if matches!(ty, Type::List(..)) => "([])".to_owned(),
            3..=5 if ty != Type::Json => format!("({})", literal(&value(self.rng, &ty))),
            _ => self.param(&ty),
        }
    }

    fn param(&mut self, ty: &Type) -> String {
        self.names += 1;
        let name = format!("p{}", self.names);
        self.head += &format!("param {name}: {ty}\n");
        name
    }

    fn flow(&mut self, takes: &Type, gives: &Type) -> String {
        let gives = if matches!(gives, Type::Json | Type::Never) { &Type::INT } else { gives };
        let given = literal(&value(self.rng, gives));
        self.head += &format!("flow f(x: {takes}) -> {gives} {{ {given} }}\n");
        "f".to_owned()
    }

    /// A type that roughly fits the scheme.
    fn ty(&mut self, scheme: Scheme) -> Type {
        match scheme {
            Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name) => {
                let fresh = match scheme {
                    Scheme::Amount(_) => values::amount(self.rng),
                    Scheme::Ordered(_) => values::plain(self.rng),
                    _ => values::ty(self.rng, 2),
                };
                let known = self.variables.entry(name).or_insert(fresh).clone();
                self.near(known)
            }
            Scheme::IntRange(low, high) => {
                let narrow = (low, high.min(low.saturating_add(3)));
                pick(self.rng, &[Type::INT, scheme.plain(), Type::Int(Some(narrow))]).clone()
            }
            Scheme::Int => pick(self.rng, &[Type::INT, Type::Int(Some((-2, 7)))]).clone(),
            Scheme::Float | Scheme::FloatRange(..) => {
                pick(self.rng, &[Type::FLOAT, scheme.plain(), Type::INT]).clone()
            }
            Scheme::OneOf(all) => {
                let one = *pick(self.rng, all);
                self.ty(one)
            }
            Scheme::List(item, _) => {
                let max = [None, Some(2), Some(4)][self.rng.usize(0..3)];
                values::list(self.ty(*item), max)
            }
            Scheme::Optional(inner) => {
                if self.rng.bool() {
                    self.ty(*inner).optional()
                } else {
                    self.ty(*inner)
                }
            }
            Scheme::Record(_, []) => values::record(self.rng, 1),
            Scheme::Record(_, fields) => {
                let fields = fields.iter().map(|it| (it.name.into(), self.ty(it.scheme)));
                Type::record(fields.collect())
            }
            other => other.plain(),
        }
    }

    /// The same type, or a similar one.
    fn near(&mut self, ty: Type) -> Type {
        match (self.rng.u8(0..16), ty) {
            (0, ty) => ty.optional(),
            (1, Type::Int(_)) => Type::FLOAT,
            (2, Type::Int(_)) => Type::Int(Some((1, 5))),
            (3, Type::Float(_)) => Type::INT,
            (4, Type::Text) => values::plain(self.rng),
            (5, _) => values::ty(self.rng, 1),
            (_, ty) => ty,
        }
    }
}

/// The number of calls of an op that checked, and their problems.
fn hold(op: OpRef, bench: &Bench, calls: u64) -> (u64, Vec<String>) {
    let (mut checked, mut wrong) = (0, Vec::new());
    for seed in 0..calls {
        let mut rng = Rng::with_seed(seed);
        let text = script(&mut rng, op);
        match bench.look(&text, seed) {
            Found::Refused => {}
            Found::Held { .. } => checked += 1,
            Found::Wrong(why) => wrong.push(format!("{op}, seed {seed}: {why}\n{text}")),
        }
    }
    (checked, wrong)
}

fn is_slow(op: &OpDef) -> bool {
    !op.is_inline()
}

/// Flows as arguments are made from ops with known values; secrets and models are not available,
/// and a model as JSON is only its id. An op with tools returns what a language model says.
/// `dates` would list every day of the calendar. What is in a text or in JSON is only known in the run, and
/// the errors of some ops say what they expected there.
fn is_callable(op: &OpDef) -> bool {
    let is_special = |it: Scheme| {
        matches!(it, Scheme::Secret | Scheme::Bytes | Scheme::Tools(_)) || it.has_model()
    };
    let is_special_any = || op.params.iter().any(|it| is_special(it.scheme));
    let reads_content = ["from_openapi", "decode", "patch", "propagate"].contains(&op.name);
    op.name != "dates" && !reads_content && !op.yields.has_model() && !is_special_any()
}

#[test]
fn every_op_gives_what_the_check_inferred() {
    let bench = Bench::new();
    let (mut all, mut tried, mut wrong) = (0, 0, Vec::new());
    // Expressions over columns, and statements of SQL, are texts of their own language; tables have
    // columns that only the run knows.
    let is_generated = |it: &&&svc_contract::registry::Component| {
        let tables =
            ["adapt_chart", "adapt_dataframe", "adapt_quality", "adapt_stats", "adapt_textclf"];
        !["adapt_units", "database"].contains(&it.name) && !tables.contains(&it.name)
    };
    for component in svc::engine().registry().components().iter().filter(is_generated) {
        for op in component.ops.iter().filter(|it| is_callable(it)) {
            let calls = rounds("SVC_TYPED_CALLS", CALLS);
            let calls = if is_slow(op) { calls * SLOW_CALLS / CALLS } else { calls };
            let (checked, found) = hold(OpRef { component, op }, &bench, calls);
            assert!(checked > 0, "no call of {}.{} checks", component.name, op.name);
            (all, tried) = (all + checked, tried + calls);
            wrong.extend(found.into_iter().take(2));
        }
    }
    assert!(wrong.is_empty(), "{} kinds:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all > tried / 4, "{all} of {tried} calls checked");
}
