//! What the machine refuses on a device.

use cp2_gpu::GpuError;
use std::fmt;

/// Error of the STAR machine on a device, each with a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StarGpuError {
    /// Tables do not fit the memory of a device.
    Memory {
        /// Value that takes the memory, such as "a table of 70 rows and 5 columns".
        what: String,
        /// Bytes that it takes.
        bytes: u64,
        /// Bytes that the device offers for it.
        limit: u64,
        /// Name of the device.
        device: String,
    },
    /// A program that runs in one work-group has more rows than the work-group holds.
    Rows {
        /// Number of rows.
        rows: usize,
        /// Most rows on the device.
        limit: usize,
        /// Name of the device.
        device: String,
    },
    /// Any other error of the device.
    Device(GpuError),
}

impl From<GpuError> for StarGpuError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::TooLarge { what, bytes, limit, device } => {
                Self::Memory { what, bytes, limit, device }
            }
            other => Self::Device(other),
        }
    }
}

impl fmt::Display for StarGpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { what, bytes: 0, device, .. } => {
                write!(f, "{device} has no memory for {what}; take a smaller graph or fewer bits")
            }
            Self::Memory { what, bytes, limit, device } => write!(
                f,
                "{what} takes {bytes} bytes and {device} has {limit} for it; take a smaller graph or fewer bits"
            ),
            Self::Rows { rows, limit, device } => write!(
                f,
                "{rows} rows, and one work-group of {device} holds at most {limit}; take a smaller graph"
            ),
            Self::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StarGpuError {}
