//! The notation of llama.cpp: rules of characters; nothing is ignored.

use super::{
    GAP, START,
    term::{Rule, Set, Term},
};

pub(super) fn written(rules: &[Rule]) -> String {
    let mut text = format!("# The svc language, edition 1.\n\nroot ::= {}\n", named(START));
    for rule in rules {
        text += &format!("{} ::= {}\n", named(&rule.name), body(&rule.body));
    }
    text
}

/// Its names have hyphens, and some readers treat `SECRET` and `secret` as the same.
fn named(name: &str) -> String {
    if name.chars().all(|it| it.is_ascii_uppercase()) {
        return format!("word-{}", name.to_lowercase());
    }
    name.trim_end_matches('_').replace('_', "-")
}

fn body(term: &Term) -> String {
    match term {
        Term::Alt(all) => Term::joined(all, " | ", body),
        Term::Seq(all) => Term::joined(all.iter().filter(|it| **it != Term::text("")), " ", part),
        Term::NameBut(words) => body(&Term::spelt_out(words)),
        it => part(it),
    }
}

fn part(term: &Term) -> String {
    match term {
        Term::Text(text) => format!("\"{}\"", text.chars().map(escaped).collect::<String>()),
        Term::Set(set) => class(set),
        Term::Rule(name) => named(name),
        Term::Space => format!("{}?", named(GAP)),
        Term::Gap => named(GAP),
        Term::Opt(it) => format!("({})?", body(it)),
        Term::Star(it) => format!("({})*", body(it)),
        Term::Plus(it) => format!("({})+", body(it)),
        Term::Seq(_) | Term::Alt(_) | Term::NameBut(_) => format!("({})", body(term)),
    }
}

fn class(set: &Set) -> String {
    let sign = |it: char| match it {
        '-' => "\\x2D".to_owned(),
        '^' => "\\x5E".to_owned(),
        ']' | '[' => format!("\\{it}"),
        it => escaped(it),
    };
    let range =
        |(from, to): &(char, char)| if from == to { sign(*from) } else { format!("{from}-{to}") };
    let but = if set.negated { "^" } else { "" };
    format!("[{but}{}]", set.ranges.iter().map(range).collect::<String>())
}

fn escaped(it: char) -> String {
    match it {
        '"' | '\\' => format!("\\{it}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{FEFF}' => "\\uFEFF".to_owned(),
        it => it.to_string(),
    }
}
