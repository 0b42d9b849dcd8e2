//! Places of names in a picture: beside what they name, inside the field, and where nothing else was drawn.

use super::sheet::{Anchor, TEXT, text_width};

/// Rectangle of a picture: left, top, right and bottom in pixels.
type Rectangle = [f64; 4];

/// Distances of a name from its dot that are tried one after another, in pixels; a far one has a line to its dot.
const DISTANCES: [f64; 4] = [8.0, 22.0, 38.0, 56.0];
/// Directions in which a name may lie from its dot.
const DIRECTIONS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.9, -0.9),
    (-0.9, -0.9),
    (0.9, 0.9),
    (-0.9, 0.9),
    (0.0, -1.0),
    (0.0, 1.0),
];
/// Pixels between the parts of a curve or of a slanted name that are looked at.
const PART: f64 = 8.0;

/// Place of the name of a dot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    /// Place of the name's base line.
    pub(super) at: (f64, f64),
    pub(super) anchor: Anchor,
    /// Whether the name is so far away that a line leads to it, and where the line ends.
    pub(super) leader: Option<(f64, f64)>,
}

/// Parts of the field that are taken: by dots and names, which nothing may hide, and by curves, which names avoid.
#[derive(Debug)]
pub(super) struct Field {
    inside: Rectangle,
    taken: Vec<Rectangle>,
    curves: Vec<Rectangle>,
}

impl Field {
    pub(super) fn new(inside: Rectangle) -> Self {
        Self { inside, taken: Vec::new(), curves: Vec::new() }
    }

    /// Takes the place of a dot.
    pub(super) fn take_dot(&mut self, (x, y): (f64, f64), radius: f64) {
        self.taken.push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Takes the places of a curve.
    pub(super) fn take_curve(&mut self, places: &[(f64, f64)]) {
        self.curves.extend(places.windows(2).flat_map(|pair| parts(pair[0], pair[1], 1.5)));
    }

    /// Finds a place for the name of a dot and takes it; `None` where there is none.
    pub(super) fn name(&mut self, dot: (f64, f64), name: &str) -> Option<Label> {
        let width = text_width(name, TEXT);
        // Names keep off curves where they can, but a name beside its dot is better than one far away.
        let rings =
            DISTANCES.iter().flat_map(|distance| [true, false].map(|is_off| (*distance, is_off)));
        let (rectangle, label) = rings.into_iter().find_map(|(distance, is_off)| {
            let mut places = DIRECTIONS.iter().map(|to| name_box(dot, (distance, *to), width));
            places.find(|(rectangle, _)| self.is_free(*rectangle, is_off))
        })?;
        self.taken.push(rectangle);
        Some(label)
    }

    /// Finds a place for a name along the straight line between two places and takes it; the begin of its base line, and its
    /// angle in degrees.
    pub(super) fn along(
        &mut self,
        (from, to): ((f64, f64), (f64, f64)),
        name: &str,
    ) -> Option<((f64, f64), f64)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let (ux, uy) = (dx / length, dy / length);
        let width = text_width(name, TEXT);
        let begins = (0..60).map(|k| 12.0 + f64::from(k) * 10.0);
        for begin in begins.take_while(|begin| begin + width < length) {
            for off in [8.0, -17.0] {
                // The middle of the letters lies above the base line, in the direction that the line is turned.
                let base = (from.0 + ux * begin + uy * off, from.1 + uy * begin - ux * off);
                let middle = (base.0 + uy * 4.5, base.1 - ux * 4.5);
                let end = (middle.0 + ux * width, middle.1 + uy * width);
                let all: Vec<_> = parts(middle, end, 6.0).collect();
                if all.iter().all(|part| self.is_free(*part, true)) {
                    self.taken.extend(all);
                    return Some((base, dy.atan2(dx).to_degrees()));
                }
            }
        }
        None
    }

    fn is_free(&self, place: Rectangle, is_off_curves: bool) -> bool {
        let [left, top, right, bottom] = self.inside;
        let is_inside =
            place[0] >= left && place[1] >= top && place[2] <= right && place[3] <= bottom;
        let meets = |other: &Rectangle| {
            place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
        };
        is_inside
            && !self.taken.iter().any(meets)
            && !(is_off_curves && self.curves.iter().any(meets))
    }
}

/// Returns the rectangle and the label of a name of this width at a distance from its dot.
fn name_box(
    (x, y): (f64, f64),
    (distance, to): (f64, (f64, f64)),
    width: f64,
) -> (Rectangle, Label) {
    let (near_x, near_y) = (x + to.0 * distance, y + to.1 * distance);
    let (anchor, left) = match to.0 {
        side if side > 0.0 => (Anchor::Start, near_x),
        side if side < 0.0 => (Anchor::End, near_x - width),
        _ => (Anchor::Middle, near_x - width / 2.0),
    };
    let middle = near_y + to.1 * TEXT / 2.0;
    let (top, bottom) = (middle - 0.55 * TEXT, middle + 0.55 * TEXT);
    let leader = (distance > DISTANCES[0]).then_some((near_x, near_y));
    let label = Label { at: (near_x, middle + 0.35 * TEXT), anchor, leader };
    ([left - 1.0, top - 1.0, left + width + 1.0, bottom + 1.0], label)
}

/// Returns squares of this half width along the line from one place to another.
fn parts(from: (f64, f64), to: (f64, f64), half: f64) -> impl Iterator<Item = Rectangle> {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let count = (length / PART).ceil().max(1.0) as usize;
    (0..=count).map(move |k| {
        let share = k as f64 / count as f64;
        let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
        [x - half, y - half, x + half, y + half]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dots_that_are_close_lie_apart() {
        let mut field = Field::new([0.0, 0.0, 600.0, 400.0]);
        let dots: Vec<_> = (0..8).map(|k| (300.0 + 3.0 * f64::from(k), 200.0)).collect();
        dots.iter().for_each(|dot| field.take_dot(*dot, 5.0));
        for dot in &dots {
            assert!(field.name(*dot, "fft8192").is_some());
        }
        for (k, a) in field.taken.iter().enumerate().skip(dots.len()) {
            for b in &field.taken[..k] {
                assert!(
                    a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3],
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn names_along_lines_lie_apart_and_inside() {
        let mut field = Field::new([0.0, 0.0, 600.0, 400.0]);
        let lines = [0.0, 12.0, 24.0].map(|off| ((50.0, 350.0 - off), (450.0, 50.0 - off)));
        lines.iter().for_each(|line| field.take_curve(&[line.0, line.1]));
        let found: Vec<_> =
            lines.iter().filter_map(|line| field.along(*line, "DMA channel")).collect();
        assert!(found.len() >= 2, "{found:?}");
        assert!(found.iter().all(|(_, angle)| (*angle + 36.87).abs() < 0.1), "{found:?}");
    }
}
