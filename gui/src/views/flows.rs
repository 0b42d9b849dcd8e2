//! The machine as a picture: what moves between its parts in the cycles in view, by bytes and operations, or the values that move
//! in the cycle at the cursor.

use crate::model::number::Format;
use crate::model::palette::{Hue, kernel_name};
use crate::model::run::OpenRun;
use crate::model::session::Session;
use crate::model::viewport::{WINDOW, grouped, short};
use crate::theme::{ROW, Theme, mono, sans};
use crate::views::parts;
use cp2_analysis::arrays::WordNames;
use cp2_emu::dma::{Beat, ChannelCause};
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Destination, Event};
use cp2_isa::{Bank, Core, Cycle, SectionMask, Slot};
use cp2_recording::{CycleRecord, Leaf};
use egui::{
    Align2, Color32, Id, Pos2, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2,
};
use std::ops::Range;

/// Least width of the picture, and height of a bank in it, in points.
const WIDTH: f32 = 600.0;
const BANK: f32 = 54.0;
/// Most stretches that the cycles in view are counted by.
const STRETCHES: usize = 4096;
/// Bytes that a beat moves at most.
const BEAT: f64 = 16.0;

/// Counts of what moved in some cycles.
#[derive(Clone, Debug, Default)]
struct Moved {
    cycles: Range<Cycle>,
    kernel: u64,
    arithmetic: u64,
    exchange: u64,
    flops: u64,
    banks: Vec<u64>,
    moving: u64,
    /// Cycles in which the channel waits; not known of a single cycle.
    waiting: Option<u64>,
    get: u64,
    put: u64,
}

impl Moved {
    /// Counts the cycles in view, as far as they are at hand.
    fn in_view(session: &mut Session) -> Option<Self> {
        let view = session.plotted();
        let run = session.opened()?;
        let banks = run.info()?.core.banks();
        let mut all = Self { cycles: view.cycles(), banks: vec![0; banks], ..Self::default() };
        let mut covered: Option<Range<Cycle>> = None;
        run.for_each_stretch(&view, STRETCHES, |leaf| {
            all.add(leaf);
            let begin = covered.as_ref().map_or(leaf.begin, |range| range.start.min(leaf.begin));
            covered = Some(begin..leaf.end);
        });
        all.cycles = covered?;
        Some(all)
    }

    fn add(&mut self, leaf: &Leaf) {
        let counts = &leaf.counts;
        let cause = |cause: Cause| counts.causes[cause as usize];
        self.kernel += counts.causes.iter().sum::<u64>();
        self.arithmetic += cause(Cause::Both) + cause(Cause::Arithmetic);
        self.exchange += cause(Cause::Both) + cause(Cause::Exchange);
        self.flops += counts.total_flops();
        self.banks.iter_mut().zip(&counts.banks).for_each(|(sum, n)| *sum += n);
        let of = |cause: ChannelCause| counts.dma.causes[cause as usize];
        self.moving += of(ChannelCause::Beat);
        let idle = of(ChannelCause::Beat) + of(ChannelCause::Idle);
        let waiting = counts.dma.cycles().saturating_sub(idle);
        self.waiting = Some(self.waiting.unwrap_or_default() + waiting);
        self.get += counts.dma.bytes_get;
        self.put += counts.dma.bytes_put;
    }

    /// Counts a single cycle.
    fn in_cycle(record: &CycleRecord, beats: &[Beat], core: &Core) -> Self {
        let issues = |slot: Slot| {
            let mut operations = record.operations.iter();
            u64::from(operations.any(|event| event.slot == slot))
        };
        let bytes = |way: Direction| {
            let moved = beats.iter().filter(|beat| beat.direction == way);
            moved.map(|beat| u64::from(beat.bytes)).sum()
        };
        let accessed = |bank: Bank| u64::from(record.banks.contains(bank));
        Self {
            cycles: record.number..record.number + 1,
            kernel: u64::from(record.cause.is_some()),
            arithmetic: issues(Slot::Arithmetic),
            exchange: issues(Slot::Exchange),
            flops: 0,
            banks: Bank::first(core.banks()).map(accessed).collect(),
            moving: u64::from(!beats.is_empty()),
            waiting: None,
            get: bytes(Direction::Get),
            put: bytes(Direction::Put),
        }
    }

    fn per_cycle(&self, n: u64) -> f64 {
        n as f64 / (self.cycles.end - self.cycles.start).max(1) as f64
    }

    fn percent(&self, n: u64) -> String {
        format!("{:.1} %", 100.0 * self.per_cycle(n))
    }

    fn bytes(&self, n: u64) -> String {
        if n == 0 { "nothing".to_owned() } else { format!("{:.2} B/cycle", self.per_cycle(n)) }
    }
}

/// Lets the user choose between numbers, the cycles in view and the cycle at the cursor; returns whether the picture is of the
/// cursor, and `None` for the numbers.
pub(crate) fn choice(ui: &mut Ui) -> Option<bool> {
    let id = Id::unique("machine picture");
    let mut chosen: u8 = ui.data(|data| data.get_temp(id)).unwrap_or(0);
    let modes = [
        ("Numbers", "Numbers and extensions of the machine of the next run."),
        ("In view", "What moves between the parts of the machine in the cycles in view."),
        ("At cursor", "The values that move in the cycle at the cursor."),
    ];
    ui.horizontal(|ui| {
        for (number, (name, tip)) in (0..).zip(modes) {
            if ui.selectable_label(chosen == number, name).on_hover_text(tip).clicked() {
                chosen = number;
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(id, chosen));
    (chosen > 0).then_some(chosen == 2)
}

/// Shows the picture.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, is_at_cursor: bool) {
    let theme = Theme::of(ui.visuals());
    let (cursor, format) = (session.cursor, session.format());
    let mut lines = Vec::new();
    let moved = match is_at_cursor {
        false => Moved::in_view(session),
        true => session.opened().and_then(|run| {
            let (record, beats) = at(run, cursor)?;
            let core = run.info()?.core;
            lines = values(theme, (&record, &beats), &run.word_names(cursor), (&core, format));
            Some(Moved::in_cycle(&record, &beats, &core))
        }),
    };
    let Some(moved) = moved else {
        let hint = "The picture appears when the cycles are read.";
        return parts::empty(ui, "Reading the cycles…", hint);
    };
    let info = session.run.as_ref().and_then(OpenRun::info);
    let has_channel = info.is_some_and(|info| info.config.is_some());
    ScrollArea::both().auto_shrink([false, false]).id_salt("flows").show(ui, |ui| {
        head(ui, theme, &moved, is_at_cursor);
        let width = ui.available_width().max(WIDTH);
        let height = BANK * moved.banks.len().max(2) as f32;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(width, height), Sense::hover());
        Picture { theme, rect, moved: &moved, has_channel }.draw(ui);
        ui.add_space(4.0);
        for (colour, text) in &lines {
            let (rect, _) = ui.allocate_exact_size(Vec2::new(width, ROW), Sense::hover());
            let dot = Rect::from_center_size(
                Pos2::new(rect.left() + 8.0, rect.center().y),
                Vec2::splat(8.0),
            );
            ui.painter().rect_filled(dot, 2.0, *colour);
            let at = Pos2::new(rect.left() + 20.0, rect.center().y);
            ui.painter().text(at, Align2::LEFT_CENTER, text, mono(11.5), theme.text);
        }
    });
}

/// Tells the cycles of the picture, and how many of them kernels took.
fn head(ui: &mut Ui, theme: Theme, moved: &Moved, is_at_cursor: bool) {
    let Range { start, end } = moved.cycles;
    let text = match is_at_cursor {
        true => format!("Cycle {}", grouped(start)),
        false => {
            let kernel = moved.percent(moved.kernel);
            format!("Cycles {} to {}, kernels in {kernel}", grouped(start), grouped(end))
        }
    };
    ui.label(RichText::new(text).color(theme.weak));
}

/// Returns the record of a cycle and the beats in it; `None` until they are at hand.
fn at(run: &mut OpenRun, cycle: Cycle) -> Option<(CycleRecord, Vec<Beat>)> {
    let beats = run.window(cycle.0 / WINDOW)?.beats.clone();
    let record = run.cycle(cycle)?;
    Some((record, beats.into_iter().filter(|beat| beat.cycle == cycle).collect()))
}

/// Returns what moves in a cycle as lines of text: results of operations, words of local memory with their banks, beats.
fn values(
    theme: Theme,
    (record, beats): (&CycleRecord, &[Beat]),
    names: &WordNames,
    (core, format): (&Core, Format),
) -> Vec<(Color32, String)> {
    let mut lines = Vec::new();
    if record.operations.is_empty() {
        let cause = record.cause.map_or("No kernel runs", kernel_name);
        lines.push((theme.hue(Hue::Idle), cause.to_owned()));
    }
    for event in &record.operations {
        let colour = match event.slot {
            Slot::Arithmetic => theme.cause(Cause::Arithmetic),
            Slot::Exchange => theme.cause(Cause::Exchange),
        };
        lines.push((colour, format!("{}{}", event.text, way(event, names, core))));
        for written in event.written.iter().flatten() {
            let values = &written.value[..written.destination.sections()];
            let values: Vec<String> = values.iter().map(|&value| format.text(value)).collect();
            lines.push((colour, format!("  {} = {}", written.destination, values.join("   "))));
        }
    }
    for beat in beats {
        let colour = theme.hue(Hue::Channel(ChannelCause::Beat));
        lines.push((colour, beat_text(beat, names, core)));
        let values = beat.words.iter().take(usize::from(beat.bytes).div_ceil(8));
        let values: Vec<String> = values.map(|&word| format.text(word)).collect();
        lines.push((colour, format!("  {}", values.join("   "))));
    }
    lines
}

/// Returns the way of an operation between bank and registers, with the name of the words.
fn way(event: &Event<Cycle>, names: &WordNames, core: &Core) -> String {
    let Some(access) = event.access else { return String::new() };
    let is_store =
        event.written.iter().flatten().any(|written| {
            matches!(written.destination, Destination::Word(_) | Destination::Words(_))
        });
    let bank = core.bank_of(access.word);
    let name = names.access_name(&access).map_or(String::new(), |name| format!("{name} "));
    match is_store {
        true => format!(": registers to bank {bank}, {name}{access}"),
        false => format!(": bank {bank} to registers, {name}{access}"),
    }
}

fn beat_text(beat: &Beat, names: &WordNames, core: &Core) -> String {
    let local = beat.local.map_or("system memory".to_owned(), |word| {
        let name = names.beat_name(beat).map_or(String::new(), |name| format!(", {name}"));
        let sections = SectionMask::from_bits(beat.sections).iter();
        let sections: Vec<String> = sections.map(|section| section.to_string()).collect();
        format!("bank {}{name} [{word}] of section {}", core.bank_of(word), sections.join(", "))
    });
    match beat.direction {
        Direction::Get => format!("Beat: system memory at {:#x} to {local}", beat.address),
        Direction::Put => format!("Beat: {local} to system memory at {:#x}", beat.address),
    }
}

/// Arrow of what moves from one part to another.
struct Flow {
    from: f32,
    to: f32,
    y: f32,
    /// Part of all cycles that it takes.
    share: f64,
    colour: Color32,
    label: String,
}

/// Picture that is being drawn.
struct Picture<'a> {
    theme: Theme,
    rect: Rect,
    moved: &'a Moved,
    has_channel: bool,
}

impl Picture<'_> {
    /// Returns the place of a part, from its left and right edge as parts of the width.
    fn place(&self, from: f32, to: f32) -> Rect {
        let x = |part: f32| self.rect.left() + part * self.rect.width();
        Rect::from_x_y_ranges(x(from)..=x(to), self.rect.top() + 2.0..=self.rect.bottom() - 2.0)
    }

    fn draw(&self, ui: &Ui) {
        let moved = self.moved;
        let (banks, registers, arithmetic) = match self.has_channel {
            true => ((0.48, 0.60), (0.73, 0.84), (0.885, 1.0)),
            false => ((0.0, 0.20), (0.42, 0.58), (0.80, 1.0)),
        };
        let [banks, registers, arithmetic] =
            [banks, registers, arithmetic].map(|(from, to)| self.place(from, to));
        let busy = |n: u64| ["busy in".to_owned(), moved.percent(n)];
        self.part(ui, registers, "Registers", &busy(moved.exchange));
        self.part(ui, arithmetic, "Arithmetic", &busy(moved.arithmetic));
        let middle = self.rect.center().y;
        self.flow(
            ui,
            &Flow {
                from: registers.right(),
                to: arithmetic.left(),
                y: middle,
                share: moved.per_cycle(moved.arithmetic),
                colour: self.theme.cause(Cause::Arithmetic),
                label: String::new(),
            },
        );
        let step = self.rect.height() / moved.banks.len().max(1) as f32;
        for (bank, &n) in moved.banks.iter().enumerate() {
            let top = self.rect.top() + step * bank as f32;
            let room = Rect::from_x_y_ranges(banks.x_range(), top + 2.0..=top + step - 2.0);
            self.part(ui, room, &format!("Bank {bank}"), &[]);
            let label = if n == 0 { "nothing".to_owned() } else { moved.percent(n) };
            self.flow(
                ui,
                &Flow {
                    from: registers.left(),
                    to: banks.right(),
                    y: room.center().y + 6.0,
                    share: moved.per_cycle(n),
                    colour: self.theme.cause(Cause::Exchange),
                    label,
                },
            );
        }
        if self.has_channel {
            self.channel(ui, banks.left());
        }
    }

    /// Draws system memory and the channel, left of the banks.
    fn channel(&self, ui: &Ui, banks: f32) {
        let moved = self.moved;
        let (memory, channel) = (self.place(0.0, 0.13), self.place(0.24, 0.365));
        let read = [format!("read {}", short(moved.get as f64))];
        let written = [format!("written {}", short(moved.put as f64))];
        self.part(ui, memory, "Memory", &[read, written].concat());
        let moves = format!("moves {}", moved.percent(moved.moving));
        let waits = moved.waiting.map(|waiting| format!("waits {}", moved.percent(waiting)));
        let facts: Vec<String> = std::iter::once(moves).chain(waits).collect();
        self.part(ui, channel, "DMA", &facts);
        let colour = self.theme.hue(Hue::Channel(ChannelCause::Beat));
        let middle = self.rect.center().y;
        let bytes = |n: u64| (moved.per_cycle(n) / BEAT, moved.bytes(n));
        for (n, from, to, y) in [
            (moved.get, memory.right(), channel.left(), middle - 12.0),
            (moved.put, channel.left(), memory.right(), middle + 24.0),
        ] {
            let (share, label) = bytes(n);
            self.flow(ui, &Flow { from, to, y, share, colour, label });
        }
        let label =
            if moved.moving == 0 { "nothing".to_owned() } else { moved.percent(moved.moving) };
        let share = moved.per_cycle(moved.moving);
        self.flow(
            ui,
            &Flow { from: channel.right(), to: banks, y: middle + 6.0, share, colour, label },
        );
    }

    /// Draws a part: its name, and lines of text below.
    fn part(&self, ui: &Ui, room: Rect, name: &str, lines: &[String]) {
        let Theme { panel, line, text, weak, .. } = self.theme;
        ui.painter().rect(room, 4.0, panel, Stroke::new(1.0, line), StrokeKind::Inside);
        let top = room.center().y - 8.0 * lines.len() as f32;
        let at = Pos2::new(room.center().x, top);
        ui.painter().text(at, Align2::CENTER_CENTER, name, sans(12.0), text);
        for (k, fact) in lines.iter().enumerate() {
            let at = Pos2::new(room.center().x, top + 16.0 * (k + 1) as f32);
            ui.painter().text(at, Align2::CENTER_CENTER, fact, sans(10.5), weak);
        }
    }

    /// Draws what moves between two places: the wider, the more of the cycles it takes.
    fn flow(&self, ui: &Ui, flow: &Flow) {
        let &Flow { from, to, y, share, .. } = flow;
        let share = share.clamp(0.0, 1.0) as f32;
        let colour = if share > 0.0 { flow.colour } else { self.theme.line };
        let width = if share > 0.0 { 1.5 + 8.5 * share } else { 1.0 };
        let way = (to - from).signum();
        let head = 4.0 + width / 2.0;
        let neck = to - way * (head + 1.0);
        ui.painter().hline(from.min(neck)..=from.max(neck), y, Stroke::new(width, colour));
        let tip = Pos2::new(to - way, y);
        let corners = vec![tip, Pos2::new(neck, y - head), Pos2::new(neck, y + head)];
        let shape = egui::Shape::convex_polygon(corners, colour, Stroke::NONE);
        ui.painter().add(shape);
        let at = Pos2::new((from + to) / 2.0, y - width / 2.0 - 3.0);
        ui.painter().text(at, Align2::CENTER_BOTTOM, &flow.label, sans(10.5), self.theme.weak);
    }
}
