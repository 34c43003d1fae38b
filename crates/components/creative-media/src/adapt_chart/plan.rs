//! What is drawn: the mark, the columns, and how values of the same place are put together.

use svc_contract::{choices, registry::OpError, value::Text};

choices! {
    /// How values are drawn.
    pub(super) enum Mark {
        Bar = "bar",
        Line = "line",
        Area = "area",
        Point = "point",
        Box = "box",
        Histogram = "histogram",
        Heatmap = "heatmap",
        Arc = "arc",
    }
}

choices! {
    /// How the values of one place become one.
    pub(super) enum Aggregate {
        Sum = "sum",
        Mean = "mean",
        Median = "median",
        Min = "min",
        Max = "max",
        Count = "count",
    }
}

/// A chart of a table.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub mark: Mark,
    pub x: Option<Text>,
    pub y: Option<Text>,
    pub color: Option<Text>,
    pub aggregate: Option<Aggregate>,
    pub title: Text,
    pub x_title: Option<Text>,
    pub y_title: Option<Text>,
    /// Whether series are on top of each other; without it, where their values can be added up.
    pub stack: Option<bool>,
    /// Whether x is words, even if they are numbers.
    pub is_nominal: bool,
    pub width: f64,
    pub height: f64,
}

impl Plan {
    /// Whether series are on top of each other: sums and numbers of rows are, as their sum means something.
    pub(super) fn is_stacked(&self, aggregate: Aggregate) -> bool {
        self.stack.unwrap_or(matches!(aggregate, Aggregate::Sum | Aggregate::Count))
    }

    pub(super) fn x(&self) -> Result<&Text, OpError> {
        self.x.as_ref().ok_or_else(|| OpError::invalid_input("missing `x`, the column across"))
    }

    pub(super) fn y(&self) -> Result<&Text, OpError> {
        self.y.as_ref().ok_or_else(|| {
            let message = format!("missing `y`, the column of numbers of a {}", self.mark.name());
            OpError::invalid_input(message)
        })
    }
}

impl Mark {
    /// What such a chart is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bar => "bar chart",
            Self::Line => "line chart",
            Self::Area => "area chart",
            Self::Point => "scatter plot",
            Self::Box => "box plot",
            Self::Histogram => "histogram",
            Self::Heatmap => "heat map",
            Self::Arc => "pie chart",
        }
    }
}

impl Aggregate {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Min => "least",
            Self::Max => "greatest",
            Self::Count => "number",
        }
    }

    /// One number of several; not a number if there are none.
    pub(super) fn of(self, values: &mut [f64]) -> f64 {
        let count = super::scale::as_float(values.len());
        if values.is_empty() {
            return if self == Self::Count { 0.0 } else { f64::NAN };
        }
        match self {
            Self::Sum => values.iter().sum(),
            Self::Mean => values.iter().sum::<f64>() / count,
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Count => count,
            Self::Median => {
                values.sort_by(f64::total_cmp);
                quantile(values, 0.5)
            }
        }
    }
}

/// A quantile of sorted values, interpolated.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * super::scale::as_float(last);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place")]
    let low = at.floor() as usize;
    let part = at - at.floor();
    let high = sorted.get(low + 1).copied().unwrap_or(sorted[low]);
    sorted[low] + (high - sorted[low]) * part
}
