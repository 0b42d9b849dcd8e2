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

/// Cycles in which `start_dma` is given to the channel. A kernel would give it; here a script does. It ends the wait of
/// a descriptor for sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Releases {
    /// In these cycles, in ascending order, counted from the start of the channel.
    In(Vec<Cycle>),
    /// For every wait, this number of cycles after the one in which the wait begins.
    After(u64),
}

/// Events from outside the DMA channel while [`run`] runs a chain, and the limit of the run. Cycles are counted from
/// the start of the channel, which is cycle 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Cycles in which `start_dma` is given.
    pub releases: Releases,
    /// Cycle in which the host asks the channel to stop after its current descriptor; `None` if it never does.
    pub stop_at: Option<Cycle>,
    /// Number of cycles from the start after which the run ends at the latest.
    pub max_cycles: u64,
}

/// Reason why the run of a chain ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// The channel stopped at a descriptor that says so.
    Stopped,
    /// The channel stopped because the host asked, by [`Script::stop_at`].
    Asked,
    /// The channel stopped with this fault.
    Fault(DmaFault),
    /// The channel waits at a descriptor for `start_dma`, and the script gives none any more.
    Waiting {
        /// Number of the descriptor in its table, from 0.
        descriptor: u32,
        /// Whether the wait is the one after the data of the descriptor; false for the one before them.
        is_behind: bool,
        /// Cycle in which the wait began.
        since: Cycle,
    },
    /// The run reached its limit, this number of cycles.
    Limit(u64),
    /// The function `go_on` of the caller of [`run`] ended the run.
    Interrupted,
}

/// Outcome and counts of the run of a chain, as [`run`] returns it: why it ended, how long it took, and what each
/// descriptor moved.
#[derive(Clone, Debug)]
pub struct Report {
    /// Reason why the run ended.
    pub end: ChainEnd,
    /// Number of cycles from the start of the channel to the end of the run.
    pub cycles: u64,
    /// Counts of the channel in these cycles: bytes moved, descriptors fetched, and cycles by what each was for
    /// (set-up, fetch of a descriptor, wait for `start_dma`, wait for memory, beat, conflict with a kernel).
    pub stats: DmaStats,
    /// Number of transactions of the channel on system memory, then number of rows of the memory (DRAM pages) that they
    /// opened.
    pub transactions: [u64; 2],
    /// Number of bytes that were moved; those of a copy within system memory count once.
    pub bytes: u64,
    /// The first 1000 visits of the channel to descriptors, in the order of time. A visit lasts from the fetch of a
    /// descriptor to that of the next.
    pub visits: Vec<Visit>,
    /// Number of all visits of the channel to descriptors.
    pub n_visits: u64,
    /// Number of visits of the channel to each descriptor, that is, how often the descriptor was fetched; the key is
    /// the number of the descriptor in its table, from 0.
    pub visits_by_descriptor: BTreeMap<u32, u64>,
    /// All registers of the channel with their values after the run.
    pub registers: Vec<(DmaRegister, u32)>,
    /// Cycles in which `start_dma` was given and did nothing, since the channel did not wait.
    pub idle_releases: Vec<Cycle>,
    /// Address in system memory of the table of descriptors from which the channel started.
    pub table: u32,
    /// Description of the machine on which the chain ran.
    pub machine: MachineConfig,
}

impl Report {
    /// Returns the clock of the channel, which is that of CP2, in MHz.
    pub fn mhz(&self) -> u32 {
        self.machine.value(Key::CpuClock)
    }

    /// Returns the time that this number of cycles takes at the clock of the channel ([`Report::mhz`]), in
    /// microseconds.
    pub fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / f64::from(self.mhz())
    }

    /// Returns the cycle after the last one of a visit; for a visit under way, the cycle after the last one of the run.
    pub(super) fn end_of(&self, visit: &Visit) -> Cycle {
        visit.end.unwrap_or(Cycle::RESET + self.cycles)
    }

    /// Returns the number of beats that moved, which is that of the cycles in which data moved: a beat is 16 bytes, two
    /// words, in one cycle, or, where a descriptor moves single or 32-bit words, what moves of them in a cycle. Beats
    /// of a copy within system memory count twice, as they are read and written.
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

/// Starts the channel of a machine into which [`load`](crate::load) has put the chain, and runs it to its end, as the
/// script says. `config` is the description of the machine. `sink` gets every beat, in the order of time, with the
/// number of its descriptor. `go_on` is asked again and again, with the number of cycles that have passed, whether to
/// go on; the run ends if it returns false.
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
        visits_by_descriptor: BTreeMap::new(),
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
        *self.report.visits_by_descriptor.entry(visit.number).or_default() += 1;
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
        let port = dma.port();
        let registers = DmaRegister::ALL.iter().map(|&r| (r, dma.register(r))).collect();
        Report {
            end,
            cycles: stats.cycles(),
            stats,
            transactions: [port.n_transactions(), port.n_row_openings()],
            registers,
            ..self.report
        }
    }
}
