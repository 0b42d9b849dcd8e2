//! Random costs of instructions, and the times of a core.

use crate::generator::Numbers;
use cp2_k64::core::Cpu;
use cp2_k64::timing::{CacheCosts, Geometry, InstructionCosts, Misses, StallCause};

/// Returns costs; `None` for a core without time.
pub(crate) fn costs(numbers: &mut Numbers) -> Option<InstructionCosts> {
    let mut one_of = |values: &[u32]| values[numbers.below(values.len() as u64) as usize];
    if one_of(&[0, 1, 1]) == 0 {
        return None;
    }
    let line_bytes = one_of(&[16, 32, 64]);
    let mut cache = |bytes: &[u32]| Geometry { bytes: one_of(bytes), ways: one_of(&[1, 2, 4]) };
    let caches = [&[512, 1024, 4096][..], &[512, 1024, 4096], &[0, 8192]].map(&mut cache);
    let [instructions, data, second] = caches;
    Some(InstructionCosts {
        width: one_of(&[1, 1, 2, 2, 4, 3]),
        branch: one_of(&[0, 1, 3]),
        load: one_of(&[1, 2, 3]),
        multiply: one_of(&[1, 5]),
        divide: one_of(&[4, 40]),
        float: one_of(&[1, 4, 7]),
        float_repeat: one_of(&[1, 2]),
        float_divide: one_of(&[5, 30]),
        caches: CacheCosts {
            instructions,
            data,
            second,
            line_bytes,
            second_cycles: one_of(&[0, 10]),
            memory_cycles: one_of(&[20, 40]),
            line: one_of(&[4, 8]),
            streams: one_of(&[0, 1, 2]),
        },
    })
}

/// Returns the cycle of a core, the cycles that were lost for each cause, and the misses of caches.
pub(crate) fn times(core: &Cpu) -> (u64, Vec<u64>, Misses) {
    let timing = core.timing.as_ref();
    let stalled = |cause| timing.map_or(0, |timing| timing.stalled(cause));
    let misses = timing.map(|timing| *timing.misses()).unwrap_or_default();
    (core.cycle(), StallCause::ALL.map(stalled).into(), misses)
}
