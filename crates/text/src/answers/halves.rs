//! Questions that compare two things.

/// The two questions of which one that compares consists: `which is older, the mill or the bridge?`,
/// `what is the difference between a mill and a bridge?`.
pub(super) fn halves(question: &str) -> Option<[String; 2]> {
    let text = question.trim_end_matches(['?', ' ', '.']);
    let (head, pair, joint) = match text.rsplit_once([',', ':']) {
        Some((head, pair)) if pair.contains(" or ") => (head, pair, " or "),
        _ => {
            let (asked, pair) = text.split_once(" between ")?;
            let lower = asked.to_lowercase();
            let compares = ["differ", "compar"].iter().any(|it| lower.contains(it));
            if !compares {
                return None;
            }
            // `what is the difference` is in none of the two.
            ("what is", pair, " and ")
        }
    };
    let (one, other) = pair.split_once(joint)?;
    let is_thing = |it: &str| {
        let words = it.split_whitespace().count();
        (1..=8).contains(&words) && it.contains(char::is_alphabetic)
    };
    let of = |it: &str| format!("{head} {}?", it.trim());
    (is_thing(one) && is_thing(other)).then(|| [of(one), of(other)])
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
        ] {
            assert_eq!(halves(question), Some([one.to_owned(), other.to_owned()]));
        }
        for question in
            ["Is it a mill or a bridge?", "What lies between Bonn and Kiel?", "", "or", ", or ?"]
        {
            assert_eq!(halves(question), None, "{question}");
        }
    }
}
