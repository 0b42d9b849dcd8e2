//! Accesses of local memory at an address of each section: gathers of the native machine, and stores
//! section by section.

use super::block::BlockTranslator;
use super::exchange::long;
use crate::abi::context::{BANKS_MOST, GPR, LANES};
use crate::analysis::speculation::Scalar;
use crate::ir::instruction::{Base, Ins, Value};
use crate::ir::scalar::{EAX, ECX, EDX, built, context};
use cp2_isa::{Address, Exch, Halves, Inst, MemoryAccess, SECTIONS, Section};
use iced_x86::{Code, Instruction, Register};

impl BlockTranslator {
    /// Returns the addresses in a half of an FPR.
    pub(super) fn addresses_in(&mut self, register: i32, half: Halves) -> Value {
        let mut value = self.fpr(register);
        if half == Halves::HI {
            value = self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, value, 32);
        }
        self.reduced(value)
    }

    fn reduced(&mut self, value: Value) -> Value {
        self.reduced_to(value, self.core.address_mask().into())
    }

    /// Returns addresses modulo the size of a memory, given its highest address.
    pub(super) fn reduced_to(&mut self, value: Value, highest: u64) -> Value {
        let mask = self.b.constant(highest);
        self.b.and(value, mask)
    }

    /// Returns the value of a general register in every section.
    pub(super) fn gpr_to_all(&mut self, number: u8) -> Value {
        match self.scalars.known(Scalar::Gpr(number)) {
            Some(word) => self.b.constant(word),
            None => self.b.broadcast(Base::Context, long(GPR, number.into())),
        }
    }

    /// Gives the section addresses of a set the value of a general register.
    pub(super) fn set_own(&mut self, inst: &Inst<Exch>) -> Option<()> {
        let value = self.gpr_to_all(inst.gpr()?);
        self.now.own[usize::from(inst.values[0] as u8)] = self.reduced(value);
        Some(())
    }

    /// Returns the address of each section, where each has its own; those of a set step in the enabled sections.
    pub(super) fn own(&mut self, address: Address, mask: Option<Value>) -> Option<Value> {
        match address {
            Address::Sections { set, offset } => {
                let before = self.now.own[usize::from(set)];
                if offset != 0 {
                    let step = self.b.constant(i64::from(offset) as u64);
                    let sum = self.b.binary(Code::VEX_Vpaddq_ymm_ymm_ymmm256, before, step);
                    let after = self.reduced(sum);
                    self.now.own[usize::from(set)] = match mask {
                        Some(mask) => self.b.select(before, after, mask),
                        None => after,
                    };
                }
                Some(before)
            }
            Address::Fpr { register, half } => Some(self.addresses_in(register, half)),
            Address::Word(_) | Address::Set { .. } => None,
        }
    }

    /// Makes a load or a store of each section at its own address. Disabled sections load 0 and store nothing.
    pub(super) fn own_memory(
        &mut self,
        access: MemoryAccess,
        own: Value,
        mask: Option<Value>,
    ) -> Option<()> {
        let words = i32::from(access.words);
        let first = match words {
            2 => {
                let even = self.b.constant(!1);
                self.b.and(own, even)
            }
            _ => own,
        };
        self.b.store(first, Base::Context, LANES);
        self.count_own();
        if access.is_store {
            self.scatter(access.register, words, mask);
            return Some(());
        }
        let quads = self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, first, 2);
        let lanes = self.b.constant_quad([0, 1, 2, 3]);
        let index = self.b.or(quads, lanes);
        for k in 0..words {
            let value = self.b.fresh();
            let (base, displacement) = (Register::RSI, 32 * k);
            self.b.ins.push(Ins::Gather { d: value, base, index, displacement });
            let value = match mask {
                Some(mask) => self.b.and(value, mask),
                None => value,
            };
            self.plan_fpr(self.latencies().load, access.register + k, value, None, true)?;
        }
        Some(())
    }

    /// Gives a general register the largest of a half of an FPR.
    pub(super) fn largest(&mut self, (gpr, register, half): (u8, i32, Halves)) {
        let value = self.fpr(register);
        self.b.store(value, Base::Context, LANES);
        let place = |s: i32| long(LANES, s) + if half == Halves::HI { 4 } else { 0 };
        self.b.load32(EAX, place(0));
        for s in 1..SECTIONS as i32 {
            self.b.load32(ECX, place(s));
            self.b.op32(Code::Cmp_r32_rm32, EAX, ECX);
            self.b.op32(Code::Cmovb_r32_rm32, EAX, ECX);
        }
        self.write_gpr(gpr);
    }

    /// Brings the address of a section into EAX.
    fn lane(&mut self, section: Section) {
        self.b.load32(EAX, long(LANES, section.index() as i32));
    }

    /// Counts the access in every bank that some section reaches, once in each, and notes its words.
    fn count_own(&mut self) {
        let bits = self.core.bank_words().trailing_zeros() as i32;
        self.b.set32(EDX, 0);
        for section in Section::ALL {
            self.lane(section);
            self.b.copy32(ECX, EAX);
            self.b.shift_right(ECX, bits);
            self.b.op32(Code::Bts_rm32_r32, EDX, ECX);
            self.b.shift_left(EAX, 5);
            self.note();
        }
        let counters = self.bank_counters();
        for bank in 0..self.core.banks().min(BANKS_MOST) as i32 {
            self.b.copy32(ECX, EDX);
            if bank > 0 {
                self.b.shift_right(ECX, bank);
            }
            self.b.and32(ECX, 1);
            let counter = context(long(counters, bank));
            self.b.raw(built(Instruction::with2(Code::Add_rm64_r64, counter, Register::RCX)));
        }
    }

    /// Stores registers, whose addresses are in the lanes of the context, one section after the other.
    fn scatter(&mut self, register: i32, words: i32, mask: Option<Value>) {
        let values: Vec<Value> = (0..words).map(|k| self.fpr(register + k)).collect();
        for section in Section::ALL {
            self.lane(section);
            self.b.shift_left(EAX, 5);
            self.keep(Base::Word, 0, words as u16);
            let lanes = 0b11 << (2 * section.index());
            for (k, &value) in (0..).zip(&values) {
                let old = self.b.load(Base::Word, 32 * k);
                let new = mask.map_or(value, |mask| self.b.select(old, value, mask));
                let new = self.b.blend(old, new, lanes);
                self.b.store(new, Base::Word, 32 * k);
            }
        }
    }
}

const _: () = assert!(SECTIONS == 4);
