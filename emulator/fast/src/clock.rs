//! The clock of the host, to tell host cycles from seconds.

/// Cycles per second of the host's time-stamp counter, measured for about `seconds`. It runs at the
/// nominal frequency of the processor, whatever that does to save power. `None` where no code is
/// translated.
pub fn cycles_per_second(seconds: f64) -> Option<f64> {
    crate::Host::detect()?;
    let (begin, first) = (std::time::Instant::now(), counter());
    while begin.elapsed().as_secs_f64() < seconds {}
    let (elapsed, last) = (begin.elapsed().as_secs_f64(), counter());
    Some(last.wrapping_sub(first) as f64 / elapsed)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the counter is read by an instruction")]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, which touches no memory.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}
