//! Loads and stores in instructions of the native machine. Each looks at the rights of its page first, or for its page
//! in the table of translations; what has none, is not aligned, or lies beyond all pages is done by the handler.

use super::assembler::{Label, guest, low, of_core};
use super::form::form;
use super::integer::displaced;
use super::state::{BASE, MEMORY, TABLES, held};
use super::translate::{Source, Translation};
use crate::engine::operation::Operation;
use crate::isa::Operation as Op;
use crate::memory::{ENTRIES, MAY_LOAD};
use Register::{CX, EAX, ECX, RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

/// Logarithm of the number of bytes of a page.
const PAGE_BITS: u32 = 12;

/// Address of an access on the native machine's side: a register that has a base, and a displacement.
#[derive(Clone, Copy)]
pub(super) struct Address {
    base: Register,
    displacement: i32,
}

impl Address {
    /// The address in RAX.
    pub(super) const RAX: Self = Self { base: RAX, displacement: 0 };

    /// Returns the place in memory whose pages stand by their addresses, once its page has been looked at.
    fn flat(self) -> MemoryOperand {
        let displacement = self.displacement.into();
        MemoryOperand::with_base_index_scale_displ_size(MEMORY, self.base, 1, displacement, 1)
    }
}

impl Translation<'_> {
    /// Translates a load or a store; false if it is none, or one that is left to its handler.
    pub(super) fn access(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        let Some(form) = form(kind) else { return self.unaligned(index, op, kind) };
        let back = self.out.label();
        let at;
        if !self.mode.is_flat {
            let rare = self.by_handler(index, back);
            if form.is_indexed {
                self.indexed_address(op);
            } else {
                self.address_to_rax(op);
            }
            self.find_page(form.bits, form.right, rare);
            at = Address::RAX;
        } else if !form.is_indexed && self.is_in_reach(index, op, form) {
            at = self.displaced_address(op);
        } else {
            let rare = self.by_handler(index, back);
            at =
                if form.is_indexed { self.indexed_address(op) } else { self.displaced_address(op) };
            self.look_at_rights(at, form.bits, form.right, rare);
        }
        if form.right == MAY_LOAD {
            self.load(op, kind, self.place(at));
        } else {
            self.store(op, form.bits, self.place(at));
        }
        self.out.bind(back);
        true
    }

    /// Returns the place of an access in memory, once its page has been looked at or found.
    pub(super) fn place(&self, at: Address) -> MemoryOperand {
        if self.mode.is_flat { at.flat() } else { MemoryOperand::with_base(RAX) }
    }

    /// Finds the page of the address in RAX by the table of translations, and writes the address on the native machine to
    /// RAX; goes to `rare` if the table does not have the page, or the address is not a multiple of the size.
    pub(super) fn find_page(&mut self, bits: u32, right: u8, rare: Label) {
        const ENTRY_BITS: u32 = 4;
        let table = TABLES + if right == MAY_LOAD { 0 } else { 8 };
        let within_page = (1 << PAGE_BITS) - 1;
        self.out.two(Code::Mov_r32_rm32, ECX, EAX);
        self.out.two_shift(Code::Shr_rm32_imm8, ECX, PAGE_BITS - ENTRY_BITS);
        let last = (ENTRIES as i32 - 1) << ENTRY_BITS;
        self.out.immediate(Code::And_rm32_imm32, ECX, last);
        self.out.load(Code::Add_r64_rm64, RCX, of_core(table));
        self.out.two(Code::Mov_r64_rm64, RDX, RAX);
        // A bit of an address that is not aligned is none of a page's address.
        self.out.immediate(Code::And_rm64_imm32, RDX, !within_page | ((1 << bits) - 1));
        self.out.store(Code::Cmp_rm64_r64, MemoryOperand::with_base(RCX), RDX);
        self.out.jump(Code::Jne_rel32_64, rare);
        self.out.immediate(Code::And_rm32_imm32, EAX, within_page);
        self.out.load(Code::Add_r64_rm64, RAX, displaced(RCX, 8));
        self.out.load(Code::Add_r64_rm64, RAX, of_core(BASE));
    }

    /// Writes the address of an access with a displacement to RAX.
    pub(super) fn address_to_rax(&mut self, op: &Operation) {
        let Address { base, displacement } = self.displaced_address(op);
        match (base == RAX, displacement) {
            (true, 0) => {}
            (true, _) => self.out.immediate(Code::Add_rm64_imm32, RAX, displacement),
            (false, 0) => self.out.two(Code::Mov_r64_rm64, RAX, base),
            (false, _) => self.out.load(Code::Lea_r64_m, RAX, displaced(base, displacement)),
        }
    }

    /// Returns the address of an access with a displacement, whose base is in RAX if no register holds it.
    fn displaced_address(&mut self, op: &Operation) -> Address {
        let base = self.read(op.a, RAX);
        Address { base, displacement: op.imm }
    }

    /// Writes the address of an access with an index to RAX.
    fn indexed_address(&mut self, op: &Operation) -> Address {
        self.read_to(RAX, op.a);
        match Self::source(op.c) {
            Source::Register(c) => self.out.two(Code::Add_r64_rm64, RAX, c),
            Source::Memory(c) => self.out.load(Code::Add_r64_rm64, RAX, c),
            Source::Zero => {}
        }
        Address::RAX
    }

    /// Looks at the rights of the page of an address, and goes to `rare` if the access is not allowed there. One that is
    /// not a multiple of its size is beyond all pages when it has been rotated.
    pub(super) fn look_at_rights(&mut self, at: Address, bits: u32, right: u8, rare: Label) {
        let Address { base, displacement } = at;
        let mut from = base;
        if displacement != 0 {
            self.out.load(Code::Lea_r64_m, RCX, displaced(base, displacement));
            from = RCX;
        }
        if bits > 0 {
            self.out.two_immediate(Code::VEX_Rorx_r64_rm64_imm8, [RCX, from], bits);
        } else if from != RCX {
            self.out.two(Code::Mov_r64_rm64, RCX, from);
        }
        self.out.two_shift(Code::Shr_rm64_imm8, RCX, PAGE_BITS - bits);
        self.look_at_page(RCX, right, rare);
    }

    fn load(&mut self, op: &Operation, kind: Op, from: MemoryOperand) {
        let to = held(op.d).unwrap_or(RCX);
        match kind {
            Op::Lb => self.out.load(Code::Movsx_r64_rm8, to, from),
            Op::Lbu => self.out.load(Code::Movzx_r32_rm8, low(to), from),
            Op::Lh | Op::Lhu => {
                self.out.load(Code::Movzx_r32_rm16, ECX, from);
                self.out.one(Code::Bswap_r32, ECX);
                let shift = if kind == Op::Lh { Code::Sar_rm32_imm8 } else { Code::Shr_rm32_imm8 };
                self.out.two_shift(shift, ECX, 16);
                self.out.two(Code::Movsxd_r64_rm32, to, ECX);
            }
            Op::Lw => {
                self.out.load(Code::Movbe_r32_m32, low(to), from);
                self.out.two(Code::Movsxd_r64_rm32, to, low(to));
            }
            Op::Lwu => self.out.load(Code::Movbe_r32_m32, low(to), from),
            Op::Lwc1 | Op::Lwxc1 => {
                self.out.load(Code::Movbe_r32_m32, ECX, from);
                self.out.store(Code::Mov_rm32_r32, guest(op.d), ECX);
                return;
            }
            _ => self.out.load(Code::Movbe_r64_m64, to, from),
        }
        self.write(op.d, to);
    }

    fn store(&mut self, op: &Operation, bits: u32, to: MemoryOperand) {
        let value = self.read(op.b, RCX);
        match bits {
            0 => {
                self.out.two(Code::Mov_r32_rm32, ECX, low(value));
                self.out.store(Code::Mov_rm8_r8, to, Register::CL);
            }
            1 => {
                self.out.two(Code::Mov_r32_rm32, ECX, low(value));
                self.out.store(Code::Movbe_m16_r16, to, CX);
            }
            2 => self.out.store(Code::Movbe_m32_r32, to, low(value)),
            _ => self.out.store(Code::Movbe_m64_r64, to, value),
        }
    }
}
