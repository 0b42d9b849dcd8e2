//! What a pass costs.

use super::forms::{FORMS, of_form};
use super::{Found, percent, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};

/// Tasks whose states are told.
const TASKS: [&str; 7] = [
    "7 queens on 10 x 10",
    "tree 4 5 8",
    "search in this tree",
    "fibonacci 15",
    "dominoes on 6 x 5",
    "sudoku by the first cell",
    "sudoku by the fewest",
];

/// Writes the cycles of a pass, and what is issued and used of it.
pub(super) fn steps(out: &mut String, rows: &Rows) {
    *out += "## 3 What a pass costs

A section has no program counter of its own, so a pass issues the operations of all states of a task. *Issued*: operations of the recorded step in a pass, with those of the first step of the called function where values are sums. *Used*: those of
the state that the lane is in, the mean of all passes of the search by one lane; an operation that states share counts in each of them. *Cycles of a pass*: of one stack in every section, VM9's core with section addressing and 64 FPRs, one search of a
register; what stores frames and moves the stack pointer is in them, and so are the looks who is idle.

";
    let columns =
        ["task", "states", "issued", "used", "used of issued, %", "stacks", "cycles of a pass"];
    head(out, &words(&columns));
    for name in TASKS {
        let found = Found { rows, part: "steps", name, numbers: (0, 0) };
        let mean = |key: &str| Some(found.value(key)? / found.value("all")?);
        let share = mean("needed").zip(mean("issued")).map(|(needed, issued)| needed / issued);
        let cells = [
            name.to_owned(),
            whole(found.value("states")),
            whole(mean("issued")),
            mean("needed").map_or_else(String::new, |needed| format!("{needed:.1}")),
            percent(share),
            whole(found.value("slots")),
            two(found.per_pass()),
        ];
        line(out, cells);
    }
    *out += "
Queens and the sum of a tree have a first step and one other, both in every pass, so all that is issued is used. A search in a tree goes on to a next child in passes of its own. Fibonacci has a state for each of its two calls and one for the sum, each of two or three operations, so
that it uses the least of what is issued, and what all states share, the frame and its stack, takes most of a pass. A cover looks at one row in a step; by the rule *fewest* a puzzle looks at one cell, and most of its passes are such looks.

7 queens on 10 x 10 by all forms; two searches of a register count as one stack:

";
    head(out, &words(&["form", "cycles of a pass"]));
    for (name, what) in FORMS {
        line(out, [what.to_owned(), two(of_form(rows, name, (10, 7, 3)).per_pass())]);
    }
    *out += "\n";
}
