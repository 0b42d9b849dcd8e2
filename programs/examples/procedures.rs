//! Measures the FFT procedures beside \[D\] tables 3.1, 3.2 and B.5; the procedures are in `host`.
//!
//! `cargo run --release -p cp2-programs --example procedures -- TABLE [WORDS] [published] [KEY=VALUE ...]`,
//! where TABLE is 3.1, 3.2, B.5-VM7 or B.5-VM9. Without WORDS, the multiplicity is 256 vectors, or 1024 pages of
//! short ones. `published` takes the scheme and the kernel counts of \[D\].

use cp2_emu::MachineConfig;
use cp2_programs::host::fft::{KernelTime, Options, Report, Scheme, run};
use cp2_programs::random;

/// Rows of a table: points and measured MOPS.
type Rows = &'static [(usize, f64)];

const TABLES: [(&str, &str, Rows); 4] = [
    ("3.1", "vm7", &[(8192, 3108.0), (16384, 3207.0), (32768, 3494.0), (65536, 3768.0)]),
    ("3.2", "vm9", &[(8192, 8920.0), (16384, 10333.0), (32768, 10418.0), (65536, 9809.0)]),
    (
        "B.5-VM7",
        "vm7",
        &[
            (64, 3083.0),
            (128, 3868.0),
            (256, 4745.0),
            (512, 5457.0),
            (1024, 5946.0),
            (2048, 6041.0),
            (4096, 5198.0),
        ],
    ),
    (
        "B.5-VM9",
        "vm9-1200-800",
        &[
            (64, 14347.0),
            (128, 16147.0),
            (256, 18639.0),
            (512, 21836.0),
            (1024, 24587.0),
            (2048, 27208.0),
            (4096, 30141.0),
            (8192, 10724.0),
            (16384, 12124.0),
            (32768, 12347.0),
            (65536, 12910.0),
        ],
    ),
];

fn row(report: &Report, measured: f64) -> String {
    let (rate, bound) = (report.rate_mops(), report.bound_mops());
    format!(
        "| {} | {} | {rate:.0} | {measured:.0} | {:.2} | {bound:.0} | {:.1} | {:.1} |",
        report.points,
        report.vectors,
        rate / measured,
        100.0 * rate / bound,
        report.timeline.overlap_percent(),
    )
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let table = TABLES.iter().find(|t| arguments.first().is_some_and(|a| a == t.0));
    let Some((name, machine, rows)) = table else {
        return eprintln!("give a table: 3.1, 3.2, B.5-VM7 or B.5-VM9");
    };
    let Some(mut config) = MachineConfig::preset(machine) else { return };
    for setting in arguments.iter().filter(|a| a.contains('=')) {
        if let Err(e) = config.apply_set(setting) {
            return eprintln!("{setting}: {e}");
        }
    }
    let words: Option<usize> = arguments.get(1).and_then(|s| s.parse().ok());
    let mut options = Options::default();
    if arguments.iter().any(|a| a == "published") {
        (options.scheme, options.kernel_time) = (Scheme::Streamed, KernelTime::Published);
    }
    println!(
        "[D] table {name} on {machine}, {:?}, kernels {:?}",
        options.scheme, options.kernel_time
    );
    println!("| N | vectors | MOPS | measured | ratio | bound | % of bound | overlap % |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for &(points, measured) in *rows {
        let default = if points > 4096 { 256 * points } else { 1 << 23 };
        let vectors = (words.unwrap_or(default) / points).max(1);
        let input = random::complex(1, vectors * points);
        match run(config.clone(), points, &input, &options, &mut |_, _| {}) {
            Ok(report) => println!("{}", row(&report, measured)),
            Err(e) => eprintln!("{points} points: {e}"),
        }
    }
}
