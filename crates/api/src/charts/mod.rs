//! Charts of values at a prompt: `:chart`.
//!
//! The component `chart` draws them; `picture` makes letters of its SVG, so a terminal shows the
//! same marks, axes and legends as a page.

mod canvas;
mod picture;
#[cfg(test)]
mod tests;

use std::path::Path;

use svc_columns::Table;
use svc_contract::{
    registry::OpError,
    value::{List, Record, Text, Value, json},
};
use svc_engine::{Engine, Error};
use svc_lang::plan::Policy;

pub use canvas::{Glyph, Letters};
pub use picture::letters;

use crate::rows::{self, script_over};

/// The marks of charts, for completion and messages.
pub const MARKS: [&str; 8] = ["bar", "line", "area", "point", "box", "histogram", "heatmap", "arc"];

/// What a chart is to show.
#[derive(Clone, Debug, Default)]
pub struct ChartAsked {
    /// How values are drawn; by default as suits the types of the columns.
    pub mark: Option<String>,
    /// The column across, and the column up.
    pub columns: Vec<String>,
    /// The column of the series.
    pub color: Option<String>,
    /// The size of the picture in pixels.
    pub size: (usize, usize),
}

/// The SVG of a value: of a table, of a list of numbers, or of a chart that is drawn already.
pub async fn svg(value: &Value, asked: &ChartAsked, engine: &Engine) -> Result<String, OpError> {
    if let Some(svg) = drawn(value).filter(|_| asked.mark.is_none() && asked.columns.is_empty()) {
        return Ok(svg.to_owned());
    }
    let table = chosen(table(value)?, asked)?;
    let engine = engine.clone().without_store();
    let rows = Value::List(List::from(table.clone()));
    if let (Some(mark), Some(x)) = (&asked.mark, asked.columns.first()) {
        return named(mark, x, asked, (&table, rows), &engine).await;
    }
    let spec = suggested((&table, rows.clone()), asked, &engine).await?;
    let script =
        script_over(&table, "param spec: json\nrows >> chart.spec(spec: spec) >> .text", &engine);
    let request = engine.run(script.as_str()).param("rows", rows).param("spec", spec);
    text(request.await)
}

/// Writes an SVG of `chart` to a file as PNG.
pub async fn png(svg: &str, to: &Path, engine: &Engine) -> Result<(), OpError> {
    let engine = engine.clone().without_store().with_policy(Policy::default());
    let script = "param svg: string  param to: path\nsvg >> chart.png(to: to) >> .width";
    let to = Value::Path(to.to_string_lossy().into());
    let request = engine.run(script).param("svg", Value::text(svg)).param("to", to);
    request.await.map_err(of_run).map(drop)
}

/// The SVG of a chart that a run returned.
pub fn drawn(value: &Value) -> Option<&str> {
    let text = match value {
        Value::Record(it) => it.get("text")?.as_str()?,
        other => other.as_str()?,
    };
    is_svg(text).then_some(text)
}

/// Whether a text is an SVG document.
pub(crate) fn is_svg(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("<svg") && text.trim_end().ends_with("</svg>")
}

async fn named(
    mark: &str,
    x: &str,
    asked: &ChartAsked,
    (table, rows): (&Table<Value>, Value),
    engine: &Engine,
) -> Result<String, OpError> {
    let rest =
        "param x: string  param y: string?  param color: string?  param wide: int  param tall: int
rows >> chart(mark: MARK, x: x, y: y, color: color, width: wide, height: tall) >> .text";
    let rest = rest.replace("MARK", &json::write(&Value::text(mark)));
    let script = script_over(table, &rest, engine);
    let or_null = |it: Option<&String>| it.map_or(Value::Null, |it| Value::text(it.as_str()));
    let request = engine
        .run(script.as_str())
        .param("rows", rows)
        .param("x", Value::text(x))
        .param("y", or_null(asked.columns.get(1)))
        .param("color", or_null(asked.color.as_ref()))
        .param("wide", int(asked.size.0))
        .param("tall", int(asked.size.1));
    text(request.await)
}

/// The first specification of `chart.suggest` that draws what is asked for.
async fn suggested(
    (table, rows): (&Table<Value>, Value),
    asked: &ChartAsked,
    engine: &Engine,
) -> Result<Value, OpError> {
    let script = script_over(table, "rows >> chart.suggest", engine);
    let found = engine.run(script.as_str()).param("rows", rows).await.map_err(of_run)?.value;
    let all = found.as_list().cloned().unwrap_or_default();
    // An area shows what a line shows.
    let wanted = asked.mark.as_deref().map(|it| if it == "area" { "line" } else { it });
    let mark = |it: &Value| it.as_record()?.get("mark")?.as_str().map(str::to_owned);
    let first =
        all.iter().find(|it| wanted.is_none_or(|wanted| mark(it).as_deref() == Some(wanted)));
    let Some(spec) = first.and_then(Value::as_record) else {
        let what = asked.mark.as_deref().unwrap_or("chart");
        let names: Vec<String> = table.names.iter().map(|it| format!("`{it}`")).collect();
        let message = format!("no {what} suits the columns {}", names.join(", "));
        return Err(OpError::invalid_input(message)
            .help("name the mark and the columns, as in `:chart bar city amount`"));
    };
    let mut fields: Vec<(Text, Value)> =
        spec.iter().map(|(name, it)| (name.clone(), it.clone())).collect();
    if let Some(mark) = &asked.mark {
        fields.retain(|it| it.0.as_ref() != "mark");
        fields.push(("mark".into(), Value::text(mark.as_str())));
    }
    fields.push(("width".into(), int(asked.size.0)));
    fields.push(("height".into(), int(asked.size.1)));
    Ok(Value::Record(fields.into_iter().collect::<Record>()))
}

/// The rows of a value; numbers alone are drawn in their order.
fn table(value: &Value) -> Result<Table<Value>, OpError> {
    let refused = |found: &str| {
        OpError::invalid_input(format!("expected a list of records or numbers, found {found}"))
    };
    let Some(list) = value.as_list() else { return Err(refused(value.kind())) };
    if list.is_empty() {
        return Err(refused("an empty list"));
    }
    let is_number = |it: &Value| {
        matches!(
            it,
            Value::Int(_) | Value::Float(_) | Value::Money(_) | Value::Duration(_) | Value::Null
        )
    };
    if !list.iter().all(is_number) {
        return list.columns().map_err(|err| rows::refused(err, refused));
    }
    let row = |(at, it): (usize, &Value)| {
        let fields = [("nr".into(), int(at + 1)), ("value".into(), it.clone())];
        Value::Record(fields.into_iter().collect::<Record>())
    };
    let rows: List = list.iter().enumerate().map(row).collect();
    rows.columns().map_err(Into::into)
}

/// The columns that are named, if any are.
fn chosen(table: Table<Value>, asked: &ChartAsked) -> Result<Table<Value>, OpError> {
    let names: Vec<Text> =
        asked.columns.iter().chain(&asked.color).map(|it| Text::from(it.as_str())).collect();
    if names.is_empty() {
        return Ok(table);
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in &names {
        columns.push(table.column(name).cloned().map_err(|err| {
            let failed = OpError::invalid_input(err.message);
            match err.help {
                Some(help) => failed.help(help),
                None => failed,
            }
        })?);
    }
    let rows = table.len();
    let mut seen: Vec<Text> = Vec::new();
    let (names, columns) = names
        .into_iter()
        .zip(columns)
        .filter(|(name, _)| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        })
        .unzip::<_, _, Vec<Text>, Vec<_>>();
    Ok(Table::new(names.into(), columns, rows))
}

fn int(it: usize) -> Value {
    Value::Int(i64::try_from(it).unwrap_or(i64::MAX))
}

fn text(done: Result<svc_engine::Response, Error>) -> Result<String, OpError> {
    let value = done.map_err(of_run)?.value;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

/// The failure of an op as one of the command.
fn of_run(error: Error) -> OpError {
    match error {
        Error::Run { error, .. } | Error::Input { error, .. } => error.error,
        Error::Check(report) => {
            let first = report.problems.first().map(|it| it.message.clone());
            OpError::failed(format!("cannot draw a chart: {}", first.unwrap_or_default()))
        }
        other => OpError::failed(other.to_string()),
    }
}
