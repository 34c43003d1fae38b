//! A subset of Vega-Lite.

use svc_contract::{
    registry::{AnyRows, Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, Var, params},
    value::{Record, Text, Type, Value},
};

use super::{Mark, Plan, Svg, aggregate, drawn, plan::Aggregate};

params! {
    /// Draws a chart by a subset of Vega-Lite.
    ///
    /// `mark` is `bar`, `line`, `area`, `point`, `circle`, `tick`, `boxplot`, `rect`, `arc`, as a string or an object with a `type`. `encoding` has
    /// `x`, `y`, `color`, and of `arc` `theta`: each with `field`, `type`, `aggregate` (`sum`, `mean`, `median`, `min`, `max`, `count`),
    /// `bin: true`, `stack` and `title`. Series of sums and numbers of rows are on top of each other; means,
    /// medians and extremes are not, but bars are next to each other. `stack: true` and `stack: false` decide
    /// otherwise. `title`, `width` and `height` are those of the picture. `data` is left out, as the rows are
    /// given. What is not understood is an error that names it, so that no picture is another one than asked for.
    pub(super) struct Spec {
        /// The rows.
        rows: AnyRows,
        /// The specification.
        spec: Var<'S'>,
    }
}

impl Op for Spec {
    const NAME: &'static str = "spec";
    const YIELDS: Scheme = Svg::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "vega-lite chart",
        "render a vega lite specification",
        "grammar of graphics",
        "chart from a json specification",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A mean of each kind",
            r#"let spec = { mark: "bar", encoding: { x: { field: "kind" }, y: { field: "n", aggregate: "mean" } } }
[{ kind: "a", n: 1 }, { kind: "a", n: 4 }, { kind: "b", n: 2 }] >> chart.spec(spec: spec) >> .description"#,
            r#""A bar chart of mean of n by kind: a 2.5, b 2.""#,
        ),
        Example::ok(
            "Means are not added up",
            r#"let spec = { mark: "bar", encoding: { x: { field: "kind" }, y: { field: "n", aggregate: "mean" }, color: { field: "of" } } }
[{ kind: "a", of: "x", n: 1 }, { kind: "a", of: "x", n: 4 }, { kind: "a", of: "y", n: 2 }] >> chart.spec(spec: spec) >> .description"#,
            r#""A bar chart of mean of n by kind: a, x 2.5, a, y 2. 2 series: x, y.""#,
        ),
        Example::err(
            "Something else",
            r#"[{ n: 1 }] >> chart.spec(spec: { mark: "geoshape" })"#,
            "unknown mark `geoshape`",
        ),
    ];
}

impl Compute for Spec {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let spec = self.spec.0.cast(&Type::Json);
        let spec = spec.map_err(|err| OpError::invalid_input(err.to_string()))?;
        let Value::Record(spec) = &spec else {
            return Err(wrong(&format!("expected an object, found {}", spec.kind())));
        };
        drawn(&plan(spec)?, &self.rows.columns()?, cx)
    }
}

fn wrong(why: &str) -> OpError {
    OpError::invalid_input(format!("`spec`: {why}"))
}

/// Refuses fields that have no effect here.
fn only(object: &Record, place: &str, known: &[&str]) -> Result<(), OpError> {
    match object.names().iter().find(|it| !known.contains(&&***it)) {
        Some(name) => Err(wrong(&format!("unknown `{place}{name}`"))
            .help(format!("supported are {}", known.join(", ")))),
        None => Ok(()),
    }
}

fn text(object: &Record, name: &str) -> Option<Text> {
    object.get(name)?.as_str().map(Into::into)
}

/// A column with what is done to it.
#[derive(Default)]
struct Channel {
    field: Option<Text>,
    aggregate: Option<Aggregate>,
    is_binned: bool,
    is_nominal: bool,
    is_quantitative: bool,
    title: Option<Text>,
    stack: Option<bool>,
}

/// Whether series are on top of each other: null means that they are not.
fn stack(channel: &Record, place: &str) -> Result<Option<bool>, OpError> {
    match channel.get("stack") {
        None => Ok(None),
        Some(Value::Null | Value::Bool(false)) => Ok(Some(false)),
        Some(Value::Bool(true)) => Ok(Some(true)),
        Some(it) if it.as_str() == Some("zero") => Ok(Some(true)),
        Some(it) => Err(wrong(&format!("`{place}stack` cannot be {it}"))
            .help("write `true`, `false` or `\"zero\"`")),
    }
}

fn channel(encoding: &Record, name: &str) -> Result<Option<Channel>, OpError> {
    let Some(object) = encoding.get(name) else { return Ok(None) };
    let Value::Record(object) = object else {
        return Err(wrong(&format!("expected an object for `encoding.{name}`")));
    };
    let place = format!("encoding.{name}.");
    only(
        object,
        &place,
        &["field", "type", "aggregate", "bin", "title", "axis", "scale", "legend", "sort", "stack"],
    )?;
    for ignored in ["axis", "scale", "legend", "sort"] {
        let is_plain = |it: &Value| matches!(it, Value::Null | Value::Bool(true));
        if object.get(ignored).is_some_and(|it| !is_plain(it)) {
            return Err(wrong(&format!("`{place}{ignored}` is not supported")));
        }
    }
    let aggregate = match object.get("aggregate") {
        None | Some(Value::Null) => None,
        Some(it) => {
            let name = it.as_str().unwrap_or_default();
            Some(aggregate(name).ok_or_else(|| wrong(&format!("unknown aggregate `{name}`")))?)
        }
    };
    let ty = text(object, "type");
    let ty = ty.as_deref().unwrap_or_default();
    if !["", "quantitative", "temporal", "ordinal", "nominal"].contains(&ty) {
        return Err(wrong(&format!("unknown type `{ty}`")));
    }
    Ok(Some(Channel {
        field: text(object, "field"),
        aggregate,
        is_binned: match object.get("bin") {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(_) => return Err(wrong(&format!("`{place}bin` must be true or false"))),
        },
        is_nominal: matches!(ty, "ordinal" | "nominal"),
        is_quantitative: ty == "quantitative",
        title: text(object, "title"),
        stack: stack(object, &place)?,
    }))
}

fn plan(spec: &Record) -> Result<Plan, OpError> {
    only(
        spec,
        "",
        &["$schema", "data", "description", "mark", "encoding", "title", "width", "height", "name"],
    )?;
    let name = match spec.get("mark") {
        Some(Value::Record(it)) => {
            only(it, "mark.", &["type", "tooltip", "filled", "point"])?;
            text(it, "type")
        }
        Some(it) => it.as_str().map(Into::into),
        None => None,
    };
    let name = name.ok_or_else(|| wrong("missing `mark`"))?;
    let encoding = match spec.get("encoding") {
        Some(Value::Record(it)) => it.clone(),
        None => Record::from_iter([]),
        Some(it) => {
            return Err(wrong(&format!("expected an object for `encoding`, found {}", it.kind())));
        }
    };
    only(&encoding, "encoding.", &["x", "y", "color", "theta", "tooltip"])?;
    let x = channel(&encoding, "x")?.unwrap_or_default();
    let y = channel(&encoding, "y")?.unwrap_or_default();
    let color = channel(&encoding, "color")?.unwrap_or_default();
    let theta = channel(&encoding, "theta")?.unwrap_or_default();
    let mark = match &*name {
        "bar" if x.is_binned => Mark::Histogram,
        "bar"
            if x.is_quantitative
                && !y.is_quantitative
                && y.aggregate.is_none()
                && y.field.is_some() =>
        {
            return Err(wrong("bars to the right are not supported").help("exchange `x` and `y`"));
        }
        "bar" => Mark::Bar,
        "line" | "trail" => Mark::Line,
        "area" => Mark::Area,
        "point" | "circle" | "square" | "tick" => Mark::Point,
        "boxplot" | "box" => Mark::Box,
        "histogram" => Mark::Histogram,
        "rect" | "heatmap" => Mark::Heatmap,
        "arc" => Mark::Arc,
        other => {
            let known = "bar, line, area, point, circle, tick, boxplot, rect, arc";
            return Err(
                wrong(&format!("unknown mark `{other}`")).help(format!("supported are {known}"))
            );
        }
    };
    let size = |name: &str, default: f64| match spec.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(it) => f64::decode(it.clone())
            .filter(|it| (100.0..=4000.0).contains(it))
            .map(f64::round)
            .ok_or_else(|| wrong(&format!("expected 100 to 4000 for `{name}`, found {it}"))),
    };
    let title = match spec.get("title") {
        Some(Value::Record(it)) => text(it, "text"),
        Some(it) => it.as_str().map(Into::into),
        None => None,
    };
    let is_arc = mark == Mark::Arc;
    let (value, words) = if is_arc { (theta, color) } else { (y, x) };
    let series = if is_arc { None } else { channel(&encoding, "color")?.unwrap_or_default().field };
    let heat = (mark == Mark::Heatmap).then(|| channel(&encoding, "color")).transpose()?.flatten();
    let counts = value.aggregate == Some(Aggregate::Count);
    Ok(Plan {
        mark,
        x: words.field,
        y: if counts && mark != Mark::Heatmap { None } else { value.field },
        color: if heat.as_ref().is_some_and(|it| it.aggregate == Some(Aggregate::Count)) {
            None
        } else {
            series
        },
        aggregate: heat
            .map_or(value.aggregate, |it| it.aggregate)
            .filter(|it| *it != Aggregate::Count),
        title: title.unwrap_or_default(),
        x_title: words.title,
        y_title: value.title,
        stack: value.stack,
        is_nominal: words.is_nominal,
        width: size("width", 640.0)?,
        height: size("height", 400.0)?,
    })
}
