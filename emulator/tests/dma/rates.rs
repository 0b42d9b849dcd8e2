//! The measured DMA rates, through descriptors, channel and memories.

use cp2_emu::machine::{Key, MachineConfig, Rows, dma_rate};
use cp2_emu::memory::Direction;
use cp2_emu::memory::MemoryTiming;

fn rate(config: &MachineConfig, direction: Direction, length: u32, pitch: u32) -> f64 {
    let (row_bytes, pitch_bytes) = (8 * length, 8 * pitch);
    let rows = Rows { direction, row_bytes, pitch_bytes, total_bytes: 128 << 10 };
    dma_rate(config, &rows).expect("a rate")
}

fn machine(name: &str) -> MachineConfig {
    MachineConfig::preset(name).expect("a machine")
}

/// [D] table B.3: length and pitch of rows in elements of 8 bytes; MB/s.
#[test]
fn the_sixteen_measured_rates_are_met_within_three_percent() {
    let rows = [(128, 128), (128, 256), (64, 256), (32, 256)];
    let table = [
        ("vm7", Direction::Get, [2203.0, 2191.0, 2156.0, 2089.0]),
        ("vm9", Direction::Get, [6867.0, 6655.0, 6661.0, 6129.0]),
        ("vm7", Direction::Put, [2361.0, 2352.0, 2348.0, 2343.0]),
        ("vm9", Direction::Put, [6604.0, 6241.0, 5883.0, 4873.0]),
    ];
    for (name, direction, measured) in table {
        let config = machine(name);
        for ((length, pitch), expected) in rows.into_iter().zip(measured) {
            let rate: f64 = rate(&config, direction, length, pitch);
            let error = 100.0 * (rate / expected - 1.0);
            assert!(
                error.abs() < 3.0,
                "{name} {direction:?} {length} at {pitch}: {rate:.0} instead of {expected}, {error:+.2} %"
            );
        }
    }
}

/// [D] scales the rate by the memory clock (table 3.4: 8400 MB/s at 667 MHz, 7556 at 600).
#[test]
fn rates_follow_the_memory_clock() {
    let (fast, slow) = (machine("vm9"), machine("vm9-1000-600"));
    for direction in [Direction::Get, Direction::Put] {
        let ratio = rate(&slow, direction, 128, 256) / rate(&fast, direction, 128, 256);
        assert!((ratio - 600.0 / 667.0).abs() < 0.002, "{ratio}");
    }
}

#[test]
fn rates_do_not_depend_on_the_size_of_memory() {
    let rates = |config: &MachineConfig| {
        [Direction::Get, Direction::Put].map(|direction| rate(config, direction, 128, 256))
    };
    let mut small = machine("vm7");
    small.apply_set("memory.size_mib=1").expect("a setting");
    assert_eq!(rates(&small), rates(&machine("vm7")));
}

#[test]
fn no_rate_exceeds_the_peak_and_a_wide_window_comes_close_to_it() {
    for name in ["vm7", "vm9"] {
        let mut config = machine(name);
        let peak = MemoryTiming::from(&config).peak_mb_per_s();
        for outstanding in [1, 2, 4, 8, 16, 32] {
            config.apply_set(&format!("{}={outstanding}", Key::Outstanding)).expect("a setting");
            let now = rate(&config, Direction::Get, 256, 256);
            assert!(now < peak, "{name} {outstanding}: {now}");
            if outstanding == 32 {
                assert!(now > 0.95 * peak, "{name}: {now} of {peak}");
            }
        }
    }
}

#[test]
fn longer_rows_are_never_slower_by_much() {
    for name in ["vm7", "vm9"] {
        for direction in [Direction::Get, Direction::Put] {
            let rates = [1, 2, 3, 4, 5, 6].map(|k| rate(&machine(name), direction, 4 << k, 4096));
            for pair in rates.windows(2) {
                assert!(pair[1] > 0.99 * pair[0], "{name} {direction:?}: {rates:?}");
            }
        }
    }
}

#[test]
fn rows_that_do_not_add_up_are_refused() {
    let refused = |row_bytes, total_bytes| {
        let rows = Rows { direction: Direction::Get, row_bytes, pitch_bytes: 4096, total_bytes };
        dma_rate(&machine("vm7"), &rows).expect_err("no rate").to_string()
    };
    assert!(refused(1000, 4096).contains("must be whole rows"));
    assert!(refused(1024, 1 << 20).contains("at most 131072"));
}
