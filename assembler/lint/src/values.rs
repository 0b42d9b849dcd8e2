//! What is known of the scalar registers: the values of A, N, M bit by bit, of the general
//! registers as a whole. The effect of each exchange operation on them; no flow of control.

use cp2_isa::rules::address::{self, changeable};
use cp2_isa::{
    Address, Bank, Bundle, Core, Count, Exch, Inst, MemoryHalf, MoveReg, RegFile, Resource, Step,
    WordAddress,
};

/// The value of an address register, of which some bits are known. Bits that the register does not
/// have are known to be 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    known: u16,
    value: u16,
}

impl Bits {
    fn unknown(core: &Core) -> Self {
        Self { known: !core.address_mask(), value: 0 }
    }

    fn exact(core: &Core, value: u16) -> Self {
        Self { known: u16::MAX, value: value & core.address_mask() }
    }

    /// The value, if every bit is known.
    pub(super) fn get(self) -> Option<u16> {
        (self.known == u16::MAX).then_some(self.value)
    }

    /// The bank of local memory that the address lies in, if it is known.
    pub(super) fn bank(self, core: &Core) -> Option<Bank> {
        let bits = core.bank_address_bits();
        (self.known & bits == bits).then(|| core.bank_of(WordAddress(self.value)))
    }

    /// Forgets the bits of `mask`.
    fn forget(self, mask: u16) -> Self {
        let known = self.known & !mask;
        Self { known, value: self.value & known }
    }

    /// What is known after a step in a mode, as far as these are known themselves.
    fn stepped(self, core: &Core, step: Option<i32>, mode: Option<u16>) -> Self {
        match (self.get(), step, mode) {
            (Some(a), Some(step), Some(mode)) => {
                Self::exact(core, address::stepped(core, WordAddress(a), step, mode).0)
            }
            (.., Some(mode)) => self.forget(changeable(core, mode)),
            (.., None) => Self::unknown(core),
        }
    }
}

/// The registers that address computation and control operations read.
#[derive(Clone, Debug)]
pub(super) struct Values {
    core: Core,
    a: [Bits; 16],
    n: [Bits; 16],
    m: [Bits; 16],
    g: [Option<u64>; 16],
}

/// Registers that a stretch of code writes, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    /// An by a step after an access.
    stepped: u16,
    /// An otherwise.
    a: u16,
    n: u16,
    m: u16,
    g: u16,
}

/// The address set that an operation steps by a negative offset.
pub(super) fn steps_back(inst: &Inst<Exch>) -> Option<u8> {
    match inst.address()? {
        Address::Set { set, step: Step::Offset(..0) } => Some(set),
        _ => None,
    }
}

impl Values {
    /// Nothing is known.
    pub(super) fn unknown(core: &Core) -> Self {
        let bits = [Bits::unknown(core); 16];
        Self { core: *core, a: bits, n: bits, m: bits, g: [None; 16] }
    }

    /// The value of the general register that a control operation reads.
    pub(super) fn operand(&self, inst: &Inst<Exch>) -> Option<u64> {
        self.g[usize::from(inst.gpr()?)]
    }

    /// The word address of a memory access: what is known of it before the access.
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
            Address::Sections { .. } | Address::Fpr { .. } => Bits::unknown(&self.core),
        })
    }

    /// The value on which the meaning of the operation depends most: what a `move` moves, the count of
    /// a `do`, the mode of a set that steps back. Nothing for other operations, and nothing within
    /// if it is not known.
    pub(super) fn decisive(&self, inst: &Inst<Exch>) -> Option<Option<u64>> {
        if let Some((_, from)) = inst.moved() {
            return Some(self.read(from));
        }
        if let Some((Count::Gpr(number), _)) = inst.hardware_loop() {
            return Some(self.g[usize::from(number)]);
        }
        let set = steps_back(inst)?;
        Some(self.m[usize::from(set)].get().map(u64::from))
    }

    fn read(&self, reg: MoveReg) -> Option<u64> {
        let n = usize::from(reg.number);
        match reg.file {
            RegFile::Gpr => self.g[n],
            RegFile::A => self.a[n].get().map(u64::from),
            RegFile::N => self.n[n].get().map(u64::from),
            RegFile::M => self.m[n].get().map(u64::from),
            RegFile::Control | RegFile::Ireg => None,
        }
    }

    fn write(&mut self, reg: MoveReg, value: Option<u64>) {
        let n = usize::from(reg.number);
        let core = &self.core;
        let bits = value.map_or(Bits::unknown(core), |value| Bits::exact(core, value as u16));
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

    /// The effect of a bundle.
    pub(super) fn execute(&mut self, bundle: &Bundle) {
        let exch = &bundle.exch;
        if let Some(set) = exch.cleared_set() {
            let n = usize::from(set);
            self.a[n] = Bits::exact(&self.core, 0);
            self.n[n] = Bits::exact(&self.core, 1);
            self.m[n] = Bits::exact(&self.core, self.core.address_mask());
        } else if let Some((reg, value)) = exch.set_immediate() {
            self.write(reg, Some(value.into()));
        } else if let Some((to, from)) = exch.moved() {
            self.write(to, self.read(from));
        } else if let Some(Address::Set { set, step }) = exch.address() {
            self.step(set, step);
        } else {
            exch.footprint(bundle.cc, &mut |access| {
                if let Some(Resource::Gpr(n)) = access.changed() {
                    self.g[usize::from(n)] = None;
                }
            });
        }
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
                self.g[n] = None;
            }
            if is(written.a) {
                self.a[n] = Bits::unknown(core);
            } else if is(written.stepped) {
                self.a[n] = self.a[n].stepped(core, None, self.m[n].get());
            }
        }
    }
}

impl Written {
    /// Everything.
    pub(super) const ALL: Self =
        Self { stepped: u16::MAX, a: u16::MAX, n: u16::MAX, m: u16::MAX, g: u16::MAX };

    /// Adds the registers that a bundle writes.
    pub(super) fn add(&mut self, bundle: &Bundle) {
        let steps = matches!(bundle.exch.address(), Some(Address::Set { .. }));
        bundle.exch.footprint(bundle.cc, &mut |access| {
            let Some(changed) = access.changed() else { return };
            match changed {
                Resource::A(n) if steps => self.stepped |= 1 << n,
                Resource::A(n) => self.a |= 1 << n,
                Resource::N(n) => self.n |= 1 << n,
                Resource::M(n) => self.m |= 1 << n,
                Resource::Gpr(n) => self.g |= 1 << n,
                _ => {}
            }
        });
    }
}
