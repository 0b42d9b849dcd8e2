//! Shortest paths and reachability from a source as whole programs on a device, each a single launch of one work-group, and the
//! insertion of arcs into shortest paths. Parents are vertices from 1, 0 for none.

use crate::backend::words_of;
use crate::error::StarGpuError;
use crate::kernels::{PATHS, program};
use cp2_gpu::GpuArgument::{Int, Ints, Words};
use cp2_gpu::{Gpu, GpuBuffer, GpuKernel};
use cp2_star::graph::Graph;
use cp2_star::machine::{BitVector, greatest_number};
use cp2_star::run::Insertion;

/// Most work-items of a group, each with a word of 64 rows.
const MOST_ITEMS: usize = 1024;

/// Work of a program on paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathWork {
    /// Vertices that were taken, each time counted.
    pub passes: usize,
    /// Insertions that changed a distance.
    pub changed: usize,
    /// Most passes of an insertion.
    pub most: usize,
}

/// Returns the work-items of a group for so many rows.
fn items(gpu: &Gpu, rows: usize) -> Result<usize, StarGpuError> {
    let info = gpu.info();
    let most = MOST_ITEMS.min(info.items);
    let wanted = words_of(rows).max(1).next_multiple_of(32);
    if wanted > most {
        return Err(StarGpuError::Rows { rows, limit: 64 * most, device: info.name.clone() });
    }
    Ok(wanted)
}

/// Refuses what does not fit the memory of a device.
fn require(gpu: &Gpu, what: &str, words: usize) -> Result<(), StarGpuError> {
    let (info, bytes) = (gpu.info(), 8 * words as u64);
    let limit = info.memory.min(info.largest);
    if bytes <= limit {
        return Ok(());
    }
    Err(StarGpuError::Memory { what: what.to_owned(), bytes, limit, device: info.name.clone() })
}

/// Returns the table of weights of a graph, `bits` columns a band, column behind column.
fn weights(graph: &Graph, bits: usize) -> Vec<u64> {
    let words = words_of(graph.vertices());
    let none = BitVector::ones(graph.vertices());
    let mut table = none.words().repeat(graph.vertices() * bits);
    for arc in graph.arcs() {
        let (word, one) = ((arc.head - 1) / 64, 1 << ((arc.head - 1) % 64));
        for bit in (0..bits).filter(|&bit| arc.weight >> (bits - 1 - bit) & 1 == 0) {
            table[((arc.tail - 1) * bits + bit) * words + word] &= !one;
        }
    }
    table
}

/// Weights of a graph on a device, and the shortest paths from a source.
pub struct DevicePaths {
    gpu: Gpu,
    n: usize,
    bits: usize,
    items: usize,
    weights: GpuBuffer<u64>,
    distances: GpuBuffer<u64>,
    parents: GpuBuffer<i32>,
    work: GpuBuffer<i32>,
    paths: GpuKernel,
    insert: GpuKernel,
}

impl DevicePaths {
    /// Brings a graph to a device; weights and distances have `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// The table of weights does not fit, the graph has more vertices than a work-group has rows, or the device is lost.
    pub fn new(gpu: &Gpu, graph: &Graph, bits: usize) -> Result<Self, StarGpuError> {
        let n = graph.vertices();
        let (words, items) = (words_of(n), items(gpu, n)?);
        let what = format!("the weights of {n} vertices of {bits} bits");
        require(gpu, &what, n * bits * words)?;
        let defined = [("ITEMS", items as i64), ("H", bits as i64)];
        let built = program(gpu, PATHS, &defined)?;
        Ok(Self {
            gpu: gpu.clone(),
            n,
            bits,
            items,
            weights: gpu.buffer_of(&weights(graph, bits))?,
            distances: gpu.buffer(bits * words)?,
            parents: gpu.buffer(n)?,
            work: gpu.buffer(3)?,
            paths: built.kernel("paths")?,
            insert: built.kernel("insert_arcs")?,
        })
    }

    /// Brings the weights of a graph of the same size in place of those that are there.
    ///
    /// # Errors
    /// The size differs, or the device is lost.
    pub fn load(&mut self, graph: &Graph) -> Result<(), StarGpuError> {
        Ok(self.gpu.write(&self.weights, 0, &weights(graph, self.bits))?)
    }

    /// Finds the shortest paths from a vertex, from 1: DistSPT as one launch, which is in the queue when this returns.
    ///
    /// # Errors
    /// The vertex is not there, or the device is lost.
    pub fn run(&mut self, source: usize) -> Result<(), StarGpuError> {
        let arguments = [
            Words(&self.weights),
            Words(&self.distances),
            Ints(&self.parents),
            Ints(&self.work),
            Int(self.n as i32),
            Int(words_of(self.n) as i32),
            Int(place(source, self.n)?),
        ];
        self.gpu.launch_in_order(&self.paths, [&[self.items], &[self.items]], &arguments)?;
        Ok(())
    }

    /// Brings arcs to the device.
    ///
    /// # Errors
    /// A vertex is not there, or the device is lost.
    pub fn arcs(&self, arcs: &[Insertion]) -> Result<GpuBuffer<i32>, StarGpuError> {
        let mut numbers = Vec::with_capacity(4 * arcs.len());
        for arc in arcs {
            let (tail, head) = (place(arc.tail, self.n)?, place(arc.head, self.n)?);
            // The two halves of the weight, whose bits stay what they are.
            numbers.extend([tail, head, arc.weight as i32, (arc.weight >> 32) as i32]);
        }
        Ok(self.gpu.buffer_of(&numbers)?)
    }

    /// Inserts arcs one behind the other: InsertArcSPT for each, all in one launch, which is in the queue when this returns. Of
    /// the vertices that got nearer the nearest is taken next, or the first (STEP).
    ///
    /// # Errors
    /// The device is lost.
    pub fn insert(
        &mut self,
        arcs: &GpuBuffer<i32>,
        is_nearest_first: bool,
    ) -> Result<(), StarGpuError> {
        let arguments = [
            Words(&self.weights),
            Words(&self.distances),
            Ints(&self.parents),
            Ints(&self.work),
            Int(words_of(self.n) as i32),
            Ints(arcs),
            Int((arcs.count() / 4) as i32),
            Int(is_nearest_first.into()),
        ];
        self.gpu.launch_in_order(&self.insert, [&[self.items], &[self.items]], &arguments)?;
        Ok(())
    }

    /// Waits until the device has done all that was asked.
    ///
    /// # Errors
    /// The device is lost.
    pub fn finish(&self) -> Result<(), StarGpuError> {
        Ok(self.gpu.finish()?)
    }

    /// Returns the distances, `None` where no path leads, and the parents.
    ///
    /// # Errors
    /// The device is lost.
    pub fn results(&self) -> Result<(Vec<Option<u64>>, Vec<usize>), StarGpuError> {
        let words = words_of(self.n);
        let mut columns = vec![0; self.bits * words];
        self.gpu.read(&self.distances, 0, &mut columns)?;
        let none = greatest_number(self.bits);
        let distance = |row: usize| {
            let bit =
                |number: u64, column: &[u64]| number << 1 | (column[row / 64] >> (row % 64) & 1);
            let number = columns.chunks(words).fold(0, bit);
            (number != none).then_some(number)
        };
        Ok(((0..self.n).map(distance).collect(), parents(&self.gpu, &self.parents)?))
    }

    /// Returns the work of the last launch; of a search for paths only the passes.
    ///
    /// # Errors
    /// The device is lost.
    pub fn work(&self) -> Result<PathWork, StarGpuError> {
        let mut work = [0; 3];
        self.gpu.read(&self.work, 0, &mut work)?;
        let [passes, changed, most] = work.map(|number| number as usize);
        Ok(PathWork { passes, changed, most })
    }
}

/// Returns the place of a vertex, which counts from 1.
fn place(vertex: usize, n: usize) -> Result<i32, StarGpuError> {
    if (1..=n).contains(&vertex) {
        return Ok(vertex as i32 - 1);
    }
    let error = format!("vertex {vertex} is not there, there are 1 to {n}");
    Err(cp2_gpu::GpuError::Call { call: "a program on paths", error }.into())
}

fn parents(gpu: &Gpu, from: &GpuBuffer<i32>) -> Result<Vec<usize>, StarGpuError> {
    let mut parents = vec![0; from.count()];
    gpu.read(from, 0, &mut parents)?;
    Ok(parents.into_iter().map(|parent| parent as usize).collect())
}

/// Arcs of a graph on a device, and what a source reaches.
pub struct DeviceReach {
    gpu: Gpu,
    n: usize,
    items: usize,
    heads: GpuBuffer<u64>,
    reached: GpuBuffer<u64>,
    parents: GpuBuffer<i32>,
    work: GpuBuffer<i32>,
    reach: GpuKernel,
}

impl DeviceReach {
    /// Brings a graph to a device.
    ///
    /// # Errors
    /// The table of arcs does not fit, the graph has more vertices than a work-group has rows, or the device is lost.
    pub fn new(gpu: &Gpu, graph: &Graph) -> Result<Self, StarGpuError> {
        let n = graph.vertices();
        let (words, items) = (words_of(n), items(gpu, n)?);
        require(gpu, &format!("the arcs of {n} vertices"), n * words)?;
        let built = program(gpu, PATHS, &[("ITEMS", items as i64)])?;
        let heads = graph.by_heads();
        let heads: Vec<u64> = heads.columns().iter().flat_map(|c| c.words()).copied().collect();
        Ok(Self {
            gpu: gpu.clone(),
            n,
            items,
            heads: gpu.buffer_of(&heads)?,
            reached: gpu.buffer(words)?,
            parents: gpu.buffer(n)?,
            work: gpu.buffer(1)?,
            reach: built.kernel("reach")?,
        })
    }

    /// Finds what a vertex, from 1, reaches: ReachableVerSPT as one launch, which is in the queue when this returns.
    ///
    /// # Errors
    /// The vertex is not there, or the device is lost.
    pub fn run(&mut self, source: usize) -> Result<(), StarGpuError> {
        let arguments = [
            Words(&self.heads),
            Words(&self.reached),
            Ints(&self.parents),
            Ints(&self.work),
            Int(self.n as i32),
            Int(words_of(self.n) as i32),
            Int(place(source, self.n)?),
        ];
        self.gpu.launch_in_order(&self.reach, [&[self.items], &[self.items]], &arguments)?;
        Ok(())
    }

    /// Waits until the device has done all that was asked.
    ///
    /// # Errors
    /// The device is lost.
    pub fn finish(&self) -> Result<(), StarGpuError> {
        Ok(self.gpu.finish()?)
    }

    /// Returns the vertices that are reached, their parents, and the passes.
    ///
    /// # Errors
    /// The device is lost.
    pub fn results(&self) -> Result<(BitVector, Vec<usize>, usize), StarGpuError> {
        let (mut words, mut work) = (vec![0; words_of(self.n)], [0]);
        self.gpu.read(&self.reached, 0, &mut words)?;
        self.gpu.read(&self.work, 0, &mut work)?;
        let reached = BitVector::from_words(self.n, words);
        Ok((reached, parents(&self.gpu, &self.parents)?, work[0] as usize))
    }
}
