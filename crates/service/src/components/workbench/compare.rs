//! The differences between two jobs, or two versions of one.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Tool, params,
        record,
    },
    value::{Text, Value},
};
use svc_store::book::JobRow;

use super::{
    Bench, READS, outside,
    view::{Check, checks},
};
use crate::Fault;

/// The most differences that are shown.
const MOST: usize = 500;

record! {
    /// A difference.
    struct Difference {
        /// The place: `inputs.most`, `result.items[2]`.
        path: String,
        /// The first value; null if it has none.
        before: Value,
        /// The second value.
        after: Value,
    }
}

record! {
    /// The differences between two jobs.
    struct Compared {
        /// The fields that differ, at most 500.
        fields: Vec<Difference>,
        /// The tests of the second one that the first one does not pass, or the other way round.
        checks: Vec<Check>,
    }
}

params! {
    /// Compares a job with another one, or with another version of itself, field by field.
    pub(super) struct Compare {
        /// The job.
        job_id: Text,
        /// Another job, or the number of a version of this one.
        other: Text,
    }
}

impl Op for Compare {
    const NAME: &'static str = "compare";
    const YIELDS: Scheme = Compared::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] = &[
        "compare two jobs",
        "what changed between versions of a job",
        "difference of two results",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_compare"));
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.compare("job_1", other: "1")"#);
}

impl Compute for Compare {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        let one = jobs.job(&bench.owner, &self.job_id, None)?;
        let other = match self.other.parse::<u32>() {
            Ok(version) => jobs.job(&bench.owner, &self.job_id, Some(version))?,
            Err(_) => jobs.job(&bench.owner, &self.other, None)?,
        };
        let (before, tests_before) = parts(&bench, &one)?;
        let (after, tests_after) = parts(&bench, &other)?;
        let mut fields = Vec::new();
        differences("", &before, &after, &mut fields);
        fields.truncate(MOST);
        let known: BTreeMap<&str, bool> =
            tests_before.iter().map(|it| (it.name.as_str(), it.passed)).collect();
        let differs = |it: &&Check| known.get(it.name.as_str()) != Some(&it.passed);
        let checks = tests_after.iter().filter(differs).cloned().collect();
        Ok(Compared { fields, checks }.encode())
    }
}

/// The inputs and the result of a job as one value, and its tests.
fn parts(bench: &Bench, row: &JobRow) -> Result<(Value, Vec<Check>), Fault> {
    let jobs = bench.jobs()?;
    let result = jobs.result(row)?;
    let checks = checks(row, result.as_ref())?;
    let fields: [(Text, Value); 2] =
        [("inputs".into(), jobs.input(row)?), ("result".into(), result.unwrap_or_default())];
    Ok((Value::Record(fields.into_iter().collect()), checks))
}

/// The places where two values differ, in their order.
fn differences(path: &str, before: &Value, after: &Value, found: &mut Vec<Difference>) {
    if before == after || found.len() > MOST {
        return;
    }
    match (before, after) {
        (Value::Record(one), Value::Record(two)) => {
            let new = two.iter().filter(|(name, _)| one.get(name).is_none());
            for (name, _) in one.iter().chain(new) {
                let path =
                    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                let value = |of: &svc_contract::value::Record| of.get(name).cloned();
                let (before, after) = (value(one), value(two));
                let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
                differences(&path, &before, &after, found);
            }
        }
        (Value::List(one), Value::List(two)) => {
            let (mut one, mut two) = (one.iter(), two.iter());
            let mut next = || (one.next().cloned(), two.next().cloned());
            let mut idx = 0;
            while let (before, after) = next()
                && (before.is_some() || after.is_some())
            {
                let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
                differences(&format!("{path}[{idx}]"), &before, &after, found);
                idx += 1;
            }
        }
        _ => found.push(Difference {
            path: path.to_owned(),
            before: before.clone(),
            after: after.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    #[test]
    fn each_place_that_differs_is_named() {
        let of = |it: &str| json::read(it).unwrap();
        let mut found = Vec::new();
        let (one, two) = (r#"{"a":{"b":1,"c":[1,2]},"d":3}"#, r#"{"a":{"b":2,"c":[1]},"e":3}"#);
        differences("", &of(one), &of(two), &mut found);
        let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["a.b", "a.c[1]", "d", "e"]);
    }
}
