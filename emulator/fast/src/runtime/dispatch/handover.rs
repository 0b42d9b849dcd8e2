//! Handover of the machine to the dispatcher at the beginning of a call, and back at its end.

use super::Dispatcher;
use crate::runtime::flow::Flow;
use crate::runtime::transfer::{self, DeferredRecord, Taken};
use cp2_emu::Cp2;
use cp2_emu::cp2::seam::{Flight, FlowPosition};

impl Dispatcher {
    /// Returns where the flow of the machine stands; its stacks are taken from it until [`Self::give`] puts them back.
    pub(super) fn begin_flow(&mut self, cp2: &mut Cp2, flight: &Flight, taken: &Taken) -> Flow {
        Flow {
            pc: cp2.state.pc,
            follows_exit: flight.position == FlowPosition::LoopExit,
            nullified: None,
            cycle: flight.cycle,
            shape: self.cache.shape_id(&taken.shape),
            loops: std::mem::take(&mut cp2.state.loops),
            calls: std::mem::take(&mut cp2.state.calls),
            environment: self.environment(cp2.state.control),
        }
    }

    /// Puts flow, counts and what is under way back into the machine.
    pub(super) fn give(&mut self, cp2: &mut Cp2, flow: Flow, taken: &Taken) {
        let live = self.executor.live();
        let stats = cp2.stats_mut();
        for turn in &live.banks {
            for (total, new) in stats.bank_accesses.iter_mut().zip(turn) {
                *total += new;
            }
        }
        for (total, new) in stats.flops.iter_mut().zip(live.flops.0) {
            *total += new;
        }
        let tails: Vec<DeferredRecord<'_>> = self
            .log
            .iter()
            .map(|tail| {
                let block = self.cache.block(tail.block);
                let end = tail.first + block.code.contract().tail_slots;
                DeferredRecord {
                    end_cycle: tail.end_cycle,
                    ops: &block.facts.tail,
                    slots: self.executor.operands(tail.first..end),
                }
            })
            .collect();
        let position = match flow.nullified {
            Some(to) => FlowPosition::Nullified(to),
            None if flow.follows_exit => FlowPosition::LoopExit,
            None => FlowPosition::Plain,
        };
        cp2.state.pc = flow.pc;
        cp2.state.loops = flow.loops;
        cp2.state.calls = flow.calls;
        let shape = self.cache.shape(flow.shape);
        let now = (flow.cycle, position);
        transfer::give(&self.executor, cp2, shape, &taken.unseen, &tails, now);
    }
}
