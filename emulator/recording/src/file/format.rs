//! The file: magic bytes and a version, then chunks, each with its length and a checksum, then the place of
//! the index, by which a whole recording is opened. One that was cut off has none; its chunks are gone
//! through up to the last checkpoint.

mod input;
mod output;

pub use input::ByteSource;
pub(crate) use input::Input;
pub(crate) use output::Output;

use crate::error::RecordingError;
use crate::file::packing::{encoded, longest_packed};
use crate::file::page::PageId;
use cp2_isa::{CoreNumbers, Cycle};
use serde::{Deserialize, Serialize};
use std::hash::Hasher as _;
use std::io;
use twox_hash::XxHash64;

/// First bytes of a recording. The line end and the byte behind are lost where a file is copied as text.
const MAGIC: [u8; 8] = *b"CP2REC\n\x1a";
/// Last bytes of a whole recording.
const END: [u8; 8] = *b"CP2RECIX";
/// Number of bytes before the first chunk.
const BEGIN: u64 = 12;
/// Number of bytes before the content of a chunk: kind, checksum, length.
const CHUNK_HEAD: usize = 16;
/// Number of bytes of packed pages that are written as one chunk, about: few enough to stay in a cache of the native
/// machine.
const PAGES_OF_CHUNK: usize = 1 << 18;
/// Number of bytes behind the last chunk: place of the index, its checksum, the last bytes.
const TRAILER: u64 = 20;

/// Returns whether the bytes of a file begin as a recording does, of any version of the format. Nothing else is
/// checked.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Kind of the content of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    Header,
    Program,
    Pages,
    Leaves,
    Steps,
    Checkpoint,
    Index,
}

impl ChunkKind {
    const ALL: [Self; 7] = [
        Self::Header,
        Self::Program,
        Self::Pages,
        Self::Leaves,
        Self::Steps,
        Self::Checkpoint,
        Self::Index,
    ];

    fn tag(self) -> [u8; 4] {
        *match self {
            Self::Header => b"HEAD",
            Self::Program => b"PROG",
            Self::Pages => b"PAGE",
            Self::Leaves => b"LEAF",
            Self::Steps => b"STEP",
            Self::Checkpoint => b"CHKP",
            Self::Index => b"INDX",
        }
    }

    /// Returns the number of bytes of memory that a chunk may have copies of, on a machine with so many.
    fn holds(self, memory: u64) -> u64 {
        match self {
            Self::Checkpoint => memory,
            _ => 0,
        }
    }

    /// Returns the largest number of bytes of a chunk.
    fn longest(self, memory: u64) -> u64 {
        match self {
            // A chunk ends behind the page with which it is long enough.
            Self::Pages => 2 * PAGES_OF_CHUNK as u64,
            _ => longest_packed(self.holds(memory)),
        }
    }

    /// Returns the name of the content, for messages about damage.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Header => "its header",
            Self::Program => "a program",
            Self::Pages => "a page of memory",
            Self::Leaves => "its summary",
            Self::Steps => "its steps",
            Self::Checkpoint => "a checkpoint",
            Self::Index => "its index",
        }
    }
}

/// Header of a recording: command, machine and inputs of the run. The caller of [`Recorder::new`](crate::Recorder::new)
/// gives it. Whoever opens the recording needs no other file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of cp2 that made the recording.
    pub cp2: String,
    /// Command line with which the run was recorded.
    pub command: String,
    /// Machine of the run, as the text of a machine file; `None` if CP2 ran alone.
    pub machine: Option<String>,
    /// Sizes, latencies and extensions of the CP2 of the run.
    pub core: CoreNumbers,
    /// Names of the files, and seeds, from which the inputs came. The values themselves are in the first checkpoint and
    /// in the actions of the host.
    pub inputs: Vec<String>,
}

/// A program of CP2 that was loaded into instruction memory before or during a recorded run, as the recording keeps it:
/// object file and sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedProgram {
    /// The program as the bytes of an object file, with symbols and source positions.
    pub object: Vec<u8>,
    /// Name and text of each source file that the program comes from, as far as they are known.
    pub sources: Vec<(String, String)>,
}

/// Place of a page in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) checksum: u32,
}

/// Content of a page from a checkpoint on, up to the next of the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) page: PageId,
    /// Number of the checkpoint from which on the page has this content.
    pub(crate) since: u32,
    /// Place in the file; `None` if it is computed from the checkpoint before.
    pub(crate) stored: Option<Stored>,
}

/// Checkpoint of a recording, as a chunk has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Cycle of the checkpoint: those before it are over.
    pub(crate) cycle: Cycle,
    /// Whether the state does not follow from the checkpoint before, because the host has changed it directly.
    pub(crate) is_cut: bool,
    /// State of the machine but for its memories, encoded.
    pub(crate) snapshot: Vec<u8>,
    /// Actions of the host since the checkpoint before, encoded.
    pub(crate) acts: Vec<u8>,
    /// Pages of system memory that were used since the checkpoint before, in order, each as its distance
    /// from the one before.
    pub(crate) used: Vec<u32>,
    /// Versions of pages that are new with this checkpoint, or were kept only now; the place of each is its distance in bytes
    /// before the checkpoint.
    pub(crate) versions: Vec<Version>,
}

/// Returns versions with the place of each page as its distance in bytes from an offset, and back: so the same run has the
/// same checkpoints, however long its header is.
fn moved(versions: &[Version], from: u64) -> Vec<Version> {
    let moved = |stored: Stored| Stored { offset: from.wrapping_sub(stored.offset), ..stored };
    versions.iter().map(|&v| Version { stored: v.stored.map(moved), ..v }).collect()
}

/// Place of a checkpoint in the file, with what is needed to choose one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CheckpointEntry {
    pub(crate) cycle: Cycle,
    pub(crate) offset: u64,
    /// Place of the leaves of the cycles before the checkpoint.
    pub(crate) leaves: u64,
}

/// Index of a recording, which is read to open it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    pub(crate) entries: Vec<CheckpointEntry>,
    /// Versions of pages, in the order of pages and checkpoints.
    pub(crate) versions: Vec<Version>,
    /// Places of the programs, in the order in which they were loaded.
    pub(crate) programs: Vec<u64>,
    /// Places of the steps that the host named, in the order in which they were written.
    pub(crate) steps: Vec<u64>,
    /// Digest of all that decides what a reader sees.
    pub(crate) digest: u64,
}

impl Index {
    /// Brings versions into order. Of a version that was kept later than it was made, the entry with the place remains.
    pub(crate) fn sort_versions(&mut self) {
        self.versions.sort_by_key(|v| (v.page, v.since, v.stored.is_none()));
        self.versions.dedup_by_key(|v| (v.page, v.since));
    }

    /// Checks that the index can be that of a recording.
    ///
    /// # Errors
    /// If the index is empty, or not one that a recording can have.
    pub(crate) fn check(&self) -> Result<(), RecordingError> {
        let Some(last) = self.entries.last() else { return Err(RecordingError::Empty) };
        let checkpoints = self.entries.len() as u64;
        let is_sorted = self.entries.is_sorted_by_key(|entry| entry.cycle)
            && self.versions.is_sorted_by_key(|v| (v.page, v.since));
        let is_known = |v: &Version| u64::from(v.since) < checkpoints;
        if !is_sorted || last.cycle == Cycle::NEVER || !self.versions.iter().all(is_known) {
            return Err(RecordingError::Damaged(ChunkKind::Index.what()));
        }
        Ok(())
    }

    /// Returns the version of a page at a checkpoint, by number; `None` if the page is 0 still.
    pub(crate) fn version(&self, page: PageId, checkpoint: usize) -> Option<&Version> {
        let later = |v: &Version| (v.page, v.since as usize) <= (page, checkpoint);
        let at = self.versions.partition_point(later);
        self.versions[..at].last().filter(|v| v.page == page)
    }
}

fn checksum(kind: [u8; 4], length: u64, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind);
    hasher.update(&length.to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}

/// Digest of a header, and of the chunks behind it as they are written.
#[derive(Clone)]
struct Digest(XxHash64);

impl Digest {
    fn begin(header: &Header) -> io::Result<Self> {
        let Header { machine, core, .. } = header;
        let mut digest = XxHash64::with_seed(0);
        digest.write(&encoded(&(machine, core))?);
        Ok(Self(digest))
    }

    /// Adds a chunk, of which its head tells enough.
    fn add(&mut self, head: &[u8]) {
        self.0.write(head);
    }

    fn value(&self) -> u64 {
        self.0.finish()
    }
}

/// Returns the head of a chunk: kind, checksum and length.
fn head(kind: ChunkKind, content: &[u8]) -> [u8; CHUNK_HEAD] {
    let length = content.len() as u64;
    let mut head = [0; CHUNK_HEAD];
    head[..4].copy_from_slice(&kind.tag());
    head[4..8].copy_from_slice(&checksum(kind.tag(), length, content).to_le_bytes());
    head[8..].copy_from_slice(&length.to_le_bytes());
    head
}
