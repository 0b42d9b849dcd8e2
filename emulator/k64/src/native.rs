//! The engine's translations to instructions of the native machine, x86-64 with AVX, BMI1, BMI2, LZCNT and MOVBE under Linux.
//!
//! Code is made of blocks that are run often, of Linux programs and of programs on the bare machine, with a model of time
//! or without. It does what the handlers of the block's operations do, and calls them for what it has no instructions for;
//! so the state of the core is the same whenever it is left. Nine registers of the guest stay in registers of the native
//! machine; blocks lead to each other.
//!
//! Here stands the call of the code. This is why it is safe:
//!
//! 1. *Code* is written by `translate` alone, for one block, whose operations stay as long as the code does: blocks and
//!    code are forgotten together. It is called, and calls handlers, by the convention of C under Linux on x86-64, with the
//!    stack aligned and the registers of the caller kept; where that is not the native machine there is no code.
//! 2. *The core* is lent to the code as a whole, by its address; the code, and the handlers that it calls, reach it by no
//!    other way meanwhile.
//! 3. *Memory of the guest* is reached only on pages whose rights say so, or that a table of memory has: then all bytes of
//!    the access, which is aligned, are in the arena. While code runs, rights are given and none is taken away: a block may
//!    look once and access later. In the tables each access looks; they and the caches of the model of time stay where
//!    they are while code runs.
//! 4. *Jumps* go to code alone: exits to that of their target, others to an entry of the table whose address is that of the
//!    jump, and an entry without code has an address that is never looked for in its place.
//! 5. *A panic* of a handler ends the process, since it must not unwind through code.
#![allow(
    unsafe_code,
    reason = "machine code is called through a raw pointer, and calls back with raw pointers; the header says why that is safe"
)]

mod access;
mod assembler;
mod code;
mod exits;
mod float;
mod form;
mod integer;
mod known;
mod leaving;
mod links;
mod mode;
mod pages;
mod reach;
mod state;
mod time;
mod translate;
mod unaligned;

use crate::core::Cpu;
use crate::engine::block::DecodedBlock;
use crate::engine::operation::{Left, Operation};
use code::{NativeCode, is_able};
use leaving::{JumpEntry, Leaving, no_jumps, place_of_jump};
use links::Entry;
pub(crate) use mode::NativeMode;

/// Bytes of the memory of code.
pub(crate) const CODE_BYTES: usize = 64 << 20;
/// Number of times that a block is run by its handlers before it is put on the list of those to be translated.
const PATIENCE: u8 = 32;
/// Number of times after which the blocks of the list are translated, if the list is not long before.
const LAST: u8 = 96;
/// Number of blocks that are translated together, since each change of the memory of code has its price.
const TOGETHER: usize = 24;

/// Way in which code was left, for the caller, which has the blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NativeExit {
    /// Between two blocks; `Cpu::pc` is that of the next.
    Between,
    /// An operation of a block stopped it.
    Stopped {
        /// Number of the block.
        block: u32,
        /// Number of the operation.
        operation: usize,
    },
    /// The operations of a block are to be done by their handlers from one of them on.
    Rest {
        /// Number of the block.
        block: u32,
        /// Number of the operation.
        operation: usize,
    },
}

/// Translations of blocks to instructions of the native machine.
pub(crate) struct NativeBlocks {
    code: NativeCode,
    jumps: Box<[JumpEntry]>,
    /// State of each block, by number.
    states: Vec<State>,
    /// Numbers of the blocks that are to be translated.
    waiting: Vec<u32>,
    /// Whether the memory of code is full, so that all blocks are to be forgotten.
    pub(crate) is_full: bool,
}

/// Progress of a block to code.
#[derive(Clone, Copy)]
enum State {
    /// Runs by handlers so far, this number of them.
    Cold(u8),
    /// Cannot be translated: some instruction has no encoding, or there is no memory for code.
    Refused,
    /// Code at this offset.
    Hot(Entry),
}

/// Calls the handler of an operation for translated code: 0 if the code goes on, else `id`.
///
/// # Safety
/// Code was lent the core, and has the address of an operation of its block.
unsafe extern "C" fn do_operation(core: *mut Cpu, operation: *const Operation, id: u64) -> u64 {
    // SAFETY: so the caller says.
    let (core, operation) = unsafe { (&mut *core, &*operation) };
    let left = core.running.left + core.running.withheld;
    core.n_instructions = core.running.limit.wrapping_sub(left as u64);
    core.join_native_flags();
    if let Some(timing) = &mut core.timing {
        timing.take_from_code();
    }
    let exit = (operation.run)(core, operation, &[]);
    if let Some(timing) = &mut core.timing {
        timing.give_to_code();
    }
    if core.memory.is_code_old && core.running.left > 0 {
        core.running.withheld += core.running.left;
        core.running.left = 0;
    }
    if exit.left() == Left::End { 0 } else { id }
}

impl Cpu {
    /// Joins to FCSR what the native machine's flags tell of the operations that it computed.
    fn join_native_flags(&mut self) {
        if !self.float.is_plain() {
            self.float.join_native(self.running.mxcsr[1]);
        }
    }
}

impl NativeBlocks {
    /// Creates a store of translations with so many bytes of code; `None` if the native machine cannot run them.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        if !is_able() {
            return None;
        }
        let handler = do_operation as unsafe extern "C" fn(*mut Cpu, *const Operation, u64) -> u64;
        let code = NativeCode::new(handler as *const () as u64, bytes)?;
        let (states, waiting) = (Vec::new(), Vec::new());
        Some(Self { code, jumps: no_jumps(), states, waiting, is_full: false })
    }

    /// Forgets all translations.
    pub(crate) fn forget(&mut self) {
        self.code.forget();
        self.jumps = no_jumps();
        self.states.clear();
        self.waiting.clear();
        self.is_full = false;
    }

    /// Returns the code of a block; it gets some when it has been asked for often enough.
    #[inline]
    pub(crate) fn code(&mut self, blocks: &[DecodedBlock], number: u32) -> Option<Entry> {
        match self.states.get(number as usize) {
            Some(State::Hot(entry)) => Some(*entry),
            Some(State::Refused) => None,
            Some(State::Cold(runs)) if *runs < PATIENCE => {
                self.states[number as usize] = State::Cold(runs + 1);
                None
            }
            _ => self.wait_or_translate(blocks, number),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait_or_translate(&mut self, blocks: &[DecodedBlock], number: u32) -> Option<Entry> {
        let at = number as usize;
        if at >= self.states.len() {
            self.states.resize(blocks.len(), State::Cold(0));
        }
        let State::Cold(runs) = self.states[at] else { return None };
        self.states[at] = State::Cold(runs + 1);
        if runs == PATIENCE {
            self.waiting.push(number);
        }
        if runs >= LAST || self.waiting.len() >= TOGETHER {
            let waiting = std::mem::take(&mut self.waiting);
            let made = self.code.add_all(waiting.iter().map(|n| (*n, &blocks[*n as usize])));
            self.is_full |= self.code.is_full();
            for (number, entry) in waiting.iter().zip(made) {
                self.states[*number as usize] = entry.map_or(State::Refused, State::Hot);
            }
        }
        match self.states[at] {
            State::Hot(entry) => Some(entry),
            _ => None,
        }
    }

    /// Whether blocks are translated in this way so far.
    pub(crate) fn is_in(&self, mode: &NativeMode) -> bool {
        self.code.mode() == *mode
    }

    /// Translates blocks in another way from now on. Whoever has blocks forgets them, and what was translated, before one
    /// of them is run.
    pub(crate) fn set_mode(&mut self, mode: NativeMode) {
        self.code.set_mode(mode);
    }

    /// Runs translated code of the block at the core's `pc`, and what follows, up to so many completed instructions and to
    /// a cycle.
    pub(crate) fn run(
        &mut self,
        core: &mut Cpu,
        entry: Entry,
        (limit, cycle): (u64, u64),
    ) -> Option<NativeExit> {
        let way = self.code.address(self.code.enter())?;
        let first = self.code.address(entry.0)?;
        let left = limit.saturating_sub(core.n_instructions).min(i64::MAX as u64);
        core.running.limit = core.n_instructions + left;
        core.running.left = left as i64;
        core.running.withheld = 0;
        core.running.base = core.memory.base().expose_provenance() as u64;
        core.running.tables = core.memory.tables();
        core.running.timing = core.timing.as_mut().map_or(0, |timing| timing.lend_to_code(cycle));
        core.running.jumps = self.jumps.as_ptr().expose_provenance() as u64;
        // SAFETY: `way` is the way in, of this type; `first` is the code of a block; see the header for the rest.
        let packed = unsafe {
            let way = std::mem::transmute::<
                *const u8,
                unsafe extern "C" fn(*mut Cpu, *const u8) -> u64,
            >(way);
            way(core, first)
        };
        let left = core.running.left + core.running.withheld;
        core.n_instructions = core.running.limit.wrapping_sub(left as u64);
        core.join_native_flags();
        if let Some(timing) = &mut core.timing {
            timing.take_from_code();
        }
        let (kind, number, operation) = Leaving::of(packed);
        Some(match kind {
            Leaving::Exit => {
                core.pc = self.code.links().target(number);
                NativeExit::Between
            }
            Leaving::Jump => {
                self.keep_jump(core.pc);
                NativeExit::Between
            }
            Leaving::Stopped => NativeExit::Stopped { block: number, operation },
            Leaving::Rest => NativeExit::Rest { block: number, operation },
        })
    }

    /// Puts a target into the table of jumps, if it has code.
    fn keep_jump(&mut self, pc: u64) {
        if let Some(entry) = self.code.links().entry(pc)
            && let Some(code) = self.code.address(entry.0)
        {
            self.jumps[place_of_jump(pc)] = JumpEntry { pc, code: code.expose_provenance() as u64 };
        }
    }
}
