//! Which bytes around a register of the guest translated code may reach without a look at the rights of their pages.
//!
//! Accesses of a block by one base, such as those of the parts of a structure, are looked at together before the first
//! of them. If they are on two pages, both are looked at. Where that fails, the rest of the block is done by handlers.

use super::access::{Form, form};
use super::assembler::{Label, low};
use super::integer::displaced;
use super::state::MEMORY;
use super::translate::Translation;
use crate::engine::{Operation, Role};
use crate::memory::{FLAT_PAGES, MAY_BOTH, MAY_STORE};
use Register::{RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

/// Most bytes from the first to the last of accesses that are looked at together: then they are on two pages at most.
const REACH: i32 = 4096;

/// Bytes around the value of a register of the guest, whose pages have a right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Register of the guest.
    base: u8,
    /// Displacements of the first and the last byte.
    first: i32,
    last: i32,
    right: u8,
    /// Logarithm of a number of which the value of the register is a multiple.
    alignment: u32,
}

impl Reach {
    fn of(op: &Operation, form: Form) -> Self {
        Self {
            base: op.a,
            first: op.imm,
            last: op.imm + (1 << form.bits) - 1,
            right: form.right,
            alignment: form.bits,
        }
    }

    /// Whether an access needs no look.
    fn covers(&self, op: &Operation, form: Form) -> bool {
        let one = Self::of(op, form);
        self.base == one.base
            && self.first <= one.first
            && one.last <= self.last
            && (self.right == one.right || self.right == MAY_BOTH)
            && one.alignment <= self.alignment
            && is_multiple(op.imm, form.bits)
    }

    /// Returns the reach of this and an access; `None` if it would be too long.
    fn with(&self, op: &Operation, form: Form) -> Option<Self> {
        let one = Self::of(op, form);
        let both = Self {
            base: self.base,
            first: self.first.min(one.first),
            last: self.last.max(one.last),
            right: if self.right == one.right { self.right } else { MAY_BOTH },
            alignment: self.alignment.max(one.alignment),
        };
        (both.last - both.first < REACH).then_some(both)
    }
}

/// Whether a displacement is a multiple of the size with this logarithm.
const fn is_multiple(displacement: i32, bits: u32) -> bool {
    displacement & ((1 << bits) - 1) == 0
}

/// Second page of a reach, which is looked at behind the block.
pub(super) struct SecondPage {
    pub(super) label: Label,
    pub(super) back: Label,
    pub(super) rare: Label,
    pub(super) right: u8,
}

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
