//! The bundles with what they cost; for the selected one, arrows from those that made its operands and to those that
//! take its results.

use crate::model::flow;
use crate::model::heat::main_cause;
use crate::model::palette::Hue;
use crate::model::program::{Program, Row};
use crate::model::session::{Selection, Session};
use crate::model::viewport::{WINDOW, short};
use crate::theme::{ROW, Theme, mono};
use crate::views::parts::{self, Heading};
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_isa::{BundleAddress, Cycle, Slot};
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Stroke, Ui, Vec2};
use std::collections::BTreeSet;

/// Edges of the columns: bar of the cost, cycles, bundle address. Arrows are between cycles and address.
const BAR: (f32, f32) = (6.0, 36.0);
const CYCLES: (f32, f32) = (38.0, 80.0);
const ADDRESS: (f32, f32) = (106.0, 150.0);
/// Left edge of the labels.
const LABEL: f32 = 160.0;

/// Edges of the columns that share the rest of the width: label, arithmetic half, exchange half.
fn texts(width: f32) -> [(f32, f32); 3] {
    let label = ((width - LABEL) * 0.22).clamp(62.0, 110.0);
    let half = ((width - LABEL - label) / 2.0).max(60.0);
    let [a, b, c] = [LABEL, LABEL + label, LABEL + label + half];
    [(a, b - 6.0), (b, c - 6.0), (c, c + half)]
}

/// Selected bundle, those that give values to it, and those that take its own.
#[derive(Default)]
struct Near {
    selected: Option<BundleAddress>,
    from: BTreeSet<BundleAddress>,
    to: BTreeSet<BundleAddress>,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
    let program = info.program.clone();
    let (heat, _) = session.costs();
    if program.rows.is_empty() {
        return parts::empty(
            ui,
            "There are no bundles to show",
            "Instruction memory is empty when the recording ends. Open the program file instead \
             of the recording.",
        );
    }
    let cursor = session.cursor;
    let now = session
        .opened()
        .and_then(|run| run.cycle(cursor))
        .and_then(|c| Some(c.operations.first()?.address));
    let near = near(session);
    let theme = Theme::of(ui.visuals());
    head(ui, program.rows.len());
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink([false, false]).id_salt("bundles");
    if let Some(offset) = scroll_wish(ui, near.selected.or(now), &program) {
        area = area.vertical_scroll_offset(offset);
    }
    let mut chosen = None;
    area.show_rows(ui, ROW, program.rows.len(), |ui, range| {
        let top = ui.next_widget_position().y - ROW * range.start as f32;
        for row in &program.rows[range.clone()] {
            let clicked = line(ui, (&program, row), &heat, (now, &near));
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
    (program, row): (&Program, &Row),
    heat: &crate::model::heat::Heat,
    (now, near): (Option<BundleAddress>, &Near),
) -> bool {
    let theme = Theme::of(ui.visuals());
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
    let at = |edge: f32| Pos2::new(rect.left() + edge, y);
    let cost = heat.bundle(row.address);
    if cost.cycles() > 0 {
        let part = cost.cycles() as f32 / heat.hottest().max(1) as f32;
        let size = Vec2::new(((BAR.1 - BAR.0) * part).max(1.5), ROW - 8.0);
        let bar = Rect::from_min_size(Pos2::new(at(BAR.0).x, rect.top() + 4.0), size);
        painter.rect_filled(bar, 1.5, theme.cause(main_cause(&cost)));
        let text = short(cost.cycles() as f64);
        painter.text(at(CYCLES.1), Align2::RIGHT_CENTER, text, mono(11.5), theme.text);
    }
    if !row.findings.is_empty() {
        painter.circle_filled(at(ADDRESS.0 + 6.0), 3.5, theme.hue(Hue::Hazard));
    }
    let address = row.address.to_string();
    painter.text(at(ADDRESS.1), Align2::RIGHT_CENTER, address, mono(11.5), theme.weak);
    let colours = [Cause::Arithmetic, Cause::Exchange].map(|cause| theme.cause(cause));
    let [label, halves @ ..] = texts(rect.width());
    parts::clipped(ui, at(label.0), label.1 - label.0, &row.label, 11.5, theme.weak);
    for ((edges, text), colour) in halves.into_iter().zip(&row.text).zip(colours) {
        // A narrow column holds more small letters.
        let size = if edges.1 - edges.0 < 140.0 { 11.0 } else { 12.5 };
        parts::clipped(ui, at(edges.0), edges.1 - edges.0, text, size, colour);
    }
    response.on_hover_ui_at_pointer(|ui| tip(ui, row, program, &cost)).clicked()
}

/// Shows what a bundle is and costs.
fn tip(ui: &mut Ui, row: &Row, program: &Program, cost: &BundleCost) {
    let theme = Theme::of(ui.visuals());
    parts::tip_style(ui);
    let line = row.line.map_or(String::new(), |line| program.place(line));
    let title = format!("Bundle {}  {}  {line}", row.address, row.label);
    ui.label(RichText::new(title).strong());
    for (text, slot) in row.text.iter().zip(["Arithmetic", "Exchange"]) {
        let text = if text.is_empty() { "nop" } else { text };
        ui.label(RichText::new(format!("{slot}: {text}")).font(mono(12.0)));
    }
    ui.label(parts::count(cost.cycles(), "cycle"));
    parts::cost_tip(ui, cost);
    let findings = row.findings.iter().filter_map(|&k| program.hazards.get(k));
    findings.for_each(|hazard| parts::hazard_tip(ui, hazard));
    ui.label(RichText::new("Click to select the bundle.").color(theme.weak));
}

fn head(ui: &mut Ui, rows: usize) {
    let [label, arithmetic, exchange] = texts(parts::table_width(ui, rows, 1));
    let all = [
        Heading::left(
            BAR,
            "Cost",
            "Cycles of the bundle as a bar: a full bar is the bundle with \
                                    the most cycles. The colour is the main cause of its cycles.",
        ),
        Heading::right(
            CYCLES,
            "Cycles",
            "Cycles in which the bundle issued or was held (k: \
                                          1000, M: 10^6).",
        ),
        Heading::right(
            ADDRESS,
            "Bundle",
            "Bundle address: number of the bundle in instruction \
                                           memory, from 0. A dot before it marks a finding of \
                                           the linter; point at the bundle to read it.",
        ),
        Heading::left(
            label,
            "Label",
            "Nearest label at or before the bundle, and the distance \
                                       from it in bundles.",
        ),
        Heading::left(arithmetic, "Arithmetic", "Operation of the arithmetic half; empty for nop."),
        Heading::left(exchange, "Exchange", "Operation of the exchange half; empty for nop."),
    ];
    parts::headings(ui, &all);
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
    let left = ui.min_rect().left() + ADDRESS.0;
    let y = |index: usize| top + ROW * (index as f32 + 0.5);
    let curve = |from: usize, to: usize, colour| {
        let (begin, end) = (Pos2::new(left, y(from)), Pos2::new(left, y(to)));
        let bend = 10.0 + 2.0 * (from.abs_diff(to) as f32).sqrt().min(8.0);
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
    let (heat, _) = session.costs();
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return text };
    for row in &info.program.rows {
        let cost = heat.bundle(row.address);
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
