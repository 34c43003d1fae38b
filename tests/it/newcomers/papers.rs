//! Newcomers that read and write files.

use std::path::{Path, PathBuf};

use svc::{
    params, record,
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Field as _, Max, Op, OpError,
        Scheme, Scope, compute,
    },
    value::{Date, Text, Value},
};
use svc_contract::host;

use super::CLUSTER;

pub(super) const ALL: &[&Component] = &[&RUKH, &YARL, &WOLP];

const FILE_ERRORS: &[ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];

/// The size of the largest file that is read.
const MOST: u64 = 1 << 20;

fn read(cx: &Cx, path: &Path) -> Result<String, OpError> {
    let bytes = host::read(cx.host(), path, MOST).map_err(|err| OpError::io(err, path))?;
    let message = || format!("`{}` is not text", path.display());
    String::from_utf8(bytes).map_err(|err| OpError::invalid_input(message()).because(err))
}

const RUKH: Component = Component {
    name: "rukh",
    cluster: CLUSTER,
    summary: "Knows the tills of a shop.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[compute::<Rukh>()],
};

record! {
    /// A sale of a till.
    struct Sale {
        /// The day of the sale.
        day: Date,
        /// What was sold.
        item: Text,
        /// How many.
        pieces: i64,
        /// The price of one.
        price: f64,
    }
}

params! {
    /// Reads the sales of a till roll, a file whose name ends with `.till`.
    ///
    /// Each line is a sale, as in `2026-01-03 | milk | 3 x 1.20`. Lines that begin with `#` and empty
    /// lines are skipped; any other line is an error.
    struct Rukh {
        /// The till roll.
        roll: PathBuf,
    }
}

impl Op for Rukh {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Sale::SCHEME, Max::Unknown);
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("roll"))];
    const ERRORS: &'static [ErrorKind] = FILE_ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read a till roll",
        "sales of a cash register",
        "open a .till file",
        "what was sold in the shop",
        "import receipts of the till",
        "parse a roll of receipts",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A sale",
            r#"rukh(roll: "a.till")"#,
            r#"[{"day":"2026-01-03","item":"milk","pieces":3,"price":1.2}]"#,
        )
        .with(&[("a.till", "# shop\n2026-01-03 | milk | 3 x 1.20\n")]),
        Example::err("No sale", r#"rukh(roll: "a.till")"#, "line 1: expected a sale")
            .with(&[("a.till", "milk\n")]),
    ];
}

impl Compute for Rukh {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text = read(cx, &self.roll)?;
        let lines = text.lines().zip(1..).filter(|(it, _)| !it.is_empty() && !it.starts_with('#'));
        let sales = lines.map(|(line, number)| {
            let message = || format!("line {number}: expected a sale, found `{line}`");
            sale(line).ok_or_else(|| OpError::invalid_input(message()))
        });
        Ok(sales.collect::<Result<Vec<Sale>, _>>()?.encode())
    }
}

fn sale(line: &str) -> Option<Sale> {
    let [day, item, amount] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
        return None;
    };
    let (pieces, price) = amount.split_once(" x ")?;
    let (pieces, price) = (pieces.parse().ok()?, price.parse().ok()?);
    Some(Sale { day: day.parse().ok()?, item: item.into(), pieces, price })
}

const YARL: Component = Component {
    name: "yarl",
    cluster: CLUSTER,
    summary: "Draws numbers.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[compute::<Yarl>()],
};

params! {
    /// Draws numbers as a bar chart into an SVG file, and returns the file's path.
    ///
    /// Each number is a bar, in their order; the largest is 100 pixels high. Fails if a number is
    /// negative, or if there are none.
    struct Yarl {
        /// The numbers.
        numbers: Vec<f64>,
        /// The file to draw into.
        to: PathBuf,
    }
}

impl Op for Yarl {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("to"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] = FILE_ERRORS;
    const SAYS: &'static [&'static str] = &[
        "draw a bar chart",
        "plot numbers as bars",
        "svg diagram of a list",
        "visualise figures as columns",
        "picture of the counts",
        "make a chart file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Two bars", r#"[1, 2] >> yarl(to: "a.svg") >> read_text >> lines >> len"#, "4"),
        Example::err("Below zero", r#"[-1] >> yarl(to: "a.svg")"#, "expected no number below 0"),
    ];
}

impl Compute for Yarl {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if let Some(wrong) = self.numbers.iter().find(|it| **it < 0.0) {
            let message = format!("expected no number below 0, found {wrong}");
            return Err(OpError::invalid_input(message));
        }
        let Some(most) = self.numbers.iter().copied().reduce(f64::max) else {
            return Err(OpError::invalid_input("expected numbers to draw, found none"));
        };
        let drawing = drawing(&self.numbers, most.max(f64::MIN_POSITIVE));
        cx.host().write(&self.to, drawing.as_bytes()).map_err(|err| OpError::io(err, &self.to))?;
        Ok(self.to.encode())
    }
}

fn drawing(numbers: &[f64], most: f64) -> String {
    let bars = numbers.iter().zip(0_u32..).map(|(number, at)| {
        let (left, height) = (at * 12, number / most * 100.0);
        let top = 100.0 - height;
        format!("<rect x=\"{left}\" y=\"{top:.1}\" width=\"10\" height=\"{height:.1}\"/>\n")
    });
    let bars: String = bars.collect();
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" height=\"100\">\n{bars}</svg>\n")
}

const WOLP: Component = Component {
    name: "wolp",
    cluster: CLUSTER,
    summary: "Looks at invisible characters of files.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[compute::<Wolp>()],
};

params! {
    /// Detects the line endings of a text file: `unix`, `windows`, `mixed`, or `none`.
    ///
    /// Lines of `unix` end with a line feed, and those of `windows` with a carriage return and a line
    /// feed. A file without any line end is `none`.
    struct Wolp {
        /// The file to look at.
        file: PathBuf,
    }
}

impl Op for Wolp {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Enum(&["unix", "windows", "mixed", "none"]);
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("file"))];
    const ERRORS: &'static [ErrorKind] = FILE_ERRORS;
    const SAYS: &'static [&'static str] = &[
        "line endings of a file",
        "does the file have crlf or lf",
        "windows or unix line breaks",
        "detect carriage returns",
        "newline style of a text file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Both", r#"wolp(file: "a.txt")"#, r#""mixed""#).with(&[("a.txt", "a\r\nb\n")]),
        Example::ok("No line end", r#"wolp(file: "a.txt")"#, r#""none""#).with(&[("a.txt", "a")]),
    ];
}

impl Compute for Wolp {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text = read(cx, &self.file)?;
        let (all, windows) = (text.matches('\n').count(), text.matches("\r\n").count());
        Ok(Value::from(match (all, windows) {
            (0, _) => "none",
            (_, 0) => "unix",
            (all, windows) if all == windows => "windows",
            _ => "mixed",
        }))
    }
}
