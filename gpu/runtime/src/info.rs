//! Which devices there are, and what each is.

use crate::error::GpuError;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::types::cl_device_id;
use std::sync::Mutex;

/// Properties of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuInfo {
    /// Name of the device.
    pub name: String,
    /// Vendor of the device.
    pub vendor: String,
    /// Version of the driver.
    pub driver: String,
    /// Version of OpenCL that the device has.
    pub version: String,
    /// Compute units, each of which runs work-groups by itself.
    pub units: usize,
    /// Clock of the device in MHz; 0 if the driver does not tell it.
    pub clock_mhz: u32,
    /// Bytes of the memory of the device.
    pub memory: u64,
    /// Bytes of the largest buffer.
    pub largest: u64,
    /// Bytes of local memory that a work-group can have.
    pub local: u64,
    /// Most work-items of a work-group.
    pub items: usize,
    /// Whether the device computes in double precision.
    pub has_double: bool,
}

/// Choice of devices as the option `--device` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuChoice {
    /// Numbers of the devices, in the order of [`GpuInfo::all`].
    pub numbers: Vec<usize>,
    /// Number of equal parts into which each is divided, each a device of its own then.
    pub parts: usize,
}

/// Handles of all devices, in the order in which the library tells them.
pub(crate) fn handles() -> Result<Vec<cl_device_id>, GpuError> {
    // A driver that is asked for the first time by two threads at once may tell one of them that it has no device.
    static ASKED: Mutex<()> = Mutex::new(());
    let _asked = ASKED.lock();
    match get_all_devices(CL_DEVICE_TYPE_ALL) {
        Ok(all) if !all.is_empty() => Ok(all),
        _ => Err(GpuError::NoDevice),
    }
}

impl GpuInfo {
    /// Returns the properties of all devices; a device's number is its place, from 0.
    ///
    /// # Errors
    /// There is no device, or a device does not tell its properties.
    pub fn all() -> Result<Vec<Self>, GpuError> {
        handles()?.into_iter().map(|id| Self::of(&Device::new(id))).collect()
    }

    /// Checks that the device computes in double precision.
    ///
    /// # Errors
    /// It does not.
    pub fn require_double(&self) -> Result<(), GpuError> {
        match self.has_double {
            true => Ok(()),
            false => Err(GpuError::NoDouble { device: self.name.clone() }),
        }
    }

    pub(crate) fn of(device: &Device) -> Result<Self, GpuError> {
        let call = |error| GpuError::of("a device", "asking for its properties", &error);
        let has_double = device.double_fp_config().is_ok_and(|config| config != 0);
        Ok(Self {
            name: device.name().map_err(call)?.trim().to_owned(),
            vendor: device.vendor().map_err(call)?.trim().to_owned(),
            driver: device.driver_version().map_err(call)?,
            version: device.version().map_err(call)?.trim().to_owned(),
            units: device.max_compute_units().map_err(call)? as usize,
            clock_mhz: device.max_clock_frequency().unwrap_or(0),
            memory: device.global_mem_size().map_err(call)?,
            largest: device.max_mem_alloc_size().map_err(call)?,
            local: device.local_mem_size().map_err(call)?,
            items: device.max_work_group_size().map_err(call)?,
            has_double,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_without_double_precision_are_refused() {
        let info = GpuInfo {
            name: "a card".to_owned(),
            vendor: String::new(),
            driver: String::new(),
            version: String::new(),
            units: 1,
            clock_mhz: 0,
            memory: 0,
            largest: 0,
            local: 0,
            items: 1,
            has_double: false,
        };
        let refused = info.require_double().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(refused.starts_with("a card does not compute in double precision"), "{refused}");
        assert_eq!(GpuInfo { has_double: true, ..info }.require_double(), Ok(()));
    }
}
