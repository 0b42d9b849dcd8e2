//! Parts of a coprocessor and their areas, by published forms: arithmetic by a table, SRAM by its bits, register files by registers
//! and ports; and what sizes do to the clock.

use super::table::CostTable;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::SECTIONS;

/// Bits of a word of registers and local memory.
const WORD_BITS: f64 = 64.0;
/// Bits of the shared memory, 8 KiB.
pub(super) const SHARED_BITS: f64 = 8192.0 * 8.0;
/// Bits of a loop counter.
const COUNTER_BITS: f64 = 16.0;

/// Numbers of a machine that are clocks for opening a row of system memory.
const ROW_OPENINGS: [Key; 2] = [Key::GetRowOpening, Key::PutRowOpening];

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
    /// Returns the width of the interval.
    pub fn spread(&self) -> f64 {
        self.high - self.low
    }

    /// Whether the number differs from `from`, where there is no gain, by less than the width of the interval: then the costs decide
    /// the gain.
    pub fn is_below_spread(&self, from: f64) -> bool {
        self.value != from && (self.value - from).abs() < self.spread()
    }

    /// Computes a number from costs, with its interval.
    pub(super) fn of(costs: &CostTable, number: impl Fn(&CostTable) -> f64) -> Self {
        Self::between(number(costs), ends_of(costs, number))
    }

    /// Returns a number with its interval; `ends` are the number with each cost at its low and at its high end.
    pub(super) fn between(value: f64, ends: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let (mut below, mut above, mut least) = (0.0, 0.0, value);
        for ends in ends {
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

/// Returns what costs make of something with each cost at its low and at its high end, the others as they are.
pub(super) fn ends_of<T>(
    costs: &CostTable,
    of: impl Fn(&CostTable) -> T,
) -> impl Iterator<Item = [T; 2]> {
    let ends = costs.numbers.iter();
    ends.map(move |(key, cost)| [cost.low, cost.high].map(|end| of(&costs.at(key, end))))
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

/// Returns what a machine has over another one, `base`, that no number of the table prices, as sentences; empty if its area is told
/// in full. A user's own cost of the same number prices it.
pub fn uncounted(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> Vec<String> {
    let is_quicker = |key: &Key| config.value(*key) < base.value(*key);
    let is_priced = |key: &Key| costs.own.iter().any(|own| own.is_in(config) && own.is_of(*key));
    let quicker: Vec<Key> = ROW_OPENINGS.into_iter().filter(is_quicker).collect();
    if quicker.is_empty() || quicker.iter().any(is_priced) {
        return Vec::new();
    }
    let change =
        |key: &Key| format!("{key} {} in place of {}", config.value(*key), base.value(*key));
    let changes: Vec<String> = quicker.iter().map(change).collect();
    vec![format!(
        "a quicker opening of rows ({}), whose silicon no source tells; give it as [own.\"{}={}\"]",
        changes.join(", "),
        quicker[0],
        config.value(quicker[0])
    )]
}

/// Sizes of a machine on which the length of its clock cycle depends ([`clock_ratio`]).
pub(crate) const CLOCK_SIZES: [Key; 2] = [Key::Fprs, Key::LocalMemory];

/// Returns how many times as long the clock cycle of a machine is as that of another one, `base`, without an interval: the share of a
/// register file and of local memory in the cycle grows with the side of their areas; the slower of both counts.
pub fn clock_ratio(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> f64 {
    let grown = |key| (f64::from(config.value(key)) / f64::from(base.value(key))).sqrt() - 1.0;
    let slower = costs.value("clock.register_share") * grown(Key::Fprs).max(0.0);
    1.0 + slower.max(costs.value("clock.local_memory_share") * grown(Key::LocalMemory).max(0.0))
}

/// Length of the clock cycle of a machine over that of another one, with the costs as they are and with each on which it depends at
/// both of its ends ([`clock_ratio`]).
#[derive(Clone, Debug, PartialEq)]
pub struct ClockRange {
    /// Length with the costs as they are.
    pub value: f64,
    ends: Vec<[f64; 2]>,
}

impl ClockRange {
    /// Computes the length of the clock cycle of a machine over that of another one, `base`.
    pub fn new(costs: &CostTable, base: &MachineConfig, config: &MachineConfig) -> Self {
        let ratio = |costs: &CostTable| clock_ratio(costs, base, config);
        let keys = costs.numbers.iter().filter(|(key, _)| key.starts_with("clock."));
        let ends =
            keys.map(|(key, cost)| [cost.low, cost.high].map(|end| ratio(&costs.at(key, end))));
        Self { value: ratio(costs), ends: ends.collect() }
    }

    /// Returns the range of a clock that no cost changes.
    pub fn fixed() -> Self {
        Self { value: 1.0, ends: Vec::new() }
    }

    /// Returns a number that follows from the length of the cycle, with the interval that the costs leave it.
    pub fn estimated(&self, of: impl Fn(f64) -> f64) -> Estimated {
        self.with(self, |clock, _| of(clock))
    }

    /// Returns a number that follows from the lengths of the cycles of two machines, with the interval that the costs leave it; each
    /// cost is at the same end for both.
    pub fn with(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Estimated {
        let end =
            |own: &[[f64; 2]], k: usize, usual: f64| own.get(k).copied().unwrap_or([usual; 2]);
        let ends = (0..self.ends.len().max(other.ends.len())).map(|k| {
            let (a, b) = (end(&self.ends, k, self.value), end(&other.ends, k, other.value));
            [of(a[0], b[0]), of(a[1], b[1])]
        });
        Estimated::between(of(self.value, other.value), ends)
    }
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
