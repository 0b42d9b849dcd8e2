//! The languages of the texts that the server knows.

use cp2_isa::machine::Key;
use std::path::Path;

/// Directives that sources of CP2 alone have; most have one of them.
const OF_CP2: [&str; 4] = ["kernel", "linear", "lmem", "dmabank"];
/// Directives that sources of GNU assemblers have, and no source of CP2.
const OF_GNU: [&str; 12] = [
    "text",
    "section",
    "globl",
    "type",
    "size",
    "file",
    "cfi_startproc",
    "p2align",
    "syntax",
    "intel_syntax",
    "ident",
    "arch",
];

/// Whether a text has directives of GNU assemblers and none of those that mark sources of CP2.
fn is_of_other_assembler(text: &str) -> bool {
    let directives = || {
        let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix('.'));
        lines.filter_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
    };
    !directives().any(|name| OF_CP2.contains(&name))
        && directives().any(|name| OF_GNU.contains(&name))
}

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextLanguage {
    /// Assembly or linear code of CP2.
    Assembly,
    /// Program of the STAR machine.
    Star,
    /// Machine file, in TOML.
    Machine,
    /// Workload file, in TOML.
    Workload,
    /// Loop nest, in the subset of C that `cp2-nest` reads.
    Nest,
    /// Text of another form, of which nothing is told: TOML with other tables, C that includes other files and so is no nest, assembly of
    /// another assembler.
    Other,
}

impl TextLanguage {
    /// Returns the language of a text by the end of its name; that of a TOML text by the tables that it has.
    pub(crate) fn of(uri: &str, text: &str) -> Self {
        match Path::new(uri).extension().and_then(|end| end.to_str()) {
            Some("star") => Self::Star,
            Some("toml") => Self::of_toml(text),
            Some("c") => Self::of_c(text),
            _ if is_of_other_assembler(text) => Self::Other,
            _ => Self::Assembly,
        }
    }

    fn of_toml(text: &str) -> Self {
        let sections = Key::sections();
        let headers = text.lines().map(str::trim).filter(|line| line.starts_with('['));
        headers
            .filter_map(|line| {
                match line.trim_start_matches('[').split([']', '.']).next()?.trim() {
                    "variant" => Some(Self::Workload),
                    section => sections.contains(&section).then_some(Self::Machine),
                }
            })
            .next()
            .unwrap_or(Self::Other)
    }

    fn of_c(text: &str) -> Self {
        let is_inclusion =
            |line: &str| line.trim_start_matches([' ', '\t', '#']).starts_with("include");
        let mut directives = text.lines().map(str::trim_start).filter(|line| line.starts_with('#'));
        if directives.any(is_inclusion) { Self::Other } else { Self::Nest }
    }
}
