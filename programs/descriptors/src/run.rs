//! Runs a chain on the channel of a machine whose CP2 is idle: from the start, which is cycle 0, to its
//! stop, and gives `start_dma` and the order to stop when the script says so.

use crate::Chain;
use cp2_emu::dma::{
    Beat, ChannelCause, DmaFault, DmaRegister, DmaStats, Ports, Visit, cause, ctrl,
};
use cp2_emu::machine::Key;
use cp2_emu::{Machine, MachineConfig};
use cp2_isa::Cycle;
use std::collections::BTreeMap;

/// Number of cycles after which beats are taken from the log at the latest.
const SLICE: u64 = 1 << 16;
/// Number of visits that a report keeps.
const KEPT: usize = 1000;

/// Cycles in which `start_dma` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Releases {
    /// Given cycles, ascending.
    In(Vec<Cycle>),
    /// Number of cycles after the one in which a wait begins, for every wait.
    After(u64),
}

/// Events from outside while a chain runs, and the limit of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Cycles in which `start_dma` is given.
    pub releases: Releases,
    /// The cycle in which the host asks the channel to stop after its descriptor.
    pub stop_at: Option<Cycle>,
    /// Number of cycles after which the run ends at the latest.
    pub max_cycles: u64,
}

/// End of a chain, by its cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// A descriptor stopped the channel.
    Stopped,
    /// The host asked for the stop.
    Asked,
    /// The channel stopped with a fault.
    Fault(DmaFault),
    /// A descriptor waits for `start_dma`, and none is left to come.
    Waiting {
        /// Number of the descriptor.
        descriptor: u32,
        /// Whether the data of the descriptor have moved.
        is_behind: bool,
        /// Cycle in which the wait began.
        since: Cycle,
    },
    /// The run came to its limit of cycles.
    Limit(u64),
    /// The caller interrupted the run.
    Interrupted,
}

/// Outcome and counts of a run of a chain.
#[derive(Clone, Debug)]
pub struct Report {
    /// End of the chain.
    pub end: ChainEnd,
    /// Cycles from the start to the end.
    pub cycles: u64,
    /// Counts of these cycles.
    pub stats: DmaStats,
    /// Transactions on the channel to memory, and rows of the memory that they opened.
    pub transactions: [u64; 2],
    /// Bytes that were moved, those of a copy once.
    pub bytes: u64,
    /// The first descriptors that the channel turned to.
    pub visits: Vec<Visit>,
    /// Number of all descriptors that the channel turned to.
    pub n_visits: u64,
    /// Number of times that the channel turned to a descriptor, by the descriptor's number.
    pub turns: BTreeMap<u32, u64>,
    /// Registers of the channel after the run.
    pub registers: Vec<(DmaRegister, u32)>,
    /// Cycles in which `start_dma` found no wait.
    pub idle_releases: Vec<Cycle>,
    /// Address of the table when the channel started.
    pub table: u32,
    /// Description of the machine.
    pub machine: MachineConfig,
}

impl Report {
    /// Returns the clock of the channel, MHz.
    pub fn mhz(&self) -> u32 {
        self.machine.value(Key::CpuClock)
    }

    /// Returns the time of a number of cycles, microseconds.
    pub fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / f64::from(self.mhz())
    }

    /// Returns the cycle after the last one of a visit; for a visit under way, the cycle after the last one of the run.
    pub(super) fn end_of(&self, visit: &Visit) -> Cycle {
        visit.end.unwrap_or(Cycle::RESET + self.cycles)
    }

    /// Returns the number of beats that moved, or of words with single words.
    pub fn beats(&self) -> u64 {
        self.stats.causes[ChannelCause::Beat as usize]
    }
}

/// Returns the bytes that a visit moved, those of a copy once.
pub(super) fn bytes(visit: &Visit) -> u64 {
    visit.stats.bytes_get.max(visit.stats.bytes_put)
}

/// Returns the rate of a number of bytes, MB/s (10^6 bytes), without the cycles of waits for `start_dma`.
pub(super) fn rate(bytes: u64, stats: &DmaStats, mhz: u32) -> f64 {
    let idle =
        stats.causes[ChannelCause::Sync as usize] + stats.causes[ChannelCause::Idle as usize];
    let cycles = stats.cycles() - idle;
    if cycles == 0 { 0.0 } else { bytes as f64 * f64::from(mhz) / cycles as f64 }
}

/// Function that is told again and again how many cycles have passed, and tells whether the run goes on.
pub(super) type GoOn<'a> = dyn FnMut(u64) -> bool + 'a;

/// A run under way.
struct Runner<'a, F> {
    machine: &'a mut Machine,
    releases: Releases,
    /// Number of releases that have been given.
    given: usize,
    stop_at: Option<Cycle>,
    report: Report,
    go_on: &'a mut GoOn<'a>,
    sink: F,
}

/// Starts the channel of a machine of this description after reset, on which the chain was loaded, and runs it to its end.
/// `sink` gets every beat with the number of its descriptor; the run ends when `go_on` says so.
pub fn run<'a>(
    machine: &'a mut Machine,
    config: &MachineConfig,
    chain: &Chain,
    script: &Script,
    go_on: &'a mut GoOn<'a>,
    sink: impl FnMut(u32, &Beat),
) -> Report {
    machine.dma.keep_log();
    let table = machine.dma.register(DmaRegister::Baseaddr);
    let report = Report {
        end: ChainEnd::Stopped,
        cycles: 0,
        stats: DmaStats::default(),
        transactions: [0; 2],
        bytes: 0,
        visits: Vec::new(),
        n_visits: 0,
        turns: BTreeMap::new(),
        registers: Vec::new(),
        idle_releases: Vec::new(),
        table: table.wrapping_add(chain.register(DmaRegister::Daddr).unwrap_or(0)),
        machine: config.clone(),
    };
    // CTRL can be written.
    let _ = machine.dma.write(DmaRegister::Ctrl, ctrl::START);
    let (releases, stop_at) = (script.releases.clone(), script.stop_at);
    let mut runner = Runner { machine, releases, given: 0, stop_at, report, go_on, sink };
    let end = runner.advance(script.max_cycles);
    runner.finished(end)
}

impl<F: FnMut(u32, &Beat)> Runner<'_, F> {
    fn advance(&mut self, max_cycles: u64) -> ChainEnd {
        let limit = Cycle::RESET.saturating_add(max_cycles);
        loop {
            self.drain();
            let now = self.machine.cycle();
            let dma = &self.machine.dma;
            if !dma.is_busy() {
                return match dma.fault() {
                    Some(fault) => ChainEnd::Fault(*fault),
                    None if dma.register(DmaRegister::Intcause) & cause::STOPPED != 0 => {
                        ChainEnd::Asked
                    }
                    None => ChainEnd::Stopped,
                };
            }
            let release = self.next_release();
            if dma.is_waiting() && release.is_none() {
                return self.waiting();
            }
            if now >= limit {
                return ChainEnd::Limit(max_cycles);
            }
            if !(self.go_on)(now - Cycle::RESET) {
                return ChainEnd::Interrupted;
            }
            // `start_dma` takes effect behind the cycle of its bundle.
            let release = release.map(|cycle| cycle.saturating_add(1));
            // A wait passes to the next event; a channel that works is looked at when it becomes still.
            let works = !dma.is_waiting();
            let next = [self.stop_at, release, works.then(|| now.saturating_add(SLICE))];
            let next = next.into_iter().flatten().fold(limit, Cycle::min).max(now);
            self.machine.advance_idle(next, works);
            self.act();
        }
    }

    /// Returns the cycle of the next `start_dma`.
    fn next_release(&self) -> Option<Cycle> {
        match &self.releases {
            Releases::In(cycles) => cycles.get(self.given).copied(),
            Releases::After(cycles) => {
                let waits = self.machine.dma.visit()?.waits;
                let since = waits[1].or(waits[0])?;
                self.machine.dma.is_waiting().then(|| since.saturating_add(*cycles))
            }
        }
    }

    /// Does what the script says for the current cycle.
    fn act(&mut self) {
        let now = self.machine.cycle();
        if self.stop_at.is_some_and(|cycle| cycle <= now) {
            self.stop_at = None;
            let _ = self.machine.dma.write(DmaRegister::Ctrl, ctrl::STOP);
        }
        let Some(cycle) = self.next_release().filter(|cycle| cycle < &now) else { return };
        self.given += 1;
        if !self.machine.dma.is_waiting() {
            self.report.idle_releases.push(cycle);
        }
        let state = &mut self.machine.cp2.state;
        let (memory, ireg) = (&mut self.machine.memory, &state.ireg);
        self.machine.dma.release(&mut Ports { memory, lmem: &mut state.lmem, ireg });
    }

    fn waiting(&self) -> ChainEnd {
        let visit = self.machine.dma.visit();
        let waits = visit.map_or([None; 2], |visit| visit.waits);
        ChainEnd::Waiting {
            descriptor: visit.map_or(0, |visit| visit.number),
            is_behind: waits[1].is_some(),
            since: waits[1].or(waits[0]).unwrap_or(self.machine.cycle()),
        }
    }

    /// Takes the beats and visits that are in the log.
    fn drain(&mut self) {
        let before = self.report.n_visits;
        let beats = self.machine.dma.take_beats();
        let over = self.machine.dma.take_visits();
        let current = self.machine.dma.visit().map_or(0, |visit| visit.number);
        for beat in &beats {
            let place = (beat.visit - before) as usize;
            (self.sink)(over.get(place).map_or(current, |visit| visit.number), beat);
        }
        for visit in over {
            self.keep(visit);
        }
    }

    fn keep(&mut self, visit: Visit) {
        self.report.n_visits += 1;
        self.report.bytes += bytes(&visit);
        *self.report.turns.entry(visit.number).or_default() += 1;
        if self.report.visits.len() < KEPT {
            self.report.visits.push(visit);
        }
    }

    fn finished(mut self, end: ChainEnd) -> Report {
        if let Some(visit) = self.machine.dma.visit().cloned() {
            self.keep(visit);
        }
        let dma = &self.machine.dma;
        let mut stats = dma.stats().clone();
        stats.causes[ChannelCause::Idle as usize] = 0;
        let channel = dma.channel();
        let registers = DmaRegister::ALL.iter().map(|&r| (r, dma.register(r))).collect();
        Report {
            end,
            cycles: stats.cycles(),
            stats,
            transactions: [channel.n_transactions(), channel.n_row_openings()],
            registers,
            ..self.report
        }
    }
}
