//! A channel with memory and local memory around it, and sequences for random cases.

use cp2_emu::dma::{
    Descriptor, Dma, DmaRegister, DmaTiming, LocalWalk, MemoryWalk, Pattern, Ports,
};
use cp2_emu::memory::{DirectionTiming, MemoryTiming, SystemMemory};
use cp2_emu::state::Quad;
use cp2_isa::{Bank, Bytes, Cycle, MemoryAddress, WordAddress};
use std::sync::LazyLock;

/// Address of the descriptor table.
pub(crate) const TABLE: u32 = 0x20_0000;
/// Bytes that no descriptor table is longer than.
const TABLE_BYTES: usize = 0x4000;
/// Bytes of the memory.
pub(crate) const MEMORY: u64 = 0x30_0000;

/// A channel and what it reaches.
pub(crate) struct Bench {
    pub(crate) dma: Dma,
    pub(crate) memory: SystemMemory,
    pub(crate) lmem: Vec<Quad>,
    pub(crate) ireg: [u64; 16],
}

/// Bytes of a row of the memory.
pub(crate) const ROW: u64 = 2048;

/// Returns a plain channel: one cycle per beat, 10 cycles of latency.
pub(crate) fn channel() -> MemoryTiming {
    let cost = DirectionTiming { latency_clocks: 10, row_opening_clocks: 5 };
    MemoryTiming {
        cpu_mhz: 200,
        memory_mhz: 200,
        bytes_per_clock: 16,
        transaction_bytes: 256,
        outstanding: 4,
        row_bytes: ROW as u32,
        turnaround_clocks: 4,
        get: cost,
        put: cost,
    }
}

/// Returns a channel that can do everything.
pub(crate) fn timing() -> DmaTiming {
    DmaTiming {
        start_cycles: 2,
        set_up_cycles: 3,
        alignment_bytes: 16,
        memory_to_memory: true,
        words: true,
    }
}

/// A memory with different numbers below the table: copies share what they do not write.
static FILLED: LazyLock<SystemMemory> = LazyLock::new(|| {
    let words: Vec<u64> = (0..u64::from(TABLE) / 8).map(|k| k << 32 | (k ^ 0xffff)).collect();
    let mut memory = SystemMemory::new(Bytes(MEMORY));
    memory.write_words(MemoryAddress(0), &words).expect("memory");
    memory
});

impl Bench {
    /// Creates a bench whose descriptor table holds these words.
    pub(crate) fn with_words(tables: &[[u64; 8]]) -> Self {
        let mut memory = SystemMemory::new(Bytes(MEMORY));
        memory.write_words(TABLE.into(), tables.as_flattened()).expect("a table in memory");
        let mut dma = Dma::new(cp2_isa::Core::CP2, timing(), channel());
        dma.write(DmaRegister::Baseaddr, TABLE).expect("a writable register");
        Self { dma, memory, lmem: vec![[0; 4]; 8192], ireg: [0; 16] }
    }

    /// Creates a bench with these descriptors.
    pub(crate) fn new(descriptors: &[Descriptor]) -> Self {
        let words: Vec<_> =
            descriptors.iter().map(|d| d.encode().expect("fields that fit")).collect();
        Self::with_words(&words)
    }

    /// Fills memory below the table and local memory with different numbers. What is behind the table becomes 0.
    pub(crate) fn fill(mut self) -> Self {
        let mut table = [0; TABLE_BYTES];
        self.memory.read(TABLE.into(), &mut table).expect("a table in memory");
        self.memory = FILLED.clone();
        self.memory.write(TABLE.into(), &table).expect("a table in memory");
        for (a, quad) in self.lmem.iter_mut().enumerate() {
            *quad = std::array::from_fn(|s| 0xc000_0000_0000_0000 | (a as u64) << 8 | s as u64);
        }
        self
    }

    /// Starts the channel at descriptor 0.
    pub(crate) fn start(&mut self) {
        self.dma.write(DmaRegister::Ctrl, 1).expect("a writable register");
    }

    /// Goes on to a cycle, while a kernel accesses banks as told.
    pub(crate) fn advance(&mut self, until: u64, mut bank: impl FnMut(u64) -> Option<usize>) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.advance_to(Cycle(until), &mut ports, &mut |cycle: Cycle| {
            bank(cycle.0).map(|bank| Bank(bank as u8)).into_iter().collect()
        });
    }

    /// Goes on to a cycle without a kernel.
    pub(crate) fn advance_alone(&mut self, until: u64) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.advance_alone(Cycle(until), &mut ports, false);
    }

    /// Releases the channel as `start_dma` does.
    pub(crate) fn release(&mut self) {
        let mut ports = Ports { memory: &mut self.memory, lmem: &mut self.lmem, ireg: &self.ireg };
        self.dma.release(&mut ports);
    }

    /// Writes a register as the host does.
    pub(crate) fn write(&mut self, register: DmaRegister, value: u32) {
        self.dma.write(register, value).expect("a writable register");
    }

    /// Starts the channel and lets it work for a long time.
    pub(crate) fn run(&mut self) {
        self.start();
        self.advance(5_000_000, |_| None);
        assert_eq!(self.dma.stats().cycles(), 5_000_000, "a cycle without a cause");
    }
}

/// Moves one beat from `from` to the start of local memory in all sections.
pub(crate) fn beat(from: u32) -> Descriptor {
    let memory = MemoryWalk::rows(from.into(), 1, 0, 1).expect("a row");
    Descriptor::get(memory, LocalWalk::linear(WordAddress(0), 1), [Pattern::ALL; 4])
}

/// Returns the beat of memory that is at the start of local memory; `None` if there is none.
pub(crate) fn arrived(bench: &Bench) -> Option<u64> {
    (bench.lmem[0][0] >> 62 == 0).then(|| (bench.lmem[0][0] >> 32) * 8)
}

/// Returns the numbers of the random cases of a test: as many as usual from 0 on, or for longer runs as many as
/// `CP2_PROGRAMS` says from `CP2_BEGIN` on.
pub(crate) fn case_numbers(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str, usual| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    };
    let begin = number("CP2_BEGIN", 0);
    begin..begin + number("CP2_PROGRAMS", usual)
}
