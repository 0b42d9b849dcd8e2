//! Arrays that the programs of a workload file declare, as far as their texts tell before anything is assembled: for
//! options and for words of commands that name an array.

use super::{Code, Variant};
use crate::catalogue;
use cp2_asm::interface::ArrayDirection;
use cp2_asm::{MentionedArray, mentioned_arrays};
use cp2_isa::Core;
use cp2_session::Form;
use cp2_session::workload::Platform;

/// Arrays that the programs of a file declare.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// Names of the arrays, each once, and whether some kernel writes it.
    pub(super) arrays: Vec<(String, bool)>,
    /// Whether there may be others, because a program is no text, or makes names of arrays by macros.
    pub(super) may_have_others: bool,
}

impl Declared {
    /// Returns what the programs of these variants declare.
    pub(super) fn of(variants: &[Variant]) -> Self {
        let mut found = Self::default();
        for variant in variants {
            match &variant.code {
                Code::Shipped(name) => {
                    let kernel = catalogue::find(Platform::Cp2, name);
                    match kernel.and_then(|kernel| kernel.source(&Core::CP2).ok()) {
                        Some(text) => found.add(&text),
                        None => found.may_have_others = true,
                    }
                }
                Code::File { bytes, form: Form::Source, includes, .. } => {
                    found.add(&String::from_utf8_lossy(bytes));
                    includes.texts().for_each(|text| found.add(text));
                }
                Code::File { .. } => found.may_have_others = true,
            }
        }
        found
    }

    /// Adds what the lines of a source declare.
    fn add(&mut self, text: &str) {
        for array in mentioned_arrays(text) {
            let Some(MentionedArray { name, direction }) = array else {
                self.may_have_others = true;
                continue;
            };
            let is_written = direction != ArrayDirection::In;
            match self.arrays.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known |= is_written,
                None => self.arrays.push((name, is_written)),
            }
        }
    }
}
