//! Schedules of loops that come from elsewhere, such as from a solver.

use super::{BlockSchedule, Body, Bounds, Limit, Search, cases};
use crate::Work;
use crate::known::Given;
use crate::registers::{self, lifetimes};
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::FprSet;

/// Cycles of each operation, and of a loop besides, beyond which no schedule is taken over: no operation waits longer for another one, so
/// one after the other takes less.
const LONGEST: [i64; 2] = [16, 64];

/// Returns the cycles beyond which an iteration of so many operations, or a pass of its kernel, is longer than is sensible.
fn longest(operations: usize) -> i64 {
    LONGEST[0] * operations as i64 + LONGEST[1]
}

/// Whether a kernel of so many iterations fits the count of a loop, and is no longer than is sensible for its operations.
fn is_usable(of: &Loop, (ii, unroll): (i64, i64), operations: usize) -> bool {
    let divides = match of.count {
        TripCount::Fixed(_) => true,
        TripCount::Register { multiple, .. } => {
            unroll & (unroll - 1) == 0 && i64::from(multiple) % unroll == 0
        }
    };
    unroll > 0 && divides && ii.saturating_mul(unroll) <= longest(operations)
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
        let unroll = allocation.as_ref().map_or(1, |allocation| allocation.unroll);
        let span = times.iter().max()? - times.iter().min()?;
        let is_sensible = is_usable(of, (ii, unroll), ops.len()) && span <= longest(ops.len());
        if !is_sensible || times.len() != needs.len() || !block.is_schedule(&needs, &times, ii) {
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
