//! The one table: every operation with its encoding, operands and meaning.
//!
//! A row is written once, in the file of its family. The enum [`Operation`] comes from the rows of all,
//! and what translates operations matches on it without a catch-all, so a row without a meaning does not
//! compile. Facts: the MIPS64 architecture, releases 1 and 2; for coprocessor 2 the model library of CP2 (`[L]`).

#[macro_use]
mod integer;
#[macro_use]
mod control;
#[macro_use]
mod floating;
#[macro_use]
mod coprocessor;

use super::operand::Operand;
use super::pattern::Fixed;

/// Release of the MIPS64 architecture: of an operation the first that has it, of a decoder or engine the one whose
/// operations it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// MIPS64 release 1, which is part of release 2.
    R1,
    /// MIPS64 release 2.
    #[default]
    R2,
}

/// Row of the table of MIPS64 operations: an operation with its encoding, operands and meaning.
#[derive(Debug)]
pub struct Row {
    /// Operation that the row describes.
    pub operation: Operation,
    /// First release that has the operation.
    pub release: Release,
    /// Encoding pattern of the operation, a character for each bit, see [`super::pattern`].
    pub pattern: &'static str,
    /// The fixed bits of `pattern`, by which an instruction word is decoded.
    pub fixed: Fixed,
    /// Mnemonic of the operation; in comparisons of the FPU `?` stands for the relation, as in `c.?.d`.
    pub name: &'static str,
    /// Operands in the order in which the assembler writes them.
    pub operands: &'static [Operand],
    /// Effect of the operation in one line, by the names of its operands.
    pub doc: &'static str,
    /// Heading under which the row stands in the page of the book.
    pub section: &'static str,
}

macro_rules! operations {
    (; $($section:literal { $(
        $variant:ident $release:ident $pattern:literal $name:literal [$($operand:ident),*] $doc:literal;
    )* })*) => {
        /// Operation of the MIPS64 instruction set: one for each row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[doc = concat!("Instruction `", $name, "` (", $section, "). Effect, by the names of operands: `", $doc, "`.")] $variant,)*)*
        }

        static ROWS: &[Row] = &[$($(Row {
            operation: Operation::$variant,
            release: Release::$release,
            pattern: $pattern,
            fixed: const { Fixed::of($pattern) },
            name: $name,
            operands: &[$(Operand::$operand),*],
            doc: $doc,
            section: $section,
        },)*)*];
    };
}

integer_rows! { control_rows floating_rows coprocessor_rows operations; }

/// Returns the table of MIPS64 operations: a row for each, in the order of the variants of [`Operation`].
#[must_use]
pub fn rows() -> &'static [Row] {
    ROWS
}

impl Operation {
    /// Returns the operation's row of the table: encoding, operands and meaning.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::isa::pattern::bits_of;

    #[test]
    fn every_letter_of_a_pattern_is_an_operand_and_the_other_way_round() {
        for row in rows() {
            let letters: String = row.operands.iter().map(|o| o.letter()).collect();
            for letter in letters.chars() {
                assert_ne!(bits_of(row.pattern, letter), 0, "{}: {letter}", row.name);
            }
            // Relation and select are part of another operand, codes may be there for software alone.
            for letter in row.pattern.chars().filter(|c| !" 01-kex".contains(*c)) {
                assert!(letters.contains(letter), "{}: {letter}", row.name);
            }
        }
    }

    #[test]
    fn no_word_is_two_operations() {
        for (i, a) in rows().iter().enumerate() {
            for b in &rows()[i + 1..] {
                let both = a.fixed.mask & b.fixed.mask;
                assert_ne!(a.fixed.value & both, b.fixed.value & both, "{} and {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn a_row_stands_where_its_operation_says() {
        for (i, row) in rows().iter().enumerate() {
            assert_eq!(row.operation as usize, i);
        }
    }
}
