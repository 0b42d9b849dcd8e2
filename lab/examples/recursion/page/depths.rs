//! The depth at which the host hands over, and the work of a node at which a tree pays.

use super::{Found, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};

/// Returns the cycles that the control processor of VM9 takes for a node of a task.
fn host_node(rows: &Rows, task: &str) -> Option<f64> {
    let rounds = |text: &str| text.split(' ').rev().nth(1)?.parse().ok();
    let (name, rounds, nodes) = match task {
        "dominoes on 6 x 5" => ("dominoes", 0, 6240.0),
        "sudoku by the first cell" => ("sudoku first", 0, 13_106.0),
        "sudoku by the fewest" => ("sudoku fewest", 0, 54.0),
        "tree 4 5 8" | "search in this tree" => ("tree", 8, 1365.0),
        "tree of links" => ("tree walked", 0, 1365.0),
        _ if task.ends_with("rounds") => ("tree", rounds(task)?, 1365.0),
        _ => ("queens 10 7", 0, 3_910_138.0),
    };
    let value = |name: &str, rounds| rows.value("control", name, (rounds, 0), "cycles");
    let start = if name == "tree walked" { "tree linked" } else { "start" };
    Some((value(name, rounds)? - value(start, 0)?) / nodes)
}

/// A search on a machine from a depth.
struct FromDepth<'r> {
    depth: u64,
    found: Found<'r>,
    /// Cycles that the host takes for a node.
    host_node: f64,
}

impl FromDepth<'_> {
    fn host(&self) -> Option<f64> {
        Some(self.host_node * self.found.value("host")?)
    }

    fn moved(&self) -> Option<f64> {
        Some(self.found.value("cycles")? - self.found.value("kernel")?)
    }

    fn sum(&self) -> Option<f64> {
        Some(self.host()? + self.found.value("cycles")?)
    }
}

/// Deepest hand-over that is looked at.
const DEEPEST: u64 = 60;

/// Returns the searches of a task by depth.
fn by_depth<'r>(rows: &'r Rows, name: &'r str) -> Vec<FromDepth<'r>> {
    let host_node = host_node(rows, name).unwrap_or(0.0);
    let of = |depth: u64| {
        let found = Found { rows, part: "depth", name, numbers: (depth, 0) };
        found.value("cycles").map(|_| FromDepth { depth, found, host_node })
    };
    (0..=DEEPEST).filter_map(of).collect()
}

/// Returns the least sum of a task over all depths, and its depth.
fn least(searches: &[FromDepth<'_>]) -> Option<(f64, u64)> {
    let sums = searches.iter().filter_map(|search| Some((search.sum()?, search.depth)));
    sums.min_by(|one, other| one.0.total_cmp(&other.0))
}

/// Writes the searches by depth.
pub(super) fn depths(out: &mut String, rows: &Rows) {
    *out += "## 1 The depth at which the host hands over

VM9 with section addressing, and the number of stacks in turn that is taken without `--slots`: contexts come from system memory and results go back. *Nodes above*: calls above depth D. *Host*: these and, where values are sums, the first step of each context, at the cycles in parentheses
behind the task, which one of its nodes takes on the control processor (28.5 of 7 queens on 10 x 10 for all boards; a search at those of the sum; the program for dominoes looks at all 49 rows in a node); the host does not work at the same time. The least sum is the depth to take.

";
    let columns = [
        "task",
        "D",
        "contexts",
        "nodes above",
        "host",
        "contexts and results moved",
        "lanes",
        "sum",
    ];
    head(out, &words(&columns));
    let mut names: Vec<&str> = Vec::new();
    for row in rows.of("depth").filter(|row| !row.name.starts_with("tree of ")) {
        if !names.contains(&&*row.name) {
            names.push(&row.name);
        }
    }
    for name in names {
        let searches = by_depth(rows, name);
        let best = least(&searches).map(|(_, depth)| depth);
        for search in &searches {
            let mark = if Some(search.depth) == best { "**" } else { "" };
            let cells = [
                format!("{name} ({:.1})", search.host_node),
                search.depth.to_string(),
                whole(search.found.value("contexts")),
                whole(search.found.value("above")),
                whole(search.host()),
                whole(search.moved()),
                whole(search.found.value("kernel")),
                format!("{mark}{}{mark}", whole(search.sum())),
            ];
            line(out, cells);
        }
    }
    *out += DEPTHS_TEXT;
}

/// Text about the depths.
const DEPTHS_TEXT: &str = "
Queens are looked at down to depth 6, dominoes to 14, the puzzle by the first cell to 12, by the fewest at depths 0, 2, 8, 32 and 53; one of these that is missing has contexts that local memory does not hold beside the stacks. **Queens and trees**: the least sum is at the depth with one to some twenty contexts for each of 32 lanes; before it lanes wait for the longest context,
behind it the host's share grows. **A cover** has contexts of unequal size down to the end, and its nodes take the host 183 cycles, so the sum is flat from depth 7 to 10. **A puzzle by the first cell** pays down to the depth whose contexts, with the arrays of each, still fit: 1.7 times as fast as the
control processor alone (2271660 cycles), with `--slots 2` 2.0 times (1061688 cycles of the lanes). **By the fewest** there is one context at every depth, so that one lane works (896583 cycles with `--slots 1`), and the host alone is faster than any: 99678 cycles. In a **search** the host looks at contexts in their order, and lanes solve all of them, those behind the node
that is searched for too.

";

/// Writes the trees by the work of a node.
pub(super) fn trees(out: &mut String, rows: &Rows) {
    *out += "## 4 Work of a node at which a tree pays

A tree of width 4 and 5 levels, 1365 nodes, W rounds of xorshift32 for a node; cycles of a node. Control processor: `programs/c/examples/search.c`, GCC -O2, on the bare machine of VM9 with times, less the time
of a program that does nothing. *Lanes*: CP2 alone, 32 lanes, contexts from depth 3. *Whole*: VM9 with contexts and results moved, and the calls of the host at its cycles for a node, from the depth with the least sum. Ratios are those of
the control processor to the whole.

";
    let columns =
        ["tree", "W", "control processor", "lanes", "whole", "D", "control processor / whole"];
    head(out, &words(&columns));
    for rounds in [0, 1, 2, 4, 8, 64] {
        let task = format!("tree of {rounds} rounds");
        tree(out, rows, (&task, "computed", rounds), &rounds.to_string());
    }
    tree(out, rows, ("tree of links", "linked", 0), "-");
    *out += TREES_TEXT;
}

/// Writes the row of a tree.
fn tree(out: &mut String, rows: &Rows, (task, name, rounds): (&str, &str, u64), work: &str) {
    let found = Found { rows, part: "tree", name, numbers: (rounds, 3) };
    let lanes = found.value("cycles").zip(found.value("nodes"));
    let control = host_node(rows, task);
    let best = least(&by_depth(rows, task));
    let all = best.map(|(sum, _)| sum / 1365.0);
    let cells = [
        name.to_owned(),
        work.to_owned(),
        two(control),
        two(lanes.map(|(cycles, nodes)| cycles / nodes)),
        two(all),
        best.map_or_else(String::new, |(_, depth)| depth.to_string()),
        two(control.zip(all).map(|(control, all)| control / all)),
    ];
    line(out, cells);
}

/// Text about trees.
const TREES_TEXT: &str = "
Without rounds GCC sums the last levels without a call for each node, and the control processor is faster. From one round on the whole pays, with 64 it is 3.5 times as fast and the lanes alone 6 times: the host does 85 of 1365 first steps at its own
cycles. A linked tree has its values in memory, so that no rounds are left; the control processor walks it in the caches, where it was made. The lanes alone are 1.7 times as fast, but the tree has to be copied to every section, and so it
does not pay; its size is that of local memory.

";
