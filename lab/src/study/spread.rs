//! Spread that assumptions and fits of a machine leave to gains: all uncertain numbers at the ends at which memory and host are
//! fastest, and at those at which they are slowest.

use crate::whatif::sensitivity;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::machine::KeyKind;

/// Returns the settings of the fast and of the slow ends of the numbers that can be changed alone.
pub(super) fn ends(config: &MachineConfig) -> [Vec<String>; 2] {
    let mut all = [Vec::new(), Vec::new()];
    for (key, [low, high]) in sensitivity::uncertain(config) {
        if key.info().kind == KeyKind::Flag {
            continue;
        }
        // Of sizes more is faster; all others are times.
        let is_size = matches!(
            key,
            Key::RowSize
                | Key::TransactionSize
                | Key::Outstanding
                | Key::BusWidth
                | Key::MemoryClock
        );
        let [fast, slow] = if is_size { [high, low] } else { [low, high] };
        for (settings, value) in all.iter_mut().zip([fast, slow]) {
            settings.push(format!("{key}={value}"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn fast_ends_are_those_of_short_times_and_large_rows() {
        let config = MachineConfig::preset("vm9").unwrap();
        let [fast, slow] = ends(&config);
        assert_eq!(fast.len(), slow.len());
        assert!(fast.contains(&"memory.page_bytes=16384".to_owned()), "{fast:?}");
        assert!(slow.contains(&"memory.page_bytes=4096".to_owned()), "{slow:?}");
        for all in [fast, slow] {
            let mut config = config.clone();
            all.iter().for_each(|setting| config.apply_set(setting).unwrap());
        }
    }
}
