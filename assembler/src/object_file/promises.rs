//! The section `.cp2.promises`: lines of text. The first is `version 1`; each region is a line
//! `region START END NAME`, and its promises follow: `count GPR AT MIN MULTIPLE PLACE`, `disjoint SETS PLACE`,
//! `even SETS PLACE`. A place is `FILE:LINE:COLUMN` with the number of the file, or `-`.

use super::ObjectError;
use crate::image::SourcePosition;
use crate::linear::{ABSOLUTE, PLACES};
use crate::names;
use crate::promises::{CountPromise, Promises, SetPromise};
use cp2_isa::{BundleAddress, Core};
use std::fmt::Write as _;

const VERSION: &str = "version 1";

/// Returns the promises as text; nothing if there are none.
pub(super) fn to_text(all: &[Promises]) -> String {
    let mut text = String::new();
    if !all.is_empty() {
        let _ = writeln!(text, "{VERSION}");
    }
    for Promises { name, start, end, counts, disjoint, even } in all {
        let _ = writeln!(text, "region {} {} {name}", start.0, end.0);
        for CountPromise { gpr, at, min, multiple, place } in counts {
            let _ = writeln!(text, "count {gpr} {} {min} {multiple} {}", at.0, place_text(*place));
        }
        for (word, promises) in [("disjoint", disjoint), ("even", even)] {
            for SetPromise { sets, place } in promises {
                let sets: Vec<String> = sets.iter().map(u8::to_string).collect();
                let _ = writeln!(text, "{word} {} {}", sets.join(","), place_text(*place));
            }
        }
    }
    text
}

fn place_text(place: Option<SourcePosition>) -> String {
    place.map_or("-".to_owned(), |p| format!("{}:{}:{}", p.file, p.line, p.column))
}

/// Reads the promises of a text, for a program on a core that names so many files.
pub(super) fn from_text(
    bytes: &[u8],
    core: &Core,
    n_files: usize,
) -> Result<Vec<Promises>, ObjectError> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| ObjectError::new("the promises are not UTF-8"))?;
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != VERSION) {
        return Err(ObjectError::new("the promises are of another version of cp2"));
    }
    let mut all = Vec::new();
    for (i, line) in lines {
        promise(line, core, n_files, &mut all).ok_or_else(|| {
            ObjectError::new(format!("line {} of the promises is malformed", i + 1))
        })?;
    }
    Ok(all)
}

fn promise(line: &str, core: &Core, n_files: usize, all: &mut Vec<Promises>) -> Option<()> {
    let words: Vec<&str> = line.split(' ').collect();
    let place = |text: &str| -> Option<Option<SourcePosition>> {
        if text == "-" {
            return Some(None);
        }
        let numbers: Option<Vec<u32>> = text.split(':').map(|n| n.parse().ok()).collect();
        let [file, line, column] = numbers?[..] else { return None };
        ((file as usize) < n_files).then_some(Some(SourcePosition { file, line, column }))
    };
    let sets = |text: &str| -> Option<Vec<u8>> {
        let known = |s: &u8| usize::from(*s) < PLACES;
        text.split(',').map(|s| s.parse().ok().filter(known)).collect()
    };
    let address = |text: &str| text.parse().ok().map(BundleAddress);
    match words[..] {
        ["region", start, end, name] => {
            let (start, end) = (address(start)?, address(end)?);
            let is_ordered = start < end && end.index() <= core.iram_bundles();
            let is_next = all.last().is_none_or(|last| last.end <= start);
            if !is_ordered || !is_next || !names::is_identifier(name) {
                return None;
            }
            all.push(Promises { name: name.to_owned(), start, end, ..Promises::default() });
        }
        ["count", gpr, at, min, multiple, at_line] => {
            let gpr = gpr.parse().ok().filter(|g: &u8| *g < 16)?;
            let region = all.last_mut()?;
            let at = address(at).filter(|a| region.holds(*a))?;
            let (min, multiple) = (min.parse().ok()?, multiple.parse().ok().filter(|m| *m > 0)?);
            region.counts.push(CountPromise { gpr, at, min, multiple, place: place(at_line)? });
        }
        ["disjoint", list, at_line] => {
            let promise = SetPromise { sets: sets(list)?, place: place(at_line)? };
            all.last_mut()?.disjoint.push(promise);
        }
        ["even", list, at_line] => {
            let promise = SetPromise { sets: sets(list)?, place: place(at_line)? };
            let is_set = |s: &u8| *s < ABSOLUTE;
            let promise = promise.sets.iter().all(is_set).then_some(promise)?;
            all.last_mut()?.even.push(promise);
        }
        _ => return None,
    }
    Some(())
}
