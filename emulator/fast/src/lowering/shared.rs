//! Accesses of shared memory: one move of the native machine where the words are known and follow each other, else
//! gathers, and stores word by word.

use super::block::BlockTranslator;
use super::exchange::long;
use crate::abi::context::{LANES, MORE_LANES, SHARED};
use crate::ir::instruction::{Base, Ins, Value};
use crate::ir::scalar::{ECX, built};
use cp2_isa::{Exch, Inst, SECTIONS, SHARED_WORDS, SharedAccess, SharedAddress, SharedWords};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

const MASK: u64 = SHARED_WORDS as u64 - 1;

impl BlockTranslator {
    /// Gives the shared address of a set the value of a general register.
    pub(super) fn set_shared(&mut self, inst: &Inst<Exch>) -> Option<()> {
        let value = self.gpr_to_all(inst.gpr()?);
        self.now.shared[usize::from(inst.values[0] as u8)] = self.reduced_to(value, MASK);
        Some(())
    }

    /// Makes a load from shared memory, or a store to it.
    pub(super) fn access_shared(&mut self, access: &SharedAccess) -> Option<()> {
        if let SharedAddress::Word(first) = access.address {
            let count = if access.words == SharedWords::Four { SECTIONS } else { 1 };
            if first.index() + count <= SHARED_WORDS {
                return self.access_known(access, 8 * i32::from(first.0));
            }
        }
        let places = self.shared_places(access);
        if access.is_store {
            self.scatter_shared(access, places);
            return Some(());
        }
        self.b.load64(Register::RAX, SHARED);
        let value = self.b.fresh();
        let base = Register::RAX;
        self.b.ins.push(Ins::Gather { d: value, base, index: places, displacement: 0 });
        self.plan_fpr(self.latencies().load, access.register, value, None, true)
    }

    /// Makes an access of one word, or of four that follow each other, so many bytes from the beginning of shared memory.
    fn access_known(&mut self, access: &SharedAccess, place: i32) -> Option<()> {
        if access.is_store {
            self.store_shared(access, place);
            return Some(());
        }
        self.b.load64(Register::RAX, SHARED);
        let value = match access.words {
            SharedWords::Four => self.b.load(Base::Rax, place),
            SharedWords::ToAll | SharedWords::Of(_) => self.b.broadcast(Base::Rax, place),
        };
        self.plan_fpr(self.latencies().load, access.register, value, None, true)
    }

    fn store_shared(&mut self, access: &SharedAccess, place: i32) {
        let value = self.fpr(access.register);
        let SharedWords::Of(section) = access.words else {
            self.b.load64(Register::RAX, SHARED);
            self.b.store(value, Base::Rax, place);
            return;
        };
        self.b.store(value, Base::Context, LANES);
        self.b.load64(Register::RCX, long(LANES, section.index() as i32));
        self.b.load64(Register::RAX, SHARED);
        let to = MemoryOperand::with_base_displ(Register::RAX, place.into());
        self.b.raw(built(Instruction::with2(Code::Mov_rm64_r64, to, Register::RCX)));
    }

    /// Returns the word of each section; the shared address of a set steps.
    fn shared_places(&mut self, access: &SharedAccess) -> Value {
        let first = match access.address {
            SharedAddress::Word(first) => self.b.constant(first.0.into()),
            SharedAddress::Set { set, offset } => {
                let first = self.now.shared[usize::from(set)];
                let step = self.b.constant(i64::from(offset) as u64);
                self.now.shared[usize::from(set)] = self.sum_in_shared(first, step);
                first
            }
        };
        if access.words != SharedWords::Four {
            return first;
        }
        let sections = self.b.constant_quad([0, 1, 2, 3]);
        self.sum_in_shared(first, sections)
    }

    fn sum_in_shared(&mut self, a: Value, b: Value) -> Value {
        let sum = self.b.binary(Code::VEX_Vpaddq_ymm_ymm_ymmm256, a, b);
        self.reduced_to(sum, MASK)
    }

    /// Stores the words of the sections one after the other.
    fn scatter_shared(&mut self, access: &SharedAccess, places: Value) {
        let value = self.fpr(access.register);
        self.b.store(places, Base::Context, LANES);
        self.b.store(value, Base::Context, MORE_LANES);
        self.b.load64(Register::RAX, SHARED);
        for lane in access.sections().iter().map(|section| section.index() as i32) {
            self.b.load32(ECX, long(LANES, lane));
            self.b.load64(Register::RDX, long(MORE_LANES, lane));
            let to = MemoryOperand::with_base_index_scale(Register::RAX, Register::RCX, 8);
            self.b.raw(built(Instruction::with2(Code::Mov_rm64_r64, to, Register::RDX)));
        }
    }
}
