//! Energy of a run, from the counts of its events that a recording has exactly.

use super::model::{Estimated, SHARED_BITS, clock_ratio, ends_of, parts};
use super::table::CostTable;
use cp2_analysis::events::KernelEvents;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::SECTIONS;
use cp2_recording::Counts;

/// Bytes of the memory whose access the table has, and of a word.
const SRAM_BYTES: f64 = 8192.0;
const WORD_BYTES: f64 = 8.0;
/// Registers of the file whose access the table has.
const REGISTERS: f64 = 64.0;

/// Machines of an energy: the one that runs, and the one whose clock it would have without its changes.
#[derive(Clone, Copy, Debug)]
pub struct EnergyMachines<'a> {
    /// Machine without changes, by whose clock cycles are counted.
    pub base: &'a MachineConfig,
    /// Machine that runs.
    pub config: &'a MachineConfig,
}

/// Kind of events of a run with the energy that all of them took.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyPart {
    /// Name of the events, in a few words.
    pub name: &'static str,
    /// Number of events, as the emulator counted them.
    pub count: u64,
    /// Energy of all of them in nanojoules.
    pub nj: Estimated,
}

/// Energy of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnergy {
    /// Energy of all events in nanojoules.
    pub nj: Estimated,
    /// Events by kind.
    pub parts: Vec<EnergyPart>,
}

/// Kinds of events that cost energy: those that belong to lines first, then those of the channel and of time.
pub(super) const KINDS: [&str; 8] = [
    "floating-point operations",
    "registers of operations",
    "words of kernels in local memory",
    "words of kernels in shared memory",
    "bundles",
    "words of the channel in local memory",
    "bytes of system memory",
    "cycles, with leakage",
];
/// Number of kinds of events that belong to lines.
pub(super) const OF_LINES: usize = 5;

/// Numbers of events, or picojoules of one event of each, in the order of [`KINDS`].
type ByKind<T> = [T; KINDS.len()];

/// Returns the picojoules of one event of each kind.
fn prices(costs: &CostTable, EnergyMachines { base, config }: EnergyMachines<'_>) -> ByKind<f64> {
    let value = |key| f64::from(config.value(key));
    let cost = |key: &str| costs.value(key);
    let sections = SECTIONS as f64;
    let root = |bytes: f64| (bytes / SRAM_BYTES).sqrt();
    let bank =
        root(value(Key::LocalMemory) * WORD_BYTES / value(Key::Banks)) * cost("energy.sram_pj");
    let wide = if config.value(Key::Fprs) > 64 { 2.0 } else { 1.0 };
    let fetch = root(value(Key::InstructionMemory) * WORD_BYTES) * wide * cost("energy.sram_pj");
    let file = (value(Key::Fprs) / REGISTERS).sqrt();
    let of = |unit: &str, pj: &str| cost(unit) * cost(pj);
    let units = (cost("parts.adders") + cost("parts.multipliers")).max(1.0);
    let float = (of("parts.adders", "energy.float_add_pj")
        + of("parts.multipliers", "energy.float_multiply_pj"))
        / units;
    let mm2 = parts(costs, config).iter().map(|part| part.um2).sum::<f64>() / 1e6;
    // Milliwatts and microseconds give nanojoules, thousandths of them picojoules.
    let us = clock_ratio(costs, base, config) / value(Key::CpuClock);
    let leakage = 1000.0 * cost("energy.leakage_mw_per_mm2") * mm2 * us;
    let registers = sections * file * of("energy.register_accesses", "energy.register_pj");
    let shared = root(SHARED_BITS / 8.0) * cost("energy.sram_pj");
    let bundle = fetch + cost("energy.control_pj");
    [float, registers, bank, shared, bundle, bank, cost("energy.memory_pj_per_byte"), leakage]
}

/// Returns the numbers of the events of lines by kind.
pub(super) fn of_lines(events: &KernelEvents) -> ByKind<u64> {
    let &KernelEvents { flops, operations, local_words, shared_words, bundles } = events;
    [flops, operations, local_words, shared_words, bundles, 0, 0, 0]
}

/// Returns the numbers of the events of a run by kind. `counts` are the counts of its recording, `cycles` all its cycles.
pub(super) fn of_run((counts, cycles): (&Counts, u64)) -> ByKind<u64> {
    let [flops, operations, local, shared, bundles, ..] = of_lines(&KernelEvents::of(counts));
    let bytes = counts.dma.bytes_get + counts.dma.bytes_put;
    let words = bytes.div_ceil(WORD_BYTES as u64);
    [flops, operations, local, shared, bundles, words, bytes, cycles]
}

fn nanojoules(prices: &ByKind<f64>, counts: &ByKind<u64>) -> f64 {
    prices.iter().zip(counts).map(|(pj, count)| *count as f64 * pj / 1000.0).sum()
}

/// Returns the energy of a run in nanojoules, without an interval. `counts` are the counts of its recording, `cycles` all its cycles.
pub fn energy_nj(costs: &CostTable, machines: EnergyMachines<'_>, run: (&Counts, u64)) -> f64 {
    nanojoules(&prices(costs, machines), &of_run(run))
}

/// Picojoules of an event of each kind on a machine, with the costs as they are and with each at both of its ends.
#[derive(Clone, Debug)]
pub(super) struct EventPrices {
    usual: ByKind<f64>,
    ends: Vec<[ByKind<f64>; 2]>,
}

impl EventPrices {
    pub(super) fn new(costs: &CostTable, machines: EnergyMachines<'_>) -> Self {
        let ends = ends_of(costs, |costs| prices(costs, machines)).collect();
        Self { usual: prices(costs, machines), ends }
    }

    /// Returns the energy of events in nanojoules with its interval.
    pub(super) fn energy(&self, counts: &ByKind<u64>) -> Estimated {
        let of = |prices: &ByKind<f64>| nanojoules(prices, counts);
        let ends = self.ends.iter().map(|[low, high]| [of(low), of(high)]);
        Estimated::between(of(&self.usual), ends)
    }

    /// Returns the energy of a run, whole and by kinds.
    pub(super) fn run(&self, counts: &ByKind<u64>) -> RunEnergy {
        let part = |(k, name): (usize, &'static str)| {
            let mut alone = [0; KINDS.len()];
            alone[k] = counts[k];
            EnergyPart { name, count: counts[k], nj: self.energy(&alone) }
        };
        let parts = KINDS.into_iter().enumerate().map(part).collect();
        RunEnergy { nj: self.energy(counts), parts }
    }
}

/// Returns the energy of a run with its interval, and by kinds of events. `counts` are the counts of its recording, `cycles` all its
/// cycles.
pub fn energy_of(
    costs: &CostTable,
    machines: EnergyMachines<'_>,
    run: (&Counts, u64),
) -> RunEnergy {
    EventPrices::new(costs, machines).run(&of_run(run))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_isa::Exch;

    #[test]
    fn an_energy_is_the_sum_of_its_parts_and_grows_with_the_clock_cycle() {
        let (costs, base) = (CostTable::default(), MachineConfig::preset("vm9").unwrap());
        let mut config = base.clone();
        config.enable("more-fprs=256").unwrap();
        // Two loads of a word, and one of two, in four sections.
        let [one, two] = [Exch::Lwi, Exch::Ldi].map(|op| op as u16);
        let mut counts = Counts { flops: [7; SECTIONS], ..Counts::default() };
        counts.exchange = vec![(one, 2), (two, 1)];
        counts.dma.bytes_get = 80;
        let all = EnergyMachines { base: &base, config: &config };
        let run = (&counts, 1000);
        let RunEnergy { nj, parts } = energy_of(&costs, all, run);
        let sum: f64 = parts.iter().map(|part| part.nj.value).sum();
        assert!((nj.value - sum).abs() < 1e-9 * sum && nj.value == energy_nj(&costs, all, run));
        for part in &parts {
            assert!(0.0 <= part.nj.low && part.nj.low <= part.nj.value, "{}", part.name);
        }
        assert_eq!((parts[2].count, parts[5].count, parts[7].count), (16, 10, 1000));
        // The same machine by its own clock leaks for a shorter time.
        let own = energy_of(&costs, EnergyMachines { base: &config, config: &config }, run);
        let ratio = parts[7].nj.value / own.parts[7].nj.value;
        assert!((ratio - clock_ratio(&costs, &base, &config)).abs() < 1e-12 && ratio > 1.0);
    }
}
