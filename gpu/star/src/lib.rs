//! The associative STAR machine on graphics processors: its elementary operations as a back end ([`backend`]), the procedures
//! of its library as kernels of their own ([`library`]), whole programs as kernels ([`closure`], [`paths`]), sequential
//! programs beside which they are measured ([`sequential`]), and the measurements ([`measure`]).

pub mod backend;
pub mod closure;
pub mod error;
mod kernels;
pub mod library;
pub mod measure;
mod memory;
pub mod page;
pub mod paths;
pub mod sequential;
