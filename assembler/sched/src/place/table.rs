//! The table of slots that operations are placed in, and the choice of a time for one.

use super::{Link, Need, Placing, Times};
use crate::bits::Bits;
use std::cmp::Reverse;
use std::num::NonZeroU32;
use std::ops::Range;

/// Time that was chosen for an operation.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    time: i64,
    /// Whether it is earlier than a placed operation before it allows.
    is_early: bool,
    /// Whether it is later than a placed operation after it allows.
    is_late: bool,
}

/// Time of an operation that has none.
const UNPLACED: i64 = i64::MIN;

/// The operations that are placed as late as their readers allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    None,
    Sources,
    All,
}

/// The operation in each slot, by its index and one, by cycle, modulo the interval if there is one.
pub(super) struct Table<'a> {
    placing: &'a Placing<'a>,
    /// Operations that are placed just before their readers.
    late: Late,
    /// Whether all ends of dependences are placed near each other.
    is_close: bool,
    cells: [Vec<Option<NonZeroU32>>; 2],
    /// Cells that are taken, as bits.
    taken: [Bits; 2],
    /// The time of each operation, [`UNPLACED`] if it has none.
    times: Vec<i64>,
    /// The last time at which each operation was placed, to make progress.
    last: Vec<Option<i64>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(placing: &'a Placing<'a>, late: Late, is_close: bool) -> Self {
        let length = placing.ii.unwrap_or(2 * placing.horizon) as usize;
        let count = placing.needs.len();
        Self {
            placing,
            late,
            is_close,
            cells: [vec![None; length], vec![None; length]],
            taken: [Bits::new(length), Bits::new(length)],
            times: vec![UNPLACED; count],
            last: vec![None; count],
        }
    }

    fn need(&self, op: usize) -> Need {
        self.placing.needs[op]
    }

    fn cell(&self, time: i64) -> usize {
        let horizon = self.placing.horizon;
        match self.placing.ii {
            Some(ii) => time.rem_euclid(ii) as usize,
            None => (time + horizon).clamp(0, 2 * horizon - 1) as usize,
        }
    }

    /// Returns the operation in a slot in a cell of the table.
    fn operation_in(&self, exchange: bool, cell: usize) -> Option<usize> {
        self.cells[usize::from(exchange)][cell].map(|op| op.get() as usize - 1)
    }

    /// Returns the operations that keep `op` from issuing in a cell of the table.
    fn in_the_way(&self, op: usize, cell: usize) -> [Option<usize>; 2] {
        let need = self.need(op);
        let own = self.operation_in(need.exchange, cell).filter(|&o| o != op);
        let has_other_predicate = |o: &usize| {
            let theirs = self.need(*o).predicate;
            theirs.is_some() && theirs != need.predicate
        };
        let other = need.predicate.and_then(|_| self.operation_in(!need.exchange, cell));
        [own, other.filter(has_other_predicate)]
    }

    fn is_free(&self, op: usize, cell: usize) -> bool {
        self.in_the_way(op, cell) == [None, None]
    }

    /// Returns the earliest time that the placed operations before `op` allow, and that those near it allow.
    fn earliest(&self, op: usize) -> (Option<i64>, Option<i64>) {
        let (mut all, mut near) = (None, None);
        for link in self.placing.into.of(op) {
            let time = self.times[link.other as usize];
            if time == UNPLACED {
                continue;
            }
            let time = Some(time + link.weight);
            all = all.max(time);
            if link.is_near || self.is_close {
                near = near.max(time);
            }
        }
        (all, near)
    }

    /// Returns the latest time that the placed operations after `op` allow, and that those near it allow.
    fn latest(&self, op: usize, is_close: bool) -> (Option<i64>, Option<i64>) {
        let least = |old: Option<i64>, time: i64| Some(old.map_or(time, |old| old.min(time)));
        let (mut all, mut near) = (None, None);
        for link in self.placing.out.of(op) {
            let time = self.times[link.other as usize];
            if time == UNPLACED {
                continue;
            }
            let time = time - link.weight;
            all = least(all, time);
            if link.is_near || is_close {
                near = least(near, time);
            }
        }
        (all, near)
    }

    /// Returns the cells of a range of times, not longer than the interval, as two runs, and how far the times of each are
    /// behind its cells.
    fn runs(&self, low: i64, high: i64) -> [(Range<usize>, i64); 2] {
        let first = self.cell(low);
        match self.placing.ii {
            None => [(first..self.cell(high) + 1, -self.placing.horizon), (0..0, 0)],
            Some(ii) => {
                let (end, behind) = (first + (high - low + 1) as usize, low - first as i64);
                let length = ii as usize;
                let around = 0..end.saturating_sub(length);
                [(first..end.min(length), behind), (around, behind + ii)]
            }
        }
    }

    /// Returns the first time of a range, not longer than the interval, at which `op` can issue.
    fn first_free(&self, op: usize, low: i64, high: i64) -> Option<i64> {
        if low > high || self.is_free(op, self.cell(low)) {
            return (low <= high).then_some(low);
        }
        let taken = &self.taken[usize::from(self.need(op).exchange)];
        self.runs(low, high).into_iter().find_map(|(run, behind)| {
            let cell = taken.clear(run).find(|&cell| self.is_free(op, cell))?;
            Some(cell as i64 + behind)
        })
    }

    /// Returns the last time of a range, not longer than the interval, at which `op` can issue.
    fn last_free(&self, op: usize, low: i64, high: i64) -> Option<i64> {
        if low > high || self.is_free(op, self.cell(high)) {
            return (low <= high).then_some(high);
        }
        let taken = &self.taken[usize::from(self.need(op).exchange)];
        self.runs(low, high).into_iter().rev().find_map(|(run, behind)| {
            let cell = taken.clear_backward(run).find(|&cell| self.is_free(op, cell))?;
            Some(cell as i64 + behind)
        })
    }

    fn is_late(&self, op: usize) -> bool {
        match self.late {
            Late::None => false,
            Late::Sources => self.need(op).source,
            Late::All => true,
        }
    }

    /// Chooses a time for `op`; some operations may have to give way.
    pub(super) fn choose(&self, op: usize, pace: i64) -> Option<Choice> {
        // An operation goes near the ones that give it values or take them. A register that must be
        // free again iterations later only bounds it.
        let (first, earliest) = self.earliest(op);
        let (last, latest) = self.latest(op, self.is_close);
        let window = self.placing.ii.unwrap_or(self.placing.horizon);
        let as_late_as_possible = || {
            let latest = latest.and(last)?;
            let low = (latest - window + 1).max(first.unwrap_or(i64::MIN));
            let is_wanted = earliest.is_none() || self.is_late(op);
            is_wanted.then(|| self.last_free(op, low, latest))?
        };
        let as_early_as_possible = || {
            let low = earliest.unwrap_or(latest.map_or(pace, |l| l.min(pace)));
            let low = low.max(first.unwrap_or(low));
            let high = low + window - 1;
            let strict = last.map_or(high, |l| l.min(high));
            let time = self.first_free(op, low, strict).or_else(|| self.first_free(op, low, high));
            time.unwrap_or_else(|| low.max(self.last[op].map_or(low, |t| t + 1)))
        };
        let time = as_late_as_possible().unwrap_or_else(as_early_as_possible);
        // Times that no sensible schedule reaches are given up.
        (time.abs() < self.placing.horizon).then_some(Choice {
            time,
            is_early: first.is_some_and(|first| time < first),
            is_late: last.is_some_and(|last| last < time),
        })
    }

    /// Places `op` and gives the operations that had to give way.
    pub(super) fn reserve(&mut self, op: usize, choice: Choice) -> Vec<usize> {
        let time = choice.time;
        let mut evicted: Vec<usize> =
            self.in_the_way(op, self.cell(time)).into_iter().flatten().collect();
        let placed = |links: &'a [Link]| {
            let at = |link: &'a Link| {
                (link.other as usize, self.times[link.other as usize], link.weight)
            };
            links.iter().map(at).filter(|(_, theirs, _)| *theirs != UNPLACED)
        };
        if choice.is_late {
            let after = placed(self.placing.out.of(op));
            evicted.extend(after.filter(|(_, t, weight)| *t < time + weight).map(|(op, ..)| op));
        }
        if choice.is_early {
            let before = placed(self.placing.into.of(op));
            evicted.extend(before.filter(|(_, t, weight)| time < t + weight).map(|(op, ..)| op));
        }
        evicted.sort_unstable();
        evicted.dedup();
        for &other in &evicted {
            self.remove(other);
        }
        self.occupy(op, time);
        self.last[op] = Some(time);
        evicted
    }

    fn occupy(&mut self, op: usize, time: i64) {
        self.times[op] = time;
        let (slot, cell) = (usize::from(self.need(op).exchange), self.cell(time));
        self.cells[slot][cell] = NonZeroU32::new(op as u32 + 1);
        self.taken[slot].set(cell, true);
    }

    fn remove(&mut self, op: usize) {
        let time = std::mem::replace(&mut self.times[op], UNPLACED);
        if time != UNPLACED {
            let (slot, cell) = (usize::from(self.need(op).exchange), self.cell(time));
            if self.operation_in(self.need(op).exchange, cell) == Some(op) {
                self.cells[slot][cell] = None;
                self.taken[slot].set(cell, false);
            }
        }
    }

    /// Moves sources to the last cycle at which they are in time, the latest ones first.
    pub(super) fn sink(&mut self) {
        let mut sources: Vec<usize> =
            (0..self.times.len()).filter(|&op| self.need(op).source).collect();
        sources.sort_by_key(|&op| Reverse(self.times[op]));
        for op in sources {
            // Without a reader nearby there is nothing to be in time for.
            let (now, (Some(latest), Some(_))) = (self.times[op], self.latest(op, false)) else {
                continue;
            };
            self.remove(op);
            let low = self.placing.ii.map_or(now + 1, |ii| (now + 1).max(latest - ii + 1));
            let time = self.last_free(op, low, latest).unwrap_or(now);
            self.occupy(op, time);
        }
    }

    /// Returns the times, the first one 0; `None` if some operation has no time.
    pub(super) fn finish(self) -> Option<Times> {
        let times = self.times;
        if times.contains(&UNPLACED) {
            return None;
        }
        let first = times.iter().min().copied().unwrap_or(0);
        Some(times.into_iter().map(|t| t - first).collect())
    }
}
