//! Costs of the instructions of the control processor on a machine.

use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_k64::timing::{CacheCosts, Geometry, InstructionCosts};

/// Returns the costs of the control processor's instructions and the sizes and costs of its caches, as a machine file
/// gives them. Costs are in cycles of the processor.
#[must_use]
pub fn costs(config: &MachineConfig) -> InstructionCosts {
    let value = |key| config.value(key);
    let cycles = |clocks: Key| {
        let product = u64::from(value(clocks)) * u64::from(value(Key::CpuClock));
        product.div_ceil(value(Key::MemoryClock).into()) as u32
    };
    let cache = |kib: Key, ways: Key| Geometry { bytes: value(kib) << 10, ways: value(ways) };
    InstructionCosts {
        width: value(Key::IssueWidth),
        branch: value(Key::BranchCycles),
        load: value(Key::LoadCycles),
        multiply: value(Key::MultiplyCycles),
        divide: value(Key::DivideCycles),
        float: value(Key::FloatCycles),
        float_repeat: value(Key::FloatRepeat),
        float_divide: value(Key::FloatDivide),
        caches: CacheCosts {
            instructions: cache(Key::InstructionCache, Key::InstructionWays),
            data: cache(Key::DataCache, Key::DataWays),
            second: cache(Key::SecondCache, Key::SecondWays),
            line_bytes: value(Key::LineSize),
            second_cycles: value(Key::SecondCycles),
            memory_cycles: cycles(Key::LineLatency),
            line: cycles(Key::LineClocks),
            streams: value(Key::Streams),
        },
    }
}
