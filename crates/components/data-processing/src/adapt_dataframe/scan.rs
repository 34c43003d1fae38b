//! Groups the rows of a file that may be larger than the memory, in one pass.

use std::{
    collections::HashMap,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_columns::{
    Column, Kind,
    csv::{self, Header, Options, Wanted},
    expr::{self, Binary, Expr},
};
use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Generic, Op, OpError, Scheme, Scope,
        params,
    },
    value::{Text, Value, arithmetic::LONGEST_LIST, memory},
};

use super::{
    Exprs, Frame, ROWS_OUT, given,
    group::grouped,
    input::{self, Format},
    one_expr,
    read::csv_error,
    wrong,
};

params! {
    /// Groups the rows of a CSV or TSV file that may be larger than the memory.
    ///
    /// The file is read once, in pieces of 16 MiB; only the groups are kept. `test` is a condition for rows;
    /// `by` and `measures` are as in `table(..)`, with `count`, `sum`, `avg`, `min`, `max`, `first` and `last`: other measures need
    /// all rows. The types of the columns are guessed as by `table.read`; if a later cell does not fit, the
    /// file is read again. A file compressed by gzip is unpacked on the way. More than 10,000,000 groups are an
    /// error of kind `invalid_input`.
    pub(super) struct Scan {
        /// The file to read.
        path: PathBuf,
        /// The condition for rows.
        test: Option<Text> = None,
        /// The columns whose values make a group.
        by: Vec<Text> = Vec::new(),
        /// The new columns, each with its expression.
        measures: Exprs = Exprs::none(),
        /// The format; by default that of the file's name.
        format: Format = Format::Auto,
    }
}

impl Op for Scan {
    const NAME: &'static str = "scan";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const CHECK: Option<CheckCall> = Some(super::known::groups);
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: svc_contract::registry::Limits = svc_contract::registry::Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "group a file that is larger than memory",
        "totals of a csv with a hundred million rows",
        "stream a huge csv",
        "aggregate a file without loading it",
        "count rows per day in a very large log",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Totals by region",
            r#"table.scan(path: "x.csv", test: "v > 0", by: ["r"], measures: { total: "sum(v)", mean: "avg(v)" })"#,
            r#"[{"r":"n","total":6,"mean":3.0},{"r":"s","total":1,"mean":1.0}]"#,
        )
        .with(&[("x.csv", "r,v\nn,2\ns,1\nn,4\ns,-3\n")]),
        Example::err(
            "A measure of all rows",
            r#"table.scan(path: "x.csv", by: ["r"], measures: { m: "median(v)" })"#,
            "`measures.m`: `median` needs all rows",
        )
        .with(&[("x.csv", "r,v\nn,2\n")]),
        Example::err("A ragged row", r#"table.scan(path: "x.csv", by: ["r"])"#, "line 3: expected 2 cells, found 1")
            .with(&[("x.csv", "r,v\nn,2\nn\n")]),
    ];
}

impl Compute for Scan {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let format = self.format.of(&self.path)?;
        if !matches!(format, Format::Csv | Format::Tsv) {
            return Err(OpError::invalid_input("expected a CSV or TSV file")
                .help("`table.read` reads other formats"));
        }
        let mut parts = Parts::default();
        let measures = self.measures.parsed("measures")?;
        let mut finals = Vec::with_capacity(measures.len());
        for (name, measure) in measures {
            let whole = parts.split(&measure).map_err(|err| {
                let message = format!("`measures.{name}`: {}", err.message);
                OpError { message, ..err }
            })?;
            finals.push((name, whole));
        }
        let test = self.test.as_ref().map(|it| one_expr("test", it)).transpose()?;
        let job = Job { path: &self.path, format, by: &self.by, test, parts, cx };
        // Kinds only become wider, so this ends.
        let mut kinds = HashMap::new();
        let merged = loop {
            match job.pass(&mut kinds)? {
                Some(merged) => break merged,
                None => cx.check()?,
            }
        };
        given(finished(&merged, &self.by, &finals)?, cx)
    }
}

/// The columns `by`, and the measures, computed of their parts.
fn finished(merged: &Frame, by: &[Text], finals: &[(Text, Expr)]) -> Result<Frame, OpError> {
    let mut names: Vec<Text> = by.to_vec();
    let mut columns: Vec<Arc<Column<Value>>> = Vec::new();
    for name in by {
        columns.push(merged.column(name).map_err(wrong)?.clone());
    }
    for (name, whole) in finals {
        if names.contains(name) {
            let message = format!("duplicate column `{name}` in the result");
            return Err(OpError::invalid_input(message).help("give each measure a name of its own"));
        }
        names.push(name.clone());
        columns.push(expr::each_row(whole, merged).map_err(wrong)?);
    }
    Ok(Frame::new(names.into(), columns, merged.len()))
}

/// Measures that can be computed of parts of the rows, and merged.
#[derive(Default)]
struct Parts {
    /// The name of each, what it measures of rows, and what it measures of earlier results.
    all: Vec<(Text, Expr, Expr)>,
}

impl Parts {
    /// The name of a part. No column of a file has a line end in front.
    fn part(&mut self, of: Expr, merge: &str) -> Expr {
        if let Some((name, ..)) = self.all.iter().find(|(_, it, _)| *it == of) {
            return Expr::Column(name.clone());
        }
        let name: Text = format!("\n{}", self.all.len()).into();
        let merged = Expr::Call(merge.into(), vec![Expr::Column(name.clone())]);
        self.all.push((name.clone(), of, merged));
        Expr::Column(name)
    }

    /// The expression with its measures as columns of parts.
    fn split(&mut self, expr: &Expr) -> Result<Expr, OpError> {
        Ok(match expr {
            Expr::Call(name, args) => match (name.as_ref(), args.as_slice()) {
                ("count", _) => self.part(expr.clone(), "sum"),
                ("sum" | "min" | "max" | "first" | "last", [_]) => self.part(expr.clone(), name),
                ("avg" | "mean", [_]) => {
                    let of = |it: &str| Expr::Call(it.into(), args.clone());
                    let (sum, count) = (self.part(of("sum"), "sum"), self.part(of("count"), "sum"));
                    Expr::Binary(Binary::Divide, sum.into(), count.into())
                }
                ("distinct" | "median" | "quantile" | "variance" | "stddev" | "corr", _) => {
                    return Err(OpError::invalid_input(format!("`{name}` needs all rows"))
                        .help("read the file with `table.read`, and group it with `table(..)`"));
                }
                _ => {
                    let args: Result<Vec<Expr>, OpError> =
                        args.iter().map(|it| self.split(it)).collect();
                    Expr::Call(name.clone(), args?)
                }
            },
            Expr::Not(it) => Expr::Not(self.split(it)?.into()),
            Expr::Minus(it) => Expr::Minus(self.split(it)?.into()),
            Expr::Binary(op, a, b) => {
                Expr::Binary(*op, self.split(a)?.into(), self.split(b)?.into())
            }
            other => other.clone(),
        })
    }

    fn of_rows(&self) -> Vec<(Text, Expr)> {
        self.all.iter().map(|(name, of, _)| (name.clone(), of.clone())).collect()
    }

    fn of_parts(&self) -> Vec<(Text, Expr)> {
        self.all.iter().map(|(name, _, merge)| (name.clone(), merge.clone())).collect()
    }
}

struct Job<'a> {
    path: &'a Path,
    format: Format,
    by: &'a [Text],
    test: Option<Expr>,
    parts: Parts,
    cx: &'a Cx,
}

/// The size of the pieces that are read.
const PIECE: usize = 16 << 20;

/// The longest row.
const LONGEST_ROW: usize = 256 << 20;

/// Groups that are kept before they are merged again.
const LOOSE: usize = 200_000;

impl Job<'_> {
    /// Reads the file once; none if a column turned out to be of a wider kind than in `kinds`.
    fn pass(&self, kinds: &mut HashMap<Text, Kind>) -> Result<Option<Frame>, OpError> {
        let mut file = input::open(self.cx, self.path)?;
        let (mut bytes, mut line) = (Vec::new(), 1);
        let mut header: Option<(Header, u8)> = None;
        let mut merged: Option<Frame> = None;
        let mut unmerged = 0;
        loop {
            self.cx.check()?;
            let before = bytes.len();
            let piece = file.by_ref().take(PIECE as u64).read_to_end(&mut bytes);
            piece.map_err(|err| input::io_error(err, self.path))?;
            let is_end = bytes.len() == before;
            let whole = if is_end { bytes.len() } else { csv::whole_rows(&bytes) };
            if whole == 0 && !is_end {
                self.test_row(bytes.len())?;
                continue;
            }
            let rest = bytes.split_off(whole);
            let text = input::decoded(std::mem::replace(&mut bytes, rest), self.path, line)?;
            let lines = text.bytes().filter(|it| *it == b'\n').count();
            let (mut rows, mut rows_line) = (text.as_str(), line);
            let (header, sep) = match &mut header {
                Some(it) => (&it.0, it.1),
                none => {
                    let sep = input::separator(&text, self.format);
                    let found = csv::header(&text, sep, &|| self.cx.check().is_err())
                        .map_err(|err| self.at(csv_error(self.cx)(err)))?;
                    rows = &text[found.end..];
                    rows_line = found.line;
                    let it = none.insert((found, sep));
                    (&it.0, it.1)
                }
            };
            let header = Header { line: rows_line, ..header.clone() };
            let Some(part) = self.part(rows, &header, sep, kinds)? else { return Ok(None) };
            unmerged += part.len();
            merged = Some(match merged {
                Some(all) => all.concat(&part),
                None => part,
            });
            line += lines;
            if unmerged > LOOSE || is_end {
                unmerged = 0;
                merged = merged.map(|it| self.merged(&it)).transpose()?;
            }
            if is_end {
                return merged.map(Some).ok_or_else(|| OpError::bug("a scan without a part"));
            }
        }
    }

    fn at(&self, err: OpError) -> OpError {
        let message = format!("`{}`, {}", self.path.display(), err.message);
        OpError { message, ..err }
    }

    fn test_row(&self, len: usize) -> Result<(), OpError> {
        memory::room(len)?;
        if len <= LONGEST_ROW {
            return Ok(());
        }
        let message = format!("`{}` has a row of more than 256MiB", self.path.display());
        Err(OpError::invalid_input(message).help("look for a quote that is not closed"))
    }

    /// The groups of some rows.
    fn part(
        &self,
        rows: &str,
        header: &Header,
        sep: u8,
        kinds: &mut HashMap<Text, Kind>,
    ) -> Result<Option<Frame>, OpError> {
        let stop = || self.cx.check().is_err();
        let read = |wanted: &dyn Fn(&str) -> Wanted| {
            let options = Options { sep, most: usize::MAX, wanted, stop: &stop };
            csv::read_rows::<Value>(rows, header, &options)
                .map_err(|err| self.at(csv_error(self.cx)(err)))
        };
        let mut table = read(&|_| Wanted::Guess)?;
        let (mut is_wider, mut is_narrower) = (false, false);
        for (name, column) in table.names.iter().zip(&table.columns) {
            if !column.has_values() {
                is_narrower |= kinds.contains_key(name);
                continue;
            }
            let found = column.kind();
            let joined = match kinds.get(name) {
                None => found,
                Some(known) if *known == found => found,
                Some(Kind::Int | Kind::Float) if found.is_number() => Kind::Float,
                Some(_) => Kind::Text,
            };
            is_narrower |= joined != found;
            is_wider |= kinds.insert(name.clone(), joined).is_some_and(|it| it != joined);
        }
        if is_wider {
            return Ok(None);
        }
        if is_narrower {
            table = read(&|name| kinds.get(name).map_or(Wanted::Guess, |it| Wanted::Is(*it)))?;
        }
        if let Some(test) = &self.test {
            let kept = expr::each_row(test, &table).and_then(|it| it.trues()).map_err(wrong)?;
            table = table.take(&kept);
        }
        grouped(&table, self.by, &self.parts.of_rows(), None, self.cx).map(Some)
    }

    fn merged(&self, loose: &Frame) -> Result<Frame, OpError> {
        let merged = grouped(loose, self.by, &self.parts.of_parts(), None, self.cx)?;
        if merged.len() > LONGEST_LIST {
            let message = format!("more than {LONGEST_LIST} groups");
            return Err(OpError::invalid_input(message).help("group by fewer columns"));
        }
        memory::room(merged.bytes())?;
        Ok(merged)
    }
}
