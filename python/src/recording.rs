//! `cp2.Recording`: a recorded run, in any of its cycles.

use crate::errors::{Failure, input, usage};
use crate::guard::detached;
use crate::pictures;
use crate::report::ReportObject;
use crate::table::TableObject;
use crate::values::to_python;
use cp2_analysis::accounting::Account;
use cp2_analysis::program::NamedProgram;
use cp2_analysis::report::{ReportRequest, page};
use cp2_asm::sites::BundleNames;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_isa::{Cycle, MemoryAddress, Section, Slot, Storage, StorageCell};
use cp2_recording::{Leaf, Recording};
use cp2_session::{Engine, Environment, recorded};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most cycles whose events are listed at once; a table of more fills memory.
const MOST: u64 = 1 << 20;

/// A recording that is open, in its current cycle: registers and memories of any cycle, events, what cycles were for.
///
/// ``path`` is that of a file that ``record=`` or ``cp2 run --record`` wrote. The file stays open as long as the object is
/// there. Cycles count from reset.
#[pyclass(frozen, name = "Recording", module = "cp2")]
pub(crate) struct RecordingObject {
    recording: Mutex<Recording>,
    name: String,
}

impl RecordingObject {
    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the recording, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Recording) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let done = work(&mut self.lock());
            done.map_err(|failure| match failure {
                Failure::Told(kind, message) => {
                    Failure::Told(kind, format!("{}: {message}", self.name))
                }
                other => other,
            })
        })
    }
}

/// Returns a range of cycles; what is not given is the begin or the end of the recording.
fn range(
    recording: &Recording,
    (begin, end): (Option<u64>, Option<u64>),
) -> Result<Range<Cycle>, Failure> {
    let (first, last) = (recording.cycles().start().0, recording.cycles().end().0);
    let (begin, end) = (begin.unwrap_or(first), end.unwrap_or(last));
    if begin < first || end > last || begin > end {
        return Err(usage(format!(
            "cycles {begin} to {end}: the recording has cycles {first} to {last}"
        )));
    }
    Ok(Cycle(begin)..Cycle(end))
}

/// Returns the account of a recording, with the names of its programs.
fn account(recording: &mut Recording) -> Result<Account, Failure> {
    let core = *recording.core();
    let names = recorded::by_code(recording).map_err(|e| input(e.to_string()))?;
    let programs: Vec<_> =
        names.iter().map(|names| NamedProgram::new(&names.programs.image, &core)).collect();
    let cycles = names.iter().map(|names| names.cycles.clone());
    let programs: Vec<_> = programs.iter().zip(cycles).collect();
    Ok(Account::of_programs(recording, &programs)?)
}

/// Returns the row of a stretch: begin, end, cycles by cause, operations.
fn stretch(leaf: &Leaf) -> Value {
    let mut row =
        json!({ "begin": leaf.begin.0, "end": leaf.end.0, "flops": leaf.counts.total_flops() });
    for (cause, cycles) in Cause::ALL.iter().zip(leaf.counts.causes) {
        row[cause.name()] = cycles.into();
    }
    for (cause, cycles) in ChannelCause::ALL.iter().zip(leaf.counts.dma.causes) {
        row[format!("dma_{}", cause.name())] = cycles.into();
    }
    row
}

/// Returns the rows of the operations that issued in some cycles.
fn operations(recording: &mut Recording, cycles: Range<Cycle>) -> Result<Vec<Value>, Failure> {
    let core = *recording.core();
    let programs = recorded::throughout(recording, cycles.clone());
    let programs = programs.map_err(|e| input(e.to_string()))?;
    let names = BundleNames::new(&programs.image, &core);
    let window = recording.window(cycles)?;
    let mut rows = Vec::new();
    for cycle in &window.cycles {
        for event in &cycle.operations {
            let site = names.site_of(event.address, event.slot);
            rows.push(json!({
                "cycle": event.cycle.0,
                "address": event.address.0,
                "label": site.label_text(),
                "file": site.file,
                "line": site.file.map(|_| site.line),
                "slot": if event.slot == Slot::Arithmetic { "arithmetic" } else { "exchange" },
                "operation": event.text,
                "sections": event.enabled,
                "read_cycle": event.read_cycle.0,
                "write_cycle": event.write_cycle.map(|cycle| cycle.0),
                "word": event.access.as_ref().map(|access| access.word.0),
                "words": event.access.as_ref().map(|access| access.words),
            }));
        }
    }
    Ok(rows)
}

#[pymethods]
impl RecordingObject {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || {
            let name = path.display().to_string();
            let wrong = |e: &dyn std::fmt::Display| input(format!("{name}: {e}"));
            let file = cp2_files::open_regular(&path).map_err(|e| wrong(&e))?;
            let engine = Environment::new().engine(Engine::default());
            let recording = Recording::open(file, engine).map_err(|e| wrong(&e))?;
            Ok(Self { recording: Mutex::new(recording), name })
        })
    }

    /// First cycle of the recording, and the cycle after its last one, counted from reset.
    #[getter]
    fn cycles(&self) -> (u64, u64) {
        let recording = self.lock();
        (recording.cycles().start().0, recording.cycles().end().0)
    }

    /// Whether the recording has its end; if not, it goes up to its last checkpoint.
    #[getter]
    fn is_whole(&self) -> bool {
        self.lock().is_whole()
    }

    /// Current cycle, counted from reset.
    #[getter]
    fn cycle(&self) -> u64 {
        self.lock().cycle().0
    }

    /// Goes to a cycle, and returns the one that is reached: an earlier one where nothing is between two cycles.
    fn seek(&self, py: Python<'_>, cycle: u64) -> PyResult<u64> {
        self.with(py, |recording| {
            range(recording, (Some(cycle), None))?;
            Ok(recording.seek(Cycle(cycle))?.0)
        })
    }

    /// Returns the value of a register in the current cycle, as an unsigned number; `section` is that of an FPR.
    #[pyo3(signature = (name, section=0))]
    fn value(&self, name: &str, section: u8) -> PyResult<u64> {
        let recording = self.lock();
        let found = Storage::from_name(name).and_then(|(storage, number)| {
            let section = Section::ALL.into_iter().find(|s| s.index() == usize::from(section))?;
            recording.state().get(StorageCell { storage, number, section })
        });
        found.ok_or_else(|| {
            let message = format!("there is no register `{name}` in section {section}; registers are f0, g0, a0 and so on");
            PyKeyError::new_err(message)
        })
    }

    /// Returns local memory in the current cycle: uint64, shape (sections, words).
    fn local_memory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let words: Vec<[u64; 4]> = self.lock().state().lmem.to_vec();
        let columns = words.len();
        let flat = (0..4).flat_map(|section| words.iter().map(move |word| word[section]));
        PyArray1::from_vec(py, flat.collect()).reshape([4, columns])
    }

    /// Returns bytes of system memory in the current cycle.
    fn memory<'py>(
        &self,
        py: Python<'py>,
        address: u64,
        count: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |recording| {
            let size = recording.memory_size().0;
            let end = address.checked_add(count as u64).filter(|&end| end <= size);
            end.ok_or_else(|| {
                usage(format!("{count} bytes from {address}: system memory has {size}"))
            })?;
            let mut bytes = vec![0; count];
            recording.memory(MemoryAddress(address), &mut bytes)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns registers and memories in the current cycle, in the form of state files.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let recording = self.lock();
        let (cp2, cycle) = (recording.cp2(), recording.cycle().0);
        let state = cp2.state.to_json(cp2.status(), cycle);
        drop(recording);
        to_python(py, &state)
    }

    /// Returns the operations that issued in some cycles, a row each.
    #[pyo3(signature = (begin=None, end=None))]
    fn events(
        &self,
        py: Python<'_>,
        begin: Option<u64>,
        end: Option<u64>,
    ) -> PyResult<TableObject> {
        self.with(py, |recording| {
            let cycles = range(recording, (begin, end))?;
            let count = cycles.end - cycles.start;
            if count > MOST {
                return Err(usage(format!(
                    "{count} cycles are too many for a table of events: {MOST} at once"
                )));
            }
            Ok(TableObject::of_rows("operations", &operations(recording, cycles)?))
        })
    }

    /// Returns what the cycles were for, in about so many stretches, a row each.
    #[pyo3(signature = (stretches=512, begin=None, end=None))]
    fn counts(
        &self,
        py: Python<'_>,
        stretches: usize,
        begin: Option<u64>,
        end: Option<u64>,
    ) -> PyResult<TableObject> {
        self.with(py, |recording| {
            if !(1..=65536).contains(&stretches) {
                return Err(usage(format!("stretches={stretches}: from 1 to 65536")));
            }
            let cycles = range(recording, (begin, end))?;
            let leaves = recording.counts(cycles, stretches)?;
            Ok(TableObject::of_rows("stretches", &leaves.iter().map(stretch).collect::<Vec<_>>()))
        })
    }

    /// Returns the account of all cycles: causes, lines, loops, roofline. Its picture shows the causes over time.
    fn account(&self, py: Python<'_>) -> PyResult<ReportObject> {
        self.with(py, |recording| {
            let account = account(recording)?;
            let all = *recording.cycles().start()..*recording.cycles().end();
            let svg = pictures::causes(&recording.counts(all, 200)?);
            let title = (format!("account of {}", self.name), "profile.lines");
            Ok(ReportObject::new(title, &account.to_json(), account.text(&|_, _| None), Some(svg)))
        })
    }

    /// Returns the page of the run in HTML, which needs no other file: summary, timeline, roofline, heat by line.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |recording| {
            let core = *recording.core();
            let names = recorded::by_code(recording).map_err(|e| input(e.to_string()))?;
            let sources = recorded::of(recording).map_err(|e| input(e.to_string()))?.sources;
            let named = names.iter().map(|names| NamedProgram::new(&names.programs.image, &core));
            let named: Vec<_> = named.collect();
            let cycles = names.iter().map(|names| names.cycles.clone());
            let programs: Vec<_> = named.iter().zip(cycles).collect();
            let request = ReportRequest {
                title: self.name.clone(),
                made_by: "cp2 in Python".to_owned(),
                windows: Vec::new(),
            };
            let line = |file: &str, line: u32| {
                let text = sources.text_of(file)?;
                text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
            };
            Ok(page(recording, &programs, &request, &line)?)
        })
    }

    fn __repr__(&self) -> String {
        let (begin, end) = self.cycles();
        format!("<cp2.Recording {}: cycles {begin} to {end}, in {}>", self.name, self.cycle())
    }
}
