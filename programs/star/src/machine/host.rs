//! Elementary operations on the native machine, 64 rows at a time.

use super::backend::{Logic, StarBackend};
use super::bits::BitVector;
use super::table::BitTable;

/// The native machine as a back end: slices, words and tables in its memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostBackend;

impl StarBackend for HostBackend {
    type Bits = BitVector;
    type Table = BitTable;

    fn load(&mut self, bits: &BitVector) -> BitVector {
        bits.clone()
    }

    fn store(&mut self, bits: &BitVector) -> BitVector {
        bits.clone()
    }

    fn load_table(&mut self, table: &BitTable) -> BitTable {
        table.clone()
    }

    fn store_table(&mut self, table: &BitTable) -> BitTable {
        table.clone()
    }

    fn length(&self, bits: &BitVector) -> usize {
        bits.len()
    }

    fn width(&self, table: &BitTable) -> usize {
        table.width()
    }

    fn rows(&self, table: &BitTable) -> usize {
        table.rows()
    }

    fn filled(&mut self, length: usize, bit: bool) -> BitVector {
        if bit { BitVector::ones(length) } else { BitVector::zeros(length) }
    }

    fn mask(&mut self, length: usize, position: usize) -> BitVector {
        BitVector::from_words(length, BitVector::ones(position.min(length)).words().to_vec())
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> BitTable {
        BitTable::zeros(rows, columns)
    }

    fn logic(&mut self, operation: Logic, a: &BitVector, b: &BitVector) -> BitVector {
        match operation {
            Logic::And => a.combined(b, |a, b| a & b),
            Logic::Or => a.combined(b, |a, b| a | b),
            Logic::Xor => a.combined(b, |a, b| a ^ b),
        }
    }

    fn not(&mut self, a: &BitVector) -> BitVector {
        a.combined(a, |a, _| !a)
    }

    fn some(&mut self, bits: &BitVector) -> bool {
        bits.words().iter().any(|&word| word != 0)
    }

    fn find(&mut self, bits: &BitVector) -> usize {
        let first = bits.words().iter().enumerate().find(|(_, word)| **word != 0);
        first.map_or(0, |(at, word)| at * 64 + word.trailing_zeros() as usize + 1)
    }

    fn step(&mut self, bits: &mut BitVector) -> usize {
        let position = self.find(bits);
        bits.put(position, false);
        position
    }

    fn keep_first(&mut self, bits: &mut BitVector) {
        let position = self.find(bits);
        *bits = BitVector::zeros(bits.len());
        bits.put(position, true);
    }

    fn number(&mut self, bits: &BitVector) -> usize {
        bits.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    fn bit(&mut self, bits: &BitVector, position: usize) -> bool {
        bits.get(position)
    }

    fn put_bit(&mut self, bits: &mut BitVector, position: usize, bit: bool) {
        bits.put(position, bit);
    }

    fn trim(&mut self, bits: &BitVector, from: usize, length: usize) -> BitVector {
        bits.part(from, length)
    }

    fn replace(&mut self, bits: &mut BitVector, from: usize, part: &BitVector) {
        for (at, bit) in part.bits().enumerate() {
            bits.put(from + at, bit);
        }
    }

    fn add(&mut self, a: &BitVector, b: &BitVector) -> (BitVector, bool) {
        let (mut sum, mut carry) = (BitVector::zeros(a.len()), false);
        for position in (1..=a.len()).rev() {
            let ones = u8::from(a.get(position)) + u8::from(b.get(position)) + u8::from(carry);
            sum.put(position, ones & 1 == 1);
            carry = ones > 1;
        }
        (sum, !carry)
    }

    fn less(&mut self, a: &BitVector, b: &BitVector) -> bool {
        a.bits().lt(b.bits())
    }

    fn column(&mut self, table: &BitTable, column: usize) -> BitVector {
        table.column(column).cloned().unwrap_or_default()
    }

    fn put_column(&mut self, table: &mut BitTable, column: usize, bits: &BitVector) {
        table.put_column(column, bits.clone());
    }

    fn row(&mut self, table: &BitTable, row: usize) -> BitVector {
        table.row(row)
    }

    fn put_row(&mut self, table: &mut BitTable, row: usize, bits: &BitVector) {
        for (at, bit) in bits.bits().enumerate() {
            table.put(row, at + 1, bit);
        }
    }
}
