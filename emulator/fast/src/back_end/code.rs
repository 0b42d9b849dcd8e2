//! Translated code in executable memory, together with the contract that those who run it have to keep.

use super::assemble::AssembledCode;
use super::encoding::NativeIsa;
use crate::analysis::contract::Contract;
use memmap2::{Mmap, MmapMut};
use std::ops::Range;
use std::sync::Arc;

/// Number of bytes of a line of the native machine's caches.
const LINE: usize = 64;

/// Memory with the machine code of blocks. It is never writable and executable at once, and never changes.
#[derive(Clone, Debug)]
pub(crate) struct Executable(Arc<Mmap>);

impl Executable {
    /// Copies code into memory that can be executed; an error is the operating system's.
    pub(crate) fn new(bytes: &[u8]) -> std::io::Result<Self> {
        let mut memory = MmapMut::map_anon(bytes.len())?;
        memory.copy_from_slice(bytes);
        Ok(Self(Arc::new(memory.make_exec()?)))
    }

    /// Returns a part of the memory, if there is such a part.
    pub(crate) fn part(&self, place: &Range<usize>) -> Option<&[u8]> {
        self.0.get(place.clone())
    }
}

/// Block of machine code. It may stand anywhere: it knows no address but from its context.
#[derive(Clone, Debug)]
pub(crate) struct MachineCode {
    /// Address of the first instruction.
    first: usize,
    native_isa: NativeIsa,
    contract: Contract,
    memory: Executable,
    /// Place of the block in `memory`, its constants first.
    place: Range<usize>,
    /// Offset in bytes of the first instruction from the beginning of the place.
    entry: usize,
}

impl MachineCode {
    /// Gives code memory of its own; an error is the operating system's.
    pub(crate) fn new(machine: AssembledCode) -> std::io::Result<Self> {
        let AssembledCode { bytes, entry, native_isa, contract, .. } = machine;
        let memory = Executable::new(&bytes)?;
        Self::within(&memory, (0..bytes.len(), entry), native_isa, contract)
            .ok_or_else(|| std::io::ErrorKind::InvalidInput.into())
    }

    /// Creates code that stands in memory already: at its place, with the first instruction so far behind the beginning of
    /// the place. `None` if there is no such place.
    pub(crate) fn within(
        memory: &Executable,
        (place, entry): (Range<usize>, usize),
        native_isa: NativeIsa,
        contract: Contract,
    ) -> Option<Self> {
        let first = memory.part(&place)?.get(entry..)?.as_ptr().expose_provenance();
        Some(Self { first, native_isa, contract, memory: memory.clone(), place, entry })
    }

    /// Moves blocks into one memory, one behind the other, so that many share a page and not all begin in the same lines of
    /// the native machine's caches; an error is the operating system's, and leaves them where they are.
    pub(crate) fn gather(mut blocks: Vec<&mut Self>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(blocks.len());
        for block in &blocks {
            bytes.resize(bytes.len().next_multiple_of(LINE), 0);
            let start = bytes.len();
            bytes.extend_from_slice(block.bytes().0);
            places.push(start..bytes.len());
        }
        let memory = Executable::new(&bytes)?;
        for (block, place) in blocks.iter_mut().zip(places) {
            let Some(code) = memory.part(&place).and_then(|code| code.get(block.entry..)) else {
                continue;
            };
            block.first = code.as_ptr().expose_provenance();
            (block.memory, block.place) = (memory.clone(), place);
        }
        Ok(())
    }

    /// Returns the address of the first instruction of a function that takes the address of a context.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// Returns constants and instructions, and how far behind the beginning the first instruction stands.
    pub(crate) fn bytes(&self) -> (&[u8], usize) {
        (self.memory.part(&self.place).unwrap_or_default(), self.entry)
    }

    /// Returns the instruction set that the native machine has to have.
    pub(crate) fn native_isa(&self) -> NativeIsa {
        self.native_isa
    }

    /// Returns the contract that has to be kept when the code is run.
    pub(crate) fn contract(&self) -> &Contract {
        &self.contract
    }
}
