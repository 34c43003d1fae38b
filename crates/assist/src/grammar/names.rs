//! The rules added by a registry: its names, each with its own arguments.

use std::collections::{BTreeMap, BTreeSet};

use svc_contract::registry::{Component, Generic, OpRef, Registry};

use super::term::{Kind, Rule, Term};

/// Ops with the same arguments, and all names by which a script can call them.
struct Callables {
    params: Vec<&'static str>,
    generic: bool,
    names: BTreeSet<String>,
}

/// Words that a name of the script cannot begin with if arguments follow.
pub(super) fn taken(registry: &Registry) -> BTreeSet<String> {
    registry.names().map(str::to_owned).collect()
}

/// `registry_call`, `registry_stage`, and the rules for ops with the same arguments.
pub(super) fn rules(registry: &Registry) -> Vec<Rule> {
    let all = callables(registry);
    let calls = |args| Term::Alt(all.iter().map(|it| it.call(args)).collect());
    let rule =
        |name: &str, args| Rule { name: name.to_owned(), kind: Kind::Tight, body: calls(args) };
    let mut rules = vec![rule("registry_call", "args"), rule("registry_stage", "named_args")];
    rules.extend(all.iter().flat_map(Callables::rules));
    rules
}

fn callables(registry: &Registry) -> Vec<Callables> {
    let mut all: Vec<Callables> = Vec::new();
    for (path, op) in registry.components().iter().flat_map(|it| paths(registry, it)) {
        let params: Vec<&str> = op.op.params.iter().map(|it| it.name).collect();
        let generic = op.op.generic != Generic::No;
        match all.iter_mut().find(|it| it.params == params && it.generic == generic) {
            Some(known) => _ = known.names.insert(path),
            None => all.push(Callables { params, generic, names: [path].into() }),
        }
    }
    all
}

/// The ways to write the ops of a component: `text.upper`, and each alias by itself. An alias
/// of the whole component, such as `search`, can also be followed by an op.
fn paths(registry: &Registry, component: &Component) -> Vec<(String, OpRef)> {
    let shared = ["learn", "save", "load"];
    let ops: BTreeSet<&str> = component.ops.iter().map(|it| it.name).chain(shared).collect();
    let aliases = component.aliases.iter();
    let whole = aliases.clone().filter(|(_, op)| *op == "infer").map(|(alias, _)| *alias);
    let names: Vec<&str> = [component.name].into_iter().chain(whole).collect();
    let qualified = names.iter().flat_map(|name| ops.iter().map(move |op| format!("{name}.{op}")));
    let bare = aliases.map(|(alias, _)| *alias).chain([component.name]).map(str::to_owned);
    let paths = bare.chain(qualified);
    paths.filter_map(|path| registry.resolve(&path).map(|op| (path, op))).collect()
}

impl Callables {
    /// `takes_text_sep`; unique.
    fn rule_name(&self) -> String {
        let params = if self.params.is_empty() { "nothing".into() } else { self.params.join("_") };
        format!("takes_{params}{}", if self.generic { "_of_type" } else { "" })
    }

    /// The names, the arguments by position or name, the arguments by name only, and one of
    /// these.
    fn rules(&self) -> Vec<Rule> {
        let name = self.rule_name();
        let rule = |suffix: &str, kind, body| Rule { name: format!("{name}_{suffix}"), kind, body };
        let named = Term::Rule(format!("{name}_named"));
        let any = Term::Alt(vec![named.clone(), Term::rule("pipeline")]);
        let params = self.params.iter().copied();
        let argument = Term::Seq(vec![words(params), Term::text(":"), Term::rule("pipeline")]);
        let empty = self.params.is_empty();
        vec![
            rule("name", Kind::Tight, self.name()),
            rule("args", Kind::Spaced, list(if empty { Term::empty() } else { any })),
            rule("named_args", Kind::Spaced, list(if empty { Term::empty() } else { named })),
            rule("named", Kind::Spaced, argument),
        ]
    }

    /// A name with a dot is three words, like the names of the script.
    fn name(&self) -> Term {
        let dotted = |it: &String| it.split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned()));
        let bare = self.names.iter().filter(|it| !it.contains('.')).map(String::as_str);
        let mut ops: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, op) in self.names.iter().filter_map(dotted) {
            ops.entry(name).or_default().push(op);
        }
        let of_component = |(name, ops): (&String, &Vec<String>)| {
            let ops = words(ops.iter().map(String::as_str));
            Term::Seq(vec![Term::text(name), Term::text("."), ops])
        };
        let bare = Some(words(bare)).filter(|it| *it != Term::Alt(Vec::new()));
        Term::Alt(bare.into_iter().chain(ops.iter().map(of_component)).collect())
    }

    fn call(&self, args: &str) -> Term {
        let part = |it: &str| Term::Rule(format!("{}_{it}", self.rule_name()));
        let of_type = self.generic.then(|| Term::rule("type_arg").opt());
        Term::Seq([part("name")].into_iter().chain(of_type).chain([part(args)]).collect())
    }
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> Term {
    let mut words: Vec<Term> = words.map(Term::text).collect();
    if words.len() == 1 { words.remove(0) } else { Term::Alt(words) }
}

/// Items in parentheses.
fn list(item: Term) -> Term {
    let (open, close) = (Term::text("("), Term::text(")"));
    if item.is_empty() {
        return Term::Seq(vec![open, close]);
    }
    let more = Term::Seq(vec![Term::text(","), item.clone()]).star();
    let items = Term::Seq(vec![item, more, Term::text(",").opt()]).opt();
    Term::Seq(vec![open, items, close])
}
