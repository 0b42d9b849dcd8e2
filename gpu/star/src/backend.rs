//! The back end: elementary operations as kernels, tables and slices in the memory of the device. Only row numbers, truth values and
//! single bits come to the host.

mod operations;

pub use operations::folds;

use crate::error::StarGpuError;
use crate::kernels::{ELEMENTARY, Kernels, LIBRARY};
use crate::memory::{DeviceMemory, DeviceWords};
use cp2_gpu::GpuArgument::{Int, Words};
use cp2_gpu::{Gpu, GpuArgument, GpuBuffer, GpuError};
use cp2_star::machine::{BitTable, BitVector};
use std::cell::OnceCell;
use std::rc::Rc;

/// Most work-items of a group that has one for each word.
const ITEMS: usize = 128;

/// A value on the device, and on the host once it has been there.
struct Value {
    words: DeviceWords,
    host: OnceCell<BitVector>,
}

/// A slice or a word on a device. It never changes; none stands for the result of an operation that failed.
#[derive(Clone)]
pub struct GpuBits {
    length: usize,
    value: Option<Rc<Value>>,
}

/// A table on a device: its columns one behind the other. It changes in place if nobody else holds it.
#[derive(Clone)]
pub struct GpuTable {
    rows: usize,
    width: usize,
    words: Option<Rc<DeviceWords>>,
}

/// The work of a run on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuWork {
    /// Kernels that were launched.
    pub launches: u64,
    /// Times that the host waited for a result of the device.
    pub reads: u64,
}

/// A device as a back end. The first error is kept; results behind it are worth nothing.
pub struct GpuBackend {
    gpu: Gpu,
    memory: DeviceMemory,
    elementary: Kernels,
    library: Kernels,
    /// Place for a result over all rows.
    result: Rc<DeviceWords>,
    work: GpuWork,
    fault: Option<StarGpuError>,
}

/// Number of 64-bit words of so many positions.
pub(crate) fn words_of(length: usize) -> usize {
    length.div_ceil(64)
}

/// Error of an operation on a value that is not there, since the operation that makes it has failed.
fn missing() -> StarGpuError {
    let error = "an operation before it failed".to_owned();
    StarGpuError::Device(GpuError::Call { call: "an operation", error })
}

impl GpuBits {
    pub(crate) fn words(&self) -> usize {
        words_of(self.length)
    }

    /// Returns the words on the device.
    pub(crate) fn buffer(&self) -> Result<&GpuBuffer<u64>, StarGpuError> {
        self.value.as_ref().and_then(|value| value.words.buffer()).ok_or_else(missing)
    }
}

impl GpuTable {
    /// Returns the words of a column.
    pub(crate) fn words(&self) -> usize {
        words_of(self.rows)
    }

    /// Returns the columns on the device.
    pub(crate) fn buffer(&self) -> Result<&GpuBuffer<u64>, StarGpuError> {
        self.words.as_ref().and_then(|words| words.buffer()).ok_or_else(missing)
    }
}

impl GpuBackend {
    /// Creates a back end on a device.
    ///
    /// # Errors
    /// The kernels are not built, or the device is lost.
    pub fn new(gpu: &Gpu) -> Result<Self, StarGpuError> {
        Self::with_limit(gpu, u64::MAX)
    }

    /// Creates a back end on a device, of whose memory it takes at most `limit` bytes.
    ///
    /// # Errors
    /// The kernels are not built, or the device is lost.
    pub fn with_limit(gpu: &Gpu, limit: u64) -> Result<Self, StarGpuError> {
        let memory = DeviceMemory::new(gpu, limit);
        Ok(Self {
            gpu: gpu.clone(),
            elementary: Kernels::new(gpu, ELEMENTARY)?,
            library: Kernels::new(gpu, LIBRARY)?,
            result: Rc::new(memory.words(1)?),
            memory,
            work: GpuWork::default(),
            fault: None,
        })
    }

    /// Returns the work so far.
    pub fn work(&self) -> GpuWork {
        self.work
    }

    /// Returns the first error, after which results are worth nothing; `None` if there was none.
    pub fn fault(&mut self) -> Option<StarGpuError> {
        self.fault.take()
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Checks that the variables of a program fit the memory of the device; `None` is more bits than a number can tell.
    ///
    /// # Errors
    /// They do not: the bytes and the limit.
    pub fn check_memory(&self, bits: Option<u64>) -> Result<(), StarGpuError> {
        let bytes = bits.map_or(u64::MAX, |bits| bits.div_ceil(8));
        if bytes <= self.memory.limit() {
            return Ok(());
        }
        let (limit, device) = (self.memory.limit(), self.gpu.info().name.clone());
        let what = "all that the variables of the program hold".to_owned();
        Err(StarGpuError::Memory { what, bytes, limit, device })
    }

    /// Waits until the device has done all that was asked.
    ///
    /// # Errors
    /// The device is lost.
    pub fn finish(&self) -> Result<(), StarGpuError> {
        Ok(self.gpu.finish()?)
    }

    /// Keeps the first error, for which a value stands that is worth nothing.
    fn value_or<T>(&mut self, result: Result<T, StarGpuError>, none: T) -> T {
        match result {
            Ok(value) => value,
            Err(error) => {
                self.fault.get_or_insert(error);
                none
            }
        }
    }

    /// Launches a kernel with a work-item for each of `items`.
    fn launch(
        &mut self,
        name: &'static str,
        items: usize,
        arguments: &[GpuArgument<'_>],
    ) -> Result<(), StarGpuError> {
        self.launch_groups(name, items, items.clamp(1, ITEMS), arguments)
    }

    /// Launches a kernel with at least `items` work-items in groups of so many.
    fn launch_groups(
        &mut self,
        name: &'static str,
        items: usize,
        group: usize,
        arguments: &[GpuArgument<'_>],
    ) -> Result<(), StarGpuError> {
        let kernel = self.elementary.get(name)?;
        let global = items.max(1).next_multiple_of(group);
        self.gpu.launch_in_order(kernel, [&[global], &[group]], arguments)?;
        self.work.launches += 1;
        Ok(())
    }

    /// Launches a kernel of the library with work-items along one axis or two.
    pub(crate) fn launch_library(
        &mut self,
        name: &'static str,
        [global, local]: [&[usize]; 2],
        arguments: &[GpuArgument<'_>],
    ) -> Result<(), StarGpuError> {
        self.gpu.launch_in_order(self.library.get(name)?, [global, local], arguments)?;
        self.work.launches += 1;
        Ok(())
    }

    /// Returns a word that the device has computed.
    fn read(&mut self, from: &GpuBuffer<u64>, at: usize) -> Result<u64, StarGpuError> {
        let mut word = [0];
        self.gpu.read(from, at, &mut word)?;
        self.work.reads += 1;
        Ok(word[0])
    }

    /// Returns the result of a kernel that has put it in its place.
    fn read_result(&mut self) -> Result<usize, StarGpuError> {
        let result = Rc::clone(&self.result);
        Ok(self.read(result.buffer().ok_or_else(missing)?, 0)? as usize)
    }

    /// Returns bits on the device that a kernel will write.
    pub(crate) fn new_bits(&mut self, length: usize) -> Result<GpuBits, StarGpuError> {
        let words = self.memory.words(words_of(length))?;
        Ok(GpuBits { length, value: Some(Rc::new(Value { words, host: OnceCell::new() })) })
    }

    /// Returns a table on the device that a kernel will write.
    pub(crate) fn raw_table(
        &mut self,
        rows: usize,
        width: usize,
    ) -> Result<GpuTable, StarGpuError> {
        let words = words_of(rows) * width;
        let limit = self.memory.limit().min(self.gpu.info().largest).min(8 << 31);
        if 8 * words as u64 > limit || i32::try_from(words).is_err() {
            return Err(StarGpuError::Memory {
                what: format!("a table of {rows} rows and {width} columns"),
                bytes: 8 * words as u64,
                limit,
                device: self.gpu.info().name.clone(),
            });
        }
        Ok(GpuTable { rows, width, words: Some(Rc::new(self.memory.words(words)?)) })
    }

    /// Makes sure that nobody else holds a table, so that it can be changed.
    pub(crate) fn own(&mut self, table: &mut GpuTable) -> Result<(), StarGpuError> {
        let words = table.words.as_ref().ok_or_else(missing)?;
        if Rc::strong_count(words) == 1 {
            return Ok(());
        }
        let copy = self.raw_table(table.rows, table.width)?;
        let count = table.words() * table.width;
        let arguments =
            [Words(table.buffer()?), Int(0), Words(copy.buffer()?), Int(0), Int(count as i32)];
        self.launch("copy", count, &arguments)?;
        *table = copy;
        Ok(())
    }

    /// Brings a table to the device.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn try_load_table(&mut self, table: &BitTable) -> Result<GpuTable, StarGpuError> {
        let made = self.raw_table(table.rows(), table.width())?;
        let words: Vec<u64> =
            table.columns().iter().flat_map(|column| column.words()).copied().collect();
        self.gpu.write(made.buffer()?, 0, &words)?;
        Ok(made)
    }

    /// Brings bits to the device.
    fn try_load(&mut self, bits: &BitVector) -> Result<GpuBits, StarGpuError> {
        let made = self.new_bits(bits.len())?;
        self.gpu.write(made.buffer()?, 0, bits.words())?;
        if let Some(value) = &made.value {
            let _ = value.host.set(bits.clone());
        }
        Ok(made)
    }

    /// Brings bits back from the device, once for each value.
    fn try_store(&mut self, bits: &GpuBits) -> Result<BitVector, StarGpuError> {
        let value = bits.value.as_ref().ok_or_else(missing)?;
        if let Some(host) = value.host.get() {
            return Ok(host.clone());
        }
        let mut words = vec![0; bits.words()];
        self.gpu.read(bits.buffer()?, 0, &mut words)?;
        self.work.reads += 1;
        Ok(value.host.get_or_init(|| BitVector::from_words(bits.length, words)).clone())
    }

    fn try_store_table(&mut self, table: &GpuTable) -> Result<BitTable, StarGpuError> {
        let mut words = vec![0; table.words() * table.width];
        self.gpu.read(table.buffer()?, 0, &mut words)?;
        self.work.reads += 1;
        let mut all = BitTable::zeros(table.rows, table.width);
        for (at, column) in words.chunks(table.words().max(1)).enumerate() {
            all.put_column(at + 1, BitVector::from_words(table.rows, column.to_vec()));
        }
        Ok(all)
    }
}
