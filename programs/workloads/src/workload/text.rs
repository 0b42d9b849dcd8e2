//! Parts of the reports for people that several commands print.

use cp2_emu::stats::Cause;
use cp2_emu::{MachineConfig, Stats};
use cp2_session::numbers::Flushed;
use std::fmt::Write as _;

/// Returns the counts of a run as text for people: its cycles by cause, floating-point operations and accesses to
/// banks.
pub fn counts(stats: &Stats) -> String {
    let mut text =
        format!("{:>12} cycles, and {} until everything had landed\n", stats.cycles, stats.drain);
    let percent = |n: u64| 100.0 * n as f64 / stats.cycles.max(1) as f64;
    for cause in Cause::ALL {
        let n = stats.causes[cause as usize];
        if n > 0 {
            let _ = writeln!(text, "{n:>12} {:>5.1} %  {}", percent(n), cause.description());
        }
    }
    let flops = stats.total_flops();
    let _ = writeln!(
        text,
        "{flops:>12} floating-point operations, {:.2} per cycle",
        flops as f64 / stats.cycles.max(1) as f64
    );
    for (bank, accesses) in stats.bank_accesses.iter().enumerate() {
        let _ = match bank {
            0 => write!(text, "{accesses:>12} cycles with an access to bank 0"),
            _ => write!(text, ", {accesses} to bank {bank}"),
        };
    }
    text.push('\n');
    let collisions: u64 = stats.collisions.iter().sum();
    if collisions > 0 {
        let _ = writeln!(
            text,
            "{collisions:>12} writes landed on a register in the cycle of another write, by section {:?}; see `cp2 explain C0502`",
            stats.collisions
        );
    }
    text
}

/// Returns a number of vectors with their name.
pub(crate) fn vectors(number: usize) -> String {
    format!("{number} vector{}", if number == 1 { "" } else { "s" })
}

/// Returns the assumptions about a machine, as the last line of a report.
pub(crate) fn assumptions(config: &MachineConfig) -> String {
    let assumed: Vec<_> = config.assumptions().iter().map(ToString::to_string).collect();
    format!("assumed: {}\n", assumed.join(", "))
}

/// Returns a line with the numbers that were flushed to zero; nothing if none were.
pub(crate) fn flushed(flushed: Flushed) -> String {
    if flushed.is_none() {
        return String::new();
    }
    let Flushed { inputs, results } = flushed;
    format!(
        "denormal, so zero to CP2 and to the reference: {inputs} numbers of the input, {results} of the results that were compared\n"
    )
}
