//! The problem that the solver gets: which schedules of a loop have a given interval and length, and hold their values in the
//! registers that there are. Plain numbers; what they mean to the solver is in `encode` and `theory`.

use crate::deps::BlockProblem;
use crate::graph::Edge;
use crate::place::{Need, Times};
use crate::registers::Allocation;
use cp2_isa::{Core, Unit};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A value that takes a register from when it lands until it has been read for the last time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    /// The operation that makes the value.
    pub(crate) def: usize,
    /// Cycles from the issue of that operation to the first one in which the value takes its register.
    pub(crate) start: i64,
    /// Operations that need the value, each with the cycles from its issue to the last one in which it needs it. The
    /// operation that makes the value is one of them: a value takes its register for a cycle at least.
    pub(crate) uses: Vec<(usize, i64)>,
}

impl Life {
    /// Returns the first and the last cycle in which the value takes a register.
    pub(crate) fn interval(&self, times: &[i64]) -> (i64, i64) {
        let last = self.uses.iter().map(|&(op, offset)| times[op] + offset).max();
        let first = times[self.def] + self.start;
        (first, last.unwrap_or(first))
    }
}

/// Conditions that a schedule has to keep. Times count from the first cycle of an iteration.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Initiation interval in cycles.
    pub(crate) ii: i64,
    /// First and last cycle in which each operation may issue.
    pub(crate) windows: Vec<(i64, i64)>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) needs: Vec<Need>,
    pub(crate) lives: Vec<Life>,
    /// Registers that there are for the values; `None` if their number does not count.
    pub(crate) registers: Option<usize>,
}

/// Returns the cycles in which a value of a block takes its register, where the value is alone in it or, if not, without what
/// may overlap with other values there.
fn life(core: &Core, block: &BlockProblem, value: usize, is_alone: bool) -> Life {
    let latencies = core.latencies();
    let value = &block.webs.values[value];
    // `psprmsgn` sees a load one cycle before anybody else.
    let early = i64::from(value.unit == Unit::Load && is_alone);
    let start = i64::from(latencies.write_fpr(value.unit)) - early;
    let mut uses = vec![(value.def, start)];
    uses.extend(value.readers.iter().map(|&op| (op, 0)));
    // Where values share a register, an early cycle and what a keeper adds would be counted twice.
    if is_alone {
        let longest = i64::from(latencies.longest());
        uses.extend(value.keepers.iter().map(|&op| (op, longest - 1)));
    }
    Life { def: value.def, start, uses }
}

/// Returns the values of a block as the solver counts them: never longer, nor more of them at once, than they are.
pub(crate) fn lives(core: &Core, block: &BlockProblem) -> Vec<Life> {
    let webs = block.webs.webs.iter();
    webs.flat_map(|web| {
        let is_alone = web.values.len() == 1;
        web.values.iter().map(move |&value| (value, is_alone))
    })
    .map(|(value, is_alone)| life(core, block, value, is_alone))
    .collect()
}

/// Returns for each value the operation that makes it and the least number of cycles for which it takes a register, by the
/// longest way of dependences to an operation that needs it; `None` if no schedule has this interval.
pub(crate) fn shortest_lives(
    core: &Core,
    block: &BlockProblem,
    ii: i64,
) -> Option<Vec<(usize, i64)>> {
    let graph = &block.graph;
    let mut shortest = Vec::new();
    for life in lives(core, block) {
        // Longest ways from the operation that makes the value.
        let mut ways: Vec<Option<i64>> = vec![None; graph.len()];
        ways[life.def] = Some(0);
        let mut queue = VecDeque::from([life.def]);
        let mut steps = 0;
        while let Some(op) = queue.pop_front() {
            steps += 1;
            if steps > 64 * graph.len() + 64 {
                return None;
            }
            for edge in graph.leaving(op) {
                let way = ways[op].map(|way| way + edge.latency - ii * edge.distance);
                if edge.distance == 0 && way > ways[edge.to] {
                    ways[edge.to] = way;
                    queue.push_back(edge.to);
                }
            }
        }
        let ends = life.uses.iter().filter_map(|&(op, offset)| Some(ways[op]? + offset));
        let last = ends.max().unwrap_or(life.start);
        shortest.push((life.def, (last - life.start + 1).max(1)));
    }
    Some(shortest)
}

/// A value in a register: where on the circle it begins, its web in an iteration of the kernel, the value, its iteration.
type Held = (i64, (usize, i64), usize, i64);

/// Returns the edges that keep values in the registers that they have in a schedule, in the order in which they have them.
pub(crate) fn kept(
    core: &Core,
    block: &BlockProblem,
    times: &Times,
    (ii, allocation): (i64, &Allocation),
) -> Vec<Edge> {
    let length = ii * allocation.unroll;
    let mut held: BTreeMap<u8, Vec<Held>> = BTreeMap::new();
    let all: Vec<Life> = (0..block.webs.values.len()).map(|v| life(core, block, v, true)).collect();
    for (w, web) in block.webs.webs.iter().enumerate() {
        for (u, &register) in (0..).zip(&allocation.registers[w]) {
            for &value in &web.values {
                let start = all[value].interval(times).0 + u * ii;
                let turns = start.div_euclid(length);
                let iteration = u - turns * allocation.unroll;
                let row = start.rem_euclid(length);
                held.entry(register).or_default().push((row, (w, u), value, iteration));
            }
        }
    }
    let mut edges = Vec::new();
    for held in held.values_mut() {
        held.sort_unstable();
        for (k, &(_, web, value, iteration)) in held.iter().enumerate() {
            let around = (k + 1..held.len()).map(|n| (n, 0)).chain((0..k).map(|n| (n, 1)));
            let next =
                around.map(|(n, turn)| (held[n], turn)).find(|((_, other, ..), _)| *other != web);
            let Some(((_, _, other, later), turn)) = next else { continue };
            let distance = later + turn * allocation.unroll - iteration;
            let to = all[other].def;
            for &(from, offset) in &all[value].uses {
                edges.push(Edge { from, to, latency: offset + 1 - all[other].start, distance });
            }
        }
    }
    edges
}

impl Problem {
    /// Creates the problem of a schedule of an interval in which an iteration takes at most `length` cycles from its first
    /// operation to its last; `None` if dependences alone forbid it.
    pub(crate) fn new(
        block: &BlockProblem,
        needs: &[Need],
        (ii, length): (i64, i64),
        further: &[Edge],
    ) -> Option<Self> {
        let mut edges = block.graph.edges.clone();
        edges.extend(further);
        if block.placing().edges != edges {
            edges.extend(&block.placing().edges);
        }
        let windows = windows(needs.len(), &edges, ii, length)?;
        let (lives, registers) = (Vec::new(), None);
        Some(Self { ii, windows, edges, needs: needs.to_vec(), lives, registers })
    }

    /// Creates the problem of a schedule of an interval, however long an iteration takes and however many registers there are;
    /// `None` if dependences alone forbid it.
    pub(crate) fn unlimited(block: &BlockProblem, needs: &[Need], ii: i64) -> Option<Self> {
        let (edges, windows) = (block.graph.edges.clone(), stretched(block, ii)?);
        let (lives, registers) = (Vec::new(), None);
        Some(Self { ii, windows, edges, needs: needs.to_vec(), lives, registers })
    }

    /// Returns an estimate of the clauses of the problem.
    pub(crate) fn size(&self) -> i64 {
        let length = |op: usize| self.windows[op].1 - self.windows[op].0 + 1;
        let own: i64 = (0..self.windows.len()).map(|op| 4 * length(op)).sum();
        own + self.edges.iter().map(|e| length(e.from)).sum::<i64>()
    }

    /// Narrows the windows to `reach` cycles around these times; what lies outside of its window gets the end near it.
    pub(crate) fn near(&mut self, times: &Times, reach: i64) {
        for ((first, last), &time) in self.windows.iter_mut().zip(times) {
            let time = time.clamp(*first, *last);
            (*first, *last) = ((time - reach).max(*first), (time + reach).min(*last));
        }
    }

    /// Returns the number of cycles that an edge sets between its ends.
    pub(crate) fn weight(&self, edge: &Edge) -> i64 {
        edge.latency - self.ii * edge.distance
    }
}

/// Returns the first and the last cycle at which each operation may issue by dependences alone, in an iteration of `length`
/// cycles; `None` if there is no schedule.
fn windows(count: usize, edges: &[Edge], ii: i64, length: i64) -> Option<Vec<(i64, i64)>> {
    let mut windows = vec![(0, length - 1); count];
    for _ in 0..=count {
        let mut changed = false;
        for edge in edges {
            let weight = edge.latency - ii * edge.distance;
            if edge.from == edge.to {
                if weight > 0 {
                    return None;
                }
                continue;
            }
            let (first, last) = (windows[edge.from].0 + weight, windows[edge.to].1 - weight);
            if first > windows[edge.to].0 {
                windows[edge.to].0 = first;
                changed = true;
            }
            if last < windows[edge.from].1 {
                windows[edge.from].1 = last;
                changed = true;
            }
        }
        if windows.iter().any(|(first, last)| first > last) {
            return None;
        }
        if !changed {
            return Some(windows);
        }
    }
    None
}

/// Returns the first and the last cycle at which each operation needs to be looked for; `None` if the interval is below the
/// recurrence bound.
///
/// Every schedule can be changed, without changing which cells are taken, until no operation outside
/// of a cycle of dependences is a whole interval later than the ones before it demand. Operations on
/// cycles get an interval more each, which bounds how far a cycle stretches.
fn stretched(block: &BlockProblem, ii: i64) -> Option<Vec<(i64, i64)>> {
    let graph = &block.graph;
    let count = graph.len();
    let mut first = vec![0_i64; count];
    for round in 0..=count {
        let mut changed = false;
        for edge in &graph.edges {
            let time = first[edge.from] + edge.latency - ii * edge.distance;
            if time > first[edge.to] {
                first[edge.to] = time;
                changed = true;
            }
        }
        if !changed {
            break;
        }
        if round == count {
            return None;
        }
    }
    // An edge over more iterations than any schedule has stages sets nothing.
    let carried = graph.edges.iter().filter(|e| (1..64).contains(&e.distance) && e.from != e.to);
    let slack = ii * (1 + carried.map(|e| e.to).collect::<BTreeSet<_>>().len() as i64);
    let mut last = vec![0_i64; count];
    for op in 0..count {
        let before = graph.entering(op).iter().filter(|e| e.distance == 0);
        let demanded = before.map(|e| last[e.from] + e.latency).max().unwrap_or(0).max(first[op]);
        last[op] = demanded + ii - 1;
    }
    Some((0..count).map(|op| (first[op], last[op] + slack)).collect())
}
