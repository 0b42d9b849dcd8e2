//! Printed numbers: every number of the dissertation `[D]` that the estimation method must give back, with the place
//! where it is printed, our number, and a verdict. The test and the page `specs/src/validation.md` both come from the
//! table `data/expected.csv`, whose rows also say which command gives our number.

use crate::estimate::{Estimate, EstimatedWork};
use crate::inputs::{Inputs, LabError};

const EXPECTED: &str = include_str!("../data/expected.csv");

/// Result of the comparison of our number with the number that the dissertation `[D]` prints, in the digits that are
/// printed; [`PrintedNumber::compare`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Our number has the printed digits, either rounded or cut off.
    Same,
    /// Our number is one unit of the last printed digit away, and by less than a tenth of the printed number: the
    /// source is taken to have rounded on the way.
    LastDigit,
    /// Our number is another than the printed one.
    Differs,
}

impl Verdict {
    /// Returns the verdict in words for tables in Markdown: "same", "last digit" or "**differs**".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::LastDigit => "last digit",
            Self::Differs => "**differs**",
        }
    }
}

/// Number that the dissertation `[D]` prints, and the way in which ours is computed, by an estimate or as a product: a
/// row of the table `data/expected.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedNumber {
    /// Formula, table or section of the dissertation `[D]` that prints the number.
    pub source: String,
    /// Description of the printed number for people.
    pub what: String,
    /// Name that our number has among the named values of the estimate ([`Estimate::quantity`]).
    pub quantity: String,
    /// Unit in which the number is printed; empty if it has none.
    pub unit: String,
    /// The printed number, as text with exactly the digits that are printed.
    pub printed: String,
    /// Name of the procedure that is estimated; or `product`, if our number is the product of the numbers in
    /// `settings`.
    pub procedure: String,
    /// Name of the system on which the procedure is estimated, one of [`names`](crate::inputs::names) or with clocks
    /// behind it ([`Inputs::system`](crate::inputs::Inputs::system)).
    pub system: String,
    /// Settings of the estimate as `key=value`; of a product its factors, where a number behind `/` is a divisor.
    pub settings: Vec<String>,
    /// Remark on the printed number, which may be empty; every number whose verdict is that it differs has one.
    pub remark: String,
}

/// Returns the numbers that the dissertation `[D]` prints and the method must give back: all rows of the table
/// `data/expected.csv`, which is part of the program.
///
/// # Errors
/// A row has not nine fields.
pub fn rows() -> Result<Vec<PrintedNumber>, LabError> {
    EXPECTED.lines().skip(1).map(row).collect()
}

/// Returns the fields of a line, some of which are quoted.
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

fn row(line: &str) -> Result<PrintedNumber, LabError> {
    let [source, what, quantity, unit, printed, procedure, system, settings, remark] =
        <[String; 9]>::try_from(fields(line)).map_err(|_| {
            LabError::new(format!("expected.csv: `{line}` does not have nine fields"))
        })?;
    let settings = settings.split_whitespace().map(str::to_owned).collect();
    Ok(PrintedNumber { source, what, quantity, unit, printed, procedure, system, settings, remark })
}

impl PrintedNumber {
    /// Returns the command line of `cp2 estimate` that gives our number; for a product its factors as text.
    pub fn command(&self) -> String {
        if self.procedure == "product" {
            return self.settings.join(" x ").replace("x /", "/ ");
        }
        let Self { procedure, system, settings, .. } = self;
        let settings: String = settings.iter().map(|s| format!(" --set {s}")).collect();
        format!("cp2 estimate {procedure} --system {system}{settings}")
    }

    /// Computes our number in the unit of the printed one, by the estimate or the product that the row names.
    ///
    /// # Errors
    /// There is no such system, procedure, key or quantity as the row names, or a factor of a product is no number.
    pub fn ours(&self) -> Result<f64, LabError> {
        if self.procedure == "product" {
            return self.product();
        }
        let mut inputs = Inputs::system(&self.system)?;
        for setting in &self.settings {
            inputs.apply_set(setting)?;
        }
        let estimate = Estimate::new(&EstimatedWork::procedure(&self.procedure), &inputs)?;
        let value = estimate.quantity(&self.quantity);
        let value = value.ok_or_else(|| {
            LabError::new(format!("{}: {} has no {}", self.what, self.procedure, self.quantity))
        })?;
        Ok(match self.unit.as_str() {
            "GOPS" => value / 1e3,
            "s" => value / 1e6,
            _ => value,
        })
    }

    /// Returns the product of the numbers in `settings`, divided by those behind `/`.
    fn product(&self) -> Result<f64, LabError> {
        let factor = |text: &String| {
            let (digits, divides) = text.strip_prefix('/').map_or((&**text, false), |d| (d, true));
            let wrong = |_| LabError::new(format!("{}: `{text}` is not a number", self.what));
            let number: f64 = digits.parse().map_err(wrong)?;
            Ok(if divides { number.recip() } else { number })
        };
        self.settings.iter().map(factor).product()
    }

    /// Computes our number and compares it with the printed one in the digits that are printed. Returns our number, in
    /// the unit of the printed one, and the verdict.
    ///
    /// # Errors
    /// See [`PrintedNumber::ours`]; or the printed text is no number.
    pub fn compare(&self) -> Result<(f64, Verdict), LabError> {
        let ours = self.ours()?;
        let wrong = |_| LabError::new(format!("{}: `{}` is not a number", self.what, self.printed));
        let printed: f64 = self.printed.parse().map_err(wrong)?;
        let (mantissa, exponent) = self.printed.split_once('e').unwrap_or((&self.printed, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
        let unit = 10_f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals as i32);
        let last = |x: f64| (x - printed / unit).abs() < 1e-6;
        let (rounded, cut) = ((ours / unit).round(), (ours / unit + 1e-9).floor());
        let verdict = if last(rounded) || last(cut) {
            Verdict::Same
        } else if (rounded - printed / unit).abs() < 1.0 + 1e-6
            && (ours - printed).abs() < 0.1 * printed.abs()
        {
            Verdict::LastDigit
        } else {
            Verdict::Differs
        };
        Ok((ours, verdict))
    }

    /// Returns the text for our number, with two digits more than printed.
    pub(crate) fn shown(&self, ours: f64) -> String {
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
