//! Runs the procedures on the machines of \[D\] tables 3.1, 3.2, B.4 and B.5 and prints them beside
//! the published procedures, simulated on the same machine, and beside the measured rates; the
//! procedures are in `host`.
//!
//! `cargo run --release -p cp2-evidence --example procedures -- [TABLE] [WORDS]`,
//! where TABLE is 3.1, 3.2, B.4-VM7, B.4-VM9, B.5-VM7 or B.5-VM9; all without it. WORDS is how many
//! points there are in all vectors at most; the vectors are those of \[D\] without it, or 2^23 / N
//! where \[D\] does not tell.

use cp2_emu::MachineConfig;
use cp2_evidence::bounds::{RateBounds, Rates};
use cp2_evidence::comparison::RateComparison;
use cp2_evidence::measured::{self, MeasuredRow, MeasuredTable, TABLES};
use cp2_procedures::convolution;
use cp2_procedures::fft::{self, Options};
use cp2_procedures::host::Procedure;
use cp2_session::Execution;
use cp2_session::cost::Cost;
use cp2_session::random;

/// Rates and bounds of a procedure that was run.
struct Done {
    vectors: usize,
    mops: f64,
    bounds: RateBounds,
    overlap: f64,
    /// Scheme and error of convolutions.
    more: String,
}

impl Done {
    fn new(cost: &Cost, more: String) -> Self {
        Self {
            vectors: cost.vectors,
            mops: cost.rate_mops(),
            bounds: RateBounds::of(cost),
            overlap: cost.timeline.overlap_percent(),
            more,
        }
    }
}

fn run(config: &MachineConfig, procedure: Procedure, vectors: usize) -> Result<Done, String> {
    let text = |e: cp2_session::KernelError| e.to_string();
    match procedure {
        Procedure::Transform { points } => {
            let input = random::complex(1, vectors * points);
            let options = Options::default();
            let report = fft::run(config.clone(), points, &input, &options, &mut |_, _| {});
            let report = report.map_err(text)?;
            Ok(Done::new(&report.cost, String::new()))
        }
        Procedure::Convolution { transform } => {
            let points = transform / 2;
            let (filter, input) =
                (random::complex(2, points), random::complex(1, vectors * points));
            let options = convolution::Options::default();
            let report =
                convolution::run(config.clone(), &filter, points, &input, &options, &mut |_, _| {});
            let report = report.map_err(text)?;
            let check = convolution::check(&report, &filter, &input);
            let more = format!(" {} | {:.1e} |", report.scheme.name(), check.relative_error);
            Ok(Done::new(&report.cost, more))
        }
    }
}

/// Prints a row, and returns the logarithms of both ratios.
fn print_row(
    config: &MachineConfig,
    row: &MeasuredRow,
    words: Option<usize>,
) -> Result<[f64; 2], String> {
    let most = words.map_or(usize::MAX, |w| (w / row.procedure.transform()).max(1));
    let done = run(config, row.procedure, row.simulated_vectors().min(most))?;
    let comparison =
        RateComparison::new(&Execution::default(), config, row.procedure, done.vectors, done.mops);
    let comparison = comparison.map_err(|e| e.to_string())?.ok_or("no core of [D]")?;
    let measured = comparison.measured.ok_or("no measured row")?;
    let bound = |rates| done.bounds.mops(rates).map_or("-".to_owned(), |b| format!("{b:.0}"));
    let ratios = [comparison.same_model(), done.mops / row.mops];
    println!(
        "| {} | {} | {:.0} | {:.0} | {:.2} | {:.0} | {:.2} | {:+.1} | {} | {} | {} | {} | {:.1} | {:.1} |{}",
        row.procedure.transform(),
        done.vectors,
        done.mops,
        comparison.published_mops,
        ratios[0],
        row.mops,
        ratios[1],
        measured.model_error_percent(),
        bound(Rates::Channel),
        bound(Rates::TableB3),
        bound(Rates::Source),
        row.theory_mops().map_or("-".to_owned(), |t| format!("{t:.0}")),
        100.0 * done.mops / done.bounds.channel_mops(),
        done.overlap,
        done.more,
    );
    Ok(ratios.map(f64::ln))
}

fn print_table(table: &MeasuredTable, words: Option<usize>) -> Result<(), String> {
    let config = MachineConfig::preset(table.machine).ok_or("no such machine")?;
    let is_convolution =
        table.rows.iter().any(|r| matches!(r.procedure, Procedure::Convolution { .. }));
    let (points, more) = if is_convolution { ("P", " scheme | error |") } else { ("N", "") };
    println!("\n{} on {}\n", table.source, table.machine);
    println!(
        "| {points} | vectors | MOPS | published, simulated | ratio, same model | measured | ratio, measured | model's error % | bound: channel | bound: B.3 | bound: best rates | theory of [D] | % of channel's bound | overlap % |{more}"
    );
    println!("|{}", " --- |".repeat(if is_convolution { 16 } else { 14 }));
    let mut logarithms = [0.0; 2];
    for row in table.rows {
        let of_row = print_row(&config, row, words)?;
        logarithms.iter_mut().zip(of_row).for_each(|(sum, l)| *sum += l);
    }
    let [same, against] = logarithms.map(|sum| (sum / table.rows.len() as f64).exp());
    println!("\ngeometric means: same model {same:.2}, measured {against:.2}");
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Option<usize> = arguments.iter().find_map(|a| a.parse().ok());
    let names = arguments.iter().filter(|a| a.parse::<usize>().is_err());
    let mut asked: Vec<&MeasuredTable> = Vec::new();
    for name in names {
        asked.push(measured::table(name).ok_or(format!("{name}: no such table"))?);
    }
    if asked.is_empty() {
        asked.extend(&TABLES);
    }
    asked.into_iter().try_for_each(|table| print_table(table, words))
}
