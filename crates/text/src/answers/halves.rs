//! Questions that compare two things.

use crate::claims::numeral;

/// Words behind which the second of two compared things stands.
const COMPARING: [&str; 5] =
    [" than ", " compare with ", " compare to ", " compared with ", " compared to "];

/// Words with which a question begins that ask for a yes or a no.
const ASKING: &[&str] = &[
    "is", "are", "was", "were", "does", "do", "did", "has", "have", "how", "will", "can", "and",
    "would",
];

/// Those that leave the verb behind the subject, as in `did the mill burn`.
const HELPING: &[&str] = &["does", "do", "did", "has", "have", "will", "can", "would"];

const PREPOSITIONS: &[&str] =
    &["for", "in", "of", "on", "at", "to", "from", "with", "by", "under", "as"];

/// The two questions of which one that compares consists: `which is older, the mill or the bridge?`,
/// `what is the difference between a mill and a bridge?`, `is the mill older than the bridge?`.
pub(super) fn halves(question: &str) -> Option<[String; 2]> {
    let text = question.trim_end_matches(['?', ' ', '.']);
    let lower = text.to_lowercase();
    if let Some((head, pair)) = text.rsplit_once([',', ':'])
        && pair.contains(" or ")
    {
        return of_pair(head, pair.split_once(" or ")?);
    }
    if let Some((asked, pair)) = text.split_once(" between ") {
        let compares = ["differ", "compar"].iter().any(|it| lower.contains(it));
        // `what is the difference` is in none of the two.
        let (one, other) = pair.split_once(" and ")?;
        let of = |it: &str| format!("what is {}?", it.trim());
        return (compares && !asked.is_empty() && is_thing(one) && is_thing(other))
            .then(|| [of(one), of(other)]);
    }
    let Some(joint) = COMPARING.iter().find(|it| text.contains(**it)) else {
        return either(text);
    };
    let (first, second) = text.split_once(*joint)?;
    than(first, second)
}

/// `which is older, the mill or the bridge` asks how old each of them is.
fn of_pair(head: &str, (one, other): (&str, &str)) -> Option<[String; 2]> {
    let words: Vec<&str> = head.split_whitespace().collect();
    let at = comparative(&words);
    let of = |it: &str| match at {
        Some(at) => {
            let before = words[..at].iter().filter(|it| !is_asking(it));
            let after = words[at + 1..].iter().filter(|it| !matches!(**it, "one" | "ones"));
            let rest: Vec<&str> = before.chain(after).copied().collect();
            joined(&[&measure(words[at], ""), &rest.join(" "), it.trim()])
        }
        None => format!("{head} {}?", it.trim()),
    };
    (is_thing(one) && is_thing(other)).then(|| [of(one), of(other)])
}

/// `is the mill older than the bridge` asks of the mill and of the bridge how old they are.
fn than(first: &str, second: &str) -> Option<[String; 2]> {
    let words: Vec<&str> = first.split_whitespace().collect();
    let begins = words.iter().take_while(|it| ASKING.contains(&&*it.to_lowercase())).count();
    let has_verb = words[..begins].iter().any(|it| HELPING.contains(&&*it.to_lowercase()));
    let words = words.get(begins..).filter(|it| begins > 0 && !it.is_empty())?;
    let at = comparative(words).unwrap_or(words.len());
    let (one, how) = words.split_at(at);
    let rest = how.get(1..).unwrap_or_default();
    let counted = rest.first().copied().unwrap_or_default();
    let measure = how.first().map_or_else(String::new, |it| measure(it, counted));
    let verb = one.last().copied().filter(|_| has_verb && one.len() > 1).unwrap_or_default();
    let subject = &one[..one.len() - usize::from(!verb.is_empty())];
    // What `one` in `a half one` stands for: the last word before it that is more than a number.
    let is_counted = PREPOSITIONS.iter().any(|it| rest.contains(it)) || subject.is_empty();
    let named = if is_counted { rest } else { subject };
    let is_word = |it: &&&str| it.contains(char::is_alphabetic);
    let head = named.iter().rfind(is_word).copied().unwrap_or_default();
    let second = completed(second, subject, head);
    let (one, rest) = (one.join(" "), rest.join(" "));
    let of = |it: &str, verb: &str| joined(&[&measure, it, verb, &rest]);
    (is_thing(&one) && is_thing(&second)).then(|| [of(&one, ""), of(&second, verb)])
}

/// The second of two things with the words that it has in common with the first and leaves out: `than
/// for oats` behind `the price for rye` is the price for oats, and `the red one` behind `the blue mill`
/// the red mill.
fn completed(second: &str, subject: &[&str], head: &str) -> String {
    let mut words: Vec<&str> = second.split_whitespace().collect();
    for it in &mut words {
        if matches!(*it, "one" | "ones" | "that" | "those") && !head.is_empty() {
            *it = head;
        }
    }
    let names = |it: &&&str| {
        let it = it.to_lowercase();
        let is_article = matches!(&*it, "the" | "a" | "an" | "no." | "number");
        !is_article && numeral(&it).is_none() && !it.contains(|it: char| it.is_ascii_digit())
    };
    if words.iter().find(names).is_none() {
        words.push(head);
    }
    let shared = words
        .first()
        .filter(|it| PREPOSITIONS.contains(it))
        .and_then(|first| subject.iter().position(|it| it == first));
    let shared = shared.map_or(&subject[..0], |at| &subject[..at]);
    [shared, &words].concat().join(" ")
}

/// `did they sell more rye or more oats` and `is the mill or the bridge older`.
fn either(text: &str) -> Option<[String; 2]> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first().filter(|it| ASKING.contains(&&*it.to_lowercase()))?;
    let or = words.iter().position(|it| *it == "or")?;
    let compared: Vec<usize> = (0..words.len()).filter(|it| is_comparative(words[*it])).collect();
    let (one, other, how, rest) = match compared[..] {
        [at, again] if at < or && again == or + 1 => {
            let end = words[again + 1..].iter().position(|it| PREPOSITIONS.contains(it));
            let end = end.map_or(words.len(), |it| again + 1 + it);
            let rest = [&words[1..at], &words[end..]].concat();
            (words[at + 1..or].join(" "), words[again + 1..end].join(" "), words[at], rest)
        }
        [at] if at > or + 1 && !HELPING.contains(&&*first.to_lowercase()) => {
            let end = if words[at - 1] == "the" { at - 1 } else { at };
            let rest = words[at + 1..].to_vec();
            (words[1..or].join(" "), words[or + 1..end].join(" "), words[at], rest)
        }
        _ => return None,
    };
    let rest = rest.join(" ");
    let of = |it: &str| joined(&[&measure(how, it), it, &rest]);
    (is_thing(&one) && is_thing(&other)).then(|| [of(&one), of(&other)])
}

/// The parts of a question that are not empty.
fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|it| !it.is_empty()).collect();
    format!("{}?", parts.join(" "))
}

/// The question for what a comparative compares: `how old` for `older`, `how many` for `more mills`.
fn measure(comparative: &str, counted: &str) -> String {
    const MEASURES: &[(&str, &str)] = &[
        ("older", "how old"),
        ("younger", "how old"),
        ("longer", "how long"),
        ("shorter", "how long"),
        ("wider", "how wide"),
        ("taller", "how tall"),
        ("heavier", "how heavy"),
        ("lighter", "how heavy"),
        ("faster", "how fast"),
        ("slower", "how fast"),
        ("farther", "how far"),
        ("further", "how far"),
        ("earlier", "when"),
        ("later", "when"),
        ("sooner", "when"),
        ("cheaper", "what does it cost"),
        ("dearer", "what does it cost"),
    ];
    let lower = comparative.to_lowercase();
    let known = MEASURES.iter().find(|it| it.0 == lower);
    let is_counted = counted.len() > 3 && counted.ends_with('s') && !counted.ends_with("ss");
    let amount = if is_counted { "how many" } else { "how much" };
    known.map_or(amount, |it| it.1).to_owned()
}

/// Where the comparative stands: `miller` is none in `does a miller earn more`.
fn comparative(words: &[&str]) -> Option<usize> {
    let plain = words.iter().position(|it| matches!(*it, "more" | "less"));
    plain.or_else(|| words.iter().rposition(|it| is_comparative(it)))
}

fn is_asking(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(&*lower, "which" | "who" | "what" | "the") || ASKING.contains(&&*lower)
}

fn is_comparative(word: &str) -> bool {
    const OTHERS: &[&str] = &[
        "under",
        "over",
        "after",
        "other",
        "water",
        "paper",
        "power",
        "letter",
        "number",
        "summer",
        "winter",
        "river",
        "order",
        "dinner",
        "owner",
        "member",
        "computer",
        "october",
        "september",
        "november",
        "december",
        "either",
        "never",
        "ever",
        "whether",
        "together",
        "another",
        "rather",
        "father",
        "mother",
        "brother",
        "sister",
        "daughter",
        "customer",
        "matter",
        "offer",
        "corner",
        "center",
        "quarter",
        "shower",
        "flower",
        "tower",
        "enter",
        "answer",
        "cover",
        "user",
        "paper",
    ];
    let is_agent = || word.ends_with("ker") || word.ends_with("cher") || word.ends_with("ster");
    let lower = word.to_lowercase();
    matches!(&*lower, "more" | "less" | "better" | "worse" | "older" | "newer" | "faster")
        || word.len() > 4 && lower.ends_with("er") && !OTHERS.contains(&&*lower) && !is_agent()
}

fn is_thing(it: &str) -> bool {
    let words = it.split_whitespace().count();
    (1..=8).contains(&words) && it.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_has_two_halves() {
        for (question, one, other) in [
            ("Which is older, the mill or the bridge?", "how old the mill?", "how old the bridge?"),
            (
                "What is the difference between a mill and a bridge?",
                "what is a mill?",
                "what is a bridge?",
            ),
            ("Is the mill older than the bridge?", "how old the mill?", "how old the bridge?"),
            (
                "Is rye more expensive than oats?",
                "how much rye expensive?",
                "how much oats expensive?",
            ),
            ("How does rye compare with oats?", "rye?", "oats?"),
            (
                "Does a miller earn more than a smith?",
                "how much a miller earn?",
                "how much a smith earn?",
            ),
            (
                "Is the price for rye lower than for oats?",
                "how much the price for rye?",
                "how much the price for oats?",
            ),
            (
                "Is the blue mill wider than the red one?",
                "how wide the blue mill?",
                "how wide the red mill?",
            ),
            ("Was mill 2 older than no. 1?", "how old mill 2?", "how old no. 1 mill?"),
            (
                "Did they sell more rye or more oats in May?",
                "how much rye they sell in May?",
                "how many oats they sell in May?",
            ),
            ("Is the mill or the bridge older?", "how old the mill?", "how old the bridge?"),
        ] {
            assert_eq!(halves(question), Some([one.to_owned(), other.to_owned()]), "{question}");
        }
        for question in [
            "Is it a mill or a bridge?",
            "What lies between Bonn and Kiel?",
            "Who has more than six mills?",
            "",
            "or",
            ", or ?",
            "than",
        ] {
            assert_eq!(halves(question), None, "{question}");
        }
    }
}
