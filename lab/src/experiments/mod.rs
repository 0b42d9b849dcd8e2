//! Experiments: what an extension is worth to the kernels and procedures that profit from it, beside the best form
//! without it, and what of the source work's predictions comes true. Pages of the book are made of them.
//!
//! - `work`: what is run, by name, with its options; `gain`: a work without and with extensions;
//! - `gains`: which there are; `headlines`: whole procedures and what their times rest on; `predictions`: what the source foretold, and the runs that tell.

pub mod gain;
pub mod gains;
pub mod headlines;
pub mod predictions;
pub mod work;

pub use gain::Gain;
pub use work::{Cost, Work};
