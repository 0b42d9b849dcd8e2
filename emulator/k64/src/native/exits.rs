//! Ways out of a block in instructions of the native machine: to addresses that are known, and to those in registers. A
//! limit that is reached leads to the caller.

use super::assembler::{Label, guest, of_core};
use super::leaving::{JUMP_ENTRIES, Leaving};
use super::links::{Entry, Exit};
use super::state::{JUMPS, LEFT, NOW, PC, RUNNING_LEFT, held};
use super::time::of_timing;
use super::translate::Translation;
use crate::engine::operation::Operation;
use crate::timing::Timing;
use iced_x86::{Code, MemoryOperand, Register};

impl Translation<'_> {
    pub(super) fn leave_with(&mut self, leaving: u64) {
        self.out.constant(Register::RAX, leaving);
        self.out.jump_to(Code::Jmp_rel32_64, self.links.leave);
    }

    /// Counts so many instructions, and goes to `away` if a limit is reached.
    fn count(&mut self, n: u8, away: Label) {
        if self.mode.costs.is_none() {
            self.out.immediate(Code::Sub_rm64_imm8, LEFT, n.into());
            self.out.jump(Code::Jle_rel32_64, away);
            return;
        }
        self.out.store_immediate(Code::Sub_rm64_imm8, of_core(RUNNING_LEFT), n.into());
        self.out.jump(Code::Jle_rel32_64, away);
        self.out.load(Code::Cmp_r64_rm64, NOW, of_timing(Timing::LIMIT));
        self.out.jump(Code::Jae_rel32_64, away);
    }

    /// Leaves the block for an address, after so many instructions: for the code there, or for the caller. It is by a
    /// branch that is taken, or at the end of the block.
    pub(super) fn exit(&mut self, n: u8, target: u64, is_taken: bool) {
        if is_taken {
            self.redirect();
        }
        let (id, entry) = self.links.exit(target, self.exits.len());
        let away = self.out.label();
        self.count(n, away);
        let mut is_open = false;
        if target == self.block.pc {
            self.out.jump(Code::Jmp_rel32_64, self.head);
        } else if let Some(Entry(at)) = entry {
            self.out.jump_to(Code::Jmp_rel32_64, at);
        } else {
            self.out.jump(Code::Jmp_rel32_64, away);
            is_open = true;
        }
        self.exits.push((Exit { target, is_open }, self.out.at() - 4));
        self.out.bind(away);
        self.leave_with(Leaving::Exit.with(id, 0));
    }

    /// Jumps to the address in a register, by the table of jumps.
    pub(super) fn jump_register(&mut self, op: &Operation) {
        self.redirect();
        let miss = self.out.label();
        match held(op.a) {
            Some(register) => self.out.two(Code::Mov_r64_rm64, Register::RAX, register),
            None => self.out.load(Code::Mov_r64_rm64, Register::RAX, guest(op.a)),
        }
        self.count(op.c, miss);
        let out = &mut self.out;
        // An address is a multiple of 4, and an entry has 16 bytes.
        out.two(Code::Mov_r32_rm32, Register::ECX, Register::EAX);
        out.two_shift(Code::Shl_rm32_imm8, Register::ECX, 2);
        out.immediate(Code::And_rm32_imm32, Register::ECX, 16 * (JUMP_ENTRIES as i32 - 1));
        out.load(Code::Mov_r64_rm64, Register::RDX, of_core(JUMPS));
        let entry = |displacement| {
            MemoryOperand::with_base_index_scale_displ_size(
                Register::RDX,
                Register::RCX,
                1,
                displacement,
                1,
            )
        };
        out.store(Code::Cmp_rm64_r64, entry(0), Register::RAX);
        out.jump(Code::Jne_rel32_64, miss);
        out.one_memory(Code::Jmp_rm64, entry(8));
        out.bind(miss);
        out.store(Code::Mov_rm64_r64, of_core(PC), Register::RAX);
        self.leave_with(Leaving::Jump.with(0, 0));
    }
}
