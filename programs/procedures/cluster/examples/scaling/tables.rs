//! Tables of the study.

use crate::{Rows, USUAL};
use cp2_cluster::TimeCause;
use cp2_cluster_procedures::{CauseShares, EstimateRates, MgEstimate, ProcessGrid, ScalingRow};
use std::error::Error;

/// Classes of the study, with the points along an axis.
pub(crate) const CLASSES: [(&str, usize); 4] = [("S", 32), ("W", 128), ("B", 256), ("C", 512)];
/// Numbers of processors of the study.
pub(crate) const COUNTS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Latencies of the study in microseconds.
const LATENCIES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];

/// Published rates of one processor on whole grids, NPB count (`[D]` table 3.5): points along an axis and 10^6 operations a second.
const PUBLISHED: [(&str, &[(usize, f64)]); 2] = [
    ("vm9-torus", &[(32, 632.0), (128, 1911.0), (256, 2011.0)]),
    ("vm7-torus", &[(32, 267.0), (128, 648.0), (256, 692.0)]),
];

/// Returns a table in Markdown, whose first `words` columns are text.
fn table(head: &[&str], words: usize, rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = |k| if k < words { "---" } else { "---:" }.to_owned();
    let rule: Vec<String> = (0..head.len()).map(rule).collect();
    [head, rule].iter().chain(rows).map(|cells| line(cells)).collect::<Vec<_>>().join("\n")
}

fn fixed(digits: usize) -> impl Fn(f64) -> String {
    move |number| format!("{number:.digits$}")
}

/// Returns a cell that may have nothing to tell.
fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), fixed(digits))
}

fn rates(topology: &str) -> EstimateRates {
    if topology.starts_with("vm7") { EstimateRates::VM7 } else { EstimateRates::VM9 }
}

fn estimate(
    topology: &str,
    points: usize,
    processors: usize,
) -> Result<MgEstimate, Box<dyn Error>> {
    Ok(MgEstimate::new(points, ProcessGrid::new(processors, points)?, rates(topology)))
}

/// Speed-up and efficiency of each class on the torus.
pub(crate) fn strong(rows: &Rows, topology: &str) -> String {
    let line = |processors: usize| {
        let of_class = CLASSES.iter().flat_map(|(class, _)| {
            let row = rows.get(topology, class, processors, Some(USUAL));
            let speedup = row.and_then(|row| rows.speedup(row));
            let share = speedup.map(|speedup| 100.0 * speedup / processors as f64);
            [cell(row.map(|row| row.ms), 3), cell(speedup, 2), cell(share, 1)]
        });
        std::iter::once(processors.to_string()).chain(of_class).collect::<Vec<_>>()
    };
    let head = CLASSES.iter().flat_map(|(class, _)| {
        [format!("{class}: ms"), "speed-up".to_owned(), "% of processors".to_owned()]
    });
    let head: Vec<String> = std::iter::once("processors".to_owned()).chain(head).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, 0, &COUNTS.map(line))
}

/// Runs whose processors have blocks of the same size.
pub(crate) fn weak(rows: &Rows) -> String {
    let chains: [(&str, &[(&str, usize)]); 4] = [
        ("32 x 32 x 32", &[("S", 1), ("W", 64)]),
        ("64 x 64 x 64", &[("W", 8), ("B", 64)]),
        ("128 x 128 x 128", &[("W", 1), ("B", 8), ("C", 64)]),
        ("256 x 256 x 256", &[("B", 1), ("C", 8)]),
    ];
    let cycles = |class: &str| if matches!(class, "S" | "W") { 4.0 } else { 20.0 };
    let mut lines = Vec::new();
    for (block, runs) in chains {
        let mut first = None;
        for &(class, processors) in runs {
            let of = |topology: &str| {
                let row = rows.get(topology, class, processors, Some(USUAL));
                row.map(|row| row.ms / cycles(class))
            };
            let both = ["vm9-torus", "vm7-torus"].map(of);
            let first = *first.get_or_insert(both);
            let kept = |k: usize| Some(100.0 * first[k]? / both[k]?);
            lines.push(vec![
                block.to_owned(),
                class.to_owned(),
                processors.to_string(),
                cell(both[0], 3),
                cell(kept(0), 1),
                cell(both[1], 3),
                cell(kept(1), 1),
            ]);
        }
    }
    let head = [
        "block",
        "class",
        "processors",
        "VM9: ms of a V-cycle",
        "% of the first",
        "VM7: ms of a V-cycle",
        "% of the first",
    ];
    table(&head, 2, &lines)
}

/// Returns the published rate of one processor for blocks of this size: the least and the largest of the sizes on either side.
fn published(topology: &str, block: f64) -> Option<[f64; 2]> {
    let (_, known) = PUBLISHED.iter().find(|(of, _)| *of == topology)?;
    let below = known.iter().rev().find(|(points, _)| *points as f64 <= block)?;
    let above = known.iter().find(|(points, _)| *points as f64 >= block)?;
    Some([below.1, above.1])
}

/// Times and rates beside the estimate of `[D]`.
pub(crate) fn estimates(rows: &Rows, topology: &str) -> Result<String, Box<dyn Error>> {
    let mut lines = Vec::new();
    for (class, points) in CLASSES {
        for processors in COUNTS {
            let estimate = estimate(topology, points, processors)?;
            let rate = |name: &str, latency| {
                rows.get(name, class, processors, latency).map(|row| row.mops / 1e3)
            };
            let on_torus = rate(topology, Some(USUAL));
            let mut ours = vec![cell(on_torus, 2)];
            if topology == "vm9-torus" {
                ours.insert(0, cell(rate("formula", None), 2));
            }
            let block = points as f64 / (processors as f64).cbrt();
            let measured = published(topology, block).map(|both| {
                let [low, high] = both.map(|rate| rate * processors as f64 / 1e3);
                if low == high { fixed(1)(low) } else { format!("{low:.1} to {high:.1}") }
            });
            let mut line = vec![
                class.to_owned(),
                processors.to_string(),
                fixed(2)(1e3 * estimate.computing),
                fixed(3)(1e3 * estimate.exchange),
                fixed(2)(1e-9 * estimate.rate),
            ];
            line.append(&mut ours);
            line.push(cell(on_torus.map(|rate| 1e11 * rate / estimate.rate), 0));
            line.push(measured.unwrap_or_else(|| "-".to_owned()));
            lines.push(line);
        }
    }
    let formula = (topology == "vm9-torus").then_some("`formula`, GOPS");
    let mine = format!("`{topology}`, GOPS");
    let first =
        ["class", "processors", "(3.8), ms", "(3.9), ms", "estimate of MG, GOPS"].into_iter();
    let last = [mine.as_str(), "% of the estimate", "processors x published rate, GOPS"];
    let head: Vec<&str> = first.chain(formula).chain(last).collect();
    Ok(table(&head, 1, &lines))
}

/// Ways in which 0.0025 s can come about.
pub(crate) fn printed() -> Result<String, Box<dyn Error>> {
    let ms = 1e3 * estimate("vm9-torus", 512, 8)?.exchange;
    let levels: f64 = (0..9).map(|level| 0.25_f64.powi(level)).sum();
    let ways = [
        ("formula (3.9) as printed: three faces of 256 x 256 points, 4 bytes a point", ms),
        ("faces of the whole grid, 512 x 512 points", 4.0 * ms),
        ("16 bytes a point, a beat", 4.0 * ms),
        ("both faces and both directions over one link, one after the other", 4.0 * ms),
        ("3 exchanges on every level of a V-cycle, 512 to 2 points", 3.0 * levels * ms),
    ];
    let line = |(way, ms): (&str, f64)| vec![way.to_owned(), fixed(3)(ms)];
    Ok(table(&["reading", "ms"], 1, &ways.map(line)))
}

fn shares(of: &CauseShares) -> impl Iterator<Item = String> + '_ {
    of.iter().map(|share| fixed(1)(*share))
}

const CAUSES: [&str; 7] = [
    "computing %",
    "packing %",
    "overhead %",
    "wire %",
    "latency %",
    "contention %",
    "late neighbour %",
];

/// Shares of the time of processor 0 and of the others.
pub(crate) fn ranks(rows: &Rows) -> String {
    let cases = [
        ("vm9-torus", "S", 8),
        ("vm9-torus", "W", 8),
        ("vm9-chips", "W", 8),
        ("vm9-torus", "B", 8),
        ("vm9-torus", "C", 8),
        ("vm9-torus", "C", 64),
        ("vm9-chips", "C", 8),
        ("vm7-torus", "C", 8),
        ("vm7-switch", "C", 8),
    ];
    let mut lines = Vec::new();
    for (topology, class, processors) in cases {
        let Some(row) = rows.get(topology, class, processors, Some(USUAL)) else { continue };
        for (name, of) in [("0", &row.first), ("each other", &row.others)] {
            let case = format!("{class} on {processors}, `{topology}`");
            lines.push([case, name.to_owned()].into_iter().chain(shares(of)).collect());
        }
    }
    let head: Vec<&str> = ["run", "processor"].into_iter().chain(CAUSES).collect();
    table(&head, 2, &lines)
}

/// Returns the percent of time that is spent in waits for links.
fn waits(row: &ScalingRow) -> f64 {
    [TimeCause::Wire, TimeCause::Latency, TimeCause::Contention]
        .into_iter()
        .map(|cause| row.share(cause))
        .sum()
}

/// Links that were busy longest, and the most that an overlap could buy.
pub(crate) fn necks(rows: &Rows) -> String {
    let cases = [
        ("vm9-torus", 8),
        ("vm9-torus", 64),
        ("vm9-ports", 8),
        ("vm9-chips", 2),
        ("vm9-chips", 8),
        ("vm7-torus", 8),
        ("vm7-pair", 2),
        ("vm7-switch", 8),
    ];
    let mut lines = Vec::new();
    for (class, _) in CLASSES {
        for (topology, processors) in cases {
            let Some(row) = rows.get(topology, class, processors, Some(USUAL)) else { continue };
            lines.push(vec![
                class.to_owned(),
                format!("`{topology}`"),
                format!("`{}`", row.neck),
                processors.to_string(),
                fixed(1)(row.neck_busy),
                fixed(1)(waits(row)),
                fixed(3)(1.0 / (1.0 - waits(row) / 100.0)),
            ]);
        }
    }
    let head = [
        "class",
        "topology",
        "busiest link",
        "processors",
        "busy %",
        "waits for links %",
        "overlap buys at most, times",
    ];
    table(&head, 3, &lines)
}

/// All cases of a class.
pub(crate) fn all(rows: &Rows, class: &str) -> String {
    let names = ["vm9-torus", "vm9-ports", "vm9-chips", "vm7-torus", "vm7-pair", "vm7-switch"];
    let of_class = names.iter().flat_map(|name| rows.of(name, class));
    let line = |row: &ScalingRow| {
        let causes = TimeCause::ALL.map(|cause| fixed(1)(row.share(cause)));
        let first = [
            format!("`{}`", row.topology),
            row.processors.to_string(),
            row.latency_us.map_or_else(|| "-".to_owned(), |us| us.to_string()),
            fixed(3)(row.ms),
            fixed(0)(row.mops),
            cell(rows.speedup(row), 2),
            row.gathered.to_string(),
        ];
        first.into_iter().chain(causes).collect::<Vec<_>>()
    };
    let first = ["topology", "processors", "latency us", "ms", "MOPS", "speed-up", "alone"];
    let head: Vec<&str> = first.into_iter().chain(CAUSES).collect();
    table(&head, 1, &of_class.map(line).collect::<Vec<_>>())
}

/// Times of 8 processors by latency, as many times as with the lowest one.
pub(crate) fn latencies(rows: &Rows) -> String {
    let mut lines = Vec::new();
    for topology in ["vm9-torus", "vm7-torus"] {
        for (class, _) in CLASSES {
            let of = |us| rows.get(topology, class, 8, Some(us)).map(|row| row.ms);
            let least = of(LATENCIES[0]);
            let times = LATENCIES.map(|us| cell(of(us), 3));
            let longer =
                LATENCIES.map(|us| cell(of(us).zip(least).map(|(us, least)| us / least), 2));
            let both = times.into_iter().zip(longer).map(|(ms, times)| format!("{ms} ({times})"));
            lines.push(
                [format!("`{topology}`"), class.to_owned()].into_iter().chain(both).collect(),
            );
        }
    }
    table(&["topology", "class", "0.1 us", "1 us", "10 us", "100 us"], 2, &lines)
}
