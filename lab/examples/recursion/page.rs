//! The page of the book, from rows of measurements.

use crate::rows::Rows;
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Cases of the forms: board, queens, depth.
const BOARDS: [(u64, u64, u64); 6] =
    [(8, 8, 3), (8, 6, 2), (9, 7, 2), (10, 10, 3), (10, 7, 3), (10, 7, 2)];
/// Forms, and what each is.
const FORMS: [(&str, &str); 12] = [
    ("common", "common depth, unmodified machine"),
    ("common-memory", "with conditional memory"),
    ("common-counters", "with section counters"),
    ("common-2", "two searches of a register, unmodified machine"),
    ("registers", "common depth, frames in 128 FPRs"),
    ("registers-counters", "the same with section counters"),
    ("own", "own stacks, section addressing"),
    ("own-memory", "and conditional memory"),
    ("own-counters", "and section counters"),
    ("own-2", "two searches of a register, section addressing"),
    ("all", "all extensions, 128 FPRs"),
    ("all-2", "all extensions, two searches of a register"),
];

/// Returns the text of the page.
pub(crate) fn page(rows: &Rows) -> String {
    let mut out = String::from(
        "# Recursive searches: measurements

<!-- Made by `cargo xtask bless recursion` from `lab/data/recursion.csv` and `gpu/recursion/data`. -->

What the searches of [Recursive searches](recursion.md) take on CP2, in cycles of the emulator, with the answers to seven questions, and what they take on a graphics processor. Every value was compared
with the host's in the run that was measured. `cargo run --release -p cp2-lab --example recursion -- measure PART` (`forms`, `depths`, `trees`, `branches`,
`stops`) measures anew; nothing but the last part depends on a native machine. *A node of each
section*: cycles x 4 / nodes, as each of four sections does its share.

",
    );
    depths(&mut out, rows);
    forms(&mut out, rows);
    efficiency(&mut out, rows);
    steps(&mut out, rows);
    trees(&mut out, rows);
    branches(&mut out, rows);
    stops(&mut out, rows);
    halves(&mut out, rows);
    out
}

fn words(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}", 100.0 * value))
}

/// Values of a search in a form.
struct Found<'r> {
    rows: &'r Rows,
    part: &'r str,
    name: &'r str,
    numbers: (u64, u64),
}

impl Found<'_> {
    fn value(&self, key: &str) -> Option<f64> {
        self.rows.value(self.part, self.name, self.numbers, key)
    }

    /// Cycles for a node of each section.
    fn per_node(&self) -> Option<f64> {
        Some(4.0 * self.value("cycles")? / self.value("nodes")?)
    }

    /// Share of the lanes' passes in which they were busy.
    fn efficiency(&self) -> Option<f64> {
        Some(self.value("busy")? / (self.value("lanes")? * self.value("passes")?))
    }

    /// Cycles of a pass of one stack of a section.
    fn per_pass(&self) -> Option<f64> {
        Some(self.value("cycles")? / (self.value("passes")? * self.value("slots")?))
    }
}

fn of_form<'r>(
    rows: &'r Rows,
    name: &'r str,
    (board, queens, depth): (u64, u64, u64),
) -> Found<'r> {
    Found { rows, part: "form", name, numbers: (100 * board + queens, depth) }
}

fn two(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// Cycles that the control processor of VM9 takes for a node of queens.
fn host_node(rows: &Rows) -> f64 {
    let value = |name: &str| rows.value("control", name, (0, 0), "cycles").unwrap_or(0.0);
    (value("queens 10 7") - value("start")) / 3_910_138.0
}

fn depths(out: &mut String, rows: &Rows) {
    let of_host = host_node(rows);
    let _ = write!(out, "## 1 The depth at which the host hands over

VM9 with section addressing, two searches of a register, 32 lanes: contexts come from system memory and results go back. *Host*: the nodes above the contexts and the first step of each context, at the
{of_host:.1} cycles that a node of queens takes on the control processor, which does not run at the same time. The least sum is the depth to take.

");
    let columns = [
        "task",
        "D",
        "contexts",
        "nodes of the host",
        "host",
        "contexts and results moved",
        "lanes",
        "sum",
    ];
    head(out, &words(&columns));
    let mut names: Vec<&str> = Vec::new();
    for row in rows.of("depth") {
        if !names.contains(&&*row.name) {
            names.push(&row.name);
        }
    }
    for name in names {
        let of = |depth: u64| Found { rows, part: "depth", name, numbers: (depth, 0) };
        let sum = |depth: u64| {
            let found = of(depth);
            Some(found.value("cycles")? + of_host * found.value("host nodes")?)
        };
        let best = (0..=6).filter_map(sum).fold(f64::INFINITY, f64::min);
        for depth in (0..=6).filter(|&depth| of(depth).value("cycles").is_some()) {
            let found = of(depth);
            let host = found.value("host nodes").map(|nodes| of_host * nodes);
            let moved =
                found.value("cycles").zip(found.value("lanes")).map(|(all, lanes)| all - lanes);
            let all = sum(depth);
            let mark = if all == Some(best) { "**" } else { "" };
            let cells = [
                name.to_owned(),
                depth.to_string(),
                whole(found.value("contexts")),
                whole(found.value("host nodes")),
                whole(host),
                whole(moved),
                whole(found.value("lanes")),
                format!("{mark}{}{mark}", whole(all)),
            ];
            line(out, cells);
        }
    }
    *out += "\nA depth that is missing has contexts that local memory does not hold beside the stacks.\n\n";
}

fn forms(out: &mut String, rows: &Rows) {
    *out += "## 2 Extensions, and the share of passes in which lanes are busy

Cycles for a node of each section, and in parentheses the share of all passes of lanes in which they are busy, in per cent; queens N on K x K from depth D.

";
    let mut columns = vec!["form".to_owned()];
    columns.extend(BOARDS.map(|(board, queens, depth)| format!("{board}, {queens}, D {depth}")));
    head(out, &columns);
    for (name, what) in FORMS {
        let mut cells = vec![what.to_owned()];
        cells.extend(BOARDS.map(|board| {
            let found = of_form(rows, name, board);
            format!("{} ({})", two(found.per_node()), percent(found.efficiency()))
        }));
        line(out, cells);
    }
    *out += "
**Conditional memory** changes nothing: with a common depth what an idle lane stores lies above everything that is alive, and its sums are masked by an operation that two searches
of a register need anyway; with own stacks a store at an address of a section has no conditional form. **Section counters** find the largest word of all sections in one operation: with a common depth that
shortens every pass, with own stacks only the test at the end of a block of passes. Which extension is worth it for which task: section addressing for every one, since tasks with
arrays or with returned values cannot do without it and queens are 2.4 to 4.5 times as fast with it, 3.8 to 6.6 times with two searches of a register; section counters for a common depth only; more registers for more searches in turn. **Frames in registers** lose: one group of lanes is at one depth, so nothing fills
the latency of its pass.

";
}

fn efficiency(out: &mut String, rows: &Rows) {
    *out += "Beside the exact share of four lanes (nodes of all contexts / (4 x nodes of the longest lane)); kernels have 20 or 32 lanes, which end less evenly, and look
for idle lanes only once in a block of passes.

";
    head(
        out,
        &words(&[
            "K, N",
            "D",
            "block",
            "cyclic",
            "queue",
            "common depth, exact",
            "common depth, kernel",
            "kernel / exact",
            "own stacks, queue",
        ]),
    );
    for board in BOARDS {
        let numbers = (100 * board.0 + board.1, board.2);
        let exact = |name: &str| Some(rows.value("exact", name, numbers, "efficiency")? / 1e6);
        let kernel = of_form(rows, "common", board).efficiency();
        let ratio = kernel.zip(exact("joint")).map(|(kernel, exact)| kernel / exact);
        let cells = [
            format!("{}, {}", board.0, board.1),
            board.2.to_string(),
            percent(exact("block")),
            percent(exact("cyclic")),
            percent(exact("queue")),
            percent(exact("joint")),
            percent(kernel),
            two(ratio),
            percent(of_form(rows, "own", board).efficiency()),
        ];
        line(out, cells);
    }
    *out += "\n";
}

fn steps(out: &mut String, rows: &Rows) {
    *out += "## 3 What a pass costs

Cycles of a pass of one stack in every section (two searches of a register count as one stack), 7 queens on 10 x 10. A pass takes the frame on top on, makes the call, enters what is called and moves the
stack pointer: for queens the first step of a call and the only other one, so all that is issued is used, and a node is one pass. Where a task has more states all are issued: the rule *fewest* of Sudoku issues the
first step, the look and the try in every pass, of which one is used.

";
    head(out, &words(&["form", "cycles of a pass"]));
    for (name, what) in FORMS {
        line(out, [what.to_owned(), two(of_form(rows, name, (10, 7, 3)).per_pass())]);
    }
    *out += "\n";
}

fn trees(out: &mut String, rows: &Rows) {
    *out += "## 4 Work of a node at which a tree pays

A tree of width 4 and 5 levels, 1365 nodes, W rounds of xorshift32 for a node; 32 lanes, contexts from depth 3. Control processor: `programs/c/examples/search.c`, GCC -O2, on the bare machine of VM9 with times, less the time
of a program that does nothing. CP2 without the transfer of contexts.

";
    head(
        out,
        &words(&[
            "W",
            "control processor, cycles of a node",
            "CP2, children computed",
            "ratio",
            "CP2, linked",
            "ratio",
        ]),
    );
    let control = |rounds: u64| {
        let value = |name: &str, rounds| rows.value("control", name, (rounds, 0), "cycles");
        Some((value("tree", rounds)? - value("start", 0)?) / 1365.0)
    };
    for rounds in [0, 2, 8, 64] {
        let of = |part: &'static str| {
            let found = Found { rows, part, name: "own-2", numbers: (rounds, 3) };
            Some(found.value("cycles")? / found.value("nodes")?)
        };
        let ratio = |of_cp2: Option<f64>| two(control(rounds).zip(of_cp2).map(|(a, b)| a / b));
        let (computed, linked) = (of("tree"), of("linked tree"));
        let cells = [
            rounds.to_string(),
            two(control(rounds)),
            two(computed),
            ratio(computed),
            two(linked),
            ratio(linked),
        ];
        line(out, cells);
    }
    *out += "\nWithout rounds GCC sums the last levels without a call for each node, so the control processor is faster; from two rounds on CP2 is. A linked tree stores the values, so its rounds are done before; it has to be
copied to every section, and its size is that of local memory.\n\n";
}

fn branches(out: &mut String, rows: &Rows) {
    *out += "## 5 Branches of Sudoku 16 x 16

Puzzles with 125 clues by three seeds, counted to the end, contexts at the first depth that has 16. Nodes of the least, the median and the largest branch; share of four lanes that are busy, cyclic and by queue. A branch of more than 20
million steps is not followed further.

";
    head(
        out,
        &words(&[
            "rule",
            "seed",
            "D",
            "contexts",
            "least",
            "median",
            "most",
            "all nodes",
            "cyclic",
            "queue",
        ]),
    );
    for rule in ["fewest", "first"] {
        let mut all: Vec<(u64, u64)> =
            rows.of("branch").filter(|row| row.name == rule).map(|row| (row.n, row.h)).collect();
        all.dedup();
        for numbers in all {
            let found = Found { rows, part: "branch", name: rule, numbers };
            let share = |key: &str| percent(found.value(key).map(|value| value / 1e6));
            let cells = [
                rule.to_owned(),
                numbers.0.to_string(),
                numbers.1.to_string(),
                whole(found.value("contexts")),
                whole(found.value("least")),
                whole(found.value("median")),
                whole(found.value("most")),
                whole(found.value("all")),
                share("cyclic"),
                share("queue"),
            ];
            line(out, cells);
        }
    }
    *out += "\nOne branch has almost all nodes, so that neither way of dealing out keeps more than one lane busy; *fewest* in place of *first* is what helps.\n\n";
}

fn stops(out: &mut String, rows: &Rows) {
    let of = |name| Found { rows, part: "stop", name, numbers: (4, 0) };
    let (all, stop) = (of("all"), of("stop"));
    let _ = writeln!(
        out,
        "## 6 Stopping all lanes at the first solution

The 9 x 9 puzzle of [Recursive searches](recursion.md), rule *first*, contexts from depth 4, 8 lanes. A lane ends its context with a solution in any case. Without the stop all contexts are solved: {} cycles. With `--stop`: {} cycles. The
test is done once in a block of {} passes, {:.0} cycles, behind the test whether anything is left: some 40 cycles of a block. On the average half a block is done in vain.
",
        whole(all.value("cycles")),
        whole(stop.value("cycles")),
        whole(stop.value("block")),
        stop.value("cycles").zip(stop.value("passes")).zip(stop.value("block")).map_or(0.0, |((cycles, passes), block)| cycles / passes * block),
    );
}

fn halves(out: &mut String, rows: &Rows) {
    *out += "## 7 Two searches of a register against one

Cycles for a node of each section. With own stacks each half has a stack pointer and stacks in words of its own; two fields share a word, and `psprmsgn` brings the halves to their places, in
the slot that is not full. With a common depth the halves wait for each other too.

";
    head(
        out,
        &words(&[
            "K, N",
            "D",
            "own stacks, one",
            "two",
            "gain",
            "all extensions, one",
            "two",
            "gain",
            "common depth, one",
            "two",
            "gain",
        ]),
    );
    for board in BOARDS {
        let of = |name| of_form(rows, name, board).per_node();
        let mut cells = vec![format!("{}, {}", board.0, board.1), board.2.to_string()];
        for (one, other) in [("own", "own-2"), ("all", "all-2"), ("common", "common-2")] {
            let gain = of(one).zip(of(other)).map(|(one, other)| one / other);
            cells.extend([two(of(one)), two(of(other)), two(gain)]);
        }
        line(out, cells);
    }
}
