//! Kanata 0004, which Konata shows: every bundle is an instruction, lane 0 its stages, lane 1 the cycles that it
//! holds the ones behind it. Lines stand in the order of time, so what comes later waits in a queue.

use crate::error::TraceError;
use crate::producers::Producers;
use crate::step::{TracedCycle, WindowBegin, WindowEnd};
use crate::stream::Form;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_isa::{BundleAddress, Cycle, Slot};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Lanes: stages of the one operation or of the arithmetic one, stalls, stages of the exchange operation
/// beside an arithmetic one.
const LANE: u8 = 0;
const STALLS: u8 = 1;
const BESIDE: u8 = 2;

/// A line that is due in a later cycle.
#[derive(Debug)]
struct Line {
    id: u64,
    /// Whether the line ends the instruction.
    retires: bool,
    text: String,
}

/// A bundle that holds the ones behind it.
#[derive(Debug)]
struct Stall {
    id: u64,
    /// Line that ends the bundle, if it was due meanwhile.
    retirement: Option<String>,
}

/// A writer of Kanata.
#[derive(Debug)]
pub(crate) struct Kanata {
    values: bool,
    /// Cycle that the lines are in.
    now: Cycle,
    queue: BTreeMap<Cycle, Vec<Line>>,
    /// The identifier of the next instruction in this file.
    next: u64,
    /// Number of bundles that issued since the begin of the kernel that ran at the begin of the window.
    bundles: u64,
    /// Identifier of the latest instruction, unless it has ended.
    latest: Option<u64>,
    stall: Option<Stall>,
    producers: Producers,
}

impl Kanata {
    pub(crate) fn new(values: bool) -> Self {
        Self {
            values,
            now: Cycle::RESET,
            queue: BTreeMap::new(),
            next: 0,
            bundles: 0,
            latest: None,
            stall: None,
            producers: Producers::default(),
        }
    }

    /// Writes the lines that are due up to a cycle, and goes to that cycle.
    fn advance(&mut self, cycle: Cycle, out: &mut Vec<u8>) -> Result<(), TraceError> {
        while let Some(entry) = self.queue.first_entry().filter(|entry| *entry.key() <= cycle) {
            let (due, lines) = entry.remove_entry();
            self.go_to(due, out)?;
            for line in lines {
                match &mut self.stall {
                    Some(stall) if line.retires && stall.id == line.id => {
                        stall.retirement = Some(line.text);
                    }
                    _ => writeln!(out, "{}", line.text)?,
                }
                if line.retires && self.latest == Some(line.id) {
                    self.latest = None;
                }
            }
        }
        self.go_to(cycle, out)
    }

    fn go_to(&mut self, cycle: Cycle, out: &mut Vec<u8>) -> Result<(), TraceError> {
        if cycle > self.now {
            writeln!(out, "C\t{}", cycle - self.now)?;
            self.now = cycle;
        }
        Ok(())
    }

    fn later(&mut self, cycle: Cycle, id: u64, retires: bool, text: String) {
        self.queue.entry(cycle).or_default().push(Line { id, retires, text });
    }

    /// Begins or ends a stall, by whether the latest bundle holds the ones behind it in this cycle.
    fn hold(&mut self, holds: bool, out: &mut Vec<u8>) -> Result<(), TraceError> {
        match (&self.stall, holds, self.latest) {
            (None, true, Some(id)) => {
                writeln!(out, "S\t{id}\t{STALLS}\tstall")?;
                self.stall = Some(Stall { id, retirement: None });
            }
            (Some(stall), false, _) => {
                writeln!(out, "E\t{}\t{STALLS}\tstall", stall.id)?;
                if let Some(line) = &stall.retirement {
                    writeln!(out, "{line}")?;
                }
                self.stall = None;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the stages of an operation. Its operands are read in the cycle behind its issue; `X` ends where its result is
    /// written, so that arrows between `X` and `X` lead from writes to reads. Returns the cycle behind the last.
    fn stages(
        &mut self,
        id: u64,
        lane: u8,
        event: &Event<Cycle>,
        out: &mut Vec<u8>,
    ) -> Result<Cycle, TraceError> {
        let read = event.read_cycle;
        writeln!(out, "S\t{id}\t{lane}\tIs")?;
        self.later(read, id, false, format!("S\t{id}\t{lane}\tX"));
        let (last, stage) = match event.write_cycle.filter(|&write| write > read) {
            Some(write) => {
                self.later(write, id, false, format!("S\t{id}\t{lane}\tWb"));
                (write, "Wb")
            }
            None => (read, "X"),
        };
        self.later(last + 1, id, false, format!("E\t{id}\t{lane}\t{stage}"));
        Ok(last + 1)
    }

    /// Writes a bundle that issues, or that a loop of count 0 skips.
    fn bundle(
        &mut self,
        step: &TracedCycle<'_>,
        address: BundleAddress,
        out: &mut Vec<u8>,
    ) -> Result<(), TraceError> {
        let (id, cycle) = (self.next, step.cycle);
        self.next += 1;
        writeln!(out, "I\t{id}\t{cycle}\t0")?;
        let events: Vec<&Event<Cycle>> =
            step.operations.iter().map(|operation| operation.event).collect();
        let texts: Vec<&str> = events.iter().map(|event| event.text.as_str()).collect();
        let is_nullified = step.usage.is_some_and(|usage| usage.cause == Some(Cause::Nullified));
        let what = match (texts.is_empty(), is_nullified) {
            (_, true) => "(nullified)".to_owned(),
            (true, _) => "(empty)".to_owned(),
            _ => texts.join(" | "),
        };
        let label = step.site.map(|site| site.label_text()).unwrap_or_default();
        let label = if label.is_empty() { label } else { format!(" {label}") };
        writeln!(out, "L\t{id}\t0\t{address}{label}: {what}")?;
        writeln!(out, "L\t{id}\t1\t{}", self.detail(step, &events))?;
        let mut end = cycle + 1;
        if events.is_empty() {
            writeln!(out, "S\t{id}\t{LANE}\tIs")?;
        }
        for event in &events {
            let beside = event.slot == Slot::Exchange && events.len() > 1;
            let lane = if beside { BESIDE } else { LANE };
            end = end.max(self.stages(id, lane, event, out)?);
        }
        for producer in self.producers.of(&events, cycle) {
            writeln!(out, "W\t{id}\t{producer}\t0")?;
        }
        self.producers.add(id, &events);
        let flushed = u8::from(is_nullified);
        self.later(end, id, true, format!("R\t{id}\t{}\t{flushed}", self.bundles));
        self.latest = Some(id);
        Ok(())
    }

    /// Returns the text that Konata shows of a bundle under the pointer; its lines are parted by a backslash and an n.
    fn detail(&self, step: &TracedCycle<'_>, events: &[&Event<Cycle>]) -> String {
        // The two operations of a bundle may come from two lines of the source.
        let sites = step.operations.iter().map(|operation| operation.site);
        let mut places: Vec<String> = sites.chain(step.site).map(|site| site.line_text()).collect();
        places.truncate(step.operations.len().max(1));
        places.retain(|place| !place.is_empty());
        places.dedup();
        let mut lines = vec![format!("issued in cycle {}", step.cycle)];
        lines.extend(places);
        lines.extend(events.iter().map(|event| event.line("", self.values).trim().to_owned()));
        lines.join("\\n")
    }
}

impl Form for Kanata {
    fn begin(&mut self, begin: &WindowBegin<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        self.now = begin.cycle;
        let cp2 = &begin.machine.cp2;
        self.bundles = if cp2.is_running() { cp2.stats().bundles() } else { 0 };
        Ok(write!(out, "Kanata\t0004\nC=\t{}\n", self.now)?)
    }

    fn step(&mut self, step: &TracedCycle<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        let Some(usage) = step.usage else { return Ok(()) };
        self.advance(step.cycle, out)?;
        self.hold(usage.cause == Some(Cause::SyncHold), out)?;
        step.beats.iter().for_each(|moved| self.producers.forget(&moved.beat));
        if let (Some(address), true) = (step.address, step.issues()) {
            let is_bare = matches!(usage.cause, Some(Cause::Empty | Cause::Nullified));
            match step.site.filter(|_| is_bare || !step.operations.is_empty()) {
                Some(_) => self.bundle(step, address, out)?,
                None => self.latest = None,
            }
            self.bundles += u64::from(usage.cause != Some(Cause::Nullified));
        }
        Ok(())
    }

    fn end(&mut self, end: &WindowEnd<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        self.advance(end.cycle, out)?;
        self.hold(false, out)?;
        let last = self.queue.keys().next_back().copied().unwrap_or_default();
        self.advance(last.max(end.cycle), out)
    }
}
