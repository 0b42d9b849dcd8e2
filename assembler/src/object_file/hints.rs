//! The section `.cp2.hints`: lines of text, one hint each.

use super::ObjectError;
use crate::image::Hints;
use cp2_isa::{BundleAddress, Core};
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns the hints as text.
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

/// Reads the hints of a text, for a core.
pub(super) fn from_text(bytes: &[u8], core: &Core) -> Result<Hints, ObjectError> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| ObjectError::new("the hints are not UTF-8"))?;
    let mut lists = Lists::default();
    for (i, line) in text.lines().enumerate() {
        lists
            .add(line, core)
            .ok_or_else(|| ObjectError::new(format!("line {} of the hints is malformed", i + 1)))?;
    }
    // Maps are made of whole lists sooner than hint by hint.
    let Lists { allowed, live_out, dma_banks } = lists;
    let codes = |(address, Codes { codes, .. })| (address, codes);
    Ok(Hints {
        allowed: allowed.into_iter().map(codes).collect(),
        live_out: live_out.into_iter().collect(),
        dma_banks: dma_banks.into_iter().collect(),
    })
}

/// Codes, and the words that they were read from.
#[derive(Clone)]
struct Codes<'t> {
    text: &'t str,
    codes: Arc<[String]>,
}

impl<'t> Codes<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, codes: items(text).map(str::to_owned).collect() }
    }
}

/// The hints of the lines so far.
#[derive(Default)]
struct Lists<'t> {
    allowed: Vec<(BundleAddress, Codes<'t>)>,
    live_out: Vec<(String, Vec<u8>)>,
    dma_banks: Vec<(BundleAddress, u8)>,
}

impl<'t> Lists<'t> {
    fn add(&mut self, line: &'t str, core: &Core) -> Option<()> {
        let mut words = line.split(' ');
        let (what, key, value) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() {
            return None;
        }
        let address = || key.parse().ok().map(BundleAddress);
        match what {
            "allow" => {
                let before = self.allowed.last().map(|(_, codes)| codes);
                let same = before.filter(|before| before.text == value).cloned();
                self.allowed.push((address()?, same.unwrap_or_else(|| Codes::of(value))));
            }
            "live" => {
                let fpr = |r: &str| r.parse().ok().filter(|&r: &u8| core.has_fpr(r.into()));
                let registers: Option<Vec<u8>> = items(value).map(fpr).collect();
                self.live_out.push((key.to_owned(), registers?));
            }
            "dma" => {
                let is_bank = |banks: &u8| banks & !core.bank_mask() == 0;
                self.dma_banks.push((address()?, value.parse().ok().filter(is_bank)?));
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns the items between commas.
fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').filter(|item| !item.is_empty())
}
