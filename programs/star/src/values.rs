//! Values of variables as arrays of numbers, as texts, and back.

use crate::language::{LengthFormula, ValueType, Variable};
use crate::machine::{BitTable, BitVector, greatest_number};
use crate::run::StarValue;
use cp2_session::npy::{Array, NumberType, Value};

/// The numbers of rows and of bits of a weight, with which lengths become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// Number of rows, `n`.
    pub rows: usize,
    /// Number of bits of a weight, `h`.
    pub weight_bits: usize,
}

/// Meaning of the columns of a table, or of the positions of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnMeaning {
    /// Bits by themselves.
    Bits,
    /// A single number, most significant bit first.
    Field,
    /// Numbers side by side, `h` bits each.
    Bands,
}

impl ColumnMeaning {
    /// Returns what the columns of a type are: `table[h]` has a number in each row, `table[n*h]` one for each vertex, others
    /// have bits; words likewise.
    pub fn of(kind: &ValueType) -> Self {
        let (n, h) = (LengthFormula::rows(), LengthFormula::weight());
        match kind {
            ValueType::Table(Some(width)) | ValueType::Word(Some(width)) if *width == h => {
                Self::Field
            }
            ValueType::Table(Some(width)) | ValueType::Word(Some(width))
                if Some(width) == n.times(&h).as_ref() =>
            {
                Self::Bands
            }
            _ => Self::Bits,
        }
    }
}

impl Dimensions {
    /// Returns how many bits a variable has, in each row if it is a table; `None` for numbers and truth values, and for
    /// lengths that are none.
    pub fn length(self, kind: &ValueType) -> Option<usize> {
        kind.length(self.rows, self.weight_bits)
    }

    /// Returns the value of a variable as an array. Bits are 0 and 1 (uint8); a `table[h]` is a vector of numbers, a
    /// `table[n*h]` a matrix of them, row by row.
    pub fn array(self, variable: &Variable, value: &StarValue) -> Array {
        let bits = |shape, bits: Vec<bool>| {
            let elements = bits.into_iter().map(u128::from);
            Array::from_bits(NumberType::Uint8, shape, elements)
        };
        match value {
            StarValue::Int(number) => {
                let number = u128::from(*number as u64);
                Array::from_bits(NumberType::Int64, Vec::new(), std::iter::once(number))
            }
            StarValue::Bool(truth) => bits(Vec::new(), vec![*truth]),
            StarValue::Bits(vector) => bits(vec![vector.len()], vector.bits().collect()),
            StarValue::Table(table) => {
                let numbers = |shape, bands: usize| {
                    let all = self.numbers(table, bands).into_iter().map(u128::from);
                    Array::from_bits(NumberType::Uint64, shape, all)
                };
                match ColumnMeaning::of(&variable.kind) {
                    ColumnMeaning::Field => numbers(vec![table.rows()], 1),
                    ColumnMeaning::Bands => numbers(vec![table.rows(), self.rows], self.rows),
                    ColumnMeaning::Bits => {
                        let rows = (1..=table.rows())
                            .flat_map(|row| table.row(row).bits().collect::<Vec<_>>());
                        bits(vec![table.rows(), table.width()], rows.collect())
                    }
                }
            }
        }
    }

    /// Returns the numbers of bands of a table, row by row.
    fn numbers(self, table: &BitTable, bands: usize) -> Vec<u64> {
        let width = table.width() / bands.max(1);
        let row = |row| {
            let bits = table.row(row);
            (0..bands)
                .map(move |band| bits.part(band * width + 1, width).number().unwrap_or(u64::MAX))
        };
        (1..=table.rows()).flat_map(row).collect()
    }

    /// Returns the value of a variable as comma-separated text: a line for each row. Numbers that are all ones, which stand
    /// for no arc or no path, are `inf`.
    pub fn csv(self, variable: &Variable, value: &StarValue) -> String {
        let number = |number: u64| match number == self.infinity() {
            true => "inf".to_owned(),
            false => number.to_string(),
        };
        let lines = |rows: Vec<Vec<String>>| -> String {
            rows.into_iter().map(|row| row.join(",") + "\n").collect()
        };
        let digits = |bits: &BitVector| bits.bits().map(|bit| u8::from(bit).to_string()).collect();
        match (value, &variable.kind) {
            (StarValue::Int(number), _) => format!("{number}\n"),
            (StarValue::Bool(truth), _) => format!("{}\n", u8::from(*truth)),
            (StarValue::Bits(bits), ValueType::Slice) => {
                lines(bits.bits().map(|bit| vec![u8::from(bit).to_string()]).collect())
            }
            (StarValue::Bits(bits), _) => lines(vec![digits(bits)]),
            (StarValue::Table(table), kind) => {
                let bands = match ColumnMeaning::of(kind) {
                    ColumnMeaning::Bits => {
                        return lines(
                            (1..=table.rows()).map(|row| digits(&table.row(row))).collect(),
                        );
                    }
                    ColumnMeaning::Field => 1,
                    ColumnMeaning::Bands => self.rows,
                };
                let numbers = self.numbers(table, bands);
                lines(
                    numbers
                        .chunks(bands)
                        .map(|row| row.iter().map(|&n| number(n)).collect())
                        .collect(),
                )
            }
        }
    }

    /// Returns the number that stands for no arc and no path: `h` ones.
    pub fn infinity(self) -> u64 {
        greatest_number(self.weight_bits)
    }

    /// Returns the value of a variable from an array: a vector of bits for a slice or word; for a table a vector with a
    /// number in each row, a matrix of bits, or a matrix of numbers of `h` bits.
    ///
    /// # Errors
    /// A sentence with the shape or element and what the variable takes.
    pub fn value(self, variable: &Variable, array: &Array) -> Result<StarValue, String> {
        let wanted = self.length(&variable.kind);
        let (Some(length), name) = (wanted, &variable.name) else {
            return Err(format!(
                "`{}` is a {}; give its value by --arg",
                variable.name, variable.kind
            ));
        };
        let elements = (0..array.len()).map(|at| self.element(array, at));
        let elements = elements.collect::<Result<Vec<u64>, String>>()?;
        if !matches!(variable.kind, ValueType::Table(_)) {
            if array.shape != [length] {
                let shape = array.shape_text();
                return Err(format!(
                    "`{name}` takes {length} bits, and the array has the shape {shape}"
                ));
            }
            let bits =
                elements.iter().map(|&element| bit(element)).collect::<Result<Vec<_>, _>>()?;
            return Ok(StarValue::Bits(BitVector::from_bits(bits)));
        }
        let per_row = match array.shape[..] {
            [rows] if rows == self.rows => length,
            [rows, columns] if rows == self.rows && columns == length => 1,
            [rows, columns] if rows == self.rows && columns * self.weight_bits == length => {
                self.weight_bits
            }
            _ => {
                return Err(format!(
                    "`{name}` has {} rows of {length} bits: it takes a vector of numbers, a matrix of bits, or one of numbers of {} \
                     bits, and the array has the shape {}",
                    self.rows,
                    self.weight_bits,
                    array.shape_text()
                ));
            }
        };
        let mut table = BitTable::zeros(self.rows, length);
        let bands = length / per_row;
        for (at, &element) in elements.iter().enumerate() {
            let (row, first) = (at / bands + 1, at % bands * per_row + 1);
            let most = greatest_number(per_row);
            if element > most {
                return Err(format!(
                    "row {row} has {element}, and {per_row} bits hold at most {most}"
                ));
            }
            table.put_number(row, first..first + per_row, element);
        }
        Ok(StarValue::Table(table))
    }

    fn element(self, array: &Array, at: usize) -> Result<u64, String> {
        let number = match array.value(at) {
            Value::Int(number) => u64::try_from(number).ok(),
            Value::Float(number)
                if number >= 0.0 && number.fract() == 0.0 && number < 2_f64.powi(63) =>
            {
                Some(number as u64)
            }
            _ => None,
        };
        number
            .ok_or_else(|| format!("element {:?} is no whole number of 0 or more", array.index(at)))
    }

    /// Returns the value of a variable from a text: a number, `true` or `false`, or bits such as `0101` for a slice or word.
    ///
    /// # Errors
    /// A sentence with the text and what the variable takes.
    pub fn value_of_text(self, variable: &Variable, text: &str) -> Result<StarValue, String> {
        let kind = &variable.kind;
        let wrong = || Err(format!("`{}` is a {kind}, and `{text}` is none", variable.name));
        match kind {
            ValueType::Int => text.parse().map(StarValue::Int).or_else(|_| wrong()),
            ValueType::Bool => text.parse().map(StarValue::Bool).or_else(|_| wrong()),
            ValueType::Table(_) => {
                Err(format!("`{}` is a {kind}; load it from a file", variable.name))
            }
            _ => {
                let Some(length) = self.length(kind) else { return wrong() };
                match BitVector::from_text(text) {
                    Some(bits) if bits.len() == length => Ok(StarValue::Bits(bits)),
                    Some(bits) => Err(format!(
                        "`{}` takes {length} bits, and here are {}",
                        variable.name,
                        bits.len()
                    )),
                    None => wrong(),
                }
            }
        }
    }
}

fn bit(element: u64) -> Result<bool, String> {
    match element {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("a bit is 0 or 1, and the array has {other}")),
    }
}

/// Returns the parents that a table of a tree has, row by row: the column of the one in each row, 0 where there is none.
///
/// # Errors
/// A row has several ones: the row.
pub fn parents(table: &BitTable) -> Result<Vec<u64>, String> {
    let parent = |row| {
        let mut ones = table.row(row).positions().collect::<Vec<_>>().into_iter();
        match (ones.next(), ones.next()) {
            (first, None) => Ok(first.unwrap_or(0) as u64),
            _ => Err(format!("row {row} has several ones, so the table is no tree of parents")),
        }
    };
    (1..=table.rows()).map(parent).collect()
}
