//! The source, with what every line cost and what the linter says; and the editor for it.

use crate::model::heat::main_cause;
use crate::model::palette::Hue;
use crate::model::program::{LineId, Program};
use crate::model::session::{Selection, Session};
use crate::model::viewport::short;
use crate::theme::{ROW, Theme, mono};
use crate::views::parts::{self, Heading};
use crate::views::stages;
use cp2_analysis::attribution::AttributedCost;
use cp2_isa::BundleAddress;
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};
use std::collections::BTreeMap;

/// Edges of the columns: bar of the cost, share of all cycles, operations that issued, line number; left edge of the
/// text.
const BAR: (f32, f32) = (6.0, 40.0);
const SHARE: (f32, f32) = (42.0, 102.0);
const ISSUES: (f32, f32) = (106.0, 144.0);
const LINE: (f32, f32) = (148.0, 178.0);
const TEXT: f32 = 194.0;

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
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
    let program = info.program.clone();
    let (heat, is_counting) = session.costs();
    if !program.has_source() {
        return without_source(ui, &program);
    }
    if !program.stages.is_empty() && stages::is_chosen(ui) {
        return stages::show(ui, session, &program, (&*heat, is_counting));
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
    head(ui, is_counting);
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
        [] => {
            "The recording names no source file. Open the program file instead of the recording, \
               or show the bundles of instruction memory in the view Bundles (2)."
                .to_owned()
        }
        _ => format!(
            "Put {} at its former path or beside the recording, and open the recording again. The \
             view Bundles (2) shows the bundles without the source.",
            names.join(", ")
        ),
    };
    parts::empty(ui, "The source file was not found", &hint);
}

/// Shows a line with its cost; returns its first bundle if it is clicked.
fn row(ui: &mut Ui, listing: &Listing<'_>, id: LineId, text: &str) -> Option<BundleAddress> {
    let Listing { theme, program, costs, now, selected, .. } = *listing;
    let width = (TEXT + 9.0 + 7.6 * text.chars().count() as f32).max(ui.available_width());
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
    if let Some(cost) = costs.get(&id).filter(|line| line.cost.cycles() > 0) {
        heat(ui, listing, rect, cost);
    }
    let y = rect.center().y;
    let painter = ui.painter();
    let at = Pos2::new(rect.left() + LINE.1, y);
    painter.text(at, Align2::RIGHT_CENTER, id.1.to_string(), mono(11.5), theme.weak);
    if program.hazards(id).next().is_some() {
        let at = Pos2::new(rect.left() + TEXT - 8.0, y);
        painter.circle_filled(at, 3.5, theme.hue(Hue::Hazard));
    }
    code(ui, Pos2::new(rect.left() + TEXT, y), text, theme);
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
    let part = cost.cycles() as f32 / hottest as f32;
    let bar = Rect::from_min_size(
        Pos2::new(rect.left() + BAR.0, rect.top() + 4.0),
        Vec2::new(((BAR.1 - BAR.0) * part).max(1.5), ROW - 8.0),
    );
    painter.rect_filled(bar, 1.5, theme.cause(main_cause(cost)));
    let percent = 100.0 * cost.cycles() as f64 / total as f64;
    let share = if percent >= 0.05 { format!("{percent:.1}") } else { "< 0.1".to_owned() };
    let at = |edge: f32| Pos2::new(rect.left() + edge, rect.center().y);
    painter.text(at(SHARE.1), Align2::RIGHT_CENTER, share, mono(11.5), theme.text);
    let issues = short(*issues as f64);
    painter.text(at(ISSUES.1), Align2::RIGHT_CENTER, issues, mono(11.5), theme.weak);
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

fn head(ui: &mut Ui, is_counting: bool) {
    let source = if is_counting { "Source (cycles are still being counted…)" } else { "Source" };
    let text = (TEXT, ui.available_width());
    let all = [
        Heading::left(
            BAR,
            "Cost",
            "Cycles of the line as a bar: a full bar is the line with the \
                                    most cycles. The colour is the main cause of its cycles.",
        ),
        Heading::right(
            SHARE,
            "% of cycles",
            "Cycles of the line, percent of all cycles of \
                                              bundles. Point at a line for its number of cycles \
                                              by cause.",
        ),
        Heading::right(ISSUES, "Issues", "Number of operations of the line that issued."),
        Heading::right(
            LINE,
            "Line",
            "Number of the line in its file, from 1. A dot behind it \
                                      marks a finding of the linter; point at the line to read \
                                      it.",
        ),
        Heading::left(
            text,
            source,
            "Text of the line. Click a line to select its first bundle; \
                                     press E to edit.",
        ),
    ];
    parts::headings(ui, &all);
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
    parts::tip_style(ui);
    ui.label(RichText::new(program.place(id)).strong());
    if let Some(note) = program.note(id) {
        ui.label(note);
    }
    if let Some(AttributedCost { cost, issues }) = costs.get(&id) {
        ui.label(parts::count(cost.cycles(), "cycle"));
        ui.label(parts::count(*issues, "operation") + " issued");
        parts::cost_tip(ui, cost);
    }
    let bundles: Vec<String> = program.bundles(id).iter().map(ToString::to_string).collect();
    if !bundles.is_empty() {
        let text = if bundles.len() == 1 { "Bundle" } else { "Bundles" };
        ui.label(RichText::new(format!("{text} {}", bundles.join(", "))).color(theme.weak));
    }
    program.hazards(id).for_each(|hazard| parts::hazard_tip(ui, hazard));
}

fn edit(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let mut is_run = false;
    let mut name = None;
    ui.horizontal(|ui| {
        let text = RichText::new(cp2_asm::sites::short(&session.draft.name)).strong();
        name = Some(ui.label(text).id);
        let state = if session.draft.is_changed { "edited" } else { "not edited" };
        ui.label(RichText::new(state).color(theme.weak)).on_hover_text(
            "Whether the text differs from the source of the open run. The file on the disk does \
             not change.",
        );
        is_run = parts::run_button(ui, session.can_run_again()).clicked();
        let close = ui.button("Close editor");
        if close
            .on_hover_text("Shows the source with its costs. The edits are kept.\nKey: Escape")
            .clicked()
        {
            session.draft.is_open = false;
        }
    });
    ScrollArea::both().auto_shrink([false, false]).id_salt("editor").show(ui, |ui| {
        // Lines are not wrapped: the columns of the source stay below each other.
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
            let text = text.as_str().to_owned();
            let job = egui::text::LayoutJob::simple(text, mono(12.5), theme.text, f32::INFINITY);
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let editor = egui::TextEdit::multiline(&mut session.draft.text)
            .font(mono(12.5))
            .code_editor()
            .layouter(&mut layouter)
            .desired_width(f32::INFINITY)
            .desired_rows(20);
        let response = ui.add(editor);
        let response = name.map_or(response.clone(), |name| response.labelled_by(name));
        if response.changed() {
            session.compare_draft();
        }
    });
    if is_run {
        session.run_again();
    }
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "file,line,cycles,issues,both_slots,arithmetic_only,exchange_only,empty,nullified,sync_hold,flops,source\n".to_owned();
    let (heat, _) = session.costs();
    let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return text };
    for (id, AttributedCost { cost, issues }) in heat.lines(&info.program) {
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
