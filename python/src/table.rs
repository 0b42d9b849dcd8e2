//! `cp2.Table`: rows of a report as columns, which other libraries take by the PyCapsule interface of Arrow.

use crate::errors::input;
use crate::values::{from_python, to_python};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};
use serde_json::Value;
use std::sync::Arc;

/// Rows of a table in the page of a notebook; what follows is counted.
const SHOWN: usize = 200;

/// Rules of the tables in a page: they stand for themselves, whatever the notebook does with tables.
const STYLE: &str = "\
.cp2-table{overflow-x:auto;margin:6px 0}\
.cp2-table table{border-collapse:collapse;font-size:12px;font-variant-numeric:tabular-nums;border:0}\
.cp2-table caption{text-align:left;font-weight:600;padding:4px 8px;caption-side:top;color:inherit}\
.cp2-table th,.cp2-table td{padding:3px 8px;text-align:left;vertical-align:bottom;border:0;white-space:nowrap}\
.cp2-table th{font-weight:600;border-bottom:1px solid currentColor;white-space:normal}\
.cp2-table td{border-bottom:1px solid rgba(128,128,128,.25)}\
.cp2-table .n{text-align:right}";

/// A table: columns of one length, each with a name. A cell may be empty (``None``).
///
/// ``table["cycles"]`` is a column as a list, ``table[0]`` a row as a dict. Whatever takes streams of Arrow by the PyCapsule
/// interface takes a table: ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)``, and DuckDB a
/// variable that holds it.
///
/// >>> cp2.kernels()[0]["name"]
/// 'fft64'
#[pyclass(frozen, name = "Table", module = "cp2")]
pub(crate) struct TableObject {
    title: String,
    columns: Vec<(String, Column)>,
}

/// Cells of a column.
pub(crate) enum Column {
    /// Values of a report, each of a kind of its own.
    Values(Vec<Value>),
    /// An array of Arrow, of whole numbers or texts.
    Array(ArrayRef),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Array(array) => array.len(),
        }
    }

    /// Returns the cell of a row; nothing where it is empty, or of a type that no table has.
    fn cell(&self, at: usize) -> Value {
        match self {
            Self::Values(values) => values[at].clone(),
            Self::Array(array) if array.is_null(at) => Value::Null,
            Self::Array(array) => match array.data_type() {
                DataType::Int64 => array.as_primitive::<Int64Type>().value(at).into(),
                DataType::Utf8 => array.as_string::<i32>().value(at).into(),
                _ => Value::Null,
            },
        }
    }

    /// Returns the column as an array of Arrow.
    fn field(&self, name: &str) -> (Field, ArrayRef) {
        match self {
            Self::Values(values) => array(name, values),
            Self::Array(array) => {
                (Field::new(name, array.data_type().clone(), true), array.clone())
            }
        }
    }

    /// Returns the cells as pandas takes them: whole numbers as an array of NumPy, with NaN where one is missing.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Array(array) if *array.data_type() == DataType::Int64 => {
                let numbers = array.as_primitive::<Int64Type>();
                if numbers.null_count() == 0 {
                    return Ok(PyArray1::from_slice(py, numbers.values()).into_any());
                }
                let number = |n: Option<i64>| n.map_or(f64::NAN, |n| n as f64);
                Ok(PyArray1::from_iter(py, numbers.iter().map(number)).into_any())
            }
            _ => Ok(self.list(py)?.into_any()),
        }
    }

    /// Returns the cells as a list.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Self::Array(array) = self {
            match array.data_type() {
                DataType::Int64 => return PyList::new(py, array.as_primitive::<Int64Type>()),
                DataType::Utf8 => return texts(py, array.as_string::<i32>()),
                _ => {}
            }
        }
        let list = PyList::empty(py);
        for at in 0..self.len() {
            list.append(to_python(py, &self.cell(at))?)?;
        }
        Ok(list)
    }
}

/// Returns texts as a list, those that are alike as one object.
fn texts<'py>(py: Python<'py>, array: &StringArray) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let mut known = std::collections::HashMap::new();
    for text in array {
        let Some(text) = text else {
            list.append(py.None())?;
            continue;
        };
        let object = known.entry(text).or_insert_with(|| PyString::new(py, text));
        list.append(&*object)?;
    }
    Ok(list)
}

/// Puts the members of an object into a row; those of an inner object are named `outer.inner`.
fn flatten(prefix: &str, value: &Value, row: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(all) => {
            for (name, inner) in all {
                let name =
                    if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&name, inner, row);
            }
        }
        Value::Array(all) => {
            let texts = all.iter().map(|item| match item {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            row.push((prefix.to_owned(), Value::String(texts.collect::<Vec<_>>().join(", "))));
        }
        single => row.push((prefix.to_owned(), single.clone())),
    }
}

impl TableObject {
    /// Makes a table of rows, each a JSON object. A column that a row lacks is empty there.
    pub(crate) fn of_rows(title: &str, rows: &[Value]) -> Self {
        let mut columns: Vec<(String, Vec<Value>)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        let count = rows.len();
        for (at, row) in rows.iter().enumerate() {
            let mut cells = Vec::new();
            flatten("", row, &mut cells);
            for (name, value) in cells {
                let place = *places.entry(name.clone()).or_insert_with(|| {
                    columns.push((name, vec![Value::Null; count]));
                    columns.len() - 1
                });
                columns[place].1[at] = value;
            }
        }
        // What is an object in one row and nothing in another has no column of its own.
        let is_needed = |(name, values): &(String, Vec<Value>)| {
            let inner = format!("{name}.");
            !(values.iter().all(Value::is_null) && places.keys().any(|k| k.starts_with(&inner)))
        };
        columns.retain(is_needed);
        let columns = columns.into_iter().map(|(name, values)| (name, Column::Values(values)));
        Self { title: title.to_owned(), columns: columns.collect() }
    }

    /// Makes a table of arrays of Arrow, all of one length: of whole numbers of 64 bits, or of texts.
    pub(crate) fn of_arrays(title: &str, columns: Vec<(&str, ArrayRef)>) -> Self {
        let column = |(name, array): (&str, ArrayRef)| (name.to_owned(), Column::Array(array));
        Self { title: title.to_owned(), columns: columns.into_iter().map(column).collect() }
    }

    fn count(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Returns the table as one of HTML: numbers to the right, texts to the left, in colours that suit any ground.
    pub(crate) fn html(&self) -> String {
        let is_number = |column: &Column| {
            let cells = (0..column.len().min(SHOWN)).map(|at| column.cell(at));
            cells.clone().any(|cell| cell.is_number())
                && cells.into_iter().all(|cell| cell.is_number() || cell.is_null())
        };
        let classes: Vec<&str> = self
            .columns
            .iter()
            .map(|(_, column)| if is_number(column) { r#" class="n""# } else { "" })
            .collect();
        let cell =
            |tag: &str, class: &str, text: &str| format!("<{tag}{class}>{}</{tag}>", escaped(text));
        let heads = self.columns.iter().zip(&classes).map(|((name, _), class)| {
            // A long name may be broken where its words end.
            let name = escaped(name).replace('_', "_<wbr/>").replace('.', ".<wbr/>");
            format!("<th{class}>{name}</th>")
        });
        let heads: String = heads.collect();
        let row = |at: usize| {
            let cells = self.columns.iter().zip(&classes);
            let cells =
                cells.map(|((_, column), class)| cell("td", class, &shown(&column.cell(at))));
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let rows: String = (0..self.count().min(SHOWN)).map(row).collect();
        let more = self.count().saturating_sub(SHOWN);
        let more = if more > 0 { format!("<p>{more} more rows</p>") } else { String::new() };
        let title = escaped(&self.title);
        format!(
            r#"<div class="cp2-table"><style>{STYLE}</style><table><caption>{title}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"#
        )
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let arrays: Vec<(Field, ArrayRef)> =
            self.columns.iter().map(|(name, column)| column.field(name)).collect();
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = arrays.into_iter().unzip();
        let rows = RecordBatchOptions::new().with_row_count(Some(self.count()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows)
    }

    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.columns.iter().find(|(known, _)| known == name);
        let (_, column) = column.ok_or_else(|| {
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            PyKeyError::new_err(format!(
                "there is no column `{name}`; there are {}",
                names.join(", ")
            ))
        })?;
        column.list(py)
    }

    fn row<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyDict>> {
        let row = PyDict::new(py);
        for (name, column) in &self.columns {
            row.set_item(name, to_python(py, &column.cell(at))?)?;
        }
        Ok(row)
    }
}

/// Returns a column as an array of Arrow, of the narrowest type that has all its values.
fn array(name: &str, values: &[Value]) -> (Field, ArrayRef) {
    let all = |is: fn(&Value) -> bool| values.iter().all(|v| v.is_null() || is(v));
    let is_empty = values.iter().all(Value::is_null);
    let (kind, array): (DataType, ArrayRef) = if !is_empty && all(Value::is_boolean) {
        (DataType::Boolean, Arc::new(values.iter().map(Value::as_bool).collect::<BooleanArray>()))
    } else if !is_empty && all(Value::is_i64) {
        (DataType::Int64, Arc::new(values.iter().map(Value::as_i64).collect::<Int64Array>()))
    } else if !is_empty && all(Value::is_number) {
        (DataType::Float64, Arc::new(values.iter().map(Value::as_f64).collect::<Float64Array>()))
    } else {
        let text = |value: &Value| (!value.is_null()).then(|| shown(value));
        (DataType::Utf8, Arc::new(values.iter().map(text).collect::<StringArray>()))
    };
    (Field::new(name, kind, true), array)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns a text as it stands in HTML and SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Parts of a table that is pickled: its title, and name and cells of each column.
type Pickled<'py> = (String, Vec<(String, Bound<'py, PyList>)>);

#[pymethods]
impl TableObject {
    /// Makes the table that was pickled.
    #[staticmethod]
    fn _of(title: String, columns: Vec<(String, Vec<Bound<'_, PyAny>>)>) -> PyResult<Self> {
        let column = |(name, cells): (String, Vec<Bound<'_, PyAny>>)| {
            let values: PyResult<Vec<Value>> = cells.iter().map(from_python).collect();
            Ok((name, Column::Values(values?)))
        };
        let columns: PyResult<Vec<_>> = columns.into_iter().map(column).collect();
        let columns = columns?;
        if columns.iter().any(|(_, column)| column.len() != columns[0].1.len()) {
            return Err(input("the columns of a pickled table have different lengths").into());
        }
        Ok(Self { title, columns })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, table) = (slf.py(), slf.get());
        let columns = table.columns.iter();
        let columns = columns.map(|(name, column)| Ok((name.clone(), column.list(py)?)));
        let columns: PyResult<Vec<_>> = columns.collect();
        Ok((slf.getattr("_of")?, (table.title.clone(), columns?)))
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Title of the table, which says what its rows are.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// Returns the rows as a list of dicts.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        (0..self.count()).map(|at| self.row(py, at)).collect()
    }

    /// Returns the table as a `pandas.DataFrame`; pandas has to be installed.
    pub(crate) fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyDict::new(py);
        for (name, column) in &self.columns {
            columns.set_item(name, column.series(py)?)?;
        }
        py.import("pandas")?.call_method1("DataFrame", (columns,))
    }

    /// Returns the table as a stream of Arrow, in the PyCapsule interface; a requested schema is not looked at.
    #[pyo3(signature = (requested_schema=None))]
    pub(crate) fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batch =
            self.batch().map_err(|e| crate::errors::raise("internal", &e.to_string(), None))?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(reader)),
            c"arrow_array_stream",
        )
    }

    fn __len__(&self) -> usize {
        self.count()
    }

    /// A column by its name, as a list; a row by its number, as a dict.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.extract::<String>() {
            return Ok(self.column(py, &name)?.into_any());
        }
        let at: isize = key.extract()?;
        let count = self.count();
        let place = if at < 0 { at + count as isize } else { at };
        match usize::try_from(place).ok().filter(|&place| place < count) {
            Some(place) => Ok(self.row(py, place)?.into_any()),
            None => Err(PyIndexError::new_err(format!("row {at}: the table has {count} rows"))),
        }
    }

    fn _repr_html_(&self) -> String {
        self.html()
    }

    fn __repr__(&self) -> String {
        let (rows, names) = (self.count(), self.columns().join(", "));
        format!("<cp2.Table {}: {rows} rows of {names}>", self.title)
    }
}
