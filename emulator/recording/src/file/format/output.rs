//! Writes the file of a recording chunk by chunk.

use super::{
    CHUNK_HEAD, Checkpoint, CheckpointEntry, ChunkKind, Digest, END, Header, Index, LoadedProgram,
    MAGIC, PAGES_OF_CHUNK, Stored, TRAILER, Version, head, moved,
};
use crate::counts::Leaf;
use crate::file::packing::packed;
use crate::file::page::{Packer, PageId};
use crate::file::version::VERSION;
use crate::steps::RunStep;
use serde::Serialize;
use std::io::{self, Write};

/// Writer of the chunks of a recording.
pub(crate) struct Output {
    to: Box<dyn Write + Send>,
    /// Number of bytes written so far.
    pub(crate) offset: u64,
    /// Number of bytes of the machine's memory.
    pub(crate) memory: u64,
    digest: Digest,
    packer: Packer,
    /// Packed pages that become a chunk soon, and places of all pages of the checkpoint.
    pages: Vec<u8>,
    versions: Vec<Version>,
    /// First error of writing pages.
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
        output.value(ChunkKind::Header, header)?;
        Ok(output)
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Writes a chunk.
    fn chunk(&mut self, kind: ChunkKind, content: &[u8]) -> io::Result<()> {
        let head = head(kind, content);
        if kind != ChunkKind::Header {
            self.digest.add(&head);
        }
        self.bytes(&head)?;
        self.bytes(content)
    }

    /// Writes a value as a chunk, and returns the offset of the chunk.
    pub(crate) fn value<T: Serialize>(&mut self, kind: ChunkKind, value: &T) -> io::Result<u64> {
        let offset = self.offset;
        self.chunk(kind, &packed(value, kind.holds(self.memory))?)?;
        Ok(offset)
    }

    /// Writes a program, and returns the offset of its chunk.
    pub(crate) fn program(&mut self, program: &LoadedProgram) -> io::Result<u64> {
        self.end_pages()?;
        self.value(ChunkKind::Program, program)
    }

    /// Writes steps, and returns the offset of their chunk.
    pub(crate) fn steps(&mut self, steps: &[RunStep]) -> io::Result<u64> {
        self.end_pages()?;
        self.value(ChunkKind::Steps, &steps)
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
        let result = self.chunk(ChunkKind::Pages, &pages);
        pages.clear();
        self.pages = pages;
        result
    }

    /// Writes the rest of the pages and the leaves, then a checkpoint, to which the pages belong; returns the place of the
    /// checkpoint, and the pages that are new with it.
    pub(crate) fn checkpoint(
        &mut self,
        leaves: &[Leaf],
        checkpoint: &mut Checkpoint,
    ) -> io::Result<(CheckpointEntry, Vec<Version>)> {
        self.end_pages()?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let versions = std::mem::take(&mut self.versions);
        let leaves = self.value(ChunkKind::Leaves, &leaves)?;
        checkpoint.versions = moved(&versions, self.offset);
        let offset = self.value(ChunkKind::Checkpoint, checkpoint)?;
        self.to.flush()?;
        Ok((CheckpointEntry { cycle: checkpoint.cycle, offset, leaves }, versions))
    }

    /// Ends a recording with its index.
    pub(crate) fn end(&mut self, index: &mut Index) -> io::Result<()> {
        index.sort_versions();
        index.digest = self.digest.value();
        let place = self.value(ChunkKind::Index, index)?.to_le_bytes();
        let mut trailer = Vec::with_capacity(TRAILER as usize);
        trailer.extend(place);
        trailer.extend(crc32fast::hash(&place).to_le_bytes());
        trailer.extend(END);
        self.bytes(&trailer)?;
        self.to.flush()
    }
}
