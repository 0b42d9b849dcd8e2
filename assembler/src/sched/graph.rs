//! Dependences between the operations of a block, and the bound that their cycles set on the
//! initiation interval. Where the edges come from is in `deps`.

use std::collections::HashMap;

/// Operation `to`, `distance` iterations later, issues at least `latency` cycles after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) latency: i64,
    pub(super) distance: i64,
}

/// The dependences of a block; operations count from 0 in program order.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) edges: Vec<Edge>,
    /// Indices into `edges`, by the operation that they leave.
    pub(super) out: Vec<Vec<usize>>,
    /// Indices into `edges`, by the operation that they enter.
    pub(super) into: Vec<Vec<usize>>,
    /// The edge between two operations at a distance.
    known: HashMap<(usize, usize, i64), usize>,
}

impl Graph {
    /// A graph of `count` operations without edges.
    pub(super) fn new(count: usize) -> Self {
        let none = vec![Vec::new(); count];
        Self { edges: Vec::new(), out: none.clone(), into: none, known: HashMap::new() }
    }

    /// How many operations there are.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Adds an edge; a weaker one between the same operations at the same distance is replaced.
    pub(super) fn add(&mut self, edge: Edge) {
        if edge.from == edge.to && edge.distance == 0 {
            return;
        }
        let key = (edge.from, edge.to, edge.distance);
        match self.known.get(&key) {
            Some(&e) => self.edges[e].latency = self.edges[e].latency.max(edge.latency),
            None => {
                self.known.insert(key, self.edges.len());
                self.out[edge.from].push(self.edges.len());
                self.into[edge.to].push(self.edges.len());
                self.edges.push(edge);
            }
        }
    }

    /// Edges that leave an operation.
    pub(super) fn leaving(&self, op: usize) -> impl Iterator<Item = &Edge> {
        self.out[op].iter().map(|&e| &self.edges[e])
    }

    /// Edges that enter an operation.
    pub(super) fn entering(&self, op: usize) -> impl Iterator<Item = &Edge> {
        self.into[op].iter().map(|&e| &self.edges[e])
    }

    /// The operations on cycles of edges that take time: each begins with what an iteration before
    /// has made.
    pub(super) fn on_cycles(&self) -> Vec<bool> {
        let mut found = vec![false; self.len()];
        let carried = self.edges.iter().filter(|e| e.distance > 0 && e.latency > 0);
        for edge in carried {
            let ahead = self.reached(edge.to, &self.out, |e| e.to);
            let back = self.reached(edge.from, &self.into, |e| e.from);
            for op in 0..self.len() {
                found[op] |= ahead[op] && back[op];
            }
        }
        found
    }

    /// What edges of one iteration that take time lead to from `start`.
    fn reached(
        &self,
        start: usize,
        edges: &[Vec<usize>],
        end: impl Fn(&Edge) -> usize,
    ) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        reached[start] = true;
        let mut queue = vec![start];
        while let Some(op) = queue.pop() {
            for edge in edges[op].iter().map(|&e| &self.edges[e]) {
                let next = end(edge);
                if edge.distance == 0 && edge.latency > 0 && !reached[next] {
                    reached[next] = true;
                    queue.push(next);
                }
            }
        }
        reached
    }

    /// Longest distance from each operation to the end of an iteration, or an operation on a cycle
    /// that no schedule of this interval can meet.
    pub(super) fn heights(&self, ii: i64) -> Result<Vec<i64>, Vec<usize>> {
        let n = self.len();
        let mut height = vec![0_i64; n];
        let mut through: Vec<Option<usize>> = vec![None; n];
        for round in 0..=n {
            let mut changed = None;
            for op in (0..n).rev() {
                for &e in &self.out[op] {
                    let edge = &self.edges[e];
                    let h = height[edge.to] + edge.latency - ii * edge.distance;
                    if h > height[op] {
                        height[op] = h;
                        through[op] = Some(e);
                        changed = Some(op);
                    }
                }
            }
            match changed {
                None => return Ok(height),
                Some(op) if round == n => return Err(self.cycle(op, &through)),
                Some(_) => {}
            }
        }
        Ok(height)
    }

    /// The operations of the cycle that following `through` from `start` leads into.
    fn cycle(&self, start: usize, through: &[Option<usize>]) -> Vec<usize> {
        let step = |op: usize| through[op].map(|e| self.edges[e].to);
        let mut op = start;
        for _ in 0..self.len() {
            let Some(next) = step(op) else { return vec![op] };
            op = next;
        }
        let first = op;
        let mut cycle = vec![first];
        while let Some(next) = step(op).filter(|&next| next != first) {
            cycle.push(next);
            op = next;
        }
        cycle
    }

    /// The recurrence bound: the least initiation interval that every dependence cycle allows, at
    /// least 1, and the operations of a cycle that sets it (none if no cycle does).
    pub(super) fn recurrence_bound(&self) -> (i64, Vec<usize>) {
        let mut low = 1;
        let mut critical = Vec::new();
        let mut high = self.edges.iter().map(|e| e.latency.max(0)).sum::<i64>().max(1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.heights(middle) {
                Ok(_) => high = middle,
                Err(cycle) => {
                    critical = cycle;
                    low = middle + 1;
                }
            }
        }
        if low > 1
            && let Err(cycle) = self.heights(low - 1)
        {
            critical = cycle;
        }
        (low, critical)
    }
}
