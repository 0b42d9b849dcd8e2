//! The section `.cp2.hints`: lines of text, one hint each.

use super::ObjectError;
use crate::image::Hints;
use cp2_isa::{BundleAddress, Core};
use std::fmt::Write as _;

/// The hints as text.
pub(super) fn to_text(hints: &Hints) -> String {
    let mut text = String::new();
    for (address, codes) in &hints.allowed {
        let _ = writeln!(text, "allow {address} {}", codes.join(","));
    }
    for (kernel, registers) in &hints.live_out {
        let list: Vec<_> = registers.iter().map(u8::to_string).collect();
        let _ = writeln!(text, "live {kernel} {}", list.join(","));
    }
    for (address, banks) in &hints.dma_banks {
        let _ = writeln!(text, "dma {address} {banks}");
    }
    text
}

/// The hints of a text, for a core.
pub(super) fn from_text(bytes: &[u8], core: &Core) -> Result<Hints, ObjectError> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| ObjectError::new("the hints are not UTF-8"))?;
    let mut hints = Hints::default();
    for (i, line) in text.lines().enumerate() {
        hint(line, core, &mut hints)
            .ok_or_else(|| ObjectError::new(format!("line {} of the hints is malformed", i + 1)))?;
    }
    Ok(hints)
}

fn hint(line: &str, core: &Core, hints: &mut Hints) -> Option<()> {
    let mut words = line.split(' ');
    let (what, key, value) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let address = || key.parse().ok().map(BundleAddress);
    let items = || value.split(',').filter(|item| !item.is_empty());
    match what {
        "allow" => {
            let codes = items().map(str::to_owned).collect();
            hints.allowed.insert(address()?, codes);
        }
        "live" => {
            let registers: Option<Vec<u8>> =
                items().map(|r| r.parse().ok().filter(|&r: &u8| core.has_fpr(r.into()))).collect();
            hints.live_out.insert(key.to_owned(), registers?);
        }
        "dma" => {
            let banks = value.parse().ok().filter(|&banks: &u8| banks & !core.bank_mask() == 0)?;
            hints.dma_banks.insert(address()?, banks);
        }
        _ => return None,
    }
    Some(())
}
