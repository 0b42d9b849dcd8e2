//! Memory management unit, from virtual to physical addresses: segments by mode, and the TLB. Facts: the MIPS64 architecture,
//! release 1.

use crate::exception::{AccessKind, Exception, Miss};

/// Number of entries of the TLB, two pages each. `[own]`
pub const ENTRIES: usize = 48;
/// Bits of a virtual address within a mapped segment. `[own]`
const SEGMENT_BITS: u32 = 40;
/// End of the physical addresses. `[own: 36 bits]`
pub const PHYSICAL_END: u64 = 1 << 36;
/// Bits of EntryHi that name a pair of pages: region, and number down to bit 13.
pub const PAIR: u64 = 3 << 62 | ((1 << SEGMENT_BITS) - 1) & !0x1fff;
/// Bits of PageMask that can be set: pages of 4 KiB to 16 MiB.
pub const MASK: u32 = 0x01ff_e000;

/// Privilege mode of the core, which decides the addresses that it reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivilegeMode {
    /// Mode that reaches all addresses.
    #[default]
    Kernel,
    /// Mode that reaches what user mode does, and a segment of its own.
    Supervisor,
    /// Mode that reaches the lower part of the addresses alone.
    User,
}

/// Page of an entry of the TLB, which has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Physical address of the first byte of the page, 36 bits.
    pub address: u64,
    /// Coherence attribute, kept and without effect.
    pub coherence: u8,
    /// Whether stores to the page are allowed (bit D); it says nothing of stores that were done.
    pub is_dirty: bool,
    /// Whether there is a page (bit V); accesses raise an exception otherwise.
    pub is_valid: bool,
}

impl Frame {
    /// Creates a frame from EntryLo without its global bit.
    #[must_use]
    pub const fn of(low: u64) -> Self {
        Self {
            address: (low >> 6 << 12) & (PHYSICAL_END - 1),
            coherence: (low >> 3 & 7) as u8,
            is_dirty: low & 4 != 0,
            is_valid: low & 2 != 0,
        }
    }
    /// Returns EntryLo of the frame without its global bit.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.address >> 12 << 6
            | (self.coherence as u64) << 3
            | (self.is_dirty as u64) << 2
            | (self.is_valid as u64) << 1
    }
}

/// An entry of the TLB: two pages side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlbEntry {
    /// Region and number of the pair, as in EntryHi.
    pub pair: u64,
    /// Address space to which the entry belongs.
    pub space: u8,
    /// Whether the entry belongs to all address spaces.
    pub is_global: bool,
    /// Bits of PageMask, which say how large the pages are.
    pub mask: u32,
    /// Pages of the entry, that of the lower addresses first.
    pub frames: [Frame; 2],
}

impl TlbEntry {
    fn matches(&self, address: u64, space: u8) -> bool {
        let compared = PAIR & !u64::from(self.mask);
        (address ^ self.pair) & compared == 0 && (self.is_global || self.space == space)
    }
}

/// Memory management unit: mode, enabled 64-bit segments, address space and TLB decide about an address.
#[derive(Clone, Debug)]
pub struct Mmu {
    /// Mode of the core.
    pub mode: PrivilegeMode,
    /// Whether Status.ERL is set: the lowest 2 GiB are not mapped.
    pub is_error_level: bool,
    /// Whether the 64-bit segments of user, supervisor and kernel are enabled (Status.UX, SX, KX).
    pub wide: [bool; 3],
    /// Current address space, as EntryHi has it.
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
    /// Returns the entry of a number, which counts modulo the size.
    #[must_use]
    pub fn entry(&self, number: u32) -> &TlbEntry {
        &self.entries[number as usize % ENTRIES]
    }

    /// Writes an entry. If several fit an address, the first one does. `[own]`
    pub fn set_entry(&mut self, number: u32, entry: TlbEntry) {
        self.entries[number as usize % ENTRIES] = entry;
    }

    /// Returns the number of the entry for an address as EntryHi has it.
    #[must_use]
    pub fn probe(&self, address: u64, space: u8) -> Option<u32> {
        self.entries.iter().position(|e| e.matches(address, space)).map(|i| i as u32)
    }

    /// Returns the physical address of a virtual one.
    ///
    /// # Errors
    /// If the mode has no such address, or the TLB has no page for it that allows the access.
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
