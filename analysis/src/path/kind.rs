//! Kinds of the edges of a critical path: for which reason a cycle of a run could not come earlier.

use cp2_emu::dma::ChannelCause;
use cp2_isa::Unit;

/// The kind of an edge of a critical path: the reason for which what stands at its end could not come earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// The result of an arithmetic operation was needed in an FPR, or its condition codes.
    Arithmetic,
    /// The value of a load was needed in an FPR.
    Load,
    /// The result of `psprmsgn` was needed.
    Permute,
    /// The value of `mtfpr` was needed.
    ToFpr,
    /// A general, index, address or control register was needed, or a word of local memory that was stored before.
    Scalar,
    /// The result had to land behind that of an earlier operation with the same destination.
    Order,
    /// The arithmetic slot had another operation in the cycle before.
    ArithmeticSlot,
    /// The exchange slot had another operation in the cycle before.
    ExchangeSlot,
    /// The flow of control turned here: a loop began its next pass, or a jump, call or return was taken.
    Flow,
    /// Place in the program alone: the slot was empty in the cycle before, and the program puts the operation here.
    Placement,
    /// `sync` or `stop` held the issue until results had landed.
    Sync,
    /// A loop with the count 0 skipped the bundle of the cycle before.
    Nullified,
    /// The last bundle of a kernel issued.
    Last,
    /// Results landed behind the last bundle of a run of CP2 alone.
    Drain,
    /// No kernel ran; the DMA channel started, or set up a descriptor.
    DmaSetUp,
    /// No kernel ran; the DMA channel waited for the words of a descriptor.
    DmaFetch,
    /// No kernel ran; the DMA channel waited for `start_dma`.
    DmaSync,
    /// No kernel ran; the DMA channel waited for memory.
    DmaMemory,
    /// No kernel ran; the DMA channel moved data.
    DmaBeat,
    /// No kernel ran; the DMA channel waited for a bank of local memory.
    DmaConflict,
    /// No kernel ran, and the channel was idle: the host had not done what comes next.
    Host,
}

impl PathKind {
    /// All kinds, in the order in which reports list them.
    pub const ALL: [Self; 21] = [
        Self::Arithmetic,
        Self::Load,
        Self::Permute,
        Self::ToFpr,
        Self::Scalar,
        Self::Order,
        Self::ArithmeticSlot,
        Self::ExchangeSlot,
        Self::Flow,
        Self::Placement,
        Self::Sync,
        Self::Nullified,
        Self::Last,
        Self::Drain,
        Self::DmaSetUp,
        Self::DmaFetch,
        Self::DmaSync,
        Self::DmaMemory,
        Self::DmaBeat,
        Self::DmaConflict,
        Self::Host,
    ];

    /// Returns the kind of cycles in which no kernel runs, by what the channel does in them.
    pub(super) const fn of_channel(cause: ChannelCause) -> Self {
        match cause {
            ChannelCause::Idle => Self::Host,
            ChannelCause::SetUp => Self::DmaSetUp,
            ChannelCause::Fetch => Self::DmaFetch,
            ChannelCause::Sync => Self::DmaSync,
            ChannelCause::Memory => Self::DmaMemory,
            ChannelCause::Beat => Self::DmaBeat,
            ChannelCause::Conflict => Self::DmaConflict,
        }
    }

    /// Returns the kind of the edge from an operation of this unit to one that needs its result, which is seen after
    /// some cycles.
    pub(super) fn of_result(giver: Unit, cycles: u64) -> Self {
        match giver {
            _ if cycles <= 1 => Self::Scalar,
            Unit::Load => Self::Load,
            Unit::Permute => Self::Permute,
            Unit::ToFpr => Self::ToFpr,
            Unit::Arithmetic | Unit::Creg => Self::Arithmetic,
            _ => Self::Scalar,
        }
    }

    /// Returns the name of the kind in reports for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic_result",
            Self::Load => "load_result",
            Self::Permute => "permute_result",
            Self::ToFpr => "to_fpr_result",
            Self::Scalar => "scalar_result",
            Self::Order => "order_of_results",
            Self::ArithmeticSlot => "arithmetic_slot",
            Self::ExchangeSlot => "exchange_slot",
            Self::Flow => "flow",
            Self::Placement => "placement",
            Self::Sync => "sync",
            Self::Nullified => "nullified",
            Self::Last => "last_bundle",
            Self::Drain => "drain",
            Self::Host => "host",
            Self::DmaSetUp => "dma_set_up",
            Self::DmaFetch => "dma_fetch",
            Self::DmaSync => "dma_sync",
            Self::DmaMemory => "dma_memory",
            Self::DmaBeat => "dma_beat",
            Self::DmaConflict => "dma_conflict",
        }
    }

    /// Returns what an edge of the kind waits for, in a few words for people.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Arithmetic => "result of an arithmetic operation",
            Self::Load => "value of a load",
            Self::Permute => "result of psprmsgn",
            Self::ToFpr => "value of mtfpr",
            Self::Scalar => "register or stored word of the operation before",
            Self::Order => "result must land behind an earlier one",
            Self::ArithmeticSlot => "arithmetic slot was taken",
            Self::ExchangeSlot => "exchange slot was taken",
            Self::Flow => "next pass of a loop, jump, call or return",
            Self::Placement => "slot was empty; the program puts it later",
            Self::Sync => "sync or stop waits for results",
            Self::Nullified => "bundles skipped by a loop with count 0",
            Self::Last => "last bundle of a kernel",
            Self::Drain => "results land behind the last bundle",
            Self::Host => "host, while channel and kernel are idle",
            Self::DmaSetUp => "DMA sets a transfer up",
            Self::DmaFetch => "DMA fetches a descriptor",
            Self::DmaSync => "DMA waits for start_dma",
            Self::DmaMemory => "DMA waits for memory",
            Self::DmaBeat => "DMA moves data",
            Self::DmaConflict => "DMA waits for a bank",
        }
    }

    /// Returns the key of the machine that sets the length of the edges of the kind; `None` if none does.
    pub const fn key(self) -> Option<&'static str> {
        match self {
            Self::Arithmetic => Some("core.arithmetic_latency"),
            Self::Load => Some("core.load_latency"),
            Self::Permute => Some("core.psprmsgn_latency"),
            Self::ToFpr => Some("core.mtfpr_latency"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_its_key_exists() {
        let names: BTreeSet<_> = PathKind::ALL.map(PathKind::name).into();
        assert_eq!(names.len(), PathKind::ALL.len());
        for key in PathKind::ALL.into_iter().filter_map(PathKind::key) {
            let (section, name) = key.split_once('.').expect("a section");
            assert!(cp2_isa::machine::Key::named(section, name).is_some(), "{key}");
        }
    }
}
