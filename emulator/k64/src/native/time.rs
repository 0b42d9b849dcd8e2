//! Time of instructions in instructions of the native machine: what `timing` computes where nothing misses a cache. What
//! does is done by the handler of the operation that tells the time.
//!
//! The time of a register is not looked at where it must be over: after it was waited for, or so many instructions after
//! one whose result takes less.

use super::assembler::{Label, of_core};
use super::integer::displaced;
use super::state::{NOW, RUNNING_BLOCK, TIMING};
use super::translate::{Rare, Source, Translation};
use crate::engine::operation::Operation;
use crate::registers::{HI, LO, SINK};
use crate::timing::{Class, CodeCosts, StallCause, Timing};
use Register::{EAX, ECX, EDX, RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

/// Returns a place in the model of time.
pub(super) fn of_timing(offset: i64) -> MemoryOperand {
    MemoryOperand::with_base_displ(TIMING, offset)
}

impl Translation<'_> {
    /// Charges the time of the line of instructions at a displacement from the begin of the block.
    pub(super) fn line(&mut self, index: usize, op: &Operation) {
        let Some(costs) = self.mode.costs else { return };
        let (label, back) = (self.out.label(), self.out.label());
        let (offset, line) = costs.caches.fetch(self.block.pc.wrapping_add(op.imm()));
        self.out.load(Code::Mov_r64_rm64, RAX, of_timing(Timing::LINES));
        let place = MemoryOperand::with_base_displ(RAX, offset);
        if let Ok(line) = i32::try_from(line) {
            self.out.store_immediate(Code::Cmp_rm64_imm32, place, line);
        } else {
            self.out.constant(RCX, line);
            self.out.store(Code::Cmp_rm64_r64, place, RCX);
        }
        self.out.jump(Code::Jne_rel32_64, label);
        self.out.bind(back);
        self.rare.push(Rare::Line { label, back, index });
    }

    /// Makes the second line of the set the latest if it is that of the fetch, and goes to `back`; else calls the handler
    /// that charges the time of a line. Behind the block, where RAX has the address of the lines.
    pub(super) fn rare_line(&mut self, index: usize, back: Label) {
        let Some(costs) = self.mode.costs else { return };
        let displacement = self.block.operations[index].imm();
        let (offset, line) = costs.caches.fetch(self.block.pc.wrapping_add(displacement));
        let [first, second] =
            [offset, offset + 8].map(|offset| MemoryOperand::with_base_displ(RAX, offset));
        if costs.caches.instructions.has_second() {
            let other = self.out.label();
            self.out.constant(RCX, line);
            self.out.store(Code::Cmp_rm64_r64, second, RCX);
            self.out.jump(Code::Jne_rel32_64, other);
            self.out.load(Code::Mov_r64_rm64, RDX, first);
            self.out.store(Code::Mov_rm64_r64, first, RCX);
            self.out.store(Code::Mov_rm64_r64, second, RDX);
            self.out.jump(Code::Jmp_rel32_64, back);
            self.out.bind(other);
        }
        self.out.constant(RAX, self.block.pc);
        self.out.store(Code::Mov_rm64_r64, of_core(RUNNING_BLOCK), RAX);
        self.handler(index);
    }

    /// Charges the time of an instruction.
    pub(super) fn time(&mut self, index: usize, op: &Operation, class: Class) {
        let Some(costs) = self.mode.costs else { return };
        self.want([op.a, op.b, op.c]);
        match class {
            Class::Load | Class::Store => self.time_access(index, op, class, &costs),
            _ => self.time_issue(op, class, &costs),
        }
        self.times.n_issued += 1;
    }

    /// Waits for operands.
    fn want(&mut self, sources: [u8; 3]) {
        let mut wanted: Vec<u8> = Vec::new();
        for source in sources {
            if !self.times.is_there(source) && !wanted.contains(&source) {
                wanted.push(source);
            }
        }
        let Some((first, others)) = wanted.split_first() else { return };
        self.out.load(Code::Mov_r64_rm64, RAX, of_timing(Timing::ready_at(*first)));
        for other in others {
            self.out.load(Code::Mov_r64_rm64, RCX, of_timing(Timing::ready_at(*other)));
            self.out.two(Code::Cmp_r64_rm64, RAX, RCX);
            self.out.two(Code::Cmovb_r64_rm64, RAX, RCX);
        }
        self.wait(None);
        wanted.iter().for_each(|source| self.times.set(*source, Some(0)));
    }

    /// Waits for the time in RAX, if it is not over; for operands, if there is no cause.
    fn wait(&mut self, cause: Option<StallCause>) {
        let (label, back) = (self.out.label(), self.out.label());
        self.out.two(Code::Cmp_r64_rm64, RAX, NOW);
        self.out.jump(Code::Ja_rel32_64, label);
        self.out.bind(back);
        self.rare.push(Rare::Wait { label, back, cause });
    }

    /// Waits for the time in RAX, behind the block.
    pub(super) fn rare_wait(&mut self, cause: Option<StallCause>) {
        match cause {
            Some(cause) => self.out.constant(RCX, cause as u64),
            None => {
                // The lowest bit tells whether the value is loaded.
                const { assert!(StallCause::Load as u64 + 1 == StallCause::Operand as u64) };
                self.out.two(Code::Mov_r32_rm32, ECX, EAX);
                self.out.immediate(Code::And_rm32_imm32, ECX, 1);
                self.out.immediate(Code::Xor_rm32_imm32, ECX, 1);
                self.out.immediate(Code::Add_rm32_imm32, ECX, StallCause::Load as i32);
            }
        }
        self.out.jump_to(Code::Call_rel32_64, self.links.wait);
    }

    /// Issues an instruction that does not access memory.
    fn time_issue(&mut self, op: &Operation, class: Class, costs: &CodeCosts) {
        let cost = costs.of_class(class);
        if cost.unit != 0 {
            self.out.load(Code::Mov_r64_rm64, RAX, of_timing(Timing::unit_at(cost.unit)));
            self.wait(Some(StallCause::Unit));
            self.later(cost.repeat, false, costs);
            self.out.store(Code::Mov_rm64_r64, of_timing(Timing::unit_at(cost.unit)), RAX);
        }
        let is_product = matches!(class, Class::Multiply | Class::Divide);
        match op.d {
            SINK if is_product => {
                self.later(cost.latency, false, costs);
                [HI, LO].into_iter().for_each(|half| self.set_ready(half, cost.latency, costs));
            }
            SINK => {}
            // The next instruction issues in another cycle: only an older time is to go.
            target if cost.latency <= 1 && costs.width() == 1 => {
                if !self.times.is_there(target) {
                    let place = of_timing(Timing::ready_at(target));
                    self.out.store_immediate(Code::Mov_rm64_imm32, place, 0);
                    self.times.set(target, Some(0));
                }
            }
            target => {
                self.later(cost.latency, false, costs);
                self.set_ready(target, cost.latency, costs);
            }
        }
        self.out.immediate(Code::Add_rm64_imm8, NOW, 2);
    }

    /// Writes the time in RAX, so many cycles behind the issue of this instruction, to that of a register.
    fn set_ready(&mut self, target: u8, latency: u32, costs: &CodeCosts) {
        self.out.store(Code::Mov_rm64_r64, of_timing(Timing::ready_at(target)), RAX);
        let from = self.times.n_issued + latency * costs.width();
        self.times.set(target, Some(from));
    }

    /// Writes the time so many cycles behind the present one to RAX.
    fn later(&mut self, cycles: u32, is_loaded: bool, costs: &CodeCosts) {
        let more = (cycles << costs.shift) as i32;
        if costs.width() == 1 {
            let more = more - i32::from(!is_loaded);
            self.out.load(Code::Lea_r64_m, RAX, displaced(NOW, more));
            return;
        }
        self.out.load(Code::Lea_r64_m, RAX, displaced(NOW, more));
        self.out.immediate(Code::And_rm64_imm8, RAX, -(1 << costs.shift));
        if is_loaded {
            self.out.immediate(Code::Or_rm64_imm8, RAX, 1);
        }
    }

    /// Issues a load or a store: its line is looked for in the cache of data.
    fn time_access(&mut self, index: usize, op: &Operation, class: Class, costs: &CodeCosts) {
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        self.address_to_rax(op);
        match Self::source(op.c) {
            Source::Register(c) => self.out.two(Code::Add_r64_rm64, RAX, c),
            Source::Memory(c) => self.out.load(Code::Add_r64_rm64, RAX, c),
            Source::Zero => {}
        }
        self.line_to_rcx(rare, costs);
        let cache = costs.caches.data;
        self.out.two(Code::Mov_r32_rm32, EDX, ECX);
        self.out.immediate(Code::And_rm32_imm32, EDX, cache.mask as i32);
        self.out.two_shift(Code::Shl_rm32_imm8, EDX, cache.set_shift);
        self.out.load(Code::Add_r64_rm64, RDX, of_timing(Timing::LINES + 8));
        // Twice the number, but for the bit that tells whether the line was written.
        self.out.two(Code::Add_r64_rm64, RCX, RCX);
        if !self.mode.is_machine {
            self.out.two_shift(Code::Bts_rm64_imm8, RCX, 62 - costs.caches.line_shift);
        }
        let latest = MemoryOperand::with_base(RDX);
        self.out.load(Code::Xor_r64_rm64, RCX, latest);
        self.out.immediate(Code::Cmp_rm64_imm8, RCX, 1);
        let found = self.out.label();
        if cache.has_second() {
            let label = self.out.label();
            self.out.jump(Code::Ja_rel32_64, label);
            self.rare.push(Rare::SecondLine { label, found, rare });
        } else {
            self.out.jump(Code::Ja_rel32_64, rare);
        }
        self.out.bind(found);
        if class == Class::Store {
            self.out.store_immediate(Code::Or_rm64_imm8, latest, 1);
        }
        if op.d != SINK {
            self.later(costs.load, true, costs);
            self.out.store(Code::Mov_rm64_r64, of_timing(Timing::ready_at(op.d)), RAX);
            self.times.set(op.d, None);
        }
        self.out.immediate(Code::Add_rm64_imm8, NOW, 2);
        self.out.bind(back);
    }

    /// Makes the second line of the set at RDX the latest if it is that of the access, else goes to `rare`; RCX has the
    /// bits in which the latest line differs from that of the access. Behind the block.
    pub(super) fn rare_second_line(&mut self, found: Label, rare: Label) {
        let (first, second) = (MemoryOperand::with_base(RDX), displaced(RDX, 8));
        self.out.load(Code::Mov_r64_rm64, RAX, second);
        self.out.load(Code::Xor_r64_rm64, RCX, first);
        self.out.two(Code::Xor_r64_rm64, RCX, RAX);
        self.out.immediate(Code::Cmp_rm64_imm8, RCX, 1);
        self.out.jump(Code::Ja_rel32_64, rare);
        self.out.load(Code::Mov_r64_rm64, RCX, first);
        self.out.store(Code::Mov_rm64_r64, first, RAX);
        self.out.store(Code::Mov_rm64_r64, second, RCX);
        self.out.jump(Code::Jmp_rel32_64, found);
    }

    /// Writes the number of the line of the address in RAX to RCX, without the bit that tells that the address is mapped;
    /// goes to `rare` with addresses of other segments than those that programs use most.
    fn line_to_rcx(&mut self, rare: Label, costs: &CodeCosts) {
        /// Bits of an address within the segment of a kernel that is not mapped.
        const SEGMENT: u32 = 29;
        let shift = costs.caches.line_shift;
        self.out.two(Code::Mov_r64_rm64, RCX, RAX);
        if self.mode.is_machine {
            self.out.two_shift(Code::Sar_rm64_imm8, RCX, SEGMENT);
            self.out.immediate(Code::Cmp_rm64_imm8, RCX, -4);
            self.out.jump(Code::Jne_rel32_64, rare);
            self.out.two(Code::Mov_r32_rm32, ECX, EAX);
            self.out.immediate(Code::And_rm32_imm32, ECX, (1 << SEGMENT) - 1);
            self.out.two_shift(Code::Shr_rm32_imm8, ECX, shift);
        } else {
            self.out.two_shift(Code::Shr_rm64_imm8, RCX, 40);
            self.out.jump(Code::Jne_rel32_64, rare);
            self.out.two(Code::Mov_r64_rm64, RCX, RAX);
            self.out.two_shift(Code::Shr_rm64_imm8, RCX, shift);
        }
    }

    /// Charges the cycles of a branch that is taken.
    pub(super) fn redirect(&mut self) {
        let Some(costs) = self.mode.costs.filter(|costs| costs.branch > 0) else { return };
        let more = (costs.branch << costs.shift) as i32;
        if costs.width() > 1 {
            // The cycle ends, if something has issued in it.
            self.out.immediate(Code::Add_rm64_imm8, NOW, 2 * (costs.width() as i32 - 1));
            self.out.immediate(Code::And_rm64_imm8, NOW, -(1 << costs.shift));
            self.out.immediate(Code::Add_rm64_imm32, NOW, more + 1);
        } else {
            self.out.immediate(Code::Add_rm64_imm32, NOW, more);
        }
        let stalled = of_timing(Timing::stalled_at(StallCause::Branch));
        self.out.store_immediate(Code::Add_rm64_imm32, stalled, costs.branch as i32);
    }
}
