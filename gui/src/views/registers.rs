//! The registers at the cursor's cycle: the four sections side by side, then what they share.

use crate::model::number::Format;
use crate::model::palette::Hue;
use crate::model::session::{Selection, Session};
use crate::theme::{ROW, Theme, mono};
use crate::views::parts::{self, Heading};
use crate::worker::Snapshot;
use cp2_isa::{Cycle, Section, Storage, StorageCell};
use egui::{Align2, Pos2, RichText, ScrollArea, Sense, Ui, Vec2};
use std::sync::Arc;

/// Width of the column of names.
const NAME: f32 = 46.0;
/// Kinds of registers that the sections share, in the order of the view.
const SHARED: [Storage; 12] = [
    Storage::Gpr,
    Storage::A,
    Storage::N,
    Storage::M,
    Storage::Ireg,
    Storage::Pc,
    Storage::Rind,
    Storage::Rstep,
    Storage::Rmask,
    Storage::Control,
    Storage::Stopcode,
    Storage::Loops,
];

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let (cursor, format) = (session.cursor, session.format());
    let Some(run) = session.opened() else { return };
    let Some(state) = run.state(cursor) else {
        let hint = "The values of registers appear when the cycle is read.";
        return parts::empty(ui, "Reading the cycle at the cursor…", hint);
    };
    // What the cycle before left, to show what has changed.
    let begin = run.info().map_or(Cycle::RESET, |info| info.cycles.start);
    let before = (cursor > begin)
        .then(|| match run.ask(crate::worker::Key::State(cursor - 1)) {
            Some(crate::worker::Answer::State(state)) => Some(state.clone()),
            _ => None,
        })
        .flatten();
    let before = before.filter(|_| state.cycle == cursor);
    let rows = rows(&state);
    bar(ui, session, &state, rows.len());
    ui.spacing_mut().item_spacing.y = 0.0;
    let selected = match session.selection {
        Some(Selection::Place(place)) => Some(place),
        _ => None,
    };
    let mut chosen = None;
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("registers").show_rows(
        ui,
        ROW,
        rows.len(),
        |ui, range| {
            for row in &rows[range] {
                let clicked = line(ui, row, (&state, before.as_deref()), (format, selected));
                chosen = clicked.or(chosen);
            }
        },
    );
    if let Some(place) = chosen {
        session.selection = Some(Selection::Place(place));
    }
}

/// Row of the view: registers beside each other.
struct Row {
    name: String,
    cells: Vec<StorageCell>,
}

fn rows(state: &Snapshot) -> Vec<Row> {
    let state = &state.state;
    let mut rows = Vec::new();
    for storage in [Storage::Fpr, Storage::Fccr, Storage::Fcsr] {
        let info = storage.info();
        for number in 0..state.count(storage) {
            let cell = |section| StorageCell { storage, number, section };
            let name = if info.layout.is_numbered() {
                format!("{}{number}", info.name)
            } else {
                info.name.to_owned()
            };
            rows.push(Row { name, cells: Section::ALL.into_iter().map(cell).collect() });
        }
    }
    for storage in SHARED {
        let info = storage.info();
        let numbers: Vec<usize> = (0..state.count(storage)).collect();
        for four in numbers.chunks(4) {
            let cell = |&number: &usize| StorageCell { storage, number, section: Section::FIRST };
            let name = match info.layout.is_numbered() {
                true => format!("{}{}", info.name, four[0]),
                false => info.name.to_owned(),
            };
            rows.push(Row { name, cells: four.iter().map(cell).collect() });
        }
    }
    rows
}

fn bar(ui: &mut Ui, session: &mut Session, state: &Arc<Snapshot>, rows: usize) {
    let theme = Theme::of(ui.visuals());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for format in Format::ALL {
            let is_on = session.preferences.format == format;
            let label = ui.selectable_label(is_on, format.name());
            if label.on_hover_text(explained(format)).clicked() {
                session.preferences.format = format;
            }
        }
        ui.add_space(8.0);
        let text = format!("Values of cycle {}", crate::model::viewport::grouped(state.cycle));
        ui.label(RichText::new(text).color(theme.weak)).on_hover_text(
            "The values are those at the begin of this cycle. It differs from the cycle at the \
             cursor while that is read, and in the drain of a run, which has values at its end only.",
        );
    });
    let width = (parts::table_width(ui, rows, 1) - NAME - 10.0) / 4.0;
    let names = [0, 1, 2, 3].map(|k| format!("Section {k}"));
    let tip = "Values in this section. Values that the cycle before changed have the colour of the \
               cursor. Click a value to select it.";
    let name = "Name of the register. Below the registers of the sections are those that the \
                sections share, four in a row.";
    let mut all = vec![Heading::left((8.0, NAME + 10.0), "Register", name)];
    for (k, name) in names.iter().enumerate() {
        let left = NAME + width * k as f32;
        all.push(Heading::right((left, left + width - 6.0), name, tip));
    }
    parts::headings(ui, &all);
}

/// Returns what a format of numbers shows.
fn explained(format: Format) -> String {
    let what = match format {
        Format::Hex => "16 hexadecimal digits: the high half, then the low half.",
        Format::Float => "Two single-precision floats: the high half, then the low half.",
        Format::Complex => {
            "A complex number: the real part in the high half, the imaginary part in the low \
             half."
        }
        Format::Int => "Two signed integers of 32 bits: the high half, then the low half.",
    };
    format!("{what} Click to show all values so.\nKey for the next format: X")
}

/// Returns the text that is shown of a value under the pointer: the value in every format.
fn tip(place: StorageCell, value: u64) -> String {
    let mut text = place.to_string();
    if matches!(place.storage, Storage::Fpr) {
        for format in Format::ALL {
            text += &format!("\n{}: {}", format.name(), format.text(value));
        }
    } else {
        text += &format!("\n{value:#x} = {value}");
    }
    text + "\nClick to select, then press G to go to the last write."
}

fn line(
    ui: &mut Ui,
    row: &Row,
    (state, before): (&Snapshot, Option<&Snapshot>),
    (format, selected): (Format, Option<StorageCell>),
) -> Option<StorageCell> {
    let theme = Theme::of(ui.visuals());
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let width = (rect.width() - NAME - 10.0) / 4.0;
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let at = Pos2::new(rect.left() + 8.0, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, &row.name, mono(11.5), theme.weak);
    for (k, &place) in row.cells.iter().enumerate() {
        let value = state.state.get(place).unwrap_or_default();
        let cell = egui::Rect::from_min_size(
            Pos2::new(rect.left() + NAME + width * k as f32, rect.top()),
            Vec2::new(width, ROW),
        );
        let has_changed = before.is_some_and(|b| b.state.get(place) != Some(value));
        if selected == Some(place) {
            ui.painter().rect_filled(cell, 2.0, ui.visuals().selection.bg_fill);
        }
        let colour = match (has_changed, value == 0) {
            (true, _) => theme.hue(Hue::Accent),
            (_, true) => theme.weak,
            _ => theme.text,
        };
        let text = match place.storage {
            Storage::Fpr => format.text(value),
            Storage::Fccr => format!("{value:08b}"),
            Storage::Fcsr | Storage::Loops => format!("{value:#x}"),
            _ => format.shared(value),
        };
        let font = mono(if text.chars().count() as f32 * 7.3 > width - 8.0 { 10.0 } else { 12.0 });
        ui.painter().with_clip_rect(cell.intersect(ui.clip_rect())).text(
            Pos2::new(cell.right() - 6.0, cell.center().y),
            Align2::RIGHT_CENTER,
            text,
            font,
            colour,
        );
    }
    let under = |at: Pos2| {
        let column = ((at.x - rect.left() - NAME) / width).floor();
        row.cells.get(column.max(0.0) as usize).copied()
    };
    if let Some(place) = response.hover_pos().and_then(under) {
        let value = state.state.get(place).unwrap_or_default();
        response.clone().on_hover_text_at_pointer(tip(place, value));
    }
    response.interact_pointer_pos().filter(|_| response.clicked()).and_then(under)
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "register,section,hex,float_high,float_low\n".to_owned();
    let cursor = session.cursor;
    let Some(state) = session.opened().and_then(|run| run.state(cursor)) else { return text };
    for storage in Storage::ALL.into_iter().filter(|s| {
        !matches!(s, Storage::Lmem | Storage::Shared | Storage::Iram | Storage::IramUpper)
    }) {
        for place in state.state.cells(storage) {
            let value = state.state.get(place).unwrap_or_default();
            let half = |bits: u64| f32::from_bits(bits as u32);
            let info = storage.info();
            let number =
                if info.layout.is_numbered() { place.number.to_string() } else { String::new() };
            text += &format!(
                "{}{number},{},{value:016x},{},{}\n",
                info.name.trim(),
                place.section,
                half(value >> 32),
                half(value)
            );
        }
    }
    text
}
