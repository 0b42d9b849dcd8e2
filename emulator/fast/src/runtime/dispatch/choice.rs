//! Choice of the block that comes next, and of how often it may run.

use super::{Dispatcher, Left};
use crate::front_end::region::{BlockStart, Depth, Ending, UNROLLED};
use crate::lowering::translation::{Facts, Pass};
use crate::runtime::block::{BlockId, Room, Wanted};
use crate::runtime::executor::Admission;
use crate::runtime::flow::{Choice, Flow};
use cp2_isa::BundleBits;

impl Dispatcher {
    /// Chooses the next block, and how often it may run; `None` if the next bundle has to be left to the portable engine.
    pub(super) fn choose(
        &mut self,
        flow: &Flow,
        left: Left,
        before: Option<BlockId>,
        iram: &[BundleBits],
    ) -> Option<(Choice, Admission)> {
        let innermost = flow.loops.last();
        let nullified = flow.nullified;
        let place =
            BlockStart { nullified, ..BlockStart::new(flow.pc, innermost, flow.follows_exit) };
        let (shape, environment) = (flow.shape, flow.environment);
        let mut wanted = Wanted { place, shape, environment, turns: 1, is_rest: false };
        let (mut iterations, mut cut) = (1, false);
        if let Some(l) = innermost
            && l.end >= flow.pc
        {
            let around = flow.loops.len().checked_sub(2).map(|k| flow.loops[k]);
            // Where two loops end one behind the other, the last bundle of the inner one is
            // the last but one of the outer one, which decides on it.
            let is_nested = around.is_some_and(|outer| outer.end == l.body().last());
            if is_nested && l.count <= 1 {
                cut = true;
                wanted.place.last = Some(l.end);
            } else if l.count > 1 {
                iterations = u64::from(l.count) - u64::from(is_nested);
                let body = l.body().after().index().saturating_sub(l.start.index()).max(1);
                if l.start == flow.pc
                    && body < UNROLLED
                    && !flow.follows_exit
                    && nullified.is_none()
                {
                    let most = UNROLLED.div_ceil(body);
                    wanted.is_rest = (2..most as u64).contains(&iterations);
                    wanted.turns = most.min(iterations as usize);
                }
            }
        }
        let core = self.cache.core();
        let depth = Depth {
            loops: core.loop_depth() - flow.loops.len().min(core.loop_depth()),
            calls: core.call_depth() - flow.calls.len().min(core.call_depth()),
        };
        let room = Room { iterations, cycles: left.pass, depth };
        let source = (iram, &self.executor);
        let (entrance, fit) = self.cache.find(&wanted, before, source, &room)?;
        let block = self.cache.block(entrance.id);
        let Facts { ending, pass: Pass { times, cycles, .. }, .. } = block.facts;
        let turns = if ending == Ending::Loop { iterations / times as u64 } else { u64::MAX };
        let most = (left.epoch.min(left.run) / u64::from(cycles)).min(turns);
        let admission = self.executor.admit(&block.code, fit, most);
        let passes = admission.passes();
        Some((Choice { entrance, times: times as u32, passes, cut }, admission))
    }
}
