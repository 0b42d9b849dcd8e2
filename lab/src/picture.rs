//! Pictures of curves, points and bars as SVG: text is text, and the colours, which are those of `cp2-analysis`, change
//! with the light or dark background that the reader prefers.

use crate::inputs::LabError;
use cp2_analysis::palette::{BANKS, Colour, NEUTRAL};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Write as _;
use std::ops::Range;

/// Colours of the ground and of what is written on it.
const GROUND: Colour = Colour { light: "#ffffff", dark: "#1d2025" };
const INK: Colour = Colour { light: "#1b1f24", dark: "#e8ecf0" };
const SIZE: (u32, u32) = (920, 560);
const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// Curve of a [`Chart`]: points that lines connect.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the curve in the legend of the picture; a curve with an empty name is not in the legend.
    pub name: String,
    /// Points of the curve, x and y in the units of the axes, in the order in which lines connect them.
    pub points: Vec<(f64, f64)>,
    /// Number of the colour of the curve, as [`colour`] takes it.
    pub colour: usize,
    /// Whether the curve is drawn thin, as a given value beside others is.
    pub is_thin: bool,
}

/// Single point of a [`Chart`] with its name, drawn as a dot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Name of the point, written beside it; empty for none.
    pub name: String,
    /// Coordinates of the point, x and y, in the units of the axes.
    pub at: (f64, f64),
    /// Number of the colour of the point, as [`colour`] takes it.
    pub colour: usize,
}

/// Horizontal or vertical axis of a [`Chart`].
#[derive(Clone, Debug, PartialEq)]
pub struct PictureAxis {
    /// Label of the axis: what it shows, with its unit.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub is_log: bool,
}

/// Picture of curves and points over two axes, which [`Chart::svg`] draws as SVG. The axes take their ranges from the
/// points.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title of the picture.
    pub title: String,
    /// Axes of the picture: the horizontal one (x), then the vertical one (y).
    pub axes: [PictureAxis; 2],
    /// Curves of the picture.
    pub curves: Vec<Curve>,
    /// Single points of the picture.
    pub marks: Vec<Mark>,
}

/// Returns the colour with the number `k`, taken modulo 4, of the four that curves, points and bars of pictures have.
pub fn colour(k: usize) -> Colour {
    BANKS[k % BANKS.len()]
}

fn rgb(colour: Colour) -> RGBColor {
    let [r, g, b] = Colour::rgb(colour.light);
    RGBColor(r, g, b)
}

/// Ends of an axis and the values that are written beside it, as they are drawn.
#[derive(Clone)]
struct Scale {
    is_log: bool,
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Scale {
    fn of(axis: &PictureAxis, values: impl Iterator<Item = f64>) -> Self {
        let finite: Vec<f64> =
            values.filter(|x| x.is_finite() && (!axis.is_log || *x > 0.0)).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low < high { (low, high) } else { (low / 2.0, low.max(1.0) * 2.0) };
        if axis.is_log {
            let range = low.log10() - 0.03..high.log10() + 0.06;
            let all = (range.start.floor() as i32..=range.end.ceil() as i32)
                .flat_map(|e| [1.0, 2.0, 3.0, 5.0, 7.0].map(|m| f64::log10(m) + f64::from(e)));
            let is_long = range.end - range.start > 1.2;
            // Of decades 1, 2 and 5 are enough.
            let places = all.enumerate().filter(|(k, _)| !is_long || [0, 1, 3].contains(&(k % 5)));
            let ticks = places.map(|(_, tick)| tick).filter(|tick| range.contains(tick)).collect();
            return Self { is_log: true, range, ticks };
        }
        Self::linear(low.min(0.0)..high * 1.08)
    }

    /// Returns the scale of values that are compared with one another: it has them, a little room, and no more.
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let finite: Vec<f64> = values.filter(|x| x.is_finite()).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let room = (0.08 * (high - low)).max(0.001 * high.abs()).max(f64::MIN_POSITIVE);
        Self::linear(low - room..high + room)
    }

    /// Returns the scale of a range with ticks at whole steps.
    fn linear(range: Range<f64>) -> Self {
        let step = step((range.end - range.start) / 6.0);
        let first = (range.start / step).ceil();
        let ticks = (0..=14).map(|k| step * (first + f64::from(k)));
        let ticks = ticks.filter(|tick| range.contains(tick)).collect();
        Self { is_log: false, range, ticks }
    }

    /// Returns the scale with this share of it left free at the top, for names.
    fn with_room(mut self, share: f64) -> Self {
        let Range { start, end } = self.range;
        self.range.end = start + (end - start) / (1.0 - share.min(0.6));
        self
    }

    /// Returns the scale with a little room before its begin.
    fn with_edge(mut self) -> Self {
        self.range.start -= 0.02 * (self.range.end - self.range.start);
        self
    }

    fn place(&self, value: f64) -> f64 {
        if self.is_log { value.max(1e-30).log10() } else { value }
    }

    fn written(&self, place: f64) -> String {
        let value = if self.is_log { 10_f64.powf(place) } else { place };
        let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
        // Ticks that stand close to each other need more digits to be told apart.
        let gap = self.ticks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(1.0);
        let of_gap = if self.is_log { 0 } else { -gap.max(1e-9).log10().floor() as i32 };
        let digits = digits.max(of_gap);
        let scale = 10_f64.powi(digits);
        format!("{}", (value * scale).round() / scale)
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (low, high): (i32, i32)) -> i32 {
        let Range { start, end } = self.range;
        low + (f64::from(high - low) * (place - start) / (end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Returns a step of 1, 2 or 5 times a power of ten that is at least `least`.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-12).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= least).unwrap_or(least)
}

impl Chart {
    /// Returns the picture as the text of an SVG file of 920 x 560 pixels.
    ///
    /// # Errors
    /// The picture has neither a curve with points nor a mark, or drawing fails.
    pub fn svg(&self) -> Result<String, LabError> {
        let points = || {
            let curves = self.curves.iter().flat_map(|curve| curve.points.iter().copied());
            curves.chain(self.marks.iter().map(|mark| mark.at))
        };
        if points().next().is_none() {
            return LabError::of("there is nothing to draw");
        }
        let x = Scale::of(&self.axes[0], points().map(|p| p.0));
        let y = Scale::of(&self.axes[1], points().map(|p| p.1));
        let names = self.curves.iter().filter(|curve| !curve.name.is_empty()).count();
        let y = y.with_room(0.055 * names as f64);
        drawn(SIZE, &self.title, |area| self.draw(area, &x, &y))
    }

    fn draw(&self, area: &Area<'_>, x: &Scale, y: &Scale) -> Drawn {
        let ink = rgb(INK);
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .caption(&self.title, font(20))
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .disable_mesh()
            .bold_line_style(rgb(NEUTRAL))
            .axis_style(ink)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(&self.axes[0].label)
            .y_desc(&self.axes[1].label)
            .x_label_formatter(&|place| x.written(*place))
            .y_label_formatter(&|place| y.written(*place))
            .x_labels(x.ticks.len())
            .y_labels(y.ticks.len())
            .draw()?;
        let grey = rgb(NEUTRAL);
        let lines = y.ticks.iter().map(|&t| vec![(x.range.start, t), (x.range.end, t)]);
        chart.draw_series(lines.map(|line| PathElement::new(line, grey)))?;
        for curve in &self.curves {
            let style = rgb(colour(curve.colour)).stroke_width(if curve.is_thin { 1 } else { 2 });
            let points = curve.points.iter().map(|&(a, b)| (x.place(a), y.place(b)));
            let drawn = chart.draw_series(LineSeries::new(points, style))?;
            if !curve.name.is_empty() {
                drawn
                    .label(&curve.name)
                    .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 22, y)], style));
            }
        }
        let mut taken = Vec::new();
        for mark in &self.marks {
            let (style, at) = (rgb(colour(mark.colour)), (x.place(mark.at.0), y.place(mark.at.1)));
            let (offset, anchor) = free_place(&mut taken, chart.backend_coord(&at), &mark.name);
            let text = font(12).pos(anchor);
            chart.draw_series([EmptyElement::at(at)
                + Circle::new((0, 0), 4, style.filled())
                + Text::new(mark.name.clone(), offset, text)])?;
        }
        if self.curves.iter().any(|curve| !curve.name.is_empty()) {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .border_style(grey)
                .background_style(rgb(GROUND))
                .label_font(font(13))
                .draw()?;
        }
        Ok(())
    }
}

/// Returns the place of the name of a point: beside it, above or below, where no other name is.
fn free_place(taken: &mut Vec<[i32; 4]>, (x, y): (i32, i32), name: &str) -> ((i32, i32), Pos) {
    let (width, height) = (7 * name.chars().count() as i32, 14);
    let places = [(1, -1), (-1, -1), (1, 1), (-1, 1)].map(|(right, down)| {
        let left = if right > 0 { x + 7 } else { x - 7 - width };
        let top = if down > 0 { y + 3 } else { y - 3 - height };
        ([left, top, left + width, top + height], right, down)
    });
    let meets =
        |a: &[i32; 4], b: &[i32; 4]| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    let dot = [x - 4, y - 4, x + 4, y + 4];
    let free = places.iter().find(|(place, ..)| taken.iter().all(|other| !meets(place, other)));
    let &(place, right, down) = free.unwrap_or(&places[0]);
    taken.extend([place, dot]);
    let side = if right > 0 { HPos::Left } else { HPos::Right };
    let edge = if down > 0 { VPos::Top } else { VPos::Bottom };
    ((7 * right, 3 * down), Pos::new(side, edge))
}

/// Picture of horizontal bars over one axis, each with its name above it, which [`Bars::svg`] draws as SVG.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Title of the picture.
    pub title: String,
    /// Label of the horizontal axis: what it shows, with its unit.
    pub label: String,
    /// Value of the axis at which a vertical line is drawn, such as 1 for a speed-up.
    pub base: f64,
    /// Bars from top to bottom: name, the values of both ends, and the number of the colour, as [`colour`] takes it.
    pub bars: Vec<(String, [f64; 2], usize)>,
}

impl Bars {
    /// Returns the picture as the text of an SVG file, 920 pixels wide.
    ///
    /// # Errors
    /// There are no bars, or drawing fails.
    pub fn svg(&self) -> Result<String, LabError> {
        if self.bars.is_empty() {
            return LabError::of("there is nothing to draw");
        }
        let axis = PictureAxis { label: self.label.clone(), is_log: false };
        let ends = self.bars.iter().flat_map(|(_, ends, _)| *ends).chain([self.base]);
        let x = if self.base == 0.0 { Scale::of(&axis, ends) } else { Scale::around(ends) };
        let x = x.with_edge();
        let n = self.bars.len() as f64;
        let y = Scale { is_log: false, range: -n..0.0, ticks: Vec::new() };
        let size = (SIZE.0, 110 + 44 * self.bars.len() as u32);
        drawn(size, &self.title, |area| self.draw(area, &x, &y))
    }

    fn draw(&self, area: &Area<'_>, x: &Scale, y: &Scale) -> Drawn {
        let ink = rgb(INK);
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .caption(&self.title, font(18))
            .x_label_area_size(44)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let written = |place: &f64| x.written(*place);
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh().axis_style(ink).label_style(font(13)).axis_desc_style(font(14));
        mesh.x_desc(&self.label).x_label_formatter(&written).x_labels(x.ticks.len()).draw()?;
        let lines = x.ticks.iter().map(|&t| vec![(t, y.range.start), (t, y.range.end)]);
        chart.draw_series(lines.map(|line| PathElement::new(line, rgb(NEUTRAL))))?;
        let base = vec![(self.base, y.range.start), (self.base, y.range.end)];
        chart.draw_series([PathElement::new(base, ink)])?;
        for (k, (name, [from, to], own)) in self.bars.iter().enumerate() {
            let top = -(k as f64);
            let fill = rgb(colour(*own)).filled();
            chart.draw_series([Rectangle::new([(*from, top - 0.5), (*to, top - 0.88)], fill)])?;
            let place = (x.range.start, top - 0.1);
            chart.draw_series([
                EmptyElement::at(place) + Text::new(name.clone(), (4, 0), font(13))
            ])?;
        }
        Ok(())
    }
}

/// Area on which a picture is drawn.
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// Result of drawing on an area.
type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// Returns the style of text of this size.
fn font(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&rgb(INK))
}

/// Draws a picture of this size, and returns its SVG with the colours of light and dark grounds.
fn drawn(
    size: (u32, u32),
    title: &str,
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, LabError> {
    let mut svg = String::new();
    let all = {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let ground = area.fill(&rgb(GROUND));
        ground.and_then(|()| draw(&area)).and_then(|()| area.present())
    };
    all.map_err(|e| LabError::new(format!("picture: {e}")))?;
    Ok(both_grounds(&svg, title))
}

/// Gives every colour of a light ground that of a dark one where the reader prefers that, and a title for those
/// who do not see the picture.
fn both_grounds(svg: &str, title: &str) -> String {
    let mut all = vec![GROUND, INK, NEUTRAL];
    all.extend(BANKS);
    // The rules reach nothing but this picture and its like. Lines behind a text stop at its edge.
    let mut style = format!(
        "\n<style>.cp2-picture text {{ paint-order: stroke; stroke: {}; stroke-width: 4px; stroke-linejoin: round; }}\n\
         @media (prefers-color-scheme: dark) {{\n.cp2-picture text {{ stroke: {}; }}\n",
        GROUND.light, GROUND.dark
    );
    for Colour { light, dark } in all {
        let light = light.to_uppercase();
        let _ = writeln!(
            style,
            ".cp2-picture [fill=\"{light}\"] {{ fill: {dark}; }} .cp2-picture [stroke=\"{light}\"] {{ stroke: {dark}; }}"
        );
    }
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(style, "}}</style>\n<title>{title}</title>");
    match svg.split_once("xmlns=\"http://www.w3.org/2000/svg\">") {
        Some((head, rest)) => format!(
            "{head}class=\"cp2-picture\" xmlns=\"http://www.w3.org/2000/svg\">{style}{rest}"
        ),
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn chart(curves: Vec<Curve>) -> Chart {
        let axis = |label: &str| PictureAxis { label: label.to_owned(), is_log: true };
        Chart {
            title: "a < b".to_owned(),
            axes: [axis("x, MHz"), axis("y")],
            curves,
            marks: Vec::new(),
        }
    }

    #[test]
    fn text_is_text_and_every_colour_has_a_dark_one() {
        let points = vec![(1.0, 3.0), (100.0, 9.0)];
        let svg = chart(vec![Curve { name: "one".to_owned(), points, colour: 0, is_thin: false }])
            .svg()
            .unwrap();
        assert!(
            svg.contains(">\nx, MHz\n</text>") && svg.contains("<title>a &lt; b</title>"),
            "{svg}"
        );
        for part in svg.split("=\"#").skip(1) {
            let colour = format!("#{}", part.split('"').next().unwrap());
            assert!(svg.contains(&format!("[fill=\"{colour}\"]")), "{colour} has no dark one");
        }
    }

    #[test]
    fn values_that_are_close_are_drawn_apart() {
        let scale = Scale::around([1.0, 1.0035, 1.005].into_iter());
        let span = scale.range.end - scale.range.start;
        assert!(span < 0.02 && scale.range.contains(&1.0) && scale.range.contains(&1.005));
        let mut written: Vec<String> =
            scale.ticks.iter().map(|tick| scale.written(*tick)).collect();
        let count = written.len();
        written.dedup();
        assert!(count >= 3 && written.len() == count, "{written:?}");
    }

    #[test]
    fn nothing_is_no_picture() {
        assert!(chart(Vec::new()).svg().is_err());
    }
}
