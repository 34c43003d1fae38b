//! The estimate of the whole file, next to its bounds.

use super::{
    super::Range,
    amounts::{self, ANY, Amount, Rounding, UNKNOWN, grouped},
    bound,
    outline::Outline,
};
use crate::diag::Style;

/// From this number on, tokens are shown in millions.
const COUNTED: u64 = 10_000_000;

/// One line: a kind of amount, its three values, and the bounds on it.
struct Total {
    what: &'static str,
    amounts: [String; 3],
    bounds: String,
}

/// The totals of a plan; empty if it takes nothing and has no bounds.
pub(super) fn of(outline: &Outline, style: Style) -> String {
    let envelope = outline.plan.envelope();
    let counted = |it: u64, rounding| match it {
        ..COUNTED => grouped(it),
        _ => it.written(rounding),
    };
    let bounds = |keys: &[&str]| bounds(outline, keys, style);
    let lines = [
        Total {
            what: "tokens",
            amounts: three(&envelope.tokens, counted),
            bounds: bounds(&["max_tokens"]),
        },
        Total {
            what: "cost",
            amounts: three(&envelope.cost, Amount::written),
            bounds: bounds(&["max_cost"]),
        },
        Total {
            what: "time",
            amounts: three(&envelope.time, Amount::written),
            bounds: bounds(&["timeout"]),
        },
        Total {
            what: "calls",
            amounts: Default::default(),
            bounds: bounds(&["attempt_timeout", "max_retries", "retry_on", "max_parallel"]),
        },
    ];
    let lines: Vec<Total> = lines.into_iter().filter(|it| !it.is_empty()).collect();
    if lines.is_empty() { String::new() } else { aligned(&lines) }
}

impl Total {
    fn is_empty(&self) -> bool {
        self.bounds.is_empty() && self.amounts.iter().all(String::is_empty)
    }
}

/// The minimum, the expected amount and the maximum; empty if it is always zero.
fn three<T: Amount>(range: &Range<T>, written: impl Fn(T, Rounding) -> String) -> [String; 3] {
    if amounts::is_nothing(range) {
        return Default::default();
    }
    [
        written(range.min, Rounding::Down),
        range.expected.map_or_else(|| UNKNOWN.to_owned(), |it| written(it, Rounding::Nearest)),
        range.max.map_or_else(|| ANY.to_owned(), |it| written(it, Rounding::Up)),
    ]
}

fn bounds(outline: &Outline, keys: &[&str], style: Style) -> String {
    let wanted = outline.plan.verdicts().iter().filter(|it| keys.contains(&it.key.name()));
    let shown = wanted.map(|it| bound(&it.title(), &it.limit, Some(it), style));
    shown.collect::<Vec<_>>().join(", ")
}

fn aligned(lines: &[Total]) -> String {
    const HEADS: [&str; 3] = ["at least", "expected", "at most"];
    let has_amounts = lines.iter().any(|it| it.amounts.iter().any(|it| !it.is_empty()));
    let widths: [usize; 3] = std::array::from_fn(|column| {
        let cells = lines.iter().map(|it| it.amounts[column].chars().count());
        if has_amounts { cells.chain([HEADS[column].len()]).max().unwrap_or(0) } else { 0 }
    });
    let row = |what: &str, amounts: [&str; 3], bounds: &str| {
        let mut text = format!("{what:<8}");
        for (amount, width) in amounts.iter().zip(widths).filter(|_| has_amounts) {
            text.push_str(&format!("  {amount:>width$}"));
        }
        format!("{}\n", format!("{text}  {bounds}").trim_end())
    };
    let head = if has_amounts { row("file", HEADS, "") } else { "file\n".to_owned() };
    let line = |it: &Total| {
        let amounts = it.amounts.each_ref().map(String::as_str);
        row(&format!("  {}", it.what), amounts, &it.bounds)
    };
    head + lines.iter().map(line).collect::<String>().as_str()
}
