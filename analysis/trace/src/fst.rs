//! Fast signal trace: signals, compressed in blocks.

use crate::clock::Clock;
use crate::error::TraceError;
use crate::select::Selection;
use crate::signals::Signals;
use crate::step::{Exporter, TracedCycle, WindowBegin, WindowEnd};
use crate::stream::Room;
use cp2_isa::{Core, Cycle};
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};
use std::io::{BufWriter, Seek, Write};

/// Number of bytes of changes that are kept before they are written as a block.
const BLOCK: usize = 16 << 20;

/// The output of an FST, before the window begins and behind.
enum File<W: Write + Seek> {
    Unused(W),
    Body(Box<FstBodyWriter<BufWriter<W>>>),
    /// No output, after a failure.
    Lost,
}

/// A writer of FST.
pub(crate) struct Fst<W: Write + Seek> {
    file: File<W>,
    signals: Signals,
    ids: Vec<FstSignalId>,
    clock: Clock,
    room: Room,
    /// Changes of registers that are seen from the next cycle on.
    changes: Vec<(usize, u64)>,
}

impl<W: Write + Seek> Fst<W> {
    pub(crate) fn new(
        out: W,
        core: &Core,
        selection: &Selection,
        clock: Clock,
        limit: u64,
    ) -> Self {
        Self {
            file: File::Unused(out),
            signals: Signals::new(core, selection),
            ids: Vec::new(),
            clock,
            room: Room::new(limit),
            changes: Vec::new(),
        }
    }

    fn header(&mut self, out: W) -> Result<FstBodyWriter<BufWriter<W>>, TraceError> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: self.clock.exponent(),
            version: concat!("cp2 ", env!("CARGO_PKG_VERSION")).to_owned(),
            // The file is that of the run, not of the day.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = FstHeaderWriter::new(BufWriter::new(out), &info)?;
        header.scope("cp2", "", FstScopeType::Module)?;
        let mut open: &[String] = &[];
        for signal in &self.signals.all {
            let common = open.iter().zip(&signal.scopes).take_while(|(a, b)| a == b).count();
            (common..open.len()).try_for_each(|_| header.up_scope())?;
            let mut new = signal.scopes[common..].iter();
            new.try_for_each(|scope| header.scope(scope, "", FstScopeType::Module))?;
            open = &signal.scopes;
            let kind = FstSignalType::bit_vec(signal.bits);
            let (wire, way) = (FstVarType::Wire, FstVarDirection::Implicit);
            self.ids.push(header.var(&signal.name, kind, wire, way, None)?);
        }
        open.iter().try_for_each(|_| header.up_scope())?;
        header.up_scope()?;
        Ok(header.finish()?)
    }

    /// Writes the changes that are due at the begin of a cycle.
    fn write_changes(&mut self, cycle: Cycle) -> Result<(), TraceError> {
        let File::Body(body) = &mut self.file else { return Ok(()) };
        if body.size() > BLOCK {
            body.flush()?;
        }
        body.time_change(self.clock.time(cycle))?;
        for (k, value) in std::mem::take(&mut self.changes) {
            let bits = self.signals.all[k].bits;
            let digit = |n: u32| if value >> n & 1 == 1 { b'1' } else { b'0' };
            let digits: Vec<u8> = (0..bits).rev().map(digit).collect();
            body.signal_change(self.ids[k], &digits)?;
        }
        Ok(())
    }

    /// Returns the number of bytes of the changes before they are encoded.
    fn size(&self) -> u64 {
        let of_signal =
            |&(k, _): &(usize, u64)| u64::from(self.signals.all[k].bits).div_ceil(8) + 4;
        self.changes.iter().map(of_signal).sum()
    }
}

impl<W: Write + Seek> Exporter<W> for Fst<W> {
    fn begin(&mut self, begin: &WindowBegin<'_>) -> Result<(), TraceError> {
        if let File::Unused(out) = std::mem::replace(&mut self.file, File::Lost) {
            self.file = File::Body(Box::new(self.header(out)?));
        }
        let changes = &mut self.changes;
        self.signals.begin(begin, &mut |k, value| changes.push((k, value)));
        self.room.take_anyway(self.size());
        self.write_changes(begin.cycle)
    }

    fn step(&mut self, step: &TracedCycle<'_>) -> Result<bool, TraceError> {
        let changes = &mut self.changes;
        self.signals.step(step, &mut |k, value| changes.push((k, value)));
        if !self.room.take(self.size()) {
            return Ok(false);
        }
        if !self.changes.is_empty() {
            self.write_changes(step.cycle)?;
        }
        let changes = &mut self.changes;
        let state = &step.machine.cp2.state;
        self.signals.registers(state, &mut |k, value| changes.push((k, value)));
        Ok(true)
    }

    fn finish(mut self: Box<Self>, end: Option<&WindowEnd<'_>>) -> Result<(W, bool), TraceError> {
        let fits = end.is_none() || self.room.take(self.size());
        if let Some(end) = end.filter(|_| fits) {
            self.write_changes(end.cycle)?;
        }
        match self.file {
            File::Body(body) => {
                let out = body.finish()?.into_inner();
                out.map(|out| (out, fits)).map_err(|e| TraceError::Write(e.into_error()))
            }
            File::Unused(out) => Ok((out, fits)),
            File::Lost => Err(TraceError::Form("its beginning could not be written".to_owned())),
        }
    }
}
