//! The selected value with the whole chain behind it; or the selected operation with its operands and the operations
//! that take its results; or why the cycle at the cursor was what it was.

use crate::model::flow;
use crate::model::number::Format;
use crate::model::palette::Hue;
use crate::model::program::Program;
use crate::model::session::{Selection, Session};
use crate::model::viewport::grouped;
use crate::theme::{ROW, Theme, mono};
use crate::views::parts;
use crate::worker::{Answer, Key};
use cp2_analysis::arrays::WordNames;
use cp2_analysis::history::ValueSource;
use cp2_analysis::location::Location;
use cp2_analysis::program::NamedPlaces;
use cp2_analysis::slice::{Node, NodeSource, Slice};
use cp2_analysis::words;
use cp2_asm::sites::BundleNames;
use cp2_emu::trace::{Destination, Event};
use cp2_isa::{Cycle, Slot, Storage, StorageCell, WordAddress};
use egui::{Align2, Pos2, Rect, RichText, ScrollArea, Sense, Stroke, Ui, Vec2};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    match session.selection {
        Some(Selection::Place(place)) => value(ui, session, place),
        Some(Selection::Operation(cycle, slot)) => operation(ui, session, cycle, slot),
        _ => cycle(ui, session),
    }
}

/// Returns the location that analyses know a place by, if it has a value of its own.
fn location(place: StorageCell) -> Option<Location> {
    match place.storage {
        Storage::Fpr => Some(Location::fpr(u8::try_from(place.number).ok()?, place.section)),
        Storage::Lmem => Some(Location::Word(WordAddress(place.number as u16), place.section)),
        storage => {
            let info = storage.info();
            let number =
                if info.layout.is_numbered() { place.number.to_string() } else { String::new() };
            format!("{}{number}", info.name).parse().ok()
        }
    }
}

fn value(ui: &mut Ui, session: &mut Session, place: StorageCell) {
    let theme = Theme::of(ui.visuals());
    let (cursor, format) = (session.cursor, session.format());
    let Some(run) = session.opened() else { return };
    let state = run.state(cursor);
    let found = location(place).and_then(|location| run.ask(Key::Slice(location, cursor)).cloned());
    let Some(image) = run.info().map(|info| (info.image.clone(), info.core)) else { return };
    let mut wants_writer = false;
    ui.horizontal(|ui| {
        ui.label(RichText::new(place.to_string()).strong());
        if let Some(value) = state.and_then(|state| state.state.get(place)) {
            ui.label(RichText::new(format.text(value)).font(mono(12.5)));
            ui.label(RichText::new(format!("in cycle {}", grouped(cursor))).color(theme.weak))
                .on_hover_text("The value at the begin of the cycle at the cursor.");
        }
        let button = ui.button("Go to last write");
        let tip = "Moves the cursor to the cycle before that wrote this value.\nKey: G. Press \
                   Backspace to go back.";
        wants_writer = button.on_hover_text(tip).clicked();
    });
    let mut jump = None;
    match (&found, location(place)) {
        (_, None) => {
            parts::empty(
                ui,
                "This value has no origin to show",
                "No operation writes it by itself: it follows from the order in which bundles \
                 issue. Select another register or word.",
            );
        }
        (Some(Answer::Slice(slice, words)), _) => {
            let places = BundleNames::new(&image.0, &image.1);
            let places = NamedPlaces { places, words };
            jump = tree(ui, slice, &places, format);
        }
        (Some(Answer::None(why)), _) => {
            parts::empty(ui, "Cannot find the origin of this value", why);
        }
        _ => parts::empty(
            ui,
            "Searching for the origin of this value…",
            "The run is read backwards to the loads, beats of the DMA channel and inputs that it \
             was made of.",
        ),
    }
    if let Some(cycle) = jump {
        session.jump(cycle);
    }
    if wants_writer {
        session.who_wrote();
    }
}

/// Shows the values behind a value, each below those that it goes into. Returns the cycle that was clicked.
fn tree(
    ui: &mut Ui,
    slice: &Arc<Slice>,
    places: &NamedPlaces<'_>,
    format: Format,
) -> Option<Cycle> {
    let mut rows: Vec<(u32, usize, bool)> = Vec::new();
    let mut seen = BTreeSet::new();
    walk(slice, 0, 0, &mut seen, &mut rows);
    let mut jump = None;
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::both().auto_shrink([false, false]).id_salt("chain").show_rows(
        ui,
        ROW,
        rows.len(),
        |ui, range| {
            for &row in &rows[range] {
                jump = value_row(ui, slice, row, places, format).or(jump);
            }
        },
    );
    jump
}

/// Shows a value of the chain, its depth, its number, and whether it stands above already; returns its cycle if it is
/// clicked.
fn value_row(
    ui: &mut Ui,
    slice: &Slice,
    (depth, number, is_again): (u32, usize, bool),
    places: &NamedPlaces<'_>,
    format: Format,
) -> Option<Cycle> {
    let theme = Theme::of(ui.visuals());
    let node = &slice.nodes[number];
    let size = Vec2::new(ui.available_width().max(900.0), ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let left = rect.left() + 8.0 + 16.0 * depth as f32;
    for d in 1..=depth {
        let x = rect.left() + 2.0 + 16.0 * d as f32;
        ui.painter().vline(x, rect.y_range(), Stroke::new(1.0, theme.line));
    }
    let y = rect.center().y;
    let dot = Rect::from_center_size(Pos2::new(left, y), Vec2::splat(8.0));
    ui.painter().rect_filled(dot, 2.0, colour_of(theme, node));
    let value = match format {
        Format::Hex => format!("{:016x}", node.value),
        _ => format.text(node.value),
    };
    let location = words::location_text(places, node.location, slice.named_in(number));
    let head = format!("{location} = {value}");
    let at = Pos2::new(left + 10.0, y);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, head, mono(12.0), theme.text);
    let how = if is_again { "shown above".to_owned() } else { given_text(node, places) };
    let at = Pos2::new(drawn.right() + 14.0, y);
    ui.painter().text(at, Align2::LEFT_CENTER, how, mono(11.5), theme.weak);
    let cycle = cycle_of(node);
    let tip = cycle.map_or("This value has no cycle to go to.".to_owned(), |cycle| {
        format!("Click to go to cycle {}.", grouped(cycle))
    });
    let response = response.on_hover_text_at_pointer(tip);
    cycle.filter(|_| response.clicked())
}

fn walk(
    slice: &Slice,
    number: usize,
    depth: u32,
    seen: &mut BTreeSet<usize>,
    rows: &mut Vec<(u32, usize, bool)>,
) {
    let is_new = seen.insert(number);
    rows.push((depth, number, !is_new));
    if is_new && rows.len() < 400 {
        for operand in slice.nodes[number].operands.iter().filter_map(|operand| operand.node) {
            walk(slice, operand, depth + 1, seen, rows);
        }
    }
}

fn colour_of(theme: Theme, node: &Node) -> egui::Color32 {
    match &node.given {
        NodeSource::By(ValueSource::Operation(issued)) if issued.slot == Slot::Arithmetic => {
            theme.cause(cp2_emu::stats::Cause::Arithmetic)
        }
        NodeSource::By(ValueSource::Operation(_)) => theme.cause(cp2_emu::stats::Cause::Exchange),
        NodeSource::By(ValueSource::Beat(..)) => {
            theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Beat))
        }
        NodeSource::By(ValueSource::Act(_) | ValueSource::Host(_)) => theme.hue(Hue::Host),
        NodeSource::By(ValueSource::Begin) => theme.hue(Hue::Better),
        NodeSource::By(ValueSource::Unsearched(_)) | NodeSource::Halves => theme.weak,
    }
}

fn given_text(node: &Node, places: &NamedPlaces<'_>) -> String {
    match &node.given {
        NodeSource::By(source) => words::source_text(places, source),
        NodeSource::Halves => {
            "the high and the low half have different origins, which follow".to_owned()
        }
    }
}

fn cycle_of(node: &Node) -> Option<Cycle> {
    match &node.given {
        NodeSource::By(ValueSource::Operation(issued)) => Some(issued.cycle),
        NodeSource::By(ValueSource::Beat(beat, _)) => Some(beat.cycle),
        NodeSource::By(ValueSource::Act(act)) => Some(act.cycle),
        NodeSource::By(ValueSource::Host(cycle)) => Some(*cycle),
        _ => None,
    }
}

/// Shows an operation with its operands and the operations that take its results.
fn operation(ui: &mut Ui, session: &mut Session, cycle: Cycle, slot: Slot) {
    let theme = Theme::of(ui.visuals());
    let format = session.format();
    let Some(run) = session.opened() else { return };
    let windows = run.around(cycle, 256);
    let words = run.word_names(cycle);
    let Some(program) = run.info().map(|info| info.program.clone()) else { return };
    let events: Vec<&Event<Cycle>> =
        windows.iter().flat_map(|w| &w.cycles).flat_map(|c| &c.operations).collect();
    let Some(of) = events.iter().position(|e| (e.cycle, e.slot) == (cycle, slot)) else {
        let hint = "Its operands and results appear when its cycle is read.";
        return parts::empty(ui, "Reading the selected operation…", hint);
    };
    let event = events[of];
    operation_head(ui, theme, event, (&program, &words));
    let mut jump = None;
    ScrollArea::both().auto_shrink([false, false]).id_salt("operation").show(ui, |ui| {
        ui.add_space(4.0);
        ui.label(RichText::new("Results").strong())
            .on_hover_text("Values that the operation writes, one for each section.");
        for line in values(event, &words, format) {
            ui.label(RichText::new(line).font(mono(12.0)));
        }
        let taken = takes(ui, theme, (&events, of), (&words, format));
        jump = taken_by(ui, theme, (&events, of)).or(taken);
    });
    if let Some((cycle, slot)) = jump {
        session.jump(cycle);
        session.selection = Some(Selection::Operation(cycle, slot));
    }
}

/// Shows the text of an operation, when it reads and writes, and in which sections.
fn operation_head(
    ui: &mut Ui,
    theme: Theme,
    event: &Event<Cycle>,
    (program, words): (&Program, &WordNames),
) {
    let place = program.row(event.address).map_or(String::new(), |row| {
        format!("{}  {}", row.label, row.line.map_or(String::new(), |line| program.place(line)))
    });
    ui.horizontal(|ui| {
        let access = event.access.map_or(String::new(), |access| {
            let name = words.access_name(&access).map_or(String::new(), |name| format!("{name} "));
            format!("  {name}{access}")
        });
        ui.label(RichText::new(event.text.clone() + &access).font(mono(14.0)).strong());
        ui.label(RichText::new(format!("Bundle {}  {place}", event.address)).color(theme.weak));
    });
    let sections: Vec<String> =
        (0..4).filter(|s| event.enabled >> s & 1 == 1).map(|s| s.to_string()).collect();
    let write = event
        .write_cycle
        .map_or("writes nothing".to_owned(), |w| format!("writes at the end of {}", grouped(w)));
    let line = format!(
        "Issues in cycle {}, reads in {}, {write}. Sections: {}",
        grouped(event.cycle),
        grouped(event.read_cycle),
        sections.join(" ")
    );
    ui.label(RichText::new(line).color(theme.weak));
}

/// Returns the text for the values that an operation has written.
fn values(event: &Event<Cycle>, words: &WordNames, format: Format) -> Vec<String> {
    let written = event.written.iter().flatten().map(|w| {
        let all = &w.value[..w.destination.sections()];
        let text: Vec<String> = all.iter().map(|&v| format.text(v)).collect();
        let name = match w.destination {
            Destination::Word(word) => words.name(word.index()..word.index() + 1, None),
            _ => None,
        };
        let name = name.map_or(String::new(), |name| format!("{name}  "));
        format!("{name}{} = {}", w.destination, text.join("   "))
    });
    written.collect()
}

/// Texts that explain operands and uses, with the cycles in which they are searched.
const OPERANDS: &str = "Values that the operation reads, and the operations that made them, from up to \
                        256 cycles before. Click a row to go to its operation.";
const USES: &str = "Operations that read the results, up to 256 cycles after. Click a row to go to its \
                    operation.";

/// Shows the operands of an operation and the operations that made them; returns the one that is clicked.
fn takes(
    ui: &mut Ui,
    theme: Theme,
    (events, of): (&[&Event<Cycle>], usize),
    (words, format): (&WordNames, Format),
) -> Option<(Cycle, Slot)> {
    let mut jump = None;
    let made = flow::producers(events, of);
    ui.add_space(4.0);
    ui.label(RichText::new("Operands").strong()).on_hover_text(OPERANDS);
    for edge in &made {
        let from = events[edge.from];
        let what = values(from, words, format).into_iter().next().unwrap_or_default();
        link(ui, theme, theme.accent(), &edge.place, from, &what, &mut jump);
    }
    let known: Vec<&str> = made.iter().map(|edge| edge.place.as_str()).collect();
    let operands = flow::operands(events[of]);
    let names = operands.iter().map(ToString::to_string);
    for name in names.filter(|name| !known.contains(&name.as_str())) {
        let text = format!("{name}: no operation wrote it in the 256 cycles before");
        ui.label(RichText::new(text).font(mono(12.0)).color(theme.weak));
    }
    jump
}

/// Shows the operations that take the results of an operation; returns the one that is clicked.
fn taken_by(
    ui: &mut Ui,
    theme: Theme,
    (events, of): (&[&Event<Cycle>], usize),
) -> Option<(Cycle, Slot)> {
    let mut jump = None;
    let taken = flow::consumers(events, of);
    ui.add_space(4.0);
    ui.label(RichText::new("Used by").strong()).on_hover_text(USES);
    if taken.is_empty() {
        let text = "No operation in the next 256 cycles reads the results.";
        ui.label(RichText::new(text).color(theme.weak));
    }
    for edge in &taken {
        link(ui, theme, theme.hue(Hue::Host), &edge.place, events[edge.to], "", &mut jump);
    }
    jump
}

#[expect(
    clippy::too_many_arguments,
    reason = "a row is its colour, its place, its operation and its value"
)]
fn link(
    ui: &mut Ui,
    theme: Theme,
    colour: egui::Color32,
    place: &str,
    event: &Event<Cycle>,
    what: &str,
    jump: &mut Option<(Cycle, Slot)>,
) {
    // Left edge of the cycle, which stands behind the operation.
    let cycle = if ui.clip_rect().width() < 560.0 { 224.0 } else { 272.0 };
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width().max(560.0), ROW), Sense::click());
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.raised);
    }
    let y = rect.center().y;
    ui.painter().circle_filled(Pos2::new(rect.left() + 6.0, y), 3.5, colour);
    let text = |x: f32, text: &str, colour| {
        ui.painter().text(
            Pos2::new(rect.left() + x, y),
            Align2::LEFT_CENTER,
            text,
            mono(12.0),
            colour,
        );
    };
    text(16.0, place, theme.text);
    let at = Pos2::new(rect.left() + 76.0, y);
    parts::clipped(ui, at, cycle - 82.0, &event.text, 12.0, theme.text);
    text(cycle, &format!("cycle {}", grouped(event.cycle)), theme.weak);
    text(cycle + 90.0, what, theme.weak);
    let tip = format!("Click to go to cycle {} and select this operation.", grouped(event.cycle));
    if response.on_hover_text_at_pointer(tip).clicked() {
        *jump = Some((event.cycle, event.slot));
    }
}

/// Explains the cycle at the cursor.
fn cycle(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let cursor = session.cursor;
    let Some(run) = session.opened() else { return };
    match run.ask(Key::Why(cursor)).cloned() {
        Some(Answer::Why(text)) => {
            let hint = "Select a register, a word or an operation to see its origin. Without a \
                        selection, this is the reason for the cycle at the cursor:";
            ui.label(RichText::new(hint).color(theme.weak));
            ScrollArea::both().auto_shrink([false, false]).id_salt("why").show(ui, |ui| {
                let label = egui::Label::new(RichText::new(&*text).font(mono(12.0)))
                    .extend()
                    .selectable(true);
                ui.add(label);
            });
        }
        Some(Answer::None(why)) => parts::empty(ui, "Cannot explain the cycle at the cursor", &why),
        _ => {
            let hint = "The reason appears when the cycle is read.";
            parts::empty(ui, "Reading the cycle at the cursor…", hint);
        }
    }
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "depth,location,value,source\n".to_owned();
    let cursor = session.cursor;
    let Some(Selection::Place(place)) = session.selection else { return text };
    let Some(run) = session.opened() else { return text };
    let Some(Answer::Slice(slice, words)) =
        location(place).and_then(|l| run.ask(Key::Slice(l, cursor)).cloned())
    else {
        return text;
    };
    let Some((image, core)) = run.info().map(|info| (info.image.clone(), info.core)) else {
        return text;
    };
    let places = NamedPlaces { places: BundleNames::new(&image, &core), words: &words };
    for (number, node) in slice.nodes.iter().enumerate() {
        text += &format!(
            "{},{},{:016x},{}\n",
            node.depth,
            parts::csv(&words::location_text(&places, node.location, slice.named_in(number))),
            node.value,
            parts::csv(&given_text(node, &places))
        );
    }
    text
}
