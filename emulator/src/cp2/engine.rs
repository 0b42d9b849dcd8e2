//! One cycle of CP2: results land, a bundle is read, executed and committed, the flow advances.

mod host;
mod mailbox;
mod run;

pub use run::{End, RunResult};

use super::events::Executed;
use super::exchange::{Context, Done, Issue, Read};
use super::fault::{Fault, FaultKind};
use super::fifo::Fifo;
use super::flow::{self, FlowPosition};
use super::operands::{self, Computed};
use super::pipeline::{Landing, Pipeline, sections};
use crate::arith::{self, Flags, LaneResult, Rounding};
use crate::profile::Profile;
use crate::state::{CONTROL_INVERSE, Quad, State, status};
use crate::stats::{Cause, Stats};
use crate::trace::{Observer, Wants};
use cp2_isa::rules::{angle, flags};
use cp2_isa::{
    Arith, Banks, Bundle, BundleAddress, BundleBits, Core, Creg, Cycle, Effects, Inst, RunCycle,
    SECTIONS, control, decode,
};
use serde::{Deserialize, Serialize};

/// A CP2: its registers and memories, the host FIFO, the results in flight, and the counts of its runs. It can execute
/// its cycles by itself ([`Cp2::step`]), which is the reference engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cp2 {
    /// Registers and memories as they are between two cycles. Results in flight are not in them yet.
    pub state: State,
    /// Host FIFO: bundles that the host has sent and CP2 has not taken yet.
    pub fifo: Fifo,
    /// State of the DMA channel as `check_dma` reads it: bit 0 busy, bit 1 waits for `start_dma`, bit 2 moves data. A
    /// [`Machine`](crate::Machine) with system memory sets it before each cycle.
    pub dma_state: u64,
    /// Whether `start_dma` has issued in the latest cycle. The [`Machine`](crate::Machine) passes that on to the
    /// channel and clears it.
    pub dma_released: bool,
    pub(super) counted: Counted,
    #[serde(skip)]
    pub(super) core: Core,
    pub(super) pipeline: Pipeline,
    pub(super) cycle: Cycle,
    pub(super) sequencer: Sequencer,
    pub(super) latest: LatestCycle,
}

/// Counts of runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Counted {
    /// Counts of the current or the last run.
    pub(super) stats: Stats,
    /// Profile, if the costs of bundles are counted; no checkpoint keeps it.
    #[serde(skip)]
    pub(super) profile: Option<Box<Profile>>,
    /// Counts of runs that were followed by others, if they are to be kept.
    #[serde(skip)]
    ended: Option<Vec<Stats>>,
}

/// The state that decides which bundle issues next, and when.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sequencer {
    /// Whether a kernel runs.
    pub(super) running: bool,
    /// Relation of the next bundle to the one before it.
    pub(super) position: FlowPosition,
    /// Cycles for which a `sync` still holds the issue.
    pub(super) hold: u32,
    /// The cycle in which a kernel starts that the host has asked for, and where.
    pub(super) start_at: Option<(Cycle, BundleAddress)>,
    /// Address to which a `jump` from the host FIFO sets PC at the end of this cycle.
    pub(super) jump_to: Option<BundleAddress>,
}

/// Use of the latest cycle.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LatestCycle {
    /// Banks of local memory that the bundle of the cycle accessed.
    pub(super) banks: Banks,
    /// Cause of the cycle; `None` if no kernel ran.
    cause: Option<Cause>,
}

impl Default for Cp2 {
    fn default() -> Self {
        Self::new(Core::CP2)
    }
}

impl Cp2 {
    /// Creates a CP2 of a core as it is after reset.
    pub fn new(core: Core) -> Self {
        Self {
            state: State::new(&core),
            fifo: Fifo::new(&core),
            dma_state: 0,
            dma_released: false,
            counted: Counted { stats: Stats::new(&core), profile: None, ended: None },
            pipeline: Pipeline::new(&core),
            core,
            cycle: Cycle::RESET,
            sequencer: Sequencer::default(),
            latest: LatestCycle::default(),
        }
    }

    /// Whether another CP2 has the same sizes, its memories aside.
    pub(crate) fn is_built_like(&self, other: &Self) -> bool {
        self.state.fpr.len() == other.state.fpr.len()
            && self.state.sa.len() == other.state.sa.len()
            && self.state.shared.len() == other.state.shared.len()
            && self.state.qa.len() == other.state.qa.len()
            && self.counted.stats.bank_accesses.len() == other.counted.stats.bank_accesses.len()
            && self.pipeline.is_built_like(&other.pipeline)
            && self.fifo.is_built_like(&other.fifo)
    }

    /// Takes over the core of a CP2 that is built alike, because the core is not kept with a CP2.
    pub(crate) fn take_core(&mut self, other: &Self) {
        self.core = other.core;
    }

    /// Returns the core of this CP2: its sizes and latencies.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the cycle that comes next, counted from reset: the number of cycles that are over.
    pub fn cycle(&self) -> Cycle {
        self.cycle
    }

    /// Returns the counts of the current run of a kernel, or of the latest one if no kernel runs: cycles by cause,
    /// operations, accesses to local memory.
    pub fn stats(&self) -> &Stats {
        &self.counted.stats
    }

    /// Begins to keep the counts of every run that is followed by another one, whose begin resets the counts;
    /// [`Cp2::take_ended`] returns them. Forgets those kept before.
    pub fn keep_ended(&mut self) {
        self.counted.ended.get_or_insert_default().clear();
    }

    /// Returns the counts of the runs that were followed by another one since the last call, the oldest first, and
    /// forgets them; empty if none are kept ([`Cp2::keep_ended`]).
    pub fn take_ended(&mut self) -> Vec<Stats> {
        self.counted.ended.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Begins to count the cost of every bundle, its cycles by cause and floating-point operations, in a new
    /// [`Profile`], which starts at 0 whenever a kernel starts.
    pub fn keep_profile(&mut self) {
        self.counted.profile = Some(Box::new(Profile::new(&self.core)));
    }

    /// Counts the cost of every bundle, its cycles by cause and floating-point operations, in `profile` from now on, in
    /// addition to what it has. The profile has to be one of all runs ([`Profile::of_all_runs`]).
    pub fn go_on_with_profile(&mut self, mut profile: Profile) {
        profile.join_run(&self.counted.stats);
        self.counted.profile = Some(Box::new(profile));
    }

    /// Returns the profile, the cost of every bundle, and ends counting it; `None` if it was not counted.
    pub fn take_profile(&mut self) -> Option<Profile> {
        self.counted.profile.take().map(|profile| *profile)
    }

    /// Returns the cost of every bundle in the current or the latest run, its cycles by cause and floating-point
    /// operations; `None` if it is not counted ([`Cp2::keep_profile`]).
    pub fn profile(&self) -> Option<&Profile> {
        self.counted.profile.as_deref()
    }

    /// Returns whether a kernel runs.
    pub fn is_running(&self) -> bool {
        self.sequencer.running
    }

    /// Returns the whole value of register STATUS of CP2 as the host or a kernel reads it, with the bits for a running
    /// kernel (RUN) and a full or empty host FIFO (FF, FE).
    pub fn status(&self) -> u64 {
        let bit = |on, bit| if on { bit } else { 0 };
        self.state.status & status::STORED
            | bit(self.sequencer.running, status::RUN)
            | bit(self.fifo.is_full(), status::FIFO_FULL)
            | bit(self.fifo.shows_empty(), status::FIFO_EMPTY)
    }

    /// Returns the banks of local memory that the bundle of the latest cycle accessed: none, one, or more where the
    /// sections have addresses of their own.
    pub fn accessed_banks(&self) -> Banks {
        self.latest.banks
    }

    /// Returns the cause of the latest cycle: the slots in which the bundle had an operation, or why no bundle issued;
    /// `None` if no kernel ran in it.
    pub fn cause(&self) -> Option<Cause> {
        self.latest.cause
    }

    /// Returns whether CP2 has done all that the host asked of it: no kernel runs, no `run` of the host is pending, and
    /// the host FIFO is empty. The DMA channel does not count.
    pub fn is_done(&self) -> bool {
        !self.sequencer.running && self.sequencer.start_at.is_none() && self.fifo.is_empty()
    }

    /// Returns whether CP2 has nothing to do, and would take the next bundle from the host without a hold: no kernel
    /// runs, the FIFO is empty, no `sync` holds, no `jump` of the host is pending.
    pub fn is_idle(&self) -> bool {
        self.is_done() && self.sequencer.hold == 0 && self.sequencer.jump_to.is_none()
    }

    /// Lets time pass up to a cycle while CP2 is idle; what was issued before lands.
    pub(crate) fn advance_idle(&mut self, until: Cycle) {
        (self.latest.banks, self.latest.cause) = (Banks::NONE, None);
        for _ in 0..=self.core.latencies().drain {
            if self.cycle >= until {
                return;
            }
            self.land();
            self.cycle += 1;
        }
        self.cycle = until;
    }

    /// Executes one cycle of CP2 alone: results land, then a bundle of the kernel issues, or an entry of the host FIFO
    /// is taken if no kernel runs.
    ///
    /// # Errors
    /// The bundle has no meaning. It has not been executed, and the cycle does not count as over. If it is a bundle of
    /// a kernel, PC is its address.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<(), Fault> {
        (self.latest.banks, self.latest.cause) = (Banks::NONE, None);
        self.land();
        if let Some((cycle, address)) = self.sequencer.start_at
            && cycle == self.cycle
        {
            self.sequencer.start_at = None;
            self.begin(address);
        }
        let jump = self.sequencer.jump_to.take();
        if self.sequencer.hold > 0 {
            self.sequencer.hold -= 1;
            if self.sequencer.running {
                self.counted.stats.count_cycle(Cause::SyncHold);
                self.latest.cause = Some(Cause::SyncHold);
                if let Some(profile) = &mut self.counted.profile {
                    profile.count_held();
                }
            }
        } else if self.sequencer.running {
            self.issue(observer)?;
        } else if let Some(entry) = self.fifo.take() {
            self.take(entry, jump)?;
        }
        if let Some(address) = jump {
            self.state.pc = address;
        }
        self.cycle += 1;
        Ok(())
    }

    fn land(&mut self) {
        self.pipeline.land(self.cycle, &mut self.state, &mut self.counted.stats.collisions);
    }

    fn fault(&self, address: Option<BundleAddress>, word: BundleBits, kind: FaultKind) -> Fault {
        Fault { cycle: RunCycle(self.counted.stats.cycles), address, word, kind }
    }

    fn ran_past_end(&self) -> FaultKind {
        FaultKind::RanPastEnd(flow::last_bundle(&self.core))
    }

    /// Issues the bundle at PC.
    fn issue(&mut self, observer: &mut dyn Observer) -> Result<(), Fault> {
        let pc = self.state.pc;
        let Some(&word) = self.state.iram.get(pc.index()) else {
            return Err(self.fault(Some(pc), 0, self.ran_past_end()));
        };
        if let FlowPosition::Nullified(to) = self.sequencer.position {
            self.counted.stats.count_cycle(Cause::Nullified);
            self.latest.cause = Some(Cause::Nullified);
            if let Some(profile) = &mut self.counted.profile {
                profile.count(pc, Cause::Nullified, 0);
            }
            (self.state.pc, self.sequencer.position) = (to, FlowPosition::Plain);
            return Ok(());
        }
        let bundle = match decode(word, &self.core) {
            Ok(bundle) => bundle,
            Err(undefined) => {
                return Err(self.fault(Some(pc), word, FaultKind::Undefined(undefined)));
            }
        };
        flow::check_place(
            bundle.exch.op.row(),
            pc,
            self.sequencer.position,
            self.state.loops.last(),
        )
        .map_err(|kind| self.fault(Some(pc), word, kind))?;
        let next = flow::next_address(pc, self.sequencer.position);
        // No bundle that can still be refused stands where this changes anything.
        let decision = flow::decide(&mut self.state, pc, self.sequencer.position);
        let (computed, done) = match self.execute(&bundle, pc, next) {
            Ok(both) => both,
            Err(kind) => return Err(self.fault(Some(pc), word, kind)),
        };
        let cause = self.counted.stats.count_bundle(&bundle, computed.enabled);
        self.latest.cause = Some(cause);
        if let Some(profile) = &mut self.counted.profile {
            let sections = u64::from(computed.enabled.count_ones());
            profile.count(pc, cause, sections * u64::from(bundle.arith.op.row().flops));
        }
        for bank in self.latest.banks.iter() {
            self.counted.stats.bank_accesses[bank.index()] += 1;
        }
        if observer.wants().intersects(Wants::OPERATIONS | Wants::UNNAMED) {
            let cycle = RunCycle(self.counted.stats.cycles - 1);
            let predicate = self.predicate(bundle.cc);
            let (bundle, computed, done) = (&bundle, &computed, &done);
            let state = &self.state;
            Executed { cycle, address: pc, bundle, computed, done, predicate, state }
                .tell(self.core.latencies(), observer);
        }
        if done.stop {
            self.sequencer.running = false;
        }
        self.sequencer.position = flow::next_position(decision, done.request);
        self.state.pc = next;
        Ok(())
    }

    /// Reads all, executes, commits all. On an error nothing has changed. The exchange operation
    /// comes second: it sees the flags and the step of RIND of the arithmetic one.
    fn execute(
        &mut self,
        bundle: &Bundle,
        pc: BundleAddress,
        next_pc: BundleAddress,
    ) -> Result<(Computed, Done), FaultKind> {
        let predicate = self.predicate(bundle.cc);
        let computed = self.compute(bundle, predicate);
        let raised = operands::raised(&bundle.arith, &computed);
        let status = flags::status_raised(self.status(), raised);
        let rind = computed.next_rind.unwrap_or(self.state.rind);
        let issue = Issue { pc, next_pc, enabled: predicate, status, rind };
        let mut context = self.context(issue);
        let read: Read = context.read(&bundle.exch);
        let request = context.flow(&bundle.exch, read.scalar)?;
        self.commit(bundle, &computed, raised);
        let done = self.context(issue).execute(&bundle.exch, read, request);
        if done.sync || done.stop {
            self.sequencer.hold = self.core.latencies().sync - 1;
        }
        self.dma_released |= done.start_dma;
        if let Some((set, register, half)) = bundle.arith.section_addresses() {
            // Behind the exchange operation: it wins over what that does to the same addresses.
            let addresses = self.context(issue).own_addresses(register, half);
            for s in sections(computed.enabled) {
                self.state.sa[usize::from(set)][s] = addresses[s];
            }
        }
        self.latest.banks = match (done.own, done.word) {
            (Some(own), _) => own.into_iter().map(|word| self.core.bank_of(word)).collect(),
            (None, word) => word.map(|word| self.core.bank_of(word)).into_iter().collect(),
        };
        Ok((computed, done))
    }

    fn context(&mut self, issue: Issue) -> Context<'_> {
        Context {
            state: &mut self.state,
            pipeline: &mut self.pipeline,
            core: &self.core,
            cycle: self.cycle,
            issue,
            dma_state: self.dma_state,
        }
    }

    /// Returns the sections that condition code `cc` enables.
    fn predicate(&self, cc: u8) -> u8 {
        if cc == 0 {
            return 0xf;
        }
        (0..SECTIONS)
            .fold(0, |mask, s| mask | u8::from(flags::enabled(self.state.fccr[s], cc)) << s)
    }

    /// Reads the operands of the arithmetic half and executes it in the enabled sections.
    fn compute(&self, bundle: &Bundle, predicate: u8) -> Computed {
        let inst = &bundle.arith;
        let row = inst.op.row();
        let enabled = if row.effects.contains(Effects::PREDICATED) { predicate } else { 0xf };
        let mut computed = Computed {
            enabled,
            outcome: Default::default(),
            creg: Quad::default(),
            next_rind: None,
        };
        if inst.op == Arith::Nop {
            return computed;
        }
        let named = inst.named();
        let rounding = Rounding::of(self.state.control);
        let mut coefficient = 0;
        if row.effects.contains(Effects::COEFFICIENT) {
            let State { rind, rstep, rmask, control, .. } = self.state;
            coefficient = arith::coefficient(rind, control & CONTROL_INVERSE != 0);
            computed.next_rind = Some(angle::stepped(rind, rstep, rmask));
        }
        for s in sections(enabled) {
            let lane = operands::lane(named, &self.state, s, coefficient, rounding);
            computed.creg[s] = lane.d;
            computed.outcome[s] = match inst.op {
                Arith::Mfc => LaneResult { d: self.creg(inst, s), ..LaneResult::default() },
                _ => arith::execute(inst, &lane),
            };
        }
        computed
    }

    /// Returns the control register that `mfc` reads, as it is without what is under way.
    fn creg(&self, inst: &Inst<Arith>, s: usize) -> u64 {
        match inst.creg() {
            Some(Creg::Fccr) => self.state.fccr[s].into(),
            _ => self.state.fcsr[s].into(),
        }
    }

    /// Plans the writes of the arithmetic half and lets its immediate effects happen, which a write
    /// by the exchange operation of the same bundle overrides.
    fn commit(&mut self, bundle: &Bundle, computed: &Computed, raised: Flags) {
        let inst = &bundle.arith;
        let row = inst.op.row();
        let outcome = &computed.outcome;
        let enabled = computed.enabled;
        for (reg, halves, pick) in operands::results(inst) {
            let value = std::array::from_fn(|s| pick(&outcome[s]));
            let landing = Landing::Fpr { reg, halves, value, from_load: false };
            self.pipeline.plan(
                self.cycle + u64::from(self.core.latencies().arithmetic),
                enabled,
                landing,
            );
        }
        let condition_cycle = self.cycle + u64::from(self.core.latencies().condition);
        if let Some(comparison) = inst.comparison() {
            let (first, count) = (comparison.cc, comparison.codes());
            let value = outcome.map(|o| o.conditions);
            let landing = Landing::Conditions { first, count, value };
            self.pipeline.plan(condition_cycle, enabled, landing);
        }
        if inst.op == Arith::Mtc {
            let fccr = inst.creg() == Some(Creg::Fccr);
            let landing = Landing::Creg { fccr, value: computed.creg };
            self.pipeline.plan(condition_cycle, enabled, landing);
            if !fccr {
                let landing = Landing::StatusFlags(operands::sticky(&computed.creg));
                self.pipeline.plan_status(condition_cycle, landing);
            }
        }
        if row.effects.contains(Effects::FLAGS) {
            let landing = Landing::Exceptions(outcome.map(|o| o.flags));
            self.pipeline.plan(condition_cycle, enabled, landing);
        }
        let written = bundle.exch.control_written();
        if written != Some(control::STATUS) {
            self.state.status = flags::status_raised(self.state.status, raised);
        }
        if !raised.is_empty() {
            self.pipeline.raise(self.cycle, raised);
        }
        if let Some(next) = computed.next_rind
            && written != Some(control::RIND)
        {
            self.state.rind = next;
        }
    }
}
