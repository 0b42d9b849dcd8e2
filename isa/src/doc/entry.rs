//! The entry of one operation as text: what `cp2 isa NAME` prints.

use super::words::{exceptions, form, half, latencies, operands, sources, writes};
use crate::Core;
use crate::operand::OperandKind;
use crate::table::{Arith, Effects, Exch, Row, Unit};
use std::fmt::Write as _;

/// Columns before the text of a line.
const INDENT: usize = 13;
/// Columns of the label before a line of source.
const LABEL: usize = 8;
/// The line that explains how an example writes values.
const LEGEND: &str = "HI:LO are the halves of 64 bits, {a, b, c, d} the values of sections 0 to 3";
/// Columns of a line of assignments at most.
const WIDTH: usize = 100;

/// Returns the rows of the table of operations that a mnemonic names, in upper or lower case: both variants of
/// `psprmsgn`, both halves of `nop`, a comparison with or without its relation and format. There are none if no
/// operation has the name.
pub fn matching(name: &str) -> Vec<&'static Row> {
    let name = name.to_ascii_lowercase();
    let base = if name.starts_with("c.") { "c" } else { &name };
    let is_meant = |row: &&Row| row.name == base || base == "psprmsgn" && row.unit == Unit::Permute;
    let (arithmetic, exchange) = (Arith::ALL.iter(), Exch::ALL.iter());
    arithmetic.map(|op| op.row()).chain(exchange.map(|op| op.row())).filter(is_meant).collect()
}

/// Returns the text of `cp2 isa NAME` for an operation: form, operands, predicate, exceptions, latencies on this core,
/// sources and worked example.
pub fn entry(row: &Row, core: &Core) -> String {
    let mut out = format!("{}\n    {}\n\n", form(row), row.doc);
    line(&mut out, "half", &format!("{}, opcode 0x{:02x}", half(row), row.code));
    operand_lines(&mut out, row);
    line(&mut out, "predicate", predicate(row));
    line(&mut out, "exceptions", &exception_text(row));
    line(&mut out, "conditions", conditions(row));
    let times = latencies(row, core);
    for (k, time) in times.iter().enumerate() {
        let label = if k == 0 { "latency" } else { "" };
        let text = format!("{:>2}  {} to {}", time.bundles, time.result, time.reader);
        line(&mut out, label, &text);
    }
    if times.is_empty() {
        line(&mut out, "latency", "none");
    }
    line(&mut out, "flops", &row.flops.to_string());
    if !row.extension.is_empty() {
        let (names, switches) = (row.extension.names(), row.extension.switches());
        line(&mut out, "extension", &format!("{names} (--enable {switches})"));
    }
    line(&mut out, "source", &sources(row));
    out.push_str(&example(row));
    out
}

fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "{label:<INDENT$}{text}");
}

fn operand_lines(out: &mut String, row: &Row) {
    let all = operands(row);
    let width = all.iter().map(|operand| operand.name.len()).max().unwrap_or_default();
    for (k, operand) in all.iter().enumerate() {
        let access = match (operand.is_read, operand.is_written) {
            (true, true) => "read and written",
            (true, false) => "read",
            (false, true) => "written",
            (false, false) => "",
        };
        let label = if k == 0 { "operands" } else { "" };
        let (name, bits) = (&operand.name, &operand.bits);
        let separator = if access.is_empty() { "" } else { ", " };
        let text = format!("{name:<width$}  bits {bits}: {}{separator}{access}", operand.meaning);
        line(out, label, &text);
    }
    if all.is_empty() {
        line(out, "operands", "none");
    }
}

fn predicate(row: &Row) -> &'static str {
    match () {
        () if row.effects.contains(Effects::ZEROES) => {
            "obeyed: sections whose condition code is 0 get zeros and keep their address"
        }
        () if row.effects.contains(Effects::PREDICATED) => {
            "obeyed: sections whose condition code is 0 keep what they have"
        }
        () => "ignored",
    }
}

fn exception_text(row: &Row) -> String {
    if is_mtc(row) {
        return "none of its own; flags and cause are written if FCSR is named".to_owned();
    }
    match row.effects.contains(Effects::FLAGS) {
        false => "none: FCSR stays as it is".to_owned(),
        true if row.raises.is_empty() => "none: FCSR.cause becomes 0".to_owned(),
        true => {
            let raised = exceptions(row.raises);
            format!("{raised}: they replace FCSR.cause and join FCSR.flags and STATUS.FPE")
        }
    }
}

/// Whether FCSR or FCCR is an operand that is written.
fn is_mtc(row: &Row) -> bool {
    writes(row, |kind| kind == OperandKind::Creg)
}

fn conditions(row: &Row) -> &'static str {
    match () {
        () if writes(row, |kind| matches!(kind, OperandKind::Cc(_))) => {
            "the condition code that is named; with ps and pw that of the high halves is the next one"
        }
        () if is_mtc(row) => "all but bit 0 of FCCR, if it is named",
        () => "none",
    }
}

/// Returns the worked example as text: state before, lines, state after. The text is empty if the row has no example.
fn example(row: &Row) -> String {
    let Some(example) = row.example() else { return String::new() };
    let mut out = format!("\nExample ({LEGEND})\n");
    if !example.note.is_empty() {
        let _ = writeln!(out, "    {}\n", example.note);
    }
    assigned(&mut out, "    before", &example.before);
    let has_label = |code: &str| code.split_whitespace().next().is_some_and(|w| w.ends_with(':'));
    let width = if example.lines.iter().any(|code| has_label(code)) { LABEL } else { 0 };
    for code in &example.lines {
        let width = if has_label(code) { 0 } else { width };
        line(&mut out, "", &format!("{:width$}{code}", ""));
    }
    assigned(&mut out, "    after", &example.after);
    out
}

/// Writes assignments with two blanks between them, in lines of at most [`WIDTH`] columns unless one alone is longer.
fn assigned(out: &mut String, label: &str, all: &[&str]) {
    let mut text = String::new();
    let mut label = label;
    for part in all {
        if !text.is_empty() && text.len() + part.len() > WIDTH {
            line(out, label, text.trim_end());
            (label, text) = ("", String::new());
        }
        let _ = write!(text, "{part}  ");
    }
    line(out, label, text.trim_end());
}
