//! The table of operations that issued in some cycles of a recording. Its columns are made as the cycles are simulated again.

use crate::errors::{Failure, input};
use crate::guard::Looks;
use crate::table::TableObject;
use arrow_array::ArrayRef;
use arrow_array::builder::{ArrayBuilder as _, Int64Builder, StringBuilder};
use cp2_asm::sites::BundleNames;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Bundle, BundleAddress, Cycle, Slot};
use cp2_recording::Recording;
use cp2_session::recorded;
use pyo3::PyErr;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Cycles between two looks for Ctrl-C.
const PART: u64 = 1 << 10;

/// Returns the table of the operations that issued in some cycles.
pub(crate) fn table(
    recording: &mut Recording,
    cycles: Range<Cycle>,
) -> Result<TableObject, Failure> {
    let core = *recording.core();
    let programs = recorded::throughout(recording, cycles.clone());
    let programs = programs.map_err(|e| input(e.to_string()))?;
    let names = BundleNames::new(&programs.image, &core);
    let mut watcher = Watcher {
        names: &names,
        columns: Columns::default(),
        known: HashMap::new(),
        pending: Vec::new(),
        looks: Looks::new(),
        raised: None,
    };
    let watched = recording.watch(cycles, &mut watcher);
    if let Some(error) = watcher.raised {
        return Err(error.into());
    }
    watched?;
    Ok(watcher.columns.finished())
}

/// Facts of an operation that are the same whenever it issues: its bundle, its place in the sources, its text.
struct Known {
    bundle: Bundle,
    label: String,
    file: Option<String>,
    line: Option<i64>,
    text: String,
}

/// Observer that makes a row of each operation.
struct Watcher<'a> {
    names: &'a BundleNames<'a>,
    columns: Columns,
    known: HashMap<(BundleAddress, Slot), Known>,
    /// Cycles of reading and writing of the operations of the present cycle, counted from their issue.
    pending: Vec<(i64, Option<i64>)>,
    looks: Looks,
    raised: Option<PyErr>,
}

impl Watcher<'_> {
    fn made(names: &BundleNames<'_>, event: &Event) -> Known {
        let site = names.site_of(event.address, event.slot);
        let text = match event.slot {
            Slot::Arithmetic => event.bundle.arith.to_string(),
            Slot::Exchange => event.bundle.exch.to_string(),
        };
        let (file, line) = (site.file.map(str::to_owned), site.file.map(|_| site.line.into()));
        Known { bundle: event.bundle, label: site.label_text(), file, line, text }
    }
}

impl Observer for Watcher<'_> {
    fn wants(&self) -> Wants {
        Wants::UNNAMED | Wants::CYCLES
    }

    fn operation(&mut self, event: &Event) {
        let made = || Self::made(self.names, event);
        let known = self.known.entry((event.address, event.slot)).or_insert_with(made);
        // Another program may have come to the same address.
        if known.bundle != event.bundle {
            *known = made();
        }
        self.columns.add(known, event);
        let since = |moment| number(moment - event.cycle);
        self.pending.push((since(event.read_cycle), event.write_cycle.map(since)));
    }

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        let cycle = number(past.number.0);
        for (read, write) in self.pending.drain(..) {
            self.columns.cycle.append_value(cycle);
            self.columns.read_cycle.append_value(cycle + read);
            self.columns.write_cycle.append_option(write.map(|write| cycle + write));
        }
        if past.number.0.is_multiple_of(PART) {
            self.raised = self.looks.look();
        }
        if self.raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Columns of a table of operations under construction.
#[derive(Default)]
struct Columns {
    cycle: Int64Builder,
    address: Int64Builder,
    label: StringBuilder,
    file: StringBuilder,
    line: Int64Builder,
    slot: StringBuilder,
    operation: StringBuilder,
    sections: Int64Builder,
    read_cycle: Int64Builder,
    write_cycle: Int64Builder,
    word: Int64Builder,
    words: Int64Builder,
}

impl Columns {
    /// Adds the row of an operation, but for its cycles.
    fn add(&mut self, known: &Known, event: &Event) {
        let is_arithmetic = event.slot == Slot::Arithmetic;
        let access = event.access.as_ref();
        self.address.append_value(event.address.index() as i64);
        self.label.append_value(&known.label);
        self.file.append_option(known.file.as_deref());
        self.line.append_option(known.line);
        self.slot.append_value(if is_arithmetic { "arithmetic" } else { "exchange" });
        self.operation.append_value(&known.text);
        self.sections.append_value(event.enabled.into());
        self.word.append_option(access.map(|access| i64::from(access.word.0)));
        self.words.append_option(access.map(|access| i64::from(access.words)));
    }

    /// Returns the table; an operation whose cycle did not come to its end has no row.
    fn finished(mut self) -> TableObject {
        let rows = self.cycle.len();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("cycle", Arc::new(self.cycle.finish())),
            ("address", Arc::new(self.address.finish())),
            ("label", Arc::new(self.label.finish())),
            ("file", Arc::new(self.file.finish())),
            ("line", Arc::new(self.line.finish())),
            ("slot", Arc::new(self.slot.finish())),
            ("operation", Arc::new(self.operation.finish())),
            ("sections", Arc::new(self.sections.finish())),
            ("read_cycle", Arc::new(self.read_cycle.finish())),
            ("write_cycle", Arc::new(self.write_cycle.finish())),
            ("word", Arc::new(self.word.finish())),
            ("words", Arc::new(self.words.finish())),
        ];
        let cut = columns.into_iter().map(|(name, array)| (name, array.slice(0, rows)));
        TableObject::of_arrays("operations", cut.collect())
    }
}
