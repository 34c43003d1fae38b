//! The bounds that a goal about a file states with its question: `.., in at most 5 seconds`.

use crate::{
    chain::{Kind, amount, edition, of_unit},
    tables::words::number,
};

/// The phrases that begin a bound and can mean nothing else behind a file.
const BEGINNINGS: [&str; 20] = [
    "within",
    "in at most",
    "in less than",
    "in under",
    "in no more than",
    "for at most",
    "for less than",
    "for under",
    "for no more than",
    "with at most",
    "with a budget of",
    "with a timeout of",
    "spending at most",
    "spending less than",
    "spending no more than",
    "without spending more than",
    "costing at most",
    "costing less than",
    "at a cost of at most",
    "taking at most",
];

/// A goal without its bounds, and these as a script writes them.
pub(crate) struct Bounded {
    pub(crate) goal: String,
    pub(crate) bounds: Vec<(&'static str, String)>,
}

impl Bounded {
    /// A script within the bounds.
    pub(crate) fn around(&self, script: &str) -> String {
        format!("{}{script}", edition(&self.bounds))
    }
}

/// Takes the bounds behind one of the files, or behind a comma, out of a goal. Elsewhere, `within 2 hours`
/// may be about the rows.
pub(crate) fn taken(goal: &str, is_file: &dyn Fn(&str) -> bool) -> Bounded {
    let words: Vec<&str> = goal.split_whitespace().collect();
    let file = words.iter().rposition(|it| is_file(plain(it))).unwrap_or(words.len());
    let begins = |at: usize| at > file && (at == file + 1 || words[at - 1].ends_with(','));
    let found = (1..words.len()).filter(|at| begins(*at)).find_map(|at| {
        let (mut end, mut bounds) = (at, Vec::new());
        while let Some((len, bound)) = bound(&words[end..]) {
            bounds.push(bound);
            end += len;
        }
        (end == words.len() && !bounds.is_empty()).then_some((at, bounds))
    });
    match found {
        Some((at, bounds)) => {
            // What stands in quotes may have several spaces.
            let mut end = 0;
            for word in &words[..at] {
                end += goal[end..].find(word).unwrap_or_default() + word.len();
            }
            Bounded { goal: goal[..end].trim_end_matches(',').to_owned(), bounds }
        }
        None => Bounded { goal: goal.to_owned(), bounds: Vec::new() },
    }
}

/// The bound that some words begin with, and its length.
fn bound(words: &[&str]) -> Option<(usize, (&'static str, String))> {
    let lower: Vec<String> = words.iter().map(|it| plain(it).to_lowercase()).collect();
    let skipped = usize::from(lower.first().is_some_and(|it| it == "and" || it == "but"));
    let lower = &lower[skipped..];
    let len = BEGINNINGS.iter().find_map(|it| {
        let own: Vec<&str> = it.split(' ').collect();
        let is_it = lower.len() > own.len() && lower.iter().zip(&own).all(|(a, b)| a == b);
        is_it.then_some(own.len())
    })?;
    let (first, next) = (lower.get(len)?, lower.get(len + 1).map_or("", String::as_str));
    let (kind, text, used) = match amount(first) {
        Some((kind, text)) => (kind, text, 1),
        None => {
            let count = if matches!(first.as_str(), "a" | "an") { 1.0 } else { number(first)? };
            let (kind, text) = of_unit(count, next)?;
            (kind, text, 2)
        }
    };
    let key = match kind {
        Kind::Money => "max_cost",
        Kind::Duration => "timeout",
        _ => return None,
    };
    Some((skipped + len + used, (key, text)))
}

fn plain(word: &str) -> &str {
    word.trim_matches(|it: char| ",;:!?\"'()".contains(it)).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(goal: &str) -> (String, String) {
        let Bounded { goal, bounds } = taken(goal, &|it| it == "a.csv");
        let all: Vec<String> = bounds.iter().map(|(key, it)| format!("{key}: {it}")).collect();
        (goal, all.join(", "))
    }

    #[test]
    fn what_stands_behind_the_file_is_a_bound() {
        for (goal, rest, bounds) in [
            (
                "count the rows of a.csv within 10 seconds",
                "count the rows of a.csv",
                "timeout: 10s",
            ),
            (
                "the sum of x in a.csv, for at most $0.20.",
                "the sum of x in a.csv",
                "max_cost: $0.20",
            ),
            (
                "how many of a.csv are in X, in at most 3 seconds",
                "how many of a.csv are in X",
                "timeout: 3s",
            ),
            (
                "x of a.csv without spending more than 5 cents and within a minute",
                "x of a.csv",
                "max_cost: $0.05, timeout: 1m",
            ),
        ] {
            assert_eq!(read(goal), (rest.to_owned(), bounds.to_owned()), "{goal}");
        }
    }

    #[test]
    fn what_may_be_about_the_rows_stays() {
        for goal in [
            "tickets resolved within 2 hours in a.csv",
            "rows of a.csv within 2 metres",
            "rows of a.csv within 2 hours that are open",
            "rows of a.csv",
        ] {
            assert_eq!(read(goal), (goal.to_owned(), String::new()), "{goal}");
        }
    }
}
