//! Sizes that procedures take.

use crate::inputs::LabError;

/// Checks that a size is a power of two, at least 2, and returns it.
pub(super) fn power(what: &str, value: f64) -> Result<f64, LabError> {
    if value >= 2.0 && (value as u64).is_power_of_two() {
        Ok(value)
    } else {
        LabError::of(format!("{what} is {value}; it has to be a power of two, at least 2"))
    }
}
