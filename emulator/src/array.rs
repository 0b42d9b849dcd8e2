//! Arrays of counts for serde, which has those of up to 32 values only: as sequences.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes an array as a sequence (for `#[serde(with = "...")]`).
pub fn serialize<S: Serializer, const N: usize>(
    array: &[u64; N],
    to: S,
) -> Result<S::Ok, S::Error> {
    array[..].serialize(to)
}

/// Reads an array from a sequence of exactly N values (for `#[serde(with = "...")]`).
pub fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
    from: D,
) -> Result<[u64; N], D::Error> {
    let values = Vec::<u64>::deserialize(from)?;
    values.try_into().map_err(|_| Error::custom(format!("expected {N} values")))
}
