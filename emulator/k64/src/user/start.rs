//! The memory of a process when it starts: segments, stack, arguments, auxiliary vector.

use super::ProcessSetup;
use crate::core::Cpu;
use crate::elf::{ElfError, ElfProgram};
use crate::memory::{Allowed, PAGE};
use std::os::unix::ffi::OsStrExt;

/// Address of the first mapping of `mmap`.
pub(super) const MAPPINGS: u64 = 0x40_0000_0000;
const STACK_TOP: u64 = 0xff_ffff_f000;
/// Bytes of the stack.
pub(super) const STACK: u64 = 8 << 20;
/// The stack begins here and grows no further.
pub(super) const STACK_BOTTOM: u64 = STACK_TOP - STACK;

/// Entries of the auxiliary vector.
mod aux {
    pub(super) const PHDR: u64 = 3;
    pub(super) const PHENT: u64 = 4;
    pub(super) const PHNUM: u64 = 5;
    pub(super) const PAGESZ: u64 = 6;
    pub(super) const ENTRY: u64 = 9;
    pub(super) const UID: u64 = 11;
    pub(super) const EUID: u64 = 12;
    pub(super) const GID: u64 = 13;
    pub(super) const EGID: u64 = 14;
    pub(super) const CLKTCK: u64 = 17;
    pub(super) const SECURE: u64 = 23;
    pub(super) const RANDOM: u64 = 25;
}

/// The user that a process thinks it has.
pub(super) const USER: u64 = 1000;

pub(super) fn bad_folder(setup: &ProcessSetup, error: &std::io::Error) -> ElfError {
    let folder = setup.folder.as_deref().unwrap_or(std::path::Path::new("."));
    ElfError::of(format!("--folder {}: {error}", folder.display()))
}

/// Loads a program; the end of its segments, where the heap begins.
pub(super) fn load(
    core: &mut Cpu,
    program: &ElfProgram,
    setup: &ProcessSetup,
) -> Result<u64, ElfError> {
    if program.is_32_bit {
        return Err(ElfError::of("a 32-bit ELF file; compile with -mabi=64"));
    }
    let mut end = 0;
    for segment in &program.segments {
        let first = segment.address / PAGE * PAGE;
        let behind = segment.address + segment.size;
        if behind > MAPPINGS {
            return Err(ElfError::of(format!(
                "a segment at {:#x}, which ends at {behind:#x}, above {MAPPINGS:#x}, the limit for the program of a process",
                segment.address
            )));
        }
        // Segments may share a page; what the first one has there stays.
        let first = if core.memory.is_any_mapped(first, 1) { first + PAGE } else { first };
        let is_mapped = first >= behind || core.memory.map(first, behind - first, segment.allowed);
        if !is_mapped || core.memory.place(segment.address, &segment.bytes).is_err() {
            return Err(ElfError::of("the program does not fit into memory; raise --memory"));
        }
        end = end.max(behind.next_multiple_of(PAGE));
    }
    if !core.memory.map(STACK_BOTTOM, STACK, Allowed::DATA) {
        return Err(ElfError::of("the stack does not fit into memory; raise --memory"));
    }
    let stack = texts_on_stack(core, program, setup);
    core.registers[29] =
        stack.ok_or_else(|| ElfError::of("arguments and environment do not fit on the stack"))?;
    core.pc = program.entry;
    Ok(end)
}

/// Puts arguments, environment and auxiliary vector on the stack; the stack pointer.
fn texts_on_stack(core: &mut Cpu, program: &ElfProgram, setup: &ProcessSetup) -> Option<u64> {
    let mut texts = Vec::new();
    let mut offsets = [Vec::new(), Vec::new()];
    for (kind, offsets) in [&setup.arguments, &setup.environment].into_iter().zip(&mut offsets) {
        for text in kind {
            offsets.push(texts.len() as u64);
            texts.extend_from_slice(text.as_bytes());
            texts.push(0);
        }
    }
    if texts.len() as u64 > STACK / 4 {
        return None;
    }
    // Sixteen bytes that stand for random ones: the same input gives the same run.
    let random = STACK_TOP - 16;
    let first = (random - texts.len() as u64) & !15;
    core.memory.write(random, b"cp2 k64 process.").ok()?;
    core.memory.write(first, &texts).ok()?;
    let mut words = vec![setup.arguments.len() as u64];
    for offsets in offsets {
        words.extend(offsets.iter().map(|offset| first + offset));
        words.push(0);
    }
    for (key, value) in [
        (aux::PHDR, program.headers),
        (aux::PHENT, 56),
        (aux::PHNUM, program.n_headers),
        (aux::PAGESZ, PAGE),
        (aux::ENTRY, program.entry),
        (aux::UID, USER),
        (aux::EUID, USER),
        (aux::GID, USER),
        (aux::EGID, USER),
        (aux::CLKTCK, 100),
        (aux::SECURE, 0),
        (aux::RANDOM, random),
        (0, 0),
    ] {
        words.extend([key, value]);
    }
    let pointer = (first - 8 * words.len() as u64) & !15;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    core.memory.write(pointer, &bytes).ok()?;
    Some(pointer)
}
