//! The pages that pack and unpack faces along x.

use super::kernels::{POINTS, packing, unpacking};
use crate::decomposition::FaceSide;
use cp2_emu::dma::{Descriptor, DescriptorAction, LocalWalk, MemoryWalk, Pattern, Stride};
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_procedures::host::Call;
use cp2_procedures::host::pages::{Command, Page};
use cp2_procedures::multigrid::{MultigridPart, PaddedGrid};
use cp2_session::error::KernelError;

/// Beats of a face that a section has in a page: two words each, and half a word for the point of each.
const SECTION_BEATS: usize = 1024;
/// Word of a page at which its points lie, behind its beats.
const POINTS_AT: usize = 2 * SECTION_BEATS;
/// Points of a beat.
const BEAT_POINTS: usize = 4;
/// Mask of the points of a beat that are not written if the first one is, and if the last one is.
const ONLY_FIRST: u8 = 0b1110;
const ONLY_LAST: u8 = 0b0111;

/// Face of a grid along x, and the buffer for its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnFace {
    pub(crate) grid: PaddedGrid,
    pub(crate) side: FaceSide,
    pub(crate) buffer: MemoryAddress,
}

/// Planes of a face that a page has, and their beats in each section.
struct Share {
    planes: usize,
    /// Sections that have beats: all, or the first.
    is_dealt: bool,
    /// Beats of a section.
    beats: usize,
}

impl ColumnFace {
    /// Returns the bytes of the points of a face along x.
    pub(crate) const fn bytes(grid: &PaddedGrid) -> usize {
        grid.n[1] * grid.n[2] * 4
    }

    /// Returns the shares of the pages: whole planes, whose points are whole beats of each section.
    fn shares(&self) -> Result<Vec<Share>, KernelError> {
        let [_, rows, planes] = self.grid.n;
        let share = |planes: usize| {
            let points = planes * rows;
            let dealt = points / SECTIONS;
            if points.is_multiple_of(SECTIONS * BEAT_POINTS) && dealt <= SECTION_BEATS {
                return Some(Share { planes, is_dealt: true, beats: dealt });
            }
            let fits = points.is_multiple_of(BEAT_POINTS) && points <= SECTION_BEATS;
            fits.then_some(Share { planes, is_dealt: false, beats: points })
        };
        let (mut left, mut shares) = (planes, Vec::new());
        while left > 0 {
            let found = (1..=left).rev().find_map(share);
            let found = found.ok_or(KernelError::Internal("a face along x of odd sizes"))?;
            left -= found.planes;
            shares.push(found);
        }
        Ok(shares)
    }

    /// Returns the walk over beats of the grid, one of each row, from `x` on.
    fn beats(&self, x: isize, first: usize, planes: usize) -> MemoryWalk {
        let grid = &self.grid;
        MemoryWalk {
            base: grid.point([x, 0, first as isize]),
            index: None,
            burst: 1,
            x: Stride { step: grid.row() as i32, count: grid.n[1] as u32 },
            y: Stride { step: grid.plane() as i32, count: planes as u32 },
        }
    }

    /// Returns the walk over the points of planes in the buffer.
    fn points(&self, first: usize, planes: usize) -> Result<MemoryWalk, KernelError> {
        let plane = self.grid.n[1];
        let beats = planes * plane / BEAT_POINTS;
        let at = self.buffer + Bytes::from(4 * first * plane);
        MemoryWalk::rows(at, beats as u32, 0, 1)
            .ok_or(KernelError::Internal("a face along x without points"))
    }
}

/// Returns the word at which a page begins, in the halves of local memory in turn.
fn page_word(core: &Core, number: usize) -> usize {
    number % 2 * core.lmem_words() / 2
}

fn patterns(share: &Share, beats: usize) -> [Pattern; SECTIONS] {
    if share.is_dealt { Pattern::dealt(beats as u16) } else { Pattern::only(0) }
}

fn local(word: usize, beats: usize) -> LocalWalk {
    LocalWalk::linear(WordAddress::from_index(word), beats as u16)
}

fn call(entry: BundleAddress, [from, to]: [usize; 2], share: &Share) -> Vec<Command> {
    let passes = share.beats / POINTS;
    vec![Command::Run(Call::new(entry, [from, to, passes].map(|n| n as u16).to_vec()))]
}

fn entry(part: &MultigridPart, name: &str) -> Result<BundleAddress, KernelError> {
    part.routine(name).ok_or(KernelError::Internal("a kernel of faces is not installed"))
}

/// Returns the pages that take the points of faces out of the grid and put them into the buffers.
pub(crate) fn pack_pages(
    part: &MultigridPart,
    core: &Core,
    faces: &[ColumnFace],
) -> Result<Vec<Page>, KernelError> {
    let mut pages: Vec<Page> = Vec::new();
    for face in faces {
        let (entry, mut first) = (entry(part, packing(face.side))?, 0);
        let x = match face.side {
            FaceSide::Low => 0,
            FaceSide::High => face.grid.n[0] as isize - BEAT_POINTS as isize,
        };
        for share in face.shares()? {
            let word = page_word(core, pages.len());
            let beats = face.beats(x, first, share.planes);
            let points = share.beats / BEAT_POINTS;
            let load =
                Descriptor::get(beats, local(word, share.beats), patterns(&share, share.beats));
            let put = face.points(first, share.planes)?;
            let unload = Descriptor::put(put, local(word + POINTS_AT, points), 0);
            let commands = call(entry, [word, word + POINTS_AT], &share);
            let (prepare, load, unload) = (Vec::new(), vec![load], vec![unload]);
            pages.push(Page { prepare, load, commands, unload });
            first += share.planes;
        }
    }
    Ok(pages)
}

/// Returns the pages that take points out of the buffers and put them into the extra points on the sides of the grid.
pub(crate) fn unpack_pages(
    part: &MultigridPart,
    core: &Core,
    faces: &[ColumnFace],
) -> Result<Vec<Page>, KernelError> {
    let mut pages: Vec<Page> = Vec::new();
    for face in faces {
        // What comes from the low side was the high face of the neighbour there.
        let (entry, mut first) = (entry(part, unpacking(face.side))?, 0);
        let (x, word_of_beat, mask) = match face.side {
            FaceSide::Low => (-(BEAT_POINTS as isize), 1, ONLY_LAST),
            FaceSide::High => (face.grid.n[0] as isize, 0, ONLY_FIRST),
        };
        for share in face.shares()? {
            let word = page_word(core, pages.len());
            let points = share.beats / BEAT_POINTS;
            let get = face.points(first, share.planes)?;
            let load =
                Descriptor::get(get, local(word + POINTS_AT, points), patterns(&share, points));
            let beats = face.beats(x, first, share.planes);
            let unload = masked(Descriptor::put(beats, local(word, share.beats), 0), mask);
            let commands = call(entry, [word + POINTS_AT, word + word_of_beat], &share);
            let (prepare, load, unload) = (Vec::new(), vec![load], vec![unload]);
            pages.push(Page { prepare, load, commands, unload });
            first += share.planes;
        }
    }
    Ok(pages)
}

/// Returns a transfer to memory that leaves the masked points of all beats as they are.
fn masked(mut put: Descriptor, mask: u8) -> Descriptor {
    if let DescriptorAction::Put(put) = &mut put.action {
        (put.mask, put.row_end_mask) = (mask, mask);
    }
    put
}
