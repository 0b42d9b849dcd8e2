//! The balance criterion of the dissertation `[D]` (section 1.6): the bandwidth of the shared channel at which the
//! loops of a procedure compute as long as they move data, as a function of one number of the system or of the work.

use crate::estimate::{Estimate, EstimatedWork};
use crate::inputs::{Inputs, LabError};
use crate::key::EstimateKey;
use crate::picture::{Chart, Curve, CurveForm, Mark, PictureAxis, Shade};
use std::ops::RangeInclusive;

/// Number of steps from the least to the greatest value of a key.
const STEPS: u32 = 60;

/// Number of an estimate that is varied, and the range over which it is varied, for curves of the balanced bandwidth:
/// that at which a loop of a procedure takes as long to move data as to compute ([`curves`]).
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceRange {
    /// Key of the number that is varied.
    pub key: EstimateKey,
    /// Least and greatest value of the number, both included, in the unit of the key.
    pub range: RangeInclusive<f64>,
}

impl BalanceRange {
    /// Reads a range from a text of the form `KEY=LOW..HIGH`, such as `system.clock_mhz=100..1000`.
    ///
    /// # Errors
    /// The text has not that form, there is no such key, the key does not take one of the values, or LOW is not below
    /// HIGH.
    pub fn read(text: &str) -> Result<Self, LabError> {
        let wrong = || LabError::new(format!("`{text}` is not of the form KEY=LOW..HIGH"));
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let key = EstimateKey::named(name.trim()).map_err(LabError::new)?;
        let (low, high) = values.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let (low, high) = (number(low)?, number(high)?);
        key.check(low).and_then(|_| key.check(high)).map_err(LabError::new)?;
        if low >= high {
            return LabError::of(format!("{text}: the first value has to be less than the second"));
        }
        Ok(Self { key, range: low..=high })
    }

    fn is_log(&self) -> bool {
        self.range.end() / self.range.start() >= 16.0
    }

    /// Returns the values that are tried; whole numbers and powers of two where the key takes nothing else.
    fn values(&self) -> Vec<f64> {
        let (low, high) = (*self.range.start(), *self.range.end());
        let is_size = matches!(
            self.key,
            EstimateKey::N
                | EstimateKey::N1
                | EstimateKey::N2
                | EstimateKey::N3
                | EstimateKey::Processors
        );
        if is_size {
            let powers = (0..60).map(|k| 2_f64.powi(k));
            return powers.filter(|value| self.range.contains(value)).collect();
        }
        let part = |k: u32| f64::from(k) / f64::from(STEPS);
        let at = |k: u32| match self.is_log() {
            true => low * (high / low).powf(part(k)),
            false => low + (high - low) * part(k),
        };
        let mut all: Vec<f64> = (0..=STEPS)
            .map(at)
            .map(|x| if self.key.info().is_whole { x.round() } else { x })
            .collect();
        all.dedup();
        all
    }
}

/// Returns curves over the number that `sweep` varies: for each loop of the work that both moves data and
/// computes, the bandwidth of the shared channel in MB/s at which both take the same time; and last, thin, the
/// bandwidth that the system has. `inputs` gives all other numbers. Values for which the work cannot be estimated
/// are left out.
///
/// # Errors
/// The work cannot be estimated for any of the values, or none of its loops both moves data and computes.
pub fn curves(
    work: &EstimatedWork,
    inputs: &Inputs,
    sweep: &BalanceRange,
) -> Result<Vec<Curve>, LabError> {
    let (mut curves, mut last) = (Vec::<Curve>::new(), None);
    let mut given = Curve {
        name: "BW of the system".to_owned(),
        points: Vec::new(),
        shade: Shade::Series(3),
        form: CurveForm::Thin,
    };
    for value in sweep.values() {
        let mut inputs = inputs.clone();
        inputs.set(sweep.key, value)?;
        let estimate = match Estimate::new(work, &inputs) {
            Ok(estimate) => estimate,
            Err(e) => {
                last = Some(e);
                continue;
            }
        };
        given.points.push((value, inputs.bandwidth()?));
        for of in &estimate.plan.loops {
            let Some(bw) = of.balanced_bw() else { continue };
            // Sizes stand behind the comma.
            let name = format!("balanced: {}", of.name.split(',').next().unwrap_or_default());
            let shade = Shade::Series(curves.len() % 3);
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push((value, bw)),
                None => {
                    let points = vec![(value, bw)];
                    curves.push(Curve { name, points, shade, form: CurveForm::Strong });
                }
            }
        }
    }
    match (curves.is_empty(), last) {
        (true, Some(e)) => Err(e),
        (true, None) => LabError::of(format!(
            "{}: no loop both moves data and computes, so there is no balance to draw",
            work.name()
        )),
        (false, _) => {
            curves.push(given);
            Ok(curves)
        }
    }
}

/// Returns the picture of the curves that [`curves`] returns: bandwidth of the shared channel over the varied number,
/// with a mark at the value and bandwidth of the system in `inputs`, if that value lies in the range.
///
/// # Errors
/// See [`curves`].
pub fn chart(
    work: &EstimatedWork,
    inputs: &Inputs,
    sweep: &BalanceRange,
) -> Result<Chart, LabError> {
    let curves = curves(work, inputs, sweep)?;
    let info = sweep.key.info();
    let unit = if info.unit.is_empty() { String::new() } else { format!(", {}", info.unit) };
    let at = inputs.get(sweep.key).filter(|x| sweep.range.contains(x));
    let mark = |x| {
        let bandwidth = inputs.bandwidth()?;
        Ok(Mark {
            name: inputs.name.clone(),
            title: format!("{}: {} {x}, {bandwidth:.0} MB/s", inputs.name, sweep.key),
            at: (x, bandwidth),
            shade: Shade::Series(3),
        })
    };
    Ok(Chart {
        title: format!(
            "{} on {}: above a curve computing limits, below the channel",
            work.name(),
            inputs.name
        ),
        axes: [
            PictureAxis { label: format!("{}{unit}", sweep.key), is_log: sweep.is_log() },
            PictureAxis { label: "BW, MB/s".to_owned(), is_log: true },
        ],
        keys: Vec::new(),
        curves,
        marks: at.map(mark).transpose()?.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::inputs::PerfSource;

    fn balanced(procedure: &str, settings: &[&str]) -> f64 {
        let mut inputs = Inputs::system("vm7").unwrap();
        inputs.perf = PerfSource::Peak;
        settings.iter().for_each(|setting| inputs.apply_set(setting).unwrap());
        let work = EstimatedWork::procedure(procedure);
        Estimate::new(&work, &inputs).unwrap().main_loop().balanced_bw().unwrap()
    }

    /// BW log2 N = 32 K F (4.1), 31 BW = 64 K F (4.2); F = 200, K = 4. For SpMV BW = 16 F / (2 K + 1) (4.3) is
    /// for one section, and all of them take K times that.
    #[test]
    fn loops_at_their_peak_balance_where_the_formulas_say() {
        assert!((balanced("fft", &["work.n=256"]) - 3200.0).abs() < 1e-9);
        assert!((balanced("fft", &["work.n=16"]) - 6400.0).abs() < 1e-9);
        let resid = 64.0 * 4.0 * 200.0 / 31.0;
        assert!((balanced("resid", &[]) - resid).abs() < 1e-9);
        let spmv = 4.0 * 16.0 * 200.0 / 9.0;
        assert!((balanced("spmv", &[]) - spmv).abs() < 1e-9);
        assert!((balanced("resid", &["system.clock_mhz=400"]) - 2.0 * resid).abs() < 1e-9);
    }

    #[test]
    fn curves_follow_the_key() {
        let inputs = Inputs::system("vm9").unwrap();
        let sweep = BalanceRange::read("system.clock_mhz=100..1000").unwrap();
        let curves = curves(&EstimatedWork::procedure("resid"), &inputs, &sweep).unwrap();
        let [balanced, given] = &curves[..] else { panic!("{curves:?}") };
        let (first, last) = (balanced.points[0], balanced.points[balanced.points.len() - 1]);
        assert!((last.1 / first.1 - 10.0).abs() < 1e-9 && given.points[0].1 == given.points[9].1);
        assert!(
            BalanceRange::read("system.clock_mhz=0..9").is_err()
                && BalanceRange::read("work.n=9..8").is_err()
        );
        assert!(BalanceRange::read("work.m=8..9").unwrap_err().message.contains("nearest"));
    }
}
