//! Energy of a run, from the counts of its events that a recording has exactly.

use super::model::{Estimated, clock_ratio, parts};
use super::table::CostTable;
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

/// Kind of events: name, number, and nanojoules of all.
type Kind = (&'static str, u64, f64);

/// Returns the kinds of events of a run. `counts` are the counts of its recording, `cycles` all its cycles.
fn kinds(
    costs: &CostTable,
    EnergyMachines { base, config }: EnergyMachines<'_>,
    (counts, cycles): (&Counts, u64),
) -> [Kind; 7] {
    let value = |key| f64::from(config.value(key));
    let cost = |key: &str| costs.value(key);
    let sections = SECTIONS as f64;
    let sum = |of: &[(u16, u64)]| of.iter().map(|(_, count)| count).sum::<u64>();
    // Position 0 of both tables is the operation that does nothing.
    let named: u64 = counts.operations().map(|(_, count)| count).sum();
    let bytes = counts.dma.bytes_get + counts.dma.bytes_put;
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
    let words = bytes.div_ceil(WORD_BYTES as u64);
    let registers = sections * file * of("energy.register_accesses", "energy.register_pj");
    let all = [
        ("floating-point operations", counts.total_flops(), float),
        ("registers of operations", named, registers),
        ("accesses of kernels to local memory", counts.banks.iter().sum(), sections * bank),
        ("words of the channel in local memory", words, bank),
        ("bundles", sum(&counts.arithmetic), fetch + cost("energy.control_pj")),
        ("bytes of system memory", bytes, cost("energy.memory_pj_per_byte")),
        ("cycles, with leakage", cycles, leakage),
    ];
    all.map(|(name, count, pj)| (name, count, count as f64 * pj / 1000.0))
}

/// Returns the energy of a run in nanojoules, without an interval. `counts` are the counts of its recording, `cycles` all its cycles.
pub fn energy_nj(costs: &CostTable, machines: EnergyMachines<'_>, run: (&Counts, u64)) -> f64 {
    kinds(costs, machines, run).iter().map(|(.., nj)| nj).sum()
}

/// Returns the energy of a run with its interval, and by kinds of events. `counts` are the counts of its recording, `cycles` all its
/// cycles.
pub fn energy_of(
    costs: &CostTable,
    machines: EnergyMachines<'_>,
    run: (&Counts, u64),
) -> RunEnergy {
    let part = |(k, (name, count, _)): (usize, Kind)| {
        let nj = Estimated::of(costs, |costs| kinds(costs, machines, run)[k].2);
        EnergyPart { name, count, nj }
    };
    let nj = Estimated::of(costs, |costs| energy_nj(costs, machines, run));
    let parts = kinds(costs, machines, run).into_iter().enumerate().map(part).collect();
    RunEnergy { nj, parts }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn an_energy_is_the_sum_of_its_parts_and_grows_with_the_clock_cycle() {
        let (costs, base) = (CostTable::default(), MachineConfig::preset("vm9").unwrap());
        let mut config = base.clone();
        config.enable("more-fprs=256").unwrap();
        let mut counts = Counts { banks: vec![10, 20], flops: [7; SECTIONS], ..Counts::default() };
        counts.dma.bytes_get = 80;
        let all = EnergyMachines { base: &base, config: &config };
        let run = (&counts, 1000);
        let RunEnergy { nj, parts } = energy_of(&costs, all, run);
        let sum: f64 = parts.iter().map(|part| part.nj.value).sum();
        assert!((nj.value - sum).abs() < 1e-9 * sum && nj.value == energy_nj(&costs, all, run));
        for part in &parts {
            assert!(0.0 <= part.nj.low && part.nj.low <= part.nj.value, "{}", part.name);
        }
        assert_eq!((parts[2].count, parts[3].count, parts[6].count), (30, 10, 1000));
        // The same machine by its own clock leaks for a shorter time.
        let own = energy_of(&costs, EnergyMachines { base: &config, config: &config }, run);
        let ratio = parts[6].nj.value / own.parts[6].nj.value;
        assert!((ratio - clock_ratio(&costs, &base, &config)).abs() < 1e-12 && ratio > 1.0);
    }
}
