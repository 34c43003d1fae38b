//! Cases of a component as files, and what becomes cases.

use svc_contract::{
    registry::OpError,
    value::{Value, json},
};
use svc_text::dates::rfc3339;

use crate::{
    biases::failed,
    cases::{Asks, Case, Cases, Part, read_lines, test_set},
    knobs::Knobs,
    layers::Subject,
    score::Score,
    value::object,
    work::Work,
};

/// The cases of a component by where they are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseCounts {
    pub train: usize,
    pub validation: usize,
    pub sealed: usize,
    /// How often the sealed ones were used since they were drawn.
    pub attempts: u64,
}

impl Work {
    /// How many cases a component has.
    pub fn case_counts(&self, component: &str) -> Result<CaseCounts, OpError> {
        let subject = Subject::of(&self.biases, &self.engine, component)?;
        let count = |part| subject.part(part).len();
        Ok(CaseCounts {
            train: count(Part::Train),
            validation: count(Part::Validation),
            sealed: count(Part::Sealed),
            attempts: subject.row.attempts,
        })
    }

    /// Draws again which cases of a component are sealed.
    pub fn redraw(&self, component: &str) -> Result<u64, OpError> {
        let knobs = Knobs::of(self.engine.registry(), component)?;
        let now = self.engine.host().now();
        self.biases.book().redraw_bias(knobs.component.name.to_owned(), now).wait().map_err(failed)
    }

    /// The cases of a component as a test-set file.
    pub fn test_set(&self, component: &str) -> Result<String, OpError> {
        let subject = Subject::of(&self.biases, &self.engine, component)?;
        let all: Vec<&Case> = subject.cases.all.iter().collect();
        let date = rfc3339(self.engine.host().now());
        Ok(test_set::write(subject.name(), &date[..10], &all))
    }

    /// The lines of the cases in a file: JSON Lines, or a test set.
    pub fn read_cases(&self, component: &str, text: &str) -> Result<Vec<String>, OpError> {
        let knobs = Knobs::of(self.engine.registry(), component)?;
        let own = knobs.component;
        let op_of = |name: &str| {
            let op = own.ops.iter().find(|it| {
                it.tool.is_some_and(|it| it.name == name)
                    || name.strip_prefix(own.name).and_then(|it| it.strip_prefix('.'))
                        == Some(it.name)
            });
            op.map(|it| it.name.to_owned())
        };
        let is_set =
            json::read(text).is_ok_and(|it| it.as_record().is_some_and(|it| it.has("cases")));
        let cases = if is_set {
            test_set::read(text, &op_of).map_err(OpError::invalid_input)?
        } else {
            let read = read_lines(text, false);
            read.map_err(|err| OpError::invalid_input(format!("line {}: {}", err.line, err.why)))?
        };
        for case in &cases {
            if let Asks::Op { op, .. } = &case.asks
                && !own.ops.iter().any(|it| it.name == op)
            {
                let message = format!("case `{}`: `{}` has no op `{op}`", case.name, own.name);
                return Err(OpError::invalid_input(message));
            }
        }
        Ok(cases.iter().map(Case::line).collect())
    }

    /// The calls of a component in a stored run, as cases that expect the same results. `calls` are the op,
    /// the arguments and the result of each.
    pub fn cases_of_calls(
        &self,
        component: &str,
        calls: Vec<(String, Value, Value)>,
    ) -> Result<Vec<String>, OpError> {
        Knobs::of(self.engine.registry(), component)?;
        let lines = calls.into_iter().map(|(op, args, result)| {
            let score = if result.as_list().is_some() { Score::F1 } else { Score::Equal };
            json::write(&object([
                ("op", op.into()),
                ("input", args),
                ("expected", result),
                ("score", score.name().into()),
            ]))
        });
        let text = lines.collect::<Vec<String>>().join("\n");
        let cases = read_lines(&text, false)
            .map_err(|err| OpError::invalid_input(format!("call {}: {}", err.line, err.why)))?;
        let mut seen = std::collections::BTreeSet::new();
        let own = cases.iter().filter(|it| seen.insert(it.digest)).map(Case::line);
        Ok(own.collect())
    }

    /// The file of a project with the cases of a component.
    pub fn file_of_cases(component: &str) -> std::path::PathBuf {
        Cases::file_of(component)
    }
}
