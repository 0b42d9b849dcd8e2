//! A matrix in system memory, page by page as local memory takes it, and the pages that multiply a vector by it. The contents
//! of a page are in `partition`.

use super::partition::{COLUMNS, MatrixFormat, Partition, Preparation, vector_pairs};
use crate::host::pages::{Command, Page};
use crate::host::walks::{get_all, get_dealt, put_dealt, run_of};
use crate::host::{Call, Host};
use cp2_emu::dma::{Descriptor, LocalWalk};
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::sparse::{LEAST_BACK, PagePart, WINDOW, back};
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use std::ops::Range;

/// Bytes of a word.
const WORD: usize = 8;
/// Bytes of an element of a vector.
const ELEMENT: Bytes = Bytes(4);
/// Number of which the words of each section are a multiple, so that they make whole bursts.
const DEALT_BURST: usize = 16;

/// Layout of local memory: the vector first, then two places for pages in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalLayout {
    /// Words of the vector.
    vector: usize,
    /// Words of the place of a page.
    page: usize,
}

impl LocalLayout {
    pub(super) fn new(core: &Core, form: MatrixFormat, columns: usize) -> Self {
        let vector = form.vector_words(core, columns);
        Self { vector, page: core.lmem_words().saturating_sub(vector) / 4 * 2 }
    }

    /// Returns the words beside which pages are dealt: the vector, and some words that are kept to fill the last burst of a
    /// page.
    pub(super) fn reserved_words(self) -> usize {
        self.vector + 4 * DEALT_BURST
    }

    /// Returns the share of a kernel's cycles in which it accesses the bank that the channel uses for the other page, given
    /// its accesses in a cycle to the vector and to its page.
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

    /// Returns the first word of the page of this number.
    fn place(self, page: usize) -> usize {
        self.vector + page % 2 * self.page
    }

    /// Returns the first word of the results of a window beside the page of this number.
    fn window(self, page: usize) -> usize {
        if page.is_multiple_of(2) && self.vector < WINDOW / 2 { self.place(1) } else { 0 }
    }
}

/// A page in system memory.
struct StoredPage {
    /// Parts of the page.
    parts: Vec<PagePart>,
    /// Words of results.
    results: usize,
    /// Address and number of the words that every section gets.
    common: (MemoryAddress, usize),
    /// Words of values of each section.
    values: usize,
    /// Address of the words that are dealt to the sections, and their number in each.
    own: (MemoryAddress, usize),
}

/// Sums so far of the results of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// There are no sums yet: the part is the first one of its slice.
    None,
    /// The sums are loaded while the page before is computed.
    Loaded,
    /// The page before writes the sums, so they are loaded while CP2 stands still.
    Prepared,
}

/// Returns the parts of the page of this number in runs of consecutive slices with sums of one kind, a transfer each.
/// `written` holds for each slice the page that wrote it last.
pub(super) fn runs<'a>(
    parts: &'a [PagePart],
    number: usize,
    written: &mut [Option<usize>],
) -> Vec<(&'a [PagePart], Sums)> {
    let sums = |part: &PagePart, written: &[Option<usize>]| match written[part.of] {
        None => Sums::None,
        Some(by) if by + 1 < number => Sums::Loaded,
        Some(_) => Sums::Prepared,
    };
    let before: &[Option<usize>] = written;
    let joined =
        |a: &PagePart, b: &PagePart| a.of + 1 == b.of && sums(a, before) == sums(b, before);
    let runs = parts.chunk_by(joined).map(|run| (run, sums(&run[0], before))).collect();
    parts.iter().for_each(|part| written[part.of] = Some(number));
    runs
}

/// A block of columns in system memory.
struct ColumnBlock {
    columns: Range<usize>,
    /// Words of results of a slice in each section.
    result_words: usize,
    pages: Vec<StoredPage>,
}

/// Addresses of the first bundles of the kernels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub(super) product: BundleAddress,
    pub(super) prepare: BundleAddress,
    pub(super) back: BundleAddress,
}

/// Renewal of the vector on its way to local memory, and in system memory too: it becomes another vector plus a multiple of
/// itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewal {
    /// Address of a kernel whose arguments are the word addresses of the vector and of the other one, both again, that of the
    /// multiple twice, and the number of groups of [`Self::GROUP`] words.
    pub(crate) entry: BundleAddress,
    /// Address of the other vector.
    pub(crate) other: MemoryAddress,
    /// Address of the word with the multiple.
    pub(crate) multiple: MemoryAddress,
}

impl Renewal {
    /// Words of a group of the kernel.
    const GROUP: usize = 8;
}

/// A matrix in system memory.
pub(super) struct Stored {
    preparation: Preparation,
    layout: LocalLayout,
    slices: usize,
    blocks: Vec<ColumnBlock>,
    /// Lists that put sorted rows back, for pages with an even and an odd number: address, and words of each section.
    lists: Vec<[(MemoryAddress, usize); 2]>,
}

impl Stored {
    /// Creates a matrix without blocks of columns yet. `order` is given if results have to be put back.
    pub(super) fn new(
        host: &mut Host,
        (form, layout): (MatrixFormat, LocalLayout),
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
        pages: Vec<Vec<PagePart>>,
    ) -> Result<(), KernelError> {
        let store = |parts| store(host, partition, part, parts);
        let pages = pages.into_iter().map(store).collect::<Result<_, _>>()?;
        self.slices = partition.slices();
        self.blocks.push(ColumnBlock { columns, result_words: partition.result_words(), pages });
        Ok(())
    }

    /// Returns the bytes of memory that a vector of this number of columns takes.
    pub(super) fn vector_bytes(columns: usize) -> Bytes {
        ELEMENT * columns.next_multiple_of(COLUMNS)
    }

    /// Returns the bytes of the results in memory.
    pub(super) fn result_bytes(&self) -> Bytes {
        let words = self.blocks.first().map_or(0, |block| block.result_words);
        let slices = self.slices * words * SECTIONS;
        Bytes::of_words(slices.next_multiple_of(LEAST_BACK * 4 * SECTIONS))
    }

    /// Whether the vector can be renewed on its way to local memory: all sections have it as it lies in memory.
    pub(super) fn can_renew(&self) -> bool {
        self.preparation != Preparation::Spread && self.renewed_words() > 0
    }

    /// Returns the words that are renewed in a page, beside which the multiple lies.
    fn renewed_words(&self) -> usize {
        let burst = vector_pairs(COLUMNS);
        self.layout.page.saturating_sub(2) / burst * burst
    }

    /// Returns the pages of a product of the vector at `x`, which may be renewed before: results go to `y` in the order of
    /// the slices, and to `to` in that of the matrix if rows were sorted.
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
                // A list loaded early would overwrite results from which the page before still picks.
                page.prepare.append(&mut page.load);
            }
            pages.push(page);
        }
        Ok(pages)
    }

    /// Returns the pages that renew the vector of a block: all sections renew it alike, and the first one stores it to
    /// memory. Pages are numbered from `first` on.
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

    /// Returns the page that spreads the vector of a block, each element to a word of its own.
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
        (page, block): (&StoredPage, &ColumnBlock),
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

    /// Returns the page that puts the results of a window back into the order of the matrix.
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
        // A list names as many places as there are rows, four in each word.
        let all = (words * SECTIONS * 4 / 2).min(WINDOW / 2);
        Ok(Page {
            prepare: vec![get_all(from, all, WordAddress::from_index(results))?],
            load,
            commands: vec![run(entry, [place, rows, words / 2])],
            unload: vec![put_dealt(WordAddress::from_index(rows), 2 * words, to)?],
        })
    }

    /// Returns the bytes of the matrix that a product moves.
    pub(super) fn bytes(&self) -> usize {
        let pages = self.blocks.iter().flat_map(|block| &block.pages);
        pages.map(|page| WORD * (page.common.1 + SECTIONS * page.own.1)).sum()
    }
}

fn run<const N: usize>(entry: BundleAddress, arguments: [usize; N]) -> Command {
    let arguments = arguments.map(|value| value as u16).to_vec();
    Command::Run(Call::new(entry, arguments))
}

fn store(
    host: &mut Host,
    partition: &Partition,
    part: &Csr,
    parts: Vec<PagePart>,
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

/// Writes words of the sections in the order in which the channel deals them, two of each section in turn, and returns their
/// address. Their number is even.
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
