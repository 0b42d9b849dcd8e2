//! Operations of coprocessor 2 (`[L]`). They are done alone; a push to a full FIFO stops, and is done again in the
//! next cycle.

use super::operation::{Exit, Operation, next, stop};
use super::privileged::admit;
use crate::core::{Cpu, Privileged};
use crate::exception::Exception;
use crate::outside::Push;

/// Number of the register whose write is a push.
const FIFO: u8 = 0;
/// Number of the register that is the buffer for a high half.
const BUFFER: u8 = 31;
/// Number that is added to that of a register for its high word.
const HIGH: u8 = 16;

fn read(privileged: &mut Privileged, register: u8) -> Result<u64, Exception> {
    let value = privileged.outside.coprocessor_register(register);
    value.ok_or(Exception::Coprocessor(2))
}

fn write(privileged: &mut Privileged, register: u8, value: u64) -> Result<(), Exception> {
    if register == FIFO {
        return push(privileged, Push::Execute(value));
    }
    let written = privileged.outside.set_coprocessor_register(register, value);
    written.ok_or(Exception::Coprocessor(2))
}

fn push(privileged: &mut Privileged, push: Push) -> Result<(), Exception> {
    if privileged.outside.push(push) { Ok(()) } else { Err(Exception::Outside) }
}

/// Returns the address: base and displacement; the immediate is the word.
fn address(core: &Cpu, op: &Operation) -> u64 {
    core.registers[op.a].wrapping_add(op.imm as i16 as u64)
}

macro_rules! operations {
    ($($name:ident = |$core:ident, $op:ident, $privileged:ident| $body:expr;)*) => {$(
        pub(super) fn $name($core: &mut Cpu, $op: &Operation, rest: &[Operation]) -> Exit {
            if let Err(exception) = admit($core, 2) {
                return stop($core, rest, exception);
            }
            let Some(mut kept) = $core.privileged.take() else { return next($core, rest) };
            let $privileged = &mut *kept;
            let done: Result<(), Exception> = $body;
            $core.privileged = Some(kept);
            match done {
                Ok(()) => next($core, rest),
                Err(exception) => stop($core, rest, exception),
            }
        }
    )*};
}

operations! {
    dmfc2 = |core, op, privileged| {
        read(privileged, op.c).map(|value| core.registers[op.d] = value)
    };
    mfc2 = |core, op, privileged| {
        let value = read(privileged, op.c % HIGH);
        let shift = if op.c >= HIGH { 32 } else { 0 };
        value.map(|value| core.registers[op.d] = (value >> shift) as i32 as u64)
    };
    dmtc2 = |core, op, privileged| write(privileged, op.c, core.registers[op.b]);
    mtc2 = |core, op, privileged| {
        let low = core.registers[op.b] as u32;
        if op.c == BUFFER {
            privileged.cp0.buffer = low;
            Ok(())
        } else {
            let high = u64::from(privileged.cp0.buffer);
            write(privileged, op.c, high << 32 | u64::from(low))
        }
    };
    condition = |core, op, privileged| {
        // Condition 0 is that the FIFO is full; the others are never true.
        core.registers[op.d] = u64::from(op.c == 0 && privileged.outside.is_full());
        Ok(())
    };
}

macro_rules! loads {
    ($($name:ident: $kind:ty = |$privileged:ident, $value:ident| $body:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            const SIZE: usize = size_of::<$kind>();
            if let Err(exception) = admit(core, 2) {
                return stop(core, rest, exception);
            }
            let address = address(core, op);
            let loaded = match core.memory.load::<SIZE>(address) {
                Err(exception) => core.load_outside::<SIZE>(address, exception),
                loaded => loaded,
            };
            let $value = match loaded {
                Ok(bytes) => <$kind>::from_be_bytes(bytes),
                Err(exception) => return stop(core, rest, exception),
            };
            let Some($privileged) = core.privileged.as_deref_mut() else { return next(core, rest) };
            match $body {
                Ok(()) => next(core, rest),
                Err(exception) => stop(core, rest, exception),
            }
        }
    )*};
}

loads! {
    ldc2: u64 = |privileged, value| push(privileged, Push::Store(value));
    lwc2: u32 = |privileged, value| {
        privileged.cp0.buffer = value;
        Ok::<(), Exception>(())
    };
}
