//! The selection of the operations, registers and sections that a trace has.

use cp2_emu::trace::Event;
use cp2_ir::sites::{Site, short};
use cp2_isa::{Core, SECTIONS, Section, SectionMask, Storage};
use std::ops::Range;

/// Registers or words of a kind, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) storage: Storage,
    pub(crate) numbers: Range<usize>,
}

/// Lines of a source file, or of any.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lines {
    file: Option<String>,
    lines: Range<u32>,
}

/// The selection of what a trace shows: source lines, registers and words, and sections. A new selection shows
/// everything; each kind that is named is restricted to what is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    lines: Vec<Lines>,
    cells: Vec<Cells>,
    sections: SectionMask,
}

impl Default for Selection {
    fn default() -> Self {
        Self { lines: Vec::new(), cells: Vec::new(), sections: SectionMask::ALL }
    }
}

/// Returns the kinds that can be chosen whole.
fn kinds() -> impl Iterator<Item = Storage> {
    let is_kind = |s: &Storage| s.info().layout.is_numbered() && !is_beside(*s);
    Storage::ALL.into_iter().filter(is_kind)
}

/// Whether no operation names a kind of registers.
fn is_beside(storage: Storage) -> bool {
    matches!(storage, Storage::Iram | Storage::IramUpper | Storage::Loops | Storage::Calls)
}

impl Selection {
    /// Adds source lines whose operations are shown; once lines are named, operations of others are left out. The text
    /// is `12`, `12..20` (from 12 on, before 20), `fir.s:12` or `fir.s:12..20`.
    ///
    /// # Errors
    /// Returns a message if the text has none of these forms or the range is empty.
    pub fn add_lines(&mut self, text: &str) -> Result<(), String> {
        let wrong = || {
            format!("`{text}`: write lines as 12, 12..20 (from 12 on, before 20), or fir.s:12..20")
        };
        let (file, lines) = match text.rsplit_once(':') {
            Some((file, lines)) => (Some(file.to_owned()).filter(|f| !f.is_empty()), lines),
            None => (None, text),
        };
        let lines = range(lines).ok_or_else(wrong)?;
        self.lines.push(Lines { file, lines });
        Ok(())
    }

    /// Adds registers and words that are shown; once some are named, others are left out. The text has parts with
    /// commas between them: `f3`, `f0-f7`, `g2`, `rind`, a kind such as `fpr`, words of local memory as `[100]` or
    /// `[100..108]` (before 108).
    ///
    /// # Errors
    /// Returns a message if a part is malformed or names a register or word that the core does not have.
    pub fn add_registers(&mut self, text: &str, core: &Core) -> Result<(), String> {
        for part in text.split(',') {
            self.cells.push(cells(part.trim(), core)?);
        }
        Ok(())
    }

    /// Sets the sections that are shown, in place of all four. The text has their digits from 0 to 3, with or without
    /// commas, such as `02`.
    ///
    /// # Errors
    /// Returns a message if the text names no section or one that does not exist.
    pub fn set_sections(&mut self, text: &str) -> Result<(), String> {
        let mut mask = 0;
        for digit in text.chars().filter(|&c| c != ',') {
            let section = digit.to_digit(10).and_then(|n| Section::new(n as usize));
            let section = section.ok_or_else(|| {
                format!("`{text}`: sections are 0 to {}, such as 0 or 0,2", SECTIONS - 1)
            })?;
            mask |= SectionMask::one(section).bits();
        }
        if mask == 0 {
            return Err("no section is named; give their numbers, such as 0 or 0,2".to_owned());
        }
        self.sections = SectionMask::from_bits(mask);
        Ok(())
    }

    /// Returns the selected sections.
    pub(crate) fn sections(&self) -> SectionMask {
        self.sections
    }

    /// Returns the registers and words that were named; nothing if none were.
    pub(crate) fn cells(&self) -> &[Cells] {
        &self.cells
    }

    /// Returns true if the selection names source lines.
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Returns true if operations at this place in the source are shown: if no lines are named, or the place's line is
    /// one of them.
    pub fn takes_site(&self, site: &Site<'_>) -> bool {
        let is_there = |lines: &Lines| {
            let is_file =
                |name: &str| site.file.is_some_and(|file| file == name || short(file) == name);
            lines.file.as_deref().is_none_or(is_file)
                && site.file.is_some()
                && lines.lines.contains(&site.line)
        };
        self.lines.is_empty() || self.lines.iter().any(is_there)
    }

    /// Whether an operation of a selected place is selected: whether it writes a register that was named, if one was, and
    /// executes in one of the sections.
    pub(crate) fn takes<Moment>(&self, event: &Event<Moment>) -> bool {
        let writes = |cells: &Cells| {
            let is = |number: usize| {
                let mut written = event.written.iter().flatten();
                written.any(|written| written.destination.is(cells.storage, number))
            };
            cells.numbers.clone().any(is)
        };
        self.sections.meets(SectionMask::from_bits(event.enabled))
            && (self.cells.is_empty() || self.cells.iter().any(writes))
    }
}

/// Reads a range of numbers, `12` or `12..20`; `None` if it is empty or malformed.
fn range(text: &str) -> Option<Range<u32>> {
    let number = |text: &str| text.parse::<u32>().ok();
    let range = match text.split_once("..") {
        Some((from, to)) => number(from)?..number(to)?,
        None => number(text)?..number(text)?.checked_add(1)?,
    };
    Some(range).filter(|range| range.start < range.end)
}

fn cells(text: &str, core: &Core) -> Result<Cells, String> {
    let all = |storage: Storage| 0..(storage.info().count)(core);
    let named = |name: &str| Storage::from_name(name).filter(|(storage, _)| !is_beside(*storage));
    let found = if let Some(words) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        range(words).map(|words| Cells {
            storage: Storage::Lmem,
            numbers: words.start as usize..words.end as usize,
        })
    } else if let Some(storage) = kinds().find(|storage| storage.info().key == text) {
        Some(Cells { storage, numbers: all(storage) })
    } else if let Some((first, last)) = text.split_once('-') {
        let ends = named(first).zip(named(last));
        ends.filter(|((a, m), (b, n))| a == b && m <= n)
            .map(|((storage, m), (_, n))| Cells { storage, numbers: m..n + 1 })
    } else {
        named(text).map(|(storage, n)| Cells { storage, numbers: n..n + 1 })
    };
    let found = found.ok_or_else(|| {
        let kinds: Vec<_> = kinds().map(|storage| storage.info().key).collect();
        format!(
            "`{text}`: write registers as f3, f0-f7, rind, or a kind ({}), and words as [100] or [100..108]",
            kinds.join(", ")
        )
    })?;
    let count = all(found.storage).end;
    if found.numbers.end > count {
        let what = match found.storage {
            Storage::Lmem => "words of local memory",
            storage => storage.info().description,
        };
        return Err(format!("`{text}`: this core has {count} {what}, numbered from 0"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Cells, String> {
        cells(text, &Core::CP2)
    }

    #[test]
    fn registers_are_named_alone_in_ranges_and_by_kind() {
        let cells = |storage, numbers| Ok(Cells { storage, numbers });
        assert_eq!(of("f3"), cells(Storage::Fpr, 3..4));
        assert_eq!(of("g0-g7"), cells(Storage::Gpr, 0..8));
        assert_eq!(of("fpr"), cells(Storage::Fpr, 0..64));
        assert_eq!(of("rind"), cells(Storage::Rind, 0..1));
        assert_eq!(of("[100]"), cells(Storage::Lmem, 100..101));
        assert_eq!(of("[8190..8192]"), cells(Storage::Lmem, 8190..8192));
        for wrong in [
            "",
            "f",
            "f64",
            "f3-g4",
            "f4-f3",
            "x1",
            "[8192]",
            "[3..3]",
            "iram",
            "bundle 3",
            "[4294967295]",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        assert!(of("f64").unwrap_err().contains("has 64 floating-point registers"));
    }

    #[test]
    fn lines_and_sections_are_read() {
        let mut selection = Selection::default();
        for right in ["12", "12..20", "fir.s:3", "a:b.s:3..4"] {
            selection.add_lines(right).unwrap();
        }
        for wrong in ["", "x", "20..12", "fir.s", "fir.s:", "-1", "4294967295"] {
            assert!(selection.add_lines(wrong).is_err(), "{wrong}");
        }
        let site = |file, line| Site { kernel: None, label: None, offset: 0, file, line };
        assert!(selection.takes_site(&site(Some("dir/fir.s"), 3)));
        assert!(!selection.takes_site(&site(Some("dir/fir.s"), 4)));
        assert!(selection.takes_site(&site(Some("x.s"), 12)));
        assert!(!selection.takes_site(&site(None, 0)));
        selection.set_sections("0,3").unwrap();
        assert_eq!(selection.sections().bits(), 9);
        for wrong in ["", ",", "4", "x", "-1"] {
            assert!(selection.set_sections(wrong).is_err(), "{wrong}");
        }
    }
}
