//! Names that the language keeps for itself, and what a name may look like. No symbols.

use crate::parse::ast::Prefix;
use cp2_isa::{Core, control, control_name};

/// Prefixes with how many registers each has.
const PREFIXES: [(&str, Prefix, u32); 10] = [
    ("cc", Prefix::Cc, 8),
    ("f", Prefix::F, 64),
    ("g", Prefix::G, 16),
    ("i", Prefix::I, 16),
    ("r", Prefix::R, 16),
    ("a", Prefix::A, 16),
    ("n", Prefix::N, 16),
    ("m", Prefix::M, 16),
    ("s", Prefix::S, 4),
    ("%", Prefix::Virtual, u32::MAX),
];

/// Returns the word by which `.dmabank` names all banks of a core.
pub(crate) fn all_banks(core: &Core) -> &'static str {
    if core.banks() == 2 { "both" } else { "all" }
}

/// Returns the prefix that is spelled so.
pub(crate) fn prefix(text: &str) -> Option<Prefix> {
    PREFIXES.iter().find(|(name, ..)| *name == text).map(|p| p.1)
}

/// Returns the spelling of a prefix.
pub(crate) fn prefix_name(prefix: Prefix) -> &'static str {
    PREFIXES.iter().find(|p| p.1 == prefix).map_or("?", |p| p.0)
}

/// Returns the number of registers that a prefix has on a core.
pub(crate) fn prefix_count(prefix: Prefix, core: &Core) -> u32 {
    match prefix {
        Prefix::F => core.fprs() as u32,
        _ => PREFIXES.iter().find(|p| p.1 == prefix).map_or(0, |p| p.2),
    }
}

/// Splits `f12` into its prefix and its number; numbers too large to exist stay too large.
pub(crate) fn numbered(text: &str) -> Option<(Prefix, u32)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = text.split_at(digits);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((prefix(letters)?, digits.parse().unwrap_or(u32::MAX)))
}

/// Returns the number of the control register of this name.
pub(crate) fn control_number(text: &str) -> Option<u8> {
    (0..control::COUNT).find(|&n| control_name(n) == text)
}

/// Whether the name means a register that has no number.
pub(crate) fn is_named_register(text: &str) -> bool {
    matches!(text, "all" | "fcsr" | "fccr") || control_number(text).is_some()
}

/// Whether no symbol may have this name.
pub(crate) fn is_reserved(text: &str) -> bool {
    matches!(text, "if" | "inf" | "nan") || is_named_register(text) || numbered(text).is_some()
}

/// Returns true if the text has the form of a name of a symbol, a macro or a kernel: ASCII letters, digits and `_`, no
/// digit at the begin. Reserved names have this form too.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true if a symbol or a kernel may have this name: it has the form of a name and is not reserved, as `f12` or
/// `status` is.
pub fn is_symbol_name(text: &str) -> bool {
    is_identifier(text) && !is_reserved(text)
}
