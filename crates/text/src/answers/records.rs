//! Tables whose cells a sign separates, such as CSV (RFC 4180), as sentences.

/// The signs that separate cells.
const SIGNS: [char; 3] = [',', ';', '\t'];

/// The sign that separates the cells of a text, if it is a table: nearly all of its lines have as many
/// cells as the first one, which names the columns.
pub(super) fn separator(text: &str) -> Option<char> {
    let lines: Vec<&str> = text.lines().filter(|it| !it.trim().is_empty()).collect();
    if lines.len() < 2 {
        return None;
    }
    SIGNS.into_iter().find(|sign| {
        let head = cells(lines[0], *sign);
        let is_name =
            |it: &String| !it.is_empty() && it.len() < 60 && !it.ends_with(['?', '!', ':']);
        // A name may be shortened, as in `Order no.`, but a line of prose ends with a full stop.
        let ends = head.last().is_some_and(|it| it.ends_with('.'));
        let is_head = head.len() > 1 && head.iter().all(is_name) && !ends;
        let same = lines.iter().filter(|it| cells(it, *sign).len() == head.len()).count();
        is_head && same * 10 >= lines.len() * 9
    })
}

/// The cells of a line. A quoted cell may contain the sign.
pub(super) fn cells(line: &str, sign: char) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for it in line.trim_end().chars() {
        match it {
            '"' => is_quoted = !is_quoted,
            it if it == sign && !is_quoted => cells.push(std::mem::take(&mut cell)),
            it => cell.push(it),
        }
    }
    cells.push(cell);
    cells.into_iter().map(|it| it.trim().to_owned()).collect()
}

/// A row as a sentence: `name: Ann, start date: 2019`.
pub(super) fn sentence(head: &[String], cells: &[String]) -> String {
    let named = head.iter().zip(cells).filter(|it| !it.1.is_empty());
    let named = named.map(|(name, it)| format!("{}: {it}", name.replace('_', " ")));
    named.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_not_prose() {
        assert_eq!(separator("name,start_date\nAnn,2019\nBo,2020\n"), Some(','));
        assert_eq!(separator("a;b\n\"x;y\";1\n"), Some(';'));
        assert_eq!(separator("Order no.,Date\n1,2020\n"), Some(','));
        for prose in ["", "a,b", "Dear Ann, hello.\nWe met, too.\n", "One line\nand another\n"] {
            assert_eq!(separator(prose), None, "{prose}");
        }
    }

    #[test]
    fn rows_say_what_their_cells_are() {
        let head = cells("name,start_date,note", ',');
        let row = cells("\"Lee, Ann\",2019-01-02,", ',');
        assert_eq!(sentence(&head, &row), "name: Lee, Ann, start date: 2019-01-02");
    }
}
