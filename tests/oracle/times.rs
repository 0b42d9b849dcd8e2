//! The times and sizes of a core as the oracle reads them: from the numbers of the machine file alone, by
//! the rules of the reference (cycle rules, Latency), with none of the library's derivations.

use cp2_isa::Core;

/// Times at which results land, in cycles from the issue of their operation, and sizes of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Arithmetic results are written at the end of this cycle.
    pub(super) arithmetic: i64,
    /// Condition codes and FCSR are written at the end of this cycle, one stage before arithmetic results.
    pub(super) condition: i64,
    /// Loads are written in the course of this cycle.
    pub(super) load: i64,
    /// `psprmsgn` writes at the end of this cycle.
    pub(super) permute: i64,
    /// `mtfpr` writes at the end of this cycle.
    pub(super) to_fpr: i64,
    /// Cycles behind a `sync` in which nothing issues.
    pub(super) sync_hold: u32,
    /// Cycles behind the last bundle until all has landed.
    pub(super) drain: u64,
    /// Mask of the bits of An, Nn and Mn that exist.
    pub(super) address: u64,
    /// Mask of the bits of an immediate address that count: 13, or as many as local memory needs if those are more.
    pub(super) immediate: u64,
    /// Number of bits of An.
    pub(super) address_bits: u32,
    /// Number of words of a bank.
    pub(super) bank_words: u64,
    /// Number of bundles of instruction memory.
    pub(super) bundles: u64,
    /// Number of entries of the loop stack.
    pub(super) loops: usize,
    /// Number of entries of the call stack.
    pub(super) calls: usize,
    /// Number of the highest FPR.
    pub(super) last_fpr: u64,
    /// Whether the core has each of three extensions: word access, conditional memory, FFT direction.
    pub(super) has_words: bool,
    pub(super) has_conditional_memory: bool,
    pub(super) has_direction: bool,
}

impl Times {
    pub(super) fn of(core: &Core) -> Self {
        let n = core.numbers();
        let units =
            [n.arithmetic_latency, n.load_latency, n.psprmsgn_latency, n.mtfpr_latency].into_iter();
        let longest = units.fold(0, u32::max);
        let words = u64::from(n.local_memory_words);
        Self {
            arithmetic: n.arithmetic_latency.into(),
            condition: i64::from(n.arithmetic_latency) - 1,
            load: n.load_latency.into(),
            permute: n.psprmsgn_latency.into(),
            to_fpr: n.mtfpr_latency.into(),
            // The next bundle issues in cycle longest - 1; the bundle of the `sync` takes one.
            sync_hold: longest - 2,
            drain: u64::from(longest) - 1,
            address: words - 1,
            immediate: (words - 1) | 0x1fff,
            address_bits: words.ilog2(),
            bank_words: words / u64::from(n.banks),
            bundles: n.instruction_memory_bundles.into(),
            loops: n.loop_stack as usize,
            calls: n.call_stack as usize,
            last_fpr: u64::from(n.fprs) - 1,
            has_words: n.extensions.bits() & 1 != 0,
            has_conditional_memory: n.extensions.bits() >> 2 & 1 != 0,
            has_direction: n.extensions.bits() >> 5 & 1 != 0,
        }
    }
}
