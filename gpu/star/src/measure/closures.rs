//! Closures, and the insertion of arcs into them.

use super::{MeasuredLine, random_graph, rmat, seconds, seconds_of_host};
use crate::closure::{DeviceClosure, PivotBlock};
use crate::error::StarGpuError;
use crate::sequential::{BitMatrix, PetGraph};
use cp2_gpu::Gpu;
use cp2_session::random::split_mix_64;
use cp2_star::graph::{Graph, GraphArc};
use serde_json::json;

/// Most vertices for which petgraph makes all runs, and most for which it makes three; above it makes none, since it takes minutes.
const PETGRAPH: [usize; 2] = [512, 2048];

/// Returns a single cycle of n vertices in steps of a number of 7 or more, so that most pivots add something.
fn cycle(n: usize) -> Graph {
    let has_no_divisor =
        |step: &usize| !(2..=*step).any(|d| step.is_multiple_of(d) && n.is_multiple_of(d));
    let step = (7..).find(has_no_divisor).unwrap_or(1);
    let vertex = |at: usize| at * step % n + 1;
    let arcs = (0..n).map(|at| GraphArc { tail: vertex(at), head: vertex(at + 1), weight: 1 });
    Graph::new(n, arcs)
}

/// Returns the graph of a kind with its name: `cycle`, or R-MAT if n is a power of two, else random arcs.
fn graph(kind: &str, n: usize) -> (Graph, String) {
    match kind {
        "cycle" => (cycle(n), "cycle".to_owned()),
        _ if n.is_power_of_two() => {
            let levels = n.ilog2();
            (rmat(levels), format!("R-MAT-{levels}"))
        }
        _ => (random_graph(n, 32), "random, 32 arcs a vertex".to_owned()),
    }
}

/// Measures the closure of a graph of n vertices, the table on the device before and after: one launch for each pivot, for 32 and for
/// 64; beside Warshall's algorithm, in one thread and by blocks in all threads, and petgraph.
///
/// # Errors
/// The device has no room, or is lost.
pub fn closure(gpu: &Gpu, kind: &str, n: usize, runs: usize) -> MeasuredLine {
    let (graph, name) = graph(kind, n);
    let table = BitMatrix::of(&graph);
    let mut device = DeviceClosure::new(gpu, &table)?;
    let mut expected = table.clone();
    let one_thread =
        seconds_of_host(runs, &mut expected, |matrix| matrix.clone_from(&table), BitMatrix::close);
    let mut other = table.clone();
    let threads = seconds_of_host(
        runs,
        &mut other,
        |matrix| matrix.clone_from(&table),
        BitMatrix::close_by_blocks,
    );
    let mut is_verified = other == expected;
    let load = |device: &mut DeviceClosure| {
        device.load(&table)?;
        device.finish()
    };
    let mut of_device = |close: &dyn Fn(&mut DeviceClosure) -> Result<(), StarGpuError>| {
        let time = seconds(runs, &mut device, load, |device| {
            close(device)?;
            device.finish()
        })?;
        is_verified &= device.store()? == expected;
        Ok::<_, StarGpuError>(time)
    };
    let pivot = of_device(&DeviceClosure::close)?;
    let by_32 = of_device(&|device| device.close_by_blocks(PivotBlock::P32))?;
    let by_64 = of_device(&|device| device.close_by_blocks(PivotBlock::P64))?;
    let nothing = seconds(runs, &mut device, load, |device| {
        device.launch_nothing()?;
        device.finish()
    })?;
    let petgraph = PetGraph::of(&graph);
    let petgraph_runs = match n {
        n if n <= PETGRAPH[0] => runs,
        n if n <= PETGRAPH[1] => 3,
        _ => 0,
    };
    let mut found = expected.clone();
    let by_petgraph = (petgraph_runs > 0).then(|| {
        let close = |found: &mut BitMatrix| *found = petgraph.closure();
        seconds_of_host(petgraph_runs, &mut found, |_| (), close)
    });
    is_verified &= found == expected;
    Ok(json!({
        "subject": "closure", "graph": name, "n": n, "arcs": graph.arcs().len(), "ones": expected.ones(),
        "verified": is_verified, "runs": runs, "petgraph_runs": petgraph_runs,
        "pivot_s": pivot, "nothing_s": nothing, "pivots_32_s": by_32, "pivots_64_s": by_64,
        "one_thread_s": one_thread, "threads_s": threads, "threads": rayon::current_num_threads(),
        "petgraph_s": by_petgraph,
    }))
}

/// Arcs of a stream.
const STREAM: usize = 256;

/// A closed table on the device and on the host, and arcs that are inserted.
struct Inserting {
    device: DeviceClosure,
    host: BitMatrix,
}

/// Seconds of a stream of insertions into a closed table: in a row on the device, waiting for each, and sequentially; and whether the
/// results agree.
fn stream(
    closed: (&mut Inserting, &BitMatrix),
    arcs: &[(usize, usize)],
    runs: usize,
) -> Result<([f64; 3], bool), StarGpuError> {
    let (both, table) = closed;
    let there = both.device.arcs(arcs)?;
    let load = |both: &mut Inserting| {
        both.device.load(table)?;
        both.device.finish()
    };
    let insert = |is_waiting: bool| {
        let there = &there;
        move |both: &mut Inserting| {
            for at in 0..arcs.len() {
                both.device.insert(there, at)?;
                if is_waiting {
                    both.device.finish()?;
                }
            }
            both.device.finish()
        }
    };
    let in_a_row = seconds(runs, both, load, insert(false))?;
    let found = both.device.store()?;
    let one_by_one = seconds(runs, both, load, insert(true))?;
    let is_same = both.device.store()? == found;
    let sequential = seconds_of_host(
        runs,
        both,
        |both| both.host.clone_from(table),
        |both| arcs.iter().for_each(|&(i, j)| both.host.insert(i, j)),
    );
    Ok(([in_a_row, one_by_one, sequential], is_same && both.host == found))
}

/// Measures the insertion of arcs into the closure of a graph of n vertices: random arcs into that of a random graph with an arc for
/// each vertex, and an arc that joins two complete halves, which changes a quarter of all bits.
///
/// # Errors
/// The device has no room, or is lost.
pub fn insertions(gpu: &Gpu, n: usize, runs: usize) -> MeasuredLine {
    let table = BitMatrix::of(&random_graph(n, 1));
    let mut device = DeviceClosure::new(gpu, &table)?;
    device.close_by_blocks(PivotBlock::P64)?;
    let closed = device.store()?;
    let mut both = Inserting { device, host: closed.clone() };
    let mut state = 2;
    let mut vertex = || (split_mix_64(&mut state) % n as u64) as usize;
    let arcs: Vec<(usize, usize)> = (0..STREAM).map(|_| (vertex(), vertex())).collect();
    let adding = arcs.iter().filter(|&&(i, j)| !closed.get(i, j)).count();
    let (random, is_first_verified) = stream((&mut both, &closed), &arcs, runs)?;
    let mut halves = vec![0; n * n.div_ceil(64)];
    for (j, column) in halves.chunks_mut(n.div_ceil(64)).enumerate() {
        let is_in_first = |i: usize| i < n / 2;
        let of_word = |w: usize| {
            let bit = |bit: usize| {
                let i = 64 * w + bit;
                u64::from(i < n && is_in_first(i) == is_in_first(j)) << bit
            };
            (0..64).map(bit).sum()
        };
        column.iter_mut().enumerate().for_each(|(w, word)| *word = of_word(w));
    }
    let halves = BitMatrix::from_bits(n, halves);
    let (joined, is_second_verified) = stream((&mut both, &halves), &[(0, n - 1)], runs)?;
    let [row_us, each_us, sequential_us] = random.map(|seconds| 1e6 * seconds / STREAM as f64);
    let [_, halves_us, halves_sequential_us] = joined.map(|seconds| 1e6 * seconds);
    Ok(json!({
        "subject": "insertions", "n": n, "arcs": n, "ones": closed.ones(), "stream": STREAM, "adding": adding,
        "verified": is_first_verified && is_second_verified, "runs": runs,
        "row_us": row_us, "each_us": each_us, "sequential_us": sequential_us,
        "halves_us": halves_us, "halves_sequential_us": halves_sequential_us,
    }))
}
