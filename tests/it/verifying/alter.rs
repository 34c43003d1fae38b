//! Makes claims of the sentences of a text: true ones, which say the same in other words or another
//! order, and false ones, in which a number, a negation or a name is another one.

use svc_text::sentences::sentences;

/// What is wrong with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Numbers,
    Negations,
    Names,
}

pub(crate) const CLASSES: [Class; 3] = [Class::Numbers, Class::Negations, Class::Names];

/// A true claim, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub class: Class,
    pub right: String,
    pub wrong: String,
}

const AUXILIARIES: &[&str] = &[
    "is", "was", "are", "were", "has", "had", "have", "can", "could", "will", "would", "may",
    "must", "should", "did", "does", "do",
];

const SYNONYMS: &[(&str, &str)] = &[
    (" began ", " started "),
    (" began ", " commenced "),
    (" also ", " "),
    (" many ", " numerous "),
    (" large ", " big "),
    (" used ", " employed "),
    (" because ", " since "),
    (" such as ", " like "),
    (" approximately ", " about "),
    (" located ", " situated "),
    (" known as ", " called "),
    (" percent", "%"),
    (" became ", " turned into "),
    (" however,", ""),
    (" several ", " a number of "),
    (" important ", " significant "),
    (" built ", " constructed "),
    (" created ", " made "),
    (" within ", " inside "),
    (" two ", " 2 "),
    (" three ", " 3 "),
    (" four ", " 4 "),
    (" did not ", " didn't "),
    (" was not ", " wasn't "),
    (" is not ", " isn't "),
];

/// The claims that are made of a text; `others` are names that it may not have.
pub(crate) fn pairs(text: &str, others: &[String]) -> Vec<Pair> {
    let said: Vec<&str> = sentences(text).map(|it| &text[it]).collect();
    let names: Vec<String> = said.iter().flat_map(|it| names(it)).collect();
    let mut made = Vec::new();
    for (at, sentence) in said.iter().enumerate() {
        if sentence.split(' ').count() < 6 {
            continue;
        }
        for (form, right) in forms(sentence, said.get(at + 1).copied()).into_iter().enumerate() {
            for class in CLASSES {
                let seed = at + form;
                let wrong = match class {
                    Class::Numbers => other_number(&right, text, seed),
                    Class::Negations => other_negation(&right),
                    Class::Names => other_name(&right, &names, others, seed),
                };
                if let Some(wrong) = wrong.filter(|it| !text.contains(it.trim_end_matches('.'))) {
                    made.push(Pair { class, right: right.clone(), wrong });
                }
            }
        }
    }
    made
}

/// A sentence as it is, shortened, merged with the next one, reordered and in other words.
fn forms(sentence: &str, next: Option<&str>) -> Vec<String> {
    let all = [
        Some(sentence.to_owned()),
        shortened(sentence),
        next.and_then(|it| merged(sentence, it)),
        reordered(sentence),
        reworded(sentence),
    ];
    all.into_iter().flatten().collect()
}

fn shortened(sentence: &str) -> Option<String> {
    if let (Some(open), Some(close)) = (sentence.find(" ("), sentence.find(')'))
        && open < close
    {
        return Some(format!("{}{}", &sentence[..open], &sentence[close + 1..]));
    }
    let cut = sentence.rfind(", ")?;
    let short = &sentence[..cut];
    (short.split(' ').count() >= 6).then(|| format!("{short}."))
}

fn merged(sentence: &str, next: &str) -> Option<String> {
    let (first, rest) = next.split_once(' ')?;
    let opens = ["The", "A", "An", "In", "It", "He", "She", "They", "This", "These", "On", "At"];
    let first = if opens.contains(&first) { first.to_lowercase() } else { first.to_owned() };
    Some(format!("{}, and {first} {rest}", sentence.strip_suffix('.')?))
}

fn reordered(sentence: &str) -> Option<String> {
    let body = sentence.strip_suffix('.')?;
    if let Some((lead, rest)) = body.split_once(", ")
        && ["In ", "On ", "At ", "After ", "During ", "By ", "For "]
            .iter()
            .any(|it| lead.starts_with(it))
        && !rest.contains(',')
    {
        return Some(format!("{} {}.", upper(rest), lower(lead)));
    }
    let at = [" in ", " on ", " during ", " after ", " at ", " by "]
        .iter()
        .filter_map(|it| body.rfind(it))
        .max()?;
    let (rest, tail) = (&body[..at], body[at..].trim());
    let is_short = (2..8).contains(&tail.split(' ').count()) && !tail.contains(',');
    (is_short && rest.split(' ').count() >= 4)
        .then(|| format!("{}, {}.", upper(tail), lower_article(rest)))
}

fn reworded(sentence: &str) -> Option<String> {
    let mut made = sentence.to_owned();
    for (from, to) in SYNONYMS {
        made = made.replacen(from, to, 1);
    }
    (made != sentence).then_some(made)
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|it| it.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|it| it.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn lower_article(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if ["The", "A", "An", "It", "He", "She", "They", "This"].contains(&first) {
        lower(text)
    } else {
        text.to_owned()
    }
}

/// Another number: one of the text, or one with another digit.
fn other_number(sentence: &str, text: &str, seed: usize) -> Option<String> {
    let found: Vec<(usize, &str)> = numbers(sentence);
    let (at, number) = *found.get(seed % found.len().max(1))?;
    let elsewhere: Vec<&str> = numbers(text)
        .into_iter()
        .map(|(_, it)| it)
        .filter(|it| !found.iter().any(|(_, own)| own == it))
        .collect();
    let other = match elsewhere.get(seed % elsewhere.len().max(1)) {
        Some(it) if seed.is_multiple_of(2) => (*it).to_owned(),
        _ => {
            let digit = number.rfind(|it: char| it.is_ascii_digit())?;
            let value =
                (number.as_bytes()[digit] - b'0' + 1 + u8::try_from(seed % 8).unwrap()) % 10;
            format!("{}{value}{}", &number[..digit], &number[digit + 1..])
        }
    };
    (other != number)
        .then(|| format!("{}{other}{}", &sentence[..at], &sentence[at + number.len()..]))
}

fn numbers(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|it: char| it.is_ascii_digit()) {
        let start = at + start;
        let rest = &text[start..];
        let len = rest.find(|it: char| !it.is_ascii_digit() && it != ',' && it != '.');
        let number = rest[..len.unwrap_or(rest.len())].trim_end_matches(['.', ',']);
        let is_reference = text[..start].ends_with('[');
        if !is_reference {
            found.push((start, number));
        }
        at = start + number.len();
    }
    found
}

/// A negation less, or one more.
fn other_negation(sentence: &str) -> Option<String> {
    for (from, to) in [(" not ", " "), ("n't ", " "), (" never ", " "), (" no ", " ")] {
        if sentence.contains(from) && !sentence.contains("not only") {
            return Some(sentence.replacen(from, to, 1));
        }
    }
    let at = AUXILIARIES.iter().filter_map(|it| {
        let word = format!(" {it} ");
        sentence.find(&word).map(|at| at + word.len())
    });
    let at = at.min()?;
    Some(format!("{}not {}", &sentence[..at], &sentence[at..]))
}

/// Another name: one of the text or of another one, or two names that changed places.
fn other_name(
    sentence: &str,
    names_of_text: &[String],
    others: &[String],
    seed: usize,
) -> Option<String> {
    let own = names(sentence);
    let differs = |it: &String| {
        !sentence.contains(it.as_str())
            && !it.split(' ').any(|it| own.iter().any(|own| own.contains(it)))
    };
    if let ([one, .., other], 0) = (own.as_slice(), seed % 3)
        && !one.contains(other.as_str())
        && !other.contains(one.as_str())
    {
        let marked = sentence.replacen(one, "\u{1}", 1).replacen(other, one, 1);
        return Some(marked.replacen('\u{1}', other, 1));
    }
    let pool: Vec<&String> = if seed % 3 == 1 { names_of_text } else { others }
        .iter()
        .filter(|it| differs(it))
        .collect();
    let name = own.get(seed % own.len().max(1))?;
    let other = pool.get(seed * 7 % pool.len().max(1))?;
    Some(sentence.replacen(name.as_str(), other, 1))
}

/// The runs of capitalised words behind the first word of a sentence.
pub(crate) fn names(sentence: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in sentence.split(' ').skip(1) {
        let bare = word.trim_matches(|it: char| !it.is_alphanumeric());
        let bare = bare.strip_suffix("'s").unwrap_or(bare);
        let is_name = bare.chars().next().is_some_and(char::is_uppercase)
            && bare.chars().skip(1).all(char::is_alphabetic)
            && bare.len() > 2
            && word.starts_with(bare);
        match found.last_mut() {
            Some(last) if is_name && is_open => {
                last.push(' ');
                last.push_str(bare);
            }
            _ if is_name => found.push(bare.to_owned()),
            _ => {}
        }
        is_open = is_name && word == bare;
    }
    found.retain(|it| !["The", "This", "That", "However", "These"].contains(&it.as_str()));
    found
}
