//! Paths on whole machines against plain code, with as many passes.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use super::*;
use cp2_session::random::split_mix_64;

/// Listener to nothing.
struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: usize, _: usize) {}
}

/// Returns random arcs with weights up to `most`, and some vertices that nothing reaches.
fn arcs(vertices: usize, count: usize, most: u64, state: &mut u64) -> Vec<WeightedArc> {
    let mut vertex = |below: usize| split_mix_64(state) as usize % below + 1;
    let mut arcs = Vec::new();
    for _ in 0..count {
        let (tail, head) = (vertex(vertices), vertex(vertices - vertices / 20));
        let weight = vertex(most as usize + 1) as u64 - 1;
        if tail != head {
            arcs.push(WeightedArc { tail, head, weight });
        }
    }
    arcs
}

/// Paths by plain code, in the order of the kernels.
struct Plain {
    weights: Vec<Vec<u64>>,
    infinity: u64,
    distances: Vec<u64>,
    parents: Vec<usize>,
}

impl Plain {
    fn follow(&mut self, mut open: Vec<bool>, order: PathOrder) -> usize {
        let mut passes = 0;
        loop {
            let rows = (0..open.len()).filter(|row| open[*row]);
            let next = match order {
                PathOrder::Nearest => rows.min_by_key(|row| self.distances[*row]),
                PathOrder::First => rows.min(),
            };
            let Some(next) = next else { return passes };
            open[next] = false;
            passes += 1;
            for (row, is_open) in open.iter_mut().enumerate() {
                let weight = self.weights[next][row];
                if weight < self.infinity && self.distances[next] + weight < self.distances[row] {
                    self.distances[row] = self.distances[next] + weight;
                    self.parents[row] = next + 1;
                    *is_open = true;
                }
            }
        }
    }
}

fn plain(problem: &PathsProblem) -> (Plain, [usize; 2]) {
    let (n, infinity) = (problem.vertices, problem.infinity());
    let mut plain = Plain {
        weights: vec![vec![infinity; n]; n],
        infinity,
        distances: vec![infinity; n],
        parents: vec![0; n],
    };
    for arc in &problem.arcs {
        let weight = &mut plain.weights[arc.tail - 1][arc.head - 1];
        *weight = arc.weight.min(*weight);
    }
    plain.distances[problem.source - 1] = 0;
    let only = |vertex: usize| (1..=n).map(|row| row == vertex).collect();
    let passes = plain.follow(only(problem.source), PathOrder::Nearest);
    let mut insertion_passes = 0;
    for arc in &problem.insertions {
        let (i, j) = (arc.tail - 1, arc.head - 1);
        if arc.weight < plain.weights[i][j] {
            plain.weights[i][j] = arc.weight;
            let distance = plain.distances[i];
            if distance < infinity && distance + arc.weight < plain.distances[j] {
                plain.distances[j] = distance + arc.weight;
                plain.parents[j] = arc.tail;
                insertion_passes += plain.follow(only(arc.head), problem.order);
            }
        }
    }
    (plain, [passes, insertion_passes])
}

fn problem(vertices: usize, bits: usize, order: PathOrder, seed: u64) -> PathsProblem {
    let mut state = seed;
    let most = (u64::MAX >> (64 - bits)) / vertices as u64;
    PathsProblem {
        vertices,
        bits,
        arcs: arcs(vertices, 6 * vertices, most.min(1000), &mut state),
        source: 1 + seed as usize % vertices,
        insertions: arcs(vertices, 12, most.min(20), &mut state),
        order,
    }
}

fn ran(problem: &PathsProblem) -> PathsReport {
    let config = MachineConfig::preset("vm9").unwrap();
    find_paths(config, problem, &Execution::default(), &mut Silent).unwrap()
}

fn compare(problem: &PathsProblem) -> PathsReport {
    let (expected, passes) = plain(problem);
    let found = ran(problem);
    let what = format!("{} vertices, {} bits", problem.vertices, problem.bits);
    assert_eq!(found.distances, expected.distances, "{what}");
    assert_eq!(found.parents, expected.parents, "{what}");
    assert_eq!([found.passes, found.insertion_passes], passes, "{what}");
    let cycles = found.cost.cycles() as f64;
    assert!(cycles >= found.cost.least_compute_cycles, "{what}: {cycles}");
    found
}

#[test]
fn paths_are_those_of_plain_code() {
    for (vertices, bits) in
        [(1, 1), (2, 1), (2, 4), (63, 9), (70, 12), (300, 16), (513, 32), (640, 17)]
    {
        for order in [PathOrder::Nearest, PathOrder::First] {
            compare(&problem(vertices, bits, order, vertices as u64));
        }
    }
}

/// Columns of more words than registers hold go through in parts, pages beside the kernels of the page before.
#[test]
fn columns_of_many_words_go_in_parts() {
    let large = compare(&problem(2100, 24, PathOrder::First, 5));
    assert!(!large.is_resident);
    assert!(large.cost.timeline.overlapped > 0);
    let small = compare(&problem(64, 12, PathOrder::Nearest, 6));
    assert!(small.is_resident);
}

/// A changed number of cycles is looked at.
#[test]
fn cycles_of_paths_on_a_machine() {
    let cycles = |vertices, bits| {
        let found = compare(&problem(vertices, bits, PathOrder::Nearest, 1));
        let all = found.passes + found.insertion_passes;
        [all as u64, found.cost.kernels.cycles, found.cost.cycles()]
    };
    assert_eq!(cycles(64, 12), [71, 110038, 420297]);
    assert_eq!(cycles(1024, 16), [1019, 2040604, 5312342]);
}

fn refused(problem: &PathsProblem, setting: Option<&str>) -> String {
    let mut config = MachineConfig::preset("vm9").unwrap();
    setting.into_iter().for_each(|setting| config.apply_set(setting).unwrap());
    find_paths(config, problem, &Execution::default(), &mut Silent).unwrap_err().to_string()
}

#[test]
fn what_does_not_fit_is_refused_with_numbers() {
    let good = problem(70, 12, PathOrder::Nearest, 1);
    let arc = WeightedArc { tail: 1, head: 71, weight: 1 };
    let outside = PathsProblem { insertions: vec![arc], ..good.clone() };
    let error = refused(&outside, None);
    assert_eq!(error, "vertex of an arc is 71; it must be 1 to 70, the vertices of the graph");
    let heavy = WeightedArc { head: 2, weight: 4095, ..arc };
    let heavy = PathsProblem { arcs: vec![heavy], ..good.clone() };
    let error = refused(&heavy, None);
    assert_eq!(error, "weight of an arc is 4095; it must be at most 4094 with 12 bits");
    let error = refused(&PathsProblem { source: 0, ..good.clone() }, None);
    assert_eq!(error, "source of the paths is 0; it must be 1 to 70, the vertices of the graph");
    let wide = PathsProblem { bits: 33, arcs: Vec::new(), insertions: Vec::new(), ..good };
    let error = refused(&wide, None);
    assert_eq!(
        error,
        "bits of a weight is 33; it must be 1 to 32, so that a distance is half a word"
    );
    let large = PathsProblem { vertices: 16384, bits: 32, ..wide };
    let error = refused(&large, Some("core.local_memory_words=4096"));
    assert!(error.starts_with("words of local memory is 7"), "{error}");
    assert!(error.contains("at most 4096 of a core: 16384 vertices with weights of 32 bits"));
    let error = refused(&large, Some("memory.size_mib=256"));
    assert!(error.contains("the weights of 16384 vertices with 32 bits"), "{error}");
}
