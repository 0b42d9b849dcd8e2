//! Pictures of horizontal bars with their names beside them.

use super::scale::Scale;
use super::sheet::{Anchor, LINE, MARGIN, Shade, Sheet, TEXT, WIDTH, lines, text_width};
use crate::inputs::LabError;

/// Most pixels that the names of bars take.
const NAMES: f64 = 300.0;
/// Height of a bar in pixels.
const BAR: f64 = 16.0;
/// Times that a bar may be as long as the next before it is drawn shorter than it is, with a break.
const OUTLIER: f64 = 3.0;

/// Bar of a [`Bars`] picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureBar {
    /// Name of the bar, written left of the field.
    pub name: String,
    /// Values at both ends of the bar, in the unit of the axis.
    pub ends: [f64; 2],
    /// Texts of the values at the ends; an empty one is not written.
    pub texts: [String; 2],
    /// Text that a reader sees who points at the bar.
    pub title: String,
    /// Colour of the bar.
    pub shade: Shade,
}

/// Picture of horizontal bars over one axis, which [`Bars::svg`] draws as SVG.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Title of the picture.
    pub title: String,
    /// Label of the horizontal axis: what it shows, with its unit.
    pub label: String,
    /// Value of the axis at which a vertical line is drawn, such as 1 for a speed-up.
    pub base: f64,
    /// Meanings of the colours, for the legend.
    pub keys: Vec<(Shade, String)>,
    /// Bars from top to bottom.
    pub bars: Vec<PictureBar>,
}

impl Bars {
    /// Returns the picture as the text of an SVG file. A bar that reaches several times as far from the base as any other is drawn
    /// with a break, so that the others are seen beside it.
    ///
    /// # Errors
    /// There are no bars.
    pub fn svg(&self) -> Result<String, LabError> {
        if self.bars.is_empty() {
            return LabError::of("there is nothing to draw");
        }
        let mut sheet = Sheet::new(&self.title, &self.keys);
        let names: Vec<_> = self.bars.iter().map(|bar| lines(&bar.name, TEXT, NAMES)).collect();
        let widths = names.iter().flatten().map(|line| text_width(line, TEXT));
        let left = MARGIN + 12.0 + widths.fold(0.0, f64::max).min(NAMES);
        let x = self.scale(left);
        let heights: Vec<f64> = names.iter().map(|name| row(name.len())).collect();
        let (top, floor) = (sheet.height, sheet.height + heights.iter().sum::<f64>());
        for (value, text) in x.ticks() {
            let place = x.place(value);
            sheet.line([place, top, place, floor], false);
            sheet.text((place, floor + LINE), Anchor::Middle, &text);
        }
        let mut begin = top;
        for ((bar, name), height) in self.bars.iter().zip(&names).zip(&heights) {
            draw_bar(&mut sheet, &x, (bar, name), [begin, begin + height]);
            begin += height;
        }
        sheet.line([x.places[0], floor, x.places[1], floor], true);
        sheet.line([x.place(self.base), top, x.place(self.base), floor], true);
        sheet.height = floor + 2.0 * LINE + 6.0;
        let middle = f64::midpoint(x.places[0], x.places[1]);
        sheet.text((middle, sheet.height), Anchor::Middle, &self.label);
        Ok(sheet.svg(&self.title))
    }

    /// Returns the scale of the bars, with room for the texts at their ends.
    fn scale(&self, left: f64) -> Scale {
        let ends = self.bars.iter().flat_map(|bar| bar.ends);
        let all: Vec<f64> = ends.map(|end| end - self.base).collect();
        let far = |sign: f64| {
            let mut own: Vec<f64> = all.iter().map(|d| sign * d).filter(|d| *d > 0.0).collect();
            own.sort_by(f64::total_cmp);
            own
        };
        let (below, above) = (far(-1.0), far(1.0));
        let low = self.base - most(&below, &above);
        let high = self.base + most(&above, &below);
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
        let room = |k: usize| {
            let texts = self.bars.iter().map(|bar| room(ordered(bar)[k].1));
            texts.fold(4.0, f64::max)
        };
        let field = [left, WIDTH - MARGIN];
        let one = (high - low) / (field[1] - field[0] - room(0) - room(1)).max(80.0);
        let low = if room(0) > 4.0 { low - room(0) * one } else { low };
        let high = high + room(1) * one;
        Scale::between([low, high], field)
    }
}

/// Returns the height of the row of a bar whose name has so many lines.
fn row(names: usize) -> f64 {
    (names as f64 * LINE).max(BAR) + 10.0
}

/// Returns the ends of a bar with their texts, the lower one first.
fn ordered(bar: &PictureBar) -> [(f64, &str); 2] {
    let [a, b] = [0, 1].map(|k| (bar.ends[k], bar.texts[k].as_str()));
    if a.0 <= b.0 { [a, b] } else { [b, a] }
}

/// Returns the pixels that the text at the end of a bar takes.
fn room(text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { text_width(text, TEXT) + 12.0 }
}

/// Returns how far the axis goes to one side, where bars reach as far as `own`, in ascending order, and to the other as far as
/// `other`: as far as the longest, or a little further than the next one if the longest is an outlier.
fn most(own: &[f64], other: &[f64]) -> f64 {
    let [.., next, last] = own[..] else { return own.first().copied().unwrap_or_default() };
    let next = next.max(other.last().copied().unwrap_or_default());
    if last > OUTLIER * next && next > 0.0 { 1.4 * next } else { last }
}

/// Draws a bar between the heights `top` and `bottom`, with its name and the texts of its ends.
fn draw_bar(
    sheet: &mut Sheet,
    x: &Scale,
    (bar, name): (&PictureBar, &[String]),
    [top, bottom]: [f64; 2],
) {
    let middle = f64::midpoint(top, bottom);
    let first = middle + 4.5 - (name.len() - 1) as f64 * LINE / 2.0;
    for (k, line) in name.iter().enumerate() {
        sheet.text((x.places[0] - 12.0, first + k as f64 * LINE), Anchor::End, line);
    }
    let [(from, from_text), (to, to_text)] = ordered(bar).map(|(end, text)| (x.place(end), text));
    let (begin, end) = (x.places[0] + room(from_text), x.places[1] - room(to_text));
    let (cut_from, cut_to) = (from.max(begin.min(to)), to.min(end.max(from)));
    let edges = [middle - BAR / 2.0, middle + BAR / 2.0];
    let width = (cut_to - cut_from).max(1.0);
    sheet.rectangle([cut_from, edges[0], width, BAR], bar.shade, &bar.title);
    if to > cut_to + 1.0 {
        sheet.break_at(cut_to - 8.0, edges);
    }
    if from < cut_from - 1.0 {
        sheet.break_at(cut_from + 20.0, edges);
    }
    for (x, anchor, text) in
        [(cut_to + 6.0, Anchor::Start, to_text), (cut_from - 6.0, Anchor::End, from_text)]
    {
        if !text.is_empty() {
            sheet.text((x, middle + 4.5), anchor, text);
        }
    }
}
