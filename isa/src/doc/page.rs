//! The reference page `specs/src/isa.md`, generated from the table.

use super::words::{exceptions, operand_name, sources, writes, writes_fpr};
use crate::Core;
use crate::machine::TOGGLES;
use crate::operand::{Operand, OperandKind};
use crate::table::{Arith, Effects, Exch, Row, Unit};
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Operations

This page is generated from the table in `isa/src/table.rs` and the examples in `isa/src/examples/`; `cargo run -- isa`
prints it. `cp2 isa NAME`, or `cp2 explain NAME`, prints one operation with everything that is known of it.

Operands: D, S, T, Q are the fields `fd`, `fs`, `ft`, `fq`, F is `ft2`; an arrow tells the access (`<` read,
`>` written, `<>` both). *S, next* is a register and its successor. The arithmetic rules are in
[Arithmetic](arithmetic.md), the cycle rules in [Timing](timing.md).

Columns: **flags** the exceptions that the operation can raise; it replaces FCSR.cause and accumulates FCSR.flags, by
`none` too, and where nothing stands it leaves FCSR alone; **pred** it obeys
the predicate of its bundle; **flops** counted per enabled section; **latency** in cycles to the
first reader (see [Timing](timing.md) for the exceptions); **source** document and sections of the
reference material, all of which restate `[L]`. The number of flops is said there of `cbutterfly` (10) and
`psmadd` (4) alone; for the others it is the additions, subtractions, multiplications and functions of
what they do.

Examples: `HI:LO` are the two halves of 64 bits, as floats if a point stands in them; `{a, b, c, d}` are the values of
sections 0 to 3, one value is that of all; `[100]` is word 100 of local memory; several values with commas between are those
of registers or words that follow each other. What is not told before is 0, or what reset gives. All that changes is told after, but for
STATUS, which repeats the flags of FCSR. A test runs every example on every engine and compares.
";

/// Returns the name of an operand with an arrow for its access.
fn operand(op: &Operand) -> String {
    let arrow = match (op.is_read(), op.write) {
        (true, true) => "<>",
        (true, false) => "<",
        (false, true) => ">",
        (false, false) => "",
    };
    format!("{}{arrow}", operand_name(op.kind))
}

fn latency(row: &Row, core: &Core) -> String {
    let l = core.latencies();
    match row.unit {
        _ if writes(row, |kind| matches!(kind, OperandKind::Cc(_) | OperandKind::Creg)) => {
            l.condition.to_string()
        }
        _ if writes_fpr(row) => l.write_fpr(row.unit).to_string(),
        Unit::Scalar | Unit::FromFpr | Unit::Store | Unit::Dma => "1".into(),
        _ => String::new(),
    }
}

/// Returns a text as it stands in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns source as it stands in a cell of a table, a line each.
fn code<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let one = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        format!("`{}`", words.join(" ").replace('|', "\\|"))
    };
    lines.into_iter().map(one).collect::<Vec<_>>().join("<br>")
}

/// Writes the table of some operations, then the table of their examples.
fn rows(out: &mut String, heading: &str, core: &Core, rows: &[&'static Row]) {
    let _ = write!(
        out,
        "\n## {heading}\n\n| code | name | operands | what it does | flags | pred | flops | latency | source |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for row in rows {
        let operands: Vec<_> = row.operands.iter().map(operand).collect();
        let flags = match row.effects.contains(Effects::FLAGS) {
            true if row.raises.is_empty() => "none".to_owned(),
            true => exceptions(row.raises),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "| {:02x} | `{}` | {} | {} | {flags} | {} | {} | {} | {} |",
            row.code,
            row.name,
            cell(&operands.join(", ")),
            cell(row.doc),
            if row.effects.contains(Effects::PREDICATED) { "yes" } else { "" },
            if row.flops == 0 { String::new() } else { row.flops.to_string() },
            latency(row, core),
            sources(row),
        );
    }
    out.push_str("\n| example | before | bundles | after | what it shows |\n| --- | --- | --- | --- | --- |\n");
    for row in rows {
        let Some(example) = row.example() else { continue };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            row.name,
            code(example.before),
            code(example.lines.iter().map(String::as_str)),
            code(example.after),
            cell(example.note),
        );
    }
}

/// Returns the Markdown text of the reference page of all operations, `specs/src/isa.md`, with the latencies of this
/// core.
pub fn isa_page(core: &Core) -> String {
    let mut out = INTRODUCTION.to_owned();
    let of_base = |row: &&Row| row.extension.is_empty();
    let (arithmetic, exchange) =
        (|| Arith::ALL.iter().map(|op| op.row()), || Exch::ALL.iter().map(|op| op.row()));
    let base: Vec<_> = arithmetic().filter(of_base).collect();
    rows(&mut out, "Arithmetic operations", core, &base);
    let base: Vec<_> = exchange().filter(of_base).collect();
    rows(&mut out, "Exchange and control operations", core, &base);
    for toggle in TOGGLES {
        let Some(extension) = toggle.extension() else { continue };
        // What needs several stands with the last of them.
        let is_last = |row: &&Row| row.extension.iter().last() == Some(extension);
        let added: Vec<_> = arithmetic().chain(exchange()).filter(is_last).collect();
        if !added.is_empty() {
            let heading = format!("Operations of the extension `{}`", toggle.name);
            rows(&mut out, &heading, core, &added);
        }
    }
    out
}
