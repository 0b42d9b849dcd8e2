//! Which bytes around a register of the guest translated code may reach without a look at the rights of their pages.
//!
//! Accesses of a block by one base, such as those of the parts of a structure, are looked at together before the first
//! of them. If they are on two pages, both are looked at. Where that fails, the rest of the block is done by handlers.

use super::assembler::{Label, low};
use super::form::{Form, form};
use super::integer::displaced;
use super::reach::{Reach, SecondPage, is_multiple};
use super::state::MEMORY;
use super::translate::Translation;
use crate::engine::block::Role;
use crate::engine::operation::Operation;
use crate::memory::{FLAT_PAGES, MAY_STORE};
use Register::{RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

impl Translation<'_> {
    /// Whether an access needs no look at the rights of its page, because it has been looked at with others; those that
    /// come behind it are looked at with it.
    pub(super) fn is_in_reach(&mut self, index: usize, op: &Operation, form: Form) -> bool {
        if self.reaches.iter().any(|reach| reach.covers(op, form)) {
            return true;
        }
        let Some(reach) = self.reach_from(index, op, form) else { return false };
        self.look_at_reach(index, op, &reach);
        self.reaches.push(reach);
        true
    }

    /// Forgets what is known of the values of registers that an operation writes.
    pub(super) fn forget_reaches(&mut self, op: &Operation) {
        self.reaches.retain(|reach| reach.base != op.d);
    }

    /// Returns the reach of an access and of those behind it by the same base; `None` if there are none. Loads behind a
    /// branch are among them, and may not be done; stores are not, since they want more rights.
    fn reach_from(&self, index: usize, op: &Operation, leader: Form) -> Option<Reach> {
        if !is_multiple(op.imm, leader.bits) {
            return None;
        }
        let (mut reach, mut is_alone, mut is_behind_branch) = (Reach::of(op, leader), true, false);
        let mut written = op.d;
        let rest = self.block.operations.iter().zip(&self.block.origins).skip(index + 1);
        for (other, origin) in rest {
            if written == op.a {
                break;
            }
            written = other.d;
            let Role::Effect(kind) = origin.role else {
                is_behind_branch |= matches!(origin.role, Role::Branch(_));
                continue;
            };
            let Some(form) = form(kind).filter(|form| !form.is_indexed) else { continue };
            let is_fit = other.a == op.a
                && is_multiple(other.imm, form.bits)
                && !(is_behind_branch && form.right == MAY_STORE);
            if let (true, Some(wider)) = (is_fit, reach.with(other, form)) {
                (reach, is_alone) = (wider, false);
            }
        }
        (!is_alone).then_some(reach)
    }

    fn look_at_reach(&mut self, index: usize, op: &Operation, reach: &Reach) {
        let rare = self.rest_by_handlers(index);
        let (label, back) = (self.out.label(), self.out.label());
        let base = self.read(op.a, RAX);
        if reach.alignment > 0 {
            let mask = (1 << reach.alignment) - 1;
            self.out.immediate(Code::Test_rm32_imm32, low(base), mask);
            self.out.jump(Code::Jne_rel32_64, rare);
        }
        self.out.load(Code::Lea_r64_m, RCX, displaced(base, reach.first));
        self.out.load(Code::Lea_r64_m, RDX, displaced(base, reach.last));
        self.out.two_shift(Code::Shr_rm64_imm8, RCX, 12);
        self.out.two_shift(Code::Shr_rm64_imm8, RDX, 12);
        self.look_at_page(RCX, reach.right, rare);
        self.out.two(Code::Cmp_r64_rm64, RCX, RDX);
        self.out.jump(Code::Jne_rel32_64, label);
        self.out.bind(back);
        self.ask_second(SecondPage { label, back, rare, right: reach.right });
    }

    /// Goes to `rare` if the page whose number is in a register has not this right.
    pub(super) fn look_at_page(&mut self, page: Register, right: u8, rare: Label) {
        self.out.immediate(Code::Cmp_rm64_imm32, page, FLAT_PAGES as i32);
        self.out.jump(Code::Jae_rel32_64, rare);
        let before = -(FLAT_PAGES as i64);
        let rights = MemoryOperand::with_base_index_scale_displ_size(MEMORY, page, 1, before, 1);
        self.out.store_immediate(Code::Test_rm8_imm8, rights, right.into());
        self.out.jump(Code::Je_rel32_64, rare);
    }

    /// Writes the look at a second page, behind the block.
    pub(super) fn second_page(&mut self, second: &SecondPage) {
        self.out.bind(second.label);
        self.look_at_page(RDX, second.right, second.rare);
        self.out.jump(Code::Jmp_rel32_64, second.back);
    }
}
