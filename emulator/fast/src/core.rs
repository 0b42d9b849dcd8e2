//! The only core that blocks are translated for; kernels of others run on the reference engine.

use cp2_isa::{Core, Latencies};

/// The core.
pub(crate) const CORE: Core = Core::CP2;
/// Its distances.
pub(crate) const LATENCIES: &Latencies = CORE.latencies();
/// Its floating-point registers.
pub(crate) const FPRS: usize = CORE.fprs();
/// Words of its local memory.
pub(crate) const LMEM_WORDS: usize = CORE.lmem_words();
/// Words of a bank, of which there are two.
pub(crate) const BANK_WORDS: usize = CORE.bank_words();
/// Highest value of an address register.
pub(crate) const ADDRESS_MASK: u16 = CORE.address_mask();
/// Loops and calls that can be active at once.
pub(crate) const STACK_DEPTH: usize = CORE.loop_depth();
/// Bundles of its instruction memory.
pub(crate) const IRAM_BUNDLES: usize = CORE.iram_bundles();

const _: () = assert!(CORE.call_depth() == STACK_DEPTH && CORE.banks() == 2);
