//! Encoding and decoding of bundles. A word that names something the machine does not have is
//! refused here, so no later stage meets one.

use crate::Core;
use crate::field::{BundleBits, fields};
use crate::operand::{MoveReg, OperandKind};
use crate::table::{Arith, Effects, Exch, Extensions, Row, Slot};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of operands of the operation that has most of them.
pub const MAX_OPERANDS: usize = 6;

/// An operation with its operands, packed as [`OperandKind`] tells, in the order of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inst<O> {
    /// The operation, whose row tells what the values mean.
    pub op: O,
    /// Operand values; those past the row's last operand are 0.
    pub values: [i32; MAX_OPERANDS],
}

/// A VLIW bundle: the arithmetic and the exchange operation that issue in one cycle, and one condition code, which those of
/// the two operations obey that are [`Effects::PREDICATED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Condition code that enables sections; 0 = all.
    pub cc: u8,
    /// Operation of the arithmetic slot; `nop` if it is empty.
    pub arith: Inst<Arith>,
    /// Operation of the exchange slot; `nop` if it is empty.
    pub exch: Inst<Exch>,
}

/// The reason why the bits of a bundle stand for none on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// No operation has the opcode.
    Opcode(Slot, u8),
    /// The operation belongs to extensions that are off.
    Extension(&'static str, Extensions),
    /// An operand of the operation names nothing: its packed value.
    Operand(&'static str, OperandKind, i32),
    /// An operand names something beyond the last that the core has: its packed value, and that of
    /// the last.
    Beyond(&'static str, OperandKind, i32, i32),
    /// Both results of an operation go to the same register: its mnemonic and the number of the FPR.
    SameDestinations(&'static str, u8),
    /// A pairwise comparison sets the condition code after the last.
    ComparePastLast,
    /// A `move` to STOPCODE, which `stop` alone writes.
    StopcodeWritten,
}

impl Undefined {
    /// Returns the slot of the bundle whose operation is at fault.
    pub fn slot(&self) -> Slot {
        match self {
            Self::Opcode(slot, _) => *slot,
            Self::Extension(name, _)
            | Self::Operand(name, ..)
            | Self::Beyond(name, ..)
            | Self::SameDestinations(name, _) => {
                if Arith::from_name(name).is_some() {
                    Slot::Arithmetic
                } else {
                    Slot::Exchange
                }
            }
            Self::ComparePastLast => Slot::Arithmetic,
            Self::StopcodeWritten => Slot::Exchange,
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(Slot::Arithmetic, code) => {
                write!(f, "no arithmetic operation has opcode 0x{code:02x}")
            }
            Self::Opcode(Slot::Exchange, code) => {
                write!(f, "no exchange operation has opcode 0x{code:02x}")
            }
            Self::Extension(name, keys) => {
                let keys = keys.names();
                write!(f, "`{name}` needs {keys}, which this machine does not have")
            }
            Self::Beyond(name, kind, value, last) => match kind {
                OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                    let last = last + 1;
                    write!(f, "`{name}` needs the register after f{value}; the last is f{last}")
                }
                OperandKind::FprHalf(..) => {
                    write!(f, "`{name}` uses f{}; the last is f{}", value >> 1, last >> 1)
                }
                OperandKind::Fpr(_) => write!(f, "`{name}` uses f{value}; the last is f{last}"),
                OperandKind::Target => {
                    write!(f, "`{name}` names bundle {value}; the last is {last}")
                }
                _ => write!(f, "`{name}` names word {value}; the last is {last}"),
            },
            Self::Operand(name, kind, value) => match kind {
                OperandKind::Creg => write!(
                    f,
                    "`{name}` names control register {value}; there are 0 (fcsr) and 1 (fccr)"
                ),
                OperandKind::MoveReg(..) => write!(
                    f,
                    "`{name}` names register {} of type {}, which does not exist",
                    value & 15,
                    value >> 4
                ),
                OperandKind::Section(_, last) => {
                    write!(f, "`{name}` names section {value}; the last is {last}")
                }
                _ => write!(f, "`{name}` has the operand {value}, outside {:?}", kind.range()),
            },
            Self::SameDestinations(name, reg) => {
                write!(f, "`{name}` writes f{reg} twice; its destinations must differ")
            }
            Self::ComparePastLast => {
                f.write_str("a pairwise comparison into cc7 would also set cc8; the last is cc7")
            }
            Self::StopcodeWritten => {
                f.write_str("`move` to stopcode, which only `stop` and `stopi` write")
            }
        }
    }
}

impl std::error::Error for Undefined {}

impl<O> Inst<O> {
    /// Creates an operation with its first operands; the rest are 0.
    pub fn new(op: O, operands: &[i32]) -> Self {
        let mut values = [0; MAX_OPERANDS];
        values[..operands.len()].copy_from_slice(operands);
        Self { op, values }
    }
}

/// Checks that the machine executes the operation with these operands.
fn check(row: &Row, values: &[i32; MAX_OPERANDS], core: &Core) -> Result<(), Undefined> {
    let missing = row.extension.difference(core.extensions());
    if !missing.is_empty() {
        return Err(Undefined::Extension(row.name, missing));
    }
    let mut destination = None;
    for (operand, &value) in row.operands.iter().zip(values) {
        if !operand.kind.is_defined(core, value) {
            return Err(match operand.kind.last(core) {
                Some(last) => Undefined::Beyond(row.name, operand.kind, value, last),
                None => Undefined::Operand(row.name, operand.kind, value),
            });
        }
        if let (OperandKind::Fpr(_), true) = (operand.kind, operand.write) {
            if destination == Some(value) {
                return Err(Undefined::SameDestinations(row.name, value as u8));
            }
            destination = Some(value);
        }
        if let (OperandKind::MoveReg(..), true) = (operand.kind, operand.write)
            && MoveReg::from_packed(value) == Some(MoveReg::STOPCODE)
        {
            return Err(Undefined::StopcodeWritten);
        }
    }
    if row.condition_codes(values).contains(&8) {
        return Err(Undefined::ComparePastLast);
    }
    Ok(())
}

fn decode_operands(row: &Row, word: BundleBits, core: &Core) -> [i32; MAX_OPERANDS] {
    let mut values = [0; MAX_OPERANDS];
    for (value, operand) in values.iter_mut().zip(row.operands) {
        *value = operand.kind.decode_on(core, word);
    }
    values
}

fn encode_operands(row: &Row, values: &[i32; MAX_OPERANDS]) -> BundleBits {
    row.operands.iter().zip(values).fold(0, |word, (operand, &v)| word | operand.kind.encode(v))
}

impl Bundle {
    /// The empty bundle: no operation in either slot, enabled in every section.
    pub const NOP: Self = Self {
        cc: 0,
        arith: Inst { op: Arith::Nop, values: [0; MAX_OPERANDS] },
        exch: Inst { op: Exch::Nop, values: [0; MAX_OPERANDS] },
    };

    /// Refuses what the machine would stop on.
    pub fn check(&self, core: &Core) -> Result<(), Undefined> {
        check(self.arith.op.row(), &self.arith.values, core)?;
        check(self.exch.op.row(), &self.exch.values, core)
    }

    /// Whether some operation of the bundle obeys the predicate.
    pub fn obeys_predicate(&self) -> bool {
        (self.arith.op.row().effects | self.exch.op.row().effects).contains(Effects::PREDICATED)
    }
}

/// First opcode of the word accesses, whose two lowest bits are the format and no part of the opcode.
const WORD_ACCESSES: u32 = 0x60;

/// Returns an exchange opcode without those of its bits that are an operand.
const fn opcode(code: u32) -> u32 {
    if code >= WORD_ACCESSES { code & !3 } else { code }
}

/// Decodes the bits of a bundle. Bits that no operand uses are ignored.
pub fn decode(word: BundleBits, core: &Core) -> Result<Bundle, Undefined> {
    let high = fields::OP2_HIGH.get(word);
    // Where no extension takes the highest bit for the exchange half, that bit is one of the arithmetic opcode.
    let whole = Undefined::Opcode(Slot::Arithmetic, (word >> fields::OP.lo) as u8);
    let arith = Arith::from_code(fields::OP.get(word)).ok_or(whole)?;
    let code2 = fields::OP2.get(word) | high << fields::OP2.width();
    let unknown = if high == 0 { Undefined::Opcode(Slot::Exchange, code2 as u8) } else { whole };
    let exch = Exch::from_code(opcode(code2)).ok_or(unknown)?;
    let bundle = Bundle {
        cc: fields::CC.get(word) as u8,
        arith: Inst { op: arith, values: decode_operands(arith.row(), word, core) },
        exch: Inst { op: exch, values: decode_operands(exch.row(), word, core) },
    };
    bundle.check(core)?;
    Ok(bundle)
}

/// Returns the extensions that a core needs to execute a bundle.
pub fn extensions_of(word: BundleBits) -> Extensions {
    let width = if word >> 64 == 0 { Extensions::empty() } else { Extensions::MORE_FPRS };
    decode(word, &Core::WIDEST).map_or(width, |bundle| {
        width | bundle.arith.op.row().extension | bundle.exch.op.row().extension
    })
}

/// Encodes a bundle; unused bits are 0.
pub fn encode(bundle: &Bundle) -> BundleBits {
    let (arith, exch) = (bundle.arith.op.row(), bundle.exch.op.row());
    fields::OP.deposit(i32::from(arith.code))
        | fields::OP2.deposit(i32::from(exch.code))
        | fields::OP2_HIGH.deposit(i32::from(exch.code) >> fields::OP2.width())
        | fields::CC.deposit(i32::from(bundle.cc))
        | encode_operands(arith, &bundle.arith.values)
        | encode_operands(exch, &bundle.exch.values)
}
