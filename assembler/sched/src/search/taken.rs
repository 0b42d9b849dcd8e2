//! Whether a core can take over the schedule that a block has on a slower one. What `cases` promises holds for such schedules.

use super::cases::SMALL;
use super::{BlockSchedule, Body, Limit, Search, shape};
use crate::Work;
use crate::registers::{RETRIES, allocate, lifetimes};
use cp2_ir::linear::Loop;
use cp2_isa::{Core, FprSet};

impl Work<'_> {
    /// Whether a core can take over the schedule of a block of the operations `ops`.
    pub(crate) fn is_taken_over(
        &self,
        core: Core,
        (ops, of): (&[usize], Option<&Loop>),
        found: &BlockSchedule,
        reserved: FprSet,
    ) -> bool {
        let work = Self { core, placed: self.core, ..self.clone() };
        let unroll = of.map_or(1, |of| work.most_unroll(ops, of));
        let Ok(block) = work.block(ops, of.is_some(), unroll) else { return false };
        let times = &found.times;
        let Some(of) = of else {
            let lifetimes = lifetimes(&core, &block, times);
            return block.allows(times, None)
                && allocate(&core, &block, &lifetimes, None, 1, (reserved, RETRIES)).is_ok();
        };
        let needs: Vec<_> = block.ops.iter().map(|&op| work.need(op)).collect();
        let is_small = ops.len() <= SMALL;
        let body = Body { work: &work, block: &block, needs: &needs, of, reserved, is_small };
        let mut search = Search { best: None, limit: Limit::NONE, most: None, shortage: None };
        body.attempt(times, found.ii, &mut search);
        let cycles = |rank: i64| shape::without_ties(Some(of), rank);
        search.best.is_some_and(|(_, _, cost)| cycles(cost.rank) <= cycles(found.cost.rank))
    }
}
