//! The texts of routines of pages alone, one for each kind of page and cross-section of columns, so that their
//! schedules can be looked at and solved.

use super::columns::Columns;
use super::fused::InterpolationMode;
use super::staged::Records;
use super::{down, fused};
use cp2_isa::Core;

/// Names of the texts: what a page does, and the points of a plane of its column.
pub const PAGE_ROUTINES: [&str; 4] = ["fused_32x32", "fused_64x16", "down_32x32", "down_64x16"];

/// Returns the text of the routines with this name, behind a kernel that does nothing; `None` if there are none of the name,
/// or the local memory of the core has no room for such pages.
pub fn page_routines(core: &Core, name: &str) -> Option<String> {
    let records = Records::of(core)?;
    let (kind, size) = name.split_once('_')?;
    let columns = [Columns::SQUARE, Columns::WIDE].into_iter().find(|c| c.to_string() == size)?;
    let routines = match kind {
        "fused" => fused::Layout { columns, records }.routines(InterpolationMode::Add),
        "down" => down::Layout { columns, records }.routines(),
        _ => return None,
    };
    Some(format!(
        "; Routines of pages, {name}.\n        .kernel nothing\n        stopi 0\n{routines}"
    ))
}
