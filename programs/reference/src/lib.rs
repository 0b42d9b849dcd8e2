//! References with which procedures of CP2 are compared: the same mathematics on plain arrays. Nothing of the machine
//! is known here, so that a reference cannot share a mistake with what it checks.

pub mod fft;
pub mod multigrid;
pub mod spatial;
pub mod star;
