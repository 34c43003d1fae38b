//! The language as a grammar for other programs: for people, and for decoders that keep a
//! language model from writing invalid scripts.
//!
//! It is generated from `grammar/svc.pest`, and from the few rules without lookahead in
//! `grammar/context_free.pest` that replace some of its rules. A build script reads both with
//! pest's own reader.
//! The names of the registry become words of the grammar, each with its own arguments.
//!
//! A context-free grammar accepts more than the parser: it cannot limit how deeply brackets are
//! nested, or how large numbers are. In two points it is stricter. Where a word could touch
//! another word, whitespace is required. A flow or import of the script that has the name of a
//! component cannot be called with arguments.

mod ebnf;
pub mod files;
mod gbnf;
mod lark;
mod names;
mod source;
mod spacing;
mod term;

use std::collections::BTreeSet;

use svc_contract::registry::Registry;

use source::Sources;
use term::{Kind, Rule, Term};

/// The notation of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The W3C's notation, for people.
    Ebnf,
    /// Lark's notation, supported by Outlines, llguidance and others.
    Lark,
    /// The notation of `llama.cpp`, supported by other decoders, too.
    Gbnf,
}

/// The grammar of the language, with the names of the registry's components.
pub fn grammar(registry: &Registry, notation: Notation) -> String {
    let rules = rules(registry);
    match notation {
        Notation::Ebnf => ebnf::written(&reachable(rules)),
        Notation::Lark => lark::written(&reachable(spacing::spaced(rules))),
        Notation::Gbnf => gbnf::written(&reachable(spacing::spaced(rules))),
    }
}

/// The start rule: a script.
const START: &str = "region";

/// The rule of the gap between the parts of other rules.
const GAP: &str = "gap";

fn rules(registry: &Registry) -> Vec<Rule> {
    let sources = Sources::read().with_words("registry_name", &names::taken(registry));
    let mut rules = sources.rules();
    rules.extend(names::rules(registry));
    let body = |name: &str| named(&rules, name).map(|it| it.body.clone());
    let blanks = ["WHITESPACE", "COMMENT"].into_iter().filter_map(body).collect();
    let body = Term::Plus(Box::new(Term::Alt(blanks)));
    rules.push(Rule { name: GAP.to_owned(), kind: Kind::Lexical, body });
    rules
}

fn named<'a>(rules: &'a [Rule], name: &str) -> Option<&'a Rule> {
    rules.iter().find(|it| it.name == name)
}

/// The rules reachable from the start, in the order of first use.
fn reachable(rules: Vec<Rule>) -> Vec<Rule> {
    let mut order = vec![START.to_owned()];
    let mut seen: BTreeSet<String> = order.iter().cloned().collect();
    let mut next = 0;
    while let Some(name) = order.get(next) {
        let rule = named(&rules, name);
        let called: Vec<String> =
            rule.iter().flat_map(|it| it.body.rules()).map(str::to_owned).collect();
        order.extend(called.into_iter().filter(|it| seen.insert(it.clone())));
        next += 1;
    }
    order.push(GAP.to_owned());
    let place = |it: &Rule| order.iter().position(|name| *name == it.name);
    let mut placed: Vec<(usize, Rule)> =
        rules.into_iter().filter_map(|it| Some((place(&it)?, it))).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, it)| it).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Notation, START, Term, named, rules, spacing};
    use svc_lang::check::BoundKey;

    #[test]
    fn every_bound_is_a_word() {
        let rules = rules(&svc_components::registry());
        let bound = rules.iter().find(|it| it.name == "bound_name").unwrap();
        for key in BoundKey::ALL {
            assert!(bound.body.parts().contains(&Term::text(key.name())), "{}", key.name());
        }
    }

    #[test]
    fn every_rule_that_is_named_is_there() {
        let rules = rules(&svc_components::registry());
        let names: BTreeSet<&str> = rules.iter().map(|it| it.name.as_str()).collect();
        for rule in super::reachable(rules.clone()) {
            let lost: Vec<&str> =
                rule.body.rules().into_iter().filter(|it| !names.contains(it)).collect();
            assert!(lost.is_empty(), "{}: {lost:?}", rule.name);
        }
    }

    /// Left-to-right parsers would never terminate.
    #[test]
    fn no_rule_begins_with_itself() {
        let rules = super::reachable(spacing::spaced(rules(&svc_components::registry())));
        for rule in &rules {
            let mut seen = BTreeSet::new();
            let mut open = firsts(&rule.body);
            while let Some(name) = open.pop() {
                assert_ne!(name, rule.name, "from {START}");
                if seen.insert(name.clone()) {
                    open.extend(
                        named(&rules, &name).map(|it| firsts(&it.body)).unwrap_or_default(),
                    );
                }
            }
        }
    }

    /// The rules that a term can begin with.
    fn firsts(term: &Term) -> Vec<String> {
        match term {
            Term::Rule(name) => vec![name.clone()],
            Term::Seq(all) => {
                let may_be_missing = |it: &&Term| {
                    matches!(it, Term::Opt(_) | Term::Star(_) | Term::Space)
                        || **it == Term::text("")
                };
                let missing = all.iter().take_while(may_be_missing).count();
                all.iter().take(missing + 1).flat_map(firsts).collect()
            }
            it => it.parts().iter().flat_map(firsts).collect(),
        }
    }

    #[test]
    fn names_of_components_have_their_own_arguments() {
        let grammar = super::grammar(&svc_components::registry(), Notation::Ebnf);
        for line in [
            r#"takes_text_sep_named ::= ("text" | "sep") ":" pipeline"#,
            r#"id ::= ([a-z_] [0-9A-Z_a-z]* - ("and" | "as" | "#,
        ] {
            assert!(grammar.contains(line), "{line}\n{grammar}");
        }
    }
}
