//! Sparse matrices from the text of Matrix Market files (`.mtx`). The caller reads the files.

use super::{Csr, SparseError};
use std::fmt::LowerExp;
use std::ops::Neg;
use std::str::FromStr;

/// The first line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketHeader {
    /// Whether places are written.
    pub format: MarketFormat,
    /// Type of the values.
    pub field: MarketField,
    /// Meaning of entries that are not written.
    pub symmetry: MarketSymmetry,
}

impl MarketHeader {
    /// Returns the first row of a column of an array that is written.
    fn first_row(self, column: usize) -> usize {
        match self.symmetry {
            MarketSymmetry::General => 0,
            MarketSymmetry::Symmetric => column,
            MarketSymmetry::Skew => column + 1,
        }
    }
}

/// Whether places are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketFormat {
    /// Row, column and value of each entry.
    Coordinate,
    /// All values, column by column.
    Array,
}

/// The type of the values, as the header tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketField {
    /// Real.
    Real,
    /// Integer.
    Integer,
    /// No values: every entry is 1.
    Pattern,
}

/// The meaning of entries that are not written, as the header tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketSymmetry {
    /// All entries are written.
    General,
    /// The file holds the lower triangle; the upper one is its mirror image.
    Symmetric,
    /// The mirror image has the opposite sign, the diagonal is 0.
    Skew,
}

/// Value of an entry as it is kept, in single or double precision.
trait MarketValue:
    Copy + Default + PartialEq + FromStr + Into<f64> + LowerExp + Neg<Output = Self>
{
    /// Name of the precision in messages.
    const PRECISION: &'static str;
    /// Largest value.
    const LIMIT: Self;
    /// Advice for a number that is too large, and for one that is not finite.
    const ADVICE: [&'static str; 2];

    /// Returns a number of double precision, rounded.
    fn rounded(value: f64) -> Self;
}

impl MarketValue for f32 {
    const PRECISION: &'static str = "single precision";
    const LIMIT: Self = Self::MAX;
    const ADVICE: [&'static str; 2] =
        ["; --non-finite reads it as an infinity", "; --non-finite lets it through"];

    fn rounded(value: f64) -> Self {
        value as Self
    }
}

impl MarketValue for f64 {
    const PRECISION: &'static str = "double precision";
    const LIMIT: Self = Self::MAX;
    const ADVICE: [&'static str; 2] = [""; 2];

    fn rounded(value: f64) -> Self {
        value
    }
}

/// Matrix in double precision as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct MarketDoubles {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row, column and value of each entry, by rows and in a row by columns, each place once.
    pub entries: Vec<(usize, usize, f64)>,
}

fn error<T>(line: usize, message: String) -> Result<T, SparseError> {
    Err(SparseError::Market { line, message })
}

/// Most rows or columns; far more than local memory holds a vector for.
const MOST_ROWS: usize = 1 << 24;

/// Most entries that are announced: 256 MiB of them.
const MOST_ENTRIES: usize = 1 << 24;

/// Reads a matrix from the text of a Matrix Market file: `%%MatrixMarket matrix`, format coordinate or array, with
/// field real, integer or pattern (coordinate only; every entry is 1), and symmetry general, symmetric or
/// skew-symmetric. Numbers are rounded to single precision. Entries of a coordinate file for one place are added, in
/// double precision. Zeros of a coordinate file are entries, because the file chooses the pattern; zeros of an array
/// file are none.
///
/// # Errors
/// [`SparseError::Market`] for a line that cannot be read, with the number of the line; also for a number that is not
/// finite in single precision. [`SparseError::Empty`] for a matrix without rows or columns.
pub fn read(text: &str) -> Result<Csr, SparseError> {
    let MarketRead { rows, columns, entries } = read_lines::<f32>(text, false)?;
    Csr::from_any_entries(rows, columns, &entries)
}

/// Reads a matrix as [`read`] does, with its numbers in double precision.
///
/// # Errors
/// [`SparseError::Market`] for a line that cannot be read, with the number of the line; also for a number that is not
/// finite in double precision. [`SparseError::Empty`] for a matrix without rows or columns.
pub fn read_doubles(text: &str) -> Result<MarketDoubles, SparseError> {
    let MarketRead { rows, columns, entries } = read_lines::<f64>(text, false)?;
    if rows == 0 || columns == 0 {
        return Err(SparseError::Empty { rows, columns });
    }
    Ok(MarketDoubles { rows, columns, entries })
}

/// Reads a matrix as [`read`] does, and lets NaN, infinities and numbers too large for single precision through; the
/// latter become infinite.
///
/// # Errors
/// [`SparseError::Market`] for a line that cannot be read, with the number of the line. [`SparseError::Empty`] for a
/// matrix without rows or columns.
pub fn read_any(text: &str) -> Result<Csr, SparseError> {
    let MarketRead { rows, columns, entries } = read_lines::<f32>(text, true)?;
    Csr::from_any_entries(rows, columns, &entries)
}

/// Sizes and entries of a file.
struct MarketRead<T> {
    rows: usize,
    columns: usize,
    entries: Vec<(usize, usize, T)>,
}

/// Returns the lines behind the first that hold something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().skip(1).map(|(i, line)| (i + 1, line));
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'))
}

fn read_lines<T: MarketValue>(text: &str, takes_any: bool) -> Result<MarketRead<T>, SparseError> {
    let header = read_header(text.lines().next().unwrap_or(""))?;
    let mut lines = lines(text);
    let Some((line, sizes)) = lines.next() else {
        return error(text.lines().count(), "the line with the sizes is missing".to_owned());
    };
    let (rows, columns, count) = sizes_of(line, sizes, header)?;
    check_sizes(line, [rows, columns, count], header.symmetry)?;
    let mut entries = Vec::new();
    let mut read = 0;
    let mut places = Places::new(header, [rows, columns]);
    for (line, text) in lines {
        let (row, column, value) = match header.format {
            MarketFormat::Coordinate => entry(line, text, header.field, takes_any)?,
            // Too many values are counted and refused below.
            MarketFormat::Array => {
                let (row, column) = places.next().unwrap_or_default();
                (row, column, lone_value(line, text, header.field, takes_any)?)
            }
        };
        let is_more = header.format == MarketFormat::Array && read >= count;
        if !is_more && (row >= rows || column >= columns) {
            let (row, column) = (row + 1, column + 1);
            return error(
                line,
                format!("entry ({row}, {column}) is outside of the {rows} x {columns} matrix"),
            );
        }
        let is_zero = header.format == MarketFormat::Array && value == T::default();
        if read < count && !is_zero {
            add_entry(line, (row, column, value), header.symmetry, &mut entries)?;
        }
        read += 1;
    }
    if read != count {
        return error(line, format!("the file announces {count} entries and has {read}"));
    }
    let entries = add_up(entries);
    let is_finite = |entry: &&(usize, usize, T)| entry.2.into().is_finite();
    if !takes_any && let Some(&(row, column, _)) = entries.iter().find(|entry| !is_finite(entry)) {
        return too_large::<T>(text, (row, column));
    }
    Ok(MarketRead { rows, columns, entries })
}

/// Adds the values of each place.
fn add_up<T: MarketValue>(mut entries: Vec<(usize, usize, T)>) -> Vec<(usize, usize, T)> {
    entries.sort_by_key(|&(row, column, _)| (row, column));
    let same = |a: &(usize, usize, T), b: &(usize, usize, T)| (a.0, a.1) == (b.0, b.1);
    let sum = |alike: &[(usize, usize, T)]| match alike {
        [one] => *one,
        _ => {
            let sum: f64 = alike.iter().map(|entry| entry.2.into()).sum();
            (alike[0].0, alike[0].1, T::rounded(sum))
        }
    };
    entries.chunk_by(same).map(sum).collect()
}

/// The places of the values of an array, column by column.
struct Places {
    header: MarketHeader,
    rows: usize,
    at: (usize, usize),
}

impl Places {
    fn new(header: MarketHeader, [rows, _]: [usize; 2]) -> Self {
        let first = header.first_row(0);
        let mut places = Self { header, rows, at: (first, 0) };
        places.turn();
        places
    }

    /// Goes to the next column that has values, if this one has no more rows.
    fn turn(&mut self) {
        if self.at.0 >= self.rows {
            self.at = (self.header.first_row(self.at.1 + 1), self.at.1 + 1);
        }
    }
}

impl Iterator for Places {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        self.at.0 += 1;
        self.turn();
        Some(at)
    }
}

fn check_sizes(
    line: usize,
    [rows, columns, count]: [usize; 3],
    symmetry: MarketSymmetry,
) -> Result<(), SparseError> {
    if symmetry != MarketSymmetry::General && rows != columns {
        return error(
            line,
            format!("{rows} x {columns} is not square, but the first line declares it symmetric"),
        );
    }
    if rows.max(columns) > MOST_ROWS {
        let message = format!(
            "{rows} x {columns} is too large; at most {MOST_ROWS} rows and columns are possible"
        );
        return error(line, message);
    }
    if count > MOST_ENTRIES {
        return error(
            line,
            format!("{count} entries are too many; at most {MOST_ENTRIES} are possible"),
        );
    }
    Ok(())
}

/// Returns the error of a place whose values add up to too much; it tells the last line that has the place.
fn too_large<T: MarketValue>(
    text: &str,
    (row, column): (usize, usize),
) -> Result<MarketRead<T>, SparseError> {
    let is_there = |(_, text): &(usize, &str)| {
        let mut words = text.split_whitespace().map(|word| word.parse().unwrap_or(0_usize));
        let place = (words.next().unwrap_or(0), words.next().unwrap_or(0));
        // The other triangle of a symmetric matrix is the image of the one that is written.
        place == (row + 1, column + 1) || place == (column + 1, row + 1) && row < column
    };
    let last = lines(text).skip(1).filter(is_there).map(|(line, _)| line).last();
    let message = format!(
        "the values of entry ({}, {}) add up to more than the limit of {}, {:e}",
        row + 1,
        column + 1,
        T::PRECISION,
        T::LIMIT
    );
    error(last.unwrap_or(0), message)
}

/// Reads the first line of a file.
///
/// # Errors
/// [`SparseError::Market`] for a line that is none, or has a format, field or symmetry that is not known.
pub fn read_header(line: &str) -> Result<MarketHeader, SparseError> {
    let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [banner, "matrix", format, field, symmetry] = words[..] else {
        return error(1, "not a Matrix Market file: the first line is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'".to_owned());
    };
    if banner != "%%matrixmarket" {
        return error(1, format!("'{banner}' in place of %%MatrixMarket"));
    }
    let format = match format {
        "coordinate" => MarketFormat::Coordinate,
        "array" => MarketFormat::Array,
        other => {
            return error(
                1,
                format!("unknown format '{other}'; the formats are coordinate and array"),
            );
        }
    };
    let field = match field {
        "real" => MarketField::Real,
        "integer" => MarketField::Integer,
        "pattern" if format == MarketFormat::Array => {
            return error(
                1,
                "field pattern is not possible for an array, which has values".to_owned(),
            );
        }
        "pattern" => MarketField::Pattern,
        other => {
            return error(
                1,
                format!("unknown field '{other}'; the fields are real, integer and pattern"),
            );
        }
    };
    let symmetry = match symmetry {
        "general" => MarketSymmetry::General,
        "symmetric" => MarketSymmetry::Symmetric,
        "skew-symmetric" => MarketSymmetry::Skew,
        other => {
            return error(
                1,
                format!(
                    "unknown symmetry '{other}'; the symmetries are general, symmetric and skew-symmetric"
                ),
            );
        }
    };
    Ok(MarketHeader { format, field, symmetry })
}

/// Returns rows, columns, and how many lines follow.
fn sizes_of(
    line: usize,
    text: &str,
    header: MarketHeader,
) -> Result<(usize, usize, usize), SparseError> {
    let numbers: Vec<Option<usize>> = text.split_whitespace().map(|w| w.parse().ok()).collect();
    match (header.format, &numbers[..]) {
        (MarketFormat::Coordinate, &[Some(rows), Some(columns), Some(count)]) => {
            Ok((rows, columns, count))
        }
        (MarketFormat::Array, &[Some(rows), Some(columns)]) => {
            let all = rows.saturating_mul(columns);
            let count = match header.symmetry {
                MarketSymmetry::General => all,
                MarketSymmetry::Symmetric => all.saturating_add(rows) / 2,
                MarketSymmetry::Skew => all.saturating_sub(rows) / 2,
            };
            Ok((rows, columns, count))
        }
        (MarketFormat::Coordinate, _) => {
            error(line, format!("'{}' is not ROWS COLUMNS ENTRIES", text.trim()))
        }
        (MarketFormat::Array, _) => error(line, format!("'{}' is not ROWS COLUMNS", text.trim())),
    }
}

/// Reads the value on a line of an array.
fn lone_value<T: MarketValue>(
    line: usize,
    text: &str,
    field: MarketField,
    takes_any: bool,
) -> Result<T, SparseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [word] = words[..] else {
        return error(line, format!("{} words in place of 1", words.len()));
    };
    number(word, field, takes_any).or_else(|message| error(line, message))
}

/// Reads an entry: row and column from 0, and the value.
fn entry<T: MarketValue>(
    line: usize,
    text: &str,
    field: MarketField,
    takes_any: bool,
) -> Result<(usize, usize, T), SparseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wanted = if field == MarketField::Pattern { 2 } else { 3 };
    if words.len() != wanted {
        return error(line, format!("{} words in place of {wanted}", words.len()));
    }
    let index = |word: &str| match word.parse::<usize>() {
        Ok(i) if i > 0 => Ok(i - 1),
        _ => error(line, format!("'{word}' is not an index from 1")),
    };
    let value = match words.get(2) {
        None => T::rounded(1.0),
        Some(word) => match number(word, field, takes_any) {
            Ok(value) => value,
            Err(message) => return error(line, message),
        },
    };
    Ok((index(words[0])?, index(words[1])?, value))
}

/// Reads the value of an entry, rounded to its precision.
fn number<T: MarketValue>(word: &str, field: MarketField, takes_any: bool) -> Result<T, String> {
    if field == MarketField::Integer && word.parse::<i128>().is_err() {
        return Err(format!("'{word}' is not an integer, which the first line declares"));
    }
    let Ok(exact) = word.parse::<f64>() else {
        return Err(format!("'{word}' is not a number"));
    };
    // Rounded once, from the decimal number.
    let value = word.parse::<T>().unwrap_or(T::rounded(f64::NAN));
    if value.into().is_finite() || takes_any {
        return Ok(value);
    }
    let [large, endless] = T::ADVICE;
    Err(match exact.is_finite() {
        true => format!(
            "'{word}' is too large for {}, whose limit is {:e}{large}",
            T::PRECISION,
            T::LIMIT
        ),
        false => format!("'{word}' is not finite{endless}"),
    })
}

fn add_entry<T: MarketValue>(
    line: usize,
    (row, column, value): (usize, usize, T),
    symmetry: MarketSymmetry,
    entries: &mut Vec<(usize, usize, T)>,
) -> Result<(), SparseError> {
    if symmetry != MarketSymmetry::General && column > row {
        let (row, column) = (row + 1, column + 1);
        return error(
            line,
            format!(
                "entry ({row}, {column}) is above the diagonal; a symmetric file has the lower half only"
            ),
        );
    }
    if symmetry == MarketSymmetry::Skew && row == column {
        let row = row + 1;
        return error(
            line,
            format!("entry ({row}, {row}) is on the diagonal of a skew-symmetric matrix"),
        );
    }
    entries.push((row, column, value));
    match symmetry {
        MarketSymmetry::Symmetric if row != column => entries.push((column, row, value)),
        MarketSymmetry::Skew => entries.push((column, row, -value)),
        _ => {}
    }
    Ok(())
}
