//! Copies between arrays and contiguous buffers. Whole rows go through local memory by the channel alone (`boxes`). A face along x
//! is one point of each row: the channel brings the beats with these points, CP2 takes the points out of the beats or puts them
//! into beats, four points a pass, and the channel moves them as rows (`columns`; `kernels` has the texts).

mod boxes;
mod columns;
mod kernels;

pub(crate) use boxes::{BoxPlace, RowBox, copies};
pub(crate) use columns::{ColumnFace, pack_pages, unpack_pages};
pub(crate) use kernels::routines;

/// Bytes of a beat.
pub(crate) const BEAT: usize = 16;
