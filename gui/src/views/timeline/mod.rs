//! The timeline: what both slots, the pipelines, the banks, the channel and the host did, from the whole run down to
//! single cycles. The lanes stay where they are when one zooms; what is in them follows the resolution.

mod columns;
mod cycles;
mod lanes;
mod names;

use crate::export::LegendEntry;
use crate::model::palette::{Hue, kernel_name};
use crate::model::session::{CountedSpan, Selection, Session};
use crate::model::viewport::{Detail, grouped, short};
use crate::theme::{Theme, mono, sans};
use crate::views::parts;
use cp2_emu::stats::Cause;
use cp2_isa::Cycle;
use egui::{Align2, PointerButton, Pos2, Rect, RichText, Sense, Stroke, Ui, Vec2};
use lanes::{Lane, Lanes};

/// Height of the ruler of the timeline.
const RULER: f32 = 24.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
    let has_channel = info.config.is_some();
    let core = info.core;
    let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let lanes = Lanes::new(rect, RULER, (core.banks(), has_channel), names::rows(session));
    navigate(ui, session, &response, &lanes);
    let ui = &mut ui.new_child(egui::UiBuilder::new().max_rect(rect));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    ruler(ui, session, lanes.plot());
    lanes.frame(ui, theme);
    let hovered = response.hover_pos().filter(|at| lanes.plot().contains(*at));
    let tip = match session.view.detail() {
        Detail::Cycles => cycles::draw(ui, session, &lanes, hovered),
        _ => columns::draw(ui, session, &lanes, hovered),
    };
    let tip = names::draw(ui, session, &lanes, hovered).or(tip);
    counted(ui, session, lanes.plot());
    let marked = bookmarks(ui, session, lanes.plot(), response.hover_pos());
    cursor(ui, session, &lanes, hovered.filter(|_| session.is_pointer_shown));
    if response.clicked_by(PointerButton::Primary)
        && let Some(at) = response.interact_pointer_pos()
    {
        match tip.as_ref().and_then(|tip| tip.span.clone()) {
            Some(span) => session.marked.counted = Some(span),
            None => click(session, &lanes, at, tip.as_ref().and_then(|tip| tip.operation)),
        }
    }
    if response.double_clicked()
        && let Some(span) = tip.as_ref().and_then(|tip| tip.span.clone())
    {
        let (begin, end) = (span.cycles.start.0 as f64, span.cycles.end.0 as f64);
        session.view.show(begin, end);
    }
    if let Some(tip) = marked {
        return drop(response.on_hover_text_at_pointer(tip));
    }
    let gutter = response.hover_pos().filter(|at| at.x < lanes.plot().left());
    if let Some(at) = gutter {
        let text = lanes.at(at.y).map_or(RULER_TIP, Lane::description);
        return drop(response.on_hover_text_at_pointer(text));
    }
    if let Some(tip) = tip.filter(|_| !response.dragged()) {
        response.on_hover_ui_at_pointer(|ui| tip.show(ui));
    }
}

/// Explains the ruler, beside which stands the number of cycles in view.
const RULER_TIP: &str = "The number of cycles in view; the ruler counts cycles from reset. Turn the wheel \
                         to zoom, drag to move, click to move the cursor to a cycle.";

/// Text that is shown of what is under the pointer.
pub(crate) struct Tip {
    /// Title of the text: the cycles that it tells of.
    pub(crate) title: String,
    /// Lines of the text, some with a colour before them.
    pub(crate) lines: Vec<(Option<egui::Color32>, String)>,
    /// Operation under the pointer.
    pub(crate) operation: Option<(Cycle, cp2_isa::Slot)>,
    /// Span under the pointer.
    pub(crate) span: Option<CountedSpan>,
}

impl Tip {
    fn show(&self, ui: &mut Ui) {
        let theme = Theme::of(ui.visuals());
        parts::tip_style(ui);
        ui.set_max_width(500.0);
        ui.label(RichText::new(&self.title).strong());
        for (colour, line) in &self.lines {
            ui.horizontal(|ui| {
                if let Some(colour) = colour {
                    parts::swatch(ui, *colour);
                }
                let text = RichText::new(line).font(sans(12.5));
                ui.label(if colour.is_some() { text } else { text.color(theme.weak) });
            });
        }
    }
}

/// Pans by dragging, zooms with the wheel at the pointer, and shows a range chosen with Shift or the right button.
fn navigate(ui: &Ui, session: &mut Session, response: &egui::Response, lanes: &Lanes) {
    let plot = lanes.plot();
    let width = f64::from(plot.width().max(1.0));
    let per_point = session.view.span() / width;
    let part = |x: f32| f64::from(x - plot.left()) / width;
    let is_range = ui.input(|i| i.modifiers.shift);
    let id = response.id.with("range");
    if response.drag_started() && (is_range || response.dragged_by(PointerButton::Secondary)) {
        let begin = ui.input(|i| i.pointer.press_origin());
        ui.data_mut(|data| data.insert_temp(id, begin.map(|at| at.x)));
    }
    let begin = ui.data(|data| data.get_temp::<Option<f32>>(id)).flatten();
    match begin {
        Some(begin) => {
            let now = response.interact_pointer_pos().map_or(begin, |at| at.x);
            if response.drag_stopped() {
                ui.data_mut(|data| data.insert_temp(id, None::<f32>));
                if (now - begin).abs() > 4.0 {
                    let at = |x: f32| session.view.begin() + session.view.span() * part(x);
                    let (a, b) = (at(begin.min(now)), at(begin.max(now)));
                    session.view.show(a, b);
                }
            } else {
                let theme = Theme::of(ui.visuals());
                let range = Rect::from_x_y_ranges(begin.min(now)..=begin.max(now), plot.y_range());
                let over = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, id));
                over.rect_filled(range, 0.0, theme.accent().gamma_multiply(0.25));
            }
        }
        None if response.dragged_by(PointerButton::Primary)
            || response.dragged_by(PointerButton::Middle) =>
        {
            session.view.pan(-f64::from(response.drag_delta().x) * per_point);
        }
        None => {}
    }
    if let Some(at) = response.hover_pos() {
        let (scroll, zoom) = ui.input(|i| (i.smooth_scroll_delta(), i.zoom_delta()));
        session.view.pan(-f64::from(scroll.x) * per_point);
        let factor = (-f64::from(scroll.y) / 240.0).exp2() / f64::from(zoom);
        if (factor - 1.0).abs() > 1e-6 {
            session.view.zoom(factor, part(at.x).clamp(0.0, 1.0));
        }
        if response.double_clicked() && !lanes.is_above_causes(at.y) {
            session.zoom_to_cursor();
        }
    }
}

fn click(
    session: &mut Session,
    lanes: &Lanes,
    at: Pos2,
    operation: Option<(Cycle, cp2_isa::Slot)>,
) {
    if at.x < lanes.plot().left() {
        return;
    }
    let part = f64::from(at.x - lanes.plot().left()) / f64::from(lanes.plot().width());
    session.cursor = session.view.cycle_at(part);
    if let Some((cycle, slot)) = operation {
        session.selection = Some(Selection::Operation(cycle, slot));
    }
}

fn ruler(ui: &Ui, session: &Session, plot: Rect) {
    let theme = Theme::of(ui.visuals());
    let (marks, step) = session.view.marks(f64::from(plot.width()), 110.0);
    let painter = ui.painter().with_clip_rect(plot.intersect(ui.clip_rect()));
    // No mark stands under the number of the cursor.
    let number = painter.layout_no_wrap(grouped(session.cursor), mono(11.0), theme.weak);
    let cursor =
        plot.left() + plot.width() * session.view.part(session.cursor.0 as f64 + 0.5) as f32;
    let half = number.size().x / 2.0 + 9.0;
    let cursor = cursor.clamp(plot.left() + half, (plot.right() - half).max(plot.left() + half));
    let badge = egui::Rangef::new(cursor - half, cursor + half);
    for cycle in marks {
        let x = plot.left() + plot.width() * session.view.part(cycle.0 as f64) as f32;
        painter.vline(x, plot.top() + RULER - 5.0..=plot.bottom(), Stroke::new(1.0, theme.line));
        let text = if step >= 1_000_000 { short(cycle.0 as f64) } else { grouped(cycle) };
        let at = Pos2::new(x + 4.0, plot.top() + RULER / 2.0);
        let text = painter.layout_no_wrap(text, mono(11.0), theme.weak);
        let room = egui::Rangef::new(x + 4.0, x + 4.0 + text.size().x);
        let is_flagged = session.marked.bookmarks.iter().any(|mark| {
            let at = plot.left() + plot.width() * session.view.part(mark.cycle as f64 + 0.5) as f32;
            at < room.max && at + 11.0 > room.min
        });
        let is_covered = is_flagged || room.min < badge.max && room.max > badge.min;
        if x >= plot.left() && !is_covered {
            let text_at = at - Vec2::new(0.0, text.size().y / 2.0);
            painter.galley(text_at, text, theme.weak);
        }
    }
    let span = format!("{} cycles", short(session.view.span()));
    let at = Pos2::new(plot.left() - 8.0, plot.top() + RULER / 2.0);
    ui.painter().text(at, Align2::RIGHT_CENTER, span, sans(11.5), theme.text);
}

/// Draws a flag in the ruler for each bookmark; returns the text for the one under the pointer.
fn bookmarks(ui: &Ui, session: &Session, plot: Rect, hovered: Option<Pos2>) -> Option<String> {
    let theme = Theme::of(ui.visuals());
    let painter = ui.painter().with_clip_rect(plot);
    let mut tip = None;
    for mark in &session.marked.bookmarks {
        let x = plot.left() + plot.width() * session.view.part(mark.cycle as f64 + 0.5) as f32;
        if !plot.x_range().contains(x) {
            continue;
        }
        let colour = theme.hue(Hue::Host);
        let top = plot.top() + 1.0;
        painter.vline(x, top..=plot.top() + RULER, Stroke::new(1.5, colour));
        let flag = [Vec2::ZERO, Vec2::new(9.0, 3.5), Vec2::new(0.0, 7.0)];
        let points = flag.map(|at| Pos2::new(x, top) + at).to_vec();
        painter.add(egui::Shape::convex_polygon(points, colour, Stroke::NONE));
        let room = Rect::from_min_size(Pos2::new(x - 3.0, top), Vec2::new(13.0, RULER - 2.0));
        if hovered.is_some_and(|at| room.contains(at)) {
            let cycle = grouped(Cycle(mark.cycle));
            tip = Some(format!(
                "Bookmark {}, cycle {cycle}.\nKeys: [ and ] go to bookmarks, B at its cycle removes it.",
                mark.name
            ));
        }
    }
    tip
}

/// Marks the cycles that the other views count.
fn counted(ui: &Ui, session: &Session, plot: Rect) {
    let Some(CountedSpan { cycles, .. }) = &session.marked.counted else { return };
    let theme = Theme::of(ui.visuals());
    let x = |cycle: Cycle| plot.left() + plot.width() * session.view.part(cycle.0 as f64) as f32;
    let rect = Rect::from_x_y_ranges(x(cycles.start)..=x(cycles.end), plot.y_range());
    let painter = ui.painter().with_clip_rect(plot);
    painter.rect_filled(rect, 0.0, theme.accent().gamma_multiply(0.08));
    painter.vline(rect.left(), rect.y_range(), Stroke::new(1.0, theme.accent()));
    painter.vline(rect.right(), rect.y_range(), Stroke::new(1.0, theme.accent()));
}

/// Draws the cursor, and the cycle under the pointer.
fn cursor(ui: &Ui, session: &Session, lanes: &Lanes, hovered: Option<Pos2>) {
    let theme = Theme::of(ui.visuals());
    let plot = lanes.plot();
    let per_cycle = f64::from(plot.width()) / session.view.span();
    let x = |cycle: f64| plot.left() + plot.width() * session.view.part(cycle) as f32;
    let painter = ui.painter().with_clip_rect(plot);
    if let Some(at) = hovered {
        painter.vline(at.x, plot.y_range(), Stroke::new(1.0, theme.weak.gamma_multiply(0.5)));
    }
    let (left, right) = (x(session.cursor.0 as f64), x(session.cursor.0 as f64 + 1.0));
    let colour = theme.accent();
    if per_cycle >= 6.0 {
        let cell = Rect::from_x_y_ranges(left..=right, plot.top() + RULER..=plot.bottom());
        painter.rect_filled(cell, 0.0, colour.gamma_multiply(0.10));
        painter.vline(left, cell.y_range(), Stroke::new(1.0, colour));
        painter.vline(right, cell.y_range(), Stroke::new(1.0, colour));
    } else {
        painter.vline(
            (left + right) / 2.0,
            plot.top() + 4.0..=plot.bottom(),
            Stroke::new(1.5, colour),
        );
    }
    let text = grouped(session.cursor);
    let middle = (left + right) / 2.0;
    if plot.x_range().contains(middle) {
        let galley = painter.layout_no_wrap(text, mono(11.0), theme.text_on(colour));
        let size = galley.size() + Vec2::new(10.0, 4.0);
        let half = size.x / 2.0;
        let center =
            middle.clamp(plot.left() + half, (plot.right() - half).max(plot.left() + half));
        let badge = Rect::from_center_size(Pos2::new(center, plot.top() + RULER / 2.0), size);
        painter.rect_filled(badge, 4.0, colour);
        painter.galley(badge.min + Vec2::new(5.0, 2.0), galley, theme.text_on(colour));
    }
}

/// Returns the colours of the lanes with their meanings, in the order of the lanes.
pub(crate) fn legend(theme: Theme, has_channel: bool) -> Vec<LegendEntry> {
    let causes = Cause::ALL.into_iter();
    let mut all: Vec<LegendEntry> =
        causes.map(|cause| (theme.cause(cause), kernel_name(cause).to_owned())).collect();
    if has_channel {
        all.extend(columns::SHOWN.into_iter().map(|cause| {
            (theme.hue(Hue::Channel(cause)), format!("DMA: {}", cause.description()))
        }));
        all.push((theme.hue(Hue::Host), "Acts of the host".to_owned()));
    }
    all
}

/// Returns the cycles in view as CSV: stretches, or single cycles.
pub(crate) fn csv(session: &mut Session) -> String {
    match session.view.detail() {
        Detail::Cycles => cycles::csv(session),
        _ => columns::csv(session),
    }
}
