//! Linear regions: the lines between `.linear` and `.endlinear` become a `linear::Region` (`draft`,
//! `directives`), are held against `rules`, scheduled and checked (`order`).

#[cfg(test)]
mod attributes;
mod directives;
mod draft;
mod order;
mod rules;

pub(crate) use draft::Draft;
pub(crate) use order::{Made, Ordered, Origins};

use super::context::Context;
use super::line::Loc;

/// Refuses a directive of linear code that stands outside of linear code.
pub(crate) fn stray(cx: &mut Context, loc: &Loc) {
    let d = loc.error("C0608", "this directive belongs in linear code");
    cx.reporter.report(d.help("write it between `.linear` and `.endlinear`"));
}

/// Refuses the end of a region where none is open.
pub(crate) fn no_region(cx: &mut Context, loc: &Loc) {
    cx.reporter.report(loc.error("C0608", "`.endlinear` without an open `.linear`"));
}
