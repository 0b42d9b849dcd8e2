//! Passes of a procedure, with what each loads, computes and stores: how procedures describe themselves to the estimation
//! method. The page scheme fills it from the pages that it is given, so that a procedure says nothing twice.

use super::timeline::KernelCounts;
use cp2_emu::dma::{Descriptor, DescriptorAction};
use cp2_isa::Cycle;
use serde::{Deserialize, Serialize};

/// Bytes of a beat.
const BEAT_BYTES: u64 = 16;

/// Bytes that descriptors of the channel move, by when and in which direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassBytes {
    /// Bytes loaded from system memory while CP2 stands still and waits for them.
    pub prepare_bytes: u64,
    /// Bytes loaded from system memory beside the kernels.
    pub load_bytes: u64,
    /// Bytes stored to system memory.
    pub store_bytes: u64,
}

impl PassBytes {
    /// Returns the number of all bytes.
    pub fn bytes(&self) -> u64 {
        self.prepare_bytes + self.load_bytes + self.store_bytes
    }

    /// Adds what a page moves: its transfers before, from and to memory.
    pub fn add(&mut self, [prepare, load, unload]: OfPage<'_>) {
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

/// Transfers of a page: for which CP2 stands still, from memory and to memory.
pub type OfPage<'a> = [&'a [Descriptor]; 3];

/// Pages that follow each other without a stop: the main loop of a procedure, or one of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataPass {
    /// Kernels that the pages of the pass call, in the order of their first call.
    pub kernels: Vec<String>,
    /// Number of times that the pass was gone through; all counts are of all times together.
    pub times: u64,
    /// Number of pages that were gone through, all times together.
    pub pages: u64,
    /// Bytes that the pages move, all times together.
    pub moved: PassBytes,
    /// Counts of the kernels, taken when the kernels ran.
    pub counts: KernelCounts,
    /// Cycles from the start of the first transfer to the end of the last.
    pub cycles: u64,
}

impl DataPass {
    /// Returns a pass with what its pages load and store, before a kernel has run.
    pub fn of<'a>(pages: impl Iterator<Item = OfPage<'a>>) -> Self {
        let (mut moved, mut count) = (PassBytes::default(), 0);
        for page in pages {
            moved.add(page);
            count += 1;
        }
        let (kernels, counts) = (Vec::new(), KernelCounts::default());
        Self { kernels, times: 1, pages: count, moved, counts, cycles: 0 }
    }

    /// Returns the names of the kernels in a line; `copies` if there are none.
    pub fn name(&self) -> String {
        if self.kernels.is_empty() { "copies".to_owned() } else { self.kernels.join(" + ") }
    }

    fn is_like(&self, other: &Self) -> bool {
        let each = |pass: &Self, n: u64| n / pass.times.max(1);
        let of = |pass: &Self| (each(pass, pass.pages), each(pass, pass.moved.bytes()));
        self.kernels == other.kernels && of(self) == of(other)
    }

    /// Adds the pass to those before: to the one that is like it, if there is one.
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

/// The passes of a run: those that are over, and those that are under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Passes that are over; passes that are alike stand together.
    pub passes: Vec<DataPass>,
    open: Vec<DataPass>,
    /// The cycle in which the part at hand began, and the counts of kernels then.
    begun: (Cycle, KernelCounts),
}

impl Ledger {
    /// Begins passes, which say what their pages load and store; what they cost is told part by part.
    pub fn begin(&mut self, passes: &[DataPass]) {
        self.open = passes.to_vec();
    }

    /// Begins a part of a pass in this cycle, in which the kernels have had these counts.
    pub fn begin_part(&mut self, now: (Cycle, KernelCounts)) {
        self.begun = now;
    }

    /// Ends a part of a pass, by number, which has called kernels of these names.
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

    /// Whether the ledger can be that of a moment, for which there are these counts of kernels.
    pub fn is_before(&self, (cycle, kernels): (Cycle, &KernelCounts)) -> bool {
        let (begun, before) = &self.begun;
        *begun <= cycle && before.are_before(kernels)
    }

    /// Ends the passes that were begun, and puts them to those that are over.
    pub fn end(&mut self) {
        std::mem::take(&mut self.open).into_iter().for_each(|pass| pass.add_to(&mut self.passes));
    }
}
