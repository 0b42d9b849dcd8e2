//! Measures the procedures beside \[D\] tables 3.1, 3.2, B.4 and B.5; the procedures are in `host`.
//!
//! `cargo run --release -p cp2-programs --example procedures -- TABLE [WORDS] [published] [KEY=VALUE ...]`,
//! where TABLE is 3.1, 3.2, B.4-VM7, B.4-VM9, B.5-VM7 or B.5-VM9. Without WORDS, the multiplicity is 256
//! vectors, or 1024 pages of short ones, and that of \[D\] for convolutions: 4096 up to 2048 points, 256 above.
//! `published` takes the scheme and the kernel counts of \[D\]; convolutions have their own only.

use cp2_emu::MachineConfig;
use cp2_programs::host::convolution;
use cp2_programs::host::fft::{KernelTime, Options, Report, Scheme, run};
use cp2_programs::{Execution, random};

/// Rows of a table: points and measured MOPS.
type Rows = &'static [(usize, f64)];

/// Points of vectors and filter, measured MOPS: \[D\] table B.4.
const CONVOLUTIONS: [(&str, &str, Rows); 2] = [
    (
        "B.4-VM7",
        "vm7",
        &[
            (32, 2412.0),
            (64, 3786.0),
            (128, 4855.0),
            (256, 5145.0),
            (512, 5447.0),
            (1024, 5348.0),
            (2048, 3620.0),
            (4096, 3016.0),
            (8192, 3193.0),
            (16384, 3547.0),
            (32768, 3831.0),
        ],
    ),
    (
        "B.4-VM9",
        "vm9",
        &[
            (32, 8506.0),
            (64, 13193.0),
            (128, 17956.0),
            (256, 22201.0),
            (512, 25028.0),
            (1024, 26929.0),
            (2048, 16052.0),
            (4096, 12188.0),
            (8192, 12164.0),
            (16384, 12683.0),
            (32768, 12848.0),
        ],
    ),
];

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

fn configured(machine: &str, arguments: &[String]) -> Result<MachineConfig, String> {
    let mut config = MachineConfig::preset(machine).ok_or("no such machine")?;
    for setting in arguments.iter().filter(|a| a.contains('=')) {
        config.apply_set(setting).map_err(|e| format!("{setting}: {e}"))?;
    }
    Ok(config)
}

/// A row of a table of convolutions, and the ratio to the measured rate.
fn convolve(
    config: &MachineConfig,
    (points, measured): (usize, f64),
    words: Option<usize>,
) -> Result<f64, String> {
    let default = if points > 2048 { 256 } else { 4096 };
    let vectors = words.map_or(default, |w| (w / points).clamp(1, default));
    let (filter, input) = (random::complex(2, points), random::complex(1, vectors * points));
    let on = Execution::default();
    let report = convolution::run(config.clone(), &filter, points, &input, on, &mut |_, _| {})
        .map_err(|e| e.to_string())?;
    let check = convolution::check(&report, &filter, &input);
    let (rate, bound) = (report.rate_mops(), report.bound_mops());
    let ratio = rate / measured;
    println!(
        "| {points} | {vectors} | {} | {rate:.0} | {measured:.0} | {ratio:.2} | {bound:.0} | {:.1} | {:.1} | {:.1e} |",
        report.scheme().name(),
        100.0 * rate / bound,
        report.timeline.overlap_percent(),
        check.relative_error,
    );
    Ok(ratio)
}

fn convolutions(config: &MachineConfig, rows: Rows, words: Option<usize>) -> Result<(), String> {
    println!(
        "| L = N | vectors | scheme | MOPS | measured | ratio | bound | % of bound | overlap % | error |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut logarithms = 0.0;
    for &row in rows {
        logarithms += convolve(config, row, words)?.ln();
    }
    println!("geometric mean of the ratios: {:.2}", (logarithms / rows.len() as f64).exp());
    Ok(())
}

fn transforms(
    config: &MachineConfig,
    rows: Rows,
    words: Option<usize>,
    options: &Options,
) -> Result<(), String> {
    println!("scheme of long ones {:?}, kernels {:?}", options.scheme, options.kernel_time);
    println!("| N | vectors | MOPS | measured | ratio | bound | % of bound | overlap % |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for &(points, measured) in rows {
        let default = if points > 4096 { 256 * points } else { 1 << 23 };
        let vectors = (words.unwrap_or(default) / points).max(1);
        let input = random::complex(1, vectors * points);
        let report = run(config.clone(), points, &input, options, &mut |_, _| {})
            .map_err(|e| format!("{points} points: {e}"))?;
        println!("{}", row(&report, measured));
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Option<usize> = arguments.get(1).and_then(|s| s.parse().ok());
    let is_asked = |t: &&(&str, &str, Rows)| arguments.first().is_some_and(|a| a == t.0);
    if let Some((name, machine, rows)) = CONVOLUTIONS.iter().find(is_asked) {
        println!("[D] table {name} on {machine}");
        return convolutions(&configured(machine, &arguments)?, rows, words);
    }
    let Some((name, machine, rows)) = TABLES.iter().find(is_asked) else {
        return Err("give a table: 3.1, 3.2, B.4-VM7, B.4-VM9, B.5-VM7 or B.5-VM9".to_owned());
    };
    let mut options = Options::default();
    if arguments.iter().any(|a| a == "published") {
        (options.scheme, options.kernel_time) = (Scheme::Streamed, KernelTime::Published);
    }
    println!("[D] table {name} on {machine}");
    transforms(&configured(machine, &arguments)?, rows, words, &options)
}
