//! Measures the FFT procedures beside the tables of \[D\]; the procedures are in `host`.
//!
//! `cargo run --release -p cp2-programs --example procedures -- MACHINE WORDS [SCHEME] [published]`

use cp2_emu::MachineConfig;
use cp2_programs::host::fft::{LENGTHS, Options, Scheme, published_cycles, run};
use cp2_programs::random;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let machine = arguments.first().map_or("vm7", |s| s);
    let Some(config) = MachineConfig::preset(machine) else {
        return eprintln!("no machine {machine}");
    };
    let words: usize = arguments.get(1).and_then(|s| s.parse().ok()).unwrap_or(1 << 20);
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let scheme = match () {
        () if has("banks") => Scheme::Banks,
        () if has("streamed") => Scheme::Streamed,
        () => Scheme::Turning,
    };
    let least_cycles = if has("published") { published_cycles } else { |_| 0 };
    let from = if has("long") { 8192 } else { 64 };
    for points in LENGTHS.into_iter().filter(|&n| n >= from) {
        let input = random::complex(1, words.max(points) / points * points);
        let options = Options { scheme, least_cycles, ..Options::default() };
        match run(config.clone(), points, &input, &options, &mut |_, _| {}) {
            Ok(r) => println!(
                "{points:6} points, {:5} vectors: {:6.0} MOPS, bound {:6.0}, {:4.1} %; overlap {:4.1} %, neither {:4.1} %, conflicts {:4.1} %, kernel {:4.1} %, DMA {:4.1} %",
                r.vectors,
                r.rate_mops(),
                r.bound_mops(),
                100.0 * r.rate_mops() / r.bound_mops(),
                r.timeline.overlap_percent(),
                100.0 * r.timeline.neither as f64 / r.cycles() as f64,
                100.0 * r.dma.bank_conflicts() as f64 / r.cycles() as f64,
                100.0 * r.kernels.cycles as f64 / r.cycles() as f64,
                100.0 * r.timeline.transfer_cycles() as f64 / r.cycles() as f64,
            ),
            Err(e) => eprintln!("{points} points: {e}"),
        }
    }
}
