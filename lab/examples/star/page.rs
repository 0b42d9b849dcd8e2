//! The page of the book, from rows of measurements.

use crate::rows::{Row, Rows};
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Rows of the tables of kernels on the page.
const ROWS: [u64; 6] = [256, 512, 1024, 2048, 4096, 8192];
/// Columns where the rows are 1024.
const COLUMNS: [u64; 5] = [8, 16, 24, 32, 48];
/// Growth up to which cycles count as flat.
const FLAT: f64 = 1.15;

/// Returns the text of the page.
pub(crate) fn page(rows: &Rows, of_gpu: &Rows) -> String {
    let mut out = String::from(
        "# The STAR machine on CP2: measurements

<!-- Made by `cargo xtask bless star` from `lab/data/star.csv` and `lab/data/star-gpu.csv`. -->

What the kernels and programs of [The STAR machine](star.md) take on CP2, in cycles of the emulator. At the clock of VM9 a million cycles are
1 ms. Kernels, closures and paths on a whole machine were compared with a reference in these runs, programs of elementary operations are in tests. `cargo run --release -p cp2-lab --example star -- measure PART` (`kernels`, `closures`,
`paths`, `insertions`, `machine`) measures anew; nothing on this page depends on the native machine.

",
    );
    kernels(&mut out, rows);
    columns(&mut out, rows);
    closures(&mut out, rows);
    paths(&mut out, rows);
    machine(&mut out, rows);
    insertions(&mut out, rows);
    extensions(&mut out, rows);
    gpu(&mut out, of_gpu);
    out
}

/// Returns the names of kernels, each once, with the columns of their tables where they have some.
fn names(rows: &Rows) -> Vec<(&str, u64)> {
    let mut names: Vec<(&str, u64)> = Vec::new();
    let usual = |row: &&Row| row.n == 1024 && (row.h == 32 || row.h == 0);
    for row in rows.of("kernel").filter(usual) {
        if !names.iter().any(|(name, _)| *name == row.name) {
            names.push((&row.name, row.h));
        }
    }
    names
}

fn kernels(out: &mut String, rows: &Rows) {
    *out += "## By rows

Cycles of kernels on 32 columns, or on one slice, in local memory, by rows. *Flat to*: the most rows at which a kernel takes at most 15 % more
than with 256. *Doubling*: what twice the rows take at the right end. Where there is no number, registers or local memory do not hold the
rows: the kernel refuses them, with its limit.

";
    let mut cells = vec!["kernel".to_owned()];
    cells.extend(ROWS.map(|n| n.to_string()));
    cells.extend(["flat to".to_owned(), "doubling".to_owned()]);
    head(out, &cells);
    for (name, h) in names(rows) {
        let value = |n: u64| rows.value("kernel", name, (n, h), "cycles");
        let all: Vec<(u64, f64)> = ROWS.into_iter().filter_map(|n| Some((n, value(n)?))).collect();
        let first = all.first().map_or(0.0, |(_, cycles)| *cycles);
        let flat = all.iter().take_while(|(_, cycles)| *cycles <= FLAT * first).last();
        let doubling = match all[..] {
            [.., (_, before), (_, last)] => format!("{:.2}", last / before),
            _ => "-".to_owned(),
        };
        let mut cells = vec![format!("`{name}`")];
        cells.extend(ROWS.map(|n| whole(value(n))));
        cells.extend([flat.map_or_else(|| "-".to_owned(), |(n, _)| n.to_string()), doubling]);
        line(out, cells);
    }
    *out += "
Searches and the results over all rows are flat while the chain from column to column decides; above, arithmetic does, and cycles grow with the
rows. Copies and merges have no chain and grow from the first word on. A row is one word of each column, whatever the number of rows.

";
}

fn columns(out: &mut String, rows: &Rows) {
    *out += "## By columns

Cycles at 1024 rows, by columns, and what a column adds between the two ends. All kernels are linear in the columns.

";
    let mut cells = vec!["kernel".to_owned()];
    cells.extend(COLUMNS.map(|h| h.to_string()));
    cells.push("a column".to_owned());
    head(out, &cells);
    for (name, _) in names(rows).into_iter().filter(|(_, h)| *h > 0) {
        let all: Vec<(u64, f64)> = COLUMNS
            .into_iter()
            .filter_map(|h| Some((h, rows.value("kernel", name, (1024, h), "cycles")?)))
            .collect();
        let slope = match all[..] {
            [(few, least), .., (many, most)] => {
                format!("{:.2}", (most - least) / (many - few) as f64)
            }
            _ => "-".to_owned(),
        };
        let mut cells = vec![format!("`{name}`")];
        cells.extend(COLUMNS.map(|h| whole(rows.value("kernel", name, (1024, h), "cycles"))));
        cells.push(slope);
        line(out, cells);
    }
    out.push('\n');
}

/// Published seconds of closures by **[A]**: vertices, sequential, WARSHALL-C, WARSHALL-adapt.
const CLOSURES: [(u64, &str, &str, &str); 2] =
    [(1000, "8.037", "4.827", "0.003"), (2000, "59.812", "11.161", "0.027")];

fn closures(out: &mut String, rows: &Rows) {
    *out += "## Transitive closure

Milliseconds of VM9, from system memory and back, on random matrices: one pivot, 4 and 8 pivots a pass in local memory, and 32 pivots a pass
over pages of columns (`star_closure_pages`), which local memory need not hold together. Where there is no number, local memory or instruction memory
forbids the run.

";
    let forms = ["star_closure", "star_closure4", "star_closure8", "star_closure_pages"];
    let mut cells = vec!["vertices".to_owned()];
    cells.extend(forms.map(|name| format!("`{name}`")));
    head(out, &cells);
    let mut sizes: Vec<u64> = rows.of("closure").map(|row| row.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for n in sizes {
        let ms = |name| rows.value("closure", name, (n, 0), "cycles").map(|cycles| cycles / 1e6);
        let mut cells = vec![n.to_string()];
        cells.extend(
            forms.map(|name| ms(name).map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}"))),
        );
        line(out, cells);
    }
    *out += "
Published seconds of **[A]** on a GeForce 920M, another machine of another time, for comparison by eye only:

";
    head(out, &["vertices", "sequential", "WARSHALL-C", "WARSHALL-adapt"].map(str::to_owned));
    for (n, sequential, by_columns, adapt) in CLOSURES {
        line(out, [n.to_string(), sequential.to_owned(), by_columns.to_owned(), adapt.to_owned()]);
    }
    out.push('\n');
}

/// Published seconds of `DistSPT` by **[A]**, by vertices; the source prints no unit, and seconds fit its other figures.
const STATIC: [(u64, &str); 3] = [(2048, "6.171"), (4096, "9.643"), (8192, "29.475")];

/// Kernels of a pass of `paths-numbered`, and how often each runs.
const OF_PASS: [(&str, u64); 8] = [
    ("star_min", 1),
    ("star_fnd", 1),
    ("star_some", 2),
    ("star_row", 2),
    ("star_tcopy", 1),
    ("star_addc1", 1),
    ("star_setmin", 1),
    ("star_tmerge", 1),
];

fn paths(out: &mut String, rows: &Rows) {
    *out += "## Shortest paths

R-MAT graphs with 32 arcs drawn for each vertex, weights 1 to 255, seed 1, from vertex 1, 32 bits; forms of the library with fewer operations.
`paths` keeps the tree as a table of n columns, as the source does, `paths-numbered` as a column for each bit of a parent's number. Counts are
exact; *columns* are those that are read and written. Cycles are those of kernels of elementary operations by `--backend cp2`, of which each
reads its operands in local memory and stores its result there: the work of the host and of the channel is not in them. Where there is no number,
no run was made.

";
    head(
        out,
        &[
            "program",
            "n",
            "passes",
            "columns",
            "a pass",
            "logic",
            "critical",
            "10^6 cycles on CP2",
            "published, s",
        ]
        .map(str::to_owned),
    );
    for name in ["paths", "paths-numbered"] {
        for (n, published) in STATIC {
            let value = |key| rows.value("paths", name, (n, 32), key);
            let columns = value("column_reads").zip(value("column_writes")).map(|(r, w)| r + w);
            let pass = columns.zip(value("passes")).map(|(columns, passes)| columns / passes);
            let cycles = value("cp2_cycles").map(|cycles| format!("{:.1}", cycles / 1e6));
            line(
                out,
                [
                    format!("`{name}`"),
                    n.to_string(),
                    whole(value("passes")),
                    whole(columns),
                    whole(pass),
                    whole(value("logic")),
                    whole(value("critical")),
                    cycles.unwrap_or_else(|| "-".to_owned()),
                    published.to_owned(),
                ],
            );
        }
    }
    *out += "
Published: `DistSPT` of **[A]** on a GeForce 920M, mean of several roots, another machine of another time.

";
    sum_of_kernels(out, rows);
}

/// Writes what a pass takes by the kernels of the library, as a sum.
fn sum_of_kernels(out: &mut String, rows: &Rows) {
    let kernels: Option<f64> = OF_PASS
        .iter()
        .map(|(name, times)| {
            let h = if matches!(*name, "star_fnd" | "star_some") { 0 } else { 32 };
            rows.value("kernel", name, (2048, h), "cycles").map(|cycles| cycles * *times as f64)
        })
        .sum();
    let merge = rows.value("kernel", "star_wmerge", (2048, 32), "cycles");
    let passes = rows.value("paths", "paths-numbered", (2048, 32), "passes");
    if let (Some(kernels), Some(merge), Some(passes)) = (kernels, merge, passes) {
        let pass = kernels + merge;
        let _ = writeln!(
            out,
            "By the kernels of the library a pass of `paths-numbered` with 2048 vertices takes {pass:.0} cycles (MIN, FND, SOME, ROW, TCOPY1, ADDC1, \
SETMIN, TMERGE, WMERGE, from the first table; the fused kernels of the next table take fewer), so {passes:.0} passes take {:.1} ms at 1 GHz: a sum, not a run. With the tree of n columns \
WMERGE takes n/32 times as long, {:.1} ms more in all. The band of weights of a pass comes from system memory, 8 KiB, in about 1.2 us at the rate of the channel.\n",
            pass * passes / 1e6,
            merge * (2048.0 / 32.0 - 1.0) * passes / 1e6,
        );
    }
}

/// Bits of a weight of paths on a whole machine.
const WEIGHT_BITS: [u64; 2] = [16, 32];

fn machine(out: &mut String, rows: &Rows) {
    *out += "## Shortest paths on a whole machine

The same graphs on VM9, with channel, host and system memory: `cp2 star paths --rmat 11 --bits 16 --backend cp2 --machine vm9`. *Weights*: whether the table stays in
local memory, or a band comes for each pass. *Least*: the share of the kernels' cycles that the fuller slot and the chains ask for. *Host* and *channel*: shares of the run in
which CP2 waits for the host's own work between passes, and in which the channel moves data and no kernel runs.

";
    head(
        out,
        &[
            "n",
            "bits",
            "weights",
            "passes",
            "ms",
            "cycles a pass",
            "kernels, %",
            "least, %",
            "host, %",
            "channel, %",
            "published, s",
        ]
        .map(str::to_owned),
    );
    let mut sizes: Vec<u64> = rows.of("machine").map(|row| row.n).collect();
    sizes.dedup();
    for (n, bits) in sizes.into_iter().flat_map(|n| WEIGHT_BITS.map(|bits| (n, bits))) {
        let value = |key| rows.value("machine", "paths", (n, bits), key);
        let Some((cycles, passes)) = value("cycles").zip(value("passes")) else { continue };
        let share = |part: Option<f64>, whole: f64| {
            part.map_or_else(|| "-".to_owned(), |part| format!("{:.1}", 100.0 * part / whole))
        };
        let published = STATIC.iter().find(|(known, _)| *known == n);
        line(
            out,
            [
                n.to_string(),
                bits.to_string(),
                if value("stay") == Some(1.0) { "stay" } else { "stream" }.to_owned(),
                whole(Some(passes)),
                format!("{:.3}", cycles / 1e6),
                format!("{:.0}", cycles / passes),
                share(value("kernel_cycles"), cycles),
                share(value("least_cycles"), value("kernel_cycles").unwrap_or(1.0)),
                share(value("host_alone"), cycles),
                share(value("channel_alone"), cycles),
                published.map_or_else(|| "-".to_owned(), |(_, seconds)| (*seconds).to_owned()),
            ],
        );
    }
    *out += "
Passes are the vertices reached, as in the source. A pass goes through the h columns of the band, of the sums and of the distances, and the log2(n + 1) of the parents' numbers, where
that of the source goes through the n columns of its tree.

";
}

/// Published runs of `InsertArcSPT` by **[A]**: vertices, seconds of the slowest run with weight 0 and with random weights, most vertices that
/// were affected with each.
const INSERTED: [(u64, [&str; 2], [&str; 2]); 3] = [
    (2048, ["0.012", "0.009"], ["8", "8"]),
    (4096, ["0.017", "0.012"], ["10", "10"]),
    (8192, ["0.038", "0.020"], ["15", "13"]),
];

fn insertions(out: &mut String, rows: &Rows) {
    *out += "## Insertions

n/10 random arcs into the same graphs, one after the other, with weight 0 or random weights. A vertex is affected if its distance changes. *Arcs*: the
most that leave the affected vertices of one insertion, which a sequential version looks at. *Passes*: of all insertions, by the programs, the
first vertex taken or the nearest.

";
    head(
        out,
        &[
            "weights",
            "n",
            "insertions",
            "none, %",
            "at most 2, %",
            "at most 5, %",
            "most",
            "arcs",
            "passes, first",
            "passes, nearest",
            "published, s / most",
        ]
        .map(str::to_owned),
    );
    for (at, kind) in ["zero", "random"].into_iter().enumerate() {
        for (n, seconds, most) in INSERTED {
            let value = |key| rows.value("insertions", kind, (n, 32), key);
            let all = value("insertions");
            let share = |key| {
                let share = value(key).zip(all).map(|(count, all)| 100.0 * count / all);
                share.map_or_else(|| "-".to_owned(), |share| format!("{share:.1}"))
            };
            line(
                out,
                [
                    kind.to_owned(),
                    n.to_string(),
                    whole(all),
                    share("none"),
                    share("at_most_2"),
                    share("at_most_5"),
                    whole(value("most_affected")),
                    whole(value("most_arcs")),
                    whole(value("passes_first")),
                    whole(value("passes_nearest")),
                    format!("{} / {}", seconds[at], most[at]),
                ],
            );
        }
    }
    *out += "
The source reports that nothing changes in over 50 % of insertions with weight 0 and in over 88 % with random weights, and that in 99 % at most 5 or
2 vertices are affected. Its roots and weights are not known: trends only. Counts are those of the native machine.

";
    insertions_on_machine(out, rows);
}

fn insertions_on_machine(out: &mut String, rows: &Rows) {
    *out += "The same insertions on VM9 with 32 bits, in microseconds of one insertion: `cp2 star paths-insert --insert FILE --backend cp2 --machine vm9` for the first vertex,
`paths-insert-nearest` for the nearest. Where nothing gets nearer, an insertion takes the pass from its tail; where an arc of less weight is there, the host's own work alone.

";
    let names =
        ["passes", "mean", "most"].map(|key| ["first", "nearest"].map(|o| format!("{key}, {o}")));
    let mut cells = vec!["weights".to_owned(), "n".to_owned()];
    cells.extend(names.into_iter().flatten());
    cells.push("published most, s".to_owned());
    head(out, &cells);
    for (at, kind) in ["zero", "random"].into_iter().enumerate() {
        for (n, seconds, _) in INSERTED {
            let value = |key: &str| rows.value("machine_insertions", kind, (n, 32), key);
            let us = |key: &str| {
                value(key).map_or_else(|| "-".to_owned(), |cycles| format!("{:.1}", cycles / 1e3))
            };
            let mut cells = vec![kind.to_owned(), n.to_string()];
            cells.extend(["passes_first", "passes_nearest"].map(|key| whole(value(key))));
            cells.extend(["mean_first", "mean_nearest", "most_first", "most_nearest"].map(us));
            cells.push(seconds[at].to_owned());
            line(out, cells);
        }
    }
    out.push('\n');
}

fn extensions(out: &mut String, rows: &Rows) {
    *out += "## What extensions buy

Cycles with and without [shared memory](extensions/shared-memory.md), by which the sections tell each other what each of them has; 32 columns, or a slice.

";
    let kernels = ["star_min", "star_max", "star_fnd", "star_numb", "star_some"];
    head(out, &["kernel", "n", "CP2", "shared memory", "saved, %"].map(str::to_owned));
    for name in kernels {
        let h = if matches!(name, "star_min" | "star_max") { 32 } else { 0 };
        for n in [256, 1024, 2048] {
            let shared = format!("{name}_shared");
            let pair = rows.value("kernel", name, (n, h), "cycles").zip(rows.value(
                "kernel",
                &shared,
                (n, h),
                "cycles",
            ));
            if let Some((usual, with)) = pair {
                let saved = format!("{:.1}", 100.0 * (usual - with) / usual);
                line(
                    out,
                    [
                        format!("`{name}`"),
                        n.to_string(),
                        whole(Some(usual)),
                        whole(Some(with)),
                        saved,
                    ],
                );
            }
        }
    }
    *out += "
`cp2 whatif star_min --enable shared-memory` makes the choice among all forms by itself.

- **Section addressing** is used by no kernel: a column is one run of words at the same address in all sections, and the bits that choose a union in a
  closure are those of one section, which all have to know. It would serve another layout, in which each section has columns of its own.
- **Conditional memory** is used by no kernel: a column that does not change is stored as it was, in the slot that is free while arithmetic decides, and loads and
  stores under a predicate would save no cycle of it.
";
}

/// Writes the part of graphics processors, from rows `device,NAME,n,h,key,value`: a table of all of them.
fn gpu(out: &mut String, rows: &Rows) {
    let mut all = rows.of("gpu").peekable();
    if all.peek().is_none() {
        return;
    }
    *out += "\n## Graphics processors\n\n";
    head(out, &["run", "n", "h", "value", ""].map(str::to_owned));
    for row in all {
        line(
            out,
            [
                row.name.clone(),
                row.n.to_string(),
                row.h.to_string(),
                row.key.clone(),
                format!("{}", row.value),
            ],
        );
    }
}
