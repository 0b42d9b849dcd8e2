//! Memory of the host, which has to hold what goes to devices.

use cp2_gpu::GpuError;

/// Checks that the host has so many bytes of memory, where the system tells how many it has.
///
/// # Errors
/// It has fewer; the error has both numbers.
pub(crate) fn require_host(what: &str, bytes: u64) -> Result<(), GpuError> {
    match memory() {
        Some(limit) if limit < bytes => Err(GpuError::TooLarge {
            what: what.to_owned(),
            bytes,
            limit,
            device: "the host".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_host_has_is_refused_with_the_numbers() {
        assert_eq!(require_host("an array", 1), Ok(()));
        if memory().is_some() {
            let text = require_host("an array", 1 << 60).err().map(|e| e.to_string());
            let text = text.unwrap_or_default();
            assert!(
                text.starts_with("an array takes 1152921504606846976 bytes and the host has"),
                "{text}"
            );
        }
    }
}
