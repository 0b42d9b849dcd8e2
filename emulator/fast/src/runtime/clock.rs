//! The clock of the native machine, to convert seconds to its cycles.

use super::executor::time_stamp;

/// Returns the frequency, in cycles per second, of the native machine's time-stamp counter, measured by waiting for
/// `seconds`. The counter runs at the nominal frequency of the processor, even when that saves power. `None` on a
/// native machine that runs no translated code.
pub fn cycles_per_second(seconds: f64) -> Option<f64> {
    crate::NativeIsa::detect()?;
    let (begin, first) = (std::time::Instant::now(), time_stamp());
    while begin.elapsed().as_secs_f64() < seconds {}
    let (elapsed, last) = (begin.elapsed().as_secs_f64(), time_stamp());
    Some(last.wrapping_sub(first) as f64 / elapsed)
}
