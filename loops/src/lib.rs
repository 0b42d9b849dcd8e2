//! Loop nests to independent threads: exact dependences, maps of instances to threads, locality of arrays, and parallel code.
//! Nests are read by `cp2-nest`; sets of points are a library's behind [`sets::SetLibrary`].

pub mod code;
pub mod cp2;
mod dependence;
mod domain;
mod limits;
mod linear;
pub mod locality;
mod reason;
mod refusals;
pub mod report;
mod sample;
pub mod sets;
mod study;
pub mod threads;
mod verify;

pub use dependence::{Dependence, DependenceKind, dependences};
pub use domain::NestSets;
pub use limits::{OutsideElement, outside_elements};
pub use reason::{DependentPair, dependent_pair};
pub use refusals::StudyFailure;
pub use sample::sample_parameters;
pub use study::{NestStudy, check_nest, code_of_phases};
pub use verify::{ThreadCheck, check_threads};
