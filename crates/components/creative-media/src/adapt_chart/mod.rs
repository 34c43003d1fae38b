//! Charts of tables, as SVG that screen readers read and that follows the light or dark of the page.
//!
//! The pictures are drawn here rather than by a crate: those that draw charts have no classes for
//! colours, no descriptions, and no room for long labels.

use svc_columns::Table;
use svc_contract::{
    needs,
    registry::{
        AnyRows, Bias, CheckCall, Component, Compute, Cx, ErrorKind, Example, Field, Op, OpError,
        Scheme, Tool, check_columns, compute, params, record,
    },
    value::{Text, Value},
};

mod data;
mod frame;
mod marks;
mod paint;
mod plan;
mod png;
#[cfg(feature = "media")]
mod raster;
mod scale;
mod spec;
mod stack;
mod suggest;
mod svg;
#[cfg(test)]
mod tests;
mod words;

use plan::{Aggregate, Mark, Plan};

pub(super) const COMPONENT: Component = Component {
    name: "adapt_chart",
    cluster: "creative-media",
    summary: "Charts of tables as SVG: bars, lines, areas, points, boxes, histograms, heat maps, pies.",
    version: 1,
    bias: Bias::new(
        "a small grammar of graphics, drawn as SVG",
        &["a picture shows one table", "bars and areas start at zero"],
    ),
    aliases: &[("chart", "infer")],
    ops: &[
        compute::<Infer>(),
        compute::<spec::Spec>(),
        compute::<suggest::Suggest>(),
        needs!("media", compute::<png::Png>()),
    ],
};

record! {
    /// A picture as SVG.
    struct Svg {
        /// The SVG document, with the drawn values in its metadata.
        text: Text,
        /// What the picture shows, in words.
        description: Text,
        /// The width in pixels.
        width: i64,
        /// The height in pixels.
        height: i64,
    }
}

/// Draws a plan.
fn drawn(plan: &Plan, table: &Table<Value>, cx: &Cx) -> Result<Value, OpError> {
    let text = if table.is_empty() && table.names.is_empty() {
        marks::Drawing { plan, table, cx }.nothing()
    } else {
        marks::Drawing { plan, table, cx }.draw()?
    };
    let start = text.find("<desc").and_then(|it| text[it..].find('>').map(|at| it + at + 1));
    let description = start.and_then(|it| text[it..].find("</desc>").map(|at| &text[it..it + at]));
    let description = description.unwrap_or_default().replace("&lt;", "<").replace("&gt;", ">");
    let description = description.replace("&quot;", "\"").replace("&amp;", "&");
    #[expect(clippy::cast_possible_truncation, reason = "at most 4000")]
    let size = (plan.width as i64, plan.height as i64);
    Ok(Svg { text: text.into(), description: description.into(), width: size.0, height: size.1 }
        .encode())
}

params! {
    /// Draws a chart of a table, as SVG.
    ///
    /// `x` is the column across, and `y` the column of numbers up; `color` splits the rows into series, with a legend.
    /// `bar` adds up the numbers of each `x`, or counts rows without a `y`; `line`, `area` and `point` put numbers, times and words across;
    /// `box` shows quartiles, with what is further than 1.5 times their distance as points; `histogram` counts the numbers of
    /// `x`; `heatmap` counts the rows of each `x` and `y`, or shows the mean of the numbers of `color`; `arc` is a pie. Texts
    /// that are dates, such as `2026-01-31`, are times. Of more than ten series the last one is of all others. Null is a gap.
    ///
    /// The picture has a title and a description for screen readers, and colours for light and dark pages. A
    /// column that is not there, words where numbers are needed, and more than 100 bars are errors of kind
    /// `invalid_input`.
    struct Infer {
        /// The rows.
        rows: AnyRows,
        /// How values are drawn.
        mark: Mark,
        /// The column across.
        x: Text,
        /// The column of numbers up.
        y: Option<Text> = None,
        /// The column of the series; of a heat map, its numbers.
        color: Option<Text> = None,
        /// The title.
        title: Text = "".into(),
        /// The width in pixels.
        #[range(100..=4000)]
        width: i64 = 640,
        /// The height in pixels.
        #[range(100..=4000)]
        height: i64 = 400,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Svg::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "rows", &["x", "y", "color"]));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const TOOL: Option<Tool> = Some(Tool::builder("render_chart"));
    const SAYS: &'static [&'static str] = &[
        "draw a bar chart",
        "line chart over time",
        "plot a table",
        "histogram of a column as a picture",
        "scatter plot of two columns",
        "heat map",
        "svg chart of my data",
        "pie chart of shares",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Bars",
            r#"[{ city: "Bonn", n: 3 }, { city: "Kiel", n: 5 }, { city: "Bonn", n: 1 }]
    >> chart(mark: "bar", x: "city", y: "n", title: "Cities")
    >> .description"#,
            r#""A bar chart of n by city: Bonn 4, Kiel 5.""#,
        ),
        Example::err(
            "Words instead of numbers",
            r#"[{ day: 1, n: "many" }] >> chart(mark: "line", x: "day", y: "n")"#,
            "expected numbers in column `n`, found `many`",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        #[expect(clippy::cast_precision_loss, reason = "at most 4000")]
        let size = (self.width as f64, self.height as f64);
        let plan = Plan {
            mark: self.mark,
            x: Some(self.x),
            y: self.y,
            color: self.color,
            aggregate: None,
            stack: None,
            title: self.title,
            x_title: None,
            y_title: None,
            is_nominal: false,
            width: size.0,
            height: size.1,
        };
        drawn(&plan, &self.rows.columns()?, cx)
    }
}

/// The aggregate of a name of Vega-Lite.
fn aggregate(name: &str) -> Option<Aggregate> {
    Some(match name {
        "sum" => Aggregate::Sum,
        "mean" | "average" => Aggregate::Mean,
        "median" => Aggregate::Median,
        "min" => Aggregate::Min,
        "max" => Aggregate::Max,
        "count" => Aggregate::Count,
        _ => return None,
    })
}
