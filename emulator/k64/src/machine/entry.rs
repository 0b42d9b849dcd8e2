//! Entries of exceptions and interrupts into their handlers. An exception without a handler is not taken: handlers are
//! in the boot memory (Status.BEV), which has none, or the two words at the vector are 0. `[own]`

use crate::core::Cpu;
use crate::cp0::{Cp0, cause, status};
use crate::exception::{AccessKind, Exception, Miss};
use crate::mmu::PrivilegeMode;

/// Address of the vector from which the offsets of handlers count.
const BASE: u64 = 0xffff_ffff_8000_0000;
/// Offset of the handler for misses of the TLB where 64-bit addresses are enabled.
const WIDE_REFILL: u64 = 0x80;
/// Offset of the handler for everything else.
const GENERAL: u64 = 0x180;
/// Offset of the handler for interrupts, if they have one (Cause.IV).
const INTERRUPT: u64 = 0x200;

/// Returns the code of an exception for Cause.ExcCode.
fn code(exception: Exception) -> u8 {
    use Exception as E;
    match exception {
        E::Outside | E::Watched(_) => 0,
        E::Tlb { miss: Miss::Modified, .. } => 1,
        E::Tlb { access: AccessKind::Store, .. } => 3,
        E::Tlb { .. } => 2,
        E::Unaligned { access: AccessKind::Store, .. }
        | E::Forbidden { access: AccessKind::Store, .. } => 5,
        E::Unaligned { .. } | E::Forbidden { .. } => 4,
        E::Unmapped { access: AccessKind::Fetch, .. }
        | E::Protected { access: AccessKind::Fetch, .. } => 6,
        E::Unmapped { .. } | E::Protected { .. } => 7,
        E::Syscall => 8,
        E::Break(_) => 9,
        E::Reserved(_) => 10,
        E::Coprocessor(_) => 11,
        E::Overflow => 12,
        E::Trap(_) => 13,
        E::Float(_) => 15,
    }
}

/// Whether the region of an address has 64-bit addresses, which have a handler of their own for misses.
fn is_wide(cp0: &Cp0, address: u64) -> bool {
    let bit = match address >> 62 {
        0 => 5,
        1 => 6,
        _ => 7,
    };
    cp0.status() >> bit & 1 != 0
}

/// Takes an exception; false if there is no handler, and nothing has changed then.
pub(super) fn exception(core: &mut Cpu, exception: Exception, is_delayed: bool) -> bool {
    let Some(privileged) = &core.privileged else { return false };
    let cp0 = &privileged.cp0;
    let offset = match exception {
        Exception::Tlb { address, miss: Miss::Refill, .. } if cp0.status() & status::EXL == 0 => {
            if is_wide(cp0, address) {
                WIDE_REFILL
            } else {
                0
            }
        }
        _ => GENERAL,
    };
    let unit = if let Exception::Coprocessor(unit) = exception { unit } else { 0 };
    enter(core, offset, |cp0, pc| {
        match exception {
            Exception::Unaligned { address, .. } | Exception::Forbidden { address, .. } => {
                cp0.bad_address = address;
            }
            Exception::Tlb { address, .. } => {
                cp0.bad_address = address;
                cp0.set_missed(address);
            }
            _ => {}
        }
        cp0.begin(code(exception), unit, pc, is_delayed);
    })
}

/// Takes an interrupt; false if there is no handler.
pub(super) fn interrupt(core: &mut Cpu) -> bool {
    let has_own = core.privileged.as_ref().is_some_and(|p| p.cp0.cause() & cause::IV != 0);
    enter(core, if has_own { INTERRUPT } else { GENERAL }, |cp0, pc| {
        cp0.is_waiting = false;
        cp0.begin(0, 0, pc, false);
    })
}

fn enter(core: &mut Cpu, offset: u64, begin: impl FnOnce(&mut Cp0, u64)) -> bool {
    let vector = BASE + offset;
    let has_handlers = core.privileged.as_ref().is_some_and(|p| p.cp0.status() & status::BEV == 0);
    core.memory.change_mmu(false, |mmu| mmu.mode = PrivilegeMode::Kernel);
    let mut word = |at: u64| core.fetch(at).unwrap_or(0);
    if !has_handlers || word(vector) | word(vector + 4) == 0 {
        core.renew_mmu();
        return false;
    }
    let pc = core.pc;
    if let Some(privileged) = &mut core.privileged {
        begin(&mut privileged.cp0, pc);
    }
    core.renew_mmu();
    core.pc = vector;
    if let Some(timing) = &mut core.timing {
        timing.hold(false);
    }
    core.redirect();
    true
}
