//! The forms of sparse matrices that have kernels, with their names and bounds.

use crate::workload::trial::Trial;
use cp2_evidence::published;
use cp2_kernels::sparse::Report;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::sparse::Csr;
use cp2_session::workload::{Bound, Reference, Text};

/// Reference of the products.
pub(crate) const REFERENCE: Reference = Reference {
    is: Text::Borrowed("the product in double precision"),
    measure: "deviation",
    tolerance: 1.0,
    unit: "the rounding of each row's sum",
    reason: "a row of k entries rounds at most k + 8 times, each time by at most 2^-24 of the sum of the magnitudes",
    hint: "",
};

/// A form of a sparse matrix with a kernel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SparseKernel {
    /// Sliced CSR with the rows in the order of the matrix.
    Sliced,
    /// Sliced CSR with the rows sorted by length.
    Sorted,
    /// Blocks that share elements of the vector.
    Blocks,
    /// Code made for the matrix.
    Direct,
    /// Code made for the matrix, with blocks of a row group merged.
    Merged,
}

/// Operations on which the bound of Sliced CSR rests.
pub(super) const ELEMENTS: &str = "three exchange operations for each element, and loads";

impl SparseKernel {
    pub(super) const ALL: [Self; 5] =
        [Self::Sliced, Self::Sorted, Self::Blocks, Self::Direct, Self::Merged];

    /// Returns the name of the kernel.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sliced => "spmv_sliced",
            Self::Sorted => "spmv_sorted",
            Self::Blocks => "spmv_blocks",
            Self::Direct => "spmv_direct",
            Self::Merged => "spmv_merged",
        }
    }

    /// Returns the order of the results that the host has to undo, if it is not that of the rows.
    pub(super) const fn permuted(self) -> Option<&'static str> {
        match self {
            Self::Sorted => Some("results in the order of the sorted rows, which the host undoes"),
            _ => None,
        }
    }

    /// Returns the bound of the form. For the published format its unit is ten `psmadd`, as in the published figure; for the
    /// others it is an entry of the matrix, and the cycles depend on the matrix.
    pub(super) fn least(self) -> Bound {
        let of_an_entry = |rests_on| Bound {
            unit: "nonzero",
            cycles: None,
            rests_on,
            published: None,
            source: None,
            sides: None,
        };
        match self {
            Self::Sliced => published::bound_with_published(
                Bound::new("ten psmadd", 250.0, ELEMENTS),
                published::count(self.name()),
                "per psmadd, same padding, our order within a slice",
            ),
            Self::Sorted => of_an_entry(ELEMENTS),
            Self::Blocks => of_an_entry("the fuller slot of all batches"),
            Self::Direct | Self::Merged => of_an_entry("the fuller slot"),
        }
    }
}

/// Returns the error for a kernel without a text of its own, since its code is made for each matrix.
pub(super) fn no_own_source(name: &str) -> KernelError {
    RequestError::NoText(name.to_owned()).into()
}

/// Returns the product of a matrix and a vector as the outcome of a workload.
pub(super) fn trial_of(product: Report, matrix: &Csr) -> Trial {
    Trial {
        work: format!(
            "{} x {}, {} entries, {} psmadd",
            matrix.rows(),
            matrix.columns(),
            product.nonzeros,
            product.multiplications
        ),
        cycles: product.cycles(),
        units: (product.nonzeros as u64, "entry"),
        results: product.y,
    }
}
