//! The engine.

use std::{path::PathBuf, sync::Arc};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use serde::de::DeserializeOwned;
use svc::{
    Engine, Error, Request,
    diag::{Report, Source, Style},
    output::Planned,
    registry::OpError,
    value::Value,
};
use svc_bindings::{OpDeclaration, Rules, Run, RunOptions, Script, call_error};

use crate::{
    convert::from_python,
    failure::{Failure, failure, wrong_call},
    ops::{self, CallerLoop},
    run::{NativeRun, started},
};

/// An engine. It does not change: methods return changed ones.
#[pyclass(frozen, module = "svc._svc")]
pub(crate) struct NativeEngine(Engine);

#[pymethods]
impl NativeEngine {
    /// An engine with the rules of a policy as JSON, and a bound on the memory of each run.
    #[new]
    #[pyo3(signature = (rules=None, max_memory=None))]
    fn new(rules: Option<&str>, max_memory: Option<u64>) -> PyResult<Self> {
        let mut engine = svc::engine();
        if let Some(rules) = rules {
            let policy = data::<Rules>(rules).and_then(|it| it.policy());
            engine = engine.with_policy(policy.map_err(|err| value_error(&err))?);
        }
        if let Some(bytes) = max_memory {
            engine = engine.max_memory(bytes);
        }
        Ok(Self(engine))
    }

    /// This engine with the op that a function is; a failure if it cannot be added.
    fn with_op(
        &self,
        py: Python<'_>,
        declaration: &str,
        function: Py<PyAny>,
        is_async: bool,
    ) -> (Option<Self>, Option<Failure>) {
        let added = data::<OpDeclaration>(declaration).and_then(|it| {
            let make = if is_async { ops::async_op } else { ops::op };
            self.0.clone().with_ops([make(&self.0, &it, function)?])
        });
        match added {
            Ok(engine) => (Some(Self(engine)), None),
            Err(error) => (None, Some(wrong_call(py, error))),
        }
    }

    /// The verdict on a script as JSON, and its problems as text.
    #[pyo3(signature = (script, name=None, folder=None))]
    fn check(
        &self,
        py: Python<'_>,
        script: &str,
        name: Option<String>,
        folder: Option<PathBuf>,
    ) -> (String, String) {
        let script = Script { text: script.to_owned(), name, folder };
        let engine = &self.0;
        py.detach(|| {
            let verdict = engine.verdict(script.clone());
            let verdict = serde_json::to_string(&verdict).unwrap_or_default();
            let text = match engine.check(script) {
                Ok(checked) => shown(&checked.warnings),
                Err(report) => shown(&report),
            };
            (verdict, text)
        })
    }

    /// The plan of a run as JSON and as text, or a failure.
    fn plan(
        &self,
        py: Python<'_>,
        script: &str,
        options: &str,
        params: &Bound<'_, PyDict>,
    ) -> PyResult<(Option<Planning>, Option<Failure>)> {
        let given = given(params)?;
        let planned = py.detach(|| {
            let plan = request(&self.0, script, options, given)?.plan()?;
            let planned = Planned::of(&plan, &Report::new(Source::from(""), Vec::new()));
            let json = serde_json::to_string(&planned).unwrap_or_default();
            Ok((json, plan.show()))
        });
        Ok(match planned {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(failure(py, &error))),
        })
    }

    /// Starts a run. `caller` is the event loop for async functions, or None.
    #[pyo3(signature = (script, options, params, caller=None))]
    fn start(
        &self,
        py: Python<'_>,
        script: &str,
        options: &str,
        params: &Bound<'_, PyDict>,
        caller: Option<Py<PyAny>>,
    ) -> PyResult<(Option<NativeRun>, Option<Failure>)> {
        let given = given(params)?;
        let engine = self.0.clone().lend(Arc::new(CallerLoop(caller)));
        let run = py.detach(|| {
            let request = request(&engine, script, options, given)?;
            Run::start(request).map_err(call_error)
        });
        Ok(started(run, py))
    }

    /// The names of all components.
    fn components(&self) -> Vec<&'static str> {
        self.0.registry().components().iter().map(|it| it.name).collect()
    }
}

/// A plan as JSON and as text.
type Planning = (String, String);

/// A param with its value; the first input of a script has no name.
type Given = (Option<String>, Value);

fn given(params: &Bound<'_, PyDict>) -> PyResult<Vec<Given>> {
    let given = params.iter().map(|(name, it)| {
        let name: Option<String> = name.extract()?;
        let value = from_python(name.as_deref().unwrap_or("input"), &it)?;
        Ok((name, value))
    });
    given.collect()
}

fn request<'e>(
    engine: &'e Engine,
    script: &str,
    options: &str,
    given: Vec<Given>,
) -> Result<Request<'e>, Error> {
    let options: RunOptions = data(options).map_err(call_error)?;
    let request = engine.run(options.script(script));
    let request = given.into_iter().fold(request, |request, (name, value)| match name {
        Some(name) => request.param(&name, value),
        None => request.input(value),
    });
    options.applied(request).map_err(call_error)
}

fn data<T: DeserializeOwned>(json: &str) -> Result<T, OpError> {
    serde_json::from_str(json).map_err(|err| OpError::invalid_input(err.to_string()))
}

fn value_error(error: &OpError) -> PyErr {
    let help = error.help.as_ref().map_or_else(String::new, |it| format!("; {it}"));
    PyValueError::new_err(format!("{error}{help}"))
}

/// The problems as text; nothing if there are none.
fn shown(report: &Report) -> String {
    if report.problems.is_empty() { String::new() } else { report.render(Style::Plain) }
}
