//! Parts that several views draw: quads, heads of tables, empty states.

use crate::model::command::Command;
use crate::model::palette::{Hue, kernel_name};
use crate::model::program::Hazard;
use crate::model::session::Session;
use crate::model::viewport::grouped;
use crate::theme::{ROW, Theme, sans};
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{Storage, StorageCell};
use egui::{Align2, Color32, Mesh, Pos2, Rect, RichText, Sense, Ui, Vec2};

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

/// Shows a message in the middle of a view where there is nothing else to show: a line, and a hint what to do.
pub(crate) fn empty(ui: &mut Ui, what: &str, hint: &str) {
    let theme = Theme::of(ui.visuals());
    let whole = ui.available_rect_before_wrap();
    let width = (whole.width() - 32.0).clamp(40.0, 400.0);
    let room = Rect::from_center_size(whole.center(), Vec2::new(width, whole.height()));
    let layout = egui::Layout::top_down(egui::Align::Center);
    ui.allocate_rect(whole, Sense::hover());
    let ui = &mut ui.new_child(egui::UiBuilder::new().max_rect(room).layout(layout));
    ui.add_space((whole.height() / 2.0 - 40.0).max(4.0));
    ui.label(RichText::new(what).font(sans(15.0)));
    ui.label(RichText::new(hint).font(sans(13.0)).color(theme.weak));
}

/// Returns the name of a register or word for people: of a word the elements of arrays in it, or the label before it, with the
/// address in brackets.
pub(crate) fn place_name(session: &mut Session, place: StorageCell) -> String {
    let cursor = session.cursor;
    let words = match session.opened() {
        Some(run) if place.storage == Storage::Lmem => Some(run.word_names(cursor)),
        _ => None,
    };
    let named =
        words.and_then(|words| words.name(place.number..place.number + 1, Some(place.section)));
    let section = if place.storage.info().layout.is_per_section() {
        format!(".{}", place.section)
    } else {
        String::new()
    };
    match named {
        Some(name) => format!("{name}  [{}]{section}", place.number),
        None if place.storage == Storage::Lmem => format!("[{}]{section}", place.number),
        None if place.storage.info().layout.is_numbered() => {
            format!("{}{}{section}", place.storage.info().name, place.number)
        }
        None => format!("{}{section}", place.storage.info().name),
    }
}

/// Draws a short text at a point, with `…` at its end where the width is too small for it.
pub(crate) fn clipped(ui: &Ui, at: Pos2, width: f32, text: &str, size: f32, colour: Color32) {
    // All letters are equally wide.
    let room = (width / (LETTER * size)).max(0.0) as usize;
    let mut shown = text.to_owned();
    if text.chars().count() > room {
        shown = text.chars().take(room.saturating_sub(1)).collect::<String>() + "…";
    }
    let font = crate::theme::mono(size);
    ui.painter().text(at, Align2::LEFT_CENTER, shown, font, colour);
}

/// Width of a letter of the monospace font, in parts of its size.
pub(crate) const LETTER: f32 = 0.602;

/// Returns a number of things with the word for them, such as `1 cycle` and `7 cycles`.
pub(crate) fn count(n: u64, word: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(n))
}

/// Returns a description as a sentence: with a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// Returns the keys of a command for people, such as `Ctrl+K or /`; empty if it has none.
pub(crate) fn keys_text(ctx: &egui::Context, command: Command) -> String {
    let symbols = [
        ("Right", "→"),
        ("Left", "←"),
        ("Up", "↑"),
        ("Down", "↓"),
        ("Slash", "/"),
        ("Plus", "+"),
        ("Equals", "="),
        ("Minus", "-"),
    ];
    let text = |keys: &egui::KeyboardShortcut| {
        let text = ctx.format_shortcut(keys);
        let symbol = symbols.iter().find_map(|(name, symbol)| {
            let start = text.strip_suffix(name)?;
            (start.is_empty() || start.ends_with('+')).then(|| format!("{start}{symbol}"))
        });
        symbol.unwrap_or(text)
    };
    command.keys().iter().map(text).collect::<Vec<_>>().join(" or ")
}

/// Shows the number of cycles by cause, a line for each cause that has some.
pub(crate) fn cost_tip(ui: &mut Ui, cost: &BundleCost) {
    let theme = Theme::of(ui.visuals());
    for cause in Cause::ALL.into_iter().filter(|&cause| cost.causes[cause as usize] > 0) {
        ui.horizontal(|ui| {
            swatch(ui, theme.cause(cause));
            let n = count(cost.causes[cause as usize], "cycle");
            ui.label(format!("{n}: {}", cause.description()));
        });
    }
    if cost.flops > 0 {
        ui.label(count(cost.flops, "floating-point operation"));
    }
}

/// Shows a finding of the linter, below a line.
pub(crate) fn hazard_tip(ui: &mut Ui, hazard: &Hazard) {
    let theme = Theme::of(ui.visuals());
    ui.separator();
    let head = format!("{} {}", hazard.code, hazard.message);
    ui.label(RichText::new(head).color(theme.hue(Hue::Hazard)));
    ui.label(RichText::new(&hazard.help).color(theme.weak));
}

/// Sets the spacing of a text under the pointer.
pub(crate) fn tip_style(ui: &mut Ui) {
    ui.set_max_width(440.0);
    ui.spacing_mut().interact_size.y = 16.0;
    ui.spacing_mut().item_spacing.y = 3.0;
}

/// Heading of a column: its text, in one or two lines, and the text that explains the column under the pointer.
pub(crate) struct Heading<'a> {
    /// Edges of the column, from the left edge of the table.
    pub(crate) edges: (f32, f32),
    /// Whether the text stands at the right edge, as numbers do.
    pub(crate) is_right: bool,
    pub(crate) text: &'a str,
    pub(crate) tip: &'a str,
}

impl<'a> Heading<'a> {
    /// Returns the heading of a column of texts.
    pub(crate) fn left(edges: (f32, f32), text: &'a str, tip: &'a str) -> Self {
        Self { edges, is_right: false, text, tip }
    }

    /// Returns the heading of a column of numbers.
    pub(crate) fn right(edges: (f32, f32), text: &'a str, tip: &'a str) -> Self {
        Self { edges, is_right: true, text, tip }
    }
}

/// Shows the headings of a table.
pub(crate) fn headings(ui: &mut Ui, headings: &[Heading<'_>]) {
    let theme = Theme::of(ui.visuals());
    let lines = headings.iter().map(|h| h.text.split('\n').count()).max().unwrap_or(1);
    let size = Vec2::new(ui.available_width(), heading_height(lines));
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    for (k, heading) in headings.iter().enumerate() {
        let (left, right) = (rect.left() + heading.edges.0, rect.left() + heading.edges.1);
        let align = if heading.is_right { Align2::RIGHT_BOTTOM } else { Align2::LEFT_BOTTOM };
        let x = if heading.is_right { right } else { left };
        for (n, line) in heading.text.split('\n').rev().enumerate() {
            let at = Pos2::new(x, rect.bottom() - 2.0 - 13.0 * n as f32);
            ui.painter().text(at, align, line, sans(11.5), theme.weak);
        }
        let room = Rect::from_x_y_ranges(left..=right.max(left), rect.y_range());
        ui.interact(room, response.id.with(k), Sense::hover()).on_hover_text(heading.tip);
    }
}

/// Returns the width of the rows of a table below its headings, beside which stands a scroll bar if not all rows have
/// room.
pub(crate) fn table_width(ui: &Ui, rows: usize, heading_lines: usize) -> f32 {
    let scroll = &ui.spacing().scroll;
    let room = ui.available_height() - heading_height(heading_lines);
    let bar = if rows as f32 * ROW > room { scroll.allocated_width() } else { 0.0 };
    ui.available_width() - bar
}

fn heading_height(lines: usize) -> f32 {
    4.0 + 14.0 * lines as f32
}

/// Shows causes with their colours, a line each, below a text.
pub(crate) fn causes_tip(ui: &mut Ui, text: &str) {
    let theme = Theme::of(ui.visuals());
    tip_style(ui);
    ui.label(text);
    for cause in Cause::ALL {
        ui.horizontal(|ui| {
            swatch(ui, theme.cause(cause));
            ui.label(format!("{}: {}", kernel_name(cause), cause.description()));
        });
    }
}

/// Shows a small heading.
pub(crate) fn caption(ui: &mut Ui, text: &str) {
    let theme = Theme::of(ui.visuals());
    ui.label(RichText::new(text).font(sans(12.0)).color(theme.weak));
}

/// Shows the button that runs the program again, or tells why it cannot be.
pub(crate) fn run_button(ui: &mut Ui, can_run: Result<(), &'static str>) -> egui::Response {
    let button = ui.add_enabled(can_run.is_ok(), egui::Button::new("Run again and compare"));
    let why = can_run.err().map_or(String::new(), |why| format!("Not for this run: {why}."));
    button.on_disabled_hover_text(why).on_hover_text(
        "Runs the program with the edited source and the changed machine, and compares the new run \
         with the open one.\nKey: Ctrl+Enter",
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_with_their_words() {
        assert_eq!(count(1, "cycle"), "1 cycle");
        assert_eq!(count(1500, "cycle"), "1\u{2009}500 cycles");
        assert_eq!(sentence("entries of the host FIFO"), "Entries of the host FIFO.");
    }

    #[test]
    fn keys_are_shown_as_they_are_written_on_keyboards() {
        let ctx = egui::Context::default();
        ctx.set_os(egui::os::OperatingSystem::Nix);
        assert_eq!(keys_text(&ctx, Command::Palette), "Ctrl+K or /");
        assert_eq!(keys_text(&ctx, Command::JumpBack), "Shift+←");
        assert_eq!(keys_text(&ctx, Command::ZoomIn), "W or + or = or ↑");
        assert_eq!(keys_text(&ctx, Command::Start), "");
    }
}
