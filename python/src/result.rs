//! `cp2.Run`: what a run of a program leaves.

use crate::arrays;
use crate::errors::Failure;
use crate::guard::guarded;
use crate::values::{plain, to_python};
use cp2_session::{Error, Outcome};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The outcome of a run of a program: counts, arrays, registers and memories.
///
/// ``run["y"]`` is the array ``y``. Arrays are owned by NumPy and independent of the run.
#[pyclass(frozen, name = "Run", module = "cp2")]
pub(crate) struct RunObject {
    outcome: Outcome,
    arrays: Py<PyDict>,
}

impl RunObject {
    /// Makes the object of a run that ended by a `stop`. For another end it is an attribute of the exception.
    pub(crate) fn of(py: Python<'_>, outcome: Outcome) -> PyResult<Self> {
        let arrays = PyDict::new(py);
        let stopped = outcome.stopped();
        if stopped.is_ok() {
            for (stored, array) in
                outcome.arrays.stores.iter().zip(guarded(|| Ok(outcome.arrays()?))?)
            {
                arrays
                    .set_item(stored.transfer.target.to_string(), arrays::to_python(py, &array)?)?;
            }
        }
        let object = Self { outcome, arrays: arrays.unbind() };
        match stopped {
            Ok(_) => Ok(object),
            Err(error) => {
                let error = PyErr::from(Failure::from(error));
                error.value(py).setattr("run", Bound::new(py, object)?)?;
                Err(error)
            }
        }
    }
}

/// Returns the exception for an array that a run did not leave.
pub(crate) fn no_array(name: &str, arrays: &Bound<'_, PyDict>) -> PyErr {
    let names: Vec<String> = arrays.keys().extract().unwrap_or_default();
    let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    PyKeyError::new_err(format!("the run left no array `{name}`; there are: {there}"))
}

#[pymethods]
impl RunObject {
    /// Cycles of CP2 from the first bundle to the `stop`.
    #[getter]
    fn cycles(&self) -> u64 {
        self.outcome.stats.cycles
    }

    /// Floating-point operations of all sections.
    #[getter]
    fn flops(&self) -> u64 {
        self.outcome.stats.total_flops()
    }

    /// Code of the `stop`; `None` if the run did not end by one.
    #[getter]
    fn code(&self) -> Option<u64> {
        self.outcome.stopped().ok()
    }

    /// Arrays that the run leaves, by name.
    #[getter]
    fn arrays(&self, py: Python<'_>) -> Py<PyDict> {
        self.arrays.clone_ref(py)
    }

    /// Counts of the run: ``cycles`` and ``drain`` in cycles, ``causes`` (cycles by what they were for), ``operations``,
    /// ``flops`` of each section, ``bank_accesses`` in cycles.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &plain(&self.outcome.stats.to_json()))
    }

    /// Findings of a checked run; `None` if it was not checked.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let checked = self.outcome.checked.as_ref();
        let all = checked.map(|checked| checked.findings.iter().map(|f| f.to_json()).collect());
        all.map(|all| to_python(py, &serde_json::Value::Array(all))).transpose()
    }

    /// Returns registers and memories after the run, in the form of state files.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.outcome.state())
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let arrays = self.arrays.bind(py);
        match arrays.get_item(name)? {
            Some(array) => Ok(array.unbind()),
            None => Err(no_array(name, arrays)),
        }
    }

    fn __repr__(&self) -> String {
        let end = match self.outcome.stopped() {
            Ok(code) => format!("stopped with code {code}"),
            Err(Error::End(end)) => format!("{end:?}"),
            Err(error) => error.to_string(),
        };
        let stats = &self.outcome.stats;
        format!("<cp2.Run {end}: {} cycles, {} operations>", stats.cycles, stats.total_flops())
    }
}
