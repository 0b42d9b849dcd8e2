//! Bytes of a recording in memory, for a run that is looked at as soon as it is over.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory that a [`Recorder`](crate::Recorder) writes a recording into. Copies share it: one goes to the recorder, the bytes are taken from
/// the other.
#[derive(Clone, Debug, Default)]
pub struct RecordingInMemory(Arc<Mutex<Vec<u8>>>);

impl RecordingInMemory {
    /// Takes the bytes that have been written so far.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for RecordingInMemory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
