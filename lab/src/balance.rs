//! The balance criterion (`[D]` 1.6): the bandwidth at which the main loops of a procedure compute as long as they
//! move data, over one number of system or work.

use crate::estimate::Estimate;
use crate::inputs::{Inputs, LabError};
use crate::key::EstimateKey;
use crate::picture::{Chart, Curve, Mark, PictureAxis};
use std::ops::RangeInclusive;

/// Number of steps from the least to the greatest value of a key.
const STEPS: u32 = 60;

/// EstimateKey that is varied, and the range of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceRange {
    /// EstimateKey that is varied.
    pub key: EstimateKey,
    /// Range of the values of the key, both ends included.
    pub range: RangeInclusive<f64>,
}

impl BalanceRange {
    /// Reads `KEY=LOW..HIGH`.
    ///
    /// # Errors
    /// The text has not that form, or the key does not take these values.
    pub fn read(text: &str) -> Result<Self, LabError> {
        let wrong = || LabError(format!("`{text}` is not of the form KEY=LOW..HIGH"));
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let key = EstimateKey::named(name.trim()).map_err(LabError)?;
        let (low, high) = values.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let (low, high) = (number(low)?, number(high)?);
        key.check(low).and_then(|_| key.check(high)).map_err(LabError)?;
        if low >= high {
            return LabError::of(format!("{text}: the first value is not below the second"));
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

/// Returns the bandwidths at which loops balance, over a key: a curve for each loop, and one for the bandwidth of the system.
///
/// # Errors
/// The procedure cannot be estimated for any of the values, or none of its loops moves and computes.
pub fn curves(
    procedure: &str,
    inputs: &Inputs,
    sweep: &BalanceRange,
) -> Result<Vec<Curve>, LabError> {
    let (mut curves, mut last) = (Vec::<Curve>::new(), None);
    let mut given =
        Curve { name: "BW of the system".to_owned(), points: Vec::new(), colour: 3, is_thin: true };
    for value in sweep.values() {
        let mut inputs = inputs.clone();
        inputs.set(sweep.key, value)?;
        let estimate = match Estimate::new(procedure, &inputs) {
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
            let colour = curves.len() % 3;
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push((value, bw)),
                None => {
                    let points = vec![(value, bw)];
                    curves.push(Curve { name, points, colour, is_thin: false });
                }
            }
        }
    }
    match (curves.is_empty(), last) {
        (true, Some(e)) => Err(e),
        (true, None) => LabError::of(format!("{procedure}: no loop both moves and computes")),
        (false, _) => {
            curves.push(given);
            Ok(curves)
        }
    }
}

/// Returns the picture of the curves of [`curves`], with a mark where the system is.
///
/// # Errors
/// See [`curves`].
pub fn chart(procedure: &str, inputs: &Inputs, sweep: &BalanceRange) -> Result<Chart, LabError> {
    let curves = curves(procedure, inputs, sweep)?;
    let info = sweep.key.info();
    let unit = if info.unit.is_empty() { String::new() } else { format!(", {}", info.unit) };
    let at = inputs.get(sweep.key).filter(|x| sweep.range.contains(x));
    let mark = |x| Ok(Mark { name: inputs.name.clone(), at: (x, inputs.bandwidth()?), colour: 3 });
    Ok(Chart {
        title: format!(
            "{procedure} on {}: above a curve computing limits, below the channel",
            inputs.name
        ),
        axes: [
            PictureAxis { label: format!("{}{unit}", sweep.key), is_log: sweep.is_log() },
            PictureAxis { label: "BW, MB/s".to_owned(), is_log: true },
        ],
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
        Estimate::new(procedure, &inputs).unwrap().main_loop().balanced_bw().unwrap()
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
        let curves = curves("resid", &inputs, &sweep).unwrap();
        let [balanced, given] = &curves[..] else { panic!("{curves:?}") };
        let (first, last) = (balanced.points[0], balanced.points[balanced.points.len() - 1]);
        assert!((last.1 / first.1 - 10.0).abs() < 1e-9 && given.points[0].1 == given.points[9].1);
        assert!(
            BalanceRange::read("system.clock_mhz=0..9").is_err()
                && BalanceRange::read("work.n=9..8").is_err()
        );
        assert!(BalanceRange::read("work.m=8..9").unwrap_err().0.contains("nearest"));
    }
}
