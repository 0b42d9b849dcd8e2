//! Where bundles and data go: location counters, kernels, chunks of local memory, overlaps.

use crate::asm::line::{Loc, Spot};
use crate::asm::report::Refusal;
use crate::codes::INSTRUCTION_MEMORY_FULL;
use crate::diagnostic::Diagnostic;
use crate::image::{Chunk, Kernel};
use cp2_isa::{BundleAddress, BundleBits, Core, SECTIONS, WordAddress};

/// Data for all sections; sections 0..3 follow it.
pub(crate) const ALL: usize = 0;
const SPACES: usize = SECTIONS + 1;
const FREE: u32 = u32::MAX;

/// The memory in which the next statement is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetMemory {
    /// Instruction memory.
    Code,
    /// Local memory: [`ALL`] or 1 + section.
    Data(usize),
}

#[derive(Debug)]
pub(crate) struct KernelDraft {
    pub(crate) name: String,
    pub(crate) loc: Loc,
    /// Symbol of the kernel, as long as that has no value.
    pub(crate) symbol: Option<usize>,
    pub(crate) start: Option<u32>,
    pub(crate) words: Vec<BundleBits>,
}

#[derive(Debug)]
struct ChunkDraft {
    space: usize,
    start: usize,
    words: Vec<u64>,
}

/// The place of a word of data, to be filled in later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    chunk: usize,
    offset: usize,
}

/// All location counters and what has been placed.
#[derive(Debug)]
pub(crate) struct LocationCounters {
    core: Core,
    pub(crate) place: TargetMemory,
    pc: u32,
    pub(crate) kernels: Vec<KernelDraft>,
    current: Option<usize>,
    iram_full: bool,
    positions: [usize; SPACES],
    chunks: Vec<ChunkDraft>,
    open_chunk: [Option<usize>; SPACES],
    /// For each word, up to the last that is given: the statement that gives it.
    owners: Vec<[u32; SPACES]>,
    statements: Vec<Loc>,
    lmem_full: [bool; SPACES],
}

impl LocationCounters {
    pub(crate) fn new(core: Core) -> Self {
        Self {
            core,
            place: TargetMemory::Code,
            pc: 0,
            kernels: Vec::new(),
            current: None,
            iram_full: false,
            positions: [0; SPACES],
            chunks: Vec::new(),
            open_chunk: [None; SPACES],
            owners: Vec::new(),
            statements: Vec::new(),
            lmem_full: [false; SPACES],
        }
    }

    /// Returns the address of the next statement.
    pub(crate) fn position(&self) -> usize {
        match self.place {
            TargetMemory::Code => self.pc as usize,
            TargetMemory::Data(space) => self.positions[space],
        }
    }

    /// Returns the number of addresses of the memory in which the next statement is placed.
    pub(crate) fn size(&self) -> usize {
        match self.place {
            TargetMemory::Code => self.core.iram_bundles(),
            TargetMemory::Data(_) => self.core.lmem_words(),
        }
    }

    /// Ends the code of one source file; the next begins without a kernel.
    pub(crate) fn end_unit(&mut self) {
        self.place = TargetMemory::Code;
        self.current = None;
    }

    /// Begins a kernel and gives its index.
    pub(crate) fn begin_kernel(&mut self, name: String, loc: Loc) -> usize {
        self.place = TargetMemory::Code;
        self.kernels.push(KernelDraft { name, loc, symbol: None, start: None, words: Vec::new() });
        self.current = Some(self.kernels.len() - 1);
        self.kernels.len() - 1
    }

    /// Goes on with a kernel that has been begun, at the earliest behind its last bundle: another kernel
    /// may have gone back.
    pub(crate) fn resume_kernel(&mut self, index: Option<usize>) {
        self.place = TargetMemory::Code;
        self.current = index;
        if let Some(kernel) = index.map(|k| &self.kernels[k])
            && let Some(start) = kernel.start
        {
            self.pc = self.pc.max(start + kernel.words.len() as u32);
        }
    }

    /// Returns the index of the kernel that bundles go to.
    pub(crate) fn current_kernel(&self) -> Option<usize> {
        self.current
    }

    /// Moves the location counter; the address is within the memory.
    pub(crate) fn set_position(&mut self, address: usize, loc: &Loc) -> Result<(), Refusal> {
        match self.place {
            TargetMemory::Data(space) => self.positions[space] = address,
            TargetMemory::Code => {
                if let Some(kernel) = self.current.map(|k| &self.kernels[k])
                    && let Some(start) = kernel.start
                    && address < start as usize + kernel.words.len()
                {
                    let end = start as usize + kernel.words.len();
                    let message = format!(
                        "`.org {address}` goes back: kernel `{}` has bundles up to {}",
                        kernel.name,
                        end - 1
                    );
                    let help = "a kernel grows upwards; start another one with `.kernel` first";
                    return Err(loc.error("C0417", message).help(help).into());
                }
                self.pc = address as u32;
            }
        }
        Ok(())
    }

    /// Places one bundle of the current kernel and gives its address; a gap before it fills with
    /// `nop`. `None` if the memory is full; the first time that is an error.
    pub(crate) fn place_bundle(&mut self, spot: &Spot) -> Result<Option<BundleAddress>, Refusal> {
        let Some(kernel) = self.current.map(|k| &mut self.kernels[k]) else { return Ok(None) };
        let bundles = self.core.iram_bundles();
        if self.pc as usize >= bundles {
            if std::mem::replace(&mut self.iram_full, true) {
                return Ok(None);
            }
            let message = format!(
                "the program does not fit: instruction memory has {bundles} bundles, and this one \
                 would be at {}",
                self.pc
            );
            return Err(spot.error(INSTRUCTION_MEMORY_FULL, message).into());
        }
        let start = *kernel.start.get_or_insert(self.pc);
        kernel.words.resize((self.pc - start) as usize + 1, 0);
        self.pc += 1;
        Ok(Some(BundleAddress((self.pc - 1) as u16)))
    }

    /// Refuses so many bundles in a row for which there is no room: none of them is placed.
    pub(crate) fn check_room(&mut self, spot: &Spot, count: usize) -> Result<(), Refusal> {
        let bundles = self.core.iram_bundles();
        if self.iram_full || self.pc as usize + count <= bundles {
            return Ok(());
        }
        self.iram_full = true;
        let message = format!(
            "the program does not fit: instruction memory has {bundles} bundles, and this region takes \
             {count} from {} on",
            self.pc
        );
        Err(spot.error(INSTRUCTION_MEMORY_FULL, message).into())
    }

    /// Whether it has been said that instruction memory is full.
    pub(crate) fn is_full(&self) -> bool {
        self.iram_full
    }

    /// Returns the bits of a placed bundle.
    pub(crate) fn word(&self, address: usize) -> Option<BundleBits> {
        self.kernels.iter().find_map(|kernel| {
            let start = kernel.start? as usize;
            kernel.words.get(address.checked_sub(start)?).copied()
        })
    }

    /// Sets the bits of a placed bundle.
    pub(crate) fn set_bundle(&mut self, kernel: usize, address: BundleAddress, word: BundleBits) {
        let kernel = &mut self.kernels[kernel];
        if let Some(start) = kernel.start
            && let Some(slot) = kernel.words.get_mut((u32::from(address.0) - start) as usize)
        {
            *slot = word;
        }
    }

    /// Places `count` words of data, zero for now.
    pub(crate) fn place_words(
        &mut self,
        space: usize,
        count: usize,
        loc: &Loc,
    ) -> Result<Option<Slot>, Refusal> {
        let start = self.positions[space];
        let words = self.core.lmem_words();
        let Some(end) = start.checked_add(count).filter(|end| *end <= words) else {
            if std::mem::replace(&mut self.lmem_full[space], true) {
                return Ok(None);
            }
            let message = format!(
                "the data do not fit: local memory has {words} words, and these would go from \
                 {start} to {}",
                start as u128 + count as u128 - 1
            );
            return Err(loc.error("C0414", message).into());
        };
        self.claim(space, start..end, loc)?;
        self.positions[space] = end;
        let open = self.open_chunk[space];
        let chunk =
            match open.filter(|&c| self.chunks[c].start + self.chunks[c].words.len() == start) {
                Some(chunk) => chunk,
                None => {
                    self.chunks.push(ChunkDraft { space, start, words: Vec::new() });
                    self.open_chunk[space] = Some(self.chunks.len() - 1);
                    self.chunks.len() - 1
                }
            };
        let offset = self.chunks[chunk].words.len();
        self.chunks[chunk].words.resize(offset + count, 0);
        Ok(Some(Slot { chunk, offset }))
    }

    /// Notes whose the words are; data of a section and data of all must not meet.
    fn claim(
        &mut self,
        space: usize,
        words: std::ops::Range<usize>,
        loc: &Loc,
    ) -> Result<(), Refusal> {
        if self.owners.len() < words.end {
            self.owners.resize(words.end, [FREE; SPACES]);
        }
        let meets = |other: usize| space == ALL || other == ALL || other == space;
        for address in words.clone() {
            let owner = (0..SPACES).filter(|&s| meets(s)).map(|s| self.owners[address][s]);
            if let Some(owner) = owner.into_iter().find(|&o| o != FREE) {
                let earlier = &self.statements[owner as usize];
                let message = format!("word {address} of local memory is given a value twice");
                let help =
                    "`.org` moves the next data; data of `all` and of a section must not overlap";
                return Err(loc
                    .error("C0416", message)
                    .related(earlier.span.clone(), "the other data are here")
                    .help(help)
                    .into());
            }
        }
        self.statements.push(loc.clone());
        for address in words {
            self.owners[address][space] = (self.statements.len() - 1) as u32;
        }
        Ok(())
    }

    /// Sets a placed word.
    pub(crate) fn set_word(&mut self, slot: Slot, index: usize, word: u64) {
        if let Some(place) = self.chunks[slot.chunk].words.get_mut(slot.offset + index) {
            *place = word;
        }
    }

    /// Returns the errors about kernels without bundles, and about kernels that overlap.
    pub(crate) fn check_kernels(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut placed: Vec<(u32, u32, &KernelDraft)> = Vec::new();
        for kernel in &self.kernels {
            match kernel.start {
                Some(start) => placed.push((start, start + kernel.words.len() as u32, kernel)),
                None => found.push(
                    kernel
                        .loc
                        .error("C0411", format!("kernel `{}` has no bundles", kernel.name))
                        .help("a kernel needs at least one bundle; the last one usually stops"),
                ),
            }
        }
        placed.sort_by_key(|k| (k.0, k.1));
        for pair in placed.windows(2) {
            let ((_, end, first), (start, _, second)) = (&pair[0], &pair[1]);
            if start < end {
                let message = format!(
                    "kernels `{}` and `{}` overlap at bundle {start}",
                    first.name, second.name
                );
                found.push(
                    second
                        .loc
                        .error("C0415", message)
                        .related(
                            first.loc.span.clone(),
                            format!("`{}` ends at bundle {}", first.name, end - 1),
                        )
                        .help("place them apart with `.org`, or leave `.org` out"),
                );
            }
        }
        found
    }

    /// Returns the kernels and the data that have been placed, in the order of the addresses.
    pub(crate) fn contents(&self) -> (Vec<Kernel>, Vec<Chunk>) {
        let kernel = |k: &KernelDraft| {
            let start = BundleAddress(k.start? as u16);
            Some(Kernel { name: k.name.clone(), start, words: k.words.clone() })
        };
        let mut kernels: Vec<Kernel> = self.kernels.iter().filter_map(kernel).collect();
        kernels.sort_by_key(|k| k.start);
        let chunk = |c: &ChunkDraft| Chunk {
            section: c.space.checked_sub(1).map(|s| s as u8),
            start: WordAddress(c.start as u16),
            words: c.words.clone(),
        };
        (kernels, crate::image::merged(self.chunks.iter().map(chunk).collect()))
    }
}
