//! Every number of the source work that the method must give back: where it is printed, what we get, and whether
//! that is the same. The test and the page `specs/src/validation.md` both come from `data/expected.csv`, whose
//! rows also tell the command that gives ours.

use crate::estimate::Estimate;
use crate::inputs::{Inputs, LabError};
use std::fmt::Write as _;

const EXPECTED: &str = include_str!("../data/expected.csv");

/// How ours compares with what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The printed digits, rounded or cut off.
    Same,
    /// One unit of the last printed digit away: rounded on the way.
    LastDigit,
    /// Another number.
    Differs,
}

impl Verdict {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::LastDigit => "last digit",
            Self::Differs => "**differs**",
        }
    }
}

/// A printed number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Formula, table or section of `[D]`.
    pub source: String,
    /// What it is.
    pub what: String,
    /// The name of ours in the estimate.
    pub quantity: String,
    /// Unit in which it is printed.
    pub unit: String,
    /// The number as it is printed.
    pub printed: String,
    /// What is estimated; `quotient` for one of two printed numbers.
    pub procedure: String,
    /// On which system.
    pub system: String,
    /// With which numbers.
    pub settings: Vec<String>,
    /// What is to be said; every number that differs has a remark.
    pub remark: String,
}

/// All of them.
///
/// # Errors
/// The table is damaged.
pub fn rows() -> Result<Vec<Row>, LabError> {
    EXPECTED.lines().skip(1).map(row).collect()
}

/// The fields of a line, some of which are quoted.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => {
                if let Some(last) = fields.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    fields
}

fn row(line: &str) -> Result<Row, LabError> {
    let [source, what, quantity, unit, printed, procedure, system, settings, remark] =
        <[String; 9]>::try_from(fields(line))
            .map_err(|_| LabError(format!("expected.csv: `{line}` has not nine fields")))?;
    let settings = settings.split_whitespace().map(str::to_owned).collect();
    Ok(Row { source, what, quantity, unit, printed, procedure, system, settings, remark })
}

impl Row {
    /// The command that gives ours.
    pub fn command(&self) -> String {
        if self.procedure == "quotient" {
            return self.settings.join(" / ");
        }
        let Self { procedure, system, settings, .. } = self;
        let settings: String = settings.iter().map(|s| format!(" --set {s}")).collect();
        format!("cp2 estimate {procedure} --system {system}{settings}")
    }

    /// Ours, in the printed unit.
    ///
    /// # Errors
    /// The row asks for what there is not.
    pub fn ours(&self) -> Result<f64, LabError> {
        if self.procedure == "quotient" {
            let numbers: Vec<f64> = self.settings.iter().filter_map(|s| s.parse().ok()).collect();
            let [a, b] = numbers[..] else {
                return LabError::of(format!("{}: no quotient", self.what));
            };
            return Ok(a / b);
        }
        let mut inputs = Inputs::system(&self.system)?;
        for setting in &self.settings {
            inputs.apply_set(setting)?;
        }
        let estimate = Estimate::new(&self.procedure, &inputs)?;
        let value = estimate.quantity(&self.quantity);
        let value = value.ok_or_else(|| {
            LabError(format!("{}: {} has no {}", self.what, self.procedure, self.quantity))
        })?;
        Ok(match self.unit.as_str() {
            "GOPS" => value / 1e3,
            "s" => value / 1e6,
            _ => value,
        })
    }

    /// Ours in the digits that are printed, and how it compares.
    ///
    /// # Errors
    /// As [`Row::ours`]; a printed number that is none.
    pub fn compare(&self) -> Result<(f64, Verdict), LabError> {
        let ours = self.ours()?;
        let wrong = |_| LabError(format!("{}: `{}` is no number", self.what, self.printed));
        let printed: f64 = self.printed.parse().map_err(wrong)?;
        let (mantissa, exponent) = self.printed.split_once('e').unwrap_or((&self.printed, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
        let unit = 10_f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals as i32);
        let last = |x: f64| (x - printed / unit).abs() < 1e-6;
        let (rounded, cut) = ((ours / unit).round(), (ours / unit + 1e-9).floor());
        let verdict = if last(rounded) || last(cut) {
            Verdict::Same
        } else if (rounded - printed / unit).abs() < 1.0 + 1e-6 {
            Verdict::LastDigit
        } else {
            Verdict::Differs
        };
        Ok((ours, verdict))
    }

    /// Ours with two digits more than printed.
    fn shown(&self, ours: f64) -> String {
        match self.printed.split_once('e') {
            Some((mantissa, exponent)) => {
                let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
                let scale = 10_f64.powi(exponent.parse().unwrap_or(0));
                format!("{:.*}e{exponent}", decimals + 2, ours / scale)
            }
            None => {
                let decimals = self.printed.split_once('.').map_or(0, |(_, digits)| digits.len());
                format!("{:.*}", decimals + 2, ours)
            }
        }
    }
}

/// The page of all numbers, `specs/src/validation.md`.
///
/// # Errors
/// The table is damaged.
pub fn page() -> Result<String, LabError> {
    let rows = rows()?;
    let compared = rows.iter().map(Row::compare).collect::<Result<Vec<_>, _>>()?;
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
         last column. Kernels of 512 points and more were found from the efficiencies of table B.4, so those rows say little.\n",
        rows.len()
    );
    let _ = writeln!(page, "## What differs\n");
    let table =
        "| source | number | printed | ours | | remark |\n| --- | --- | --- | --- | --- | --- |\n";
    page += table;
    for (row, (ours, verdict)) in rows.iter().zip(&compared) {
        if *verdict != Verdict::Same {
            let Row { source, what, printed, unit, remark, .. } = row;
            let (ours, verdict) = (row.shown(*ours), verdict.name());
            let _ = writeln!(
                page,
                "| {source} | {what} | {printed} {unit} | {ours} | {verdict} | {remark} |"
            );
        }
    }
    let _ = writeln!(
        page,
        "\nOf (3.16) and (4.3), SpMV on CP2: they compare BW with four times the rate of one section. All K sections together\n\
         take 8 bytes for a nonzero, which balances at K times that bandwidth; `cp2 estimate spmv` gives both. Nothing printed\n\
         depends on it.\n\n## All numbers\n"
    );
    page +=
        "| source | number | printed | ours | | from |\n| --- | --- | --- | --- | --- | --- |\n";
    for (row, (ours, verdict)) in rows.iter().zip(&compared) {
        let Row { source, what, printed, unit, .. } = row;
        let (ours, verdict, command) = (row.shown(*ours), verdict.name(), row.command());
        let _ = writeln!(
            page,
            "| {source} | {what} | {printed} {unit} | {ours} | {verdict} | `{command}` |"
        );
    }
    Ok(page)
}
