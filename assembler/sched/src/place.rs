//! Placing operations in time: iterative modulo scheduling, and list scheduling as the case without
//! an interval. Registers are not looked at here, but the order in which operations are taken
//! keeps values short-lived.

use super::bits::Bits;
use super::graph::{Edge, Graph};
use std::cmp::Reverse;
use std::num::NonZeroU32;
use std::ops::Range;

/// The slots of a bundle that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// Whether the operation needs the exchange slot; otherwise it needs the arithmetic slot.
    pub(super) exchange: bool,
    /// Predicate that the operation obeys, if it obeys one: the bundle has only one.
    pub(super) predicate: Option<u8>,
    /// Whether the operation only makes a value, so that it is placed late: just in time for its first reader.
    pub(super) source: bool,
}

/// The rule that gives the order in which operations are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// In the order of the program, each no earlier than its share of the work before it.
    Program,
    /// In the order of the program, sources too.
    Forward,
    /// The ones with the longest way to the end first.
    Height,
    /// Operations on cycles first, then from the last to the first, each as late as possible.
    Backward,
}

/// The order in which operations are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    rule: Rule,
    /// Whether an operation is placed near to everything that bounds it, not only to what it takes values from or makes
    /// values for.
    close: bool,
}

impl Order {
    /// The order that makes the shortest schedules.
    const HEIGHT: Self = Self { rule: Rule::Height, close: false };

    /// All orders, as they are tried one after the other.
    const ALL: [Self; 7] = [
        Self { rule: Rule::Program, close: false },
        Self { rule: Rule::Forward, close: false },
        Self::HEIGHT,
        Self { rule: Rule::Backward, close: false },
        Self { rule: Rule::Program, close: true },
        Self { rule: Rule::Forward, close: true },
        Self { rule: Rule::Height, close: true },
    ];
}

/// Times of all operations, counted from the first one.
pub(super) type Times = Vec<i64>;

/// Number of times, in the mean, that an operation may be placed before the attempt is given up.
const BUDGET: usize = 12;

/// A dependence of an operation on another one, or of the other one on it.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Cycles by which the later one issues behind the earlier one at least.
    weight: i64,
    other: u32,
    /// Whether one takes what the other makes, so that they are placed near each other.
    is_near: bool,
}

/// The dependences of all operations, those of each one beside each other.
struct Links {
    all: Vec<Link>,
    /// Indices at which the links of each operation begin, and the one behind the last.
    starts: Vec<usize>,
}

impl Links {
    /// Creates the links of `count` operations; those between iterations that do not overlap set nothing.
    fn new<'g>(
        count: usize,
        ii: Option<i64>,
        edges: impl Fn(usize) -> &'g [Edge],
        other: fn(&Edge) -> usize,
    ) -> Self {
        let mut links = Self { all: Vec::new(), starts: vec![0] };
        for op in 0..count {
            let of_op = edges(op).iter().filter(|e| e.from != e.to);
            links.all.extend(of_op.filter_map(|edge| {
                let weight = match ii {
                    Some(ii) => edge.latency - ii * edge.distance,
                    None => (edge.distance == 0).then_some(edge.latency)?,
                };
                let is_near = edge.latency > 0 && edge.distance <= 1;
                Some(Link { weight, other: u32::try_from(other(edge)).ok()?, is_near })
            }));
            links.starts.push(links.all.len());
        }
        links
    }

    fn of(&self, op: usize) -> &[Link] {
        &self.all[self.starts[op]..self.starts[op + 1]]
    }
}

/// Operations that are to be placed, with a new iteration every `ii` cycles or, without an interval, once.
pub(super) struct Placing<'a> {
    graph: &'a Graph,
    needs: &'a [Need],
    ii: Option<i64>,
    /// Bundles that no block exceeds; the table of a block without an interval is twice as long.
    horizon: i64,
    into: Links,
    out: Links,
    /// Longest way from each operation to the end of an iteration.
    heights: Vec<i64>,
    /// Share of the interval that the operations before each one need.
    pace: Vec<i64>,
}

impl<'a> Placing<'a> {
    /// Creates the problem; `None` if a cycle of dependences allows no such interval.
    pub(super) fn new(graph: &'a Graph, needs: &'a [Need], ii: Option<i64>) -> Option<Self> {
        let count = graph.len();
        let latencies: i64 = graph.edges.iter().map(|e| e.latency.max(0)).sum();
        Some(Self {
            graph,
            needs,
            ii,
            horizon: latencies.min(9 * count as i64) + 2 * count as i64 + 64,
            into: Links::new(count, ii, |op| graph.entering(op), |e| e.from),
            out: Links::new(count, ii, |op| graph.leaving(op), |e| e.to),
            heights: graph.heights(ii.unwrap_or(1 << 40)).ok()?,
            pace: pace(needs, ii),
        })
    }

    /// Returns the number of cycles from the first operation to the one after the last that dependences set at least.
    pub(super) fn least_length(&self) -> i64 {
        self.heights.iter().max().map_or(0, |height| height + 1)
    }

    /// Places the operations in all orders, one after the other, and returns the times that were found.
    pub(super) fn placed(&self) -> impl Iterator<Item = Times> {
        Order::ALL.into_iter().filter_map(|order| self.place(order))
    }

    /// Places the operations. `None` if that has not been found to be possible.
    fn place(&self, order: Order) -> Option<Times> {
        let count = self.needs.len();
        let late = match order.rule {
            Rule::Program => Late::Sources,
            Rule::Backward => Late::All,
            _ => Late::None,
        };
        let mut table = Table::new(self, late, order.close);
        let mut queue = Queue::new(&self.ranks(order.rule));
        let is_paced = order.rule != Rule::Height;
        let mut budget = BUDGET * count + 64;
        while let Some(op) = queue.pop() {
            budget = budget.checked_sub(1)?;
            let choice = table.choose(op, if is_paced { self.pace[op] } else { 0 })?;
            table.reserve(op, choice).into_iter().for_each(|op| queue.push(op));
        }
        table.sink();
        table.finish()
    }

    /// Returns the order of the queue: a lower rank is taken first. Sources come right after the first operation that uses
    /// them.
    fn ranks(&self, rule: Rule) -> Vec<i64> {
        let count = self.needs.len();
        let mut ranks: Vec<i64> = match rule {
            Rule::Program | Rule::Forward => (0..count).map(|op| 2 * op as i64).collect(),
            Rule::Backward => {
                let last = 2 * count as i64;
                let on_cycles = &self.graph.on_cycles;
                let back = |op: usize| if on_cycles[op] { op as i64 } else { last - op as i64 };
                (0..count).map(back).collect()
            }
            Rule::Height => {
                let mut by_height: Vec<usize> = (0..count).collect();
                by_height.sort_by_key(|&op| (Reverse(self.heights[op]), op));
                let mut ranks = vec![0; count];
                for (rank, op) in by_height.into_iter().enumerate() {
                    ranks[op] = 2 * rank as i64;
                }
                ranks
            }
        };
        if rule == Rule::Program {
            for op in (0..count).rev().filter(|&op| self.needs[op].source) {
                let leaving = self.graph.leaving(op).iter();
                let users = leaving.filter(|e| e.distance == 0 && e.latency > 0);
                if let Some(first) = users.map(|e| ranks[e.to]).min() {
                    ranks[op] = first + 1;
                }
            }
        }
        ranks
    }
}

/// Returns the share of the interval (or of the cycles, without one) that the operations written before each one need.
fn pace(needs: &[Need], ii: Option<i64>) -> Vec<i64> {
    let total = [false, true].map(|x| needs.iter().filter(|n| n.exchange == x).count());
    let most = total[0].max(total[1]).max(1) as i64;
    let length = ii.unwrap_or(most);
    let mut before = [0, 0];
    let mut pace = Vec::new();
    for need in needs {
        pace.push(before[0].max(before[1]) * length / most);
        before[usize::from(need.exchange)] += 1;
    }
    pace
}

/// Operations that wait for a time, taken by their ranks.
struct Queue {
    /// All operations, the one that is taken first in front.
    order: Vec<usize>,
    /// The place of each operation in that order.
    places: Vec<usize>,
    /// Places of the operations that wait, as bits; none is set before `front`.
    waiting: Bits,
    front: usize,
}

impl Queue {
    /// Creates a queue in which all operations wait. Of operations of the same rank the one written first is taken first.
    fn new(ranks: &[i64]) -> Self {
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&op| (ranks[op], op));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &op)| places[op] = place);
        let mut waiting = Bits::new(order.len());
        waiting.set_all(0..order.len());
        Self { order, places, waiting, front: 0 }
    }

    fn pop(&mut self) -> Option<usize> {
        let place = self.waiting.first_set(self.front..self.order.len())?;
        self.waiting.set(place, false);
        self.front = place + 1;
        Some(self.order[place])
    }

    fn push(&mut self, op: usize) {
        let place = self.places[op];
        self.waiting.set(place, true);
        self.front = self.front.min(place);
    }
}

/// Time that was chosen for an operation.
#[derive(Clone, Copy)]
struct Choice {
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
enum Late {
    None,
    Sources,
    All,
}

/// The operation in each slot, by its index and one, by cycle, modulo the interval if there is one.
struct Table<'a> {
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
    fn new(placing: &'a Placing<'a>, late: Late, is_close: bool) -> Self {
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
    fn there(&self, exchange: bool, cell: usize) -> Option<usize> {
        self.cells[usize::from(exchange)][cell].map(|op| op.get() as usize - 1)
    }

    /// Returns the operations that keep `op` from issuing in a cell of the table.
    fn in_the_way(&self, op: usize, cell: usize) -> [Option<usize>; 2] {
        let need = self.need(op);
        let own = self.there(need.exchange, cell).filter(|&o| o != op);
        let has_other_predicate = |o: &usize| {
            let theirs = self.need(*o).predicate;
            theirs.is_some() && theirs != need.predicate
        };
        let other = need.predicate.and_then(|_| self.there(!need.exchange, cell));
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
    fn choose(&self, op: usize, pace: i64) -> Option<Choice> {
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
    fn reserve(&mut self, op: usize, choice: Choice) -> Vec<usize> {
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
            if self.there(self.need(op).exchange, cell) == Some(op) {
                self.cells[slot][cell] = None;
                self.taken[slot].set(cell, false);
            }
        }
    }

    /// Moves sources to the last cycle at which they are in time, the latest ones first.
    fn sink(&mut self) {
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
    fn finish(self) -> Option<Times> {
        let times = self.times;
        if times.contains(&UNPLACED) {
            return None;
        }
        let first = times.iter().min().copied().unwrap_or(0);
        Some(times.into_iter().map(|t| t - first).collect())
    }
}
