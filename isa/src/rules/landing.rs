//! The order in which results land, which is when they are written to registers, and which of two writes stays (`[L]`
//! cycle rules, "Two writes that land on one register in one cycle"). The latency of a write is the number of bundles
//! from its issue to the earliest operation that, reading the register without a bypass, sees the new value.

use crate::table::Unit;
use std::cmp::Ordering;

/// Part of a cycle in which a result is written to a register. Within one part the writes happen in the order of issue,
/// the arithmetic half of a bundle before its exchange half; the last one stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WritePhase {
    /// The earlier part, that of loads: soon enough for the bypass of `psprmsgn`.
    Middle,
    /// The end of the cycle, the part of all other results.
    End,
}

impl WritePhase {
    /// Returns the part of a cycle in which a unit writes FPRs.
    #[inline]
    pub const fn of(unit: Unit) -> Self {
        if matches!(unit, Unit::Load) { Self::Middle } else { Self::End }
    }
}

/// The one of two writes whose value stays after both have landed on one register in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurvivingWrite {
    /// The write that was issued first.
    Older,
    /// The write that was issued last.
    Younger,
}

/// Returns which of two writes stays if they land on one register in one cycle. `older` is the unit of the write that
/// was issued first, `younger` that of the other.
#[inline]
pub fn surviving_write(older: Unit, younger: Unit) -> SurvivingWrite {
    if WritePhase::of(younger) < WritePhase::of(older) {
        SurvivingWrite::Older
    } else {
        SurvivingWrite::Younger
    }
}

/// Compares the cycle in which the second of two writes lands (is written to its register) with that of the first:
/// `Less` if the second lands earlier. The second was issued `distance` bundles after the first; `first` and `second`
/// are the latencies of the writes.
#[inline]
pub fn order(first: u32, second: u32, distance: u32) -> Ordering {
    (distance + second).cmp(&first)
}

/// Returns the number of bundles from the issue of a write to the issue of a later one at which both land in the same
/// cycle; `None` if the later one always lands later. `first` and `second` are the latencies of the writes, so that the
/// number is their difference.
#[inline]
pub const fn together_at(first: u32, second: u32) -> Option<u32> {
    first.checked_sub(second)
}

/// Returns the least number of bundles from the issue of one write to the issue of another at which the other lands
/// later. The number is 0 or negative if the other may be issued together with the first or before. `first` and
/// `second` are the latencies of the writes.
#[inline]
pub const fn in_order_from(first: u32, second: u32) -> i64 {
    first as i64 - second as i64 + 1
}

/// Returns the least number of bundles from an operation that reads a register to the issue of a write of that register
/// at which the reading operation does not see the write. The number is 0 or negative if a write in the same bundle or
/// before is still too late to be seen. `time` is the distance, in bundles, at which this operation sees that write.
#[inline]
pub const fn unseen_from(time: u32) -> i64 {
    1 - time as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Core, CoreNumbers};

    fn time(core: &Core, unit: Unit) -> u32 {
        core.latencies().write_fpr(unit)
    }

    /// Returns which of two writes lands first, and which stays: `copy f1` in bundle 0 and a write of `unit` in bundle
    /// `distance`.
    fn copy_and(core: &Core, unit: Unit, distance: u32) -> (Ordering, SurvivingWrite) {
        let first = time(core, Unit::Arithmetic);
        (order(first, time(core, unit), distance), surviving_write(Unit::Arithmetic, unit))
    }

    #[test]
    fn an_arithmetic_result_stays_where_a_load_meets_it() {
        let core = Core::CP2;
        assert_eq!(copy_and(&core, Unit::Load, 5), (Ordering::Equal, SurvivingWrite::Older));
        assert_eq!(copy_and(&core, Unit::Load, 4).0, Ordering::Less);
        assert_eq!(copy_and(&core, Unit::Load, 6).0, Ordering::Greater);
    }

    #[test]
    fn of_an_arithmetic_result_and_psprmsgn_or_mtfpr_the_later_stays() {
        for unit in [Unit::Permute, Unit::ToFpr] {
            assert_eq!(copy_and(&Core::CP2, unit, 5), (Ordering::Equal, SurvivingWrite::Younger));
            assert_eq!(copy_and(&Core::CP2, unit, 4).0, Ordering::Less);
        }
    }

    #[test]
    fn the_distances_of_collisions_follow_the_core() {
        let numbers = CoreNumbers {
            arithmetic_latency: 12,
            load_latency: 6,
            psprmsgn_latency: 5,
            ..*Core::CP2.numbers()
        };
        let core = Core::new(numbers).unwrap();
        let with = |unit| together_at(time(&core, Unit::Arithmetic), time(&core, unit));
        assert_eq!([Unit::Load, Unit::Permute, Unit::ToFpr].map(with), [Some(6), Some(7), Some(9)]);
        assert_eq!(copy_and(&core, Unit::Load, 6).0, Ordering::Equal);
        assert_eq!(copy_and(&core, Unit::Load, 5).0, Ordering::Less);
        // There a permutation is slower than `mtfpr`, and can meet a faster load.
        assert_eq!(together_at(time(&core, Unit::Load), time(&core, Unit::ToFpr)), Some(3));
        assert_eq!(surviving_write(Unit::Load, Unit::ToFpr), SurvivingWrite::Younger);
        assert_eq!(surviving_write(Unit::Permute, Unit::Load), SurvivingWrite::Older);
    }

    #[test]
    fn a_write_lands_behind_another_one_bundle_behind_the_collision() {
        assert_eq!((in_order_from(8, 3), together_at(8, 3)), (6, Some(5)));
        assert_eq!((in_order_from(3, 8), together_at(3, 8)), (-4, None));
        assert_eq!((in_order_from(8, 8), together_at(8, 8)), (1, Some(0)));
    }

    #[test]
    fn a_slow_write_may_be_issued_before_a_reader_of_the_old_value() {
        // Issued 7 bundles before the reader it is unseen, 8 before it is seen.
        assert_eq!(unseen_from(8), -7);
        assert_eq!(unseen_from(1), 0);
    }
}
