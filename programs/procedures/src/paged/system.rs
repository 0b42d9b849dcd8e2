//! Arrays in system memory: where their elements lie, with margins around them for pages that reach beyond an edge, and
//! how they are written before the pages and read behind them.

use super::stream::BEAT;
use super::{ArrayPart, Edge, SystemArray, advance};
use crate::host::Host;
use cp2_asm::interface::{Layout, Packing, Spread};
use cp2_emu::machine::Key;
use cp2_isa::{Bytes, MemoryAddress, SECTIONS};
use cp2_session::arrays::kind_of;
use cp2_session::error::KernelError;
use cp2_session::npy::Array;
use std::ops::Range;

/// Elements that are converted to words at once.
const PART: usize = 4096;

/// An array at its place in system memory.
#[derive(Clone, Debug)]
pub(super) struct PlacedSystemArray {
    /// Address of the first byte, and the number of all bytes.
    pub(super) base: MemoryAddress,
    pub(super) bytes: Bytes,
    /// Address of the element with the index 0 along every axis.
    pub(super) origin: MemoryAddress,
    /// Bytes of an element: 4, or 8 where each has a word of its own in local memory.
    pub(super) unit: i64,
    /// Bytes from an element to the next one along each axis.
    pub(super) steps: Vec<i64>,
    /// Elements before the first and behind the last one along each axis.
    pub(super) margins: Vec<[usize; 2]>,
    pub(super) packing: Packing,
    /// Whether an element has 32 bits.
    pub(super) is_half: bool,
    /// Whether the channel also moves single words of 32 bits (extension `dma-words`).
    pub(super) by_words: bool,
}

/// Returns the bytes that an element of an array takes in memory: as many as in local memory.
fn unit(array: &SystemArray, layout: &Layout) -> i64 {
    let is_pair = array.element.is_half() && layout.packing == Packing::Pairs;
    if is_pair { 4 } else { 8 }
}

/// Returns the elements beyond each edge that some part has, along each axis: before the first and behind the last.
fn margins(array: &SystemArray, parts: &[&ArrayPart], unit: i64) -> Vec<[usize; 2]> {
    let mut margins = vec![[0, 0]; array.shape.len()];
    for ranges in parts.iter().flat_map(|part| &part.boxes) {
        for ((margin, range), &size) in margins.iter_mut().zip(ranges).zip(&array.shape) {
            margin[0] = margin[0].max((-range.start).max(0) as usize);
            margin[1] = margin[1].max((range.end - size as i64).max(0) as usize);
        }
    }
    if let Some(last) = margins.last_mut() {
        // Elements with the index 0 begin beats.
        last[0] = last[0].next_multiple_of((BEAT / unit) as usize);
    }
    margins
}

impl PlacedSystemArray {
    /// Allocates an array of which pages have `parts`.
    pub(super) fn new(
        host: &mut Host,
        array: &SystemArray,
        layout: &Layout,
        parts: &[&ArrayPart],
    ) -> Result<Self, KernelError> {
        let unit = unit(array, layout);
        let margins = margins(array, parts, unit);
        let sizes: Vec<i64> =
            array.shape.iter().zip(&margins).map(|(&n, m)| (m[0] + n + m[1]) as i64).collect();
        let last = array.shape.len().saturating_sub(1);
        let row = sizes.last().copied().unwrap_or(1);
        let is_whole = |part: &&ArrayPart| {
            part.boxes.iter().all(|ranges| ranges[last].end - ranges[last].start == row)
        };
        // Rows of which pages have a piece begin at beats.
        let pads = last > 0 && !parts.iter().all(is_whole);
        // The share of each section begins at a beat, if it is what an index of the first axis has.
        let whole = ArrayPart::whole(&array.shape);
        let by_section = last > 0
            && layout.spread == Spread::Blocks
            && array.shape[0] == SECTIONS
            && parts.iter().all(|part| **part == whole);
        let mut steps = vec![unit; array.shape.len()];
        for axis in (0..last).rev() {
            let inner = steps[axis + 1] * sizes[axis + 1];
            let is_row = axis + 1 == last && pads;
            let is_share = axis == 0 && by_section;
            let whole = (inner + BEAT - 1) / BEAT * BEAT;
            steps[axis] = if is_row || is_share { whole } else { inner };
        }
        let bytes = Bytes(((steps[0] * sizes[0] + BEAT - 1) / BEAT * BEAT) as u64);
        let base = host.allocate(bytes)?;
        let before: i64 = margins.iter().zip(&steps).map(|(m, step)| m[0] as i64 * step).sum();
        let origin = MemoryAddress(base.0 + before as u64);
        let (packing, is_half) = (layout.packing, array.element.is_half());
        let by_words = host.config().value(Key::DmaWords) == 1;
        Ok(Self { base, bytes, origin, unit, steps, margins, packing, is_half, by_words })
    }

    /// Returns the address of the element at an index, which may lie in a margin.
    pub(super) fn address(&self, index: impl Iterator<Item = i64>) -> MemoryAddress {
        let behind: i64 = index.zip(&self.steps).map(|(i, step)| i * step).sum();
        MemoryAddress((self.origin.0 as i64 + behind) as u64)
    }

    /// Calls `each` for every row along the last axis, with margins: the index of the row, and the place of its first
    /// element.
    fn rows(
        &self,
        shape: &[usize],
        mut each: impl FnMut(&[i64], MemoryAddress) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let margins = shape.iter().zip(&self.margins);
        let mut outer: Vec<Range<i64>> =
            margins.map(|(&size, m)| -(m[0] as i64)..(size + m[1]) as i64).collect();
        let Some(row) = outer.pop() else { return Ok(()) };
        let mut index: Vec<i64> = outer.iter().map(|range| range.start).collect();
        loop {
            each(&index, self.address(index.iter().copied().chain([row.start])))?;
            if !advance(&mut index, &outer) {
                return Ok(());
            }
        }
    }

    /// Writes the values of an array, and its margins by the rule of its edge.
    pub(super) fn write(
        &self,
        host: &mut Host,
        array: &SystemArray,
        values: &Array,
    ) -> Result<(), KernelError> {
        let shape = &array.shape;
        let last = shape.len() - 1;
        let [before, behind] = self.margins[last];
        let n = shape[last];
        let within = |index: i64, size: usize| match array.edge {
            Some(Edge::Wrap) => Some(index.rem_euclid(size as i64) as usize),
            Some(Edge::Nearest) => Some(index.clamp(0, size as i64 - 1) as usize),
            _ => usize::try_from(index).ok().filter(|index| *index < size),
        };
        let mut pending: Vec<u64> = Vec::new();
        let mut begin: Option<MemoryAddress> = None;
        self.rows(shape, |outer, at| {
            let mut places = outer.iter().zip(shape).map(|(&i, &size)| (within(i, size), size));
            let first = places.try_fold(0, |sum, (i, size)| Some(sum * size + i?));
            let columns = -(before as i64)..(n + behind) as i64;
            let element = |column: i64| {
                let place = first.zip(within(column, n)).map(|(first, k)| first * n + k);
                place.map_or(0, |place| values.bits(place) as u64)
            };
            // Between rows there may be elements that only fill a beat.
            let from = *begin.get_or_insert(at);
            pending.resize(((at.0 - from.0) / self.unit as u64) as usize, 0);
            pending.extend(columns.map(element));
            if pending.len() >= PART && pending.len().is_multiple_of(2) {
                host.write_words(from, &self.words(&pending))?;
                begin = Some(from + Bytes((pending.len() as i64 * self.unit) as u64));
                pending.clear();
            }
            Ok(())
        })?;
        match begin {
            Some(from) if !pending.is_empty() => host.write_words(from, &self.words(&pending)),
            _ => Ok(()),
        }
    }

    /// Returns elements as they lie in words of memory.
    fn words(&self, elements: &[u64]) -> Vec<u64> {
        if self.unit == 4 {
            let pair = |pair: &[u64]| pair[0] << 32 | pair.get(1).copied().unwrap_or(0);
            return elements.chunks(2).map(pair).collect();
        }
        let packed = |&bits: &u64| match self.packing {
            Packing::High if self.is_half => bits << 32,
            Packing::Both if self.is_half => bits << 32 | bits,
            _ => bits,
        };
        elements.iter().map(packed).collect()
    }

    /// Reads the elements of an array, without margins.
    pub(super) fn read(&self, host: &Host, array: &SystemArray) -> Result<Array, KernelError> {
        let n = array.shape[array.shape.len() - 1];
        let mut elements = Vec::with_capacity(array.shape.iter().product());
        let whole = Self { margins: vec![[0, 0]; array.shape.len()], ..self.clone() };
        let per_word = (8 / self.unit) as usize;
        whole.rows(&array.shape, |_, at| {
            let skipped = (at.0 % 8 / 4) as usize;
            let from = MemoryAddress(at.0 / 8 * 8);
            let words = host.read_words(from, (n + skipped).div_ceil(per_word))?;
            if self.unit == 4 {
                let halves = words.iter().flat_map(|word| [word >> 32, word & 0xffff_ffff]);
                elements.extend(halves.skip(skipped).take(n).map(u128::from));
                return Ok(());
            }
            elements.extend(words.iter().map(|&word| match self.packing {
                Packing::High | Packing::Both if self.is_half => u128::from(word >> 32),
                _ if self.is_half => u128::from(word & 0xffff_ffff),
                _ => u128::from(word),
            }));
            Ok(())
        })?;
        let kind = kind_of(array.element);
        Ok(Array::from_bits(kind, array.shape.clone(), elements.into_iter()))
    }
}
