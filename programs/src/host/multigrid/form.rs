//! The forms of a V-cycle, which grids allow them, and the weights of its operators in a class.

use super::npb::Class;
use super::{down, fused, whole};
use crate::multigrid::{Kernel, Operator};

/// How the operators of the finest grid are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other, each with all words of its own.
    Plain,
    /// Interpolation, residual and smoother in one go, and residual and projection, where the grid can be cut into
    /// columns; the former on the grids below as well.
    Fused,
    /// All of these on the finest grid in one go: the way down of a V-cycle with the way up of the one before. The grids
    /// below as in the form before.
    Whole,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Fused, Self::Plain];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
            Self::Whole => "whole",
        }
    }

    /// The form of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// This one, or the one that grids of so many points allow.
    pub(super) fn allowed(self, n: usize) -> Self {
        let goes_down = down::beside(n).is_some();
        let is_allowed = match self {
            Self::Plain => true,
            Self::Fused => goes_down && fused::beside(n).is_some(),
            Self::Whole => goes_down && whole::takes(n),
        };
        if is_allowed { self } else { Self::Plain }
    }
}

/// The weights of a kernel in a class.
pub(super) fn weights(kernel: Kernel, class: Class) -> Operator {
    match kernel {
        Kernel::Smooth | Kernel::Smooth0 if class == Class::B => Operator::S_LARGE,
        _ => kernel.operator(),
    }
}

/// The smoother of a class.
pub(super) fn smoother(class: Class) -> Operator {
    weights(Kernel::Smooth, class)
}
