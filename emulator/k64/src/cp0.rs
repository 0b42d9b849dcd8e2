//! Coprocessor 0 of the control processor: its registers, and what software may change in them. Facts: the MIPS64
//! architecture, release 1.

use crate::mmu::{ENTRIES, Frame, MASK, Mmu, PAIR, PrivilegeMode, TlbEntry};

/// Numbers of the registers of coprocessor 0, as instructions name them: each is that of a register with select 0.
/// Names are those of the architecture.
pub mod number {
    /// Number of the register Index: number of the TLB entry that `tlbr` reads and `tlbwi` writes, and result of the
    /// search `tlbp`.
    pub const INDEX: u8 = 0;
    /// Number of the register Random: number of the TLB entry that `tlbwr` writes; it changes from cycle to cycle.
    pub const RANDOM: u8 = 1;
    /// Number of the register EntryLo0: physical address and rights of the even page of a TLB entry.
    pub const ENTRY_LO0: u8 = 2;
    /// Number of the register EntryLo1: physical address and rights of the odd page of a TLB entry.
    pub const ENTRY_LO1: u8 = 3;
    /// Number of the register Context: base of a page table, which software writes, and number of the pair of pages
    /// that missed the TLB.
    pub const CONTEXT: u8 = 4;
    /// Number of the register PageMask: size of the pages of a TLB entry.
    pub const PAGE_MASK: u8 = 5;
    /// Number of the register Wired: how many TLB entries, from number 0 on, Random never names.
    pub const WIRED: u8 = 6;
    /// Number of the register BadVAddr: virtual address of the last access that raised an address error or a TLB
    /// exception.
    pub const BAD_VADDR: u8 = 8;
    /// Number of the register Count: timer that counts at half the clock of the core.
    pub const COUNT: u8 = 9;
    /// Number of the register EntryHi: pair of virtual pages and address space of a TLB entry.
    pub const ENTRY_HI: u8 = 10;
    /// Number of the register Compare: value of Count at which the timer raises its interrupt; a write clears that.
    pub const COMPARE: u8 = 11;
    /// Number of the register Status: mode, enabled interrupts and coprocessors.
    pub const STATUS: u8 = 12;
    /// Number of the register Cause: reason of the last exception, and interrupts that are pending.
    pub const CAUSE: u8 = 13;
    /// Number of the register EPC: address at which a program goes on after an exception.
    pub const EPC: u8 = 14;
    /// Number of the register PRId: identity of the processor, read-only.
    pub const PRID: u8 = 15;
    /// Number of the register Config: features of the processor, read-only; Config1 has the same number and select 1.
    pub const CONFIG: u8 = 16;
    /// Number of the register XContext: the same as Context (base of a page table, and pair of pages that missed the
    /// TLB), for 64-bit addresses.
    pub const XCONTEXT: u8 = 20;
    /// Number of the register TagLo: tag of a cache line in the architecture; here a register that keeps its value and
    /// has no effect.
    pub const TAG_LO: u8 = 28;
    /// Number of the register TagHi: tag of a cache line in the architecture; here a register that keeps its value and
    /// has no effect.
    pub const TAG_HI: u8 = 29;
    /// Number of the register ErrorEPC: address at which a program goes on after a reset or an error.
    pub const ERROR_EPC: u8 = 30;
}

/// Masks of the bits of the register Status of coprocessor 0.
pub mod status {
    /// Bit IE: interrupts are enabled, unless EXL or ERL is set.
    pub const IE: u32 = 1;
    /// Bit EXL (exception level): an exception is being handled, in kernel mode and without interrupts.
    pub const EXL: u32 = 1 << 1;
    /// Bit ERL (error level): a reset or an error is being handled, in kernel mode and without interrupts.
    pub const ERL: u32 = 1 << 2;
    /// Bit BEV: exceptions go to handlers in the boot memory. This model has none there, so no exception finds a
    /// handler while the bit is set.
    pub const BEV: u32 = 1 << 22;
    /// Bit FR: all 32 registers of the FPU have 64 bits. Here the bit is always set.
    pub const FR: u32 = 1 << 26;
    /// Bit CU0: coprocessor 0 can be used outside of kernel mode. The next higher bits, CU1 and CU2, enable
    /// coprocessors 1 (FPU) and 2 (CP2).
    pub const CU0: u32 = 1 << 28;
    /// Bits that software can change.
    pub(super) const WRITABLE: u32 = 0x7000_0000 | BEV | 0xff00 | 0xff;
}

/// Masks of bits of the register Cause of coprocessor 0.
pub mod cause {
    /// Bit BD of Cause: the instruction that raised the exception stands in the delay slot of a branch.
    pub const BD: u32 = 1 << 31;
    /// Bit IV of Cause, which software sets: interrupts have a handler of their own, at offset 0x200.
    pub const IV: u32 = 1 << 23;
    /// The two interrupts that software raises.
    pub(super) const SOFTWARE: u32 = 3 << 8;
    /// Bit of the interrupt of the timer (Count has reached Compare), as a mask of the eight bits of Cause.IP, which
    /// are bits 15:8 of Cause.
    pub const TIMER: u8 = 1 << 7;
    /// Bits of the lines from outside of the core, other than the timer, in the eight bits of IP.
    pub(crate) const LINES: u8 = 0x7c;
}

/// Bit of Index: the last `tlbp` found no entry.
const FAILED: u64 = 1 << 31;
/// Value of PRId: no company's, a MIPS64 core of release 1. `[own]`
const PRID: u64 = 0;
/// Value of Config: big-endian, MIPS64 with 64-bit segments, release 1, TLB, kseg0 cached.
const CONFIG: u64 = 1 << 31 | 1 << 15 | 2 << 13 | 1 << 7 | 3;
/// Value of Config1: 48 entries, coprocessor 2, FPU; caches are the machine's and not told here.
const CONFIG1: u64 = (ENTRIES as u64 - 1) << 25 | 1 << 6 | 1;

/// Coprocessor 0 of a core (system control): the registers of exceptions, interrupts, time and address translation, and
/// their rules. The registers that describe one entry of the TLB are here, the TLB itself is in [`Mmu`].
#[derive(Clone, Debug)]
pub struct Cp0 {
    index: u64,
    entry_lo: [u64; 2],
    context: u64,
    xcontext: u64,
    page_mask: u32,
    wired: u32,
    /// Register BadVAddr: virtual address of the last access that raised an address error or a TLB exception.
    pub bad_address: u64,
    entry_hi: u64,
    /// Value of Count, less half the cycles.
    count: u32,
    compare: u32,
    /// Cycle of the next interrupt of the timer.
    timer_at: u64,
    status: u32,
    cause: u32,
    /// Register EPC: address of the instruction that an exception interrupted, or of the branch in whose delay slot it
    /// stands.
    pub epc: u64,
    /// Register ErrorEPC: address to which `eret` returns while Status.ERL is set, after a reset or an error.
    pub error_epc: u64,
    tags: [u64; 2],
    /// Whether the core waits: the instruction `wait` was executed, and no interrupt has come since.
    pub is_waiting: bool,
    /// High half for the next write of a register of coprocessor 2 (CP2) by `mtc2`, which gives the low half. It is
    /// written before by `mtc2` to register 31 or by `lwc2`, as the model library of CP2 has it.
    pub buffer: u32,
}

impl Default for Cp0 {
    fn default() -> Self {
        Self {
            index: 0,
            entry_lo: [0; 2],
            context: 0,
            xcontext: 0,
            page_mask: 0,
            wired: 0,
            bad_address: 0,
            entry_hi: 0,
            count: 0,
            compare: 0,
            timer_at: 1 << 33,
            status: status::BEV | status::ERL | status::FR,
            cause: 0,
            epc: 0,
            error_epc: 0,
            tags: [0; 2],
            is_waiting: false,
            buffer: 0,
        }
    }
}

const fn extended(word: u32) -> u64 {
    word as i32 as u64
}

impl Cp0 {
    /// Returns the register Status: mode, enabled interrupts and coprocessors; [`status`] has masks of its bits.
    #[must_use]
    pub fn status(&self) -> u32 {
        self.status
    }

    /// Returns the register Cause: reason of the last exception, and pending interrupts; [`cause`] has masks of its
    /// bits.
    #[must_use]
    pub fn cause(&self) -> u32 {
        self.cause
    }

    /// Whether coprocessor `unit` can be used: its bit CU in Status is set, or it is number 0 in kernel mode. There are
    /// coprocessors 0 to 3; others cannot be used.
    #[must_use]
    pub fn is_enabled(&self, unit: u8) -> bool {
        let is_set = unit < 4 && self.status & status::CU0 << unit != 0;
        is_set || unit == 0 && self.mode() == PrivilegeMode::Kernel
    }

    /// Returns the privilege mode of the core by Status: kernel mode while an exception or error is handled, else the
    /// mode of the field KSU.
    #[must_use]
    pub fn mode(&self) -> PrivilegeMode {
        match self.status >> 3 & 3 {
            _ if self.status & (status::EXL | status::ERL) != 0 => PrivilegeMode::Kernel,
            0 => PrivilegeMode::Kernel,
            1 => PrivilegeMode::Supervisor,
            _ => PrivilegeMode::User,
        }
    }

    /// Returns the register Count as it is in `cycle`, the core's cycle counted from 0: it increases by 1 in every
    /// second cycle. The architecture leaves this rate open; it is a choice of this emulator.
    #[must_use]
    pub fn count(&self, cycle: u64) -> u32 {
        self.count.wrapping_add((cycle / 2) as u32)
    }

    /// Returns the value of the register with number `register` (see [`number`]) and select `select`, as it is in
    /// `cycle`, the core's cycle counted from 0; only Count and Random depend on the cycle. Registers of 32 bits are
    /// sign-extended where the architecture does so. A register that is not there reads as 0.
    #[must_use]
    pub fn read(&self, register: u8, select: u8, cycle: u64) -> u64 {
        use number as n;
        match (register, select) {
            (n::INDEX, 0) => self.index,
            (n::RANDOM, 0) => self.random(cycle).into(),
            (n::ENTRY_LO0, 0) => self.entry_lo[0],
            (n::ENTRY_LO1, 0) => self.entry_lo[1],
            (n::CONTEXT, 0) => self.context,
            (n::PAGE_MASK, 0) => self.page_mask.into(),
            (n::WIRED, 0) => self.wired.into(),
            (n::BAD_VADDR, 0) => self.bad_address,
            (n::COUNT, 0) => extended(self.count(cycle)),
            (n::ENTRY_HI, 0) => self.entry_hi,
            (n::COMPARE, 0) => extended(self.compare),
            (n::STATUS, 0) => extended(self.status),
            (n::CAUSE, 0) => extended(self.cause),
            (n::EPC, 0) => self.epc,
            (n::PRID, 0) => PRID,
            (n::CONFIG, 0) => extended(CONFIG as u32),
            (n::CONFIG, 1) => extended(CONFIG1 as u32),
            (n::XCONTEXT, 0) => self.xcontext,
            (n::TAG_LO, 0) => self.tags[0],
            (n::TAG_HI, 0) => self.tags[1],
            (n::ERROR_EPC, 0) => self.error_epc,
            _ => 0,
        }
    }

    /// Writes the bits of a register that software can change; `register` is its number (see [`number`]), `select` its
    /// select, `cycle` the core's cycle counted from 0. A register that is not there or is read-only stays as it is.
    /// The caller has to update the [`Mmu`] (see [`Cp0::set_mmu`]).
    pub fn write(&mut self, register: u8, select: u8, value: u64, cycle: u64) {
        use number as n;
        match (register, select) {
            (n::INDEX, 0) => self.index = self.index & FAILED | value & 63,
            (n::ENTRY_LO0, 0) => self.entry_lo[0] = value & 0x3fff_ffff,
            (n::ENTRY_LO1, 0) => self.entry_lo[1] = value & 0x3fff_ffff,
            (n::CONTEXT, 0) => self.context = self.context & 0x7f_fff0 | value & !0x7f_ffff,
            (n::PAGE_MASK, 0) => self.page_mask = value as u32 & MASK,
            (n::WIRED, 0) => self.wired = (value as u32 & 63).min(ENTRIES as u32 - 1),
            (n::COUNT, 0) => {
                self.count = (value as u32).wrapping_sub((cycle / 2) as u32);
                self.set_timer(cycle);
            }
            (n::ENTRY_HI, 0) => self.entry_hi = value & (PAIR | 0xff),
            (n::COMPARE, 0) => {
                self.compare = value as u32;
                self.cause &= !(u32::from(cause::TIMER) << 8);
                self.set_timer(cycle);
            }
            (n::STATUS, 0) => self.status = value as u32 & status::WRITABLE | status::FR,
            (n::CAUSE, 0) => {
                let writable = cause::SOFTWARE | cause::IV;
                self.cause = self.cause & !writable | value as u32 & writable;
            }
            (n::EPC, 0) => self.epc = value,
            (n::XCONTEXT, 0) => {
                self.xcontext = self.xcontext & 0x1_ffff_fff0 | value & !0x1_ffff_ffff;
            }
            (n::TAG_LO, 0) => self.tags[0] = value,
            (n::TAG_HI, 0) => self.tags[1] = value,
            (n::ERROR_EPC, 0) => self.error_epc = value,
            _ => {}
        }
    }

    /// Returns the register Random as it is in `cycle`, the core's cycle counted from 0: the number of a TLB entry. It
    /// runs from 47, the last entry, down to the number in Wired, by one in each cycle, and begins again. The
    /// architecture leaves this sequence open; it is a choice of this emulator.
    #[must_use]
    pub fn random(&self, cycle: u64) -> u32 {
        let free = u64::from(ENTRIES as u32 - self.wired);
        (ENTRIES as u64 - 1 - cycle % free) as u32
    }

    fn set_timer(&mut self, cycle: u64) {
        let left = self.compare.wrapping_sub(self.count(cycle));
        let left = if left == 0 { 1 << 32 } else { u64::from(left) };
        self.timer_at = (cycle / 2 + left) * 2;
    }

    /// Returns the cycle, counted from 0, in which the timer raises its interrupt next: the first in which Count is
    /// Compare.
    #[must_use]
    pub fn timer_at(&self) -> u64 {
        self.timer_at
    }

    /// Whether the mask in Status (field IM) lets the interrupt of the timer through.
    #[must_use]
    pub fn listens_to_timer(&self) -> bool {
        self.status >> 8 & u32::from(cause::TIMER) != 0
    }

    /// Whether an interrupt from a line outside of the core, other than the timer, would be taken now: interrupts are
    /// enabled, and the mask lets a line through.
    #[must_use]
    pub fn listens_to_lines(&self) -> bool {
        let is_open = self.status & (status::IE | status::EXL | status::ERL) == status::IE;
        is_open && self.status >> 8 & u32::from(cause::LINES) != 0
    }

    /// Updates the pending interrupts in Cause.IP to the state of `cycle`. `lines` are the interrupt lines from outside
    /// that are up, as bits of the eight bits of IP, of which only bits 2 to 6 count; the timer sets its bit if its
    /// cycle has come.
    pub fn set_lines(&mut self, lines: u8, cycle: u64) {
        if cycle >= self.timer_at {
            self.cause |= u32::from(cause::TIMER) << 8;
            self.timer_at += 1 << 33;
        }
        let kept = self.cause & (cause::SOFTWARE | u32::from(cause::TIMER) << 8);
        self.cause = self.cause & !0xff00 | kept | u32::from(lines & cause::LINES) << 8;
    }

    /// Whether the core has to take an interrupt before its next instruction: interrupts are enabled, no exception or
    /// error is being handled, and an interrupt is pending that the mask lets through.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        let is_open = self.status & (status::IE | status::EXL | status::ERL) == status::IE;
        is_open && self.is_pending()
    }

    /// Whether an interrupt is pending that the mask in Status lets through, whether or not interrupts are enabled. It
    /// ends the instruction `wait`.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.cause & self.status & 0xff00 != 0
    }

    /// Begins an exception: writes its code `code`, 0 to 31, and the coprocessor number `unit`, 0 to 3, to Cause.
    /// Unless Status.EXL was set, also writes `pc` to EPC, sets Cause.BD to `is_delayed`, and sets Status.EXL. `pc` is
    /// the address of the instruction, or of the branch in whose delay slot it stands; `is_delayed` says the latter.
    pub fn begin(&mut self, code: u8, unit: u8, pc: u64, is_delayed: bool) {
        self.cause = self.cause & !(0x7c | 3 << 28) | u32::from(code) << 2 | u32::from(unit) << 28;
        if self.status & status::EXL == 0 {
            self.epc = pc;
            self.cause = self.cause & !cause::BD | if is_delayed { cause::BD } else { 0 };
            self.status |= status::EXL;
        }
    }

    /// Writes the virtual address of an access that raised a TLB exception to the registers Context, XContext and
    /// EntryHi, as far as they have bits for it; from these the handler refills the TLB.
    pub fn set_missed(&mut self, address: u64) {
        let page = address >> 13;
        self.context = self.context & !0x7f_ffff | (page & 0x7_ffff) << 4;
        let region = address >> 62;
        self.xcontext = self.xcontext & !0x1_ffff_ffff | region << 31 | (page & 0x7ff_ffff) << 4;
        self.entry_hi = address & PAIR | self.entry_hi & 0xff;
    }

    /// Executes the return from an exception (`eret`): clears Status.ERL if it is set, else Status.EXL, and returns the
    /// address at which the program goes on, which is ErrorEPC or EPC.
    pub fn end(&mut self) -> u64 {
        if self.status & status::ERL != 0 {
            self.status &= !status::ERL;
            self.error_epc
        } else {
            self.status &= !status::EXL;
            self.epc
        }
    }

    /// Executes `ei` or `di`: sets Status.IE to `is_enabled`, and returns Status as it was before, sign-extended.
    pub fn enable(&mut self, is_enabled: bool) -> u64 {
        let old = extended(self.status);
        self.status = self.status & !status::IE | u32::from(is_enabled);
        old
    }

    /// Copies to the MMU what decides address translation in the registers Status and EntryHi: privilege mode, error
    /// level, enabled 64-bit segments and address space.
    pub fn set_mmu(&self, mmu: &mut Mmu) {
        mmu.mode = self.mode();
        mmu.is_error_level = self.status & status::ERL != 0;
        mmu.wide = [5, 6, 7].map(|bit| self.status >> bit & 1 != 0);
        mmu.space = self.entry_hi as u8;
    }

    /// Returns what a write of the TLB needs: the number in the register Index, 0 to 63, and the TLB entry that
    /// EntryHi, EntryLo0, EntryLo1 and PageMask describe. `tlbwi` writes the entry at that number, `tlbwr` at the one
    /// in Random.
    #[must_use]
    pub fn entry(&self) -> (u32, TlbEntry) {
        let entry = TlbEntry {
            pair: self.entry_hi & PAIR & !u64::from(self.page_mask),
            space: self.entry_hi as u8,
            is_global: self.entry_lo[0] & self.entry_lo[1] & 1 != 0,
            mask: self.page_mask,
            frames: self.entry_lo.map(Frame::of),
        };
        (self.index as u32 & 63, entry)
    }

    /// Executes `tlbr` for an entry of the TLB: copies it to the registers EntryHi, EntryLo0, EntryLo1 and PageMask.
    pub fn set_entry(&mut self, entry: &TlbEntry) {
        self.entry_hi = entry.pair | u64::from(entry.space);
        self.entry_lo = entry.frames.map(|frame| frame.bits() | u64::from(entry.is_global));
        self.page_mask = entry.mask;
    }

    /// Executes the end of `tlbp`, the search of the TLB: writes the number of the entry `found` to the register Index,
    /// or its failure bit if `found` is `None`.
    pub fn set_index(&mut self, found: Option<u32>) {
        self.index = found.map_or(extended(FAILED as u32), u64::from);
    }

    /// Returns what `tlbp` searches the TLB for: the address of the pair of pages in EntryHi, and the number of the
    /// address space there.
    #[must_use]
    pub fn wanted(&self) -> (u64, u8) {
        (self.entry_hi & PAIR, self.entry_hi as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cp0, cause, number, status};

    #[test]
    fn the_timer_raises_its_line_when_count_reaches_compare() {
        let mut cp0 = Cp0::default();
        cp0.write(number::COUNT, 0, 100, 50);
        assert_eq!(cp0.read(number::COUNT, 0, 50), 100);
        assert_eq!(cp0.read(number::COUNT, 0, 53), 101);
        cp0.write(number::COMPARE, 0, 110, 53);
        assert_eq!(cp0.timer_at(), 70);
        cp0.set_lines(0, 69);
        assert_eq!(cp0.cause() >> 15 & 1, 0);
        cp0.set_lines(0, 70);
        assert_eq!(cp0.cause() >> 15 & 1, 1);
        assert_eq!(cp0.count(70), 110);
        cp0.write(number::COMPARE, 0, 0, 80);
        assert_eq!(cp0.cause(), 0);
    }

    #[test]
    fn interrupts_need_their_mask_and_no_level() {
        let mut cp0 = Cp0::default();
        cp0.set_lines(1 << 3, 0);
        cp0.write(number::STATUS, 0, u64::from(status::IE | 1 << 11), 0);
        assert!(cp0.is_interrupted());
        cp0.write(number::STATUS, 0, u64::from(status::IE | 1 << 10), 0);
        assert!(!cp0.is_interrupted());
        cp0.write(number::STATUS, 0, u64::from(status::IE | status::EXL | 1 << 11), 0);
        assert!(!cp0.is_interrupted() && cp0.is_pending());
    }

    #[test]
    fn an_exception_within_one_keeps_where_the_first_came_from() {
        let mut cp0 = Cp0::default();
        cp0.write(number::STATUS, 0, 0, 0);
        cp0.begin(4, 0, 0x1000, true);
        assert_eq!((cp0.epc, cp0.cause()), (0x1000, cause::BD | 4 << 2));
        cp0.begin(11, 2, 0x2000, false);
        assert_eq!((cp0.epc, cp0.cause()), (0x1000, cause::BD | 2 << 28 | 11 << 2));
        assert_eq!(cp0.end(), 0x1000);
        assert_eq!(cp0.status() & status::EXL, 0);
    }
}
