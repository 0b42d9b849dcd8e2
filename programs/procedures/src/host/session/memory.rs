//! System memory as a host sees it: arrays, numbers in them, queues of descriptors. None of the calls takes cycles.

use super::{Host, Queue, channel};
use crate::host::replay::Replay;
use cp2_emu::dma::{self, Descriptor};
use cp2_emu::machine::Action;
use cp2_isa::{Bytes, MemoryAddress};
use cp2_session::cost::Traffic;
use cp2_session::cost::timeline::DmaActivity;
use cp2_session::error::KernelError;
use num_complex::Complex32;
use std::hash::Hasher as _;
use std::ops::Range;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Alignment of arrays in bytes: a row of the memory of the machines that exist.
pub(crate) const ARRAY_ALIGNMENT: u64 = 8192;
/// Most numbers that are converted at once.
const PART: usize = 4096;
/// Bytes of a descriptor.
pub(super) const DESCRIPTOR: Bytes = Bytes(64);

/// Returns the bytes of a complex number in system memory.
fn bytes_of(x: Complex32) -> [u8; 8] {
    (u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())).to_be_bytes()
}

fn complex_of(bytes: [u8; 8]) -> Complex32 {
    let bits = u64::from_be_bytes(bytes);
    Complex32::new(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
}

/// Returns the bytes of all values, one after the other.
fn bytes_of_all<T: Copy>(values: &[T], bytes_of: impl Fn(T) -> [u8; 8]) -> Vec<u8> {
    values.iter().map(|&value| bytes_of(value)).collect::<Vec<_>>().into_flattened()
}

impl Host {
    /// Allocates an array of `bytes` bytes in system memory and returns the address of its first byte, a multiple of
    /// 8192.
    ///
    /// # Errors
    /// The free system memory is too small.
    pub fn allocate(&mut self, bytes: Bytes) -> Result<MemoryAddress, KernelError> {
        let address = self.free.next_multiple_of(ARRAY_ALIGNMENT);
        let size = self.machine.memory.size();
        match address.checked_add(bytes) {
            Some(end) if end <= MemoryAddress::FIRST + size => {
                self.free = end;
                self.machine.memory.expect(address..end);
                Ok(address)
            }
            _ => {
                Err(KernelError::Memory { needed: Bytes(address.0.saturating_add(bytes.0)), size })
            }
        }
    }

    /// Lets another thread of the native machine prepare large arrays for their first write, while this one does something
    /// else.
    pub(crate) fn make_arrays_ahead(&self) {
        self.machine.memory.prefault();
    }

    /// Returns the first address of free system memory, behind all arrays, as a mark that [`Host::free_from`] takes
    /// later.
    pub fn allocated(&self) -> MemoryAddress {
        self.free
    }

    /// Frees all system memory from the address `mark` on: what was allocated since [`Host::allocated`] returned it.
    pub fn free_from(&mut self, mark: MemoryAddress) {
        self.free = self.free.min(mark);
    }

    /// Writes complex numbers to system memory from `address` on, 8 bytes each with the real part first. The write
    /// takes no cycles of the machine.
    ///
    /// # Errors
    /// The numbers reach beyond system memory; then nothing is written.
    pub fn write(
        &mut self,
        address: MemoryAddress,
        values: &[Complex32],
    ) -> Result<(), KernelError> {
        self.write_all(address, values.len(), |words| bytes_of_all(&values[words], bytes_of))
    }

    /// Writes words of 64 bits to system memory from `address` on, each with its highest byte first. The write takes no
    /// cycles.
    ///
    /// # Errors
    /// The words reach beyond system memory; then nothing is written.
    pub fn write_words(
        &mut self,
        address: MemoryAddress,
        words: &[u64],
    ) -> Result<(), KernelError> {
        self.write_all(address, words.len(), |part| bytes_of_all(&words[part], u64::to_be_bytes))
    }

    /// Writes `count` words, each part by a call of its own.
    fn write_all(
        &mut self,
        address: MemoryAddress,
        count: usize,
        bytes: impl Fn(Range<usize>) -> Vec<u8>,
    ) -> Result<(), KernelError> {
        self.machine.memory.check(address, count * 8).map_err(channel)?;
        for first in (0..count).step_by(PART) {
            let at = address.plus_words(first);
            let bytes = bytes(first..count.min(first + PART));
            let all = |digest: &mut XxHash64| {
                digest.write_u64(at.0);
                digest.write(&bytes);
            };
            if !self.is_past("write", all)? {
                self.machine.act(Action::WriteMemory(at, bytes.into())).map_err(channel)?;
            }
        }
        Ok(())
    }

    /// Reads `count` complex numbers from system memory, from `address` on. The read takes no cycles.
    ///
    /// # Errors
    /// The numbers reach beyond system memory.
    pub fn read(
        &self,
        address: MemoryAddress,
        count: usize,
    ) -> Result<Vec<Complex32>, KernelError> {
        let mut values = Vec::with_capacity(count);
        self.read_all(address, count, |words| {
            values.extend(words.iter().map(|&word| complex_of(word)));
        })?;
        Ok(values)
    }

    /// Writes words to the local memory of a section, from word 0 on, as no host can do.
    #[cfg(test)]
    pub(crate) fn write_local(&mut self, section: usize, words: Vec<u64>) {
        let action = Action::WriteWords(cp2_isa::WordAddress(0), Some(section as u8), words.into());
        assert!(self.machine.act(action).is_ok(), "the words fit");
    }

    /// Reads `count` words of 64 bits from system memory, from `address` on, as [`Host::write_words`] writes them. The
    /// read takes no cycles.
    ///
    /// # Errors
    /// The words reach beyond system memory.
    pub fn read_words(
        &self,
        address: MemoryAddress,
        count: usize,
    ) -> Result<Vec<u64>, KernelError> {
        let mut values = Vec::with_capacity(count);
        self.read_all(address, count, |words| {
            values.extend(words.iter().map(|&word| u64::from_be_bytes(word)));
        })?;
        Ok(values)
    }

    /// Reads `count` words and gives them to `take`, part by part.
    fn read_all(
        &self,
        address: MemoryAddress,
        count: usize,
        mut take: impl FnMut(&[[u8; 8]]),
    ) -> Result<(), KernelError> {
        self.machine.memory.check(address, count * 8).map_err(channel)?;
        if let Some(replay) = &self.replay
            && let Some(words) = replay.read_before(count)?
        {
            take(&words);
            return Ok(());
        }
        let mut words = vec![[0; 8]; count.min(PART)];
        let mut keeping = self.replay.as_ref().and_then(Replay::keeping);
        for first in (0..count).step_by(PART) {
            let part = &mut words[..(count - first).min(PART)];
            let at = address.plus_words(first);
            self.machine.memory.read(at, part.as_flattened_mut()).map_err(channel)?;
            take(part);
            if let Some(kept) = &mut keeping {
                kept.extend_from_slice(part);
            }
        }
        if let (Some(replay), Some(kept)) = (&self.replay, keeping) {
            replay.keep(kept);
        }
        Ok(())
    }

    /// Writes numbers of single precision to system memory from `address` on, two in a word of 64 bits, the first in
    /// the high half; an odd one at the end stands beside a zero. The write takes no cycles.
    ///
    /// # Errors
    /// The numbers reach beyond system memory; then nothing is written.
    pub fn write_floats(
        &mut self,
        address: MemoryAddress,
        values: &[f32],
    ) -> Result<(), KernelError> {
        self.write_all(address, values.len().div_ceil(2), |words| {
            let values = &values[2 * words.start..values.len().min(2 * words.end)];
            let floats: Vec<_> = values.iter().map(|value| value.to_be_bytes()).collect();
            let mut bytes = floats.into_flattened();
            bytes.resize(8 * words.len(), 0);
            bytes
        })
    }

    /// Reads `count` numbers of single precision from system memory, from `address` on, as [`Host::write_floats`]
    /// writes them. The read takes no cycles.
    ///
    /// # Errors
    /// The numbers reach beyond system memory.
    pub fn read_floats(
        &self,
        address: MemoryAddress,
        count: usize,
    ) -> Result<Vec<f32>, KernelError> {
        let mut floats = Vec::with_capacity(count.next_multiple_of(2));
        self.read_all(address, count.div_ceil(2), |words| {
            let bytes = words.as_flattened().as_chunks().0;
            floats.extend(bytes.iter().map(|&float| f32::from_be_bytes(float)));
        })?;
        floats.truncate(count);
        Ok(floats)
    }

    /// Writes a queue of descriptors of the DMA channel, which the channel goes through at one start, to newly
    /// allocated system memory, and makes it the one that [`Host::start_queue`] starts. The write takes no cycles.
    ///
    /// # Errors
    /// A descriptor cannot be encoded, or system memory does not hold the queue.
    pub fn set_queue<'d>(
        &mut self,
        descriptors: impl IntoIterator<Item = &'d Descriptor>,
    ) -> Result<(), KernelError> {
        self.queue = self.write_queue(descriptors)?;
        Ok(())
    }

    /// Writes a queue to system memory for later; [`Host::choose_queue`] selects it.
    pub(crate) fn write_queue<'d>(
        &mut self,
        descriptors: impl IntoIterator<Item = &'d Descriptor>,
    ) -> Result<Queue, KernelError> {
        let descriptors: Vec<_> = descriptors.into_iter().collect();
        let at = self.allocate(DESCRIPTOR * descriptors.len())?;
        let activity = |d: &&Descriptor| match d.action {
            dma::DescriptorAction::Get(_)
            | dma::DescriptorAction::GetWords(_)
            | dma::DescriptorAction::Gather(_) => DmaActivity::Load,
            dma::DescriptorAction::Put(_)
            | dma::DescriptorAction::PutWords(_)
            | dma::DescriptorAction::Copy(_) => DmaActivity::Unload,
            dma::DescriptorAction::Jump(_) => DmaActivity::SetUp,
        };
        let activities = descriptors.iter().map(activity).collect();
        let traffic = Traffic::of(descriptors.iter().copied(), &self.machine().memory);
        let queue = Queue { at, activities, traffic: Arc::new(traffic) };
        let mut words = Vec::with_capacity(descriptors.len());
        for descriptor in descriptors {
            words.push(descriptor.encode().map_err(channel)?);
        }
        self.write_words(at, words.as_flattened())?;
        Ok(queue)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::MachineConfig;
    use cp2_session::execution::Execution;

    #[test]
    fn an_array_that_reaches_past_the_end_of_memory_changes_nothing() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        config.apply_set("memory.size_mib=1").unwrap();
        let mut host = Host::new(config, &Execution::default());
        let end = MemoryAddress(1 << 20);
        // The values are written in several parts, of which the last one does not fit.
        let values: Vec<_> = (0..3 * PART).map(|k| Complex32::new(k as f32, -1.0)).collect();
        let address = MemoryAddress(end.0 - 8 * values.len() as u64 + 8);
        let error = host.write(address, &values).unwrap_err().to_string();
        assert!(error.contains("98304 bytes at address 0xe8008"), "{error}");
        assert_eq!(host.machine().memory.word(address), Ok(0));
        assert!(host.read(address, values.len()).is_err());
        host.write(MemoryAddress(address.0 - 8), &values).unwrap();
        assert_eq!(host.read(MemoryAddress(address.0 - 8), values.len()).unwrap(), values);
    }
}
