//! Result of a translation: the steps of a block, and what the engine has to know of it.

use crate::abi::context::Vector;
use crate::analysis::contract::Contract;
use crate::analysis::counts::Counts;
use crate::analysis::entry::EntryUses;
use crate::analysis::footprint::Footprint;
use crate::front_end::region::{ChannelUse, Depth, Ending};
use crate::front_end::shape::PipelineState;
use crate::ir::instruction::Part;
use cp2_emu::profile::BundleCost;
use cp2_isa::{Arith, BundleAddress, Core, Effects, Inst};
use serde::{Deserialize, Serialize};

/// Operation whose flags may still be asked for when a block has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeferredFlags {
    /// Number of cycles from the issue of the operation to the end of the block.
    pub(crate) age: u32,
    pub(crate) inst: Inst<Arith>,
    /// Place in the tail of the mask of the operation's sections, if they are not all.
    pub(crate) mask: Option<usize>,
    /// Places in the tail of the operands D, S, T, next S, next T.
    pub(crate) operands: [Option<usize>; 5],
    /// Places in the tail of the coefficient's two parts.
    pub(crate) coefficient: Option<[usize; 2]>,
}

/// Block as steps, with its facts and its contract.
pub(crate) struct Translation {
    /// Parts of the block, in the order in which they are run.
    pub(crate) parts: Vec<Part>,
    pub(crate) constants: Vec<Vector>,
    pub(crate) facts: Facts,
    pub(crate) contract: Contract,
}

/// Size of a pass: its turns, whether another one begins behind it, its cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pass {
    /// Number of turns of a pass.
    pub(crate) times: usize,
    /// Whether another turn begins behind a pass, unless the loop around it is over.
    pub(crate) is_turn: bool,
    /// Number of cycles of one pass.
    pub(crate) cycles: u32,
}

/// Facts that the engine has to know of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) ending: Ending,
    /// Greatest numbers of loops and calls that are under way on the way through a pass.
    pub(crate) depth: Depth,
    pub(crate) pass: Pass,
    /// Use of the DMA channel by the block.
    pub(crate) channel_use: Option<ChannelUse>,
    /// Counts of one pass, but for accesses through pointers, which know how many they have, for accesses whose place only
    /// the run knows, and for flops of predicated operations.
    pub(crate) counts: Counts,
    /// Cost of each bundle of a pass, in the order of issue, if costs are counted.
    pub(crate) costs: Vec<(BundleAddress, BundleCost)>,
    /// Shape of the pipeline at the end: the results under way.
    pub(crate) shape: PipelineState,
    pub(crate) tail: Vec<DeferredFlags>,
    /// Whether the modes for which the block was translated still hold at its end.
    pub(crate) stable: bool,
    pub(crate) entry_uses: Box<EntryUses>,
    /// Footprint of a pass in local memory, without the accesses through pointers.
    pub(crate) footprint: Footprint,
}

impl DeferredFlags {
    /// Whether the operands of the operation are among so many vectors that are kept.
    fn is_sound(&self, slots: usize) -> bool {
        let Self { age: _, inst, mask, operands, coefficient } = self;
        let places = operands.iter().chain([mask]).flatten().chain(coefficient.iter().flatten());
        let needs_coefficient = inst.op.row().effects.contains(Effects::COEFFICIENT);
        coefficient.is_some() == needs_coefficient && places.into_iter().all(|&place| place < slots)
    }
}

impl Facts {
    /// Whether the facts can be those of a block on a core that has this contract: what they name by its number is there.
    pub(crate) fn is_sound(&self, core: &Core, contract: &Contract) -> bool {
        let is_flag =
            |op: &DeferredFlags| op.age <= self.pass.cycles && op.is_sound(contract.tail_slots);
        self.ending.is_sound()
            && self.pass.times > 0
            && self.counts.is_sound(core)
            && self.shape.is_sound(core)
            && self.footprint.is_sound(core)
            && self.tail.iter().all(is_flag)
    }
}
