//! Sparse products and NPB CG on devices: `matrix` has the matrices, `formats` packs them, `product` multiplies, `trial`
//! times products, `solver` is CG on one device, `parts` on several with the vectors on the host, `rows` with rows of the
//! vectors on each.

mod formats;
mod matrix;
mod parts;
mod product;
mod rows;
mod solver;
mod trial;

pub use formats::{FramedEll, SlicedEll};
pub use matrix::NamedMatrix;
pub use parts::CgParts;
pub use product::{
    DeviceProduct, FramedProduct, FramedShape, ProductChoice, ProductShape, SlicedProduct,
    candidates, framed_candidates,
};
pub use rows::CgRows;
pub use solver::{CgRun, operations};
pub use trial::{ProductFormat, ProductTrial, TimedProduct, product_name};
