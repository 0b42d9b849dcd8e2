//! Memory management unit (MMU) of the control processor, from virtual to physical addresses: segments by mode, and the
//! TLB, the table of pages. Facts: the MIPS64 architecture, release 1.

use crate::exception::{AccessKind, Exception, Miss};

/// Number of entries of the TLB; each maps a pair of neighbouring virtual pages. The number is a choice of this
/// emulator.
pub const ENTRIES: usize = 48;
/// Bits of a virtual address within a mapped segment, a choice of this emulator.
const SEGMENT_BITS: u32 = 40;
/// End of the physical addresses, not included: they have 36 bits, a choice of this emulator.
pub const PHYSICAL_END: u64 = 1 << 36;
/// Mask of the bits of a virtual address, and of the register EntryHi, that name a pair of pages of the TLB: the region
/// in bits 63:62, and the number of the pair in bits 39:13.
pub const PAIR: u64 = 3 << 62 | ((1 << SEGMENT_BITS) - 1) & !0x1fff;
/// Mask of the bits of the register PageMask that can be set: pages of 4 KiB to 16 MiB.
pub const MASK: u32 = 0x01ff_e000;

/// Privilege mode of a core, which decides which virtual addresses and which instructions a program may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivilegeMode {
    /// Kernel mode, which reaches all segments of virtual addresses.
    #[default]
    Kernel,
    /// Supervisor mode, which reaches the segments of user mode and those of its own.
    Supervisor,
    /// User mode, which reaches only the lowest segment of virtual addresses: 2 GiB, or more if 64-bit segments of user
    /// mode are enabled.
    User,
}

/// Page of a TLB entry, which has two: its physical address and its rights, the content of a register EntryLo0 or
/// EntryLo1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Physical address of the first byte of the page, of 36 bits.
    pub address: u64,
    /// Coherence attribute of the page, 0 to 7; it is kept and has no effect.
    pub coherence: u8,
    /// Whether stores to the page are allowed (bit D of the architecture). Stores do not change it.
    pub is_dirty: bool,
    /// Whether the page can be accessed (bit V of the architecture); if not, an access raises an exception.
    pub is_valid: bool,
}

impl Frame {
    /// Reads a frame from the value of the register EntryLo0 or EntryLo1; the global bit is ignored.
    #[must_use]
    pub const fn of(low: u64) -> Self {
        Self {
            address: (low >> 6 << 12) & (PHYSICAL_END - 1),
            coherence: (low >> 3 & 7) as u8,
            is_dirty: low & 4 != 0,
            is_valid: low & 2 != 0,
        }
    }
    /// Returns the frame as the value of the register EntryLo0 or EntryLo1, with 0 for the global bit.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.address >> 12 << 6
            | (self.coherence as u64) << 3
            | (self.is_dirty as u64) << 2
            | (self.is_valid as u64) << 1
    }
}

/// An entry of the TLB: a pair of virtual pages side by side in an address space, and the physical page of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlbEntry {
    /// Virtual address of the pair of pages, as in the register EntryHi: region and number of the pair, the bits of
    /// [`PAIR`].
    pub pair: u64,
    /// Number of the address space to which the entry belongs (ASID).
    pub space: u8,
    /// Whether the entry holds in all address spaces, whatever `space` is.
    pub is_global: bool,
    /// Size of the pages, as in the register PageMask: the bits of [`MASK`] that are set are not compared. 0 means
    /// pages of 4 KiB.
    pub mask: u32,
    /// The two physical pages, that of the lower virtual addresses first.
    pub frames: [Frame; 2],
}

impl TlbEntry {
    fn matches(&self, address: u64, space: u8) -> bool {
        let compared = PAIR & !u64::from(self.mask);
        (address ^ self.pair) & compared == 0 && (self.is_global || self.space == space)
    }
}

/// Memory management unit of a core: mode, enabled 64-bit segments, address space and the 48 entries of the TLB, which
/// decide which physical address a virtual address has.
#[derive(Clone, Debug)]
pub struct Mmu {
    /// Privilege mode of the core.
    pub mode: PrivilegeMode,
    /// Whether Status.ERL is set, as after reset: the lowest 2 GiB of virtual addresses are then physical addresses.
    pub is_error_level: bool,
    /// Whether the 64-bit segments of user, supervisor and kernel, in this order, are enabled (bits UX, SX and KX of
    /// Status).
    pub wide: [bool; 3],
    /// Number of the current address space (ASID), as in the register EntryHi.
    pub space: u8,
    entries: [TlbEntry; ENTRIES],
}

impl Default for Mmu {
    fn default() -> Self {
        Self {
            mode: PrivilegeMode::Kernel,
            is_error_level: true,
            wide: [false; 3],
            space: 0,
            entries: [TlbEntry::default(); ENTRIES],
        }
    }
}

/// Translation of an address by its segment, before the TLB is asked.
enum Segment {
    /// Segment that is not mapped, with the physical address.
    Unmapped(u64),
    /// Segment whose addresses go through the TLB.
    Mapped,
}

impl Mmu {
    /// Returns the TLB entry with a number, taken modulo 48.
    #[must_use]
    pub fn entry(&self, number: u32) -> &TlbEntry {
        &self.entries[number as usize % ENTRIES]
    }

    /// Writes the TLB entry with a number, taken modulo 48. If several entries have a virtual address, that with the
    /// lowest number translates it, a choice of this emulator.
    pub fn set_entry(&mut self, number: u32, entry: TlbEntry) {
        self.entries[number as usize % ENTRIES] = entry;
    }

    /// Returns the number of the first TLB entry that has the virtual address `address` in the address space `space`,
    /// whether or not its page is valid; `None` if there is none.
    #[must_use]
    pub fn probe(&self, address: u64, space: u8) -> Option<u32> {
        self.entries.iter().position(|e| e.matches(address, space)).map(|i| i as u32)
    }

    /// Returns the physical address of a virtual address for an access of a kind.
    ///
    /// # Errors
    /// Returns [`Exception::Forbidden`] if the mode may not use the segment of the address, and [`Exception::Tlb`] if
    /// the TLB has no page for it that allows the access.
    pub fn translate(&self, address: u64, access: AccessKind) -> Result<u64, Exception> {
        match self.segment(address) {
            None => Err(Exception::Forbidden { address, access }),
            Some(Segment::Unmapped(physical)) => Ok(physical),
            Some(Segment::Mapped) => self.look_up(address, access),
        }
    }

    fn segment(&self, address: u64) -> Option<Segment> {
        let [user, supervisor, kernel] = self.wide;
        let is_kernel = self.mode == PrivilegeMode::Kernel;
        let is_above_user = self.mode != PrivilegeMode::User;
        let in_segment = address << 2 >> 2 >> SEGMENT_BITS == 0;
        let mapped = |is_there: bool| is_there.then_some(Segment::Mapped);
        match address {
            0..=0x7fff_ffff if self.is_error_level => Some(Segment::Unmapped(address)),
            0..=0x7fff_ffff => Some(Segment::Mapped),
            0x8000_0000..=0x3fff_ffff_ffff_ffff => mapped(user && in_segment),
            0x4000_0000_0000_0000..=0x7fff_ffff_ffff_ffff => {
                mapped(is_above_user && supervisor && in_segment)
            }
            0x8000_0000_0000_0000..=0xbfff_ffff_ffff_ffff => {
                let physical = address & 0x07ff_ffff_ffff_ffff;
                let is_there = is_kernel && kernel && physical < PHYSICAL_END;
                is_there.then_some(Segment::Unmapped(physical))
            }
            0xc000_0000_0000_0000..=0xffff_ffff_7fff_ffff => {
                mapped(is_kernel && kernel && in_segment)
            }
            0xffff_ffff_8000_0000..=0xffff_ffff_bfff_ffff => {
                is_kernel.then_some(Segment::Unmapped(address & 0x1fff_ffff))
            }
            0xffff_ffff_c000_0000..=0xffff_ffff_dfff_ffff => mapped(is_above_user),
            _ => mapped(is_kernel),
        }
    }

    fn look_up(&self, address: u64, access: AccessKind) -> Result<u64, Exception> {
        let fail = |miss| Err(Exception::Tlb { address, access, miss });
        let Some(entry) = self.entries.iter().find(|e| e.matches(address, self.space)) else {
            return fail(Miss::Refill);
        };
        // The pair is twice a page; the highest bit within it chooses.
        let size = (u64::from(entry.mask) | 0x1fff).div_ceil(2);
        let frame = entry.frames[usize::from(address & size != 0)];
        if !frame.is_valid {
            return fail(Miss::Invalid);
        }
        if access == AccessKind::Store && !frame.is_dirty {
            return fail(Miss::Modified);
        }
        Ok(frame.address & !(size - 1) | address & (size - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Mmu, PrivilegeMode, TlbEntry};
    use crate::exception::{AccessKind, Exception, Miss};

    const KSEG0: u64 = 0xffff_ffff_8000_0000;

    fn mmu() -> Mmu {
        Mmu { is_error_level: false, ..Mmu::default() }
    }

    #[test]
    fn kernel_segments_are_not_mapped_and_users_have_them_not() {
        let mut mmu = mmu();
        assert_eq!(mmu.translate(KSEG0 + 0x1234, AccessKind::Load), Ok(0x1234));
        assert_eq!(mmu.translate(0xffff_ffff_bfc0_0000, AccessKind::Fetch), Ok(0x1fc0_0000));
        let wide = 0x9000_0000_2000_0000;
        let refused = Exception::Forbidden { address: wide, access: AccessKind::Load };
        assert_eq!(mmu.translate(wide, AccessKind::Load), Err(refused), "KX is off");
        let message = "address error: load at 0x9000000020000000, an address that the mode of the core does not have";
        assert_eq!(refused.to_string(), message);
        mmu.wide[2] = true;
        assert_eq!(mmu.translate(wide, AccessKind::Load), Ok(0x2000_0000));
        assert!(mmu.translate(0x9000_0010_0000_0000, AccessKind::Load).is_err(), "beyond 36 bits");
        mmu.mode = PrivilegeMode::User;
        let refused = Exception::Forbidden { address: KSEG0, access: AccessKind::Load };
        assert_eq!(mmu.translate(KSEG0, AccessKind::Load), Err(refused));
        assert_eq!(
            mmu.translate(0x8000_0000, AccessKind::Load),
            Err(Exception::Forbidden { address: 0x8000_0000, access: AccessKind::Load }),
            "UX is off"
        );
    }

    #[test]
    fn pairs_of_pages_by_size_space_and_rights() {
        let mut mmu = mmu();
        mmu.space = 7;
        let even = Frame { address: 0x10_0000, coherence: 3, is_dirty: true, is_valid: true };
        let odd = Frame { address: 0x20_0000, is_dirty: false, ..even };
        let entry = TlbEntry {
            pair: 0x40_0000,
            space: 7,
            mask: 0x1e000,
            frames: [even, odd],
            ..TlbEntry::default()
        };
        mmu.set_entry(47, entry);
        assert_eq!(mmu.translate(0x40_1234, AccessKind::Store), Ok(0x10_1234));
        assert_eq!(mmu.translate(0x41_1234, AccessKind::Load), Ok(0x20_1234));
        let miss = |address, access, miss| Err(Exception::Tlb { address, access, miss });
        let at = 0x41_1234;
        assert_eq!(
            mmu.translate(at, AccessKind::Store),
            miss(at, AccessKind::Store, Miss::Modified)
        );
        let behind = 0x42_0000;
        assert_eq!(
            mmu.translate(behind, AccessKind::Load),
            miss(behind, AccessKind::Load, Miss::Refill)
        );
        mmu.space = 8;
        assert_eq!(mmu.translate(at, AccessKind::Load), miss(at, AccessKind::Load, Miss::Refill));
        mmu.set_entry(47, TlbEntry { is_global: true, ..entry });
        assert_eq!(mmu.translate(at, AccessKind::Load), Ok(0x20_1234));
        assert_eq!(mmu.probe(at, 1), Some(47));
        assert_eq!(Frame::of(odd.bits()), odd);
    }

    #[test]
    fn the_lowest_gigabytes_are_open_at_error_level() {
        let mut mmu = Mmu::default();
        assert_eq!(mmu.translate(0x1000, AccessKind::Load), Ok(0x1000));
        mmu.is_error_level = false;
        assert!(mmu.translate(0x1000, AccessKind::Load).is_err());
    }
}
