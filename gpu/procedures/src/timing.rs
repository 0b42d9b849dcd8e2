//! Seconds that kernels take.

use cp2_gpu::{Gpu, GpuError};
use std::time::Instant;

/// Returns the seconds that one call of `launch` takes on the device: the median of `runs` runs of `calls` calls each, after
/// one run that does not count.
///
/// # Errors
/// A launch fails.
pub fn seconds(
    gpu: &Gpu,
    [runs, calls]: [usize; 2],
    launch: &mut dyn FnMut() -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    let mut found = Vec::new();
    for run in 0..=runs {
        gpu.finish()?;
        let begin = Instant::now();
        (0..calls).try_for_each(|_| launch())?;
        gpu.finish()?;
        if run > 0 {
            found.push(begin.elapsed().as_secs_f64() / calls as f64);
        }
    }
    Ok(median(&mut found))
}

/// Returns the median of numbers, which it sorts; NaN if there are none.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
