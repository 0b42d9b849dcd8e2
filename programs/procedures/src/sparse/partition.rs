//! A partition of a matrix, which is a block of its columns in the form of a kernel: its division into pages, the
//! contents of a page, and its cycles and bytes. The places of pages in memory are in `stored`.

use cp2_isa::{Core, Extensions, SECTIONS};
use cp2_kernels::sparse::{
    BACK_CYCLES, BlockMatrix, BlockShape, Contents, Gathering, IndexForm, OWN_BACK_CYCLES,
    PASS_ACCESSES, PASS_CYCLES, Packed, PagePart, RowLayout, RowOrder, SPREAD, TURN, back_source,
    blocks_cycles, blocks_source, order_of, own_back_source, packed_cycles, packed_source,
    register_cycles, sections_source,
};
use cp2_session::error::KernelError;
use cp2_session::sparse::{Csr, SparseError};
use std::fmt;

/// Number of which the columns of a block are a multiple: whole bursts of words that every section gets, two columns in each
/// word.
pub(super) const COLUMNS: usize = 128;

/// Returns the words of a vector as it lies in memory, in whole bursts.
pub(super) const fn vector_pairs(columns: usize) -> usize {
    columns.next_multiple_of(COLUMNS) / 2
}

/// Form in which a sparse matrix is stored for a kernel that multiplies by it page by page (a page is the part that
/// lies in local memory at once), and so which kernel it is. Procedures choose among these forms;
/// [`ProductPlan`](super::ProductPlan) has the one chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFormat {
    /// Sliced CSR with columns of 16 bits: slices of rows that are padded to one length, see [`Packed`].
    Sliced {
        /// Number of rows of a slice, one of `cp2_kernels::sparse::HEIGHTS`.
        height: usize,
        /// Order in which the rows of the matrix are dealt to slices.
        order: RowOrder,
    },
    /// Dense blocks of this shape, see [`BlockMatrix`].
    Blocks(BlockShape),
}

impl MatrixFormat {
    /// Returns the name of the form's family on the command line: `sliced`, `sorted` (with sorted rows) or `blocks`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sliced { order: RowOrder::Given, .. } => "sliced",
            Self::Sliced { order: RowOrder::Sorted, .. } => "sorted",
            Self::Blocks(_) => "blocks",
        }
    }

    /// Returns the most columns of a block beside whose vector pages find room in local memory.
    pub(super) const fn widest(self, core: &Core) -> usize {
        match self {
            Self::Sliced { .. } if has_own(core) => core.lmem_words() / 4 * 3,
            Self::Sliced { .. } => core.lmem_words() / 4 * 3 * 2,
            // The vector is spread from the place of a page, so it has to fit there.
            Self::Blocks(_) => core.lmem_words() / 2,
        }
    }

    /// Returns the words of local memory that the vector of a block of columns takes.
    pub(super) const fn vector_words(self, core: &Core, columns: usize) -> usize {
        match self {
            Self::Sliced { .. } if !has_own(core) => vector_pairs(columns),
            _ => 2 * vector_pairs(columns),
        }
    }

    /// Returns how the vector is prepared for the kernel.
    pub(super) const fn preparation(self, core: &Core) -> Preparation {
        match self {
            Self::Sliced { .. } if has_own(core) => Preparation::Turn,
            Self::Sliced { .. } => Preparation::None,
            Self::Blocks(_) => Preparation::Spread,
        }
    }

    /// Whether results come in another order than that of the rows.
    pub(super) const fn is_permuted(self) -> bool {
        matches!(self, Self::Sliced { order: RowOrder::Sorted, .. })
    }

    /// Returns the texts of the form's kernels: the product, the one that prepares the vector and the one that puts rows
    /// back, the last two only if the form needs them.
    pub(super) fn source(self, core: &Core) -> Result<String, KernelError> {
        let product = match self {
            Self::Sliced { height, .. } if has_own(core) => {
                sections_source(height, Gathering::Register)?
            }
            Self::Sliced { height, .. } => packed_source(height)?,
            Self::Blocks(shape) => blocks_source(core, shape)?,
        };
        let before = match self.preparation(core) {
            Preparation::None => "",
            Preparation::Turn => TURN,
            Preparation::Spread => SPREAD,
        };
        let after = match self.is_permuted() {
            true if has_own(core) => own_back_source(),
            true => back_source(),
            false => String::new(),
        };
        Ok(product + before + &after)
    }

    /// Returns the cycles of putting back `rows` rows, about.
    pub(super) const fn back_cycles(core: &Core, rows: usize) -> usize {
        rows * if has_own(core) { OWN_BACK_CYCLES } else { BACK_CYCLES } / ROWS_BACK
    }

    /// Returns how the form's kernel names elements of the vector.
    fn places(core: &Core, columns: usize) -> IndexForm {
        if has_own(core) { IndexForm::Turned(vector_pairs(columns)) } else { IndexForm::Halves }
    }

    /// Returns the order in which rows are dealt to slices.
    pub(super) const fn row_order(self) -> RowOrder {
        match self {
            Self::Sliced { order, .. } => order,
            Self::Blocks(_) => RowOrder::Given,
        }
    }

    /// Returns the numbers of the rows in the order in which the form takes them.
    pub(super) fn order(self, matrix: &Csr) -> Vec<usize> {
        order_of(matrix, self.row_order())
    }
}

/// Whether the sections of a core have addresses of their own.
const fn has_own(core: &Core) -> bool {
    core.extensions().contains(Extensions::SECTION_ADDRESSING)
}

/// Preparation of a vector between memory and the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preparation {
    /// The vector lies in local memory as it is in memory, two elements in a word.
    None,
    /// Behind the words of the vector come the same words with their halves exchanged.
    Turn,
    /// Every element of the vector fills both halves of a word of its own.
    Spread,
}

impl fmt::Display for MatrixFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sliced { height, order: RowOrder::Given } => {
                write!(f, "slices of {height} rows")
            }
            Self::Sliced { height, .. } => write!(f, "slices of {height} rows, sorted"),
            Self::Blocks(shape) => {
                write!(f, "blocks of {} rows x {} columns", 8 * shape.groups, shape.width)
            }
        }
    }
}

/// A block of columns of a matrix in a form.
pub(super) enum Partition {
    Sliced(Packed),
    Blocks(BlockMatrix),
}

impl Partition {
    /// Creates a partition; with `is_filled` all results are written, also those of empty rows.
    pub(super) fn new(
        core: &Core,
        form: MatrixFormat,
        part: &Csr,
        order: &[usize],
        is_filled: bool,
    ) -> Result<Self, SparseError> {
        Ok(match form {
            MatrixFormat::Sliced { height, .. } => {
                let places = MatrixFormat::places(core, part.columns());
                Self::Sliced(Packed::new(part, (height, places), order, is_filled)?)
            }
            MatrixFormat::Blocks(shape) => {
                let mut blocks = BlockMatrix::new(part, shape, RowLayout::Dealt)?;
                if is_filled {
                    blocks.fill();
                }
                Self::Blocks(blocks)
            }
        })
    }

    /// Creates a partition as [`Self::new`] does, but without values where pages and cycles do not depend on them.
    pub(super) fn outline(
        core: &Core,
        form: MatrixFormat,
        part: &Csr,
        order: &[usize],
        is_filled: bool,
    ) -> Result<Self, SparseError> {
        match form {
            MatrixFormat::Sliced { height, .. } => {
                let places = MatrixFormat::places(core, part.columns());
                Ok(Self::Sliced(Packed::outline(part, (height, places), order, is_filled)?))
            }
            MatrixFormat::Blocks(shape) => {
                Ok(Self::Blocks(BlockMatrix::outline(part, (shape, RowLayout::Dealt), is_filled)?))
            }
        }
    }

    /// Returns the words of results of a slice or slab in each section.
    pub(super) fn result_words(&self) -> usize {
        match self {
            Self::Sliced(packed) => packed.result_words(),
            Self::Blocks(blocks) => blocks.shape().groups,
        }
    }

    /// Returns the number of slices or slabs.
    pub(super) fn slices(&self) -> usize {
        match self {
            Self::Sliced(packed) => packed.slices(),
            Self::Blocks(blocks) => blocks.slabs(),
        }
    }

    /// Returns the number of elements with their padding.
    pub(super) fn elements(&self) -> usize {
        match self {
            Self::Sliced(packed) => packed.elements(),
            Self::Blocks(blocks) => 8 * blocks.multiplications(),
        }
    }

    pub(super) fn pages(
        &self,
        core: &Core,
        vector: usize,
    ) -> Result<Vec<Vec<PagePart>>, SparseError> {
        match self {
            Self::Sliced(packed) => packed.pages(core, vector),
            Self::Blocks(blocks) => blocks.pages_beside(core, vector),
        }
    }

    pub(super) fn contents(&self, part: &Csr, page: &[PagePart]) -> Contents {
        match self {
            Self::Sliced(packed) => packed.contents(part, page),
            Self::Blocks(blocks) => blocks.contents(page),
        }
    }

    /// Returns the cycles of a run of the kernel on a page.
    pub(super) fn cycles(&self, core: &Core, page: &[PagePart]) -> usize {
        match self {
            Self::Sliced(packed) => {
                let of_height = if has_own(core) { register_cycles } else { packed_cycles };
                let [run, part, pass] = of_height(packed.height());
                let of = |p: &PagePart| part + pass * packed.passes(p);
                run + page.iter().map(of).sum::<usize>()
            }
            Self::Blocks(blocks) => {
                let [run, part, batch] = blocks_cycles(blocks.shape());
                run + page.iter().map(|p| part + batch * p.units).sum::<usize>()
            }
        }
    }

    /// Returns the bytes of values and columns of `units` units of pages.
    pub(super) fn bytes_of(&self, units: usize) -> usize {
        match self {
            Self::Sliced(packed) => 24 * packed.height() * units,
            Self::Blocks(blocks) => (8 * blocks.shape().words() + 1) * 32 * units,
        }
    }

    /// Returns the accesses in a cycle of the kernel's loop, to the vector and to the page. Where sections have addresses of
    /// their own, one access to the vector serves all sections.
    pub(super) fn accesses(&self, core: &Core) -> [f64; 2] {
        let (accesses, cycles) = match self {
            // A pass takes two groups of a row: four loads of elements each, one of values, and one of places for both.
            Self::Sliced(_) if has_own(core) => {
                ([8, 3], 4.0 * Gathering::Register.bound() as f64 / 100.0)
            }
            Self::Sliced(_) => (PASS_ACCESSES, PASS_CYCLES as f64),
            Self::Blocks(blocks) => (blocks.shape().accesses(), blocks.shape().bound() as f64),
        };
        accesses.map(|n| n as f64 / cycles)
    }

    /// Returns the words of a page that every section gets: the results, and two for each part.
    pub(super) fn common_words(&self, page: &[PagePart]) -> usize {
        page.len() * (self.result_words() + 2)
    }

    /// Returns the fewest cycles of a run on a page: the operations that the fuller slot has to issue for the elements with
    /// their padding.
    pub(super) fn least_cycles(&self, core: &Core, page: &[PagePart]) -> usize {
        match self {
            Self::Sliced(packed) => {
                let passes: usize = page.iter().map(|p| packed.passes(p)).sum();
                match has_own(core) {
                    // A group of a row takes two `psmadd` in a section.
                    true => {
                        passes * packed.height() / SECTIONS * 2 * Gathering::Register.bound() / 100
                    }
                    false => passes * PASS_CYCLES,
                }
            }
            Self::Blocks(blocks) => page.iter().map(|p| blocks.shape().bound() * p.units).sum(),
        }
    }
}

/// Rows of a pass of the kernel that puts rows back.
const ROWS_BACK: usize = 32;
