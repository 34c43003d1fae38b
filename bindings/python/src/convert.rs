//! Values of Python and values of the language.

use std::time::Duration;

use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};
use svc::value::{Money, Record, Text, Type, Value};

/// Deeper values are refused: a list that contains itself has no end.
const DEEPEST: usize = 256;

/// Who reads a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// An op, which gets the secrets that it declares.
    Op,
    /// The caller of a run, for whom secrets are stars.
    Caller,
}

/// The value as an object of Python.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &Value,
    reader: Reader,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(it) => PyBool::new(py, *it).to_owned().into_any(),
        Value::Int(it) => it.into_pyobject(py)?.into_any(),
        Value::Size(it) => it.into_pyobject(py)?.into_any(),
        Value::Float(it) => PyFloat::new(py, *it).into_any(),
        Value::Duration(it) => it.into_pyobject(py)?.into_any(),
        Value::Time(it) => {
            // What Python 3.9 reads: no `Z`, and microseconds.
            let text = it.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string();
            moment(py, &DATETIME, "datetime", &text, value)?
        }
        Value::Date(it) => moment(py, &DATE, "date", &it.to_string(), value)?,
        Value::Money(it) => decimal(py)?.call1((it.to_string().replace('$', ""),))?,
        Value::Text(it) | Value::Path(it) => PyString::new(py, it).into_any(),
        Value::Bytes(it) => PyBytes::new(py, it).into_any(),
        Value::List(items) => {
            let items: PyResult<Vec<_>> =
                items.iter().map(|it| to_python(py, it, reader)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Value::Record(record) => {
            let dict = PyDict::new(py);
            for (name, it) in record.iter() {
                dict.set_item(name.as_ref(), to_python(py, it, reader)?)?;
            }
            dict.into_any()
        }
        Value::Secret(it) if reader == Reader::Op => PyString::new(py, it.reveal()).into_any(),
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
            PyString::new(py, &value.to_string()).into_any()
        }
    })
}

/// An object of Python as a value; the error names its place below `name`.
pub(crate) fn from_python(name: &str, it: &Bound<'_, PyAny>) -> PyResult<Value> {
    Place { name, steps: Vec::new() }.value(it)
}

/// The place of a nested object, for messages.
struct Place<'a> {
    name: &'a str,
    steps: Vec<String>,
}

impl Place<'_> {
    fn value(&mut self, it: &Bound<'_, PyAny>) -> PyResult<Value> {
        if it.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(it) = it.cast::<PyBool>() {
            return Ok(Value::Bool(it.is_true()));
        }
        if let Ok(it) = it.cast::<PyString>() {
            let text = it.to_cow().map_err(|_| self.wrong("text of Unicode characters"))?;
            return Ok(Value::text(text.as_ref()));
        }
        if it.is_instance_of::<PyInt>() {
            return it.extract().map(Value::Int).map_err(|_| self.wrong("an int of 64 bits"));
        }
        if let Ok(it) = it.cast::<PyFloat>() {
            let number = it.value();
            return if number.is_finite() {
                Ok(Value::Float(number))
            } else {
                Err(self.wrong("a finite float"))
            };
        }
        self.nested(it)
    }

    fn nested(&mut self, it: &Bound<'_, PyAny>) -> PyResult<Value> {
        if self.steps.len() >= DEEPEST {
            let message = format!("`{}` is nested too deeply (limit {DEEPEST})", self.name);
            return Err(PyValueError::new_err(message));
        }
        if let Ok(dict) = it.cast::<PyDict>() {
            return self.record(dict.iter());
        }
        if it.is_instance_of::<PyList>() || it.is_instance_of::<PyTuple>() {
            return self.list(it);
        }
        if let Ok(it) = it.cast::<PyBytes>() {
            return Ok(Value::Bytes(it.as_bytes().into()));
        }
        if let Ok(it) = it.cast::<PyByteArray>() {
            return Ok(Value::Bytes(it.to_vec().into()));
        }
        self.other(it)
    }

    fn list(&mut self, items: &Bound<'_, PyAny>) -> PyResult<Value> {
        let mut all = Vec::with_capacity(items.len()?);
        for (idx, it) in items.try_iter()?.enumerate() {
            all.push(self.inside(format!("[{idx}]"), &it?)?);
        }
        Ok(Value::List(all.into_iter().collect()))
    }

    fn record<'py>(
        &mut self,
        fields: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    ) -> PyResult<Value> {
        let (mut names, mut values) = (Vec::<Text>::new(), Vec::new());
        for (name, it) in fields {
            let name = name.cast::<PyString>().ok().and_then(|it| it.to_cow().ok().map(Text::from));
            let name = name.ok_or_else(|| self.wrong("keys that are strings"))?;
            values.push(self.inside(format!(".{name}"), &it)?);
            names.push(name);
        }
        Ok(Value::Record(Record::new(names.into(), values)))
    }

    /// Objects of the standard library, dataclasses and enums.
    fn other(&mut self, it: &Bound<'_, PyAny>) -> PyResult<Value> {
        let py = it.py();
        if it.is_instance(decimal(py)?)? {
            let text: String = it.call_method1("__format__", ("f",))?.extract()?;
            let money = Money::read(&text).map(Value::Money);
            return money.ok_or_else(|| self.wrong("an amount in dollars, up to a billionth"));
        }
        if it.is_instance(type_of(py, &TIMEDELTA, "datetime", "timedelta")?)? {
            let time = it.extract::<Duration>().map(Value::Duration);
            return time.map_err(|_| self.wrong("a duration that is not negative"));
        }
        // A `datetime` is a `date`, too.
        if it.is_instance(type_of(py, &DATETIME, "datetime", "datetime")?)? {
            let text: String = it.call_method0("isoformat")?.extract()?;
            let time = Value::from(text).cast(&Type::Time);
            return time.map_err(|_| self.wrong("a datetime with a `tzinfo` of whole minutes"));
        }
        if it.is_instance(type_of(py, &DATE, "datetime", "date")?)? {
            let text: String = it.call_method0("isoformat")?.extract()?;
            let date = Value::from(text).cast(&Type::Date);
            return date.map_err(|_| self.wrong("a date"));
        }
        if it.hasattr("__dataclass_fields__")? && !it.is_instance_of::<pyo3::types::PyType>() {
            let fields = it.getattr("__dataclass_fields__")?;
            let names: Vec<Bound<'_, PyAny>> = fields.try_iter()?.collect::<PyResult<_>>()?;
            let fields = names.into_iter().map(|name| {
                let value = it.getattr(name.cast::<PyString>()?)?;
                Ok((name, value))
            });
            return self.record(fields.collect::<PyResult<Vec<_>>>()?.into_iter());
        }
        if it.is_instance(type_of(py, &ENUM, "enum", "Enum")?)? {
            return self.value(&it.getattr("value")?);
        }
        if it.hasattr("__fspath__")? {
            return self.value(&it.call_method0("__fspath__")?);
        }
        let found = it.get_type().fully_qualified_name()?;
        let message = format!(
            "`{}` is a {found}, which is not a value of svc: pass None, bool, int, float, str, bytes, list, dict, timedelta, Decimal or a dataclass",
            self.shown()
        );
        Err(PyTypeError::new_err(message))
    }

    fn inside(&mut self, step: String, it: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.steps.push(step);
        let value = self.value(it);
        self.steps.pop();
        value
    }

    fn wrong(&self, expected: &str) -> PyErr {
        PyValueError::new_err(format!("expected {expected} for `{}`", self.shown()))
    }

    fn shown(&self) -> String {
        format!("{}{}", self.name, self.steps.concat())
    }
}

static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TIMEDELTA: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DATETIME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static ENUM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn decimal(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    type_of(py, &DECIMAL, "decimal", "Decimal")
}

/// A `datetime` or a `date`. Its years are 1 to 9999: others stay text, as in JSON.
fn moment<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &'static str,
    text: &str,
    value: &Value,
) -> PyResult<Bound<'py, PyAny>> {
    let read = type_of(py, cell, "datetime", name)?.call_method1("fromisoformat", (text,));
    match read {
        Ok(it) => Ok(it),
        Err(_) => Ok(PyString::new(py, &value.to_string()).into_any()),
    }
}

fn type_of<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let load = || Ok::<_, PyErr>(py.import(module)?.getattr(name)?.unbind());
    Ok(cell.get_or_try_init(py, load)?.bind(py))
}
