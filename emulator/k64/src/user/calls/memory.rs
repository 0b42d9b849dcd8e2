//! Memory: `brk`, `mmap` and its relatives.

use crate::memory::{Allowed, PAGE};
use crate::user::Process;
use crate::user::errno::{Answer, Errno};
use crate::user::files::{Description, Open, flag};
use crate::user::row::Row;
use crate::user::shared::part_of;
use crate::user::start::STACK_BOTTOM;
use std::rc::Rc;

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5009, "mmap", MAPPED, |p, arguments| p.map(arguments)),
    Row::whole(5010, "mprotect", |p, [a, b, c, ..]| p.protect(a, b, c)),
    Row::whole(5011, "munmap", |p, [a, b, ..]| p.unmap(a, b)),
    Row::whole(5012, "brk", |p, [a, ..]| Ok(p.set_break(a))),
    Row::part(
        5024,
        "mremap",
        "MREMAP_FIXED, MREMAP_DONTUNMAP and shared files are EINVAL",
        |p, [a, b, c, d, ..]| p.remap(a, b, c, d),
    ),
    Row::whole(5025, "msync", |p, [a, b, c, ..]| p.synchronize_memory(a, b, c)),
    Row::part(
        5027,
        "madvise",
        "MADV_DONTNEED makes zeros, of a mapping of a file too; other advice has no effect",
        |p, [a, b, c, ..]| p.advise(a, b, c),
    ),
    Row::whole(5146, "mlock", |p, [a, b, ..]| p.check_mapped(a, b)),
    Row::whole(5147, "munlock", |p, [a, b, ..]| p.check_mapped(a, b)),
    Row::whole(5148, "mlockall", |_, _| Ok(0)),
    Row::whole(5149, "munlockall", |_, _| Ok(0)),
    Row::whole(5197, "cacheflush", |_, _| Ok(0)),
    Row::whole(5319, "mlock2", |p, [a, b, ..]| p.check_mapped(a, b)),
];

const MAPPED: &str = "behind the end of a file are zeros and no SIGBUS; files are shared up to 256 MiB, and what memory and \
     file, or two mappings of a file, have of each other is made the same around calls and not between them; what other \
     processes of the native machine store through mappings of theirs is seen once the times of the file tell it; a \
     private mapping is a copy of the time of the call";

const SHARED: u64 = 1;
const PRIVATE: u64 = 2;
const SHARED_VALIDATE: u64 = 3;
const KIND: u64 = 0xf;
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x800;
const FIXED_WITHOUT_LOSS: u64 = 0x10_0000;
const MAY_MOVE: u64 = 1;
/// End of the addresses that can be mapped.
const HIGHEST: u64 = 1 << 40;

fn allowed(protection: u64) -> Allowed {
    Allowed { read: protection & 5 != 0, write: protection & 2 != 0, execute: protection & 4 != 0 }
}

/// Returns a range of whole pages; an error if it lies beyond the addresses that can be mapped.
fn range(address: u64, length: u64) -> Result<(u64, u64), Errno> {
    let behind = address.checked_add(length).filter(|behind| *behind <= HIGHEST);
    if !address.is_multiple_of(PAGE) || length == 0 || behind.is_none() {
        return Err(Errno::EINVAL);
    }
    Ok((address, length.next_multiple_of(PAGE)))
}

impl Process {
    fn set_break(&mut self, wanted: u64) -> u64 {
        let heap = &mut self.heap;
        if wanted < heap.start || wanted > crate::user::start::MAPPINGS {
            return heap.end;
        }
        let (old, new) = (heap.end.next_multiple_of(PAGE), wanted.next_multiple_of(PAGE));
        // What is mapped there is in the way.
        let mut grown = (old..new).step_by(PAGE as usize);
        let is_in_way = new - old.min(new) > self.core.memory.sizes().1
            || grown.any(|page| self.core.memory.is_mapped(page));
        if is_in_way || new > old && !self.core.memory.map(old, new - old, Allowed::DATA) {
            return heap.end;
        }
        if new < old {
            self.core.memory.unmap(new, old - new);
        }
        heap.end = wanted;
        wanted
    }

    /// Returns a free range for a mapping: at the address that the process would like, or from the end of the last one on.
    fn free_range(&mut self, wish: u64, length: u64) -> Option<u64> {
        let memory = &self.core.memory;
        // What cannot be mapped is not looked for.
        if length > memory.sizes().1 {
            return None;
        }
        let is_below_stack =
            |at: &u64| at.checked_add(length).is_some_and(|end| end <= STACK_BOTTOM);
        let last_taken = |at: u64| {
            let mut pages = (0..length / PAGE).rev().map(|page| at + page * PAGE);
            pages.find(|page| memory.is_mapped(*page))
        };
        let wish = wish.checked_next_multiple_of(PAGE).filter(|at| *at > 0 && is_below_stack(at));
        if let Some(wish) = wish.filter(|at| last_taken(*at).is_none()) {
            return Some(wish);
        }
        let mut at = self.heap.next_mapping;
        while is_below_stack(&at) {
            match last_taken(at) {
                None => {
                    self.heap.next_mapping = at;
                    return Some(at);
                }
                Some(page) => at = page + PAGE,
            }
        }
        None
    }

    /// Returns the range of a mapping.
    fn range_to_map(&mut self, address: u64, length: u64, flags: u64) -> Result<(u64, u64), Errno> {
        let is_kind = match flags & KIND {
            SHARED | PRIVATE => true,
            kind => kind == SHARED_VALIDATE && flags & ANONYMOUS == 0,
        };
        let is_fixed = flags & (FIXED | FIXED_WITHOUT_LOSS) != 0;
        if !is_kind || length == 0 || is_fixed && !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
        // The process may replace its stack by choice; what is chosen for it does not.
        let address = match is_fixed {
            true => address.checked_add(length).filter(|end| *end <= HIGHEST).map(|_| address),
            false => self.free_range(address, length),
        };
        Ok((address.ok_or(Errno::ENOMEM)?, length))
    }

    fn map(&mut self, [address, length, protection, flags, file, offset]: [u64; 6]) -> Answer {
        let (address, length) = self.range_to_map(address, length, flags)?;
        if flags & FIXED_WITHOUT_LOSS != 0 && self.core.memory.is_any_mapped(address, length) {
            return Err(Errno::EEXIST);
        }
        let file = match flags & ANONYMOUS {
            0 => Some(self.file_to_map(file, offset, protection, flags)?),
            _ => None,
        };
        let is_shared = matches!(flags & KIND, SHARED | SHARED_VALIDATE);
        if is_shared && file.is_some() && !self.may_share(length) {
            return Err(Errno::ENOMEM);
        }
        // Before anything is read: what does not fit into the memory of the process is not asked of the
        // native machine.
        if !self.core.memory.map(address, length, Allowed::DATA) {
            return Err(Errno::ENOMEM);
        }
        if address == self.heap.next_mapping {
            self.heap.next_mapping = address + length;
        }
        self.stop_sharing(address, length);
        match file {
            Some(file) if is_shared => self.share(address, length, file, offset)?,
            Some(file) => {
                let bytes = part_of(file.file()?, offset, length)?;
                self.core.memory.place(address, &bytes)?;
            }
            None => {}
        }
        self.core.memory.protect(address, length, allowed(protection));
        Ok(address)
    }

    /// Returns the file of a descriptor for a mapping.
    fn file_to_map(
        &mut self,
        descriptor: u64,
        offset: u64,
        protection: u64,
        flags: u64,
    ) -> Result<Rc<Description>, Errno> {
        const WRITE: u64 = 2;
        let description = self.files.get(descriptor)?;
        if !offset.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let Open::File(_) = description.open else { return Err(Errno::ENODEV) };
        let is_shared = matches!(flags & KIND, SHARED | SHARED_VALIDATE);
        match description.flags.get() & flag::ACCESS {
            flag::WRITE_ONLY => Err(Errno::EACCES),
            flag::READ_ONLY if is_shared && protection & WRITE != 0 => Err(Errno::EACCES),
            _ => Ok(description),
        }
    }

    /// Answers `msync`: what memory and file share is the same around each call.
    fn synchronize_memory(&mut self, address: u64, length: u64, flags: u64) -> Answer {
        const LATER: u64 = 1;
        const NOW: u64 = 4;
        if !address.is_multiple_of(PAGE) || flags > 7 || flags & (LATER | NOW) == LATER | NOW {
            return Err(Errno::EINVAL);
        }
        self.check_mapped(address, length)
    }

    /// Answers `mlock` and its relatives for pages that are mapped: there is nothing to do.
    fn check_mapped(&mut self, address: u64, length: u64) -> Answer {
        let first = address / PAGE * PAGE;
        let end = address.checked_add(length).ok_or(Errno::ENOMEM)?;
        let mut pages = (first..end).step_by(PAGE as usize);
        match pages.all(|page| self.core.memory.is_mapped(page)) {
            true => Ok(0),
            false => Err(Errno::ENOMEM),
        }
    }

    /// Answers `madvise`: only the advice that changes what is in memory is taken.
    fn advise(&mut self, address: u64, length: u64, advice: u64) -> Answer {
        const NOT_NEEDED: u64 = 4;
        if !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        self.check_mapped(address, length)?;
        // What is shared is in the file, and comes from there again.
        if advice == NOT_NEEDED && !self.is_shared(address, length) {
            self.core.memory.clear(address, length);
        }
        Ok(0)
    }

    fn protect(&mut self, address: u64, length: u64, protection: u64) -> Answer {
        // PROT_READ, PROT_WRITE, PROT_EXEC and PROT_SEM.
        const KNOWN: u64 = 0x17;
        if !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        if length == 0 {
            return Ok(0);
        }
        let (address, length) = range(address, length).map_err(|_| Errno::ENOMEM)?;
        if protection & !KNOWN != 0 {
            return Err(Errno::EINVAL);
        }
        if protection & 2 != 0 && self.is_shared_to_read(address, length) {
            return Err(Errno::EACCES);
        }
        if self.core.memory.protect(address, length, allowed(protection)) {
            Ok(0)
        } else {
            Err(Errno::ENOMEM)
        }
    }

    fn unmap(&mut self, address: u64, length: u64) -> Answer {
        let (address, length) = range(address, length)?;
        self.stop_sharing(address, length);
        self.core.memory.unmap(address, length);
        Ok(0)
    }

    fn remap(&mut self, address: u64, old: u64, new: u64, flags: u64) -> Answer {
        if flags & !MAY_MOVE != 0 {
            return Err(Errno::EINVAL);
        }
        let ((address, old), (_, new)) = (range(address, old)?, range(address, new)?);
        if self.is_shared(address, old) {
            return Err(Errno::EINVAL);
        }
        if new <= old {
            if new < old {
                self.core.memory.unmap(address + new, old - new);
            }
            return Ok(address);
        }
        if flags & MAY_MOVE == 0 {
            return Err(Errno::ENOMEM);
        }
        let bytes = self.core.memory.read(address, old)?;
        let place = self.map([0, new, 3, ANONYMOUS | PRIVATE, 0, 0])?;
        self.core.memory.write(place, &bytes)?;
        self.core.memory.unmap(address, old);
        Ok(place)
    }
}
