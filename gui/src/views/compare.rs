//! Two runs beside each other: what both cost, where they part, and every line with its cycles in both.

use crate::model::palette::Hue;
use crate::model::session::Session;
use crate::model::viewport::grouped;
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts::{self, Quads};
use crate::worker::{Compared, Info};
use cp2_analysis::compare::CostRow;
use cp2_emu::stats::Cause;
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};
use std::collections::HashMap;
use std::sync::Arc;

/// Edges of the columns: both places and the text from the left; both counts of cycles, operations and the bar from the
/// right.
const PLACES: [f32; 2] = [6.0, 98.0];
const TEXT: f32 = 190.0;
const RIGHT: f32 = 350.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let infos = [&session.compared.base, &session.run]
        .map(|run| run.as_ref().and_then(|run| run.info()).cloned());
    let [Some(a), Some(b)] = infos else {
        let hint = "Edit the source (E) or change the machine (M), then run again (Ctrl Enter): the comparison opens by itself.\nOr start with `cp2 view B --compare A`.";
        return parts::empty(ui, "There is nothing to compare with yet", hint);
    };
    summary(ui, theme, [&a, &b]);
    let found = match session.compared.comparing.as_mut().and_then(|comparing| comparing.result()) {
        None => return parts::empty(ui, "Comparing both runs, cycle by cycle…", ""),
        Some(Err(why)) => return parts::empty(ui, "The runs cannot be compared", why),
        Some(Ok(found)) => found.clone(),
    };
    for line in found
        .text
        .lines()
        .filter(|line| line.starts_with("machine:") || line.starts_with("first"))
        .take(3)
    {
        ui.label(RichText::new(line).font(mono(11.5)).color(theme.weak));
    }
    if found.comparison.is_identical() {
        return parts::empty(
            ui,
            "Both runs are the same",
            "the same bundles and values in every cycle",
        );
    }
    table(ui, theme, &found, [&a, &b]);
}

/// Shows both runs as bars of the same scale, by cause.
fn summary(ui: &mut Ui, theme: Theme, infos: [&Info; 2]) {
    let cycles = infos.map(|info| info.cycles.end - info.cycles.start);
    let most = cycles.into_iter().max().unwrap_or(1).max(1) as f32;
    let difference = cycles[1] as i64 - cycles[0] as i64;
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 58.0), Sense::hover());
    let mut quads = Quads::default();
    for (k, info) in infos.into_iter().enumerate() {
        let top = rect.top() + 4.0 + 27.0 * k as f32;
        let y = top + 10.0;
        let name = if k == 0 { "before" } else { "after" };
        ui.painter().text(
            Pos2::new(rect.left() + 6.0, y),
            Align2::LEFT_CENTER,
            name,
            sans(12.0),
            theme.weak,
        );
        parts::clipped(
            ui,
            Pos2::new(rect.left() + 52.0, y),
            150.0,
            &info.provenance.title,
            11.5,
            theme.text,
        );
        let counts = info.pyramid.total();
        let whole = (rect.width() - 400.0).max(60.0);
        let mut x = rect.left() + 210.0;
        let mut add = |n: u64, colour| {
            let width = whole * n as f32 / most;
            quads.add(Rect::from_min_size(Pos2::new(x, top), Vec2::new(width, 20.0)), colour);
            x += width;
        };
        Cause::ALL
            .into_iter()
            .for_each(|cause| add(counts.causes[cause as usize], theme.cause(cause)));
        add(cycles[k].saturating_sub(counts.kernel_cycles()), theme.hue(Hue::Idle));
        let at = Pos2::new(rect.left() + 218.0 + whole, y);
        ui.painter().text(at, Align2::LEFT_CENTER, grouped(cycles[k]), mono(12.5), theme.text);
        if k == 1 {
            let percent = 100.0 * difference as f64 / cycles[0].max(1) as f64;
            let colour = difference_colour(theme, difference);
            ui.painter().text(
                Pos2::new(rect.right() - 6.0, y),
                Align2::RIGHT_CENTER,
                format!("{percent:+.1} %"),
                mono(13.5),
                colour,
            );
        }
    }
    quads.paint(ui.painter());
}

fn difference_colour(theme: Theme, difference: i64) -> egui::Color32 {
    match difference {
        0 => theme.weak,
        d if d < 0 => theme.hue(Hue::Better),
        _ => theme.hue(Hue::Worse),
    }
}

/// Returns the texts of source lines by their places.
fn texts(info: &Info) -> HashMap<String, &str> {
    let program = &info.program;
    program
        .lines()
        .filter_map(|(line, _)| Some((program.place(line), program.text(line)?.trim())))
        .collect()
}

fn table(ui: &mut Ui, theme: Theme, found: &Arc<Compared>, infos: [&Info; 2]) {
    let texts = infos.map(texts);
    let id = ui.scope_id().with("by difference");
    let mut by_difference = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(true);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if ui.selectable_label(by_difference, "largest difference first").clicked() {
            by_difference = true;
        }
        if ui.selectable_label(!by_difference, "in the order of the source").clicked() {
            by_difference = false;
        }
        let [only_a, only_b] = found.comparison.unmatched;
        let note = format!(
            "{} bundles in both, {only_a} only before, {only_b} only after",
            found.comparison.matched
        );
        ui.label(RichText::new(note).font(sans(11.5)).color(theme.weak));
    });
    ui.data_mut(|data| data.insert_temp(id, by_difference));
    let mut rows: Vec<&CostRow> = found.comparison.charges.lines.iter().collect();
    if by_difference {
        rows.sort_by_key(|row| std::cmp::Reverse(row.difference().abs()));
    } else {
        let number = |row: &CostRow| {
            let name = row.names[1].as_ref().or(row.names[0].as_ref());
            name.and_then(|name| name.rsplit(':').next()?.parse::<u32>().ok()).unwrap_or(u32::MAX)
        };
        rows.sort_by_key(|row| number(row));
    }
    let most =
        rows.iter().map(|row| row.difference().unsigned_abs()).max().unwrap_or(1).max(1) as f32;
    head(ui, theme);
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("lines").show_rows(
        ui,
        ROW,
        rows.len(),
        |ui, range| {
            for row in &rows[range] {
                line(ui, theme, row, &texts, most);
            }
        },
    );
}

fn head(ui: &mut Ui, theme: Theme) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 17.0), Sense::hover());
    let text = |x: f32, align, text: &str| {
        ui.painter().text(Pos2::new(x, rect.center().y), align, text, sans(11.5), theme.weak);
    };
    text(rect.left() + PLACES[0], Align2::LEFT_CENTER, "line before");
    text(rect.left() + PLACES[1], Align2::LEFT_CENTER, "line after");
    text(rect.left() + TEXT, Align2::LEFT_CENTER, "source");
    text(rect.right() - RIGHT + 80.0, Align2::RIGHT_CENTER, "before");
    text(rect.right() - RIGHT + 160.0, Align2::RIGHT_CENTER, "after");
    text(rect.right() - RIGHT + 220.0, Align2::RIGHT_CENTER, "issues");
    text(rect.right() - 6.0, Align2::RIGHT_CENTER, "cycles");
}

fn line(ui: &mut Ui, theme: Theme, row: &CostRow, texts: &[HashMap<String, &str>; 2], most: f32) {
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::hover());
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let y = rect.center().y;
    for (k, name) in row.names.iter().enumerate() {
        let text = name.as_deref().unwrap_or("–");
        parts::clipped(ui, Pos2::new(rect.left() + PLACES[k], y), 88.0, text, 11.0, theme.weak);
    }
    let text = [1, 0]
        .into_iter()
        .find_map(|k| texts[k].get(row.names[k].as_ref()?).copied())
        .unwrap_or_default();
    parts::clipped(
        ui,
        Pos2::new(rect.left() + TEXT, y),
        rect.width() - TEXT - RIGHT,
        text,
        12.0,
        theme.text,
    );
    for k in 0..2 {
        let at = Pos2::new(rect.right() - RIGHT + 80.0 * (k as f32 + 1.0), y);
        let n = row.cycles(k);
        let colour = if n == 0 { theme.weak } else { theme.text };
        ui.painter().text(at, Align2::RIGHT_CENTER, grouped(n), mono(11.5), colour);
    }
    let issues = row.more_issues();
    if issues != 0 {
        let at = Pos2::new(rect.right() - RIGHT + 220.0, y);
        ui.painter().text(at, Align2::RIGHT_CENTER, format!("{issues:+}"), mono(11.5), theme.weak);
    }
    let difference = row.difference();
    if difference != 0 {
        let colour = difference_colour(theme, difference);
        let width = 44.0 * difference.unsigned_abs() as f32 / most;
        let bar = Rect::from_min_size(
            Pos2::new(rect.right() - RIGHT + 232.0, rect.top() + 4.0),
            Vec2::new(width.max(1.5), ROW - 8.0),
        );
        ui.painter().rect_filled(bar, 1.5, colour);
        ui.painter().text(
            Pos2::new(rect.right() - 6.0, y),
            Align2::RIGHT_CENTER,
            format!("{difference:+}"),
            mono(11.5),
            colour,
        );
    }
    response.on_hover_text(row.because().description());
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text =
        "before,after,cycles_before,cycles_after,difference,issues_before,issues_after,because\n"
            .to_owned();
    let Some(Ok(found)) =
        session.compared.comparing.as_mut().and_then(|comparing| comparing.result())
    else {
        return text;
    };
    for row in &found.comparison.charges.lines {
        let [a, b] = row.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        text += &format!(
            "{a},{b},{},{},{},{},{},{}\n",
            row.cycles(0),
            row.cycles(1),
            row.difference(),
            row.issues[0],
            row.issues[1],
            row.because().name()
        );
    }
    text
}
