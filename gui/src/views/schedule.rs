//! The modulo schedules of loops: which operation of which iteration issues in which cycle and slot of the kernel,
//! each stage with a shade of its own.

use crate::model::program::Loop;
use crate::model::session::{Selection, Session};
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts;
use cp2_asm::listing::PipelineCell;
use cp2_emu::stats::Cause;
use egui::{Align2, Color32, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
    let program = info.program.clone();
    if program.loops.is_empty() {
        let hint = "Loops of linear code (`.linear`) have a schedule, if their source was found. The example \"A pipelined loop\" shows it.";
        return parts::empty(ui, "No loop of this program was pipelined", hint);
    }
    let mut chosen = None;
    ScrollArea::both().auto_shrink([false, false]).id_salt("schedule").show(ui, |ui| {
        for one in &program.loops {
            table(ui, one, &mut chosen);
            ui.add_space(12.0);
        }
    });
    if let Some(address) = chosen {
        session.selection = Some(Selection::Bundle(address));
    }
}

/// Width of the column of a slot.
const SLOT: f32 = 250.0;

fn table(ui: &mut Ui, one: &Loop, chosen: &mut Option<cp2_isa::BundleAddress>) {
    let theme = Theme::of(ui.visuals());
    let (ii, least) = one.interval;
    ui.horizontal(|ui| {
        ui.label(RichText::new(&one.place).strong());
        let bound =
            if least == ii { "the least there is".to_owned() } else { format!("bound {least}") };
        let text = format!(
            "an iteration every {ii} cycles, {bound}; {} stages, {} iterations in a pass",
            one.stages, one.unroll
        );
        ui.label(RichText::new(text).color(theme.weak));
    });
    ui.horizontal(|ui| {
        for stage in 0..one.stages {
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(11.0), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, shade(theme, Cause::Arithmetic, stage, one.stages));
            ui.label(RichText::new(format!("stage {stage}")).font(sans(11.5)).color(theme.weak));
        }
    });
    ui.spacing_mut().item_spacing.y = 1.0;
    for (k, row) in one.rows.iter().enumerate() {
        let (rect, response) =
            ui.allocate_exact_size(Vec2::new(74.0 + 2.0 * SLOT, ROW), Sense::click());
        let address = one.start.plus(k as u16);
        let at = Pos2::new(rect.left() + 26.0, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, k.to_string(), mono(11.5), theme.weak);
        ui.painter().text(
            at + Vec2::new(36.0, 0.0),
            Align2::RIGHT_CENTER,
            address.to_string(),
            mono(11.5),
            theme.weak,
        );
        for (slot, (cell, cause)) in
            row.iter().zip([Cause::Arithmetic, Cause::Exchange]).enumerate()
        {
            let left = rect.left() + 72.0 + SLOT * slot as f32;
            let place =
                Rect::from_min_size(Pos2::new(left, rect.top()), Vec2::new(SLOT - 3.0, ROW));
            draw(ui, theme, place, cell, cause, one.stages);
        }
        if response.clicked() {
            *chosen = Some(address);
        }
        response.on_hover_text(format!("cycle {k} of the kernel, bundle {address}"));
    }
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
    parts::clipped(
        ui,
        Pos2::new(place.left() + 6.0, place.center().y),
        SLOT - 78.0,
        &cell.text,
        11.5,
        colour,
    );
    let note = match stage {
        Some(stage) => format!("{} · {stage} · {}", cell.line, cell.iteration),
        None => cell.line.clone(),
    };
    let at = Pos2::new(place.right() - 5.0, place.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, note, mono(10.0), colour);
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "loop,cycle,bundle,slot,line,stage,iteration,operation\n".to_owned();
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return text };
    for one in &info.program.loops {
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
