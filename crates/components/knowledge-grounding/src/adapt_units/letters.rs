//! Large and small letters of units: `mW` and `MW` are not the same.
//!
//! fend takes a unit that it does not know for one in other letters, such as `mw` for a megawatt. That is right only
//! where one unit alone has these letters.

use svc_contract::registry::{Cx, OpError};

use super::fend::evaluated;

/// Longer names, such as `Meter`, have one meaning.
const LONGEST: usize = 4;

/// Short names that mean something else elsewhere.
const UNCLEAR: [(&str, &str); 4] = [
    ("a", "write `A` for ampere, `year`, or `100 m^2` for an are"),
    ("u", "write `dalton`, or `µ` for the prefix"),
    ("mb", "write `Mbit` or `MB`, or `mbar`"),
    ("mB", "write `MB`"),
];

/// Refuses units that have several meanings, as far as their letters go.
pub(super) fn test(text: &str, param: &str, cx: &Cx) -> Result<(), OpError> {
    for word in text.split(|it: char| !it.is_ascii_alphabetic()) {
        if word.is_empty() || word.len() > LONGEST {
            continue;
        }
        if let Some((_, help)) = UNCLEAR.iter().find(|it| it.0 == word) {
            let message = format!("the unit `{word}` in `{param}` has several meanings");
            return Err(OpError::invalid_input(message).help(*help));
        }
        let Some(chosen) = in_other_letters(word, cx) else { continue };
        let mut meanings = meanings(word, cx);
        cx.check()?;
        if !meanings.is_empty() && !meanings.contains(&chosen) {
            meanings.push(chosen);
        }
        if let [.., second, last] = meanings.as_slice() {
            let mut all: Vec<String> = meanings.iter().map(|it| format!("`{it}`")).collect();
            all.truncate(meanings.len() - 2);
            all.push(format!("`{second}` or `{last}`"));
            let message = format!("`{word}` in `{param}` may be {}", all.join(", "));
            return Err(OpError::invalid_input(message)
                .help("large and small letters of units matter: write the one that is meant"));
        }
    }
    Ok(())
}

/// The unit that fend takes a word for, if it has other letters.
fn in_other_letters(word: &str, cx: &Cx) -> Option<String> {
    let shown = evaluated(&format!("1 {word}"), cx).ok()?;
    let unit = shown.trim_start_matches(|it: char| !it.is_alphabetic());
    (unit != word && unit.eq_ignore_ascii_case(word)).then(|| unit.to_owned())
}

/// The units with the letters of a word, large or small. A large first letter is meant: `Mpa` is not a millipascal.
fn meanings(word: &str, cx: &Cx) -> Vec<String> {
    let written = |bits: usize| -> String {
        let letters = word.chars().enumerate();
        letters
            .map(|(at, it)| {
                if bits >> at & 1 == 1 { it.to_ascii_uppercase() } else { it.to_ascii_lowercase() }
            })
            .collect()
    };
    let is_unit = |it: &String| {
        let shown = evaluated(&format!("1 {it}"), cx);
        shown.is_ok_and(|shown| shown.trim_start_matches(|it: char| !it.is_alphabetic()) == it)
    };
    let first = word.chars().next().filter(char::is_ascii_uppercase);
    let is_meant = |it: &String| first.is_none_or(|first| it.starts_with(first));
    (0..1_usize << word.len()).map(written).filter(is_meant).filter(is_unit).collect()
}
