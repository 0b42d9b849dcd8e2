//! Watchpoints: ranges of virtual addresses whose accesses a debugger wants to know of. A page with one has a mark in its
//! entry of the tables, and no rights, so that every access to it comes to the slow path, which looks here; all others are
//! as fast as ever.

use super::{Memory, PAGE};
use crate::exception::{AccessKind, Exception, WatchHit, WatchedAccess};

impl WatchedAccess {
    const fn has(self, access: AccessKind) -> bool {
        match access {
            AccessKind::Fetch => false,
            AccessKind::Load => !matches!(self, Self::Store),
            AccessKind::Store => !matches!(self, Self::Load),
        }
    }
}

/// Watchpoint: virtual addresses, and the accesses to them at which a run stops. Addresses are those that instructions
/// use: memory that is reached by another address too is not watched there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watchpoint {
    /// First virtual address.
    pub address: u64,
    /// Number of bytes from there on.
    pub bytes: u64,
    /// Accesses at which a run stops.
    pub accesses: WatchedAccess,
}

impl Watchpoint {
    /// Returns the first byte of an access of `bytes` bytes at `address` that the watchpoint has.
    fn first_of(&self, address: u64, bytes: u64) -> Option<u64> {
        // Differences, for a range may end with the last address.
        if address >= self.address {
            (address - self.address < self.bytes).then_some(address)
        } else {
            (self.bytes > 0 && self.address - address < bytes).then_some(self.address)
        }
    }
}

/// Watchpoints of a memory.
#[derive(Default)]
pub(super) struct Watches {
    points: Vec<Watchpoint>,
    /// Whether accesses pass without a stop for now.
    is_off: bool,
}

impl Watches {
    /// Whether accesses of a kind to the page of an address have to be looked at.
    #[inline]
    pub(super) fn is_page_watched(&self, address: u64, access: AccessKind) -> bool {
        let page = address & !(PAGE - 1);
        self.points.iter().any(|p| p.accesses.has(access) && p.first_of(page, PAGE).is_some())
    }

    /// Whether the page of an address has a watchpoint of any kind.
    #[inline]
    pub(super) fn has_page(&self, address: u64) -> bool {
        let page = address & !(PAGE - 1);
        self.points.iter().any(|p| p.first_of(page, PAGE).is_some())
    }
}

impl Memory {
    /// Whether there are watchpoints.
    pub(crate) fn has_watchpoints(&self) -> bool {
        !self.watches.points.is_empty()
    }

    /// Replaces the watchpoints: an access that one of them has raises [`Exception::Watched`] and is not done.
    pub fn set_watchpoints(&mut self, points: Vec<Watchpoint>) {
        self.watches.points = points;
        self.loads.forget();
        self.stores.forget();
        for mapping in self.map.values() {
            self.arena.change_rights(mapping.page, 0, u8::MAX);
        }
    }

    /// Takes the watchpoints of another memory, whose place this one is to take.
    pub(crate) fn take_watchpoints(&mut self, other: &mut Self) {
        let watches = std::mem::take(&mut other.watches);
        self.set_watchpoints(watches.points);
        self.watches.is_off = watches.is_off;
    }

    /// Lets accesses pass the watchpoints, or stops them again; returns whether they passed before.
    pub fn pass_watchpoints(&mut self, is_off: bool) -> bool {
        std::mem::replace(&mut self.watches.is_off, is_off)
    }

    /// Tells whether an access of a kind is allowed at an address.
    ///
    /// # Errors
    /// Returns the exception of the access if it is not.
    pub(crate) fn check_rights(&self, address: u64, access: AccessKind) -> Result<(), Exception> {
        self.mapping(address, access).map(|_| ())
    }

    /// Looks for a watchpoint that stops an access of `bytes` bytes, which may be several at a time; the lowest address
    /// is told.
    ///
    /// # Errors
    /// Returns [`Exception::Watched`] if there is one.
    #[inline]
    pub fn check_watchpoints(
        &self,
        address: u64,
        bytes: u64,
        access: AccessKind,
    ) -> Result<(), Exception> {
        if self.watches.points.is_empty() || self.watches.is_off {
            return Ok(());
        }
        let points = self.watches.points.iter().filter(|point| point.accesses.has(access));
        let hits = points.filter_map(|point| {
            let address = point.first_of(address, bytes)?;
            Some(WatchHit { address, accesses: point.accesses })
        });
        hits.min_by_key(|hit| hit.address).map_or(Ok(()), |hit| Err(Exception::Watched(hit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_both_is_told() {
        let point = |address, bytes| Watchpoint { address, bytes, accesses: WatchedAccess::Any };
        assert_eq!(point(0x1004, 4).first_of(0x1000, 8), Some(0x1004));
        assert_eq!(point(0x1004, 4).first_of(0x1006, 8), Some(0x1006));
        assert_eq!(point(0x1004, 4).first_of(0x1000, 4), None);
        assert_eq!(point(0x1004, 4).first_of(0x1008, 1), None);
        assert_eq!(point(0x1004, 0).first_of(0x1000, 8), None);
        assert_eq!(point(u64::MAX, 1).first_of(u64::MAX - 7, 8), Some(u64::MAX));
        assert_eq!(point(0, u64::MAX).first_of(u64::MAX - 1, 1), Some(u64::MAX - 1));
    }
}
