//! Position of translated code in the program, and how it goes on behind a block. Which block comes next is chosen in
//! `dispatch`.

use crate::abi::context::Live;
use crate::front_end::environment::Environment;
use crate::front_end::region::{Ending, Target};
use crate::front_end::shape::PipelineState;
use crate::runtime::block::{Entrance, ShapeId};
use cp2_isa::rules::flow::{self, ActiveLoop, LoopEntry};
use cp2_isa::{BundleAddress, Core, CountOperand, Cycle};

/// Position of translated code in the program, besides the registers.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) pc: BundleAddress,
    pub(crate) follows_exit: bool,
    /// Address at which the flow goes on behind the next bundle, if that is nullified.
    pub(crate) nullified: Option<BundleAddress>,
    pub(crate) cycle: Cycle,
    pub(crate) shape: ShapeId,
    pub(crate) loops: Vec<ActiveLoop>,
    pub(crate) calls: Vec<BundleAddress>,
    pub(crate) environment: Environment,
}

/// Block to execute, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) entrance: Entrance,
    /// Number of bodies of the innermost loop in one pass.
    pub(crate) times: u32,
    pub(crate) passes: u64,
    /// Whether the innermost loop is over behind the block, the bundle after its end left to the next one.
    pub(crate) cut: bool,
}

impl Clone for Flow {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies a position, and keeps the lists on the heap.
    fn clone_from(&mut self, from: &Self) {
        let Self { pc, follows_exit, nullified, cycle, shape, loops, calls, environment } = from;
        (self.pc, self.follows_exit, self.nullified) = (*pc, *follows_exit, *nullified);
        (self.cycle, self.shape, self.environment) = (*cycle, *shape, *environment);
        self.loops.clone_from(loops);
        self.calls.clone_from(calls);
    }
}

impl Flow {
    /// Whether another position is at the same place, whenever that is.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        let place = |flow: &Self| (flow.pc, flow.follows_exit, flow.nullified, flow.shape);
        place(self) == place(other)
            && self.environment == other.environment
            && self.loops == other.loops
            && self.calls == other.calls
    }

    /// Checks what the machine would refuse at the end of a block, and returns the target of its jump. `None` leaves the
    /// block to the portable engine.
    pub(crate) fn prepared(
        &self,
        core: &Core,
        ending: Ending,
        live: &Live,
        shape: &PipelineState,
    ) -> Option<Option<BundleAddress>> {
        let read = |target: Target, delayed: bool| {
            let value = match target {
                Target::Immediate(to) => u64::from(to),
                Target::Gpr(g) if delayed && shape.gpr_written[0] == Some(g) => live.gpr_old[0],
                Target::Gpr(g) => live.gpr[usize::from(g)],
            };
            flow::target(core, value).map(Some)
        };
        match ending {
            Ending::Plain(_) | Ending::Loop => Some(None),
            Ending::Do { .. } => (self.loops.len() < core.loop_depth()).then_some(None),
            Ending::Jump(to) => read(to, false),
            Ending::Call { to, .. } if self.calls.len() < core.call_depth() => read(to, true),
            Ending::Call { .. } => None,
            Ending::Return => (!self.calls.is_empty()).then_some(None),
            Ending::Forget(_) => (!self.loops.is_empty()).then_some(None),
        }
    }

    /// Goes on behind a block that has been executed.
    pub(crate) fn move_past(
        &mut self,
        ending: Ending,
        choice: Choice,
        target: Option<BundleAddress>,
        live: &Live,
        shape: &PipelineState,
    ) {
        (self.follows_exit, self.nullified) = (false, None);
        match ending {
            Ending::Plain(next) => self.pc = next,
            Ending::Loop => {
                let Some(l) = self.loops.last_mut() else { return };
                l.count = l.count.saturating_sub(choice.times * choice.passes as u32);
                if l.count > 0 {
                    self.pc = l.start;
                } else {
                    self.pc = if choice.cut { l.body().last() } else { l.body().after() };
                    self.follows_exit = choice.cut;
                    self.loops.pop();
                }
            }
            Ending::Do { pc, end, count } => {
                let count = match count {
                    CountOperand::Immediate(count) => count,
                    CountOperand::Gpr(g) if shape.gpr_written[1] == Some(g) => {
                        flow::loop_count(live.gpr_old[1])
                    }
                    CountOperand::Gpr(g) => flow::loop_count(live.gpr[usize::from(g)]),
                };
                self.pc = pc.plus(1);
                match flow::begun(pc, count, end) {
                    LoopEntry::Nothing(to) => self.nullified = Some(to),
                    LoopEntry::Loop(new) => self.loops.push(new),
                }
            }
            Ending::Jump(_) => self.pc = target.unwrap_or(self.pc),
            Ending::Call { pc, .. } => {
                self.calls.push(flow::return_address(pc));
                self.pc = target.unwrap_or(self.pc);
            }
            Ending::Return => self.pc = self.calls.pop().unwrap_or(self.pc),
            Ending::Forget(pc) => {
                self.loops.pop();
                self.pc = pc.plus(1);
            }
        }
    }
}
