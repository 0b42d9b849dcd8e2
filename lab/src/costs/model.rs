//! Parts of a coprocessor and their areas, by published forms: arithmetic by a table, SRAM by its bits, register files by registers
//! and ports; and what sizes do to the clock.

use super::table::CostTable;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::SECTIONS;

/// Bits of a word of registers and local memory.
const WORD_BITS: f64 = 64.0;
/// Bits of the shared memory, 8 KiB.
const SHARED_BITS: f64 = 8192.0 * 8.0;
/// Bits of a loop counter.
const COUNTER_BITS: f64 = 16.0;

/// Part of a coprocessor with its area.
#[derive(Clone, Debug, PartialEq)]
pub struct PartArea {
    /// Name of the part, in a few words.
    pub name: String,
    /// Area of the part in square micrometres, all sections together.
    pub um2: f64,
}

/// Number that follows from costs, with the interval that their intervals leave it. Each cost is put to both ends alone; the
/// deviations are added as squares, since the costs are independent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimated {
    /// Number with the costs as the table has them.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimated {
    /// Computes a number from costs, with its interval.
    pub(super) fn of(costs: &CostTable, number: impl Fn(&CostTable) -> f64) -> Self {
        let value = number(costs);
        let (mut below, mut above, mut least) = (0.0, 0.0, value);
        for (key, cost) in &costs.numbers {
            let ends = [cost.low, cost.high].map(|end| number(&costs.at(key, end)));
            least = ends.into_iter().fold(least, f64::min);
            let ends = ends.map(|end| end - value);
            below += ends[0].min(ends[1]).min(0.0).powi(2);
            above += ends[0].max(ends[1]).max(0.0).powi(2);
        }
        // A sum of deviations can pass 0 where no end of a cost does.
        let low = value - below.sqrt();
        let low = if least >= 0.0 { low.max(0.0) } else { low };
        Self { value, low, high: value + above.sqrt() }
    }
}

/// Returns the area of a register file of this many words with the ports of the table: (w + p)(h + p) for a bit.
fn register_file(costs: &CostTable, words: f64) -> f64 {
    let side = costs.value("area.register_cell_tracks") + costs.value("parts.register_ports");
    words * WORD_BITS * (side * costs.value("area.wire_um")).powi(2)
}

fn sram(costs: &CostTable, bits: f64) -> f64 {
    bits * costs.value("area.sram_bit_um2") / costs.value("area.sram_efficiency")
}

/// Returns the parts of the coprocessor of a machine with their areas, in the order of a report. Pads, the control processor and its
/// caches are no part of it.
pub fn parts(costs: &CostTable, config: &MachineConfig) -> Vec<PartArea> {
    let value = |key| f64::from(config.value(key));
    let has = |key| config.value(key) == 1;
    let sections = SECTIONS as f64;
    let gates = |key: &str| costs.value(key) * costs.value("area.gate_um2");
    let flip_flops = |bits: f64| bits * costs.value("area.flip_flop_um2");
    let cell = |key: &str, of: &str| costs.value(key) * costs.value(of);
    let arithmetic = cell("parts.adders", "area.float_add_um2")
        + cell("parts.multipliers", "area.float_multiply_um2");
    let addresses = gates("parts.address_gates") + flip_flops(costs.value("parts.address_bits"));
    // Bundles of more than 64 registers have two words.
    let bundle_words = if config.value(Key::Fprs) > 64 { 2.0 } else { 1.0 };
    let instructions = value(Key::InstructionMemory) * WORD_BITS * bundle_words;
    let transactions = value(Key::Outstanding);
    let data = transactions * value(Key::TransactionSize) * 8.0;
    let counters = gates("parts.counter_gates") + flip_flops(COUNTER_BITS * value(Key::LoopStack));
    let all = [
        ("arithmetic", true, sections * arithmetic),
        ("registers", true, sections * register_file(costs, value(Key::Fprs))),
        ("local memory", true, sections * sram(costs, value(Key::LocalMemory) * WORD_BITS)),
        ("instruction memory", true, sram(costs, instructions)),
        ("addresses", true, addresses),
        ("control", true, gates("parts.control_gates")),
        (
            "memory interface",
            true,
            gates("parts.transaction_gates") * transactions
                + sram(costs, data)
                + gates("parts.memory_gates_per_mhz") * value(Key::MemoryClock),
        ),
        ("word access", has(Key::WordAccess), sections * gates("parts.word_access_gates")),
        ("addresses of sections", has(Key::SectionAddressing), sections * addresses),
        (
            "conditional memory",
            has(Key::ConditionalMemory),
            sections * gates("parts.conditional_gates"),
        ),
        ("counters of sections", has(Key::SectionCounters), sections * counters),
        (
            "shared memory",
            has(Key::SharedMemory),
            sram(costs, SHARED_BITS) + addresses + gates("parts.shared_gates"),
        ),
        ("direction of FFT", has(Key::FftDirection), gates("parts.direction_gates")),
        ("words of the channel", has(Key::DmaWords), gates("parts.dma_word_gates")),
    ];
    let standing = all.into_iter().filter(|(_, is_there, _)| *is_there);
    let of_table = standing.map(|(name, _, um2)| PartArea { name: name.to_owned(), um2 });
    let own = costs.own.iter().filter(|own| own.is_in(config));
    let own = own.map(|own| PartArea { name: own.name.clone(), um2: own.area.value });
    of_table.chain(own).collect()
}

fn area(costs: &CostTable, config: &MachineConfig) -> f64 {
    parts(costs, config).iter().map(|part| part.um2).sum()
}

/// Returns by how many percent the coprocessor of a machine is larger than that of another one, `base`, without an interval.
pub fn extra_percent(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> f64 {
    100.0 * (area(costs, config) / area(costs, base) - 1.0)
}

/// Returns by how many percent the coprocessor of a machine is larger than that of another one, `base`, with its interval.
pub fn extra_area(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> Estimated {
    let mut found = Estimated::of(costs, |costs| extra_percent(costs, base, config));
    // The intervals of own costs are not in the table; they are added as squares like all others.
    let whole = area(costs, base);
    let (mut below, mut above) = (found.value - found.low, found.high - found.value);
    for own in costs.own.iter().filter(|own| own.is_in(config) && !own.is_in(base)) {
        below = below.hypot(100.0 * (own.area.value - own.area.low) / whole);
        above = above.hypot(100.0 * (own.area.high - own.area.value) / whole);
    }
    (found.low, found.high) = (found.value - below, found.value + above);
    found
}

/// Returns how many times as long the clock cycle of a machine is as that of another one, `base`, without an interval: the share of a
/// register file and of local memory in the cycle grows with the side of their areas; the slower of both counts.
pub fn clock_ratio(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> f64 {
    let grown = |key| (f64::from(config.value(key)) / f64::from(base.value(key))).sqrt() - 1.0;
    let slower = costs.value("clock.register_share") * grown(Key::Fprs).max(0.0);
    1.0 + slower.max(costs.value("clock.local_memory_share") * grown(Key::LocalMemory).max(0.0))
}

/// Returns how many times as long the clock cycle of a machine is as that of another one, with its interval ([`clock_ratio`]).
pub fn clock_factor(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> Estimated {
    Estimated::of(costs, |costs| clock_ratio(costs, base, config))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn machine(extensions: &[&str]) -> MachineConfig {
        let mut config = MachineConfig::preset("vm9").unwrap();
        extensions.iter().for_each(|extension| config.enable(extension).unwrap());
        config
    }

    #[test]
    fn every_extension_costs_area_and_the_base_none() {
        let (costs, base) = (CostTable::default(), machine(&[]));
        assert_eq!(extra_area(&costs, &base, &base), Estimated::default());
        for toggle in cp2_isa::machine::TOGGLES {
            let size =
                toggle.size().map(|(key, _)| if key == Key::Fprs { "=128" } else { "=16384" });
            let name = format!("{}{}", toggle.name, size.unwrap_or_default());
            let Estimated { value, low, high } = extra_area(&costs, &base, &machine(&[&name]));
            assert!(value > 0.0 && low < value && value < high && low >= 0.0, "{name} {value}");
        }
    }

    #[test]
    fn no_interval_passes_zero_where_no_cost_makes_it() {
        let (costs, base) = (CostTable::default(), MachineConfig::preset("vm7").unwrap());
        let mut config = base.clone();
        config.enable("memory-controller").unwrap();
        let Estimated { value, low, high } = extra_area(&costs, &base, &config);
        assert!(0.0 <= low && low < value && value < high, "{low} {value} {high}");
    }

    #[test]
    fn twice_the_local_memory_costs_what_the_memory_had() {
        let (costs, base) = (CostTable::default(), machine(&[]));
        let all = parts(&costs, &base);
        let memory = all.iter().find(|part| part.name == "local memory").unwrap().um2;
        let whole: f64 = all.iter().map(|part| part.um2).sum();
        let found = extra_area(&costs, &base, &machine(&["larger-local-memory=16384"])).value;
        assert!((found - 100.0 * memory / whole).abs() < 1e-9);
    }

    #[test]
    fn only_sizes_slow_the_clock() {
        let (costs, base) = (CostTable::default(), machine(&[]));
        let factor = |names: &[&str]| clock_factor(&costs, &base, &machine(names)).value;
        assert_eq!(factor(&["word-access", "section-addressing"]), 1.0);
        assert!((factor(&["more-fprs=256"]) - 1.1).abs() < 1e-12);
        assert!(factor(&["more-fprs=256", "larger-local-memory=16384"]) < 1.11);
    }
}
