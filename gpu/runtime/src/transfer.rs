//! Transfers between host and device, and memory of the host that devices reach without a copy. The header of `device` says why
//! the calls are safe.
#![allow(
    unsafe_code,
    reason = "calls of OpenCL take raw handles and pointers; the header of `device` says why each is safe"
)]

use crate::device::{Gpu, GpuBuffer, GpuEvent, GpuNumber, GpuQueue};
use crate::error::GpuError;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem as _,
};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_event, cl_mem};
use std::ffi::c_void;
use std::ops::Range;

/// Array of numbers in the memory of the host that the device reaches without a copy.
pub struct PinnedMemory<T: GpuNumber> {
    buffer: Buffer<T>,
    first: *mut T,
    n: usize,
    gpu: Gpu,
}

/// Rows of an array in pinned memory: `rows` rows of `length` numbers, `pitch` numbers from one to the next, from place `first`
/// on. In a buffer they stand one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinnedRows {
    /// Place of the first number.
    pub first: usize,
    /// Numbers from the begin of a row to that of the next.
    pub pitch: usize,
    /// Number of rows.
    pub rows: usize,
    /// Numbers of a row.
    pub length: usize,
}

impl PinnedRows {
    /// Checks that the rows lie within two arrays.
    fn check<T: GpuNumber>(
        &self,
        buffer: &GpuBuffer<T>,
        memory: &PinnedMemory<T>,
    ) -> Result<(), GpuError> {
        let last = self.first + self.rows.saturating_sub(1) * self.pitch;
        assert!(self.length <= self.pitch, "rows that overlap");
        buffer.within(0..self.rows * self.length)?;
        memory.within(&(self.first..last + self.length))
    }
}

impl Gpu {
    /// Returns an array of `n` numbers, all zero, in memory of the host that the device reaches without a copy.
    ///
    /// # Errors
    /// The host has no room for it.
    pub fn pinned<T: GpuNumber>(&self, n: usize) -> Result<PinnedMemory<T>, GpuError> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        let mut first: cl_mem = std::ptr::null_mut();
        let bytes = (n * size_of::<T>()) as u64;
        self.require("pinned memory", bytes, bytes)?;
        // SAFETY: the driver allocates the memory, and maps all of it before the call returns.
        let buffer = unsafe {
            let buffer = Buffer::<T>::create(
                &self.0.together.context,
                flags,
                n.max(1),
                std::ptr::null_mut(),
            )
            .map_err(self.0.failed("making pinned memory"))?;
            let bytes = n.max(1) * size_of::<T>();
            self.queue(GpuQueue::Compute)
                .enqueue_map_buffer(
                    &buffer,
                    CL_BLOCKING,
                    CL_MAP_READ | CL_MAP_WRITE,
                    0,
                    bytes,
                    &mut first,
                    &[],
                )
                .map_err(self.0.failed("mapping pinned memory"))?;
            buffer
        };
        let mut memory = PinnedMemory { buffer, first: first.cast(), n, gpu: self.clone() };
        memory.numbers_mut()?.fill(T::default());
        Ok(memory)
    }

    /// Writes numbers into a buffer from place `at` on, after the kernels before.
    ///
    /// # Errors
    /// The buffer ends before, or the device is lost.
    pub fn write<T: GpuNumber>(
        &self,
        to: &GpuBuffer<T>,
        at: usize,
        numbers: &[T],
    ) -> Result<(), GpuError> {
        to.within(at..at + numbers.len())?;
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: the places are within the buffer; the call returns when the slice has been read.
        let done = unsafe {
            let mut buffer = std::mem::ManuallyDrop::new(Buffer::<T>::new(to.buffer.get()));
            self.queue(GpuQueue::Compute).enqueue_write_buffer(
                &mut buffer,
                CL_BLOCKING,
                at * size_of::<T>(),
                numbers,
                &[],
            )
        };
        done.map(drop).map_err(self.0.failed("writing"))
    }

    /// Reads numbers of a buffer from place `at` on, after the kernels before.
    ///
    /// # Errors
    /// The buffer ends before, or the device is lost.
    pub fn read<T: GpuNumber>(
        &self,
        from: &GpuBuffer<T>,
        at: usize,
        numbers: &mut [T],
    ) -> Result<(), GpuError> {
        from.within(at..at + numbers.len())?;
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: the places are within the buffer; the call returns when the slice has been written.
        let done = unsafe {
            self.queue(GpuQueue::Compute).enqueue_read_buffer(
                &from.buffer,
                CL_BLOCKING,
                at * size_of::<T>(),
                numbers,
                &[],
            )
        };
        done.map(drop).map_err(self.0.failed("reading"))
    }

    /// Puts a transfer from pinned memory to a buffer into the queue of loads, to begin after these events.
    ///
    /// # Errors
    /// The places are outside of the arrays, or the device is lost.
    pub fn load<T: GpuNumber>(
        &self,
        to: &GpuBuffer<T>,
        at: usize,
        from: &PinnedMemory<T>,
        places: Range<usize>,
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        to.within(at..at + places.len())?;
        from.within(&places)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        // SAFETY: the places are within both arrays; nobody reaches pinned memory before the queues are empty.
        let done = unsafe {
            let numbers = std::slice::from_raw_parts(from.first.add(places.start), places.len());
            let mut buffer = std::mem::ManuallyDrop::new(Buffer::<T>::new(to.buffer.get()));
            self.queue(GpuQueue::Load).enqueue_write_buffer(
                &mut buffer,
                CL_NON_BLOCKING,
                at * size_of::<T>(),
                numbers,
                &after,
            )
        };
        done.map(GpuEvent).map_err(self.0.failed("loading"))
    }

    /// Puts a transfer from a buffer to pinned memory into the queue of unloads, to begin after these events.
    ///
    /// # Errors
    /// The places are outside of the arrays, or the device is lost.
    pub fn unload<T: GpuNumber>(
        &self,
        from: &GpuBuffer<T>,
        at: usize,
        to: &PinnedMemory<T>,
        places: Range<usize>,
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        from.within(at..at + places.len())?;
        to.within(&places)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        // SAFETY: the places are within both arrays; nobody reaches pinned memory before the queues are empty.
        let done = unsafe {
            let numbers = std::slice::from_raw_parts_mut(to.first.add(places.start), places.len());
            self.queue(GpuQueue::Unload).enqueue_read_buffer(
                &from.buffer,
                CL_NON_BLOCKING,
                at * size_of::<T>(),
                numbers,
                &after,
            )
        };
        done.map(GpuEvent).map_err(self.0.failed("unloading"))
    }

    /// Puts a copy of `places` of a buffer to another device, from a place of a buffer there on, into the queue of unloads, to
    /// begin after these events. Both devices were opened together.
    ///
    /// # Errors
    /// The places are outside of the arrays, or a device is lost.
    pub fn hand_over<T: GpuNumber>(
        &self,
        (from, places): (&GpuBuffer<T>, Range<usize>),
        (to, at): (&GpuBuffer<T>, usize),
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        from.within(places.clone())?;
        to.within(at..at + places.len())?;
        from.is_beside(to)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        let size = size_of::<T>();
        // SAFETY: the places are within both arrays, which are of one context.
        let done = unsafe {
            let mut buffer = std::mem::ManuallyDrop::new(Buffer::<T>::new(to.buffer.get()));
            self.queue(GpuQueue::Unload).enqueue_copy_buffer(
                &from.buffer,
                &mut buffer,
                places.start * size,
                at * size,
                places.len() * size,
                &after,
            )
        };
        done.map(GpuEvent).map_err(self.0.failed("handing over"))
    }

    /// Puts a transfer of rows from pinned memory to a buffer into the queue of loads, to begin after these events.
    ///
    /// # Errors
    /// The rows are outside of the arrays, or the device is lost.
    pub fn load_rows<T: GpuNumber>(
        &self,
        to: &GpuBuffer<T>,
        from: &PinnedMemory<T>,
        rows: PinnedRows,
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        rows.check(to, from)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        let size = size_of::<T>();
        let (origin, host) = ([0; 3], [rows.first % rows.pitch * size, rows.first / rows.pitch, 0]);
        let region = [rows.length * size, rows.rows, 1];
        // SAFETY: the rows are within both arrays; nobody reaches pinned memory before the queues are empty.
        let done = unsafe {
            let mut buffer = std::mem::ManuallyDrop::new(Buffer::<T>::new(to.buffer.get()));
            self.queue(GpuQueue::Load).enqueue_write_buffer_rect(
                &mut buffer,
                CL_NON_BLOCKING,
                origin.as_ptr(),
                host.as_ptr(),
                region.as_ptr(),
                rows.length * size,
                0,
                rows.pitch * size,
                0,
                from.first.cast::<c_void>(),
                &after,
            )
        };
        done.map(GpuEvent).map_err(self.0.failed("loading rows"))
    }

    /// Puts a transfer of rows from a buffer to pinned memory into the queue of unloads, to begin after these events.
    ///
    /// # Errors
    /// The rows are outside of the arrays, or the device is lost.
    pub fn unload_rows<T: GpuNumber>(
        &self,
        from: &GpuBuffer<T>,
        to: &PinnedMemory<T>,
        rows: PinnedRows,
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        rows.check(from, to)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        let size = size_of::<T>();
        let (origin, host) = ([0; 3], [rows.first % rows.pitch * size, rows.first / rows.pitch, 0]);
        let region = [rows.length * size, rows.rows, 1];
        // SAFETY: the rows are within both arrays; nobody reaches pinned memory before the queues are empty.
        let done = unsafe {
            self.queue(GpuQueue::Unload).enqueue_read_buffer_rect(
                &from.buffer,
                CL_NON_BLOCKING,
                origin.as_ptr(),
                host.as_ptr(),
                region.as_ptr(),
                rows.length * size,
                0,
                rows.pitch * size,
                0,
                to.first.cast::<c_void>(),
                &after,
            )
        };
        done.map(GpuEvent).map_err(self.0.failed("unloading rows"))
    }
}

impl<T: GpuNumber> GpuBuffer<T> {
    fn within(&self, places: Range<usize>) -> Result<(), GpuError> {
        within(self.count(), &places)
    }
}

fn within(n: usize, places: &Range<usize>) -> Result<(), GpuError> {
    if places.end <= n && places.start <= places.end {
        return Ok(());
    }
    Err(GpuError::Call { call: "a transfer", error: format!("places {places:?} of {n} numbers") })
}

impl<T: GpuNumber> PinnedMemory<T> {
    fn within(&self, places: &Range<usize>) -> Result<(), GpuError> {
        within(self.n, places)
    }

    /// Returns the numbers, when all queues of the device are empty.
    ///
    /// # Errors
    /// The device is lost.
    pub fn numbers(&mut self) -> Result<&[T], GpuError> {
        Ok(self.numbers_mut()?)
    }

    /// Returns the numbers to be changed, when all queues of the device are empty.
    ///
    /// # Errors
    /// The device is lost.
    pub fn numbers_mut(&mut self) -> Result<&mut [T], GpuError> {
        self.gpu.0.finish_all()?;
        // SAFETY: the memory has so many numbers, no transfer is under way, and none begins while `self` is borrowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.first, self.n) })
    }
}

impl<T: GpuNumber> Drop for PinnedMemory<T> {
    fn drop(&mut self) {
        // A lost device reaches no memory any more, so errors have no consequence.
        let _ = self.gpu.0.finish_all();
        // SAFETY: the pointer is that of the mapping, which nobody uses from here on.
        let done = unsafe {
            let queue = self.gpu.queue(GpuQueue::Compute);
            queue.enqueue_unmap_mem_object(self.buffer.get(), self.first.cast::<c_void>(), &[])
        };
        let _ = done.map(drop);
        let _ = self.gpu.finish();
    }
}
