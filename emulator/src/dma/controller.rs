//! The state machine of the channel, by events: it knows the cycle in which it does something next
//! and does nothing before. How beats follow each other is in `stream.rs`, what a beat moves in
//! `transfer.rs`.

mod descriptors;
mod host;
mod kept;
mod timing;

pub use timing::DmaTiming;

use super::accesses::{Accesses, WordSet};
use super::beside::{InStep, KernelAccesses, Nothing};
use super::descriptor::Descriptor;
use super::fault::{DmaFault, DmaFaultKind};
use super::history::History;
use super::log::Log;
use super::moving::Moving;
use super::ports::Ports;
use super::registers::{DmaRegister, cause};
use super::stats::{ChannelCause, DmaStats};
use super::stream::{Counts, Ending, Stream};
use super::transfer::Transfer;
use crate::memory::{MemoryPort, MemoryTiming};
use cp2_isa::{Banks, Core, Cycle, MemoryAddress};
use serde::{Deserialize, Serialize};

/// Number and address of the descriptor that the channel turned to last. What is written to the registers later changes
/// neither (\[L\]).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Current {
    number: u32,
    address: MemoryAddress,
}

/// The DMA channel of a CP2: moves data between system memory and local memory by a table of descriptors in system
/// memory, cycle by cycle. The host controls it through its registers ([`DmaRegister`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dma {
    #[serde(skip)]
    core: Core,
    timing: DmaTiming,
    port: MemoryPort,
    registers: [u32; 10],
    current: Current,
    state: State,
    stats: DmaStats,
    fault: Option<DmaFault>,
    /// History of the channel, if it is kept; checkpoints leave it out.
    #[serde(skip)]
    history: Option<History>,
    /// Visits of descriptors and their beats, if they are kept; checkpoints leave them out.
    #[serde(skip)]
    log: Option<Box<Log>>,
    /// Cycles before this one are over and counted.
    now: Cycle,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum State {
    Idle,
    /// The channel will ask for a descriptor in this cycle.
    Starting(Cycle),
    /// The last word of the descriptor comes in this cycle.
    Fetching(Cycle),
    /// The channel will begin the transfer of the descriptor in this cycle.
    SettingUp(Cycle, Box<Descriptor>),
    /// The channel waits for `start_dma` before or after the data.
    Waiting(Box<Descriptor>, SyncPlace),
    /// The channel moves data.
    Moving(Box<Moving>),
}

/// A condition other than a cycle that ends the way of the channel.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// No other condition.
    Never,
    /// The channel becomes idle or begins to wait.
    Still,
    /// The answer of `check_dma` is another than the given one.
    Answer(u64),
}

impl Halt {
    fn when(until_still: bool) -> Self {
        if until_still { Self::Still } else { Self::Never }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum SyncPlace {
    Before,
    After,
}

/// Descriptor whose time has come.
enum Prepared {
    Refused(DmaFaultKind),
    /// The descriptor moves nothing.
    NoData(Box<Descriptor>),
    Data(Box<Moving>),
}

impl Dma {
    /// Creates the channel of a core as it is after reset: idle. `timing` has the costs of the channel itself,
    /// `port` those of its memory port, which lies between it and system memory.
    pub fn new(core: Core, timing: DmaTiming, port: MemoryTiming) -> Self {
        let mut registers = [0; 10];
        registers[DmaRegister::Addrlim as usize] = !0;
        Self {
            core,
            timing,
            port: MemoryPort::new(port),
            registers,
            current: Current::default(),
            state: State::Idle,
            stats: DmaStats::default(),
            fault: None,
            history: None,
            log: None,
            now: Cycle::RESET,
        }
    }

    /// Whether another channel is of a core and a memory with the same sizes and times.
    pub(crate) fn is_built_like(&self, other: &Self) -> bool {
        self.timing == other.timing && self.port.is_built_like(&other.port)
    }

    /// Takes over the core of a channel that is built alike, because the core is not kept with a channel.
    pub(crate) fn take_core(&mut self, other: &Self) {
        self.core = other.core;
    }

    /// Returns the cycle that comes next, counted from reset: the channel has done everything that was due before it.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Returns the state of the channel.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the memory port, which lies between the channel and system memory, with its numbers of transactions and
    /// of row openings.
    pub fn port(&self) -> &MemoryPort {
        &self.port
    }

    /// Returns the memory port of a channel that moves nothing, for [`MemoryPort::rest_as`].
    pub fn port_mut(&mut self) -> &mut MemoryPort {
        &mut self.port
    }

    /// Returns the counts of the channel since reset: its cycles by cause, descriptors, and bytes moved.
    pub fn stats(&self) -> &DmaStats {
        &self.stats
    }

    /// Returns the fault that stopped the channel; `None` if there was none since the latest start.
    pub fn fault(&self) -> Option<&DmaFault> {
        self.fault.as_ref()
    }

    /// Returns whether the channel works on descriptors; true also while it waits for `start_dma`.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// Returns whether the channel waits for the kernel's operation `start_dma`, because a descriptor demands it.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(..))
    }

    /// Lets a channel that waits for `start_dma` go on, from the current cycle on. Does nothing if the channel does not
    /// wait: a `start_dma` is not kept for later (\[L\]).
    pub fn release(&mut self, ports: &mut Ports<'_>) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Waiting(d, SyncPlace::Before) => match self.prepare(d, self.now, ports, None) {
                Ok(prepared) => self.begin(prepared, self.now, ports),
                // There is no kernel ahead.
                Err(d) => self.state = State::Waiting(d, SyncPlace::Before),
            },
            State::Waiting(d, SyncPlace::After) => self.finish(&d, self.now, ports),
            other => self.state = other,
        }
    }

    /// Returns the cycle in which the channel does something next, if neither host nor kernel does anything; `None`
    /// while the channel is idle or waits for `start_dma`.
    pub fn next_event(&self) -> Option<Cycle> {
        match &self.state {
            State::Idle | State::Waiting(..) => None,
            State::Starting(cycle) | State::Fetching(cycle) | State::SettingUp(cycle, _) => {
                Some(*cycle)
            }
            State::Moving(moving) => Some(moving.next),
        }
    }

    /// Advances the channel to cycle `until`: does everything that is due before it. `kernel_banks` returns the banks
    /// of local memory that the kernel accesses in a cycle before `until`; it is called only for cycles in which a beat
    /// is due.
    ///
    /// An engine that goes cycle by cycle calls this after every cycle. An engine that runs ahead calls it before it
    /// reads or writes anything that the channel also reads or writes, and at [`Dma::next_event`] at the latest.
    pub fn advance_to(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        kernel_banks: &mut impl FnMut(Cycle) -> Banks,
    ) {
        self.run_until(until, ports, &mut InStep(kernel_banks), Halt::Never);
    }

    /// Advances the channel to cycle `until` behind a kernel that has already run through these cycles with the given
    /// accesses, and returns whether the channel has reached `until`. The channel stops before the cycle in which the
    /// order would matter: in which it reaches a word that the kernel has accessed, or reads an index register. With
    /// `until_still` it also stops after the cycle in which it becomes idle or begins to wait for `start_dma`.
    pub fn follow(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        mut kernel: &Accesses,
        until_still: bool,
    ) -> bool {
        self.run_until(until, ports, &mut kernel, Halt::when(until_still)) && self.now >= until
    }

    /// Advances the channel to cycle `until` while no kernel runs, and returns the cycle that it has reached. With
    /// `until_still` it stops earlier, after the cycle in which it becomes idle or begins to wait for `start_dma`.
    pub fn advance_alone(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        until_still: bool,
    ) -> Cycle {
        self.run_until(until, ports, &mut Nothing, Halt::when(until_still));
        self.now
    }

    /// Advances the channel to cycle `until` beside a kernel that accesses no memory and only asks with `check_dma`.
    /// Stops earlier, at the first cycle in which `check_dma` gives another value than now. Returns the cycle that it
    /// has reached.
    pub fn advance_unchanged(&mut self, until: Cycle, ports: &mut Ports<'_>) -> Cycle {
        self.run_until(until, ports, &mut Nothing, Halt::Answer(self.check()));
        self.now
    }

    /// Advances the channel to cycle `until`, or until it would meet the kernel, which returns false, or behind the cycle in
    /// which it halts.
    fn run_until(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl KernelAccesses,
        halt: Halt,
    ) -> bool {
        // Of a transfer under way it is enough to ask once.
        let mut is_first = true;
        while let Some(cycle) = self.next_event()
            && cycle < until
        {
            self.count_idle(cycle);
            if std::mem::take(&mut is_first)
                && let (State::Moving(moving), Some(words)) = (&self.state, beside.ahead())
                && moving.would_meet(words)
            {
                return false;
            }
            if !self.act(cycle, until, ports, beside) {
                return false;
            }
            if self.halts(halt) {
                self.count_idle(self.now.max(cycle + 1));
                return true;
            }
        }
        if !self.halts(halt) {
            self.count_idle(until);
        }
        true
    }

    fn halts(&self, halt: Halt) -> bool {
        match halt {
            Halt::Never => false,
            Halt::Still => self.next_event().is_none(),
            Halt::Answer(answer) => self.check() != answer,
        }
    }

    fn count(&mut self, cause: ChannelCause, cycles: u64) {
        self.stats.count(cause, cycles);
        if let Some(history) = &mut self.history {
            history.add(cause, self.current.number, cycles);
        }
        if let Some(log) = &mut self.log {
            log.count(cause, cycles);
        }
    }

    /// Counts the cycles before `cycle`, in which nothing happened.
    pub(crate) fn count_idle(&mut self, cycle: Cycle) {
        let cause = match self.state {
            State::Idle => ChannelCause::Idle,
            State::Starting(_) | State::SettingUp(..) => ChannelCause::SetUp,
            State::Fetching(_) => ChannelCause::Fetch,
            State::Waiting(..) => ChannelCause::Sync,
            State::Moving(_) => ChannelCause::Memory,
        };
        let Some(cycles) = cycle.checked_since(self.now) else { return };
        self.count(cause, cycles);
        self.now = cycle;
    }

    /// Does what is due in `cycle`; nothing, and gives false, if it is the begin of a transfer that concerns a kernel which
    /// is ahead.
    fn act(
        &mut self,
        cycle: Cycle,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl KernelAccesses,
    ) -> bool {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => {}
            State::Waiting(descriptor, place) => self.state = State::Waiting(descriptor, place),
            State::Starting(_) => self.ask(cycle),
            State::Fetching(_) => self.take(cycle, ports),
            State::SettingUp(_, descriptor) if descriptor.sync_before => {
                self.wait(descriptor, SyncPlace::Before);
            }
            State::SettingUp(ready, descriptor) => {
                match self.prepare(descriptor, cycle, ports, beside.ahead()) {
                    Ok(prepared) => self.begin(prepared, cycle, ports),
                    Err(descriptor) => {
                        self.state = State::SettingUp(ready, descriptor);
                        return false;
                    }
                }
            }
            State::Moving(moving) => self.stream(moving, until, ports, beside),
        }
        true
    }

    /// Makes the channel wait for `start_dma`.
    fn wait(&mut self, descriptor: Box<Descriptor>, place: SyncPlace) {
        if let Some(log) = &mut self.log {
            log.waits(place == SyncPlace::After, self.now);
        }
        self.state = State::Waiting(descriptor, place);
    }

    /// Stops the channel. Refused accesses are an interrupt cause; a bad descriptor is none.
    fn refuse(&mut self, cycle: Cycle, kind: DmaFaultKind) {
        if matches!(kind, DmaFaultKind::AddressLimit(..) | DmaFaultKind::OutsideMemory(_)) {
            self.registers[DmaRegister::Intcause as usize] |= cause::ADDRESS;
        }
        let descriptor = self.current.number;
        self.fault = Some(DmaFault { cycle, descriptor, kind });
        self.rest();
    }

    /// Leaves the descriptor and does nothing more.
    fn rest(&mut self) {
        if let Some(log) = &mut self.log {
            log.end_visit(self.now);
        }
        self.state = State::Idle;
    }

    /// Prepares the transfer of a descriptor that need not wait any longer. It is given back if it concerns a kernel that is
    /// ahead and has accessed these words.
    fn prepare(
        &self,
        descriptor: Box<Descriptor>,
        cycle: Cycle,
        ports: &Ports<'_>,
        ahead: Option<&WordSet>,
    ) -> Result<Prepared, Box<Descriptor>> {
        if ahead.is_some() && descriptor.reads_index() {
            return Err(descriptor);
        }
        let alignment = self.timing.alignment_bytes;
        match Transfer::new(&self.core, &descriptor.action, ports.ireg, alignment) {
            Err(kind) => Ok(Prepared::Refused(kind)),
            Ok(None) => Ok(Prepared::NoData(descriptor)),
            Ok(Some(transfer)) => {
                let moving = Box::new(Moving::new(&self.core, descriptor, transfer, cycle));
                match ahead {
                    Some(words) if moving.would_meet(words) => Err(moving.descriptor),
                    _ => Ok(Prepared::Data(moving)),
                }
            }
        }
    }

    /// Begins the prepared descriptor in `cycle`.
    fn begin(&mut self, prepared: Prepared, cycle: Cycle, ports: &Ports<'_>) {
        match prepared {
            Prepared::Refused(kind) => self.refuse(cycle, kind),
            Prepared::NoData(descriptor) => self.end_of_data(descriptor, cycle, ports),
            Prepared::Data(mut moving) => {
                if moving.request(&mut self.port, cycle) {
                    self.state = State::Moving(moving);
                } else {
                    self.end_of_data(moving.descriptor, cycle, ports);
                }
            }
        }
    }

    /// Moves the beats that are due before `until`.
    fn stream(
        &mut self,
        mut moving: Box<Moving>,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl KernelAccesses,
    ) {
        let (begin, limit) = (self.now, self.limit());
        let mut stream = Stream {
            core: &self.core,
            port: &mut self.port,
            log: self.log.as_deref_mut(),
            limit,
            until,
            now: begin,
            counts: Counts::default(),
        };
        let ending = stream.run_due(&mut moving, ports, beside);
        let Stream { now, counts, .. } = stream;
        self.now = now;
        self.count(ChannelCause::Beat, counts.beats);
        self.count(ChannelCause::Conflict, counts.conflicts);
        let waited = now - begin - counts.beats - counts.conflicts;
        self.count(ChannelCause::Memory, waited);
        let [get, put] = counts.bytes;
        self.stats.bytes_get += get;
        self.stats.bytes_put += put;
        if let Some(log) = &mut self.log {
            log.add_bytes(counts.bytes);
        }
        match ending {
            Ending::Later => self.state = State::Moving(moving),
            Ending::Moved => self.end_of_data(moving.descriptor, now, ports),
            Ending::Refused(kind) => {
                self.refuse(now, kind);
                self.count_idle(now + 1);
            }
        }
    }

    /// Ends the data of a descriptor, all of which have moved before `cycle`.
    fn end_of_data(&mut self, descriptor: Box<Descriptor>, cycle: Cycle, ports: &Ports<'_>) {
        if descriptor.sync_after {
            self.wait(descriptor, SyncPlace::After);
        } else {
            self.finish(&descriptor, cycle, ports);
        }
    }
}
