//! Bounds of a script that spends, valid with the models of the current host.

use svc_contract::registry::{Catalog, Tried};

/// The bounds for a script without a cap, best first: a cap of money needs the price of the model.
const CAPS: [&str; 3] = ["max_cost: $0.50", "max_tokens: 200_000", "max_tokens: 1_000_000"];

/// What the check reports for a cap of money on a model without a price.
const UNPRICED: &str = "cannot run under `max_cost`";

const EDITION: &str = "svc 1";

/// A script with its bounds, and a note if they had to be changed.
pub(super) struct Bounded {
    pub(super) tried: Tried,
    pub(super) note: Option<String>,
}

/// Tries a script with a cap, if it spends and has none that is valid here.
pub(super) fn bounded(script: &str, catalog: &dyn Catalog) -> Bounded {
    let tried = catalog.tried(script);
    if tried.errors.iter().any(|it| it.contains(UNPRICED)) {
        return in_tokens(script, tried, catalog);
    }
    let spends = tried.effects.iter().any(|it| it.starts_with("spends"));
    if !spends || has_cap(&tried.text) {
        return Bounded { tried, note: None };
    }
    let with = |cap: &&str| catalog.tried(&with_bound(&tried.text, cap));
    let valid = CAPS.iter().map(with).find(|it| it.errors.is_empty());
    Bounded { note: None, tried: valid.unwrap_or(tried) }
}

/// Replaces caps of money by caps of tokens.
fn in_tokens(script: &str, tried: Tried, catalog: &dyn Catalog) -> Bounded {
    let with = |tokens: &&str| catalog.tried(&without_money(script, tokens));
    let valid = CAPS[1..].iter().map(with).find(|it| it.errors.is_empty());
    let Some(tried) = valid else { return Bounded { tried, note: None } };
    let note = "the price of the model is unknown, so a cap of tokens replaces the cap of money";
    Bounded { tried, note: Some(note.to_owned()) }
}

/// The script with each `max_cost: $..` replaced.
fn without_money(script: &str, tokens: &str) -> String {
    let mut parts = script.split("max_cost:");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let amount = part.trim_start().trim_start_matches('$');
        let is_amount = |it: char| it.is_ascii_digit() || it == '.' || it == '_';
        all.push_str(tokens);
        all.push_str(amount.trim_start_matches(is_amount));
    }
    all
}

/// The line of the edition, if the script has one.
fn edition(script: &str) -> Option<&str> {
    let mut lines = script.lines().map(str::trim);
    lines.find(|it| *it == EDITION || it.starts_with("svc 1 "))
}

fn has_cap(script: &str) -> bool {
    edition(script).is_some_and(|it| it.contains("max_cost") || it.contains("max_tokens"))
}

fn with_bound(script: &str, bound: &str) -> String {
    match edition(script) {
        None => format!("{EDITION} within {{ {bound} }}\n\n{script}"),
        Some(line) => {
            let bounded = match line.split_once('{') {
                Some((before, after)) => format!("{before}{{ {bound},{after}"),
                None => format!("{EDITION} within {{ {bound} }}"),
            };
            script.replacen(line, &bounded, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_added_to_the_edition() {
        assert_eq!(with_bound("1\n", "a: 1"), "svc 1 within { a: 1 }\n\n1\n");
        assert_eq!(with_bound("# x\nsvc 1\n1\n", "a: 1"), "# x\nsvc 1 within { a: 1 }\n1\n");
        let timed = "svc 1 within { timeout: 2m }\n1\n";
        assert_eq!(with_bound(timed, "a: 1"), "svc 1 within { a: 1, timeout: 2m }\n1\n");
    }

    #[test]
    fn money_becomes_tokens() {
        let script = "svc 1 within { max_cost: $0.20, timeout: 1s }\n";
        let wanted = "svc 1 within { max_tokens: 9, timeout: 1s }\n";
        assert_eq!(without_money(script, "max_tokens: 9"), wanted);
    }
}
