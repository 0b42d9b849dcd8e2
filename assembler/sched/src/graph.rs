//! Dependences between the operations of a block, and the bound that their cycles set on the
//! initiation interval. Where the edges come from is in `deps`.

use super::bits::Bits;
use std::collections::HashMap;

/// Operation `to`, `distance` iterations later, issues at least `latency` cycles after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) latency: i64,
    pub(super) distance: i64,
}

/// The edges of a graph that is being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    all: Vec<Edge>,
    /// The edge between two operations at a distance.
    known: HashMap<(usize, usize, i64), usize>,
}

impl Edges {
    /// Adds an edge; a weaker one between the same operations at the same distance is replaced.
    pub(super) fn add(&mut self, edge: Edge) {
        if edge.from == edge.to && edge.distance == 0 {
            return;
        }
        let next = self.all.len();
        let at = *self.known.entry((edge.from, edge.to, edge.distance)).or_insert(next);
        match self.all.get_mut(at) {
            Some(known) => known.latency = known.latency.max(edge.latency),
            None => self.all.push(edge),
        }
    }
}

/// The dependences of a block; operations count from 0 in program order. Within an iteration they
/// lead from earlier operations to later ones.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) edges: Vec<Edge>,
    /// Edges by the operation that they leave.
    out: Vec<Vec<Edge>>,
    /// Edges by the operation that they enter.
    into: Vec<Vec<Edge>>,
    /// The operations on cycles of edges that take time: each begins with what an iteration before
    /// has made.
    pub(super) on_cycles: Vec<bool>,
}

impl Graph {
    /// Creates a graph of `count` operations.
    pub(super) fn new(count: usize, edges: Edges) -> Self {
        let edges = edges.all;
        debug_assert!(edges.iter().all(|e| e.distance > 0 || e.from < e.to));
        let (mut out, mut into) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for &edge in &edges {
            out[edge.from].push(edge);
            into[edge.to].push(edge);
        }
        let on_cycles = on_cycles(&out, &edges);
        Self { edges, out, into, on_cycles }
    }

    /// Returns the number of operations.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Returns the edges that leave an operation.
    pub(super) fn leaving(&self, op: usize) -> &[Edge] {
        &self.out[op]
    }

    /// Returns the edges that enter an operation.
    pub(super) fn entering(&self, op: usize) -> &[Edge] {
        &self.into[op]
    }

    /// Returns the longest distance from each operation to the end of an iteration, or the operations of a cycle that no
    /// schedule of this interval can meet.
    pub(super) fn heights(&self, ii: i64) -> Result<Vec<i64>, Vec<usize>> {
        let mut ways = Ways::new(self, ii);
        while ways.round() {
            if let Some(op) = ways.go_round() {
                return Err(ways.cycle(op));
            }
        }
        Ok(ways.height)
    }

    /// Returns the recurrence bound: the least initiation interval that every dependence cycle allows, at least 1, and the
    /// operations of a cycle that sets it (none if no cycle does).
    pub(super) fn recurrence_bound(&self) -> (i64, Vec<usize>) {
        let mut low = 1;
        let mut high = self.edges.iter().map(|e| e.latency.max(0)).sum::<i64>().max(1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.heights(middle) {
                Ok(_) => high = middle,
                Err(_) => low = middle + 1,
            }
        }
        let critical = if low > 1 { self.heights(low - 1).err() } else { None };
        (low, critical.unwrap_or_default())
    }
}

/// Longest ways to the end of an iteration, found round by round: in each round every operation
/// looks at the edges that leave it, from the last one to the first.
struct Ways<'a> {
    graph: &'a Graph,
    ii: i64,
    height: Vec<i64>,
    /// Operation with which the longest way from each operation goes on.
    next: Vec<Option<usize>>,
    /// Operations that have a neighbour whose height has changed since they looked.
    stale: Vec<bool>,
}

impl<'a> Ways<'a> {
    fn new(graph: &'a Graph, ii: i64) -> Self {
        let n = graph.len();
        let (height, next, stale) = (vec![0; n], vec![None; n], vec![true; n]);
        Self { graph, ii, height, next, stale }
    }

    /// Goes through all edges once; false if nothing has changed.
    fn round(&mut self) -> bool {
        let mut any = false;
        for op in (0..self.height.len()).rev() {
            if std::mem::take(&mut self.stale[op]) && self.relax(op) {
                self.graph.into[op].iter().for_each(|e| self.stale[e.from] = true);
                any = true;
            }
        }
        any
    }

    /// Whether an operation finds a longer way.
    fn relax(&mut self, op: usize) -> bool {
        let before = self.height[op];
        for edge in &self.graph.out[op] {
            let height = self.height[edge.to] + edge.latency - self.ii * edge.distance;
            if height > self.height[op] {
                self.height[op] = height;
                self.next[op] = Some(edge.to);
            }
        }
        self.height[op] > before
    }

    /// Returns an operation that its own longest way comes back to: such a way has no end.
    fn go_round(&self) -> Option<usize> {
        // The walk by which an operation was seen first.
        let mut seen = vec![usize::MAX; self.next.len()];
        (0..self.next.len()).find_map(|start| {
            let mut at = Some(start);
            while let Some(op) = at.filter(|&op| seen[op] == usize::MAX) {
                seen[op] = start;
                at = self.next[op];
            }
            at.filter(|&op| seen[op] == start)
        })
    }

    /// Returns the operations of the cycle that an operation is on, from the one written first on.
    fn cycle(&self, of: usize) -> Vec<usize> {
        let mut cycle = vec![of];
        let mut at = self.next[of];
        while let Some(op) = at.filter(|&op| op != of) {
            cycle.push(op);
            at = self.next[op];
        }
        let first = (0..cycle.len()).min_by_key(|&k| cycle[k]).unwrap_or(0);
        cycle.rotate_left(first);
        cycle
    }
}

/// See [`Graph::on_cycles`].
fn on_cycles(out: &[Vec<Edge>], edges: &[Edge]) -> Vec<bool> {
    let carried = || edges.iter().filter(|e| e.distance > 0 && e.latency > 0);
    if carried().next().is_none() {
        return vec![false; out.len()];
    }
    // What an operation leads to, and what leads to it, by edges of one iteration that take time.
    let mut ahead = vec![Bits::new(out.len()); out.len()];
    (0..out.len()).for_each(|op| ahead[op].set(op, true));
    let mut back = ahead.clone();
    let within = |op: usize| out[op].iter().filter(|e| e.distance == 0 && e.latency > 0);
    for op in 0..out.len() {
        let (before, after) = back.split_at_mut(op + 1);
        within(op).for_each(|e| after[e.to - op - 1].join(&before[op]));
    }
    for op in (0..out.len()).rev() {
        let (before, after) = ahead.split_at_mut(op + 1);
        within(op).for_each(|e| before[op].join(&after[e.to - op - 1]));
    }
    let mut found = Bits::new(out.len());
    carried().for_each(|edge| found.join_common(&ahead[edge.to], &back[edge.from]));
    (0..out.len()).map(|op| found.is_set(op)).collect()
}
