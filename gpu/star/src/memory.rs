//! Arrays of words in the memory of a device, which are used again when nobody holds them any more. Kernels run in the order in
//! which they are launched, so an array is free as soon as the last kernel that uses it has been launched.

use crate::error::StarGpuError;
use cp2_gpu::{Gpu, GpuBuffer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Arrays that nobody holds, by number of words, and the bytes of all.
#[derive(Default)]
struct Pool {
    free: BTreeMap<usize, Vec<GpuBuffer<u64>>>,
    bytes: u64,
}

/// The memory of a device.
#[derive(Clone)]
pub(crate) struct DeviceMemory {
    gpu: Gpu,
    pool: Rc<RefCell<Pool>>,
    limit: u64,
}

/// An array of words that somebody holds.
pub(crate) struct DeviceWords {
    buffer: Option<GpuBuffer<u64>>,
    pool: Rc<RefCell<Pool>>,
}

impl DeviceMemory {
    /// Creates the memory of a device, of which at most `limit` bytes are used.
    pub(crate) fn new(gpu: &Gpu, limit: u64) -> Self {
        Self { gpu: gpu.clone(), pool: Rc::default(), limit: limit.min(gpu.info().memory) }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns an array of so many words, at least one; what it holds is undefined.
    pub(crate) fn words(&self, words: usize) -> Result<DeviceWords, StarGpuError> {
        let words = words.max(1);
        let held = |buffer| DeviceWords { buffer: Some(buffer), pool: Rc::clone(&self.pool) };
        let mut pool = self.pool.borrow_mut();
        if let Some(buffer) = pool.free.get_mut(&words).and_then(Vec::pop) {
            return Ok(held(buffer));
        }
        let bytes = 8 * words as u64;
        if pool.bytes + bytes > self.limit {
            let free = std::mem::take(&mut pool.free);
            pool.bytes -=
                free.values().flatten().map(|buffer| 8 * buffer.count() as u64).sum::<u64>();
        }
        if pool.bytes + bytes > self.limit {
            return Err(StarGpuError::Memory {
                what: format!("a value beside {} bytes of others", pool.bytes),
                bytes,
                limit: self.limit,
                device: self.gpu.info().name.clone(),
            });
        }
        let buffer = self.gpu.buffer(words)?;
        pool.bytes += bytes;
        Ok(held(buffer))
    }
}

impl DeviceWords {
    /// Returns the array.
    pub(crate) fn buffer(&self) -> Option<&GpuBuffer<u64>> {
        self.buffer.as_ref()
    }
}

impl Drop for DeviceWords {
    fn drop(&mut self) {
        if let (Some(buffer), Ok(mut pool)) = (self.buffer.take(), self.pool.try_borrow_mut()) {
            pool.free.entry(buffer.count()).or_default().push(buffer);
        }
    }
}
