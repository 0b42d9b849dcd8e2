//! Arrays of counts for serde, which has those of up to 32 values only: as sequences.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<S: Serializer, const N: usize>(
    array: &[u64; N],
    to: S,
) -> Result<S::Ok, S::Error> {
    array[..].serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
    from: D,
) -> Result<[u64; N], D::Error> {
    let values = Vec::<u64>::deserialize(from)?;
    values.try_into().map_err(|_| Error::custom(format!("expected {N} values")))
}
