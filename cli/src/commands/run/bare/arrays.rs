//! `--load` and `--store` of a program for the bare control processor: arrays in system memory, at a physical address or
//! in a global variable of the program.

use crate::input::arrays::{self, Wanted};
use crate::process::exit::{Failure, Outcome, bad_input, usage};
use crate::storage::files::Output;
use cp2_asm::nearest;
use cp2_isa::{Bytes, MemoryAddress};
use cp2_k64::elf::{ElfProgram, GlobalVariable, GlobalVariables, Symbolizer};
use cp2_k64::machine::{Processor, physical};
use cp2_session::arrays::{ArrayTarget, FileTransfer, Problem, load_memory, store_memory};
use cp2_session::npy::Array;
use cp2_system::Board;
use std::ops::Range;

/// Most names of variables that a message lists.
const MOST_NAMES: usize = 10;

/// Bytes of an array, and where they go.
struct Loaded {
    /// Transfer as it was asked for.
    name: String,
    address: MemoryAddress,
    bytes: Vec<u8>,
    /// Whether start-up code may set the place to 0: the file of the program has no bytes for it.
    is_cleared: bool,
}

impl Loaded {
    fn range(&self) -> Range<u64> {
        self.address.0..self.address.0 + self.bytes.len() as u64
    }
}

/// Array that is stored when the program has ended.
struct Stored {
    /// Transfer as it was asked for.
    asked: FileTransfer,
    /// Transfer with the physical address of its place.
    placed: FileTransfer,
    file: Option<Output>,
}

/// Arrays of a run: those that are loaded, and those that are stored when it has ended.
pub(super) struct MemoryArrays {
    loads: Vec<Loaded>,
    stores: Vec<Stored>,
    /// Virtual address of `main`, before which start-up code sets variables without bytes in the file to 0.
    main: Option<u64>,
}

/// Program with what its symbol table names.
struct Names<'a> {
    program: &'a ElfProgram,
    variables: GlobalVariables,
}

impl MemoryArrays {
    /// Reads the arrays that are loaded and opens the files of those that are stored, once it is certain that all of them
    /// have their places. Nothing is loaded yet.
    pub(super) fn ready(
        wanted: &Wanted,
        (program, bytes): (&ElfProgram, &[u8]),
        board: &Board,
    ) -> Outcome<Self> {
        if wanted.takes_standard_output() {
            return Err(usage(
                "--store -: the program prints to standard output; give the name of a file",
            ));
        }
        let names = Names { program, variables: GlobalVariables::read(bytes) };
        let loads = wanted.loads()?;
        let loads = loads.iter().map(|(transfer, array)| names.loaded(board, transfer, array));
        let loads: Vec<Loaded> = loads.collect::<Result<_, _>>()?;
        apart(&loads)?;
        let stored = |asked: &FileTransfer| {
            let placed = names.stored(board, asked)?;
            Outcome::Ok(Stored { file: wanted.open(asked)?, asked: asked.clone(), placed })
        };
        let stores = wanted.stores().iter().map(stored).collect::<Outcome<_>>()?;
        Ok(Self { loads, stores, main: Symbolizer::read(bytes).function("main") })
    }

    /// Puts arrays into memory before the first instruction, but for those that start-up code would set to 0.
    pub(super) fn load(&self, processor: &mut Processor) {
        let is_late = self.main.is_some();
        self.put(processor, |load| !(is_late && load.is_cleared));
    }

    /// Returns the address of the instruction before which [`MemoryArrays::load_late`] is to be called, if there is
    /// anything for it.
    pub(super) fn late_at(&self) -> Option<u64> {
        self.main.filter(|_| self.loads.iter().any(|load| load.is_cleared))
    }

    /// Puts the arrays into memory that start-up code has set to 0.
    pub(super) fn load_late(&self, processor: &mut Processor) {
        self.put(processor, |load| load.is_cleared);
    }

    fn put(&self, processor: &mut Processor, is_now: impl Fn(&Loaded) -> bool) {
        for load in self.loads.iter().filter(|load| is_now(load)) {
            // Its place was found to be memory.
            processor.core.load_bytes(load.address.0, &load.bytes);
        }
    }

    /// Writes all arrays of a program that has ended, or none if one cannot be taken.
    pub(super) fn store(self, processor: &mut Processor) -> Outcome<()> {
        if self.stores.is_empty() {
            return Ok(());
        }
        let Some(machine) = cp2_system::settled(processor) else { return Ok(()) };
        let take = |stored: &Stored| {
            store_memory(machine, &stored.placed).map_err(|e| renamed(e, &stored.asked))
        };
        let arrays: Vec<Array> = self.stores.iter().map(take).collect::<Result<_, _>>()?;
        for (stored, array) in self.stores.into_iter().zip(&arrays) {
            arrays::write(&stored.asked, stored.file, array)?;
        }
        Ok(())
    }
}

/// Returns a problem of a transfer with the name that the user has given to its place.
fn renamed(problem: Problem, asked: &FileTransfer) -> Problem {
    Problem { place: asked.to_string(), ..problem }
}

fn problem(asked: &FileTransfer, message: impl std::fmt::Display) -> Problem {
    Problem { place: asked.to_string(), message: message.to_string() }
}

impl Names<'_> {
    /// Returns a transfer with the physical address of its place, and the variable that is there, if it has one.
    fn placed<'a>(
        &'a self,
        asked: &FileTransfer,
    ) -> Result<(FileTransfer, Option<&'a GlobalVariable>), Problem> {
        let ArrayTarget::Name(name) = &asked.target else { return Ok((asked.clone(), None)) };
        let variable = self.variables.find(name).ok_or_else(|| self.unknown(asked, name))?;
        let address = physical(variable.address).ok_or_else(|| {
            problem(
                asked,
                format!(
                    "`{name}` lies at {:#x}, which a kernel reaches through the TLB only; give a physical address",
                    variable.address
                ),
            )
        })?;
        let target = ArrayTarget::Address(address);
        Ok((FileTransfer { target, ..asked.clone() }, Some(variable)))
    }

    fn unknown(&self, asked: &FileTransfer, name: &str) -> Problem {
        if !self.variables.has_symbols() {
            return problem(
                asked,
                "the program has no symbols; link it without -s, or give a physical address: 0x200000=FILE.npy",
            );
        }
        if self.variables.is_of_a_file(name) {
            return problem(
                asked,
                format!("`{name}` belongs to one file of the program; declare it without `static`"),
            );
        }
        let mut all: Vec<&str> = self.variables.names().collect();
        all.sort_unstable();
        let help = match nearest(name, all.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if all.is_empty() => "it has none; give a physical address".to_owned(),
            None => format!("it has {}", all[..all.len().min(MOST_NAMES)].join(", ")),
        };
        problem(asked, format!("the program has no global variable `{name}`; {help}"))
    }

    fn loaded(
        &self,
        board: &Board,
        asked: &FileTransfer,
        array: &Array,
    ) -> Result<Loaded, Problem> {
        let (placed, variable) = self.placed(asked)?;
        let found = load_memory(board.machine(), &placed, array);
        let (address, bytes) = found.map_err(|e| renamed(e, asked))?;
        let length = bytes.len() as u64;
        check_place(board, asked, (address, length), variable)?;
        if variable.is_none()
            && let Some(segment) = self.segment_at(address.0..address.0 + length)
        {
            return Err(problem(
                asked,
                format!(
                    "bytes {:#x} to {:#x} would replace a part of the program, which lies at {:#x} to {:#x}; give a \
                     variable by its name, or another address",
                    address.0,
                    address.0 + length - 1,
                    segment.start,
                    segment.end - 1,
                ),
            ));
        }
        let is_cleared = variable.is_some_and(|v| !self.program.has_bytes(v.address, v.size));
        Ok(Loaded { name: asked.to_string(), address, bytes, is_cleared })
    }

    fn stored(&self, board: &Board, asked: &FileTransfer) -> Result<FileTransfer, Problem> {
        let (placed, variable) = self.placed(asked)?;
        // Once now, so that what cannot be stored costs no work.
        let array = store_memory(board.machine(), &placed).map_err(|e| renamed(e, asked))?;
        let length =
            placed.kind.unwrap_or(array.kind).bytes() * array.shape.iter().product::<usize>();
        if let ArrayTarget::Address(address) = placed.target {
            check_place(board, asked, (MemoryAddress(address), length as u64), variable)?;
        }
        Ok(placed)
    }

    /// Returns the physical addresses of the segment of the program that has one of some bytes.
    fn segment_at(&self, bytes: Range<u64>) -> Option<Range<u64>> {
        let ranges = self.program.segments.iter().filter_map(|segment| {
            let start = physical(segment.address)?;
            Some(start..start + segment.size)
        });
        ranges.into_iter().find(|range| meets(range, &bytes))
    }
}

/// Refuses bytes that are more than their variable has, or that lie where the processor has no memory.
fn check_place(
    board: &Board,
    asked: &FileTransfer,
    (address, length): (MemoryAddress, u64),
    variable: Option<&GlobalVariable>,
) -> Result<(), Problem> {
    if let Some(GlobalVariable { name, size, .. }) = variable
        && length > *size
    {
        let message = format!("the array has {length} bytes, and `{name}` {size}");
        return Err(problem(asked, message));
    }
    if !board.is_memory(address, Bytes(length)) {
        let message = format!(
            "the processor has no memory from {address:#x} to {:#x}; its memory lies below 0x10000000 and from \
             0x20000000 on",
            address.0 + length.saturating_sub(1)
        );
        return Err(problem(asked, message));
    }
    Ok(())
}

/// Whether two ranges have an address in common.
fn meets(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

/// Refuses loads of which two have a byte in common.
fn apart(loads: &[Loaded]) -> Result<(), Failure> {
    for (k, load) in loads.iter().enumerate() {
        if let Some(other) = loads[..k].iter().find(|other| meets(&other.range(), &load.range())) {
            let text = |load: &Loaded| {
                let Range { start, end } = load.range();
                format!("{} ({start:#x} to {:#x})", load.name, end - 1)
            };
            return Err(bad_input(format!(
                "{} and {} overlap; move one of them",
                text(other),
                text(load)
            )));
        }
    }
    Ok(())
}
