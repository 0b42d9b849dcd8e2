//! What is known of the scalar registers: the values of A, N, M bit by bit, of the general
//! registers as a whole. The effect of each exchange operation on them; no flow of control.

use cp2_isa::{AddressForm, Bundle, Exch, Inst, Kind, LMEM_WORDS, MoveReg, RegFile};

/// Mask of a word address.
const ADDRESS: u16 = (LMEM_WORDS - 1) as u16;
/// Mode of linear addressing.
const LINEAR: u16 = ADDRESS;

/// A 13-bit value of which some bits are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    known: u16,
    value: u16,
}

impl Bits {
    const UNKNOWN: Self = Self { known: 0, value: 0 };

    fn exact(value: u16) -> Self {
        Self { known: ADDRESS, value: value & ADDRESS }
    }

    /// The value, if every bit is known.
    pub(super) fn get(self) -> Option<u16> {
        (self.known == ADDRESS).then_some(self.value)
    }

    /// The bank of local memory that the address lies in, if it is known.
    pub(super) fn bank(self) -> Option<u8> {
        let bit = cp2_isa::BANK_WORDS as u16;
        (self.known & bit != 0).then_some(u8::from(self.value & bit != 0))
    }

    /// Forgets the bits of `mask`.
    fn forget(self, mask: u16) -> Self {
        let known = self.known & !mask;
        Self { known, value: self.value & known }
    }
}

/// The registers that address computation and control operations read.
#[derive(Clone, Debug)]
pub(super) struct Values {
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

fn reverse(value: u16) -> u16 {
    value.reverse_bits() >> (16 - ADDRESS.count_ones())
}

/// The address after a step (`cp2-isa` reference, Addressing).
fn stepped(address: Bits, step: Option<i32>, mode: Option<u16>) -> Bits {
    let Some(mode) = mode else { return Bits::UNKNOWN };
    match (address.get(), step, mode) {
        (Some(a), Some(step), LINEAR) => Bits::exact((i32::from(a) + step) as u16),
        (Some(a), Some(step), 0) => {
            let magnitude = i32::from(reverse(step.unsigned_abs() as u16 & ADDRESS));
            let signed = if step < 0 { -magnitude } else { magnitude };
            Bits::exact(reverse((i32::from(reverse(a)) + signed) as u16 & ADDRESS))
        }
        (Some(a), Some(step), _) => {
            let sum = (i32::from(a) + step) as u16;
            Bits::exact((a & !mode) | (sum & mode))
        }
        (.., 0) => Bits::UNKNOWN,
        _ => address.forget(mode),
    }
}

/// The address set that an operation steps by a negative offset.
pub(super) fn steps_back(inst: &Inst<Exch>) -> Option<u8> {
    let operands = inst.op.row().operands.iter().zip(inst.values);
    operands.into_iter().find_map(|(operand, packed)| {
        let is_offset = operand.kind == Kind::Address(AddressForm::Offset);
        (is_offset && packed < 0).then_some((packed & 15) as u8)
    })
}

impl Values {
    /// Nothing is known.
    pub(super) fn unknown() -> Self {
        let bits = [Bits::UNKNOWN; 16];
        Self { a: bits, n: bits, m: bits, g: [None; 16] }
    }

    /// The value of a general register.
    pub(super) fn gpr(&self, number: i32) -> Option<u64> {
        self.g[(number & 15) as usize]
    }

    /// The word address of a memory access: what is known of it before the access.
    pub(super) fn address(&self, inst: &Inst<Exch>) -> Option<Bits> {
        let operand = inst.op.row().operands.get(1)?;
        match operand.kind {
            Kind::WordAddress => Some(Bits::exact(inst.values[1] as u16)),
            Kind::Address(_) => Some(self.a[(inst.values[1] & 15) as usize]),
            _ => None,
        }
    }

    /// The value on which the meaning of the operation depends most: what a `move` moves, the count of
    /// a `do`, the mode of a set that steps back. Nothing for other operations, and nothing within
    /// if it is not known.
    pub(super) fn decisive(&self, inst: &Inst<Exch>) -> Option<Option<u64>> {
        match inst.op {
            Exch::Move => Some(MoveReg::from_packed(inst.values[1]).and_then(|reg| self.read(reg))),
            Exch::Do => Some(self.gpr(inst.values[0])),
            _ => {
                let set = steps_back(inst)?;
                Some(self.m[usize::from(set)].get().map(u64::from))
            }
        }
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
        let bits = value.map_or(Bits::UNKNOWN, |value| Bits::exact(value as u16));
        match reg.file {
            RegFile::Gpr => self.g[n] = value,
            RegFile::A => self.a[n] = bits,
            RegFile::N => self.n[n] = bits,
            RegFile::M => self.m[n] = bits,
            RegFile::Control | RegFile::Ireg => {}
        }
    }

    fn step(&mut self, form: AddressForm, packed: i32) {
        let n = (packed & 15) as usize;
        let by_n = |values: &Self| values.n[n].get().map(i32::from);
        let step = match form {
            AddressForm::Offset => Some(packed >> 4),
            AddressForm::PlusN => by_n(self),
            AddressForm::MinusN => by_n(self).map(|step| -step),
        };
        self.a[n] = stepped(self.a[n], step, self.m[n].get());
    }

    /// The effect of a bundle.
    pub(super) fn execute(&mut self, bundle: &Bundle) {
        let Inst { op, values } = &bundle.exch;
        match op {
            Exch::Clr => {
                let n = (values[0] & 15) as usize;
                self.a[n] = Bits::exact(0);
                self.n[n] = Bits::exact(1);
                self.m[n] = Bits::exact(LINEAR);
            }
            Exch::Seti => {
                let file = RegFile::from_seti((values[0] >> 4) as u8);
                let reg = MoveReg { file, number: (values[0] & 15) as u8 };
                self.write(reg, Some(values[1] as u64));
            }
            Exch::Move => {
                let source = MoveReg::from_packed(values[1]).and_then(|reg| self.read(reg));
                if let Some(reg) = MoveReg::from_packed(values[0]) {
                    self.write(reg, source);
                }
            }
            Exch::Mffpr | Exch::CheckDma if values[0] < 16 => self.g[values[0] as usize] = None,
            _ => {
                for (operand, &packed) in op.row().operands.iter().zip(values) {
                    if let Kind::Address(form) = operand.kind {
                        self.step(form, packed);
                    }
                }
            }
        }
    }

    /// Forgets what some repetitions of code that writes these registers may change.
    pub(super) fn forget(&mut self, written: &Written) {
        for n in 0..16 {
            let is = |set: u16| set & 1 << n != 0;
            if is(written.n) {
                self.n[n] = Bits::UNKNOWN;
            }
            if is(written.m) {
                self.m[n] = Bits::UNKNOWN;
            }
            if is(written.g) {
                self.g[n] = None;
            }
            if is(written.a) {
                self.a[n] = Bits::UNKNOWN;
            } else if is(written.stepped) {
                self.a[n] = stepped(self.a[n], None, self.m[n].get());
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
        let steps =
            bundle.exch.op.row().operands.iter().any(|op| matches!(op.kind, Kind::Address(_)));
        bundle.exch.footprint(bundle.cc, &mut |access| {
            let Some(changed) = access.changed() else { return };
            match changed {
                cp2_isa::Resource::A(n) if steps => self.stepped |= 1 << n,
                cp2_isa::Resource::A(n) => self.a |= 1 << n,
                cp2_isa::Resource::N(n) => self.n |= 1 << n,
                cp2_isa::Resource::M(n) => self.m |= 1 << n,
                cp2_isa::Resource::Gpr(n) => self.g |= 1 << n,
                _ => {}
            }
        });
    }
}
