//! What the machine is measured beside: programs for a processor, bit-parallel where the problem is one of bits, and petgraph.

use cp2_star::graph::Graph;
use cp2_star::run::Insertion;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Reversed, Visitable as _, Walker as _};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A square matrix of bits, P(i, j) = 1 if a path leads from i to j, as columns of 64-bit words one behind the other: bit i mod 64
/// of word i div 64 of column j. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    n: usize,
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// Creates a matrix of zeros.
    pub fn zeros(n: usize) -> Self {
        let words = n.div_ceil(64);
        Self { n, words, bits: vec![0; n * words] }
    }

    /// Creates a matrix from its words; those that are missing are 0.
    pub fn from_bits(n: usize, mut bits: Vec<u64>) -> Self {
        let words = n.div_ceil(64);
        bits.resize(n * words, 0);
        Self { n, words, bits }
    }

    /// Creates the matrix of the arcs of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut matrix = Self::zeros(graph.vertices());
        graph.arcs().iter().for_each(|arc| matrix.set(arc.tail - 1, arc.head - 1));
        matrix
    }

    /// Returns the number of rows and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Returns the number of words of a column.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the words, column behind column.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// Returns a bit.
    pub fn get(&self, i: usize, j: usize) -> bool {
        self.bits[j * self.words + i / 64] >> (i % 64) & 1 == 1
    }

    /// Sets a bit.
    pub fn set(&mut self, i: usize, j: usize) {
        self.bits[j * self.words + i / 64] |= 1 << (i % 64);
    }

    /// Returns the number of ones.
    pub fn ones(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Closes the matrix: Warshall's algorithm, 64 rows at a time, in one thread.
    pub fn close(&mut self) {
        for k in 0..self.n {
            let pivot = self.bits[k * self.words..(k + 1) * self.words].to_vec();
            for column in self.bits.chunks_exact_mut(self.words) {
                if column[k / 64] >> (k % 64) & 1 == 1 {
                    column.iter_mut().zip(&pivot).for_each(|(word, other)| *word |= other);
                }
            }
        }
    }

    /// Closes the matrix 64 pivots at a time, in all threads: the pivots are closed among each other, then each column takes
    /// those that it has, closed.
    pub fn close_by_blocks(&mut self) {
        let (n, words) = (self.n, self.words);
        for at in 0..words {
            let first = 64 * at;
            let mut pivots = self.bits[first * words..n.min(first + 64) * words].to_vec();
            for k in 0..pivots.len() / words {
                let pivot = pivots[k * words..(k + 1) * words].to_vec();
                for column in pivots.chunks_exact_mut(words) {
                    if column[at] >> k & 1 == 1 {
                        column.iter_mut().zip(&pivot).for_each(|(word, other)| *word |= other);
                    }
                }
            }
            self.bits.par_chunks_exact_mut(words).for_each(|column| {
                let mut left = column[at];
                while left != 0 {
                    let k = left.trailing_zeros() as usize;
                    let pivot = &pivots[k * words..(k + 1) * words];
                    column.iter_mut().zip(pivot).for_each(|(word, other)| *word |= other);
                    left &= left - 1;
                }
            });
        }
    }

    /// Inserts an arc into a closed matrix, which stays closed: what reaches i reaches all that j reaches.
    pub fn insert(&mut self, i: usize, j: usize) {
        if self.get(i, j) {
            return;
        }
        let mut added = self.bits[i * self.words..(i + 1) * self.words].to_vec();
        added[i / 64] |= 1 << (i % 64);
        for (b, column) in self.bits.chunks_exact_mut(self.words).enumerate() {
            if b == j || column[j / 64] >> (j % 64) & 1 == 1 {
                column.iter_mut().zip(&added).for_each(|(word, other)| *word |= other);
            }
        }
    }
}

/// A graph of petgraph.
pub struct PetGraph(DiGraph<(), u64>);

impl PetGraph {
    /// Creates the graph.
    pub fn of(graph: &Graph) -> Self {
        let mut made = DiGraph::with_capacity(graph.vertices(), graph.arcs().len());
        (0..graph.vertices()).for_each(|_| {
            made.add_node(());
        });
        for arc in graph.arcs() {
            let [tail, head] = [arc.tail, arc.head].map(|vertex| NodeIndex::new(vertex - 1));
            made.add_edge(tail, head, arc.weight);
        }
        Self(made)
    }

    /// Returns the closure: a search against the arcs from each vertex.
    pub fn closure(&self) -> BitMatrix {
        let mut matrix = BitMatrix::zeros(self.0.node_count());
        let reversed = Reversed(&self.0);
        let mut visited = self.0.visit_map();
        for j in self.0.node_indices() {
            visited.clear();
            // A vertex reaches itself only by a path of arcs, so the search begins with its neighbours.
            let stack = self.0.neighbors_directed(j, petgraph::Direction::Incoming).collect();
            let mut search = petgraph::visit::Dfs::from_parts(stack, std::mem::take(&mut visited));
            while let Some(i) = search.next(reversed) {
                matrix.set(i.index(), j.index());
            }
            visited = search.discovered;
        }
        matrix
    }

    /// Returns the distances from a vertex, from 1.
    pub fn distances(&self, source: usize) -> Vec<Option<u64>> {
        let source = NodeIndex::new(source - 1);
        let found = petgraph::algo::dijkstra(&self.0, source, None, |edge| *edge.weight());
        self.0.node_indices().map(|vertex| found.get(&vertex).copied()).collect()
    }

    /// Returns how many vertices a vertex, from 1, reaches, itself among them.
    pub fn reached(&self, source: usize) -> usize {
        let search = petgraph::visit::Dfs::new(&self.0, NodeIndex::new(source - 1));
        search.iter(&self.0).count()
    }
}

/// Shortest paths by lists of arcs, kept while arcs are inserted: Dijkstra's algorithm with a heap, and that of Ramalingam and Reps
/// for insertions.
#[derive(Clone, Debug)]
pub struct ListPaths {
    /// Arcs that leave each vertex: head and weight.
    arcs: Vec<Vec<(u32, u64)>>,
    /// Distance of each vertex; the greatest number where no path leads.
    distances: Vec<u64>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Vertices that were taken.
    taken: u64,
    /// Arcs that were looked at.
    looked_at: u64,
}

impl ListPaths {
    /// Creates the lists of a graph, and finds the paths from a vertex, from 1.
    pub fn new(graph: &Graph, source: usize) -> Self {
        let mut arcs = vec![Vec::new(); graph.vertices()];
        for arc in graph.arcs() {
            arcs[arc.tail - 1].push((arc.head as u32 - 1, arc.weight));
        }
        let distances = vec![u64::MAX; graph.vertices()];
        let mut made = Self { arcs, distances, heap: BinaryHeap::new(), taken: 0, looked_at: 0 };
        made.run(source);
        made
    }

    /// Finds the paths from a vertex, from 1.
    pub fn run(&mut self, source: usize) {
        self.distances.fill(u64::MAX);
        self.distances[source - 1] = 0;
        self.heap.push(Reverse((0, source as u32 - 1)));
        self.spread();
    }

    fn spread(&mut self) {
        while let Some(Reverse((distance, tail))) = self.heap.pop() {
            if distance > self.distances[tail as usize] {
                continue;
            }
            self.taken += 1;
            self.looked_at += self.arcs[tail as usize].len() as u64;
            for &(head, weight) in &self.arcs[tail as usize] {
                let sum = distance + weight;
                if sum < self.distances[head as usize] {
                    self.distances[head as usize] = sum;
                    self.heap.push(Reverse((sum, head)));
                }
            }
        }
    }

    /// Inserts an arc; of arcs between the same vertices the least weight stays.
    pub fn insert(&mut self, arc: &Insertion) {
        let (tail, head) = (arc.tail - 1, arc.head - 1);
        let list = &mut self.arcs[tail];
        match list.iter_mut().find(|(known, _)| *known as usize == head) {
            Some((_, weight)) if *weight <= arc.weight => return,
            Some((_, weight)) => *weight = arc.weight,
            None => list.push((head as u32, arc.weight)),
        }
        if let Some(sum) = self.distances[tail].checked_add(arc.weight)
            && sum < self.distances[head]
        {
            self.distances[head] = sum;
            self.heap.push(Reverse((sum, head as u32)));
            self.spread();
        }
    }

    /// Returns the distances, `None` where no path leads.
    pub fn distances(&self) -> Vec<Option<u64>> {
        self.distances.iter().map(|&d| (d != u64::MAX).then_some(d)).collect()
    }

    /// Returns the vertices that were taken and the arcs that were looked at since the lists were made.
    pub fn work(&self) -> [u64; 2] {
        [self.taken, self.looked_at]
    }
}
