//! Reads the file of a recording: chunk by chunk, or by its index.

use super::{
    BEGIN, CHUNK_HEAD, Checkpoint, CheckpointEntry, ChunkKind, Digest, END, Header, Index, MAGIC,
    Stored, TRAILER, checksum, head, moved,
};
use crate::error::RecordingError;
use crate::file::packing::unpacked;
use crate::file::page::PageId;
use crate::file::version::VERSION;
use cp2_emu::memory::PAGE;
use serde::de::DeserializeOwned;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of bytes that are read at once for pages.
const BYTES_AT_ONCE: u64 = 1 << 20;
/// Largest number of bytes between two pages that are read with them: to read what lies between takes less time than to turn to
/// the file once more, which the threads of a recording do one after the other.
const GAP: u64 = 1 << 14;

/// Source of the bytes of a recording, such as a file, from which [`Recording::open`](crate::Recording::open) reads: it
/// can be read from any position, and by another thread. Implemented for everything with these abilities.
pub trait ByteSource: Read + Seek + Send {}

impl<T: Read + Seek + Send> ByteSource for T {}

/// Reader of the chunks of a recording. Its clones read from the same source, on any thread.
#[derive(Clone)]
pub(crate) struct Input {
    from: Arc<Mutex<Box<dyn ByteSource>>>,
    length: u64,
    /// Bytes of the machine's memory, as soon as they are known.
    pub(crate) memory: u64,
    /// Room for pages that are read.
    room: Vec<u8>,
}

impl Input {
    /// Opens a recording, and reads its header.
    pub(crate) fn open(mut from: Box<dyn ByteSource>) -> Result<(Self, Header), RecordingError> {
        let length = from.seek(SeekFrom::End(0))?;
        let from = Arc::new(Mutex::new(from));
        let mut input = Self { from, length, memory: 0, room: Vec::new() };
        let mut begin = [0; BEGIN as usize];
        if length < BEGIN {
            return Err(RecordingError::NotARecording);
        }
        input.read_at(0, &mut begin)?;
        let (magic, version) = begin.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(RecordingError::NotARecording);
        }
        let version = version.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        match version {
            VERSION => {}
            0 => return Err(RecordingError::NotARecording),
            other => return Err(RecordingError::OtherVersion(other)),
        }
        let header = input.value(BEGIN, ChunkKind::Header)?;
        Ok((input, header))
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> Result<(), RecordingError> {
        let mut from = self.from.lock().unwrap_or_else(PoisonError::into_inner);
        from.seek(SeekFrom::Start(offset))?;
        Ok(from.read_exact(to)?)
    }

    /// Reads packed pages, those that lie near each other at once, and gives each to `take`, in the order of the file.
    pub(crate) fn stored(
        &mut self,
        pages: &mut [(PageId, Stored)],
        mut take: impl FnMut(PageId, &[u8]) -> Result<(), RecordingError>,
    ) -> Result<(), RecordingError> {
        let damaged = || RecordingError::Damaged(ChunkKind::Pages.what());
        pages.sort_by_key(|(_, stored)| stored.offset);
        let end = |stored: &Stored| stored.offset.saturating_add(stored.length.into());
        if pages
            .iter()
            .any(|(_, stored)| end(stored) > self.length || stored.length as usize > PAGE)
        {
            return Err(damaged());
        }
        let mut rest = &*pages;
        while let Some((_, first)) = rest.first() {
            let is_near = |pair: &[(PageId, Stored)]| {
                pair[1].1.offset <= end(&pair[0].1).saturating_add(GAP)
                    && end(&pair[1].1).saturating_sub(first.offset) <= BYTES_AT_ONCE
            };
            let n = 1 + rest.windows(2).take_while(|pair| is_near(pair)).count();
            let (run, behind) = rest.split_at(n);
            let last = run.iter().map(|(_, stored)| end(stored)).max().unwrap_or_default();
            let mut room = std::mem::take(&mut self.room);
            let length = (last - first.offset) as usize;
            room.resize(room.len().max(length), 0);
            self.read_at(first.offset, &mut room[..length])?;
            for (page, stored) in run {
                let begin = (stored.offset - first.offset) as usize;
                let packed = &room[begin..][..stored.length as usize];
                if crc32fast::hash(packed) != stored.checksum {
                    return Err(damaged());
                }
                take(*page, packed)?;
            }
            (self.room, rest) = (room, behind);
        }
        Ok(())
    }

    /// Returns the kind of the chunk at an offset, its content, and the offset of the next one.
    fn chunk(&mut self, offset: u64) -> Result<(ChunkKind, Vec<u8>, u64), RecordingError> {
        let damaged = |kind: Option<ChunkKind>| {
            RecordingError::Damaged(kind.map_or("a part of it", ChunkKind::what))
        };
        let mut head = [0; CHUNK_HEAD];
        self.read_at(offset, &mut head)?;
        let ([tag, sum, low, high], _) = head.as_chunks::<4>() else { return Err(damaged(None)) };
        let length =
            u64::from(u32::from_le_bytes(*high)) << 32 | u64::from(u32::from_le_bytes(*low));
        let kind = ChunkKind::ALL.into_iter().find(|kind| kind.tag() == *tag);
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

    /// Returns the value of the chunk of a kind at an offset.
    pub(crate) fn value<T: DeserializeOwned>(
        &mut self,
        offset: u64,
        kind: ChunkKind,
    ) -> Result<T, RecordingError> {
        match self.chunk(offset)? {
            (found, content, _) if found == kind => {
                unpacked(&content, kind.holds(self.memory), kind.what())
            }
            _ => Err(RecordingError::Damaged(kind.what())),
        }
    }

    /// Returns the index, and whether the recording is whole: if it is not, everything up to its last checkpoint is gone
    /// through.
    pub(crate) fn index(&mut self, header: &Header) -> Result<(Index, bool), RecordingError> {
        if let Some(offset) = self.index_offset()? {
            return Ok((self.value(offset, ChunkKind::Index)?, true));
        }
        let index = self.scanned(header)?;
        if index.entries.is_empty() { Err(RecordingError::Empty) } else { Ok((index, false)) }
    }

    /// Returns the place of the index; `None` if the recording was cut off.
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

    /// Returns the index of a recording that was cut off: chunks up to the first that is not whole.
    fn scanned(&mut self, header: &Header) -> Result<Index, RecordingError> {
        let mut index = Index::default();
        let mut digest = Digest::begin(header)?;
        let (mut offset, mut leaves) = (BEGIN, None);
        while let Ok((kind, content, next)) = self.chunk(offset) {
            if kind != ChunkKind::Header {
                digest.add(&head(kind, &content));
            }
            match kind {
                ChunkKind::Header | ChunkKind::Pages => {}
                ChunkKind::Program => index.programs.push(offset),
                ChunkKind::Steps => index.steps.push(offset),
                ChunkKind::Leaves => leaves = Some(offset),
                ChunkKind::Index => break,
                ChunkKind::Checkpoint => {
                    let Some(leaves) = leaves.take() else { break };
                    let memory = kind.holds(self.memory);
                    let checkpoint: Checkpoint = unpacked(&content, memory, kind.what())?;
                    index.entries.push(CheckpointEntry { cycle: checkpoint.cycle, offset, leaves });
                    index.versions.extend(moved(&checkpoint.versions, offset));
                    index.digest = digest.value();
                }
            }
            offset = next;
        }
        index.sort_versions();
        Ok(index)
    }
}
