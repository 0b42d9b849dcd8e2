//! Data passes of a procedure, each once over its arrays in system memory, with what each loads, computes and stores.
//! The estimation method of `cp2-lab` reads them. The page scheme of the host makes them from its pages, so that no
//! procedure has to describe itself.

use super::timeline::KernelCounts;
use cp2_emu::dma::{Descriptor, DescriptorAction};
use cp2_isa::Cycle;
use serde::{Deserialize, Serialize};

/// Bytes of a beat.
const BEAT_BYTES: u64 = 16;

/// Bytes that the DMA descriptors of some pages move, by the time of the transfer and by its direction. A page is the
/// part of the arrays that lies in one part of local memory at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassBytes {
    /// Bytes loaded from system memory while CP2 stands still and waits for them.
    pub prepare_bytes: u64,
    /// Bytes loaded from system memory while kernels run.
    pub load_bytes: u64,
    /// Bytes stored to system memory, at whatever time.
    pub store_bytes: u64,
}

impl PassBytes {
    /// Returns the sum of the three counts of bytes.
    pub fn bytes(&self) -> u64 {
        self.prepare_bytes + self.load_bytes + self.store_bytes
    }

    /// Adds the bytes that a page moves. `prepare` are its transfers while CP2 stands still, `load` those that bring
    /// its contents while kernels run, `unload` those that store its results. A copy within system memory counts as
    /// loaded and as stored.
    pub fn add(&mut self, [prepare, load, unload]: PageDescriptors<'_>) {
        let bytes = |transfers: &[Descriptor]| {
            transfers.iter().map(moved_bytes).fold([0; 2], |[from, to], [f, t]| [from + f, to + t])
        };
        let [[prepared, a], [loaded, b], [copied, c]] = [prepare, load, unload].map(bytes);
        self.prepare_bytes += prepared;
        self.load_bytes += loaded + copied;
        self.store_bytes += a + b + c;
    }
}

/// Returns the number of bytes that a descriptor moves from system memory and to it: a copy within memory does both.
fn moved_bytes(descriptor: &Descriptor) -> [u64; 2] {
    let beats = match &descriptor.action {
        DescriptorAction::GetWords(get) => return [4 * get.memory.words(), 0],
        DescriptorAction::PutWords(put) => return [0, 4 * put.memory.words()],
        DescriptorAction::Gather(gather) => return [8 * gather.list.words(), 0],
        DescriptorAction::Get(get) => [get.memory.beats(), 0],
        DescriptorAction::Put(put) => [0, put.memory.beats()],
        DescriptorAction::Copy(copy) => [copy.from.beats(), copy.to.beats()],
        DescriptorAction::Jump(_) => [0, 0],
    };
    beats.map(|beats| BEAT_BYTES * beats)
}

/// DMA descriptors of one page, the part of the arrays that lies in one part of local memory at once, in three lists:
/// transfers for which CP2 stands still, transfers that load the page while kernels run, and transfers that store its
/// results.
pub type PageDescriptors<'a> = [&'a [Descriptor]; 3];

/// A data pass: once over the arrays of a procedure in system memory, page after page (a page is the part of the arrays
/// that lies in one part of local memory at once) without a stop. It is the main loop of a procedure, or one of
/// several, and may have been gone through several times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataPass {
    /// Names of the kernels that the pages of the pass call, each once, in the order of their first call.
    pub kernels: Vec<String>,
    /// Number of times that the pass was gone through. All other counts are of all these times together.
    pub times: u64,
    /// Number of pages that were gone through, all times together.
    pub pages: u64,
    /// Bytes that the pages move, all times together.
    pub moved: PassBytes,
    /// Counts of the runs of kernels in the pass, all times together: runs, cycles, floating-point operations,
    /// executions of `check_dma`.
    pub counts: KernelCounts,
    /// Number of cycles from the start of the pass's first transfer to the end of its last one, added up over all
    /// times.
    pub cycles: u64,
}

impl DataPass {
    /// Creates a pass that is gone through once, from the descriptors of each of its pages: with the number of the
    /// pages and the bytes that they move. Kernels, counts and cycles are empty until the pages have run.
    pub fn of<'a>(pages: impl Iterator<Item = PageDescriptors<'a>>) -> Self {
        let (mut moved, mut count) = (PassBytes::default(), 0);
        for page in pages {
            moved.add(page);
            count += 1;
        }
        let (kernels, counts) = (Vec::new(), KernelCounts::default());
        Self { kernels, times: 1, pages: count, moved, counts, cycles: 0 }
    }

    /// Returns the names of the pass's kernels with ` + ` between, or `copies` if the pass calls no kernel.
    pub fn name(&self) -> String {
        if self.kernels.is_empty() { "copies".to_owned() } else { self.kernels.join(" + ") }
    }

    fn is_like(&self, other: &Self) -> bool {
        let each = |pass: &Self, n: u64| n / pass.times.max(1);
        let of = |pass: &Self| (each(pass, pass.pages), each(pass, pass.moved.bytes()));
        self.kernels == other.kernels && of(self) == of(other)
    }

    /// Adds the pass to a list of passes. If the list has a pass with the same kernels, pages and bytes each time, the
    /// counts are added to that pass; otherwise the pass is appended.
    pub fn add_to(self, passes: &mut Vec<Self>) {
        let Some(known) = passes.iter_mut().find(|known| known.is_like(&self)) else {
            return passes.push(self);
        };
        known.times += self.times;
        known.pages += self.pages;
        known.moved.prepare_bytes += self.moved.prepare_bytes;
        known.moved.load_bytes += self.moved.load_bytes;
        known.moved.store_bytes += self.moved.store_bytes;
        known.counts.add_all(&self.counts);
        known.cycles += self.cycles;
    }
}

/// The record of the data passes of a run, which the host of a procedure keeps while it runs: passes that are over, and
/// passes that are under way. Passes that begin together may overlap: the host cuts the time into parts, each from one
/// point of its program to the next, and each part counts for one pass.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Passes that are over, in the order of their first end. Passes that are alike are one element
    /// ([`DataPass::add_to`]).
    pub passes: Vec<DataPass>,
    open: Vec<DataPass>,
    /// The cycle in which the part at hand began, and the counts of kernels then.
    begun: (Cycle, KernelCounts),
}

impl Ledger {
    /// Begins data passes, of which the numbers of pages and bytes are known ([`DataPass::of`]). Their kernels, counts
    /// and cycles are added by [`Ledger::end_part`]. Passes that were begun before and not ended are dropped.
    pub fn begin(&mut self, passes: &[DataPass]) {
        self.open = passes.to_vec();
    }

    /// Begins a part of a pass. `now` is the present cycle, counted from reset, and the counts of all runs of kernels
    /// in this run of the procedure so far.
    pub fn begin_part(&mut self, now: (Cycle, KernelCounts)) {
        self.begun = now;
    }

    /// Ends the part that was begun last, and adds it to a pass: the cycles since its begin, and what the counts of
    /// kernels have grown by. `pass` is the index of the pass among those given to [`Ledger::begin`], from 0; an index
    /// that none has changes nothing. The pair is the present cycle and the counts of all kernels so far, and `names`
    /// are the kernels that were called in the part.
    pub fn end_part(
        &mut self,
        pass: usize,
        (cycle, kernels): (Cycle, KernelCounts),
        names: &[String],
    ) {
        let (since, before) = self.begun;
        let Some(pass) = self.open.get_mut(pass) else { return };
        for name in names {
            if !pass.kernels.contains(name) {
                pass.kernels.push(name.clone());
            }
        }
        pass.counts.add_all(&kernels.since(&before));
        pass.cycles += cycle - since;
    }

    /// Whether the part that was begun last began no later than this cycle and with no higher counts of kernels than
    /// these. If not, the ledger cannot come from a run that is at this point; a checkpoint is checked so.
    pub fn is_before(&self, (cycle, kernels): (Cycle, &KernelCounts)) -> bool {
        let (begun, before) = &self.begun;
        *begun <= cycle && before.are_before(kernels)
    }

    /// Ends all passes that were begun, and adds them to the passes that are over.
    pub fn end(&mut self) {
        std::mem::take(&mut self.open).into_iter().for_each(|pass| pass.add_to(&mut self.passes));
    }
}
