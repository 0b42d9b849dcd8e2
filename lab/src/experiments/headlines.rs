//! Table of the costs of whole procedures, with the range that assumptions and fits in the machine files leave them.

use super::of_each;
use super::work::{CLASS_S, OptionConstant, Work, WorkOptions};
use crate::inputs::LabError;
use crate::whatif::Sensitivity;
use std::fmt::Write as _;

/// Procedures, each run on all machines that come with the program.
const PROCEDURES: [(&str, WorkOptions); 6] = [
    ("fft16384", &[("vectors", OptionConstant::Number(16))]),
    (
        "convolution",
        &[("points", OptionConstant::Number(4096)), ("vectors", OptionConstant::Number(16))],
    ),
    ("resid", &[("grid", OptionConstant::Number(64))]),
    ("mg", CLASS_S),
    ("spmv", CLASS_S),
    ("ft", CLASS_S),
];

/// Runs six procedures on the machines VM7 and VM9, each also with the uncertain numbers of the machine (assumptions
/// and fits) at both ends of their ranges. Returns a table in Markdown with times in microseconds, rates in 10^6
/// operations per second, the ranges of both, and for each the number of the machine with the greatest effect.
///
/// # Errors
/// A run fails, or a result is wrong.
pub fn table() -> Result<String, LabError> {
    let mut text = "| procedure | machine | time | best to worst | 10^6 operations a second | worst to best | most rests on |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    let works: Vec<Work> = PROCEDURES
        .iter()
        .flat_map(|(name, options)| ["vm7", "vm9"].map(|machine| Work::on(machine, name, options)))
        .collect();
    let found = of_each(&works, |environment, work| {
        let subject = work.subject(environment, "")?;
        Sensitivity::new(&subject, String::new(), &mut |_, _| {})
    })?;
    for (work, found) in works.iter().zip(found) {
        let rate = |us: f64| found.us / us * found.mops;
        let [least, most] = found.together;
        let alone = found.bars.iter().find(|bar| !bar.is_joint);
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} us | {least:.0} to {most:.0} us | {:.0} | {:.0} to {:.0} | {} |",
            work.title(),
            work.machine(),
            found.us,
            found.mops,
            rate(most),
            rate(least),
            alone.map_or("-".to_owned(), |bar| format!("`{}`", bar.key)),
        );
    }
    Ok(text)
}
