//! The parts of a row in words: its operands, its results with their latencies, its exceptions, its sources. Page and
//! entries show them, and `cp2 isa --json`.

use crate::footprint::{Halves, Resource};
use crate::operand::{AddressForm, Operand, OperandKind};
use crate::rules::flags::Flags;
use crate::table::{Effects, Row, Slot, Unit};
use crate::{BundleBits, Core, control};

/// An operand of an operation in words, made by [`operands`] for the pages and texts that explain operations to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandInfo {
    /// Name of the operand in the text of the operation, such as `D` or `(rK)+nK`.
    pub name: String,
    /// Bits of the bundle that hold the operand, such as `55:50`; those of the upper word of wide bundles are left out.
    pub bits: String,
    /// Whether the operation reads the operand.
    pub is_read: bool,
    /// Whether the operation writes the operand.
    pub is_written: bool,
    /// Kind of the operand with its range, in a few words.
    pub meaning: &'static str,
}

/// The latency of one result of an operation, in words for people: the number of bundles after which an operation that
/// reads the result first sees the new value. [`latencies`] makes these from the table of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Name of the result, such as `FPR`, `FCSR` or `memory`.
    pub result: &'static str,
    /// Operations that, when they read the result, see it after this number of bundles, in words such as `any reader
    /// but psprmsgn`.
    pub reader: &'static str,
    /// Number of bundles from the operation to the earliest one that sees the new value; 0 is its own bundle.
    pub bundles: u32,
}

fn field_name(hi: u8) -> &'static str {
    match hi {
        55 => "D",
        49 => "S",
        43 => "T",
        37 => "Q",
        _ => "F",
    }
}

/// Returns the name of an operand in the text of an operation.
pub(super) fn operand_name(kind: OperandKind) -> String {
    match kind {
        OperandKind::Fpr(f) => field_name(f.hi).to_owned(),
        OperandKind::FprPair(f) => format!("({}, next)", field_name(f.hi)),
        OperandKind::FprHalf(f, _) => format!("{}.half", field_name(f.hi)),
        OperandKind::FprPermute(base) => format!("(D of f{base}..f{}, next)", base + 31),
        OperandKind::Signed(f) => format!("simm{}", f.width()),
        OperandKind::Unsigned(f) => format!("imm{}", f.width()),
        OperandKind::Cc(_) => "cc".into(),
        OperandKind::Condition => "relation".into(),
        OperandKind::Format => "format".into(),
        OperandKind::Creg => "fcsr or fccr".into(),
        OperandKind::Gpr(_) => "gpr".into(),
        OperandKind::Target => "bundle address".into(),
        OperandKind::WordAddress => "word address".into(),
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
            "rK".into()
        }
        OperandKind::Address(AddressForm::Offset) | OperandKind::SectionAddress => {
            "(rK)+simm13".into()
        }
        OperandKind::SharedAddress => "(rK)+simm11".into(),
        OperandKind::SharedWord => "shared address".into(),
        OperandKind::Address(AddressForm::PlusN) => "(rK)+nK".into(),
        OperandKind::Address(AddressForm::MinusN) => "(rK)-nK".into(),
        OperandKind::MoveReg(..) => "register".into(),
        OperandKind::SetReg => "gpr, aK, nK or mK".into(),
        OperandKind::GprOrIreg => "gpr or iK".into(),
        OperandKind::Section(_, 4) => "s0..s3 or all".into(),
        OperandKind::Section(..) => "s0..s3".into(),
        OperandKind::Select(_) => "[-]word".into(),
    }
}

fn meaning(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Fpr(_) => "floating-point register",
        OperandKind::FprPair(_) => "a floating-point register and the next one",
        OperandKind::FprHalf(..) => "half of a floating-point register, `.hi` or `.lo`",
        OperandKind::FprPermute(_) => {
            "a floating-point register and the next one; bit 5 of its number is in the opcode"
        }
        OperandKind::Signed(_) => "signed number",
        OperandKind::Unsigned(_) => "unsigned number",
        OperandKind::Cc(_) => "condition code",
        OperandKind::Condition => "t, un, lt, le, eq, ne, gt or ge; in the mnemonic",
        OperandKind::Format => "s, w, ps or pw; in the mnemonic",
        OperandKind::Creg => "flags and cause (0) or condition codes (1)",
        OperandKind::Gpr(_) => "general register",
        OperandKind::Target => "address of a bundle or a label",
        OperandKind::WordAddress => "address of a word of local memory, or a label",
        OperandKind::AddressSet => "address set: An, Nn, Mn",
        OperandKind::Address(_) => "address An of a set, which then steps",
        OperandKind::SectionSet(_) => "section addresses of a set",
        OperandKind::SectionAddress => "section addresses of a set, which then step",
        OperandKind::SharedSet => "shared address of a set",
        OperandKind::SharedAddress => "shared address of a set, which then steps",
        OperandKind::SharedWord => "address of a word of shared memory",
        OperandKind::MoveReg(..) => "general, control, address or index register",
        OperandKind::SetReg => "general or address register",
        OperandKind::GprOrIreg => "general or index register",
        OperandKind::Section(..) => "section",
        OperandKind::Select(_) => "word 0..3 of the source; `-` flips its sign",
    }
}

/// Returns the ranges of the bits of a mask, highest first: `20:17, 12:0`.
fn bit_ranges(mask: BundleBits) -> String {
    let is_set = |bit: u32| bit < u64::BITS && mask >> bit & 1 == 1;
    let mut ranges = Vec::new();
    for low in (0..u64::BITS).rev().filter(|&bit| is_set(bit) && (bit == 0 || !is_set(bit - 1))) {
        let high = (low..).find(|&bit| !is_set(bit + 1)).unwrap_or(low);
        ranges.push(if high == low { low.to_string() } else { format!("{high}:{low}") });
    }
    ranges.join(", ")
}

/// Returns the operands of an operation in words, in the order in which the assembler writes them.
pub fn operands(row: &Row) -> Vec<OperandInfo> {
    let one = |operand: &Operand| OperandInfo {
        name: operand_name(operand.kind),
        bits: bit_ranges(operand.kind.mask()),
        is_read: operand.is_read(),
        is_written: operand.write,
        meaning: meaning(operand.kind),
    };
    row.operands.iter().map(one).collect()
}

/// Returns the form in which an operation is written, such as `cadd D, S, T`: mnemonic, and a name for each operand.
pub fn form(row: &Row) -> String {
    let mut text = row.name.to_owned();
    let mut separator = " ";
    for operand in row.operands {
        let name = operand_name(operand.kind);
        if matches!(operand.kind, OperandKind::Condition | OperandKind::Format) {
            text += &format!(".{name}");
        } else {
            text += &format!("{separator}{name}");
            separator = ", ";
        }
    }
    text
}

/// Returns the letters of a set of exceptions in the order `I U O Z V E`, with blanks between; an empty text if there
/// are none.
pub fn exceptions(flags: Flags) -> String {
    flags.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// Returns the documents and sections that the facts of a row come from.
pub(super) fn sources(row: &Row) -> String {
    let all: Vec<String> = row.sources.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// Whether an operation writes FPRs.
pub(super) fn writes_fpr(row: &Row) -> bool {
    let is_fpr = |kind| {
        matches!(
            kind,
            OperandKind::Fpr(_)
                | OperandKind::FprPair(_)
                | OperandKind::FprHalf(..)
                | OperandKind::FprPermute(_)
        )
    };
    row.operands.iter().any(|operand| operand.write && is_fpr(operand.kind))
}

/// Whether an operation writes one of these kinds of operands.
pub(super) fn writes(row: &Row, is_kind: fn(OperandKind) -> bool) -> bool {
    row.operands.iter().any(|operand| operand.write && is_kind(operand.kind))
}

/// Latencies of one kind of result for the units that read it.
type Readers = [(&'static str, Unit)];

const ANY: &Readers = &[("any reader", Unit::Arithmetic)];
const GPR_READERS: &Readers = &[
    ("any reader but `do`, `call`, `stop` and `run`", Unit::Scalar),
    ("`do` and `call`", Unit::Loop),
    ("`stop` and `run`", Unit::Stop),
];

/// Returns the results of an operation, each with the number of bundles on this core after which operations that read
/// it first see it. A result has several entries if operations of different kinds see it at different distances; an
/// operation without results has none.
pub fn latencies(row: &Row, core: &Core) -> Vec<Latency> {
    let mut all = Vec::new();
    let mut add = |result, resource, readers: &Readers| {
        let distance = |unit| core.latencies().distance(row.unit, resource, unit);
        let one = |&(reader, unit)| Latency { result, reader, bundles: distance(unit) };
        all.extend(readers.iter().map(one));
    };
    if writes_fpr(row) {
        let readers: &Readers = match row.unit {
            Unit::Load => {
                &[("any reader but `psprmsgn`", Unit::Arithmetic), ("`psprmsgn`", Unit::Permute)]
            }
            _ => ANY,
        };
        add("FPR", Resource::Fpr(0, Halves::BOTH), readers);
    }
    if writes(row, |kind| matches!(kind, OperandKind::Cc(_))) {
        add("condition code", Resource::Fccr(1), &[("predicate, `mfc`", Unit::Creg)]);
    }
    if row.unit == Unit::Creg && !writes_fpr(row) {
        add("FCCR", Resource::Fccr(1), &[("predicate, `mfc`", Unit::Creg)]);
        add("FCSR", Resource::Fcsr, &[("`mfc`", Unit::Creg)]);
        add("STATUS.FPE", Resource::Fpe, &[("`move`", Unit::Scalar)]);
    }
    if row.effects.contains(Effects::FLAGS) {
        add("FCSR", Resource::Fcsr, &[("`mfc`", Unit::Creg)]);
        add("STATUS.FPE", Resource::Fpe, &[("`move`", Unit::Scalar)]);
    }
    if row.effects.contains(Effects::COEFFICIENT) {
        let readers = &[("`move`", Unit::Scalar), ("the next coefficient", Unit::Arithmetic)];
        add("RIND", Resource::Control(control::RIND), readers);
    }
    let is_scalar = |kind| {
        matches!(
            kind,
            OperandKind::Gpr(_)
                | OperandKind::MoveReg(..)
                | OperandKind::SetReg
                | OperandKind::GprOrIreg
        )
    };
    if writes(row, is_scalar) {
        add("general register", Resource::Gpr(0), GPR_READERS);
    }
    if let Some(result) = stepped(row) {
        add(result, Resource::A(0), ANY);
    }
    if row.unit == Unit::Store {
        add("memory", Resource::A(0), &[("a load", Unit::Load)]);
    }
    all
}

/// Returns the names of the addresses that an operation writes or steps; `None` if there are none.
fn stepped(row: &Row) -> Option<&'static str> {
    row.operands.iter().find_map(|operand| match operand.kind {
        OperandKind::AddressSet | OperandKind::Address(_) => Some("An"),
        OperandKind::MoveReg(..) | OperandKind::SetReg if operand.write => {
            Some("An, Nn, Mn, control register")
        }
        OperandKind::SectionSet(_) | OperandKind::SectionAddress => Some("section addresses"),
        OperandKind::SharedSet | OperandKind::SharedAddress => Some("shared address"),
        _ => None,
    })
}

/// Returns the name of the half of a bundle that an operation occupies.
pub(super) fn half(row: &Row) -> &'static str {
    match row.slot {
        Slot::Arithmetic => "arithmetic",
        Slot::Exchange => "exchange",
    }
}
