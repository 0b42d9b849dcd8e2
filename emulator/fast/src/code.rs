//! Translated code in executable memory, and the way into it.
#![allow(unsafe_code, reason = "machine code can only be called through a raw pointer")]

use crate::assemble::Machine;
use crate::context::Context;
use memmap2::{Mmap, MmapMut};

type Entry = unsafe extern "sysv64" fn(*mut Context);

/// One block of machine code. Its memory is never writable and executable at once.
#[derive(Debug)]
pub(crate) struct Code {
    memory: Mmap,
    /// Offset of the first instruction.
    entry: usize,
}

impl Code {
    /// Copies code that `assemble` has made into memory that can be executed; an error is the
    /// operating system's.
    pub(crate) fn new(Machine { bytes, entry }: &Machine) -> std::io::Result<Self> {
        let mut memory = MmapMut::map_anon(bytes.len())?;
        memory.copy_from_slice(bytes);
        Ok(Self { memory: memory.make_exec()?, entry: *entry })
    }

    /// Executes the block.
    ///
    /// # Safety
    ///
    /// The code has to come from `assemble`, for what this host has, and what it takes for granted
    /// has to be so. `context.lmem` has to point to 8192 words that nothing else touches during the
    /// call, `context.undo` to room for the stores of all passes, `context.notes` to room for the
    /// accesses that they note, `context.tail` to room for the block's tail, `context.coefficients` to
    /// 65536 pairs if the block reads them, `context.reversed` to 8193 addresses, and
    /// `context.functions` to all rows of `tables::functions`; addresses and steps of the address sets
    /// have to be below 8192.
    pub(crate) unsafe fn call(&self, context: &mut Context) {
        // SAFETY: the mapping holds a whole function of this signature; it follows the calling
        // convention, keeps MXCSR, and touches only what the caller has vouched for.
        unsafe {
            let first = self.memory[self.entry..].as_ptr();
            let entry = std::mem::transmute::<*const u8, Entry>(first);
            entry(context);
        }
    }
}
