//! Queens by all forms, and the share of passes in which lanes are busy.

use super::{Found, percent, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Cases of the forms: board, queens, depth.
const BOARDS: [(u64, u64, u64); 6] =
    [(8, 8, 3), (8, 6, 2), (9, 7, 2), (10, 10, 3), (10, 7, 3), (10, 7, 2)];
/// Forms, and what each is.
pub(super) const FORMS: [(&str, &str); 12] = [
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

/// Returns the values of a form.
pub(super) fn of_form<'r>(
    rows: &'r Rows,
    name: &'r str,
    (board, queens, depth): (u64, u64, u64),
) -> Found<'r> {
    Found { rows, part: "form", name, numbers: (100 * board + queens, depth) }
}

/// Writes the forms.
pub(super) fn forms(out: &mut String, rows: &Rows) {
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
The reciprocal of these cycles is the node rate of a section and cycle: 0.0276 for own stacks and 0.0449 with two searches, 10, 7 from depth 3. **Conditional memory** changes nothing, since no kernel of a search has an operation of it: with a common depth what an idle lane stores lies above everything that is alive, and its sums are masked by an operation that two searches
of a register need anyway; with own stacks a store at an address of a section has no conditional form. **Section counters** find the largest word of all sections in one operation: with a common depth that
shortens every pass, with own stacks only the test at the end of a block of passes. **Frames in registers** lose: one group of lanes is at one depth, so nothing fills
the latency of its pass.

";
}

/// Tasks by extensions.
const TASKS: [&str; 8] = [
    "7 queens on 10 x 10",
    "tree 4 5 8",
    "linked tree",
    "search in this tree",
    "fibonacci 15",
    "dominoes on 6 x 5",
    "sudoku by the first cell",
    "sudoku by the fewest",
];

/// Writes what the extensions do for each task.
pub(super) fn extensions(out: &mut String, rows: &Rows) {
    *out += "**Which extension is worth it for which task**: cycles of CP2 alone from one depth, with the stacks in turn and searches of a register that are taken if none are given (one search with a common depth); behind them how many times as fast as with section addressing alone.

";
    let cores = ["unmodified", "own", "own counters", "own registers", "all"];
    let columns = [
        "task",
        "unmodified machine",
        "section addressing",
        "and section counters",
        "and 128 FPRs",
        "all extensions, 128 FPRs",
    ];
    head(out, &words(&columns));
    for name in TASKS {
        let part = format!("extensions {name}");
        let cycles = |core: &str| rows.value(&part, core, (0, 0), "cycles");
        let mut cells = vec![name.to_owned()];
        cells.extend(cores.map(|core| match (cycles(core), cycles("own")) {
            (Some(here), Some(_)) if core == "own" => whole(Some(here)),
            (Some(here), Some(own)) => format!("{} ({:.2})", whole(Some(here)), own / here),
            _ => "-".to_owned(),
        }));
        line(out, cells);
    }
    *out += EXTENSIONS_TEXT;
}

/// Text about extensions.
const EXTENSIONS_TEXT: &str = "
Section addressing is worth it for every task: most cannot do without it, since lanes have arrays or calls return values, and queens are 2.4 to 4.5 times as fast with own stacks, and with two searches of a register 2.7 to 5.5 times as fast as with two and a common depth. Section counters pay for a common depth only. 128
registers hold more stacks in turn, which gains up to 1.3 where contexts are many or of one size, and loses where one context has most of the nodes: each stack in turn issues its passes whether it has work or not. Then fewer are right with any number of registers: of the puzzle by the first cell `--slots 2` takes 1061688 cycles, by the fewest `--slots 1` 896583.

";

/// Forms whose shares are told, and what each is.
const SHARES: [(&str, &str); 6] = [
    ("own-block", "own stacks, block"),
    ("own-cyclic", "own stacks, cyclic"),
    ("own", "own stacks, queue"),
    ("own-2", "two searches, queue"),
    ("all-2", "all extensions, two searches, queue"),
    ("common", "common depth"),
];

/// Writes the shares of passes in which lanes are busy, beside exact ones.
pub(super) fn efficiency(out: &mut String, rows: &Rows) {
    *out += "Shares as they follow from the nodes of all contexts, nodes / (lanes x nodes of the longest lane), in per cent. Of four lanes, as in the table of [Recursive searches](recursion.md):

";
    head(out, &words(&["K, N", "D", "block", "cyclic", "queue", "common depth"]));
    for board in BOARDS {
        let numbers = (100 * board.0 + board.1, board.2);
        let exact = |name: &str| Some(rows.value("exact", name, numbers, "efficiency")? / 1e6);
        let mut cells = vec![format!("{}, {}", board.0, board.1), board.2.to_string()];
        cells.extend(["block", "cyclic", "queue", "joint"].map(|name| percent(exact(name))));
        line(out, cells);
    }
    *out += "
Of as many lanes as the kernel has, 20, 32 or 64 with own stacks, and five stacks of four lanes with a common depth; behind it the share that the kernel reaches:

";
    let mut columns = words(&["K, N", "D"]);
    columns.extend(SHARES.map(|(_, what)| what.to_owned()));
    head(out, &columns);
    for board in BOARDS {
        let mut cells = vec![format!("{}, {}", board.0, board.1), board.2.to_string()];
        cells.extend(SHARES.map(|(name, _)| share(rows, name, board)));
        line(out, cells);
    }
    let large = ["large", "large-2"].map(|name| {
        let found = of_form(rows, name, (10, 7, 4));
        format!("{} at {} cycles", share(rows, name, (10, 7, 4)), two(found.per_node()))
    });
    let _ = write!(
        out,
        "
**Bounds.** Some contexts are much longer than others, and 613 of them do not fill 32 or 64 lanes evenly: with 7 queens on 10 x 10 from depth 3 a queue keeps 98.1 % of 20 lanes busy, but of 32 in the same order only 95.7 %, of 64 87.0 %. From depth 4
there are 3412, which local memory does not hold beside the stacks; with 32768 words of it they fit, and all extensions with 128 FPRs have {} for a node of each section with one search of a register, {} with two. What a kernel loses beyond the
exact share are the passes that a lane waits for the end of a block, on the average half a block for each context, 54 passes of some 6000 from depth 3. More looks would cost more than they gain. Where contexts are short (8 queens) this is the
greater part. Two searches have a list for each half, so their order is not quite that of the exact queue, and their share may be above it. **Common depth**: the kernel has 0.96 to 1.00 of what its five stacks of four lanes can have; what they lose against one stack is that some of them end before the others.

",
        large[0], large[1]
    );
}

/// Returns the exact share of a form, and that of its kernel.
fn share(rows: &Rows, name: &str, board: (u64, u64, u64)) -> String {
    let found = of_form(rows, name, board);
    let exact = found.value("exact").map(|share| share / 1e6);
    format!("{} / {}", percent(exact), percent(found.efficiency()))
}

/// Writes what two searches of a register gain.
pub(super) fn halves(out: &mut String, rows: &Rows) {
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
