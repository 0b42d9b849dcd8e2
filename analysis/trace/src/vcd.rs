//! Value change dump: signals as text.

use crate::clock::Clock;
use crate::error::TraceError;
use crate::select::Selection;
use crate::signals::Signals;
use crate::step::{TracedCycle, WindowBegin, WindowEnd};
use crate::stream::Form;
use cp2_isa::Core;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, Writer};

/// A writer of VCD.
pub(crate) struct Vcd {
    signals: Signals,
    ids: Vec<IdCode>,
    clock: Clock,
    writer: Writer<Vec<u8>>,
    /// Changes of registers that are seen from the next cycle on.
    changes: Vec<(usize, u64)>,
}

impl Vcd {
    pub(crate) fn new(core: &Core, selection: &Selection, clock: Clock) -> Self {
        Self {
            signals: Signals::new(core, selection),
            ids: Vec::new(),
            clock,
            writer: Writer::new(Vec::new()),
            changes: Vec::new(),
        }
    }

    fn header(&mut self) -> std::io::Result<()> {
        let unit = match self.clock.exponent() {
            -9 => TimescaleUnit::NS,
            -12 => TimescaleUnit::PS,
            _ => TimescaleUnit::FS,
        };
        let Self { signals, ids, writer, .. } = self;
        writer.version(concat!("cp2 ", env!("CARGO_PKG_VERSION")))?;
        writer.timescale(1, unit)?;
        writer.add_module("cp2")?;
        let mut open: &[String] = &[];
        for signal in &signals.all {
            let common = open.iter().zip(&signal.scopes).take_while(|(a, b)| a == b).count();
            (common..open.len()).try_for_each(|_| writer.upscope())?;
            signal.scopes[common..].iter().try_for_each(|scope| writer.add_module(scope))?;
            open = &signal.scopes;
            ids.push(writer.add_wire(signal.bits, &signal.name)?);
        }
        open.iter().try_for_each(|_| writer.upscope())?;
        writer.upscope()?;
        writer.enddefinitions()
    }

    fn change(&mut self, k: usize, value: u64) -> std::io::Result<()> {
        let (id, bits) = (self.ids[k], self.signals.all[k].bits);
        let bit = |n: u32| if value >> n & 1 == 1 { Value::V1 } else { Value::V0 };
        match bits {
            1 => self.writer.change_scalar(id, bit(0)),
            // Zeros before the first one are left out.
            _ => {
                let shown = (u64::BITS - value.leading_zeros()).clamp(1, bits);
                self.writer.change_vector(id, (0..shown).rev().map(bit))
            }
        }
    }

    fn write_changes(&mut self) -> std::io::Result<()> {
        std::mem::take(&mut self.changes).into_iter().try_for_each(|(k, v)| self.change(k, v))
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        out.append(self.writer.writer());
    }
}

impl Form for Vcd {
    fn begin(&mut self, begin: &WindowBegin<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        self.header()?;
        self.writer.timestamp(self.clock.time(begin.cycle))?;
        self.writer.begin(SimulationCommand::Dumpvars)?;
        let changes = &mut self.changes;
        self.signals.begin(begin, &mut |k, value| changes.push((k, value)));
        self.write_changes()?;
        self.writer.end()?;
        self.flush(out);
        Ok(())
    }

    fn step(&mut self, step: &TracedCycle<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        let changes = &mut self.changes;
        self.signals.step(step, &mut |k, value| changes.push((k, value)));
        if !self.changes.is_empty() {
            self.writer.timestamp(self.clock.time(step.cycle))?;
            self.write_changes()?;
        }
        let changes = &mut self.changes;
        let state = &step.machine.cp2.state;
        self.signals.registers(state, &mut |k, value| changes.push((k, value)));
        self.flush(out);
        Ok(())
    }

    fn end(&mut self, end: &WindowEnd<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        self.writer.timestamp(self.clock.time(end.cycle))?;
        self.write_changes()?;
        self.flush(out);
        Ok(())
    }
}
