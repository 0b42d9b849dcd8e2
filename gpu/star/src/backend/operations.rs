//! The elementary operations: which kernels each one launches, and what the host reads.

use super::{GpuBackend, GpuBits, GpuTable, missing, words_of};
use crate::error::StarGpuError;
use cp2_gpu::GpuArgument::{Int, Words};
use cp2_star::machine::{BitTable, BitVector, Logic, StarBackend};
use std::rc::Rc;

/// Most words of a value of which a bit is read by bringing the whole value, which then stays on the host.
const WHOLE: usize = 1024;

/// Returns how often FND and SOME fold a slice of so many words until one word is left.
pub fn folds(words: usize) -> usize {
    let mut folds = 0;
    let mut left = words;
    while left > 1 {
        left = left.div_ceil(64);
        folds += 1;
    }
    folds
}

type Attempt<T> = Result<T, StarGpuError>;

impl GpuBackend {
    /// SET, CLR and MASK: ones in the first positions.
    fn try_mask(&mut self, length: usize, position: usize) -> Attempt<GpuBits> {
        let made = self.new_bits(length)?;
        let words = made.words();
        let arguments = [Words(made.buffer()?), Int(words as i32), Int(position as i32)];
        self.launch("mask", words, &arguments)?;
        Ok(made)
    }

    /// A bitwise operation by its number; `not` is 3.
    fn try_logic(&mut self, operation: i32, a: &GpuBits, b: &GpuBits) -> Attempt<GpuBits> {
        let made = self.new_bits(a.length)?;
        let words = made.words();
        let arguments = [
            Words(a.buffer()?),
            Words(b.buffer()?),
            Words(made.buffer()?),
            Int(words as i32),
            Int(operation),
            Int(a.length as i32),
        ];
        self.launch("logic", words, &arguments)?;
        Ok(made)
    }

    /// Folds a slice until one word is left. Returns the levels above the slice, the lowest first, with the place of the last
    /// word; the slice itself if it is one word.
    fn folded(&mut self, bits: &GpuBits) -> Attempt<(GpuBits, usize)> {
        let count = folds(bits.words());
        if count == 0 {
            return Ok((bits.clone(), 0));
        }
        let mut sizes = vec![bits.words()];
        while sizes.last().is_some_and(|size| *size > 1) {
            sizes.push(sizes[sizes.len() - 1].div_ceil(64));
        }
        let levels = self.new_bits(64 * sizes[1..].iter().sum::<usize>())?;
        let (mut from, mut from_at, mut to_at) = (bits, 0, 0);
        for &size in &sizes[..count] {
            let arguments = [
                Words(from.buffer()?),
                Int(from_at),
                Words(levels.buffer()?),
                Int(to_at),
                Int(size as i32),
            ];
            self.launch_groups("fold", size, 64, &arguments)?;
            (from, from_at) = (&levels, to_at);
            to_at += size.div_ceil(64) as i32;
        }
        let last = to_at as usize - 1;
        Ok((levels, last))
    }

    fn try_some(&mut self, bits: &GpuBits) -> Attempt<bool> {
        if bits.length == 0 {
            return Ok(false);
        }
        let (levels, last) = self.folded(bits)?;
        Ok(self.read(levels.buffer()?, last)? != 0)
    }

    /// Puts the position of the first one, or 0, where results stand.
    fn locate(&mut self, bits: &GpuBits) -> Attempt<()> {
        let (levels, _) = self.folded(bits)?;
        let result = Rc::clone(&self.result);
        let arguments = [
            Words(bits.buffer()?),
            Int(bits.words() as i32),
            Words(levels.buffer()?),
            Int(folds(bits.words()) as i32),
            Words(result.buffer().ok_or_else(missing)?),
        ];
        self.launch("unfold", 1, &arguments)
    }

    fn try_find(&mut self, bits: &GpuBits) -> Attempt<usize> {
        if bits.length == 0 {
            return Ok(0);
        }
        self.locate(bits)?;
        self.read_result()
    }

    /// The bits without their first one, or only it, after the first one was located.
    fn divided(&mut self, bits: &GpuBits, is_first: bool) -> Attempt<GpuBits> {
        let made = self.new_bits(bits.length)?;
        let result = Rc::clone(&self.result);
        let arguments = [
            Words(bits.buffer()?),
            Words(made.buffer()?),
            Int(bits.words() as i32),
            Words(result.buffer().ok_or_else(missing)?),
            Int(is_first.into()),
        ];
        self.launch("divide", bits.words(), &arguments)?;
        Ok(made)
    }

    fn try_step(&mut self, bits: &mut GpuBits) -> Attempt<usize> {
        if bits.length == 0 {
            return Ok(0);
        }
        self.locate(bits)?;
        *bits = self.divided(bits, false)?;
        self.read_result()
    }

    fn try_keep_first(&mut self, bits: &mut GpuBits) -> Attempt<()> {
        if bits.length > 0 {
            self.locate(bits)?;
            *bits = self.divided(bits, true)?;
        }
        Ok(())
    }

    fn try_number(&mut self, bits: &GpuBits) -> Attempt<usize> {
        let words = bits.words();
        if words == 0 {
            return Ok(0);
        }
        let groups = words.div_ceil(64);
        let sums = self.new_bits(64 * groups)?;
        let arguments = [Words(bits.buffer()?), Int(words as i32), Words(sums.buffer()?)];
        self.launch_groups("number", words, 64, &arguments)?;
        let result = Rc::clone(&self.result);
        let result = result.buffer().ok_or_else(missing)?;
        let arguments = [Words(sums.buffer()?), Int(groups as i32), Words(result)];
        self.launch_groups("total", 64, 64, &arguments)?;
        self.read_result()
    }

    fn try_bit(&mut self, bits: &GpuBits, position: usize) -> Attempt<bool> {
        if bits.words() <= WHOLE {
            return Ok(self.try_store(bits)?.get(position));
        }
        let word = self.read(bits.buffer()?, (position - 1) / 64)?;
        Ok(word >> ((position - 1) % 64) & 1 == 1)
    }

    fn try_put_bit(&mut self, bits: &GpuBits, position: usize, bit: bool) -> Attempt<GpuBits> {
        let made = self.new_bits(bits.length)?;
        let words = bits.words();
        let arguments = [
            Words(bits.buffer()?),
            Words(made.buffer()?),
            Int(words as i32),
            Int(position as i32 - 1),
            Int(bit.into()),
        ];
        self.launch("put_bit", words, &arguments)?;
        Ok(made)
    }

    fn try_trim(&mut self, bits: &GpuBits, from: usize, length: usize) -> Attempt<GpuBits> {
        let made = self.new_bits(length)?;
        let words = made.words();
        let arguments = [
            Words(bits.buffer()?),
            Int(bits.words() as i32),
            Int(from as i32 - 1),
            Words(made.buffer()?),
            Int(words as i32),
            Int(length as i32),
        ];
        self.launch("trim", words, &arguments)?;
        Ok(made)
    }

    fn try_replace(&mut self, bits: &GpuBits, from: usize, part: &GpuBits) -> Attempt<GpuBits> {
        let made = self.new_bits(bits.length)?;
        let words = bits.words();
        let arguments = [
            Words(bits.buffer()?),
            Words(made.buffer()?),
            Int(words as i32),
            Words(part.buffer()?),
            Int(from as i32 - 1),
            Int(part.length as i32),
        ];
        self.launch("replace", words, &arguments)?;
        Ok(made)
    }

    fn try_add(&mut self, a: &GpuBits, b: &GpuBits) -> Attempt<(GpuBits, bool)> {
        let made = self.new_bits(a.length)?;
        let result = Rc::clone(&self.result);
        let arguments = [
            Words(a.buffer()?),
            Words(b.buffer()?),
            Words(made.buffer()?),
            Int(a.words() as i32),
            Words(result.buffer().ok_or_else(missing)?),
        ];
        self.launch("add", 1, &arguments)?;
        Ok((made, self.read_result()? == 0))
    }

    fn try_less(&mut self, a: &GpuBits, b: &GpuBits) -> Attempt<bool> {
        let result = Rc::clone(&self.result);
        let result = result.buffer().ok_or_else(missing)?;
        let arguments =
            [Words(a.buffer()?), Words(b.buffer()?), Int(a.words() as i32), Words(result)];
        self.launch("less", 1, &arguments)?;
        Ok(self.read_result()? == 1)
    }

    fn try_column(&mut self, table: &GpuTable, column: usize) -> Attempt<GpuBits> {
        let made = self.new_bits(table.rows)?;
        let words = table.words();
        let arguments = [
            Words(table.buffer()?),
            Int(((column - 1) * words) as i32),
            Words(made.buffer()?),
            Int(0),
            Int(words as i32),
        ];
        self.launch("copy", words, &arguments)?;
        Ok(made)
    }

    fn try_put_column(
        &mut self,
        table: &mut GpuTable,
        column: usize,
        bits: &GpuBits,
    ) -> Attempt<()> {
        self.own(table)?;
        let words = table.words();
        let arguments = [
            Words(bits.buffer()?),
            Int(0),
            Words(table.buffer()?),
            Int(((column - 1) * words) as i32),
            Int(words as i32),
        ];
        self.launch("copy", words, &arguments)
    }

    fn try_row(&mut self, table: &GpuTable, row: usize) -> Attempt<GpuBits> {
        let made = self.new_bits(table.width)?;
        let arguments = [
            Words(table.buffer()?),
            Int(table.words() as i32),
            Int(table.width as i32),
            Int(row as i32 - 1),
            Words(made.buffer()?),
        ];
        self.launch_groups("row", 64 * words_of(table.width), 64, &arguments)?;
        Ok(made)
    }

    fn try_put_row(&mut self, table: &mut GpuTable, row: usize, bits: &GpuBits) -> Attempt<()> {
        self.own(table)?;
        let arguments = [
            Words(table.buffer()?),
            Int(table.words() as i32),
            Int(table.width as i32),
            Int(row as i32 - 1),
            Words(bits.buffer()?),
        ];
        self.launch("put_row", table.width, &arguments)
    }

    fn try_new_table(&mut self, rows: usize, columns: usize) -> Attempt<GpuTable> {
        let made = self.raw_table(rows, columns)?;
        let words = made.words() * columns;
        self.launch("mask", words, &[Words(made.buffer()?), Int(words as i32), Int(0)])?;
        Ok(made)
    }

    /// Bits that stand for the result of an operation that failed.
    fn no_bits(length: usize) -> GpuBits {
        GpuBits { length, value: None }
    }
}

impl StarBackend for GpuBackend {
    type Bits = GpuBits;
    type Table = GpuTable;

    fn load(&mut self, bits: &BitVector) -> GpuBits {
        let made = self.try_load(bits);
        self.value_or(made, Self::no_bits(bits.len()))
    }

    fn store(&mut self, bits: &GpuBits) -> BitVector {
        let found = self.try_store(bits);
        self.value_or(found, BitVector::zeros(bits.length))
    }

    fn load_table(&mut self, table: &BitTable) -> GpuTable {
        let made = self.try_load_table(table);
        let (rows, width) = (table.rows(), table.width());
        self.value_or(made, GpuTable { rows, width, words: None })
    }

    fn store_table(&mut self, table: &GpuTable) -> BitTable {
        let found = self.try_store_table(table);
        self.value_or(found, BitTable::zeros(table.rows, table.width))
    }

    fn length(&self, bits: &GpuBits) -> usize {
        bits.length
    }

    fn width(&self, table: &GpuTable) -> usize {
        table.width
    }

    fn rows(&self, table: &GpuTable) -> usize {
        table.rows
    }

    fn filled(&mut self, length: usize, bit: bool) -> GpuBits {
        self.mask(length, if bit { length } else { 0 })
    }

    fn mask(&mut self, length: usize, position: usize) -> GpuBits {
        let made = self.try_mask(length, position);
        self.value_or(made, Self::no_bits(length))
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> GpuTable {
        let made = self.try_new_table(rows, columns);
        self.value_or(made, GpuTable { rows, width: columns, words: None })
    }

    fn logic(&mut self, operation: Logic, a: &GpuBits, b: &GpuBits) -> GpuBits {
        let operation = match operation {
            Logic::And => 0,
            Logic::Or => 1,
            Logic::Xor => 2,
        };
        let made = self.try_logic(operation, a, b);
        self.value_or(made, Self::no_bits(a.length))
    }

    fn not(&mut self, a: &GpuBits) -> GpuBits {
        let made = self.try_logic(3, a, a);
        self.value_or(made, Self::no_bits(a.length))
    }

    fn some(&mut self, bits: &GpuBits) -> bool {
        let found = self.try_some(bits);
        self.value_or(found, false)
    }

    fn find(&mut self, bits: &GpuBits) -> usize {
        let found = self.try_find(bits);
        self.value_or(found, 0)
    }

    fn step(&mut self, bits: &mut GpuBits) -> usize {
        let found = self.try_step(bits);
        self.value_or(found, 0)
    }

    fn keep_first(&mut self, bits: &mut GpuBits) {
        let done = self.try_keep_first(bits);
        self.value_or(done, ());
    }

    fn number(&mut self, bits: &GpuBits) -> usize {
        let found = self.try_number(bits);
        self.value_or(found, 0)
    }

    fn bit(&mut self, bits: &GpuBits, position: usize) -> bool {
        let found = self.try_bit(bits, position);
        self.value_or(found, false)
    }

    fn put_bit(&mut self, bits: &mut GpuBits, position: usize, bit: bool) {
        let made = self.try_put_bit(bits, position, bit);
        *bits = self.value_or(made, Self::no_bits(bits.length));
    }

    fn trim(&mut self, bits: &GpuBits, from: usize, length: usize) -> GpuBits {
        let made = self.try_trim(bits, from, length);
        self.value_or(made, Self::no_bits(length))
    }

    fn replace(&mut self, bits: &mut GpuBits, from: usize, part: &GpuBits) {
        let made = self.try_replace(bits, from, part);
        *bits = self.value_or(made, Self::no_bits(bits.length));
    }

    fn add(&mut self, a: &GpuBits, b: &GpuBits) -> (GpuBits, bool) {
        let made = self.try_add(a, b);
        self.value_or(made, (Self::no_bits(a.length), true))
    }

    fn less(&mut self, a: &GpuBits, b: &GpuBits) -> bool {
        let found = self.try_less(a, b);
        self.value_or(found, false)
    }

    fn column(&mut self, table: &GpuTable, column: usize) -> GpuBits {
        let made = self.try_column(table, column);
        self.value_or(made, Self::no_bits(table.rows))
    }

    fn put_column(&mut self, table: &mut GpuTable, column: usize, bits: &GpuBits) {
        let done = self.try_put_column(table, column, bits);
        self.value_or(done, ());
    }

    fn row(&mut self, table: &GpuTable, row: usize) -> GpuBits {
        let made = self.try_row(table, row);
        self.value_or(made, Self::no_bits(table.width))
    }

    fn put_row(&mut self, table: &mut GpuTable, row: usize, bits: &GpuBits) {
        let done = self.try_put_row(table, row, bits);
        self.value_or(done, ());
    }
}
