//! The file: magic bytes and a version, then chunks, each with its length and a checksum, then the place of
//! the index, by which a whole recording is opened. One that was cut off has none; its chunks are gone
//! through up to the last checkpoint.

use crate::counts::Leaf;
use crate::error::RecordingError;
use crate::packing::{encoded, longest_packed, packed, unpacked};
use crate::page::{Packer, PageId};
use crate::version::VERSION;
use cp2_isa::{CoreNumbers, Cycle};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::hash::Hasher as _;
use std::io::{self, Read, Seek, SeekFrom, Write};
use twox_hash::XxHash64;

/// The first bytes. The line end and the byte behind are lost where a file is copied as text.
const MAGIC: [u8; 8] = *b"CP2REC\n\x1a";
/// The last bytes of a whole recording.
const END: [u8; 8] = *b"CP2RECIX";
/// Bytes before the first chunk.
const BEGIN: u64 = 12;
/// Bytes before the content of a chunk: kind, checksum, length.
const CHUNK_HEAD: usize = 16;
/// Pages that are read at once at most.
const PAGES_AT_ONCE: usize = 256;
/// Bytes of packed pages that are written as one chunk, about: few enough to stay in a cache of the host.
const PAGES_OF_CHUNK: usize = 1 << 18;
/// Bytes behind the last chunk: place of the index, its checksum, the last bytes.
const TRAILER: u64 = 20;

/// Whether a file that begins with these bytes is a recording, of whatever version.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Header,
    Program,
    Pages,
    Leaves,
    Checkpoint,
    Index,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Header, Self::Program, Self::Pages, Self::Leaves, Self::Checkpoint, Self::Index];

    fn tag(self) -> [u8; 4] {
        *match self {
            Self::Header => b"HEAD",
            Self::Program => b"PROG",
            Self::Pages => b"PAGE",
            Self::Leaves => b"LEAF",
            Self::Checkpoint => b"CHKP",
            Self::Index => b"INDX",
        }
    }

    /// Bytes of memory that a chunk may have copies of, on a machine with so many.
    fn holds(self, memory: u64) -> u64 {
        match self {
            Self::Checkpoint => memory,
            _ => 0,
        }
    }

    /// Most bytes of a chunk.
    fn longest(self, memory: u64) -> u64 {
        match self {
            // One ends behind the page with which it is long enough.
            Self::Pages => 2 * PAGES_OF_CHUNK as u64,
            _ => longest_packed(self.holds(memory)),
        }
    }

    /// What is damaged, in a sentence.
    fn what(self) -> &'static str {
        match self {
            Self::Header => "its header",
            Self::Program => "a program",
            Self::Pages => "a page of memory",
            Self::Leaves => "its summary",
            Self::Checkpoint => "a checkpoint",
            Self::Index => "its index",
        }
    }
}

/// What was run, on what. A reader needs no other file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of cp2 that recorded.
    pub cp2: String,
    /// What was asked for, as a command line.
    pub command: String,
    /// The machine as a machine file, or none if CP2 ran alone.
    pub machine: Option<String>,
    /// The sizes and latencies of CP2.
    pub core: CoreNumbers,
    /// Names of the files and seeds that the inputs came from. The values are in the first checkpoint and
    /// in what the host did later.
    pub inputs: Vec<String>,
}

/// A program that was loaded before the run or during it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// An object with symbols and lines.
    pub object: Vec<u8>,
    /// Names and texts of the files that its lines are of, as far as they are known.
    pub sources: Vec<(String, String)>,
}

/// Where a page lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) checksum: u32,
}

/// The content of a page from a checkpoint on, up to the next of the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) page: PageId,
    /// Number of the checkpoint.
    pub(crate) since: u32,
    /// Where it is; `None` if it is computed from the checkpoint before.
    pub(crate) stored: Option<Stored>,
}

/// A checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Cycles before this one are over.
    pub(crate) cycle: Cycle,
    /// The state does not follow from the checkpoint before: the host has changed it directly.
    pub(crate) is_cut: bool,
    /// The machine but for its memories, encoded.
    pub(crate) moment: Vec<u8>,
    /// What the host did since the checkpoint before, encoded.
    pub(crate) acts: Vec<u8>,
    /// Pages of system memory that were used since the checkpoint before, in order, each as its distance
    /// from the one before.
    pub(crate) used: Vec<u32>,
    /// Pages that are new with this checkpoint, or were kept only now; each lies so many bytes before it.
    pub(crate) versions: Vec<Version>,
}

/// Bytes between an offset and another, as which the place of a page is kept: so that the same run has the
/// same checkpoints, however long its header is.
fn moved(versions: &[Version], from: u64) -> Vec<Version> {
    let moved = |stored: Stored| Stored { offset: from.wrapping_sub(stored.offset), ..stored };
    versions.iter().map(|&v| Version { stored: v.stored.map(moved), ..v }).collect()
}

/// Where a checkpoint is, and what is needed to choose one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) cycle: Cycle,
    pub(crate) offset: u64,
    /// Of the leaves of the cycles before it.
    pub(crate) leaves: u64,
}

/// What is read to open a recording.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    pub(crate) entries: Vec<Entry>,
    /// In order.
    pub(crate) versions: Vec<Version>,
    /// Where programs are, in the order in which they were loaded.
    pub(crate) programs: Vec<u64>,
    /// Of all that decides what a reader sees.
    pub(crate) digest: u64,
}

impl Index {
    /// Brings versions into order. Of one that was kept later than it was made, the place remains.
    pub(crate) fn settle(&mut self) {
        self.versions.sort_by_key(|v| (v.page, v.since, v.stored.is_none()));
        self.versions.dedup_by_key(|v| (v.page, v.since));
    }

    /// Whether it can be that of a recording.
    ///
    /// # Errors
    /// It is empty, or says what none says.
    pub(crate) fn check(&self) -> Result<(), RecordingError> {
        let Some(last) = self.entries.last() else { return Err(RecordingError::Empty) };
        let checkpoints = self.entries.len() as u64;
        let is_sorted = self.entries.is_sorted_by_key(|entry| entry.cycle)
            && self.versions.is_sorted_by_key(|v| (v.page, v.since));
        let is_known = |v: &Version| u64::from(v.since) < checkpoints;
        if !is_sorted || last.cycle == Cycle::NEVER || !self.versions.iter().all(is_known) {
            return Err(RecordingError::Damaged(Kind::Index.what()));
        }
        Ok(())
    }

    /// The version of a page at a checkpoint, by number; `None` if it is 0 still.
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

/// The digest of a header, and of the chunks behind it as they are written.
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

/// Kind, checksum and length of a chunk.
fn head(kind: Kind, content: &[u8]) -> [u8; CHUNK_HEAD] {
    let length = content.len() as u64;
    let mut head = [0; CHUNK_HEAD];
    head[..4].copy_from_slice(&kind.tag());
    head[4..8].copy_from_slice(&checksum(kind.tag(), length, content).to_le_bytes());
    head[8..].copy_from_slice(&length.to_le_bytes());
    head
}

/// Writes chunks.
pub(crate) struct Output {
    to: Box<dyn Write + Send>,
    /// Bytes so far.
    pub(crate) offset: u64,
    /// Bytes of the machine's memory.
    pub(crate) memory: u64,
    digest: Digest,
    packer: Packer,
    /// Packed pages that become a chunk soon, and where all pages of the checkpoint are.
    pages: Vec<u8>,
    versions: Vec<Version>,
    /// The first thing that went wrong with pages.
    failure: Option<io::Error>,
}

impl Output {
    /// Begins a recording.
    pub(crate) fn begin(to: Box<dyn Write + Send>, header: &Header) -> io::Result<Self> {
        let (digest, packer) = (Digest::begin(header)?, Packer::default());
        let (pages, versions) = (Vec::with_capacity(2 * PAGES_OF_CHUNK), Vec::new());
        let mut output =
            Self { to, offset: 0, memory: 0, digest, packer, pages, versions, failure: None };
        output.bytes(&[&MAGIC[..], &VERSION.to_le_bytes()].concat())?;
        output.value(Kind::Header, header)?;
        Ok(output)
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Writes a chunk.
    fn chunk(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        let head = head(kind, content);
        if kind != Kind::Header {
            self.digest.add(&head);
        }
        self.bytes(&head)?;
        self.bytes(content)
    }

    /// Writes a value as a chunk; tells where the chunk begins.
    pub(crate) fn value<T: Serialize>(&mut self, kind: Kind, value: &T) -> io::Result<u64> {
        let offset = self.offset;
        self.chunk(kind, &packed(value, kind.holds(self.memory))?)?;
        Ok(offset)
    }

    /// Writes a program; tells where.
    pub(crate) fn program(&mut self, program: &Program) -> io::Result<u64> {
        self.end_pages()?;
        self.value(Kind::Program, program)
    }

    /// Keeps a page with the next checkpoint.
    pub(crate) fn page(&mut self, page: PageId, since: u32, bytes: &[u8]) {
        let begin = self.pages.len();
        self.packer.pack(bytes, &mut self.pages);
        let packed = &self.pages[begin..];
        let (length, checksum) = (packed.len() as u32, crc32fast::hash(packed));
        let offset = self.offset + (CHUNK_HEAD + begin) as u64;
        let stored = Some(Stored { offset, length, checksum });
        self.versions.push(Version { page, since, stored });
        if self.pages.len() >= PAGES_OF_CHUNK
            && let Err(e) = self.end_pages()
        {
            self.failure.get_or_insert(e);
        }
    }

    /// Notes that a page is new with the next checkpoint and can be computed.
    pub(crate) fn computed(&mut self, page: PageId, since: u32) {
        self.versions.push(Version { page, since, stored: None });
    }

    fn end_pages(&mut self) -> io::Result<()> {
        if self.pages.is_empty() {
            return Ok(());
        }
        let mut pages = std::mem::take(&mut self.pages);
        let result = self.chunk(Kind::Pages, &pages);
        pages.clear();
        self.pages = pages;
        result
    }

    /// Writes the rest of the pages and the leaves, then a checkpoint, to which the pages belong; tells where
    /// it is, and what pages are new with it.
    pub(crate) fn checkpoint(
        &mut self,
        leaves: &[Leaf],
        checkpoint: &mut Checkpoint,
    ) -> io::Result<(Entry, Vec<Version>)> {
        self.end_pages()?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let versions = std::mem::take(&mut self.versions);
        let leaves = self.value(Kind::Leaves, &leaves)?;
        checkpoint.versions = moved(&versions, self.offset);
        let offset = self.value(Kind::Checkpoint, checkpoint)?;
        self.to.flush()?;
        Ok((Entry { cycle: checkpoint.cycle, offset, leaves }, versions))
    }

    /// Ends a recording with its index.
    pub(crate) fn end(&mut self, index: &mut Index) -> io::Result<()> {
        index.settle();
        index.digest = self.digest.value();
        let place = self.value(Kind::Index, index)?.to_le_bytes();
        let mut trailer = Vec::with_capacity(TRAILER as usize);
        trailer.extend(place);
        trailer.extend(crc32fast::hash(&place).to_le_bytes());
        trailer.extend(END);
        self.bytes(&trailer)?;
        self.to.flush()
    }
}

/// Something that a recording is read from.
pub trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// Reads chunks.
pub(crate) struct Input {
    from: Box<dyn Source>,
    length: u64,
    /// Bytes of the machine's memory, as soon as they are known.
    pub(crate) memory: u64,
}

impl Input {
    /// Begins to read: the header.
    pub(crate) fn open(mut from: Box<dyn Source>) -> Result<(Self, Header), RecordingError> {
        let length = from.seek(SeekFrom::End(0))?;
        let mut input = Self { from, length, memory: 0 };
        let mut begin = [0; BEGIN as usize];
        if length < BEGIN {
            return Err(RecordingError::NotOne);
        }
        input.read_at(0, &mut begin)?;
        let (magic, version) = begin.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(RecordingError::NotOne);
        }
        let version = version.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        match version {
            VERSION => {}
            0 => return Err(RecordingError::NotOne),
            newer => return Err(RecordingError::Newer(newer)),
        }
        let header = input.value(BEGIN, Kind::Header)?;
        Ok((input, header))
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> Result<(), RecordingError> {
        self.from.seek(SeekFrom::Start(offset))?;
        Ok(self.from.read_exact(to)?)
    }

    /// Reads packed pages, those that lie one behind the other at once, and gives each to `take`.
    pub(crate) fn stored(
        &mut self,
        pages: &mut [(PageId, Stored)],
        mut take: impl FnMut(PageId, &[u8]) -> Result<(), RecordingError>,
    ) -> Result<(), RecordingError> {
        let damaged = || RecordingError::Damaged(Kind::Pages.what());
        pages.sort_by_key(|(_, stored)| stored.offset);
        let mut bytes = Vec::new();
        let is_next = |(_, a): &(PageId, Stored), (_, b): &(PageId, Stored)| {
            a.offset.checked_add(a.length.into()) == Some(b.offset)
        };
        for run in pages.chunk_by(is_next).flat_map(|run| run.chunks(PAGES_AT_ONCE)) {
            let length: u64 = run.iter().map(|(_, stored)| u64::from(stored.length)).sum();
            let begin = run[0].1.offset;
            if begin.checked_add(length).is_none_or(|end| end > self.length) {
                return Err(damaged());
            }
            bytes.resize(length as usize, 0);
            self.read_at(begin, &mut bytes)?;
            let mut rest = &bytes[..];
            for (page, stored) in run {
                let (packed, behind) = rest.split_at(stored.length as usize);
                if crc32fast::hash(packed) != stored.checksum {
                    return Err(damaged());
                }
                take(*page, packed)?;
                rest = behind;
            }
        }
        Ok(())
    }

    /// The kind of the chunk at an offset, its content, and where the next one begins.
    fn chunk(&mut self, offset: u64) -> Result<(Kind, Vec<u8>, u64), RecordingError> {
        let damaged =
            |kind: Option<Kind>| RecordingError::Damaged(kind.map_or("a part of it", Kind::what));
        let mut head = [0; CHUNK_HEAD];
        self.read_at(offset, &mut head)?;
        let ([tag, sum, low, high], _) = head.as_chunks::<4>() else { return Err(damaged(None)) };
        let length =
            u64::from(u32::from_le_bytes(*high)) << 32 | u64::from(u32::from_le_bytes(*low));
        let kind = Kind::ALL.into_iter().find(|kind| kind.tag() == *tag);
        let left = self.length.saturating_sub(offset.saturating_add(CHUNK_HEAD as u64));
        if length > left || kind.is_none_or(|kind| length > kind.longest(self.memory)) {
            return Err(damaged(kind));
        }
        let mut content = vec![0; length as usize];
        self.read_at(offset + CHUNK_HEAD as u64, &mut content)?;
        match kind {
            Some(kind) if checksum(*tag, length, &content) == u32::from_le_bytes(*sum) => {
                Ok((kind, content, offset + CHUNK_HEAD as u64 + length))
            }
            _ => Err(damaged(kind)),
        }
    }

    /// The value of the chunk of a kind at an offset.
    pub(crate) fn value<T: DeserializeOwned>(
        &mut self,
        offset: u64,
        kind: Kind,
    ) -> Result<T, RecordingError> {
        match self.chunk(offset)? {
            (found, content, _) if found == kind => {
                unpacked(&content, kind.holds(self.memory), kind.what())
            }
            _ => Err(RecordingError::Damaged(kind.what())),
        }
    }

    /// The index, and whether the recording is whole: if it is not, everything up to its last checkpoint
    /// is gone through.
    pub(crate) fn index(&mut self, header: &Header) -> Result<(Index, bool), RecordingError> {
        if let Some(offset) = self.index_offset()? {
            return Ok((self.value(offset, Kind::Index)?, true));
        }
        let index = self.scanned(header)?;
        if index.entries.is_empty() { Err(RecordingError::Empty) } else { Ok((index, false)) }
    }

    /// Where the index is; `None` if the recording was cut off.
    fn index_offset(&mut self) -> Result<Option<u64>, RecordingError> {
        let Some(at) = self.length.checked_sub(TRAILER) else { return Ok(None) };
        let mut trailer = [0; TRAILER as usize];
        self.read_at(at, &mut trailer)?;
        let (place, rest) = trailer.split_at(8);
        let (sum, end) = rest.split_at(4);
        if end != END || crc32fast::hash(place).to_le_bytes() != *sum {
            return Ok(None);
        }
        Ok(Some(place.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))))
    }

    /// The index of what is there: chunks up to the first that is not whole.
    fn scanned(&mut self, header: &Header) -> Result<Index, RecordingError> {
        let mut index = Index::default();
        let mut digest = Digest::begin(header)?;
        let (mut offset, mut leaves) = (BEGIN, None);
        while let Ok((kind, content, next)) = self.chunk(offset) {
            if kind != Kind::Header {
                digest.add(&head(kind, &content));
            }
            match kind {
                Kind::Header | Kind::Pages => {}
                Kind::Program => index.programs.push(offset),
                Kind::Leaves => leaves = Some(offset),
                Kind::Index => break,
                Kind::Checkpoint => {
                    let Some(leaves) = leaves.take() else { break };
                    let memory = kind.holds(self.memory);
                    let checkpoint: Checkpoint = unpacked(&content, memory, kind.what())?;
                    index.entries.push(Entry { cycle: checkpoint.cycle, offset, leaves });
                    index.versions.extend(moved(&checkpoint.versions, offset));
                    index.digest = digest.value();
                }
            }
            offset = next;
        }
        index.settle();
        Ok(index)
    }
}
