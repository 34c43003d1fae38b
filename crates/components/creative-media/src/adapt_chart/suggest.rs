//! Which charts suit a table.

use svc_columns::{Column, groups};
use svc_contract::{
    registry::{AnyRows, Compute, Cx, ErrorKind, Example, Max, Op, OpError, Scheme, params},
    value::{Record, Text, Value},
};

use super::{
    data::{Axis, Values},
    scale::Unit,
};

/// The most suggestions.
const MOST: usize = 6;

/// The most words of an axis that are read at a glance.
const FEW: usize = 30;

params! {
    /// Suggests charts for a table, the most telling one first, as specifications for `chart.spec`.
    ///
    /// Times are drawn as lines, words as bars and boxes, two columns of numbers as points, and one as a
    /// histogram. Columns that are named in `goal` come first, and so do marks: `trend`, `distribution`,
    /// `compare`, `share`, `relation`. Columns with a different word in each row are not drawn.
    pub(super) struct Suggest {
        /// The rows.
        rows: AnyRows,
        /// What the chart is for, in words.
        goal: Option<Text> = None,
    }
}

impl Op for Suggest {
    const NAME: &'static str = "suggest";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "which chart suits my data",
        "a visualisation that fits a table",
        "how should I plot this table",
        "recommend charts",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "Times, words, numbers",
        r#"[{ day: "2026-01-01", city: "Bonn", n: 3 }, { day: "2026-01-02", city: "Kiel", n: 5 }, { day: "2026-01-03", city: "Bonn", n: 4 }]
    >> chart.suggest >> each { at(path: "mark") }"#,
        r#"["line","bar","box","histogram"]"#,
    )];
}

/// What a column is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Time,
    Number,
    Word,
}

impl Compute for Suggest {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let goal = self.goal.as_deref().unwrap_or_default().to_lowercase();
        let mut columns: Vec<(Text, Role)> = Vec::new();
        for (name, column) in table.names.iter().zip(&table.columns) {
            cx.check()?;
            let axis = Axis::read(&table, name, false)?;
            let role = match &axis.values {
                Values::Numbers(_, Unit::Time) => Role::Time,
                // Numbers that only count the rows say nothing.
                Values::Numbers(..) if is_counter(name, column) => continue,
                Values::Numbers(..) => Role::Number,
                Values::Words { names, .. } if (1..=FEW).contains(&names.len()) => Role::Word,
                Values::Words { .. } => continue,
            };
            columns.push((name.clone(), role));
        }
        let words =
            format!(" {} ", goal.replace(|it: char| !it.is_alphanumeric() && it != '_', " "));
        let is_named = |it: &Text| words.contains(&format!(" {} ", it.to_lowercase()));
        columns.sort_by_key(|it| !is_named(&it.0));
        let of = |role: Role| columns.iter().filter(move |it| it.1 == role).map(|it| it.0.clone());
        let (time, number, word) =
            (of(Role::Time).next(), of(Role::Number).next(), of(Role::Word).next());
        let other_number = of(Role::Number).nth(1);
        let mut found: Vec<(&str, Value)> = Vec::new();
        if let (Some(time), Some(number)) = (&time, &number) {
            let color = word.clone().filter(|it| is_named(it) || goal.is_empty());
            let color = color.filter(|_| !goal.is_empty());
            found.push(("trend", chart("line", time, Some((number, None)), color.as_ref())));
        }
        if let (Some(word), Some(number)) = (&word, &number) {
            found.push(("compare", chart("bar", word, Some((number, Some("sum"))), None)));
            found.push(("distribution", chart("box", word, Some((number, None)), None)));
        }
        if let (Some(a), Some(b)) = (&number, &other_number) {
            found.push(("relation", chart("point", a, Some((b, None)), word.as_ref())));
        }
        if let Some(number) = &number {
            found.push(("distribution", chart("histogram", number, None, None)));
        }
        if let (Some(word), None) = (&word, &number) {
            found.push(("compare", chart("bar", word, None, None)));
            found.push(("share", chart("arc", word, None, None)));
        }
        found.sort_by_key(|it| !goal.contains(it.0));
        let all: Vec<Value> = found.into_iter().take(MOST).map(|it| it.1).collect();
        Ok(Value::from(all))
    }
}

/// Whether a column of ints is different in each row, and is called as keys are.
fn is_counter(name: &Text, column: &Column<Value>) -> bool {
    let name = name.to_lowercase();
    let is_key = name == "id" || name.ends_with("_id") || name == "key" || name == "index";
    is_key && groups(&[column], column.len()).count() == column.len()
}

/// The arguments of `chart`: also a specification for `chart.spec`.
fn chart(mark: &str, x: &Text, y: Option<(&Text, Option<&str>)>, color: Option<&Text>) -> Value {
    let object = |fields: Vec<(&str, Value)>| {
        let fields = fields.into_iter().map(|(name, it)| (Text::from(name), it));
        Value::Record(fields.collect::<Record>())
    };
    let is_histogram = mark == "histogram";
    let mut across = vec![("field", Value::Text(x.clone()))];
    if is_histogram {
        across.push(("bin", Value::Bool(true)));
    }
    let words = object(across);
    let up = match y {
        Some((name, aggregate)) => {
            let mut up = vec![("field", Value::Text(name.clone()))];
            up.extend(aggregate.map(|it| ("aggregate", Value::from(it))));
            object(up)
        }
        None => object(vec![("aggregate", "count".into())]),
    };
    let mut encoding = match mark {
        "arc" => vec![("theta", up), ("color", words)],
        _ => vec![("x", words), ("y", up)],
    };
    if let Some(color) = color {
        encoding.push(("color", object(vec![("field", Value::Text(color.clone()))])));
    }
    object(vec![("mark", mark.into()), ("encoding", object(encoding))])
}
