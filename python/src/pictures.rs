//! Pictures in notebooks that no other crate draws: the repeated bundles of a pipelined loop, and where the cycles of a run went.
//! Colours are those of `cp2-analysis`, and follow the light or dark ground that the reader prefers.

use crate::table::escaped;
use cp2_analysis::palette::{
    BANKS, BETTER, Colour, GROUND, HOST, INK, INPUT, MARK, MUTED, NEUTRAL, WORSE, of_cause,
    of_channel,
};
use cp2_asm::listing::PipelineCell;
use cp2_document::width::grouped;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_recording::Leaf;
use serde_json::Value;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";
const CODE: &str = "Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/// Width of a picture, and of its margin; where the lanes over time begin, and how wide they are. All in pixels.
const WIDTH: usize = 800;
const MARGIN: usize = 16;
const LEFT: usize = 60;
const SPAN: f64 = (WIDTH - LEFT - 24) as f64;
/// Height of a row of text.
const ROW: usize = 22;

/// A loop as it is drawn: where it stands, what is told of it, the cycles between iterations, the bundles that it repeats.
pub(crate) struct DrawnLoop {
    pub(crate) place: String,
    pub(crate) told: String,
    pub(crate) interval: usize,
    pub(crate) rows: Vec<[PipelineCell; 2]>,
}

/// A picture under construction: its elements, and the height that they take so far.
struct Sheet {
    title: String,
    elements: String,
    height: usize,
    colours: Vec<(String, Colour)>,
}

impl Sheet {
    /// Creates a picture that has its title and nothing else.
    fn new(title: &str) -> Self {
        let (elements, colours) = (String::new(), Vec::new());
        let mut sheet = Self { title: title.to_owned(), elements, height: MARGIN, colours };
        sheet.text((MARGIN, MARGIN + 14), "ink title", title);
        sheet.height += 32;
        sheet
    }

    /// Adds a text of some classes at a place.
    fn text(&mut self, (x, y): (usize, usize), class: &str, text: &str) {
        let text = escaped(text);
        let _ = write!(self.elements, r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#);
    }

    /// Adds a rectangle of a class of colours, with a title that a reader sees who points at it.
    fn rectangle(&mut self, [x, y, width, height]: [f64; 4], class: &str, title: &str) {
        let _ = write!(
            self.elements,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.2}" height="{height:.1}"><title>{}</title></rect>"#,
            escaped(title)
        );
    }

    /// Adds a line from one place to another.
    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4]) {
        let _ =
            write!(self.elements, r#"<path class="line" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"/>"#);
    }

    /// Gives a class its colour.
    fn colour(&mut self, class: &str, colour: Colour) {
        if !self.colours.iter().any(|(known, _)| known == class) {
            self.colours.push((class.to_owned(), colour));
        }
    }

    /// Adds the axis of cycles from `begin` to `end` below lanes that begin at a height, with lines through them.
    fn axis(&mut self, top: usize, (begin, end): (u64, u64)) {
        let (cycles, bottom) = (end.saturating_sub(begin).max(1), self.height + 4);
        let step = nice_step(cycles);
        for tick in (begin.next_multiple_of(step)..=end).step_by(step as usize) {
            let x = LEFT as f64 + (tick - begin) as f64 * SPAN / cycles as f64;
            self.line([x, top as f64 - 4.0, x, bottom as f64]);
            self.text((x.round() as usize, bottom + 14), "muted middle", &grouped(tick));
        }
        self.text((MARGIN, bottom + 14), "muted", "cycle");
        self.height = bottom + 24;
    }

    /// Adds a legend: class and text of each entry.
    fn legend(&mut self, entries: &[(String, String)]) {
        let (mut x, mut y) = (LEFT, self.height + 12);
        for (class, text) in entries {
            let width = 26 + 7 * text.chars().count();
            if x + width > WIDTH - MARGIN && x > LEFT {
                (x, y) = (LEFT, y + ROW);
            }
            self.rectangle([x as f64, y as f64 - 10.0, 12.0, 12.0], class, text);
            self.text((x + 18, y), "ink", text);
            x += width + 10;
        }
        self.height = y + 4;
    }

    /// Returns the picture. Its rules reach nothing outside of it, for it may stand in a page among others.
    fn finished(&self) -> String {
        let mut hash = DefaultHasher::new();
        (&self.elements, self.height).hash(&mut hash);
        let id = format!("cp2-{:016x}", hash.finish());
        let rules = |dark: bool| {
            let pick = |colour: Colour| if dark { colour.dark } else { colour.light };
            let fixed = [("ink", INK), ("muted", MUTED), ("ground", GROUND), ("empty", NEUTRAL)];
            let mut all = format!("#{id} .line{{stroke:{};fill:none}}", pick(NEUTRAL));
            let own = self.colours.iter().map(|(class, colour)| (class.as_str(), *colour));
            for (class, colour) in fixed.into_iter().chain(own) {
                let _ = write!(all, "#{id} .{class}{{fill:{}}}", pick(colour));
            }
            all
        };
        let forms = format!(
            "#{id} .title{{font-size:14px;font-weight:bold}}#{id} .code{{font-family:{CODE}}}\
             #{id} .middle{{text-anchor:middle}}#{id} .end{{text-anchor:end}}\
             #{id} rect{{shape-rendering:crispEdges}}#{id} .tint{{fill-opacity:.16}}#{id} .faint{{fill-opacity:.35}}"
        );
        let (height, title) = (self.height + MARGIN, escaped(&self.title));
        format!(
            r#"<svg id="{id}" role="img" xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="{FONT}" font-size="12"><title>{title}</title><style>{forms}{}@media (prefers-color-scheme: dark){{{}}}</style><rect class="ground" width="100%" height="100%"/>{}</svg>"#,
            rules(false),
            rules(true),
            self.elements
        )
    }
}

/// Returns a step of 1, 2 or 5 times a power of ten that leaves at most eight steps in a number.
fn nice_step(number: u64) -> u64 {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let mut steps = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    steps.find(|step| number / step <= 8).unwrap_or(number)
}

/// Returns a picture as an element of HTML that keeps its colours to itself.
pub(crate) fn embedded(svg: &str, title: &str) -> String {
    let data = percent_encoding::utf8_percent_encode(svg, percent_encoding::NON_ALPHANUMERIC);
    let alt = escaped(title);
    format!(
        r#"<img alt="{alt}" style="max-width:100%;height:auto" src="data:image/svg+xml,{data}"/>"#
    )
}

/// Returns the colour of what somebody does in a timeline: by its place among the activities of all.
fn activity_colour(number: usize) -> Colour {
    let all = ChannelCause::ALL.map(of_channel).into_iter().filter(|colour| *colour != NEUTRAL);
    let all = std::iter::once(of_cause(Cause::Both)).chain(all);
    let all: Vec<Colour> = all.chain([HOST, INPUT, MARK, BETTER, WORSE]).collect();
    all[number % all.len()]
}

/// Returns a word of a report as people read it.
fn plain_word(word: &str) -> String {
    match word {
        "cp2" | "dma" => word.to_uppercase(),
        _ => word.replace('_', " ").replace("cp2", "CP2").replace("dma", "DMA"),
    }
}

/// Draws spans of activities, each with `of`, `activity`, `begin` and `end` in cycles, as a lane for each `of`.
pub(crate) fn timeline(title: &str, spans: &[Value], cycles: u64) -> String {
    let text = |span: &Value, key: &str| span[key].as_str().unwrap_or_default().to_owned();
    let number = |span: &Value, key: &str| span[key].as_f64().unwrap_or_default();
    let (mut sheet, mut activities) = (Sheet::new(title), Vec::new());
    let mut lanes: Vec<String> = Vec::new();
    for span in spans {
        let (of, activity) = (text(span, "of"), text(span, "activity"));
        if !lanes.contains(&of) {
            lanes.push(of);
        }
        if activity != "idle" && !activities.contains(&activity) {
            activities.push(activity);
        }
    }
    let (top, scale) = (sheet.height, SPAN / cycles.max(1) as f64);
    sheet.height += 32 * lanes.len() - 8;
    sheet.axis(top, (0, cycles));
    for (lane, of) in lanes.iter().enumerate() {
        sheet.text((MARGIN, top + 16 + 32 * lane), "ink", &plain_word(of));
    }
    for span in spans {
        let (of, activity) = (text(span, "of"), text(span, "activity"));
        let lane = lanes.iter().position(|known| *known == of).unwrap_or_default();
        let place = activities.iter().position(|known| *known == activity);
        let class = place.map_or("empty faint".to_owned(), |k| format!("activity{k}"));
        let (begin, end) = (number(span, "begin"), number(span, "end"));
        let (of, activity) = (plain_word(&of), plain_word(&activity));
        let title = format!("{of}: {activity}, cycles {begin} to {end}");
        // Whole pixels leave no gap between neighbours; what is shorter than one is seen all the same.
        let [from, to] = [begin, end].map(|cycle| (LEFT as f64 + cycle * scale).round());
        let y = (top + 32 * lane) as f64;
        sheet.rectangle([from, y, (to - from).max(1.0), 24.0], &class, &title);
    }
    for k in 0..activities.len() {
        sheet.colour(&format!("activity{k}"), activity_colour(k));
    }
    let entry = |(k, activity): (usize, &String)| (format!("activity{k}"), plain_word(activity));
    let entries: Vec<_> = activities.iter().enumerate().map(entry).collect();
    sheet.legend(&entries);
    sheet.finished()
}

/// Returns the colour of a stage of a pipelined loop.
fn stage_colour(stage: usize) -> Colour {
    let more = [HOST, INPUT, MARK, of_channel(ChannelCause::Memory)];
    let all: Vec<Colour> = BANKS.into_iter().chain(more).collect();
    all[stage % all.len()]
}

/// Draws the repeated bundles of loops: a line for each cycle, its two slots, coloured by stage. `None` without such a loop.
pub(crate) fn schedule(title: &str, loops: &[DrawnLoop]) -> Option<String> {
    let mut sheet = Sheet::new(title);
    for drawn in loops {
        draw_loop(&mut sheet, drawn);
    }
    (!loops.is_empty()).then(|| sheet.finished())
}

/// Width of a slot of a bundle, and where the first one begins.
const SLOT: usize = 360;
const FIRST: usize = LEFT - 8;

fn draw_loop(sheet: &mut Sheet, drawn: &DrawnLoop) {
    sheet.text((MARGIN, sheet.height + 10), "ink", &drawn.place);
    sheet.text((WIDTH - MARGIN, sheet.height + 10), "muted end", &drawn.told);
    sheet.height += ROW + 12;
    for (column, name) in ["arithmetic slot", "exchange slot"].into_iter().enumerate() {
        sheet.text((FIRST + column * (SLOT + 6) + 12, sheet.height), "muted", name);
    }
    sheet.text((MARGIN, sheet.height), "muted", "cycle");
    sheet.height += 6;
    for (cycle, slots) in drawn.rows.iter().enumerate() {
        let y = sheet.height;
        if cycle > 0 && cycle.is_multiple_of(drawn.interval.max(1)) {
            sheet.line([MARGIN as f64, y as f64, (WIDTH - MARGIN) as f64, y as f64]);
        }
        sheet.text((MARGIN, y + 15), "muted", &cycle.to_string());
        for (column, slot) in slots.iter().enumerate() {
            draw_slot(sheet, (FIRST + column * (SLOT + 6), y), slot);
        }
        sheet.height += ROW;
    }
    let mut stages: Vec<usize> =
        drawn.rows.iter().flatten().filter_map(|slot| slot.stage.parse().ok()).collect();
    stages.sort_unstable();
    stages.dedup();
    for &stage in &stages {
        sheet.colour(&format!("stage{stage}"), stage_colour(stage));
    }
    sheet.height += 8;
    let entry = |stage: &usize| (format!("stage{stage}"), format!("stage {stage}"));
    let entries: Vec<_> = stages.iter().map(entry).collect();
    sheet.legend(&entries);
    sheet.height += 10;
}

fn draw_slot(sheet: &mut Sheet, (x, y): (usize, usize), slot: &PipelineCell) {
    let stage = slot.stage.parse::<usize>().ok();
    let class = stage.map_or("empty".to_owned(), |stage| format!("stage{stage}"));
    let title = match (slot.text.is_empty(), stage) {
        (true, _) => "empty".to_owned(),
        (false, None) => "made by the scheduler".to_owned(),
        (false, Some(_)) => {
            format!("line {}, stage {}, iteration {}", slot.line, slot.stage, slot.iteration)
        }
    };
    let (left, top) = (x as f64, y as f64 + 1.5);
    sheet.rectangle([left, top, SLOT as f64, 19.0], &format!("{class} tint"), &title);
    if slot.text.is_empty() {
        return;
    }
    sheet.rectangle([left, top, 5.0, 19.0], &class, &title);
    sheet.text((x + 12, y + 15), "ink code", &slot.text);
    sheet.text((x + SLOT - 8, y + 15), "muted end", &slot.iteration);
}

/// A lane of the causes of cycles: its name, and the cycles of each stretch by cause.
type Lane = (&'static str, Vec<Vec<(&'static str, u64)>>);

/// Draws what the cycles of a run were for, stretch by stretch: CP2 above, below it the channel if it did anything.
pub(crate) fn causes(title: &str, leaves: &[Leaf]) -> String {
    let mut sheet = Sheet::new(title);
    let (begin, end) = match (leaves.first(), leaves.last()) {
        (Some(first), Some(last)) => (first.begin.0, last.end.0),
        _ => (0, 0),
    };
    let top = sheet.height;
    let lanes = lanes_of(leaves);
    sheet.height += 92 * lanes.len() - 12;
    sheet.axis(top, (begin, end));
    let scale = SPAN / end.saturating_sub(begin).max(1) as f64;
    for (lane, (name, stretches)) in lanes.iter().enumerate() {
        let bottom = (top + 92 * lane + 80) as f64;
        sheet.text((MARGIN, top + 92 * lane + 44), "ink", name);
        for (leaf, parts) in leaves.iter().zip(stretches) {
            // Edges at whole pixels leave no gap between neighbours.
            let [x, right] = [leaf.begin, leaf.end]
                .map(|cycle| (LEFT as f64 + (cycle.0 - begin) as f64 * scale).round());
            let (mut sum, mut lower, width) = (0, bottom, right - x);
            for (cause, cycles) in parts.iter().filter(|(_, cycles)| *cycles > 0) {
                sum += cycles;
                let y = bottom - (80.0 * sum as f64 / leaf.cycles().max(1) as f64).round();
                let height = lower - y;
                lower = y;
                let told = plain_word(cause);
                let title = format!("{told}: {cycles} of cycles {} to {}", leaf.begin, leaf.end);
                sheet.rectangle([x, y, width, height], &format!("cause_{cause}"), &title);
            }
        }
    }
    for (name, stretches) in &lanes {
        share_legend(&mut sheet, name, stretches, end.saturating_sub(begin));
    }
    sheet.finished()
}

/// Returns the lanes in which anything was done.
fn lanes_of(leaves: &[Leaf]) -> Vec<Lane> {
    let kernel = |leaf: &Leaf| {
        let causes = Cause::ALL.iter().zip(leaf.counts.causes);
        causes.map(|(cause, cycles)| (cause.name(), cycles)).collect()
    };
    let channel = |leaf: &Leaf| {
        let causes = ChannelCause::ALL.iter().zip(leaf.counts.dma.causes);
        let busy = causes.filter(|(cause, _)| **cause != ChannelCause::Idle);
        busy.map(|(cause, cycles)| (cause.name(), cycles)).collect()
    };
    let lanes: [Lane; 2] = [
        ("CP2", leaves.iter().map(kernel).collect()),
        ("DMA", leaves.iter().map(channel).collect()),
    ];
    let is_there = |lane: &Lane| lane.1.iter().flatten().any(|(_, cycles)| *cycles > 0);
    let [kernel, channel] = lanes;
    if is_there(&channel) { vec![kernel, channel] } else { vec![kernel] }
}

/// Adds a line of the legend: the causes of a lane, each with its share of all cycles.
fn share_legend(sheet: &mut Sheet, name: &str, stretches: &[Vec<(&str, u64)>], cycles: u64) {
    let kernel = Cause::ALL.map(|cause| (cause.name(), of_cause(cause)));
    let channel = ChannelCause::ALL.map(|cause| (cause.name(), of_channel(cause)));
    let all: Vec<(&str, Colour)> = kernel.into_iter().chain(channel).collect();
    let mut entries = Vec::new();
    for (cause, colour) in all {
        let parts = stretches.iter().flatten().filter(|(known, _)| *known == cause);
        let sum: u64 = parts.map(|(_, cycles)| cycles).sum();
        if sum > 0 {
            let share = 100.0 * sum as f64 / cycles.max(1) as f64;
            sheet.colour(&format!("cause_{cause}"), colour);
            let share = if share < 0.05 { "< 0.1 %".to_owned() } else { format!("{share:.1} %") };
            entries.push((format!("cause_{cause}"), format!("{} {share}", plain_word(cause))));
        }
    }
    sheet.text((MARGIN, sheet.height + 12), "muted", name);
    sheet.legend(&entries);
    sheet.height += 8;
}
