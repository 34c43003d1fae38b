//! Lark's notation. Words and signs are regular expressions without lookaround, which
//! llguidance does not support.

use super::{
    GAP, START, named,
    term::{Kind, Rule, Set, Term},
};

pub(super) fn written(rules: &[Rule]) -> String {
    let mut text = format!(
        "// The svc language, edition 1. Read it with Lark's Earley parser or llguidance.\n\
         // {} is whitespace and comments; nothing is ignored.\n\nstart: {START}\n\n",
        GAP.to_uppercase()
    );
    let (words, rest): (Vec<&Rule>, Vec<&Rule>) =
        rules.iter().partition(|it| it.kind == Kind::Lexical);
    for rule in rest {
        text += &format!("{}: {}\n", rule.name, body(&rule.body, rules));
    }
    text.push('\n');
    for rule in words {
        text += &format!("{}: /{}/\n", rule.name.to_uppercase(), pattern(&rule.body, rules));
    }
    text
}

fn body(term: &Term, rules: &[Rule]) -> String {
    match term {
        Term::Alt(all) if !is_words(term) => {
            let ways: Vec<String> = all.iter().map(|it| body(it, rules)).collect();
            ways.join(" | ")
        }
        Term::Seq(all) => {
            let parts = all.iter().filter(|it| **it != Term::text(""));
            parts.map(|it| part(it, rules)).collect::<Vec<_>>().join(" ")
        }
        it => part(it, rules),
    }
}

fn part(term: &Term, rules: &[Rule]) -> String {
    match term {
        Term::Text(text) => quoted(text),
        Term::Rule(name) => match named(rules, name) {
            Some(Rule { kind: Kind::Lexical, .. }) => name.to_uppercase(),
            _ => name.clone(),
        },
        Term::Space => format!("{}?", GAP.to_uppercase()),
        Term::Gap => GAP.to_uppercase(),
        Term::Opt(it) => format!("({})?", body(it, rules)),
        Term::Star(it) => format!("({})*", body(it, rules)),
        Term::Plus(it) => format!("({})+", body(it, rules)),
        Term::Alt(_) if is_words(term) => format!("/{}/", pattern(term, rules)),
        Term::Seq(_) | Term::Alt(_) => format!("({})", body(term, rules)),
        Term::Set(_) | Term::NameBut(_) => format!("/{}/", pattern(term, rules)),
    }
}

/// A choice of words is a single word to the parser, which is faster.
fn is_words(term: &Term) -> bool {
    let is_word = |it: &Term| matches!(it, Term::Text(text) if text.len() > 1);
    matches!(term, Term::Alt(all) if all.iter().all(is_word))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A term as a regular expression, with the rules it names inlined.
pub(super) fn pattern(term: &Term, rules: &[Rule]) -> String {
    let grouped = |it: &Term| match it {
        Term::Set(set) => class(set),
        Term::Text(text) if text.chars().count() == 1 => escaped(text),
        it => format!("(?:{})", pattern(it, rules)),
    };
    match term {
        Term::Text(text) => escaped(text),
        Term::Set(set) => class(set),
        Term::NameBut(words) => grouped(&Term::spelt_out(words)),
        Term::Rule(name) => match named(rules, name) {
            Some(rule) => grouped(&rule.body),
            None => String::new(),
        },
        Term::Seq(all) => all.iter().map(|it| sequel(it, rules)).collect(),
        Term::Alt(all) => {
            let mut ways: Vec<String> = all.iter().map(|it| pattern(it, rules)).collect();
            if all.iter().all(|it| matches!(it, Term::Text(_))) {
                // The first match wins, even if a longer one exists.
                ways.sort_by_key(|it| std::cmp::Reverse(it.len()));
            }
            ways.join("|")
        }
        Term::Opt(it) => grouped(it) + "?",
        Term::Star(it) => grouped(it) + "*",
        Term::Plus(it) => grouped(it) + "+",
        Term::Space | Term::Gap => String::new(),
    }
}

/// A part of a sequence: alternatives need brackets there.
fn sequel(term: &Term, rules: &[Rule]) -> String {
    match term {
        Term::Alt(_) => format!("(?:{})", pattern(term, rules)),
        it => pattern(it, rules),
    }
}

fn class(set: &Set) -> String {
    if set.ranges.is_empty() {
        return "(?:.|\\n)".to_owned();
    }
    let range = |(from, to): &(char, char)| {
        if from == to { in_class(*from) } else { format!("{}-{}", in_class(*from), in_class(*to)) }
    };
    let sign = if set.negated { "^" } else { "" };
    format!("[{sign}{}]", set.ranges.iter().map(range).collect::<String>())
}

fn in_class(it: char) -> String {
    match it {
        '\\' | ']' | '[' | '^' | '-' | '/' => format!("\\{it}"),
        it => control(it).unwrap_or_else(|| it.to_string()),
    }
}

fn escaped(text: &str) -> String {
    let sign = |it: char| match it {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$'
        | '/' => {
            format!("\\{it}")
        }
        it => control(it).unwrap_or_else(|| it.to_string()),
    };
    text.chars().map(sign).collect()
}

/// Characters that are not visible.
fn control(it: char) -> Option<String> {
    match it {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\u{FEFF}' => Some("\\ufeff".to_owned()),
        _ => None,
    }
}
