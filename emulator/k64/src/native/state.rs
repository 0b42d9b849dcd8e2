//! Registers of the native machine while translated code runs, and where the code finds what it needs.

use crate::core::{Cpu, Running};
use crate::float::FloatStatus;
use crate::registers::Registers;
use iced_x86::Register;
use std::mem::offset_of;

/// Register with the address of the core.
pub(super) const CPU: Register = Register::RBP;
/// Register with the number of instructions that are left until the limit of the run.
pub(super) const LEFT: Register = Register::R14;
/// Register with the address on the native machine of the guest's address 0; the rights of pages stand before it. Only
/// of code for pages that stand by their addresses.
pub(super) const MEMORY: Register = Register::R15;
/// Register with the address of the model of time, in code that tells the time; the number of instructions that are left
/// is in memory then.
pub(super) const TIMING: Register = Register::R14;
/// Register with the present time, in code that tells the time.
pub(super) const NOW: Register = Register::R15;

/// Offset of register 0 of the guest in the core.
pub(super) const REGISTERS: i64 = (offset_of!(Cpu, registers) + Registers::OFFSET) as i64;
/// Offset of the program counter in the core.
pub(super) const PC: i64 = offset_of!(Cpu, pc) as i64;
const RUNNING: usize = offset_of!(Cpu, running);
/// Offset in the core of what `LEFT` has while no code runs.
pub(super) const RUNNING_LEFT: i64 = (RUNNING + offset_of!(Running, left)) as i64;
/// Offset in the core of the address of the table of jumps.
pub(super) const JUMPS: i64 = (RUNNING + offset_of!(Running, jumps)) as i64;
/// Offset in the core of the address of the first page.
pub(super) const BASE: i64 = (RUNNING + offset_of!(Running, base)) as i64;
/// Offset in the core of the address of the table of translations for loads; that for stores stands behind.
pub(super) const TABLES: i64 = (RUNNING + offset_of!(Running, tables)) as i64;
/// Offset in the core of the address of the model of time.
pub(super) const TIMING_PLACE: i64 = (RUNNING + offset_of!(Running, timing)) as i64;
/// Offset in the core of the address of the block that runs, for handlers.
pub(super) const RUNNING_BLOCK: i64 = (RUNNING + offset_of!(Running, block)) as i64;
/// Offset of the FPU's status in the core.
pub(super) const FLOAT: i64 = offset_of!(Cpu, float) as i64;
/// Offset in the core of the register FCSR.
pub(super) const FCSR: i64 = FLOAT + FloatStatus::FCSR as i64;
/// Offset in the core of the mark that results of the native machine can raise nothing new.
pub(super) const IS_PLAIN: i64 = FLOAT + FloatStatus::IS_PLAIN as i64;
/// Offset in the core of the mark that they can raise nothing new but Inexact.
pub(super) const IS_NATIVE: i64 = FLOAT + FloatStatus::IS_NATIVE as i64;
/// Offset in the core of the native machine's register MXCSR when code is run; when it was left stands behind.
pub(super) const MXCSR: i64 = (RUNNING + offset_of!(Running, mxcsr)) as i64;
/// Offset in the core of the code of the operation whose cause is deferred, and of its operands.
pub(super) const DEFERRED: i64 = FLOAT + FloatStatus::DEFERRED as i64;
/// Offset in the core of the first operand of that operation; the others follow.
pub(super) const OPERANDS: i64 = FLOAT + FloatStatus::OPERANDS as i64;

/// Registers of the native machine that hold registers of the guest, with the registers that they hold.
pub(super) const HELD: [(Register, u8); 9] = [
    (Register::RBX, 2),
    (Register::RSI, 3),
    (Register::RDI, 4),
    (Register::R8, 5),
    (Register::R9, 6),
    (Register::R10, 7),
    (Register::R11, 8),
    (Register::R12, 16),
    (Register::R13, 29),
];

/// Returns the register of the native machine that holds a register of the guest.
pub(super) fn held(register: u8) -> Option<Register> {
    HELD.iter().find(|(_, guest)| *guest == register).map(|(native, _)| *native)
}
