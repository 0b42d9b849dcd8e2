//! Pictures in notebooks that no other crate draws: the repeated bundles of a pipelined loop, and where the cycles of a run went.
//! Colours are those of `cp2-analysis`, and follow the light or dark ground that the reader prefers.

use crate::table::escaped;
use cp2_analysis::palette::{
    BANKS, BETTER, Colour, HOST, INPUT, MARK, NEUTRAL, WORSE, of_cause, of_channel,
};
use cp2_asm::listing::PipelineCell;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_recording::Leaf;
use serde_json::Value;
use std::fmt::Write as _;

const GROUND: Colour = Colour { light: "#ffffff", dark: "#1d2025" };
const INK: Colour = Colour { light: "#1b1f24", dark: "#e8ecf0" };
const ROW: usize = 22;
const WIDTH: usize = 760;

/// A picture under construction: its elements, and the height that they take so far.
pub(crate) struct Sheet {
    elements: String,
    pub(crate) height: usize,
}

impl Sheet {
    /// Creates an empty picture.
    pub(crate) fn new() -> Self {
        Self { elements: String::new(), height: 10 }
    }

    /// Adds a text at a place, from its left end.
    pub(crate) fn text(&mut self, (x, y): (usize, usize), text: &str) {
        let _ =
            write!(self.elements, r#"<text class="ink" x="{x}" y="{y}">{}</text>"#, escaped(text));
    }

    /// Adds a rectangle of a class of colours, with a title that a reader sees who points at it.
    pub(crate) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], class: &str, title: &str) {
        let _ = write!(
            self.elements,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.2}" height="{height:.1}"><title>{}</title></rect>"#,
            escaped(title)
        );
    }

    /// Returns the picture, with colours by their classes.
    pub(crate) fn finished(&self, colours: &[(String, Colour)]) -> String {
        let rules = |dark: bool| {
            let pick = |colour: &Colour| if dark { colour.dark } else { colour.light };
            let mut all = format!(
                ".ink{{fill:{}}}.ground{{fill:{}}}.empty{{fill:{}}}",
                pick(&INK),
                pick(&GROUND),
                pick(&NEUTRAL)
            );
            for (class, colour) in colours {
                let _ = write!(all, ".{class}{{fill:{}}}", pick(colour));
            }
            all
        };
        let height = self.height + 10;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" font-size="12"><style>{}@media (prefers-color-scheme: dark){{{}}}</style><rect class="ground" width="100%" height="100%"/>{}</svg>"#,
            rules(false),
            rules(true),
            self.elements
        )
    }
}

/// Returns a picture as an element of HTML that keeps its colours to itself.
pub(crate) fn embedded(svg: &str) -> String {
    let data = percent_encoding::utf8_percent_encode(svg, percent_encoding::NON_ALPHANUMERIC);
    format!(r#"<img alt="picture" src="data:image/svg+xml,{data}"/>"#)
}

/// Returns the colour of what somebody does in a timeline: by its place among the activities of all.
fn activity_colour(number: usize) -> Colour {
    let all = ChannelCause::ALL.map(of_channel).into_iter().filter(|colour| *colour != NEUTRAL);
    let all = std::iter::once(of_cause(Cause::Both)).chain(all);
    let all: Vec<Colour> = all.chain([HOST, INPUT, MARK, BETTER, WORSE]).collect();
    all[number % all.len()]
}

/// Draws spans of activities, each with `of`, `activity`, `begin` and `end` in cycles, as a lane for each `of`.
pub(crate) fn timeline(spans: &[Value], cycles: u64) -> String {
    let text = |span: &Value, key: &str| span[key].as_str().unwrap_or_default().to_owned();
    let number = |span: &Value, key: &str| span[key].as_f64().unwrap_or_default();
    let (mut sheet, mut lanes, mut activities) = (Sheet::new(), Vec::new(), Vec::new());
    let scale = 640.0 / cycles.max(1) as f64;
    for span in spans {
        let (of, activity) = (text(span, "of"), text(span, "activity"));
        let lane = lanes.iter().position(|known| *known == of).unwrap_or_else(|| {
            lanes.push(of.clone());
            lanes.len() - 1
        });
        let (begin, end) = (number(span, "begin"), number(span, "end"));
        let class = match activities.iter().position(|known| *known == activity) {
            _ if activity == "idle" => "empty".to_owned(),
            Some(k) => format!("activity{k}"),
            None => {
                activities.push(activity.clone());
                format!("activity{}", activities.len() - 1)
            }
        };
        let title = format!("{of}: {activity}, cycles {begin} to {end}");
        let place = [90.0 + begin * scale, 10.0 + 30.0 * lane as f64, (end - begin) * scale, 22.0];
        sheet.rectangle(place, &class, &title);
    }
    for (lane, of) in lanes.iter().enumerate() {
        sheet.text((10, 26 + 30 * lane), of);
    }
    sheet.height = 10 + 30 * lanes.len();
    let mut colours = Vec::new();
    for (k, activity) in activities.iter().enumerate() {
        let (x, y) = (90 + 130 * (k % 5), sheet.height + 16 + ROW * (k / 5));
        sheet.rectangle([x as f64, y as f64 - 10.0, 10.0, 10.0], &format!("activity{k}"), activity);
        sheet.text((x + 16, y), activity);
        colours.push((format!("activity{k}"), activity_colour(k)));
    }
    sheet.height += ROW * activities.len().div_ceil(5);
    sheet.text((10, sheet.height + 16), &format!("{cycles} cycles"));
    sheet.height += ROW;
    sheet.finished(&colours)
}

/// Draws the repeated bundles of loops: a line for each cycle, its two slots, coloured by stage. `None` without such a loop.
pub(crate) fn schedule(kernels: &[(String, usize, Vec<[PipelineCell; 2]>)]) -> Option<String> {
    let mut sheet = Sheet::new();
    for (place, address, rows) in kernels {
        sheet.height += ROW;
        let title =
            format!("{place}: {} bundles from address {address}, coloured by stage", rows.len());
        sheet.text((10, sheet.height - 6), &title);
        for (cycle, slots) in rows.iter().enumerate() {
            let y = sheet.height;
            sheet.text((10, y + 15), &cycle.to_string());
            for (column, slot) in slots.iter().enumerate() {
                let stage = slot.stage.parse::<usize>().map(|stage| stage % BANKS.len());
                let class = stage.map_or("empty".to_owned(), |stage| format!("stage{stage}"));
                let x = 40 + column * 360;
                let title = format!(
                    "line {}, stage {}, iteration {}",
                    slot.line, slot.stage, slot.iteration
                );
                sheet.rectangle([x as f64, y as f64 + 3.0, 6.0, 16.0], &class, &title);
                let iteration = if slot.iteration.is_empty() {
                    String::new()
                } else {
                    format!("  [{}]", slot.iteration)
                };
                sheet.text((x + 12, y + 15), &format!("{}{iteration}", slot.text));
            }
            sheet.height += ROW;
        }
    }
    let colours: Vec<(String, Colour)> =
        BANKS.iter().enumerate().map(|(k, colour)| (format!("stage{k}"), *colour)).collect();
    (!kernels.is_empty()).then(|| sheet.finished(&colours))
}

/// Draws what the cycles of a run were for, stretch by stretch: CP2 above, the channel below.
pub(crate) fn causes(leaves: &[Leaf]) -> String {
    let mut sheet = Sheet::new();
    let (begin, end) = match (leaves.first(), leaves.last()) {
        (Some(first), Some(last)) => (first.begin.0, last.end.0),
        _ => (0, 0),
    };
    let scale = 700.0 / end.saturating_sub(begin).max(1) as f64;
    for leaf in leaves {
        let (x, width) =
            (10.0 + (leaf.begin.0 - begin) as f64 * scale, leaf.cycles() as f64 * scale);
        let kernel = Cause::ALL.iter().zip(leaf.counts.causes).map(|(cause, n)| (cause.name(), n));
        let channel = ChannelCause::ALL.iter().zip(leaf.counts.dma.causes);
        let channel =
            channel.map(|(cause, n)| (cause.name(), n)).filter(|(name, _)| *name != "idle");
        let lanes: [Vec<(&str, u64)>; 2] = [kernel.collect(), channel.collect()];
        for (lane, parts) in lanes.iter().enumerate() {
            let mut y = 80.0 + 90.0 * lane as f64;
            for (name, cycles) in parts.iter().filter(|(_, cycles)| *cycles > 0) {
                let height = 70.0 * *cycles as f64 / leaf.cycles().max(1) as f64;
                y -= height;
                let title = format!("{name}: {cycles} of cycles {} to {}", leaf.begin, leaf.end);
                sheet.rectangle([x, y, width, height], &format!("cause_{name}"), &title);
            }
        }
    }
    sheet.height = 180;
    let kernel = Cause::ALL.map(|cause| (cause.name(), of_cause(cause)));
    let channel = ChannelCause::ALL.map(|cause| (cause.name(), of_channel(cause)));
    let all: Vec<_> =
        kernel.into_iter().chain(channel).filter(|(name, _)| *name != "idle").collect();
    let mut colours = Vec::new();
    for (k, (name, colour)) in all.iter().enumerate() {
        let (x, y) = (10 + 120 * (k % 6), sheet.height + 12 + ROW * (k / 6));
        sheet.rectangle([x as f64, y as f64 - 10.0, 10.0, 10.0], &format!("cause_{name}"), name);
        sheet.text((x + 16, y), name);
        colours.push((format!("cause_{name}"), *colour));
    }
    sheet.height += ROW * all.len().div_ceil(6);
    sheet.text(
        (10, sheet.height + 12),
        &format!("cycles {begin} to {end}; CP2 above, the channel below"),
    );
    sheet.height += ROW;
    sheet.finished(&colours)
}
