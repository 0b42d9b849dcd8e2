//! Values in the course of cycles: a lane for each register or word that was chosen, with its values as texts where they have
//! room, and as a chart from afar.

use crate::model::number::Format;
use crate::model::palette::Hue;
use crate::model::session::{Selection, Session};
use crate::model::value::{ValueTest, numbers};
use crate::model::viewport::{MOST_VALUES, VALUES, Viewport, grouped};
use crate::theme::{Theme, mono, sans};
use crate::views::parts::{self, Quads};
use crate::worker::{Answer, Key, ValueCourse};
use cp2_emu::stats::Cause;
use cp2_isa::{Cycle, StorageCell};
use egui::{Align2, Color32, Pos2, Rect, RichText, Sense, Stroke, Ui, Vec2};
use std::sync::Arc;

/// Width of the names of lanes.
const NAMES: f32 = 132.0;
/// Height of the ruler above the lanes.
const RULER: f32 = 20.0;
/// Greatest height of a lane.
const HIGHEST: f32 = 84.0;
/// Narrowest value that is written as text, in points.
const READABLE: f32 = 44.0;

/// Value and the cycles in which a place has it, as they are drawn.
struct Held {
    begin: Cycle,
    end: Cycle,
    value: u64,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let places = shown(session);
    bar(ui, session);
    if places.is_empty() {
        let hint = "Click a register or a word in the views Registers (4) or Memory (5), then press \
                    P to keep its lane here.";
        return parts::empty(ui, "No register and no word is chosen", hint);
    }
    let view = session.view.clone();
    if view.span() > MOST_VALUES {
        let hint = format!(
            "Values are shown of {} cycles and fewer. Zoom in (W, or the wheel in the timeline), or \
             press Z for single cycles at the cursor.",
            grouped(Cycle(MOST_VALUES as u64))
        );
        return parts::empty(ui, "Too many cycles in view", &hint);
    }
    lanes(ui, session, &view, &places);
}

/// Returns the places that have a lane: the pinned ones, and the selected one below them.
fn shown(session: &Session) -> Vec<StorageCell> {
    let mut places = session.marked.pins.clone();
    if let Some(Selection::Place(place)) = session.selection
        && !places.contains(&place)
    {
        places.push(place);
    }
    places
}

fn bar(ui: &mut Ui, session: &mut Session) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for format in Format::ALL {
            let is_on = session.preferences.format == format;
            if ui.selectable_label(is_on, format.name()).clicked() {
                session.preferences.format = format;
            }
        }
        ui.add_space(8.0);
        let is_place = matches!(session.selection, Some(Selection::Place(_)));
        let tip = "Goes to the last cycle before the cursor in which the selected register or word \
                   became NaN.\nKey: N. To look for other values: Ctrl+K, then f12.3 = 1.5";
        let button = ui.add_enabled(is_place, egui::Button::new("When NaN?"));
        let none = "Select a register or a word first.";
        if button.on_hover_text(tip).on_disabled_hover_text(none).clicked() {
            session.when_not_a_number();
        }
        let theme = Theme::of(ui.visuals());
        let tip = "Goes to the last write before the cursor.\nKey: G";
        let button = ui.add_enabled(is_place, egui::Button::new("Last write"));
        if button.on_hover_text(tip).on_disabled_hover_text(none).clicked() {
            session.who_wrote();
        }
        if ui.available_width() > 180.0 {
            ui.add_space(8.0);
            for (cause, half) in [(Cause::Arithmetic, "High half"), (Cause::Exchange, "Low half")] {
                parts::swatch(ui, theme.cause(cause));
                let text = RichText::new(half).font(sans(11.5)).color(theme.weak);
                ui.label(text).on_hover_text("Colours of the curves.");
            }
        }
    });
}

fn lanes(ui: &mut Ui, session: &mut Session, view: &Viewport, places: &[StorageCell]) {
    let theme = Theme::of(ui.visuals());
    let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click());
    let plot = Rect::from_min_max(rect.min + Vec2::new(NAMES, RULER), rect.max);
    let height = ((plot.height() - 4.0) / places.len() as f32).min(HIGHEST);
    ruler(ui, theme, view, plot);
    let mut unpinned = None;
    for (k, &place) in places.iter().enumerate() {
        let top = plot.top() + height * k as f32;
        let lane = Rect::from_x_y_ranges(plot.x_range(), top..=top + height - 6.0);
        ui.painter().rect_filled(lane, 2.0, theme.panel);
        let is_pinned = session.marked.pins.contains(&place);
        let names = Rect::from_x_y_ranges(rect.left()..=plot.left() - 8.0, lane.y_range());
        if name(ui, session, (place, is_pinned), names) {
            unpinned = Some(place);
        }
        match courses(session, view, place) {
            Ok(courses) => {
                let reading = Reading { format: session.format(), is_shared: is_shared(place) };
                draw(ui, theme, (view, reading), lane, &held(view, &courses));
            }
            Err(text) => {
                ui.painter().text(
                    lane.center(),
                    Align2::CENTER_CENTER,
                    text,
                    sans(12.0),
                    theme.weak,
                );
            }
        }
    }
    let x = plot.left() + plot.width() * view.part(session.cursor.0 as f64 + 0.5) as f32;
    if session.is_pointer_shown && plot.x_range().contains(x) {
        ui.painter().vline(x, plot.y_range(), Stroke::new(1.5, theme.accent()));
    }
    if let Some(place) = unpinned {
        session.toggle_pin(place);
    } else if response.clicked()
        && let Some(at) = response.interact_pointer_pos().filter(|at| plot.contains(*at))
    {
        session.cursor = view.cycle_at(f64::from((at.x - plot.left()) / plot.width()));
        let lane = ((at.y - plot.top()) / height) as usize;
        if let Some(&place) = places.get(lane) {
            session.selection = Some(Selection::Place(place));
        }
    }
}

fn ruler(ui: &Ui, theme: Theme, view: &Viewport, plot: Rect) {
    let painter = ui.painter();
    let mut taken = f32::NEG_INFINITY;
    for cycle in view.marks(f64::from(plot.width()), 110.0).0 {
        let x = plot.left() + plot.width() * view.part(cycle.0 as f64) as f32;
        let text = painter.layout_no_wrap(grouped(cycle), mono(11.0), theme.weak);
        if x < plot.left() || x + text.size().x > plot.right() || x < taken + 8.0 {
            continue;
        }
        taken = x + text.size().x;
        painter.vline(x, plot.top() - 4.0..=plot.bottom(), Stroke::new(1.0, theme.line));
        painter.galley(Pos2::new(x + 3.0, plot.top() - RULER + 2.0), text, theme.weak);
    }
}

/// Draws the name of a lane and its value at the cursor; returns whether its pin was clicked.
fn name(
    ui: &mut Ui,
    session: &mut Session,
    (place, is_pinned): (StorageCell, bool),
    room: Rect,
) -> bool {
    let theme = Theme::of(ui.visuals());
    let format = session.format();
    let cursor = session.cursor;
    let value = session.opened().and_then(|run| run.state(cursor)?.state.get(place));
    let is_selected = session.selection == Some(Selection::Place(place));
    let colour = if is_selected { theme.accent() } else { theme.text };
    let title = parts::place_name(session, place);
    let at = Pos2::new(room.left() + 6.0, room.top() + 9.0);
    parts::clipped(ui, at, room.width() - 30.0, &title, 12.0, colour);
    if let Some(value) = value.filter(|_| room.height() >= 30.0) {
        let text = Reading { format, is_shared: is_shared(place) }.text(value);
        let at = Pos2::new(room.left() + 6.0, room.top() + 25.0);
        parts::clipped(ui, at, room.width() - 6.0, &text, 11.0, theme.weak);
    }
    let pin = Rect::from_min_size(Pos2::new(room.right() - 22.0, room.top()), Vec2::splat(18.0));
    let text = RichText::new(if is_pinned { "×" } else { "+" }).font(sans(13.0));
    let tip = if is_pinned { "Removes this lane." } else { "Keeps this lane.\nKey: P" };
    ui.put(pin, egui::Button::new(text).frame(false)).on_hover_text(tip).clicked()
}

/// Whether all sections share a place.
fn is_shared(place: StorageCell) -> bool {
    !place.storage.info().layout.is_per_section()
}

/// Way in which the values of a lane are read.
#[derive(Clone, Copy)]
struct Reading {
    format: Format,
    /// Whether the sections share the place, which then is a whole number.
    is_shared: bool,
}

impl Reading {
    fn text(self, value: u64) -> String {
        if self.is_shared { self.format.shared(value) } else { self.format.text(value) }
    }

    fn numbers(self, value: u64) -> Vec<f64> {
        numbers(self.format, self.is_shared, value)
    }

    /// Whether a value is read as floats of which one is no number.
    fn is_nan(self, value: u64) -> bool {
        let is_float = matches!(self.format, Format::Float | Format::Complex) && !self.is_shared;
        is_float && ValueTest::NotANumber.holds(value)
    }
}

/// Returns the values of a place in the blocks in view; a text if they are not there.
fn courses(
    session: &mut Session,
    view: &Viewport,
    place: StorageCell,
) -> Result<Vec<Arc<ValueCourse>>, String> {
    let range = view.cycles();
    let Some(run) = session.opened() else { return Err(String::new()) };
    let blocks = range.start.0 / VALUES..=(range.end.0.max(1) - 1) / VALUES;
    let mut all = Vec::new();
    let mut missing = 0;
    for block in blocks {
        match run.ask(Key::Values(place, block)) {
            Some(Answer::Values(course)) => all.push(course.clone()),
            Some(Answer::None(why)) => return Err(why.to_string()),
            _ => missing += 1,
        }
    }
    if missing > 0 && all.is_empty() { Err("Reading values…".to_owned()) } else { Ok(all) }
}

/// Returns the values in view, each with its cycles.
fn held(view: &Viewport, courses: &[Arc<ValueCourse>]) -> Vec<Held> {
    let range = view.cycles();
    let mut all: Vec<Held> = Vec::new();
    for course in courses {
        let first = (course.cycles.start, course.first);
        let starts = [first].into_iter().chain(course.changes.iter().copied());
        for (begin, value) in starts {
            if let Some(last) = all.last_mut() {
                last.end = last.end.min(begin);
                if last.end == begin && last.value == value {
                    last.end = course.cycles.end;
                    continue;
                }
            }
            all.push(Held { begin, end: course.cycles.end, value });
        }
    }
    all.retain(|held| held.end > range.start && held.begin < range.end && held.begin < held.end);
    all
}

/// Draws the values of a lane: boxes with texts where they have room, else a chart of both halves.
fn draw(ui: &Ui, theme: Theme, (view, reading): (&Viewport, Reading), lane: Rect, held: &[Held]) {
    let x = |cycle: Cycle| {
        let x = lane.left() + lane.width() * view.part(cycle.0 as f64) as f32;
        x.clamp(lane.left(), lane.right())
    };
    let is_readable = held.len() as f32 * READABLE <= lane.width();
    if is_readable || reading.format == Format::Hex {
        boxes(ui, theme, (lane, reading), held, x);
    } else {
        chart(ui, theme, (lane, reading), held, x);
    }
}

fn boxes(
    ui: &Ui,
    theme: Theme,
    (lane, reading): (Rect, Reading),
    held: &[Held],
    x: impl Fn(Cycle) -> f32,
) {
    let mut quads = Quads::default();
    let band = lane.shrink2(Vec2::new(0.0, ((lane.height() - 26.0) / 2.0).max(2.0)));
    for (k, Held { begin, end, value }) in held.iter().enumerate() {
        let colour = match () {
            () if reading.is_nan(*value) => theme.tint(theme.hue(Hue::Hazard), 0.5),
            () if *value == 0 => theme.raised,
            () => theme.tint(theme.cause(Cause::Arithmetic), if k % 2 == 0 { 0.34 } else { 0.24 }),
        };
        let cell = Rect::from_x_y_ranges(x(*begin)..=(x(*end) - 0.8), band.y_range());
        quads.add(cell, colour);
    }
    quads.paint(&ui.painter().with_clip_rect(lane));
    for Held { begin, end, value } in held {
        let (left, right) = (x(*begin) + 4.0, x(*end) - 4.0);
        if right - left >= READABLE - 14.0 {
            let at = Pos2::new(left, band.center().y);
            parts::clipped(ui, at, right - left, &reading.text(*value), 11.0, theme.text);
        }
    }
}

/// Draws both halves of the values as curves between their extremes; NaN has the colour of a finding.
fn chart(
    ui: &Ui,
    theme: Theme,
    (lane, reading): (Rect, Reading),
    held: &[Held],
    x: impl Fn(Cycle) -> f32,
) {
    let all = || held.iter().flat_map(|held| reading.numbers(held.value));
    let finite = || all().filter(|n| n.is_finite());
    let (least, most) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if least > most {
        let text = "no finite value in view";
        ui.painter().text(lane.center(), Align2::CENTER_CENTER, text, sans(12.0), theme.weak);
        return;
    }
    let inside = lane.shrink2(Vec2::new(0.0, 4.0));
    let span = if most > least { most - least } else { 1.0 };
    let y = |n: f64| inside.bottom() - inside.height() * ((n - least) / span) as f32;
    let mut quads = Quads::default();
    let colours = [theme.cause(Cause::Arithmetic), theme.cause(Cause::Exchange)];
    for (half, colour) in colours.into_iter().enumerate().rev() {
        let mut columns: Vec<(f32, f32, f32, f32)> = Vec::new();
        for Held { begin, end, value } in held {
            let Some(number) = reading.numbers(*value).get(half).copied() else { continue };
            let (left, right) = (x(*begin), x(*end));
            if !number.is_finite() {
                let cell = Rect::from_x_y_ranges(left..=right.max(left + 1.0), lane.y_range());
                quads.add(cell, theme.tint(theme.hue(Hue::Hazard), 0.5));
                continue;
            }
            let at = y(number);
            match columns.last_mut() {
                // Values in one column of points are one line from the least to the greatest.
                Some((from, to, top, bottom)) if right - *from < 1.5 => {
                    *to = right;
                    (*top, *bottom) = (top.min(at), bottom.max(at));
                }
                _ => columns.push((left, right, at, at)),
            }
        }
        for (left, right, top, bottom) in columns {
            let cell =
                Rect::from_x_y_ranges(left..=right.max(left + 1.0), top - 0.8..=bottom + 0.8);
            quads.add(cell, colour);
        }
    }
    quads.paint(&ui.painter().with_clip_rect(lane));
    for (value, at, align) in [
        (most, lane.right_top() + Vec2::new(-4.0, 2.0), Align2::RIGHT_TOP),
        (least, lane.right_bottom() + Vec2::new(-4.0, -2.0), Align2::RIGHT_BOTTOM),
    ] {
        label(ui, theme, &short_number(value), at, align);
    }
}

/// Returns a number as the label of an axis.
fn short_number(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-3..1e7).contains(&number.abs());
    match () {
        () if number.fract() == 0.0 && number.abs() < 1e7 => format!("{number:.0}"),
        () if is_plain => format!("{number:.4}"),
        () => format!("{number:.3e}"),
    }
}

/// Draws a text on a ground of its own, so that it is read on a chart.
fn label(ui: &Ui, theme: Theme, text: &str, at: Pos2, align: Align2) {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), mono(10.0), theme.weak);
    let room = align.anchor_size(at, galley.size());
    let ground: Color32 = theme.panel.gamma_multiply(0.85);
    ui.painter().rect_filled(room.expand(1.0), 2.0, ground);
    ui.painter().galley(room.min, galley, theme.weak);
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "place,begin,end,hex,high,low\n".to_owned();
    let view = session.view.clone();
    if view.span() > MOST_VALUES {
        return text;
    }
    for place in shown(session) {
        let Ok(courses) = courses(session, &view, place) else { continue };
        let name = parts::csv(&place.to_string());
        for Held { begin, end, value } in held(&view, &courses) {
            let [high, low] = [(value >> 32) as u32, value as u32].map(f32::from_bits);
            text += &format!("{name},{begin},{end},{value:016x},{high},{low}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_on_from_block_to_block() {
        let course = |start: u64, end: u64, first, changes: &[(u64, u64)]| {
            let changes = changes.iter().map(|&(cycle, value)| (Cycle(cycle), value)).collect();
            Arc::new(ValueCourse { cycles: Cycle(start)..Cycle(end), first, changes })
        };
        let courses = [
            course(0, 100, 1, &[(10, 2), (40, 3)]),
            course(100, 200, 3, &[(150, 4)]),
            course(300, 400, 5, &[]),
        ];
        let view = Viewport::new(Cycle(20)..Cycle(390));
        let all: Vec<_> =
            held(&view, &courses).iter().map(|h| (h.begin.0, h.end.0, h.value)).collect();
        assert_eq!(all, [(10, 40, 2), (40, 150, 3), (150, 200, 4), (300, 400, 5)]);
    }
}
