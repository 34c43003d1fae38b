//! A plan for people: as text, as a Mermaid flowchart, as a picture.
//!
//! All of them use the same [`Outline`](outline::Outline), and round amounts in the same way:
//! a shown maximum is never lower than the real one.

mod amounts;
mod fit;
mod mermaid;
mod outline;
mod remarks;
mod svg;
mod table;
mod totals;

use super::{Holds, Plan, Verdict};
use crate::diag::{Style, visible_line, visible_styled};

impl Plan {
    /// The plan as text.
    pub fn show(&self) -> String {
        self.render(Style::Plain)
    }

    /// The plan as text, perhaps in colour. Control and invisible characters are escaped.
    pub fn render(&self, style: Style) -> String {
        visible_styled(&table::of(self, style, None)).into_owned()
    }

    /// Like [`render`](Self::render), for a terminal with this number of columns.
    pub fn render_within(&self, style: Style, columns: usize) -> String {
        visible_styled(&table::of(self, style, Some(columns))).into_owned()
    }

    /// The totals of the plan, and the verdicts on its bounds.
    pub fn render_totals(&self, style: Style) -> String {
        visible_styled(&table::totals_of(self, style)).into_owned()
    }

    /// The plan as a Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        mermaid::of(self)
    }

    /// The plan as a picture, in SVG.
    pub fn svg(&self) -> String {
        svg::of(self)
    }
}

/// A bound as written in the script, and its verdict: `max_cost $0.50: PROVEN`.
fn bound(key: &str, limit: &str, verdict: Option<&Verdict>, style: Style) -> String {
    let limit = visible_line(limit);
    match verdict.filter(|it| it.is_judged()) {
        Some(it) => format!("{key} {limit}: {}", painted(it.holds, style)),
        None => format!("{key} {limit}"),
    }
}

fn painted(holds: Holds, style: Style) -> String {
    let word = holds.word().to_uppercase();
    let code = match holds {
        Holds::Proven => "1;32",
        Holds::Enforced => "1;36",
        Holds::Impossible => "1;31",
        Holds::Useless => "1;33",
    };
    match style {
        Style::Plain => word,
        Style::Colour => format!("\x1b[{code}m{word}\x1b[0m"),
    }
}

impl Verdict {
    /// Whether the verdict is shown. Bounds on retries and on the time of attempts are enforced,
    /// and are not amounts.
    fn is_judged(&self) -> bool {
        !self.why.is_empty() || self.is_of_the_run()
    }

    /// Whether it is on a cap of the run, which is not in a script.
    fn is_of_the_run(&self) -> bool {
        self.span.is_none()
    }

    /// Its key, which distinguishes caps of the run from bounds of the file.
    fn title(&self) -> String {
        let whose = if self.is_of_the_run() { "the run's " } else { "" };
        format!("{whose}{}", self.key.name())
    }
}

/// The verdict on the bound of this name.
fn verdict_on<'v>(key: &str, verdicts: &'v [Verdict]) -> Option<&'v Verdict> {
    verdicts.iter().find(|it| it.key.name() == key)
}
