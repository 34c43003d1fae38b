//! `svc table`: shows the table in a file.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use clap::Args;
use svc_api::tables::{TableJson, TableView, read};
use svc_contract::value::{List, Value};

use super::{
    Session,
    exit::{OK, Result, answered},
    guide::advised,
    run::{print_list, reader},
    screen,
    show::show,
    terminal,
};

/// Show the table in a file: its columns and its rows.
///
/// Each column has its type, counts, range and shape. Reads what `table.read` reads: CSV, TSV, JSON lines, workbooks of Excel, and Parquet. On a
/// terminal, the rows are shown page by page; elsewhere the first ones are printed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TableArgs {
    /// The file with the table.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The sheet of a workbook; by default the first one.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The number of rows to show; on a terminal, the rows of a page.
    #[arg(long, short = 'n', value_name = "N")]
    rows: Option<usize>,
    /// Print what is in the columns as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc table orders.csv
  svc table stock.xlsx --sheet Prices
  svc table trips.parquet -n 100
  svc table orders.csv --json

The shape of a column has a bar for each part of the range of its numbers; for other values,
one for each of the most frequent ones.";

/// The rows that are printed where no one turns pages.
const ROWS: usize = 20;

/// The lines of a page besides its rows.
const LINES_BESIDES: usize = 4;

impl TableArgs {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let file = self.file.to_string_lossy();
        let found = advised(read(&session.engine, &file, self.sheet.as_deref()).await);
        let TableView { rows, overview } = answered(self.json, found)?;
        if self.json {
            terminal::print_json(&overview)?;
            return Ok(OK);
        }
        print_overview(&file, &overview, session)?;
        let turns = session.terminal.out.is_terminal && io::stdin().is_terminal();
        let page = self.rows.unwrap_or(if turns { rows_of_a_page() } else { ROWS }).max(1);
        if turns { turn(&rows, page, session) } else { print_page(&rows, 0, page, session) }?;
        Ok(OK)
    }
}

fn rows_of_a_page() -> usize {
    screen::size().1.saturating_sub(LINES_BESIDES).max(1)
}

fn print_overview(file: &str, view: &TableJson, session: &Session) -> Result<()> {
    let columns = view.columns();
    let count = columns.as_list().map_or(0, List::len);
    terminal::print(&*format!("{file}: {} rows, {count} columns\n\n", view.rows()))?;
    let reader = reader(session);
    print_list(&show(&columns, reader), reader)?;
    terminal::print("\n")
}

fn print_page(rows: &List, from: usize, page: usize, session: &Session) -> Result<()> {
    let reader = reader(session);
    print_list(&show(&Value::List(rows.part(from, from + page)), reader), reader)
}

/// Shows page after page, as a person asks for them.
fn turn(rows: &List, page: usize, session: &Session) -> Result<()> {
    let mut from = 0;
    loop {
        print_page(rows, from, page, session)?;
        let to = (from + page).min(rows.len());
        if rows.len() <= page {
            return Ok(());
        }
        let last = rows.len();
        session.terminal.note(&format!(
            "rows {} to {to} of {last}; Enter: next page, b: back, a number: that row, q: quit",
            from + 1
        ));
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            return Ok(());
        }
        from = match line.trim() {
            "" if to == last => return Ok(()),
            "" => to,
            "b" => from.saturating_sub(page),
            "q" => return Ok(()),
            other => match other.parse::<usize>() {
                Ok(row) => row.clamp(1, last) - 1,
                Err(_) => from,
            },
        };
    }
}
