//! Long FFTs, N = N1 N2, in two passes over memory: columns of N1 points, times exp(-2 pi i j k / N), then rows of N2.
//! The channel does all reordering as it deals data to the sections; `specs/src/procedures/transforms.md` has the
//! indices.

use crate::host::pages::{BANK_WORDS, Command, Page, in_banks};
use crate::host::walks::{BURST_BEATS, WORD_BYTES, rows_of, run_of};
use crate::host::{Call, Host, pages};
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, MemoryWalk, Pattern, Stride, limit};
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft::strided::{LENGTHS, Layout, StridedSpec};
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;
use num_complex::Complex32;

/// Use of local memory by a long transform, which goes over system memory twice: the words of a page (the data in one
/// part of local memory at once), and how long the factors between the two passes stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Pages of 2048 words in each section go through three quarters of local memory in turn; the factors of a block of
    /// columns stay in the fourth until all vectors are through.
    #[default]
    Turning,
    /// Pages of 1024 words in each section; each half (bank) of local memory holds input, output and the factors of a
    /// block of columns, which stay until all vectors are through.
    Banks,
    /// Pages of 1024 words in each section, whose factors are loaded with every page, as in the published source \[D\].
    Streamed,
}

/// Places in local memory that a page uses.
struct Places {
    input: WordAddress,
    output: WordAddress,
    table: WordAddress,
}

impl Places {
    /// Creates the places at these words of two halves of [`BANK_WORDS`] words.
    fn new(core: &Core, words: [usize; 3]) -> Self {
        let place = |word| WordAddress::from_index(pages::in_quarters(core, word));
        let [input, output, table] = words.map(place);
        Self { input, output, table }
    }
}

impl Scheme {
    /// Schemes among which a plan is chosen.
    pub(super) const CHOICE: [Self; 2] = [Self::Turning, Self::Banks];

    /// Returns the words of local memory for the pages of the scheme.
    pub(super) fn least_words(self) -> usize {
        if self == Self::Turning { 2 * BANK_WORDS } else { BANK_WORDS }
    }

    /// Whether pages of the scheme hold columns and rows of a split: no more of them than there are, and no more rows than
    /// the channel moves in one burst, which are pairs of points of neighbouring rows.
    pub(super) fn takes(self, Split { n1, n2 }: Split) -> bool {
        let words = SECTIONS * self.words();
        let (columns, rows) = (words / n1, words / n2);
        columns <= n2 && rows <= n1 && rows / 2 <= limit::BURST.high as usize
    }

    /// Returns the name of the scheme in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Turning => "pages of 2048 words",
            Self::Banks => "pages of 1024 words",
            Self::Streamed => "pages of 1024 words with their factors",
        }
    }

    /// Returns the words of a page in a section.
    fn words(self) -> usize {
        if self == Self::Turning { 2048 } else { 1024 }
    }

    fn first_pass(self, core: &Core, k: usize) -> Places {
        let words = self.words();
        if self == Self::Turning {
            let place = |k: usize| (3 - k % 3) % 3 * words;
            return Places::new(core, [place(k), place(k + 2), 3 * words]);
        }
        self.in_bank(core, k)
    }

    fn second_pass(self, core: &Core, k: usize) -> Places {
        self.in_bank(core, k)
    }

    fn in_bank(self, core: &Core, k: usize) -> Places {
        let (bank, words) = (k % 2 * BANK_WORDS, self.words());
        Places::new(core, [0, words, 2 * words].map(|word| bank + word))
    }
}

/// The two factors of the number of points of a long transform, N = N1 N2, each a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// N1, the number of points of a column, which the first pass transforms.
    pub n1: usize,
    /// N2, the number of points of a row, which the second pass transforms.
    pub n2: usize,
}

impl Split {
    /// Returns the split of `points` points that the published source \[D\] has in 3.1, of which one factor is at most
    /// 4 times the other: N1 = 64, 64, 128, 256 for 8192, 16384, 32768 and 65536 points; and of 4096 points,
    /// N1 = 64; `None` for other numbers.
    pub fn of(points: usize) -> Option<Self> {
        let (n1, n2) = match points {
            4096 => (64, 64),
            8192 => (64, 128),
            16384 => (64, 256),
            32768 => (128, 256),
            65536 => (256, 256),
            _ => return None,
        };
        Some(Self { n1, n2 })
    }

    /// Returns the splits of `points` points into factors for which there are kernels, that of [`Self::of`] first.
    pub(super) fn all(points: usize) -> impl Iterator<Item = Self> {
        let published = Self::of(points);
        let factors = LENGTHS.iter().flat_map(|&n1| LENGTHS.iter().map(move |&n2| Self { n1, n2 }));
        let others = factors.filter(move |split| split.n1 * split.n2 == points);
        published.into_iter().chain(others.filter(move |&split| Some(split) != published))
    }

    /// Returns the split of `points` points as [`Self::of`] does.
    ///
    /// # Errors
    /// `points` is not 4096, 8192, 16384, 32768 or 65536.
    pub fn required(points: usize) -> Result<Self, KernelError> {
        let allowed = "4096, 8192, 16384, 32768 or 65536".to_owned();
        Self::of(points).ok_or(KernelError::Length { points, allowed })
    }
}

/// Arrays of a long transform in system memory, from which the transfers of its pages follow. The first pass goes
/// through *blocks* of columns of a vector, the second through *groups* of rows; each is a page, which is the data in
/// one part of local memory at once.
pub struct Long {
    /// The two factors of the length of the vectors.
    pub split: Split,
    /// Words of a page in a section.
    words: usize,
    core: Core,
    /// Columns of a page of the first pass.
    columns: usize,
    /// Rows of a page of the second pass.
    rows: usize,
    /// Address of the input, which the results overwrite.
    array: MemoryAddress,
    /// Address of the data between the passes.
    middle: MemoryAddress,
    /// Address of the factors.
    table: MemoryAddress,
}

/// Transforms the vectors; returns the address of the results, which overwrite the input, and the number of pages.
pub(crate) fn run(
    host: &mut Host,
    split: Split,
    input: &[Complex32],
    (scheme, inverse): (Scheme, bool),
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(MemoryAddress, usize), KernelError> {
    let core = *host.config().core();
    let vectors = input.len() / (split.n1 * split.n2);
    let long = Long::new(host, split, scheme.words(), vectors)?;
    let array = long.array;
    host.write(array, input)?;
    host.write(long.table, &long.factors(inverse))?;
    let (blocks, groups) = (long.blocks(), long.groups());
    let all = (blocks + groups) * vectors;
    let [first, second] = long.specs();
    let entry = host.install(&first.name(), || first.source(&core))?;
    let page = |k| long.first_page(scheme, k, k / vectors, k % vectors, entry);
    let pages = (0..blocks * vectors).map(page).collect::<Result<Vec<_>, _>>()?;
    host.begin_step(StepLevel::Stage, || "first pass: columns".to_owned());
    pages::run(host, &in_banks(&core, pages), &mut |done| progress(done, all))?;
    host.end_step(StepLevel::Stage);
    // The kernels of both passes do not fit into instruction memory at once if both have 256 points.
    let entry = host.install(&second.name(), || second.source(&core))?;
    let page = |k| long.second_page(scheme, k, k % groups, k / groups, entry);
    let pages = (0..groups * vectors).map(page).collect::<Result<Vec<_>, _>>()?;
    host.begin_step(StepLevel::Stage, || "second pass: rows".to_owned());
    let progress = &mut |done| progress(blocks * vectors + done, all);
    pages::run(host, &in_banks(&core, pages), progress)?;
    host.end_step(StepLevel::Stage);
    Ok((array, all))
}

impl Long {
    /// Allocates system memory of a host for `vectors` vectors, the data between the passes and the factors; nothing is
    /// written to it. `words` is the number of words of a page in each section.
    ///
    /// # Errors
    /// System memory does not hold the arrays.
    pub fn new(
        host: &mut Host,
        split: Split,
        words: usize,
        vectors: usize,
    ) -> Result<Self, KernelError> {
        let Split { n1, n2 } = split;
        let of_vector = Bytes::of_words(n1 * n2);
        Ok(Self {
            split,
            words,
            core: *host.config().core(),
            columns: SECTIONS * words / n1,
            rows: SECTIONS * words / n2,
            array: host.allocate(of_vector * vectors)?,
            middle: host.allocate(of_vector * vectors)?,
            table: host.allocate(of_vector)?,
        })
    }

    fn points(&self) -> usize {
        self.split.n1 * self.split.n2
    }

    /// Returns the number of blocks of columns of a vector, the pages of the first pass.
    pub fn blocks(&self) -> usize {
        self.split.n2 / self.columns
    }

    /// Returns the number of groups of rows of a vector, the pages of the second pass.
    pub fn groups(&self) -> usize {
        self.split.n1 / self.rows
    }

    /// Returns the kernels of both passes.
    fn specs(&self) -> [StridedSpec; 2] {
        let [columns, rows] = [self.columns, self.rows].map(|n| Layout::columns(n / SECTIONS));
        let output = Layout::rows(self.split.n1);
        [
            StridedSpec { points: self.split.n1, input: columns, output, has_table: true },
            StridedSpec { points: self.split.n2, input: rows, output: rows, has_table: false },
        ]
    }

    /// Returns the column of a page that is column `local` of a section.
    fn column(section: usize, local: usize) -> usize {
        local / 2 * 2 * SECTIONS + section * 2 + local % 2
    }

    /// Returns exp(-2 pi i j k / N), or its conjugate, block by block and section by section, in the order in which the
    /// results of the first pass lie.
    fn factors(&self, inverse: bool) -> Vec<Complex32> {
        let points = self.points();
        let sign = if inverse { 1.0 } else { -1.0 };
        let turn = std::f64::consts::TAU / points as f64;
        let mut factors = Vec::with_capacity(points);
        for block in 0..self.split.n2 / self.columns {
            for section in 0..SECTIONS {
                for local in 0..self.columns / SECTIONS {
                    let j = block * self.columns + Self::column(section, local);
                    factors.extend((0..self.split.n1).map(|k| {
                        let (sin, cos) = (sign * turn * (j * k % points) as f64).sin_cos();
                        Complex32::new(cos as f32, sin as f32)
                    }));
                }
            }
        }
        factors
    }

    /// Returns the transfer that loads the factors of a block of columns from system memory to word `place` of the
    /// local memory of the sections. Blocks are numbered from 0.
    ///
    /// # Errors
    /// A row of the transfer has fewer than two words, which are a beat.
    pub fn load_table(&self, block: usize, place: WordAddress) -> Result<Descriptor, KernelError> {
        let words = self.words * SECTIONS;
        let memory = run_of(self.table.plus_words(block * words), words)?;
        let beats = self.words as u16 / 2;
        Ok(Descriptor::get(memory, LocalWalk::linear(place, beats), Pattern::dealt(beats)))
    }

    /// Returns the transfer that loads a block of columns of a vector from system memory to word `place` of the local
    /// memory of the sections. Blocks and vectors are numbered from 0. Beats of two words go to the sections in turn,
    /// so a section has pairs of neighbouring columns.
    ///
    /// # Errors
    /// A row of the transfer has fewer than two words, which are a beat.
    pub fn load_block(
        &self,
        block: usize,
        vector: usize,
        place: WordAddress,
    ) -> Result<Descriptor, KernelError> {
        let base = self.array.plus_words(vector * self.points() + block * self.columns);
        let memory = rows_of(base, self.columns, self.split.n2, self.split.n1)?;
        let local = LocalWalk::interleaved(place, (self.words / 2) as u16);
        Ok(Descriptor::get(memory, local, Pattern::dealt(1)))
    }

    /// Returns the transfers that store the results of a block of columns of a vector, from word `place` of the local
    /// memory of the sections, to the array between the passes in system memory, in the order in which the second pass
    /// reads it.
    pub fn unload_block(&self, block: usize, vector: usize, place: WordAddress) -> Vec<Descriptor> {
        let mut unload = Vec::new();
        for group in 0..self.groups() {
            self.put_group(&mut unload, place, block, vector, group);
        }
        unload
    }

    fn first_page(
        &self,
        scheme: Scheme,
        k: usize,
        block: usize,
        vector: usize,
        entry: BundleAddress,
    ) -> Result<Page, KernelError> {
        let places = scheme.first_pass(&self.core, k);
        let mut load = vec![self.load_block(block, vector, places.input)?];
        let mut prepare = Vec::new();
        match scheme {
            Scheme::Streamed => load.push(self.load_table(block, places.table)?),
            Scheme::Turning if vector == 0 => prepare.push(self.load_table(block, places.table)?),
            Scheme::Banks if vector == 0 => {
                for k in 0..2 {
                    let table = scheme.first_pass(&self.core, k).table;
                    prepare.push(self.load_table(block, table)?);
                }
            }
            _ => {}
        }
        let units = (self.columns / SECTIONS) as u16 / 2;
        Ok(Page {
            prepare,
            load,
            commands: vec![Command::Run(Call::new(
                entry,
                vec![places.input.0, places.output.0, units - 1, places.table.0],
            ))],
            unload: self.unload_block(block, vector, places.output),
        })
    }

    /// Adds the transfers that store rows `group` of the results of a block. Between the passes a vector lies as
    /// \[group\]\[column\]\[row of the group\]; a section gives its columns one after the other, and the walk through memory
    /// puts the pairs to their places.
    fn put_group(
        &self,
        unload: &mut Vec<Descriptor>,
        output: WordAddress,
        block: usize,
        vector: usize,
        group: usize,
    ) {
        let (rows, columns) = (self.rows, self.columns / SECTIONS);
        let row_bytes = rows * WORD_BYTES;
        let column = group * self.split.n2 + block * self.columns;
        let base = self.middle.plus_words(vector * self.points() + column * rows);
        let local = output.plus((group * rows) as u16);
        // Both columns of a pair in one burst, if it is not too long.
        let at_once = if rows <= BURST_BEATS { 2 } else { 1 };
        for odd in 0..2 / at_once {
            let memory = MemoryWalk {
                base: base.plus_words(odd * rows),
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
                base: local.plus((odd * self.split.n1) as u16),
                index: None,
                x: stride(2, rows / 2),
                y: stride(2 / at_once * self.split.n1, columns / 2 * at_once),
            };
            unload.push(Descriptor::put(memory, walk, 0));
        }
    }

    /// Returns the transfer that loads a group of rows of a vector, from the array between the passes in system memory,
    /// to word `place` of the local memory of the sections. Groups and vectors are numbered from 0. Pairs of rows go to
    /// the sections in turn.
    ///
    /// # Errors
    /// A row of the transfer has fewer than two words, which are a beat.
    pub fn load_group(
        &self,
        group: usize,
        vector: usize,
        place: WordAddress,
    ) -> Result<Descriptor, KernelError> {
        let page_words = self.words * SECTIONS;
        let from = self.middle.plus_words(vector * self.points() + group * page_words);
        let local = LocalWalk::interleaved(place, (self.words / 2) as u16);
        Ok(Descriptor::get(run_of(from, page_words)?, local, Pattern::dealt(1)))
    }

    /// Returns the transfer of the second, last pass that stores the results of a group of rows of a vector, from word
    /// `place` of the local memory of the sections, to the place of the vector's input in system memory.
    ///
    /// # Errors
    /// A row of the transfer has fewer than two words, which are a beat.
    pub fn unload_group(
        &self,
        group: usize,
        vector: usize,
        place: WordAddress,
    ) -> Result<Descriptor, KernelError> {
        let to = self.array.plus_words(vector * self.points() + group * self.rows);
        let memory = rows_of(to, self.rows, self.split.n1, self.split.n2)?;
        Ok(Descriptor::put(memory, LocalWalk::linear(place, (self.words / 2) as u16), 1))
    }

    fn second_page(
        &self,
        scheme: Scheme,
        k: usize,
        group: usize,
        vector: usize,
        entry: BundleAddress,
    ) -> Result<Page, KernelError> {
        let places = scheme.second_pass(&self.core, k);
        let units = (self.rows / SECTIONS) as u16 / 2;
        Ok(Page {
            prepare: Vec::new(),
            load: vec![self.load_group(group, vector, places.input)?],
            commands: vec![Command::Run(Call::new(
                entry,
                vec![places.input.0, places.output.0, units - 1],
            ))],
            unload: vec![self.unload_group(group, vector, places.output)?],
        })
    }
}
