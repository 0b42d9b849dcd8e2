//! One CP2 as a value: sizes, latencies and extensions, checked as a whole. Everything that depends
//! on them takes a [`Core`]; nothing but defaults and tests names [`Core::CP2`].
//!
//! An extension is added so: a bit in [`Extensions`], a key in `key.rs` that is 0 or 1 and sets the bit in
//! [`CoreNumbers::extensions`], a name in `toggle.rs`, and the bit in the rows of `table.rs` that belong to it;
//! `decode` and the assembler refuse those on a core whose bit is off.

use super::key::Key;
use crate::table::Extensions;
use crate::timing::Latencies;
use crate::{Bank, WordAddress};
use serde::{Deserialize, Serialize};

/// Numbers and extensions that describe the core of a machine, not checked yet; [`Core::new`] makes a core of them. The
/// sizes of FPRs and local memory are those of one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CoreNumbers {
    /// Number of floating-point registers of a section, 64 bits each.
    pub fprs: u32,
    /// Number of words of local memory in a section, 64 bits each.
    pub local_memory_words: u32,
    /// Number of banks into which the local memory of each section is divided, equal contiguous shares of it.
    pub banks: u32,
    /// Number of bundles that instruction memory holds; the sections share it.
    pub instruction_memory_bundles: u32,
    /// Number of hardware loops that can be active at once, one in the other.
    pub loop_stack: u32,
    /// Number of calls that can be active at once, one in the other.
    pub call_stack: u32,
    /// Number of entries that the host FIFO can hold.
    pub fifo_entries: u32,
    /// Distance in bundles from an arithmetic operation to the first that sees its result in the FPR.
    pub arithmetic_latency: u32,
    /// Distance in bundles from a load to the first arithmetic operation, store or `mffpr` that sees the value.
    pub load_latency: u32,
    /// Distance in bundles from `psprmsgn` to the first operation that sees its result in the FPR.
    pub psprmsgn_latency: u32,
    /// Distance in bundles from `mtfpr` to the first operation that sees its value in the FPR.
    pub mtfpr_latency: u32,
    /// Extensions of the architecture that the core has. [`Core::new`] sets `MORE_FPRS` by the number of FPRs, whatever
    /// stands here.
    pub extensions: Extensions,
}

/// The description of one CP2: sizes, latencies and extensions, all within their limits. Two cores that are equal run
/// every program alike, cycle by cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    numbers: CoreNumbers,
    latencies: Latencies,
}

/// The coprocessor of VM7 and VM9. [L], sizes [D]
const CP2: CoreNumbers = CoreNumbers {
    fprs: 64,
    local_memory_words: 8192,
    banks: 2,
    instruction_memory_bundles: 8192,
    loop_stack: 15,
    call_stack: 15,
    fifo_entries: 4,
    arithmetic_latency: 8,
    load_latency: 3,
    psprmsgn_latency: 3,
    mtfpr_latency: 3,
    extensions: Extensions::empty(),
};

impl Default for Core {
    fn default() -> Self {
        Self::CP2
    }
}

impl CoreNumbers {
    /// Returns each number with the key of machine files that names it. The extensions are not among them.
    pub const fn with_keys(&self) -> [(Key, u32); 11] {
        [
            (Key::Fprs, self.fprs),
            (Key::LocalMemory, self.local_memory_words),
            (Key::Banks, self.banks),
            (Key::InstructionMemory, self.instruction_memory_bundles),
            (Key::LoopStack, self.loop_stack),
            (Key::CallStack, self.call_stack),
            (Key::FifoEntries, self.fifo_entries),
            (Key::ArithmeticLatency, self.arithmetic_latency),
            (Key::LoadLatency, self.load_latency),
            (Key::PsprmsgnLatency, self.psprmsgn_latency),
            (Key::MtfprLatency, self.mtfpr_latency),
        ]
    }
}

impl Core {
    /// The core of the CP2 in the processors VM7 and VM9, without changes. This core is the default.
    pub const CP2: Self = Self::unchecked(CP2);

    /// The core with all that the encoding of bundles reaches: 256 FPRs, 32768 words of local memory in a section, all
    /// extensions; the other numbers are those of CP2. A tool that knows no core reads encoded bundles as those of this
    /// one.
    pub const WIDEST: Self = Self::unchecked(CoreNumbers {
        fprs: 256,
        local_memory_words: 32768,
        extensions: Extensions::all(),
        ..CP2
    });

    const fn unchecked(mut numbers: CoreNumbers) -> Self {
        // The width of bundles follows from the number of registers.
        numbers.extensions = match numbers.fprs > CP2.fprs {
            true => numbers.extensions.union(Extensions::MORE_FPRS),
            false => numbers.extensions.difference(Extensions::MORE_FPRS),
        };
        let latencies = Latencies::from_units(
            numbers.arithmetic_latency,
            numbers.load_latency,
            numbers.psprmsgn_latency,
            numbers.mtfpr_latency,
        );
        Self { numbers, latencies }
    }

    /// Creates a core with these numbers.
    ///
    /// # Errors
    /// Some numbers are outside their limits: a sentence for each.
    pub fn new(numbers: CoreNumbers) -> Result<Self, Vec<String>> {
        let problems: Vec<_> = numbers
            .with_keys()
            .into_iter()
            .filter(|(key, value)| !key.info().kind.takes(*value))
            .map(|(key, value)| format!("{key} is {value}; it takes {}", key.info().kind))
            .collect();
        if problems.is_empty() { Ok(Self::unchecked(numbers)) } else { Err(problems) }
    }

    /// Returns a line for each number in which the core differs from CP2, with the number of CP2, such as `core.fprs =
    /// 128 (CP2: 64)`, and for each extension that is on; none for CP2 itself.
    pub fn changes(&self) -> Vec<String> {
        let pairs = self.numbers.with_keys().into_iter().zip(CP2.with_keys());
        let different = pairs.filter(|((_, here), (_, usual))| here != usual);
        let line = |((key, here), (_, usual)): ((Key, u32), (Key, u32))| {
            format!("{key} = {here} (CP2: {usual})")
        };
        let flags = self.extensions() - Extensions::MORE_FPRS;
        let on = flags.iter().map(|bit| format!("{} is on (CP2: off)", bit.names()));
        different.map(line).chain(on).collect()
    }

    /// Returns the numbers and extensions that describe the core.
    #[inline]
    pub const fn numbers(&self) -> &CoreNumbers {
        &self.numbers
    }

    /// Returns the distances in bundles from operations to those that see their results.
    #[inline]
    pub const fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    /// Returns the number of floating-point registers of a section.
    #[inline]
    pub const fn fprs(&self) -> usize {
        self.numbers.fprs as usize
    }

    /// Returns the number of words of local memory in a section, a power of two.
    #[inline]
    pub const fn lmem_words(&self) -> usize {
        self.numbers.local_memory_words as usize
    }

    /// Returns the number of banks, equal contiguous shares, into which the local memory of each section is divided; 2
    /// on CP2.
    #[inline]
    pub const fn banks(&self) -> usize {
        self.numbers.banks as usize
    }

    /// Returns the number of words of one section in a bank of local memory, a power of two.
    #[inline]
    pub const fn bank_words(&self) -> usize {
        1 << self.bank_bits()
    }

    /// Returns the number of bits of an address within a bank.
    const fn bank_bits(&self) -> u32 {
        self.address_bits() - self.numbers.banks.trailing_zeros()
    }

    /// Returns the bank in which the word of local memory with this address lies, the same in every section. An address
    /// beyond local memory gives a number that no bank of the core has.
    #[inline]
    pub const fn bank_of(&self, word: WordAddress) -> Bank {
        Bank((word.0 >> self.bank_bits()) as u8)
    }

    /// Returns the set of all banks of local memory as bits: bit k is bank k.
    #[inline]
    pub const fn bank_mask(&self) -> u8 {
        (u8::MAX as u32 >> (u8::BITS - self.numbers.banks)) as u8
    }

    /// Returns the set that has only the bank with this number, as bits: bit k is bank k. `None` if the core has no
    /// such bank.
    pub const fn mask_of_bank(&self, bank: i128) -> Option<u8> {
        if bank >= 0 && bank < self.numbers.banks as i128 { Some(1 << bank) } else { None }
    }

    /// Returns the mask of those bits of a word address that tell the bank of the word: its highest ones. The mask is 0
    /// if there is only one bank.
    #[inline]
    pub const fn bank_address_bits(&self) -> u16 {
        self.address_mask() & !((1 << self.bank_bits()) - 1)
    }

    /// Returns the highest address of a word of local memory of a section. As a mask it has ones in all bits of an
    /// address register.
    #[inline]
    pub const fn address_mask(&self) -> u16 {
        (self.lmem_words() - 1) as u16
    }

    /// Returns the number of bits of a word address of local memory, which is the width of an address register.
    #[inline]
    pub const fn address_bits(&self) -> u32 {
        self.lmem_words().trailing_zeros()
    }

    /// Returns the number of bundles that instruction memory holds.
    #[inline]
    pub const fn iram_bundles(&self) -> usize {
        self.numbers.instruction_memory_bundles as usize
    }

    /// Returns the depth of the loop stack: the number of hardware loops that can be active at once.
    #[inline]
    pub const fn loop_depth(&self) -> usize {
        self.numbers.loop_stack as usize
    }

    /// Returns the depth of the call stack: the number of calls that can be active at once.
    #[inline]
    pub const fn call_depth(&self) -> usize {
        self.numbers.call_stack as usize
    }

    /// Returns the number of entries that the host FIFO, the queue of bundles from the host, can hold.
    pub const fn fifo_entries(&self) -> usize {
        self.numbers.fifo_entries as usize
    }

    /// Returns the extensions of the architecture that the core has.
    pub const fn extensions(&self) -> Extensions {
        self.numbers.extensions
    }

    /// Whether bundles have a second word of 64 bits, with the high bits of register numbers: whether the core has more
    /// than 64 FPRs.
    #[inline]
    pub const fn has_wide_bundles(&self) -> bool {
        self.numbers.extensions.contains(Extensions::MORE_FPRS)
    }

    /// Whether the core has the FPR with this number.
    #[inline]
    pub const fn has_fpr(&self, number: i32) -> bool {
        number >= 0 && (number as usize) < self.fprs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp2_is_within_its_limits() {
        assert_eq!(Core::new(CP2), Ok(Core::CP2));
        assert_eq!(Core::default(), Core::CP2);
    }

    #[test]
    fn each_number_outside_its_limits_gets_a_sentence() {
        let numbers = CoreNumbers { fprs: 257, banks: 3, load_latency: 1, ..CP2 };
        let problems = Core::new(numbers).unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(problems[0], "core.fprs is 257; it takes a whole number from 8 to 256");
    }

    #[test]
    fn bundles_are_wide_where_there_are_more_registers() {
        let of = |fprs| Core::new(CoreNumbers { fprs, ..CP2 }).unwrap();
        assert!(!of(64).has_wide_bundles() && of(65).has_wide_bundles());
        assert_eq!(of(128).extensions(), Extensions::MORE_FPRS);
        assert_eq!(of(128).changes(), ["core.fprs = 128 (CP2: 64)"]);
        let numbers = CoreNumbers { fprs: 64, ..*of(128).numbers() };
        assert_eq!(Core::new(numbers), Ok(Core::CP2));
    }

    #[test]
    fn sizes_follow_each_other() {
        let core = Core::new(CoreNumbers { local_memory_words: 4096, banks: 4, ..CP2 }).unwrap();
        assert_eq!(
            (core.bank_words(), core.address_mask(), core.address_bits()),
            (1024, 0xfff, 12)
        );
        let banks = [1023, 1024, 4095].map(|word| core.bank_of(WordAddress(word)));
        assert_eq!(banks, [Bank(0), Bank(1), Bank(3)]);
        assert_eq!((core.bank_mask(), core.bank_address_bits()), (0xf, 0xc00));
        assert_eq!((core.mask_of_bank(3), core.mask_of_bank(4)), (Some(8), None));
        assert_eq!((Core::CP2.bank_mask(), Core::CP2.bank_address_bits()), (3, 0x1000));
    }
}
