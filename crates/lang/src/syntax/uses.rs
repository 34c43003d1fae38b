//! The rules of the grammar that a script uses.

use std::collections::BTreeSet;

use pest::{Parser as _, iterators::Pair};

use super::{Grammar, Rule, regions, token, with_stack};

/// A rule of the grammar, and the rule around it.
pub type RuleUse = (String, String);

/// The rules that a script uses; regions that cannot be parsed use none. A test checks with
/// it that every rule of the grammar is used by a script.
pub fn uses(text: &str) -> BTreeSet<RuleUse> {
    let lexed = token::lex(text);
    let mut found = BTreeSet::new();
    for region in regions::split(text, &lexed).0 {
        let piece = lexed.spaced(text, region.tokens.clone());
        with_stack(region.depth, || {
            let pairs = Grammar::parse(Rule::region, &piece);
            pairs.into_iter().flatten().for_each(|it| collect(it, &mut found));
        });
    }
    found
}

fn collect(pair: Pair<'_, Rule>, found: &mut BTreeSet<RuleUse>) {
    let rule = pair.as_rule();
    for inner in pair.into_inner() {
        found.insert((format!("{:?}", inner.as_rule()), format!("{rule:?}")));
        collect(inner, found);
    }
}
