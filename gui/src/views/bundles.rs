//! The bundles with what they cost; for the selected one, arrows from those that made its operands and to those that
//! take its results.

use crate::model::flow;
use crate::model::heat::main_cause;
use crate::model::palette::Hue;
use crate::model::program::{Program, Row};
use crate::model::session::{Selection, Session};
use crate::model::viewport::{WINDOW, short};
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts;
use cp2_emu::trace::Event;
use cp2_isa::{BundleAddress, Cycle, Slot};
use egui::{Align2, Pos2, Rect, ScrollArea, Sense, Stroke, Ui, Vec2};
use std::collections::BTreeSet;

/// Left edges of the columns: heat, cycles, arrows, address, label, arithmetic, exchange.
const COLUMNS: [f32; 7] = [6.0, 44.0, 98.0, 140.0, 182.0, 270.0, 440.0];

/// Selected bundle, those that give values to it, and those that take its own.
#[derive(Default)]
struct Near {
    selected: Option<BundleAddress>,
    from: BTreeSet<BundleAddress>,
    to: BTreeSet<BundleAddress>,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(run) = &session.run else { return };
    let Some(info) = run.info() else { return };
    let (program, heat) = (info.program.clone(), run.heat.clone());
    if program.rows.is_empty() {
        return parts::empty(
            ui,
            "Instruction memory is empty",
            "The recording ends with no program in it.",
        );
    }
    let cursor = session.cursor;
    let now = session
        .opened()
        .and_then(|run| run.cycle(cursor))
        .and_then(|c| Some(c.operations.first()?.address));
    let near = near(session);
    let theme = Theme::of(ui.visuals());
    head(ui, theme);
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink([false, false]).id_salt("bundles");
    if let Some(offset) = scroll_wish(ui, near.selected.or(now), &program) {
        area = area.vertical_scroll_offset(offset);
    }
    let mut chosen = None;
    area.show_rows(ui, ROW, program.rows.len(), |ui, range| {
        let top = ui.next_widget_position().y - ROW * range.start as f32;
        for row in &program.rows[range.clone()] {
            let clicked = line(ui, theme, row, &heat, (now, &near));
            chosen = clicked.then_some(row.address).or(chosen);
        }
        arrows(ui, theme, &near, &program, top);
    });
    if let Some(address) = chosen {
        choose(session, address);
    }
}

fn line(
    ui: &mut Ui,
    theme: Theme,
    row: &Row,
    heat: &crate::model::heat::Heat,
    (now, near): (Option<BundleAddress>, &Near),
) -> bool {
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let fill = if near.selected == Some(row.address) {
        Some(ui.visuals().selection.bg_fill)
    } else if now == Some(row.address) {
        Some(theme.tint(theme.accent(), 0.22))
    } else if response.hovered() {
        Some(theme.raised)
    } else {
        None
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 0.0, fill);
    }
    let (painter, y) = (ui.painter(), rect.center().y);
    let at = |column: usize| Pos2::new(rect.left() + COLUMNS[column], y);
    let cost = heat.bundle(row.address);
    if cost.cycles() > 0 {
        let part = cost.cycles() as f32 / heat.hottest().max(1) as f32;
        let size = Vec2::new((34.0 * part).max(1.5), ROW - 8.0);
        let bar = Rect::from_min_size(Pos2::new(at(0).x, rect.top() + 4.0), size);
        painter.rect_filled(bar, 1.5, theme.cause(main_cause(&cost)));
        let text = short(cost.cycles() as f64);
        painter.text(
            at(1) + Vec2::new(46.0, 0.0),
            Align2::RIGHT_CENTER,
            text,
            mono(11.5),
            theme.text,
        );
    }
    if !row.findings.is_empty() {
        painter.circle_filled(at(3) - Vec2::new(8.0, 0.0), 3.5, theme.hue(Hue::Hazard));
    }
    painter.text(
        at(3) + Vec2::new(30.0, 0.0),
        Align2::RIGHT_CENTER,
        row.address.to_string(),
        mono(11.5),
        theme.weak,
    );
    let wide = rect.width() - COLUMNS[6];
    parts::clipped(ui, at(4), COLUMNS[5] - COLUMNS[4] - 6.0, &row.label, 11.5, theme.weak);
    parts::clipped(
        ui,
        at(5),
        COLUMNS[6] - COLUMNS[5] - 6.0,
        &row.text[0],
        12.5,
        theme.cause(cp2_emu::stats::Cause::Arithmetic),
    );
    parts::clipped(
        ui,
        at(6),
        wide,
        &row.text[1],
        12.5,
        theme.cause(cp2_emu::stats::Cause::Exchange),
    );
    response.clicked()
}

fn head(ui: &mut Ui, theme: Theme) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 17.0), Sense::hover());
    let text = |column: usize, dx: f32, align, text: &str| {
        let at = Pos2::new(rect.left() + COLUMNS[column] + dx, rect.center().y);
        ui.painter().text(at, align, text, sans(11.5), theme.weak);
    };
    text(0, 0.0, Align2::LEFT_CENTER, "heat");
    text(1, 46.0, Align2::RIGHT_CENTER, "cycles");
    text(3, 30.0, Align2::RIGHT_CENTER, "bundle");
    text(4, 0.0, Align2::LEFT_CENTER, "label");
    text(5, 0.0, Align2::LEFT_CENTER, "arithmetic");
    text(6, 0.0, Align2::LEFT_CENTER, "exchange");
}

/// Selects a bundle; if it issues near the cursor, its operation there.
fn choose(session: &mut Session, address: BundleAddress) {
    session.selection = Some(Selection::Bundle(address));
    let cursor = session.cursor;
    let Some(run) = session.opened() else { return };
    let windows = run.around(cursor, WINDOW);
    let events = windows.iter().flat_map(|w| &w.cycles).flat_map(|c| &c.operations);
    let nearest = events.filter(|e| e.address == address).min_by_key(|e| {
        // An arithmetic operation tells more than what stands beside it.
        (e.cycle.abs_diff(cursor), e.slot != Slot::Arithmetic)
    });
    if let Some((cycle, slot)) = nearest.map(|e| (e.cycle, e.slot)) {
        session.selection = Some(Selection::Operation(cycle, slot));
        session.seek(cycle);
    }
}

fn near(session: &mut Session) -> Near {
    let selection = session.selection;
    let (cycle, slot) = match selection {
        Some(Selection::Operation(cycle, slot)) => (cycle, slot),
        Some(Selection::Bundle(address)) => {
            return Near { selected: Some(address), ..Near::default() };
        }
        _ => return Near::default(),
    };
    let Some(run) = session.opened() else { return Near::default() };
    let windows = run.around(cycle, 64);
    let events: Vec<&Event<Cycle>> = windows
        .iter()
        .flat_map(|w| &w.cycles)
        .flat_map(|c| &c.operations)
        .filter(|e| e.cycle.abs_diff(cycle) <= 64)
        .collect();
    let Some(at) = events.iter().position(|e| (e.cycle, e.slot) == (cycle, slot)) else {
        return Near::default();
    };
    Near {
        selected: Some(events[at].address),
        from: flow::producers(&events, at).iter().map(|edge| events[edge.from].address).collect(),
        to: flow::consumers(&events, at).iter().map(|edge| events[edge.to].address).collect(),
    }
}

fn arrows(ui: &Ui, theme: Theme, near: &Near, program: &Program, top: f32) {
    let Some(selected) = near.selected.and_then(|at| program.index(at)) else { return };
    let left = ui.min_rect().left() + COLUMNS[3] - 6.0;
    let y = |index: usize| top + ROW * (index as f32 + 0.5);
    let curve = |from: usize, to: usize, colour| {
        let (begin, end) = (Pos2::new(left, y(from)), Pos2::new(left, y(to)));
        let bend = 10.0 + 3.0 * (from.abs_diff(to) as f32).sqrt().min(8.0);
        let out = Vec2::new(-bend, 0.0);
        let shape = egui::epaint::CubicBezierShape::from_points_stroke(
            [begin, begin + out, end + out, end],
            false,
            egui::Color32::TRANSPARENT,
            Stroke::new(1.6, colour),
        );
        ui.painter().add(shape);
        ui.painter().circle_filled(end, 3.0, colour);
    };
    for from in near.from.iter().filter_map(|&at| program.index(at)) {
        curve(from, selected, theme.accent());
    }
    for to in near.to.iter().filter_map(|&at| program.index(at)) {
        curve(selected, to, theme.hue(Hue::Host));
    }
}

/// Returns the offset to scroll to, if the selected bundle or that at the cursor is another than before.
fn scroll_wish(ui: &Ui, wanted: Option<BundleAddress>, program: &Program) -> Option<f32> {
    let id = ui.scope_id().with("bundle");
    let before = ui.data(|data| data.get_temp::<Option<BundleAddress>>(id)).flatten();
    if wanted.is_none() || wanted == before {
        return None;
    }
    ui.data_mut(|data| data.insert_temp(id, wanted));
    let at = program.index(wanted?)?;
    Some((at as f32 * ROW - ui.available_height() / 2.0 + ROW).max(0.0))
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "address,label,place,arithmetic,exchange,cycles,flops\n".to_owned();
    let Some((run, info)) = session.run.as_ref().and_then(|run| Some((run, run.info()?))) else {
        return text;
    };
    for row in &info.program.rows {
        let cost = run.heat.bundle(row.address);
        let place = row.line.map_or(String::new(), |line| info.program.place(line));
        let [a, x] = row.text.each_ref().map(|t| parts::csv(t));
        text += &format!(
            "{},{},{place},{a},{x},{},{}\n",
            row.address,
            row.label,
            cost.cycles(),
            cost.flops
        );
    }
    text
}
