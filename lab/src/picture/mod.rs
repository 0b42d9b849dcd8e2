//! Pictures of studies as SVG in one visual language: curves and points over two axes ([`Chart`]), and bars with their names
//! ([`Bars`]). Text is text, a part tells its numbers to whoever points at it, no two texts overlap, and the colours, which are
//! those of `cp2-analysis`, change with the light or dark background that the reader prefers. A picture is 760 pixels wide and may
//! be scaled from 600 to 1200.

mod bars;
mod chart;
mod labels;
mod scale;
mod sheet;

pub use bars::{Bars, PictureBar};
pub use chart::{Chart, Curve, CurveForm, Mark, PictureAxis};
pub use sheet::Shade;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
