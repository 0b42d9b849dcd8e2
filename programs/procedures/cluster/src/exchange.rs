//! What the processes exchange: faces along an axis, the blocks of the gathered level and their way back. The chains that pack
//! and unpack are made once, and run whenever the step comes.

use crate::decomposition::{FaceSide, ProcessGrid};
use crate::packing::{BEAT, BoxPlace, ColumnFace, RowBox, copies, pack_pages, unpack_pages};
use cp2_emu::dma::Descriptor;
use cp2_isa::{Bytes, Core, MemoryAddress};
use cp2_procedures::multigrid::{LevelArray, MultigridPart, PaddedGrid, PartStep};
use cp2_session::error::KernelError;

/// Points on each side of a row beside those of the grid.
const SIDE: usize = 4;
/// Bytes of a point.
const POINT: usize = 4;

/// Exchange of the two faces along an axis: the chains that pack and unpack both, and their buffers, low side first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisExchange {
    pub(crate) axis: usize,
    pub(crate) pack: usize,
    pub(crate) unpack: usize,
    pub(crate) sent: [MemoryAddress; 2],
    pub(crate) received: [MemoryAddress; 2],
    /// Bytes of a face.
    pub(crate) bytes: usize,
}

/// Copies of a process for the gathered level.
#[derive(Clone, Debug)]
pub(crate) struct GatherPlan {
    /// Chain that packs the block of the residual.
    pub(crate) pack: usize,
    /// Chain that unpacks the block of the solution with its faces.
    pub(crate) unpack: usize,
    /// Buffer and bytes of the residual, and of the solution, of this process.
    pub(crate) residual: (MemoryAddress, usize),
    pub(crate) solution: (MemoryAddress, usize),
    /// Copies of the process that does the level alone.
    pub(crate) root: Option<RootPlan>,
}

/// Copies of the process that does the gathered level alone.
#[derive(Clone, Debug)]
pub(crate) struct RootPlan {
    /// Chain that puts the blocks of all processes into the whole grid.
    pub(crate) assemble: usize,
    /// Chain that takes the blocks of all processes, with their faces, out of the whole grid.
    pub(crate) divide: usize,
    /// Buffers of the blocks of each process.
    pub(crate) residuals: Vec<MemoryAddress>,
    pub(crate) solutions: Vec<MemoryAddress>,
}

/// All exchanges of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExchangePlans {
    faces: Vec<((LevelArray, usize), Vec<AxisExchange>)>,
    pub(crate) gather: Option<GatherPlan>,
}

impl ExchangePlans {
    /// Makes the chains for all steps of a part, and allocates the buffers.
    pub(crate) fn new(
        part: &mut MultigridPart,
        core: &Core,
        grid: &ProcessGrid,
    ) -> Result<Self, KernelError> {
        let mut wanted = Vec::new();
        for step in part.steps() {
            if let PartStep::Exchange { array, points } = *step
                && !wanted.contains(&(array, points))
            {
                wanted.push((array, points));
            }
        }
        let axes: Vec<usize> = (0..3).filter(|&axis| grid.counts[axis] > 1).collect();
        let arrays: Vec<_> = wanted
            .iter()
            .map(|&(array, points)| part.block(array, points).ok_or(NO_BLOCK))
            .collect::<Result<_, _>>()?;
        let largest =
            arrays.iter().flat_map(|array| axes.iter().map(|&axis| face_bytes(array, axis)));
        let largest = largest.max().unwrap_or(0);
        let buffers = |part: &mut MultigridPart| -> Result<[MemoryAddress; 2], KernelError> {
            let host = part.host();
            Ok([host.allocate(Bytes::from(largest))?, host.allocate(Bytes::from(largest))?])
        };
        let mut plans = Self::default();
        if !arrays.is_empty() {
            let (sent, received) = (buffers(part)?, buffers(part)?);
            for (key, array) in wanted.into_iter().zip(arrays) {
                let exchanges = axes.iter().map(|&axis| {
                    let of = AxisFaces { array, axis, sent, received };
                    of.exchange(part, core)
                });
                plans.faces.push((key, exchanges.collect::<Result<_, _>>()?));
            }
        }
        if part.steps().contains(&PartStep::Gather) {
            plans.gather = Some(gather(part, grid)?);
        }
        Ok(plans)
    }

    /// Returns the exchanges of an array, axis by axis.
    pub(crate) fn of(&self, array: LevelArray, points: usize) -> &[AxisExchange] {
        let found = self.faces.iter().find(|(key, _)| *key == (array, points));
        found.map_or(&[], |(_, exchanges)| exchanges)
    }
}

const NO_BLOCK: KernelError = KernelError::Internal("a step on a level without a block");

/// Returns the bytes of a face: along x its points; along y and z whole rows, with the points beside them.
fn face_bytes(array: &PaddedGrid, axis: usize) -> usize {
    match axis {
        0 => ColumnFace::bytes(array),
        axis => face_box(array, axis).0.bytes(),
    }
}

/// Returns the rows of a face along y, of the planes of the block, or along z, with the rows before and behind the block; and the
/// bytes from a row to the next.
fn face_box(array: &PaddedGrid, axis: usize) -> (RowBox, usize) {
    let [_, rows, planes] = array.n;
    let beats = array.row() / BEAT;
    match axis {
        1 => (RowBox { beats, rows: 1, planes }, array.plane()),
        _ => (RowBox { beats, rows: 1, planes: rows + 2 }, array.row()),
    }
}

/// Returns the place of a face along y or z: of the outermost points of the block, or of those beyond.
fn face_place(array: &PaddedGrid, axis: usize, side: FaceSide, is_beyond: bool) -> BoxPlace {
    let at = array.point(face_point(array, axis, side, is_beyond));
    BoxPlace { at, pitch: [face_box(array, axis).1; 2] }
}

/// Returns the point with which a face along y or z begins: the outermost one of the block, or the one beyond it.
fn face_point(array: &PaddedGrid, axis: usize, side: FaceSide, is_beyond: bool) -> [isize; 3] {
    let (n, beyond) = (array.n[axis] as isize, isize::from(is_beyond));
    let at = match side {
        FaceSide::Low => -beyond,
        FaceSide::High => n - 1 + beyond,
    };
    let left = -(SIDE as isize);
    if axis == 1 { [left, at, 0] } else { [left, -1, at] }
}

/// The faces of an array along an axis, with the buffers of both sides.
struct AxisFaces {
    array: PaddedGrid,
    axis: usize,
    sent: [MemoryAddress; 2],
    received: [MemoryAddress; 2],
}

impl AxisFaces {
    fn exchange(&self, part: &mut MultigridPart, core: &Core) -> Result<AxisExchange, KernelError> {
        let &Self { array, axis, sent, received } = self;
        let bytes = face_bytes(&array, axis);
        let (pack, unpack) = if axis == 0 {
            let faces = |buffers: [MemoryAddress; 2]| {
                [0, 1].map(|k| ColumnFace {
                    grid: array,
                    side: FaceSide::BOTH[k],
                    buffer: buffers[k],
                })
            };
            let packed = pack_pages(part, core, &faces(sent))?;
            let unpacked = unpack_pages(part, core, &faces(received))?;
            (part.add_chain(packed, Vec::new())?, part.add_chain(unpacked, Vec::new())?)
        } else {
            let (of, _) = face_box(&array, axis);
            let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
            for (k, side) in FaceSide::BOTH.into_iter().enumerate() {
                let face = |is_beyond| face_place(&array, axis, side, is_beyond);
                packed.extend(copies(&of, face(false), of.in_buffer(sent[k]))?);
                unpacked.extend(copies(&of, of.in_buffer(received[k]), face(true))?);
            }
            (part.add_chain(Vec::new(), packed)?, part.add_chain(Vec::new(), unpacked)?)
        };
        Ok(AxisExchange { axis, pack, unpack, sent, received, bytes })
    }
}

/// Returns the box of a block of `n` points along each axis, with one row and plane and four points around it, or without.
const fn block_box(n: [usize; 3], is_faced: bool) -> RowBox {
    let around = if is_faced { 1 } else { 0 };
    RowBox {
        beats: (n[0] + 2 * SIDE * around) * POINT / BEAT,
        rows: n[1] + 2 * around,
        planes: n[2] + 2 * around,
    }
}

/// Returns the place of a block in an array, from its first point on or from its faces on.
fn block_place(array: &PaddedGrid, first: [usize; 3], is_faced: bool) -> BoxPlace {
    let around = isize::from(is_faced);
    let [x, y, z] = first.map(|at| at as isize);
    let at = array.point([x - around * SIDE as isize, y - around, z - around]);
    BoxPlace { at, pitch: [array.row(), array.plane()] }
}

/// Returns the transfers that make the faces of a whole grid of its other sides, axis by axis.
fn periodic_faces(grid: &PaddedGrid) -> Result<Vec<Descriptor>, KernelError> {
    let n = grid.n.map(|n| n as isize);
    let side = SIDE as isize;
    let beats = RowBox { beats: SIDE * POINT / BEAT, rows: grid.n[1], planes: grid.n[2] };
    let column =
        |x: isize| BoxPlace { at: grid.point([x, 0, 0]), pitch: [grid.row(), grid.plane()] };
    let mut all = copies(&beats, column(0), column(n[0]))?;
    all.extend(copies(&beats, column(n[0] - side), column(-side))?);
    for axis in [1, 2] {
        let (of, _) = face_box(grid, axis);
        for (from, to) in [(FaceSide::Low, FaceSide::High), (FaceSide::High, FaceSide::Low)] {
            let (from, to) =
                (face_place(grid, axis, from, false), face_place(grid, axis, to, true));
            all.extend(copies(&of, from, to)?);
        }
    }
    Ok(all)
}

fn gather(part: &mut MultigridPart, grid: &ProcessGrid) -> Result<GatherPlan, KernelError> {
    let points = part.outline().gathered;
    let block = |array| part.block(array, points).ok_or(NO_BLOCK);
    let (residual, solution) = (block(LevelArray::R)?, block(LevelArray::U)?);
    let wholes = [LevelArray::R, LevelArray::U].map(|array| part.whole(array, points));
    let [bare, faced] = [false, true].map(|is_faced| block_box(residual.n, is_faced));
    let processes = if part.outline().is_root { grid.processes() } else { 1 };
    let mut slots = |of: &RowBox| -> Result<Vec<MemoryAddress>, KernelError> {
        (0..processes).map(|_| part.host().allocate(Bytes::from(of.bytes()))).collect()
    };
    let (residuals, solutions) = (slots(&bare)?, slots(&faced)?);
    let own = block_place(&residual, [0; 3], false);
    let packed = copies(&bare, own, bare.in_buffer(residuals[0]))?;
    let own = block_place(&solution, [0; 3], true);
    let unpacked = copies(&faced, faced.in_buffer(solutions[0]), own)?;
    let pack = part.add_chain(Vec::new(), packed)?;
    let unpack = part.add_chain(Vec::new(), unpacked)?;
    let root = match wholes {
        [Some(residual), Some(solution)] => {
            let (mut assembled, mut divided) = (Vec::new(), Vec::new());
            for rank in 0..processes {
                let first = grid.first(rank, points);
                let place = block_place(&residual, first, false);
                assembled.extend(copies(&bare, bare.in_buffer(residuals[rank]), place)?);
                let place = block_place(&solution, first, true);
                divided.extend(copies(&faced, place, faced.in_buffer(solutions[rank]))?);
            }
            assembled.extend(periodic_faces(&residual)?);
            let assemble = part.add_chain(Vec::new(), assembled)?;
            let divide = part.add_chain(Vec::new(), divided)?;
            Some(RootPlan {
                assemble,
                divide,
                residuals: residuals.clone(),
                solutions: solutions.clone(),
            })
        }
        _ => None,
    };
    let (residual, solution) = ((residuals[0], bare.bytes()), (solutions[0], faced.bytes()));
    Ok(GatherPlan { pack, unpack, residual, solution, root })
}
