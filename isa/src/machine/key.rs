//! The keys of a machine file: one table, from which parsing, checks, `--set` and dumps derive.

use crate::table::Extensions;
use crate::timing::MAX_LATENCY;

/// The values that a key of a machine file takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Whole numbers from the first member to the second, both included.
    Range(u32, u32),
    /// Powers of two from the first member to the second, both included.
    Power(u32, u32),
    /// Multiples of the first member, from the first member itself to the second, both included.
    Multiple(u32, u32),
    /// `true` or `false`, kept as 1 or 0.
    Flag,
}

/// Row of the table of keys of a machine file: where a key stands, which values it takes, what it means.
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

/// Chooses the explanation of a key in the documentation of this crate: its own if the table has one, otherwise the
/// description that lists of keys show.
macro_rules! explanation {
    ($text:literal $(, $description:literal)?) => {
        $text
    };
}

macro_rules! keys {
    ($($id:ident $section:ident . $name:ident $kind:expr, $description:literal $(, $text:literal)?;)*) => {
        /// Key of a machine file: the name of one number of a machine, written `section.name`. The end of the name is
        /// the unit: `_cycles` are cycles of CP2, `_clocks` clocks of the memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Key {
            $(
                #[doc = concat!(
                    "Key `", stringify!($section), ".", stringify!($name), "` of a machine file: ",
                    explanation!($($text,)? $description), "."
                )]
                $id,
            )*
        }

        impl Key {
            /// All keys, in the order of machine files.
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the section and the name of the key in a machine file, the values that it takes, and its
            /// description.
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
    Fprs core.fprs KeyKind::Range(8, 256), "floating-point registers of a section; CP2 has 64, more is an extension",
        "number of floating-point registers of a section; CP2 has 64, more is an extension";
    LocalMemory core.local_memory_words KeyKind::Power(1024, 32768), "64-bit words of local memory in a section; CP2 has 8192, more is an extension",
        "number of 64-bit words of local memory in a section; CP2 has 8192, more is an extension";
    Banks core.banks KeyKind::Power(1, 8), "banks of local memory, each a contiguous share",
        "number of banks of local memory, each an equal contiguous share of it";
    InstructionMemory core.instruction_memory_bundles KeyKind::Range(64, 8192), "bundles of instruction memory; 8192 is what the encoding reaches",
        "number of bundles that instruction memory holds; 8192 is what the encoding reaches";
    LoopStack core.loop_stack KeyKind::Range(1, 15), "hardware loops that can be active at once",
        "number of hardware loops that can be active at once";
    CallStack core.call_stack KeyKind::Range(1, 15), "calls that can be active at once",
        "number of calls that can be active at once";
    FifoEntries core.fifo_entries KeyKind::Range(1, 64), "entries of the host FIFO",
        "number of entries of the host FIFO, the queue of bundles from the host to CP2";
    ArithmeticLatency core.arithmetic_latency KeyKind::Range(2, MAX_LATENCY), "bundles from an arithmetic operation to the first that sees its result",
        "number of bundles from an arithmetic operation to the first that sees its result";
    LoadLatency core.load_latency KeyKind::Range(2, MAX_LATENCY), "bundles from a load to the first arithmetic operation or store that sees it",
        "number of bundles from a load to the first arithmetic operation or store that sees its result";
    PsprmsgnLatency core.psprmsgn_latency KeyKind::Range(1, MAX_LATENCY), "bundles from psprmsgn to the first operation that sees its result",
        "number of bundles from the permutation `psprmsgn` to the first operation that sees its result";
    MtfprLatency core.mtfpr_latency KeyKind::Range(1, MAX_LATENCY), "bundles from mtfpr to the first operation that sees its result",
        "number of bundles from `mtfpr`, a move to an FPR, to the first operation that sees its result";
    WordAccess extensions.word_access KeyKind::Flag, "32-bit loads and stores",
        "flag that switches on the extension with 32-bit loads and stores";
    SectionAddressing extensions.section_addressing KeyKind::Flag, "address registers of each section",
        "flag that switches on the extension with addresses of local memory for each section";
    ConditionalMemory extensions.conditional_memory KeyKind::Flag, "loads and stores that obey the predicate",
        "flag that switches on the extension with loads and stores that obey the predicate";
    SectionCounters extensions.section_counters KeyKind::Flag, "hardware loops with a count for each section",
        "flag that switches on the extension with hardware loops that have a count for each section";
    SharedMemory extensions.shared_memory KeyKind::Flag, "a memory of 8 KiB common to the sections",
        "flag that switches on the extension with a memory of 8 KiB that the sections have in common";
    FftDirection extensions.fft_direction KeyKind::Flag, "CONTROL.I, the direction of an FFT, is written by kernels too",
        "flag that switches on the extension in which kernels too can write CONTROL.I, the direction of an FFT";
    DmaWords extensions.dma_words KeyKind::Flag, "DMA transfers aligned to 4 bytes, and gathers of words",
        "flag that switches on the extension with DMA transfers aligned to 4 bytes, and gathers of 32-bit words";
    CpuClock cpu.clock_mhz KeyKind::Range(1, 10_000), "clock of CP2 and of the control processor",
        "clock of CP2 and of the control processor, in MHz";
    MemorySize memory.size_mib KeyKind::Range(1, 4096), "system memory that DMA reaches",
        "size of system memory, which DMA reaches, in MiB; it begins at address 0";
    MemoryClock memory.clock_mhz KeyKind::Range(1, 10_000), "clock that the memory is named by",
        "clock by which the memory is named, in MHz, such as 667 for DDR3-667";
    BusWidth memory.bytes_per_clock KeyKind::Power(1, 256), "bytes that the memory moves per memory clock at its peak",
        "number of bytes that the memory moves in a memory clock at its peak";
    Outstanding memory.outstanding KeyKind::Range(1, 64), "transactions that may be under way at once",
        "number of transactions of the DMA channel with system memory that may be under way at once";
    TransactionSize memory.transaction_bytes KeyKind::Multiple(16, 4096), "longest transaction",
        "length of the longest transaction, the most that memory serves as one, in bytes; at most a row";
    RowSize memory.page_bytes KeyKind::Multiple(16, 1 << 20), "row of the memory",
        "size of a row of the memory, which is what is open at once (DRAM page), in bytes";
    Turnaround memory.turn_clocks KeyKind::Range(0, 1000), "rest of the bus when the direction changes",
        "rest of the memory bus when the direction changes between reading and writing, in clocks of the memory";
    GetLatency memory.get_latency_clocks KeyKind::Range(0, 1000), "from the request of a read to its first data, row open",
        "time from the request of a read to its first data when the row is open, in clocks of the memory";
    GetRowOpening memory.get_row_opening_clocks KeyKind::Range(0, 1000), "more, if a read opens a row",
        "time that a read takes in addition if it has to open a row of the memory, in clocks of the memory";
    PutLatency memory.put_latency_clocks KeyKind::Range(0, 1000), "from the request of a write to its first data, row open",
        "time from the request of a write to its first data when the row is open, in clocks of the memory";
    PutRowOpening memory.put_row_opening_clocks KeyKind::Range(0, 1000), "more, if a write opens a row",
        "time that a write takes in addition if it has to open a row of the memory, in clocks of the memory";
    DmaStart dma.start_cycles KeyKind::Range(0, 100_000), "from the start of the channel to the request of its first descriptor",
        "time from the start of the DMA channel to the request of its first descriptor, in cycles of CP2";
    DmaSetUp dma.set_up_cycles KeyKind::Range(0, 100_000), "from the last word of a descriptor to its first request, or to its jump",
        "time from the last word of a descriptor to the first request of its transfer, or to its jump, in cycles of CP2";
    Alignment dma.alignment_bytes KeyKind::Power(4, 16), "of which addresses and strides in memory are multiples",
        "number of bytes of which the addresses and strides of the DMA channel in system memory must be multiples";
    MemoryToMemory dma.memory_to_memory KeyKind::Flag, "whether there are transfers from memory to memory",
        "flag that says whether the DMA channel can copy from system memory to system memory";
    HostRegister host.register_cycles KeyKind::Range(1, 100_000), "that an access of the host to a DMA register takes",
        "time that an access of the host to a register of the DMA channel takes, in cycles of CP2";
    HostStatus host.status_cycles KeyKind::Range(0, 100_000), "that a read of CP2's STATUS by the host takes",
        "time that a read of the register STATUS of CP2 by the host takes, in cycles of CP2";
    HostBundle host.bundle_cycles KeyKind::Range(0, 100_000), "that the host takes to send a bundle to CP2",
        "time that the host takes to send a bundle to CP2, in cycles of CP2";
    HostCall host.call_cycles KeyKind::Range(0, 100_000), "of the host's program around a call of a kernel",
        "time that the host's program takes around each call of a kernel, in cycles of CP2";
    HostPage host.page_cycles KeyKind::Range(0, 100_000), "of the host's program between two pages",
        "time that the host's program takes between two pages, the contents of a part of local memory at once, in cycles of CP2";
    IssueWidth control.issue_width KeyKind::Range(1, 4), "instructions that the control processor may issue in a cycle",
        "number of instructions that the control processor may issue in a cycle";
    BranchCycles control.branch_cycles KeyKind::Range(0, 100), "more, for a branch that is taken, and for exceptions",
        "time that a taken branch or an exception of the control processor takes in addition, in cycles";
    LoadCycles control.load_cycles KeyKind::Range(1, 100), "from a load that the first cache has to the instruction that wants its value",
        "time from a load of the control processor, with the data in the first cache, to the instruction that needs them, in cycles";
    MultiplyCycles control.multiply_cycles KeyKind::Range(1, 1000), "the same for a product of integers",
        "time from an integer multiplication of the control processor to the instruction that needs its result, in cycles";
    DivideCycles control.divide_cycles KeyKind::Range(1, 1000), "for a quotient of integers, one at a time",
        "time from an integer division of the control processor to its result, in cycles; divisions go one at a time";
    FloatCycles control.float_cycles KeyKind::Range(1, 1000), "from a sum or product of the FPU to the instruction that wants it",
        "time from a sum or product of the control processor's FPU to the instruction that needs it, in cycles";
    FloatRepeat control.float_repeat_cycles KeyKind::Range(1, 1000), "from one of these to the next",
        "time from one sum or product of the control processor's FPU to the next that can begin, in cycles";
    FloatDivide control.float_divide_cycles KeyKind::Range(1, 1000), "for a quotient or root of the FPU, one at a time",
        "time that a quotient or root of the control processor's FPU takes, in cycles; they go one at a time";
    InstructionCache control.instruction_cache_kib KeyKind::Power(1, 1024), "first cache of instructions",
        "size of the first-level instruction cache of the control processor, in KiB";
    InstructionWays control.instruction_cache_ways KeyKind::Power(1, 16), "its ways",
        "number of ways (associativity) of the first-level instruction cache of the control processor";
    DataCache control.data_cache_kib KeyKind::Power(1, 1024), "first cache of data",
        "size of the first-level data cache of the control processor, in KiB";
    DataWays control.data_cache_ways KeyKind::Power(1, 16), "its ways",
        "number of ways (associativity) of the first-level data cache of the control processor";
    SecondCache control.second_cache_kib KeyKind::Range(0, 65536), "second cache, of both; 0 if there is none",
        "size of the second-level cache of the control processor, for instructions and data, in KiB; 0 if there is none";
    SecondWays control.second_cache_ways KeyKind::Power(1, 16), "its ways",
        "number of ways (associativity) of the second-level cache of the control processor";
    LineSize control.line_bytes KeyKind::Power(16, 256), "line of all caches",
        "size of a line of all caches of the control processor, in bytes";
    SecondCycles control.second_cache_cycles KeyKind::Range(0, 1000), "from a miss of the first cache to the data of the second",
        "time from a miss of a first-level cache to the data of the second-level cache, in cycles";
    LineLatency control.line_latency_clocks KeyKind::Range(0, 1000), "from a miss of the last cache to the data of memory",
        "time from a miss of the last cache to the data of system memory, in clocks of the memory";
    LineClocks control.line_clocks KeyKind::Range(0, 1000), "for which a line takes the path to memory",
        "time for which one line occupies the path between caches and system memory, in clocks of the memory";
    Streams control.streams KeyKind::Range(0, 16), "runs of lines that are fetched ahead, one line each",
        "number of runs of cache misses at consecutive lines that the control processor follows, fetching the next line of each ahead; 0 for none";
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
    /// Returns the key that machine files call `name` in the section `section`; `None` if there is none.
    pub fn named(section: &str, name: &str) -> Option<Self> {
        let is = |k: &Self| (k.info().section, k.info().name) == (section, name);
        Self::ALL.into_iter().find(is)
    }

    /// Whether the key is a number of the control processor, on which nothing depends but the processor's own time. A
    /// machine file may leave such a key out; its value is then that of the machine VM7.
    pub fn is_of_control(self) -> bool {
        self.info().section == "control"
    }

    /// Whether the key is an extension, which a machine file may leave out; the extension is then off.
    pub fn is_optional(self) -> bool {
        self.info().section == "extensions"
    }

    /// Whether the key describes the core of CP2: a size, a latency or an extension of the core. The others describe
    /// the machine around it.
    pub fn is_of_core(self) -> bool {
        self.info().section == "core" || self.extension().is_some()
    }

    /// Returns the extension of the core that the flag switches on; `None` for keys that are no such flag.
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

    /// Returns the names of the sections of a machine file, in their order.
    pub fn sections() -> Vec<&'static str> {
        let mut sections: Vec<_> = Self::ALL.iter().map(|k| k.info().section).collect();
        sections.dedup();
        sections
    }

    /// Returns the names of the keys of a section, in their order; none if there is no such section.
    pub fn names(section: &str) -> Vec<&'static str> {
        let of_section = Self::ALL.iter().map(|k| k.info()).filter(|i| i.section == section);
        of_section.map(|i| i.name).collect()
    }
}
