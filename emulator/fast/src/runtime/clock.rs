//! The clock of the native machine, to convert seconds to its cycles.

use super::executor::time_stamp;

/// Returns the cycles per second of the native machine's time-stamp counter, measured for about `seconds`. The counter runs
/// at the nominal frequency of the processor, whatever that does to save power. `None` where no code is translated.
pub fn cycles_per_second(seconds: f64) -> Option<f64> {
    crate::NativeIsa::detect()?;
    let (begin, first) = (std::time::Instant::now(), time_stamp());
    while begin.elapsed().as_secs_f64() < seconds {}
    let (elapsed, last) = (begin.elapsed().as_secs_f64(), time_stamp());
    Some(last.wrapping_sub(first) as f64 / elapsed)
}
