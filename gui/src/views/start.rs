//! The page before there is a run: examples, files that were opened last; and what is shown while a run is made, or
//! when it cannot be.

use crate::model::run::Stage;
use crate::model::session::Session;
use crate::theme::{Theme, mono, sans};
use crate::worker::{Example, Origin, Settings};
use egui::{Align, Frame, Layout, RichText, ScrollArea, Sense, Ui, Vec2};
use std::path::PathBuf;

/// Example on the start page: its name, what is to be seen, and its origin.
struct Card {
    title: &'static str,
    what: &'static str,
    origin: fn() -> Origin,
}

fn text(name: &str, text: &str) -> Origin {
    Origin::Text(name.to_owned(), text.to_owned(), None, Settings::default())
}

fn kernel(name: &str, machine: Option<&str>, vectors: Option<u64>) -> Origin {
    let settings = Settings { machine: machine.map(str::to_owned), ..Settings::default() };
    Origin::Kernel(Example { name: name.to_owned(), vectors }, settings)
}

const CARDS: [Card; 6] = [
    Card {
        title: "First program",
        what: "A loop over four numbers, a product and a sum, in 37 cycles. Follow each value.",
        origin: || text("twelve.s", include_str!("../../../examples/twelve.s")),
    },
    Card {
        title: "Pipelined loop",
        what: "The loop y := y + a x. The view Schedule shows how its iterations overlap.",
        origin: || text("axpy.s", include_str!("../../../examples/axpy.s")),
    },
    Card {
        title: "Operand read too early",
        what: "An error in a program: the linter marks the bundle and says how to correct it.",
        origin: || text("early.s", include_str!("../../../examples/early.s")),
    },
    Card {
        title: "FFT of 256 points",
        what: "A kernel with 36.8 flops per cycle of 40 that are possible. See which cycles do \
               less.",
        origin: || kernel("fft256", None, None),
    },
    Card {
        title: "FFT of 8192 points with DMA",
        what: "On the machine VM7: DMA channel, banks and host beside the kernel.",
        origin: || kernel("fft8192", Some("vm7"), Some(1)),
    },
    Card {
        title: "Convolution with DMA",
        what: "On the machine VM9: the channel moves pages of data while kernels compute.",
        origin: || kernel("convolution", Some("vm9"), Some(2)),
    },
];

/// Shows the start page; returns whether a file shall be chosen.
pub(crate) fn show(ui: &mut Ui, session: &mut Session) -> bool {
    let mut wants_file = false;
    let theme = Theme::of(ui.visuals());
    let mut chosen = None;
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        let width = 860.0_f32.min(ui.available_width() - 40.0);
        let margin = (ui.available_width() - width) / 2.0;
        ui.add_space((ui.available_height() * 0.07).max(10.0));
        ui.horizontal(|ui| {
            ui.add_space(margin);
            ui.vertical(|ui| {
                ui.set_width(width);
                ui.label(RichText::new("Look at a run of CP2").font(sans(30.0)).strong());
                let line = "Open a recording or a program: the viewer shows what CP2 did in each \
                            cycle. Step forward and back, find the origin of a value, change the \
                            program or the machine, and compare both runs.";
                ui.label(RichText::new(line).font(sans(15.0)).color(theme.weak));
                ui.add_space(12.0);
                ui.horizontal(|ui| {
                    let open = egui::Button::new(
                        RichText::new("Open a file…")
                            .font(sans(15.0))
                            .color(theme.text_on(theme.accent())),
                    )
                    .fill(theme.accent())
                    .min_size(Vec2::new(130.0, 32.0));
                    let tip = "Opens a recording (.cp2rec), assembly source (.s), an object (.o) \
                               or a .hex file.\nKey: Ctrl+O";
                    wants_file = ui.add(open).on_hover_text(tip).clicked();
                    ui.label(
                        RichText::new("Or press Ctrl+O, or drop a file into the window.")
                            .color(theme.weak),
                    );
                });
                ui.add_space(16.0);
                recent(ui, theme, session, &mut chosen);
                ui.label(RichText::new("Examples: click to run").font(sans(16.0)).strong());
                ui.add_space(4.0);
                cards(ui, theme, width, &mut chosen);
                ui.add_space(14.0);
                keys(ui, theme);
            });
        });
    });
    if let Some(origin) = chosen {
        session.open(origin);
    }
    wants_file
}

fn recent(ui: &mut Ui, theme: Theme, session: &Session, chosen: &mut Option<Origin>) {
    let files: Vec<&String> = session
        .preferences
        .recent
        .iter()
        .filter(|path| PathBuf::from(path).exists())
        .take(4)
        .collect();
    if files.is_empty() {
        return;
    }
    ui.label(RichText::new("Recent files").font(sans(16.0)).strong());
    for path in files {
        let text = RichText::new(path).font(mono(12.5)).color(
            theme.hue(crate::model::palette::Hue::Kernel(cp2_emu::stats::Cause::Arithmetic)),
        );
        let label = ui.add(egui::Label::new(text).truncate().sense(Sense::click()));
        if label.on_hover_text(format!("Opens {path}.")).clicked() {
            *chosen = Some(Origin::File(PathBuf::from(path), Settings::default()));
        }
    }
    ui.add_space(12.0);
}

fn cards(ui: &mut Ui, theme: Theme, width: f32, chosen: &mut Option<Origin>) {
    let (columns, gap) = (3, 12.0);
    let size = Vec2::new((width - gap * (columns - 1) as f32) / columns as f32, 92.0);
    ui.spacing_mut().item_spacing = Vec2::splat(gap);
    for row in CARDS.chunks(columns) {
        ui.horizontal(|ui| {
            for card in row {
                let (rect, response) = ui.allocate_exact_size(size, Sense::click());
                let is_hot = response.hovered() || response.has_focus();
                let fill = if is_hot { theme.raised } else { theme.ground };
                let border = if is_hot { theme.accent() } else { theme.line };
                ui.painter().rect(
                    rect,
                    8.0,
                    fill,
                    egui::Stroke::new(1.0, border),
                    egui::StrokeKind::Inside,
                );
                let inside = &mut ui.new_child(
                    egui::UiBuilder::new()
                        .max_rect(rect.shrink(12.0))
                        .layout(Layout::top_down(Align::Min)),
                );
                inside.spacing_mut().item_spacing.y = 3.0;
                inside.label(RichText::new(card.title).font(sans(15.0)).strong());
                inside.label(RichText::new(card.what).font(sans(13.0)).color(theme.weak));
                response.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Button, true, card.title)
                });
                if response.on_hover_text("Runs and records this example, and opens it.").clicked()
                {
                    *chosen = Some((card.origin)());
                }
            }
        });
    }
}

fn keys(ui: &mut Ui, theme: Theme) {
    ui.spacing_mut().item_spacing = Vec2::new(6.0, 4.0);
    ui.horizontal_wrapped(|ui| {
        let all = [
            ("← →", "step"),
            ("Wheel", "zoom"),
            ("Drag", "move"),
            ("F", "whole run"),
            ("Z", "single cycles"),
            ("G", "last write"),
            ("E", "edit"),
            ("Ctrl+K", "search"),
            ("F1", "all keys"),
        ];
        for (key, what) in all {
            Frame::new()
                .fill(theme.raised)
                .corner_radius(4.0)
                .inner_margin(egui::Margin::symmetric(6, 1))
                .show(ui, |ui| {
                    ui.label(RichText::new(key).font(mono(12.0)));
                });
            ui.label(RichText::new(what).color(theme.weak));
            ui.add_space(3.0);
        }
    });
}

/// Shows the progress of a run that is being made.
pub(crate) fn making(ui: &mut Ui, session: &mut Session) {
    let Some(Stage::Making(progress)) = session.run.as_ref().map(|run| &run.stage) else { return };
    let theme = Theme::of(ui.visuals());
    let mut is_cancelled = false;
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.4);
        ui.label(RichText::new(&progress.what).font(sans(18.0)));
        match progress.part {
            Some(part) => {
                let bar = egui::ProgressBar::new(part)
                    .desired_width(360.0)
                    .fill(theme.accent())
                    .desired_height(6.0);
                ui.add(bar);
                is_cancelled = progress.can_end
                    && ui
                        .button("Stop the run")
                        .on_hover_text(
                            "Ends the run, and opens the cycles that were recorded so \
                                        far.",
                        )
                        .clicked();
            }
            None => {
                ui.spinner();
            }
        }
    });
    if is_cancelled && let Some(run) = &session.run {
        run.cancel();
    }
}

/// Shows why there is no run.
pub(crate) fn failed(ui: &mut Ui, session: &mut Session) {
    let Some(Stage::Failed(failure)) = session.run.as_ref().map(|run| &run.stage) else { return };
    let failure = failure.clone();
    let theme = Theme::of(ui.visuals());
    let mut wants_start = false;
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.18);
        ui.set_max_width(820.0);
        ui.label(RichText::new(&failure.what).font(sans(20.0)).strong());
        ui.add_space(8.0);
        message(ui, theme, &failure.detail, 320.0);
        ui.add_space(10.0);
        let text = if session.compared.base.is_some() {
            "Back to the previous run"
        } else {
            "Back to the start page"
        };
        wants_start = ui.button(text).on_hover_text("Closes this message.").clicked();
    });
    if wants_start {
        match session.compared.base.take() {
            Some(base) => session.run = Some(base),
            None => session.close(),
        }
    }
}

fn message(ui: &mut Ui, theme: Theme, text: &str, height: f32) {
    Frame::new()
        .fill(theme.ground)
        .stroke(egui::Stroke::new(1.0, theme.line))
        .corner_radius(6.0)
        .inner_margin(12.0)
        .show(ui, |ui| {
            ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                ui.with_layout(Layout::top_down(Align::Min), |ui| {
                    ui.label(RichText::new(text).font(mono(12.5)));
                });
            });
        });
}

/// Shows a changed source that could not be run, with the message above it.
pub(crate) fn failed_draft(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    if let Some(Stage::Failed(failure)) = session.run.as_ref().map(|run| &run.stage) {
        let (what, detail) = (failure.what.clone(), failure.detail.clone());
        Frame::new().inner_margin(10.0).show(ui, |ui| {
            ui.label(
                RichText::new(what).strong().color(theme.hue(crate::model::palette::Hue::Worse)),
            );
            message(ui, theme, &detail, 180.0);
        });
    }
    Frame::new().inner_margin(10.0).show(ui, |ui| crate::views::source::show(ui, session));
}
