//! Energy of a run, from the counts of its events that a recording has exactly.

use super::model::{Estimated, parts};
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

/// Returns the energy of a run on a machine by kinds of events. `counts` are the counts of its recording, `cycles` all its cycles.
pub fn energy_of(
    costs: &CostTable,
    config: &MachineConfig,
    (counts, cycles): (&Counts, u64),
) -> Vec<EnergyPart> {
    let value = |key| f64::from(config.value(key));
    let sections = SECTIONS as f64;
    let sum = |of: &[(u16, u64)]| of.iter().map(|(_, count)| count).sum::<u64>();
    // Position 0 of both tables is the operation that does nothing.
    let named: u64 = counts.operations().map(|(_, count)| count).sum();
    let bundles = sum(&counts.arithmetic);
    let accesses: u64 = counts.banks.iter().sum();
    let bytes = counts.dma.bytes_get + counts.dma.bytes_put;
    let root = |bytes: f64| (bytes / SRAM_BYTES).sqrt();
    let bank = root(value(Key::LocalMemory) * WORD_BYTES / value(Key::Banks));
    let wide = if config.value(Key::Fprs) > 64 { 2.0 } else { 1.0 };
    let fetch = root(value(Key::InstructionMemory) * WORD_BYTES) * wide;
    let file = (value(Key::Fprs) / REGISTERS).sqrt();
    let us = cycles as f64 / value(Key::CpuClock);
    let part = |name, count: u64, each: &dyn Fn(&CostTable) -> f64| EnergyPart {
        name,
        count,
        nj: Estimated::of(costs, |costs| count as f64 * each(costs) / 1000.0),
    };
    vec![
        part("floating-point operations", counts.total_flops(), &|c| {
            let of = |unit: &str, pj: &str| c.value(unit) * c.value(pj);
            let both = of("parts.adders", "energy.float_add_pj")
                + of("parts.multipliers", "energy.float_multiply_pj");
            both / (c.value("parts.adders") + c.value("parts.multipliers")).max(1.0)
        }),
        part("operations' registers", named, &|c| {
            sections * file * c.value("energy.register_accesses") * c.value("energy.register_pj")
        }),
        part("accesses to local memory", accesses, &|c| {
            sections * bank * c.value("energy.sram_pj")
        }),
        part("bundles", bundles, &|c| {
            fetch * c.value("energy.sram_pj") + c.value("energy.control_pj")
        }),
        part("bytes of system memory", bytes, &|c| c.value("energy.memory_pj_per_byte")),
        part("cycles, with leakage", cycles, &|c| {
            let mm2 = parts(c, config).iter().map(|part| part.um2).sum::<f64>() / 1e6;
            // Milliwatts and microseconds give nanojoules, here thousandths of them for a cycle.
            1000.0 * c.value("energy.leakage_mw_per_mm2") * mm2 * us / cycles.max(1) as f64
        }),
    ]
}
