//! The bars above and below the views: what is looked at, what can be done, and the command line that prints the same.

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
                .on_hover_text("Close this run and show the start page.")
                .clicked()
            {
                app.apply_plain(Command::Start);
            }
            ui.scope(|ui| {
                ui.set_max_width((ui.available_width() - BUTTONS_WIDTH).max(80.0));
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
                title_of(ui, theme, app);
            });
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let is_dark = app.session.preferences.is_dark;
                let other = if is_dark { "Light theme" } else { "Dark theme" };
                button(ui, app, other, Command::Theme, "Changes the colours of the window.");
                button(ui, app, "Keys", Command::Help, "Lists the keys of all commands.");
                button(ui, app, "Search", Command::Palette, SEARCH_TIP);
                if app.session.opened().is_some() {
                    let can_run = app.session.can_run_again();
                    button_if(ui, app, "Run again", Command::RunAgain, (RUN_TIP, can_run));
                    let can_edit = app.session.can_edit();
                    button_if(ui, app, "Edit", Command::Edit, (EDIT_TIP, can_edit));
                }
                button(ui, app, "Open", Command::Open, OPEN_TIP);
                if app.session.opened().is_some() && ui.available_width() > LEGEND_WIDTH {
                    ui.add_space(8.0);
                    legend(ui, theme);
                }
            });
        });
    });
}

const SEARCH_TIP: &str =
    "Finds commands, cycles, registers, words of local memory, labels and source lines.";
const RUN_TIP: &str = "Runs the program with the edited source and the machine of the view \
                       Machine, and compares the new run with this one.";
const EDIT_TIP: &str = "Opens an editor for the source in the view Source. The file on the disk \
                        does not change.";
const OPEN_TIP: &str = "Opens a recording, assembly source, an object or a .hex file. A program \
                        is run and recorded first.";

fn button(ui: &mut Ui, app: &mut App, text: &str, command: Command, what: &str) {
    button_if(ui, app, text, command, (what, Ok(())));
}

/// Shows a button that cannot be pressed, and says why, where its command can do nothing.
fn button_if(
    ui: &mut Ui,
    app: &mut App,
    text: &str,
    command: Command,
    (what, is_possible): (&str, Result<(), &'static str>),
) {
    let tip = format!("{what}\nKey: {}", parts::keys_text(ui.ctx(), command));
    let button = ui.add_enabled(is_possible.is_ok(), egui::Button::new(text));
    let why = is_possible.err().map_or(String::new(), |why| format!("Not for this run: {why}."));
    if button.on_hover_text(tip).on_disabled_hover_text(why).clicked() {
        app.apply_plain(command);
    }
}

fn title_of(ui: &mut Ui, theme: Theme, app: &App) {
    let Some(info) = app.session.run.as_ref().and_then(|run| run.info()) else { return };
    ui.label(RichText::new(&info.provenance.title).strong()).on_hover_text(format!(
        "The open run. This command makes the same recording:\n{}",
        info.provenance.command
    ));
    let base = app.session.compared.base.as_ref().and_then(|run| run.info());
    if let Some(base) = base {
        let tip = format!(
            "The run before, which the open run is compared with in the view Compare. This \
             command makes the same recording:\n{}",
            base.provenance.command
        );
        ui.label(RichText::new("compared with").color(theme.weak));
        ui.label(RichText::new(&base.provenance.title).strong()).on_hover_text(tip);
    }
    let cycles = info.cycles.end - info.cycles.start;
    ui.label(RichText::new(format!("{} cycles", grouped(cycles))).color(theme.weak))
        .on_hover_text("Cycles of the open run, from its first cycle to its last.");
    if !info.is_whole {
        ui.label(RichText::new("incomplete").color(theme.hue(Hue::Hazard))).on_hover_text(
            "The recording was cut off: the run went on after the last cycle that is shown.",
        );
    }
    if let Some(end) =
        info.end.as_ref().filter(|end| !end.contains("code 0") && !end.contains("right"))
    {
        ui.label(RichText::new(end).color(theme.weak)).on_hover_text("How the run ended.");
    }
}

/// Width of the buttons and the space before them.
const BUTTONS_WIDTH: f32 = 440.0;
/// Width that the legend and the space before it need.
const LEGEND_WIDTH: f32 = 470.0;

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
        ui.spacing_mut().interact_size.y = 20.0;
        ui.horizontal(|ui| {
            if let Some(text) = app.session.notice.clone() {
                return notice(ui, theme, app, &text);
            }
            place(ui, theme, app);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if app.session.opened().is_none() {
                    return;
                }
                let pane = app.hovered.map_or(Pane::Timeline, |(pane, _)| pane);
                let command = pane.command(&app.session);
                let button = ui.small_button("Copy");
                if button.on_hover_text("Copies this command to the clipboard.\nKey: Y").clicked() {
                    ui.ctx().copy_text(command.clone());
                    app.session.notice = Some(copied(&command));
                }
                let tip = format!(
                    "This command prints the data of the view {}, the view that was under the \
                     pointer last:\n{command}\nIf run.cp2rec is missing, make it:\n{}",
                    pane.name(),
                    app.session
                        .run
                        .as_ref()
                        .and_then(|run| run.info())
                        .map_or("", |info| { info.provenance.command.as_str() })
                );
                let text = RichText::new(command).font(mono(11.5)).color(theme.weak);
                ui.add(egui::Label::new(text).truncate()).on_hover_text(tip);
            });
        });
    });
}

/// Returns the message that a command line was copied.
pub(super) fn copied(command: &str) -> String {
    format!("Copied to the clipboard: {command}")
}

/// Shows a message over the whole width of the bar, until it is closed.
fn notice(ui: &mut Ui, theme: Theme, app: &mut App, text: &str) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.small_button("Close").on_hover_text("Hides this message.\nKey: Escape").clicked() {
            app.session.notice = None;
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let label = egui::Label::new(RichText::new(text).color(theme.accent())).truncate();
            ui.add(label).on_hover_text(text);
        });
    });
}

/// Shows the cycle of the cursor, its cause, and its bundle and source line.
fn place(ui: &mut Ui, theme: Theme, app: &mut App) {
    let cursor = app.session.cursor;
    let Some(run) = app.session.opened() else {
        ui.label(RichText::new("Press F1 for the list of keys.").color(theme.weak));
        return;
    };
    let record = run.cycle(cursor);
    let program = run.info().map(|info| info.program.clone());
    ui.label(
        RichText::new(format!("Cycle {}", grouped(cursor))).font(mono(12.5)).color(theme.accent()),
    )
    .on_hover_text("The cycle at the cursor, counted from reset. All views show this cycle.");
    if let Some(span) = app.session.marked.counted.clone() {
        let text = format!("Counting {}", span.name);
        let label = ui.button(RichText::new(text).color(theme.accent()));
        let tip = format!(
            "Source, bundles and plots count cycles {} to {}. Click to count the whole run again.\nKey: Escape",
            grouped(span.cycles.start),
            grouped(span.cycles.end.saturating_sub(1))
        );
        if label.on_hover_text(tip).clicked() {
            app.session.marked.counted = None;
        }
    }
    let Some(record) = record else { return };
    let cause = record.cause.map_or("No kernel", kernel_name);
    let tip = record.cause.map_or("No kernel runs in this cycle.".to_owned(), |cause| {
        format!("What this cycle was for: {}.", kernel_name(cause).to_lowercase())
    });
    let colour = record.cause.map_or(theme.weak, |cause| theme.cause(cause));
    parts::swatch(ui, colour);
    ui.label(RichText::new(cause).color(theme.weak)).on_hover_text(tip);
    let row = record.operations.first().and_then(|event| program.as_ref()?.row(event.address));
    if let (Some(row), Some(program)) = (row, &program) {
        let line = row.line.map_or(String::new(), |line| program.place(line));
        ui.label(
            RichText::new(format!("Bundle {}  {}  {line}", row.address, row.label))
                .font(mono(12.0)),
        )
        .on_hover_text(
            "The bundle that issues in this cycle: its address, its nearest label with the \
             distance in bundles, and its source line.",
        );
    }
}
