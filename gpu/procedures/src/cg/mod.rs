//! Sparse products and NPB CG on devices: `formats` packs matrices, `product` multiplies, `solver` is CG.

mod formats;
mod parts;
mod product;
mod solver;

pub use formats::{FramedEll, SlicedEll};
pub use parts::CgParts;
pub use product::{FramedProduct, ProductShape, SlicedProduct, candidates};
pub use solver::{CgRun, operations};
