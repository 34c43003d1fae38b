//! Finds the rows of a table that mean the same thing.

use svc_columns::Other as _;
use svc_contract::{
    registry::{
        AnyRows, Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Tool, Trained,
        params, record,
    },
    value::{List, Text, Value},
};

use super::{
    learn::Weights,
    linkage::{self, Chances, Columns},
};
use crate::rows::Frame;

/// The most columns that are compared.
const MOST_KEYS: usize = 12;

record! {
    /// Rows that mean the same thing.
    struct Cluster {
        /// Their places in the table, from 0.
        rows: Vec<i64>,
        /// The mean probability that its linked pairs mean the same.
        score: f64,
    }
}

params! {
    /// Finds rows that mean the same thing although they are not equal: people, companies, products.
    ///
    /// Rows are compared in the columns `keys`, without regard to case, accents, marks and double space: texts by
    /// Jaro-Winkler, numbers and dates by the digits that differ; texts with other numbers are similar at most. How much an agreement weighs follows from
    /// the table itself, by expectation maximization (Fellegi and Sunter 1969), or from pairs that `learn`
    /// was shown, as `model`. Agreement in a rare text weighs more. Only rows that agree in some key are compared:
    /// a whole cell, or the sound of one together with the start of another one.
    ///
    /// Each result has two rows or more; rows without a double are in none. To keep one row of each, drop all but
    /// the first row of each result. At most 5,000,000 pairs of rows are compared.
    pub(super) struct Dedupe {
        /// The rows.
        rows: AnyRows,
        /// The columns to compare; by default all, or those of the model.
        keys: Vec<Text> = Vec::new(),
        /// The probability from which a pair means the same.
        #[tune]
        #[range(0.5..=1.0)]
        threshold: f64 = 0.9,
        /// How many letters two starts must share for rows to be compared.
        #[tune]
        #[range(1..=6)]
        block: i64 = 3,
        /// What `adapt_quality.learn` returned.
        model: Option<Trained<Weights>> = None,
    }
}

impl Op for Dedupe {
    const NAME: &'static str = "dedupe";
    const YIELDS: Scheme = Scheme::List(&Cluster::SCHEME, Max::Input);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const TOOL: Option<Tool> = Some(Tool::builder("deduplicate_records"));
    const SAYS: &'static [&'static str] = &[
        "find duplicate customers",
        "record linkage",
        "rows that mean the same person",
        "fuzzy duplicates in a table",
        "entity resolution",
        "merge records with typos in names",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typo",
            r#"[
    { name: "Anna Kowalski", born: "1980-02-03", city: "Bonn" },
    { name: "Peter Blau", born: "1975-11-30", city: "Kiel" },
    { name: "Ana Kowalski", born: "1980-02-03", city: "Bonn" },
    { name: "Rosa Lind", born: "1990-07-21", city: "Bonn" },
] >> profile.dedupe >> each { .rows }"#,
            "[[0,2]]",
        ),
        Example::err(
            "A column that is not there",
            r#"[{ name: "x" }] >> profile.dedupe(keys: ["mail"])"#,
            "column `mail`",
        ),
    ];
}

impl Compute for Dedupe {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let weights = self.model.as_ref().map(Trained::state).transpose()?;
        let keys: Vec<Text> = match &weights {
            Some(it) => it.columns.iter().map(|it| it.as_str().into()).collect(),
            None if self.keys.is_empty() => table.names.to_vec(),
            None => self.keys,
        };
        if keys.len() > MOST_KEYS {
            let message =
                format!("too many columns to compare ({}, limit {MOST_KEYS})", keys.len());
            return Err(OpError::invalid_input(message).help("name the ones that matter as `keys`"));
        }
        if table.is_empty() {
            return Ok(Value::List(List::default()));
        }
        let columns = columns(&table, &keys)?;
        let prefix = usize::try_from(self.block).unwrap_or(3);
        let pairs = columns.candidates(prefix, cx)?;
        let levels = columns.compared(&pairs, cx)?;
        let (weights, prior) = if let Some(known) = weights {
            let chances: Vec<Chances> = known.chances()?;
            let weights = columns.weights(&pairs, &levels, &chances);
            let prior = linkage::prior(&weights);
            (weights, prior)
        } else {
            let (chances, prior) = linkage::fit(&levels, &columns.at_random(), table.len(), cx)?;
            (columns.weights(&pairs, &levels, &chances), prior)
        };
        let scored = pairs.iter().zip(&weights).zip(levels.chunks(keys.len().max(1)));
        let linked = scored.filter_map(|((pair, weight), levels)| {
            // What is equal in all columns is the same, however frequent it is.
            let is_equal = levels.iter().all(|it| *it == 0);
            let score = if is_equal { 1.0 } else { linkage::probability(*weight, prior) };
            (score >= self.threshold).then_some((*pair, score))
        });
        let linked: Vec<((u32, u32), f64)> = linked.collect();
        let found = linkage::clusters(table.len(), &linked);
        let found = found.into_iter().map(|(rows, score)| Cluster {
            rows: rows.into_iter().filter_map(|it| i64::try_from(it).ok()).collect(),
            score: (score * 1e6).round() / 1e6,
        });
        Ok(found.collect::<Vec<_>>().encode())
    }
}

/// The cells of these columns.
pub(super) fn columns(table: &Frame, keys: &[Text]) -> Result<Columns, OpError> {
    let all = table.columns_of(keys).map_err(|err| {
        let failed = OpError::invalid_input(err.message);
        match err.help {
            Some(help) => failed.help(help),
            None => failed,
        }
    })?;
    let cells = all.into_iter().map(|it| it.cells().map(Value::of).collect());
    Ok(Columns::new(cells, table.len()))
}
