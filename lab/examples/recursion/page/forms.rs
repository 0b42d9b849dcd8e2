//! Queens by all forms, and the share of passes in which lanes are busy.

use super::{Found, percent, two, words};
use crate::rows::Rows;
use crate::table::{head, line, whole};
use std::fmt::Write as _;

/// Cases of the forms: board, queens, depth.
const BOARDS: [(u64, u64, u64); 8] =
    [(8, 8, 2), (8, 8, 3), (8, 6, 1), (8, 6, 2), (9, 7, 2), (10, 10, 3), (10, 7, 3), (10, 7, 2)];
/// Forms, and what each is.
pub(super) const FORMS: [(&str, &str); 12] = [
    ("common", "common depth, unmodified machine"),
    ("common-memory", "with conditional memory, for stores of sums"),
    ("common-counters-5", "with section counters"),
    ("common-counters", "with section counters, one stack more"),
    ("common-2", "two searches of a register, unmodified machine"),
    ("registers", "common depth, frames in 128 FPRs"),
    ("registers-counters", "the same with section counters"),
    ("own", "own stacks, section addressing"),
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

Cycles for a node of each section, and in parentheses the share of all passes of lanes in which they are busy, in per cent; queens N on K x K from depth D. *Stacks*: stacks in turn.

";
    let mut columns = words(&["form", "stacks"]);
    columns.extend(BOARDS.map(|(board, queens, depth)| format!("{board}, {queens}, D {depth}")));
    head(out, &columns);
    for (name, what) in FORMS {
        let mut cells = vec![what.to_owned(), whole(of_form(rows, name, BOARDS[0]).value("slots"))];
        cells.extend(BOARDS.map(|board| {
            let found = of_form(rows, name, board);
            format!("{} ({})", two(found.per_node()), percent(found.efficiency()))
        }));
        line(out, cells);
    }
    forms_text(out, rows);
}

/// Writes the text about the forms.
fn forms_text(out: &mut String, rows: &Rows) {
    let of = |name| of_form(rows, name, (10, 7, 3)).per_node();
    let rate =
        |name| of(name).map_or_else(|| "-".to_owned(), |cycles| format!("{:.4}", 1.0 / cycles));
    let slower = |one: Option<f64>, other: Option<f64>| {
        let percent = one.zip(other).map(|(one, other)| 100.0 * (other / one - 1.0));
        percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1}"))
    };
    let masked = |name| {
        let of = |at| rows.value("masked", name, (at, 0), "cycles");
        format!("{} against {} cycles, {} % more", whole(of(1)), whole(of(0)), slower(of(0), of(1)))
    };
    let _ = write!(
        out,
        "
The reciprocal of these cycles is the node rate of a section and cycle: {} for own stacks and {} with two searches, 10, 7 from depth 3. **Conditional memory** loses: the form has the sum of each slot in memory, and stores it where a lane is in the frame, in place of an operation that makes the others add 0. The comparison for it takes as much as that operation, its
result comes 7 bundles later, the sum is loaded and stored, and an arithmetic operation beside a conditional store would obey its predicate: {} cycles for a node of each section, 10, 7 from depth 3, against {} on the unmodified machine, {} % more. What else an idle lane stores lies above everything that is alive. At addresses of sections this extension has no store; the masked ones of section counters are
built for the arrays of lanes, in place of two addresses between which operations choose: for the puzzle by the first cell {} than without masked stores on the same machine, by the fewest {}. So no plan has such stores unless `--stores predicated` asks for them. **Section counters** find the largest word of all sections in one operation: with a common depth that
shortens every pass, from {} cycles to {} with five stacks of each, with own stacks only the test at the end of a block of passes. **Frames in registers** lose: one group of lanes is at one depth, so nothing fills
the latency of its pass.

",
        rate("own"),
        rate("own-2"),
        two(of("common-memory")),
        two(of("common")),
        slower(of("common"), of("common-memory")),
        masked("first"),
        masked("fewest"),
        two(of_form(rows, "common", (10, 7, 3)).per_pass()),
        two(of_form(rows, "common-counters-5", (10, 7, 3)).per_pass()),
    );
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
    *out += "**Which extension is worth it for which task**: cycles of CP2 alone from one depth, with the stacks in turn and searches of a register that are chosen by predicted cycles; behind them how many times as fast as with section addressing alone.

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
    extensions_text(out, rows);
}

/// Writes the text about extensions.
fn extensions_text(out: &mut String, rows: &Rows) {
    let per_node = |name, board| of_form(rows, name, board).per_node();
    let gains = |one, other| {
        let gain = |&board: &_| Some(per_node(one, board)? / per_node(other, board)?);
        let mut all: Vec<f64> = BOARDS.iter().filter_map(gain).collect();
        all.sort_by(f64::total_cmp);
        let ends = all.first().zip(all.last());
        ends.map_or_else(|| "-".to_owned(), |(least, most)| format!("{least:.1} to {most:.1}"))
    };
    let cycles =
        |name: &str, core| rows.value(&format!("extensions {name}"), core, (0, 0), "cycles");
    let gain = |name: &&str| Some(cycles(name, "own")? / cycles(name, "own registers")?);
    let most = TASKS.iter().filter_map(gain).fold(1.0, f64::max);
    let _ = write!(
        out,
        "
Section addressing is worth it for most tasks: all but queens and the computed tree cannot do without it, since lanes have arrays or calls return values, and queens from the depths of the first table are {} times as fast with own stacks as with a common depth, and with two searches of a register {} times as fast as with two and a common depth. The sum of the computed tree, whose
contexts are all alike, is {} times as fast with a common depth on the unmodified machine. Section counters pay for a common depth most. 128
registers hold more stacks in turn, which gains up to {most:.2} where contexts are many or of one size, and nothing where one context has most of the nodes: each stack in turn issues its passes whether it has work or not. Then few are chosen with any number of registers.

",
        gains("common", "own"),
        gains("common-2", "own-2"),
        two(cycles("tree 4 5 8", "own").zip(cycles("tree 4 5 8", "unmodified")).map(|(o, u)| o / u)),
    );
}

/// Forms whose shares are told, and what each is.
const SHARES: [(&str, &str); 9] = [
    ("own-block", "own stacks, block"),
    ("own-cyclic", "own stacks, cyclic"),
    ("own", "own stacks, queue"),
    ("own-2-block", "two searches, block"),
    ("own-2-cyclic", "two searches, cyclic"),
    ("own-2", "two searches, queue"),
    ("all", "all extensions, queue"),
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
Of as many lanes as the kernel has, 20 or 40 with own stacks, 32 or 64 with all extensions, and five stacks of four lanes with a common depth; behind it the share that the kernel reaches:

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
    let contexts = |(name, board)| of_form(rows, name, board).value("contexts");
    let exact = |name| percent(of_form(rows, name, (10, 7, 3)).value("exact").map(|e| e / 1e6));
    // Passes of a block of queens, and of a context.
    let block = 108.0;
    let of_three = of_form(rows, "own", (10, 7, 3));
    let each = of_three.value("busy").zip(of_three.value("contexts")).map(|(b, c)| b / c);
    let _ = write!(
        out,
        "
**Bounds.** Some contexts are much longer than others, and {} of them do not fill many lanes evenly: with 7 queens on 10 x 10 from depth 3 a queue keeps {} % of 20 lanes busy, but of 40 in the same order only {} %, of 64 {} %. From depth 4
there are {}, which local memory does not hold beside the stacks; with 32768 words of it they fit, and all extensions with 128 FPRs have {} for a node of each section with one search of a register, {} with two. What a kernel loses beyond the
exact share are the passes that a lane waits for the end of a block, on the average half a block for each context, {:.0} passes of some {:.0} from depth 3. More looks would cost more than they gain. Where contexts are short (8 queens) this is the
greater part. Two searches have a list for each half, so their order is not quite that of the exact queue, and their share may be above it. **Common depth**: the kernel has {} of what its five stacks of four lanes can have; what they lose against one stack is that some of them end before the others.

",
        whole(contexts(("own", (10, 7, 3)))),
        exact("own"),
        exact("own-2"),
        exact("all-2"),
        whole(contexts(("large", (10, 7, 4)))),
        large[0],
        large[1],
        block / 2.0,
        each.unwrap_or(0.0),
        common_shares(rows),
    );
    targets(out, rows);
}

/// Writes the targets of 7 queens on 10 x 10, and what is reached of them.
fn targets(out: &mut String, rows: &Rows) {
    let of = |searches| Found { rows, part: "target", name: "all", numbers: (searches, 0) };
    let exact = |name| {
        let share = of_form(rows, name, (10, 7, 3)).value("exact");
        percent(share.map(|share| share / 1e6))
    };
    let busy = |searches| percent(of(searches).value("efficiency").map(|share| share / 1e6));
    let common = of_form(rows, "common", (10, 7, 3));
    let one_stack = rows.value("exact", "joint", (1007, 3), "efficiency").map(|share| share / 1e6);
    let below = |exact: Option<f64>| {
        let part = common.efficiency().zip(exact).map(|(found, exact)| 1.0 - found / exact);
        percent(part)
    };
    let _ = write!(
        out,
        "**Targets** for 7 queens on 10 x 10, on VM9 with section addressing, conditional memory and section counters, transfers in the cycles and the host's calls apart (`cp2 kernels run queens --board 10 --queens 7 --machine vm9 --enable section-addressing --enable conditional-memory --enable section-counters --searches 1`, and `2`):

| target | reached |
| --- | --- |
| cycles x 4 / nodes at most 40 with one search of a register | {}, with {} stacks in turn |
| at most 24 with two | {}, with {} stacks in turn |
| share of busy lanes by a queue at least 97 % | {} % with one search, where the exact queue of as many lanes has {} %; {} % with two, where it has {} % |
| without extensions within 5 % of the exact common depth | {} % of {}: {} % less than one stack can have, {} % less than five can |

",
        two(of(1).per_node()),
        whole(of(1).value("slots")),
        two(of(2).per_node()),
        whole(of(2).value("slots")),
        busy(1),
        exact("own"),
        busy(2),
        exact("own-2"),
        percent(common.efficiency()),
        percent(one_stack),
        below(one_stack),
        below(common.value("exact").map(|share| share / 1e6)),
    );
}

/// Returns the least and the greatest part that the kernel with a common depth has of the exact share.
fn common_shares(rows: &Rows) -> String {
    let of = |&board: &(u64, u64, u64)| {
        let found = of_form(rows, "common", board);
        Some(found.efficiency()? / (found.value("exact")? / 1e6))
    };
    let mut all: Vec<f64> = BOARDS.iter().filter_map(of).collect();
    all.sort_by(f64::total_cmp);
    let ends = all.first().zip(all.last());
    ends.map_or_else(|| "-".to_owned(), |(least, most)| format!("{least:.2} to {most:.2}"))
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
