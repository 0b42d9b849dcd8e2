//! Values of places as directives write them, and lists of `PLACE = VALUE`.

use crate::cursor::{Cursor, Number};
use crate::place::CasePlace;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use std::ops::Range;

/// Style in which a value is written, so that blessing writes it likewise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `0x1f`.
    Hex,
    /// `31`.
    Decimal,
    /// `1.5`, or `1.5:-2.0` where the place has two halves.
    Float,
    /// `?`: not known yet.
    Unknown,
}

/// Place and the value that it gets or has to have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    /// The place.
    pub(crate) place: CasePlace,
    /// Value in each section; which of the four count is the place's matter.
    pub(crate) values: Quad,
    /// Style in which the value is written.
    pub(crate) style: Style,
    /// Range of the value in the file, in bytes.
    pub(crate) range: Range<usize>,
}

impl Assignment {
    /// Returns those of the values that the place has: that of its section, those of all, or the only one.
    fn counting<'a>(&self, quad: &'a Quad) -> &'a [u64] {
        match self.place.section {
            Some(s) => &quad[s..=s],
            None if self.place.has_sections() => quad,
            None => &quad[..1],
        }
    }

    /// Whether the values that were found are the expected ones.
    pub(crate) fn is_met(&self, found: &Quad) -> bool {
        self.style != Style::Unknown && self.counting(found) == self.counting(&self.values)
    }

    /// Returns the text of found values in the style of the expected one.
    pub(crate) fn text(&self, quad: &Quad) -> String {
        let values = self.counting(quad);
        let texts: Vec<String> = values.iter().map(|&v| text(v, self.style, &self.place)).collect();
        match values.iter().all(|value| *value == values[0]) {
            true => texts[0].clone(),
            false => format!("{{{}}}", texts.join(", ")),
        }
    }

    /// Returns the text of the expected value.
    pub(crate) fn expected(&self) -> String {
        if self.style == Style::Unknown { "?".to_owned() } else { self.text(&self.values) }
    }
}

/// Returns the text of one value.
fn text(value: u64, style: Style, place: &CasePlace) -> String {
    let float = |half: u64| {
        let x = f32::from_bits(half as u32);
        let text = if x.is_nan() { "nan".to_owned() } else { format!("{x:?}") };
        let exact = !x.is_nan() || half == 0x7fff_ffff;
        exact.then_some(text)
    };
    match style {
        Style::Decimal => value.to_string(),
        Style::Float if place.half.is_some() => {
            float(value).unwrap_or_else(|| format!("{value:#x}"))
        }
        Style::Float => match (float(value >> 32), float(value & 0xffff_ffff)) {
            (Some(hi), Some(lo)) => format!("{hi}:{lo}"),
            _ => format!("{value:#x}"),
        },
        Style::Unknown if !place.is_wide() && place.bits() > 32 && value < 1 << 16 => {
            value.to_string()
        }
        Style::Hex | Style::Unknown => format!("{value:#x}"),
    }
}

/// Fits a whole number into so many bits; a negative one as its complement.
fn fit(number: i128, bits: u32) -> Result<u64, String> {
    let limit = 1i128 << bits;
    if (-limit / 2..limit).contains(&number) {
        Ok((number & (limit - 1)) as u64)
    } else {
        Err(format!("{number} does not fit into {bits} bits"))
    }
}

/// Reads one number of a place: whole, or two halves `HI:LO`.
fn scalar(cursor: &mut Cursor<'_>, place: &CasePlace) -> Result<(u64, Style), String> {
    let half = |number: Number| match number {
        Number::Whole(n, _) => fit(n, 32),
        Number::Float(x) => Ok(u64::from(x.to_bits())),
    };
    let style = |number: &Number| match number {
        Number::Whole(_, true) => Style::Hex,
        Number::Whole(_, false) => Style::Decimal,
        Number::Float(_) => Style::Float,
    };
    let first = cursor.number()?;
    if cursor.rest().starts_with(':') {
        cursor.eat(':');
        if !place.is_wide() || place.half.is_some() {
            return Err(format!("`{place}` has no halves: write one number"));
        }
        let second = cursor.number()?;
        return Ok((half(first)? << 32 | half(second)?, Style::Float));
    }
    match first {
        Number::Whole(n, _) => Ok((fit(n, place.bits())?, style(&first))),
        Number::Float(x) if place.half.is_some() => Ok((x.to_bits().into(), Style::Float)),
        Number::Float(x) if place.is_wide() => {
            Err(format!("{x:?} is half of `{place}`: write HI:LO, such as `{x:?}:0.0`"))
        }
        Number::Float(x) => Err(format!("{x:?} is not a whole number")),
    }
}

/// Reads the value of a place: one number, `{a, b, c, d}` for the sections, or `?`.
fn value(cursor: &mut Cursor<'_>, place: &CasePlace) -> Result<(Quad, Style), String> {
    if cursor.eat('?') {
        return Ok(([0; SECTIONS], Style::Unknown));
    }
    if !cursor.eat('{') {
        let (value, style) = scalar(cursor, place)?;
        return Ok(([value; SECTIONS], style));
    }
    if !place.has_sections() || place.section.is_some() {
        return Err(format!("`{place}` is not in every section: write one number"));
    }
    let mut values = [0; SECTIONS];
    let mut of_all = Style::Hex;
    for (s, slot) in values.iter_mut().enumerate() {
        if s > 0 {
            cursor.expect(',')?;
        }
        let (value, style) = scalar(cursor, place)?;
        *slot = value;
        of_all = if s == 0 || style == Style::Float { style } else { of_all };
    }
    cursor.expect('}')?;
    Ok((values, of_all))
}

/// Reads `PLACE = VALUE, VALUE, ...`: several values are those of the places that follow.
pub(crate) fn assignment(cursor: &mut Cursor<'_>, all: &mut Vec<Assignment>) -> Result<(), String> {
    let place = CasePlace::read(cursor)?;
    cursor.expect('=')?;
    for k in 0.. {
        let place = place.after(k)?;
        let position = cursor.position();
        let (values, style) = value(cursor, &place)?;
        all.push(Assignment { place, values, style, range: cursor.since(position) });
        if !cursor.eat(',') {
            break;
        }
    }
    Ok(())
}

/// Reads a list of assignments, separated by blanks.
pub(crate) fn assignments(cursor: &mut Cursor<'_>) -> Result<Vec<Assignment>, String> {
    let mut all = Vec::new();
    while !cursor.is_done() {
        assignment(cursor, &mut all)?;
    }
    if all.is_empty() { Err("expected `PLACE = VALUE`".to_owned()) } else { Ok(all) }
}
