//! The page of the book on the validation of the estimation method: numbers that the dissertation `[D]` prints beside
//! ours, what differs, what printed figures may mean, and statements in words that do not hold.

use crate::expected::{PrintedNumber, Verdict, rows};
use crate::inputs::LabError;
use crate::{readings, statements};
use std::fmt::Write as _;

/// Returns the text of the page of the book `specs/src/validation.md`, in Markdown: all numbers that the dissertation
/// `[D]` prints and the estimation method must give back, each beside ours with a verdict, and what is to be said on
/// those that differ.
///
/// # Errors
/// One of our numbers cannot be computed, because the table `data/expected.csv` is damaged.
pub fn page() -> Result<String, LabError> {
    let rows = rows()?;
    let compared = rows.iter().map(PrintedNumber::compare).collect::<Result<Vec<_>, _>>()?;
    let count = |verdict| compared.iter().filter(|(_, v)| *v == verdict).count();
    let [same, last, other] = [Verdict::Same, Verdict::LastDigit, Verdict::Differs].map(count);
    let mut page = String::from("# Validation of the estimation method\n\n");
    let _ = writeln!(
        page,
        "Generated: `cp2 estimate --validation > specs/src/validation.md`. Printed numbers of [D] beside ours, which the\n\
         formulas of the method give with the inputs of the source. *Same*: the printed digits, rounded or cut off; *last\n\
         digit*: one unit of the last printed digit away, for the source rounded on the way. {} numbers: {same} same, {last} but for\n\
         the last digit, {other} others, each with what is known of it. A gain is the quotient of two printed rates, an\n\
         efficiency a printed measurement beside our estimate. The command of each number stands in `lab/data/expected.csv` and in the\n\
         last column; a size of table A.3 is in units of 2^10, 2^20 and 2^30 bytes. Kernels of 512 points and more were found from the efficiencies of table B.4, so those rows say little.\n",
        rows.len()
    );
    let _ = writeln!(page, "## What differs\n");
    let table =
        "| source | number | printed | ours | | remark |\n| --- | --- | --- | --- | --- | --- |\n";
    page += table;
    for (row, (ours, verdict)) in rows.iter().zip(&compared) {
        if *verdict != Verdict::Same {
            let PrintedNumber { source, what, printed, unit, remark, .. } = row;
            let (ours, verdict) = (row.shown(*ours), verdict.name());
            let _ = writeln!(
                page,
                "| {source} | {what} | {printed} {unit} | {ours} | {verdict} | {remark} |"
            );
        }
    }
    page += &readings::text(&rows)?;
    page += &statements::text()?;
    let _ = writeln!(page, "## All numbers\n");
    page +=
        "| source | number | printed | ours | | from |\n| --- | --- | --- | --- | --- | --- |\n";
    for (row, (ours, verdict)) in rows.iter().zip(&compared) {
        let PrintedNumber { source, what, printed, unit, .. } = row;
        let (ours, verdict, command) = (row.shown(*ours), verdict.name(), row.command());
        let _ = writeln!(
            page,
            "| {source} | {what} | {printed} {unit} | {ours} | {verdict} | `{command}` |"
        );
    }
    Ok(page)
}
