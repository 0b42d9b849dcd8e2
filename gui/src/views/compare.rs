//! Two runs beside each other: what both cost, where they part, and every line with its cycles in both.

use crate::model::palette::Hue;
use crate::model::session::Session;
use crate::model::viewport::grouped;
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts::{self, Heading, Quads};
use crate::worker::{Compared, Info};
use cp2_analysis::compare::CostRow;
use cp2_emu::stats::Cause;
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};
use std::collections::HashMap;
use std::sync::Arc;

/// Edges of the columns of a table of some width, from its left edge.
struct Columns {
    line: (f32, f32),
    text: (f32, f32),
    before: (f32, f32),
    after: (f32, f32),
    issues: (f32, f32),
    /// Bar of the difference; without width where there is no room.
    bar: (f32, f32),
    difference: (f32, f32),
}

impl Columns {
    fn new(width: f32) -> Self {
        let bar = if width < 560.0 { 0.0 } else { 48.0 };
        let line = (6.0, if width < 560.0 { 96.0 } else { 140.0 });
        let difference = (width - 64.0, width - 6.0);
        let bar = (difference.0 - bar, difference.0);
        let issues = (bar.0 - 58.0, bar.0 - 8.0);
        let after = (issues.0 - 66.0, issues.0 - 8.0);
        let before = (after.0 - 66.0, after.0 - 8.0);
        Self { line, text: (line.1 + 6.0, before.0), before, after, issues, bar, difference }
    }
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let infos = [&session.compared.base, &session.run]
        .map(|run| run.as_ref().and_then(|run| run.info()).cloned());
    let [Some(a), Some(b)] = infos else {
        let hint = "Edit the source (E) or change the machine (M), then press Ctrl+Enter to run \
                    again.\nOr start the viewer with two runs: cp2 view AFTER --compare BEFORE";
        return parts::empty(ui, "There is no second run to compare with", hint);
    };
    summary(ui, theme, [&a, &b]);
    super::aligned::show(ui, session);
    let found = match session.compared.comparing.as_mut().and_then(|comparing| comparing.result()) {
        None => {
            let hint = "The table of lines appears when both runs are read.";
            return parts::empty(ui, "Comparing both runs cycle by cycle…", hint);
        }
        Some(Err(why)) => return parts::empty(ui, "Cannot compare the two runs", why),
        Some(Ok(found)) => found.clone(),
    };
    let machines = found.text.lines().filter(|line| line.starts_with("machine:")).count();
    if machines > 1 {
        let text = format!("The machines differ in {machines} settings, which `cp2 diff` lists.");
        ui.label(RichText::new(text).font(sans(12.0)).color(theme.weak));
    }
    let shown =
        |line: &&str| machines == 1 && line.starts_with("machine:") || line.starts_with("first");
    for line in found.text.lines().filter(shown).take(3) {
        ui.label(RichText::new(parts::sentence(line)).font(sans(12.0)).color(theme.weak));
    }
    if found.comparison.is_identical() {
        return parts::empty(
            ui,
            "Both runs are the same",
            "The same bundles issue and the same values are written in every cycle.",
        );
    }
    table(ui, theme, &found, [&a, &b]);
}

const SUMMARY: &str = "All cycles of the run before and of the run after the change, as bars of \
                       one scale, with the change in percent. Colours are what the cycles were \
                       for; grey is cycles without a kernel.";

/// Shows both runs as bars of the same scale, by cause.
fn summary(ui: &mut Ui, theme: Theme, infos: [&Info; 2]) {
    let cycles = infos.map(|info| info.cycles.end - info.cycles.start);
    let most = cycles.into_iter().max().unwrap_or(1).max(1) as f32;
    let difference = cycles[1] as i64 - cycles[0] as i64;
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), 58.0), Sense::hover());
    response.on_hover_ui_at_pointer(|ui| parts::causes_tip(ui, SUMMARY));
    let mut quads = Quads::default();
    for (k, info) in infos.into_iter().enumerate() {
        let top = rect.top() + 4.0 + 27.0 * k as f32;
        let y = top + 10.0;
        let name = if k == 0 { "Before" } else { "After" };
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
        let whole = (rect.width() - 410.0).max(50.0);
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
        let text = format!("{} cycles", grouped(cycles[k]));
        ui.painter().text(at, Align2::LEFT_CENTER, text, mono(12.5), theme.text);
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
    let [only_a, only_b] = found.comparison.unmatched;
    let note = format!(
        "Bundles: {} in both programs, {only_a} only before, {only_b} only after",
        found.comparison.matched
    );
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label(RichText::new("Sort lines by").color(theme.weak));
        let tip = "Shows the line whose cycles changed most first.";
        if ui.selectable_label(by_difference, "Change").on_hover_text(tip).clicked() {
            by_difference = true;
        }
        let tip = "Shows the lines in the order of the source.";
        if ui.selectable_label(!by_difference, "Line").on_hover_text(tip).clicked() {
            by_difference = false;
        }
        ui.add_space(6.0);
        let text = RichText::new(&note).font(sans(11.5)).color(theme.weak);
        ui.add(egui::Label::new(text).truncate()).on_hover_text(&note);
    });
    ui.data_mut(|data| data.insert_temp(id, by_difference));
    let mut rows: Vec<&CostRow> = found.comparison.costs.lines.iter().collect();
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
    head(ui, rows.len());
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

fn head(ui: &mut Ui, rows: usize) {
    let columns = Columns::new(parts::table_width(ui, rows, 2));
    let all = [
        Heading::left(
            columns.line,
            "Line",
            "Source line. Two lines if it has another number \
                                             after the change: before → after. A dash stands for \
                                             the run that does not have the line.",
        ),
        Heading::left(columns.text, "Source", "Text of the line after the change."),
        Heading::right(
            columns.before,
            "Cycles\nbefore",
            "Cycles of the line in the run before the change.",
        ),
        Heading::right(
            columns.after,
            "Cycles\nafter",
            "Cycles of the line in the run after the change.",
        ),
        Heading::right(
            columns.issues,
            "Issues\nchange",
            "Operations of the line that issued after the change, less those before.",
        ),
        Heading::right(
            columns.difference,
            "Cycles\nchange",
            "Cycles of the line after the change, less those before. Point at a line for the \
             reason.",
        ),
    ];
    parts::headings(ui, &all);
}

/// Returns the name of a line in both runs, once if it is the same.
fn names(row: &CostRow) -> String {
    match row.names.each_ref().map(|name| name.as_deref()) {
        [Some(a), Some(b)] if a == b => a.to_owned(),
        [Some(a), Some(b)] => match (a.rsplit_once(':'), b.rsplit_once(':')) {
            (Some((file, _)), Some((same, line))) if file == same => format!("{a} → {line}"),
            _ => format!("{a} → {b}"),
        },
        [a, b] => format!("{} → {}", a.unwrap_or("–"), b.unwrap_or("–")),
    }
}

fn line(ui: &mut Ui, theme: Theme, row: &CostRow, texts: &[HashMap<String, &str>; 2], most: f32) {
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::hover());
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let columns = Columns::new(rect.width());
    let at = |edge: f32| Pos2::new(rect.left() + edge, rect.center().y);
    let names = names(row);
    let line = columns.line;
    parts::clipped(ui, at(line.0), line.1 - line.0, &names, 11.0, theme.weak);
    let text = [1, 0]
        .into_iter()
        .find_map(|k| texts[k].get(row.names[k].as_ref()?).copied())
        .unwrap_or_default();
    // The code alone, without the space between its columns.
    let words: Vec<&str> = cp2_asm::without_comment(text).split_whitespace().collect();
    let text = &words.join(" ");
    let room = columns.text.1 - columns.text.0;
    parts::clipped(ui, at(columns.text.0), room, text, 12.0, theme.text);
    let number = |edge: f32, text: String, colour| {
        ui.painter().text(at(edge), Align2::RIGHT_CENTER, text, mono(11.5), colour);
    };
    for (k, column) in [columns.before, columns.after].into_iter().enumerate() {
        let n = row.cycles(k);
        number(column.1, grouped(n), if n == 0 { theme.weak } else { theme.text });
    }
    let issues = row.more_issues();
    if issues != 0 {
        number(columns.issues.1, format!("{issues:+}"), theme.weak);
    }
    let difference = row.difference();
    if difference != 0 {
        let colour = difference_colour(theme, difference);
        let room = columns.bar.1 - columns.bar.0;
        if room > 0.0 {
            let width = room * difference.unsigned_abs() as f32 / most;
            let bar = Rect::from_min_size(
                Pos2::new(rect.left() + columns.bar.0, rect.top() + 4.0),
                Vec2::new(width.max(1.5), ROW - 8.0),
            );
            ui.painter().rect_filled(bar, 1.5, colour);
        }
        number(columns.difference.1, format!("{difference:+}"), colour);
    }
    response.on_hover_text(format!(
        "{names}\n{text}\n{difference:+} cycles, {issues:+} issues. Reason: {}.",
        row.because().description()
    ));
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
    for row in &found.comparison.costs.lines {
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
