//! The models of a run: read from the store when a call needs them, and kept with the run.

use svc_contract::{
    registry::{HintId, OpError},
    value::{Model, Value},
};

use super::Run;

impl Run {
    /// Reads the contents of the models in a value that are not in memory, and keeps all of its
    /// models with the run.
    pub(super) fn supply(&self, value: &Value) -> Result<(), OpError> {
        each(value, &mut |model| {
            if model.content().is_none() {
                self.read_model(model)?;
            }
            self.keep(model)
        })
    }

    /// Keeps the models in a value with the run.
    pub(super) fn keep_models(&self, value: &Value) -> Result<(), OpError> {
        each(value, &mut |model| self.keep(model))
    }

    fn keep(&self, model: &Model) -> Result<(), OpError> {
        self.records.as_ref().map_or(Ok(()), |it| it.keeps(model))
    }

    fn read_model(&self, model: &Model) -> Result<(), OpError> {
        let found = self.records.as_ref().map_or(Ok(None), |it| it.model(model.id()))?;
        let unknown =
            || OpError::not_found(format!("unknown model `{model}`")).help(HintId::LoadModel);
        if model.supply(found.ok_or_else(unknown)?) {
            return Ok(());
        }
        Err(OpError::bug(format!("the store returned another model than `{model}`")))
    }
}

/// Visits all models in a value.
fn each(
    value: &Value,
    visit: &mut impl FnMut(&Model) -> Result<(), OpError>,
) -> Result<(), OpError> {
    match value {
        Value::Model(it) => visit(it),
        Value::List(items) => items.iter().try_for_each(|it| each(it, visit)),
        Value::Record(record) => record.iter().try_for_each(|(_, it)| each(it, visit)),
        _ => Ok(()),
    }
}
