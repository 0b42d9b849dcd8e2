//! The critical path of a recorded run: the way from its end back to its begin over what each step waited for, an
//! operation for a result or for its slot, a kernel for the channel or the host. The edges of the path follow each other
//! without a gap, so their lengths add up to the cycles of the run.
//!
//! A long run is cut into pieces. A piece that ran the same bundles equally often as one that was walked before has the
//! same path, so that only few of the cycles have to be walked.

mod json;
mod kind;
mod text;
mod walk;

pub use json::{ShorterRun, schema};
pub use kind::PathKind;
pub use walk::PathEdge;

use crate::history::Issued;
use crate::program::OperationNames;
use crate::words::NamedPosition;
use cp2_emu::dma::ChannelCause;
use cp2_isa::{Cycle, Slot};
use cp2_recording::{KernelPiece, Recording, RecordingError, RunPiece};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use walk::{Stand, WalkedCycles, Walker};

/// Number of cycles of a piece of a kernel.
const PIECE: u64 = 1 << 12;

/// Whether equal pieces of a run are walked once or each by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathReach {
    /// Pieces that ran the same bundles equally often, from the same one on, are walked once.
    #[default]
    UnequalPieces,
    /// All cycles of kernels are walked, which takes about a second for a million.
    EveryCycle,
}

/// The sum of some edges of a path: their cycles, and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathSum {
    /// Sum of the lengths of the edges, in cycles.
    pub cycles: u64,
    /// Number of the edges: the cycles by which the run becomes shorter at most if each is one cycle shorter.
    pub edges: u64,
}

impl PathSum {
    fn add(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.edges += other.edges;
    }
}

/// The critical path of a run, as sums over its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// Cycles of the run, counted from reset; the edges of the path cover each of them once.
    pub cycles: Range<Cycle>,
    /// Sums by kind of edge, of those kinds that the path has, in the order of [`PathKind::ALL`].
    pub kinds: BTreeMap<PathKind, PathSum>,
    /// Sums of the edges that end at operations of a place, by place and kind; the largest sums of a place first.
    pub places: Vec<PathPlace>,
    /// Number of cycles of kernels that were walked; those of equal pieces were not.
    pub walked_cycles: u64,
}

/// The part of a critical path that ends at the operations of one place of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlace {
    /// Place in the source; the label without the number of bundles behind it.
    pub position: NamedPosition,
    /// Sum over all edges that end there.
    pub sum: PathSum,
    /// Sums by kind of edge.
    pub kinds: BTreeMap<PathKind, PathSum>,
}

/// Number of a place in a [`Collector`].
type PlaceNumber = usize;

/// Sums of the edges of a piece, and where the path goes on before it.
#[derive(Clone, Debug, Default)]
struct PiecePath {
    sums: BTreeMap<(PathKind, Option<PlaceNumber>), PathSum>,
    /// Cycles from the begin of the piece back to the begin of the last edge, and the slot there.
    rest: (u64, Option<Slot>),
}

/// Key of the path of a piece of a kernel, all that the path depends on: what ran, its length, whether a kernel begins with it, and how far before
/// its end and in which slot the path comes in.
type PieceKey = (u64, u64, bool, u64, Option<Slot>);

/// A position in a source that places are compared by.
type Position = (Option<String>, Option<u32>, Option<String>);

/// Collector of the edges of a path.
struct Collector<'a> {
    names: &'a dyn OperationNames,
    numbers: HashMap<Position, PlaceNumber>,
    positions: Vec<NamedPosition>,
    /// Paths of pieces that are known, each with how often it is on the path.
    known: HashMap<PieceKey, (PiecePath, u64)>,
    /// Sums of edges outside of kernels.
    sums: BTreeMap<(PathKind, Option<PlaceNumber>), PathSum>,
    walked_cycles: u64,
}

impl CriticalPath {
    /// Finds the critical path of a recorded run. `names` are those of its programs. The recording stays in its current
    /// cycle.
    ///
    /// # Errors
    /// The recording is damaged, or the listener to the progress has cancelled the operation.
    pub fn of(
        recording: &mut Recording,
        names: &dyn OperationNames,
        reach: PathReach,
    ) -> Result<Self, RecordingError> {
        Self::with_edges(recording, names, reach, &mut |_| {})
    }

    /// Finds the critical path of a recorded run as [`CriticalPath::of`] does, and calls `visit` with each edge that is
    /// walked, from the end of the run back. With [`PathReach::EveryCycle`] these are all edges between operations.
    ///
    /// # Errors
    /// The same as of [`CriticalPath::of`].
    pub fn with_edges(
        recording: &mut Recording,
        names: &dyn OperationNames,
        reach: PathReach,
        visit: &mut dyn FnMut(&PathEdge),
    ) -> Result<Self, RecordingError> {
        let cycles = *recording.cycles().start()..*recording.cycles().end();
        let pieces = recording.run_pieces(PIECE)?;
        let is_alone = recording.header().machine.is_none();
        let mut collector = Collector {
            names,
            numbers: HashMap::new(),
            positions: Vec::new(),
            known: HashMap::new(),
            sums: BTreeMap::new(),
            walked_cycles: 0,
        };
        let mut stand: Stand = (cycles.end, None);
        for piece in pieces.iter().rev() {
            if stand.0 <= piece.cycles.start {
                continue;
            }
            stand = match piece.kernel {
                Some(kernel) => {
                    collector.kernel(recording, (piece, kernel), stand, reach, visit)?
                }
                None => collector.pause(piece, stand.0, is_alone),
            };
        }
        Ok(collector.finish(cycles))
    }

    /// Returns the sum over all edges: its cycles are those of the run.
    pub fn total(&self) -> PathSum {
        let mut sum = PathSum::default();
        self.kinds.values().for_each(|part| sum.add(*part));
        sum
    }
}

impl Collector<'_> {
    /// Goes back over a piece of a kernel; returns where the path goes on.
    fn kernel(
        &mut self,
        recording: &mut Recording,
        (piece, kernel): (&RunPiece, KernelPiece),
        stand: Stand,
        reach: PathReach,
        visit: &mut dyn FnMut(&PathEdge),
    ) -> Result<Stand, RecordingError> {
        let Range { start, end } = piece.cycles;
        let key = (kernel.digest, end - start, kernel.is_start, end - stand.0, stand.1);
        if let Some((path, times)) = self.known.get_mut(&key)
            && reach == PathReach::UnequalPieces
        {
            *times += 1;
            return Ok((start - path.rest.0, path.rest.1));
        }
        let path = self.walk(recording, piece, kernel.is_start, stand, visit)?;
        let rest = path.rest;
        let before = self.known.insert(key, (path, 1));
        before.into_iter().for_each(|(path, times)| self.add(&path, times));
        Ok((start - rest.0, rest.1))
    }

    /// Adds the path of a piece to the sums, so many times.
    fn add(&mut self, path: &PiecePath, times: u64) {
        for (key, sum) in &path.sums {
            let sum = PathSum { cycles: sum.cycles * times, edges: sum.edges * times };
            self.sums.entry(*key).or_default().add(sum);
        }
    }

    fn walk(
        &mut self,
        recording: &mut Recording,
        piece: &RunPiece,
        is_start: bool,
        stand: Stand,
        visit: &mut dyn FnMut(&PathEdge),
    ) -> Result<PiecePath, RecordingError> {
        let Range { start, end } = piece.cycles.clone();
        let latencies = *recording.core().latencies();
        // Edges that end in the piece may begin before it, but not before the kernel.
        let lead = if is_start { 0 } else { 2 * u64::from(latencies.longest()) };
        let first = start.saturating_sub(lead).max(*recording.cycles().start());
        let mut cycles = WalkedCycles::default();
        recording.watch(first..end, &mut cycles)?;
        self.walked_cycles += end - start;
        let walker = Walker { cycles: &cycles, latencies, first };
        let mut path = PiecePath::default();
        let (reached, slot) = walker.walk(stand, start, &mut |edge| {
            visit(edge);
            let place = edge.to.as_ref().or(edge.from.as_ref()).map(|issued| self.place(issued));
            let sum = PathSum { cycles: edge.cycles.end - edge.cycles.start, edges: 1 };
            path.sums.entry((edge.kind, place)).or_default().add(sum);
        });
        path.rest = (start.saturating_since(reached), slot.filter(|_| !is_start));
        Ok(path)
    }

    /// Goes back over cycles without a kernel, to their begin.
    fn pause(&mut self, piece: &RunPiece, from: Cycle, is_alone: bool) -> Stand {
        let length = from - piece.cycles.start;
        let mut left = length;
        let mut add = |kind, cycles: u64| {
            let cycles = cycles.min(left);
            left -= cycles;
            if cycles > 0 {
                self.sums.entry((kind, None)).or_default().add(PathSum { cycles, edges: 1 });
            }
        };
        if is_alone {
            add(PathKind::Drain, length);
        }
        for (cause, cycles) in ChannelCause::ALL.into_iter().zip(piece.channel) {
            if cause != ChannelCause::Idle {
                add(PathKind::of_channel(cause), cycles);
            }
        }
        add(PathKind::Host, length);
        (piece.cycles.start, None)
    }

    /// Returns the number of the place of an operation.
    fn place(&mut self, issued: &Issued) -> PlaceNumber {
        let mut position = NamedPosition::of_operation(self.names, issued);
        if let Some(label) = &mut position.label
            && let Some((name, _)) = label.split_once('+')
        {
            *label = name.to_owned();
        }
        let NamedPosition { label, file, line } = &position;
        let key = (file.clone(), *line, label.clone());
        let number = self.positions.len();
        let known = *self.numbers.entry(key).or_insert(number);
        if known == number {
            self.positions.push(position);
        }
        known
    }

    fn finish(mut self, cycles: Range<Cycle>) -> CriticalPath {
        for (path, times) in std::mem::take(&mut self.known).into_values() {
            self.add(&path, times);
        }
        let mut kinds: BTreeMap<PathKind, PathSum> = BTreeMap::new();
        let empty =
            |position| PathPlace { position, sum: PathSum::default(), kinds: BTreeMap::new() };
        let mut places: Vec<PathPlace> = self.positions.into_iter().map(empty).collect();
        for ((kind, place), sum) in self.sums {
            kinds.entry(kind).or_default().add(sum);
            if let Some(place) = place.and_then(|place| places.get_mut(place)) {
                place.sum.add(sum);
                place.kinds.entry(kind).or_default().add(sum);
            }
        }
        let key = |place: &PathPlace| {
            let NamedPosition { label, file, line } = place.position.clone();
            (std::cmp::Reverse(place.sum.cycles), file, line, label)
        };
        places.sort_by_cached_key(key);
        CriticalPath { cycles, kinds, places, walked_cycles: self.walked_cycles }
    }
}
