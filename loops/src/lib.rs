//! Loop nests to independent threads: exact dependences, maps of instances to threads, locality of arrays, and parallel code.
//! Nests are read by `cp2-nest`; sets of points are a library's behind [`sets::SetLibrary`].

pub mod code;
mod dependence;
mod domain;
mod linear;
pub mod locality;
mod sample;
pub mod sets;
pub mod threads;
mod verify;

pub use dependence::{Dependence, DependenceKind, dependences};
pub use domain::NestSets;
pub use sample::sample_parameters;
pub use verify::{ThreadCheck, check_threads};
