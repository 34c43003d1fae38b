//! Questions that compare two things.

/// Words behind which the second of two compared things stands.
const COMPARING: [&str; 5] =
    [" than ", " compare with ", " compare to ", " compared with ", " compared to "];

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
        return of_pair("what is", pair.split_once(" and ")?)
            .filter(|_| compares && !asked.is_empty());
    }
    let joint = COMPARING.iter().find(|it| text.contains(**it))?;
    let (first, second) = text.split_once(*joint)?;
    than(first, second)
}

fn of_pair(head: &str, (one, other): (&str, &str)) -> Option<[String; 2]> {
    let of = |it: &str| format!("{head} {}?", it.trim());
    (is_thing(one) && is_thing(other)).then(|| [of(one), of(other)])
}

/// `is the mill older than the bridge` asks of the mill and of the bridge how old they are.
fn than(first: &str, second: &str) -> Option<[String; 2]> {
    const ASKING: &[&str] = &[
        "is", "are", "was", "were", "does", "do", "did", "has", "have", "how", "will", "can", "and",
    ];
    let words: Vec<&str> = first.split_whitespace().collect();
    let begins = words.iter().take_while(|it| ASKING.contains(&&*it.to_lowercase())).count();
    let words = words.get(begins..).filter(|it| begins > 0 && !it.is_empty())?;
    let at = words.iter().position(|it| is_comparative(it)).unwrap_or(words.len());
    let (one, how) = words.split_at(at);
    let how: Vec<&str> =
        how.iter().filter(|it| **it != "more" && **it != "less").copied().collect();
    let (one, how) = (one.join(" "), how.join(" "));
    (is_thing(&one) && is_thing(second))
        .then(|| [format!("{one} {how}?"), format!("{second} {how}?")])
}

fn is_comparative(word: &str) -> bool {
    word.len() > 4 && word.ends_with("er") && !matches!(word, "under" | "over" | "after" | "other")
        || matches!(word, "more" | "less" | "better" | "worse" | "older" | "newer")
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
            (
                "Which is older, the mill or the bridge?",
                "Which is older the mill?",
                "Which is older the bridge?",
            ),
            (
                "What is the difference between a mill and a bridge?",
                "what is a mill?",
                "what is a bridge?",
            ),
            ("Is the mill older than the bridge?", "the mill older?", "the bridge older?"),
            ("Is rye more expensive than oats?", "rye expensive?", "oats expensive?"),
            ("How does rye compare with oats?", "rye ?", "oats ?"),
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
