//! The difference of two schedules of one loop: which operations moved, how many values changed their registers.

use super::Certificate;

/// The difference of one schedule of a loop from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleDifference {
    /// Initiation intervals in cycles, of the first schedule and of the second.
    pub ii: [i64; 2],
    /// Cycles of one iteration from its first operation to its last, in the first schedule and in the second.
    pub length: [i64; 2],
    /// Operations that issue in another cycle of the iteration: place in the body of the loop, from 0, and both cycles.
    pub moved: Vec<(usize, [i64; 2])>,
    /// Number of values that are in other registers, and of all values that share none.
    pub renamed: [usize; 2],
}

/// Returns how the schedule `after` of a loop differs from `before`; `None` if they are for different loops.
pub fn difference(before: &Certificate, after: &Certificate) -> Option<ScheduleDifference> {
    if before.identity != after.identity || before.is_exchanged != after.is_exchanged {
        return None;
    }
    let both = [before, after];
    let [old, new] = both.map(|c| &c.given.times);
    let length = |times: &Vec<i64>| times.iter().max().map_or(0, |last| last + 1);
    let moved = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
    let [registers, others] =
        both.map(|c| c.given.allocation.as_ref().map_or(&[][..], |a| &a.registers));
    let renamed = registers.iter().zip(others).filter(|(old, new)| old != new).count();
    Some(ScheduleDifference {
        ii: both.map(Certificate::ii),
        length: [length(old), length(new)],
        moved: moved.map(|(op, (&old, &new))| (op, [old, new])).collect(),
        renamed: [renamed, others.len()],
    })
}
