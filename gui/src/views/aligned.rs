//! Two runs above each other, aligned by the steps that their hosts named, with a lane of what each step takes more or less.

use crate::model::palette::Hue;
use crate::model::session::{CountedSpan, Session};
use crate::model::spans::{NamedSpan, RunSpans};
use crate::model::viewport::grouped;
use crate::theme::{Theme, sans};
use crate::views::parts::{self, Quads};
use cp2_analysis::steps::aligned::{AlignedStep, aligned};
use cp2_isa::Cycle;
use egui::{Align2, Pos2, Rect, RichText, Sense, Ui, Vec2};
use std::ops::Range;

/// Width of the names of lanes.
const NAMES: f32 = 52.0;
/// Height of a lane of steps, and of the lane of changes.
const LANE: f32 = 17.0;
const CHANGES: f32 = 34.0;
/// Most steps of a run that are aligned.
const MOST_STEPS: usize = 4000;
/// Narrowest step that has its name, in points.
const READABLE: f32 = 30.0;

/// Returns the names of the levels that both runs have, and one of them with more than one span.
fn levels(both: [&RunSpans; 2]) -> Vec<&'static str> {
    let rows = |spans: &RunSpans| -> Vec<(&'static str, usize)> {
        let steps = spans.rows().into_iter().map(|(name, of)| (name, of.len()));
        steps.chain([("Kernel", spans.kernels.len())]).collect()
    };
    let [of_a, of_b] = both.map(rows);
    let is_shown = |(name, in_a): &(&'static str, usize)| {
        let in_b = of_b.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count);
        (*in_a).min(in_b) > 0 && (2..=MOST_STEPS).contains(&(*in_a).max(in_b))
    };
    of_a.into_iter().filter(is_shown).map(|(name, _)| name).collect()
}

/// Returns the spans of a level of a run with their names.
fn named(spans: &RunSpans, level: &str) -> Vec<(String, Range<Cycle>)> {
    let rows = spans.rows();
    let row = rows.iter().find(|(name, _)| *name == level).map(|(_, of)| *of);
    let row: &[NamedSpan] = row.unwrap_or(&spans.kernels);
    row.iter().map(|span| (spans.name(span).to_owned(), span.cycles.clone())).collect()
}

/// Shows the two runs of a comparison aligned by their steps; nothing if they have none in common.
pub(super) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let base = session.compared.base.as_mut().and_then(|run| run.spans());
    let Some((a, b)) = base.zip(session.run.as_mut().and_then(|run| run.spans())) else { return };
    let levels = levels([&a, &b]);
    let id = ui.scope_id().with("level");
    let kept = ui.data(|data| data.get_temp::<&'static str>(id));
    let usual = levels.first().copied();
    let Some(mut level) = kept.filter(|kept| levels.contains(kept)).or(usual) else {
        return;
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label(RichText::new("Aligned by").color(theme.weak));
        for &name in &levels {
            let tip = "Aligns both runs by the names of this level, in the order of time.";
            if ui.selectable_label(name == level, name).on_hover_text(tip).clicked() {
                level = name;
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(id, level));
    let steps = aligned(&named(&a, level), &named(&b, level));
    let size = Vec2::new(ui.available_width(), 2.0 * (LANE + 3.0) + CHANGES + 6.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let found = draw(ui, theme, rect, &steps, response.hover_pos());
    let Some(step) = found else { return };
    if response.clicked()
        && let Some(cycles) = step.after.clone()
    {
        session.cursor = cycles.start;
        session.marked.counted = Some(CountedSpan { name: step.name.clone(), cycles });
    }
    response.on_hover_ui_at_pointer(|ui| tip(ui, theme, step));
}

fn tip(ui: &mut Ui, theme: Theme, step: &AlignedStep) {
    parts::tip_style(ui);
    ui.label(RichText::new(&step.name).strong());
    let [before, after] = step.cycles();
    let of = |range: &Option<Range<Cycle>>, cycles| match range {
        Some(range) => {
            format!("{} from cycle {} on", parts::count(cycles, "cycle"), grouped(range.start))
        }
        None => "not in this run".to_owned(),
    };
    ui.label(format!("Before: {}", of(&step.before, before)));
    ui.label(format!("After: {}", of(&step.after, after)));
    ui.label(format!("Change: {}", signed(step.change())));
    let hint = "Click: the other views count the cycles of this step in the run after.";
    ui.label(RichText::new(hint).font(sans(12.5)).color(theme.weak));
}

/// Returns a number of cycles with its sign.
fn signed(cycles: i64) -> String {
    let sign = if cycles < 0 { "-" } else { "+" };
    format!("{sign}{}", grouped(Cycle(cycles.unsigned_abs())))
}

/// Draws the lanes: each step has the room of the longer one of both. Returns the step under the pointer.
fn draw<'a>(
    ui: &Ui,
    theme: Theme,
    rect: Rect,
    steps: &'a [AlignedStep],
    hovered: Option<Pos2>,
) -> Option<&'a AlignedStep> {
    let plot = Rect::from_min_max(rect.min + Vec2::new(NAMES, 0.0), rect.max - Vec2::new(6.0, 0.0));
    let all: u64 = steps.iter().map(|step| step.cycles().into_iter().max().unwrap_or(0)).sum();
    let per_cycle = plot.width() / all.max(1) as f32;
    let most = steps.iter().map(|step| step.change().unsigned_abs()).max().unwrap_or(0).max(1);
    let lane = |k: usize| {
        let top = plot.top() + (LANE + 3.0) * k as f32;
        let height = if k == 2 { CHANGES } else { LANE };
        Rect::from_x_y_ranges(plot.x_range(), top..=top + height)
    };
    for (k, name) in ["Before", "After", "Change"].into_iter().enumerate() {
        let at = Pos2::new(plot.left() - 6.0, lane(k).center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, name, sans(11.0), theme.weak);
        ui.painter().rect_filled(lane(k), 2.0, theme.panel);
    }
    let (mut quads, mut texts, mut found) = (Quads::default(), Vec::new(), None);
    let mut changes: Vec<(Pos2, f32, String)> = Vec::new();
    let mut x = plot.left();
    for (number, step) in steps.iter().enumerate() {
        let cycles = step.cycles();
        let room = cycles.into_iter().max().unwrap_or(0) as f32 * per_cycle;
        for (k, cycles) in cycles.into_iter().enumerate() {
            let width = (cycles as f32 * per_cycle - 0.5).max(0.0);
            let cell = Rect::from_x_y_ranges(x..=x + width, lane(k).y_range());
            quads.add(cell, theme.tint(theme.hue(Hue::Name(number)), 0.30));
            if cell.width() > READABLE {
                texts.push((cell, step.name.as_str()));
            }
        }
        let height = (CHANGES / 2.0 - 1.0) * step.change() as f32 / most as f32;
        let middle = lane(2).center().y;
        let (top, bottom) = (middle - height.max(0.0), middle - height.min(0.0));
        let hue = if height > 0.0 { Hue::Worse } else { Hue::Better };
        let bar = Rect::from_x_y_ranges(x..=x + (room - 0.5).max(0.8), top..=bottom);
        quads.add(bar, theme.hue(hue));
        // The number stands on the side of the line that the bar leaves free.
        let text = signed(step.change());
        if step.change() != 0 && room > 7.0 * text.chars().count() as f32 {
            let free = if height > 0.0 { CHANGES / 4.0 } else { -CHANGES / 4.0 };
            changes.push((Pos2::new(x + 4.0, middle + free), room - 6.0, text));
        }
        let place = Rect::from_x_y_ranges(x..=x + room.max(1.0), rect.y_range());
        if hovered.is_some_and(|at| place.contains(at)) {
            found = Some(step);
        }
        x += room;
    }
    quads.paint(&ui.painter().with_clip_rect(plot));
    let middle = lane(2).center().y;
    ui.painter().hline(plot.x_range(), middle, egui::Stroke::new(1.0, theme.line));
    for (cell, name) in texts {
        let at = Pos2::new(cell.left() + 4.0, cell.center().y);
        parts::clipped(ui, at, cell.width() - 6.0, name, 10.5, theme.text);
    }
    for (at, width, text) in changes {
        parts::clipped(ui, at, width, &text, 10.0, theme.weak);
    }
    found
}
