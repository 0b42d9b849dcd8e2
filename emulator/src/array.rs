//! Arrays of counts as sequences in serde, which itself supports arrays of at most 32 values only. The two functions
//! are for fields with `#[serde(with = "...")]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes an array of N counts as a sequence; serde calls the function for a field with `#[serde(with =
/// "crate::array")]`.
pub fn serialize<S: Serializer, const N: usize>(
    array: &[u64; N],
    to: S,
) -> Result<S::Ok, S::Error> {
    array[..].serialize(to)
}

/// Reads an array of N counts from a sequence; serde calls the function for a field with `#[serde(with =
/// "crate::array")]`.
///
/// # Errors
/// The sequence does not hold exactly N numbers.
pub fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
    from: D,
) -> Result<[u64; N], D::Error> {
    let values = Vec::<u64>::deserialize(from)?;
    values.try_into().map_err(|_| Error::custom(format!("expected {N} values")))
}
