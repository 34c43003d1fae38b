//! Parts of sheets as spreadsheets write them: `B2:D20`, `A:C`, `3:40`; and `A3:`, which has no end.

use svc_contract::registry::OpError;
use svc_documents::Area;

/// The numbers of columns and rows that a workbook can have.
const MOST_COLUMNS: u32 = 16_384;
const MOST_ROWS: u32 = 1_048_576;

/// The part of a sheet that a text means.
pub(super) fn area(text: &str) -> Result<Area, OpError> {
    read(text).ok_or_else(|| {
        OpError::invalid_input(format!("invalid range `{text}`")).help(
            "write it as `B2:D20`, `A3:` without an end, `A:C` for columns, or `3:40` for rows",
        )
    })
}

fn read(text: &str) -> Option<Area> {
    let text = text.trim().replace('$', "");
    let (start, end) = text.split_once(':').unwrap_or((&text, &text));
    let start = corner(start)?;
    let end = match end {
        "" => (start.0.map(|_| MOST_COLUMNS), start.1.map(|_| MOST_ROWS)),
        end => corner(end)?,
    };
    let columns = between(start.0, end.0, MOST_COLUMNS).ok()?;
    let rows = between(start.1, end.1, MOST_ROWS).ok()?.unwrap_or((0, MOST_ROWS - 1));
    Some(Area { rows, columns })
}

/// The column and the row of a corner, from 1; one of them may be missing.
fn corner(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let digits = text.find(|it: char| it.is_ascii_digit()).unwrap_or(text.len());
    let (letters, digits) = text.split_at(digits);
    let column = if letters.is_empty() { None } else { Some(column(letters)?) };
    let row = if digits.is_empty() { None } else { Some(digits.parse().ok()?) };
    (column.is_some() || row.is_some()).then_some((column, row))
}

fn column(letters: &str) -> Option<u32> {
    letters.bytes().try_fold(0_u32, |sum, letter| {
        let digit = letter.to_ascii_uppercase().checked_sub(b'A').filter(|it| *it < 26)?;
        sum.checked_mul(26)?.checked_add(u32::from(digit) + 1)
    })
}

/// The first and last of a range, from 0, if it has any.
fn between(first: Option<u32>, last: Option<u32>, most: u32) -> Result<Option<(u32, u32)>, ()> {
    match (first, last) {
        (None, None) => Ok(None),
        (Some(first), Some(last)) if 1 <= first && first <= last && last <= most => {
            Ok(Some((first - 1, last - 1)))
        }
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters;

    #[test]
    fn ranges_are_read() {
        let of = |text: &str| read(text).map(|it| (it.columns, it.rows));
        assert_eq!(of("B2:D20"), Some((Some((1, 3)), (1, 19))));
        assert_eq!(of("$A$1:$b$3"), Some((Some((0, 1)), (0, 2))));
        assert_eq!(of("C3"), Some((Some((2, 2)), (2, 2))));
        assert_eq!(of(" A:AB "), Some((Some((0, 27)), (0, MOST_ROWS - 1))));
        assert_eq!(of("B3:"), Some((Some((1, MOST_COLUMNS - 1)), (2, MOST_ROWS - 1))));
        assert_eq!(of("3:"), Some((None, (2, MOST_ROWS - 1))));
        assert_eq!(of("3:40"), Some((None, (2, 39))));
        assert_eq!(of("A1:XFD1048576"), Some((Some((0, MOST_COLUMNS - 1)), (0, MOST_ROWS - 1))));
    }

    #[test]
    fn other_texts_are_not_ranges() {
        let all = ["", ":", "A0", "D2:B3", "B9:D2", "A:3", "A1:B", "XFE1", "A1048577", "1A", "ä1"];
        for text in all.into_iter().chain(["Sheet1!A1:B2", "A1:B2:C3", "A-1", "ZZZZZZZZZZZZ1"]) {
            assert_eq!(read(text), None, "{text}");
            assert!(area(text).unwrap_err().help.is_some());
        }
    }

    #[test]
    fn columns_have_letters() {
        for (idx, wanted) in [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")] {
            assert_eq!(letters(idx), wanted);
            assert_eq!(column(wanted), Some(u32::try_from(idx).unwrap() + 1));
        }
        assert_eq!(letters(16_383), "XFD");
    }
}
