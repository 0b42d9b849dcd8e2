//! Searches for queens on a device, and the same task on one core and on all cores of the host beside it, a line of JSON for each.
//!
//! `recursion-figures [--device N] [--runs N] [--date DATE] WHAT..`, where WHAT is `ROWS:QUEENS:DEPTH`.

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_recursion::{DeviceSearch, SearchError, SearchPlan, SearchResult, StackPlace};
use cp2_recursion::tasks::Queens;
use cp2_recursion::{HandedOver, hand_over};
use rayon::prelude::*;
use serde_json::json;
use std::time::Instant;

/// Returns the median of the seconds of some runs, behind one that does not count unless there is only one.
fn seconds<E>(runs: usize, mut run: impl FnMut() -> Result<f64, E>) -> Result<f64, E> {
    let mut all = Vec::new();
    for at in 0..=runs {
        let time = run()?;
        if at > 0 || runs == 0 {
            all.push(time);
        }
    }
    all.sort_by(f64::total_cmp);
    Ok(all[all.len() / 2])
}

/// Returns placements and nodes of a plain recursive search, from a row on: queens that are left, and the columns and diagonals that
/// are attacked.
fn plain(board: u32, row: u32, left: u32, [columns, rising, falling]: [u32; 3]) -> [u64; 2] {
    if left == 0 {
        return [1, 1];
    }
    let mut found = [0, 1];
    let mut add = |[placements, nodes]: [u64; 2]| {
        found[0] += placements;
        found[1] += nodes;
    };
    if board - row > left {
        add(plain(board, row + 1, left, [columns, rising << 1, falling >> 1]));
    }
    let mut free = !(columns | rising | falling) & ((1 << board) - 1);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let attacked = [columns | queen, (rising | queen) << 1, (falling | queen) >> 1];
        add(plain(board, row + 1, left - 1, attacked));
    }
    found
}

/// Placements and nodes of a task, and the seconds of the plain search on one core and on all cores, which take contexts as they
/// come.
fn on_host(board: u32, queens: u32, handed: &HandedOver) -> ([u64; 2], [f64; 2]) {
    let begin = Instant::now();
    let whole = plain(board, 0, queens, [0; 3]);
    let one = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let solved = handed.contexts.par_iter().map(|context| {
        // The task counts columns from bit 1 on.
        let [row, left, columns, rising, falling] = context.parameters[..] else { return [0; 2] };
        plain(board, row, left, [columns, rising, falling].map(|bits| bits >> 1))
    });
    let found = solved.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    let all = begin.elapsed().as_secs_f64();
    let is_right = found == [whole[0], whole[1] - handed.host_calls];
    (whole, [one, if is_right { all } else { f64::NAN }])
}

/// Plans that are measured: both places of stacks, both ways of dealing out, some sizes and numbers of groups.
fn plans(gpu: &Gpu, depth: usize) -> Vec<SearchPlan> {
    let mut all = Vec::new();
    for stack in [StackPlace::Private, StackPlace::Local] {
        for (is_queue, items) in
            [true, false].into_iter().flat_map(|q| [32, 64, 128].map(|n| (q, n)))
        {
            let groups = [8, 16].map(|each| each * gpu.info().units);
            all.extend(groups.map(|groups| SearchPlan { depth, stack, is_queue, items, groups }));
        }
    }
    all
}

/// Returns the result of the last of some runs of a plan, and the median of their seconds.
fn timed(
    gpu: &Gpu,
    task: &Queens,
    plan: SearchPlan,
    runs: usize,
) -> Result<(SearchResult, f64), SearchError> {
    let search = DeviceSearch::new(gpu, task, plan)?;
    let mut last = search.run()?;
    let time = seconds(runs, || {
        last = search.run()?;
        Ok::<_, SearchError>(last.seconds.iter().sum())
    })?;
    Ok((last, time))
}

fn measured(gpu: &Gpu, subject: &str, runs: usize) -> Result<(), String> {
    let numbers: Vec<u32> = subject.split(':').filter_map(|n| n.parse().ok()).collect();
    let &[rows, queens, depth] = &numbers[..] else {
        return Err(format!("{subject}: ROWS:QUEENS:DEPTH"));
    };
    let task = Queens::new(rows, queens).map_err(|e| e.to_string())?;
    let handed = hand_over(&task, depth as usize).map_err(|e| e.to_string())?;
    let (right, [one, all]) = on_host(rows, queens, &handed);
    for plan in plans(gpu, depth as usize) {
        let (found, time) = match timed(gpu, &task, plan, runs) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("{plan:?}: {error}");
                continue;
            }
        };
        let lanes = plan.items * plan.groups;
        println!(
            "{}",
            json!({
                "subject": format!("queens {queens} on {rows}"), "plan": format!("{plan:?}"), "contexts": found.contexts,
                "verified": right == [u64::from(found.value), found.nodes()], "nodes": right[1],
                "seconds": time, "host": found.seconds[0], "device": found.seconds[1],
                "efficiency": found.steps as f64 / found.longest as f64 / lanes as f64,
                "one_core": one, "all_cores": all, "cores": rayon::current_num_threads(),
                "name": gpu.info().name, "driver": gpu.info().driver,
            })
        );
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let (mut number, mut runs, mut subjects) = (0, 5, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value =
            || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word} takes a number"));
        match &*word {
            "--device" => number = value()?,
            "--runs" => runs = value()?,
            _ => subjects.push(word),
        }
    }
    let choice = GpuChoice { numbers: vec![number], parts: 1 };
    let gpu = Gpu::open(&choice).map_err(|e| e.to_string())?.remove(0);
    subjects.iter().try_for_each(|subject| measured(&gpu, subject, runs))
}
