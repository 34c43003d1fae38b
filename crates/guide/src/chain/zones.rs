//! The time zones that a goal names by their cities.

use std::{collections::HashMap, sync::LazyLock};

use svc_contract::value::times::zone_names;

use crate::tables::words::Token;

/// The names of cities have at most so many words.
const LONGEST: usize = 3;

/// The zone of each city of the time zone database, by its name in lower case.
static ZONES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let of_city = zone_names().into_iter().filter(|it| it.contains('/') && !it.starts_with("Etc/"));
    let mut all: HashMap<String, String> =
        of_city.map(|it| (it.rsplit('/').next().map(plain).unwrap_or_default(), it)).collect();
    all.insert("utc".to_owned(), "UTC".to_owned());
    all.insert("gmt".to_owned(), "UTC".to_owned());
    all
});

/// The zone whose city the first tokens name, and their number.
pub(super) fn at(tokens: &[Token]) -> Option<(String, usize)> {
    let is_name = |it: &&Token| it.text.starts_with(char::is_uppercase);
    let most = tokens.iter().take(LONGEST).take_while(is_name).count();
    (1..=most).rev().find_map(|len| {
        let name = tokens[..len].iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
        Some((ZONES.get(&plain(&name))?.clone(), len))
    })
}

fn plain(name: &str) -> String {
    name.replace(['_', '-'], " ").to_lowercase()
}
