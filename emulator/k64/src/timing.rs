//! Model of the time of a core of the control processor: an in-order pipeline with interlocks, and caches.
//!
//! An instruction issues when its operands are there, its unit is free, and the ones before it have issued; up to
//! `width` issue in a cycle. A load that misses holds up the instruction that wants its value, not itself. Every cycle
//! is one in which something issued, or belongs to one [`StallCause`]. The engine tells [`Timing`] of each instruction
//! before it is done; without a [`Timing`] each takes a cycle (`Cpu::cycle`).
//!
//! `caches` has the costs of memory; `class` the class of each operation; `code` the model as translated code has it; `phase` turns
//! of loops that take the same time.

mod caches;
mod class;
mod code;
mod phase;

use crate::registers::{HI, LO, SINK};
use caches::Caches;
pub(crate) use caches::CodeCaches;
pub use caches::{CacheCosts, Geometry, Misses};
pub(crate) use class::{Class, is_accumulating, is_conditional, is_fused, is_part};
pub(crate) use code::CodeCosts;
use code::CodeTime;
pub(crate) use phase::Phase;

/// Costs of the instructions of the control processor, in cycles, from which [`Timing`] computes when each issues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCosts {
    /// Largest number of instructions that issue in one cycle.
    pub width: u32,
    /// Cycles that are lost behind a branch that is taken, an exception, or a return from one: no instruction issues in
    /// them.
    pub branch: u32,
    /// Cycles from the issue of a load that hits the first cache to that of the first instruction that reads its value.
    pub load: u32,
    /// Cycles from the issue of a multiplication of integers to that of the first instruction that reads the product.
    /// The unit begins one in each cycle.
    pub multiply: u32,
    /// Cycles from the issue of a division of integers to that of the first instruction that reads the quotient or
    /// remainder. The unit for products and quotients begins nothing else meanwhile.
    pub divide: u32,
    /// Cycles from the issue of an addition, multiplication, comparison or conversion of the FPU to that of the first
    /// instruction that reads the result.
    pub float: u32,
    /// Least number of cycles from the issue of one addition, multiplication, comparison or conversion of the FPU to
    /// that of its next operation.
    pub float_repeat: u32,
    /// Cycles from the issue of a quotient, root or reciprocal of the FPU to that of the first instruction that reads
    /// it. The FPU begins nothing else meanwhile.
    pub float_divide: u32,
    /// Sizes of the caches, and costs of accesses that miss them.
    pub caches: CacheCosts,
}

/// Reason why no instruction issued in a cycle of a core of the control processor; every such cycle has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// The next instructions are not in the first-level cache and come from the second-level cache or system memory.
    Fetch,
    /// An operand of the next instruction is still being loaded.
    Load,
    /// An operand of the next instruction is still being computed.
    Operand,
    /// The unit of the next instruction, for integer products or the FPU, is not free.
    Unit,
    /// The next instruction, a load or store, needs the path to system memory, for a cache line or past the caches, and
    /// another transfer takes it.
    Path,
    /// The cycle is lost behind a branch that is taken, an exception, or a return from one: instructions are fetched
    /// anew.
    Branch,
    /// An access to registers of CP2 or of the channel takes longer than a cycle, or the FIFO of CP2 is full.
    Outside,
    /// The core waits for an interrupt (instruction `wait`).
    Waiting,
    /// The core sends a message to another processor, or waits for one.
    Message,
}

impl StallCause {
    /// All causes of stalls, in the order of the variants.
    pub const ALL: [Self; 9] = [
        Self::Fetch,
        Self::Load,
        Self::Operand,
        Self::Unit,
        Self::Path,
        Self::Branch,
        Self::Outside,
        Self::Waiting,
        Self::Message,
    ];

    /// Returns the words for the cause in reports, such as "an operand is loaded".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetch => "instructions come from memory",
            Self::Load => "an operand is loaded",
            Self::Operand => "an operand is computed",
            Self::Unit => "a unit is busy",
            Self::Path => "the path to memory is busy",
            Self::Branch => "after a branch",
            Self::Outside => "registers of CP2 and the channel, a full FIFO",
            Self::Waiting => "waits for an interrupt",
            Self::Message => "sends or awaits a message",
        }
    }
}

/// Time at which a register has its value, or a unit is free: the cycle, times a power of two ([`Timing::shift`]), and 1
/// more if the value is loaded.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
struct Ready(u64);

impl Ready {
    const fn at(cycle: u64, is_loaded: bool, shift: u32) -> Self {
        Self(cycle << shift | is_loaded as u64)
    }
    const fn cycle(self, shift: u32) -> u64 {
        self.0 >> shift
    }
    const fn cause(self) -> StallCause {
        if self.0 & 1 != 0 { StallCause::Load } else { StallCause::Operand }
    }
}

/// Cost of an instruction of a class, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) latency: u32,
    /// Cycles from an instruction to the next one that the unit takes.
    pub(crate) repeat: u32,
    /// Number of the unit; number 0 never waits.
    pub(crate) unit: usize,
}

/// Model of the time of a core of the control processor: in which cycle each instruction issues, and why not earlier.
/// It has the state of registers, units and caches as far as they decide that, and counts stalled cycles and misses of
/// the caches. [`Timing::new`] makes it from the costs of instructions.
#[derive(Clone)]
pub struct Timing {
    costs: InstructionCosts,
    by_class: [Cost; Class::COUNT],
    /// Earliest cycle in which the next instruction may issue, and number of those that have issued in it.
    now: u64,
    n_used: u32,
    /// Cycle in which the last instruction issued.
    issued_at: u64,
    /// Whether the instruction at the program counter has issued, and waits for what is outside.
    is_held: bool,
    ready: [Ready; 256],
    units: [Ready; Class::UNITS],
    caches: Caches,
    n_stalled: [u64; StallCause::ALL.len()],
    /// Logarithm of twice the largest number of instructions of a cycle, rounded up: by it times are multiplied where
    /// slots within a cycle count.
    shift: u32,
    code: CodeTime,
}

impl Timing {
    /// Creates a model at cycle 0, with these costs and with empty caches.
    #[must_use]
    pub fn new(costs: InstructionCosts) -> Self {
        let by_class = Class::ALL.map(|class| class.cost(&costs));
        let caches = Caches::new(&costs.caches);
        let shift = 1 + costs.width.next_power_of_two().trailing_zeros();
        let code = CodeTime::new(CodeCosts::of(&costs, by_class, shift, caches.for_code()));
        Self {
            costs,
            by_class,
            now: 0,
            n_used: 0,
            issued_at: 0,
            is_held: false,
            ready: [Ready::default(); 256],
            units: [Ready::default(); Class::UNITS],
            caches,
            n_stalled: [0; StallCause::ALL.len()],
            shift,
            code,
        }
    }

    /// Returns the earliest cycle in which the next instruction may issue, counted from 0.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.now
    }

    /// Returns the cycle in which the last instruction issued.
    pub(crate) fn issued_at(&self) -> u64 {
        self.issued_at
    }

    /// Returns the costs of instructions, in cycles, from which the model computes.
    #[must_use]
    pub fn costs(&self) -> &InstructionCosts {
        &self.costs
    }

    /// Returns the number of cycles, since the model was made, in which no instruction issued for this cause.
    #[must_use]
    pub fn stalled(&self, cause: StallCause) -> u64 {
        self.n_stalled[cause as usize]
    }

    /// Returns the numbers of accesses, since the model was made, that missed each cache.
    #[must_use]
    pub fn misses(&self) -> &Misses {
        self.caches.misses()
    }

    /// Whether the instruction at the program counter has issued already.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    pub(crate) fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Ends the current cycle, if something has issued in it.
    pub(crate) fn close(&mut self) {
        self.now += u64::from(self.n_used > 0);
        self.n_used = 0;
    }

    /// Lets so many cycles pass without an issue.
    pub(crate) fn stall(&mut self, cycles: u64, cause: StallCause) {
        if cycles == 0 {
            return;
        }
        self.close();
        self.now += cycles;
        self.n_stalled[cause as usize] += cycles;
    }

    /// Lets cycles pass without an issue until `cycle`.
    #[inline(always)]
    fn wait_until(&mut self, cycle: u64, cause: StallCause) {
        if cycle > self.now {
            self.n_stalled[cause as usize] += cycle - self.now - u64::from(self.n_used > 0);
            self.now = cycle;
            self.n_used = 0;
        }
    }

    /// Charges the cycles of a branch that is taken: what was fetched behind it is lost.
    pub(crate) fn redirect(&mut self) {
        self.stall(self.costs.branch.into(), StallCause::Branch);
    }

    #[inline(always)]
    fn want(&mut self, sources: [u8; 3]) {
        // Not by `map` of the array, which is not always inlined.
        let [a, b, c] = sources;
        let ready = |source: u8| self.ready[usize::from(source)];
        let last = ready(a).max(ready(b)).max(ready(c));
        self.wait_until(last.cycle(self.shift), last.cause());
    }

    /// Issues the next instruction, and returns its cycle.
    #[inline(always)]
    fn take_slot(&mut self) -> u64 {
        self.issued_at = self.now;
        self.n_used += 1;
        if self.n_used >= self.costs.width {
            self.now += 1;
            self.n_used = 0;
        }
        self.issued_at
    }

    /// Issues an instruction that does not access memory.
    #[inline(always)]
    pub(crate) fn issue(&mut self, class: Class, sources: [u8; 3], target: u8) {
        self.want(sources);
        let cost = self.by_class[class as usize];
        self.wait_until(self.units[cost.unit].cycle(self.shift), StallCause::Unit);
        let at = self.take_slot();
        self.units[cost.unit] = Ready::at(at + u64::from(cost.repeat), false, self.shift);
        let ready = Ready::at(at + u64::from(cost.latency), false, self.shift);
        self.ready[usize::from(target)] = ready;
        // Products and quotients that have no register of their own.
        if target == SINK && matches!(class, Class::Multiply | Class::Divide) {
            self.ready[usize::from(HI)] = ready;
            self.ready[usize::from(LO)] = ready;
        }
    }

    /// Issues a load.
    #[inline(always)]
    pub(crate) fn load(&mut self, address: u64, sources: [u8; 3], target: u8) {
        self.want(sources);
        let more = self.access(address, false);
        let at = self.take_slot();
        let latency = u64::from(self.costs.load) + more;
        self.ready[usize::from(target)] = Ready::at(at + latency, true, self.shift);
    }

    /// Issues a store; `target` is the register that says whether a conditional one was done.
    #[inline(always)]
    pub(crate) fn store(&mut self, address: u64, sources: [u8; 3], target: u8) {
        self.want(sources);
        self.access(address, true);
        let at = self.take_slot();
        let latency = u64::from(self.costs.load);
        self.ready[usize::from(target)] = Ready::at(at + latency, true, self.shift);
    }

    /// Waits for the path to memory, if the access takes it, and returns the cycles until the data are there, beyond
    /// those of a hit.
    #[inline(always)]
    fn access(&mut self, address: u64, is_store: bool) -> u64 {
        if self.caches.hits_data(address, is_store) {
            return 0;
        }
        self.access_far(address, is_store)
    }

    #[cold]
    #[inline(never)]
    fn access_far(&mut self, address: u64, is_store: bool) -> u64 {
        let far = self.caches.data(address, is_store);
        self.access_memory(far, StallCause::Path)
    }

    /// Takes the path to memory, as far as an access goes.
    fn access_memory(&mut self, far: caches::Far, cause: StallCause) -> u64 {
        if far.lines > 0 {
            self.wait_until(self.caches.free_at, cause);
            self.caches.free_at = self.now + u64::from(far.lines * self.costs.caches.line);
        }
        far.latency.into()
    }

    /// Fetches the line of instructions at an address.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, address: u64) {
        if !self.caches.hits_instruction(address) {
            let far = self.caches.instruction(address);
            let latency = self.access_memory(far, StallCause::Fetch);
            self.stall(latency, StallCause::Fetch);
        }
    }

    /// Removes bytes from a physical address on from the caches of data, because others have changed them. The cache of
    /// instructions does not see what others write.
    pub(crate) fn forget(&mut self, address: u64, bytes: u64) {
        self.caches.forget(address, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn costs() -> InstructionCosts {
        InstructionCosts {
            width: 1,
            branch: 1,
            load: 2,
            multiply: 4,
            divide: 30,
            float: 5,
            float_repeat: 2,
            float_divide: 20,
            caches: caches::tests::costs(),
        }
    }

    #[test]
    fn an_instruction_waits_for_its_operands() {
        let mut timing = Timing::new(costs());
        timing.issue(Class::Float, [1, 2, 0], 40);
        assert_eq!(timing.cycle(), 1);
        // One that does not want the sum goes on; one that does issues five cycles behind it.
        timing.issue(Class::Integer, [1, 2, 0], 3);
        assert_eq!(timing.issued_at(), 1);
        timing.issue(Class::Integer, [40, 0, 0], 4);
        assert_eq!(timing.issued_at(), 5);
        assert_eq!(timing.stalled(StallCause::Operand), 3);
    }

    #[test]
    fn a_unit_takes_operations_at_its_rate() {
        let mut timing = Timing::new(costs());
        timing.issue(Class::FloatDivide, [0; 3], 40);
        timing.issue(Class::Float, [0; 3], 41);
        assert_eq!(timing.issued_at(), 20);
        timing.issue(Class::Float, [0; 3], 42);
        assert_eq!(timing.issued_at(), 22);
        assert_eq!(timing.stalled(StallCause::Unit), 19 + 1);
    }

    #[test]
    fn two_issue_in_a_cycle_if_the_width_is_two() {
        let mut timing = Timing::new(InstructionCosts { width: 2, ..costs() });
        for register in 1..=4 {
            timing.issue(Class::Integer, [0; 3], register);
        }
        assert_eq!(timing.cycle(), 2);
        timing.issue(Class::Integer, [0; 3], 5);
        // The next wants what is computed in this cycle.
        timing.issue(Class::Integer, [5, 0, 0], 6);
        assert_eq!((timing.issued_at(), timing.stalled(StallCause::Operand)), (3, 0));
    }

    #[test]
    fn products_without_a_register_go_to_hi_and_lo() {
        let mut timing = Timing::new(costs());
        timing.issue(Class::Multiply, [1, 2, 0], SINK);
        timing.issue(Class::Integer, [LO, 0, 0], 3);
        assert_eq!(timing.issued_at(), 4);
    }

    #[test]
    fn a_miss_holds_up_who_wants_the_value() {
        let mut timing = Timing::new(costs());
        timing.load(0xffff_ffff_8000_1000, [0; 3], 2);
        timing.issue(Class::Integer, [0; 3], 3);
        assert_eq!(timing.cycle(), 2);
        timing.issue(Class::Integer, [2, 0, 0], 4);
        // A hit's 2, and what second cache and memory take.
        assert_eq!(timing.issued_at(), 2 + 10 + 40);
        timing.load(0xffff_ffff_8000_1008, [0; 3], 2);
        timing.issue(Class::Integer, [2, 0, 0], 4);
        assert_eq!(timing.issued_at(), 52 + 1 + 2);
    }

    #[test]
    fn the_path_to_memory_takes_one_line_at_a_time() {
        let mut timing = Timing::new(costs());
        timing.load(0xffff_ffff_8000_1000, [0; 3], 2);
        timing.store(0xffff_ffff_8000_2000, [0; 3], SINK);
        assert_eq!(timing.issued_at(), 8);
        assert_eq!(timing.stalled(StallCause::Path), 7);
    }

    #[test]
    fn every_cycle_has_one_cause() {
        let mut timing = Timing::new(InstructionCosts { width: 2, ..costs() });
        let mut state = 1u64;
        let (mut n_cycles, mut last) = (0, None);
        for _ in 0..10_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let [kind, a, b, d, ..] = state.to_be_bytes();
            let sources = [a % 64, b % 64, 0];
            let address = 0xffff_ffff_8000_0000 | (state >> 20 & 0xffff8);
            match kind % 8 {
                0 => timing.load(address, sources, 1 + d % 60),
                1 => timing.store(address, sources, SINK),
                2 => timing.fetch(address),
                3 => timing.redirect(),
                4 => timing.issue(Class::FloatDivide, sources, 1 + d % 60),
                5 => timing.issue(Class::Float, sources, 1 + d % 60),
                _ => timing.issue(Class::Integer, sources, 1 + d % 60),
            }
            if last != Some(timing.issued_at()) && !matches!(kind % 8, 2 | 3) {
                n_cycles += 1;
                last = Some(timing.issued_at());
            }
        }
        let stalled: u64 = StallCause::ALL.iter().map(|cause| timing.stalled(*cause)).sum();
        let open = u64::from(timing.n_used > 0);
        assert_eq!(timing.cycle() + open, n_cycles + stalled);
    }
}
