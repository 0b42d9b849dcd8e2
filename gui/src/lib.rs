//! A window over recordings of CP2: files from which every cycle of a run can be made again. What a person sees is a
//! function of a recording and of a few numbers: which cycles, which cursor, what is selected. It computes nothing that
//! the command line could not print.
//!
//! - `model`: those numbers, and what of a recording is at hand; no window is needed for any of it;
//! - `worker`: threads that own recordings, make them from programs, and answer by range and resolution;
//! - `theme`: one visual language; `views`: a file for each view; `export`: views as SVG;
//! - `app`: the window, the keys, and where the views are.

pub mod app;
mod export;
pub mod model;
mod theme;
mod views;
pub mod worker;
