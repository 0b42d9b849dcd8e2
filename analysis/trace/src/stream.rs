//! Forms that are bytes one behind the other, made cycle by cycle, and how many of them there may be.

use crate::error::TraceError;
use crate::step::{Exporter, TracedCycle, WindowBegin, WindowEnd};
use std::io::{BufWriter, Write};

/// The size of a file so far, and its limit, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    size: u64,
    limit: u64,
}

impl Room {
    pub(crate) fn new(limit: u64) -> Self {
        Self { size: 0, limit }
    }

    /// Takes room for so many bytes; false if there is none.
    pub(crate) fn take(&mut self, bytes: u64) -> bool {
        let size = self.size.saturating_add(bytes);
        let fits = size <= self.limit;
        if fits {
            self.size = size;
        }
        fits
    }

    /// Takes room for what is written in any case.
    pub(crate) fn take_anyway(&mut self, bytes: u64) {
        self.size = self.size.saturating_add(bytes);
    }
}

/// A form that is bytes one behind the other.
pub(crate) trait Form {
    /// Writes the bytes before the first cycle.
    fn begin(&mut self, begin: &WindowBegin<'_>, out: &mut Vec<u8>) -> Result<(), TraceError>;
    /// Writes the bytes of a cycle.
    fn step(&mut self, step: &TracedCycle<'_>, out: &mut Vec<u8>) -> Result<(), TraceError>;
    /// Writes the bytes behind the last cycle.
    fn end(&mut self, end: &WindowEnd<'_>, out: &mut Vec<u8>) -> Result<(), TraceError>;
}

/// A writer of a form that is a stream.
pub(crate) struct Stream<W: Write, F> {
    file: BufWriter<W>,
    form: F,
    room: Room,
    /// The bytes of a cycle.
    bytes: Vec<u8>,
}

impl<W: Write, F: Form> Stream<W, F> {
    pub(crate) fn new(out: W, form: F, limit: u64) -> Self {
        let (file, room) = (BufWriter::with_capacity(1 << 16, out), Room::new(limit));
        Self { file, form, room, bytes: Vec::new() }
    }
}

impl<W: Write, F: Form> Exporter<W> for Stream<W, F> {
    fn begin(&mut self, begin: &WindowBegin<'_>) -> Result<(), TraceError> {
        self.bytes.clear();
        self.form.begin(begin, &mut self.bytes)?;
        self.room.take_anyway(self.bytes.len() as u64);
        Ok(self.file.write_all(&self.bytes)?)
    }

    fn step(&mut self, step: &TracedCycle<'_>) -> Result<bool, TraceError> {
        self.bytes.clear();
        self.form.step(step, &mut self.bytes)?;
        let fits = self.room.take(self.bytes.len() as u64);
        if fits {
            self.file.write_all(&self.bytes)?;
        }
        Ok(fits)
    }

    fn finish(mut self: Box<Self>, end: Option<&WindowEnd<'_>>) -> Result<(W, bool), TraceError> {
        self.bytes.clear();
        if let Some(end) = end {
            self.form.end(end, &mut self.bytes)?;
        }
        let fits = self.room.take(self.bytes.len() as u64);
        if fits {
            self.file.write_all(&self.bytes)?;
        }
        let out = self.file.into_inner().map_err(|e| TraceError::Write(e.into_error()))?;
        Ok((out, fits))
    }
}
