//! Long FFTs, N = N1 N2, in two passes over memory: columns of N1 points, times exp(-2 pi i j k / N),
//! then rows of N2. The channel's distributions do all reordering; `specs/src/procedures.md` has the
//! indices.

use super::fft::Options;
use super::pages::{self, BANK_WORDS, Command, Page};
use super::session::{Call, Host};
use super::walks::{BURST_BEATS, WORD_BYTES, rows_of, run_of};
use crate::error::KernelError;
use crate::fft::strided::{Layout, Spec};
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, MemoryWalk, Pattern, Stride};
use cp2_isa::SECTIONS;
use num_complex::Complex32;

/// How a long transform uses local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Pages of 2048 words in each section go through three places in turn; the factors of a block
    /// of columns stay in the fourth for all vectors.
    #[default]
    Turning,
    /// Pages of 1024 words; each bank holds input, output and factors, which stay for all vectors.
    Banks,
    /// The same, but the factors come with every page, as in \[D\].
    Streamed,
}

/// Places in local memory that a page uses.
struct Places {
    input: u16,
    output: u16,
    table: u16,
}

impl Scheme {
    /// Words of a page in a section.
    fn words(self) -> usize {
        if self == Self::Turning { 2048 } else { 1024 }
    }

    fn first_pass(self, k: usize) -> Places {
        let words = self.words();
        let (input, output, table) = if self == Self::Turning {
            let place = |k: usize| (3 - k % 3) % 3 * words;
            (place(k), place(k + 2), 3 * words)
        } else {
            let bank = k % 2 * BANK_WORDS;
            (bank, bank + words, bank + 2 * words)
        };
        Places { input: input as u16, output: output as u16, table: table as u16 }
    }

    fn second_pass(self, k: usize) -> Places {
        let bank = k % 2 * BANK_WORDS;
        Places { input: bank as u16, output: (bank + self.words()) as u16, table: 0 }
    }
}

/// The two factors of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Points of a column.
    pub n1: usize,
    /// Points of a row.
    pub n2: usize,
}

impl Split {
    /// The split of a length, \[D\] 3.1: the factors differ at most by 4.
    pub fn of(points: usize) -> Option<Self> {
        let (n1, n2) = match points {
            8192 => (64, 128),
            16384 => (64, 256),
            32768 => (128, 256),
            65536 => (256, 256),
            _ => return None,
        };
        Some(Self { n1, n2 })
    }
}

/// A long transform of some vectors and the places of its arrays.
struct Long {
    n1: usize,
    n2: usize,
    /// Words of a page in a section.
    words: usize,
    /// Columns of a page of the first pass.
    columns: usize,
    /// Rows of a page of the second pass.
    rows: usize,
    scheme: Scheme,
    /// Input, then results; between the passes; factors.
    array: usize,
    middle: usize,
    table: usize,
}

/// Transforms the vectors and tells where the results are, in the place of the input, and how many
/// pages it took.
pub(super) fn run(
    host: &mut Host,
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(u32, usize), KernelError> {
    let Some(Split { n1, n2 }) = Split::of(points) else {
        let allowed = "8192, 16384, 32768 or 65536".to_owned();
        return Err(KernelError::Length { points, allowed });
    };
    let scheme = options.scheme;
    let words = scheme.words();
    let bytes = (input.len() * WORD_BYTES) as u64;
    let array = host.allocate(bytes)?;
    let long = Long {
        n1,
        n2,
        words,
        columns: SECTIONS * words / n1,
        rows: SECTIONS * words / n2,
        scheme,
        array: array as usize,
        middle: host.allocate(bytes)? as usize,
        table: host.allocate((points * WORD_BYTES) as u64)? as usize,
    };
    host.write(array, input)?;
    host.write(long.table as u32, &long.factors(options.inverse))?;
    let vectors = input.len() / points;
    let (blocks, groups) = (n2 / long.columns, n1 / long.rows);
    let all = (blocks + groups) * vectors;
    let [first, second] = long.specs();
    let core = *host.config().core();
    let entry = host.install(&first.name(), || first.source(&core))?;
    let page = |k| long.first_page(k, k / vectors, k % vectors, entry, options);
    let pages = (0..blocks * vectors).map(page).collect::<Result<Vec<_>, _>>()?;
    pages::run(host, &pages, &mut |done| progress(done, all))?;
    // Both kernels of 256 points do not fit into instruction memory at once.
    let entry = host.install(&second.name(), || second.source(&core))?;
    let page = |k| long.second_page(k, k % groups, k / groups, entry, options);
    let pages = (0..groups * vectors).map(page).collect::<Result<Vec<_>, _>>()?;
    pages::run(host, &pages, &mut |done| progress(blocks * vectors + done, all))?;
    Ok((array, all))
}

impl Long {
    fn points(&self) -> usize {
        self.n1 * self.n2
    }

    /// The kernels of both passes.
    fn specs(&self) -> [Spec; 2] {
        let [columns, rows] = [self.columns, self.rows].map(|n| Layout::columns(n / SECTIONS));
        let output = Layout::rows(self.n1);
        [
            Spec { points: self.n1, input: columns, output, has_table: true },
            Spec { points: self.n2, input: rows, output: rows, has_table: false },
        ]
    }

    /// Column of a page that is column `local` of a section.
    fn column(section: usize, local: usize) -> usize {
        local / 2 * 2 * SECTIONS + section * 2 + local % 2
    }

    /// exp(-2 pi i j k / N), or its conjugate, block by block, section by section, as the results of
    /// the first pass lie.
    fn factors(&self, inverse: bool) -> Vec<Complex32> {
        let points = self.points();
        let sign = if inverse { 1.0 } else { -1.0 };
        let turn = std::f64::consts::TAU / points as f64;
        let mut factors = Vec::with_capacity(points);
        for block in 0..self.n2 / self.columns {
            for section in 0..SECTIONS {
                for local in 0..self.columns / SECTIONS {
                    let j = block * self.columns + Self::column(section, local);
                    factors.extend((0..self.n1).map(|k| {
                        let (sin, cos) = (sign * turn * (j * k % points) as f64).sin_cos();
                        Complex32::new(cos as f32, sin as f32)
                    }));
                }
            }
        }
        factors
    }

    fn load_table(&self, block: usize, place: u16) -> Result<Descriptor, KernelError> {
        let bytes = self.words * SECTIONS * WORD_BYTES;
        let memory = run_of(self.table + block * bytes, self.words * SECTIONS)?;
        let beats = self.words as u16 / 2;
        Ok(Descriptor::get(memory, LocalWalk::linear(place, beats), Pattern::dealt(beats)))
    }

    /// A block of columns of a vector. Beats go to the sections in turn, so a section has pairs of
    /// neighbouring columns.
    fn first_page(
        &self,
        k: usize,
        block: usize,
        vector: usize,
        entry: u16,
        options: &Options,
    ) -> Result<Page, KernelError> {
        let places = self.scheme.first_pass(k);
        let base = self.array + (vector * self.points() + block * self.columns) * WORD_BYTES;
        let memory = rows_of(base, self.columns, self.n2, self.n1)?;
        let beats = (self.words / 2) as u16;
        let local = LocalWalk::interleaved(places.input, beats);
        let mut load = vec![Descriptor::get(memory, local, Pattern::dealt(1))];
        let mut prepare = Vec::new();
        match self.scheme {
            Scheme::Streamed => load.push(self.load_table(block, places.table)?),
            Scheme::Turning if vector == 0 => prepare.push(self.load_table(block, places.table)?),
            Scheme::Banks if vector == 0 => {
                for k in 0..2 {
                    prepare.push(self.load_table(block, self.scheme.first_pass(k).table)?);
                }
            }
            _ => {}
        }
        let columns = self.columns / SECTIONS;
        let units = columns as u16 / 2;
        let mut unload = Vec::new();
        for group in 0..self.n1 / self.rows {
            self.put_group(&mut unload, places.output, block, vector, group);
        }
        Ok(Page {
            prepare,
            load,
            commands: vec![Command::Run(Call {
                entry,
                arguments: vec![places.input, places.output, units - 1, places.table],
                least_cycles: columns as u64 * options.kernel_time.least_cycles(self.n1, true),
            })],
            unload,
        })
    }

    /// Rows `group` of the results of a block. Between the passes a vector lies as
    /// \[group\]\[column\]\[row of the group\]; a section gives its columns one after the other, and
    /// the walk through memory puts the pairs to their places.
    fn put_group(
        &self,
        unload: &mut Vec<Descriptor>,
        output: u16,
        block: usize,
        vector: usize,
        group: usize,
    ) {
        let (rows, columns) = (self.rows, self.columns / SECTIONS);
        let row_bytes = rows * WORD_BYTES;
        let column = group * self.n2 + block * self.columns;
        let base = self.middle + vector * self.points() * WORD_BYTES + column * row_bytes;
        let local = output + (group * rows) as u16;
        // Both columns of a pair in one burst, if it is not too long.
        let at_once = if rows <= BURST_BEATS { 2 } else { 1 };
        for odd in 0..2 / at_once {
            let memory = MemoryWalk {
                base: (base + odd * row_bytes) as u32,
                index: None,
                burst: (at_once * rows / 2) as u8,
                x: Stride { step: (2 * SECTIONS * row_bytes) as i32, count: columns as u32 / 2 },
                y: Stride { step: (2 * row_bytes) as i32, count: SECTIONS as u32 },
            };
            let stride = |step: usize, count: usize| LocalStride {
                step: step as u16,
                count: count as u16,
                reversed: false,
            };
            let walk = LocalWalk {
                base: local + (odd * self.n1) as u16,
                index: None,
                x: stride(2, rows / 2),
                y: stride(2 / at_once * self.n1, columns / 2 * at_once),
            };
            unload.push(Descriptor::put(memory, walk, 0));
        }
    }

    /// A group of rows of a vector: pairs of rows go to the sections in turn.
    fn second_page(
        &self,
        k: usize,
        group: usize,
        vector: usize,
        entry: u16,
        options: &Options,
    ) -> Result<Page, KernelError> {
        let places = self.scheme.second_pass(k);
        let page_words = self.words * SECTIONS;
        let base = vector * self.points() * WORD_BYTES;
        let from = self.middle + base + group * page_words * WORD_BYTES;
        let to = self.array + base + group * self.rows * WORD_BYTES;
        let beats = (self.words / 2) as u16;
        let local = LocalWalk::interleaved(places.input, beats);
        let memory = run_of(from, page_words)?;
        let rows = self.rows / SECTIONS;
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, local, Pattern::dealt(1))],
            commands: vec![Command::Run(Call {
                entry,
                arguments: vec![places.input, places.output, rows as u16 / 2 - 1],
                least_cycles: rows as u64 * options.kernel_time.least_cycles(self.n2, false),
            })],
            unload: vec![Descriptor::put(
                rows_of(to, self.rows, self.n1, self.n2)?,
                LocalWalk::linear(places.output, beats),
                1,
            )],
        })
    }
}
