//! The modulo schedules of loops: which operation of which iteration issues in which cycle and slot of the kernel,
//! each stage with a shade of its own.

use crate::model::program::Loop;
use crate::model::session::{Selection, Session};
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts::{self, Heading};
use cp2_asm::listing::PipelineCell;
use cp2_emu::stats::Cause;
use cp2_isa::BundleAddress;
use egui::{Align2, Color32, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(run) = session.run.as_ref().filter(|run| run.info().is_some()) else { return };
    let Some(schedules) = run.schedules.clone() else {
        let hint = "The source of the program is assembled again.";
        return parts::empty(ui, "Finding the schedules of loops", hint);
    };
    if schedules.is_empty() {
        let hint = "Write a loop as linear code (.linear, .loop) to have it pipelined. The \
                    source file must be at hand.\nThe example \"Pipelined loop\" of the start \
                    page has a schedule.";
        return parts::empty(ui, "This program has no pipelined loop", hint);
    }
    let mut chosen = None;
    ScrollArea::both().auto_shrink([false, false]).id_salt("schedule").show(ui, |ui| {
        for one in &*schedules {
            table(ui, one, &mut chosen);
            ui.add_space(12.0);
        }
    });
    if let Some(address) = chosen {
        session.selection = Some(Selection::Bundle(address));
    }
}

/// Left edge of the columns of the slots.
const SLOTS: f32 = 80.0;
const NOTE: &str = "The operation that issues in this slot, and at the right its stage · iteration. Iteration n \
                    is the one that begins in the first cycle.";

/// Returns the width of the column of a slot.
fn slot_width(ui: &Ui) -> f32 {
    ((ui.available_width() - SLOTS - 2.0) / 2.0).clamp(180.0, 300.0)
}

/// Shows a loop: its interval, its stages, and the rows of a pass. A click sets the bundle that is chosen.
fn table(ui: &mut Ui, one: &Loop, chosen: &mut Option<BundleAddress>) {
    let theme = Theme::of(ui.visuals());
    let slot_width = slot_width(ui);
    head(ui, one, slot_width);
    ui.spacing_mut().item_spacing.y = 1.0;
    for (k, row) in one.rows.iter().enumerate() {
        let size = Vec2::new(SLOTS + 2.0 * slot_width, ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let address = one.start.plus(k as u16);
        for (edge, text) in [(32.0, k.to_string()), (72.0, address.to_string())] {
            let at = Pos2::new(rect.left() + edge, rect.center().y);
            ui.painter().text(at, Align2::RIGHT_CENTER, text, mono(11.5), theme.weak);
        }
        let cells = row.iter().zip([Cause::Arithmetic, Cause::Exchange]);
        for (slot, (cell, cause)) in cells.enumerate() {
            let corner = Pos2::new(rect.left() + SLOTS + slot_width * slot as f32, rect.top());
            let place = Rect::from_min_size(corner, Vec2::new(slot_width - 3.0, ROW));
            draw(ui, theme, place, cell, cause, one.stages);
        }
        let mut tip = format!("Cycle {k} of a pass, bundle {address}");
        for (cell, name) in row.iter().zip(["Arithmetic", "Exchange"]) {
            tip += &cell_text(cell, name);
        }
        tip += "\nClick to select the bundle.";
        if response.on_hover_text_at_pointer(tip).clicked() {
            *chosen = Some(address);
        }
    }
}

/// Returns the text about the operation of a slot, on a line of its own; empty if there is none.
fn cell_text(cell: &PipelineCell, slot: &str) -> String {
    let PipelineCell { line, stage, iteration, text } = cell;
    match (text.is_empty(), stage.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("\n{slot}: {text} (line {line})"),
        (false, false) => {
            format!("\n{slot}: {text} (line {line}, stage {stage}, iteration {iteration})")
        }
    }
}

/// Shows the numbers of a loop, the colours of its stages, and the headings of its rows.
fn head(ui: &mut Ui, one: &Loop, slot_width: f32) {
    let theme = Theme::of(ui.visuals());
    let (ii, least) = one.interval;
    ui.label(RichText::new(format!("Loop at {}", one.place)).strong());
    let text = format!(
        "Interval {ii} cycles, lower bound {least}; {} stages; {} iterations per pass",
        one.stages, one.unroll
    );
    ui.label(RichText::new(text).color(theme.weak)).on_hover_text(
        "Interval: cycles from the begin of one iteration to that of the next, and the fewest that \
         are possible. Stages: iterations that are under way at once. A pass runs the rows below \
         once.",
    );
    let tip = "Intervals from the begin of an iteration to the issue of the operation.";
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        for stage in 0..one.stages {
            parts::swatch(ui, shade(theme, Cause::Arithmetic, stage, one.stages));
            ui.label(RichText::new(format!("Stage {stage}")).font(sans(11.5)).color(theme.weak))
                .on_hover_text(tip);
        }
    });
    let slots = [SLOTS, SLOTS + slot_width].map(|left| (left, left + slot_width));
    let all = [
        Heading::right((0.0, 32.0), "Cycle", "Cycle of a pass, from 0."),
        Heading::right((36.0, 72.0), "Bundle", "Bundle address. Click a row to select its bundle."),
        Heading::left(slots[0], "Arithmetic", NOTE),
        Heading::left(slots[1], "Exchange", NOTE),
    ];
    parts::headings(ui, &all);
}

fn shade(theme: Theme, cause: Cause, stage: i64, stages: i64) -> Color32 {
    let part = 0.25 + 0.6 * (stage as f32 + 0.5) / stages.max(1) as f32;
    theme.tint(theme.cause(cause), part)
}

fn draw(ui: &Ui, theme: Theme, place: Rect, cell: &PipelineCell, cause: Cause, stages: i64) {
    if cell.text.is_empty() {
        ui.painter().rect_filled(place, 2.0, theme.panel);
        return;
    }
    let stage = cell.stage.parse::<i64>().ok();
    let fill = stage.map_or(theme.raised, |stage| shade(theme, cause, stage, stages));
    ui.painter().rect_filled(place, 2.0, fill);
    let colour = theme.text_on(fill);
    let (room, size) = (place.width() - 62.0, if place.width() < 220.0 { 11.0 } else { 11.5 });
    let at = Pos2::new(place.left() + 6.0, place.center().y);
    parts::clipped(ui, at, room, &cell.text, size, colour);
    let note = match stage {
        Some(stage) => format!("{stage} · {}", cell.iteration),
        None => String::new(),
    };
    let at = Pos2::new(place.right() - 5.0, place.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, note, mono(10.0), colour);
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "loop,cycle,bundle,slot,line,stage,iteration,operation\n".to_owned();
    let schedules = session.run.as_ref().and_then(|run| run.schedules.clone());
    for one in schedules.iter().flat_map(|loops| loops.iter()) {
        for (k, row) in one.rows.iter().enumerate() {
            for (cell, slot) in
                row.iter().zip(["arithmetic", "exchange"]).filter(|(cell, _)| !cell.text.is_empty())
            {
                let PipelineCell { line, stage, iteration, text: operation } = cell;
                text += &format!(
                    "{},{k},{},{slot},{line},{stage},{iteration},{}\n",
                    one.place,
                    one.start.plus(k as u16),
                    parts::csv(operation)
                );
            }
        }
    }
    text
}
