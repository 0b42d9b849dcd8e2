//! Host code that the sparse kernels share: a CP2 with a kernel and the one that spreads the input vector, and the cost
//! of a product.

use cp2_emu::Stats;
use cp2_emu::state::Quad;
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::sparse::SparseError;
use cp2_session::{load, recorded};

/// Assembly text of the kernel `spread`, which spreads a vector in local memory, so that each element fills both halves
/// of a word of its own. The kernel takes in `g0` the word address of the elements, two in a word, in `g1` that of the
/// spread ones, and in `g2` the number of passes, at least 6, each of four elements. The spreading is arithmetic:
/// `mtrans` of a word with itself.
pub const SPREAD: &str = "
        .kernel spread
        move    a0, g0
        move    a1, g1
.linear
        .scratch g15
        .even r0, r1
        .disjoint r0, r1
        .loop   g2, min=6
        ldo     %x0:%x1, (r0)+2
        mtrans  %y0, %x0, %x0, %y1
        mtrans  %y2, %x1, %x1, %y3
        sdo     %y0:%y1, (r1)+2
        sdo     %y2:%y3, (r1)+2
        .endloop
.endlinear
        stopi 0
";

/// Result of a product of a sparse matrix and a vector on CP2 alone, and its cost, by one of the functions
/// `multiply_blocks`, `multiply_counted`, `multiply_direct`, `multiply_sections` and `multiply_sliced` of this module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The product, one number for each row of the matrix.
    pub y: Vec<f32>,
    /// Cycles of every run of the product's kernel, one for each page, which is the part of the matrix that lies in
    /// local memory at once.
    pub runs: Vec<u64>,
    /// Cycles of preparing the input vector in local memory, by [`SPREAD`] or [`TURN`](super::TURN); 0 if the format
    /// needs neither.
    pub spread_cycles: u64,
    /// Number of operations `psmadd` issued, those on padding included.
    pub multiplications: u64,
    /// Number of entries of the matrix, padding not counted.
    pub nonzeros: usize,
    /// Bytes of the converted matrix, which the DMA of a procedure would have to bring.
    pub bytes: usize,
    /// Number of bundles that a product has to load, if the code was made for one matrix; 0 for a kernel that stays.
    pub loaded_bundles: usize,
    /// Number of writes that landed on a register in the same cycle as another write, over all runs and sections: 0 if
    /// the kernel is right.
    pub collisions: u64,
}

impl Report {
    pub(super) fn new(rows: usize) -> Self {
        Self { y: vec![0.0; rows], ..Self::default() }
    }

    /// Returns the product in the order of the matrix, of which result `k` belongs to row `order[k]`.
    pub(super) fn in_order(mut self, order: &[usize], rows: usize) -> Self {
        let sorted = std::mem::replace(&mut self.y, vec![0.0; rows]);
        for (&row, y) in order.iter().zip(sorted) {
            self.y[row] = y;
        }
        self
    }

    pub(super) fn add_run(&mut self, stats: &Stats) {
        self.runs.push(stats.cycles);
        self.collisions += stats.collisions.iter().sum::<u64>();
    }

    /// Returns the cycles of all runs of the kernel and those of preparing the vector in local memory; moving pages in
    /// and out is not counted.
    pub fn cycles(&self) -> u64 {
        self.runs.iter().sum::<u64>() + self.spread_cycles
    }

    /// Returns [`Self::cycles`] divided by the number of operations `psmadd`, those on padding included.
    pub fn cycles_per_multiplication(&self) -> f64 {
        self.cycles() as f64 / self.multiplications as f64
    }

    /// Returns [`Self::cycles`] divided by the number of entries of the matrix.
    pub fn cycles_per_nonzero(&self) -> f64 {
        self.cycles() as f64 / self.nonzeros as f64
    }
}

/// Returns a word with these halves.
pub(super) fn pair(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Stores 32-bit words in one section, two in a word, the first one high.
pub(super) fn words_of_pairs(
    lmem: &mut [Quad],
    address: usize,
    section: usize,
    words: impl Iterator<Item = u32>,
) {
    for (i, word) in words.enumerate() {
        let quad = &mut lmem[address + i / 2][section];
        *quad = if i % 2 == 0 { pair(word, 0) } else { *quad | u64::from(word) };
    }
}

/// A machine that holds a kernel and [`SPREAD`].
pub(super) struct Machine {
    /// The way in which kernels are run. A recording keeps their programs, since they are made for the matrix.
    on: Execution,
    cp2: KernelRunner,
    entries: [BundleAddress; 2],
}

impl Machine {
    /// Creates a machine with the kernels of `text`; the kernel and the one that spreads are the first two of the text.
    pub(super) fn new(name: &str, text: &str, on: &Execution) -> Result<Self, KernelError> {
        let cp2 = KernelRunner::new(load::cp2(&on.core), on);
        let entries = [BundleAddress::default(); 2];
        let mut machine = Self { on: on.clone(), cp2, entries };
        machine.entries = machine.assemble(name, text)?;
        Ok(machine)
    }

    /// Replaces the kernels; the data stay.
    pub(super) fn replace(&mut self, name: &str, text: &str) -> Result<(), KernelError> {
        self.entries = self.assemble(name, text)?;
        Ok(())
    }

    fn assemble(&mut self, name: &str, text: &str) -> Result<[BundleAddress; 2], KernelError> {
        let Execution { environment, core, recorder, .. } = &self.on;
        let (image, sources) = environment.assemble_with_sources(core, name, text)?;
        if let Some(recorder) = recorder {
            recorded::keep(recorder, &image, &sources)?;
        }
        self.cp2.load(&image);
        Ok([0, 1].map(|k| image.kernels.get(k).map_or(BundleAddress::default(), |k| k.start)))
    }

    /// Returns local memory.
    pub(super) fn lmem(&mut self) -> &mut [Quad] {
        &mut self.cp2.state().lmem
    }

    /// Runs a kernel with these values in `g0`, `g1`, ...
    pub(super) fn run(&mut self, kernel: usize, arguments: &[usize]) -> Result<Stats, KernelError> {
        self.cp2.call(self.entries[kernel], arguments)
    }

    /// Copies `x` into local memory as pairs, piece by piece behind the `words` words at address
    /// 0 that it is spread to, and returns the cycles of spreading.
    pub(super) fn spread(&mut self, x: &[f32], words: usize) -> Result<u64, KernelError> {
        const STEP: usize = 4;
        /// Fewest steps of the loop of the kernel.
        const LEAST: usize = 6;
        let start = words.next_multiple_of(STEP * LEAST);
        let lmem_words = self.on.core.lmem_words();
        let room = lmem_words.saturating_sub(start) / 2 * STEP;
        if room < STEP * LEAST {
            let limit = lmem_words.saturating_sub(2 * LEAST) / (STEP * LEAST) * (STEP * LEAST);
            return Err(SparseError::TooLong { words, limit }.into());
        }
        let mut cycles = 0;
        for (i, piece) in x.chunks(room).enumerate() {
            let steps = piece.len().div_ceil(STEP).max(LEAST);
            let lmem = self.lmem();
            lmem[start..start + 2 * steps].fill([0; SECTIONS]);
            for section in 0..SECTIONS {
                words_of_pairs(lmem, start, section, piece.iter().map(|v| v.to_bits()));
            }
            cycles += self.run(1, &[start, i * room, steps])?.cycles;
        }
        Ok(cycles)
    }
}
