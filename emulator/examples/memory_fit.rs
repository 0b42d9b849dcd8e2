//! Fits the parameters of the memory channel to the DMA rates of [D] table B.3 and prints them with
//! their residuals, or prints rates for the pictures. How and why: `specs/notes/`.
//!
//! cargo run --release -p cp2-emu --example memory_fit          the fit
//! cargo run --release -p cp2-emu --example memory_fit sweep    rates over lengths and pitches, CSV

use cp2_emu::machine::{Key, MachineConfig, Rows, dma_rate};
use cp2_emu::memory::Direction;

/// [D] table B.3: length and pitch of rows in elements of 8 bytes; MB/s.
const ROWS: [(u32, u32); 4] = [(128, 128), (128, 256), (64, 256), (32, 256)];
const RATES: [(&str, Direction, [f64; 4]); 4] = [
    ("vm7", Direction::Get, [2203.0, 2191.0, 2156.0, 2089.0]),
    ("vm7", Direction::Put, [2361.0, 2352.0, 2348.0, 2343.0]),
    ("vm9", Direction::Get, [6867.0, 6655.0, 6661.0, 6129.0]),
    ("vm9", Direction::Put, [6604.0, 6241.0, 5883.0, 4873.0]),
];
/// Half of the local memories.
const PAGE_BYTES: u32 = 128 << 10;

type Failure = Box<dyn std::error::Error>;

fn rate(
    config: &MachineConfig,
    direction: Direction,
    length: u32,
    pitch: u32,
) -> Result<f64, Failure> {
    let rows =
        Rows { direction, row_bytes: 8 * length, pitch_bytes: 8 * pitch, total_bytes: PAGE_BYTES };
    Ok(dma_rate(config, &rows)?)
}

/// Returns the relative errors of the four rates of one direction, in percent.
fn residuals(
    config: &MachineConfig,
    direction: Direction,
    measured: &[f64; 4],
) -> Result<[f64; 4], Failure> {
    let mut errors = [0.0; 4];
    for ((error, &(length, pitch)), m) in errors.iter_mut().zip(&ROWS).zip(measured) {
        *error = 100.0 * (rate(config, direction, length, pitch)? / m - 1.0);
    }
    Ok(errors)
}

fn worst(errors: &[f64; 4]) -> f64 {
    errors.iter().fold(0.0, |w, e| e.abs().max(w))
}

/// Fits the latency and the row opening of a direction by trying all: returns the two with the smallest worst error, and the
/// errors.
fn fit(
    config: &MachineConfig,
    direction: Direction,
    measured: &[f64; 4],
) -> Result<(u32, u32, [f64; 4]), Failure> {
    let (latency_key, row_key) = match direction {
        Direction::Get => (Key::GetLatency, Key::GetRowOpening),
        Direction::Put => (Key::PutLatency, Key::PutRowOpening),
    };
    let with = |latency: u32, row: u32| -> Result<_, Failure> {
        let mut trial = config.clone();
        trial.apply_set(&format!("{latency_key}={latency}"))?;
        trial.apply_set(&format!("{row_key}={row}"))?;
        Ok(trial)
    };
    let mut best = (0, 0, [f64::INFINITY; 4]);
    for latency in 4..180 {
        // Without rows to open the rate of the longest rows is at its highest: out of reach below.
        let free = residuals(&with(latency, 0)?, direction, measured)?;
        if free[0] < -5.0 || free[0] > 12.0 {
            continue;
        }
        for row in 0..60 {
            let errors = residuals(&with(latency, row)?, direction, measured)?;
            if worst(&errors) < worst(&best.2) {
                best = (latency, row, errors);
            }
        }
    }
    Ok(best)
}

fn machine(name: &str) -> Result<MachineConfig, Failure> {
    MachineConfig::preset(name).ok_or_else(|| format!("no machine {name}").into())
}

/// Prints the figures of the machine files, then those of every other assumption about transactions and rows.
fn print_fit() -> Result<(), Failure> {
    println!("machine direction transaction row_bytes latency opening  residuals, percent");
    let print = |name,
                 direction,
                 config: &MachineConfig,
                 (latency, row, e): (u32, u32, [f64; 4])| {
        println!(
            "{name:7} {direction:9?} {:11} {:9} {latency:7} {row:7}  {:+.2} {:+.2} {:+.2} {:+.2}",
            config.value(Key::TransactionSize),
            config.value(Key::RowSize),
            e[0],
            e[1],
            e[2],
            e[3]
        );
    };
    println!("as in isa/machines/:");
    for (name, direction, measured) in &RATES {
        let config = machine(name)?;
        let (latency, row) = match direction {
            Direction::Get => (Key::GetLatency, Key::GetRowOpening),
            Direction::Put => (Key::PutLatency, Key::PutRowOpening),
        };
        let errors = residuals(&config, *direction, measured)?;
        print(name, *direction, &config, (config.value(latency), config.value(row), errors));
    }
    println!("best for each assumption:");
    for (name, direction, measured) in &RATES {
        let mut assumptions: Vec<String> =
            [32, 64, 128, 256, 512].map(|n| format!("{}={n}", Key::TransactionSize)).into();
        assumptions
            .extend([1024, 2048, 4096, 16384, 32768].map(|n| format!("{}={n}", Key::RowSize)));
        for assumption in &assumptions {
            let mut config = machine(name)?;
            config.apply_set(assumption)?;
            let best = fit(&config, *direction, measured)?;
            print(name, *direction, &config, best);
        }
    }
    Ok(())
}

fn print_sweep() -> Result<(), Failure> {
    println!("machine,direction,length,pitch,mb_per_s");
    for name in ["vm7", "vm9"] {
        let config = machine(name)?;
        for (direction, text) in [(Direction::Get, "get"), (Direction::Put, "put")] {
            for pitch in [0, 128, 256, 512, 1024, 4096] {
                for length in [2, 4, 8, 16, 32, 64, 128, 256] {
                    // Pitch 0 stands for rows without gaps.
                    let pitch_elements = if pitch == 0 { length } else { pitch };
                    if pitch_elements >= length {
                        let rate = rate(&config, direction, length, pitch_elements)?;
                        println!("{name},{text},{length},{pitch},{rate:.1}");
                    }
                }
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    match std::env::args().nth(1).as_deref() {
        Some("sweep") => print_sweep(),
        _ => print_fit(),
    }
}
