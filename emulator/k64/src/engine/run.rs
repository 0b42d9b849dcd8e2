//! Runs a core block by block.

use super::block::{DecodedBlock, LONGEST};
use super::operation::Left;
use crate::core::Cpu;
use crate::exception::Exception;
use crate::isa::Release;
use crate::native::{CODE_BYTES, NativeBlocks, NativeExit, NativeMode};
use std::collections::hash_map::Entry;
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

/// Returns slots in which no address is found: each has one that belongs to the next.
fn no_slots() -> Box<[(u64, u32)]> {
    (0..SLOTS as u64).map(|slot| ((slot + 1) % SLOTS as u64 * 4, 0)).collect()
}

/// Engine that runs cores of the control processor ([`Cpu`]): it translates their instructions to blocks of decoded
/// operations, keeps these blocks, and has the breakpoints.
pub struct CpuEngine {
    release: Release,
    blocks: Vec<DecodedBlock>,
    by_address: HashMap<u64, u32>,
    /// Blocks of one instruction each that were done alone, by address, and whether they tell the time.
    alone: HashMap<(u64, bool), DecodedBlock>,
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
        Self::with_code(release, CODE_BYTES)
    }

    /// Creates an engine like [`CpuEngine::new`] with so many bytes for translated code.
    fn with_code(release: Release, bytes: usize) -> Self {
        Self { native: NativeBlocks::new(bytes), ..Self::by_handlers(release) }
    }

    /// Creates an engine like [`CpuEngine::new`] that translates nothing to instructions of the native machine: it does
    /// the same everywhere, more slowly.
    #[must_use]
    pub fn by_handlers(release: Release) -> Self {
        Self {
            release,
            blocks: Vec::new(),
            by_address: HashMap::new(),
            alone: HashMap::new(),
            slots: no_slots(),
            breakpoints: BTreeSet::new(),
            native: None,
        }
    }

    /// Translates nothing to instructions of the native machine from now on, as [`CpuEngine::by_handlers`].
    pub fn use_handlers(&mut self) {
        self.forget();
        self.native = None;
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

    /// Whether there are breakpoints.
    pub(crate) fn has_breakpoints(&self) -> bool {
        !self.breakpoints.is_empty()
    }

    fn forget(&mut self) {
        self.blocks.clear();
        self.by_address.clear();
        self.alone.clear();
        self.slots = no_slots();
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
        core.running.is_alone = true;
        let stop = self.step_inside(core);
        core.running.is_alone = false;
        stop
    }

    /// Does one instruction as [`CpuEngine::step`] does, but stops before one that accesses what is outside of the core,
    /// as [`CpuEngine::run`] does.
    pub(crate) fn step_inside(&mut self, core: &mut Cpu) -> Option<Stop> {
        let has_issued = core.timing.as_ref().is_some_and(|timing| timing.is_held());
        if core.memory.is_code_old {
            core.memory.is_code_old = false;
            self.forget();
        }
        let block = match self.alone.entry((core.pc, has_issued)) {
            Entry::Occupied(kept) => kept.into_mut(),
            Entry::Vacant(place) => {
                match DecodedBlock::translate(core, core.pc, self.release, 1, !has_issued) {
                    Ok(block) => place.insert(block),
                    Err(exception) => {
                        return Some(Stop::Exception { exception, is_delayed: false });
                    }
                }
            }
        };
        let until = RunLimit::instructions(core.n_instructions + 1);
        if core.timing.is_some() {
            run_block::<true>(core, block, until)
        } else {
            run_block::<false>(core, block, until)
        }
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

    /// Runs a core as [`CpuEngine::run`] does, up to exactly so many completed instructions, counted from the creation of the
    /// core; a branch and its delay slot are done together, so it may be one more.
    pub fn run_exactly(&mut self, core: &mut Cpu, instructions: u64) -> Stop {
        // A block, with the delay slot behind it, ends before the limit.
        let before = RunLimit::instructions(instructions.saturating_sub(u64::from(LONGEST) + 1));
        match self.run(core, before) {
            Stop::Limit => {}
            stop => return stop,
        }
        while core.n_instructions < instructions {
            if self.breakpoints.contains(&core.pc) {
                return Stop::Breakpoint;
            }
            if let Some(stop) = self.step_inside(core) {
                return stop;
            }
        }
        Stop::Limit
    }

    /// Runs translated code from a block on, if the block has some.
    #[inline(always)]
    fn run_native<const TIMED: bool>(
        &mut self,
        core: &mut Cpu,
        number: u32,
        until: RunLimit,
    ) -> Option<Option<Stop>> {
        let native = self.native.as_mut()?;
        let code = native.code(&self.blocks, number);
        if native.is_full {
            self.forget();
            return Some(None);
        }
        let entry = code?;
        Some(match native.run(core, entry, (until.instructions, until.cycle))? {
            NativeExit::Between => None,
            NativeExit::Stopped { block, operation } => {
                let block = &self.blocks[block as usize];
                let behind = block.operations.len() - 1 - operation;
                end_block::<TIMED>(core, block, Left::Stopped(behind as u32))
            }
            NativeExit::Rest { block, operation } => {
                let block = &self.blocks[block as usize];
                let exit = block.run_from(core, operation);
                end_block::<TIMED>(core, block, exit.left())
            }
        })
    }

    /// Whether blocks may get code for a core; what was translated in another way than the core's is forgotten.
    fn is_native(&mut self, core: &Cpu) -> bool {
        let (Some(native), Some(mode)) = (&mut self.native, NativeMode::of(core)) else {
            return false;
        };
        if !native.is_in(&mode) {
            native.set_mode(mode);
            if !self.blocks.is_empty() {
                self.forget();
            }
        }
        true
    }

    fn run_blocks<const TIMED: bool>(&mut self, core: &mut Cpu, until: RunLimit) -> Stop {
        let is_native = self.is_native(core);
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
            if is_native && let Some(left) = self.run_native::<TIMED>(core, number, until) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Allowed, Memory};

    const CODE: u64 = 0x1_2000_0000;

    /// Runs words as a program with 4 MiB of memory by an engine; returns the reason why it stopped, and the core.
    fn run(engine: &mut CpuEngine, words: &[u32]) -> (Stop, Cpu) {
        let mut memory = Memory::new(4 << 20);
        assert!(memory.map(CODE, 4 * words.len() as u64, Allowed::ALL));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        memory.write(CODE, &bytes).expect("pages");
        let mut core = Cpu::new(memory);
        core.pc = CODE;
        (engine.run(&mut core, RunLimit::instructions(10_000_000)), core)
    }

    #[test]
    fn blocks_are_forgotten_when_the_memory_of_code_is_full() {
        // 200 blocks, 100 turns: addiu $4, $4, 1; beq $0, $0, the next; addiu $5, $5, 2.
        let mut words = vec![0x3414_0064];
        for _ in 0..200 {
            words.extend([0x2484_0001, 0x1000_0001, 0x24a5_0002]);
        }
        let back = (1 - words.len() as i32 - 2) as u32 & 0xffff;
        words.extend([0x6694_ffff, 0x1680_0000 | back, 0, 13]);
        let small = &mut CpuEngine::with_code(Release::R2, 16 << 10);
        let handlers = &mut CpuEngine::by_handlers(Release::R2);
        let [(a, first), (b, second)] = [run(small, &words), run(handlers, &words)];
        assert_eq!((a, first.registers.general()), (b, second.registers.general()));
        assert_eq!(first.registers[4], 200 * 100);
        assert_eq!(first.n_instructions, second.n_instructions);
    }

    #[test]
    fn jumps_to_where_nothing_is_stop_the_run() {
        // jal to jr $31 in a loop; then the link is the target: addu $31, $6, $0; jr $31; nop.
        let words = [
            0x3414_0064, // ori $20, $0, 100
            0x0c00_0006, // jal to the return
            0x6694_ffff, // daddiu $20, $20, -1
            0x1680_fffd, // bne $20, $0, back to the call
            0x0000_0000, // nop
            0x00c0_f825, // or $31, $6, $0
            0x03e0_0008, // jr $31
            0x0000_0000, // nop
        ];
        for target in [u64::MAX, u64::MAX - 1, 0, 1 << 40, 0x3ffc, CODE + 2] {
            let mut words = words.to_vec();
            // The jump stays in the region of 256 MiB of the code.
            words[1] = 0x0c00_0000 | ((CODE + 24) >> 2) as u32 & 0x3ff_ffff;
            // $6 is made of halves: lui is not enough for all targets.
            let halves =
                [target >> 48, target >> 32, target >> 16, target].map(|h| h as u32 & 0xffff);
            let mut first = vec![0x3406_0000 | halves[0]];
            for half in &halves[1..] {
                first.extend([0x0006_3438, 0x34c6_0000 | half]);
            }
            words[1] += first.len() as u32;
            first.extend(words);
            for mut engine in [CpuEngine::new(Release::R2), CpuEngine::by_handlers(Release::R2)] {
                let (stop, core) = run(&mut engine, &first);
                let is_exception = matches!(stop, Stop::Exception { is_delayed: false, .. });
                assert!(
                    is_exception && core.pc == target,
                    "{target:#x}: {stop:?} at {:#x}",
                    core.pc
                );
            }
        }
    }
}
