//! Options of workloads as Python gives them: each value becomes what its option takes.

use crate::arrays;
use crate::errors::{Failure, input, usage};
use cp2_session::Engine;
use cp2_session::arrays::convert;
use cp2_session::npy::{Array, ComplexMatrix, NumberType, shape_text};
use cp2_session::sparse::{Csr, market};
use cp2_session::workload::{
    ArraySpec, NamedNumbers, OptionKind, OptionValue, OptionValues, Workload, WorkloadOption,
};
use cp2_workloads::catalogue;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the values of options that were given by name, with defaults added. An option that writes is no argument:
/// results come back by themselves.
pub(crate) fn values(
    workload: &dyn Workload,
    given: Option<&Bound<'_, PyDict>>,
) -> Result<OptionValues, Failure> {
    let (about, known) = (workload.about(), workload.option_list());
    let mut values = OptionValues::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let option = known.iter().find(|option| option.name == name.replace('_', "-"));
        let option = option.filter(|option| is_argument(&option.form));
        let option = option.ok_or_else(|| unknown(&about.name, &name, &known))?;
        if let Some(value) = value_of(option, &value)? {
            values.set(option.name, value);
        }
    }
    catalogue::check(about.platform, &about.name, &known, &values).map_err(usage)?;
    values.add_defaults(&known);
    Ok(values)
}

fn is_argument(form: &OptionKind) -> bool {
    !matches!(form, OptionKind::Write(_) | OptionKind::WriteJson)
}

fn unknown(workload: &str, name: &str, known: &[WorkloadOption]) -> Failure {
    let names = known.iter().filter(|option| is_argument(&option.form));
    let names: Vec<String> = names.map(|option| option.name.replace('-', "_")).collect();
    usage(format!("{workload} takes no option `{name}`; it takes {}", names.join(", ")))
}

/// Returns the value of an option; `None` if a switch is off.
fn value_of(
    option: &WorkloadOption,
    given: &Bound<'_, PyAny>,
) -> Result<Option<OptionValue>, Failure> {
    let name = option.name;
    let wrong = |wanted: &str| {
        let kind = given.get_type().to_string();
        Failure::from(PyTypeError::new_err(format!(
            "{name}: {wanted} is needed, and this is {kind}"
        )))
    };
    let text = || given.extract::<String>().map_err(|_| wrong("a text"));
    Ok(Some(match &option.form {
        OptionKind::Switch => match given.extract::<bool>().map_err(|_| wrong("True or False"))? {
            true => OptionValue::Switch,
            false => return Ok(None),
        },
        OptionKind::Number { .. } => {
            OptionValue::Number(given.extract().map_err(|_| wrong("a whole number from 0 on"))?)
        }
        OptionKind::Choice(_) => OptionValue::Choice(text()?),
        OptionKind::Engine => {
            let word = text()?;
            let names = Engine::ALL.map(Engine::name).join(", ");
            let missing = || input(format!("there is no engine `{word}`; the engines are {names}"));
            OptionValue::Engine(Engine::from_name(&word).ok_or_else(missing)?)
        }
        OptionKind::Read(takes) => arrays_of(name, takes, given)?,
        OptionKind::Numbers(numbers) => numbers_of(name, numbers, given)?,
        OptionKind::ReadMatrix => OptionValue::Matrix(matrix_of(name, given)?),
        OptionKind::ReadText => {
            OptionValue::Text(text_of(&given.extract::<PathBuf>().map_err(|_| wrong("a path"))?)?)
        }
        OptionKind::Write(_) | OptionKind::WriteJson => return Ok(None),
    }))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = cp2_files::regular(path).and_then(cp2_files::text);
    text.map_err(|e| input(format!("{}: {e}", path.display())))
}

/// Returns an array of the type that is taken; another type is refused, so that no conversion goes unseen.
fn typed(given: &Bound<'_, PyAny>, takes: &ArraySpec) -> Result<Array, Failure> {
    let array = arrays::from_python(given, &takes.name)?;
    if array.kind == takes.kind {
        return Ok(array);
    }
    let (name, kind, has) = (&takes.name, takes.kind, array.kind);
    Err(input(format!(
        "{name} is {kind}, and the array has {has}; `.astype(\"{kind}\")` converts it"
    )))
}

/// Returns the matrix of an option that takes complex numbers in rows; `None` for any other.
fn complex_matrix(
    option: &str,
    takes: &ArraySpec,
    given: &Bound<'_, PyAny>,
) -> Result<Option<OptionValue>, Failure> {
    if takes.kind != NumberType::Complex64 || takes.shape.len() != 2 {
        return Ok(None);
    }
    let (shape, values) = match arrays::complex_of(given, &takes.name)? {
        Some(found) => found,
        None => {
            let array = typed(given, takes)?;
            (array.shape.clone(), array.to_complex())
        }
    };
    let (rows, columns) = match *shape {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => {
            let shape = shape_text(&shape);
            return Err(input(format!(
                "{option}: one or two axes are needed, and the array has the shape {shape}"
            )));
        }
    };
    let is_vector = shape.len() == 1;
    Ok(Some(OptionValue::Array(ComplexMatrix { rows, columns, is_vector, values })))
}

/// Returns one array, or a dict of arrays by their names.
fn arrays_of(
    option: &str,
    takes: &[ArraySpec],
    given: &Bound<'_, PyAny>,
) -> Result<OptionValue, Failure> {
    if let ([only], Err(_)) = (takes, given.cast::<PyMapping>()) {
        if let Some(matrix) = complex_matrix(option, only, given)? {
            return Ok(matrix);
        }
        let array = typed(given, only)?;
        return Ok(OptionValue::Arrays(BTreeMap::from([(only.name.to_string(), array)])));
    }
    let names: Vec<&str> = takes.iter().map(|array| array.name.as_ref()).collect();
    let needs =
        || usage(format!("{option}: give a dict of arrays; their names are {}", names.join(", ")));
    let mut all = BTreeMap::new();
    for pair in given.cast::<PyMapping>().map_err(|_| needs())?.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
        let array = takes.iter().find(|array| array.name == name).ok_or_else(needs)?;
        all.insert(name, typed(&value, array)?);
    }
    Ok(OptionValue::Arrays(all))
}

/// Returns a few numbers, converted to the type of the option.
fn numbers_of(
    option: &str,
    numbers: &NamedNumbers,
    given: &Bound<'_, PyAny>,
) -> Result<OptionValue, Failure> {
    let array = arrays::from_python(given, option)?;
    let array = convert(&array, numbers.array.kind, false);
    let array = array.map_err(|e| input(format!("{option}: {e}")))?;
    numbers.check_finite(&array).map_err(|e| input(format!("{option}: {e}")))?;
    Ok(OptionValue::Arrays(BTreeMap::from([(numbers.array.name.to_string(), array)])))
}

/// Returns a sparse matrix: of SciPy, or in a file of Matrix Market.
fn matrix_of(option: &str, given: &Bound<'_, PyAny>) -> Result<Csr, Failure> {
    let refused = |e: &dyn std::fmt::Display| input(format!("{option}: {e}"));
    if let Ok(path) = given.extract::<PathBuf>() {
        return market::read(&text_of(&path)?).map_err(|e| refused(&e));
    }
    if !given.hasattr("tocoo")? {
        let kind = given.get_type().to_string();
        let message = format!(
            "{option}: a sparse matrix of SciPy or the path of a file (.mtx) is needed, and this is {kind}"
        );
        return Err(PyTypeError::new_err(message).into());
    }
    let matrix = given.call_method0("tocoo")?;
    let (rows, columns): (usize, usize) = matrix.getattr("shape")?.extract()?;
    let part =
        |name: &str| -> PyResult<Bound<'_, PyAny>> { matrix.getattr(name)?.call_method0("tolist") };
    let row: Vec<usize> = part("row")?.extract()?;
    let column: Vec<usize> = part("col")?.extract()?;
    let data: Vec<f64> = part("data")?.extract()?;
    let places = row.into_iter().zip(column).zip(data);
    let entries: Vec<_> =
        places.map(|((row, column), value)| (row, column, value as f32)).collect();
    Csr::from_entries(rows, columns, &entries).map_err(|e| refused(&e))
}
