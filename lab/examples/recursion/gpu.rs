//! Rows of graphics processors, from the lines that the figures of `cp2-gpu-recursion` print.

use serde_json::Value;
use std::fmt::Write as _;

/// Published times, without a unit, of queens on a Core 2 Quad Q6600 and a Tesla C1060: board, queens, and both.
const PUBLISHED: [(u32, u32, f64, Option<f64>); 14] = [
    (9, 9, 0.015, Some(0.018)),
    (9, 8, 0.115, Some(0.037)),
    (9, 7, 0.328, Some(0.071)),
    (9, 6, 0.406, Some(0.090)),
    (10, 10, 0.084, Some(0.058)),
    (10, 9, 0.775, Some(0.109)),
    (10, 8, 2.674, Some(0.222)),
    (10, 7, 4.056, Some(0.276)),
    (11, 11, 0.507, Some(0.046)),
    (11, 10, 5.404, Some(0.254)),
    (11, 9, 22.123, Some(1.044)),
    (11, 8, 41.092, Some(1.833)),
    (12, 7, 261.833, Some(11.830)),
    (12, 6, 79.107, None),
];
/// Subjects that were not published, and what each is.
const OTHERS: [(&str, &str); 9] = [
    ("queens:12:12", "12 queens on 12 x 12"),
    ("queens:13:13", "13 queens on 13 x 13"),
    ("queens:14:14", "14 queens on 14 x 14"),
    ("queens:16:16", "16 queens on 16 x 16"),
    ("tree:4:11:0", "tree of width 4, 11 levels, no rounds"),
    ("tree:4:11:8", "the same, 8 rounds"),
    ("tree:4:11:64", "the same, 64 rounds"),
    ("linked:4:11:8", "linked tree of width 4, 11 levels"),
    ("first:16:120:1", "Sudoku 16 x 16, 120 clues, *first*"),
];

/// Returns the lines of a data file.
///
/// # Errors
/// A line is no JSON.
pub(crate) fn read(text: &str) -> Result<Vec<Value>, String> {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", at + 1)))
        .collect()
}

fn number(line: &Value, key: &str) -> f64 {
    line[key].as_f64().unwrap_or(f64::NAN)
}

/// Returns the fastest plan of a subject in the last call that has it.
fn best<'l>(lines: &'l [Value], subject: &str) -> Option<&'l Value> {
    let of = |line: &&Value| line["subject"] == subject;
    let call = lines.iter().filter(of).map(|line| line["call"].as_u64()).max()?;
    let lines = lines.iter().filter(of).filter(|line| line["call"].as_u64() == call);
    lines.min_by(|a, b| number(a, "seconds").total_cmp(&number(b, "seconds")))
}

/// Cells of a subject: one core, all cores, the device, both ratios, and the plan.
fn cells(line: &Value) -> String {
    let ms = |key: &str| format!("{:.3}", 1e3 * number(line, key));
    let plan = format!(
        "{}, {}, D {}",
        line["stack"].as_str().unwrap_or("?"),
        line["dealing"].as_str().unwrap_or("?"),
        line["depth"]
    );
    format!(
        "{} | {} | {} | {:.1} | {:.1} | {plan}",
        ms("one_core"),
        ms("all_cores"),
        ms("seconds"),
        number(line, "by_one"),
        number(line, "by_all")
    )
}

/// Writes the part of the page.
pub(crate) fn part(out: &mut String, lines: &[Value]) {
    let Some(first) = lines.first() else { return };
    let _ = write!(
        out,
        "
## 8 One graphics processor, beside the published table

{}, driver {}, beside one core and all {} cores of its machine in the same call, milliseconds; the device with the calls of the host, contexts and results moved and combining, kernels built before. Best of the plans of the last call that has the
row (`gpu/recursion/data`, with the command of each line). For queens the cores run a plain search on bit masks, the best of several forms, which counts nodes too; all values and nodes are compared. Published: [R], seconds by the node counts, on other machines, by another program for the CPU; its
ratio is beside ours for what it is.

| K, N | published CPU / GPU | ratio | one core | all cores | device | over one core | over all | plan |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
",
        first["name"].as_str().unwrap_or("?"),
        first["driver"].as_str().unwrap_or("?"),
        first["cores"]
    );
    for (board, queens, cpu, gpu) in PUBLISHED {
        let Some(line) = best(lines, &format!("queens:{board}:{queens}")) else { continue };
        let published = gpu.map_or("-".to_owned(), |gpu| format!("{gpu:.3}"));
        let ratio = gpu.map_or("-".to_owned(), |gpu| format!("{:.1}", cpu / gpu));
        let _ = writeln!(
            out,
            "| {board}, {queens} | {cpu:.3} / {published} | {ratio} | {} |",
            cells(line)
        );
    }
    *out += "\n| task | one core | all cores | device | over one core | over all | plan |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    for (subject, what) in OTHERS {
        if let Some(line) = best(lines, subject) {
            let _ = writeln!(out, "| {what} | {} |", cells(line));
        }
    }
    *out += "
The smallest search, 8394 nodes, takes the device longer than one core; from the next one on, 35539 nodes, the device is faster than one core, and it is faster than all cores in every row. Sudoku takes the device longest and gains little over all cores: a few branches have most nodes, and what is given back from them is soon as unequal.
";
    targets(out, lines);
}

/// Writes the targets, and what is reached of them.
fn targets(out: &mut String, lines: &[Value]) {
    let of = |subject: &str, key: &str| {
        let line = best(lines, subject);
        line.map_or_else(|| "-".to_owned(), |line| format!("{:.0}", number(line, key)))
    };
    let over = |subject: &str, key: &str, target: f64| {
        best(lines, subject).map_or(f64::NAN, |line| number(line, key) / target)
    };
    let room = over("queens:16:16", "by_one", 100.0)
        .min(over("queens:16:16", "by_all", 8.0))
        .min(over("queens:14:14", "by_one", 20.0));
    let _ = write!(
        out,
        "
**Targets.** They are set for an H100: 16 queens on 16 x 16 at least 100 times one core of its machine and 8 times its 16 cores, 14 on 14 x 14 at least 20 times one core, with copies. Here these are {}, {} and {}. The H200 that was measured has the processors of the H100 (SXM), 132 of them at the same clocks, and differs in memory,
141 GB at 4.8 TB/s in place of 80 GB at 3.35 TB/s; the stacks of these searches are in local memory, and contexts and results are some megabytes, so that little hangs on bandwidth. An H100 itself was not measured; the H200 has {:.0} times what each target asks for, or more.
",
        of("queens:16:16", "by_one"),
        of("queens:16:16", "by_all"),
        of("queens:14:14", "by_one"),
        room.floor(),
    );
}
