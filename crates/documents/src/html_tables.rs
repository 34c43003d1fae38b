//! The tables of HTML pages as rows of texts, by the algorithm of the WHATWG standard for forming a
//! table: a cell over several rows or columns is in each of them.

use svc_contract::value::units::show_size;

use super::{
    Unreadable, article,
    html::{Page, Step, one_line, tree, walk},
    tree::{Id, Tree},
};

/// The size limit of the tables of a page, in bytes: one cell may stand in millions of places.
pub(super) const LARGEST_ANSWER: usize = 64 << 20;

/// What a cell takes besides its text, in bytes.
const CELL: usize = 64;

/// The maximum number of columns of a cell, by the standard.
const WIDEST: usize = 1_000;

/// A table of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlTable {
    /// Its caption, or the only cell of the first row of its header.
    pub name: Option<String>,
    /// The texts above its columns; `None` for a table whose columns have no names.
    pub header: Option<Vec<String>>,
    /// Each has as many cells as the header.
    pub rows: Vec<Vec<String>>,
}

/// Reads the tables of a page in their order, without those that have no content. A table in a cell
/// is a table of its own, and not part of the text of the cell.
pub fn html_tables(
    page: &str,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<HtmlTable>, Unreadable> {
    let html = tree(page, is_stopped)?;
    let mut left = LARGEST_ANSWER;
    let mut found = Vec::new();
    for id in html.ids().filter(|it| html.name(*it) == Some("table")) {
        let (caption, rows) = read(&html, id);
        found.extend(table(caption, grid(rows, &mut left)?));
    }
    Ok(found)
}

/// A row as the page has it.
#[derive(Default)]
pub(super) struct Row {
    /// The `thead`, `tbody` or `tfoot` around it.
    pub(super) group: Option<Id>,
    pub(super) is_head: bool,
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    text: String,
    is_header: bool,
    columns: usize,
    /// 0 for all to the end of its group.
    rows: usize,
}

/// Reads the caption and the rows of a table, without those of tables in it.
fn read(html: &Tree, table: Id) -> (String, Vec<Row>) {
    let (mut caption, mut rows) = (String::new(), Vec::<Row>::new());
    // What the text belongs to: a cell or the caption.
    let mut open: Option<(Id, Page)> = None;
    walk(html, table, |step| match step {
        Step::In(id, seen) => {
            if let Some((_, page)) = &mut open {
                let is_inner = html.name(id) == Some("table");
                return !is_inner && !article::is_hidden(html, id) && page.enter(&seen);
            }
            match html.name(id) {
                _ if id == table => true,
                Some("table") => false,
                Some("tr") => {
                    let group = html.parent(id).filter(|it| *it != table);
                    let is_head = group.and_then(|it| html.name(it)) == Some("thead");
                    rows.push(Row { group, is_head, cells: Vec::new() });
                    !article::is_hidden(html, id)
                }
                Some("td" | "th" | "caption") => {
                    open = Some((id, Page::default()));
                    !article::is_hidden(html, id)
                }
                _ => true,
            }
        }
        Step::Out(id, seen) => {
            match &mut open {
                Some((own, page)) if *own == id => {
                    let text = one_line(&page.text);
                    open = None;
                    match (html.name(id), rows.last_mut()) {
                        (Some("caption"), _) => caption = text,
                        (_, Some(row)) => row.cells.push(cell(html, id, text)),
                        _ => {}
                    }
                }
                Some((_, page)) => page.leave(&seen),
                None => {}
            }
            true
        }
    });
    (caption, rows)
}

pub(super) fn cell(html: &Tree, id: Id, text: String) -> Cell {
    let span = |name| {
        let said = html.attribute(id, name)?.trim();
        said.parse::<usize>().ok()
    };
    Cell {
        text,
        is_header: html.name(id) == Some("th"),
        columns: span("colspan").filter(|it| *it > 0).unwrap_or(1).min(WIDEST),
        rows: span("rowspan").unwrap_or(1),
    }
}

/// A place of the grid.
#[derive(Clone, Default)]
struct Place {
    text: String,
    is_header: bool,
    /// Whether a cell begins here, and does not continue from the left.
    is_first: bool,
}

/// A row of the grid.
pub(super) struct Line {
    is_head: bool,
    places: Vec<Place>,
}

impl Line {
    fn is_empty(&self) -> bool {
        self.places.iter().all(|it| it.text.is_empty())
    }

    fn is_header(&self) -> bool {
        let mut said = self.places.iter().filter(|it| !it.text.is_empty()).peekable();
        said.peek().is_some() && said.all(|it| it.is_header)
    }

    /// Whether one cell stands in all columns, of which there are several.
    fn is_title(&self) -> bool {
        let cells = self.places.iter().filter(|it| it.is_first).count();
        cells == 1 && self.places.len() > 1 && self.places[0].is_first
    }
}

/// Puts cells into the columns and rows in which they are.
pub(super) fn grid(rows: Vec<Row>, left: &mut usize) -> Result<Vec<Line>, Unreadable> {
    let mut lines: Vec<Line> = Vec::new();
    // For each column, the place that continues from above, and for how many rows.
    let mut above: Vec<(Place, usize)> = Vec::new();
    let mut group = None;
    for row in rows {
        if row.group != group {
            above.clear();
            group = row.group;
        }
        let line = Line { is_head: row.is_head, places: line(row.cells, &mut above, left)? };
        if !line.is_empty() {
            lines.push(line);
        }
    }
    Ok(lines)
}

fn line(
    cells: Vec<Cell>,
    above: &mut Vec<(Place, usize)>,
    left: &mut usize,
) -> Result<Vec<Place>, Unreadable> {
    let mut places = Vec::new();
    let mut cells = cells.into_iter();
    loop {
        let column = places.len();
        if let Some((place, rows)) = above.get_mut(column).filter(|it| it.1 > 0) {
            *rows -= 1;
            spend(left, 1, &place.text)?;
            places.push(place.clone());
            continue;
        }
        let Some(cell) = cells.next() else {
            // Cells from above may follow a gap.
            if above.iter().skip(column).all(|it| it.1 == 0) {
                return Ok(places);
            }
            places.push(Place::default());
            spend(left, 1, "")?;
            continue;
        };
        spend(left, cell.columns, &cell.text)?;
        let more = if cell.rows == 0 { usize::MAX } else { cell.rows - 1 };
        for idx in 0..cell.columns {
            // A cell that is too wide for the gap ends where another one continues from above.
            if idx > 0 && above.get(column + idx).is_some_and(|it| it.1 > 0) {
                break;
            }
            let text = cell.text.clone();
            let place = Place { text, is_header: cell.is_header, is_first: idx == 0 };
            if above.len() <= column + idx {
                above.resize(column + idx + 1, (Place::default(), 0));
            }
            above[column + idx] = (place.clone(), more);
            places.push(place);
        }
    }
}

/// Takes the room for `count` places with a text.
fn spend(left: &mut usize, count: usize, text: &str) -> Result<(), Unreadable> {
    *left = left.checked_sub(count * (CELL + text.len())).ok_or_else(|| {
        let limit = show_size(LARGEST_ANSWER as u64);
        Unreadable::Damaged(format!("its tables are together larger than {limit}"))
    })?;
    Ok(())
}

pub(super) fn table(caption: String, mut lines: Vec<Line>) -> Option<HtmlTable> {
    square(&mut lines);
    let has_header = lines.iter().flat_map(|it| &it.places).any(|it| it.is_header);
    let has_head = lines.iter().any(|it| it.is_head);
    let count = match lines.len() {
        0 => return None,
        1 => 0,
        _ if has_head => lines.iter().take_while(|it| it.is_head).count(),
        _ if has_header => lines.iter().take_while(|it| it.is_header()).count(),
        _ => 1,
    };
    let count = count.min(lines.len() - 1);
    let rows = lines.split_off(count);
    let mut name = Some(caption).filter(|it| !it.is_empty());
    while lines.len() > 1 && lines[0].is_title() {
        let title = lines.remove(0).places.swap_remove(0).text;
        name.get_or_insert(title);
    }
    let texts = |it: Line| it.places.into_iter().map(|it| it.text).collect();
    Some(HtmlTable {
        name,
        header: (!lines.is_empty()).then(|| header(&lines)),
        rows: rows.into_iter().map(texts).collect(),
    })
}

/// Gives all lines the same number of places, without columns in which no cell begins: `colspan="100"`
/// often means all columns.
fn square(lines: &mut [Line]) {
    let width = lines.iter().map(|it| it.places.len()).max().unwrap_or_default();
    let mut is_column = vec![false; width];
    for line in lines.iter() {
        for (idx, place) in line.places.iter().enumerate() {
            is_column[idx] |= place.is_first;
        }
    }
    for line in lines {
        line.places.resize(width, Place::default());
        let mut kept = is_column.iter();
        line.places.retain(|_| kept.next().is_some_and(|it| *it));
    }
}

/// The texts above each column, without repetitions.
fn header(lines: &[Line]) -> Vec<String> {
    let width = lines.first().map_or(0, |it| it.places.len());
    let name = |column: usize| {
        let mut parts: Vec<&str> = Vec::new();
        for line in lines {
            let text = line.places[column].text.as_str();
            if !text.is_empty() && parts.last() != Some(&text) {
                parts.push(text);
            }
        }
        parts.join(" ")
    };
    (0..width).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str) -> Vec<HtmlTable> {
        html_tables(page, &|| false).unwrap()
    }

    fn one(page: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let mut found = of(page);
        assert_eq!(found.len(), 1, "{found:?}");
        let table = found.remove(0);
        (table.header.unwrap_or_default(), table.rows)
    }

    #[test]
    fn cells_over_rows_and_columns_are_in_each() {
        let page = "<table><caption>Sales <b>here</b></caption>\
            <tr><th rowspan=2>Town<th colspan=2>2020<tr><th>Q1<th>Q2\
            <tr><td rowspan=2>Ulm<td>1<td>2<tr><td colspan=2>none</table>";
        let (header, rows) = one(page);
        assert_eq!(header, ["Town", "2020 Q1", "2020 Q2"]);
        assert_eq!(rows, [["Ulm", "1", "2"], ["Ulm", "none", "none"]]);
        assert_eq!(of(page)[0].name.as_deref(), Some("Sales here"));
    }

    #[test]
    fn headers_are_found_or_missing() {
        let (header, rows) = one("<table><tr><td><th>A<tr><th>x<td>1</table>");
        assert_eq!(
            (header, rows),
            (vec![String::new(), "A".into()], vec![vec!["x".into(), "1".into()]])
        );
        // Names of rows are not names of columns.
        let (header, rows) = one("<table><tr><th>Born<td>1815<tr><th>Died<td>1852</table>");
        assert_eq!((header.len(), rows.len()), (0, 2));
        let (header, rows) = one("<table><tr><td>a<td>b<tr><td>1<td>2</table>");
        assert_eq!((header, rows.len()), (vec!["a".into(), "b".into()], 1));
        let titled =
            "<table><thead><tr><th colspan=9>Title<tr><th>a<th>b<tbody><tr><td>1<td>2</table>";
        assert_eq!(one(titled).0, ["a", "b"]);
        assert_eq!(of(titled)[0].name.as_deref(), Some("Title"));
        assert_eq!(one("<table><tr><td>alone</table>").1, [["alone"]]);
    }

    #[test]
    fn tables_in_cells_are_their_own() {
        let found = of("<table><tr><td>out<table><tr><td>in</table>er<td>b</table>");
        let rows: Vec<_> = found.into_iter().map(|it| it.rows).collect();
        assert_eq!(rows, [vec![vec!["out er".to_owned(), "b".into()]], vec![vec!["in".into()]]]);
        assert_eq!(of("<table><tr><td> <tr></table><table></table><p>x"), []);
    }

    #[test]
    fn hidden_parts_and_ragged_rows() {
        let (_, rows) =
            one("<table><tr><th>a<th>b<tr><td>1<span style='display: none'>sort</span>\
             <tr hidden><td>no<tr><td>1<td>2<td>3<tr><td rowspan=0>z<td>y<tr><td>x</table>");
        assert_eq!(rows, [["1", "", ""], ["1", "2", "3"], ["z", "y", ""], ["z", "x", ""]]);
        let (_, rows) = one("<table><tr><td>a<td rowspan=2>b<tr><td colspan=5>c<td>d</table>");
        assert_eq!(rows, [["c", "b", "d"]]);
    }

    #[test]
    fn few_bytes_cannot_make_many_cells() {
        let wide = "<td colspan=1000 rowspan=0>x".repeat(900);
        let page = format!("<table><tr>{wide}{}</table>", "<tr><td>y".repeat(1_000));
        let why = html_tables(&page, &|| false).unwrap_err().to_string();
        assert!(why.contains("its tables are together larger than 64MiB"), "{why}");
        let long = format!("<table><tr><td colspan=900>{}</table>", "x".repeat(100_000));
        assert!(html_tables(&long, &|| false).is_err());
        let odd = "<table><tr><td colspan=-1 rowspan=99999999999999999999>x<td colspan=0>y</table>";
        assert_eq!(one(odd).1, [["x", "y"]]);
    }
}
