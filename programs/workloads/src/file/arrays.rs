//! Arrays of a workload file: where their values come from, and what results are compared with.

use super::generate;
use super::keys::{EDGES, PARTS, WorkloadTable};
use super::place::{Place, codes};
use cp2_isa::{Core, NumberRange, SECTIONS};
use cp2_procedures::paged::Edge;
use cp2_session::arrays::{Tolerance, convert};
use cp2_session::npy::{Array, NumberType};
use cp2_session::sparse::{Csr, market};
use cp2_toml::{FieldReader, Table};
use std::ops::Range;

/// An array of a workload file: values that are loaded before the run, values that are expected after it, or both.
#[derive(Clone, Debug)]
pub(super) struct FileArray {
    /// Name by which the kernel declares the array.
    pub(super) name: String,
    /// Values before the run; `None` for an array that the kernel only writes.
    pub(super) values: Option<Array>,
    /// Values after the run; `None` if they are not compared.
    pub(super) expected: Option<Expected>,
    /// Values beyond the edges, for pages that reach there; `None` if none may.
    pub(super) edge: Option<Edge>,
    /// Shape that the file gives an array without values.
    shape: Option<Vec<usize>>,
    /// Names of the variants that have the array; empty if all have it.
    variants: Vec<String>,
    /// Whether something of its table was refused, so that what follows from it needs no complaint.
    pub(super) is_refused: bool,
}

impl FileArray {
    /// Returns the number of elements along each axis, if the file tells it: by values, expected values or a shape.
    pub(super) fn shape(&self) -> Option<&[usize]> {
        let expected = self.expected.as_ref().map(|expected| &expected.array);
        let told = self.values.as_ref().or(expected).map(|array| &array.shape);
        told.or(self.shape.as_ref()).map(Vec::as_slice)
    }

    /// Returns the shape that the file gives an array without values.
    pub(super) fn own_shape(&self) -> Option<&[usize]> {
        self.shape.as_deref()
    }

    /// Whether a variant has the array.
    pub(super) fn is_for(&self, variant: &str) -> bool {
        self.variants.is_empty() || self.variants.iter().any(|name| name == variant)
    }
}

/// The values that a result is compared with.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    /// Path of the file that has them, as the workload file names it.
    pub(super) path: String,
    pub(super) array: Array,
    pub(super) tolerance: Tolerance,
}

/// Keys of which one says where the values come from.
const ORIGINS: [&str; 5] = ["file", "matrix", "random", "fill", "values"];
/// Keys that go with only some origins of values.
const DETAILS: [(&str, &[&str]); 6] = [
    ("part", &["matrix"]),
    ("seed", &["random"]),
    ("low", &["random"]),
    ("high", &["random"]),
    ("mean", &["random"]),
    ("deviation", &["random"]),
];
/// Reads the table of the array `name`, and the files that it names.
pub(super) fn array(
    reader: &mut FieldReader,
    table: &Table<'_>,
    name: &str,
    place: &Place<'_>,
) -> FileArray {
    let before = reader.problems();
    reader.only(table, "an array", &WorkloadTable::Array.names());
    let values = values(reader, table, place);
    let expected = expected(reader, table, place);
    if values.is_none() && expected.is_none() && table.keys().is_empty() {
        let message = format!("array.{name} says nothing");
        let help = format!("give one of {}, expected, or shape", ORIGINS.join(", "));
        reader.refuse(cp2_toml::codes::MISSING, table.span.clone(), message, &help);
    }
    let variants = variants(reader, table, place);
    let own = shape_without_values(reader, table, values.as_ref());
    let edge = reader.word_of(table, "edge", &EDGES);
    let edge = edge.and_then(|word| EDGES.iter().position(|name| *name == word));
    let edge = edge.map(|place| [Edge::Zero, Edge::Wrap, Edge::Nearest][place]);
    let (name, is_refused) = (name.to_owned(), reader.problems() > before);
    FileArray { name, values, expected, edge, shape: own, variants, is_refused }
}

/// Returns the shape that a table gives an array that has no values; refuses one beside values that have a shape.
fn shape_without_values(
    reader: &mut FieldReader,
    table: &Table<'_>,
    values: Option<&Array>,
) -> Option<Vec<usize>> {
    let value = table.get("shape")?;
    let others: Vec<&str> =
        ["file", "matrix", "values"].into_iter().filter(|key| table.get(key).is_some()).collect();
    if let [other, ..] = others[..] {
        let message =
            format!("{} goes with random or fill only, not with {other}", table.name("shape"));
        reader.refuse(cp2_toml::codes::UNKNOWN, value.span(), message, "");
        return None;
    }
    let is_made = ["random", "fill"].into_iter().any(|key| table.get(key).is_some());
    if values.is_some() || is_made { None } else { shape(reader, table) }
}

/// Returns the names of the variants for which a table counts, if it names some.
pub(super) fn variants(
    reader: &mut FieldReader,
    table: &Table<'_>,
    place: &Place<'_>,
) -> Vec<String> {
    const TAKES: &str = "a list of names of variants";
    let Some(value) = table.get("variants") else { return Vec::new() };
    let name = table.name("variants");
    let mut all = Vec::new();
    for entry in reader.list(value, &name, TAKES) {
        let Some(text) = reader.text(entry, &name, TAKES) else { continue };
        if !place.variants.contains(&text) {
            let message =
                format!("there is no variant `{text}`; there is {}", place.variants.join(", "));
            reader.refuse(codes::NAME, entry.span(), message, "");
        }
        all.push(text.to_owned());
    }
    all
}

/// Returns the values that a table gives an array before the run, if it gives any.
fn values(reader: &mut FieldReader, table: &Table<'_>, place: &Place<'_>) -> Option<Array> {
    let given: Vec<&str> = ORIGINS.into_iter().filter(|key| table.get(key).is_some()).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("{} and {} both give values", table.name(first), table.name(second));
        reader.refuse(
            cp2_toml::codes::UNKNOWN,
            table.get(second).map_or(0..0, |value| value.span()),
            message,
            "leave one of them out",
        );
        return None;
    }
    for (key, origins) in DETAILS {
        if let Some(value) = table.get(key)
            && !given.iter().any(|origin| origins.contains(origin))
        {
            let message = format!("{} goes with {} only", table.name(key), origins.join(" or "));
            reader.refuse(cp2_toml::codes::UNKNOWN, value.span(), message, "");
        }
    }
    let kind = number_type(reader, table);
    let array = match *given.first()? {
        "file" => read_npy(reader, table, "file", place)?,
        "matrix" => matrix(reader, table, place)?,
        "values" => listed(reader, table)?,
        _ => {
            let (kind, shape) = (kind.unwrap_or(NumberType::Float32), shape(reader, table)?);
            check_size(reader, table, (kind, &shape), place)?;
            return generate::array(reader, table, kind, shape);
        }
    };
    let Some(kind) = kind else { return Some(array) };
    converted(reader, table, &array, kind)
}

/// Returns the type that a table asks for, if it asks for one.
fn number_type(reader: &mut FieldReader, table: &Table<'_>) -> Option<NumberType> {
    let names: Vec<&str> = NumberType::all().map(NumberType::name).collect();
    NumberType::from_name(reader.word_of(table, "type", &names)?)
}

/// Converts an array to the type that a table asks for.
fn converted(
    reader: &mut FieldReader,
    table: &Table<'_>,
    array: &Array,
    kind: NumberType,
) -> Option<Array> {
    match convert(array, kind, false) {
        Ok(array) => Some(array),
        Err(e) => {
            let span = table.get("type").map_or(table.span.clone(), |value| value.span());
            reader.refuse(codes::ARRAY, span, format!("{}: {e}", table.name("type")), "");
            None
        }
    }
}

/// Reads the `.npy` file that a key names.
fn read_npy(
    reader: &mut FieldReader,
    table: &Table<'_>,
    key: &str,
    place: &Place<'_>,
) -> Option<Array> {
    let (path, span) = path_of(reader, table, key)?;
    let (name, bytes) = place.read(reader, &path, span.clone())?;
    match Array::read(&bytes) {
        Ok(array) => Some(array),
        Err(e) => {
            reader.refuse(codes::FILE, span, format!("{name}: {e}"), "");
            None
        }
    }
}

/// Returns the path that a key has, and its place in the text.
fn path_of(
    reader: &mut FieldReader,
    table: &Table<'_>,
    key: &str,
) -> Option<(String, Range<usize>)> {
    let value = table.get(key)?;
    let path = reader.text(value, &table.name(key), "the path of a file, as a text")?;
    Some((path.to_owned(), value.span()))
}

/// Reads a part of a sparse matrix from a Matrix Market file.
fn matrix(reader: &mut FieldReader, table: &Table<'_>, place: &Place<'_>) -> Option<Array> {
    let (path, span) = path_of(reader, table, "matrix")?;
    let Some(part) = reader.word_of(table, "part", &PARTS) else {
        if table.get("part").is_none() {
            let takes = PARTS.map(|part| format!("\"{part}\"")).join(", ");
            let message = format!("`{}` is missing: one of {takes}", table.name("part"));
            reader.refuse(cp2_toml::codes::MISSING, span, message, "");
        }
        return None;
    };
    let (name, bytes) = place.read(reader, &path, span.clone())?;
    let text = String::from_utf8(bytes).map_err(|e| e.to_string());
    let matrix = text.and_then(|text| market::read(&text).map_err(|e| e.to_string()));
    let matrix = matrix.and_then(|matrix| {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let elements = rows.checked_mul(columns).filter(|n| *n <= MOST_ELEMENTS as usize);
        match elements {
            None if part == "dense" => Err(format!(
                "the matrix has {rows} rows and {columns} columns; a dense array has at most \
                 {MOST_ELEMENTS} elements, so take its values, columns and starts"
            )),
            _ => Ok(matrix),
        }
    });
    match matrix {
        Ok(matrix) => Some(part_of(&matrix, part)),
        Err(e) => {
            reader.refuse(codes::FILE, span, format!("{name}: {e}"), "");
            None
        }
    }
}

/// Returns a part of a matrix as an array.
fn part_of(matrix: &Csr, part: &str) -> Array {
    let rows = || (0..matrix.rows()).map(|row| matrix.row(row));
    let whole = |numbers: Vec<usize>| {
        let bits = numbers.iter().map(|&n| n as u128);
        Array::from_bits(NumberType::Int32, vec![numbers.len()], bits)
    };
    match part {
        "values" => {
            Array::from_floats(vec![matrix.nonzeros()], &matrix.values().collect::<Vec<_>>())
        }
        "columns" => whole(rows().flatten().map(|(column, _)| *column).collect()),
        "starts" => {
            let mut starts = vec![0];
            starts.extend(rows().scan(0, |sum, row| {
                *sum += row.len();
                Some(*sum)
            }));
            whole(starts)
        }
        _ => {
            let (height, width) = (matrix.rows(), matrix.columns());
            let mut dense = vec![0.0; height * width];
            for (k, row) in rows().enumerate() {
                row.iter().for_each(|&(column, value)| dense[k * width + column] = value);
            }
            Array::from_floats(vec![height, width], &dense)
        }
    }
}

/// Returns the array of one axis whose values are written out.
fn listed(reader: &mut FieldReader, table: &Table<'_>) -> Option<Array> {
    let value = table.get("values")?;
    let name = table.name("values");
    let entries = reader.list(value, &name, "a list of numbers");
    let numbers: Vec<f64> =
        entries.iter().map(|entry| reader.float(entry, &name).unwrap_or_default()).collect();
    if numbers.is_empty() {
        return None;
    }
    let bits = numbers.iter().map(|number| u128::from(number.to_bits()));
    let array = Array::from_bits(NumberType::Float64, vec![numbers.len()], bits);
    match table.get("type") {
        Some(_) => Some(array),
        None => converted(reader, table, &array, NumberType::Float32),
    }
}

/// Returns the shape that a table gives.
fn shape(reader: &mut FieldReader, table: &Table<'_>) -> Option<Vec<usize>> {
    let value = reader.required(table, "shape", "sizes of the axes, such as [4, 256]")?;
    let name = table.name("shape");
    let limit = NumberRange::between(1, MOST_ELEMENTS);
    let before = reader.problems();
    let entries = reader.list(value, &name, "a list of sizes, such as [4, 256]");
    let sizes = entries.iter().enumerate();
    let sizes: Vec<i64> =
        sizes.map(|(k, entry)| reader.number(entry, &format!("{name}[{k}]"), limit)).collect();
    if reader.problems() > before {
        return None;
    }
    let count = sizes.iter().try_fold(1_i64, |count, size| count.checked_mul(*size));
    if !sizes.is_empty() && count.is_some_and(|count| count <= MOST_ELEMENTS) {
        return Some(sizes.iter().map(|&size| size as usize).collect());
    }
    let message = match count {
        Some(count) if !sizes.is_empty() => {
            format!("{name} makes {count} elements; an array has at most {MOST_ELEMENTS}")
        }
        Some(_) => format!("{name} has no axis; give at least one size, such as [256]"),
        None => {
            format!("{name} makes more than 2^63 elements; an array has at most {MOST_ELEMENTS}")
        }
    };
    reader.refuse(cp2_toml::codes::OUT_OF_RANGE, value.span(), message, "");
    None
}

/// Refuses an array that is to be made and has more bytes than local memory, where it has to be in local memory.
fn check_size(
    reader: &mut FieldReader,
    table: &Table<'_>,
    (kind, shape): (NumberType, &[usize]),
    place: &Place<'_>,
) -> Option<()> {
    let bytes = shape.iter().product::<usize>() * kind.bytes();
    if place.has_passes || bytes <= LOCAL_BYTES {
        return Some(());
    }
    let name = table.name("shape");
    let span = table.get("shape").map_or(table.span.clone(), |value| value.span());
    let message = format!(
        "{name} makes an array of {bytes} bytes; without [[pass]] it lies in local memory, of which \
         cores have at most {LOCAL_BYTES}"
    );
    let help = "[[pass]] brings it to local memory by pages";
    reader.refuse(cp2_toml::codes::OUT_OF_RANGE, span, message, help);
    None
}

/// Bytes of the largest local memory that a core has, all sections together.
const LOCAL_BYTES: usize = SECTIONS * Core::WIDEST.lmem_words() * size_of::<u64>();

/// Most elements of an array that is made: 2^28, a GiB of float32.
const MOST_ELEMENTS: i64 = 1 << 28;

/// Returns what a result is compared with, if a table says so.
fn expected(reader: &mut FieldReader, table: &Table<'_>, place: &Place<'_>) -> Option<Expected> {
    let tolerance = Tolerance {
        absolute: positive(reader, table, "atol"),
        relative: positive(reader, table, "rtol"),
    };
    if table.get("expected").is_none() {
        for key in ["atol", "rtol"] {
            if let Some(value) = table.get(key) {
                let message = format!("{} goes with expected only", table.name(key));
                reader.refuse(cp2_toml::codes::UNKNOWN, value.span(), message, "");
            }
        }
        return None;
    }
    let array = read_npy(reader, table, "expected", place)?;
    let (path, _) = path_of(reader, table, "expected")?;
    Some(Expected { path, array, tolerance })
}

/// Returns the number of a key, 0 if it is absent; refuses one below 0.
fn positive(reader: &mut FieldReader, table: &Table<'_>, key: &str) -> f64 {
    let number = reader.float_or(table, key, 0.0);
    if number < 0.0 {
        let span = table.get(key).map_or(0..0, |value| value.span());
        let message = format!("{} is {number}; it takes a number of at least 0", table.name(key));
        reader.refuse(cp2_toml::codes::OUT_OF_RANGE, span, message, "");
        return 0.0;
    }
    number
}
