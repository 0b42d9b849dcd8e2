//! Operations of coprocessor 0. They are done alone, so that what they change holds from the next instruction on;
//! `b` is rt, `c` the register, the immediate the word.

use super::operation::{Exit, Operation, next, stop};
use crate::core::Cpu;
use crate::cp0::{Cp0, status};
use crate::exception::Exception;

/// Lets an operation of a coprocessor be done, if it is there and the core is at its cycle.
pub(super) fn admit(core: &mut Cpu, unit: u8) -> Result<(), Exception> {
    match (core.has(unit), core.running.is_alone) {
        (false, _) => Err(Exception::Coprocessor(unit)),
        (true, false) => Err(Exception::Outside),
        (true, true) => {
            core.running.has_reached = true;
            Ok(())
        }
    }
}

macro_rules! operations {
    ($($name:ident = |$cp0:ident, $core:ident, $op:ident| $body:expr;)*) => {$(
        pub(super) fn $name($core: &mut Cpu, $op: &Operation, rest: &[Operation]) -> Exit {
            if let Err(exception) = admit($core, 0) {
                return stop($core, rest, exception);
            }
            // The registers are taken out while they are used beside the rest of the core.
            let Some(mut privileged) = $core.privileged.take() else { return next($core, rest) };
            let $cp0 = &mut privileged.cp0;
            $body;
            $core.privileged = Some(privileged);
            next($core, rest)
        }
    )*};
}

operations! {
    mfc0 = |cp0, core, op| core.registers[op.d] = read(cp0, core, op) as i32 as u64;
    dmfc0 = |cp0, core, op| core.registers[op.d] = read(cp0, core, op);
    mtc0 = |cp0, core, op| write(cp0, core, op, core.registers[op.b] as i32 as u64);
    dmtc0 = |cp0, core, op| write(cp0, core, op, core.registers[op.b]);
    di = |cp0, core, op| core.registers[op.d] = cp0.enable(false);
    ei = |cp0, core, op| core.registers[op.d] = cp0.enable(true);
    tlbr = |cp0, core, _op| {
        let (number, _) = cp0.entry();
        if let Some(mmu) = core.memory.mmu() {
            cp0.set_entry(mmu.entry(number));
        }
        core.memory.change_mmu(false, |mmu| cp0.set_mmu(mmu));
    };
    tlbwi = |cp0, core, _op| {
        let (number, entry) = cp0.entry();
        core.memory.change_mmu(true, |mmu| mmu.set_entry(number, entry));
    };
    tlbwr = |cp0, core, _op| {
        let (number, (_, entry)) = (cp0.random(core.cycle()), cp0.entry());
        core.memory.change_mmu(true, |mmu| mmu.set_entry(number, entry));
    };
    tlbp = |cp0, core, _op| {
        let (pair, space) = cp0.wanted();
        cp0.set_index(core.memory.mmu().and_then(|mmu| mmu.probe(pair, space)));
    };
    wait = |cp0, _core, _op| cp0.is_waiting = true;
}

fn select(op: &Operation) -> u8 {
    op.imm as u8 & 7
}

fn read(cp0: &Cp0, core: &Cpu, op: &Operation) -> u64 {
    cp0.read(op.c, select(op), core.cycle())
}

fn write(cp0: &mut Cp0, core: &mut Cpu, op: &Operation, value: u64) {
    let before = cp0.status();
    cp0.write(op.c, select(op), value, core.cycle());
    // Whether there is an FPU is decided when code is decoded.
    core.memory.is_code_old |= (before ^ cp0.status()) & status::CU0 << 1 != 0;
    core.memory.change_mmu(false, |mmu| cp0.set_mmu(mmu));
}

/// Executes `cache`, which does nothing: caches hold nothing that memory has not, and changes of code are noticed as
/// they are made.
pub(super) fn cache(core: &mut Cpu, _op: &Operation, rest: &[Operation]) -> Exit {
    match admit(core, 0) {
        Ok(()) => next(core, rest),
        Err(exception) => stop(core, rest, exception),
    }
}

/// Executes `eret`, which has no delay slot and ends an atomic sequence.
pub(super) fn eret(core: &mut Cpu, _op: &Operation, rest: &[Operation]) -> Exit {
    if let Err(exception) = admit(core, 0) {
        return stop(core, rest, exception);
    }
    core.link = None;
    if let Some(privileged) = &mut core.privileged {
        core.pc = privileged.cp0.end();
    }
    core.renew_mmu();
    Exit::branch(1)
}
