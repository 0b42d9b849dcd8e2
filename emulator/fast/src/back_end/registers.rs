//! Allocation of vector registers: which value is in which of them, and where the others stand.

use super::assembler::{Assembler, LOAD, Operand, STORE, Unencodable, memory};
use super::uses::{NEVER, Pinned};
use crate::abi::context::{SPILLS, spill_at, spill_number};
use crate::analysis::dependence::Store;
use crate::back_end::encoding::ymm;
use crate::ir::instruction::{Base, Home, Ins, Value};
use iced_x86::{Code, Instruction, MemoryOperand};

impl Assembler {
    pub(super) fn next_use(&self, value: Value) -> u32 {
        self.uses.next(value)
    }

    /// Returns a register below `limit` that is not among `pinned`; the value that it held is put aside if it is needed
    /// later.
    pub(super) fn register(&mut self, pinned: &Pinned, limit: u8) -> Result<u8, Unencodable> {
        let mut best = (0, 0);
        for r in 0..limit {
            if pinned.contains(r) {
                continue;
            }
            let Some(value) = self.held[usize::from(r)] else { return Ok(r) };
            let next = self.next_use(value);
            if next >= best.0 {
                best = (next, r);
            }
        }
        let register = best.1;
        let Some(value) = self.held[usize::from(register)].take() else { return Ok(register) };
        self.place[value as usize] = None;
        if best.0 == NEVER || self.homes[value as usize].is_some() {
            return Ok(register);
        }
        let free = |r: &u8| self.held[usize::from(*r)].is_none() && !pinned.contains(*r);
        if let Some(other) = (limit..self.registers).find(free) {
            self.emit(&Instruction::with2(
                Code::EVEX_Vmovups_ymm_k1z_ymmm256,
                ymm(other),
                ymm(register),
            )?)?;
            self.hold(other, value);
            return Ok(register);
        }
        if let Some(home) = self.store_early(register, value)? {
            self.homes[value as usize] = Some(home);
            return Ok(register);
        }
        let slot = self.spills.free.pop().unwrap_or_else(|| {
            self.spills.n += 1;
            self.spills.n - 1
        });
        if slot as usize >= SPILLS {
            return Err(Unencodable);
        }
        let home = Home::Context(spill_at(slot));
        self.homes[value as usize] = Some(home);
        self.store(memory(home), register)?;
        Ok(register)
    }

    /// Does the store of a value that is put aside now, if that is its next use and nothing before the store's turn reads or
    /// writes the place. Returns the home of the value then.
    pub(super) fn store_early(
        &mut self,
        register: u8,
        value: Value,
    ) -> Result<Option<Home>, Unencodable> {
        let turn = self.next_use(value);
        let Some(Store { home, earliest }) = self.order.store(turn) else { return Ok(None) };
        let is_home =
            |v: &Value| self.homes[*v as usize].is_some_and(|h| self.order.overlap(h, home));
        let in_use = match home {
            Home::Context(place) => {
                let first = self.standing.partition_point(|&(other, _)| other < place);
                let there = self.standing[first..].iter().take_while(|&&(at, _)| at == place);
                there.into_iter().any(|&(_, v)| self.next_use(v) != NEVER)
            }
            _ => self.lazy.iter().any(|v| self.next_use(*v) != NEVER && is_home(v)),
        };
        let is_read = self.step.reads.iter().any(|&read| self.order.overlap(read, home));
        if earliest > self.step.now || in_use || is_read {
            return Ok(None);
        }
        self.store(memory(home), register)?;
        self.step.is_done[turn as usize] = true;
        if let Home::Memory(..) = home {
            self.lazy.push(value);
        }
        Ok(Some(home))
    }

    /// Brings the values into registers whose home a store is about to change.
    pub(super) fn fetch_before(
        &mut self,
        base: Base,
        displacement: i32,
    ) -> Result<(), Unencodable> {
        let target = match base {
            Base::At(register) => Some(Home::Memory(register, displacement)),
            Base::Word => None,
            _ => return Ok(()),
        };
        let changes = |home| target.is_none_or(|target| self.order.overlap(home, target));
        let is_wanted =
            |v: &Value| self.next_use(*v) != NEVER && self.homes[*v as usize].is_some_and(changes);
        // All stay among those that wait until each is in a register: what is put aside meanwhile may be stored early, and
        // must not reach the others either.
        let wanted: Vec<Value> = self.lazy.iter().copied().filter(is_wanted).collect();
        for value in wanted {
            if self.place[value as usize].is_none() {
                self.in_register(value, &mut Pinned::default(), self.registers)?;
            }
            self.homes[value as usize] = None;
        }
        let (homes, uses) = (&self.homes, &self.uses);
        self.lazy.retain(|&v| {
            matches!(homes[v as usize], Some(Home::Memory(..))) && uses.next(v) != NEVER
        });
        Ok(())
    }

    pub(super) fn hold(&mut self, register: u8, value: Value) {
        self.held[usize::from(register)] = Some(value);
        self.place[value as usize] = Some(register);
    }

    pub(super) fn load(&mut self, register: u8, from: MemoryOperand) -> Result<(), Unencodable> {
        let code = self.formed(LOAD, &[register], Some(&from))?;
        self.emit(&Instruction::with2(code, ymm(register), from)?)
    }

    pub(super) fn store(&mut self, to: MemoryOperand, register: u8) -> Result<(), Unencodable> {
        let code = self.formed(STORE, &[register], Some(&to))?;
        self.emit(&Instruction::with2(code, to, ymm(register))?)
    }

    /// Brings a value into a register below `limit`.
    pub(super) fn in_register(
        &mut self,
        value: Value,
        pinned: &mut Pinned,
        limit: u8,
    ) -> Result<u8, Unencodable> {
        let register = match self.place[value as usize] {
            Some(register) if register < limit => register,
            Some(high) => {
                let mut others = *pinned;
                others.push(high);
                let register = self.register(&others, limit)?;
                let code = Code::EVEX_Vmovups_ymm_k1z_ymmm256;
                self.emit(&Instruction::with2(code, ymm(register), ymm(high))?)?;
                self.held[usize::from(high)] = None;
                self.hold(register, value);
                register
            }
            None => {
                let register = self.register(pinned, limit)?;
                let home = self.homes[value as usize].ok_or(Unencodable)?;
                self.load(register, memory(home))?;
                self.hold(register, value);
                register
            }
        };
        pinned.push(register);
        Ok(register)
    }

    /// Returns the register or the place in memory where an operand is that may be in either.
    pub(super) fn anywhere(
        &mut self,
        value: Value,
        pinned: &mut Pinned,
        limit: u8,
    ) -> Result<Operand, Unencodable> {
        if self.place[value as usize].is_none()
            && let Some(home) = self.homes[value as usize]
        {
            self.step.reads.push(home);
            return Ok(Operand::Memory(memory(home)));
        }
        self.in_register(value, pinned, limit).map(Operand::Register)
    }

    /// Counts this step's uses down and frees what is not used again.
    pub(super) fn release(&mut self, step: &Ins) {
        step.for_each_source(|value| {
            if self.uses.next_use(value, self.step.now) != NEVER {
                return;
            }
            let v = value as usize;
            if let Some(register) = self.place[v].take() {
                self.held[usize::from(register)] = None;
            }
            if let Some(Home::Context(home)) = self.homes[v]
                && let Some(number) = spill_number(home)
            {
                self.homes[v] = None;
                self.spills.freed.push(number);
            }
        });
    }

    /// Gives the result of a step a register, after its operands have been released.
    pub(super) fn result(
        &mut self,
        step: &Ins,
        d: Value,
        keep: &Pinned,
        limit: u8,
    ) -> Result<u8, Unencodable> {
        self.release(step);
        let register = self.register(keep, limit)?;
        if self.next_use(d) != NEVER {
            self.hold(register, d);
        }
        Ok(register)
    }
}
