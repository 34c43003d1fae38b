//! Words of names: places, titles, and forms of organisations, as in English.

use std::{collections::HashSet, sync::LazyLock};

use super::words::Word;

/// Countries, their capitals, the states of the United States, and large cities.
pub(super) static PLACES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("places.txt").split([';', '\n']).filter(|it| !it.is_empty()).collect()
});

pub(super) const TITLES: [&str; 24] = [
    "Mr",
    "Mrs",
    "Ms",
    "Miss",
    "Mx",
    "Dr",
    "Prof",
    "Professor",
    "Sir",
    "Lady",
    "Lord",
    "Madam",
    "President",
    "Judge",
    "Captain",
    "Capt",
    "Rev",
    "Sgt",
    "Col",
    "Gen",
    "Senator",
    "Herr",
    "Frau",
    "Monsieur",
];

/// Words at the end of the name of an organisation, and words anywhere in one.
pub(super) const FORMS: [&str; 38] = [
    "Inc",
    "Incorporated",
    "Ltd",
    "Limited",
    "LLC",
    "LLP",
    "Corp",
    "Corporation",
    "Company",
    "Co",
    "PLC",
    "plc",
    "GmbH",
    "AG",
    "SE",
    "SA",
    "SAS",
    "Sarl",
    "BV",
    "NV",
    "AB",
    "Oy",
    "ASA",
    "ApS",
    "SpA",
    "Srl",
    "KG",
    "Group",
    "Holdings",
    "Holding",
    "Partners",
    "Associates",
    "Industries",
    "Enterprises",
    "Technologies",
    "Systems",
    "Solutions",
    "Labs",
];
pub(super) const BODIES: [&str; 33] = [
    "University",
    "Universität",
    "College",
    "Institute",
    "Bank",
    "Ministry",
    "Department",
    "Agency",
    "Association",
    "Foundation",
    "Council",
    "Committee",
    "Commission",
    "Hospital",
    "Museum",
    "Orchestra",
    "Society",
    "Union",
    "Federation",
    "Airlines",
    "Airways",
    "Times",
    "Post",
    "Press",
    "Church",
    "School",
    "Library",
    "Party",
    "Parliament",
    "Court",
    "Club",
    "League",
    "Corps",
];

/// Words at the end of the name of a place.
pub(super) const GROUND: [&str; 30] = [
    "Street",
    "Road",
    "Avenue",
    "Lane",
    "Drive",
    "Boulevard",
    "Square",
    "Way",
    "Court",
    "Place",
    "River",
    "Lake",
    "Mountain",
    "Mountains",
    "Valley",
    "Island",
    "Islands",
    "Bay",
    "Beach",
    "County",
    "City",
    "Park",
    "Bridge",
    "Airport",
    "Station",
    "Forest",
    "Desert",
    "Ocean",
    "Sea",
    "Hill",
];

/// Words between the words of a name.
pub(super) const PARTICLES: [&str; 14] =
    ["de", "da", "di", "del", "della", "van", "von", "der", "den", "la", "le", "bin", "ibn", "al"];

/// Capitals that are not names.
pub(super) const OTHERS: [&str; 44] = [
    "I",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "English",
    "German",
    "French",
    "Spanish",
    "Italian",
    "Chinese",
    "Japanese",
    "Russian",
    "American",
    "British",
    "European",
    "Christmas",
    "Easter",
    "Internet",
    "Hi",
    "Hello",
    "Dear",
    "Thanks",
    "Thank",
    "Yes",
    "No",
    "OK",
    "Please",
    "Sincerely",
];

pub(super) static STOP_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = "the a an my your his her its our their this that these those in on at to from for of and but or so if when where what who why how is are was were be been can could do does did will would should may might must have has had not no as by with about into over after before between it he she we they you me him them there here then than also just only very all any some more most other such each every both few many much own same too again once";
    words.split(' ').map(str::to_owned).collect()
});

/// What a word says about the name that it is part of or stands next to.
pub(super) fn class(word: &str) -> Option<&'static str> {
    let classes: [(&[&str], &str); 4] =
        [(&TITLES, "title"), (&FORMS, "form"), (&BODIES, "body"), (&GROUND, "ground")];
    classes.into_iter().find(|(list, _)| list.contains(&word)).map(|it| it.1)
}

/// For each word, whether it is part of the name of a known place.
pub(super) fn in_places(text: &str, words: &[Word]) -> Vec<bool> {
    /// The most words of the name of a place.
    const MOST: usize = 4;
    let mut is_in = vec![false; words.len()];
    for start in (0..words.len()).filter(|idx| words[*idx].is_capital(text)) {
        let last = words.len().min(start + MOST);
        let ends = (start + 1..=last).rev();
        let name = |end: usize| &text[words[start].range.start..words[end - 1].range.end];
        if let Some(end) = ends.into_iter().find(|end| PLACES.contains(name(*end))) {
            is_in[start..end].fill(true);
        }
    }
    is_in
}
