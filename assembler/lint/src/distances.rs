//! Distances between the accesses of two bundles. No flow of control here.

use cp2_isa::{Access, Latencies, Resource, Unit};

/// Returns the number of cycles from the issue of a write until readers without a bypass see it.
pub(super) fn landing(latencies: &Latencies, write: &Access, resource: Resource) -> u32 {
    latencies.distance(write.unit, resource, Unit::Arithmetic)
}

/// Returns the distance in cycles at which `reader` first sees what `writer` wrote to `resource`.
pub(super) fn distance(
    latencies: &Latencies,
    writer: &Access,
    resource: Resource,
    reader: &Access,
) -> u32 {
    latencies.distance(writer.unit, resource, reader.unit)
}

/// Returns the longest distance in cycles that any reader of the write needs, at least 1.
pub(super) fn longest(latencies: &Latencies, write: &Access, resource: Resource) -> u32 {
    [Unit::Arithmetic, Unit::Permute, Unit::Loop, Unit::Stop]
        .into_iter()
        .map(|reader| latencies.distance(write.unit, resource, reader))
        .fold(1, u32::max)
}
