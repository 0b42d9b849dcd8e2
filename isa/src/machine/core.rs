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

/// The numbers of a core, not checked yet. Sizes are those of one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CoreNumbers {
    /// Number of floating-point registers, 64 bits each.
    pub fprs: u32,
    /// Number of words of local memory, 64 bits each.
    pub local_memory_words: u32,
    /// Banks of local memory, each a contiguous share of it.
    pub banks: u32,
    /// Number of bundles of instruction memory, which all sections share.
    pub instruction_memory_bundles: u32,
    /// Number of hardware loops that can be active at once, one in the other.
    pub loop_stack: u32,
    /// Number of calls that can be active at once, one in the other.
    pub call_stack: u32,
    /// Number of entries that the host FIFO can hold.
    pub fifo_entries: u32,
    /// Arithmetic result to any reader of the FPR, in bundles.
    pub arithmetic_latency: u32,
    /// Load to arithmetic, store and `mffpr`, in bundles.
    pub load_latency: u32,
    /// `psprmsgn` to any reader of the FPR, in bundles.
    pub psprmsgn_latency: u32,
    /// `mtfpr` to any reader of the FPR, in bundles.
    pub mtfpr_latency: u32,
    /// Extensions of the architecture that the core has.
    pub extensions: Extensions,
}

/// A core whose numbers are within their limits. Two cores that are equal run every program alike.
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
    /// Returns each number with the key of machine files that names it.
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
    /// The unmodified CP2 of VM7 and VM9: the default, and what tests hold other cores against.
    pub const CP2: Self = Self::unchecked(CP2);

    /// The core of everything that the encoding reaches, with all extensions. A tool that only looks at words takes them
    /// for words of this core.
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

    /// Creates a core with these numbers, or returns a sentence for each number that is outside its limits.
    pub fn new(numbers: CoreNumbers) -> Result<Self, Vec<String>> {
        let problems: Vec<_> = numbers
            .with_keys()
            .into_iter()
            .filter(|(key, value)| !key.info().kind.takes(*value))
            .map(|(key, value)| format!("{key} is {value}; it takes {}", key.info().kind))
            .collect();
        if problems.is_empty() { Ok(Self::unchecked(numbers)) } else { Err(problems) }
    }

    /// Returns the numbers and extensions in which the core differs from the unmodified CP2, with those of CP2; a line each.
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

    /// Returns the numbers that describe the core.
    #[inline]
    pub const fn numbers(&self) -> &CoreNumbers {
        &self.numbers
    }

    /// Returns the distances in bundles from producers to consumers.
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

    /// Returns the number of banks of local memory.
    #[inline]
    pub const fn banks(&self) -> usize {
        self.numbers.banks as usize
    }

    /// Returns the number of words of a bank of local memory, a power of two.
    #[inline]
    pub const fn bank_words(&self) -> usize {
        1 << self.bank_bits()
    }

    /// Returns the number of bits of an address within a bank.
    const fn bank_bits(&self) -> u32 {
        self.address_bits() - self.numbers.banks.trailing_zeros()
    }

    /// Returns the bank in which a word of local memory lies.
    #[inline]
    pub const fn bank_of(&self, word: WordAddress) -> Bank {
        Bank((word.0 >> self.bank_bits()) as u8)
    }

    /// Returns the set of all banks, a bit for each.
    #[inline]
    pub const fn bank_mask(&self) -> u8 {
        (u8::MAX as u32 >> (u8::BITS - self.numbers.banks)) as u8
    }

    /// Returns the set of the bank with this number, if there is one.
    pub const fn mask_of_bank(&self, bank: i128) -> Option<u8> {
        if bank >= 0 && bank < self.numbers.banks as i128 { Some(1 << bank) } else { None }
    }

    /// Returns the mask of the bits of an address that say in which bank it lies.
    #[inline]
    pub const fn bank_address_bits(&self) -> u16 {
        self.address_mask() & !((1 << self.bank_bits()) - 1)
    }

    /// Returns the highest address of a word of local memory: ones in the bits that address registers have.
    #[inline]
    pub const fn address_mask(&self) -> u16 {
        (self.lmem_words() - 1) as u16
    }

    /// Returns the number of bits of an address register.
    #[inline]
    pub const fn address_bits(&self) -> u32 {
        self.lmem_words().trailing_zeros()
    }

    /// Returns the number of bundles of instruction memory.
    #[inline]
    pub const fn iram_bundles(&self) -> usize {
        self.numbers.instruction_memory_bundles as usize
    }

    /// Returns the number of loops that can be active at once.
    #[inline]
    pub const fn loop_depth(&self) -> usize {
        self.numbers.loop_stack as usize
    }

    /// Returns the number of calls that can be active at once.
    #[inline]
    pub const fn call_depth(&self) -> usize {
        self.numbers.call_stack as usize
    }

    /// Returns the number of entries of the host FIFO.
    pub const fn fifo_entries(&self) -> usize {
        self.numbers.fifo_entries as usize
    }

    /// Returns the extensions that are on.
    pub const fn extensions(&self) -> Extensions {
        self.numbers.extensions
    }

    /// Whether bundles have a second word, with the high bits of the numbers of registers.
    #[inline]
    pub const fn has_wide_bundles(&self) -> bool {
        self.numbers.extensions.contains(Extensions::MORE_FPRS)
    }

    /// Whether the FPR with this number exists.
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
