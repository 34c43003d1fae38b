//! A goal, cut into the parts that it asks for, in the order in which they are to be done.

use svc_contract::registry::Registry;
use svc_text::stems::Vocabulary;

/// A part of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) text: String,
    /// Whether its words say that it goes on with what the part before it gives.
    pub(super) goes_on: bool,
}

/// What joins two parts, the longest first, and whether the second one goes on with the first one.
const JOINTS: [(&str, bool); 15] = [
    (", and then ", true),
    (" and then ", true),
    (", and finally ", true),
    (" and finally ", true),
    (", after that ", true),
    (", afterwards ", true),
    (", then ", true),
    (", finally ", true),
    (" then ", true),
    (". ", false),
    ("; ", false),
    ("\n", false),
    (", and ", false),
    (" and ", false),
    (", ", false),
];

/// Words before a part that only say when it is done.
const OPENERS: [(&str, bool); 12] = [
    ("first of all", false),
    ("first", false),
    ("to begin with", false),
    ("then", true),
    ("next", true),
    ("after that", true),
    ("afterwards", true),
    ("finally", true),
    ("lastly", true),
    ("please", false),
    ("i want to", false),
    ("i need to", false),
];

/// Words for what the part before gives.
const PRONOUNS: [&str; 10] =
    ["it", "its", "them", "they", "their", "these", "those", "this", "that", "result"];

/// The first words of all phrasings and the names of all ops: a part begins with one of them.
pub(super) struct Verbs(Vocabulary);

impl Verbs {
    pub(super) fn of(registry: &Registry) -> Self {
        let mut words = Vocabulary::default();
        let mut learn = |text: &str| words.read(text).for_each(drop);
        for op in registry.components().iter().flat_map(|it| it.ops) {
            op.says.iter().filter_map(|it| it.split_whitespace().next()).for_each(&mut learn);
            op.name.split('_').next().into_iter().for_each(&mut learn);
        }
        // What constructs of the language do.
        learn("sort keep drop filter group order rank compare translate send email notify");
        Self(words)
    }

    fn has(&self, word: &str) -> bool {
        const LITTLE: [&str; 17] = [
            "a", "an", "the", "my", "all", "what", "how", "is", "are", "which", "of", "in", "from",
            "to", "for", "with", "by",
        ];
        let word = word.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
        !word.is_empty() && !LITTLE.contains(&word.as_str()) && self.0.has(&word)
    }
}

/// The parts of a goal. A joint inside of quotation marks joins nothing.
pub(super) fn clauses(goal: &str, verbs: &Verbs) -> Vec<Clause> {
    let mut open = vec![(goal.trim().trim_end_matches(['.', '!']).to_owned(), false)];
    let mut parts: Vec<(String, bool)> = Vec::new();
    while let Some((text, goes_on)) = open.pop() {
        match cut(&text, verbs) {
            Some((before, after, is_next)) => {
                open.push((after, is_next));
                open.push((before, goes_on));
            }
            None => parts.push((text, goes_on)),
        }
    }
    let parts = parts.into_iter().flat_map(|(text, goes_on)| in_time(&text, goes_on));
    parts.filter_map(|(text, goes_on)| Clause::of(&text, goes_on)).collect()
}

/// The text before and after the first joint, and whether the second one goes on.
fn cut(text: &str, verbs: &Verbs) -> Option<(String, String, bool)> {
    let mut first: Option<(usize, &str, bool)> = None;
    // The comma of `after reading it, ..` is read with the order of the parts.
    let is_after = text.to_ascii_lowercase().starts_with("after ");
    for (joint, goes_on) in JOINTS.into_iter().filter(|it| !is_after || it.0 != ", ") {
        for (at, _) in text.match_indices(joint) {
            let after = &text[at + joint.len()..];
            if is_quoted(text, at) || !begins(after, verbs) || text[..at].trim().is_empty() {
                continue;
            }
            if first.is_none_or(|it| at < it.0) {
                first = Some((at, joint, goes_on));
            }
            break;
        }
    }
    let (at, joint, goes_on) = first?;
    Some((text[..at].to_owned(), text[at + joint.len()..].to_owned(), goes_on))
}

fn is_quoted(text: &str, at: usize) -> bool {
    text[..at].matches('"').count() % 2 == 1
}

/// Whether a text begins with what someone may ask for.
fn begins(text: &str, verbs: &Verbs) -> bool {
    let lower = text.to_ascii_lowercase();
    let text = OPENERS
        .iter()
        .find_map(|(it, _)| lower.strip_prefix(it)?.strip_prefix([' ', ',']))
        .unwrap_or(&lower);
    text.split_whitespace().next().is_some_and(|it| verbs.has(it))
}

/// `send it after checking the numbers`: what is done first comes first.
fn in_time(text: &str, goes_on: bool) -> Vec<(String, bool)> {
    let is_doing = |it: &str| {
        let word = it.split_whitespace().next().unwrap_or_default();
        word.len() > 5 && word.ends_with("ing")
    };
    let lower = text.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("after ")
        && is_doing(rest)
        && let Some(comma) = text.find(", ")
    {
        let (first, then) = (&text["after ".len()..comma], &text[comma + 2..]);
        return vec![(first.to_owned(), goes_on), (then.to_owned(), true)];
    }
    for (joint, is_swapped) in [(" after ", true), (" before ", false)] {
        let Some(at) = lower.find(joint).filter(|it| is_doing(&lower[it + joint.len()..])) else {
            continue;
        };
        if lower.len() != text.len() {
            break;
        }
        let (one, two) = (text[..at].to_owned(), text[at + joint.len()..].to_owned());
        let (first, then) = if is_swapped { (two, one) } else { (one, two) };
        return vec![(first, goes_on), (then, true)];
    }
    vec![(text.to_owned(), goes_on)]
}

impl Clause {
    fn of(text: &str, goes_on: bool) -> Option<Self> {
        let mut text = text.trim().trim_matches(',').trim().to_owned();
        let mut goes_on = goes_on;
        while let Some((opener, is_next)) = OPENERS.iter().find(|it| opens(&text, it.0)) {
            goes_on |= is_next;
            text.drain(..opener.len());
            text = text.trim_start_matches([' ', ',', ':']).into();
        }
        let mut words = text.split(|it: char| !it.is_alphanumeric());
        goes_on |= words.any(|it| PRONOUNS.contains(&it.to_lowercase().as_str()));
        text.contains(char::is_alphanumeric).then_some(Self { text, goes_on })
    }
}

fn opens(text: &str, opener: &str) -> bool {
    let Some(begin) = text.get(..opener.len()) else { return false };
    begin.eq_ignore_ascii_case(opener) && text[opener.len()..].starts_with([' ', ',', ':'])
}
