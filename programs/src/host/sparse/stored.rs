//! A matrix in system memory, page by page as local memory wants it, and the pages that multiply a vector
//! by it. What a page holds is in `partition`.

use super::partition::{Form, Partition};
use crate::error::KernelError;
use crate::host::pages::{Command, Page};
use crate::host::session::{Call, Host};
use crate::host::walks::{get_all, get_dealt, put_dealt};
use crate::sparse::{Csr, LEAST_BACK, Part, WINDOW, back};
use cp2_emu::dma::Descriptor;
use cp2_isa::{BundleAddress, Core, SECTIONS};
use std::ops::Range;

/// Bytes of a word, and of an element of a vector.
const WORD: usize = 8;
const ELEMENT: usize = 4;
/// Words that every section gets at once, or of each section, that make whole bursts.
const ALL_BURST: usize = 64;
const DEALT_BURST: usize = 16;
/// Columns of a block are a multiple of this.
pub(super) const COLUMNS: usize = 2 * ALL_BURST;

/// How local memory is used: the vector first, then two places for pages in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalLayout {
    vector: usize,
    page: usize,
}

impl LocalLayout {
    pub(super) fn new(core: &Core, form: Form, columns: usize) -> Self {
        let vector = form.vector_words(columns.next_multiple_of(COLUMNS));
        Self { vector, page: core.lmem_words().saturating_sub(vector) / 4 * 2 }
    }

    /// The words beside which pages are dealt: some are kept to fill the last burst of a page.
    pub(super) fn beside(self) -> usize {
        self.vector + 4 * DEALT_BURST
    }

    /// The place of the page of this number.
    fn place(self, page: usize) -> usize {
        self.vector + page % 2 * self.page
    }

    /// Where the results of a window find room beside the page of this number.
    fn window(self, page: usize) -> usize {
        if page.is_multiple_of(2) && self.vector < WINDOW / 2 { self.place(1) } else { 0 }
    }
}

/// A page in system memory: addresses, and words of each section.
struct StoredPage {
    parts: Vec<Part>,
    results: usize,
    /// Words that every section gets.
    common: (usize, usize),
    values: usize,
    own: (usize, usize),
}

/// Some columns.
struct Block {
    columns: Range<usize>,
    /// Words of results of a slice in each section.
    result_words: usize,
    pages: Vec<StoredPage>,
}

/// Where the kernels lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub(super) product: BundleAddress,
    pub(super) spread: BundleAddress,
    pub(super) back: BundleAddress,
}

/// A matrix in system memory.
pub(super) struct Stored {
    form: Form,
    layout: LocalLayout,
    slices: usize,
    blocks: Vec<Block>,
    /// Lists that put sorted rows back, for pages with an even and an odd number; words of each section.
    lists: Vec<[(usize, usize); 2]>,
}

impl Stored {
    /// Writes the blocks of a matrix, each with its columns, to memory. `order` if results have to be put back.
    pub(super) fn new(
        host: &mut Host,
        (form, layout): (Form, LocalLayout),
        blocks: &[(Range<usize>, Csr, Partition)],
        order: Option<&[usize]>,
    ) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let mut stored = Self { form, layout, slices: 0, blocks: Vec::new(), lists: Vec::new() };
        for (columns, part, partition) in blocks {
            let mut block = Block {
                columns: columns.clone(),
                result_words: partition.result_words(),
                pages: Vec::new(),
            };
            for parts in partition.pages(&core, layout.beside())? {
                block.pages.push(store(host, partition, part, parts)?);
            }
            stored.slices = partition.slices();
            stored.blocks.push(block);
        }
        for window in order.iter().flat_map(|order| order.chunks(WINDOW)) {
            let mut list = |page| {
                let quads = back(window, layout.window(page));
                Ok::<_, KernelError>((write_dealt(host, quads.iter())?, quads.len()))
            };
            stored.lists.push([list(0)?, list(1)?]);
        }
        Ok(stored)
    }

    /// Bytes that a vector of so many columns takes in memory.
    pub(super) fn vector_bytes(columns: usize) -> usize {
        columns.next_multiple_of(COLUMNS) * ELEMENT
    }

    /// Bytes of the results in memory.
    pub(super) fn result_bytes(&self) -> usize {
        let words = self.blocks.first().map_or(0, |block| block.result_words);
        let slices = self.slices * words * SECTIONS * WORD;
        slices.next_multiple_of(LEAST_BACK * 4 * SECTIONS * WORD)
    }

    /// The pages of a product of the vector at `x`: results in the order of the slices at `y`, and in that of the
    /// matrix at `to`, if rows were sorted.
    pub(super) fn pages(
        &self,
        entries: Entries,
        [x, y, to]: [usize; 3],
    ) -> Result<Vec<Page>, KernelError> {
        let mut pages = Vec::new();
        let mut written: Vec<Option<usize>> = vec![None; self.slices];
        for block in &self.blocks {
            let vector = x + block.columns.start * ELEMENT;
            let mut prepare = Vec::new();
            if self.form.is_spread() {
                pages.push(self.spread(entries.spread, pages.len(), vector, block)?);
            } else {
                prepare.push(get_all(vector, self.words_of(block), 0)?);
            }
            for page in &block.pages {
                let mut made =
                    self.page(entries.product, pages.len(), (page, block), y, &mut written)?;
                prepare.append(&mut made.prepare);
                made.prepare = std::mem::take(&mut prepare);
                pages.push(made);
            }
        }
        for (window, list) in self.lists.iter().enumerate() {
            let offset = window * WINDOW * ELEMENT;
            let mut page = self.back(entries.back, pages.len(), list, [y + offset, to + offset])?;
            if window > 0 {
                // The list would be loaded over results that the page before still picks from.
                page.prepare.append(&mut page.load);
            }
            pages.push(page);
        }
        Ok(pages)
    }

    /// Words of the vector of a block as it lies in memory, whole bursts.
    fn words_of(&self, block: &Block) -> usize {
        block.columns.len().next_multiple_of(COLUMNS) / 2
    }

    /// The vector of a block, each element to a word of its own.
    fn spread(
        &self,
        entry: BundleAddress,
        number: usize,
        vector: usize,
        block: &Block,
    ) -> Result<Page, KernelError> {
        let words = self.words_of(block);
        let from = self.layout.place(number);
        Ok(Page {
            prepare: vec![get_all(vector, words, from)?],
            load: Vec::new(),
            commands: vec![run(entry, [from, 0, words / 2])],
            unload: Vec::new(),
        })
    }

    fn page(
        &self,
        entry: BundleAddress,
        number: usize,
        (page, block): (&StoredPage, &Block),
        y: usize,
        written: &mut [Option<usize>],
    ) -> Result<Page, KernelError> {
        let place = self.layout.place(number);
        let own = place + page.common.1;
        let load = vec![
            get_all(page.common.0, page.common.1, place)?,
            get_dealt(page.own.0, page.own.1, own)?,
        ];
        let counters = place + page.results;
        let arguments = [own, own + page.values, place, counters, page.parts.len()];
        let (prepare, unload) = (Vec::new(), Vec::new());
        let mut made = Page { prepare, load, commands: vec![run(entry, arguments)], unload };
        let words = block.result_words;
        // Slices that follow each other, all with earlier sums or none.
        let state = |part: &Part| written[part.of].map(|by| by + 1 < number);
        let joined = |a: &Part, b: &Part| a.of + 1 == b.of && state(a) == state(b);
        let mut first = 0;
        for run in page.parts.chunk_by(joined) {
            let local = place + first * words;
            let memory = y + run[0].of * words * SECTIONS * WORD;
            match state(&run[0]) {
                // What the page before writes is not in memory while this one is loaded.
                Some(true) => made.load.push(get_dealt(memory, run.len() * words, local)?),
                Some(false) => made.prepare.push(get_dealt(memory, run.len() * words, local)?),
                None => {}
            }
            made.unload.push(put_dealt(local, run.len() * words, memory)?);
            first += run.len();
        }
        page.parts.iter().for_each(|part| written[part.of] = Some(number));
        Ok(made)
    }

    /// Results of a window back to the order of the matrix.
    fn back(
        &self,
        entry: BundleAddress,
        number: usize,
        lists: &[(usize, usize); 2],
        [from, to]: [usize; 2],
    ) -> Result<Page, KernelError> {
        let (list, words) = lists[number % 2];
        let (place, results) = (self.layout.place(number), self.layout.window(number));
        let rows = place + words;
        let load: Vec<Descriptor> = vec![get_dealt(list, words, place)?];
        // A list names as many places as there are rows, and four in each word.
        let all = (words * SECTIONS * 4 / 2).min(WINDOW / 2);
        Ok(Page {
            prepare: vec![get_all(from, all, results)?],
            load,
            commands: vec![run(entry, [place, rows, words / 2])],
            unload: vec![put_dealt(rows, 2 * words, to)?],
        })
    }

    /// Bytes of the matrix that a product moves.
    pub(super) fn bytes(&self) -> usize {
        let pages = self.blocks.iter().flat_map(|block| &block.pages);
        pages.map(|page| WORD * (page.common.1 + SECTIONS * page.own.1)).sum()
    }
}

fn run<const N: usize>(entry: BundleAddress, arguments: [usize; N]) -> Command {
    let arguments = arguments.map(|value| value as u16).to_vec();
    Command::Run(Call { entry, arguments, least_cycles: 0 })
}

fn store(
    host: &mut Host,
    partition: &Partition,
    part: &Csr,
    parts: Vec<Part>,
) -> Result<StoredPage, KernelError> {
    let mut contents = partition.contents(part, &parts);
    let own = contents.own.len().next_multiple_of(DEALT_BURST);
    contents.own.resize(own, [0; SECTIONS]);
    let common = host.allocate((contents.common.len() * WORD) as u64)?;
    host.write_words(common, &contents.common)?;
    Ok(StoredPage {
        parts,
        results: contents.results,
        common: (common as usize, contents.common.len()),
        values: contents.values,
        own: (write_dealt(host, contents.own.iter())?, own),
    })
}

/// Writes words of the sections as the channel deals them: two of each in turn. An even number.
fn write_dealt<'a>(
    host: &mut Host,
    quads: impl ExactSizeIterator<Item = &'a [u64; SECTIONS]>,
) -> Result<usize, KernelError> {
    let address = host.allocate((quads.len() * SECTIONS * WORD) as u64)?;
    let mut words = Vec::with_capacity(quads.len() * SECTIONS);
    let mut first: Option<&[u64; SECTIONS]> = None;
    for quad in quads {
        match first.take() {
            None => first = Some(quad),
            Some(before) => words.extend(before.iter().zip(quad).flat_map(|(a, b)| [*a, *b])),
        }
    }
    host.write_words(address, &words)?;
    Ok(address as usize)
}
