//! A view as SVG: the shapes that it has just drawn, as vectors. What is on the screen is what is in the file.

use egui::epaint::{ClippedShape, TextShape};
use egui::{Color32, Mesh, Pos2, Rect, Shape};
use std::fmt::Write as _;

/// Entry of a legend: a colour, and its meaning.
pub(crate) type LegendEntry = (Color32, String);

/// Look of a document around its shapes: title, ground, colour of letters, and the legend below.
pub(crate) struct Surround<'a> {
    pub(crate) title: &'a str,
    pub(crate) ground: Color32,
    pub(crate) letters: Color32,
    pub(crate) legend: &'a [LegendEntry],
}

/// Height of a row of the legend.
const LEGEND_ROW: f32 = 20.0;
/// Size of the letters of the legend.
const LEGEND_LETTERS: f32 = 12.0;

/// Places the entries of a legend in rows of a width; returns the places, and how many rows there are.
fn legend_places(legend: &[LegendEntry], width: f32) -> (Vec<Pos2>, usize) {
    let (mut places, mut x, mut row) = (Vec::new(), 8.0, 0);
    for (_, text) in legend {
        // Letters of text are about half as wide as they are high.
        let room = 16.0 + text.chars().count() as f32 * LEGEND_LETTERS * 0.56 + 16.0;
        if x > 8.0 && x + room > width {
            (x, row) = (8.0, row + 1);
        }
        places.push(Pos2::new(x, LEGEND_ROW * row as f32));
        x += room;
    }
    (places, if legend.is_empty() { 0 } else { row + 1 })
}

/// Returns the shapes within a rectangle as an SVG document, with a legend below.
pub(crate) fn svg(shapes: &[ClippedShape], frame: Rect, surround: &Surround<'_>) -> String {
    let Surround { title, ground, letters, legend } = *surround;
    let (places, rows) = legend_places(legend, frame.width());
    let below = if rows == 0 { 0.0 } else { LEGEND_ROW * rows as f32 + 8.0 };
    let (width, height) = (frame.width().round(), (frame.height() + below).round());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        escaped(title),
        paint(ground)
    );
    let mut clips: Vec<Rect> = Vec::new();
    let mut body = String::new();
    for ClippedShape { clip_rect, shape, .. } in shapes {
        let clip = clip_rect.intersect(frame);
        if !clip.is_positive() {
            continue;
        }
        let mut part = String::new();
        write_shape(&mut part, shape, frame.min);
        if part.is_empty() {
            continue;
        }
        let known = clips.iter().position(|known| *known == clip);
        let number = known.unwrap_or_else(|| {
            clips.push(clip);
            clips.len() - 1
        });
        let _ = writeln!(body, "<g clip-path=\"url(#c{number})\">{part}</g>");
    }
    for (k, clip) in clips.iter().enumerate() {
        let _ = writeln!(out, "<clipPath id=\"c{k}\">{}</clipPath>", rect(*clip, frame.min, ""));
    }
    for ((colour, text), at) in legend.iter().zip(places) {
        let y = frame.height() + 8.0 + at.y;
        let _ = writeln!(
            body,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" font-family=\"{SANS}\" font-size=\"{LEGEND_LETTERS}\" fill=\"{}\">{}</text>",
            at.x,
            paint(*colour),
            at.x + 15.0,
            y + 9.5,
            paint(letters),
            escaped(text)
        );
    }
    out + &body + "</svg>\n"
}

/// Fonts of text that is not of equally wide letters.
const SANS: &str = "Ubuntu, Segoe UI, sans-serif";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn paint(colour: Color32) -> String {
    let [r, g, b, a] = colour.to_srgba_unmultiplied();
    if a == 255 {
        format!("#{r:02x}{g:02x}{b:02x}")
    } else {
        format!("rgba({r},{g},{b},{:.3})", f32::from(a) / 255.0)
    }
}

fn rect(rect: Rect, origin: Pos2, attributes: &str) -> String {
    let at = rect.min - origin;
    format!(
        "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\"{attributes}/>",
        at.x,
        at.y,
        rect.width(),
        rect.height()
    )
}

/// Returns the SVG attributes for the colours of a shape; none if it has no colour.
fn colours(fill: Color32, stroke: Color32, width: f32) -> Option<String> {
    let has_stroke = stroke != Color32::TRANSPARENT && width > 0.0;
    if fill == Color32::TRANSPARENT && !has_stroke {
        return None;
    }
    let mut text = match fill {
        Color32::TRANSPARENT => " fill=\"none\"".to_owned(),
        fill => format!(" fill=\"{}\"", paint(fill)),
    };
    if has_stroke {
        let _ = write!(text, " stroke=\"{}\" stroke-width=\"{width}\"", paint(stroke));
    }
    Some(text)
}

fn points(points: &[Pos2], origin: Pos2) -> String {
    let point = |p: &Pos2| format!("{:.2},{:.2}", p.x - origin.x, p.y - origin.y);
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

fn write_shape(out: &mut String, shape: &Shape, origin: Pos2) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| write_shape(out, shape, origin)),
        Shape::Rect(shape) => {
            if let Some(colours) = colours(shape.fill, shape.stroke.color, shape.stroke.width) {
                let round = f32::from(shape.corner_radius.nw);
                let attributes =
                    if round > 0.0 { format!("{colours} rx=\"{round}\"") } else { colours };
                *out += &rect(shape.rect, origin, &attributes);
            }
        }
        Shape::Circle(shape) => {
            if let Some(colours) = colours(shape.fill, shape.stroke.color, shape.stroke.width) {
                let at = shape.center - origin;
                let _ = write!(
                    out,
                    "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{:.2}\"{colours}/>",
                    at.x, at.y, shape.radius
                );
            }
        }
        Shape::LineSegment { points: both, stroke } => {
            if let Some(colours) = colours(Color32::TRANSPARENT, stroke.color, stroke.width) {
                let _ = write!(out, "<polyline points=\"{}\"{colours}/>", points(both, origin));
            }
        }
        Shape::Path(shape) => {
            let stroke = match shape.stroke.color {
                egui::epaint::ColorMode::Solid(colour) => colour,
                egui::epaint::ColorMode::UV(_) => Color32::GRAY,
            };
            if let Some(colours) = colours(shape.fill, stroke, shape.stroke.width) {
                let name = if shape.closed { "polygon" } else { "polyline" };
                let _ =
                    write!(out, "<{name} points=\"{}\"{colours}/>", points(&shape.points, origin));
            }
        }
        Shape::CubicBezier(shape) => {
            let stroke = match shape.stroke.color {
                egui::epaint::ColorMode::Solid(colour) => colour,
                egui::epaint::ColorMode::UV(_) => Color32::GRAY,
            };
            if let Some(colours) = colours(shape.fill, stroke, shape.stroke.width) {
                let [a, b, c, d] = shape.points.map(|p| points(&[p], origin));
                let _ = write!(out, "<path d=\"M{a} C{b} {c} {d}\"{colours}/>");
            }
        }
        Shape::Text(shape) => write_text(out, shape, origin),
        Shape::Mesh(mesh) => write_quads(out, mesh, origin),
        _ => {}
    }
}

fn write_text(out: &mut String, shape: &TextShape, origin: Pos2) {
    let galley = &shape.galley;
    let sections = &galley.job.sections;
    let mut at_byte = 0;
    for row in &galley.rows {
        // Letters of one format are one piece.
        let mut pieces: Vec<(usize, f32, String)> = Vec::new();
        for glyph in &row.glyphs {
            let section = sections.partition_point(|s| s.byte_range.end.0 <= at_byte);
            at_byte += glyph.chr.len_utf8();
            match pieces.last_mut() {
                Some((known, _, text)) if *known == section => text.push(glyph.chr),
                _ => pieces.push((section, glyph.pos.x, glyph.chr.to_string())),
            }
        }
        at_byte += usize::from(row.ends_with_newline);
        for (section, x, text) in pieces.into_iter().filter(|(.., text)| !text.trim().is_empty()) {
            let Some(section) = sections.get(section).or(sections.last()) else { continue };
            let format = &section.format;
            let colour = match (shape.override_text_color, format.color) {
                (Some(colour), _) => colour,
                (None, Color32::PLACEHOLDER) => shape.fallback_color,
                (None, colour) => colour,
            };
            let family = match format.font_id.family {
                egui::FontFamily::Monospace => "Hack, DejaVu Sans Mono, monospace",
                _ => SANS,
            };
            let at = shape.pos + row.pos.to_vec2() - origin;
            let ascent = row.glyphs.first().map_or(0.0, |glyph| glyph.pos.y);
            let _ = write!(
                out,
                "<text x=\"{:.2}\" y=\"{:.2}\" font-family=\"{family}\" font-size=\"{}\" fill=\"{}\" xml:space=\"preserve\">{}</text>",
                at.x + x,
                at.y + ascent,
                format.font_id.size,
                paint(colour),
                escaped(&text)
            );
        }
    }
}

/// Writes the rectangles that were drawn as one mesh.
fn write_quads(out: &mut String, mesh: &Mesh, origin: Pos2) {
    let (quads, rest) = mesh.vertices.as_chunks::<4>();
    if !rest.is_empty() || mesh.indices.len() != quads.len() * 6 {
        return;
    }
    for quad in quads {
        let all = Rect::from_points(&[quad[0].pos, quad[1].pos, quad[2].pos, quad[3].pos]);
        *out += &rect(all, origin, &format!(" fill=\"{}\"", paint(quad[0].color)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Stroke, Vec2};

    #[test]
    fn shapes_are_cut_to_the_frame_and_counted_from_its_corner() {
        let frame = Rect::from_min_size(Pos2::new(100.0, 50.0), Vec2::new(200.0, 80.0));
        let line = Shape::line_segment(
            [Pos2::new(110.0, 60.0), Pos2::new(120.0, 70.0)],
            Stroke::new(2.0, Color32::RED),
        );
        let far = Shape::circle_filled(Pos2::new(900.0, 900.0), 4.0, Color32::RED);
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(
            Rect::from_min_size(Pos2::new(101.0, 51.0), Vec2::splat(3.0)),
            Color32::BLUE,
        );
        let shapes = [
            ClippedShape::new(frame, line),
            ClippedShape::new(
                Rect::from_min_size(Pos2::new(800.0, 800.0), Vec2::splat(200.0)),
                far,
            ),
            ClippedShape::new(frame, Shape::mesh(mesh)),
        ];
        let legend =
            [(Color32::GREEN, "Both slots".to_owned()), (Color32::RED, "x < y".to_owned())];
        let surround = Surround {
            title: "a < b",
            ground: Color32::BLACK,
            letters: Color32::WHITE,
            legend: &legend,
        };
        let text = svg(&shapes, frame, &surround);
        assert!(text.contains(">Both slots</text>") && text.contains(">x &lt; y</text>"));
        // Two entries do not fit in one row of 200 points beside each other with their room.
        assert!(text.contains("height=\"108\" viewBox") || text.contains("height=\"128\" viewBox"));
        assert!(text.contains("<title>a &lt; b</title>"));
        assert!(text.contains("points=\"10.00,10.00 20.00,20.00\""));
        assert!(text.contains(
            "<rect x=\"1.00\" y=\"1.00\" width=\"3.00\" height=\"3.00\" fill=\"#0000ff\"/>"
        ));
        assert!(!text.contains("circle"));
        assert_eq!(text.matches("<clipPath").count(), 1);
    }
}
