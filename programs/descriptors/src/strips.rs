//! The strips of a picture: which words of local memory a descriptor meets.

use crate::grid::Stream;
use crate::sheet::{
    GREY, INK, PALE, SECTION, SHADES, Sheet, centred, rectangle, right, round, runs, text,
};
use cp2_isa::{Core, SECTIONS};
use svg::node::element::Line;

const STRIP: [f64; 2] = [850.0, 254.0];

/// Draws the words of local memory that a descriptor meets, a strip for each section.
pub(crate) fn strips(sheet: &mut Sheet, stream: &Stream<'_>, core: &Core) {
    let window = stream.window(core.lmem_words());
    let top = sheet.y + 14.0;
    if stream.beats.iter().all(|beat| beat.local.is_none()) {
        let nothing = text(STRIP[0] - 62.0, sheet.y + 6.0, 11.0, GREY, "no local memory");
        return sheet.add(nothing);
    }
    let does = if stream.kind().starts_with("put") { "read" } else { "written" };
    let caption = format!("words of local memory {does}; the paler, the earlier");
    sheet.add(text(STRIP[0] - 62.0, sheet.y + 6.0, 11.0, GREY, caption));
    let scale = STRIP[1] / window.len() as f64;
    for (s, colour) in SECTION.iter().enumerate() {
        let y = top + 20.0 * s as f64;
        sheet.add(right(STRIP[0] - 8.0, y + 12.0, 11.0, INK, format!("section {s}")));
        sheet.add(rectangle(STRIP[0], y, STRIP[1], 15.0, PALE));
        let mut shades = vec![0u8; window.len()];
        for (word, place) in stream.words(s) {
            let age = (place + 1) as f64 / stream.beats.len() as f64;
            if let Some(shade) = shades.get_mut(word - window.start) {
                *shade = (SHADES * (0.2 + 0.8 * age)).ceil() as u8;
            }
        }
        for (range, shade) in runs(shades.into_iter()) {
            if shade > 0 {
                let x = STRIP[0] + range.start as f64 * scale;
                let bar = rectangle(x, y, range.len() as f64 * scale, 15.0, colour);
                sheet.add(bar.set("fill-opacity", round(f64::from(shade) / SHADES)));
            }
        }
    }
    let bottom = top + 20.0 * SECTIONS as f64 - 5.0;
    let bank = core.lmem_words() / core.banks();
    let at = |word: usize| STRIP[0] + (word - window.start) as f64 * scale;
    for word in (bank..core.lmem_words()).step_by(bank).filter(|word| window.contains(word)) {
        if word > window.start {
            let line = Line::new().set("x1", at(word)).set("x2", at(word));
            let line = line.set("y1", top).set("y2", bottom).set("stroke", INK);
            sheet.add(line.set("stroke-dasharray", "2 2"));
        }
    }
    let middle = window.start + window.len() / 2;
    sheet.add(text(STRIP[0], bottom + 13.0, 10.0, GREY, format!("word {}", window.start)));
    sheet.add(centred(at(middle), bottom + 13.0, 10.0, GREY, middle.to_string()));
    let last = (window.end - 1).to_string();
    sheet.add(right(STRIP[0] + STRIP[1], bottom + 13.0, 10.0, GREY, last));
}
