//! `cp2.Report`: what a study or a workload tells, as text, as plain objects, as tables and as a picture.

use crate::pictures::embedded;
use crate::table::{TableObject, escaped};
use crate::values::{from_python, plain, to_python};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;
use std::borrow::Cow;

/// The report of a study: the document that the command prints as JSON, its text, and its picture.
///
/// ``report.table`` is its main table, which other libraries take from the report itself too; ``report["gains"]`` is a part
/// of the document, a table where that is a list of rows.
#[pyclass(frozen, name = "Report", module = "cp2")]
pub(crate) struct ReportObject {
    title: String,
    /// The document; values stand without their units and descriptions.
    document: Value,
    text: String,
    /// Key of the list whose rows are the table of the report.
    main: Cow<'static, str>,
    svg: Option<String>,
}

impl ReportObject {
    /// Makes a report of its document and text. `main` is the key, with points between, of the list that is its table.
    pub(crate) fn new(
        (title, main): (String, &'static str),
        document: &Value,
        text: String,
        svg: Option<String>,
    ) -> Self {
        Self { title, document: plain(document), text, main: main.into(), svg }
    }

    /// Returns the part of the document at a path of keys with points between.
    fn part(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(&self.document, |value, key| value.get(key))
    }

    /// Returns a list of objects as a table.
    fn table_at(&self, path: &str) -> Option<TableObject> {
        let rows = self.part(path)?.as_array()?;
        let is_table = !rows.is_empty() && rows.iter().all(Value::is_object);
        is_table.then(|| TableObject::of_rows(&format!("{}: {path}", self.title), rows))
    }

    /// Adds the paths of all tables below a part of the document.
    fn find_tables(&self, path: &str, value: &Value, found: &mut Vec<String>) {
        for (key, inner) in value.as_object().into_iter().flatten() {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if self.table_at(&path).is_some() {
                found.push(path);
            } else {
                self.find_tables(&path, inner, found);
            }
        }
    }
}

/// Parts of a report that is pickled: title, document, text, key of the main table, picture.
type Pickled<'py> = (String, Bound<'py, PyAny>, String, String, Option<String>);

#[pymethods]
impl ReportObject {
    /// Makes the report that was pickled.
    #[staticmethod]
    fn _of(
        title: String,
        document: &Bound<'_, PyAny>,
        text: String,
        main: String,
        svg: Option<String>,
    ) -> PyResult<Self> {
        let document = from_python(document)?;
        Ok(Self { title, document, text, main: main.into(), svg })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let Self { title, document, text, main, svg } = slf.get();
        let document = to_python(slf.py(), document)?;
        let parts = (title.clone(), document, text.clone(), main.to_string(), svg.clone());
        Ok((slf.getattr("_of")?, parts))
    }

    /// Report as text, as the command prints it.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Title of the report.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// Paths of the lists that are tables, for indexing.
    #[getter]
    fn tables(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.find_tables("", &self.document, &mut found);
        found
    }

    /// Main table of the report.
    #[getter]
    fn table(&self) -> TableObject {
        self.table_at(&self.main).unwrap_or_else(|| TableObject::of_rows(&self.title, &[]))
    }

    /// Returns the report as plain objects, with the keys of the JSON document of the command.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.document)
    }

    /// Returns the main table as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table().to_pandas(py)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.table().__arrow_c_stream__(py, requested_schema)
    }

    /// Part of the report at a key, or a path of keys with points between: a table where it is a list of rows.
    fn __getitem__<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(table) = self.table_at(path) {
            return table.into_bound_py_any(py);
        }
        let keys = || self.document.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let missing = || {
            let keys: Vec<&str> = keys().collect();
            PyKeyError::new_err(format!("the report has no `{path}`; it has {}", keys.join(", ")))
        };
        to_python(py, self.part(path).ok_or_else(missing)?)
    }

    fn _repr_svg_(&self) -> Option<&str> {
        self.svg.as_deref()
    }

    pub(crate) fn _repr_html_(&self) -> String {
        let text = if self.text.is_empty() {
            self.table().html()
        } else {
            format!("<pre>{}</pre>", escaped(&self.text))
        };
        match &self.svg {
            None => text,
            // Below a picture the text waits until somebody asks for it.
            Some(svg) => {
                let (picture, title) = (embedded(svg, &self.title), escaped(&self.title));
                format!("<div>{picture}<details><summary>{title}</summary>{text}</details></div>")
            }
        }
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<cp2.Report {}>", self.title)
    }
}
