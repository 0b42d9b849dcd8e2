//! CP2 as a back end: bitwise operations, `SOME`, `FND` and `NUMB` are kernels on slices in local memory, by the project's scheduler.
//! What works across columns or on single bits (`ROW`, `Y(i)`, `TRIM`, `REP`, `ADD` and `LESS` of words) is work of the host.

mod memory;

use crate::machine::{BitTable, BitVector, HostBackend, Logic, StarBackend};
use cp2_isa::BundleAddress;
use cp2_kernels::star::{OverRows, SectionExchange, SliceLayout, SliceOperation};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::cp2;
use memory::{SliceHandle, SliceMemory};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// Most rows of a part of a value, so that kernels have registers for it.
const PART: usize = 1 << 13;

/// A slice or a word on CP2: parts of at most 8192 positions, which may be shared and never change.
#[derive(Clone, Debug)]
pub struct Cp2Bits {
    length: usize,
    parts: Vec<Rc<SliceHandle>>,
}

/// A table on CP2: its columns.
#[derive(Clone, Debug)]
pub struct Cp2Table {
    rows: usize,
    columns: Vec<Cp2Bits>,
}

/// The work of a run on CP2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cp2Work {
    /// Kernels that ran.
    pub kernels: u64,
    /// Cycles of all of them.
    pub cycles: u64,
    /// Words of a section that went between local and system memory.
    pub moved_words: u64,
}

/// CP2 as a back end. Slices stay in local memory while there is room; those that were used longest ago go to system memory. The
/// cycles are those of kernels; the host's work and the way of slices between the memories take none.
#[derive(Debug)]
pub struct Cp2Backend {
    on: Execution,
    runner: KernelRunner,
    memory: SliceMemory,
    /// Programs by words of a slice in a section, with the bundle at which each kernel begins.
    programs: BTreeMap<usize, Program>,
    /// Words for which the program is loaded.
    loaded: usize,
    /// Ones by number of positions.
    ones: BTreeMap<usize, Rc<SliceHandle>>,
    work: Cp2Work,
    fault: Option<KernelError>,
}

/// The kernels for slices of one size.
#[derive(Debug)]
struct Program {
    image: std::sync::Arc<cp2_asm::Image>,
    entries: BTreeMap<String, BundleAddress>,
}

impl Cp2Backend {
    /// Creates a back end on a CP2 of its own.
    pub fn new(on: Execution) -> Self {
        let runner = KernelRunner::new(cp2(&on.core), &on);
        // The last words are for results over all rows.
        let memory = SliceMemory::new(Self::result_address(&on));
        Self {
            on,
            runner,
            memory,
            programs: BTreeMap::new(),
            loaded: 0,
            ones: BTreeMap::new(),
            work: Cp2Work::default(),
            fault: None,
        }
    }

    fn result_address(on: &Execution) -> usize {
        on.core.lmem_words() - 2
    }

    /// Returns the work so far.
    pub fn work(&self) -> Cp2Work {
        Cp2Work { moved_words: self.memory.moved(), ..self.work }
    }

    /// Returns the first error of a kernel, after which results are worth nothing; `None` if there was none.
    pub fn fault(&mut self) -> Option<KernelError> {
        self.fault.take()
    }

    /// Whether all bits behind the last position of a value are zeros, wherever it is, with those of words that it has besides its own.
    pub fn is_padding_zero(&mut self, bits: &Cp2Bits) -> bool {
        let lmem = &self.runner.state().lmem;
        bits.parts.iter().all(|part| self.memory.is_padding_zero(part, lmem))
    }

    /// Runs a kernel for slices of `rows` rows; the first error is kept.
    fn call(&mut self, kernel: &str, rows: usize, arguments: &[usize]) {
        if let Err(error) = self.try_call(kernel, SliceLayout::new(rows), arguments) {
            self.fault.get_or_insert(error);
        }
    }

    fn try_call(
        &mut self,
        kernel: &str,
        layout: SliceLayout,
        arguments: &[usize],
    ) -> Result<(), KernelError> {
        let words = layout.words();
        if !self.programs.contains_key(&words) {
            let program = self.program(layout)?;
            self.programs.insert(words, program);
        }
        let Some(program) = self.programs.get(&words) else { return Ok(()) };
        if self.loaded != words {
            self.runner.load(&program.image);
            self.loaded = words;
        }
        let entry = program.entries.get(kernel).copied().unwrap_or_default();
        let stats = self.runner.call(entry, arguments)?;
        self.work.kernels += 1;
        self.work.cycles += stats.cycles;
        Ok(())
    }

    /// Assembles the kernels for slices of one size.
    fn program(&self, layout: SliceLayout) -> Result<Program, KernelError> {
        let mut text = String::new();
        for operation in SliceOperation::ALL {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", operation.source(layout));
        }
        for operation in OverRows::ALL {
            let _ = writeln!(text, "{}", operation.source(layout, SectionExchange::Registers));
        }
        let image = self.on.environment.assemble(&self.on.core, "star", &text)?;
        let entries = image.kernels.iter().map(|kernel| (kernel.name.clone(), kernel.start));
        Ok(Program { entries: entries.collect(), image })
    }

    /// Brings a part to local memory.
    fn bring(&mut self, part: &SliceHandle) -> usize {
        let lmem = &mut self.runner.state().lmem;
        match self.memory.bring(part, lmem) {
            Some(address) => address,
            None => self.full(part.rows()),
        }
    }

    /// Notes that local memory has no room for the operands of one operation.
    fn full(&mut self, rows: usize) -> usize {
        let value = 3 * SliceLayout::new(rows).words();
        let limit = format!("at most {}", Self::result_address(&self.on));
        let what = "words of the operands of one operation";
        self.fault.get_or_insert(KernelError::Parameter { what, value, limit });
        0
    }

    /// Carries out a bitwise operation on two parts.
    fn part(&mut self, operation: SliceOperation, a: &SliceHandle, b: &SliceHandle) -> SliceHandle {
        self.memory.begin();
        let (left, right) = (self.bring(a), self.bring(b));
        let fresh = self.memory.fresh(a.rows(), &self.runner.state().lmem);
        let Some((result, address)) = fresh else {
            self.full(a.rows());
            return self.memory.load(a.rows(), Vec::new());
        };
        self.call(operation.name(), a.rows(), &[left, right, address]);
        result
    }

    /// Returns the result over all rows of a part.
    fn over(&mut self, operation: OverRows, part: &SliceHandle) -> usize {
        self.memory.begin();
        let (address, result) = (self.bring(part), Self::result_address(&self.on));
        self.call(operation.name(SectionExchange::Registers), part.rows(), &[address, result]);
        self.runner.state().lmem[result][0] as u32 as usize
    }

    /// Changes bits by the host.
    fn by_host(&mut self, bits: &mut Cp2Bits, change: impl FnOnce(&mut BitVector)) {
        let mut here = self.store(bits);
        change(&mut here);
        *bits = self.load(&here);
    }

    /// Returns the ones of so many positions.
    fn ones(&mut self, rows: usize) -> Rc<SliceHandle> {
        let memory = &mut self.memory;
        let ones = || Rc::new(memory.load(rows, BitVector::ones(rows).words().to_vec()));
        Rc::clone(self.ones.entry(rows).or_insert_with(ones))
    }
}

impl StarBackend for Cp2Backend {
    type Bits = Cp2Bits;
    type Table = Cp2Table;

    fn load(&mut self, bits: &BitVector) -> Cp2Bits {
        let words = bits.words().chunks(PART / 64);
        let parts = words.enumerate().map(|(at, words)| {
            let rows = (bits.len() - at * PART).min(PART);
            Rc::new(self.memory.load(rows, words.to_vec()))
        });
        Cp2Bits { length: bits.len(), parts: parts.collect() }
    }

    fn store(&mut self, bits: &Cp2Bits) -> BitVector {
        let lmem = &self.runner.state().lmem;
        let words = bits.parts.iter().flat_map(|part| self.memory.read(part, lmem));
        BitVector::from_words(bits.length, words.collect())
    }

    fn load_table(&mut self, table: &BitTable) -> Cp2Table {
        let columns = table.columns().iter().map(|column| self.load(column)).collect();
        Cp2Table { rows: table.rows(), columns }
    }

    fn store_table(&mut self, table: &Cp2Table) -> BitTable {
        let mut all = BitTable::zeros(table.rows, table.columns.len());
        for (at, column) in table.columns.iter().enumerate() {
            let column = self.store(column);
            all.put_column(at + 1, column);
        }
        all
    }

    fn length(&self, bits: &Cp2Bits) -> usize {
        bits.length
    }

    fn width(&self, table: &Cp2Table) -> usize {
        table.columns.len()
    }

    fn rows(&self, table: &Cp2Table) -> usize {
        table.rows
    }

    fn filled(&mut self, length: usize, bit: bool) -> Cp2Bits {
        self.load(&HostBackend.filled(length, bit))
    }

    fn mask(&mut self, length: usize, position: usize) -> Cp2Bits {
        self.load(&HostBackend.mask(length, position))
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Cp2Table {
        let zeros = self.filled(rows, false);
        Cp2Table { rows, columns: vec![zeros; columns] }
    }

    fn logic(&mut self, operation: Logic, a: &Cp2Bits, b: &Cp2Bits) -> Cp2Bits {
        let operation = match operation {
            Logic::And => SliceOperation::And,
            Logic::Or => SliceOperation::Or,
            Logic::Xor => SliceOperation::Xor,
        };
        let pairs = a.parts.iter().zip(&b.parts);
        let parts = pairs.map(|(a, b)| Rc::new(self.part(operation, a, b)));
        Cp2Bits { length: a.length, parts: parts.collect() }
    }

    fn not(&mut self, a: &Cp2Bits) -> Cp2Bits {
        let parts = a.parts.iter().map(|part| {
            let ones = self.ones(part.rows());
            Rc::new(self.part(SliceOperation::Xor, part, &ones))
        });
        Cp2Bits { length: a.length, parts: parts.collect() }
    }

    fn some(&mut self, bits: &Cp2Bits) -> bool {
        bits.parts.iter().any(|part| self.over(OverRows::Some, part) != 0)
    }

    fn find(&mut self, bits: &Cp2Bits) -> usize {
        for (at, part) in bits.parts.iter().enumerate() {
            match self.over(OverRows::Find, part) {
                0 => {}
                position => return at * PART + position,
            }
        }
        0
    }

    fn step(&mut self, bits: &mut Cp2Bits) -> usize {
        let position = self.find(bits);
        if position > 0 {
            self.put_bit(bits, position, false);
        }
        position
    }

    fn keep_first(&mut self, bits: &mut Cp2Bits) {
        let position = self.find(bits);
        let mut first = BitVector::zeros(bits.length);
        first.put(position, true);
        *bits = self.load(&first);
    }

    fn number(&mut self, bits: &Cp2Bits) -> usize {
        bits.parts.iter().map(|part| self.over(OverRows::Number, part)).sum()
    }

    fn bit(&mut self, bits: &Cp2Bits, position: usize) -> bool {
        self.store(bits).get(position)
    }

    fn put_bit(&mut self, bits: &mut Cp2Bits, position: usize, bit: bool) {
        self.by_host(bits, |bits| bits.put(position, bit));
    }

    fn trim(&mut self, bits: &Cp2Bits, from: usize, length: usize) -> Cp2Bits {
        let part = self.store(bits).part(from, length);
        self.load(&part)
    }

    fn replace(&mut self, bits: &mut Cp2Bits, from: usize, part: &Cp2Bits) {
        let part = self.store(part);
        self.by_host(bits, |bits| HostBackend.replace(bits, from, &part));
    }

    fn add(&mut self, a: &Cp2Bits, b: &Cp2Bits) -> (Cp2Bits, bool) {
        let (a, b) = (self.store(a), self.store(b));
        let (sum, fits) = HostBackend.add(&a, &b);
        (self.load(&sum), fits)
    }

    fn less(&mut self, a: &Cp2Bits, b: &Cp2Bits) -> bool {
        self.store(a).bits().lt(self.store(b).bits())
    }

    fn column(&mut self, table: &Cp2Table, column: usize) -> Cp2Bits {
        table.columns[column - 1].clone()
    }

    fn put_column(&mut self, table: &mut Cp2Table, column: usize, bits: &Cp2Bits) {
        table.columns[column - 1] = bits.clone();
    }

    fn row(&mut self, table: &Cp2Table, row: usize) -> Cp2Bits {
        let bits: Vec<bool> = table.columns.iter().map(|column| self.bit(column, row)).collect();
        self.load(&BitVector::from_bits(bits))
    }

    fn put_row(&mut self, table: &mut Cp2Table, row: usize, bits: &Cp2Bits) {
        let bits = self.store(bits);
        for (column, bit) in table.columns.iter_mut().zip(bits.bits()) {
            if self.bit(column, row) != bit {
                self.put_bit(column, row, bit);
            }
        }
    }
}
