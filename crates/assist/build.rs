//! Reads the grammar files with pest's own reader, and writes their rules as Rust.
//!
//! Here and not at run time, because pest's reader needs pest with its checks of the remaining
//! stack, and cargo would compile the parser of scripts with them, too: a fifth of its time.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::{env, fs, path::Path};

use pest_meta::{
    ast::{Expr, Rule, RuleType},
    parser,
};

const FILES: [(&str, &str); 2] =
    [("svc", "../../grammar/svc.pest"), ("context_free", "../../grammar/context_free.pest")];

fn main() {
    let mut code = String::new();
    for (name, path) in FILES {
        println!("cargo::rerun-if-changed={path}");
        let text = fs::read_to_string(path).expect("the grammar is part of the sources");
        let rules: Vec<String> = rules(&text).iter().map(rule).collect();
        code += &format!(
            "pub(super) fn {name}() -> Vec<GrammarRule> {{ vec![{}] }}\n",
            rules.join(",\n")
        );
    }
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    fs::write(Path::new(&folder).join("grammar.rs"), code).expect("the folder can be written");
}

fn rules(text: &str) -> Vec<Rule> {
    let pairs = parser::parse(parser::Rule::grammar_rules, text).expect("the file is a grammar");
    parser::consume_rules(pairs).expect("pest generates a parser from it")
}

fn rule(rule: &Rule) -> String {
    let kind = match rule.ty {
        RuleType::Silent => "Silent",
        RuleType::Normal => "Normal",
        RuleType::Atomic => "Atomic",
        RuleType::CompoundAtomic => "CompoundAtomic",
        RuleType::NonAtomic => "NonAtomic",
    };
    format!("rule({:?}, RuleKind::{kind}, {})", rule.name, expr(&rule.expr))
}

fn expr(it: &Expr) -> String {
    match it {
        Expr::Str(text) => format!("text({text:?})"),
        Expr::Range(from, to) => format!("Expr::Range({:?}, {:?})", single(from), single(to)),
        Expr::Ident(name) => format!("name({name:?})"),
        Expr::Seq(first, then) => format!("seq({}, {})", expr(first), expr(then)),
        Expr::Choice(first, or) => format!("choice({}, {})", expr(first), expr(or)),
        Expr::Opt(it) => format!("Expr::Opt(Box::new({}))", expr(it)),
        Expr::Rep(it) => format!("Expr::Rep(Box::new({}))", expr(it)),
        Expr::RepOnce(it) => format!("Expr::RepOnce(Box::new({}))", expr(it)),
        Expr::PosPred(it) => format!("Expr::PosPred(Box::new({}))", expr(it)),
        Expr::NegPred(it) => format!("Expr::NegPred(Box::new({}))", expr(it)),
        it => panic!("the grammar has `{it}`, which the other notations do not have"),
    }
}

fn single(text: &str) -> char {
    text.chars().next().expect("a range has two ends")
}
