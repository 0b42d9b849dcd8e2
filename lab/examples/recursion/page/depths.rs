//! The depth at which the host hands over, and the work of a node at which a tree pays.

use super::{Found, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Returns the cycles that the control processor of VM9 takes for a node of a task of so many nodes.
fn host_node(rows: &Rows, task: &str, nodes: f64) -> Option<f64> {
    let words: Vec<&str> = task.split(' ').collect();
    let value = |name: &str, rounds| rows.value("control", name, (rounds, 0), "cycles");
    let whole = match words[..] {
        [queens, "queens", "on", board, "x", _] => value(&format!("queens {board} {queens}"), 0),
        ["tree", "of", "links"] => value("tree walked", 0),
        ["tree", "of", rounds, "rounds"] => value("tree", rounds.parse().ok()?),
        ["tree", ..] => value("tree", 8),
        ["search", ..] => value("search", 0),
        ["linked", ..] => value("tree walked", 0),
        ["fibonacci", _] => value("fibonacci", 0),
        ["dominoes", ..] => value("dominoes", 0),
        ["sudoku", "by", "the", "first", ..] => value("sudoku first", 0),
        _ => value("sudoku fewest", 0),
    };
    let start = if is_linked(task) { "tree linked" } else { "start" };
    Some((whole? - value(start, 0)?) / nodes)
}

/// Whether a task is a tree whose nodes are in memory.
fn is_linked(task: &str) -> bool {
    task == "tree of links" || task == "linked tree"
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
    let at = |depth: u64| Found { rows, part: "depth", name, numbers: (depth, 0) };
    // A search that ends at a node makes the fewest nodes if the host has all of them in their order.
    let nodes = (0..=DEEPEST).find_map(|depth| at(depth).value("nodes"));
    let host_node = nodes.and_then(|nodes| host_node(rows, name, nodes)).unwrap_or(0.0);
    let of = |depth: u64| {
        let found = at(depth);
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

VM9 with section addressing, from each depth the stacks in turn and searches of a register that are chosen without `--slots` and `--searches`: contexts come from system memory and results go back. *Contexts*: those that lanes get; where values are sums contexts that end with their first step are the host's. *Nodes above*: calls above depth D. *Host*: these and, where values are sums, the first step of each context, at the cycles in parentheses
behind the task, which one of its nodes takes on the control processor (`programs/c/examples/search.c`; the program for dominoes looks at all 49 rows in a node); the host does not work at the same time. The least sum is in bold type; *chosen* is the depth that is taken without `--depth`, by predicted
cycles, among those at which the host makes at most an eighth of all calls.

";
    let columns = [
        "task",
        "D",
        "contexts",
        "nodes above",
        "host",
        "stacks, searches",
        "contexts and results moved",
        "lanes",
        "sum",
        "chosen",
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
        let chosen = rows.value("plan", name, (0, 0), "depth");
        for search in &searches {
            let mark = if Some(search.depth) == best { "**" } else { "" };
            let cells = [
                format!("{name} ({:.1})", search.host_node),
                search.depth.to_string(),
                whole(search.found.value("contexts")),
                whole(search.found.value("above")),
                whole(search.host()),
                ["slots", "halves"].map(|key| whole(search.found.value(key))).join(", "),
                whole(search.moved()),
                whole(search.found.value("kernel")),
                format!("{mark}{}{mark}", whole(search.sum())),
                if chosen == Some(search.depth as f64) { "x" } else { "" }.to_owned(),
            ];
            line(out, cells);
        }
    }
    depths_text(out, rows);
}

/// Cycles of a task on the control processor alone.
fn alone(rows: &Rows, name: &str) -> Option<f64> {
    let value = |name: &str| rows.value("control", name, (0, 0), "cycles");
    Some(value(name)? - value("start")?)
}

/// Writes the text about the depths.
fn depths_text(out: &mut String, rows: &Rows) {
    let first = least(&by_depth(rows, "sudoku by the first cell")).map(|(sum, _)| sum);
    let host = alone(rows, "sudoku first");
    let fewest = by_depth(rows, "sudoku by the fewest");
    let whole_tree = fewest.first().and_then(|search| search.found.value("kernel"));
    let linked = by_depth(rows, "linked tree");
    let moved = |of: fn(f64, f64) -> f64| linked.iter().filter_map(FromDepth::moved).reduce(of);
    let cover = by_depth(rows, "dominoes on 6 x 5");
    let cover_least = least(&cover).map(|(sum, _)| sum);
    let near = |search: &&FromDepth<'_>| (5..=9).contains(&search.depth);
    let cover_most = cover.iter().filter(near).filter_map(FromDepth::sum).reduce(f64::max);
    let cover_off = cover_most.zip(cover_least).map(|(most, least)| 100.0 * (most / least - 1.0));
    let _ = write!(
        out,
        "
Queens are looked at down to depth 6, dominoes to 14, the puzzle by the first cell to 12, by the fewest at depths 0, 2, 8, 32 and 53; one of these that is missing has contexts that local memory does not hold beside the stacks. **Queens and trees**: the least sum is at the depth with one to some fifteen contexts for each lane; before it lanes wait for the longest context,
behind it the host's share grows, if local memory holds the contexts at all: of 7 queens on 9 x 9 and 10 x 10 it does not. A node of a **linked tree** costs the host less than one of a computed tree, and what is moved is the tree for the most part, from {} to {} cycles at all depths. Of **Fibonacci** every call is short, and the host alone, {} cycles, is faster than with lanes from any depth. The nodes of **a cover** take the host 183 cycles, so that shorter contexts cost it about what
lanes gain: from depth 5 to 9 the sums are within {} % of the least. **A puzzle by the first cell** pays from depth 2 on, most at depth 4, the last one whose contexts, with the arrays of each, still fit: host and lanes are {} times as fast as the
control processor alone ({} cycles). **By the fewest** there is one context at every depth but the last, so that one lane works ({} cycles of it from depth 0), and the host alone is faster than any: {} cycles. In a **search** the control processor alone would stop at the node that is searched for; lanes solve all contexts,
those behind that node too.

",
        whole(moved(f64::min)),
        whole(moved(f64::max)),
        whole(alone(rows, "fibonacci")),
        cover_off.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.0}")),
        two(host.zip(first).map(|(host, sum)| host / sum)),
        whole(host),
        whole(whole_tree),
        whole(alone(rows, "sudoku fewest")),
    );
}

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
    trees_text(out, rows);
}

/// Writes the row of a tree.
fn tree(out: &mut String, rows: &Rows, (task, name, rounds): (&str, &str, u64), work: &str) {
    let found = Found { rows, part: "tree", name, numbers: (rounds, 3) };
    let lanes = found.value("cycles").zip(found.value("nodes"));
    let control = host_node(rows, task, 1365.0);
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

/// Writes the text about trees.
fn trees_text(out: &mut String, rows: &Rows) {
    let control = |task: &str| host_node(rows, task, 1365.0);
    let gains = |task: &str, (name, rounds): (&str, u64)| {
        let found = Found { rows, part: "tree", name, numbers: (rounds, 3) };
        let lanes = found.value("cycles").zip(found.value("nodes")).map(|(c, nodes)| c / nodes);
        let whole = least(&by_depth(rows, task)).map(|(sum, _)| sum / 1365.0);
        [whole, lanes].map(|other| {
            let gain = control(task).zip(other).map(|(control, other)| control / other);
            gain.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.1}"))
        })
    };
    let most = gains("tree of 64 rounds", ("computed", 64));
    let links = gains("tree of links", ("linked", 0));
    let _ = write!(
        out,
        "
Without rounds GCC sums the last levels without a call for each node, and the control processor is faster. From one round on the whole pays: with 64 rounds it is {} times as fast as the control processor, and the lanes alone are {} times as fast as the control processor; the whole has the host's part of the first steps in it, at the host's
cycles. A linked tree has its values in memory, so that no rounds are left; the control processor walks it in the caches, where it was made. The lanes alone are {} times as fast as the control processor, but the tree has to be copied to every section, and so it
does not pay; its size is that of local memory.

",
        most[0], most[1], links[1]
    );
}
