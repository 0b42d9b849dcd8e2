//! Runs a core block by block.

use super::block::{DecodedBlock, LONGEST};
use super::operation::Left;
use crate::core::Cpu;
use crate::exception::Exception;
use crate::isa::Release;
use crate::native::{NativeBlocks, NativeExit};
use std::collections::{BTreeSet, HashMap};

/// Reason why [`CpuEngine`] stopped a core. The state of the core is that before the instruction at its `pc`, or before
/// the branch there with the instruction in its delay slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An instruction raised an exception; it has not been done.
    Exception {
        /// Exception that was raised.
        exception: Exception,
        /// Whether the instruction stands in the delay slot of the branch at `pc`; if not, it is the instruction at
        /// `pc`.
        is_delayed: bool,
    },
    /// The limit of the run ([`RunLimit`]) was reached; a few more instructions may have been done, up to the end of a
    /// translated block.
    Limit,
    /// There is a breakpoint at the instruction at `pc`, which has not been done.
    Breakpoint,
}

/// Limit of a run of a core: the run stops when either number is reached. It is checked between translated blocks, so
/// the run may go beyond it by at most one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimit {
    /// Value of [`Cpu::n_instructions`], the completed instructions of the core since its creation, at which the run
    /// stops.
    pub instructions: u64,
    /// Cycle of the core at which the run stops; without effect for a core without a model of time.
    pub cycle: u64,
}

impl RunLimit {
    /// Creates a limit of `instructions` completed instructions, counted from the creation of the core, without a limit
    /// of cycles.
    #[must_use]
    pub const fn instructions(instructions: u64) -> Self {
        Self { instructions, cycle: u64::MAX }
    }

    #[inline(always)]
    fn is_over<const TIMED: bool>(self, core: &Cpu) -> bool {
        core.n_instructions >= self.instructions || TIMED && core.cycle() >= self.cycle
    }
}

/// Number of slots that find the block of an address by the least significant part of it.
const SLOTS: usize = 1 << 14;

/// Engine that runs cores of the control processor ([`Cpu`]): it translates their instructions to blocks of decoded
/// operations, keeps these blocks, and has the breakpoints.
pub struct CpuEngine {
    release: Release,
    blocks: Vec<DecodedBlock>,
    by_address: HashMap<u64, u32>,
    slots: Box<[(u64, u32)]>,
    breakpoints: BTreeSet<u64>,
    /// Translations of blocks to instructions of the native machine, if it can run them.
    native: Option<NativeBlocks>,
}

impl CpuEngine {
    /// Creates an engine that knows the instructions of a release of MIPS64, without breakpoints. Instructions of a
    /// later release raise the exception "reserved". Where the native machine can, blocks that are run often are
    /// translated to its instructions.
    #[must_use]
    pub fn new(release: Release) -> Self {
        Self { native: NativeBlocks::new(), ..Self::by_handlers(release) }
    }

    /// Creates an engine like [`CpuEngine::new`] that translates nothing to instructions of the native machine: it does
    /// the same everywhere, more slowly.
    #[must_use]
    pub fn by_handlers(release: Release) -> Self {
        Self {
            release,
            blocks: Vec::new(),
            by_address: HashMap::new(),
            slots: vec![(u64::MAX, 0); SLOTS].into(),
            breakpoints: BTreeSet::new(),
            native: None,
        }
    }

    /// Replaces the breakpoints by those at the given virtual addresses: a run stops before it does an instruction at
    /// one of them.
    pub fn set_breakpoints(&mut self, breakpoints: BTreeSet<u64>) {
        self.breakpoints = breakpoints;
        self.forget();
    }

    /// Whether there is a breakpoint at a virtual address.
    #[must_use]
    pub fn has_breakpoint(&self, address: u64) -> bool {
        self.breakpoints.contains(&address)
    }

    fn forget(&mut self) {
        self.blocks.clear();
        self.by_address.clear();
        self.slots.fill((u64::MAX, 0));
        self.native.iter_mut().for_each(NativeBlocks::forget);
    }

    #[inline(always)]
    fn block(&mut self, core: &mut Cpu) -> Result<u32, Exception> {
        let (address, block) = self.slots[(core.pc >> 2) as usize % SLOTS];
        if address == core.pc { Ok(block) } else { self.find(core) }
    }

    /// Returns the largest number of instructions of a block that begins at `pc`: none behind the first has a
    /// breakpoint.
    fn longest(&self, pc: u64) -> u32 {
        let next = self.breakpoints.range(pc.saturating_add(1)..).next();
        next.map_or(LONGEST, |next| {
            LONGEST.min(((next - pc) / 4).min(LONGEST.into()) as u32).max(1)
        })
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, core: &mut Cpu) -> Result<u32, Exception> {
        let pc = core.pc;
        let number = match self.by_address.get(&pc) {
            Some(number) => *number,
            None => {
                let block =
                    DecodedBlock::translate(core, pc, self.release, self.longest(pc), true)?;
                let number = self.blocks.len() as u32;
                self.blocks.push(block);
                self.by_address.insert(pc, number);
                number
            }
        };
        self.slots[(pc >> 2) as usize % SLOTS] = (pc, number);
        Ok(number)
    }

    /// Does the instruction at the core's `pc`, a branch with its delay slot, whether or not there is a breakpoint.
    /// Unlike [`CpuEngine::run`], the instruction may access what is outside of the core. The result is `None` if it
    /// was done, else what stopped it. The instruction takes no time if the model of time has issued it already.
    pub fn step(&mut self, core: &mut Cpu) -> Option<Stop> {
        let has_issued = core.timing.as_ref().is_some_and(|timing| timing.is_held());
        let block = match DecodedBlock::translate(core, core.pc, self.release, 1, !has_issued) {
            Ok(block) => block,
            Err(exception) => return Some(Stop::Exception { exception, is_delayed: false }),
        };
        core.running.is_alone = true;
        let until = RunLimit::instructions(core.n_instructions + 1);
        let stop = if core.timing.is_some() {
            run_block::<true>(core, &block, until)
        } else {
            run_block::<false>(core, &block, until)
        };
        core.running.is_alone = false;
        stop
    }

    /// Runs a core until an exception or a breakpoint stops it, or up to the limit `until`, and returns the reason. An
    /// instruction that accesses what is outside of the core stops the run with [`Exception::Outside`].
    pub fn run(&mut self, core: &mut Cpu, until: RunLimit) -> Stop {
        if core.timing.is_some() {
            self.run_blocks::<true>(core, until)
        } else {
            self.run_blocks::<false>(core, until)
        }
    }

    /// Runs translated code from a block on, if the block has some.
    #[inline(always)]
    fn run_native(&mut self, core: &mut Cpu, number: u32, until: RunLimit) -> Option<Option<Stop>> {
        let native = self.native.as_mut()?;
        let entry = native.code(&self.blocks, number)?;
        Some(match native.run(core, entry, until.instructions)? {
            NativeExit::Between => None,
            NativeExit::Stopped { block, operation } => {
                let block = &self.blocks[block as usize];
                let behind = block.operations.len() - 1 - operation;
                end_block::<false>(core, block, Left::Stopped(behind as u32))
            }
            NativeExit::Rest { block, operation } => {
                let block = &self.blocks[block as usize];
                let exit = block.run_from(core, operation);
                end_block::<false>(core, block, exit.left())
            }
        })
    }

    fn run_blocks<const TIMED: bool>(&mut self, core: &mut Cpu, until: RunLimit) -> Stop {
        let is_native = !TIMED && self.native.is_some() && core.privileged.is_none();
        loop {
            if core.memory.is_code_old {
                core.memory.is_code_old = false;
                self.forget();
            }
            if until.is_over::<TIMED>(core) {
                return Stop::Limit;
            }
            if self.breakpoints.contains(&core.pc) {
                return Stop::Breakpoint;
            }
            let number = match self.block(core) {
                Ok(number) => number,
                Err(exception) => return Stop::Exception { exception, is_delayed: false },
            };
            if is_native && let Some(left) = self.run_native(core, number, until) {
                match left {
                    Some(stop) => return stop,
                    None => continue,
                }
            }
            let block = &self.blocks[number as usize];
            // A block that may get code comes here each time.
            let until = if is_native { RunLimit::instructions(0) } else { until };
            if let Some(stop) = run_block::<TIMED>(core, block, until) {
                return stop;
            }
        }
    }
}

/// Runs a block, and again while it branches to itself.
#[inline(always)]
fn run_block<const TIMED: bool>(
    core: &mut Cpu,
    block: &DecodedBlock,
    until: RunLimit,
) -> Option<Stop> {
    core.running.block = block.pc;
    loop {
        let left = block.run(core).left();
        let stop = end_block::<TIMED>(core, block, left);
        let is_again = matches!(left, Left::Branch(_))
            && core.pc == block.pc
            && !until.is_over::<TIMED>(core)
            && !core.memory.is_code_old;
        if !is_again {
            return stop;
        }
    }
}

/// Counts the instructions of a block that was left, and sets `pc`; the reason if that stops the run.
#[inline(always)]
fn end_block<const TIMED: bool>(core: &mut Cpu, block: &DecodedBlock, left: Left) -> Option<Stop> {
    match left {
        Left::Branch(n) => {
            core.n_instructions += u64::from(n);
            if TIMED {
                core.redirect();
            }
            None
        }
        Left::End => {
            core.n_instructions += u64::from(block.n_instructions);
            core.pc = block.pc.wrapping_add(4 * u64::from(block.n_instructions));
            None
        }
        Left::Stopped(behind) => {
            let origin = block.origin(behind);
            let exception = core.running.stopped.take()?;
            // With its delay slot a branch is done again.
            let branch = u64::from(origin.at) - u64::from(origin.is_delayed);
            core.n_instructions += branch;
            core.pc = block.pc.wrapping_add(4 * branch);
            Some(Stop::Exception { exception, is_delayed: origin.is_delayed })
        }
    }
}
