//! The W3C's EBNF notation, for people.

use super::{
    GAP, START,
    term::{Kind, Rule, Set, Term},
};

pub(super) fn written(rules: &[Rule]) -> String {
    let mut text = format!(
        "/* The svc language, edition 1, in the W3C's EBNF. A script is a {START}.\n   \
         The parts of a rule are separated by {GAP}, or by nothing if no word touches another.\n   \
         The parts of rules marked `ws: explicit` are not separated. */\n\n"
    );
    for rule in rules {
        let mark = if rule.kind == Kind::Spaced { "" } else { "  /* ws: explicit */" };
        text += &format!("{} ::= {}{mark}\n", rule.name, body(&rule.body));
    }
    text
}

fn body(term: &Term) -> String {
    match term {
        Term::Alt(all) => Term::joined(all, " | ", body),
        Term::Seq(all) => Term::joined(all.iter().filter(|it| **it != Term::text("")), " ", part),
        it => part(it),
    }
}

fn part(term: &Term) -> String {
    match term {
        Term::Text(text) => quoted(text),
        Term::Set(set) => class(set),
        Term::NameBut(words) => {
            let words: Vec<String> = words.iter().map(|it| quoted(it)).collect();
            format!("([a-z_] [0-9A-Z_a-z]* - ({}))", words.join(" | "))
        }
        Term::Rule(name) => name.clone(),
        Term::Opt(it) => format!("{}?", single(it)),
        Term::Star(it) => format!("{}*", single(it)),
        Term::Plus(it) => format!("{}+", single(it)),
        Term::Seq(_) | Term::Alt(_) => format!("({})", body(term)),
        Term::Space | Term::Gap => GAP.to_owned(),
    }
}

fn single(term: &Term) -> String {
    match term {
        Term::Opt(_) | Term::Star(_) | Term::Plus(_) => format!("({})", part(term)),
        it => part(it),
    }
}

/// Strings of this notation have no escapes.
fn quoted(text: &str) -> String {
    match text {
        "\n" => "#xA".to_owned(),
        it if it.contains('"') => format!("'{it}'"),
        it => format!("\"{it}\""),
    }
}

fn class(set: &Set) -> String {
    if set.ranges.is_empty() {
        return "[#x0-#x10FFFF]".to_owned();
    }
    let range = |(from, to): &(char, char)| {
        if from == to { visible(*from) } else { format!("{}-{}", visible(*from), visible(*to)) }
    };
    let sign = if set.negated { "^" } else { "" };
    format!("[{sign}{}]", set.ranges.iter().map(range).collect::<String>())
}

fn visible(it: char) -> String {
    if it.is_ascii_graphic() && !matches!(it, ']' | '^' | '-') {
        return it.to_string();
    }
    format!("#x{:X}", u32::from(it))
}
