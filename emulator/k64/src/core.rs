//! The state of a core, and what an instruction that stops leaves behind.

use crate::cp0::{Cp0, cause};
use crate::exception::{AccessKind, Exception};
use crate::float::FloatStatus;
use crate::memory::{Memory, PAGE};
use crate::outside::Outside;
use crate::registers::Registers;
use crate::timing::{InstructionCosts, StallCause, Timing};
use std::ops::Range;

/// Coprocessor 0 and the surroundings of a core of a machine; a core that runs a Linux program has neither.
pub struct Privileged {
    /// Coprocessor 0: the registers of exceptions, interrupts, time and the TLB.
    pub cp0: Cp0,
    /// Memory, devices, coprocessor 2 and interrupt lines outside of the core.
    pub outside: Box<dyn Outside>,
}

/// Address of the first instruction after reset.
pub const RESET: u64 = 0xffff_ffff_bfc0_0000;

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

/// State of the block of instructions that runs.
pub struct Running {
    /// Whether the current instruction may access what is outside of the core, because time outside has come to its cycle.
    pub(crate) is_alone: bool,
    /// Whether the current instruction has accessed what is outside of the core.
    pub(crate) has_reached: bool,
    /// Address of the first instruction of the block that runs; branches are relative to it.
    pub(crate) block: u64,
    /// Exception that stopped the last operation of the block.
    pub(crate) stopped: Option<Exception>,
}

/// A core with its memory: the state that instructions read and change.
pub struct Cpu {
    /// General and floating-point registers, HI, LO, conditions.
    pub registers: Registers,
    /// Virtual address of the next instruction.
    pub pc: u64,
    /// FCSR, control and status of the floating-point unit, except for the conditions.
    pub float: FloatStatus,
    /// Memory that the core fetches from, loads from and stores to.
    pub memory: Memory,
    /// Address that `ll` or `lld` has loaded from, while the atomic sequence that it began is not broken.
    pub link: Option<u64>,
    /// Value that `rdhwr` reads from hardware register 29.
    pub thread_pointer: u64,
    /// Number of instructions that were completed.
    pub n_instructions: u64,
    /// Cycles in which no instruction was completed, of a core without time.
    pub n_stalled: u64,
    /// Model of the time that instructions take; without it each takes one cycle.
    pub timing: Option<Box<Timing>>,
    /// Coprocessor 0 and the surroundings of a core of a machine; `None` if the core runs a Linux program.
    pub privileged: Option<Box<Privileged>>,
    pub(crate) running: Running,
}

impl Cpu {
    /// Creates a core after reset with this memory.
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
            running: Running { is_alone: false, has_reached: false, block: 0, stopped: None },
        }
    }

    /// Creates a core of a machine, after reset.
    #[must_use]
    pub fn of_machine(outside: Box<dyn Outside>) -> Self {
        let privileged = Privileged { cp0: Cp0::default(), outside };
        let mut core = Self::new(Memory::of_machine());
        core.pc = RESET;
        core.privileged = Some(Box::new(privileged));
        core
    }

    /// Adds a model of time to the core, from cycle 0 on and with empty caches.
    pub fn keep_time(&mut self, costs: InstructionCosts) {
        self.timing = Some(Box::new(Timing::new(costs)));
        self.memory.keep_removed();
    }

    /// Returns the current cycle; without a model of time each instruction takes one.
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
    fn forget_removed(&mut self) {
        if let Some(timing) = &mut self.timing {
            self.memory.take_removed(|page| timing.forget_page(page));
        }
    }

    /// Whether a coprocessor exists and is enabled; a Linux program has the FPU alone.
    #[must_use]
    pub fn has(&self, unit: u8) -> bool {
        match &self.privileged {
            None => unit == 1,
            Some(p) if unit == 2 => p.outside.has_coprocessor() && p.cp0.is_enabled(2),
            Some(p) => p.cp0.is_enabled(unit),
        }
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

    /// Inserts the page of an address from outside into memory, after an access that did not find it; false if there is none.
    fn get_page(&mut self, address: u64, access: AccessKind) -> Result<bool, Exception> {
        let physical = self.memory.physical(address, access)?;
        let Some(privileged) = &mut self.privileged else { return Ok(false) };
        let page = physical & !(PAGE - 1);
        let Some((bytes, allowed)) = privileged.outside.page(page) else { return Ok(false) };
        self.memory.insert(page, &bytes, allowed);
        Ok(true)
    }

    /// Returns the instruction at an address.
    ///
    /// # Errors
    /// If none can be there.
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

    /// Whether there is memory at a physical address.
    pub fn has_memory(&mut self, address: u64) -> bool {
        let page = address & !(PAGE - 1);
        self.privileged.as_mut().is_some_and(|p| p.outside.page(page).is_some())
    }

    /// Copies bytes to physical memory, as a loader does; false if there is none for all of them.
    pub fn load_bytes(&mut self, address: u64, bytes: &[u8]) -> bool {
        // Every physical address as the kernel's unmapped segment has it.
        const SEGMENT: u64 = 0x9000_0000_0000_0000;
        self.memory.change_mmu(false, |mmu| mmu.wide = [true; 3]);
        let loaded = self.write_bytes(SEGMENT | address, bytes);
        self.renew_mmu();
        loaded.is_ok()
    }

    /// Copies bytes to memory, as a loader or a debugger does.
    ///
    /// # Errors
    /// If there is no memory for some of them; those before them are written.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        for (at, range) in parts(address, bytes.len()) {
            self.have_page(at)?;
            self.memory.place(at, &bytes[range])?;
        }
        Ok(())
    }

    /// Copies bytes from memory, as a debugger does.
    ///
    /// # Errors
    /// If there is no memory for some of them.
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

    /// Stores bytes of which memory has said that it does not have their address: in a page that is got now, or outside of
    /// the core.
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
                self.running.has_reached = true;
                let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
                let stored = privileged.outside.store(physical, N, value);
                stored.ok_or(Exception::Unmapped { address, access: AccessKind::Store })
            }
            _ => Err(exception),
        }
    }

    /// Value of the register FIR, which tells the features of the FPU: no paired singles, 64-bit registers, a generic
    /// implementation.
    pub const FIR: u32 = 0x0073_0000;

    /// Returns FCSR with the conditions.
    pub fn fcsr(&mut self) -> u32 {
        let mut fcsr = self.float.fcsr();
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            fcsr |= (self.registers[crate::registers::CONDITION + cc] as u32 & 1) << bit;
        }
        fcsr
    }

    /// Writes FCSR with the conditions.
    ///
    /// # Errors
    /// If a cause is written that is enabled.
    pub fn set_fcsr(&mut self, value: u32) -> Result<(), Exception> {
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            self.registers[crate::registers::CONDITION + cc] = u64::from(value >> bit & 1);
        }
        self.float.set_fcsr(value).map_err(|t| Exception::Float(t.0))
    }
}
