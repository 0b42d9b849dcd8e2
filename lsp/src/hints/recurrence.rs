//! The least interval of a loop that is written by hand, as its dependences from one turn to a later one allow.

use cp2_isa::{Access, AccessMode, Bundle, Core, Latencies, Unit};

/// Most bundles of a loop that is looked at.
const MOST: usize = 160;

/// Operation of a half of a bundle, with its bundle and its accesses.
struct Operation {
    at: i64,
    accesses: Vec<Access>,
}

/// An operation that reads the result of another one: so many bundles later at least, so many turns later.
struct Dependence {
    from: usize,
    to: usize,
    wait: i64,
    turns: i64,
}

/// Returns the operations of a body.
fn operations(body: &[Bundle]) -> Vec<Operation> {
    let of_bundle = |(at, bundle): (usize, &Bundle)| {
        let mut halves: [Vec<Access>; 2] = [Vec::new(), Vec::new()];
        bundle.footprint(&mut |access| {
            halves[usize::from(access.unit != Unit::Arithmetic)].push(access);
        });
        halves.map(|accesses| Operation { at: at as i64, accesses })
    };
    body.iter().enumerate().flat_map(of_bundle).collect()
}

/// Returns the dependences: each read is of the write that has landed last.
fn dependences(operations: &[Operation], interval: i64, latencies: &Latencies) -> Vec<Dependence> {
    let mut all = Vec::new();
    for (to, reader) in operations.iter().enumerate() {
        for read in reader.accesses.iter().filter(|access| access.mode == AccessMode::Use) {
            let mut last: Option<(i64, Dependence)> = None;
            for (from, writer) in operations.iter().enumerate() {
                let is_written =
                    |a: &&Access| a.mode != AccessMode::Use && a.resource.overlaps(read.resource);
                let Some(write) = writer.accesses.iter().find(is_written) else { continue };
                let wait = i64::from(latencies.distance(write.unit, write.resource, read.unit));
                let late = writer.at + wait - reader.at;
                let turns = if late <= 0 { 0 } else { (late + interval - 1) / interval };
                let landed = writer.at + wait - turns * interval;
                if last.as_ref().is_none_or(|(at, _)| *at < landed) {
                    last = Some((landed, Dependence { from, to, wait, turns }));
                }
            }
            all.extend(last.map(|(_, dependence)| dependence));
        }
    }
    all
}

/// Whether operations can be placed so that all dependences hold with an interval.
fn is_possible(dependences: &[Dependence], count: usize, interval: i64) -> bool {
    let mut earliest = vec![0i64; count];
    for _ in 0..=count {
        let mut has_moved = false;
        for Dependence { from, to, wait, turns } in dependences {
            let least = earliest[*from] + wait - turns * interval;
            if earliest[*to] < least {
                (earliest[*to], has_moved) = (least, true);
            }
        }
        if !has_moved {
            return true;
        }
    }
    false
}

/// Returns the least interval that the dependences of a body allow, at most the one that it has; `None` of a body that is too long to look at.
pub(super) fn bound(body: &[Bundle], core: &Core) -> Option<i64> {
    if body.len() > MOST {
        return None;
    }
    let operations = operations(body);
    let dependences = dependences(&operations, body.len() as i64, core.latencies());
    let (mut low, mut high) = (1, body.len() as i64);
    while low < high {
        let middle = (low + high) / 2;
        match is_possible(&dependences, operations.len(), middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(low)
}
