//! Statements of the dissertation `[D]` that its own numbers do not bear out: the statement, and what the numbers give.

use crate::estimate::{Estimate, EstimatedWork};
use crate::inputs::{Inputs, LabError};
use std::fmt::Write as _;

/// Rates of MG class C on one, four and eight GPUs, GOPS: \[D\] table 2.2 and 2.2.4.
const MG_CLASS_C: [(u32, f64); 3] = [(1, 41.7), (4, 119.0), (8, 161.7)];
/// FFTW in three dimensions on the host of the GPUs, GOPS: \[D\] table 2.1.
const FFTW_3D: f64 = 52.48;
/// Width of the memory of the GPU, bytes, and its bandwidth, GB/s, in words (\[D\] 1.1) and in table A.1.
const TITAN_MEMORY: (f64, f64, f64) = (48.0, 336.0, 288.0);

/// Statement that the dissertation `[D]` makes in words and that its own numbers do not bear out. [`statements`] gives
/// all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Number of the section of the dissertation `[D]` in which the statement stands.
    pub source: &'static str,
    /// The statement of the dissertation `[D]`, in short.
    pub says: &'static str,
    /// Text that says what the numbers of the dissertation `[D]` give instead.
    pub numbers: String,
}

/// Returns a named value of an estimate on the GPUs of `[D]`.
fn quantity(procedure: &str, setting: Option<&str>, name: &str) -> Result<f64, LabError> {
    let mut inputs = Inputs::system("niisi")?;
    setting.map_or(Ok(()), |setting| inputs.apply_set(setting))?;
    let found = Estimate::new(&EstimatedWork::procedure(procedure), &inputs)?.quantity(name);
    found.ok_or_else(|| LabError::new(format!("{procedure} has no {name}")))
}

/// Returns all statements of the dissertation `[D]` that its own numbers do not bear out, in the order of its sections.
///
/// # Errors
/// An estimate with which a statement is compared fails.
pub fn statements() -> Result<Vec<Statement>, LabError> {
    let (bytes, in_words, in_table) = TITAN_MEMORY;
    let memory = format!(
        "{in_words:.0} GB/s over 384 bits are {:.0} transfers of {bytes:.0} bytes in a ns; table A.1 has {in_table:.0} GB/s, \
         {:.0} in a ns, and the estimates use that",
        in_words / bytes,
        in_table / bytes
    );
    let sides = ["stage1_left", "stage1_right"].map(|side| quantity("fft", None, side));
    let [left, right] = sides;
    let ratio = right? / left?;
    let fft = format!(
        "(2.8) is {ratio:.1} times; (2.3), with the logarithm of one axis of 512 in place of two, {:.1} times: one order",
        2.0 * ratio
    );
    let rates = [Some("work.element_bytes=8"), None].map(|of| quantity("fft", of, "channel_mops"));
    let [printed, right_bytes] = rates;
    let fftw = format!(
        "{:.2} with the printed rate, which is more than 2.5; {:.2} with the 16 bytes that an element has",
        printed? / 1e3 / FFTW_3D,
        right_bytes? / 1e3 / FFTW_3D
    );
    let [(_, one), many @ ..] = MG_CLASS_C;
    let share = |(n, rate): (u32, f64)| format!("{:.2} on {n}", rate / (f64::from(n) * one));
    let mg = format!("the coefficient falls: {}", many.map(share).join(", "));
    let spmv = quantity("spmv", None, "left")? / quantity("spmv", None, "right")?;
    let spmv = format!("(2.23) is {spmv:.1} times: one order and a half");
    let statement = |source, says, numbers| Statement { source, says, numbers };
    Ok(vec![
        statement("1.1", "the memory of a GeForce TITAN, 384 bits wide, gives 336 GB/s", memory),
        statement("2.1", "the channel limits FT by two orders of magnitude", fft),
        statement("2.1.3", "the gain over FFTW is almost 2.5", fftw),
        statement("2.2.4", "MG speeds up linearly with the GPUs, by about 0.5 for each", mg),
        statement("2.3", "computing limits SpMV by two orders of magnitude", spmv),
    ])
}

/// Returns the section of the page `specs/src/validation.md`, in Markdown, on the statements of the dissertation `[D]`
/// that its own numbers do not bear out.
///
/// # Errors
/// See [`statements`].
pub fn text() -> Result<String, LabError> {
    let mut text = String::from(
        "## Statements in words that do not hold\n\n| section | says | the numbers of [D] give |\n| --- | --- | --- |\n",
    );
    for Statement { source, says, numbers } in statements()? {
        let _ = writeln!(text, "| {source} | {says} | {numbers} |");
    }
    text.push('\n');
    Ok(text)
}
