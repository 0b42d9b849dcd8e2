//! One operator on whole grids: the cut of a grid into blocks, and the pages that bring four of them at once to the
//! sections, one above the other along z.

use super::faces;
use super::grid::PaddedGrid;
use crate::host::Call;
use crate::host::pages::{Command, Page};
use crate::host::walks::get_all;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, GetWords, LocalStride, LocalWalk, MemoryWalk, NextDescriptor,
    Pattern, Stride, limit,
};
use cp2_isa::{BundleAddress, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::multigrid::sized::{arguments, frame};
use cp2_kernels::multigrid::sizes::{Faces, least_passes};
use cp2_kernels::multigrid::{GridBlock, GridKernel, OperandMap};
use cp2_session::error::KernelError;

/// A kernel in instruction memory and its constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resident {
    pub(super) kernel: GridKernel,
    /// The largest block that the kernel takes.
    pub(super) frame: GridBlock,
    pub(super) entry: BundleAddress,
    /// Address and words of the kernel's constants, a whole number of beats.
    pub(super) constants: (MemoryAddress, usize),
    /// Operations that the fuller slot has to issue for a block of the frame's size.
    pub(super) least_cycles: usize,
    /// Words from the begin of a bank to that of the other one.
    pub(super) bank_words: usize,
    /// Whether blocks with faces are loaded by 32-bit words, without the points that only fill beats.
    pub(super) by_words: bool,
    /// Whether the kernel takes blocks of the frame's size alone.
    pub(super) is_whole: bool,
}

/// Returns the frame of a kernel that is alone in instruction memory. Where transfers bind, it has more rows and fewer planes
/// than [`frame`] has, or longer rows, since each plane of a block opens another row of memory.
pub(super) fn frame_alone(kernel: GridKernel) -> GridBlock {
    match kernel {
        GridKernel::Interp | GridKernel::Interp0 => GridBlock::new(32, 8, 2),
        GridKernel::Proj => GridBlock::new(32, 16, 8),
        GridKernel::Smooth0 => GridBlock::new(64, 8, 4),
        _ => frame(kernel),
    }
}

/// The grids that an operator works on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grids {
    /// Grid from which blocks are cut with their faces; for the norm, without them.
    pub(super) faced: PaddedGrid,
    /// Grid to which the operator adds.
    pub(super) plain: PaddedGrid,
    /// Grid that takes the results.
    pub(super) result: PaddedGrid,
    /// Axes x, y and z along which the faces of the result are made of its other side.
    pub(super) periodic: [bool; 3],
}

/// A kernel on a grid, in blocks of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    resident: Resident,
    block: GridBlock,
    /// Points along each axis of the grid that blocks are cut from.
    n: [usize; 3],
    /// Number of blocks one above the other in a page, one for each section.
    stack: usize,
}

/// Cut of a grid into blocks of one size, which go to the sections page by page, where a page is the blocks that lie in
/// one half of local memory at once. [`described`](fn@super::described) makes it, for a program that makes the pages
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Points along each axis of the grid that is cut, which is the one that the operator reads with faces.
    pub n: usize,
    /// Size of a block, without faces, of the grid that is cut.
    pub block: GridBlock,
    /// Number of blocks in a page, 1 to 4: they lie one above the other along z, one in each section.
    pub stack: usize,
    /// Arguments of the kernel in `g0` to `g8` for every page of the cut, as `cp2_kernels::multigrid::sized::arguments`
    /// gives them. The first four are word addresses in the first half of local memory; for a page in the other half
    /// the words of a half are added to them.
    pub registers: [u64; 9],
}

impl Operation {
    /// Cuts a grid of so many points along each axis into the blocks that cost least.
    ///
    /// # Errors
    /// The grid cannot be cut into blocks that the kernel takes.
    pub(super) fn new(resident: Resident, n: [usize; 3]) -> Result<Self, KernelError> {
        let Resident { kernel, frame, is_whole, .. } = resident;
        let fitting = |axis: usize, most: usize| {
            let n = n[axis];
            (1..=most.min(n)).filter(move |k| n.is_multiple_of(*k))
        };
        // Rows of blocks begin at beats, with their faces and without, unless there is only one.
        let is_aligned = |n1: usize| {
            let outer = kernel.outer(GridBlock::new(n1, n1, n1)).n1;
            n1.is_multiple_of(4) && outer.is_multiple_of(4) || n1 == n[0] && outer.is_multiple_of(2)
        };
        let rows = fitting(0, frame.n1).filter(|&n1| is_aligned(n1));
        let blocks = rows
            .flat_map(|n1| fitting(1, frame.n2).map(move |n2| (n1, n2)))
            .flat_map(|(n1, n2)| fitting(2, frame.n3).map(move |n3| GridBlock::new(n1, n2, n3)))
            .filter(|&block| !is_whole || block == frame)
            .filter(|&block| is_fit(kernel, block) && arguments(kernel, frame, block).is_ok());
        let operations = blocks.map(|block| {
            let stack = (n[2] / block.n3).min(SECTIONS);
            Self { resident, block, n, stack }
        });
        operations.min_by_key(Self::cost).ok_or_else(|| KernelError::Block {
            kernel: kernel.name(),
            given: match n {
                [n, rows, planes] if [rows, planes] == [n; 2] => {
                    format!("a grid of {n} points along an axis")
                }
                [n, rows, planes] => format!("a grid of {n} x {rows} x {planes} points"),
            },
            allowed: format!(
                "even numbers up to {most}, and multiples of 4 above; for proj multiples of 4, and multiples of 8 above {most}",
                most = frame.n1
            ),
        })
    }

    /// Returns the cut of the grid, for a program that makes the pages itself.
    pub(super) fn cut(&self) -> Result<Cut, KernelError> {
        let Self { resident: Resident { kernel, frame, .. }, block, n, stack } = *self;
        Ok(Cut { n: n[0], block, stack, registers: arguments(kernel, frame, block)? })
    }

    /// Returns the number of pages of the grid.
    pub(super) fn pages(&self) -> usize {
        let GridBlock { n1, n2, n3 } = self.block;
        let [x, y, z] = self.n;
        (x / n1) * (y / n2) * (z / n3).div_ceil(self.stack)
    }

    /// Estimates the cost of the blocks, to compare one size with another: a row of the frame takes the kernel about as long
    /// as a beat of it takes the channel; a page has its own price.
    fn cost(&self) -> usize {
        const PAGE: usize = 400;
        let Self { resident: Resident { kernel, frame, .. }, block, .. } = *self;
        let rows = block.n2.next_multiple_of(4) * block.n3 * frame.n1 / 4;
        let outer = kernel.outer(block);
        let around = Faces::of(kernel).before + Faces::of(kernel).behind;
        let (faced, plain) = (block.n1 + 4 * around, outer.n1);
        let faced_beats = faced / 4 * (frame.n2 + around) * (block.n3 + around);
        let plain_beats = plain / 4 * outer.n2 * outer.n3;
        let moved = faced_beats + plain_beats * (1 + usize::from(kernel.takes_plain()));
        self.pages() * (PAGE + (rows * 3).max(self.stack * moved))
    }

    /// Returns the transfer that loads the constants into a bank; they come with the first page of each bank, before its
    /// blocks.
    fn constants(&self, bank: usize) -> Result<Descriptor, KernelError> {
        let (address, words) = self.resident.constants;
        let map = OperandMap::new(self.resident.kernel, self.resident.frame);
        let at = WordAddress::from_index(bank * self.resident.bank_words + map.constants);
        get_all(address, words, at)
    }

    /// Returns the transfer that loads a block with its faces into a section.
    fn get_faced(
        &self,
        grid: &PaddedGrid,
        at: [usize; 3],
        (bank, section): (usize, usize),
    ) -> Descriptor {
        let Self { resident: Resident { kernel, frame, by_words, .. }, block, .. } = *self;
        let faces = Faces::of(kernel);
        let [before, around] = [faces.before, faces.before + faces.behind];
        let corner = [
            at[0] as isize - 4 * before as isize,
            at[1] as isize - before as isize,
            at[2] as isize - before as isize,
        ];
        // Rows of the frame behind those of a small block are loaded too, but nobody uses them.
        let rows = frame.n2 + around;
        let beats = (block.n1 + 4 * around).div_ceil(4);
        let planes = block.n3 + around;
        let base = bank * self.resident.bank_words + faces.first_word();
        let words = block.n1 + around;
        if by_words && words <= limit::BURST.high as usize {
            // The face is the last point of its beat.
            let corner = [at[0] as isize - before as isize, corner[1], corner[2]];
            let memory = walk(grid, corner, words, (rows, grid.row()), (planes, grid.plane()));
            let half = WordAddress::from_index(2 * base + 3 * before);
            let stride = |step: usize, count: usize| LocalStride {
                step: step as u16,
                count: count as u16,
                reversed: false,
            };
            let (x, y) = (stride(1, words), stride(2 * frame.row(), rows * planes));
            let local = LocalWalk { base: half, index: None, x, y };
            let (sections, next) = (Pattern::only_words(section), NextDescriptor::By(1));
            return Descriptor::new(DescriptorAction::GetWords(GetWords {
                memory,
                local,
                sections,
                next,
            }));
        }
        let memory = walk(grid, corner, beats, (rows, grid.row()), (planes, grid.plane()));
        let local = rows_at(base, beats, frame.row(), rows * planes);
        Descriptor::get(memory, local, Pattern::only(section))
    }

    /// Returns the transfers that load blocks without faces into all sections: one for all if their planes follow each other
    /// in local memory as they do in the grid, else one for each section.
    fn get_plain(
        &self,
        grid: &PaddedGrid,
        at: [usize; 3],
        (stack, bank): (usize, usize),
    ) -> Vec<Descriptor> {
        let Self { resident: Resident { kernel, frame, .. }, block, .. } = *self;
        let (frame_of, block_of) = (kernel.outer(frame), kernel.outer(block));
        let beats = block_of.n1.div_ceil(4);
        let base = bank * self.resident.bank_words + OperandMap::new(kernel, frame).plain;
        let rows = frame_of.n2 * block_of.n3;
        let local = rows_at(base, beats, frame_of.words(), rows);
        let [x, y, z] = at.map(|x| x as isize);
        let get = |z: isize, planes: usize, sections| {
            let rows = (frame_of.n2, grid.row());
            let memory = walk(grid, [x, y, z], beats, rows, (planes, grid.plane()));
            Descriptor::get(memory, local, sections)
        };
        if block_of.n2 == frame_of.n2 {
            let share = Pattern::dealt((beats * rows) as u16);
            return vec![get(z, stack * block_of.n3, share)];
        }
        let one = |s: usize| get(z + (s * block_of.n3) as isize, block_of.n3, Pattern::only(s));
        (0..stack).map(one).collect()
    }

    /// Returns the transfers that store the results of all sections, which lie one above the other in the grid: `beats` beats
    /// of each row, from the one at `first` on.
    fn put(
        &self,
        grid: &PaddedGrid,
        at: [isize; 3],
        (first, beats): (usize, usize),
        (stack, bank): (usize, usize),
    ) -> Vec<Descriptor> {
        let Self { resident: Resident { kernel, frame, .. }, block, .. } = *self;
        let (frame_of, block_of) = (kernel.outer(frame), kernel.outer(block));
        let base =
            bank * self.resident.bank_words + OperandMap::new(kernel, frame).result + 2 * first;
        let mask = if block_of.n1.is_multiple_of(4) { 0 } else { SECOND_PAIR };
        let (n2, n3) = (block_of.n2, block_of.n3);
        if n2 == frame_of.n2 {
            let planes = (n3 * stack, grid.plane());
            let memory = walk(grid, at, beats, (n2, grid.row()), planes);
            let local = rows_at(base, beats, frame_of.words(), n2 * n3);
            return vec![masked(Descriptor::put(memory, local, 0), mask)];
        }
        // In a frame, the planes of a small block do not follow each other.
        let plane = |z: usize| {
            let corner = [at[0], at[1], at[2] + z as isize];
            let planes = (stack, n3 * grid.plane());
            let memory = walk(grid, corner, beats, (n2, grid.row()), planes);
            let local = rows_at(base + z * frame_of.plain_plane(), beats, frame_of.words(), n2);
            masked(Descriptor::put(memory, local, 0), mask)
        };
        (0..n3).map(plane).collect()
    }

    /// Returns the transfers that store the results of a page, also as faces along x.
    fn unload(&self, grids: &Grids, at: [usize; 3], stack: usize, bank: usize) -> Vec<Descriptor> {
        let block_of = self.resident.kernel.outer(self.block);
        let (grid, [x, y, z]) = (&grids.result, at.map(|x| x as isize));
        let beats = block_of.n1.div_ceil(4);
        let place = (stack, bank);
        let mut puts = self.put(grid, [x, y, z], (0, beats), place);
        if grids.periodic[0] && faces::go_with_pages(grid) {
            if at[0] == 0 {
                puts.extend(self.put(grid, [grid.n[0] as isize, y, z], (0, 1), place));
            }
            if at[0] + block_of.n1 == grid.n[0] {
                puts.extend(self.put(grid, [-4, y, z], (beats - 1, 1), place));
            }
        }
        puts
    }

    /// Returns the pages of the operator on these grids.
    pub(super) fn pages_on(&self, grids: &Grids) -> Result<Vec<Page>, KernelError> {
        let Self { resident: Resident { kernel, frame, entry, .. }, block, n, stack } = *self;
        let registers = arguments(kernel, frame, block)?;
        let mut pages = Vec::with_capacity(self.pages());
        let along = |axis: usize, step: usize| (0..n[axis]).step_by(step);
        for z in along(2, block.n3 * stack) {
            for (y, x) in along(1, block.n2).flat_map(|y| along(0, block.n1).map(move |x| (y, x))) {
                let bank = pages.len() % 2;
                let stack = stack.min((n[2] - z) / block.n3);
                let mut load = Vec::new();
                if pages.len() < 2 {
                    load.push(self.constants(bank)?);
                }
                for section in 0..stack {
                    let at = [x, y, z + section * block.n3];
                    load.push(self.get_faced(&grids.faced, at, (bank, section)));
                }
                if kernel.takes_plain() {
                    let at = self.outer_place([x, y, z]);
                    load.extend(self.get_plain(&grids.plain, at, (stack, bank)));
                }
                let first = (bank * self.resident.bank_words) as u64;
                let based =
                    |(k, &value): (usize, &u64)| (if k < 4 { value + first } else { value }) as u16;
                let arguments = registers.iter().enumerate().map(based).collect();
                let commands = vec![Command::Run(Call::new(entry, arguments))];
                let unload = self.unload(grids, self.outer_place([x, y, z]), stack, bank);
                pages.push(Page { prepare: Vec::new(), load, commands, unload });
            }
        }
        Ok(pages)
    }

    /// Returns the fewest cycles of the kernel for a page: the operations that the fuller slot has to issue for the points of
    /// the blocks.
    pub(super) fn least_cycles(&self) -> f64 {
        let Resident { frame, least_cycles, .. } = self.resident;
        let share = self.block.points() as f64 / frame.points() as f64;
        least_cycles as f64 * share
    }

    /// Returns the place of a block's results, and of the values to which they are added, in their grid.
    fn outer_place(&self, at: [usize; 3]) -> [usize; 3] {
        let unit = GridBlock::new(2, 2, 2);
        let outer = self.resident.kernel.outer(unit).n1;
        at.map(|x| x * outer / unit.n1)
    }
}

/// Mask of the points of a beat behind the first two.
const SECOND_PAIR: u8 = 0b1100;

/// Returns a transfer to memory that leaves the masked points of the last beat of each row as they are.
fn masked(mut put: Descriptor, mask: u8) -> Descriptor {
    if let DescriptorAction::Put(put) = &mut put.action {
        put.row_end_mask = mask;
    }
    put
}

/// Whether a kernel takes a block: whole groups of points, and enough planes for its loop.
fn is_fit(kernel: GridKernel, block: GridBlock) -> bool {
    let (n2, n3) = (block.n2, block.n3);
    match kernel {
        GridKernel::Proj => {
            n2.is_multiple_of(2) && n3.is_multiple_of(2) && n3 / 2 >= least_passes(kernel)
        }
        _ => n3 >= least_passes(kernel),
    }
}

/// Returns the walk over rows of beats of a grid, from a point on; rows and planes are given by number and by bytes from one
/// to the next.
pub(super) fn walk(
    grid: &PaddedGrid,
    corner: [isize; 3],
    beats: usize,
    rows: (usize, usize),
    planes: (usize, usize),
) -> MemoryWalk {
    let stride = |(count, step): (usize, usize)| Stride { step: step as i32, count: count as u32 };
    let (x, y) = (stride(rows), stride(planes));
    MemoryWalk { base: grid.point(corner), index: None, burst: beats as u8, x, y }
}

/// Returns the walk over rows of beats in local memory, `step` words apart.
pub(super) fn rows_at(base: usize, beats: usize, step: usize, rows: usize) -> LocalWalk {
    let stride = |step: usize, count: usize| LocalStride {
        step: step as u16,
        count: count as u16,
        reversed: false,
    };
    let base = WordAddress::from_index(base);
    LocalWalk { base, index: None, x: stride(2, beats), y: stride(step, rows) }
}
