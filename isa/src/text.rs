//! Text of bundles, as it is written. The assembler reads the same forms.

use crate::bundle::{Bundle, Inst};
use crate::control;
use crate::field::fields;
use crate::operand::{AddressForm, MoveReg, OperandKind, RegFile};
use crate::registers::Storage;
use crate::table::{Arith, Exch, Row};
use std::fmt;

const CONDITIONS: [&str; 8] = ["t", "un", "lt", "le", "eq", "ne", "gt", "ge"];
const FORMATS: [&str; 4] = ["s", "w", "ps", "pw"];

/// Returns the name of the relation of a comparison, such as `lt`. `code` is its number in the encoding, 0 to 7; higher
/// bits are ignored.
pub fn condition_name(code: u8) -> &'static str {
    CONDITIONS[usize::from(code & 7)]
}

/// Returns the name of the operand format of a comparison, such as `ps`. `code` is its number in the encoding, 0 to 3;
/// higher bits are ignored.
pub fn format_name(code: u8) -> &'static str {
    FORMATS[usize::from(code & 3)]
}

/// Returns the name of the control register with this number as the assembler writes it, such as `status`; `?` if there
/// is none.
pub fn control_name(code: u8) -> &'static str {
    match code {
        control::PSP => "psp",
        control::LC => "lc",
        control::LA => "la",
        control::LSP => "lsp",
        _ => Storage::of_control(code).map_or("?", |storage| storage.info().name),
    }
}

fn half(value: i32) -> &'static str {
    if value & 1 == 1 { "hi" } else { "lo" }
}

fn move_reg(f: &mut fmt::Formatter<'_>, reg: MoveReg) -> fmt::Result {
    match reg.file.storage() {
        Some(storage) => write!(f, "{}{}", storage.info().name, reg.number),
        None => f.write_str(control_name(reg.number)),
    }
}

fn operand(f: &mut fmt::Formatter<'_>, kind: OperandKind, v: i32) -> fmt::Result {
    match kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
            write!(f, "f{v}")
        }
        OperandKind::FprHalf(..) => write!(f, "f{}.{}", v >> 1, half(v)),
        OperandKind::Signed(_) => write!(f, "{v}"),
        OperandKind::Unsigned(field) if field == fields::IMM16 => write!(f, "0x{v:04x}"),
        OperandKind::Unsigned(_)
        | OperandKind::Target
        | OperandKind::WordAddress
        | OperandKind::SharedWord => write!(f, "{v}"),
        OperandKind::Cc(_) => write!(f, "cc{v}"),
        OperandKind::Condition => f.write_str(condition_name(v as u8)),
        OperandKind::Format => f.write_str(format_name(v as u8)),
        OperandKind::Creg => f.write_str(if v == 0 { "fcsr" } else { "fccr" }),
        OperandKind::Gpr(_) => write!(f, "g{v}"),
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
            write!(f, "r{v}")
        }
        OperandKind::Address(AddressForm::Offset)
        | OperandKind::SectionAddress
        | OperandKind::SharedAddress => {
            write!(f, "(r{}){:+}", v & 15, v >> 4)
        }
        OperandKind::Address(AddressForm::PlusN) => write!(f, "(r{v})+n{v}"),
        OperandKind::Address(AddressForm::MinusN) => write!(f, "(r{v})-n{v}"),
        OperandKind::MoveReg(..) => match MoveReg::from_packed(v) {
            Some(reg) => move_reg(f, reg),
            None => f.write_str("?"),
        },
        OperandKind::SetReg => {
            let file = RegFile::from_seti((v >> 4) as u8);
            move_reg(f, MoveReg { file, number: (v & 15) as u8 })
        }
        OperandKind::GprOrIreg if v < 16 => write!(f, "g{v}"),
        OperandKind::GprOrIreg => write!(f, "i{}", v - 16),
        OperandKind::Section(..) if v == 4 => f.write_str("all"),
        OperandKind::Section(..) => write!(f, "s{v}"),
        OperandKind::Select(_) => write!(f, "{}{}", if v & 4 != 0 { "-" } else { "" }, v & 3),
    }
}

fn inst(f: &mut fmt::Formatter<'_>, row: &Row, values: &[i32]) -> fmt::Result {
    f.write_str(row.name)?;
    let mut separator = " ";
    for (op, &value) in row.operands.iter().zip(values) {
        if matches!(op.kind, OperandKind::Condition | OperandKind::Format) {
            f.write_str(".")?;
        } else {
            f.write_str(separator)?;
            separator = ", ";
        }
        operand(f, op.kind, value)?;
    }
    Ok(())
}

impl fmt::Display for Inst<Arith> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        inst(f, self.op.row(), &self.values)
    }
}

impl fmt::Display for Inst<Exch> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        inst(f, self.op.row(), &self.values)
    }
}

impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cc != 0 {
            write!(f, "if(cc{}) ", self.cc)?;
        }
        match (self.arith.op, self.exch.op) {
            (Arith::Nop, Exch::Nop) => f.write_str("nop"),
            (_, Exch::Nop) => self.arith.fmt(f),
            (Arith::Nop, _) => write!(f, "| {}", self.exch),
            _ => write!(f, "{} | {}", self.arith, self.exch),
        }
    }
}
