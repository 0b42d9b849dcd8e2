//! The source, with what every line cost and what the linter says; and the editor for it.

use crate::model::heat::main_cause;
use crate::model::palette::Hue;
use crate::model::program::{LineId, Program};
use crate::model::session::{Selection, Session};
use crate::model::viewport::short;
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts;
use cp2_analysis::attribution::AttributedCost;
use cp2_isa::BundleAddress;
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};
use std::collections::BTreeMap;

/// Left edges of the columns: heat, cycles, operations that issued, line number, text.
const COLUMNS: [f32; 5] = [6.0, 62.0, 124.0, 190.0, 238.0];
/// Indexes of the columns of the line number and of the text.
const LINE: usize = 3;
const TEXT: usize = 4;

/// Data from which the rows of the source are drawn.
struct Listing<'a> {
    theme: Theme,
    program: &'a Program,
    costs: &'a BTreeMap<LineId, AttributedCost>,
    /// Cycles of the line that has the most, and of all lines.
    hottest: u64,
    total: u64,
    /// Line at the cursor, and the selected bundle.
    now: Option<LineId>,
    selected: Option<BundleAddress>,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    if session.draft.is_open {
        return edit(ui, session);
    }
    let Some(run) = &session.run else { return };
    let Some(info) = run.info() else { return };
    let (program, heat, end) = (info.program.clone(), run.heat.clone(), info.cycles.end);
    if !program.has_source() {
        return without_source(ui, &program);
    }
    let costs = heat.lines(&program);
    let now = at_cursor(session);
    let theme = Theme::of(ui.visuals());
    let listing = Listing {
        theme,
        program: &program,
        costs: &costs,
        hottest: costs.values().map(|line| line.cost.cycles()).max().unwrap_or(0).max(1),
        total: heat.total().max(1),
        now,
        selected: match session.selection {
            Some(Selection::Bundle(at)) => Some(at),
            _ => None,
        },
    };
    let lines: Vec<(LineId, String)> = program
        .files
        .iter()
        .enumerate()
        .flat_map(|(f, file)| {
            file.lines.iter().zip(1..).map(move |(text, n)| ((f, n), text.clone()))
        })
        .collect();
    head(ui, theme, heat.covered.end < end);
    let scroll_to = scroll_wish(ui, now, &lines);
    let mut area = ScrollArea::both().auto_shrink([false, false]).id_salt("source");
    if let Some(offset) = scroll_to {
        area = area.vertical_scroll_offset(offset);
    }
    let mut chosen = None;
    ui.spacing_mut().item_spacing.y = 0.0;
    area.show_rows(ui, ROW, lines.len(), |ui, range| {
        for (id, text) in &lines[range] {
            chosen = row(ui, &listing, *id, text).or(chosen);
        }
    });
    if let Some(bundle) = chosen {
        session.selection = Some(Selection::Bundle(bundle));
    }
}

fn without_source(ui: &mut Ui, program: &Program) {
    let names: Vec<&str> = program.files.iter().map(|f| f.name.as_str()).collect();
    let hint = match names[..] {
        [] => "The recording names no source. The view Bundles (2) shows what is in instruction memory."
            .to_owned(),
        _ => {
            format!("{} is not at its former path; the view Bundles shows its bundles.", names.join(", "))
        }
    };
    parts::empty(ui, "The source was not found", &hint);
}

/// Shows a line with its cost; returns its first bundle if it is clicked.
fn row(ui: &mut Ui, listing: &Listing<'_>, id: LineId, text: &str) -> Option<BundleAddress> {
    let Listing { theme, program, costs, now, selected, .. } = *listing;
    let width = (COLUMNS[TEXT] + 9.0 + 7.6 * text.chars().count() as f32).max(ui.available_width());
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, ROW), Sense::click());
    let bundles = program.bundles(id);
    let fill = if now == Some(id) {
        Some(theme.tint(theme.accent(), 0.22))
    } else if selected.is_some_and(|at| bundles.contains(&at)) {
        Some(ui.visuals().selection.bg_fill)
    } else if response.hovered() && !bundles.is_empty() {
        Some(theme.raised)
    } else {
        None
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 0.0, fill);
    }
    if let Some(charge) = costs.get(&id).filter(|line| line.cost.cycles() > 0) {
        heat(ui, listing, rect, charge);
    }
    let x = |column: usize| rect.left() + COLUMNS[column];
    let y = rect.center().y;
    let painter = ui.painter();
    let at = Pos2::new(x(LINE) + 28.0, y);
    painter.text(at, Align2::RIGHT_CENTER, id.1.to_string(), mono(11.5), theme.weak);
    if program.hazards(id).next().is_some() {
        painter.circle_filled(Pos2::new(x(TEXT) - 9.0, y), 3.5, theme.hue(Hue::Hazard));
    }
    code(ui, Pos2::new(x(TEXT), y), text, theme);
    let response = response.on_hover_ui_at_pointer(|ui| {
        tip(ui, program, id, costs);
    });
    bundles.first().copied().filter(|_| response.clicked())
}

/// Draws the heat of a line, its cycles and the operations that issued.
fn heat(
    ui: &Ui,
    listing: &Listing<'_>,
    rect: Rect,
    AttributedCost { cost, issues }: &AttributedCost,
) {
    let &Listing { theme, hottest, total, .. } = listing;
    let painter = ui.painter();
    let x = |column: usize| rect.left() + COLUMNS[column];
    let part = cost.cycles() as f32 / hottest as f32;
    let bar = Rect::from_min_size(
        Pos2::new(x(0), rect.top() + 4.0),
        Vec2::new((50.0 * part).max(1.5), ROW - 8.0),
    );
    painter.rect_filled(bar, 1.5, theme.cause(main_cause(cost)));
    let percent = 100.0 * cost.cycles() as f64 / total as f64;
    let cycles =
        if percent >= 0.05 { format!("{percent:.1} %") } else { short(cost.cycles() as f64) };
    let at = |column: usize| Pos2::new(x(column) + 54.0, rect.center().y);
    painter.text(at(1), Align2::RIGHT_CENTER, cycles, mono(11.5), theme.text);
    painter.text(at(2), Align2::RIGHT_CENTER, short(*issues as f64), mono(11.5), theme.weak);
}

/// Draws a line of assembly: comments and directives stand back.
fn code(ui: &Ui, at: Pos2, text: &str, theme: Theme) {
    use egui::text::{LayoutJob, TextFormat};
    let code = cp2_asm::without_comment(text);
    let (code, comment) = text.split_at(code.len().min(text.len()));
    let font = mono(12.5);
    let mut job = LayoutJob::default();
    let mut push = |text: &str, color| {
        job.append(text, 0.0, TextFormat { font_id: font.clone(), color, ..Default::default() });
    };
    let is_directive = code.trim_start().starts_with('.');
    match code.split_once(':') {
        Some((label, rest))
            if !label.trim().contains(' ') && !label.contains('|') && !is_directive =>
        {
            push(label, theme.hue(Hue::Accent));
            push(":", theme.weak);
            push(rest, theme.text);
        }
        _ if is_directive => push(code, theme.cause(cp2_emu::stats::Cause::Nullified)),
        _ => push(code, theme.text),
    }
    push(comment, theme.weak);
    let galley = ui.painter().layout_job(job);
    let at = Pos2::new(at.x, at.y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, theme.text);
}

fn head(ui: &mut Ui, theme: Theme, is_counting: bool) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 17.0), Sense::hover());
    let text = |x: f32, align, text: &str| {
        let at = Pos2::new(rect.left() + x, rect.center().y);
        ui.painter().text(at, align, text, sans(11.5), theme.weak);
    };
    text(COLUMNS[0], Align2::LEFT_CENTER, if is_counting { "counting…" } else { "heat" });
    text(COLUMNS[1] + 54.0, Align2::RIGHT_CENTER, "cycles");
    text(COLUMNS[2] + 54.0, Align2::RIGHT_CENTER, "issues");
    text(COLUMNS[LINE] + 28.0, Align2::RIGHT_CENTER, "line");
    text(COLUMNS[TEXT], Align2::LEFT_CENTER, "source");
}

/// Returns the line of the bundle at the cursor.
fn at_cursor(session: &mut Session) -> Option<LineId> {
    let cursor = session.cursor;
    let run = session.opened()?;
    let address = run.cycle(cursor)?.operations.first()?.address;
    run.info()?.program.row(address)?.line
}

/// Returns the offset to scroll to, if the cursor has come to another line since the last frame.
fn scroll_wish(ui: &Ui, now: Option<LineId>, lines: &[(LineId, String)]) -> Option<f32> {
    let id = ui.scope_id().with("line");
    let before = ui.data(|data| data.get_temp::<Option<LineId>>(id)).flatten();
    if now == before || now.is_none() {
        return None;
    }
    ui.data_mut(|data| data.insert_temp(id, now));
    let at = lines.iter().position(|(id, _)| Some(*id) == now)?;
    let middle = (ui.available_height() / 2.0 - ROW).max(0.0);
    Some((at as f32 * ROW - middle).max(0.0))
}

fn tip(ui: &mut Ui, program: &Program, id: LineId, costs: &BTreeMap<LineId, AttributedCost>) {
    let theme = Theme::of(ui.visuals());
    ui.set_max_width(420.0);
    ui.label(RichText::new(program.place(id)).strong());
    if let Some(AttributedCost { cost, issues }) = costs.get(&id) {
        ui.label(format!("{issues} operations issued"));
        for cause in cp2_emu::stats::Cause::ALL {
            let n = cost.causes[cause as usize];
            if n > 0 {
                ui.horizontal(|ui| {
                    parts::swatch(ui, theme.cause(cause));
                    ui.label(format!("{n} cycles: {}", cause.description()));
                });
            }
        }
        if cost.flops > 0 {
            ui.label(format!("{} floating-point operations", cost.flops));
        }
    }
    let bundles: Vec<String> = program.bundles(id).iter().map(ToString::to_string).collect();
    if !bundles.is_empty() {
        ui.label(RichText::new(format!("bundles {}", bundles.join(", "))).color(theme.weak));
    }
    for hazard in program.hazards(id) {
        ui.separator();
        let head = format!("{} {}", hazard.code, hazard.message);
        ui.label(RichText::new(head).color(theme.hue(Hue::Hazard)));
        ui.label(RichText::new(&hazard.help).color(theme.weak));
    }
}

fn edit(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let mut is_run = false;
    let mut name = None;
    ui.horizontal(|ui| {
        let text = RichText::new(cp2_asm::sites::short(&session.draft.name)).strong();
        name = Some(ui.label(text).id);
        let state = if session.draft.is_changed { "changed" } else { "as it was run" };
        ui.label(RichText::new(state).color(theme.weak));
        is_run = ui.button("Run again and compare   Ctrl Enter").clicked();
        if ui.button("Close").on_hover_text("Escape; the changes stay").clicked() {
            session.draft.is_open = false;
        }
    });
    ScrollArea::both().auto_shrink([false, false]).id_salt("editor").show(ui, |ui| {
        let editor = egui::TextEdit::multiline(&mut session.draft.text)
            .font(mono(12.5))
            .code_editor()
            .desired_width(f32::INFINITY)
            .desired_rows(20);
        let response = ui.add(editor);
        let response = name.map_or(response.clone(), |name| response.labelled_by(name));
        if response.changed() {
            session.draft.is_changed = true;
        }
    });
    if is_run {
        session.run_again();
    }
}

pub(crate) fn csv(session: &Session) -> String {
    let mut text = "file,line,cycles,issues,both_slots,arithmetic_only,exchange_only,empty,nullified,sync_hold,flops,source\n".to_owned();
    let Some((run, info)) = session.run.as_ref().and_then(|run| Some((run, run.info()?))) else {
        return text;
    };
    for (id, AttributedCost { cost, issues }) in run.heat.lines(&info.program) {
        let file = info.program.files.get(id.0).map_or("", |file| &file.name);
        let causes: Vec<String> = cost.causes.iter().map(u64::to_string).collect();
        let source = info.program.text(id).unwrap_or_default().trim();
        text += &format!(
            "{},{},{},{issues},{},{},{}\n",
            parts::csv(file),
            id.1,
            cost.cycles(),
            causes.join(","),
            cost.flops,
            parts::csv(source)
        );
    }
    text
}
