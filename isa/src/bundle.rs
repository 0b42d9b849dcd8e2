//! Encoding and decoding of bundles. A word that names something the machine does not have is
//! refused here, so no later stage meets one.

use crate::Core;
use crate::field::{BundleBits, fields};
use crate::operand::{MoveReg, OperandKind};
use crate::table::{Arith, Effects, Exch, Extensions, Row, Slot};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Highest number of operands of any operation, 6: that of the permutation `psprmsgn`.
pub const MAX_OPERANDS: usize = 6;

/// An operation of one half of a bundle with the values of its operands. `O` is [`Arith`] or [`Exch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inst<O> {
    /// The operation; its row in the table tells the kinds of its operands.
    pub op: O,
    /// Values of the operands in the order of the row, packed as [`OperandKind`] tells; 0 past the last operand.
    pub values: [i32; MAX_OPERANDS],
}

/// A VLIW bundle: the arithmetic and the exchange operation that issue in one cycle, and the condition code that is
/// their predicate. Operations that are not [`Effects::PREDICATED`] ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Number of the condition code that enables sections, 1 to 7; 0 enables all.
    pub cc: u8,
    /// Operation of the arithmetic slot; `nop` if it is empty.
    pub arith: Inst<Arith>,
    /// Operation of the exchange slot; `nop` if it is empty.
    pub exch: Inst<Exch>,
}

/// The reason why the bits of a bundle, or the values of a [`Bundle`], have no meaning on a core, as [`decode`] and
/// [`Bundle::check`] return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// No operation of this slot has this opcode.
    Opcode(Slot, u8),
    /// The operation with this mnemonic belongs to these extensions, which the core does not have.
    Extension(&'static str, Extensions),
    /// An operand names nothing that exists on any core: mnemonic of the operation, kind of the operand, and its packed
    /// value.
    Operand(&'static str, OperandKind, i32),
    /// An operand names something beyond the last that the core has, such as an FPR: mnemonic of the operation, kind of
    /// the operand, its packed value, and the packed value of the last.
    Beyond(&'static str, OperandKind, i32, i32),
    /// Both results of an operation go to the same register: mnemonic of the operation, and number of the FPR.
    SameDestinations(&'static str, u8),
    /// A comparison of both halves names condition code 7, so that it would set code 8 too, which does not exist.
    ComparePastLast,
    /// A `move` names STOPCODE as its destination, which only `stop` and `stopi` write.
    StopcodeWritten,
}

impl Undefined {
    /// Returns the slot, arithmetic or exchange, of the operation that has no meaning.
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
    /// Creates an operation with the packed values of its first operands; the rest are 0. More than [`MAX_OPERANDS`]
    /// values make the function panic.
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
    /// The empty bundle: no operation in either slot, and no predicate.
    pub const NOP: Self = Self {
        cc: 0,
        arith: Inst { op: Arith::Nop, values: [0; MAX_OPERANDS] },
        exch: Inst { op: Exch::Nop, values: [0; MAX_OPERANDS] },
    };

    /// Checks that both operations of the bundle have a meaning on the core.
    ///
    /// # Errors
    /// An operation belongs to an extension that the core lacks, or its operands are undefined. The error is the first
    /// reason, those of the arithmetic operation before those of the exchange operation.
    pub fn check(&self, core: &Core) -> Result<(), Undefined> {
        check(self.arith.op.row(), &self.arith.values, core)?;
        check(self.exch.op.row(), &self.exch.values, core)
    }

    /// Whether at least one of the two operations of the bundle is of a kind that obeys a predicate
    /// ([`Effects::PREDICATED`]). Whether the bundle has a predicate plays no part.
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
///
/// # Errors
/// The bits have no meaning on the core: an opcode or an operand is undefined.
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

/// Returns the extensions that a core needs to execute the bundle with these bits. Bits that have no meaning on any
/// core need `MORE_FPRS` if their upper word is not 0, otherwise none.
pub fn extensions_of(word: BundleBits) -> Extensions {
    let width = if word >> 64 == 0 { Extensions::empty() } else { Extensions::MORE_FPRS };
    decode(word, &Core::WIDEST).map_or(width, |bundle| {
        width | bundle.arith.op.row().extension | bundle.exch.op.row().extension
    })
}

/// Returns the bits of a bundle; those that no operand uses are 0. Operands are not checked ([`Bundle::check`]): of
/// values that do not fit their fields the high bits are dropped.
pub fn encode(bundle: &Bundle) -> BundleBits {
    let (arith, exch) = (bundle.arith.op.row(), bundle.exch.op.row());
    fields::OP.deposit(i32::from(arith.code))
        | fields::OP2.deposit(i32::from(exch.code))
        | fields::OP2_HIGH.deposit(i32::from(exch.code) >> fields::OP2.width())
        | fields::CC.deposit(i32::from(bundle.cc))
        | encode_operands(arith, &bundle.arith.values)
        | encode_operands(exch, &bundle.exch.values)
}
