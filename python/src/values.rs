//! Values between Rust and Python: JSON as plain objects, words as lists of texts.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString};
use serde_json::Value;

/// Returns a JSON value as plain objects of Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(n), _) => n.into_bound_py_any(py),
            (None, Some(n)) => n.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(all) => {
            let list = PyList::empty(py);
            for item in all {
                list.append(to_python(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(all) => {
            let dict = PyDict::new(py);
            for (key, item) in all {
                dict.set_item(key, to_python(py, item)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// Returns plain objects of Python as a JSON value; what [`to_python`] makes comes back as it was.
pub(crate) fn from_python(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        Ok(Value::Null)
    } else if let Ok(flag) = given.cast::<PyBool>() {
        Ok(flag.is_true().into())
    } else if let Ok(number) = given.extract::<u64>() {
        Ok(number.into())
    } else if let Ok(number) = given.extract::<i64>() {
        Ok(number.into())
    } else if let Ok(number) = given.cast::<PyFloat>() {
        Ok(number.value().into())
    } else if let Ok(text) = given.extract::<String>() {
        Ok(text.into())
    } else if let Ok(list) = given.cast::<PyList>() {
        let all: PyResult<Vec<Value>> = list.iter().map(|item| from_python(&item)).collect();
        Ok(Value::Array(all?))
    } else if let Ok(dict) = given.cast::<PyDict>() {
        let item = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((key.extract::<String>()?, from_python(&value)?))
        };
        Ok(Value::Object(dict.iter().map(item).collect::<PyResult<_>>()?))
    } else {
        let kind = given.get_type().to_string();
        Err(PyTypeError::new_err(format!("{kind} is no part of a report")))
    }
}

/// Returns a report without the words about its values: in place of an object of value, unit and description the value alone.
pub(crate) fn plain(report: &Value) -> Value {
    match report {
        Value::Object(all) if all.contains_key("value") && all.contains_key("description") => {
            plain(&all["value"])
        }
        Value::Object(all) => {
            Value::Object(all.iter().map(|(key, item)| (key.clone(), plain(item))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(plain).collect()),
        single => single.clone(),
    }
}

/// Returns the texts of an argument that takes one text or several.
pub(crate) fn words(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(vec![text.to_string()]);
    }
    given.extract().map_err(|_| {
        let kind = given.get_type().to_string();
        PyTypeError::new_err(format!("a text or several texts are needed, and this is {kind}"))
    })
}
