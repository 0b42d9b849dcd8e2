//! Accesses of shared memory at immediate addresses; those at shared addresses are left to the portable engine.

use super::block::BlockTranslator;
use super::exchange::long;
use crate::abi::context::{LANES, SHARED};
use crate::ir::instruction::Base;
use crate::ir::scalar::built;
use cp2_isa::{SECTIONS, SHARED_WORDS, SharedAccess, SharedAddress, SharedWords};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

impl BlockTranslator {
    /// A load from shared memory, or a store to it; `None` if its words are not known, or not one behind the other.
    pub(super) fn shared(&mut self, access: &SharedAccess) -> Option<()> {
        let SharedAddress::Word(first) = access.address else { return None };
        let count = if access.words == SharedWords::Four { SECTIONS } else { 1 };
        if first.index() + count > SHARED_WORDS {
            return None;
        }
        let place = 8 * i32::from(first.0);
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
}
