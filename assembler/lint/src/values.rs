//! What is known of the scalar registers: the values of A, N, M and section addresses bit by bit, of the general
//! registers as a whole or whether they are odd. The effect of each operation on them; no flow of control.

use super::fprs::Fprs;
use super::number::{Bits, Scalar};
use cp2_ir::interface::{ArgumentRegister, ArrayBase, Interface};
use cp2_isa::rules::address;
use cp2_isa::{
    Address, Bundle, Core, CountOperand, Exch, FprTransfer, Inst, MemoryHalf, MoveReg, RegFile,
    Resource, Step, Storage, Unit,
};

/// The registers that address computation and control operations read.
#[derive(Clone, Debug)]
pub(super) struct Values {
    core: Core,
    a: [Bits; 16],
    n: [Bits; 16],
    m: [Bits; 16],
    /// Section addresses that are the same in every section.
    sa: [Bits; 16],
    g: [Scalar; 16],
    fprs: Fprs,
}

/// Registers that a stretch of code writes, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    /// An by a step after an access.
    stepped: u16,
    /// Sets, of these, of which some step is odd or not known.
    oddly: u16,
    /// An otherwise.
    a: u16,
    n: u16,
    m: u16,
    /// Section addresses: all, and those that are not only stepped by even numbers.
    sa: u16,
    sa_oddly: u16,
    g: u16,
}

/// Returns the address set that an operation steps by a negative offset.
pub(super) fn steps_back(inst: &Inst<Exch>) -> Option<u8> {
    match inst.address()? {
        Address::Set { set, step: Step::Offset(..0) } => Some(set),
        _ => None,
    }
}

impl Values {
    /// Returns the state in which nothing is known.
    pub(super) fn unknown(core: &Core) -> Self {
        let bits = [Bits::unknown(core); 16];
        let (g, fprs) = ([Scalar::UNKNOWN; 16], Fprs::new(core));
        Self { core: *core, a: bits, n: bits, m: bits, sa: bits, g, fprs }
    }

    /// Enters what is known where a kernel begins that declares its arguments and arrays: arrays begin at even words,
    /// multiples are what they are promised to be, modes are those of the reset.
    pub(super) fn declared(&mut self, interface: &Interface) {
        let linear = Scalar::exact(self.core.address_mask().into());
        let given = |register: &ArgumentRegister| {
            interface.arguments.iter().any(|a| a.register == *register)
        };
        for number in 0..16 {
            let mode = ArgumentRegister { storage: Storage::M, number: number.into(), half: None };
            if !given(&mode) {
                self.write(MoveReg { file: RegFile::M, number }, linear);
            }
        }
        let arrays = interface.arrays.iter().filter_map(|array| match array.base {
            ArrayBase::Register(register) => Some(register),
            ArrayBase::Word(_) => None,
        });
        let multiples = interface
            .arguments
            .iter()
            .filter(|argument| argument.promise.multiple.is_some_and(|step| step & 1 == 0));
        for register in arrays.chain(multiples.map(|argument| argument.register)) {
            let file = match register.storage {
                Storage::Gpr => RegFile::Gpr,
                Storage::A => RegFile::A,
                _ => continue,
            };
            self.write(MoveReg { file, number: register.number as u8 }, Scalar::EVEN);
        }
    }

    /// Returns the general register of this number, if its value is known.
    pub(super) fn gpr(&self, number: u8) -> Option<u64> {
        self.g[usize::from(number)].get()
    }

    /// Returns the knowledge of the address of a set.
    pub(super) fn set(&self, set: u8) -> Bits {
        self.a[usize::from(set)]
    }

    /// Takes it that sets are linear whose modes are not known, and that others are even.
    pub(super) fn promised(&mut self, linear: u16, even: impl IntoIterator<Item = u8>) {
        let mask = self.core.address_mask();
        for (n, mode) in self.m.iter_mut().enumerate() {
            if linear & 1 << n != 0 && mode.get().is_none() {
                *mode = Bits::exact(&self.core, mask);
            }
        }
        for set in even.into_iter().filter(|set| *set < 16) {
            let address = &mut self.a[usize::from(set)];
            *address = address.with_parity(Some(address.is_odd().unwrap_or(false)));
        }
    }

    /// Returns the value of the general register that a control operation reads, if it is known.
    pub(super) fn operand(&self, inst: &Inst<Exch>) -> Option<u64> {
        self.gpr(inst.gpr()?)
    }

    /// Returns the word address of a memory access: what is known of it before the access.
    pub(super) fn address(&self, inst: &Inst<Exch>) -> Option<Bits> {
        let access = inst.memory_access()?;
        let half = access.half.map(|half| half.memory);
        Some(match access.address {
            // Where 32-bit words lie that an address counts is not followed.
            Address::Set { .. } if matches!(half, Some(MemoryHalf::Address { .. })) => {
                Bits::unknown(&self.core)
            }
            Address::Word(word) => Bits::exact(&self.core, word.0),
            Address::Set { set, .. } => self.a[usize::from(set)],
            Address::Sections { set, .. } => self.sa[usize::from(set)],
            Address::Fpr { .. } => Bits::unknown(&self.core),
        })
    }

    /// Returns the value on which the meaning of the operation depends most: what a `move` moves, the count of a `do`, the
    /// mode of a set that steps back. Nothing for other operations, and nothing within if it is not known.
    pub(super) fn decisive(&self, inst: &Inst<Exch>) -> Option<Option<u64>> {
        if let Some((_, from)) = inst.moved() {
            return Some(self.read(from).get());
        }
        if let Some((CountOperand::Gpr(number), _)) = inst.hardware_loop() {
            return Some(self.gpr(number));
        }
        let set = steps_back(inst)?;
        Some(self.m[usize::from(set)].get().map(u64::from))
    }

    fn read(&self, reg: MoveReg) -> Scalar {
        let n = usize::from(reg.number);
        match reg.file {
            RegFile::Gpr => self.g[n],
            RegFile::A => self.a[n].scalar(),
            RegFile::N => self.n[n].scalar(),
            RegFile::M => self.m[n].scalar(),
            RegFile::Control | RegFile::Ireg => Scalar::UNKNOWN,
        }
    }

    fn write(&mut self, reg: MoveReg, value: Scalar) {
        let n = usize::from(reg.number);
        let bits = Bits::of(&self.core, value);
        match reg.file {
            RegFile::Gpr => self.g[n] = value,
            RegFile::A => self.a[n] = bits,
            RegFile::N => self.n[n] = bits,
            RegFile::M => self.m[n] = bits,
            RegFile::Control | RegFile::Ireg => {}
        }
    }

    fn step(&mut self, set: u8, step: Step) {
        let n = usize::from(set);
        let words = match step {
            Step::Offset(words) => Some(words),
            by_n => self.n[n].get().map(|value| address::words(by_n, value)),
        };
        self.a[n] = self.a[n].stepped(&self.core, words, self.m[n].get());
    }

    /// Applies the effect of a bundle.
    pub(super) fn execute(&mut self, bundle: &Bundle) {
        self.fprs.land();
        let transfer = bundle.exch.fpr_transfer();
        let from = transfer.and_then(|t| self.read(t.scalar).get());
        self.fprs.issue(bundle, from);
        self.scalars(bundle, transfer);
        self.section_addresses(bundle);
        let waits = bundle.exch.op == Exch::Sync;
        self.fprs.advance(if waits { self.core.latencies().sync } else { 1 });
    }

    fn scalars(&mut self, bundle: &Bundle, transfer: Option<FprTransfer>) {
        let exch = &bundle.exch;
        if let Some(set) = exch.cleared_set() {
            let n = usize::from(set);
            self.a[n] = Bits::exact(&self.core, 0);
            self.n[n] = Bits::exact(&self.core, 1);
            self.m[n] = Bits::exact(&self.core, self.core.address_mask());
        } else if let Some((reg, value)) = exch.set_immediate() {
            self.write(reg, Scalar::exact(value.into()));
        } else if let Some((to, from)) = exch.moved() {
            self.write(to, self.read(from));
        } else if let Some(Address::Set { set, step }) = exch.address() {
            self.step(set, step);
        } else if let (Unit::FromFpr, Some(transfer)) = (exch.op.row().unit, transfer) {
            let value = self.fprs.get(transfer.register);
            self.write(transfer.scalar, value.map_or(Scalar::UNKNOWN, Scalar::exact));
        } else {
            exch.footprint(bundle.cc, &mut |access| {
                if let Some(Resource::Gpr(n)) = access.changed() {
                    self.g[usize::from(n)] = Scalar::UNKNOWN;
                }
            });
        }
    }

    fn section_addresses(&mut self, bundle: &Bundle) {
        let (core, exch) = (self.core, &bundle.exch);
        if let (Exch::Setsa, Some(gpr)) = (exch.op, exch.gpr()) {
            self.sa[exch.values[0] as usize & 15] = Bits::of(&core, self.g[usize::from(gpr)]);
            return;
        }
        let stepped = stepped_sections(exch).map(|(set, offset)| {
            let before = self.sa[usize::from(set)];
            let after = before.stepped(&core, Some(offset), Some(core.address_mask()));
            // Sections that a predicate disables keep theirs.
            let is_certain = !exch.op.row().obeys(bundle.cc) || offset == 0;
            let kept = after.is_odd().filter(|_| offset & 1 == 0);
            let after = if is_certain { after } else { Bits::unknown(&core).with_parity(kept) };
            (usize::from(set), after)
        });
        bundle.footprint(&mut |access| {
            if let Some(Resource::SectionA(n)) = access.changed() {
                self.sa[usize::from(n)] = Bits::unknown(&core);
            }
        });
        stepped.into_iter().for_each(|(n, after)| self.sa[n] = after);
    }

    /// Forgets what some repetitions of code that writes these registers may change.
    pub(super) fn forget(&mut self, written: &Written) {
        let core = &self.core;
        for n in 0..16 {
            let is = |set: u16| set & 1 << n != 0;
            if is(written.n) {
                self.n[n] = Bits::unknown(core);
            }
            if is(written.m) {
                self.m[n] = Bits::unknown(core);
            }
            if is(written.g) {
                self.g[n] = Scalar::UNKNOWN;
            }
            if is(written.a) {
                self.a[n] = Bits::unknown(core);
            } else if is(written.stepped) {
                self.a[n] = self.a[n].repeated(core, is(written.oddly), self.m[n].get());
            }
            if is(written.sa_oddly) {
                self.sa[n] = Bits::unknown(core);
            } else if is(written.sa) {
                self.sa[n] = Bits::unknown(core).with_parity(self.sa[n].is_odd());
            }
        }
        self.fprs.forget();
    }
}

/// Returns the set of which an access steps the section addresses, and by how much.
fn stepped_sections(inst: &Inst<Exch>) -> Option<(u8, i32)> {
    match inst.address()? {
        Address::Sections { set, offset } => Some((set, offset)),
        _ => None,
    }
}

impl Written {
    /// Every register.
    pub(super) const ALL: Self = Self {
        stepped: u16::MAX,
        oddly: u16::MAX,
        a: u16::MAX,
        n: u16::MAX,
        m: u16::MAX,
        sa: u16::MAX,
        sa_oddly: u16::MAX,
        g: u16::MAX,
    };

    /// Adds the registers that a bundle writes.
    pub(super) fn add(&mut self, bundle: &Bundle) {
        let step = match bundle.exch.address() {
            Some(Address::Set { step, .. }) => Some(step),
            _ => None,
        };
        let is_even = |offset: i32| offset & 1 == 0;
        let by_even = matches!(step, Some(Step::Offset(offset)) if is_even(offset));
        let sections = stepped_sections(&bundle.exch).filter(|(_, offset)| is_even(*offset));
        bundle.footprint(&mut |access| {
            let Some(changed) = access.changed() else { return };
            match changed {
                Resource::A(n) if step.is_some() => {
                    self.stepped |= 1 << n;
                    self.oddly |= u16::from(!by_even) << n;
                }
                Resource::A(n) => self.a |= 1 << n,
                Resource::N(n) => self.n |= 1 << n,
                Resource::M(n) => self.m |= 1 << n,
                Resource::SectionA(n) => {
                    self.sa |= 1 << n;
                    self.sa_oddly |= u16::from(sections.is_none_or(|(set, _)| set != n)) << n;
                }
                Resource::Gpr(n) => self.g |= 1 << n,
                _ => {}
            }
        });
    }
}
