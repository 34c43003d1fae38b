//! "Did you mean": the known name nearest to an unknown one.

/// The candidate nearest to `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(name, candidates).map(|it| it.name)
}

/// A known name that is near to an unknown one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<'a> {
    pub name: &'a str,
    /// Whether it is a slip of the finger that can have meant nothing else: in a name of four
    /// letters or more one is wrong, missing or too many, or two are swapped; in one of eight
    /// or more two may be. And no other name is as near.
    pub is_sure: bool,
}

/// The nearest candidate, and whether it is the only one that can be meant.
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    let letters = name.chars().count();
    // A third of the letters may be wrong: `ask` is not `abs`, `summery` is `summary`.
    let most = (letters / 3).clamp(1, 3);
    // Each letter more or less is a wrong one, so most candidates need not be compared.
    let is_as_long = |it: &&str| {
        it.len().abs_diff(name.len()) <= 4 * most && it.chars().count().abs_diff(letters) <= most
    };
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|it| *it != name)
        .filter(is_as_long)
        .map(|it| (strsim::damerau_levenshtein(name, it), it))
        .filter(|(distance, it)| *distance <= most && *distance < it.chars().count())
        .collect();
    found.sort_unstable();
    found.dedup();
    let (distance, name) = *found.first()?;
    let slips = if letters < 8 { 1 } else { 2 };
    let is_alone = found.get(1).is_none_or(|(next, _)| *next > distance);
    Some(Near { name, is_sure: letters >= 4 && distance <= slips && is_alone })
}

#[cfg(test)]
mod tests {
    use super::{near, nearest};

    #[test]
    fn near_names_are_found() {
        let names = ["search", "summary", "sum"];
        assert_eq!(nearest("serch", names), Some("search"));
        assert_eq!(nearest("summery", names), Some("summary"));
        assert_eq!(nearest("translate", names), None);
        assert_eq!(nearest("x", names), None);
    }

    #[test]
    fn a_name_is_sure_where_no_other_is_as_near() {
        let is_sure =
            |name, names: &[&'static str]| near(name, names.iter().copied()).unwrap().is_sure;
        assert!(is_sure("serch", &["search", "summary"]));
        assert!(is_sure("sumamry", &["search", "summary"]));
        assert!(is_sure("rag_retreival", &["rag_retrieval", "rag"]));
        assert!(!is_sure("sam", &["sum"]), "three letters say little");
        assert!(!is_sure("mask", &["task", "ask"]), "two are as near");
        assert!(!is_sure("tittel", &["title"]), "more than a slip");
    }
}
