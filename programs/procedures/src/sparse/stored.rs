//! A matrix in system memory, page by page as local memory wants it, and the pages that multiply a vector
//! by it. What a page holds is in `partition`.

use super::partition::{COLUMNS, Form, Partition, Preparation, vector_pairs};
use crate::host::pages::{Command, Page};
use crate::host::walks::{get_all, get_dealt, put_dealt, run_of};
use crate::host::{Call, Host};
use cp2_emu::dma::{Descriptor, LocalWalk};
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::sparse::{LEAST_BACK, Part, WINDOW, back};
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use std::ops::Range;

/// Bytes of a word, and of an element of a vector.
const WORD: usize = 8;
const ELEMENT: Bytes = Bytes(4);
/// Words of each section that make whole bursts.
const DEALT_BURST: usize = 16;

/// How local memory is used: the vector first, then two places for pages in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalLayout {
    vector: usize,
    page: usize,
}

impl LocalLayout {
    pub(super) fn new(core: &Core, form: Form, columns: usize) -> Self {
        let vector = form.vector_words(core, columns);
        Self { vector, page: core.lmem_words().saturating_sub(vector) / 4 * 2 }
    }

    /// The words beside which pages are dealt: some are kept to fill the last burst of a page.
    pub(super) fn beside(self) -> usize {
        self.vector + 4 * DEALT_BURST
    }

    /// What part of the cycles of a kernel with so many accesses in a cycle, to the vector and to its page, it is in the bank
    /// where the channel is, in the other page.
    pub(super) fn meeting(self, core: &Core, [to_vector, to_page]: [f64; 2]) -> f64 {
        let banks = core.lmem_words().div_ceil(core.bank_words());
        let share = |from: usize, words: usize, bank: usize| {
            let (first, last) = (bank * core.bank_words(), (bank + 1) * core.bank_words());
            let inside = (from + words).min(last).saturating_sub(from.max(first));
            inside as f64 / words.max(1) as f64
        };
        let page = |number: usize, bank| share(self.place(number), self.page, bank);
        let of = |number: usize, bank: usize| {
            let accesses = to_vector * share(0, self.vector, bank) + to_page * page(number, bank);
            page(number + 1, bank) * accesses
        };
        let all = (0..2).flat_map(|number| (0..banks).map(move |bank| of(number, bank)));
        all.sum::<f64>() / 2.0
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
    common: (MemoryAddress, usize),
    values: usize,
    own: (MemoryAddress, usize),
}

/// The sums so far of the results of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// There are none: it is the first one of its slice.
    None,
    /// They come while the page before is computed.
    Loaded,
    /// The page before writes them: they come while CP2 stands still.
    Prepared,
}

/// The parts of the page of this number in runs of slices that follow each other with sums of one kind, a transfer each.
/// `written` tells for each slice which page wrote it last.
pub(super) fn runs<'a>(
    parts: &'a [Part],
    number: usize,
    written: &mut [Option<usize>],
) -> Vec<(&'a [Part], Sums)> {
    let sums = |part: &Part, written: &[Option<usize>]| match written[part.of] {
        None => Sums::None,
        Some(by) if by + 1 < number => Sums::Loaded,
        Some(_) => Sums::Prepared,
    };
    let before: &[Option<usize>] = written;
    let joined = |a: &Part, b: &Part| a.of + 1 == b.of && sums(a, before) == sums(b, before);
    let runs = parts.chunk_by(joined).map(|run| (run, sums(&run[0], before))).collect();
    parts.iter().for_each(|part| written[part.of] = Some(number));
    runs
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
    pub(super) prepare: BundleAddress,
    pub(super) back: BundleAddress,
}

/// What the vector becomes on its way to local memory, and in system memory too: another vector plus a multiple of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewal {
    /// A kernel that takes two addresses of words, the first one twice more, that of the multiple twice, and groups of
    /// [`Self::GROUP`] words.
    pub(crate) entry: BundleAddress,
    /// The other vector, and the word with the multiple.
    pub(crate) other: MemoryAddress,
    pub(crate) multiple: MemoryAddress,
}

impl Renewal {
    /// Words of a group of its kernel.
    const GROUP: usize = 8;
}

/// A matrix in system memory.
pub(super) struct Stored {
    preparation: Preparation,
    layout: LocalLayout,
    slices: usize,
    blocks: Vec<Block>,
    /// Lists that put sorted rows back, for pages with an even and an odd number; words of each section.
    lists: Vec<[(MemoryAddress, usize); 2]>,
}

impl Stored {
    /// A matrix without blocks of columns yet. `order` if results have to be put back.
    pub(super) fn new(
        host: &mut Host,
        (form, layout): (Form, LocalLayout),
        order: Option<&[usize]>,
    ) -> Result<Self, KernelError> {
        let preparation = form.preparation(host.config().core());
        let mut stored =
            Self { preparation, layout, slices: 0, blocks: Vec::new(), lists: Vec::new() };
        for window in order.iter().flat_map(|order| order.chunks(WINDOW)) {
            let mut list = |page| {
                let quads = back(window, layout.window(page));
                Ok::<_, KernelError>((write_dealt(host, quads.iter())?, quads.len()))
            };
            stored.lists.push([list(0)?, list(1)?]);
        }
        Ok(stored)
    }

    /// Writes a block of columns to memory, cut into these pages.
    pub(super) fn push(
        &mut self,
        host: &mut Host,
        (columns, part): (Range<usize>, &Csr),
        partition: &Partition,
        pages: Vec<Vec<Part>>,
    ) -> Result<(), KernelError> {
        let store = |parts| store(host, partition, part, parts);
        let pages = pages.into_iter().map(store).collect::<Result<_, _>>()?;
        self.slices = partition.slices();
        self.blocks.push(Block { columns, result_words: partition.result_words(), pages });
        Ok(())
    }

    /// Bytes that a vector of so many columns takes in memory.
    pub(super) fn vector_bytes(columns: usize) -> Bytes {
        ELEMENT * columns.next_multiple_of(COLUMNS)
    }

    /// Bytes of the results in memory.
    pub(super) fn result_bytes(&self) -> Bytes {
        let words = self.blocks.first().map_or(0, |block| block.result_words);
        let slices = self.slices * words * SECTIONS;
        Bytes::of_words(slices.next_multiple_of(LEAST_BACK * 4 * SECTIONS))
    }

    /// Whether the vector can be renewed on its way: all sections have it as it lies in memory.
    pub(super) fn can_renew(&self) -> bool {
        self.preparation != Preparation::Spread && self.renewed_words() > 0
    }

    /// Words that are renewed in a page: beside them lies the multiple.
    fn renewed_words(&self) -> usize {
        let burst = vector_pairs(COLUMNS);
        self.layout.page.saturating_sub(2) / burst * burst
    }

    /// The pages of a product of the vector at `x`, which may be renewed before: results in the order of the slices at `y`,
    /// and in that of the matrix at `to`, if rows were sorted.
    pub(super) fn pages(
        &self,
        entries: Entries,
        [x, y, to]: [MemoryAddress; 3],
        renewal: Option<Renewal>,
    ) -> Result<Vec<Page>, KernelError> {
        let mut pages = Vec::new();
        let mut written: Vec<Option<usize>> = vec![None; self.slices];
        for block in &self.blocks {
            let vector = x + ELEMENT * block.columns.start;
            let words = vector_pairs(block.columns.len());
            let (mut prepare, mut commands) = (Vec::new(), Vec::new());
            match (self.preparation, renewal) {
                (Preparation::Spread, _) => {
                    pages.push(self.spread(entries.prepare, pages.len(), vector, words)?);
                }
                (_, Some(renewal)) => {
                    let other = renewal.other + ELEMENT * block.columns.start;
                    let of_block = Renewal { other, ..renewal };
                    pages.extend(self.renewed(of_block, pages.len(), vector, words)?);
                }
                (_, None) => prepare.push(get_all(vector, words, WordAddress(0))?),
            }
            if self.preparation == Preparation::Turn {
                commands.push(run(entries.prepare, [0, words, words / 2]));
            }
            for page in &block.pages {
                let mut made =
                    self.page(entries.product, pages.len(), (page, block), y, &mut written)?;
                prepare.append(&mut made.prepare);
                made.prepare = std::mem::take(&mut prepare);
                commands.append(&mut made.commands);
                made.commands = std::mem::take(&mut commands);
                pages.push(made);
            }
        }
        for (window, list) in self.lists.iter().enumerate() {
            let offset = ELEMENT * (window * WINDOW);
            let mut page = self.back(entries.back, pages.len(), list, [y + offset, to + offset])?;
            if window > 0 {
                // The list would be loaded over results that the page before still picks from.
                page.prepare.append(&mut page.load);
            }
            pages.push(page);
        }
        Ok(pages)
    }

    /// The vector of a block, renewed in all sections alike, back to memory from the first one. Pages are numbered from
    /// `first` on.
    fn renewed(
        &self,
        renewal: Renewal,
        first: usize,
        vector: MemoryAddress,
        words: usize,
    ) -> Result<Vec<Page>, KernelError> {
        let most = self.renewed_words();
        let word = WordAddress::from_index;
        let page = |(k, at): (usize, usize)| {
            let (here, place) = (most.min(words - at), self.layout.place(first + k));
            let scalar = place + here;
            let mut load = vec![
                get_all(renewal.other.plus_words(at), here, word(place))?,
                get_all(renewal.multiple, 2, word(scalar))?,
            ];
            let mut prepare = Vec::new();
            if k == 0 {
                prepare.push(get_all(vector, words, WordAddress(0))?);
                prepare.append(&mut load);
            }
            let groups = here / Renewal::GROUP;
            let local = LocalWalk::linear(WordAddress::from_index(at), (here / 2) as u16);
            Ok(Page {
                prepare,
                load,
                commands: vec![run(renewal.entry, [at, place, at, place, scalar, scalar, groups])],
                unload: vec![Descriptor::put(run_of(vector.plus_words(at), here)?, local, 0)],
            })
        };
        (0..words).step_by(most).enumerate().map(page).collect()
    }

    /// The vector of a block, each element to a word of its own.
    fn spread(
        &self,
        entry: BundleAddress,
        number: usize,
        vector: MemoryAddress,
        words: usize,
    ) -> Result<Page, KernelError> {
        let from = self.layout.place(number);
        Ok(Page {
            prepare: vec![get_all(vector, words, WordAddress::from_index(from))?],
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
        y: MemoryAddress,
        written: &mut [Option<usize>],
    ) -> Result<Page, KernelError> {
        let place = self.layout.place(number);
        let own = place + page.common.1;
        let load = vec![
            get_all(page.common.0, page.common.1, WordAddress::from_index(place))?,
            get_dealt(page.own.0, page.own.1, WordAddress::from_index(own))?,
        ];
        let counters = place + page.results;
        let arguments = [own, own + page.values, place, counters, page.parts.len()];
        let (prepare, unload) = (Vec::new(), Vec::new());
        let mut made = Page { prepare, load, commands: vec![run(entry, arguments)], unload };
        let words = block.result_words;
        let mut first = 0;
        for (parts, sums) in runs(&page.parts, number, written) {
            let local = WordAddress::from_index(place + first * words);
            let memory = y.plus_words(parts[0].of * words * SECTIONS);
            let words = parts.len() * words;
            match sums {
                Sums::Loaded => made.load.push(get_dealt(memory, words, local)?),
                Sums::Prepared => made.prepare.push(get_dealt(memory, words, local)?),
                Sums::None => {}
            }
            made.unload.push(put_dealt(local, words, memory)?);
            first += parts.len();
        }
        Ok(made)
    }

    /// Results of a window back to the order of the matrix.
    fn back(
        &self,
        entry: BundleAddress,
        number: usize,
        lists: &[(MemoryAddress, usize); 2],
        [from, to]: [MemoryAddress; 2],
    ) -> Result<Page, KernelError> {
        let (list, words) = lists[number % 2];
        let (place, results) = (self.layout.place(number), self.layout.window(number));
        let rows = place + words;
        let load: Vec<Descriptor> = vec![get_dealt(list, words, WordAddress::from_index(place))?];
        // A list names as many places as there are rows, and four in each word.
        let all = (words * SECTIONS * 4 / 2).min(WINDOW / 2);
        Ok(Page {
            prepare: vec![get_all(from, all, WordAddress::from_index(results))?],
            load,
            commands: vec![run(entry, [place, rows, words / 2])],
            unload: vec![put_dealt(WordAddress::from_index(rows), 2 * words, to)?],
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
    let common = host.allocate(Bytes::of_words(contents.common.len()))?;
    host.write_words(common, &contents.common)?;
    Ok(StoredPage {
        parts,
        results: contents.results,
        common: (common, contents.common.len()),
        values: contents.values,
        own: (write_dealt(host, contents.own.iter())?, own),
    })
}

/// Writes words of the sections as the channel deals them: two of each in turn. An even number.
fn write_dealt<'a>(
    host: &mut Host,
    quads: impl ExactSizeIterator<Item = &'a [u64; SECTIONS]>,
) -> Result<MemoryAddress, KernelError> {
    let address = host.allocate(Bytes::of_words(quads.len() * SECTIONS))?;
    let mut words = Vec::with_capacity(quads.len() * SECTIONS);
    let mut first: Option<&[u64; SECTIONS]> = None;
    for quad in quads {
        match first.take() {
            None => first = Some(quad),
            Some(before) => words.extend(before.iter().zip(quad).flat_map(|(a, b)| [*a, *b])),
        }
    }
    host.write_words(address, &words)?;
    Ok(address)
}
