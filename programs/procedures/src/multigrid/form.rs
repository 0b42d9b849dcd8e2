//! The forms of a V-cycle, the grids that allow them, and the weights of its operators in a class.

use super::columns::ColumnArrangement;
use super::npb::Class;
use cp2_kernels::multigrid::columns::Columns;
use cp2_kernels::multigrid::{GridKernel, Operator};

/// Form in which a V-cycle of NPB MG applies the operators of the finest grid, a choice of the user: one by one, or
/// several in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorForm {
    /// Operators one after the other; each loads all its operands from system memory.
    Plain,
    /// Interpolation, residual and smoother in one go, and residual and projection in one go, on planes that stay in
    /// local memory. The sections go through columns with planes of 32 x 32 points. The first three are done so on the
    /// grids below as well, if these can be cut into such columns.
    Fused,
    /// Operators in one go as in [`Self::Fused`], but in columns with planes of 64 x 16 points on the finest grid, with
    /// fewer points that two columns both compute and more rows to move.
    Wide,
}

impl OperatorForm {
    /// All forms, from the one with the widest columns to [`Self::Plain`], which has none.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Fused, Self::Plain];

    /// Returns the name of the form in options and reports, such as `fused`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
            Self::Wide => "wide",
        }
    }

    /// Returns the form with this [name](Self::name), `None` if there is none.
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
}

/// Whether grids of n points along an axis are cut into these columns.
pub(super) fn is_cut(n: usize, columns: Columns) -> bool {
    ColumnArrangement::of(n, columns.points()).is_some()
}

/// Returns the weights of a kernel's operator in a class.
pub(super) fn weights(kernel: GridKernel, class: Class) -> Operator {
    match kernel {
        GridKernel::Smooth | GridKernel::Smooth0 if class.has_large_smoother() => Operator::S_LARGE,
        _ => kernel.operator(),
    }
}

/// Returns the operator S (27 weights around each point) of the smoother in a class of NPB MG; classes from B on have
/// another one than the classes S, W and A.
pub fn smoother(class: Class) -> Operator {
    weights(GridKernel::Smooth, class)
}
