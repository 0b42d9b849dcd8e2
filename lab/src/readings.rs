//! Readings of printed figures of the dissertation `[D]` that differ from its formulas: the exchange of (3.11), the
//! sizes of table A.3, and formulas (3.16) and (4.3) of the sparse product. The numbers are rows of
//! [`expected`](crate::expected).

use crate::expected::{PrintedNumber, Verdict};
use crate::inputs::LabError;
use std::fmt::Write as _;

/// Returns the section of the page `specs/src/validation.md`, in Markdown, on figures that the dissertation `[D]`
/// prints and its formulas do not give: how they may be meant. `rows` are all printed numbers
/// ([`rows`](crate::expected::rows)); of those from formula (3.11) the first is the formula as it stands.
///
/// # Errors
/// Our number of one of the rows cannot be computed.
pub fn text(rows: &[PrintedNumber]) -> Result<String, LabError> {
    let mut text = String::from("\n## How to read (3.11), table A.3, (3.16) and (4.3)\n\n");
    text += &exchange(rows)?;
    text += &sizes(rows)?;
    text += "Of (3.16) and (4.3), SpMV on CP2: they compare BW with four times the rate of one section. All K sections together\n\
             take 8 bytes for a nonzero, which balances at K times that bandwidth; `cp2 estimate spmv` gives both. Nothing printed\n\
             depends on it.\n\n";
    Ok(text)
}

/// Returns the readings that give the printed exchange; the first row is that of the formula.
fn exchange(rows: &[PrintedNumber]) -> Result<String, LabError> {
    let of_exchange = rows.iter().filter(|row| row.source == "(3.11)");
    let mut text = String::from(
        "(3.11) prints 0.0025 s for the exchange of MG class C on 8 VM9; (3.9) with the stated inputs, faces of 256 x 256 elements\n\
         of 4 bytes over a link of 1250 MB/s along three axes, gives a quarter of it. The source names no reading. Four give the\n\
         printed digits, each a factor of 4; what the estimate concludes, that exchange does not matter, holds with and without it.\n\n\
         | reading | s | | from |\n| --- | --- | --- | --- |\n",
    );
    for (k, row) in of_exchange.enumerate() {
        let (ours, verdict) = row.compare()?;
        let what = match row.what.split_once("exchange: ") {
            Some((_, reading)) if k > 0 => reading,
            _ => "(3.9) as it stands",
        };
        let command = row.command();
        let _ = writeln!(text, "| {what} | {ours:.6} | {} | `{command}` |", verdict.name());
    }
    text.push('\n');
    Ok(text)
}

/// Returns the paragraph on the sizes of table A.3 that differ, and why.
fn sizes(rows: &[PrintedNumber]) -> Result<String, LabError> {
    let mut differ = Vec::new();
    for row in rows.iter().filter(|row| row.source == "table A.3") {
        if row.compare()?.1 == Verdict::Differs {
            differ.push(row.what.as_str());
        }
    }
    Ok(format!(
        "Table A.3 gives the data of FT as 8 bytes for a point in all {} classes ({}); a complex double has 16, as (2.3), (2.5)\n\
         and (2.8) take it, so every size is half of what moves. It is the mistake of (2.9). The sizes of MG, of matrices and of vectors come\n\
         out: one array of doubles; 8 n (nonzer + 1)^2 bytes, which bounds the values of a matrix from above without its\n\
         column numbers; 8 n. The grids of class S are printed as 64 x 64 and 32 x 32: the third dimension is lost, the sizes\n\
         belong to cubes.\n\n",
        differ.len(),
        differ
            .iter()
            .filter_map(|what| what.split([' ', ':']).nth(2))
            .collect::<Vec<_>>()
            .join(", ")
    ))
}
