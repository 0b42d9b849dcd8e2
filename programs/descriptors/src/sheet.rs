//! The sheet that a picture is drawn on: sizes, colours, texts, rectangles.

use cp2_isa::SECTIONS;
use std::ops::Range;
use svg::Node;
use svg::node::element::{Group, Rectangle, Text};

pub(crate) const SECTION: [&str; SECTIONS] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];
/// Text on the colour of a section.
pub(crate) const ON_SECTION: [&str; SECTIONS] = ["#ffffff", "#1b1f24", "#ffffff", "#1b1f24"];
pub(crate) const INK: &str = "#1b1f24";
pub(crate) const GREY: &str = "#57606a";
pub(crate) const PALE: &str = "#e8ecf0";
pub(crate) const BORDER: &str = "#d0d7de";
/// Beats between memory and memory.
pub(crate) const MEMORY: &str = "#8c959f";
/// Colours of fetch and set-up of descriptors, of data, and of waits.
pub(crate) const SET_UP: &str = "#bcc4cd";
pub(crate) const DATA: &str = "#424a53";
pub(crate) const HATCH: &str = "url(#wait)";
pub(crate) const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

pub(crate) const WIDTH: f64 = 1160.0;
pub(crate) const MARGIN: f64 = 32.0;
/// Cells of beats: columns, rows, size.
pub(crate) const COLUMNS: usize = 64;
pub(crate) const ROWS: usize = 16;
pub(crate) const CELL: [f64; 2] = [10.0, 15.0];
/// Horizontal position at which the cells of beats begin.
pub(crate) const GRID_X: f64 = 104.0;
/// Horizontal position at which the axis of time begins, and its length.
pub(crate) const TIME: [f64; 2] = [GRID_X, WIDTH - 2.0 * MARGIN - GRID_X + 16.0];
/// Number of descriptors that have a card.
pub(crate) const CARDS: usize = 24;
/// Number of digits that are written on beats of one descriptor.
pub(crate) const DIGITS: usize = 512;
/// Number of steps of shades.
pub(crate) const SHADES: f64 = 10.0;

/// Sheet with what is drawn so far, and the height at which the next thing goes.
pub(crate) struct Sheet {
    pub(crate) group: Group,
    pub(crate) y: f64,
}

pub(crate) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

pub(crate) fn rectangle(x: f64, y: f64, width: f64, height: f64, fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", round(x))
        .set("y", round(y))
        .set("width", round(width))
        .set("height", round(height))
        .set("fill", fill)
}

pub(crate) fn text(x: f64, y: f64, size: f64, fill: &str, content: impl Into<String>) -> Text {
    let text = Text::new(content);
    text.set("x", round(x)).set("y", round(y)).set("font-size", size).set("fill", fill)
}

pub(crate) fn centred(x: f64, y: f64, size: f64, fill: &str, content: impl Into<String>) -> Text {
    text(x, y, size, fill, content).set("text-anchor", "middle")
}

pub(crate) fn right(x: f64, y: f64, size: f64, fill: &str, content: impl Into<String>) -> Text {
    text(x, y, size, fill, content).set("text-anchor", "end")
}

impl Sheet {
    pub(crate) fn add(&mut self, node: impl Node) {
        self.group.append(node);
    }
}

/// Returns the ranges of equal values.
pub(crate) fn runs<T: PartialEq + Copy>(values: impl Iterator<Item = T>) -> Vec<(Range<usize>, T)> {
    let mut runs: Vec<(Range<usize>, T)> = Vec::new();
    for (place, value) in values.enumerate() {
        match runs.last_mut() {
            Some((range, last)) if *last == value => range.end = place + 1,
            _ => runs.push((place..place + 1, value)),
        }
    }
    runs
}
