//! Local memory at the cursor's cycle: a map of every bank by who wrote last, and its words in the four sections.

use crate::model::number::Format;
use crate::model::palette::Hue;
use crate::model::program::Program;
use crate::model::session::{Selection, Session};
use crate::model::viewport::grouped;
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts::{self, Heading, Quads};
use crate::worker::{Answer, Key, Snapshot, Writer, Writers};
use cp2_analysis::arrays::WordNames;
use cp2_emu::stats::Cause;
use cp2_isa::{Core, Section, Storage, StorageCell};
use egui::{Align2, Pos2, Rect, ScrollArea, Sense, Ui, Vec2};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Width of the column of addresses, of that of names, and of that of the last writer: in a table narrower than `NARROW`, and
/// else.
const NAME: f32 = 46.0;
const ELEMENTS: [f32; 2] = [92.0, 110.0];
const WRITER: [f32; 2] = [78.0, 130.0];
const NARROW: f32 = 720.0;
/// Height of the maps of banks.
const MAP: f32 = 44.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let (cursor, format) = (session.cursor, session.format());
    let Some(run) = session.opened() else { return };
    let Some(state) = run.state(cursor) else {
        let hint = "The words of local memory appear when the cycle is read.";
        return parts::empty(ui, "Reading the cycle at the cursor…", hint);
    };
    let Some((core, program)) = run.info().map(|info| (info.core, info.program.clone())) else {
        return;
    };
    let writers = match run.ask(Key::Writers(cursor)) {
        Some(Answer::Writers(writers)) => Some(writers.clone()),
        _ => None,
    };
    let names = run.word_names(cursor);
    let theme = Theme::of(ui.visuals());
    let jump = maps(ui, theme, &core, writers.as_deref());
    let selected = match session.selection {
        Some(Selection::Place(place)) if place.storage == Storage::Lmem => Some(place),
        _ => None,
    };
    head(ui, core.lmem_words(), &names, writers.as_deref());
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink([false, false]).id_salt("words");
    let id = ui.scope_id().with("selected");
    let before = ui.data(|data| data.get_temp::<Option<usize>>(id)).flatten();
    let wanted = selected.map(|place| place.number);
    if let Some(word) = jump.or(wanted.filter(|_| wanted != before)) {
        area = area.vertical_scroll_offset((word as f32 * ROW - 60.0).max(0.0));
    }
    ui.data_mut(|data| data.insert_temp(id, wanted));
    let mut chosen = None;
    let words = Words {
        theme,
        format,
        state: &state,
        writers: writers.as_ref(),
        program: &program,
        names: &names,
        selected,
    };
    area.show_rows(ui, ROW, core.lmem_words(), |ui, range| {
        for word in range {
            chosen = row(ui, &words, word).or(chosen);
        }
    });
    if let Some(place) = chosen {
        session.selection = Some(Selection::Place(place));
    }
}

/// Returns the width of the column of addresses and, where words have names, of these.
fn name_width(names: &WordNames, whole: f32) -> f32 {
    if names.is_empty() { NAME } else { NAME + ELEMENTS[usize::from(whole >= NARROW)] }
}

/// Returns the width of the column of last writes.
fn writer_width(whole: f32) -> f32 {
    WRITER[usize::from(whole >= NARROW)]
}

/// Data from which the rows of words are drawn.
struct Words<'a> {
    theme: Theme,
    format: Format,
    state: &'a Snapshot,
    writers: Option<&'a Arc<Writers>>,
    program: &'a Program,
    names: &'a WordNames,
    selected: Option<StorageCell>,
}

/// Shows a word in the four sections and its last writer; returns the place that is clicked.
fn row(ui: &mut Ui, words: &Words<'_>, word: usize) -> Option<StorageCell> {
    let Words { theme, writers, program, names, .. } = *words;
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let (name, by) = (name_width(names, rect.width()), writer_width(rect.width()));
    let width = (rect.width() - name - by) / 4.0;
    let at = Pos2::new(rect.left() + NAME - 8.0, rect.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, word.to_string(), mono(11.5), theme.weak);
    let label = names.name(word..word + 1, None);
    if let Some(label) = &label {
        let (text, size) = fitted(label, name - NAME - 8.0);
        let at = at + Vec2::new(10.0, 0.0);
        ui.painter().text(at, Align2::LEFT_CENTER, text, mono(size.min(10.5)), theme.text);
    }
    for section in Section::ALL {
        let left = rect.left() + name + width * section.index() as f32;
        let room = Rect::from_min_size(Pos2::new(left, rect.top()), Vec2::new(width, ROW));
        cell(ui, words, StorageCell { storage: Storage::Lmem, number: word, section }, room);
    }
    if let Some(writer) = latest(writers, word) {
        let (text, colour) = written(theme, program, &writer);
        let at = Pos2::new(rect.right() - by + 8.0, rect.center().y);
        parts::clipped(ui, at, by - 10.0, &text, 10.5, colour);
    }
    let response = match label {
        Some(label) => response.on_hover_text_at_pointer(format!("Word {word}: {label}")),
        None => response,
    };
    let at = response.interact_pointer_pos().filter(|_| response.clicked())?;
    let column = ((at.x - rect.left() - name) / width).floor().clamp(0.0, 3.0);
    let section = Section::new(column as usize)?;
    Some(StorageCell { storage: Storage::Lmem, number: word, section })
}

/// Draws the word of one section.
fn cell(ui: &Ui, words: &Words<'_>, place: StorageCell, room: Rect) {
    let &Words { theme, format, state, selected, .. } = words;
    let value = state.state.get(place).unwrap_or_default();
    if selected == Some(place) {
        ui.painter().rect_filled(room, 2.0, ui.visuals().selection.bg_fill);
    }
    let text = format.text(value);
    let (text, size) = fitted(&text, room.width() - 8.0);
    let colour = if value == 0 { theme.weak } else { theme.text };
    let at = Pos2::new(room.right() - 6.0, room.center().y);
    let font = mono(size);
    let painter = ui.painter().with_clip_rect(room.intersect(ui.clip_rect()));
    painter.text(at, Align2::RIGHT_CENTER, text, font, colour);
}

/// Returns a text with the size at which it has room; one that is too long for the least size has `…` in place of its begin.
fn fitted(text: &str, room: f32) -> (String, f32) {
    const SIZES: std::ops::RangeInclusive<f32> = 7.5..=12.0;
    let letters = text.chars().count();
    let size = room / (parts::LETTER * letters.max(1) as f32);
    if size >= *SIZES.start() {
        return (text.to_owned(), size.min(*SIZES.end()));
    }
    let fits = (room / (parts::LETTER * SIZES.start())).max(1.0) as usize;
    let end: String = text.chars().skip((letters + 1).saturating_sub(fits)).collect();
    (format!("…{end}"), *SIZES.start())
}

/// Returns the latest writer of a word in any section.
fn latest(writers: Option<&Arc<Writers>>, word: usize) -> Option<Writer> {
    let words = &writers?.words;
    (0..4).filter_map(|section| words.get(&(word as u16, section))).max_by_key(|w| w.cycle).copied()
}

fn written(theme: Theme, program: &Program, writer: &Writer) -> (String, egui::Color32) {
    match writer.bundle {
        None => (
            format!("{} DMA", grouped(writer.cycle)),
            theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Beat)),
        ),
        Some(address) => {
            let label = program.row(address).map_or("", |row| &row.label);
            (format!("{} {label}", grouped(writer.cycle)), theme.cause(Cause::Exchange))
        }
    }
}

/// Shows a map of every bank: words that were written lately are bright. Returns the word that was clicked.
fn maps(ui: &mut Ui, theme: Theme, core: &Core, writers: Option<&Writers>) -> Option<usize> {
    let banks = core.banks();
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), MAP + 16.0), Sense::click());
    let gap = 8.0;
    let width = (rect.width() - gap * (banks as f32 - 1.0)) / banks as f32;
    let columns = ((width / 4.0) as usize).max(8);
    let rows = (MAP / 4.0) as usize;
    let per_cell = core.bank_words().div_ceil(columns * rows).max(1);
    let mut quads = Quads::default();
    let place = |bank: usize| {
        let left = rect.left() + (width + gap) * bank as f32;
        Rect::from_min_size(Pos2::new(left, rect.top() + 16.0), Vec2::new(width, MAP))
    };
    for bank in 0..banks {
        let frame = place(bank);
        quads.add(frame, theme.panel);
        let at = Pos2::new(frame.left(), rect.top() + 8.0);
        let first = bank * core.bank_words();
        let text = format!("Bank {bank}: words {first} to {}", first + core.bank_words() - 1);
        ui.painter().text(at, Align2::LEFT_CENTER, text, sans(11.5), theme.weak);
    }
    let cell = Vec2::new(width / columns as f32, MAP / rows as f32);
    if let Some(writers) = writers {
        let length = (writers.cycles.end - writers.cycles.start).max(1) as f32;
        for ((bank, k), writer) in latest_of_cells(writers, core, per_cell) {
            let age = (writers.cycles.end - writer.cycle) as f32 / length;
            let colour = match writer.bundle {
                Some(_) => theme.cause(Cause::Exchange),
                None => theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Beat)),
            };
            let corner = place(bank).min
                + Vec2::new((k % columns) as f32 * cell.x, (k / columns) as f32 * cell.y);
            quads.add(
                Rect::from_min_size(corner, cell - Vec2::splat(0.5)),
                theme.tint(colour, 1.0 - 0.75 * age),
            );
        }
    }
    quads.paint(ui.painter());
    if writers.is_some_and(|writers| writers.words.is_empty()) {
        for at in (0..banks).map(|bank| place(bank).center()) {
            let text = "No write in the 16,384 cycles before";
            ui.painter().text(at, Align2::CENTER_CENTER, text, sans(11.5), theme.weak);
        }
    }
    let response = response.on_hover_ui_at_pointer(|ui| map_tip(ui, theme));
    let at = response.interact_pointer_pos().filter(|_| response.clicked())?;
    let bank = (0..banks).find(|&bank| place(bank).contains(at))?;
    let inside = at - place(bank).min;
    let k = (inside.y / cell.y) as usize * columns + (inside.x / cell.x) as usize;
    Some(bank * core.bank_words() + (k * per_cell).min(core.bank_words() - 1))
}

/// Returns the latest writer of every cell of the map in which a word was written, by bank and number of the cell in it.
fn latest_of_cells(
    writers: &Writers,
    core: &Core,
    per_cell: usize,
) -> BTreeMap<(usize, usize), Writer> {
    let mut cells: BTreeMap<(usize, usize), Writer> = BTreeMap::new();
    for (&(word, _), &writer) in &writers.words {
        let (bank, inside) =
            (usize::from(word) / core.bank_words(), usize::from(word) % core.bank_words());
        let known = cells.entry((bank, inside / per_cell)).or_insert(writer);
        if known.cycle < writer.cycle {
            *known = writer;
        }
    }
    cells
}

/// Explains the map of the banks.
fn map_tip(ui: &mut Ui, theme: Theme) {
    parts::tip_style(ui);
    ui.label(
        "The words of each bank, row by row. A word that was written lately has a strong \
              colour.",
    );
    let channel = Hue::Channel(cp2_emu::dma::ChannelCause::Beat);
    for (colour, by) in
        [(theme.cause(Cause::Exchange), "a kernel"), (theme.hue(channel), "the DMA channel")]
    {
        ui.horizontal(|ui| {
            parts::swatch(ui, colour);
            ui.label(format!("Last written by {by}"));
        });
    }
    ui.label("Click to scroll to a word.");
}

fn head(ui: &mut Ui, words: usize, names: &WordNames, writers: Option<&Writers>) {
    let whole = parts::table_width(ui, words, 1);
    let (name, by) = (name_width(names, whole), writer_width(whole));
    let width = (whole - name - by) / 4.0;
    let searched = writers.map_or(String::new(), |writers| {
        format!(
            " Only writes in cycles {} to {} are listed: to find an earlier one, select a word \
             and press G.",
            grouped(writers.cycles.start),
            grouped(writers.cycles.end)
        )
    });
    let tip = format!(
        "The last write of the word in any section: its cycle, and the label of the bundle that \
         wrote it, or DMA.{searched}"
    );
    let from = name;
    let names = [0, 1, 2, 3].map(|k| format!("Section {k}"));
    let word = "Word address in the local memory of each section, from 0, and the elements of arrays of the kernel \
                in it, else the label before it with the distance in words.";
    let value = "Value of the word in this section at the begin of the cycle at the cursor, in the \
                 format of the view Registers. Press X for the next format.";
    let heading = if whole < NARROW { "Last write" } else { "Last write: cycle, by" };
    let mut all = vec![Heading::right((0.0, NAME - 8.0), "Word", word)];
    for (k, name) in names.iter().enumerate() {
        let left = from + width * k as f32;
        all.push(Heading::right((left, left + width - 6.0), name, value));
    }
    all.push(Heading::left((whole - by + 8.0, whole), heading, &tip));
    parts::headings(ui, &all);
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "word,bank,section,hex,written_cycle,written_by,name\n".to_owned();
    let cursor = session.cursor;
    let Some(run) = session.opened() else { return text };
    let (Some(state), Some(core)) = (run.state(cursor), run.info().map(|info| info.core)) else {
        return text;
    };
    let writers = match run.ask(Key::Writers(cursor)) {
        Some(Answer::Writers(writers)) => Some(writers.clone()),
        _ => None,
    };
    let names = run.word_names(cursor);
    for place in state.state.cells(Storage::Lmem) {
        let value = state.state.get(place).unwrap_or_default();
        let writer = writers
            .as_ref()
            .and_then(|w| w.words.get(&(place.number as u16, place.section.index() as u8)));
        if value == 0 && writer.is_none() {
            continue;
        }
        let (cycle, by) = writer.map_or((String::new(), String::new()), |w| {
            (w.cycle.to_string(), w.bundle.map_or("dma".to_owned(), |b| b.to_string()))
        });
        let bank = place.number / core.bank_words();
        let name = names.name(place.number..place.number + 1, Some(place.section));
        let name = name.unwrap_or_default();
        text += &format!(
            "{},{bank},{},{value:016x},{cycle},{by},{}\n",
            place.number,
            place.section,
            parts::csv(&name)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_never_cut_without_a_mark() {
        assert_eq!(fitted("1.5", 90.0), ("1.5".to_owned(), 12.0));
        let (text, size) = fitted("-0.94201   -0.11128", 95.0);
        assert!(text == "-0.94201   -0.11128" && (7.5..9.0).contains(&size), "{size}");
        let (text, size) = fitted("-0.94201   -0.11128", 40.0);
        assert_eq!((text.as_str(), size), ("…0.11128", 7.5));
    }
}
