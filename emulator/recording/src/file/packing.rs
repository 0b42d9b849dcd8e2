//! Values as packed bytes, and how many bytes packed ones may become: packing and unpacking keep to the same limit, so that a
//! small file never fills memory, and whatever was written is read again.

use crate::error::RecordingError;
use crate::file::room::Room;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;

/// Number of bytes that a value may have, however few it is packed to.
const ROOM: u64 = 16 << 20;
/// Largest number of bytes that a value may have more for each packed one: lists of pages come to 3, counts to 6.
const RATIO: u64 = 8;
/// Largest number of bytes in memory that the elements of lists may take for each byte that they are decoded from. A number
/// takes 8 and one byte at least; the largest elements of which there can be many have several numbers.
const LISTS: u64 = 16;
/// Largest ratio of the bytes of memory that a host has read or written to the bytes of that memory.
const COPIES: u64 = 2;

/// Returns the largest number of bytes of a value that is packed to so many. A value that holds parts of a memory may have
/// [`COPIES`] times the bytes of the memory more.
fn longest(packed: usize, memory: u64) -> u64 {
    let by_packing = RATIO.saturating_mul(packed as u64).saturating_add(ROOM);
    by_packing.saturating_add(COPIES.saturating_mul(memory))
}

/// Returns the largest number of packed bytes of a value that holds parts of a memory of so many bytes.
pub(crate) fn longest_packed(memory: u64) -> u64 {
    // Bytes that cannot be made smaller become longer by less than a hundredth.
    let most = COPIES.saturating_mul(memory).saturating_add(LARGEST.min(16 * ROOM));
    most.saturating_add(most / 64)
}

/// Largest number of bytes that can be packed at once: the packed ones begin with their number in 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// Encodes a value as bytes.
pub(crate) fn encoded<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

/// Encodes a value as bytes, packed.
///
/// # Errors
/// If the value is longer than what is unpacked again.
pub(crate) fn packed<T: Serialize>(value: &T, memory: u64) -> io::Result<Vec<u8>> {
    let bytes = encoded(value)?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_long(bytes.len(), LARGEST));
    }
    let packed = lz4_flex::compress_prepend_size(&bytes);
    let (length, most) = (bytes.len(), longest(packed.len(), memory));
    if length as u64 > most || packed.len() as u64 > longest_packed(memory) {
        return Err(too_long(length, most));
    }
    Ok(packed)
}

fn too_long(length: usize, most: u64) -> io::Error {
    io::Error::other(format!("a part of it has {length} bytes; at most {most} can be read again"))
}

/// Decodes the value of packed bytes.
pub(crate) fn unpacked<T: DeserializeOwned>(
    bytes: &[u8],
    memory: u64,
    what: &'static str,
) -> Result<T, RecordingError> {
    let damaged = || RecordingError::Damaged(what);
    let (length, _) = lz4_flex::block::uncompressed_size(bytes).map_err(|_| damaged())?;
    if length as u64 > longest(bytes.len(), memory) {
        return Err(damaged());
    }
    let bytes = lz4_flex::decompress_size_prepended(bytes).map_err(|_| damaged())?;
    let most = LISTS.saturating_mul(bytes.len() as u64).saturating_add(ROOM);
    Room::new(most).decoded(&bytes).ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_nothing_that_grows_too_much() {
        let values = |length: usize| vec![0_u8; length];
        let most = ROOM as usize;
        for length in [0, 1, most / 2, most] {
            let bytes = packed(&values(length), 0).unwrap();
            assert_eq!(unpacked::<Vec<u8>>(&bytes, 0, "it").unwrap().len(), length);
        }
        // A copy of a memory of zeros, which is packed to next to nothing.
        let memory = 3 * ROOM;
        let all = values(2 * memory as usize);
        assert!(packed(&all, 0).unwrap_err().to_string().contains("can be read again"));
        let bytes = packed(&all, memory).unwrap();
        assert_eq!(unpacked::<Vec<u8>>(&bytes, memory, "it").unwrap().len(), all.len());
        assert!(matches!(unpacked::<Vec<u8>>(&bytes, 0, "it"), Err(RecordingError::Damaged("it"))));
        // A list whose elements are a byte in the file and seventy-two in memory.
        let nothing: Vec<Option<[u64; 8]>> = vec![None; most];
        let bytes = packed(&nothing, 0).unwrap();
        let it = unpacked::<Vec<Option<[u64; 8]>>>(&bytes, 0, "it");
        assert!(matches!(it, Err(RecordingError::Damaged("it"))));
    }
}
