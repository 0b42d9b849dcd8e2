//! Loads and stores of parts of unaligned values in instructions of the native machine: the aligned word or doubleword
//! that has the part is loaded, or loaded and stored again. Two that complete each other are one access of the native
//! machine.

use super::access::Address;
use super::assembler::{Label, low};
use super::state::{MEMORY, held};
use super::translate::Translation;
use crate::engine::block::Role;
use crate::engine::operation::Operation;
use crate::isa::Operation as Op;
use crate::memory::{MAY_LOAD, MAY_STORE};
use Register::{EAX, EDX, RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

/// Part of an unaligned value: its size, and which part.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    is_double: bool,
    is_store: bool,
    /// Whether the part is that from the address on; else that up to it.
    is_left: bool,
}

const fn part(kind: Op) -> Option<Part> {
    let (is_double, is_store, is_left) = match kind {
        Op::Lwl => (false, false, true),
        Op::Lwr => (false, false, false),
        Op::Ldl => (true, false, true),
        Op::Ldr => (true, false, false),
        Op::Swl => (false, true, true),
        Op::Swr => (false, true, false),
        Op::Sdl => (true, true, true),
        Op::Sdr => (true, true, false),
        _ => return None,
    };
    Some(Part { is_double, is_store, is_left })
}

impl Part {
    /// Displacement of the part on the right from that on the left of the same value.
    const fn reach(self) -> i32 {
        if self.is_double { 7 } else { 3 }
    }

    const fn right(self) -> u8 {
        if self.is_store { MAY_STORE } else { MAY_LOAD }
    }

    /// Returns a register of the native machine by the size of the value.
    fn of(self, register: Register) -> Register {
        if self.is_double { register } else { low(register) }
    }

    /// Returns the code for the size of the value.
    fn code(self, word: Code, double: Code) -> Code {
        if self.is_double { double } else { word }
    }
}

impl Translation<'_> {
    /// Translates two operations on the parts of one value; false if the operation and the next are none.
    pub(super) fn unaligned_pair(&mut self, index: usize) -> bool {
        let of = |at: usize| {
            let kind = self.block.origins.get(at).map(|origin| origin.role);
            let Some(Role::Effect(kind)) = kind else { return None };
            Some((part(kind)?, self.block.operations[at]))
        };
        if !self.mode.is_flat {
            return false;
        }
        let (Some((part, a)), Some((other, b))) = (of(index), of(index + 1)) else { return false };
        let is_pair = part.is_double == other.is_double
            && part.is_store == other.is_store
            && part.is_left != other.is_left
            && (a.a, a.b, a.d) == (b.a, b.b, b.d)
            && (part.is_store || a.a != a.d);
        let (left, right) = if part.is_left { (a, b) } else { (b, a) };
        if !is_pair || right.imm - left.imm != part.reach() {
            return false;
        }
        // The rest of the block by handlers: few values are on two pages.
        let rare = self.rest_by_handlers(index);
        self.address_to_rax(&left);
        self.out.two(Code::Mov_r32_rm32, EDX, EAX);
        self.out.immediate(Code::And_rm32_imm32, EDX, 4095);
        self.out.immediate(Code::Cmp_rm32_imm32, EDX, 4095 - part.reach());
        self.out.jump(Code::Ja_rel32_64, rare);
        self.look_at_rights(Address::RAX, 0, part.right(), rare);
        let place = MemoryOperand::with_base_index(MEMORY, RAX);
        if part.is_store {
            let value = self.read(left.b, RCX);
            let code = part.code(Code::Movbe_m32_r32, Code::Movbe_m64_r64);
            self.out.store(code, place, part.of(value));
        } else {
            let to = held(left.d).unwrap_or(RCX);
            self.out.load(part.code(Code::Movbe_r32_m32, Code::Movbe_r64_m64), part.of(to), place);
            if part.is_double {
                self.write(left.d, to);
            } else {
                self.write_word(left.d, to);
            }
        }
        true
    }

    /// Translates an operation on a part of a value; false if it is none.
    pub(super) fn unaligned(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        let Some(part) = part(kind) else { return false };
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        self.find(op, part, rare);
        let place = self.place(Address::RAX);
        let load = part.code(Code::Movbe_r32_m32, Code::Movbe_r64_m64);
        let (to_left, to_right) = (
            part.code(Code::VEX_Shlx_r32_rm32_r32, Code::VEX_Shlx_r64_rm64_r64),
            part.code(Code::VEX_Shrx_r32_rm32_r32, Code::VEX_Shrx_r64_rm64_r64),
        );
        let [rax, rcx, rdx] = [RAX, RCX, RDX].map(|register| part.of(register));
        let andn = part.code(Code::VEX_Andn_r32_r32_rm32, Code::VEX_Andn_r64_r64_rm64);
        let or = part.code(Code::Or_r32_rm32, Code::Or_r64_rm64);
        // Loads move the part to its place in the register, stores to its place in memory.
        let shift = if part.is_left == part.is_store { to_right } else { to_left };
        if part.is_store {
            // RAX stays the address: the mask is made in a register of the guest's that is put back.
            let value = self.read(op.b, RCX);
            self.out.three(shift, [rcx, part.of(value), rdx]);
            self.out.one(Code::Push_r64, Register::RBX);
            let rbx = part.of(Register::RBX);
            self.out.immediate(part.code(Code::Mov_rm32_imm32, Code::Mov_rm64_imm32), rbx, -1);
            self.out.three(shift, [rbx, rbx, rdx]);
            self.out.load(load, rdx, place);
            self.out.three(andn, [rdx, rbx, rdx]);
            self.out.one(Code::Pop_r64, Register::RBX);
            self.out.two(or, rcx, rdx);
            let store = part.code(Code::Movbe_m32_r32, Code::Movbe_m64_r64);
            self.out.store(store, place, rcx);
        } else {
            self.out.load(load, rcx, place);
            self.out.three(shift, [rcx, rcx, rdx]);
            self.out.immediate(part.code(Code::Mov_rm32_imm32, Code::Mov_rm64_imm32), rax, -1);
            self.out.three(shift, [rax, rax, rdx]);
            let old = self.read(op.b, RDX);
            self.out.three(andn, [rax, rax, part.of(old)]);
            self.out.two(or, rcx, rax);
            if part.is_double {
                self.write(op.d, RCX);
            } else {
                self.write_word(op.d, RCX);
            }
        }
        self.out.bind(back);
        true
    }

    /// Writes the place of the aligned value to RAX, and to EDX by how many bits the part is moved.
    fn find(&mut self, op: &Operation, part: Part, rare: Label) {
        let reach = part.reach();
        self.address_to_rax(op);
        if self.mode.is_flat {
            self.out.load(Code::Lea_r32_m, EDX, scaled(RAX));
            self.out.immediate(Code::And_rm64_imm8, RAX, !reach);
            self.out.immediate(Code::And_rm32_imm32, EDX, 8 * reach);
            if !part.is_left {
                self.out.immediate(Code::Xor_rm32_imm32, EDX, 8 * reach);
            }
            self.look_at_rights(Address::RAX, 0, part.right(), rare);
            return;
        }
        self.out.immediate(Code::And_rm64_imm8, RAX, !reach);
        self.find_page(0, part.right(), rare);
        self.read_to(RDX, op.a);
        self.out.immediate(Code::Add_rm32_imm32, EDX, op.imm);
        self.out.two_shift(Code::Shl_rm32_imm8, EDX, 3);
        self.out.immediate(Code::And_rm32_imm32, EDX, 8 * reach);
        if !part.is_left {
            self.out.immediate(Code::Xor_rm32_imm32, EDX, 8 * reach);
        }
    }
}

/// Returns eight times a register, as an address.
fn scaled(register: Register) -> MemoryOperand {
    MemoryOperand::with_index_scale_displ_size(register, 8, 0, 8)
}
