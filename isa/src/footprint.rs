//! Footprint of a bundle, the resources that it uses and defines, derived from its rows and operands: registers by half
//! and section, memory, flags. This is the only such derivation; when a definition is seen is in `timing`.

mod resource;

pub use resource::{Halves, Resource, Words, WordsFrom};

use crate::bundle::{Bundle, Inst};
use crate::control;
use crate::operand::{Address, AddressForm, MoveReg, OperandKind, Reads, RegFile};
use crate::rules::address::first_word;
use crate::table::{Arith, Effects, Exch, Extensions, Row, Slot, Unit};
use crate::{Section, SectionMask};

/// The way in which an operation accesses a resource: use, define or update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessMode {
    /// The operation reads the resource, and the value decides a result.
    Use,
    /// The operation writes the resource; the new value replaces all of the old one.
    Define,
    /// The operation writes some bits of the resource, and the others stay, as when flags join FCSR.
    Update,
}

/// Certainty of an access, as far as the bundle alone tells: always, only under the predicate, or at an unknown
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The access happens in every execution of the bundle.
    Always,
    /// The access happens in the sections whose condition code of this number (1 to 7) is 1.
    IfPredicate(u8),
    /// The access of local memory happens in every execution, but at an address that the bundle does not tell.
    AddressUnknown,
}

/// Access of an operation to a register or memory: what is read or written, in which sections, how certainly. The
/// accesses of both operations of a bundle are its footprint ([`Bundle::footprint`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The register or memory that is accessed.
    pub resource: Resource,
    /// Way of the access: use, define or update.
    pub mode: AccessMode,
    /// Sections in which the resource is accessed; all sections for a resource that the sections share.
    pub sections: SectionMask,
    /// Whether the access happens in every execution, or depends on a predicate or an address.
    pub certainty: Certainty,
    /// Slot of the operation: the arithmetic or the exchange half of the bundle.
    pub slot: Slot,
    /// Functional unit of the operation, which together with the resource selects a distance
    /// ([`Latencies::distance`](crate::Latencies::distance)).
    pub unit: Unit,
}

impl Access {
    /// Returns the resource if the access reads its value; `None` for a definition or an update.
    pub fn used(&self) -> Option<Resource> {
        (self.mode == AccessMode::Use).then_some(self.resource)
    }

    /// Returns the resource if the access writes it or a part of it; `None` for a use.
    pub fn changed(&self) -> Option<Resource> {
        (self.mode != AccessMode::Use).then_some(self.resource)
    }

    /// Whether the access certainly replaces the whole old value of the resource in all sections: a definition that
    /// depends on no predicate and on no unknown address.
    pub fn kills(&self) -> bool {
        self.mode == AccessMode::Define
            && self.certainty == Certainty::Always
            && self.sections == SectionMask::ALL
    }
}

/// An FPR that an operand of an operation names, with the halves that the operation reads and writes, as [`Row::fprs`]
/// returns it. An operand that is a pair gives two of these. The number is taken from the value of the operand and not
/// checked, since linear code has virtual registers with numbers that no core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprOperand {
    /// Index of the operand in the row of the operation, from 0.
    pub operand: usize,
    /// Number that the value of the operand names. For the second register of a pair this is the number of the first,
    /// and [`FprOperand::next`] is true.
    pub register: i32,
    /// Whether the FPR is the second register of a pair, whose number is `register` + 1.
    pub next: bool,
    /// Halves of the FPR whose value decides a result of the operation.
    pub reads: Halves,
    /// Halves of the FPR that the operation writes.
    pub writes: Halves,
}

impl Row {
    /// Returns the FPRs that the operation names, in the order of its operands; a pair gives the named register and
    /// then the next. `values` are the packed values of the operands, in the order of the row.
    #[inline]
    pub fn fprs<'a>(&'a self, values: &'a [i32]) -> impl Iterator<Item = FprOperand> + 'a {
        // Each operand is one register, or two side by side.
        let members = 0..2 * self.operands.len().min(values.len());
        members.filter_map(move |k| self.fpr(k / 2, k % 2 == 1, values))
    }

    /// Returns the register of an operand or, if `next`, the one after it where the operand names two.
    #[inline]
    fn fpr(&self, operand: usize, next: bool, values: &[i32]) -> Option<FprOperand> {
        let (o, value) = (&self.operands[operand], values[operand]);
        let register = match o.kind {
            OperandKind::Fpr(_) if !next => value,
            OperandKind::FprHalf(..) if !next => value >> 1,
            OperandKind::FprPair(_) | OperandKind::FprPermute(_) => value,
            _ => return None,
        };
        let writes = match (o.write, o.kind) {
            (false, _) => Halves::empty(),
            (true, OperandKind::FprHalf(..)) => Halves::named(value),
            (true, _) => Halves::BOTH,
        };
        let reads = self.halves_read(o.reads, value, next.into(), values);
        Some(FprOperand { operand, register, next, reads, writes })
    }

    /// Returns the halves of register `member` of an operand (1 is the next one) that decide a result.
    fn halves_read(&self, reads: Reads, value: i32, member: i32, values: &[i32]) -> Halves {
        match reads {
            Reads::Nothing => Halves::empty(),
            Reads::Both => Halves::BOTH,
            Reads::Lo => Halves::LO,
            Reads::Hi => Halves::HI,
            Reads::Named => Halves::named(value),
            Reads::Compared if self.is_pairwise(values) => Halves::BOTH,
            Reads::Compared => Halves::LO,
            Reads::Kept => Halves::named(self.value_of(OperandKind::is_mode, values)).complement(),
            Reads::Moved => self.words_moved(values).fold(Halves::empty(), |halves, word| {
                if word >> 1 == member { halves | Halves::named(word) } else { halves }
            }),
        }
    }

    /// Returns the numbers (0 to 3) of the words that a permutation moves.
    fn words_moved<'a>(&'a self, values: &'a [i32]) -> impl Iterator<Item = i32> + 'a {
        let selects = self.operands.iter().zip(values);
        selects.filter(|(o, _)| matches!(o.kind, OperandKind::Select(_))).map(|(_, v)| v & 3)
    }

    /// Returns the value of the first operand of a kind; 0 if there is none.
    fn value_of(&self, is: impl Fn(OperandKind) -> bool, values: &[i32]) -> i32 {
        let found = self.operands.iter().zip(values).find(|(o, _)| is(o.kind));
        found.map_or(0, |(_, &v)| v)
    }

    /// Returns the condition codes that a comparison with these operands sets; none for other operations.
    pub(crate) fn condition_codes(&self, values: &[i32]) -> std::ops::Range<u8> {
        let mut codes =
            self.operands.iter().zip(values).filter(|(o, _)| matches!(o.kind, OperandKind::Cc(_)));
        match codes.next() {
            Some((_, &first)) => {
                first as u8..first as u8 + if self.is_pairwise(values) { 2 } else { 1 }
            }
            None => 0..0,
        }
    }

    /// Whether the operation is a comparison of both halves.
    fn is_pairwise(&self, values: &[i32]) -> bool {
        crate::OperandFormat::from_value(self.value_of(|k| k == OperandKind::Format, values))
            .is_pairwise()
    }
}

/// Gathers the accesses of one operation.
struct Collector<'a> {
    row: &'static Row,
    values: &'a [i32],
    certainty: Certainty,
    visit: &'a mut dyn FnMut(Access),
}

impl Collector<'_> {
    fn add_in(&mut self, sections: SectionMask, resource: Resource, mode: AccessMode) {
        let Self { row, certainty, .. } = *self;
        let certainty = match (resource, certainty) {
            (
                Resource::Memory(Words { from: WordsFrom::Set(_) | WordsFrom::Sections, .. }),
                Certainty::Always,
            ) => Certainty::AddressUnknown,
            _ => certainty,
        };
        let (slot, unit) = (row.slot, row.unit);
        (self.visit)(Access { resource, mode, sections, certainty, slot, unit });
    }

    fn add(&mut self, resource: Resource, mode: AccessMode) {
        self.add_in(SectionMask::ALL, resource, mode);
    }

    fn access(&mut self, resource: Resource, read: bool, write: bool) {
        if read {
            self.add(resource, AccessMode::Use);
        }
        if write {
            self.add(resource, AccessMode::Define);
        }
    }

    fn all(&mut self, cc: u8) {
        if self.row.obeys(cc) {
            // The predicate decides in every section, whatever it says.
            self.certainty = Certainty::Always;
            self.add(Resource::Fccr(cc), AccessMode::Use);
            self.certainty = Certainty::IfPredicate(cc);
        }
        self.fprs();
        let (row, values) = (self.row, self.values);
        for (operand, &value) in row.operands.iter().zip(values) {
            self.scalar(operand.kind, value, operand.reads != Reads::Nothing, operand.write);
        }
        self.memory();
        self.effects();
    }

    fn fprs(&mut self) {
        let (row, values) = (self.row, self.values);
        let sections = row.sections(values);
        let certainty = self.certainty;
        if row.effects.contains(Effects::ZEROES) {
            self.certainty = Certainty::Always;
        }
        for fpr in row.fprs(values) {
            let number = (fpr.register + i32::from(fpr.next)) as u8;
            if !fpr.reads.is_empty() {
                self.add_in(sections, Resource::Fpr(number, fpr.reads), AccessMode::Use);
            }
            if !fpr.writes.is_empty() {
                self.add_in(sections, Resource::Fpr(number, fpr.writes), AccessMode::Define);
            }
        }
        self.certainty = certainty;
    }

    fn scalar(&mut self, kind: OperandKind, value: i32, read: bool, write: bool) {
        let n = value as u8;
        match kind {
            OperandKind::Cc(_) => self
                .row
                .condition_codes(self.values)
                .for_each(|cc| self.access(Resource::Fccr(cc), read, write)),
            OperandKind::Creg if n == 0 => {
                self.access(Resource::Fcsr, read, write);
                // What is written replaces the flags that the host sees, even if no section writes.
                self.certainty = Certainty::Always;
                self.access(Resource::Fpe, false, write);
            }
            OperandKind::Creg => (1..8).for_each(|cc| self.access(Resource::Fccr(cc), read, write)),
            OperandKind::Gpr(_) => self.access(Resource::Gpr(n), read, write),
            OperandKind::GprOrIreg if n < 16 => self.access(Resource::Gpr(n), read, write),
            OperandKind::GprOrIreg => self.access(Resource::Ireg(n - 16), read, write),
            OperandKind::MoveReg(..) => {
                if let Some(reg) = MoveReg::from_packed(value) {
                    self.move_register(Resource::of_move(reg), read, write);
                }
            }
            OperandKind::SetReg => {
                let reg = MoveReg { file: RegFile::from_seti(n >> 4), number: n & 15 };
                self.access(Resource::of_move(reg), read, write);
            }
            OperandKind::AddressSet => {
                self.access(Resource::A(n), false, true);
                self.access(Resource::N(n), false, true);
                self.access(Resource::M(n), false, true);
            }
            OperandKind::SectionSet(_) => self.access(Resource::SectionA(n), read, write),
            OperandKind::SharedSet => self.access(Resource::SharedA(n), read, write),
            OperandKind::SharedAddress => {
                self.access(Resource::SharedA(n & 15), true, value >> 4 != 0);
            }
            // A step by nothing leaves them as they are.
            OperandKind::SectionAddress => {
                self.access(Resource::SectionA(n & 15), true, value >> 4 != 0);
            }
            OperandKind::Address(form) => {
                let n = n & 15;
                // Address sets step whatever the predicate says.
                let certainty = std::mem::replace(&mut self.certainty, Certainty::Always);
                self.access(Resource::A(n), true, true);
                self.access(Resource::M(n), true, false);
                self.access(Resource::N(n), form != AddressForm::Offset, false);
                self.certainty = certainty;
            }
            _ => {}
        }
    }

    /// Adds the accesses of a register of `move`, and of the bits of STATUS that belong to the register.
    fn move_register(&mut self, resource: Resource, read: bool, write: bool) {
        self.access(resource, read, write);
        match resource {
            Resource::Control(control::STATUS) => {
                self.access(Resource::Fpe, read, write);
                self.access(Resource::Mailbox, read, false);
            }
            Resource::Control(control::COMM) => self.add(Resource::Mailbox, AccessMode::Update),
            _ => {}
        }
    }

    fn memory(&mut self) {
        let mode = match self.row.unit {
            Unit::Load => AccessMode::Use,
            // The other half of the word stays.
            Unit::Store if self.moves_half() => AccessMode::Update,
            Unit::Store => AccessMode::Define,
            _ => return,
        };
        if self.row.extension == Extensions::SHARED_MEMORY {
            // Other words stay.
            let mode = if mode == AccessMode::Use { mode } else { AccessMode::Update };
            return self.add_in(SectionMask::ALL, Resource::Shared, mode);
        }
        let count = self.row.words();
        let from = match Address::of(self.row, self.values) {
            Some(Address::Word(word)) => WordsFrom::Word(first_word(word, count.into())),
            Some(Address::Set { set, .. }) => WordsFrom::Set(set),
            Some(Address::Sections { .. } | Address::Fpr { .. }) => WordsFrom::Sections,
            None => return,
        };
        self.add(Resource::Memory(Words { count, from }), mode);
    }

    fn moves_half(&self) -> bool {
        self.row.operands.iter().any(|o| matches!(o.kind, OperandKind::FprHalf(..)))
    }

    fn effects(&mut self) {
        let effects = self.row.effects;
        if effects.contains(Effects::FLAGS) {
            self.add(Resource::Fcsr, AccessMode::Update);
            self.add(Resource::Fpe, AccessMode::Update);
        }
        if effects.intersects(Effects::FLAGS | Effects::COEFFICIENT) {
            self.add(Resource::Control(control::CONTROL), AccessMode::Use);
        }
        if effects.contains(Effects::COEFFICIENT) {
            // The step does not ask for the predicate.
            self.certainty = Certainty::Always;
            for number in [control::RIND, control::RSTEP, control::RMASK] {
                self.add(Resource::Control(number), AccessMode::Use);
            }
            self.add(Resource::Control(control::RIND), AccessMode::Define);
        }
        let stacks: &[u8] = match () {
            () if effects.contains(Effects::LOOPS) => &[control::LC, control::LA, control::LSP],
            () if effects.contains(Effects::CALLS) => &[control::PSP],
            () => return,
        };
        for &number in stacks {
            self.add(Resource::Control(number), AccessMode::Define);
        }
        self.add(Resource::Control(control::STATUS), AccessMode::Update);
    }
}

impl Row {
    /// Returns the sections whose registers the operation accesses: the section that its section operand names, or all
    /// if the operand says all or there is none. `values` are the packed values of the operands, in the order of the
    /// row.
    pub fn sections(&self, values: &[i32]) -> SectionMask {
        let named = self
            .operands
            .iter()
            .zip(values)
            .find(|(o, _)| matches!(o.kind, OperandKind::Section(..)));
        match named {
            Some((_, &section)) => {
                Section::new(section as usize).map_or(SectionMask::ALL, SectionMask::one)
            }
            None => SectionMask::ALL,
        }
    }
}

impl Inst<Arith> {
    /// Calls `visit` with every access of the operation, in a bundle whose predicate is condition code `cc`; 0 is no
    /// predicate.
    pub fn footprint(&self, cc: u8, visit: &mut dyn FnMut(Access)) {
        footprint(self.op.row(), &self.values, cc, visit);
    }
}

impl Inst<Exch> {
    /// Calls `visit` with every access of the operation, in a bundle whose predicate is condition code `cc`; 0 is no
    /// predicate.
    pub fn footprint(&self, cc: u8, visit: &mut dyn FnMut(Access)) {
        footprint(self.op.row(), &self.values, cc, visit);
    }
}

impl Bundle {
    /// Calls `visit` with every access of the bundle to a register or memory: first those of the arithmetic operation,
    /// then those of the exchange operation.
    pub fn footprint(&self, visit: &mut dyn FnMut(Access)) {
        self.arith.footprint(self.cc, visit);
        self.exch.footprint(self.cc, visit);
    }
}

fn footprint(row: &'static Row, values: &[i32], cc: u8, visit: &mut dyn FnMut(Access)) {
    Collector { row, values, certainty: Certainty::Always, visit }.all(cc);
}
