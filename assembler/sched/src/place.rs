//! Placing operations in time: iterative modulo scheduling, and list scheduling as the case without
//! an interval. Registers are not looked at here, but the order in which operations are taken
//! keeps values short-lived.

mod queue;
mod table;

use super::graph::{Edge, Graph};
use queue::Queue;
use std::cmp::Reverse;
use table::{Late, Table};

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
