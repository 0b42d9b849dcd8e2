//! The cost of a program by stage: what notes of its source call the work of its lines. A table in place of the lines, if there
//! are notes.

use crate::model::heat::{Heat, StageCost, main_cause};
use crate::model::program::Program;
use crate::model::session::{Selection, Session};
use crate::model::viewport::short;
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts::{self, Heading};
use egui::{Align2, Id, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};

/// Edges of the columns: bar of the cost, share, cycles, operations that issued, floating-point operations for a cycle; left
/// edge of the name.
const BAR: (f32, f32) = (6.0, 110.0);
const SHARE: (f32, f32) = (112.0, 172.0);
const CYCLES: (f32, f32) = (176.0, 232.0);
const ISSUES: (f32, f32) = (236.0, 286.0);
const FLOPS: (f32, f32) = (290.0, 346.0);
const NAME: f32 = 366.0;

/// Lets the user choose between lines and stages, and returns whether stages are chosen.
pub(crate) fn is_chosen(ui: &mut Ui) -> bool {
    let id = Id::unique("source by stage");
    let mut is_by_stage = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    ui.horizontal(|ui| {
        let lines = ui.selectable_label(!is_by_stage, "Lines");
        if lines.on_hover_text("Cost and text of every line.").clicked() {
            is_by_stage = false;
        }
        let tip = "Cost of what notes of the source call the work of its lines.";
        if ui.selectable_label(is_by_stage, "Stages").on_hover_text(tip).clicked() {
            is_by_stage = true;
        }
    });
    ui.data_mut(|data| data.insert_temp(id, is_by_stage));
    is_by_stage
}

/// Shows the stages with their costs in the cycles that are counted.
pub(crate) fn show(
    ui: &mut Ui,
    session: &mut Session,
    program: &Program,
    (heat, is_counting): (&Heat, bool),
) {
    let stages = heat.stages(program);
    head(ui, is_counting);
    let hottest = stages.iter().map(|stage| stage.cost.cost.cycles()).max().unwrap_or(0).max(1);
    let selected = match session.selection {
        Some(Selection::Bundle(at)) => Some(at),
        _ => None,
    };
    let mut chosen = None;
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::both().auto_shrink([false, false]).id_salt("stages");
    area.show_rows(ui, ROW, stages.len(), |ui, range| {
        for stage in &stages[range] {
            let is_selected = selected == Some(stage.first);
            if row(ui, stage, (hottest, heat.total().max(1)), is_selected) {
                chosen = Some(stage.first);
            }
        }
    });
    if let Some(bundle) = chosen {
        session.selection = Some(Selection::Bundle(bundle));
    }
}

fn head(ui: &mut Ui, is_counting: bool) {
    let stage = if is_counting { "Stage (cycles are still being counted…)" } else { "Stage" };
    let all = [
        Heading::left(
            BAR,
            "Cost",
            "Cycles of the stage by cause: a full bar is the stage with the most cycles.",
        ),
        Heading::right(SHARE, "% of cycles", "Cycles of the stage, percent of all of bundles."),
        Heading::right(CYCLES, "Cycles", "Cycles of bundles whose arithmetic operation is of it."),
        Heading::right(ISSUES, "Issues", "Number of operations of the stage that issued."),
        Heading::right(FLOPS, "Flops", "Floating-point operations for a cycle of the stage."),
        Heading::left(
            (NAME, ui.available_width()),
            stage,
            "Notes of the source name it. Click a stage to select its first bundle.",
        ),
    ];
    parts::headings(ui, &all);
}

/// Shows a stage; returns whether it is clicked.
fn row(ui: &mut Ui, stage: &StageCost, (hottest, total): (u64, u64), is_selected: bool) -> bool {
    let theme = Theme::of(ui.visuals());
    let StageCost { name, cost, .. } = stage;
    let name = name.as_deref().unwrap_or("of no stage");
    let width = (NAME + 9.0 + 7.0 * name.chars().count() as f32).max(ui.available_width());
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, ROW), Sense::click());
    if is_selected {
        ui.painter().rect_filled(rect, 0.0, ui.visuals().selection.bg_fill);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let cycles = cost.cost.cycles();
    bar(ui, theme, rect, (stage, hottest));
    let share = 100.0 * cycles as f64 / total as f64;
    let flops = cost.cost.flops as f64 / cycles.max(1) as f64;
    let columns = [
        (SHARE, format!("{share:.1}"), theme.text),
        (CYCLES, short(cycles as f64), theme.text),
        (ISSUES, short(cost.issues as f64), theme.weak),
        (FLOPS, format!("{flops:.1}"), theme.weak),
    ];
    let y = rect.center().y;
    for ((_, right), text, color) in columns {
        let at = Pos2::new(rect.left() + right, y);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, mono(11.5), color);
    }
    let at = Pos2::new(rect.left() + NAME, y);
    ui.painter().text(at, Align2::LEFT_CENTER, name, sans(13.0), theme.text);
    let response = response.on_hover_ui_at_pointer(|ui| {
        parts::tip_style(ui);
        ui.label(RichText::new(name).strong());
        ui.label(parts::count(cycles, "cycle"));
        ui.label(parts::count(cost.issues, "operation") + " issued");
        parts::cost_tip(ui, &cost.cost);
    });
    response.clicked()
}

/// Draws the cycles of a stage as a bar, in the colours of their causes, the main one first.
fn bar(ui: &Ui, theme: Theme, rect: Rect, (stage, hottest): (&StageCost, u64)) {
    let cost = &stage.cost.cost;
    let mut causes = cp2_emu::stats::Cause::ALL;
    let main = main_cause(cost);
    causes.sort_by_key(|cause| *cause != main);
    let mut left = rect.left() + BAR.0;
    for cause in causes {
        let part = cost.causes[cause as usize] as f32 / hottest as f32;
        let size = Vec2::new((BAR.1 - BAR.0) * part, ROW - 8.0);
        let part = Rect::from_min_size(Pos2::new(left, rect.top() + 4.0), size);
        ui.painter().rect_filled(part, 0.0, theme.cause(cause));
        left = part.right();
    }
}
