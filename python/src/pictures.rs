//! Pictures in notebooks that no other crate draws: the repeated bundles of a pipelined loop, and where the cycles of a run went.
//! Colours are those of `cp2-analysis`, and follow the light or dark ground that the reader prefers.

use crate::table::escaped;
use cp2_analysis::palette::{BANKS, Colour, NEUTRAL};
use cp2_asm::listing::PipelineCell;
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
