//! Puzzles of 16 x 16 cells, and the stop at the first solution.

use super::{Found, percent, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Writes the branches of puzzles of 16 x 16 cells.
pub(super) fn branches(out: &mut String, rows: &Rows) {
    *out += "## 5 Branches of Sudoku 16 x 16

Puzzles with 125 clues by three seeds, counted to the end, contexts at the first depth that has 16, or at depth 20. Nodes of the least, the median and the largest branch; share of four lanes that are busy, by nodes, in per cent. None of these has the 20
million steps behind which a branch would not be followed further.

";
    let columns = [
        "rule",
        "seed",
        "D",
        "contexts",
        "least",
        "median",
        "most",
        "all nodes",
        "block",
        "cyclic",
        "queue",
    ];
    head(out, &words(&columns));
    let all = all_puzzles(rows);
    for &(rule, numbers) in &all {
        let found = Found { rows, part: "branch", name: rule, numbers };
        let share = |key: &str| percent(found.value(key).map(|value| value / 1e6));
        let mut cells = vec![rule.to_owned(), numbers.0.to_string(), numbers.1.to_string()];
        let sizes = ["contexts", "least", "median", "most", "all"];
        cells.extend(sizes.map(|key| whole(found.value(key))));
        cells.extend(["block", "cyclic", "queue"].map(share));
        line(out, cells);
    }
    *out += "
The same on CP2, VM9's core with section addressing, and with local memory of 32768 words, since contexts with their arrays take up to 15828, four lanes: cycles, and the share of passes in which lanes are busy:

";
    head(out, &words(&["rule", "seed", "block", "cyclic", "queue", "cyclic / queue"]));
    for &(rule, numbers) in &all {
        let names = ["block", "cyclic", "queue"].map(|way| format!("{rule} {way}"));
        let found = names.each_ref().map(|name| Found { rows, part: "lanes", name, numbers });
        let mut cells = vec![rule.to_owned(), numbers.0.to_string()];
        cells.extend(found.each_ref().map(|found| {
            format!("{} ({})", whole(found.value("cycles")), percent(found.efficiency()))
        }));
        let [_, cyclic, queue] = found.map(|found| found.value("cycles"));
        cells.push(two(cyclic.zip(queue).map(|(cyclic, queue)| cyclic / queue)));
        line(out, cells);
    }
    branches_text(out, rows, &all);
}

/// Writes the text about the branches.
fn branches_text(out: &mut String, rows: &Rows, all: &[(&'static str, (u64, u64))]) {
    let cycles = |rule: &str, seed: u64| {
        let numbers = all.iter().find(|(own, (number, _))| *own == rule && *number == seed)?.1;
        rows.value("lanes", &format!("{rule} queue"), numbers, "cycles")
    };
    let gains = (1..=3).filter_map(|seed| {
        let gain = cycles("first", seed)? / cycles("fewest", seed)?;
        Some(format!("{gain:.0} (seed {seed})"))
    });
    let gains: Vec<_> = gains.collect();
    let pass = |rule: &str| {
        let numbers = all.iter().find(|(own, _)| *own == rule)?.1;
        let name = format!("{rule} queue");
        Found { rows, part: "lanes", name: &name, numbers }.per_pass()
    };
    let shares = all.iter().flat_map(|&(rule, numbers)| {
        ["block", "cyclic", "queue"].map(|way| rows.value("branch", rule, numbers, way))
    });
    let most = shares.flatten().reduce(f64::max).map(|share| share / 1e6);
    let longer = pass("fewest").zip(pass("first")).map(|(fewest, first)| fewest / first);
    let _ = write!(
        out,
        "
A few branches have most of the nodes, so no way of dealing out keeps more than {} % of four lanes busy. By *first* a queue takes fewer cycles than cyclic dealing by the factors of the last column, though not than shares in blocks with seed 1; by *fewest*, where one context has more than half of the nodes, it gains nothing. The rule *fewest* in place of *first* is what helps:
by a queue it is faster by factors of {}, though a pass takes {} times as long and most passes look at a cell.

",
        percent(most),
        gains.join(", "),
        two(longer),
    );
}

/// Returns rule, seed and depth of all puzzles.
fn all_puzzles(rows: &Rows) -> Vec<(&'static str, (u64, u64))> {
    let of = |rule: &'static str| {
        let mut all: Vec<(u64, u64)> =
            rows.of("branch").filter(|row| row.name == rule).map(|row| (row.n, row.h)).collect();
        all.dedup();
        all.into_iter().map(move |numbers| (rule, numbers)).collect::<Vec<_>>()
    };
    ["fewest", "first"].into_iter().flat_map(of).collect()
}

/// Writes what the stop takes.
pub(super) fn stops(out: &mut String, rows: &Rows) {
    let of = |name| Found { rows, part: "stop", name, numbers: (4, 0) };
    let (all, stop) = (of("all"), of("stop"));
    let _ = writeln!(
        out,
        "## 6 Stopping all lanes at the first solution

The 9 x 9 puzzle of [Recursive searches](recursion.md), rule *first*, contexts from depth 4, 8 lanes. A lane ends its context with a solution in any case. Without the stop all contexts are solved: {} cycles. With `--stop`: {} cycles. The
test is done once in a block of {} passes, {:.0} cycles, behind the test whether anything is left: some 40 cycles of a block. On the average half a block is done in vain. A search in a tree has no such stop: it wants the first node in preorder, so a lane that has found one may not end those before it, and `tree` takes no `--stop`.
",
        whole(all.value("cycles")),
        whole(stop.value("cycles")),
        whole(stop.value("block")),
        stop.value("cycles").zip(stop.value("passes")).zip(stop.value("block")).map_or(0.0, |((cycles, passes), block)| cycles / passes * block),
    );
}
