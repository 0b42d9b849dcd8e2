//! The keys of a machine file: one table, from which parsing, checks, `--set` and dumps derive.

use crate::table::Extensions;
use crate::timing::MAX_LATENCY;

/// The values that a key of a machine file takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Whole numbers from the first number to the second.
    Range(u32, u32),
    /// Powers of two from the first to the second.
    Power(u32, u32),
    /// Multiples of the first up to the second.
    Multiple(u32, u32),
    /// `true` or `false`.
    Flag,
}

/// A key of a machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Section of the machine file that the key stands in, such as `core`.
    pub section: &'static str,
    /// Name of the key in the section; the end of the name is the unit.
    pub name: &'static str,
    /// Values that the key takes.
    pub kind: KeyKind,
    /// Description of what the key sets, in one line, for lists of the keys of a machine file.
    pub description: &'static str,
}

macro_rules! keys {
    ($($id:ident $section:ident . $name:ident $kind:expr, $description:literal;)*) => {
        /// A number of a machine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Key {
            $(#[doc = $description] $id,)*
        }

        impl Key {
            /// All keys, in the order of the file.
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the section and the name of the key in a machine file, and the values that it takes.
            pub fn info(self) -> KeyInfo {
                match self {
                    $(Self::$id => KeyInfo {
                        section: stringify!($section),
                        name: stringify!($name),
                        kind: $kind,
                        description: $description,
                    },)*
                }
            }
        }
    };
}

keys! {
    Fprs core.fprs KeyKind::Range(8, 256), "floating-point registers of a section; CP2 has 64, more is an extension";
    LocalMemory core.local_memory_words KeyKind::Power(1024, 32768), "64-bit words of local memory in a section; CP2 has 8192, more is an extension";
    Banks core.banks KeyKind::Power(1, 8), "banks of local memory, each a contiguous share";
    InstructionMemory core.instruction_memory_bundles KeyKind::Range(64, 8192), "bundles of instruction memory; 8192 is what the encoding reaches";
    LoopStack core.loop_stack KeyKind::Range(1, 15), "hardware loops that can be active at once";
    CallStack core.call_stack KeyKind::Range(1, 15), "calls that can be active at once";
    FifoEntries core.fifo_entries KeyKind::Range(1, 64), "entries of the host FIFO";
    ArithmeticLatency core.arithmetic_latency KeyKind::Range(2, MAX_LATENCY), "bundles from an arithmetic operation to the first that sees its result";
    LoadLatency core.load_latency KeyKind::Range(2, MAX_LATENCY), "bundles from a load to the first arithmetic operation or store that sees it";
    PsprmsgnLatency core.psprmsgn_latency KeyKind::Range(1, MAX_LATENCY), "bundles from psprmsgn to the first operation that sees its result";
    MtfprLatency core.mtfpr_latency KeyKind::Range(1, MAX_LATENCY), "bundles from mtfpr to the first operation that sees its result";
    WordAccess extensions.word_access KeyKind::Flag, "32-bit loads and stores";
    SectionAddressing extensions.section_addressing KeyKind::Flag, "address registers of each section";
    ConditionalMemory extensions.conditional_memory KeyKind::Flag, "loads and stores that obey the predicate";
    SectionCounters extensions.section_counters KeyKind::Flag, "hardware loops with a count for each section";
    SharedMemory extensions.shared_memory KeyKind::Flag, "a memory of 8 KiB common to the sections";
    FftDirection extensions.fft_direction KeyKind::Flag, "CONTROL.I, the direction of an FFT, is written by kernels too";
    DmaWords extensions.dma_words KeyKind::Flag, "DMA transfers aligned to 4 bytes, and gathers of words";
    CpuClock cpu.clock_mhz KeyKind::Range(1, 10_000), "clock of CP2 and of the control processor";
    MemorySize memory.size_mib KeyKind::Range(1, 4096), "system memory that DMA reaches";
    MemoryClock memory.clock_mhz KeyKind::Range(1, 10_000), "clock that the memory is named by";
    BusWidth memory.bytes_per_clock KeyKind::Power(1, 256), "bytes that the memory moves per memory clock at its peak";
    Outstanding memory.outstanding KeyKind::Range(1, 64), "transactions that may be under way at once";
    TransactionSize memory.transaction_bytes KeyKind::Multiple(16, 4096), "longest transaction";
    PageSize memory.page_bytes KeyKind::Multiple(16, 1 << 20), "row of the memory";
    Turn memory.turn_clocks KeyKind::Range(0, 1000), "rest of the bus when the direction changes";
    GetLatency memory.get_latency_clocks KeyKind::Range(0, 1000), "from the request of a read to its first data, row open";
    GetRowOpening memory.get_row_opening_clocks KeyKind::Range(0, 1000), "more, if a read opens a row";
    PutLatency memory.put_latency_clocks KeyKind::Range(0, 1000), "from the request of a write to its first data, row open";
    PutRowOpening memory.put_row_opening_clocks KeyKind::Range(0, 1000), "more, if a write opens a row";
    DmaStart dma.start_cycles KeyKind::Range(0, 100_000), "from the start of the channel to the request of its first descriptor";
    DmaSetUp dma.set_up_cycles KeyKind::Range(0, 100_000), "from the last word of a descriptor to its first request, or to its jump";
    Alignment dma.alignment_bytes KeyKind::Power(4, 16), "of which addresses and strides in memory are multiples";
    MemoryToMemory dma.memory_to_memory KeyKind::Flag, "whether there are transfers from memory to memory";
    HostRegister host.register_cycles KeyKind::Range(1, 100_000), "that an access of the host to a DMA register takes";
    HostStatus host.status_cycles KeyKind::Range(0, 100_000), "that a read of CP2's STATUS by the host takes";
    HostBundle host.bundle_cycles KeyKind::Range(0, 100_000), "that the host takes to send a bundle to CP2";
    HostCall host.call_cycles KeyKind::Range(0, 100_000), "of the host's program around a call of a kernel";
    HostPage host.page_cycles KeyKind::Range(0, 100_000), "of the host's program between two pages";
    IssueWidth control.issue_width KeyKind::Range(1, 4), "instructions that the control processor may issue in a cycle";
    BranchCycles control.branch_cycles KeyKind::Range(0, 100), "more, for a branch that is taken, and for exceptions";
    LoadCycles control.load_cycles KeyKind::Range(1, 100), "from a load that the first cache has to the instruction that wants its value";
    MultiplyCycles control.multiply_cycles KeyKind::Range(1, 1000), "the same for a product of integers";
    DivideCycles control.divide_cycles KeyKind::Range(1, 1000), "for a quotient of integers, one at a time";
    FloatCycles control.float_cycles KeyKind::Range(1, 1000), "from a sum or product of the FPU to the instruction that wants it";
    FloatRepeat control.float_repeat_cycles KeyKind::Range(1, 1000), "from one of these to the next";
    FloatDivide control.float_divide_cycles KeyKind::Range(1, 1000), "for a quotient or root of the FPU, one at a time";
    InstructionCache control.instruction_cache_kib KeyKind::Power(1, 1024), "first cache of instructions";
    InstructionWays control.instruction_cache_ways KeyKind::Power(1, 16), "its ways";
    DataCache control.data_cache_kib KeyKind::Power(1, 1024), "first cache of data";
    DataWays control.data_cache_ways KeyKind::Power(1, 16), "its ways";
    SecondCache control.second_cache_kib KeyKind::Range(0, 65536), "second cache, of both; 0 if there is none";
    SecondWays control.second_cache_ways KeyKind::Power(1, 16), "its ways";
    LineSize control.line_bytes KeyKind::Power(16, 256), "line of all caches";
    SecondCycles control.second_cache_cycles KeyKind::Range(0, 1000), "from a miss of the first cache to the data of the second";
    LineLatency control.line_latency_clocks KeyKind::Range(0, 1000), "from a miss of the last cache to the data of memory";
    LineClocks control.line_clocks KeyKind::Range(0, 1000), "for which a line takes the path to memory";
    Streams control.streams KeyKind::Range(0, 16), "runs of lines that are fetched ahead, one line each";
}

impl KeyKind {
    /// Whether a key of this kind takes the value; flags are 0 and 1.
    pub fn takes(self, value: u32) -> bool {
        match self {
            Self::Range(low, high) => (low..=high).contains(&value),
            Self::Power(low, high) => (low..=high).contains(&value) && value.is_power_of_two(),
            Self::Multiple(of, high) => (of..=high).contains(&value) && value.is_multiple_of(of),
            Self::Flag => value <= 1,
        }
    }
}

impl std::fmt::Display for KeyKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Range(low, high) => write!(f, "a whole number from {low} to {high}"),
            Self::Power(low, high) => write!(f, "a power of two from {low} to {high}"),
            Self::Multiple(of, high) => write!(f, "a multiple of {of} from {of} to {high}"),
            Self::Flag => f.write_str("true or false"),
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let info = self.info();
        write!(f, "{}.{}", info.section, info.name)
    }
}

impl Key {
    /// Returns the key that a file calls `section.name`.
    pub fn named(section: &str, name: &str) -> Option<Self> {
        let is = |k: &Self| (k.info().section, k.info().name) == (section, name);
        Self::ALL.into_iter().find(is)
    }

    /// Whether the key is a number of the control processor, on which nothing depends but the processor's own time. A file
    /// may leave such numbers out: they are those of VM7 then.
    pub fn is_of_control(self) -> bool {
        self.info().section == "control"
    }

    /// Whether a file may leave the key out: the extension is off then.
    pub fn is_optional(self) -> bool {
        self.info().section == "extensions"
    }

    /// Whether the key is a number of the core; the others are of the machine around the core.
    pub fn is_of_core(self) -> bool {
        self.info().section == "core" || self.extension().is_some()
    }

    /// Returns the extension of the core that the key switches on; `None` if it switches on none.
    pub const fn extension(self) -> Option<Extensions> {
        Some(match self {
            Self::WordAccess => Extensions::WORD_ACCESS,
            Self::SectionAddressing => Extensions::SECTION_ADDRESSING,
            Self::ConditionalMemory => Extensions::CONDITIONAL_MEMORY,
            Self::SectionCounters => Extensions::SECTION_COUNTERS,
            Self::SharedMemory => Extensions::SHARED_MEMORY,
            Self::FftDirection => Extensions::FFT_DIRECTION,
            _ => return None,
        })
    }

    /// Returns the sections of the file, in order.
    pub fn sections() -> Vec<&'static str> {
        let mut sections: Vec<_> = Self::ALL.iter().map(|k| k.info().section).collect();
        sections.dedup();
        sections
    }

    /// Returns the names of the keys of a section.
    pub fn names(section: &str) -> Vec<&'static str> {
        let of_section = Self::ALL.iter().map(|k| k.info()).filter(|i| i.section == section);
        of_section.map(|i| i.name).collect()
    }
}
