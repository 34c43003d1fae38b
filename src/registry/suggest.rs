//! "Did you mean": the known name nearest to an unknown one.

/// The candidate nearest to `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may be wrong: `ask` is not `abs`, `summery` is `summary`.
    let length = name.chars().count();
    let most = (length / 3).clamp(1, 3);
    // Each letter more or less is a wrong one, so most candidates need not be compared.
    let is_as_long = |it: &&str| {
        it.len().abs_diff(name.len()) <= 4 * most && it.chars().count().abs_diff(length) <= most
    };
    candidates
        .into_iter()
        .filter(|it| *it != name)
        .filter(is_as_long)
        .map(|it| (strsim::damerau_levenshtein(name, it), it))
        .filter(|(distance, it)| *distance <= most && *distance < it.chars().count())
        .min_by_key(|(distance, it)| (*distance, *it))
        .map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found() {
        let names = ["search", "summary", "sum"];
        assert_eq!(nearest("serch", names), Some("search"));
        assert_eq!(nearest("summery", names), Some("summary"));
        assert_eq!(nearest("translate", names), None);
        assert_eq!(nearest("x", names), None);
    }
}
