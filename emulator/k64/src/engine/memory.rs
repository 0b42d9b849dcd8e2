//! Loads and stores: base `a`, displacement; the value in `d` for loads, `b` for stores.

use super::operation::{Exit, Operation, next, stop};
use crate::core::Cpu;
use crate::exception::{AccessKind, Exception};
use std::ops::RangeInclusive;

const LOW: u64 = 0xffff_ffff;

#[inline(always)]
fn address(core: &Cpu, op: &Operation) -> u64 {
    core.registers[op.a].wrapping_add(op.imm())
}

/// Returns the address of an FPU access with an index: base `a` plus index `c`.
#[inline(always)]
fn indexed(core: &Cpu, op: &Operation) -> u64 {
    core.registers[op.a].wrapping_add(core.registers[op.c])
}

fn aligned_indexed(core: &Cpu, op: &Operation) -> u64 {
    indexed(core, op) & !7
}

macro_rules! loads {
    ($($name:ident($place:ident) = |$old:ident, $bytes:ident: [u8; $n:literal]| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let address = $place(core, op);
            let loaded = match core.memory.load::<$n>(address) {
                Err(exception) => core.load_outside::<$n>(address, exception),
                loaded => loaded,
            };
            match loaded {
                Ok($bytes) => {
                    let $old = core.registers[op.d];
                    core.registers[op.d] = $value;
                }
                Err(exception) => return stop(core, rest, exception),
            }
            next(core, rest)
        }
    )*};
}

loads! {
    lb(address) = |_old, bytes: [u8; 1]| i8::from_be_bytes(bytes) as u64;
    lbu(address) = |_old, bytes: [u8; 1]| u64::from(bytes[0]);
    lh(address) = |_old, bytes: [u8; 2]| i16::from_be_bytes(bytes) as u64;
    lhu(address) = |_old, bytes: [u8; 2]| u64::from(u16::from_be_bytes(bytes));
    lw(address) = |_old, bytes: [u8; 4]| i32::from_be_bytes(bytes) as u64;
    lwu(address) = |_old, bytes: [u8; 4]| u64::from(u32::from_be_bytes(bytes));
    ld(address) = |_old, bytes: [u8; 8]| u64::from_be_bytes(bytes);
    lwc1(address) = |old, bytes: [u8; 4]| old & !LOW | u64::from(u32::from_be_bytes(bytes));
    lwxc1(indexed) = |old, bytes: [u8; 4]| old & !LOW | u64::from(u32::from_be_bytes(bytes));
    ldxc1(indexed) = |_old, bytes: [u8; 8]| u64::from_be_bytes(bytes);
    luxc1(aligned_indexed) = |_old, bytes: [u8; 8]| u64::from_be_bytes(bytes);
}

macro_rules! stores {
    ($($name:ident($place:ident) = |$value:ident| $bytes:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let address = $place(core, op);
            let $value = core.registers[op.b];
            let bytes = $bytes;
            if let Err(exception) = core.memory.store(address, bytes)
                && let Err(exception) = core.store_outside(address, bytes, exception)
            {
                return stop(core, rest, exception);
            }
            next(core, rest)
        }
    )*};
}

stores! {
    sb(address) = |value| (value as u8).to_be_bytes();
    sh(address) = |value| (value as u16).to_be_bytes();
    sw(address) = |value| (value as u32).to_be_bytes();
    sd(address) = |value| value.to_be_bytes();
    swxc1(indexed) = |value| (value as u32).to_be_bytes();
    sdxc1(indexed) = |value| value.to_be_bytes();
    suxc1(aligned_indexed) = |value| value.to_be_bytes();
}

/// Returns the addresses that a load of the upper part of an unaligned value reads: from its own to the end of the aligned
/// value.
fn upper(address: u64, _first: u64, last: u64) -> RangeInclusive<u64> {
    address..=last
}

/// Returns the addresses that a load of the lower part of an unaligned value reads: from the begin of the aligned value to
/// its own.
fn lower(address: u64, first: u64, _last: u64) -> RangeInclusive<u64> {
    first..=address
}

macro_rules! unaligned_loads {
    ($($name:ident = |$old:ident, $at:ident, $value:ident: $kind:ty| $part:expr, $result:expr;)*) => {$(
        /// Loads a part of an unaligned value; byte 0 is the highest one.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            const SIZE: usize = size_of::<$kind>();
            let address = address(core, op);
            let aligned = address & !(SIZE as u64 - 1);
            let loaded = match core.memory.load::<SIZE>(aligned) {
                Err(exception) => {
                    let part = $part(address, aligned, aligned + (SIZE as u64 - 1));
                    core.load_part::<SIZE>(aligned, part, exception)
                }
                loaded => loaded,
            };
            match loaded {
                Ok(bytes) => {
                    let $old = core.registers[op.b] as $kind;
                    let $at = 8 * (address - aligned) as u32;
                    let $value = <$kind>::from_be_bytes(bytes);
                    core.registers[op.d] = $result;
                }
                Err(exception) => return stop(core, rest, exception.with_address(address)),
            }
            next(core, rest)
        }
    )*};
}

unaligned_loads! {
 lwl = |old, at, value: u32| upper, (value << at | old & !(u32::MAX << at)) as i32 as u64;
  lwr = |old, at, value: u32| lower, (value >> (24 - at) | old & !(u32::MAX >> (24 - at))) as i32 as u64;
  ldl = |old, at, value: u64| upper, value << at | old & !(u64::MAX << at);
  ldr = |old, at, value: u64| lower, value >> (56 - at) | old & !(u64::MAX >> (56 - at));
}

/// Stores bytes one by one, from address `first` on.
fn store_part(core: &mut Cpu, first: u64, bytes: &[u8]) -> Result<(), Exception> {
    // All of them or none.
    core.watch_store(first, bytes.len() as u64)?;
    for (n, byte) in bytes.iter().enumerate() {
        let at = first.wrapping_add(n as u64);
        if let Err(exception) = core.memory.store(at, [*byte]) {
            core.store_outside(at, [*byte], exception)?;
        }
    }
    Ok(())
}

macro_rules! unaligned_stores {
    ($($name:ident = |$address:ident, $bytes:ident: $kind:ty| $part:expr;)*) => {$(
        /// Stores a part of an unaligned value.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            const SIZE: usize = size_of::<$kind>();
            let $address = address(core, op);
            let $bytes = (core.registers[op.b] as $kind).to_be_bytes();
            let at = ($address % SIZE as u64) as usize;
            let (first, range) = $part(at, SIZE);
            if let Err(exception) = store_part(core, first, &$bytes[range]) {
                return stop(core, rest, exception.with_address($address));
            }
            next(core, rest)
        }
    )*};
}

unaligned_stores! {
    swl = |address, bytes: u32| |at, size| (address, 0..size - at);
    swr = |address, bytes: u32| |at, size| (address - at as u64, size - 1 - at..size);
    sdl = |address, bytes: u64| |at, size| (address, 0..size - at);
    sdr = |address, bytes: u64| |at, size| (address - at as u64, size - 1 - at..size);
}

macro_rules! linked_loads {
    ($($name:ident: $kind:ty;)*) => {$(
        /// Loads a value and begins an atomic sequence.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let address = address(core, op);
            let loaded = match core.memory.load(address) {
                Err(exception) => core.load_outside(address, exception),
                loaded => loaded,
            };
            match loaded {
                Ok(bytes) => core.registers[op.d] = <$kind>::from_be_bytes(bytes) as u64,
                Err(exception) => return stop(core, rest, exception),
            }
            core.link = Some(address);
            next(core, rest)
        }
    )*};
}

linked_loads! {
    ll: i32;
    lld: i64;
}

macro_rules! conditional_stores {
    ($($name:ident: $kind:ty;)*) => {$(
        /// Stores if the atomic sequence is not broken, and says whether it did.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let address = address(core, op);
            if !address.is_multiple_of(size_of::<$kind>() as u64) {
                return stop(core, rest, Exception::Unaligned { address, access: AccessKind::Store });
            }
            let is_atomic = core.link.take() == Some(address);
            if is_atomic {
                let bytes = (core.registers[op.b] as $kind).to_be_bytes();
                if let Err(exception) = core.memory.store(address, bytes)
                    && let Err(exception) = core.store_outside(address, bytes, exception)
                {
                    core.link = Some(address);
                    return stop(core, rest, exception);
                }
            }
            core.registers[op.d] = u64::from(is_atomic);
            next(core, rest)
        }
    )*};
}

conditional_stores! {
    sc: u32;
    scd: u64;
}
