//! The reference page `specs/src/isa.md`, generated from the table.

use crate::machine::TOGGLES;
use crate::operand::{AddressForm, Kind, Operand};
use crate::table::{Arith, Effects, Exch, Row, Unit};
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Operations

This page is generated from the table in `isa/src/table.rs`; `cargo run -- isa` prints it.

Operands: D, S, T, Q are the fields `fd`, `fs`, `ft`, `fq`; an arrow tells the access (`<` read,
`>` written, `<>` both). *S, next* is a register and its successor. The arithmetic rules are in
[Arithmetic](arithmetic.md), the cycle rules in [Timing](timing.md).

Columns: **flags** the operation replaces FCSR.cause and accumulates FCSR.flags; **pred** it obeys
the predicate of its bundle; **flops** counted per enabled section; **latency** in cycles to the
first reader (see [Timing](timing.md) for the exceptions); **source** document and sections of the
reference material, all of which restate `[L]`. The number of flops is said there of `cbutterfly` (10) and
`psmadd` (4) alone; for the others it is the additions, subtractions, multiplications and functions of
what they do.
";

fn field_name(hi: u8) -> &'static str {
    match hi {
        55 => "D",
        49 => "S",
        43 => "T",
        37 => "Q",
        _ => "F",
    }
}

fn operand(op: &Operand) -> String {
    let arrow = match (op.is_read(), op.write) {
        (true, true) => "<>",
        (true, false) => "<",
        (false, true) => ">",
        (false, false) => "",
    };
    let text = match op.kind {
        Kind::Fpr(f) => field_name(f.hi).to_owned(),
        Kind::FprPair(f) => format!("({}, next)", field_name(f.hi)),
        Kind::FprHalf(f, _) => format!("{}.half", field_name(f.hi)),
        Kind::FprPermute(base) => format!("(f{base}..f{}, next)", base + 31),
        Kind::Signed(f) => format!("simm{}", f.width()),
        Kind::Unsigned(f) => format!("imm{}", f.width()),
        Kind::Cc(_) => "cc".into(),
        Kind::Condition => "relation".into(),
        Kind::Format => "format".into(),
        Kind::Creg => "fcsr or fccr".into(),
        Kind::Gpr(_) => "gpr".into(),
        Kind::Target => "bundle address".into(),
        Kind::WordAddress => "word address".into(),
        Kind::AddressSet | Kind::SectionSet(_) | Kind::SharedSet => "rK".into(),
        Kind::Address(AddressForm::Offset) | Kind::SectionAddress => "(rK)+simm13".into(),
        Kind::SharedAddress => "(rK)+simm11".into(),
        Kind::SharedWord => "shared address".into(),
        Kind::Address(AddressForm::PlusN) => "(rK)+nK".into(),
        Kind::Address(AddressForm::MinusN) => "(rK)-nK".into(),
        Kind::MoveReg(..) => "register".into(),
        Kind::SetReg => "gpr, aK, nK or mK".into(),
        Kind::GprOrIreg => "gpr or iK".into(),
        Kind::Section(_, 4) => "s0..s3 or all".into(),
        Kind::Section(..) => "s0..s3".into(),
        Kind::Select(_) => "[-]word".into(),
    };
    format!("{text}{arrow}")
}

fn latency(row: &Row) -> String {
    let l = crate::Core::CP2.latencies();
    let writes_fpr = row.operands.iter().any(|o| {
        o.write
            && matches!(
                o.kind,
                Kind::Fpr(_) | Kind::FprPair(_) | Kind::FprHalf(..) | Kind::FprPermute(_)
            )
    });
    let writes_condition =
        row.operands.iter().any(|o| o.write && matches!(o.kind, Kind::Cc(_) | Kind::Creg));
    match row.unit {
        _ if writes_condition => l.condition.to_string(),
        _ if writes_fpr => l.write_fpr(row.unit).to_string(),
        Unit::Scalar | Unit::FromFpr | Unit::Store | Unit::Dma => "1".into(),
        _ => String::new(),
    }
}

fn sources(row: &Row) -> String {
    let all: Vec<String> = row.sources.iter().map(ToString::to_string).collect();
    all.join("; ")
}

fn rows(out: &mut String, heading: &str, rows: impl Iterator<Item = &'static Row>) {
    let _ = write!(
        out,
        "\n## {heading}\n\n| code | name | operands | what it does | flags | pred | flops | latency | source |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for row in rows {
        let operands: Vec<_> = row.operands.iter().map(operand).collect();
        let mark = |e| if row.effects.contains(e) { "yes" } else { "" };
        let _ = writeln!(
            out,
            "| {:02x} | `{}` | {} | {} | {} | {} | {} | {} | {} |",
            row.code,
            row.name,
            operands.join(", ").replace('<', "&lt;").replace('>', "&gt;"),
            row.doc.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;"),
            mark(Effects::FLAGS),
            mark(Effects::PREDICATED),
            if row.flops == 0 { String::new() } else { row.flops.to_string() },
            latency(row),
            sources(row),
        );
    }
}

/// The Markdown page of all operations.
pub fn isa_page() -> String {
    let mut out = INTRODUCTION.to_owned();
    let of_base = |row: &&Row| row.extension.is_empty();
    let (arithmetic, exchange) =
        (|| Arith::ALL.iter().map(|op| op.row()), || Exch::ALL.iter().map(|op| op.row()));
    rows(&mut out, "Arithmetic operations", arithmetic().filter(of_base));
    rows(&mut out, "Exchange and control operations", exchange().filter(of_base));
    for toggle in TOGGLES {
        let Some(extension) = toggle.extension() else { continue };
        // What needs several stands with the last of them.
        let is_last = |row: &&Row| row.extension.iter().last() == Some(extension);
        let added: Vec<_> = arithmetic().chain(exchange()).filter(is_last).collect();
        if !added.is_empty() {
            rows(
                &mut out,
                &format!("Operations of the extension `{}`", toggle.name),
                added.into_iter(),
            );
        }
    }
    out
}
