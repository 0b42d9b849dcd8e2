//! Finds texts of a picture that lie on each other.

use egui::epaint::{ClippedShape, Shape};
use egui::{FullOutput, Rect};

/// Part of two texts that may lie on each other, in points: the edges of letters.
const EDGE: f32 = 1.5;

/// Text that is seen, the place of its letters, and the number of opaque rectangles drawn before it.
struct Seen {
    text: String,
    letters: Rect,
    before: usize,
}

/// Texts of a picture, and the rectangles that hide what was drawn before them.
#[derive(Default)]
struct Drawn {
    texts: Vec<Seen>,
    covers: Vec<Rect>,
}

impl Drawn {
    fn add(&mut self, shape: &Shape, clip: Rect) {
        match shape {
            Shape::Vec(all) => all.iter().for_each(|shape| self.add(shape, clip)),
            Shape::Rect(rect) if rect.fill.is_opaque() => {
                self.covers.push(rect.rect.intersect(clip));
            }
            Shape::Text(text) => {
                for row in &text.galley.rows {
                    let bounds = row.visuals.mesh_bounds.translate(row.pos.to_vec2());
                    let letters = bounds.translate(text.pos.to_vec2()).intersect(clip);
                    if letters.is_positive() {
                        let (text, before) = (row.text(), self.covers.len());
                        self.texts.push(Seen { text, letters, before });
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether what two texts share is hidden between them.
    fn is_hidden(&self, first: &Seen, second: &Seen, shared: Rect) -> bool {
        self.covers[first.before..second.before].iter().any(|cover| cover.contains_rect(shared))
    }
}

/// Returns the pairs of texts that lie on each other.
pub(crate) fn overlaps(output: &FullOutput) -> Vec<String> {
    let mut drawn = Drawn::default();
    for ClippedShape { clip_rect, shape, .. } in &output.shapes {
        drawn.add(shape, *clip_rect);
    }
    let mut found = Vec::new();
    for (k, first) in drawn.texts.iter().enumerate() {
        for second in &drawn.texts[k + 1..] {
            let shared = first.letters.intersect(second.letters);
            let is_shared = shared.width() > EDGE && shared.height() > EDGE;
            if is_shared && !drawn.is_hidden(first, second, shared) {
                found.push(format!("`{}` and `{}` at {shared:?}", first.text, second.text));
            }
        }
    }
    found
}
