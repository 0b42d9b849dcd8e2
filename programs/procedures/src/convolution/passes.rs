//! Convolutions of 8192 to 65536 points, N1 N2, in three passes over memory: columns forward and times
//! exp(-2 pi i j k / P); rows forward, times the filter, inverse, times the conjugate; columns
//! inverse. Between the passes a vector lies as N1 rows of N2, in one order throughout.

use super::{Job, Outcome, allocate};
use crate::fft::long::Split;
use crate::host::pages::{self, BANK_WORDS, Command, Page, in_banks, in_quarters, overlap};
use crate::host::walks::{BURST_BEATS, clear, rows_of, run_of};
use crate::host::{Call, Host};
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft::strided::{Layout, StridedSpec};
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;
use num_complex::Complex32;

/// Words of a page of columns in a section.
const COLUMN_WORDS: usize = BANK_WORDS / 2;
/// Words of a page of columns in a section where local memory holds one page only: with its results and the factors it
/// fits in.
const FEW_COLUMN_WORDS: usize = BANK_WORDS / 4;
/// Words of a page of rows in a section: with the filter and the factors it fills a bank.
const ROW_WORDS: usize = BANK_WORDS / 4;

/// Vectors in memory, each as the rows of N2 words that it needs.
#[derive(Clone, Copy)]
struct Array {
    address: MemoryAddress,
    rows: usize,
}

/// A convolution of long vectors in three passes over memory.
struct Passes {
    core: Core,
    n1: usize,
    n2: usize,
    /// Columns of a page.
    columns: usize,
    /// Rows of a page.
    rows: usize,
    vectors: usize,
    input: Array,
    /// The filter, as an array of one vector.
    taps: Array,
    output: Array,
    /// The data between the passes: all vectors, then the filter.
    middle: Array,
    /// The factors exp(-2 pi i j k / P) and their conjugates.
    factors: [Array; 2],
    /// Address of a burst of zeros.
    zeros: MemoryAddress,
}

/// Convolves in pages, in three passes over memory.
pub(super) fn run(
    host: &mut Host,
    job: &Job<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, KernelError> {
    let core = *host.config().core();
    let passes = Passes::new(host, job)?;
    let (vectors, groups) = (passes.vectors, passes.n1 / passes.rows);
    let blocks = passes.n2 / passes.columns;
    let all = blocks * (vectors + 1) + groups + groups * vectors + blocks * vectors;
    let mut done = 0;
    let mut pass = |host: &mut Host, name: &str, pages: Vec<Page>| {
        host.begin_step(StepLevel::Stage, || name.to_owned());
        let pages = in_banks(&core, pages);
        pages::run(host, &pages, &mut |n| progress(done + n, all))?;
        host.end_step(StepLevel::Stage);
        done += pages.len();
        Ok::<_, KernelError>(())
    };
    let spec = passes.columns_spec(true);
    let entry = host.install(&spec.name(), || spec.source(&core))?;
    pass(host, "columns", passes.first_pass(entry)?)?;
    let spec = passes.rows_spec(false);
    let entry = host.install(&spec.name(), || spec.source(&core))?;
    pass(host, "rows of the filter", passes.filter_rows(entry)?)?;
    let spec = passes.rows_spec(true);
    let entry = host.install(&spec.name(), || spec.source(&core))?;
    pass(host, "rows and product", passes.second_pass(entry)?)?;
    let spec = passes.columns_spec(false);
    let entry = host.install(&spec.name(), || spec.source(&core))?;
    pass(host, "columns back", passes.third_pass(entry)?)?;
    let Array { address, rows } = passes.output;
    Ok(Outcome { address, pitch: rows * passes.n2, pages: all })
}

fn call(entry: BundleAddress, arguments: &[usize]) -> Command {
    let arguments = arguments.iter().map(|&a| a as u16).collect();
    Command::Run(Call::new(entry, arguments))
}

/// Returns exp(-2 pi i j k / P) for N1 rows k of N2 columns j, or the conjugate.
fn factors(Split { n1, n2 }: Split, conjugate: bool) -> Vec<Complex32> {
    let sign = if conjugate { 1.0 } else { -1.0 };
    let turn = sign * std::f64::consts::TAU / (n1 * n2) as f64;
    let factor = |k: usize, j: usize| {
        let (sin, cos) = (turn * (j * k) as f64).sin_cos();
        Complex32::new(cos as f32, sin as f32)
    };
    (0..n1).flat_map(|k| (0..n2).map(move |j| factor(k, j))).collect()
}

impl Passes {
    fn new(host: &mut Host, job: &Job<'_>) -> Result<Self, KernelError> {
        let points = job.plan.transform;
        let split = Split::required(points)?;
        let Split { n1, n2 } = split;
        let (core, vectors) = (*host.config().core(), job.vectors());
        let most = if overlap(&core) { COLUMN_WORDS } else { FEW_COLUMN_WORDS };
        // A page has no more columns than there are.
        let column_words = most.min(points / SECTIONS);
        let rows = |points: usize| points.div_ceil(n2);
        let [input, taps, output] = [job.points, job.filter.len(), job.results()].map(rows);
        let mut table = |conjugate| {
            let address = allocate(host, points)?;
            host.write(address, &factors(split, conjugate))?;
            Ok::<_, KernelError>(Array { address, rows: n1 })
        };
        let factors = [table(false)?, table(true)?];
        Ok(Self {
            core,
            n1,
            n2,
            columns: SECTIONS * column_words / n1,
            rows: SECTIONS * ROW_WORDS / n2,
            vectors,
            input: Array { address: job.write_input(host, input * n2, vectors)?, rows: input },
            taps: Array { address: job.write_filter(host, taps * n2)?, rows: taps },
            output: Array { address: allocate(host, vectors * output * n2)?, rows: output },
            middle: Array { address: allocate(host, (vectors + 1) * points)?, rows: n1 },
            factors,
            zeros: allocate(host, 2 * BURST_BEATS)?,
        })
    }

    /// Returns the words of a page of columns in a section.
    fn column_words(&self) -> usize {
        self.columns * self.n1 / SECTIONS
    }

    fn columns_spec(&self, has_table: bool) -> StridedSpec {
        let layout = Layout::columns(self.columns / SECTIONS);
        StridedSpec { points: self.n1, input: layout, output: layout, has_table }
    }

    fn rows_spec(&self, has_table: bool) -> StridedSpec {
        let layout = Layout::rows(self.n2);
        StridedSpec { points: self.n2, input: layout, output: layout, has_table }
    }

    /// Returns the beats of a block of columns in a section.
    fn block_beats(&self, array: Array) -> u16 {
        (array.rows * self.columns / SECTIONS / 2) as u16
    }

    /// Returns the transfer that loads a block of columns of a vector, as many rows as the array has: beats go to the
    /// sections in turn, so a section has pairs of neighbouring columns.
    fn load_block(
        &self,
        array: Array,
        vector: usize,
        block: usize,
        place: usize,
    ) -> Result<Descriptor, KernelError> {
        let at = array.address.plus_words(vector * array.rows * self.n2 + block * self.columns);
        let memory = rows_of(at, self.columns, self.n2, array.rows)?;
        let local = LocalWalk::interleaved(WordAddress::from_index(place), self.block_beats(array));
        Ok(Descriptor::get(memory, local, Pattern::dealt(1)))
    }

    fn unload_block(
        &self,
        array: Array,
        vector: usize,
        block: usize,
        place: usize,
    ) -> Result<Descriptor, KernelError> {
        let at = array.address.plus_words(vector * array.rows * self.n2 + block * self.columns);
        let memory = rows_of(at, self.columns, self.n2, array.rows)?;
        Ok(Descriptor::put(
            memory,
            LocalWalk::linear(WordAddress::from_index(place), self.block_beats(array)),
            1,
        ))
    }

    /// Returns the pages that transform the columns of all vectors and of the filter, block by block: the factors of a block
    /// stay in the fourth place, pages go through the three others in turn; or where local memory holds one page only, through
    /// its first half, and the factors stay behind.
    fn first_pass(&self, entry: BundleAddress) -> Result<Vec<Page>, KernelError> {
        let (column_words, overlap) = (self.column_words(), overlap(&self.core));
        let places = |k: usize| {
            let turning = |k: usize| (3 - k % 3) % 3 * column_words;
            let places = [turning(k), turning(k + 2), 3 * column_words];
            if overlap { places } else { [0, 1, 2].map(|k| k * column_words) }
        };
        let places = |k: usize| places(k).map(|word| in_quarters(&self.core, word));
        let units = self.columns / SECTIONS / 2;
        let mut pages = Vec::new();
        for block in 0..self.n2 / self.columns {
            for vector in 0..=self.vectors {
                let k = pages.len();
                let [from, to, table] = places(k);
                let (array, row) =
                    if vector < self.vectors { (self.input, vector) } else { (self.taps, 0) };
                let mut load = vec![self.load_block(array, row, block, from)?];
                let words = 2 * usize::from(self.block_beats(array));
                if words < column_words {
                    let rest = (column_words - words) as u16 / 2;
                    load.push(clear(
                        self.zeros,
                        LocalWalk::linear(WordAddress::from_index(from + words), rest),
                    )?);
                }
                let prepare = match vector {
                    0 => vec![self.load_block(self.factors[0], 0, block, table)?],
                    _ => Vec::new(),
                };
                let commands = vec![call(entry, &[from, to, units - 1, table])];
                let unload = vec![self.unload_block(self.middle, vector, block, to)?];
                pages.push(Page { prepare, load, commands, unload });
            }
        }
        Ok(pages)
    }

    /// Returns the address in local memory of a word of the half in which a page lies.
    fn place(&self, page: usize, word: usize) -> usize {
        in_quarters(&self.core, page % 2 * BANK_WORDS + word)
    }

    /// Returns the address of a group of rows of a vector, which is dealt to the sections in equal shares.
    fn group(&self, array: Array, vector: usize, group: usize) -> MemoryAddress {
        let words = vector * self.n1 * self.n2 + group * self.rows * self.n2;
        array.address.plus_words(words)
    }

    fn load_group(
        &self,
        array: Array,
        vector: usize,
        group: usize,
        place: usize,
    ) -> Result<Descriptor, KernelError> {
        let beats = (ROW_WORDS / 2) as u16;
        let memory = run_of(self.group(array, vector, group), SECTIONS * ROW_WORDS)?;
        Ok(Descriptor::get(
            memory,
            LocalWalk::linear(WordAddress::from_index(place), beats),
            Pattern::dealt(beats),
        ))
    }

    fn unload_group(
        &self,
        vector: usize,
        group: usize,
        place: usize,
    ) -> Result<Descriptor, KernelError> {
        let memory = run_of(self.group(self.middle, vector, group), SECTIONS * ROW_WORDS)?;
        Ok(Descriptor::put(
            memory,
            LocalWalk::linear(WordAddress::from_index(place), (ROW_WORDS / 2) as u16),
            0,
        ))
    }

    /// Returns the pages that transform the rows of the filter, which completes its transform.
    fn filter_rows(&self, entry: BundleAddress) -> Result<Vec<Page>, KernelError> {
        let rows = self.rows / SECTIONS;
        let page = |group: usize| {
            let [from, to] = [0, ROW_WORDS].map(|word| self.place(group, word));
            Ok(Page {
                prepare: Vec::new(),
                load: vec![self.load_group(self.middle, self.vectors, group, from)?],
                commands: vec![call(entry, &[from, to, rows - 1])],
                unload: vec![self.unload_group(self.vectors, group, to)?],
            })
        };
        (0..self.n1 / self.rows).map(page).collect()
    }

    /// Returns the pages that transform the rows of all vectors, multiply them by the filter and transform them back, group
    /// by group: filter and conjugate factors of a group stay in both banks.
    fn second_pass(&self, entry: BundleAddress) -> Result<Vec<Page>, KernelError> {
        let rows = self.rows / SECTIONS;
        let mut pages = Vec::new();
        for group in 0..self.n1 / self.rows {
            for vector in 0..self.vectors {
                let bank = |k: usize| [0, 1, 2, 3].map(|place| self.place(k, place * ROW_WORDS));
                let [data, spectrum, filter, factors] = bank(pages.len());
                let mut prepare = Vec::new();
                for [_, _, filter, factors] in
                    [bank(0), bank(1)].into_iter().filter(|_| vector == 0)
                {
                    prepare.push(self.load_group(self.middle, self.vectors, group, filter)?);
                    prepare.push(self.load_group(self.factors[1], 0, group, factors)?);
                }
                let commands = vec![
                    Command::SetInverse(false),
                    call(entry, &[data, spectrum, rows - 1, filter]),
                    Command::SetInverse(true),
                    call(entry, &[spectrum, data, rows - 1, factors]),
                ];
                pages.push(Page {
                    prepare,
                    load: vec![self.load_group(self.middle, vector, group, data)?],
                    commands,
                    unload: vec![self.unload_group(vector, group, data)?],
                });
            }
        }
        Ok(pages)
    }

    /// Returns the pages that transform the columns of all vectors back, and store only the rows that the results have. CP2
    /// is set to the inverse transform.
    fn third_pass(&self, entry: BundleAddress) -> Result<Vec<Page>, KernelError> {
        let units = self.columns / SECTIONS / 2;
        let blocks = self.n2 / self.columns;
        let page = |k: usize| {
            let (vector, block) = (k / blocks, k % blocks);
            let [from, to] = [0, self.column_words()].map(|word| self.place(k, word));
            Ok(Page {
                prepare: Vec::new(),
                load: vec![self.load_block(self.middle, vector, block, from)?],
                commands: vec![call(entry, &[from, to, units - 1])],
                unload: vec![self.unload_block(self.output, vector, block, to)?],
            })
        };
        (0..blocks * self.vectors).map(page).collect()
    }
}
