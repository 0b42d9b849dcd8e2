//! What a translation gives: the steps of a block, and what the engine has to know of it.

use crate::abi::context::Vector;
use crate::analysis::contract::Contract;
use crate::analysis::counts::Counts;
use crate::analysis::entry::EntryUses;
use crate::analysis::footprint::Footprint;
use crate::front_end::region::{ChannelUse, Depth, Ending};
use crate::front_end::shape::Shape;
use crate::ir::instruction::{Home, Ins};
use cp2_emu::profile::BundleCost;
use cp2_isa::{Arith, BundleAddress, Core, Effects, Inst};
use serde::{Deserialize, Serialize};

/// An operation whose flags may still be asked for when a block has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeferredFlags {
    /// Cycles from its issue to the end of the block.
    pub(crate) age: u32,
    pub(crate) inst: Inst<Arith>,
    /// Its sections, if they are not all: a mask in the tail.
    pub(crate) mask: Option<usize>,
    /// Operands D, S, T, next S, next T in the tail.
    pub(crate) operands: [Option<usize>; 5],
    /// Coefficient in the tail.
    pub(crate) coefficient: Option<[usize; 2]>,
}

/// A block as steps.
pub(crate) struct Translation {
    pub(crate) ins: Vec<Ins>,
    pub(crate) homes: Vec<Option<Home>>,
    pub(crate) constants: Vec<Vector>,
    pub(crate) facts: Facts,
    pub(crate) contract: Contract,
}

/// What a pass is: how many turns, whether another one begins behind it, its cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pass {
    /// Turns of a pass, and whether another one begins behind it, unless the loop around it is over.
    pub(crate) times: usize,
    pub(crate) is_turn: bool,
    /// Cycles of one pass.
    pub(crate) cycles: u32,
}

/// What the engine has to know of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) ending: Ending,
    /// Loops and calls that are under way on the way through a pass.
    pub(crate) depth: Depth,
    pub(crate) pass: Pass,
    /// What it has to do with the channel.
    pub(crate) channel_use: Option<ChannelUse>,
    /// What one pass counts, but for accesses through pointers, which know how many they have, for accesses
    /// whose place only the run knows, and for flops of predicated operations.
    pub(crate) counts: Counts,
    /// What each bundle of a pass costs, in the order of issue, if that is wanted.
    pub(crate) costs: Vec<(BundleAddress, BundleCost)>,
    /// What is under way at the end.
    pub(crate) shape: Shape,
    pub(crate) tail: Vec<DeferredFlags>,
    /// What the translation takes for granted still holds at the end.
    pub(crate) stable: bool,
    pub(crate) entry_uses: EntryUses,
    /// What a pass accesses in local memory besides through pointers.
    pub(crate) footprint: Footprint,
}

impl DeferredFlags {
    /// Whether its operands are among so many that are kept.
    fn is_sound(&self, slots: usize) -> bool {
        let Self { age: _, inst, mask, operands, coefficient } = self;
        let places = operands.iter().chain([mask]).flatten().chain(coefficient.iter().flatten());
        let needs_coefficient = inst.op.row().effects.contains(Effects::COEFFICIENT);
        coefficient.is_some() == needs_coefficient && places.into_iter().all(|&place| place < slots)
    }
}

impl Facts {
    /// Whether they can be those of a block on a core that has this contract: what they name by its number is there.
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
