//! Every number of the source work that the method must give back: where it is printed, what we get, and whether
//! that is the same. The test and the page `specs/src/validation.md` both come from `data/expected.csv`, whose
//! rows also tell the command that gives ours.

use crate::estimate::Estimate;
use crate::inputs::{Inputs, LabError};

const EXPECTED: &str = include_str!("../data/expected.csv");

/// Result of the comparison of our number with the printed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Our number has the printed digits, rounded or cut off.
    Same,
    /// Our number is one unit of the last printed digit away, and less than a tenth of the number: rounded on the way.
    LastDigit,
    /// Our number is another than the printed one.
    Differs,
}

impl Verdict {
    /// Returns the verdict in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::LastDigit => "last digit",
            Self::Differs => "**differs**",
        }
    }
}

/// Number that the source work prints, and how ours is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedNumber {
    /// Formula, table or section of `[D]`.
    pub source: String,
    /// Description of the number.
    pub what: String,
    /// Name that our number has in the estimate.
    pub quantity: String,
    /// Unit in which the number is printed.
    pub unit: String,
    /// The number as it is printed.
    pub printed: String,
    /// Procedure that is estimated; `product` for a product of the numbers in `settings`, of which those behind `/` divide.
    pub procedure: String,
    /// System on which the procedure is estimated.
    pub system: String,
    /// Settings of the estimate as `key=value`, or the numbers of a product.
    pub settings: Vec<String>,
    /// Remark on the number; every number that differs has one.
    pub remark: String,
}

/// Returns the printed numbers of the table `expected.csv`.
///
/// # Errors
/// The table is damaged.
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
        <[String; 9]>::try_from(fields(line))
            .map_err(|_| LabError(format!("expected.csv: `{line}` has not nine fields")))?;
    let settings = settings.split_whitespace().map(str::to_owned).collect();
    Ok(PrintedNumber { source, what, quantity, unit, printed, procedure, system, settings, remark })
}

impl PrintedNumber {
    /// Returns the command that gives our number.
    pub fn command(&self) -> String {
        if self.procedure == "product" {
            return self.settings.join(" x ").replace("x /", "/ ");
        }
        let Self { procedure, system, settings, .. } = self;
        let settings: String = settings.iter().map(|s| format!(" --set {s}")).collect();
        format!("cp2 estimate {procedure} --system {system}{settings}")
    }

    /// Returns our number, in the printed unit.
    ///
    /// # Errors
    /// The row names a system, procedure or quantity that there is not.
    pub fn ours(&self) -> Result<f64, LabError> {
        if self.procedure == "product" {
            return self.product();
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

    /// Returns the product of the numbers in `settings`, divided by those behind `/`.
    fn product(&self) -> Result<f64, LabError> {
        let factor = |text: &String| {
            let (digits, divides) = text.strip_prefix('/').map_or((&**text, false), |d| (d, true));
            let wrong = |_| LabError(format!("{}: `{text}` is no number", self.what));
            let number: f64 = digits.parse().map_err(wrong)?;
            Ok(if divides { number.recip() } else { number })
        };
        self.settings.iter().map(factor).product()
    }

    /// Returns our number, and how it compares with the printed one in the digits that are printed.
    ///
    /// # Errors
    /// See [`PrintedNumber::ours`]; or the printed number is no number.
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
