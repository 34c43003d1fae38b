//! Predictions for the rows of a table.

use svc_contract::{
    registry::{Cx, Field as _, OpError},
    value::{List, Value},
};

use super::{
    Prediction,
    encode::{Matrix, push_category, push_number, width},
    predict::highest,
    state::{Column, ColumnKind, Label, Predictor},
    table::Cell,
};

/// How many rows are encoded at once.
const CHUNK: usize = 1_000;

impl From<&Label> for Value {
    fn from(it: &Label) -> Self {
        match it {
            Label::Bool(it) => (*it).into(),
            Label::Int(it) => (*it).into(),
            Label::Float(it) => (*it).into(),
            Label::Text(it) => Self::text(it.as_str()),
        }
    }
}

pub(super) fn predictions(
    data: &List,
    predictor: &Predictor,
    cx: &Cx,
) -> Result<Vec<Value>, OpError> {
    for (idx, row) in data.iter().enumerate() {
        if row.as_record().is_none() {
            let message = format!("expected a record as row {}, found {}", idx + 1, row.kind());
            return Err(OpError::invalid_input(message).help("a table is a list of records"));
        }
    }
    let has = |column: &Column| {
        let mut records = data.iter().filter_map(Value::as_record);
        records.any(|it| it.has(&column.name))
    };
    if let Some(missing) = predictor.columns.iter().find(|it| !data.is_empty() && !has(it)) {
        let message = format!("missing column `{}`, which the model needs", missing.name);
        return Err(OpError::invalid_input(message));
    }
    let mut unknown = 0;
    let mut all = Vec::with_capacity(data.len());
    let rows: Vec<&Value> = data.iter().collect();
    for (at, chunk) in rows.chunks(CHUNK).enumerate() {
        let mut x = Matrix { width: width(&predictor.columns).max(1), cells: Vec::new() };
        for (idx, row) in chunk.iter().enumerate() {
            cx.check()?;
            for column in &predictor.columns {
                let value = row.as_record().and_then(|it| it.get(&column.name));
                let number = at * CHUNK + idx + 1;
                encode(&mut x.cells, column, value.unwrap_or(&Value::Null), number, &mut unknown)?;
            }
            if width(&predictor.columns) == 0 {
                x.cells.push(0.0);
            }
        }
        let outputs = predictor.labels.len().max(1);
        let scores = predictor.fitted.scores(&x, &predictor.scales, outputs, cx)?;
        all.extend(scores.iter().map(|it| prediction(it, &predictor.labels).encode()));
    }
    if unknown > 0 {
        cx.notice(format!("{unknown} cells have categories that the model does not know"));
    }
    Ok(all)
}

fn encode(
    cells: &mut Vec<f64>,
    column: &Column,
    value: &Value,
    row: usize,
    unknown: &mut usize,
) -> Result<(), OpError> {
    let cell = Cell::read(value, &column.name, row)?;
    match (&column.kind, cell) {
        (ColumnKind::Number { median, has_missing }, Cell::Number(it)) => {
            push_number(cells, *median, *has_missing, it);
        }
        (ColumnKind::Number { median, has_missing }, Cell::Missing) => {
            push_number(cells, *median, *has_missing, f64::NAN);
        }
        (ColumnKind::Number { .. }, Cell::Text(it)) => {
            let name = &column.name;
            let shown: String = it.chars().take(40).collect();
            let message = format!("expected a number for `{name}` in row {row}, found `{shown}`");
            return Err(OpError::invalid_input(message).help("the model was learnt from numbers"));
        }
        (ColumnKind::Category { values }, cell) => {
            let text = cell.text();
            let is_known = text.as_ref().is_none_or(|it| values.iter().any(|own| **own == **it));
            *unknown += usize::from(!is_known);
            push_category(cells, values, text.as_deref());
        }
    }
    Ok(())
}

fn prediction(scores: &[f64], labels: &[Label]) -> Prediction {
    let best = highest(scores);
    let score = scores.get(best).copied().unwrap_or(0.0);
    match labels.get(best) {
        Some(label) => Prediction { prediction: label.into(), probability: Some(score) },
        None => Prediction { prediction: score.into(), probability: None },
    }
}
