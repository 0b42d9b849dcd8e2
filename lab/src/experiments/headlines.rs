//! What whole procedures cost, with the range that assumptions and fits leave them.

use super::work::{CLASS_S, Is, Options, Work};
use crate::inputs::LabError;
use crate::whatif::Sensitivity;
use std::fmt::Write as _;

/// Procedures, each run on all machines that come with the program.
const PROCEDURES: [(&str, Options); 6] = [
    ("fft16384", &[("vectors", Is::Number(16))]),
    ("convolution", &[("points", Is::Number(4096)), ("vectors", Is::Number(16))]),
    ("resid", &[("grid", Is::Number(64))]),
    ("mg", CLASS_S),
    ("spmv", CLASS_S),
    ("ft", CLASS_S),
];

/// The table: every procedure on every machine.
///
/// # Errors
/// A run that fails.
pub fn table() -> Result<String, LabError> {
    let mut text = "| procedure | machine | time | best to worst | 10^6 operations a second | worst to best | most rests on |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (name, options) in PROCEDURES {
        for machine in ["vm7", "vm9"] {
            let work = Work::on(machine, name, options);
            let subject = work.subject("")?;
            let found = Sensitivity::new(&subject, String::new(), &mut |_, _| {})?;
            let rate = |us: f64| found.us / us * found.mops;
            let [least, most] = found.together;
            let alone = found.bars.iter().find(|bar| !bar.is_joint);
            let _ = writeln!(
                text,
                "| {} | {machine} | {:.0} us | {least:.0} to {most:.0} us | {:.0} | {:.0} to {:.0} | {} |",
                work.title(),
                found.us,
                found.mops,
                rate(most),
                rate(least),
                alone.map_or("-".to_owned(), |bar| format!("`{}`", bar.key)),
            );
        }
    }
    Ok(text)
}
