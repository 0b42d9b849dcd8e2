//! Pictures of curves and points over two axes.

use super::labels::Field;
use super::scale::Scale;
use super::sheet::{Anchor, LINE, MARGIN, Shade, Sheet, TEXT, WIDTH, text_width};
use crate::inputs::LabError;

/// Height of the field between the axes in pixels.
const FIELD: f64 = 400.0;

/// Form of a [`Curve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveForm {
    /// Line that is the matter of the picture; its name is in the legend.
    Strong,
    /// Thin line: a given value beside others. Its name is in the legend.
    Thin,
    /// Straight bound above points, such as the most operations in a cycle; its name is written along it.
    Bound,
}

/// Curve of a [`Chart`]: points that lines connect.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the curve; empty for none.
    pub name: String,
    /// Points of the curve, x and y in the units of the axes, in the order in which lines connect them.
    pub points: Vec<(f64, f64)>,
    /// Colour of the curve.
    pub shade: Shade,
    /// Form of the curve.
    pub form: CurveForm,
}

/// Single point of a [`Chart`], drawn as a dot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Name of the point, written beside it; empty for none.
    pub name: String,
    /// Text that a reader sees who points at the dot; empty for none.
    pub title: String,
    /// Coordinates of the point, x and y, in the units of the axes.
    pub at: (f64, f64),
    /// Colour of the point; a pale one is small and behind the others.
    pub shade: Shade,
}

/// Horizontal or vertical axis of a [`Chart`].
#[derive(Clone, Debug, PartialEq)]
pub struct PictureAxis {
    /// Label of the axis: what it shows, with its unit.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub is_log: bool,
}

impl PictureAxis {
    fn scale(&self, values: impl Iterator<Item = f64>, places: [f64; 2]) -> Scale {
        match self.is_log {
            true => Scale::logarithmic(values, places),
            false => Scale::linear(values, places),
        }
    }
}

/// Picture of curves and points over two axes, which [`Chart::svg`] draws as SVG. The axes take their ranges from the
/// points.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title of the picture.
    pub title: String,
    /// Axes of the picture: the horizontal one (x), then the vertical one (y).
    pub axes: [PictureAxis; 2],
    /// Meanings of the colours of points, for the legend; strong and thin curves with names follow them there.
    pub keys: Vec<(Shade, String)>,
    /// Curves of the picture.
    pub curves: Vec<Curve>,
    /// Single points of the picture.
    pub marks: Vec<Mark>,
}

/// Axes of a chart as they lie on its sheet.
struct Axes {
    x: Scale,
    y: Scale,
}

impl Axes {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }
}

impl Chart {
    /// Returns the picture as the text of an SVG file.
    ///
    /// # Errors
    /// The picture has neither a curve with points nor a mark.
    pub fn svg(&self) -> Result<String, LabError> {
        let curves = self.curves.iter().flat_map(|curve| curve.points.iter().copied());
        let points: Vec<_> = curves.chain(self.marks.iter().map(|mark| mark.at)).collect();
        if points.is_empty() {
            return LabError::of("there is nothing to draw");
        }
        let named = self.curves.iter().filter(|c| c.form != CurveForm::Bound && !c.name.is_empty());
        let names = named.map(|curve| (curve.shade, curve.name.clone()));
        let keys: Vec<_> = self.keys.iter().cloned().chain(names).collect();
        let mut sheet = Sheet::new(&self.title, &keys);
        let (top, floor) = (sheet.height, sheet.height + FIELD);
        let y = self.axes[1].scale(points.iter().map(|p| p.1), [floor, top]);
        let widths = y.ticks().into_iter().map(|(_, text)| text_width(&text, TEXT));
        let left = MARGIN + LINE + 10.0 + widths.fold(0.0, f64::max);
        let x = self.axes[0].scale(points.iter().map(|p| p.0), [left, WIDTH - MARGIN]);
        let axes = Axes { x, y };
        self.draw_axes(&mut sheet, &axes);
        self.draw_parts(&mut sheet, &axes);
        Ok(sheet.svg(&self.title))
    }

    /// Draws grid, numbers and labels of the axes.
    fn draw_axes(&self, sheet: &mut Sheet, Axes { x, y }: &Axes) {
        let ([left, right], [floor, top]) = (x.places, y.places);
        for (value, text) in y.ticks() {
            let place = y.place(value);
            sheet.line([left, place, right, place], false);
            sheet.text((left - 8.0, place + 4.5), Anchor::End, &text);
        }
        let mut end = f64::NEG_INFINITY;
        for (value, text) in x.ticks() {
            let (place, half) = (x.place(value), text_width(&text, TEXT) / 2.0);
            sheet.line([place, top, place, floor], false);
            // Numbers that would meet the one before are left out; the line of the grid stays.
            if place - half > end && place + half < WIDTH {
                sheet.text((place, floor + LINE), Anchor::Middle, &text);
                end = place + half + 6.0;
            }
        }
        sheet.line([left, floor, right, floor], true);
        let [below, beside] = [&self.axes[0].label, &self.axes[1].label];
        sheet.height = floor + 2.0 * LINE + 6.0;
        sheet.text((f64::midpoint(left, right), sheet.height), Anchor::Middle, below);
        let middle = (MARGIN + 8.0, f64::midpoint(top, floor));
        sheet.turned_text(middle, -90.0, Anchor::Middle, beside);
    }

    /// Draws curves and points with their names.
    fn draw_parts(&self, sheet: &mut Sheet, axes: &Axes) {
        let ([left, right], [floor, top]) = (axes.x.places, axes.y.places);
        let mut field = Field::new([left + 2.0, top + 2.0, right - 2.0, floor - 2.0]);
        let is_pale = |mark: &&Mark| mark.shade == Shade::Pale;
        for mark in self.marks.iter().filter(is_pale) {
            sheet.dot(axes.place(mark.at), 2.5, mark.shade, &mark.title);
        }
        for curve in &self.curves {
            let places: Vec<_> = curve.points.iter().map(|point| axes.place(*point)).collect();
            let width = if curve.form == CurveForm::Thin { 1.0 } else { 2.0 };
            sheet.curve(&places, width, curve.shade, &curve.name);
            field.take_curve(&places);
        }
        let strong = || self.marks.iter().filter(|mark| !is_pale(mark));
        strong().for_each(|mark| field.take_dot(axes.place(mark.at), 5.0));
        for curve in self.curves.iter().filter(|curve| curve.form == CurveForm::Bound) {
            if let [from, .., to] = curve.points[..]
                && let Some((at, angle)) =
                    field.along((axes.place(from), axes.place(to)), &curve.name)
            {
                sheet.turned_text(at, angle, Anchor::Start, &curve.name);
            }
        }
        let mut names = Vec::new();
        for mark in strong() {
            let at = axes.place(mark.at);
            if !mark.name.is_empty()
                && let Some(label) = field.name(at, &mark.name)
            {
                if let Some(near) = label.leader {
                    sheet.line([at.0, at.1, near.0, near.1], false);
                }
                names.push((label, &mark.name));
            }
        }
        for mark in strong() {
            sheet.dot(axes.place(mark.at), 5.0, mark.shade, &mark.title);
        }
        names.iter().for_each(|(label, name)| sheet.text(label.at, label.anchor, name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_picture() {
        let axis = || PictureAxis { label: "x".to_owned(), is_log: true };
        let title = "nothing".to_owned();
        let (curves, marks, keys) = (Vec::new(), Vec::new(), Vec::new());
        assert!(Chart { title, axes: [axis(), axis()], keys, curves, marks }.svg().is_err());
    }
}
