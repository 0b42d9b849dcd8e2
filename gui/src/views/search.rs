//! Search and the list of keys: windows over the views.

use crate::model::command::{Command, Hit, Scope, search};
use crate::model::session::Session;
use crate::model::viewport::grouped;
use crate::theme::{Theme, mono, sans};
use crate::views::parts;
use crate::worker::{Origin, Settings, Way};
use egui::{Align, Key, Layout, Modal, RichText, ScrollArea, Ui};
use std::path::{Path, PathBuf};

/// Search that is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    text: String,
    chosen: usize,
    is_file: bool,
}

impl Search {
    /// Creates a search for a file to open.
    pub(crate) fn for_file() -> Self {
        Self { is_file: true, ..Self::default() }
    }
}

/// Outcome of a frame of a search: still open, closed, or a hit that was chosen.
pub(crate) enum Outcome {
    Open,
    Closed,
    Chosen(Hit),
}

pub(crate) fn show(ui: &mut Ui, state: &mut Search, session: &mut Session) -> Outcome {
    if state.is_file {
        return files(ui, state, session);
    }
    let hits = {
        let cursor = session.cursor;
        let words = session.opened().map(|run| run.word_names(cursor)).unwrap_or_default();
        let info = session.run.as_ref().and_then(|run| run.info());
        let scope = info.map(|info| Scope {
            program: &info.program,
            core: &info.core,
            words: &words,
            end: info.cycles.end,
        });
        search(&state.text, scope)
    };
    let rows: Vec<(String, String)> = hits.iter().map(|hit| describe(ui, hit)).collect();
    let hint = "Command, cycle (1.5M), register (f12.3), word ([100]), label, line (:12), operation or text";
    let none = "Nothing found. Type a part of a command, of a label, of an operation or of a source line, a \
                cycle (1.5M), a register (f12.3: f12 of section 3), a word of local memory ([100], x[7]) or \
                the number of a source line (:12). Without an open run only commands are found.";
    match list(ui, state, (hint, none), &rows) {
        Some(Choice::Row(k)) => hits.into_iter().nth(k).map_or(Outcome::Closed, Outcome::Chosen),
        Some(Choice::Closed) => Outcome::Closed,
        _ => Outcome::Open,
    }
}

fn describe(ui: &Ui, hit: &Hit) -> (String, String) {
    match hit {
        Hit::Command(command) => (command.name().to_owned(), parts::keys_text(ui.ctx(), *command)),
        Hit::Cycle(cycle) => (format!("Go to cycle {}", grouped(*cycle)), String::new()),
        Hit::Value(place, test, way) => {
            let when = if *way == Way::Back { "last became" } else { "next becomes" };
            (format!("Go to where {place} {when} {test}"), String::new())
        }
        Hit::Select(_, name) => (format!("Select {name}"), String::new()),
    }
}

enum Choice {
    Row(usize),
    /// The Return key without a row: the text itself is taken.
    Text,
    Closed,
}

/// Shows a line to type in, with a hint, and rows to choose from, or a text if there are `none`; returns what was chosen.
fn list(
    ui: &mut Ui,
    state: &mut Search,
    (hint, none): (&str, &str),
    rows: &[(String, String)],
) -> Option<Choice> {
    let theme = Theme::of(ui.visuals());
    let (up, down, enter, escape) = ui.input(|i| {
        (
            i.key_pressed(Key::ArrowUp),
            i.key_pressed(Key::ArrowDown),
            i.key_pressed(Key::Enter),
            i.key_pressed(Key::Escape),
        )
    });
    state.chosen = (state.chosen + usize::from(down))
        .saturating_sub(usize::from(up))
        .min(rows.len().saturating_sub(1));
    let mut choice = None;
    let modal = Modal::new(egui::Id::unique("search")).show(ui.ctx(), |ui| {
        ui.set_width(620.0);
        let edit = egui::TextEdit::singleline(&mut state.text)
            .hint_text(hint)
            .font(sans(15.0))
            .desired_width(f32::INFINITY);
        let response = ui.add(edit);
        response.request_focus();
        if response.changed() {
            state.chosen = 0;
        }
        ui.add_space(4.0);
        ScrollArea::vertical().max_height(380.0).auto_shrink([false, true]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (k, texts) in rows.iter().enumerate() {
                let (is_chosen, has_moved) = (k == state.chosen, up || down);
                if row(ui, texts, is_chosen, has_moved) {
                    choice = Some(Choice::Row(k));
                }
            }
        });
        if rows.is_empty() {
            ui.label(RichText::new(none).color(theme.weak));
        }
    });
    if enter {
        choice = Some(if rows.is_empty() { Choice::Text } else { Choice::Row(state.chosen) });
    }
    if escape || modal.backdrop_response.clicked() {
        choice = Some(Choice::Closed);
    }
    choice
}

/// Shows a row; it is scrolled to if it was just chosen by a key. Returns whether it is clicked.
fn row(ui: &mut Ui, (name, keys): &(String, String), is_chosen: bool, has_moved: bool) -> bool {
    let theme = Theme::of(ui.visuals());
    let room = egui::vec2(ui.available_width(), 25.0);
    let (rect, response) = ui.allocate_exact_size(room, egui::Sense::click());
    if is_chosen {
        ui.painter().rect_filled(rect, 4.0, ui.visuals().selection.bg_fill);
        if has_moved {
            ui.scroll_to_rect(rect, None);
        }
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, theme.raised);
    }
    let inside = &mut ui.new_child(
        egui::UiBuilder::new()
            .max_rect(rect.shrink2(egui::vec2(8.0, 0.0)))
            .layout(Layout::left_to_right(Align::Center)),
    );
    inside.label(name);
    inside.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.label(RichText::new(keys).font(mono(11.5)).color(theme.weak));
    });
    response.clicked()
}

/// Shows the files that can be opened, below what was typed so far.
fn files(ui: &mut Ui, state: &mut Search, session: &mut Session) -> Outcome {
    let found = completions(&state.text, &session.preferences.recent);
    let rows: Vec<(String, String)> = found
        .iter()
        .map(|path| {
            (
                path.display().to_string(),
                if path.is_dir() { "Folder".to_owned() } else { String::new() },
            )
        })
        .collect();
    let hint = "Path of a recording (.cp2rec), source (.s), object (.o) or .hex file";
    let none = "No file of this name that cp2 can open. Press Enter to open the path as it is \
                typed.";
    let path = match list(ui, state, (hint, none), &rows) {
        Some(Choice::Row(k)) => found.get(k).cloned(),
        Some(Choice::Text) => Some(PathBuf::from(state.text.trim())),
        Some(Choice::Closed) => return Outcome::Closed,
        None => None,
    };
    let Some(path) = path else { return Outcome::Open };
    if path.is_dir() {
        state.text = format!("{}/", path.display());
        state.chosen = 0;
        return Outcome::Open;
    }
    session.open(Origin::File(path, Settings::default()));
    Outcome::Closed
}

/// Returns files and folders whose names begin with a text; without a text those that were opened last, and those of
/// the current folder.
fn completions(text: &str, recent: &[String]) -> Vec<PathBuf> {
    let (folder, start) = match text.rsplit_once('/') {
        Some((folder, start)) => (format!("{folder}/"), start),
        None => (String::new(), text),
    };
    let place = if folder.is_empty() { Path::new(".") } else { Path::new(&folder) };
    let mut found: Vec<PathBuf> = Vec::new();
    if text.is_empty() {
        found.extend(recent.iter().map(PathBuf::from).filter(|path| path.exists()));
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut here: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_shown = start.starts_with('.') || !name.starts_with('.');
            let fits = ["s", "cp2rec", "o", "hex"]
                .iter()
                .any(|e| Path::new(&name).extension().is_some_and(|x| x == *e));
            is_shown
                && name.to_lowercase().starts_with(&start.to_lowercase())
                && (entry.path().is_dir() || fits)
        })
        .map(|entry| PathBuf::from(format!("{folder}{}", entry.file_name().to_string_lossy())))
        .collect();
    here.sort_by_key(|path| (path.is_dir(), path.clone()));
    found.extend(here);
    found.truncate(60);
    found
}

/// Text about the mouse in the timeline.
const MOUSE: &str = "Mouse in the timeline: click to move the cursor to a cycle; drag to move the view; turn the \
                     wheel to zoom at the pointer; double-click to show single cycles; drag with Shift or \
                     the right button to show a range of cycles.";

/// Shows all keys; returns whether the list shall be closed.
pub(crate) fn keys(ui: &mut Ui) -> bool {
    let theme = Theme::of(ui.visuals());
    let room = ui.ctx().content_rect();
    let modal = Modal::new(egui::Id::unique("keys")).show(ui.ctx(), |ui| {
        ui.set_width(880.0_f32.min(room.width() - 60.0));
        ui.label(RichText::new("Keys").font(sans(18.0)).strong());
        let height = (room.height() - 130.0).max(120.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 16.0;
            ui.spacing_mut().item_spacing.y = 3.0;
            ui.columns(2, |columns| {
                let mut groups: Vec<&str> = Command::ALL.iter().map(|c| c.group()).collect();
                groups.dedup();
                for (k, group) in groups.into_iter().enumerate() {
                    key_group(&mut columns[usize::from(k >= 2)], theme, group);
                }
            });
        });
        ui.add_space(4.0);
        ui.label(RichText::new(MOUSE).color(theme.weak));
        ui.label(RichText::new("Press Escape to close this list.").color(theme.weak));
    });
    modal.backdrop_response.clicked()
        || ui.input(|i| i.key_pressed(Key::Escape) || i.key_pressed(Key::F1))
}

/// Shows the commands of a group that have keys.
fn key_group(ui: &mut Ui, theme: Theme, group: &str) {
    ui.add_space(5.0);
    ui.label(RichText::new(group).color(theme.accent()));
    let commands = Command::ALL.iter().filter(|c| c.group() == group && !c.keys().is_empty());
    for &command in commands {
        ui.horizontal(|ui| {
            ui.label(command.name());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(10.0);
                let keys = parts::keys_text(ui.ctx(), command);
                ui.label(RichText::new(keys).font(mono(12.0)).color(theme.weak));
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_completed_by_their_beginning() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["axpy.s", "axpy.npy", "run.cp2rec", ".hidden.s"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        std::fs::create_dir(folder.path().join("more")).expect("a folder");
        let names = |text: &str| -> Vec<String> {
            let found = completions(&format!("{}/{text}", folder.path().display()), &[]);
            found
                .iter()
                .map(|p| p.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(names(""), ["axpy.s", "run.cp2rec", "more"]);
        assert_eq!(names("AX"), ["axpy.s"]);
        assert_eq!(names("zz"), [""; 0]);
    }
}
