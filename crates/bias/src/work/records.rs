//! What is kept of changes: versions, fronts, the log, and the state of the layers.

use svc_contract::{
    registry::OpError,
    value::{Value, json},
};
use svc_text::dates::rfc3339;

use super::Work;
use crate::{
    biases::failed,
    candidate::Record,
    cases::Part,
    knobs::{Changes, Knobs, shown},
    layers::{FEWEST_SEALED, LAYERS},
    principles::PRINCIPLES,
    value::{object, rounded},
};

impl Work {
    /// The versions of a component, the latest first.
    pub fn history(&self, component: &str, limit: usize) -> Result<Value, OpError> {
        let knobs = self.knobs(component)?;
        let versions =
            self.biases.book().bias_versions(knobs.component.name, limit).map_err(failed)?;
        let each = versions.iter().map(|it| {
            object([
                ("version", it.version.into()),
                ("timestamp", rfc3339(it.at).into()),
                ("summary", it.summary.clone().into()),
            ])
        });
        Ok(Value::List(each.collect()))
    }

    /// The candidates of the last evolution that no other one beats.
    pub fn frontier(&self, component: &str) -> Result<Value, OpError> {
        let knobs = self.knobs(component)?;
        let kept = self.biases.book().bias_frontier(knobs.component.name).map_err(failed)?;
        let (row, active) = self.biases.active(&knobs)?;
        let each = kept.iter().map(|it| {
            let (changes, _) = crate::biases::read_params(&knobs, &it.params);
            let version = super::version_of(&changes, (row.active, &active));
            let score = json::read(&it.score).ok();
            let score = score.as_ref().and_then(|it| it.as_record()?.get("score").cloned());
            let bias = Record { changes, version }.value(&knobs);
            object([("bias", bias), ("score", score.unwrap_or_default())])
        });
        Ok(Value::List(each.collect()))
    }

    /// What is measured of the candidates of the frontier, for a plot.
    pub fn measured_frontier(&self, component: &str) -> Result<Vec<(String, Value)>, OpError> {
        let knobs = self.knobs(component)?;
        let kept = self.biases.book().bias_frontier(knobs.component.name).map_err(failed)?;
        let each = kept.iter().map(|it| {
            let (changes, _) = crate::biases::read_params(&knobs, &it.params);
            (shown(&changes), json::read(&it.score).unwrap_or_default())
        });
        Ok(each.collect())
    }

    /// How two versions differ.
    pub fn compare(&self, component: &str, a: i64, b: i64) -> Result<Value, OpError> {
        let knobs = self.knobs(component)?;
        let name = knobs.component.name;
        let active = self.biases.book().bias(name).map_err(failed)?.active;
        let read = |version: i64| -> Result<(u64, Changes), OpError> {
            let version = self.version_at(name, active, version)?;
            Ok((version, self.biases.changes_of(&knobs, version)?))
        };
        let (a, b) = (read(a)?, read(b)?);
        let value = |of: &Changes, name: &str| {
            let knob = knobs.find(name);
            of.get(name).cloned().or_else(|| knob.map(|it| it.default.clone())).unwrap_or_default()
        };
        let diff = crate::principles::differing(&a.1, &b.1).into_iter().map(|name| {
            let both = object([("a", value(&a.1, &name)), ("b", value(&b.1, &name))]);
            (name.into(), both)
        });
        let bias = |(version, changes): &(u64, Changes)| {
            Record { changes: changes.clone(), version: *version }.value(&knobs)
        };
        Ok(object([("diff", Value::Record(diff.collect())), ("a", bias(&a)), ("b", bias(&b))]))
    }

    /// The state of the safety layers.
    pub fn safety_status(&self) -> Result<Value, OpError> {
        let with_cases = Knobs::tunable(self.engine.registry());
        let sealed = with_cases.iter().filter(|it| {
            self.subject(it.name).is_ok_and(|it| it.part(Part::Sealed).len() >= FEWEST_SEALED)
        });
        let sealed = sealed.count();
        let each = LAYERS.iter().enumerate().map(|(idx, (name, what))| {
            let (is_available, status) = match idx {
                3 if sealed == 0 => (false, "no component has enough sealed cases".to_owned()),
                3 => (true, format!("{what}; {sealed} components have enough")),
                _ => (true, (*what).to_owned()),
            };
            object([
                ("name", (*name).into()),
                ("available", is_available.into()),
                ("status", status.into()),
            ])
        });
        Ok(object([("layers", Value::List(each.collect())), ("required", LAYERS.len().into())]))
    }

    /// What is measured by each principle.
    pub fn principles() -> Value {
        let each = PRINCIPLES.iter().map(|(_, name, what)| ((*name).into(), (*what).into()));
        object([("principles", Value::Record(each.collect()))])
    }

    /// What was counted of changes.
    pub fn metrics(&self, component: Option<&str>) -> Result<Value, OpError> {
        let component = component.filter(|it| !it.is_empty());
        let component =
            component.map(|it| self.knobs(it).map(|it| it.component.name)).transpose()?;
        let log = self.biases.book().bias_log(component, None, usize::MAX).map_err(failed)?;
        let count = |is: &dyn Fn(&svc_store::book::BiasEntry) -> bool| -> usize {
            log.iter().filter(|it| is(it)).count()
        };
        let applied = count(&|it| it.op == "apply" && it.outcome == "done");
        let imported = count(&|it| it.op == "import" && it.outcome == "done");
        let refused =
            count(&|it| matches!(it.op.as_str(), "apply" | "import") && it.outcome == "refused");
        let rollbacks = count(&|it| matches!(it.op.as_str(), "rollback" | "self_heal"));
        // How many of the four layers candidates passed, as a share.
        let passed = |it: &svc_store::book::BiasEntry| match it.outcome.as_str() {
            "done" => 4,
            _ => LAYERS.iter().position(|layer| it.detail.starts_with(layer.0)).unwrap_or(0),
        };
        let scores: Vec<f64> = log
            .iter()
            .filter(|it| it.op == "apply")
            .map(|it| f64::from(u8::try_from(passed(it)).unwrap_or(0)) / 4.0)
            .collect();
        Ok(object([
            ("total_mutations", (applied + imported + refused).into()),
            ("successful", (applied + imported).into()),
            ("rejected", refused.into()),
            ("rollbacks", rollbacks.into()),
            ("avg_safety_score", rounded(crate::stats::mean(&scores))),
        ]))
    }

    /// The latest entries of the log, the latest first.
    pub fn audit_log(
        &self,
        component: Option<&str>,
        limit: usize,
        since: Option<i64>,
    ) -> Result<Value, OpError> {
        let component = component.filter(|it| !it.is_empty());
        let component =
            component.map(|it| self.knobs(it).map(|it| it.component.name)).transpose()?;
        let log = self.biases.book().bias_log(component, since, limit).map_err(failed)?;
        let each = log.iter().map(|it| {
            object([
                ("timestamp", rfc3339(it.at).into()),
                ("component", it.component.clone().into()),
                ("op", it.op.clone().into()),
                ("version", it.version.into()),
                ("outcome", it.outcome.clone().into()),
                ("detail", it.detail.clone().into()),
            ])
        });
        Ok(Value::List(each.collect()))
    }
}
