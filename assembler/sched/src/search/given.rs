//! Schedules of loops that come from elsewhere, such as from a solver.

use super::{BlockSchedule, Body, Bounds, Limit, Search, cases};
use crate::Work;
use crate::known::Given;
use crate::registers::{self, lifetimes};
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::FprSet;

/// Cycles of a pass of a kernel beyond which no schedule is taken over.
const LONGEST_CIRCLE: i64 = 1 << 16;

/// Whether a kernel of so many iterations fits the count of a loop, and is no longer than is sensible.
fn is_usable(of: &Loop, ii: i64, unroll: i64) -> bool {
    let divides = match of.count {
        TripCount::Fixed(_) => true,
        TripCount::Register { multiple, .. } => {
            unroll & (unroll - 1) == 0 && i64::from(multiple) % unroll == 0
        }
    };
    unroll > 0 && divides && ii.saturating_mul(unroll) <= LONGEST_CIRCLE
}

impl Work<'_> {
    /// Returns the schedule of a loop's body at these times of its operations and in these registers, or in those that are
    /// found; `None` if that is no schedule, or registers or the count do not allow it.
    pub(crate) fn given(
        &self,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
        given: Given,
    ) -> Option<BlockSchedule> {
        let block = self.block(ops, true, self.most_unroll(ops, of)).ok()?;
        let needs: Vec<_> = block.ops.iter().map(|&op| self.need(op)).collect();
        let Given { ii, mut times, allocation } = given;
        let is_usable = allocation.as_ref().is_none_or(|a| is_usable(of, ii, a.unroll));
        if !is_usable || times.len() != needs.len() || !block.is_schedule(&needs, &times, ii) {
            return None;
        }
        let first = times.iter().min().copied()?;
        times.iter_mut().for_each(|time| *time -= first);
        let bounds = Bounds::of(self, &block);
        let mut search = Search { best: None, limit: Limit::NONE, most: None, shortage: None };
        let is_small = ops.len() <= cases::SMALL;
        let body = Body { work: self, block: &block, needs: &needs, of, reserved, is_small };
        match allocation {
            Some(allocation) => {
                let lifetimes = lifetimes(&self.core, &block, &times);
                registers::fits(&self.core, &block, &lifetimes, ii, (&allocation, reserved))
                    && body.shaped(times, allocation, ii, &mut search)
            }
            None => body.attempt(&times, ii, &mut search),
        };
        let ((times, allocation, shape), ii, cost) = search.best?;
        Some(BlockSchedule { block, times, allocation, ii, shape, cost, bounds })
    }
}
