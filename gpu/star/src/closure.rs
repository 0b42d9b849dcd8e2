//! Transitive closure of a table on a device: WARSHALL-adapt with one launch for each pivot, or for each block of pivots, and the
//! insertion of arcs into a closed table.

use crate::error::StarGpuError;
use crate::kernels::{CLOSURE, program};
use crate::sequential::BitMatrix;
use cp2_gpu::GpuArgument::{Int, Ints, Words};
use cp2_gpu::{Gpu, GpuBuffer, GpuKernel};

/// Work-items of a group.
const ITEMS: usize = 256;
/// Words of rows of a work-group that closes blocks of pivots.
const TILE: usize = 8;
/// Work-groups for each unit of the device, when blocks of pivots are closed.
const GROUPS: usize = 4;

/// Pivots of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotBlock {
    /// 32 pivots.
    P32,
    /// 64 pivots.
    P64,
}

impl PivotBlock {
    fn pivots(self) -> usize {
        match self {
            Self::P32 => 32,
            Self::P64 => 64,
        }
    }
}

/// A square table on a device, of which the closure is made.
pub struct DeviceClosure {
    gpu: Gpu,
    n: usize,
    words: usize,
    /// Work-items of a column.
    lanes: usize,
    /// The table, and another one into which blocks of pivots write; behind each is a word for the number of the next pivot.
    tables: [GpuBuffer<u64>; 2],
    /// Words that an inserted arc adds.
    added: GpuBuffer<u64>,
    /// Kernels of even and odd pivots.
    pivot: [GpuKernel; 2],
    /// Kernel that does nothing.
    nothing: GpuKernel,
    arc: [GpuKernel; 2],
    blocks: [GpuKernel; 2],
}

impl DeviceClosure {
    /// Brings a table to a device.
    ///
    /// # Errors
    /// The device has no room for two such tables and a column, or is lost.
    pub fn new(gpu: &Gpu, table: &BitMatrix) -> Result<Self, StarGpuError> {
        let (n, words) = (table.n(), table.words());
        let (info, count) = (gpu.info(), n * words);
        let bytes = 8 * (2 * (count + 1) + words + 1) as u64;
        // Places in kernels are 32-bit integers.
        let largest = info.largest.min(8 << 31);
        if bytes > info.memory || 8 * (count as u64 + 1) > largest {
            return Err(StarGpuError::Memory {
                what: format!("two tables of {n} rows and columns and a column"),
                bytes,
                limit: info.memory.min(2 * largest),
                device: info.name.clone(),
            });
        }
        let lanes = words.next_power_of_two().clamp(4, 32);
        let of_column = [
            ("ITEMS", ITEMS as i64),
            ("LANES", lanes as i64),
            ("N", n as i64),
            ("WORDS", words as i64),
        ];
        let columns = program(gpu, CLOSURE, &of_column)?;
        let block = |pivots: i64| {
            let defined = [("ITEMS", ITEMS as i64), ("PIVOTS", pivots), ("TILE", TILE as i64)];
            program(gpu, CLOSURE, &defined)?.kernel("pivots")
        };
        let tables = [gpu.buffer(count + 1)?, gpu.buffer(count + 1)?];
        gpu.write(&tables[0], 0, table.bits())?;
        Ok(Self {
            gpu: gpu.clone(),
            n,
            words,
            lanes,
            tables,
            added: gpu.buffer(words + 1)?,
            pivot: [columns.kernel("pivot_even")?, columns.kernel("pivot_odd")?],
            nothing: columns.kernel("nothing")?,
            arc: [columns.kernel("arc_begin")?, columns.kernel("arc_end")?],
            blocks: [block(32)?, block(64)?],
        })
    }

    /// Brings another table of the same size in place of the one that is there.
    ///
    /// # Errors
    /// The size differs, or the device is lost.
    pub fn load(&mut self, table: &BitMatrix) -> Result<(), StarGpuError> {
        Ok(self.gpu.write(&self.tables[0], 0, table.bits())?)
    }

    /// Returns the table.
    ///
    /// # Errors
    /// The device is lost.
    pub fn store(&self) -> Result<BitMatrix, StarGpuError> {
        let mut bits = vec![0; self.n * self.words];
        self.gpu.read(&self.tables[0], 0, &mut bits)?;
        Ok(BitMatrix::from_bits(self.n, bits))
    }

    /// Returns sizes with a few work-items for each column.
    fn over_columns(&self) -> [usize; 2] {
        [(self.n * self.lanes).next_multiple_of(ITEMS), ITEMS]
    }

    /// Closes the table with one launch for each pivot, which are in the queue when this returns.
    ///
    /// # Errors
    /// The device is lost.
    pub fn close(&mut self) -> Result<(), StarGpuError> {
        let [global, local] = self.over_columns();
        let [table, _] = &self.tables;
        self.gpu.write(table, self.n * self.words, &[0])?;
        let kernels = self.pivot.each_ref().map(|kernel| (kernel, [Words(table)]));
        let kernels = kernels.each_ref().map(|(kernel, p)| (*kernel, &p[..]));
        Ok(self.gpu.launch_in_turn(kernels, [&[global], &[local]], self.n)?)
    }

    /// Launches a kernel that does nothing as often as [`Self::close`] launches one, with as many work-items; the launches are in the
    /// queue when this returns.
    ///
    /// # Errors
    /// The device is lost.
    pub fn launch_nothing(&mut self) -> Result<(), StarGpuError> {
        let [global, local] = self.over_columns();
        let kernels = [(&self.nothing, &[][..]); 2];
        Ok(self.gpu.launch_in_turn(kernels, [&[global], &[local]], self.n)?)
    }

    /// Closes the table with one launch for each block of pivots, which are in the queue when this returns.
    ///
    /// # Errors
    /// The device is lost.
    pub fn close_by_blocks(&mut self, block: PivotBlock) -> Result<(), StarGpuError> {
        let kernel = &self.blocks[usize::from(block == PivotBlock::P64)];
        let tiles = self.words.div_ceil(TILE);
        let chunks = (GROUPS * self.gpu.info().units / tiles).max(1);
        let span = self.n.div_ceil(chunks).next_multiple_of(ITEMS / TILE);
        let chunks = self.n.div_ceil(span);
        for at in 0..self.n.div_ceil(block.pivots()) {
            let arguments = [
                Words(&self.tables[0]),
                Words(&self.tables[1]),
                Int(self.n as i32),
                Int(self.words as i32),
                Int(at as i32),
                Int(span as i32),
            ];
            self.gpu.launch_in_order(
                kernel,
                [&[tiles * ITEMS, chunks], &[ITEMS, 1]],
                &arguments,
            )?;
            self.tables.swap(0, 1);
        }
        Ok(())
    }

    /// Brings arcs to the device: pairs of tail and head, from 0.
    ///
    /// # Errors
    /// A vertex is not there, or the device is lost.
    pub fn arcs(&self, arcs: &[(usize, usize)]) -> Result<GpuBuffer<i32>, StarGpuError> {
        if let Some((tail, head)) = arcs.iter().find(|(tail, head)| tail.max(head) >= &self.n) {
            let error = format!("an arc from {tail} to {head} of {} vertices, from 0", self.n);
            return Err(cp2_gpu::GpuError::Call { call: "bringing arcs", error }.into());
        }
        let pairs: Vec<i32> =
            arcs.iter().flat_map(|&(tail, head)| [tail as i32, head as i32]).collect();
        Ok(self.gpu.buffer_of(&pairs)?)
    }

    /// Inserts one of the arcs into a table that is closed: two launches, which are in the queue when this returns.
    ///
    /// # Errors
    /// The device is lost.
    pub fn insert(&mut self, arcs: &GpuBuffer<i32>, at: usize) -> Result<(), StarGpuError> {
        let (n, words, at) = (Int(self.n as i32), Int(self.words as i32), Int(at as i32));
        let (p, added) = (Words(&self.tables[0]), Words(&self.added));
        let group = self.words.clamp(1, 128);
        let global = self.words.next_multiple_of(group);
        let arguments = [p, words, Ints(arcs), at, added];
        self.gpu.launch_in_order(&self.arc[0], [&[global], &[group]], &arguments)?;
        let [global, local] = self.over_columns();
        let arguments = [p, n, words, Ints(arcs), at, added];
        self.gpu.launch_in_order(&self.arc[1], [&[global], &[local]], &arguments)?;
        Ok(())
    }

    /// Waits until the device has done all that was asked.
    ///
    /// # Errors
    /// The device is lost.
    pub fn finish(&self) -> Result<(), StarGpuError> {
        Ok(self.gpu.finish()?)
    }
}
