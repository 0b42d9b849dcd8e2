//! Operations of the associative STAR machine on slices and tables of bits in local memory: searches and arithmetic column by
//! column, results over all rows, transitive closure. The module has their kernels and the code that runs them on CP2 alone.

mod blocked;
mod closure;
mod columns;
mod copies;
mod exchange;
mod find;
mod layout;
mod paged;
mod paths;
mod pivots;
mod row;
mod run;
mod search;
mod slices;
#[cfg(test)]
mod tests;

pub use columns::{ColumnKernel, ColumnProcedure};
pub use copies::{CopyKernel, CopyProcedure};
pub use exchange::SectionExchange;
pub use find::OverRows;
pub use layout::SliceLayout;
pub use paged::PagedClosure;
pub use paths::{PathOrder, PathsKernels};
pub use row::RowKernel;
pub use run::{
    ClosureForm, ColumnOutcome, ColumnRequest, close, copy, go_through, over_rows, read_row,
    search, write_row,
};
pub use search::{SearchForm, SearchKernel};
pub use slices::SliceOperation;
