//! `cp2.Recording`: a recorded run, in any of its cycles.

mod events;

use crate::errors::{Failure, input, usage};
use crate::guard::{Looks, detached};
use crate::pictures;
use crate::report::ReportObject;
use crate::table::TableObject;
use crate::values::to_python;
use cp2_analysis::accounting::Account;
use cp2_analysis::program::NamedProgram;
use cp2_analysis::report::{ReportRequest, page};
use cp2_emu::dma::{Beat, ChannelCause};
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_isa::{Cycle, MemoryAddress, Section, Storage, StorageCell};
use cp2_recording::{Leaf, Recording};
use cp2_session::{Engine, Environment, recorded};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most cycles whose events are listed at once; a table of more fills memory.
const MOST: u64 = 1 << 20;

/// A recording that is open, in its current cycle: registers and memories of any cycle, events, what cycles were for.
///
/// ``path`` is that of a file that ``record=`` or ``cp2 run --record`` wrote. The file stays open as long as the object is
/// there, or until the end of a ``with`` statement. Cycles count from reset.
#[pyclass(frozen, name = "Recording", module = "cp2")]
pub(crate) struct RecordingObject {
    /// The recording; nothing once it is closed.
    recording: Mutex<Option<Recording>>,
    name: String,
}

impl RecordingObject {
    /// Locks the recording. Whoever holds the lock may wait for the interpreter's, so this is called without that one.
    fn lock(&self) -> MutexGuard<'_, Option<Recording>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the recording, without the interpreter's lock; Ctrl-C ends it.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Recording) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let mut open = self.lock();
            let closed = || usage(format!("{}: the recording is closed", self.name));
            let recording = open.as_mut().ok_or_else(closed)?;
            let (raised, mut looks) = (Arc::new(Mutex::new(None)), Looks::new());
            let signal = raised.clone();
            recording.on_progress(move |_| match looks.look() {
                Some(error) => {
                    signal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            });
            let done = work(recording);
            recording.on_progress(|_| ControlFlow::Continue(()));
            if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(Failure::Raised(error));
            }
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

/// Returns a range of cycles that are not too many to be listed.
fn few(recording: &Recording, given: (Option<u64>, Option<u64>)) -> Result<Range<Cycle>, Failure> {
    let cycles = range(recording, given)?;
    match cycles.end - cycles.start {
        0..=MOST => Ok(cycles),
        count => {
            Err(usage(format!("{count} cycles are too many for a table of events: {MOST} at once")))
        }
    }
}

/// Returns the row of a beat of the channel.
fn beat(beat: &Beat) -> Value {
    json!({
        "cycle": beat.cycle.0,
        "direction": if beat.direction == Direction::Get { "get" } else { "put" },
        "address": beat.address.0,
        "bytes": beat.bytes,
        "word": beat.local.map(|word| word.0),
        "sections": beat.sections,
        "conflicts": beat.conflicts,
    })
}

/// Returns the account of a recording, with the names of its programs.
fn account(recording: &mut Recording) -> Result<Account, Failure> {
    let core = *recording.core();
    let names = recorded::by_code(recording).map_err(|e| input(e.to_string()))?;
    let programs: Vec<_> = names
        .iter()
        .map(|names| {
            NamedProgram::new(&names.programs.image, &core).with_sources(&names.programs.sources)
        })
        .collect();
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
            Ok(Self { recording: Mutex::new(Some(recording)), name })
        })
    }

    /// Closes the file; nothing can be read any more. A ``with`` statement does that at its end.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.lock().take());
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.close(py);
    }

    /// First cycle of the recording, and the cycle after its last one, counted from reset.
    #[getter]
    fn cycles(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.with(py, |recording| Ok((recording.cycles().start().0, recording.cycles().end().0)))
    }

    /// Whether the recording has its end; if not, it goes up to its last checkpoint.
    #[getter]
    fn is_whole(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |recording| Ok(recording.is_whole()))
    }

    /// Current cycle, counted from reset.
    #[getter]
    fn cycle(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |recording| Ok(recording.cycle().0))
    }

    /// Goes to a cycle, and returns the one that is reached: an earlier one where nothing is between two cycles.
    fn seek(&self, py: Python<'_>, cycle: i128) -> PyResult<u64> {
        self.with(py, |recording| {
            let (first, last) = (recording.cycles().start().0, recording.cycles().end().0);
            let known = u64::try_from(cycle).ok().filter(|cycle| (first..=last).contains(cycle));
            let beyond =
                || usage(format!("cycle {cycle}: the recording has cycles {first} to {last}"));
            Ok(recording.seek(Cycle(known.ok_or_else(beyond)?))?.0)
        })
    }

    /// Returns the value of a register in the current cycle, as an unsigned number; ``section`` is that of an FPR.
    #[pyo3(signature = (name, section=0))]
    fn value(&self, py: Python<'_>, name: &str, section: i64) -> PyResult<u64> {
        let place = Storage::from_name(name).and_then(|(storage, number)| {
            let section =
                Section::ALL.into_iter().find(|s| Ok(s.index()) == usize::try_from(section))?;
            Some(StorageCell { storage, number, section })
        });
        let found =
            self.with(py, |recording| Ok(place.and_then(|at| recording.state().get(at))))?;
        found.ok_or_else(|| {
            let message = format!("there is no register `{name}` in section {section}; registers are f0, g0, a0 and so on");
            PyKeyError::new_err(message)
        })
    }

    /// Returns local memory in the current cycle: uint64, shape (sections, words).
    fn local_memory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let words = self.with(py, |recording| Ok(recording.state().lmem.to_vec()))?;
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
        let state = self.with(py, |recording| {
            let (cp2, cycle) = (recording.cp2(), recording.cycle().0);
            Ok(cp2.state.to_json(cp2.status(), cycle))
        })?;
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
            let cycles = few(recording, (begin, end))?;
            events::table(recording, cycles)
        })
    }

    /// Returns the beats that the DMA channel moved in some cycles, a row each: cycle, direction (``get`` from system memory,
    /// ``put`` to it), address and bytes there, first word of local memory, sections as bits, cycles of waiting for a bank.
    #[pyo3(signature = (begin=None, end=None))]
    fn beats(&self, py: Python<'_>, begin: Option<u64>, end: Option<u64>) -> PyResult<TableObject> {
        self.with(py, |recording| {
            let cycles = few(recording, (begin, end))?;
            let beats = recording.window(cycles)?.beats;
            Ok(TableObject::of_rows("beats", &beats.iter().map(beat).collect::<Vec<_>>()))
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
            let file = Path::new(&self.name).file_name().unwrap_or_default().to_string_lossy();
            let title = format!("What the cycles of {file} were for");
            let svg = pictures::causes(&title, &recording.counts(all, 200)?);
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
            let named = names.iter().map(|names| {
                NamedProgram::new(&names.programs.image, &core)
                    .with_sources(&names.programs.sources)
            });
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

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        if py.detach(|| self.lock().is_none()) {
            return Ok(format!("<cp2.Recording {}: closed>", self.name));
        }
        let ((begin, end), cycle) = (self.cycles(py)?, self.cycle(py)?);
        Ok(format!("<cp2.Recording {}: cycles {begin} to {end}, in {cycle}>", self.name))
    }
}
