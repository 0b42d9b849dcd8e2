//! State of a core of the control processor, a big-endian MIPS64 processor: [`Cpu`] with its registers, memory and
//! program counter, and the accesses of loaders and debuggers to it.

use crate::cp0::{Cp0, cause};
use crate::exception::{AccessKind, Exception};
use crate::float::FloatStatus;
use crate::memory::{Memory, PAGE, TABLES};
use crate::mmu::PrivilegeMode;
use crate::outside::Outside;
use crate::registers::Registers;
use crate::timing::{InstructionCosts, StallCause, Timing};
use std::ops::Range;

/// Part of a [`Cpu`] that only a core of a bare machine has, not a core that runs a Linux program: coprocessor 0
/// (system control), and everything outside of the core.
pub struct Privileged {
    /// Coprocessor 0: the registers of exceptions, interrupts, time and the TLB.
    pub cp0: Cp0,
    /// Surroundings of the core, everything that its instructions can see or change: memory that others share, devices,
    /// coprocessor 2 (CP2) and interrupt lines.
    pub outside: Box<dyn Outside>,
}

/// Virtual address of the first instruction that the core of a machine executes after reset. The address lies in a
/// segment that is not mapped; its physical address is 0x1fc0_0000, the begin of the boot memory.
pub const RESET: u64 = 0xffff_ffff_bfc0_0000;
/// Begin of the kernel's unmapped segment that has every physical address.
const SEGMENT: u64 = 0x9000_0000_0000_0000;

/// Splits a range of addresses at the page boundaries: returns for each part its address and the range of its bytes.
fn parts(address: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address.wrapping_add(done as u64);
        let end = length.min(done + (PAGE - at % PAGE) as usize);
        let part = (at, done..end);
        done = end;
        (!part.1.is_empty()).then_some(part)
    })
}

/// Notes of the engine about the run of a [`Cpu`] at this moment: the translated block that runs, the exception that
/// stopped it, and whether the instruction may access what is outside of the core. All parts are private to the crate.
pub struct Running {
    /// Whether the current instruction may access what is outside of the core, because time outside has come to its
    /// cycle.
    pub(crate) is_alone: bool,
    /// Whether the current instruction has accessed what is outside of the core.
    pub(crate) has_reached: bool,
    /// Address of the first instruction of the block that runs; branches are relative to it.
    pub(crate) block: u64,
    /// Exception that stopped the last operation of the block.
    pub(crate) stopped: Option<Exception>,
    /// Number of instructions that are left until the limit of the run, while translated code runs.
    pub(crate) left: i64,
    /// Number of those that were taken out of `left`, so that translated code stops at the end of its block.
    pub(crate) withheld: i64,
    /// Number of completed instructions at the limit of the run of translated code.
    pub(crate) limit: u64,
    /// Address of the table by which translated code finds the targets of jumps.
    pub(crate) jumps: u64,
    /// Address on the native machine of the first page of memory.
    pub(crate) base: u64,
    /// Addresses of memory's tables of translations, for translated code.
    pub(crate) tables: [u64; TABLES],
    /// Address of the model of time, for translated code.
    pub(crate) timing: u64,
    /// Control and status register of the native machine's floating-point unit: what it is to be when code is run, and
    /// what it was when code was left.
    pub(crate) mxcsr: [u32; 2],
}

impl Running {
    const fn new() -> Self {
        Self {
            is_alone: false,
            has_reached: false,
            block: 0,
            stopped: None,
            left: 0,
            withheld: 0,
            limit: 0,
            jumps: 0,
            base: 0,
            tables: [0; TABLES],
            timing: 0,
            // All exceptions masked, no flag set, rounding to nearest.
            mxcsr: [0x1f80, 0x1f80],
        }
    }
}

/// A core of the control processor, the MIPS64 processor that drives CP2, with its memory: the whole state that its
/// instructions read and change. It runs either a Linux program in user mode, or a program on the bare machine, and
/// then has `privileged`.
pub struct Cpu {
    /// General and floating-point registers of the core, HI, LO (results of multiplication and division), and
    /// conditions.
    pub registers: Registers,
    /// Program counter: the virtual address of the next instruction.
    pub pc: u64,
    /// FCSR, the control and status register of the floating-point unit (FPU), except for its eight condition bits,
    /// which are in `registers`.
    pub float: FloatStatus,
    /// Memory that the core fetches from, loads from and stores to; in a machine the pages that it has used so far.
    pub memory: Memory,
    /// Virtual address of the last `ll` or `lld` (load linked), while the atomic sequence that it began is not broken;
    /// `None` otherwise, and a conditional store (`sc`, `scd`) then fails.
    pub link: Option<u64>,
    /// Value that the instruction `rdhwr` reads from hardware register 29: the address of the data of the thread, by
    /// the convention of Linux.
    pub thread_pointer: u64,
    /// Number of instructions that were completed since the core was created.
    pub n_instructions: u64,
    /// Number of cycles in which no instruction was completed, such as waits. They are counted here only while `timing`
    /// is `None`; a model of time has counts of its own.
    pub n_stalled: u64,
    /// Model of the cycles that instructions take; if it is `None`, each instruction takes one cycle.
    pub timing: Option<Box<Timing>>,
    /// Coprocessor 0 and everything outside of the core; `None` if the core runs a Linux program.
    pub privileged: Option<Box<Privileged>>,
    pub(crate) running: Running,
}

impl Cpu {
    /// Creates a core for a Linux program, with the given memory: all registers and the program counter are 0, and
    /// there is no coprocessor 0 and no model of time.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Self {
            registers: Registers::default(),
            pc: 0,
            float: FloatStatus::default(),
            memory,
            link: None,
            thread_pointer: 0,
            n_instructions: 0,
            n_stalled: 0,
            timing: None,
            privileged: None,
            running: Running::new(),
        }
    }

    /// Creates the core of a machine as it is after reset: the program counter is [`RESET`], memory is empty and gets
    /// its pages from `outside` when they are first used, and there is no model of time.
    #[must_use]
    pub fn of_machine(outside: Box<dyn Outside>) -> Self {
        let privileged = Privileged { cp0: Cp0::default(), outside };
        let mut core = Self::new(Memory::of_machine());
        core.pc = RESET;
        core.privileged = Some(Box::new(privileged));
        core
    }

    /// Gives the core a model of time with these costs of instructions. The model begins at cycle 0 with empty caches,
    /// and replaces one that the core had.
    pub fn keep_time(&mut self, costs: InstructionCosts) {
        self.timing = Some(Box::new(Timing::new(costs)));
        self.memory.keep_removed();
    }

    /// Returns the current cycle, counted from 0: with a model of time the earliest in which the next instruction may
    /// issue, without one the number of completed instructions and of stalled cycles.
    #[must_use]
    #[inline]
    pub fn cycle(&self) -> u64 {
        match &self.timing {
            Some(timing) => timing.cycle(),
            None => self.n_instructions + self.n_stalled,
        }
    }

    /// Lets cycles pass in which nothing is done.
    pub(crate) fn stall(&mut self, cycles: u64, cause: StallCause) {
        match &mut self.timing {
            Some(timing) => timing.stall(cycles, cause),
            None => self.n_stalled += cycles,
        }
    }

    /// Charges the time of a branch that is taken, or of an exception.
    #[inline]
    pub(crate) fn redirect(&mut self) {
        if let Some(timing) = &mut self.timing {
            timing.redirect();
        }
    }

    /// Advances everything outside of the core to a cycle.
    pub(crate) fn advance_outside(&mut self, cycle: u64) {
        let Some(privileged) = &mut self.privileged else { return };
        privileged.outside.advance(&mut self.memory, cycle);
        self.forget_removed();
    }

    /// Lets time pass outside of the core, at most to `limit`, and returns the cycle that is reached.
    pub(crate) fn wait_outside(&mut self, limit: u64) -> u64 {
        let Some(privileged) = &mut self.privileged else { return limit };
        let cycle = privileged.outside.wait(&mut self.memory, limit);
        self.forget_removed();
        cycle
    }

    /// Removes from the caches the pages that others than the core have changed.
    pub(crate) fn forget_removed(&mut self) {
        if let Some(timing) = &mut self.timing {
            self.memory.take_removed(|page| timing.forget(page, PAGE));
        }
    }

    /// Whether instructions may use coprocessor `unit` at present. The number is 0 for system control, 1 for the FPU
    /// and 2 for CP2; 3 is never there. A Linux program has only the FPU. On a machine the register Status and the mode
    /// decide, and CP2 has to be there.
    #[must_use]
    pub fn has(&self, unit: u8) -> bool {
        match &self.privileged {
            None => unit == 1,
            Some(p) if unit == 2 => p.outside.has_coprocessor() && p.cp0.is_enabled(2),
            Some(p) => p.cp0.is_enabled(unit),
        }
    }

    /// Whether instructions may compute with 64 bits at present: all but those of user mode without Status.UX.
    pub(crate) fn has_wide_operations(&self) -> bool {
        self.memory.mmu().is_none_or(|mmu| mmu.mode != PrivilegeMode::User || mmu.wide[0])
    }

    /// Updates mode and address space of the MMU from the registers of coprocessor 0.
    pub(crate) fn renew_mmu(&mut self) {
        if let Some(privileged) = &self.privileged {
            self.memory.change_mmu(false, |mmu| privileged.cp0.set_mmu(mmu));
        }
    }

    /// Reads the interrupt lines of the current cycle into Cause, and tells whether an interrupt is to be taken.
    pub(crate) fn look_at_lines(&mut self) -> bool {
        let cycle = self.cycle();
        self.privileged.as_mut().is_some_and(|p| {
            p.cp0.set_lines(p.outside.interrupts() & !cause::TIMER, cycle);
            p.cp0.is_interrupted()
        })
    }

    /// Inserts the page of an address from outside into memory, after an access that did not find it; false if there is
    /// none.
    fn get_page(&mut self, address: u64, access: AccessKind) -> Result<bool, Exception> {
        let physical = self.memory.physical(address, access)?;
        let Some(privileged) = &mut self.privileged else { return Ok(false) };
        let page = physical & !(PAGE - 1);
        let Some((bytes, allowed)) = privileged.outside.page(page) else { return Ok(false) };
        self.memory.insert(page, &bytes, allowed);
        Ok(true)
    }

    /// Returns the instruction word at a virtual address. A page that comes from outside of the core is put into
    /// `memory` first.
    ///
    /// # Errors
    /// Returns the exception that a fetch raises if the address is not a multiple of 4, if the mode or the TLB does not
    /// allow it, or if there is no memory that may be executed.
    pub fn fetch(&mut self, address: u64) -> Result<u32, Exception> {
        match self.memory.fetch(address) {
            Err(Exception::Outside) if self.get_page(address, AccessKind::Fetch)? => {
                self.memory.fetch(address)
            }
            Err(Exception::Outside) => {
                Err(Exception::Unmapped { address, access: AccessKind::Fetch })
            }
            other => other,
        }
    }

    /// Whether there is memory outside of the core at a physical address; `false` for the core of a Linux program.
    pub fn has_memory(&mut self, address: u64) -> bool {
        let page = address & !(PAGE - 1);
        self.privileged.as_mut().is_some_and(|p| p.outside.page(page).is_some())
    }

    /// Copies bytes to memory from a physical address on, as a loader does. The result is `false` if there is no memory
    /// for some of them; bytes on pages before those may have been written then. A core without `privileged` has no
    /// physical addresses, so the result is `false`.
    pub fn load_bytes(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.change_mmu(false, |mmu| mmu.wide = [true; 3]);
        let loaded = self.write_bytes(SEGMENT | address, bytes);
        self.renew_mmu();
        loaded.is_ok()
    }

    /// Copies bytes to memory as [`Cpu::load_bytes`] does, and removes their lines from the caches of data, as of others
    /// than the core that write to memory.
    pub fn receive_bytes(&mut self, address: u64, bytes: &[u8]) -> bool {
        if let Some(timing) = self.timing.as_mut().filter(|_| !bytes.is_empty()) {
            timing.forget(address, bytes.len() as u64);
        }
        self.load_bytes(address, bytes)
    }

    /// Fills `bytes` from memory, beginning at a physical address. The result is `false` if there is no memory for some of
    /// them, or the core has no `privileged`.
    pub fn copy_bytes(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.change_mmu(false, |mmu| mmu.wide = [true; 3]);
        let copied = self.read_bytes(SEGMENT | address, bytes);
        self.renew_mmu();
        copied.is_ok()
    }

    /// Copies bytes to memory from a virtual address on, as a loader or a debugger does: pages that do not allow stores
    /// are written too.
    ///
    /// # Errors
    /// Returns the exception of the first byte that cannot be accessed; the bytes on pages before it are written.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        for (at, range) in parts(address, bytes.len()) {
            self.have_page(at)?;
            self.memory.place(at, &bytes[range])?;
        }
        Ok(())
    }

    /// Fills `bytes` from memory, beginning at a virtual address, as a debugger does.
    ///
    /// # Errors
    /// Returns the exception of the first byte that cannot be read; the bytes on pages before it are copied.
    pub fn read_bytes(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Exception> {
        for (at, range) in parts(address, bytes.len()) {
            self.have_page(at)?;
            let part = self.memory.read(at, range.len() as u64)?;
            bytes[range].copy_from_slice(&part);
        }
        Ok(())
    }

    fn have_page(&mut self, address: u64) -> Result<(), Exception> {
        match self.memory.read(address, 1) {
            Err(Exception::Outside) if self.get_page(address, AccessKind::Load)? => Ok(()),
            Err(Exception::Outside) => {
                Err(Exception::Unmapped { address, access: AccessKind::Load })
            }
            other => other.map(|_| ()),
        }
    }

    /// Loads from an address whose page memory does not have: from a page that comes now, or from a device.
    ///
    /// # Errors
    /// The exception that is given, if it was for another reason; or what is wrong with the address.
    #[cold]
    #[inline(never)]
    pub(crate) fn load_outside<const N: usize>(
        &mut self,
        address: u64,
        exception: Exception,
    ) -> Result<[u8; N], Exception> {
        if exception != Exception::Outside {
            return Err(exception);
        }
        if self.get_page(address, AccessKind::Load)? {
            return self.memory.load(address);
        }
        let physical = self.memory.physical(address, AccessKind::Load)?;
        match &mut self.privileged {
            Some(privileged) if self.running.is_alone => {
                self.memory.check_watchpoints(address, N as u64, AccessKind::Load)?;
                self.running.has_reached = true;
                let value = privileged.outside.load(physical, N);
                let value =
                    value.ok_or(Exception::Unmapped { address, access: AccessKind::Load })?;
                let mut bytes = [0; N];
                bytes.copy_from_slice(&value.to_be_bytes()[8 - N..]);
                Ok(bytes)
            }
            _ => Err(exception),
        }
    }

    /// Loads the aligned value of which an instruction takes only `part`, a range of addresses, after memory has said that
    /// it does not have it or that a watchpoint has some of it: one that has nothing of the part stops nothing.
    ///
    /// # Errors
    /// As [`Cpu::load_outside`].
    #[cold]
    #[inline(never)]
    pub(crate) fn load_part<const N: usize>(
        &mut self,
        aligned: u64,
        part: std::ops::RangeInclusive<u64>,
        exception: Exception,
    ) -> Result<[u8; N], Exception> {
        let loaded = self.load_outside(aligned, exception);
        let Err(Exception::Watched(_)) = loaded else { return loaded };
        let bytes = part.end() - part.start() + 1;
        self.memory.check_watchpoints(*part.start(), bytes, AccessKind::Load)?;
        let before = self.memory.pass_watchpoints(true);
        let loaded = match self.memory.load(aligned) {
            Err(exception) => self.load_outside(aligned, exception),
            loaded => loaded,
        };
        self.memory.pass_watchpoints(before);
        loaded
    }

    /// Looks for a watchpoint that stops a store of several bytes of a page, before the first of them is stored.
    ///
    /// # Errors
    /// Returns [`Exception::Watched`] if there is one, and memory or a device; where there is neither, the store itself
    /// says so.
    #[inline]
    pub(crate) fn watch_store(&mut self, address: u64, bytes: u64) -> Result<(), Exception> {
        let found = self.memory.check_watchpoints(address, bytes, AccessKind::Store);
        if found.is_err() {
            match self.memory.check_rights(address, AccessKind::Store) {
                Err(Exception::Outside) => _ = self.get_page(address, AccessKind::Store)?,
                Err(_) => return Ok(()),
                Ok(()) => {}
            }
        }
        found
    }

    /// Stores bytes of which memory has said that it does not have their address: in a page that is got now, or outside
    /// of the core.
    ///
    /// # Errors
    /// The exception that is given, if it was raised for another reason; or what is wrong with the address.
    #[cold]
    #[inline(never)]
    pub(crate) fn store_outside<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
        exception: Exception,
    ) -> Result<(), Exception> {
        if exception != Exception::Outside {
            return Err(exception);
        }
        if self.get_page(address, AccessKind::Store)? {
            return self.memory.store(address, bytes);
        }
        let physical = self.memory.physical(address, AccessKind::Store)?;
        match &mut self.privileged {
            Some(privileged) if self.running.is_alone => {
                self.memory.check_watchpoints(address, N as u64, AccessKind::Store)?;
                self.running.has_reached = true;
                let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
                let stored = privileged.outside.store(physical, N, value);
                stored.ok_or(Exception::Unmapped { address, access: AccessKind::Store })
            }
            _ => Err(exception),
        }
    }

    /// Value of the FPU's register FIR, which tells the features of the FPU: single, double, 32-bit and 64-bit integer
    /// formats, 64-bit registers, no paired singles, a generic implementation.
    pub const FIR: u32 = 0x0073_0000;

    /// Returns the register FCSR, the control and status of the FPU, with its eight condition bits. The core changes in
    /// one point only: a cause that was not computed yet is computed.
    pub fn fcsr(&mut self) -> u32 {
        let mut fcsr = self.float.fcsr();
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            fcsr |= (self.registers[crate::registers::CONDITION + cc] as u32 & 1) << bit;
        }
        fcsr
    }

    /// Writes the register FCSR, the control and status of the FPU, with its eight condition bits.
    ///
    /// # Errors
    /// Returns [`Exception::Float`] if `value` sets a cause bit whose exception it enables, or the cause Unimplemented;
    /// the register is written all the same.
    pub fn set_fcsr(&mut self, value: u32) -> Result<(), Exception> {
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            self.registers[crate::registers::CONDITION + cc] = u64::from(value >> bit & 1);
        }
        self.float.set_fcsr(value).map_err(|t| Exception::Float(t.0))
    }
}
