//! The bars above and below the views: what is looked at, what can be done, and the command line that tells the same.

use crate::app::{App, Pane};
use crate::model::command::Command;
use crate::model::palette::{Hue, kernel_name};
use crate::model::viewport::grouped;
use crate::theme::{Theme, mono, sans};
use crate::views::parts;
use cp2_emu::stats::Cause;
use egui::{Align, Layout, Panel, RichText, Ui};

pub(super) fn top(ui: &mut Ui, app: &mut App) {
    let theme = Theme::of(ui.visuals());
    let frame = egui::Frame::new().fill(theme.panel).inner_margin(egui::Margin::symmetric(10, 5));
    Panel::top("top").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            let title = RichText::new("cp2").font(sans(16.0)).strong().color(theme.accent());
            if ui
                .add(egui::Label::new(title).sense(egui::Sense::click()))
                .on_hover_text("Start page")
                .clicked()
            {
                app.apply_plain(Command::Start);
            }
            title_of(ui, theme, app);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let is_dark = app.session.preferences.is_dark;
                button(ui, app, if is_dark { "Light" } else { "Dark" }, Command::Theme);
                button(ui, app, "Keys", Command::Help);
                button(ui, app, "Search", Command::Palette);
                if app.session.opened().is_some() {
                    button(ui, app, "Run again", Command::RunAgain);
                    button(ui, app, "Edit", Command::Edit);
                }
                button(ui, app, "Open", Command::Open);
                if app.session.opened().is_some() && ui.available_width() > LEGEND_WIDTH {
                    ui.add_space(8.0);
                    legend(ui, theme);
                }
            });
        });
    });
}

fn button(ui: &mut Ui, app: &mut App, text: &str, command: Command) {
    let keys: Vec<String> =
        command.keys().iter().map(|keys| ui.ctx().format_shortcut(keys)).collect();
    let tip = format!("{}   {}", command.name(), keys.join(" or "));
    if ui.button(text).on_hover_text(tip).clicked() {
        app.apply_plain(command);
    }
}

fn title_of(ui: &mut Ui, theme: Theme, app: &App) {
    let Some(info) = app.session.run.as_ref().and_then(|run| run.info()) else { return };
    ui.label(RichText::new(&info.provenance.title).strong());
    let base = app.session.compared.base.as_ref().and_then(|run| run.info());
    if let Some(base) = base {
        ui.label(RichText::new("against").color(theme.weak));
        ui.label(RichText::new(&base.provenance.title).strong());
    }
    let cycles = info.cycles.end - info.cycles.start;
    ui.label(RichText::new(format!("{} cycles", grouped(cycles))).color(theme.weak));
    if !info.is_whole {
        ui.label(RichText::new("interrupted").color(theme.hue(Hue::Hazard)));
    }
    if let Some(end) =
        info.end.as_ref().filter(|end| !end.contains("code 0") && !end.contains("right"))
    {
        ui.label(RichText::new(end).color(theme.weak));
    }
}

/// Width that the legend and the space before it need.
const LEGEND_WIDTH: f32 = 420.0;

/// Shows the colours of causes with their names.
fn legend(ui: &mut Ui, theme: Theme) {
    ui.spacing_mut().item_spacing.x = 5.0;
    for cause in [Cause::SyncHold, Cause::Empty, Cause::Exchange, Cause::Arithmetic, Cause::Both] {
        ui.label(RichText::new(kernel_name(cause)).font(sans(11.5)).color(theme.weak))
            .on_hover_text(cause.description());
        parts::swatch(ui, theme.cause(cause));
    }
    ui.spacing_mut().item_spacing.x = 8.0;
}

pub(super) fn bottom(ui: &mut Ui, app: &mut App) {
    let theme = Theme::of(ui.visuals());
    let frame = egui::Frame::new().fill(theme.panel).inner_margin(egui::Margin::symmetric(10, 4));
    Panel::bottom("bottom").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            if let Some(notice) = &app.session.notice {
                ui.label(RichText::new(notice).color(theme.accent()));
            } else {
                place(ui, theme, app);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if app.session.opened().is_none() {
                    return;
                }
                let pane = app.hovered.map_or(Pane::Timeline, |(pane, _)| pane);
                let command = pane.command(&app.session);
                if ui.small_button("Copy").on_hover_text("Copy this command line   Y").clicked() {
                    ui.ctx().copy_text(command.clone());
                    app.session.notice = Some(format!("Copied: {command}"));
                }
                let text = RichText::new(command).font(mono(11.5)).color(theme.weak);
                ui.add(egui::Label::new(text).truncate())
                    .on_hover_text("The command line that prints what this view shows");
            });
        });
    });
}

/// Shows the cycle of the cursor, its cause, and its bundle and source line.
fn place(ui: &mut Ui, theme: Theme, app: &mut App) {
    let cursor = app.session.cursor;
    let Some(run) = app.session.opened() else {
        ui.label(RichText::new("F1: all keys").color(theme.weak));
        return;
    };
    let record = run.cycle(cursor);
    let program = run.info().map(|info| info.program.clone());
    ui.label(
        RichText::new(format!("cycle {}", grouped(cursor))).font(mono(12.5)).color(theme.accent()),
    );
    let Some(record) = record else { return };
    let cause = record.cause.map_or("no kernel", kernel_name);
    let colour = record.cause.map_or(theme.weak, |cause| theme.cause(cause));
    parts::swatch(ui, colour);
    ui.label(RichText::new(cause).color(theme.weak));
    let row = record.operations.first().and_then(|event| program.as_ref()?.row(event.address));
    if let (Some(row), Some(program)) = (row, &program) {
        let line = row.line.map_or(String::new(), |line| program.place(line));
        ui.label(
            RichText::new(format!("bundle {}  {}  {line}", row.address, row.label))
                .font(mono(12.0)),
        );
    }
}
