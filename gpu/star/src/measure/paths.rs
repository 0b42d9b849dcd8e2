//! Shortest paths, reachability, and the insertion of arcs into shortest paths, on R-MAT graphs.

use super::{MeasuredLine, rmat, seconds, seconds_of_host};
use crate::paths::{DevicePaths, DeviceReach};
use crate::sequential::{ListPaths, PetGraph};
use cp2_gpu::Gpu;
use cp2_session::random::split_mix_64;
use cp2_star::run::Insertion;
use serde_json::json;

/// Bits of weights and distances.
const BITS: usize = 32;

/// Measures shortest paths and reachability from vertex 1 of an R-MAT graph, the tables on the device before.
///
/// # Errors
/// The device has no room, or is lost.
pub fn static_paths(gpu: &Gpu, levels: u32, runs: usize) -> MeasuredLine {
    let graph = rmat(levels);
    let mut device = DevicePaths::new(gpu, &graph, BITS)?;
    let time = seconds(
        runs,
        &mut device,
        |_| Ok(()),
        |device| {
            device.run(1)?;
            device.finish()
        },
    )?;
    let (distances, _) = device.results()?;
    let passes = device.work()?.passes;
    drop(device);
    let mut lists = ListPaths::new(&graph, 1);
    let sequential = seconds_of_host(runs, &mut lists, |_| (), |lists| lists.run(1));
    let petgraph = PetGraph::of(&graph);
    let mut found = Vec::new();
    let by_petgraph =
        seconds_of_host(runs, &mut found, |_| (), |found| *found = petgraph.distances(1));
    let mut is_verified = distances == found && distances == lists.distances();
    let mut reach = DeviceReach::new(gpu, &graph)?;
    let reach_time = seconds(
        runs,
        &mut reach,
        |_| Ok(()),
        |reach| {
            reach.run(1)?;
            reach.finish()
        },
    )?;
    let (reached, ..) = reach.results()?;
    let mut count = 0;
    let petgraph_reach =
        seconds_of_host(runs, &mut count, |_| (), |count| *count = petgraph.reached(1));
    is_verified &= reached.bits().eq(found.iter().map(Option::is_some));
    is_verified &= count == reached.positions().count();
    Ok(json!({
        "subject": "paths", "graph": format!("R-MAT-{levels}"), "n": graph.vertices(), "arcs": graph.arcs().len(),
        "bits": BITS, "verified": is_verified, "runs": runs, "passes": passes,
        "paths_s": time, "sequential_s": sequential, "petgraph_s": by_petgraph,
        "reach_s": reach_time, "petgraph_reach_s": petgraph_reach,
    }))
}

/// Shortest paths on the device and on the host.
struct Both {
    device: DevicePaths,
    lists: ListPaths,
}

/// Measures InsertArcSPT: n/10 random arcs into the shortest paths of an R-MAT graph, all of weight 0 or of random weights from 1 to
/// 255; in one launch, in a launch for each that is waited for, and sequentially.
///
/// # Errors
/// The device has no room, or is lost.
pub fn insertions_into_paths(gpu: &Gpu, levels: u32, is_zero: bool, runs: usize) -> MeasuredLine {
    let graph = rmat(levels);
    let n = graph.vertices();
    let mut state = 3;
    let mut arcs = Vec::new();
    while arcs.len() < n / 10 {
        let mut below = |limit: u64| split_mix_64(&mut state) % limit;
        let (tail, head) = (below(n as u64) as usize + 1, below(n as u64) as usize + 1);
        let weight = if is_zero { 0 } else { 1 + below(255) };
        if tail != head {
            arcs.push(Insertion { tail, head, weight });
        }
    }
    let before = ListPaths::new(&graph, 1);
    let device = DevicePaths::new(gpu, &graph, BITS)?;
    let stream = device.arcs(&arcs)?;
    let singles = arcs.chunks(1).map(|arc| device.arcs(arc)).collect::<Result<Vec<_>, _>>()?;
    let mut both = Both { device, lists: before.clone() };
    let load = |both: &mut Both| {
        both.device.load(&graph)?;
        both.device.run(1)?;
        both.device.finish()
    };
    let each = seconds(runs, &mut both, load, |both| {
        for arc in &singles {
            both.device.insert(arc, false)?;
            both.device.finish()?;
        }
        Ok(())
    })?;
    let after_each = both.device.results()?.0;
    let at_once = seconds(runs, &mut both, load, |both| {
        both.device.insert(&stream, false)?;
        both.device.finish()
    })?;
    let (distances, work) = (both.device.results()?.0, both.device.work()?);
    let sequential = seconds_of_host(
        runs,
        &mut both,
        |both| both.lists.clone_from(&before),
        |both| arcs.iter().for_each(|arc| both.lists.insert(arc)),
    );
    let is_verified = distances == both.lists.distances() && distances == after_each;
    let [taken, looked_at] = [0, 1].map(|at| both.lists.work()[at] - before.work()[at]);
    let affected = affected(&before, &arcs);
    let of_arc = |seconds: f64| 1e6 * seconds / arcs.len() as f64;
    Ok(json!({
        "subject": "paths-insert", "graph": format!("R-MAT-{levels}"), "n": n, "arcs": graph.arcs().len(), "bits": BITS,
        "weights": if is_zero { "0" } else { "1 to 255" }, "stream": arcs.len(), "verified": is_verified, "runs": runs,
        "changed": work.changed, "passes": work.passes, "most_passes": work.most, "most_affected": affected,
        "sequential_passes": taken, "sequential_arcs": looked_at,
        "row_us": of_arc(at_once), "each_us": of_arc(each), "sequential_us": of_arc(sequential),
    }))
}

/// Returns the most vertices whose distance an insertion changed.
fn affected(before: &ListPaths, arcs: &[Insertion]) -> u64 {
    let mut lists = before.clone();
    let mut most = 0;
    for arc in arcs {
        let taken = lists.work()[0];
        lists.insert(arc);
        most = most.max(lists.work()[0] - taken);
    }
    most
}
