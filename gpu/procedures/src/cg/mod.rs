//! Sparse products and NPB CG on devices: `formats` packs matrices, `product` multiplies, `solver` is CG.

mod formats;
mod product;
mod solver;

pub use formats::{FramedEll, SlicedEll};
pub use product::{FramedProduct, ProductShape, SlicedProduct, candidates};
pub use solver::{CgRun, operations};
