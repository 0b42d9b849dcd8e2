//! What can go wrong with a device, each with a sentence that says what to do.

use opencl3::error_codes::{CL_INVALID_BUFFER_SIZE, ClError};
use std::fmt;

/// Error of a device or of a kernel on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuError {
    /// No library of OpenCL can be loaded, or no platform of it has a device.
    NoDevice,
    /// A device of this number does not exist.
    NoSuchDevice {
        /// Number that was asked for, from 0.
        number: usize,
        /// Number of the devices that there are.
        devices: usize,
    },
    /// A device does not compute in double precision.
    NoDouble {
        /// Name of the device.
        device: String,
    },
    /// Devices of one run have different drivers.
    TwoDrivers {
        /// First device: name, vendor and driver.
        first: String,
        /// Device with another driver.
        other: String,
    },
    /// A device cannot be divided into so many parts.
    Parts {
        /// Name of the device.
        device: String,
        /// Parts that were asked for.
        parts: usize,
        /// Compute units of the device; each part takes at least one.
        units: usize,
    },
    /// Data does not fit into the memory of a device.
    TooLarge {
        /// Data, such as "MG class D".
        what: String,
        /// Bytes that it takes.
        bytes: u64,
        /// Bytes that the device offers.
        limit: u64,
        /// Name of the device.
        device: String,
    },
    /// A run cannot be done as it was asked for.
    Refused {
        /// Run, such as "FT class S".
        what: String,
        /// Sentence that says why, with the limit, and what to do.
        why: String,
    },
    /// A kernel was not built; this is a bug of the kernel or of the driver.
    Build {
        /// Name of the device.
        device: String,
        /// Messages of the compiler, with the lines of the kernel's text.
        log: String,
    },
    /// A device stopped answering or was taken away while a call was under way.
    Lost {
        /// Name of the device.
        device: String,
        /// Call that failed.
        call: &'static str,
    },
    /// A call of OpenCL failed.
    Call {
        /// Call that failed, such as "launch".
        call: &'static str,
        /// Name of the error in OpenCL, such as `CL_OUT_OF_RESOURCES`.
        error: String,
    },
}

/// Errors after which a device does not come back: out of resources (-5) in the middle of a run, and what the drivers
/// of NVIDIA report when a kernel broke off (-9999) or the device fell off the bus (-2, -9).
const LOST: [i32; 4] = [-2, -5, -9, -9999];

/// Call that puts a kernel into a queue.
pub(crate) const LAUNCH: &str = "launching a kernel";

impl GpuError {
    /// Returns the error of a call on a device.
    pub(crate) fn of(device: &str, call: &'static str, error: &ClError) -> Self {
        match error.0 {
            CL_INVALID_BUFFER_SIZE | -4 => Self::TooLarge {
                what: format!("a buffer in {call}"),
                bytes: 0,
                limit: 0,
                device: device.to_owned(),
            },
            // A kernel that takes more registers or local memory than a unit has is refused as out of resources too.
            code if LOST.contains(&code) && (call, code) != (LAUNCH, -5) => {
                Self::Lost { device: device.to_owned(), call }
            }
            _ => Self::Call { call, error: error.to_string() },
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice => f.write_str(
                "no device of OpenCL was found; install the driver of a graphics processor with its OpenCL library, or \
                 run on the processor itself with the packages ocl-icd-libopencl1 and pocl-opencl-icd",
            ),
            Self::NoSuchDevice { number, devices } => {
                write!(f, "there is no device {number}; there are {devices}, from 0, and `cp2 gpu devices` lists them")
            }
            Self::NoDouble { device } => {
                write!(f, "{device} does not compute in double precision; choose another device")
            }
            Self::TwoDrivers { first, other } => write!(
                f,
                "{first} and {other} have different drivers, which share no memory; choose devices of one driver, `cp2 gpu \
                 devices` lists them"
            ),
            Self::Parts { device, parts, units } => write!(
                f,
                "{device} cannot be divided into {parts} parts; it has {units} compute units, and not every driver divides \
                 devices"
            ),
            Self::TooLarge { what, bytes: 0, device, .. } => {
                write!(f, "{device} has no memory for {what}; choose a smaller class")
            }
            Self::TooLarge { what, bytes, limit, device } => write!(
                f,
                "{what} takes {bytes} bytes and {device} has {limit}; choose a smaller class or more devices"
            ),
            Self::Refused { what, why } => write!(f, "{what}: {why}"),
            Self::Build { device, log } => {
                write!(f, "a kernel was not built for {device}; messages of the compiler:\n{log}")
            }
            Self::Lost { device, call } => write!(
                f,
                "{device} was lost in {call}: it stopped answering, or a kernel on it broke off; nothing of the run is left"
            ),
            Self::Call { call, error } => write!(f, "{call} failed with {error}"),
        }
    }
}

impl std::error::Error for GpuError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_calls_tell_lost_devices_from_refused_kernels() {
        let of = |call, code| GpuError::of("a card", call, &ClError(code)).to_string();
        assert!(of("waiting", -5).starts_with("a card was lost in waiting: it stopped answering"));
        assert_eq!(of(LAUNCH, -5), "launching a kernel failed with CL_OUT_OF_RESOURCES");
        assert!(of("making a buffer", -4).starts_with("a card has no memory for a buffer"));
        assert!(of(LAUNCH, -9999).starts_with("a card was lost in launching a kernel"));
        assert_eq!(of(LAUNCH, -54), "launching a kernel failed with CL_INVALID_WORK_GROUP_SIZE");
        assert!(of("reading", -9999).contains("nothing of the run is left"));
    }

    #[test]
    fn devices_of_two_drivers_are_told_with_both() {
        let [first, other] = ["a (x 1)", "b (y 2)"].map(str::to_owned);
        let told = GpuError::TwoDrivers { first, other }.to_string();
        assert!(told.starts_with("a (x 1) and b (y 2) have different drivers"), "{told}");
    }

    #[test]
    fn missing_devices_are_told_with_what_to_install_or_how_many_there_are() {
        assert!(GpuError::NoDevice.to_string().contains("ocl-icd-libopencl1 and pocl-opencl-icd"));
        let refused = GpuError::NoSuchDevice { number: 3, devices: 2 };
        assert!(refused.to_string().starts_with("there is no device 3; there are 2, from 0"));
        let single = GpuError::NoDouble { device: "a card".to_owned() };
        assert!(single.to_string().contains("a card does not compute in double precision"));
    }
}
