//! The timeline close up: every operation from its issue to its result, every access, every beat, every act of the
//! host, and the values that go from one operation to another.

use crate::model::flow::{self, Edge};
use crate::model::palette::{Hue, kernel_name};
use crate::model::session::{Selection, Session};
use crate::model::viewport::{WINDOW, grouped};
use crate::theme::{Theme, mono};
use crate::views::parts::{self, Quads};
use crate::views::timeline::{Lane, Lanes, Tip};
use cp2_analysis::arrays::WordNames;
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_isa::{Bank, Cycle, Slot};
use cp2_recording::Window;
use egui::{Align2, Pos2, Rect, Stroke, StrokeKind, Ui, Vec2};
use std::sync::Arc;

/// Narrowest cell of a cycle that holds text, in points.
const READABLE: f32 = 34.0;
/// Height of an operation in the pipeline lane.
const BAR: f32 = 13.0;

/// Scale from cycles to places on the screen.
struct Scale {
    plot: Rect,
    begin: f64,
    per_cycle: f64,
}

impl Scale {
    /// Returns the cycle at a place of the window.
    fn cycle(&self, x: f32) -> Cycle {
        let cycle = self.begin + f64::from(x - self.plot.left()) / self.per_cycle;
        Cycle(cycle.floor().max(0.0) as u64)
    }

    fn x(&self, cycle: f64) -> f32 {
        self.plot.left() + ((cycle - self.begin) * self.per_cycle) as f32
    }

    fn cell(&self, rect: Rect, from: Cycle, to: Cycle) -> Rect {
        // A line of ground between cycles, as soon as there is room for one.
        let gap = if self.per_cycle >= 4.0 { 1.0 } else { 0.0 };
        let (from, to) = (self.x(from.0 as f64), self.x(to.0 as f64) - gap);
        let (left, right) = (self.plot.left() - 8.0, self.plot.right() + 8.0);
        Rect::from_x_y_ranges(from.clamp(left, right)..=to.clamp(left, right), rect.y_range())
    }
}

/// Operation in the pipeline lane.
struct Bar<'a> {
    event: &'a Event<Cycle>,
    rect: Rect,
}

pub(super) fn draw(
    ui: &Ui,
    session: &mut Session,
    lanes: &Lanes,
    hovered: Option<Pos2>,
) -> Option<Tip> {
    let theme = Theme::of(ui.visuals());
    let view = session.view.clone();
    let plot = lanes.plot();
    let scale =
        Scale { plot, begin: view.begin(), per_cycle: f64::from(plot.width()) / view.span() };
    let range = view.cycles();
    let run = session.opened()?;
    run.prefetch(&view);
    let whole = run.info()?.cycles.clone();
    let first = range.start.saturating_sub(24).max(whole.start).0 / WINDOW;
    let last = ((range.end + 24).min(whole.end.max(Cycle(1))).0 - 1) / WINDOW;
    let at = hovered.map_or(range.start, |at| scale.cycle(at.x));
    let words = run.word_names(at.clamp(whole.start, whole.end));
    let windows: Vec<Option<Arc<Window>>> = (first..=last).map(|block| run.window(block)).collect();
    let painter = ui.painter().with_clip_rect(plot);
    let mut quads = Quads::default();
    for (block, window) in (first..).zip(&windows) {
        match window {
            Some(window) => cells(&mut quads, theme, &scale, lanes, window),
            None => waiting(ui, theme, &scale, lanes, block),
        }
    }
    quads.paint(&painter);
    let events: Vec<&Event<Cycle>> = windows
        .iter()
        .flatten()
        .flat_map(|window| &window.cycles)
        .flat_map(|record| &record.operations)
        .filter(|e| {
            e.write_cycle.unwrap_or(e.cycle).max(e.cycle) + 2 >= range.start && e.cycle <= range.end
        })
        .collect();
    slots(ui, theme, &scale, lanes, &events);
    let bars = pipeline(ui, theme, &scale, lanes, &events);
    let selected = match session.selection {
        Some(Selection::Operation(cycle, slot)) => {
            events.iter().position(|e| (e.cycle, e.slot) == (cycle, slot))
        }
        _ => None,
    };
    if let Some(selected) = selected {
        arrows(ui, theme, lanes, &bars, &events, selected);
    }
    host(ui, theme, &scale, lanes, &windows);
    tip(theme, lanes, &scale, &windows, (&bars, &words), hovered?)
}

/// Draws causes, banks and the channel.
fn cells(quads: &mut Quads, theme: Theme, scale: &Scale, lanes: &Lanes, window: &Window) {
    for record in &window.cycles {
        let n = record.number;
        if let (Some(rect), Some(cause)) = (lanes.of(Lane::Causes), record.cause) {
            quads.add(scale.cell(rect, n, n + 1), theme.cause(cause));
        }
        let of_bank = |bank: Bank| lanes.of(Lane::Bank(bank.index()));
        for rect in record.banks.iter().filter_map(of_bank) {
            quads.add(scale.cell(rect, n, n + 1), theme.cause(Cause::Exchange));
        }
        if let Some(rect) = lanes.of(Lane::Flops) {
            let flops: u32 = record.operations.iter().map(flops_of).sum();
            let cell = scale.cell(rect, n, n + 1);
            let height = rect.height() * flops as f32 / 40.0;
            let bar = Rect::from_x_y_ranges(cell.x_range(), rect.bottom() - height..=rect.bottom());
            quads.add(bar, theme.tint(theme.cause(Cause::Both), 0.7));
        }
    }
    let channel = lanes.of(Lane::Channel);
    for visit in &window.visits {
        let (Some(rect), Some(end)) =
            (channel, visit.end.or(window.cycles.last().map(|c| c.number)))
        else {
            continue;
        };
        let colour = theme.tint(theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Memory)), 0.5);
        quads.add(scale.cell(rect, visit.begin, end), colour);
    }
    for beat in &window.beats {
        let n = beat.cycle;
        let colour = theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Beat));
        if let Some(rect) = channel {
            // What comes from memory stands in the upper half, what goes there in the lower.
            let middle = rect.center().y;
            let half = match beat.direction {
                Direction::Get => Rect::from_x_y_ranges(rect.x_range(), rect.top()..=middle),
                Direction::Put => Rect::from_x_y_ranges(rect.x_range(), middle..=rect.bottom()),
            };
            quads.add(scale.cell(half, n, n + 1), colour);
            if beat.conflicts > 0 {
                let waited = theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Conflict));
                quads.add(scale.cell(half, n.saturating_sub(beat.conflicts), n), waited);
            }
        }
    }
}

/// Returns the floating-point operations of an operation in its enabled sections.
fn flops_of(event: &Event<Cycle>) -> u32 {
    match event.slot {
        Slot::Arithmetic => {
            u32::from(event.bundle.arith.op.row().flops) * event.enabled.count_ones()
        }
        Slot::Exchange => 0,
    }
}

fn waiting(ui: &Ui, theme: Theme, scale: &Scale, lanes: &Lanes, block: u64) {
    if let Some(rect) = lanes.of(Lane::Pipeline) {
        let cell = scale
            .cell(rect, Cycle(block * WINDOW), Cycle((block + 1) * WINDOW))
            .intersect(scale.plot);
        let text = "Reading these cycles…";
        ui.painter().text(cell.center(), Align2::CENTER_CENTER, text, mono(12.0), theme.weak);
    }
}

fn slot_colour(theme: Theme, slot: Slot) -> egui::Color32 {
    match slot {
        Slot::Arithmetic => theme.cause(Cause::Arithmetic),
        Slot::Exchange => theme.cause(Cause::Exchange),
    }
}

/// Draws the two slots, with the names of operations where there is room.
fn slots(ui: &Ui, theme: Theme, scale: &Scale, lanes: &Lanes, events: &[&Event<Cycle>]) {
    let mut quads = Quads::default();
    let lane = |slot| match slot {
        Slot::Arithmetic => Lane::Arithmetic,
        Slot::Exchange => Lane::Exchange,
    };
    for event in events {
        if let Some(rect) = lanes.of(lane(event.slot)) {
            quads.add(
                scale.cell(rect, event.cycle, event.cycle + 1),
                slot_colour(theme, event.slot),
            );
        }
    }
    quads.paint(&ui.painter().with_clip_rect(scale.plot));
    if scale.per_cycle < f64::from(READABLE) {
        return;
    }
    for event in events {
        let Some(rect) = lanes.of(lane(event.slot)) else { continue };
        let cell = scale.cell(rect, event.cycle, event.cycle + 1).intersect(scale.plot);
        if cell.width() < 20.0 {
            continue;
        }
        let colour = theme.text_on(slot_colour(theme, event.slot));
        let wide = scale.per_cycle > 11.0 * event.text.len() as f64 * 0.62;
        let text = if wide { event.text.as_str() } else { event.name };
        let at = Pos2::new(cell.left() + 4.0, cell.center().y);
        parts::clipped(ui, at, cell.width() - 5.0, text, 10.5, colour);
    }
}

/// Draws operations from their issue to their result, those that overlap below each other; returns their places.
fn pipeline<'a>(
    ui: &Ui,
    theme: Theme,
    scale: &Scale,
    lanes: &Lanes,
    events: &[&'a Event<Cycle>],
) -> Vec<Bar<'a>> {
    let Some(lane) = lanes.of(Lane::Pipeline) else { return Vec::new() };
    let painter = ui.painter().with_clip_rect(lane.intersect(scale.plot));
    let mut ends: Vec<Cycle> = Vec::new();
    let mut bars: Vec<Bar<'a>> = Vec::new();
    let mut placed: Vec<(&Event<Cycle>, usize)> = Vec::new();
    for &event in events {
        let Some(end) = event.write_cycle else { continue };
        let row = ends.iter().position(|&busy| busy <= event.cycle).unwrap_or(ends.len());
        if row == ends.len() {
            ends.push(Cycle::RESET);
        }
        ends[row] = end + 1;
        placed.push((event, row));
    }
    let rows = ends.len().max(1);
    let height = ((lane.height() - 2.0) / rows as f32).min(BAR + 3.0);
    for (event, row) in placed {
        let top = lane.top() + 1.0 + height * row as f32;
        let line = Rect::from_x_y_ranges(lane.x_range(), top..=top + (height - 1.5).max(1.0));
        let rect = scale.cell(line, event.cycle, event.write_cycle.unwrap_or(event.cycle) + 1);
        bars.push(Bar { event, rect });
    }
    let mut quads = Quads::default();
    for bar in &bars {
        let colour = slot_colour(theme, bar.event.slot);
        quads.add(bar.rect, theme.tint(colour, 0.38));
        // Issue, reading, and the cycle at whose end the result is written.
        let line = Rect::from_x_y_ranges(lane.x_range(), bar.rect.y_range());
        quads.add(scale.cell(line, bar.event.cycle, bar.event.cycle + 1), colour);
        if let Some(end) = bar.event.write_cycle {
            quads.add(scale.cell(line, end, end + 1), theme.tint(colour, 0.72));
        }
    }
    quads.paint(&painter);
    if height >= 10.5 && scale.per_cycle > 7.0 {
        for bar in &bars {
            let from = scale.x(bar.event.cycle.0 as f64 + 1.0).max(lane.left()) + 4.0;
            let room = bar.rect.right() - from - 2.0;
            if room > 24.0 {
                parts::clipped(
                    ui,
                    Pos2::new(from, bar.rect.center().y),
                    room,
                    &bar.event.text,
                    (height - 2.0).min(10.5),
                    theme.text,
                );
            }
        }
    }
    bars
}

/// Draws the values that the selected operation takes and gives.
fn arrows(
    ui: &Ui,
    theme: Theme,
    lanes: &Lanes,
    bars: &[Bar<'_>],
    events: &[&Event<Cycle>],
    selected: usize,
) {
    let Some(lane) = lanes.of(Lane::Pipeline) else { return };
    let painter = ui.painter().with_clip_rect(lane.expand(2.0));
    let bar = |k: usize| bars.iter().find(|bar| std::ptr::eq(bar.event, events[k]));
    if let Some(bar) = bar(selected) {
        painter.rect_stroke(bar.rect, 2.0, Stroke::new(2.0, theme.accent()), StrokeKind::Outside);
    }
    let draw = |edge: &Edge, colour| {
        let (Some(from), Some(to)) = (bar(edge.from), bar(edge.to)) else { return };
        let begin = from.rect.right_center();
        let end = to.rect.left_center();
        let bend = Vec2::new(((end.x - begin.x) / 2.0).abs().clamp(8.0, 60.0), 0.0);
        let curve = egui::epaint::CubicBezierShape::from_points_stroke(
            [begin, begin + bend, end - bend, end],
            false,
            egui::Color32::TRANSPARENT,
            Stroke::new(1.5, colour),
        );
        painter.add(curve);
        painter.circle_filled(end, 3.0, colour);
        painter.circle_stroke(begin, 2.5, Stroke::new(1.2, colour));
    };
    flow::producers(events, selected).iter().for_each(|edge| draw(edge, theme.accent()));
    flow::consumers(events, selected).iter().for_each(|edge| draw(edge, theme.hue(Hue::Host)));
}

fn host(ui: &Ui, theme: Theme, scale: &Scale, lanes: &Lanes, windows: &[Option<Arc<Window>>]) {
    let Some(rect) = lanes.of(Lane::Host) else { return };
    let mut last = f32::NEG_INFINITY;
    let painter = ui.painter().with_clip_rect(scale.plot);
    for act in windows.iter().flatten().flat_map(|window| &window.acts) {
        let x = scale.x(act.cycle.0 as f64);
        if x - last >= 3.0 && scale.plot.x_range().contains(x) {
            painter.circle_filled(Pos2::new(x, rect.center().y), 3.5, theme.hue(Hue::Host));
            last = x;
        }
    }
}

/// Returns the text for an act of the host, in a few words.
fn act_text(act: &cp2_emu::machine::Act) -> String {
    use cp2_emu::machine::Action;
    match &act.action {
        Action::Send(entry) => format!("Host sends to the FIFO: {entry:?}"),
        Action::WriteRegister(register, value) => {
            format!("Host writes the channel register {register:?}: {value:#x}")
        }
        Action::ReadRegister(register) => {
            format!("Host reads the channel register {register:?}")
        }
        Action::WriteMemory(address, bytes) => {
            format!("Host writes {} bytes of system memory at {address:#x}", bytes.len())
        }
        Action::WriteBundles(address, words) => {
            format!("Host writes {} bundles from bundle address {address} on", words.len())
        }
        Action::WriteWords(address, _, words) => {
            format!("Host writes {} words of local memory from word {address} on", words.len())
        }
        Action::WriteControl(value) => format!("Host writes CONTROL: {value:#x}"),
        Action::WriteComm(value) => format!("Host writes COMM: {value:#x}"),
        Action::ReadComm => "Host reads COMM".to_owned(),
        Action::Start(address) => format!("Host starts CP2 at bundle {address}"),
        Action::Finish => "Host waits until all results have landed".to_owned(),
    }
}

fn tip(
    theme: Theme,
    lanes: &Lanes,
    scale: &Scale,
    windows: &[Option<Arc<Window>>],
    (bars, words): (&[Bar<'_>], &WordNames),
    at: Pos2,
) -> Option<Tip> {
    let cycle = scale.cycle(at.x).0;
    let all = || windows.iter().flatten();
    let record = all().flat_map(|w| &w.cycles).find(|record| record.number.0 == cycle);
    let lane = lanes.at(at.y);
    let bar = bars.iter().find(|bar| bar.rect.expand(1.0).contains(at));
    let mut lines = Vec::new();
    let mut operation = None;
    if let Some(record) = record {
        let cause = record.cause.map_or("No kernel", kernel_name);
        let colour = record.cause.map_or(theme.hue(Hue::Idle), |cause| theme.cause(cause));
        lines.push((Some(colour), cause.to_owned()));
    }
    let mut told: Vec<&Event<Cycle>> = Vec::new();
    match (bar, record) {
        (Some(bar), _) => told.push(bar.event),
        (None, Some(record)) => told.extend(&record.operations),
        _ => {}
    }
    for event in &told {
        let write = event
            .write_cycle
            .map_or(String::new(), |w| format!(", writes at the end of cycle {}", grouped(w)));
        let access = event.access.map_or(String::new(), |access| {
            let name = words.access_name(&access).map_or(String::new(), |name| format!("{name} "));
            format!("  {name}{access}")
        });
        let issue = grouped(event.cycle);
        let text = format!("{}{access}: issues in cycle {issue}{write}", event.text);
        lines.push((Some(slot_colour(theme, event.slot)), text));
    }
    let wanted = match lane {
        Some(Lane::Arithmetic) => Some(Slot::Arithmetic),
        Some(Lane::Exchange) => Some(Slot::Exchange),
        _ => None,
    };
    if let Some(event) = told.iter().find(|e| wanted.is_none_or(|slot| e.slot == slot)) {
        operation = Some((event.cycle, event.slot));
    }
    for beat in all().flat_map(|w| &w.beats).filter(|beat| beat.cycle.0 == cycle) {
        let way = match beat.direction {
            Direction::Get => "from system memory at",
            Direction::Put => "to system memory at",
        };
        let colour = theme.hue(Hue::Channel(cp2_emu::dma::ChannelCause::Beat));
        let local = beat.local.map_or(String::new(), |local| {
            let name = words.beat_name(beat).map_or(String::new(), |name| format!(" ({name})"));
            format!(", word {local}{name}")
        });
        lines.push((
            Some(colour),
            format!("DMA beat {way} {:#010x}{local}, {} bytes", beat.address, beat.bytes),
        ));
    }
    for act in all().flat_map(|w| &w.acts).filter(|act| act.cycle.0 == cycle) {
        lines.push((Some(theme.hue(Hue::Host)), act_text(act)));
    }
    Some(Tip { title: format!("Cycle {}", grouped(cycle)), lines, operation, span: None })
}

pub(super) fn csv(session: &mut Session) -> String {
    let mut text = "cycle,cause,slot,address,operation,sections,read,write,banks\n".to_owned();
    let range = session.view.cycles();
    let Some(run) = session.opened() else { return text };
    for block in range.start.0 / WINDOW..=(range.end.0 - 1) / WINDOW {
        let Some(window) = run.window(block) else { continue };
        for record in window.cycles.iter().filter(|r| range.contains(&r.number)) {
            let cause = record.cause.map_or("idle", Cause::name);
            let banks = record.banks;
            if record.operations.is_empty() {
                text += &format!("{},{cause},,,,,,,{banks}\n", record.number);
            }
            for event in &record.operations {
                let slot = if event.slot == Slot::Arithmetic { "arithmetic" } else { "exchange" };
                let write = event.write_cycle.map_or(String::new(), |w| w.to_string());
                text += &format!(
                    "{},{cause},{slot},{},{},{},{},{write},{banks}\n",
                    record.number,
                    event.address,
                    parts::csv(&event.text),
                    event.enabled,
                    event.read_cycle
                );
            }
        }
    }
    text
}
