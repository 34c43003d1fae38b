//! "Did you mean": the known name closest to an unknown one.

/// The candidate closest to `name`, if it is close enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(name, candidates).map(|it| it.name)
}

/// A known name close to an unknown one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<'a> {
    pub name: &'a str,
    /// Whether it is a typing error with only one possible meaning: in a name of four letters
    /// or more one letter is wrong, missing or extra, or two are swapped; in a name of eight or
    /// more letters two may be. And no other name is as close.
    pub is_sure: bool,
}

/// The closest candidate, and whether it is the only possible one.
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    let mut nearest = Nearest::<&str>::default();
    nearest.add(name, candidates);
    nearest.meant(name).map(|(name, is_sure)| Near { name, is_sure })
}

/// The two candidates closest to a name among those compared so far.
#[derive(Clone, Debug, Default)]
pub struct Nearest<T>(Vec<(usize, T)>);

impl<'a, T: From<&'a str> + Ord> Nearest<T> {
    /// Compares further candidates.
    pub fn add(&mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) {
        let letters = name.chars().count();
        let most = most_slips(letters);
        // Each letter more or less is a wrong one, so most candidates need not be compared.
        let is_as_long = |it: &&str| {
            it.len().abs_diff(name.len()) <= 4 * most
                && it.chars().count().abs_diff(letters) <= most
        };
        let found = candidates
            .into_iter()
            .filter(|it| *it != name)
            .filter(is_as_long)
            .map(|it| (strsim::damerau_levenshtein(name, it), it))
            .filter(|(distance, it)| *distance <= most && *distance < it.chars().count())
            .filter(|(_, it)| is_plausible(name, it));
        self.0.extend(found.map(|(distance, it)| (distance, T::from(it))));
        self.0.sort_unstable();
        self.0.dedup();
        self.0.truncate(2);
    }
}

impl<T: Ord + Clone> Nearest<T> {
    /// The closest candidates of both.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let mut all: Vec<_> = self.0.iter().chain(&other.0).cloned().collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// The intended name, if a candidate is close enough, and whether it is certain.
    pub fn meant(&self, name: &str) -> Option<(T, bool)> {
        let (distance, found) = self.0.first()?;
        let letters = name.chars().count();
        let slips = if letters < 8 { 1 } else { 2 };
        let is_alone = self.0.get(1).is_none_or(|(next, _)| next > distance);
        let is_sure = letters >= 4 && *distance <= slips && is_alone;
        Some((found.clone(), is_sure))
    }
}

/// Whether a typing error may lead from a known name to another one. Of a short name the first
/// letter is right: `now` is not `pow`. In names of several words each word is near: `parse_date`
/// is not `parse_int`.
fn is_plausible(name: &str, known: &str) -> bool {
    const SHORT: usize = 3;
    let is_short = name.chars().count() <= SHORT;
    if is_short && name.chars().next() != known.chars().next() {
        return false;
    }
    let (given, wanted): (Vec<&str>, Vec<&str>) =
        (name.split('_').collect(), known.split('_').collect());
    let is_near = |(given, wanted): (&&str, &&str)| {
        let letters = given.chars().count().max(wanted.chars().count());
        strsim::damerau_levenshtein(given, wanted) <= most_slips(letters)
    };
    given.len() != wanted.len() || given.iter().zip(&wanted).all(is_near)
}

/// A third of the letters may be wrong: `ask` is not `abs`, `summery` is `summary`.
fn most_slips(letters: usize) -> usize {
    (letters / 3).clamp(1, 3)
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
        assert_eq!(nearest("now", ["pow"]), None);
        assert_eq!(nearest("parse_date", ["parse_int"]), None);
        assert_eq!(nearest("parse_itn", ["parse_int"]), Some("parse_int"));
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
