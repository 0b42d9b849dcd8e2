//! A channel with memory and local memory around it.

use cp2_emu::dma::{Descriptor, Dma, DmaTiming, Ports, Register};
use cp2_emu::memory::{ChannelTiming, DirectionTiming, SystemMemory};
use cp2_emu::state::Quad;

/// Address of the descriptor table.
pub(crate) const TABLE: u32 = 0x20_0000;
/// Bytes of the memory.
pub(crate) const MEMORY: u64 = 0x30_0000;

/// A channel and what it reaches.
pub(crate) struct Bench {
    pub(crate) dma: Dma,
    pub(crate) memory: SystemMemory,
    pub(crate) lmem: Vec<Quad>,
    pub(crate) ireg: [u64; 16],
}

/// A plain channel: one cycle per beat, 10 cycles of latency.
pub(crate) fn channel() -> ChannelTiming {
    let cost = DirectionTiming { latency_clocks: 10, row_opening_clocks: 5 };
    ChannelTiming {
        cpu_mhz: 200,
        memory_mhz: 200,
        bytes_per_clock: 16,
        transaction_bytes: 256,
        outstanding: 4,
        page_bytes: 2048,
        turn_clocks: 4,
        get: cost,
        put: cost,
    }
}

/// A channel that can do everything.
pub(crate) fn timing() -> DmaTiming {
    DmaTiming { start_cycles: 2, set_up_cycles: 3, alignment_bytes: 16, memory_to_memory: true }
}

impl Bench {
    /// A bench whose descriptor table holds these words.
    pub(crate) fn with_words(tables: &[[u64; 8]]) -> Self {
        let mut memory = SystemMemory::new(MEMORY);
        memory.write_words(TABLE.into(), tables.as_flattened()).expect("a table in memory");
        let mut dma = Dma::new(timing(), channel());
        dma.write(Register::Baseaddr, TABLE).expect("a writable register");
        Self { dma, memory, lmem: vec![[0; 4]; 8192], ireg: [0; 16] }
    }

    /// A bench with these descriptors.
    pub(crate) fn new(descriptors: &[Descriptor]) -> Self {
        let words: Vec<_> =
            descriptors.iter().map(|d| d.encode().expect("fields that fit")).collect();
        Self::with_words(&words)
    }

    /// Fills memory below the table and local memory with different numbers.
    pub(crate) fn fill(mut self) -> Self {
        let words: Vec<u64> = (0..u64::from(TABLE) / 8).map(|k| k << 32 | (k ^ 0xffff)).collect();
        self.memory.write_words(0, &words).expect("memory");
        for (a, quad) in self.lmem.iter_mut().enumerate() {
            *quad = std::array::from_fn(|s| 0xc000_0000_0000_0000 | (a as u64) << 8 | s as u64);
        }
        self
    }

    /// Starts the channel at descriptor 0.
    pub(crate) fn start(&mut self) {
        self.dma.write(Register::Ctrl, 1).expect("a writable register");
    }

    /// Goes on to a cycle, while a kernel accesses banks as told.
    pub(crate) fn advance(&mut self, until: u64, mut bank: impl FnMut(u64) -> Option<usize>) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.advance_to(until, &mut ports, &mut bank);
    }

    /// Goes on to a cycle without a kernel.
    pub(crate) fn advance_alone(&mut self, until: u64) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.advance_alone(until, &mut ports, false);
    }

    /// `start_dma`.
    pub(crate) fn release(&mut self) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.release(&mut ports);
    }

    /// Starts the channel and lets it work for a long time.
    pub(crate) fn run(&mut self) {
        self.start();
        self.advance(5_000_000, |_| None);
        assert_eq!(self.dma.stats().cycles(), 5_000_000, "a cycle without a cause");
    }
}
