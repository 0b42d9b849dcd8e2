//! Addresses of memory operations and their steps, in the three modes of an address set.

use crate::builder::Builder;
use crate::context::{A, M, N, REVERSED};
use crate::scalar::{EAX, ECX, EDX, built};
use cp2_emu::state::ADDRESS_MASK;
use cp2_isa::AddressForm;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// The mode of an address set, as far as a block knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Linear,
    Reversed,
    Circular,
}

/// What a block knows of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// What the context holds, plus this, modulo 8192.
    Offset(i32),
    /// This.
    Known(u16),
}

/// The address sets of a block.
pub(crate) struct Addresses {
    places: [Place; 16],
    pub(crate) modes: [Mode; 16],
}

/// A word address: known, or in EAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Known(u16),
    InEax,
}

const MASK: u32 = ADDRESS_MASK as u32;

fn at(base: i32, k: usize) -> i32 {
    base + 4 * k as i32
}

impl Addresses {
    pub(crate) fn new(modes: [Mode; 16]) -> Self {
        Self { places: [Place::Offset(0); 16], modes }
    }

    /// An immediate becomes the address.
    pub(crate) fn set(&mut self, k: usize, address: u16) {
        self.places[k] = Place::Known(address & ADDRESS_MASK);
    }

    /// EAX becomes the address.
    pub(crate) fn set_from_eax(&mut self, b: &mut Builder<'_>, k: usize) {
        b.and32(EAX, MASK);
        b.store32(at(A, k), EAX);
        self.places[k] = Place::Offset(0);
    }

    /// The address, as far as known at translation, or in EAX.
    pub(crate) fn read(&self, b: &mut Builder<'_>, k: usize) -> Word {
        match self.places[k] {
            Place::Known(address) => Word::Known(address),
            Place::Offset(offset) => {
                b.load32(EAX, at(A, k));
                if offset != 0 {
                    b.add32(EAX, offset);
                    b.and32(EAX, MASK);
                }
                Word::InEax
            }
        }
    }

    /// Writes the address to the context.
    pub(crate) fn settle(&mut self, b: &mut Builder<'_>, k: usize) {
        match self.places[k] {
            Place::Offset(0) => {}
            Place::Offset(_) => {
                self.read(b, k);
                b.store32(at(A, k), EAX);
            }
            Place::Known(address) => {
                b.set32(EAX, address.into());
                b.store32(at(A, k), EAX);
            }
        }
        self.places[k] = Place::Offset(0);
    }

    pub(crate) fn settle_all(&mut self, b: &mut Builder<'_>) {
        (0..16).for_each(|k| self.settle(b, k));
    }

    /// The address of an access through set `k`, which then steps.
    pub(crate) fn access(
        &mut self,
        b: &mut Builder<'_>,
        form: AddressForm,
        k: usize,
        offset: i32,
    ) -> Word {
        if let (Mode::Linear, AddressForm::Offset) = (self.modes[k], form) {
            let word = self.read(b, k);
            self.places[k] = match self.places[k] {
                Place::Offset(old) => Place::Offset((old + offset) & i32::from(ADDRESS_MASK)),
                Place::Known(old) => Place::Known((i32::from(old) + offset) as u16 & ADDRESS_MASK),
            };
            return word;
        }
        self.settle(b, k);
        b.load32(EAX, at(A, k));
        match self.modes[k] {
            Mode::Reversed => Self::step_reversed(b, form, k, offset),
            mode => {
                Self::step_plain(b, form, k, offset);
                if mode == Mode::Circular {
                    // ecx := ecx & m | eax & ~m
                    b.load32(EDX, at(M, k));
                    b.op32(Code::And_r32_rm32, ECX, EDX);
                    b.raw(built(Instruction::with3(Code::VEX_Andn_r32_r32_rm32, EDX, EDX, EAX)));
                    b.op32(Code::Or_r32_rm32, ECX, EDX);
                } else {
                    b.and32(ECX, MASK);
                }
            }
        }
        b.store32(at(A, k), ECX);
        Word::InEax
    }

    /// ECX := EAX + step, not reduced.
    fn step_plain(b: &mut Builder<'_>, form: AddressForm, k: usize, offset: i32) {
        b.copy32(ECX, EAX);
        match form {
            AddressForm::Offset => b.add32(ECX, offset),
            AddressForm::PlusN => b.op32_with(Code::Add_r32_rm32, ECX, at(N, k)),
            AddressForm::MinusN => b.op32_with(Code::Sub_r32_rm32, ECX, at(N, k)),
        }
    }

    /// ECX := rev(rev(EAX) + rev(|step|)), minus for a negative step.
    fn step_reversed(b: &mut Builder<'_>, form: AddressForm, k: usize, offset: i32) {
        b.load64(Register::RDX, REVERSED);
        let table = |index| MemoryOperand::with_base_index_scale(Register::RDX, index, 2);
        let lookup = |b: &mut Builder<'_>, to, index| {
            b.raw(built(Instruction::with2(Code::Movzx_r32_rm16, to, table(index))));
        };
        // RAX keeps the address of the access; its reversal waits in EDX last.
        if form == AddressForm::Offset {
            let magnitude = offset.unsigned_abs() as u16 & ADDRESS_MASK;
            b.set32(ECX, (magnitude.reverse_bits() >> 3).into());
        } else {
            b.load32(ECX, at(N, k));
            lookup(b, ECX, Register::RCX);
        }
        if form == AddressForm::MinusN || form == AddressForm::Offset && offset < 0 {
            b.raw(built(Instruction::with1(Code::Neg_rm32, ECX)));
        }
        // ecx += rev(eax), through a 32-bit load of two table entries of which only the low counts.
        b.op32_indexed(Code::Add_r32_rm32, ECX, table(Register::RAX));
        b.and32(ECX, MASK);
        lookup(b, ECX, Register::RCX);
    }
}

impl Builder<'_> {
    fn op32_indexed(&mut self, code: Code, to: Register, from: MemoryOperand) {
        self.raw(built(Instruction::with2(code, to, from)));
    }
}
