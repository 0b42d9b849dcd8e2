//! What the model refuses. The place in a program is added by what runs it.

use std::fmt;

/// The reason why an elementary operation or a procedure of the library was not carried out. Texts name the value, the
/// limit and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// A position, row or column is not there.
    Position {
        /// Name of the numbered thing: a position, a row, a column.
        what: &'static str,
        /// Number that was given, counted from 1.
        position: i64,
        /// Greatest number that there is.
        limit: usize,
        /// Least number that there is.
        least: usize,
    },
    /// A part of a word ends before it begins, or lies outside.
    Span {
        /// First position of the part.
        from: i64,
        /// Last position of the part.
        to: i64,
        /// Length of the word.
        length: usize,
    },
    /// Two operands have different lengths.
    Lengths {
        /// Name of the operation.
        operation: &'static str,
        /// Length of the first operand.
        first: usize,
        /// Length of the second operand.
        second: usize,
    },
    /// A table has not the width that its use asks for.
    Width {
        /// Name of the procedure.
        procedure: &'static str,
        /// Number of columns that the table has.
        columns: usize,
        /// Number of columns that there have to be.
        wanted: usize,
    },
    /// A band of a table is not there.
    Band {
        /// Number of the band, from 1.
        band: i64,
        /// Columns of a band.
        width: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// The width of a band that a call gives is not that of the table which is the band.
    BandWidth {
        /// Name of the procedure.
        procedure: &'static str,
        /// Width that was given.
        width: i64,
        /// Columns of the table.
        columns: usize,
    },
    /// A sum of words does not fit.
    Sum {
        /// First word, as bits.
        first: String,
        /// Second word, as bits.
        second: String,
    },
    /// Tables and slices need more memory than they may have.
    Memory {
        /// Bits of all tables with the one that is refused; `None` if there are more than a number can tell.
        bits: Option<u64>,
        /// Most bits.
        limit: u64,
    },
    /// A bit is set to a number that is no bit.
    Bit {
        /// Number that was given.
        value: i64,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position { what, position, limit: 0, .. } => {
                write!(f, "{what} {position} is not there: there is none")
            }
            Self::Position { what, position, limit, least } => {
                write!(f, "{what} {position} is not there: they go from {least} to {limit}")
            }
            Self::Span { from, to, length } => write!(
                f,
                "positions {from} to {to} of a word of {length}: the first is at least 1 and not behind the last, the last \
                 at most {length}"
            ),
            Self::Lengths { operation, first, second } => {
                write!(f, "{operation} of {first} and {second} bits: both need the same length")
            }
            Self::Width { procedure, columns, wanted } => write!(
                f,
                "{procedure} takes a table of {wanted} {} here, and this one has {columns}",
                if *wanted == 1 { "column" } else { "columns" }
            ),
            Self::Band { band, width, columns } => write!(
                f,
                "band {band} of width {width} is not in a table of {columns} columns: bands go from 1 to {}",
                columns.checked_div(*width).unwrap_or(0)
            ),
            Self::BandWidth { procedure, width, columns } => write!(
                f,
                "{procedure} of a band of {width} columns, and the table that is the band has {columns}: both need the same number"
            ),
            Self::Sum { first, second } => write!(
                f,
                "the sum of {first} and {second} does not fit in {} bits; give words and weights more bits",
                first.len()
            ),
            Self::Memory { bits, limit } => {
                let mib = |bits: u64| bits.div_ceil(8 << 20);
                match bits {
                    Some(bits) => write!(f, "the tables need {} MiB", mib(*bits))?,
                    None => write!(f, "the tables need more memory than can be told")?,
                }
                write!(f, ", the limit is {} MiB; take a smaller graph or fewer bits", mib(*limit))
            }
            Self::Bit { value } => write!(f, "a bit is 0 or 1, and this is {value}"),
        }
    }
}

impl std::error::Error for ModelError {}
