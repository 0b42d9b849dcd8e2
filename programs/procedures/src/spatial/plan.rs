//! Division of the transform of an array of up to three dimensions into passes over memory, and the transfers of the
//! pages of each. Two axes go in one pass where a plane of them fits the bank of a section.
//!
//! A *plane pass* transforms the rows, which are contiguous in memory, and the columns of planes that a section holds
//! as a whole. A *column pass* transforms along one axis; its sections have pairs of columns in turn. Both work in
//! place, and leave their results in orders that the walks of the transfers to memory undo.

use crate::host::device_driven::Transfers;
use crate::host::pages::{BANK_WORDS, bank};
use crate::host::walks::{BURST_BEATS, rows_of, run_of};
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, Pattern};
use cp2_isa::{Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft::in_place as fft;
use cp2_kernels::fft::in_place::InPlace;
use cp2_session::error::KernelError;
use std::fmt;

/// Sizes of an array of complex numbers: points along x, y and z; x is contiguous in memory. An axis that the array
/// does not have has one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes(pub [usize; 3]);

impl Sizes {
    /// Returns the number of points of the array.
    pub fn points(&self) -> usize {
        self.0.iter().product()
    }

    /// Refuses sizes that no pass transforms: x has to be a power of two from 32 to 256, y one from 8 to 256, and z one
    /// from 8 to 256 or 1.
    ///
    /// # Errors
    /// The number of points along an axis is another one.
    pub fn check(&self) -> Result<(), KernelError> {
        let [x, y, z] = self.0;
        let rule = |what, value: usize, least: usize, or: &str| {
            if value.is_power_of_two() && (least..=256).contains(&value) {
                return Ok(());
            }
            let limit = format!("a power of two from {least} to 256{or}");
            Err(KernelError::Parameter { what, value, limit })
        };
        rule("number of points along the last axis", x, 32, "")?;
        rule("number of points along the axis before the last", y, 8, "")?;
        if z == 1 { Ok(()) } else { rule("number of points along the first axis", z, 8, ", or 1") }
    }
}

/// Order of an array in memory, x fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// x fastest, then y, then z.
    Natural,
    /// x fastest, then z, then y: planes of x and z are contiguous.
    Swapped,
}

/// The vectors that a pass transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassKind {
    /// Rows, by whole pages.
    Rows,
    /// Planes of x and y (1) or z (2), which are contiguous where they are written.
    Planes(usize),
    /// Columns along y (1) or z (2).
    Columns(usize),
}

impl fmt::Display for PassKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &usize| if *axis == 1 { "y" } else { "z" };
        match self {
            Self::Rows => f.write_str("rows"),
            Self::Planes(with) => write!(f, "planes x{}", axis(with)),
            Self::Columns(along) => write!(f, "columns {}", axis(along)),
        }
    }
}

/// A pass over memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DataPass {
    pub(super) kind: PassKind,
    /// Order of the array that is read.
    pub(super) from: Order,
    /// Order of the array that is written.
    pub(super) to: Order,
}

const fn data_pass(kind: PassKind, from: Order, to: Order) -> DataPass {
    DataPass { kind, from, to }
}

/// Returns the passes of a transform from and to the natural order.
pub(super) fn passes(sizes: &Sizes) -> Vec<DataPass> {
    let natural = |kind| data_pass(kind, Order::Natural, Order::Natural);
    let [x, y, z] = sizes.0;
    if x * y <= BANK_WORDS && z >= SECTIONS {
        vec![natural(PassKind::Planes(1)), natural(PassKind::Columns(2))]
    } else if z == 1 {
        vec![natural(PassKind::Rows), natural(PassKind::Columns(1))]
    } else if x * z <= BANK_WORDS {
        vec![
            data_pass(PassKind::Planes(2), Order::Natural, Order::Swapped),
            data_pass(PassKind::Columns(1), Order::Swapped, Order::Natural),
        ]
    } else {
        vec![natural(PassKind::Rows), natural(PassKind::Columns(1)), natural(PassKind::Columns(2))]
    }
}

/// Points of rows whose halves are unloaded one after the other.
const HALVED: usize = 4 * BURST_BEATS;

/// Returns a term of a walk that counts `count` steps of `step` words with their bits reversed, the last of them the lowest.
/// The reversal is over one bit more than addresses have.
fn reversed(core: &Core, step: usize, count: usize) -> LocalStride {
    let high = (step * count).trailing_zeros() - 1;
    LocalStride { step: 1 << (core.address_bits() - high), count: count as u16, reversed: true }
}

fn linear(step: usize, count: usize) -> LocalStride {
    LocalStride { step: step as u16, count: count as u16, reversed: false }
}

impl DataPass {
    /// Returns the pass between arrays in other orders.
    pub(super) fn reordered(self, from: Order, to: Order) -> Self {
        Self { from, to, ..self }
    }

    /// Returns the words of a page in each section, at most `most` where there is a choice.
    pub(super) fn words(self, sizes: &Sizes, most: usize) -> usize {
        match self.kind {
            PassKind::Rows => most.min(sizes.points() / SECTIONS),
            PassKind::Planes(axis) => sizes.0[0] * sizes.0[axis],
            PassKind::Columns(axis) => {
                // In both orders, columns lie beside each other in such runs.
                let run = if axis == 1 { sizes.0[0] } else { sizes.0[0] * sizes.0[1] };
                most.min(sizes.0[axis] * run / SECTIONS)
            }
        }
    }

    /// Returns the transforms of a page, with the number of their vectors in each section.
    pub(super) fn transforms(self, sizes: &Sizes, words: usize) -> Vec<(InPlace, usize)> {
        let x = sizes.0[0];
        let order = if x == HALVED { fft::Order::ReversedInHalves } else { fft::Order::Reversed };
        let rows = (InPlace { points: x, columns: None, order }, words / x);
        let columns = |points, stride, order| {
            (InPlace { points, columns: Some(stride), order }, words / points)
        };
        match self.kind {
            PassKind::Rows => vec![rows],
            // Columns may come out reversed where the walk has a term left for them.
            PassKind::Planes(axis) if x >= HALVED => {
                vec![rows, columns(sizes.0[axis], x, fft::Order::Natural)]
            }
            PassKind::Planes(axis) => vec![rows, columns(sizes.0[axis], x, fft::Order::Reversed)],
            PassKind::Columns(axis) => {
                let points = sizes.0[axis];
                vec![columns(points, words / points, fft::Order::Reversed)]
            }
        }
    }

    /// Returns the number of pages of the pass.
    pub(super) fn n_pages(self, sizes: &Sizes, words: usize) -> usize {
        sizes.points() / (SECTIONS * words)
    }

    /// Returns the pages of the pass, read from one address and written to another.
    pub(super) fn pages(
        self,
        core: &Core,
        sizes: &Sizes,
        words: usize,
        [from, to]: [MemoryAddress; 2],
    ) -> Result<Vec<Transfers>, KernelError> {
        let page = |k| {
            let place = WordAddress::from_index(bank(core, k));
            Ok(Transfers {
                load: self.load(sizes, (words, k), from, place)?,
                unload: vec![self.unload(core, sizes, (words, k), to, place)?],
            })
        };
        (0..self.n_pages(sizes, words)).map(page).collect()
    }

    /// Returns the place of the columns of page k: words beside each other, words from a row to the next, and words before
    /// the first column.
    fn columns(
        self,
        sizes: &Sizes,
        axis: usize,
        order: Order,
        (words, k): (usize, usize),
    ) -> [usize; 3] {
        let [x, y, z] = sizes.0;
        let beside = SECTIONS * words / sizes.0[axis];
        // Columns are numbered by x, then by the axis that is not their own.
        let first = k * beside;
        match (axis, order) {
            (1, Order::Natural) => [beside, x, first / x * x * y + first % x],
            (1, Order::Swapped) => [beside, x * z, first],
            (_, Order::Natural) => [beside, x * y, first],
            (_, Order::Swapped) => [beside, x, first / x * x * z + first % x],
        }
    }

    fn load(
        self,
        sizes: &Sizes,
        (words, k): (usize, usize),
        array: MemoryAddress,
        place: WordAddress,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let beats = words as u16 / 2;
        let [x, y, z] = sizes.0;
        let run = run_of(array.plus_words(k * SECTIONS * words), SECTIONS * words);
        let local = LocalWalk::linear(place, beats);
        Ok(match (self.kind, self.from) {
            // The walk through local memory is the same for all sections of a descriptor, so each section has a descriptor of
            // its own.
            (PassKind::Planes(2), Order::Natural) => {
                let of_section = |s| {
                    let first = array.plus_words((k * SECTIONS + s) * x);
                    Ok(Descriptor::get(rows_of(first, x, x * y, z)?, local, Pattern::only(s)))
                };
                (0..SECTIONS).map(of_section).collect::<Result<_, KernelError>>()?
            }
            (PassKind::Rows | PassKind::Planes(_), _) => {
                vec![Descriptor::get(run?, local, Pattern::dealt(beats))]
            }
            (PassKind::Columns(axis), order) => {
                let [beside, pitch, first] = self.columns(sizes, axis, order, (words, k));
                let memory = rows_of(array.plus_words(first), beside, pitch, sizes.0[axis])?;
                let local = LocalWalk::interleaved(place, beats);
                vec![Descriptor::get(memory, local, Pattern::dealt(1))]
            }
        })
    }

    fn unload(
        self,
        core: &Core,
        sizes: &Sizes,
        (words, k): (usize, usize),
        array: MemoryAddress,
        place: WordAddress,
    ) -> Result<Descriptor, KernelError> {
        let x = sizes.0[0];
        let walk = |x, y| LocalWalk { base: place, index: None, x, y };
        let run = run_of(array.plus_words(k * SECTIONS * words), SECTIONS * words);
        let part = if x == HALVED { x / 2 } else { x };
        let of_row = reversed(core, 2, part / 2);
        Ok(match self.kind {
            PassKind::Planes(_) if x < HALVED => {
                Descriptor::put(run?, walk(of_row, reversed(core, x, words / x)), 0)
            }
            PassKind::Rows | PassKind::Planes(_) => {
                Descriptor::put(run?, walk(of_row, linear(part, words / part)), 0)
            }
            PassKind::Columns(axis) => {
                let points = sizes.0[axis];
                let [beside, pitch, first] = self.columns(sizes, axis, self.to, (words, k));
                let memory = rows_of(array.plus_words(first), beside, pitch, points)?;
                let columns = words / points;
                let rows = reversed(core, columns, points);
                Descriptor::put(memory, walk(linear(2, columns / 2), rows), 1)
            }
        })
    }
}
