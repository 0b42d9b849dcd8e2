//! Parts that several views draw: quads, heads of tables, empty states.

use crate::theme::{Theme, sans};
use egui::{Align2, Color32, Mesh, Pos2, Rect, RichText, Ui, Vec2};

/// Rectangles that are drawn as one mesh.
#[derive(Debug, Default)]
pub(crate) struct Quads(Mesh);

impl Quads {
    /// Adds a rectangle of a colour.
    pub(crate) fn add(&mut self, rect: Rect, colour: Color32) {
        if rect.is_positive() {
            self.0.add_colored_rect(rect, colour);
        }
    }

    /// Adds rectangles, each of a colour.
    pub(crate) fn extend(&mut self, quads: impl IntoIterator<Item = (Rect, Color32)>) {
        quads.into_iter().for_each(|(rect, colour)| self.add(rect, colour));
    }

    /// Draws the rectangles.
    pub(crate) fn paint(self, painter: &egui::Painter) {
        if !self.0.is_empty() {
            painter.add(self.0);
        }
    }
}

/// Shows a message where there is nothing else to show: a line, and a hint what to do.
pub(crate) fn empty(ui: &mut Ui, what: &str, hint: &str) {
    let theme = Theme::of(ui.visuals());
    ui.centered_and_justified(|ui| {
        let text = format!("{what}\n{hint}");
        let mut job = egui::text::LayoutJob::default();
        let (first, second) = text.split_once('\n').unwrap_or((&text, ""));
        let format =
            |size, color| egui::TextFormat { font_id: sans(size), color, ..Default::default() };
        job.append(first, 0.0, format(15.0, theme.text));
        job.append(&format!("\n{second}"), 0.0, format(13.0, theme.weak));
        job.halign = egui::Align::Center;
        ui.label(job);
    });
}

/// Draws a short text at a point, cut off at a width.
pub(crate) fn clipped(ui: &Ui, at: Pos2, width: f32, text: &str, size: f32, colour: Color32) {
    let painter = ui.painter().with_clip_rect(
        ui.clip_rect()
            .intersect(Rect::from_min_size(at - Vec2::new(0.0, 12.0), Vec2::new(width, 24.0))),
    );
    painter.text(at, Align2::LEFT_CENTER, text, crate::theme::mono(size), colour);
}

/// Shows a small heading.
pub(crate) fn caption(ui: &mut Ui, text: &str) {
    let theme = Theme::of(ui.visuals());
    ui.label(RichText::new(text).font(sans(12.0)).color(theme.weak));
}

/// Shows a small square of a colour, before its name.
pub(crate) fn swatch(ui: &mut Ui, colour: Color32) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(10.0), egui::Sense::hover());
    ui.painter().rect_filled(rect, 2.0, colour);
}

/// Returns a text as a value of CSV, in quotation marks where needed.
pub(crate) fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
