//! Idioms with separated words: `round 7.2 down`, `turn it into JSON`, `the numbers from 1 to 10`.

use super::{literals::Literal, tokens::Token};

/// Verbs, their particles after the object, and their common meaning.
const PARTICLES: &[(&str, &str, &str)] = &[
    ("round", "down", "floor"),
    ("round", "downwards", "floor"),
    ("round", "up", "ceil"),
    ("round", "upwards", "ceil"),
    ("add", "up", "sum"),
    ("add", "together", "sum"),
    ("boil", "down", "summarise"),
    ("put", "together", "join"),
    ("stick", "together", "join"),
    ("string", "together", "join"),
    ("glue", "together", "join"),
    ("bring", "together", "join"),
    ("turn", "around", "reverse"),
    ("turn", "round", "reverse"),
    ("throw", "away", "remove"),
    ("throw", "out", "remove"),
    ("leave", "out", "remove"),
    ("take", "out", "remove"),
    ("filter", "out", "remove"),
    ("weed", "out", "remove"),
    ("get", "rid", "remove"),
    ("strip", "out", "remove"),
    ("write", "down", "write"),
    ("break", "up", "split"),
    ("break", "apart", "split"),
    ("cut", "up", "split"),
    ("cut", "apart", "split"),
    ("take", "apart", "split"),
    ("cut", "off", "truncate"),
    ("chop", "off", "truncate"),
    ("look", "up", "search"),
    ("pick", "out", "find"),
    ("pull", "out", "extract"),
    ("narrow", "down", "keep"),
    ("clean", "up", "clean"),
    ("tidy", "up", "clean"),
];

/// The maximum distance of a particle from its verb.
const FARTHEST: usize = 7;

/// Words that request another format.
const CONVERTING: &str = "turn convert make change transform cast encode format render write show \
    print express serialise serialize prettyprint";

/// Words for reading something in a format that it already has.
const READING: [&str; 5] = ["parse", "interpret", "treat", "read", "decode"];

/// Formats, and the words of the op for each.
const FORMS: &[(&str, &[&str])] = &[
    ("to_json", &["json"]),
    ("parse_int", &["integer", "int", "integers", "ints"]),
    ("parse_float", &["float", "decimal", "floats", "decimals"]),
];

/// Replaces each idiom in the tokens with one word.
pub(super) fn read(mut tokens: Vec<Token>) -> Vec<Token> {
    particles(&mut tokens);
    forms(&mut tokens);
    pronouns(&mut tokens);
    spans(&mut tokens);
    tokens
}

/// `round 7.2 down` means `floor 7.2`.
fn particles(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some((behind, means)) = particle(&tokens[at..]) {
            tokens[at] = Token::Word(means.to_owned());
            tokens.remove(at + behind);
        }
        at += 1;
    }
}

/// The distance of the particle from the verb at the start, and their common meaning.
fn particle(tokens: &[Token]) -> Option<(usize, &'static str)> {
    let verb = tokens.first()?.word()?;
    let of_verb = || PARTICLES.iter().filter(|(it, ..)| is_form(&verb, it));
    of_verb().next()?;
    let rest = tokens.iter().skip(1).take(FARTHEST).enumerate();
    let mut step = rest.take_while(|(_, it)| !ends_step(it));
    step.find_map(|(at, it)| {
        let word = it.word()?;
        let (_, _, means) = of_verb().find(|(_, particle, _)| *particle == word)?;
        Some((at + 1, *means))
    })
}

fn ends_step(token: &Token) -> bool {
    let is_link = |it: String| matches!(it.as_str(), "and" | "then" | "but");
    matches!(token, Token::Break | Token::Never) || token.word().is_some_and(is_link)
}

/// `turn .. into JSON` means `to_json`, unless other words describe the result.
fn forms(tokens: &mut Vec<Token>) {
    let (mut converts, mut reads) = (false, false);
    let mut at = 0;
    while at < tokens.len() {
        if ends_step(&tokens[at]) {
            (converts, reads) = (false, false);
        }
        let word = tokens[at].word().unwrap_or_default().replace('-', "");
        converts |= CONVERTING.split_whitespace().any(|it| is_form(&word, it));
        reads |= READING.iter().any(|it| is_form(&word, it));
        if (converts || reads) && matches!(word.as_str(), "into" | "to" | "as") {
            form(tokens, at, reads);
        }
        at += 1;
    }
}

/// Replaces a format after a preposition with its op.
fn form(tokens: &mut Vec<Token>, at: usize, reads: bool) {
    const KINDS: [&str; 5] = ["string", "text", "value", "number", "format"];
    let word = |idx: usize| tokens.get(idx).and_then(Token::word).unwrap_or_default();
    let name_at = at + 1 + usize::from(matches!(word(at + 1).as_str(), "a" | "an" | "the"));
    let name = word(name_at);
    let Some((op, _)) = FORMS.iter().find(|(_, all)| all.contains(&name.as_str())) else { return };
    let end = name_at + 1 + usize::from(KINDS.contains(&word(name_at + 1).as_str()));
    let op = if reads { op.replace("to_json", "parse_json") } else { (*op).to_owned() };
    tokens.splice(at..end, [Token::Word(op)]);
}

/// `the largest one` is not a number.
fn pronouns(tokens: &mut Vec<Token>) {
    let mut at = 1;
    while at < tokens.len() {
        let is_one = matches!(&tokens[at], Token::Literal(Literal::Number(_), it) if it == "one");
        let before = tokens[at - 1].word().unwrap_or_default();
        let picks = before.len() > 4 && before.ends_with("est");
        let points =
            matches!(before.as_str(), "best" | "last" | "first" | "which" | "this" | "that");
        if is_one && (picks || points) {
            tokens.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Replaces `the numbers from 1 to 10` with a literal.
fn spans(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some((len, span)) = span(&tokens[at..]) {
            let written = span.written();
            tokens.splice(at + 1..at + len, [Token::Literal(span, written)]);
        }
        at += 1;
    }
}

/// Parses a noun for numbers at the start, with both limits: the number of tokens, and the numbers.
fn span(tokens: &[Token]) -> Option<(usize, Literal)> {
    const NOUNS: &str = "numbers integers ints range count counting values sequence everything";
    const LINKS: &str = "whole all going running ranging starting between from up and to through \
        till until";
    let noun = tokens.first()?.word()?;
    NOUNS.split_whitespace().find(|it| *it == noun)?;
    let is_link =
        |it: &Token| it.word().is_some_and(|it| LINKS.split_whitespace().any(|at| at == it));
    let links = |from: usize| tokens.iter().skip(from).take_while(|it| is_link(it)).count();
    let number = |at: usize| match tokens.get(at) {
        Some(Token::Literal(Literal::Number(it), _)) if it.fract() == 0.0 => Some(*it),
        _ => None,
    };
    let first = 1 + links(1);
    let second = first + 1 + links(first + 1);
    let (low, high) = (number(first)?, number(second)?);
    (first > 1 && second > first + 1 && low < high)
        .then_some((second + 1, Literal::Span(low, high)))
}

/// Whether a word is a verb or one of its forms.
fn is_form(word: &str, verb: &str) -> bool {
    let Some(end) = word.strip_prefix(verb) else {
        let cut = verb.strip_suffix('e').and_then(|it| word.strip_prefix(it));
        return cut == Some("ing");
    };
    matches!(end, "" | "s" | "d" | "ed" | "ing")
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::tokens, *};

    fn words(goal: &str) -> String {
        let written = |it: Token| match it {
            Token::Word(word) => word,
            Token::Literal(literal, _) => literal.written(),
            Token::Break | Token::Never => ",".to_owned(),
        };
        read(tokens(goal)).into_iter().map(written).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_particle_belongs_to_its_verb() {
        assert_eq!(words("round 7.2 down"), "floor 7.2");
        assert_eq!(words("add all of them up"), "sum all of them");
        assert_eq!(words("round it, then go down"), "round it , then go down");
    }

    #[test]
    fn a_form_is_asked_for_by_its_op() {
        assert_eq!(words("turn it into a JSON string"), "turn it to_json");
        assert_eq!(words("convert x to an integer"), "convert x parse_int");
        assert_eq!(words("parse it as JSON"), "parse it parse_json");
        assert_eq!(words("send it to json"), "send it to json");
    }

    #[test]
    fn two_ends_are_one_piece() {
        assert_eq!(words("sum the numbers from 1 to 10"), "sum the numbers range(1, 11)");
        assert_eq!(words("limit 5 to between 1 and 3"), "limit 5 to between 1 and 3");
        assert_eq!(words("give me the largest one"), "give me the largest");
    }
}
