//! Reads the rows, and learns.

use std::collections::BTreeSet;

use svc_contract::{
    registry::{Cx, Field as _, OpError, Trained, nearest},
    value::{List, Metric, Record, Text, Value},
};
use svc_learn::{
    Stop, Trouble,
    textclf::{self, Quality, Settings},
};

use super::{Learn, state::TextClasses};

const MOST_ROWS: usize = 200_000;
const MOST_CLASSES: usize = 1_000;

pub(super) fn learn(op: &Learn, cx: &Cx) -> Result<Value, OpError> {
    let (texts, labels) = read(&op.rows.0, &op.text, &op.label, cx)?;
    let classes: Vec<String> = {
        let mut all: Vec<&String> = labels.iter().collect();
        all.sort();
        all.dedup();
        all.into_iter().cloned().collect()
    };
    if classes.len() > MOST_CLASSES {
        let found = classes.len();
        let message = format!("too many classes in `{}`: {found} (limit {MOST_CLASSES})", op.label);
        return Err(OpError::invalid_input(message)
            .help("check that the column has classes, or join rare ones"));
    }
    let of: Vec<usize> = labels.iter().map(|it| classes.binary_search(it).unwrap_or(0)).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let size = |it: i64| usize::try_from(it).unwrap_or(1);
    let settings = Settings {
        ngram: size(op.ngram),
        char_ngram: size(op.char_ngram),
        cost: op.cost,
        folds: size(op.folds),
        seed: op.seed.cast_unsigned(),
    };
    let stop = Stop(&|| cx.check().is_err());
    let (model, quality) =
        textclf::learn(&texts, &of, classes, settings, &stop).map_err(|err| wrong(err, cx))?;
    let metrics = metrics(&quality, &model.labels, texts.len());
    Ok(Trained::learn(&TextClasses(model), texts.len(), metrics)?.encode())
}

fn wrong(trouble: Trouble, cx: &Cx) -> OpError {
    if let (true, Err(stopped)) = (trouble.is_stopped, cx.check()) {
        return stopped;
    }
    let failed = OpError::invalid_input(trouble.message);
    match trouble.help {
        Some(help) => failed.help(help),
        None => failed,
    }
}

fn metrics(quality: &[Quality], labels: &[String], rows: usize) -> Vec<Metric> {
    const MOST: usize = 20;
    let of = |name: String, value| Metric {
        name: name.into(),
        value,
        low: None,
        high: None,
        n: rows as u64,
    };
    let mut all = Vec::new();
    for it in quality {
        all.push(of(format!("mean F1 of {}, cross-validated", it.method.name()), it.macro_f1));
    }
    if let Some(best) = quality.first() {
        all.push(of("accuracy, cross-validated".to_owned(), best.accuracy));
        let each = labels.iter().zip(&best.f1).take(MOST);
        all.extend(each.map(|(label, f1)| of(format!("F1 of {label}, cross-validated"), *f1)));
    }
    all
}

/// The texts and the classes of the rows that have both.
fn read(
    rows: &List,
    text: &str,
    label: &str,
    cx: &Cx,
) -> Result<(Vec<Text>, Vec<String>), OpError> {
    if rows.is_empty() {
        return Err(OpError::invalid_input("expected a table with rows, found an empty one"));
    }
    if rows.len() > MOST_ROWS {
        let message = format!("too many rows: {} (limit {MOST_ROWS})", rows.len());
        return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
    }
    let mut names: BTreeSet<Text> = BTreeSet::new();
    let (mut texts, mut labels) = (Vec::new(), Vec::new());
    let (mut has_text, mut has_label) = (false, false);
    for (row, value) in rows.iter().enumerate() {
        cx.check()?;
        let record = value.as_record().ok_or_else(|| {
            let message = format!("expected a record as row {}, found {}", row + 1, value.kind());
            OpError::invalid_input(message).help("a table is a list of records")
        })?;
        has_text |= record.has(text);
        has_label |= record.has(label);
        if !(has_text && has_label) {
            names.extend(record.iter().map(|it| it.0.clone()));
        }
        if let (Some(text), Some(label)) =
            (text_of(record, text, row)?, label_of(record, label, row)?)
        {
            texts.push(text);
            labels.push(label);
        }
    }
    if let Some(missing) = [(has_text, text), (has_label, label)].iter().find(|it| !it.0) {
        let known: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let help = match nearest(missing.1, known.iter().copied()) {
            Some(it) => format!("did you mean `{it}`?"),
            None => format!(
                "use one of: {}",
                known.iter().take(20).copied().collect::<Vec<_>>().join(", ")
            ),
        };
        return Err(OpError::invalid_input(format!("missing column `{}`", missing.1)).help(help));
    }
    if texts.len() < rows.len() {
        let count = rows.len() - texts.len();
        cx.notice(format!("{count} rows without a text or a class were left out"));
    }
    Ok((texts, labels))
}

fn text_of(record: &Record, name: &str, row: usize) -> Result<Option<Text>, OpError> {
    match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(it)) => Ok(Some(it.clone()).filter(|it| !it.trim().is_empty())),
        Some(other) => {
            let message =
                format!("expected a text for `{name}` in row {}, found {}", row + 1, other.kind());
            Err(OpError::invalid_input(message).help("choose the column of the texts"))
        }
    }
}

fn label_of(record: &Record, name: &str, row: usize) -> Result<Option<String>, OpError> {
    match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(it)) => Ok(Some(it.to_string()).filter(|it| !it.trim().is_empty())),
        Some(Value::Int(it)) => Ok(Some(it.to_string())),
        Some(Value::Bool(it)) => Ok(Some(it.to_string())),
        Some(Value::Float(it)) if it.fract() == 0.0 => Ok(Some(it.to_string())),
        Some(other) => {
            let message = format!(
                "expected a text, a whole number or a boolean for `{name}` in row {}, found {}",
                row + 1,
                other.kind()
            );
            Err(OpError::invalid_input(message).help("choose the column of the classes"))
        }
    }
}
