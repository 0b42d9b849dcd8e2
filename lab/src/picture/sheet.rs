//! Sheet of an SVG picture: its elements, its colours on light and dark grounds, and the widths of its texts.

use cp2_analysis::palette::{BANKS, BETTER, Colour, GROUND, INK, MUTED, NEUTRAL};
use cp2_document::html::escaped;
use std::fmt::Write as _;

/// Width of a picture in pixels.
pub(super) const WIDTH: f64 = 760.0;
/// Pixels that stay free along the edges of a picture.
pub(super) const MARGIN: f64 = 18.0;
/// Size of usual text in pixels.
pub(super) const TEXT: f64 = 13.0;
/// Size of a title in pixels.
const TITLE: f64 = 16.0;
/// Pixels from one line of text to the next.
pub(super) const LINE: f64 = 18.0;
const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// Colour of a curve, a point or a bar in a picture, named by its part there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Thing among several that are told apart by colour, by its number; there are four colours, which come again.
    Series(usize),
    /// Best of all: there is one in a picture at most.
    Best,
    /// Behind the others: beaten points, bars of lesser certainty.
    Pale,
}

impl Shade {
    /// Returns the colour of this shade.
    fn colour(self) -> Colour {
        match self {
            Self::Series(k) => BANKS[k % BANKS.len()],
            Self::Best => BETTER,
            Self::Pale => MUTED,
        }
    }

    /// Returns the colour on a light ground as SVG writes it; the rules of the picture give the dark one.
    pub(super) fn light(self) -> &'static str {
        self.colour().light
    }

    /// Returns the share of light that a filled part of this shade lets not through.
    pub(super) fn opacity(self) -> f64 {
        if self == Self::Pale { 0.35 } else { 1.0 }
    }
}

/// Side of a text at which its place lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// Returns the width of a text of this size in pixels in the widest of the fonts that a reader may have.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '_' => 0.78,
        _ => 0.635,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// Returns a text in lines that are at most `most` pixels wide, broken behind spaces and commas; a longer word has a line of its own.
pub(super) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut all: Vec<String> = vec![String::new()];
    for word in text.split_inclusive([' ', ',']) {
        match all.last_mut() {
            Some(last) if last.is_empty() || text_width(&format!("{last}{word}"), size) <= most => {
                *last += word;
            }
            _ => all.push(word.to_owned()),
        }
    }
    all.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Picture under construction: its elements, and the height that they take so far.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    elements: String,
    /// Pixels from the top to the end of what was drawn.
    pub(super) height: f64,
}

impl Sheet {
    /// Returns a picture with its title and a line for what its colours mean.
    pub(super) fn new(title: &str, keys: &[(Shade, String)]) -> Self {
        let mut sheet = Self { elements: String::new(), height: MARGIN };
        for line in lines(title, TITLE, WIDTH - 2.0 * MARGIN) {
            sheet.height += TITLE + 4.0;
            let (at, line) = ((MARGIN, sheet.height - 4.0), escaped(&line));
            let _ = writeln!(
                sheet.elements,
                "<text x=\"{}\" y=\"{:.1}\" fill=\"{}\" font-size=\"{TITLE}\" font-weight=\"bold\">{line}</text>",
                at.0, at.1, INK.light
            );
        }
        sheet.keys(keys);
        sheet.height += 10.0;
        sheet
    }

    /// Adds the meanings of colours, as many in a line as fit. The texts follow one another, so that the gaps are equal in all fonts.
    fn keys(&mut self, keys: &[(Shade, String)]) {
        let mut rows: Vec<(f64, String)> = Vec::new();
        for (shade, text) in keys {
            let width = 40.0 + text_width(text, TEXT);
            if rows.last().is_none_or(|(used, _)| used + width > WIDTH - 2.0 * MARGIN) {
                rows.push((0.0, String::new()));
            }
            let Some((used, row)) = rows.last_mut() else { continue };
            let (gap, colour) = (if row.is_empty() { 0 } else { 18 }, shade.light());
            let (opacity, text) = (shade.opacity(), escaped(text));
            let _ = write!(
                row,
                "<tspan dx=\"{gap}\" font-size=\"18\" fill=\"{colour}\" fill-opacity=\"{opacity}\">\u{25a0}</tspan><tspan dx=\"5\">{text}</tspan>"
            );
            *used += width;
        }
        for (_, row) in rows {
            self.height += LINE;
            let (y, ink) = (self.height, INK.light);
            let _ = writeln!(
                self.elements,
                "<text x=\"{MARGIN}\" y=\"{y:.1}\" fill=\"{ink}\">{row}</text>"
            );
        }
    }

    /// Adds a text at a place of its base line.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.turned_text(at, 0.0, anchor, text);
    }

    /// Adds a text at a place of its base line, turned by an angle in degrees. Lines behind it stop at its edge.
    pub(super) fn turned_text(
        &mut self,
        (x, y): (f64, f64),
        angle: f64,
        anchor: Anchor,
        text: &str,
    ) {
        let turn = match angle == 0.0 {
            true => String::new(),
            false => format!(" transform=\"rotate({angle:.1} {x:.1} {y:.1})\""),
        };
        let (anchor, ink, ground, text) = (anchor.name(), INK.light, GROUND.light, escaped(text));
        let _ = writeln!(
            self.elements,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{turn} fill=\"{ink}\" stroke=\"{ground}\" stroke-width=\"4\" \
             stroke-linejoin=\"round\" paint-order=\"stroke\">{text}</text>"
        );
    }

    /// Adds a line of the grid, or with `is_strong` one of an axis.
    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], is_strong: bool) {
        let colour = if is_strong { INK.light } else { NEUTRAL.light };
        let _ = writeln!(
            self.elements,
            "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" fill=\"none\" stroke=\"{colour}\"/>"
        );
    }

    /// Adds a curve through these places.
    pub(super) fn curve(&mut self, places: &[(f64, f64)], width: f64, shade: Shade, title: &str) {
        let mut path = String::new();
        for (x, y) in places {
            let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
        }
        let (colour, title) = (shade.light(), title_element(title));
        let _ = writeln!(
            self.elements,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\">{title}</path>"
        );
    }

    /// Adds a dot that tells its title to whoever points at it.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, shade: Shade, title: &str) {
        let (colour, title, opacity) = (shade.light(), title_element(title), shade.opacity());
        let _ = writeln!(
            self.elements,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" fill-opacity=\"{opacity}\">{title}</circle>"
        );
    }

    /// Adds a rectangle (left, top, width, height) that tells its title to whoever points at it.
    pub(super) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], shade: Shade, title: &str) {
        let (colour, title, opacity) = (shade.light(), title_element(title), shade.opacity());
        let _ = writeln!(
            self.elements,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\" \
             fill-opacity=\"{opacity}\">{title}</rect>"
        );
    }

    /// Adds two strokes through a bar at `x` that say that it is longer than it is drawn.
    pub(super) fn break_at(&mut self, x: f64, [top, bottom]: [f64; 2]) {
        for x in [x - 9.0, x - 4.0] {
            let _ = writeln!(
                self.elements,
                "<path d=\"M{x:.1} {:.1}L{:.1} {:.1}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\"/>",
                bottom + 2.0,
                x + 5.0,
                top - 2.0,
                GROUND.light
            );
        }
    }

    /// Returns the picture as the text of an SVG file. Its rules reach nothing but this picture and its like.
    pub(super) fn svg(&self, title: &str) -> String {
        let (height, title) = ((self.height + MARGIN).ceil(), escaped(title));
        let mut rules = String::new();
        let others = [GROUND, INK, MUTED, NEUTRAL, BETTER];
        for Colour { light, dark } in others.into_iter().chain(BANKS) {
            let _ = write!(
                rules,
                ".cp2-picture [fill=\"{light}\"]{{fill:{dark}}}.cp2-picture [stroke=\"{light}\"]{{stroke:{dark}}}"
            );
        }
        format!(
            "<svg class=\"cp2-picture\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" font-family=\"{FONT}\" font-size=\"{TEXT}\">\n<title>{title}</title>\n\
             <style>.cp2-picture circle:hover,.cp2-picture rect:hover{{fill-opacity:.7}}\n\
             @media (prefers-color-scheme: dark){{{rules}}}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n{}</svg>\n",
            GROUND.light, self.elements
        )
    }
}

fn title_element(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(title)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_has_a_dark_one() {
        let mut sheet = Sheet::new("a < b", &[(Shade::Best, "best".to_owned())]);
        sheet.dot((1.0, 2.0), 3.0, Shade::Pale, "x");
        sheet.line([0.0, 0.0, 1.0, 1.0], false);
        sheet.curve(&[(0.0, 1.0), (2.0, 3.0)], 2.0, Shade::Series(6), "");
        let svg = sheet.svg("a < b");
        assert!(svg.contains("<title>a &lt; b</title>"));
        for part in svg.split("=\"#").skip(1) {
            let colour = format!("#{}", part.split('"').next().unwrap_or_default());
            assert!(svg.contains(&format!("[fill=\"{colour}\"]")), "{colour} has no dark one");
        }
    }

    #[test]
    fn lines_are_no_wider_than_asked() {
        let text = "section-addressing + word-access + memory-controller and more";
        let all = lines(text, 13.0, 180.0);
        assert!(all.len() > 2 && all.join(" ") == text, "{all:?}");
        assert!(all.iter().all(|line| text_width(line, 13.0) <= 180.0), "{all:?}");
    }
}
