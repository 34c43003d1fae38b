//! The parts of German compounds, without a dictionary: a word of a query that consists of two or
//! three words that the index has. So `Verteidigungslinie` also finds `Linie der Verteidigung`.

use std::collections::HashMap;

use svc_text::language::Language;

use super::trouble::Trouble;

/// The fewest letters of a part.
const FEWEST: usize = 4;

/// The maximum number of parts of a word.
const MOST: usize = 3;

/// Whether words of a language are taken apart.
pub(super) fn has_compounds(language: Language) -> bool {
    language.code() == "de"
}

/// Whether a word is long enough to have parts.
pub(super) fn is_long(word: &str) -> bool {
    word.chars().count() >= 2 * FEWEST
}

/// Takes a word in lower case apart. `find` returns the stem of a part if the index has it.
pub(super) fn parts(
    word: &str,
    mut find: impl FnMut(&str) -> Result<Option<String>, Trouble>,
) -> Result<Vec<String>, Trouble> {
    let mut known: HashMap<&str, Option<String>> = HashMap::new();
    let mut look = |part| -> Result<Option<String>, Trouble> {
        if let Some(stem) = known.get(part) {
            return Ok(stem.clone());
        }
        let stem = find(part)?;
        known.insert(part, stem.clone());
        Ok(stem)
    };
    let ends: Vec<usize> = word.char_indices().map(|it| it.0).chain([word.len()]).collect();
    let mut stems = Vec::new();
    split(word, &ends, MOST, &mut look, &mut stems)?;
    stems.reverse();
    Ok(stems)
}

/// Splits what is left of a word, the longest part first, and adds the stems from the end.
/// `ends` are the places between its letters.
fn split<'a>(
    word: &'a str,
    ends: &[usize],
    most: usize,
    look: &mut dyn FnMut(&'a str) -> Result<Option<String>, Trouble>,
    stems: &mut Vec<String>,
) -> Result<bool, Trouble> {
    let (Some(start), Some(end)) = (ends.first(), ends.last()) else { return Ok(false) };
    if most < MOST
        && ends.len() > FEWEST
        && let Some(stem) = look(&word[*start..*end])?
    {
        stems.push(stem);
        return Ok(true);
    }
    if most == 1 || ends.len() <= 2 * FEWEST {
        return Ok(false);
    }
    for at in (FEWEST..ends.len() - FEWEST).rev() {
        if let Some(stem) = look(&word[*start..ends[at]])?
            && split(word, &ends[at..], most - 1, look, stems)?
        {
            stems.push(stem);
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(word: &str) -> String {
        let forms = Language::of_code("de").unwrap().forms();
        let index = ["Bildung", "Minister", "Verwaltung", "Apotheke", "Unternehmen", "Über", "Rat"];
        let index = index.map(|it| forms.stem(&it.to_lowercase()).into_owned());
        let find = |part: &str| {
            let stem = forms.stem(part).into_owned();
            Ok(index.contains(&stem).then_some(stem))
        };
        parts(word, find).unwrap().join(" ")
    }

    #[test]
    fn compounds_have_their_parts() {
        assert_eq!(shown("bildungsminister"), "bildung minist");
        assert_eq!(shown("apothekenverwaltungsunternehmen"), "apothek verwalt unternehm");
        assert_eq!(shown("überverwaltung"), "uber verwalt");
    }

    #[test]
    fn other_words_stay_whole() {
        for word in ["", "rat", "bildung", "bildungsrat", "ministerpräsident", "xxxxbildung"] {
            assert_eq!(shown(word), "", "{word}");
        }
        let mut looked = 0;
        let long = "ab".repeat(32);
        let found = parts(&long, |part| {
            looked += 1;
            Ok((part.len() < 40).then(|| part.to_owned()))
        });
        assert!(!found.unwrap().is_empty() && looked < 2_000, "{looked}");
    }
}
