//! The forms of a V-cycle, which grids allow them, and the weights of its operators in a class.

use super::columns::ColumnArrangement;
use super::npb::Class;
use cp2_isa::Core;
use cp2_kernels::multigrid::columns::Columns;
use cp2_kernels::multigrid::{GridKernel, Operator, staged};

/// Form of the operators of the finest grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorForm {
    /// Operators one after the other, each with all its operands from memory.
    Plain,
    /// Interpolation, residual and smoother in one go, and residual and projection in one go, where the grid can be cut into
    /// columns; the former on the grids below as well.
    Fused,
    /// Operators in one go as in [`Self::Fused`], but in wider columns on the finest grid, with fewer points to compute again
    /// and more rows to move.
    Wide,
}

impl OperatorForm {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Fused, Self::Plain];

    /// Returns the name of the form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
            Self::Wide => "wide",
        }
    }

    /// Returns the form of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Returns the columns into which the finest grid is cut, if the form has any.
    pub(super) const fn columns(self) -> Option<Columns> {
        match self {
            Self::Plain => None,
            Self::Fused => Some(Columns::SQUARE),
            Self::Wide => Some(Columns::WIDE),
        }
    }

    /// Returns this form, or the next one that a core and grids of n points along an axis allow: planes of columns lie around
    /// the whole of a local memory of one size.
    pub(super) fn allowed(self, n: usize, core: &Core) -> Self {
        let is_around = core.lmem_words() == staged::WORDS;
        match (self, self.columns()) {
            (Self::Wide, Some(columns)) if !is_cut(n, columns) => Self::Fused.allowed(n, core),
            (_, Some(columns)) if !is_around || !is_cut(n, columns) => Self::Plain,
            _ => self,
        }
    }
}

/// Whether grids of n points along an axis are cut into these columns.
pub(super) fn is_cut(n: usize, columns: Columns) -> bool {
    ColumnArrangement::of(n, columns.points()).is_some()
}

/// Returns the weights of a kernel's operator in a class.
pub(super) fn weights(kernel: GridKernel, class: Class) -> Operator {
    match kernel {
        GridKernel::Smooth | GridKernel::Smooth0 if class == Class::B => Operator::S_LARGE,
        _ => kernel.operator(),
    }
}

/// Returns the weights of the smoother of a class.
pub fn smoother(class: Class) -> Operator {
    weights(GridKernel::Smooth, class)
}
