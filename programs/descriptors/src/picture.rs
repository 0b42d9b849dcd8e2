//! A run as an SVG picture: who was busy when, and for each descriptor which section has which beat and
//! which words of local memory. The colours are those of Okabe and Ito, which the colour-blind can tell
//! apart; digits say the same.

use crate::grid::{Stream, has, streams};
use crate::report::{heading, visit_sentence};
use crate::run::{self, Report};
use crate::sheet::{
    BORDER, CARDS, CELL, COLUMNS, DATA, DIGITS, FONT, GREY, GRID_X, HATCH, INK, MARGIN, MEMORY,
    ON_SECTION, PALE, ROWS, SECTION, SET_UP, SHADES, Sheet, TIME, WIDTH, centred, rectangle, right,
    round, runs, text,
};
use crate::strips::strips;
use cp2_emu::dma::{Beat, ChannelCause, Visit};
use cp2_isa::{Core, Cycle, SECTIONS};
use std::ops::Range;
use svg::node::element::{Definitions, Description, Group, Line, Path, Title};
use svg::node::element::{Element, path::Data};
use svg::{Document, Node};

/// Draws a run of a chain as the text of an SVG picture: the time of the channel and of the sections, then for each
/// descriptor which section has which beat (16 bytes that move in one cycle) and which words of local memory. `name` is
/// the name of the chain in the title; `beats` are the beats of the run in the order in which they moved, all or only
/// the first; `core` tells the size of local memory and its banks.
pub fn picture(name: &str, report: &Report, beats: &[Beat], core: &Core) -> String {
    let all = streams(report, beats);
    let mut sheet = Sheet { group: Group::new().set("font-family", FONT), y: MARGIN };
    header(&mut sheet, name, report, beats);
    time(&mut sheet, report, beats);
    for stream in all.iter().take(CARDS) {
        card(&mut sheet, stream, report, core);
    }
    let mut notes = Vec::new();
    if all.len() > CARDS {
        notes.push(format!("{} more descriptors are not drawn", all.len() - CARDS));
    }
    if (beats.len() as u64) < report.beats() {
        notes.push(format!("only the first {} of {} beats are drawn", beats.len(), report.beats()));
    }
    for note in notes {
        sheet.y += 16.0;
        let note = text(MARGIN, sheet.y, 12.0, GREY, note);
        sheet.add(note);
    }
    finished(sheet, name, report)
}

fn finished(sheet: Sheet, name: &str, report: &Report) -> String {
    let height = sheet.y + MARGIN - 8.0;
    let stripes = Element::new("pattern");
    let mut stripes = stripes;
    for (key, value) in [
        ("id", "wait"),
        ("width", "6"),
        ("height", "6"),
        ("patternUnits", "userSpaceOnUse"),
        ("patternTransform", "rotate(45)"),
    ] {
        stripes.assign(key, value);
    }
    stripes.append(rectangle(0.0, 0.0, 6.0, 6.0, "#ffffff"));
    stripes.append(rectangle(0.0, 0.0, 2.0, 6.0, MEMORY));
    let document = Document::new()
        .set("viewBox", (0.0, 0.0, WIDTH, round(height)))
        .set("width", WIDTH)
        .set("height", round(height))
        .set("role", "img")
        .add(Title::new(title(name, report)))
        .add(Description::new().add(svg::node::Text::new(heading(report).join("; "))))
        .add(Definitions::new().add(stripes))
        .add(rectangle(0.0, 0.0, WIDTH, height, "#ffffff"))
        .add(sheet.group);
    format!("{document}\n")
}

fn title(name: &str, report: &Report) -> String {
    format!("DMA of {name} on {}", report.machine.name())
}

fn header(sheet: &mut Sheet, name: &str, report: &Report, beats: &[Beat]) {
    sheet.add(
        text(MARGIN, sheet.y + 14.0, 22.0, INK, title(name, report)).set("font-weight", "bold"),
    );
    let [first, second] = heading(report);
    sheet.add(text(MARGIN, sheet.y + 38.0, 14.0, GREY, format!("{second}; {first}")));
    sheet.y += 62.0;
    let entries = legend(report, beats);
    let mut x = MARGIN;
    for (fill, meaning) in entries {
        let y = sheet.y;
        match fill {
            Fill::Sections(sections) => sheet.add(bands(sections, x, y, 16.0, 14.0)),
            Fill::Plain(fill) => {
                sheet.add(rectangle(x, y, 16.0, 14.0, fill).set("stroke", BORDER));
            }
        }
        if let Fill::Sections(sections) = fill
            && sections.count_ones() == 1
        {
            let s = sections.trailing_zeros() as usize;
            sheet.add(centred(x + 8.0, y + 11.0, 10.0, ON_SECTION[s], s.to_string()));
        }
        sheet.add(text(x + 22.0, y + 11.5, 12.0, INK, meaning));
        x += 46.0 + 7.0 * meaning.len() as f64;
    }
    sheet.y += 46.0;
}

/// Fill of an area: the colours of sections, or one colour.
#[derive(Clone, Copy)]
enum Fill {
    Sections(u8),
    Plain(&'static str),
}

/// Returns the colours that the picture of a run has, with their meanings.
fn legend(report: &Report, beats: &[Beat]) -> Vec<(Fill, &'static str)> {
    let is_there = |look: &dyn Fn(&Beat) -> bool| beats.iter().any(look);
    let waits = report.stats.causes[ChannelCause::Sync as usize] > 0;
    let local = |beat: &Beat| beat.local.is_some();
    let entries = [
        (true, Fill::Sections(1), "section 0"),
        (true, Fill::Sections(2), "section 1"),
        (true, Fill::Sections(4), "section 2"),
        (true, Fill::Sections(8), "section 3"),
        (
            is_there(&|beat| beat.sections.count_ones() > 1),
            Fill::Sections(0b1111),
            "several sections",
        ),
        (is_there(&|beat| local(beat) && beat.sections == 0), Fill::Plain(PALE), "no section"),
        (is_there(&|beat| !local(beat)), Fill::Plain(MEMORY), "memory to memory"),
        (true, Fill::Plain(SET_UP), "fetch, set-up"),
        (true, Fill::Plain(DATA), "data"),
        (waits, Fill::Plain(HATCH), "waits for start_dma"),
    ];
    entries.into_iter().filter(|(there, ..)| *there).map(|(_, fill, text)| (fill, text)).collect()
}

/// Draws the colours of some sections on top of each other.
fn bands(sections: u8, x: f64, y: f64, width: f64, height: f64) -> Group {
    let own: Vec<usize> = (0..SECTIONS).filter(|s| sections >> s & 1 == 1).collect();
    let part = height / own.len().max(1) as f64;
    own.iter().enumerate().fold(Group::new(), |group, (k, &s)| {
        group.add(rectangle(x, y + part * k as f64, width, part, SECTION[s]))
    })
}

/// Returns a round distance of ticks, at least 1, of which about `wanted` lie in `range`.
fn tick(range: f64, wanted: f64) -> f64 {
    let rough = (range / wanted).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|&step| step >= rough).unwrap_or(10.0 * power)
}

/// Draws the times at which the channel, then each section, was busy.
fn time(sheet: &mut Sheet, report: &Report, beats: &[Beat]) {
    let cycles = report.cycles.max(1);
    let scale = TIME[1] / cycles as f64;
    let at = |cycle: Cycle| TIME[0] + cycle.0 as f64 * scale;
    let heading = "Who is busy when".to_owned();
    sheet.add(text(MARGIN, sheet.y, 15.0, INK, heading).set("font-weight", "bold"));
    let unit = format!("cycles from the start of the channel, at {} MHz", report.mhz());
    sheet.add(right(TIME[0] + TIME[1], sheet.y, 12.0, GREY, unit));
    sheet.y += 14.0;
    let top = sheet.y;
    row_name(sheet, "channel", 22.0);
    sheet.add(rectangle(TIME[0], top, TIME[1], 22.0, PALE));
    for visit in &report.visits {
        visit_bar(sheet, visit, report.end_of(visit), top, &at);
    }
    sheet.y += 26.0;
    for (s, colour) in SECTION.iter().enumerate() {
        row_name(sheet, &format!("section {s}"), 14.0);
        let own = beats.iter().filter(|beat| has(beat, s));
        lane(sheet, own, cycles, colour);
    }
    if beats.iter().any(|beat| beat.local.is_none()) {
        row_name(sheet, "memory", 14.0);
        lane(sheet, beats.iter().filter(|beat| beat.local.is_none()), cycles, MEMORY);
    }
    let bottom = sheet.y;
    let step = tick(cycles as f64, 10.0) as u64;
    for cycle in (0..=cycles).step_by(step as usize).map(Cycle) {
        let x = round(at(cycle));
        let line = Line::new().set("x1", x).set("x2", x).set("y1", top).set("y2", bottom + 2.0);
        sheet.add(line.set("stroke", INK).set("stroke-opacity", 0.15));
        sheet.add(centred(x, bottom + 15.0, 11.0, GREY, cycle.to_string()));
    }
    sheet.y += 34.0;
}

fn row_name(sheet: &mut Sheet, name: &str, height: f64) {
    let name = right(TIME[0] - 8.0, sheet.y + height / 2.0 + 4.0, 12.0, INK, name);
    sheet.add(name);
}

/// Draws the parts of a visit of the channel to a descriptor: set-up, wait, data, wait.
fn visit_bar(sheet: &mut Sheet, visit: &Visit, end: Cycle, y: f64, at: &impl Fn(Cycle) -> f64) {
    let count = |cause: ChannelCause| visit.stats.causes[cause as usize];
    let ready = visit.begin + count(ChannelCause::SetUp) + count(ChannelCause::Fetch);
    let behind = visit.waits[1].map_or(0, |since| end - since);
    let before = count(ChannelCause::Sync).saturating_sub(behind);
    let data = ready + before;
    let mut bar = Group::new();
    bar.append(Title::new(format!(
        "descriptor {}, cycles {} to {end}: {}",
        visit.number,
        visit.begin,
        visit_sentence(visit)
    )));
    let parts = [
        (visit.begin, ready, SET_UP),
        (ready, data, HATCH),
        (data, end - behind, DATA),
        (end - behind, end, HATCH),
    ];
    for (from, to, fill) in parts {
        if from < to {
            bar.append(rectangle(at(from), y, at(to) - at(from), 22.0, fill));
        }
    }
    let (x, width) = (at(visit.begin), at(end) - at(visit.begin));
    if width > 3.0 {
        bar.append(rectangle(x, y, 1.0, 22.0, "#ffffff"));
    }
    let (from, to) = (at(data), at(end - behind));
    if to - from > 70.0 {
        let label = format!("descriptor {}", visit.number);
        bar.append(centred((from + to) / 2.0, y + 15.0, 11.0, "#ffffff", label));
    } else if to - from > 14.0 {
        let label = visit.number.to_string();
        bar.append(centred((from + to) / 2.0, y + 15.0, 11.0, "#ffffff", label));
    }
    sheet.add(bar);
}

/// Draws a row of time in which beats are the darker the nearer they come to one in each cycle.
fn lane<'a>(sheet: &mut Sheet, beats: impl Iterator<Item = &'a Beat>, cycles: u64, colour: &str) {
    let n = (cycles as usize).min(TIME[1] as usize);
    let per_bin = cycles as f64 / n as f64;
    let mut counts = vec![0u32; n];
    for beat in beats {
        let bin = (beat.cycle.0 as f64 / per_bin) as usize;
        counts[bin.min(n - 1)] += 1;
    }
    sheet.add(rectangle(TIME[0], sheet.y, TIME[1], 14.0, PALE));
    let width = TIME[1] / n as f64;
    let shade = |count: u32| match count {
        0 => 0.0,
        count => (f64::from(count) / per_bin).clamp(0.25, 1.0),
    };
    let shades = counts.iter().map(|&count| (shade(count) * SHADES).ceil() as u8);
    for (range, shade) in runs(shades) {
        if shade > 0 {
            let x = TIME[0] + range.start as f64 * width;
            let bar = rectangle(x, sheet.y, range.len() as f64 * width, 14.0, colour);
            sheet.add(bar.set("fill-opacity", round(f64::from(shade) / SHADES)));
        }
    }
    sheet.y += 18.0;
}

/// Cuts a sentence into lines of at most so many characters.
fn wrapped(sentence: &str, longest: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < longest => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Draws a descriptor: what it does, its beats, its words of local memory.
fn card(sheet: &mut Sheet, stream: &Stream<'_>, report: &Report, core: &Core) {
    let visit = stream.visit;
    let lines = wrapped(&visit_sentence(visit), 150);
    let per_cell = stream.beats.len().div_ceil(COLUMNS * ROWS).max(1);
    let rows = stream.beats.len().div_ceil(COLUMNS * per_cell);
    let inner = (rows as f64 * CELL[1]).max(4.0 * 20.0 + 18.0);
    let top = sheet.y;
    let height = 72.0 + 17.0 * lines.len() as f64 + inner;
    let frame = rectangle(MARGIN - 12.0, top, WIDTH - 2.0 * MARGIN + 24.0, height, "#ffffff");
    sheet.add(frame.set("rx", 8).set("stroke", BORDER));
    let name = format!("Descriptor {}: {}", visit.number, stream.kind());
    sheet.add(text(MARGIN + 4.0, top + 26.0, 15.0, INK, name).set("font-weight", "bold"));
    let facts = format!(
        "cycles {} to {}, {} {}s, {} bytes, {:.1} MB/s",
        visit.begin,
        report.end_of(visit),
        stream.beats.len(),
        stream.thing(),
        run::bytes(visit),
        run::rate(run::bytes(visit), &visit.stats, report.mhz()),
    );
    sheet.add(right(WIDTH - MARGIN - 4.0, top + 26.0, 13.0, GREY, facts));
    for (k, line) in lines.iter().enumerate() {
        let y = top + 46.0 + 17.0 * k as f64;
        sheet.add(text(MARGIN + 4.0, y, 13.0, GREY, line.clone()));
    }
    sheet.y = top + 62.0 + 17.0 * (lines.len() - 1) as f64;
    cells(sheet, stream, per_cell);
    strips(sheet, stream, core);
    sheet.y = top + height + 14.0;
}

/// Draws the beats of a stream, a row of cells after another.
fn cells(sheet: &mut Sheet, stream: &Stream<'_>, per_cell: usize) {
    let thing = stream.thing();
    let caption = match per_cell {
        1 => format!("{thing}s in the order of the stream, {COLUMNS} a row"),
        n => {
            format!("{thing}s in the order of the stream, {} a row, {n} a cell", COLUMNS * per_cell)
        }
    };
    sheet.add(text(GRID_X, sheet.y + 6.0, 11.0, GREY, caption));
    let top = sheet.y + 14.0;
    let mut digits = Vec::new();
    let mut fills = Fills::default();
    let mut lines = Data::new();
    for (row, beats) in stream.beats.chunks(COLUMNS * per_cell).enumerate() {
        let y = top + row as f64 * CELL[1];
        let first = (row * COLUMNS * per_cell).to_string();
        sheet.add(right(GRID_X - 8.0, y + 11.0, 10.0, GREY, first));
        let width = CELL[0] / per_cell as f64;
        for (range, look) in row_of(beats, per_cell) {
            let x = GRID_X + range.start as f64 * width;
            let size = [range.len() as f64 * width, CELL[1] - 2.0];
            fills.add_beats(look, [x, y], size);
            let (_, sections) = look;
            if sections.count_ones() == 1 && size[0] > 8.0 && digits.len() < DIGITS {
                let s = sections.trailing_zeros() as usize;
                let x = x + CELL[0].min(size[0]) / 2.0;
                digits.push(centred(x, y + 10.0, 9.0, ON_SECTION[s], s.to_string()));
            }
        }
        for column in 1..beats.len().div_ceil(per_cell) {
            lines = lines.move_to((round(GRID_X + column as f64 * CELL[0]), round(y)));
            lines = lines.vertical_line_by(CELL[1] - 2.0);
        }
    }
    for (fill, data) in fills.0 {
        sheet.add(Path::new().set("d", data).set("fill", fill));
    }
    let lines = Path::new().set("d", lines).set("stroke", "#ffffff");
    sheet.add(lines.set("stroke-width", 0.6).set("stroke-opacity", 0.7));
    digits.into_iter().for_each(|digit| sheet.add(digit));
}

/// Rectangles by their colours, one path for each: beats are many.
#[derive(Default)]
struct Fills(Vec<(&'static str, Data)>);

impl Fills {
    fn add(&mut self, fill: &'static str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        let place = self.0.iter().position(|(known, _)| *known == fill).unwrap_or_else(|| {
            self.0.push((fill, Data::new()));
            self.0.len() - 1
        });
        let data = std::mem::take(&mut self.0[place].1).move_to((round(x), round(y)));
        let data = data.horizontal_line_by(round(width)).vertical_line_by(round(height));
        self.0[place].1 = data.horizontal_line_by(round(-width)).close();
    }

    /// Adds a beat or a run of beats; those of several sections have their colours on top of each other.
    fn add_beats(&mut self, (is_local, sections): Look, [x, y]: [f64; 2], size: [f64; 2]) {
        if !is_local || sections == 0 {
            return self.add(if is_local { PALE } else { MEMORY }, [x, y], size);
        }
        let height = size[1] / f64::from(sections.count_ones());
        let own = (0..SECTIONS).filter(|s| sections >> s & 1 == 1);
        for (k, s) in own.enumerate() {
            self.add(SECTION[s], [x, y + height * k as f64], [size[0], height]);
        }
    }
}

/// Look of a beat: whether it meets local memory, and its sections.
type Look = (bool, u8);

/// Returns the runs of beats that look alike, in their order; where a cell has many beats, by sections in each cell.
fn row_of(beats: &[Beat], per_cell: usize) -> Vec<(Range<usize>, Look)> {
    const EXACT: usize = 4;
    let mut looks: Vec<Look> =
        beats.iter().map(|beat| (beat.local.is_some(), beat.sections)).collect();
    if per_cell > EXACT {
        looks.chunks_mut(per_cell).for_each(<[Look]>::sort);
    }
    runs(looks.into_iter())
}
