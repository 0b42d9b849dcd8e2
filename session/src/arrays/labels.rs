//! Words of local memory by the names of arrays: labels, and the space from one label to the next.

use super::Problem;
use super::placed::PlacedArray;
use super::session::Session;
use super::transfer::{ArrayTarget, FileTransfer};
use cp2_asm::image::{Symbol, SymbolKind};
use cp2_asm::nearest;

impl Session<'_> {
    /// Returns the word that a label or an address names.
    pub(super) fn base(&self, transfer: &FileTransfer) -> Result<usize, Problem> {
        let words = self.core.lmem_words();
        let outside = |address: String| {
            let message =
                format!("word {address} is outside local memory, which has {words} words");
            Problem::new(transfer, message)
        };
        let name = match &transfer.target {
            ArrayTarget::Address(address) => {
                let word = usize::try_from(*address).ok().filter(|word| *word < words);
                return word.ok_or_else(|| outside(address.to_string()));
            }
            ArrayTarget::Name(name) => name,
        };
        let named = || self.image.symbols.iter().filter(|symbol| symbol.name == *name);
        let word = named().find(|symbol| symbol.kind == SymbolKind::Word);
        let number = named().find(|symbol| symbol.kind == SymbolKind::Constant);
        if let Some(symbol) = word.or(number) {
            let word = usize::try_from(symbol.value).ok().filter(|word| *word < words);
            return word.ok_or_else(|| outside(symbol.value.to_string()));
        }
        Err(Problem::new(transfer, self.no_array(name)))
    }

    /// Returns the message about an array or a label that does not exist.
    fn no_array(&self, name: &str) -> String {
        let mut all: Vec<&str> = self.interface.arrays.iter().map(|a| a.name.as_str()).collect();
        let symbols = || self.image.symbols.iter();
        for label in symbols().filter(|s| s.kind == SymbolKind::Word).map(|s| s.name.as_str()) {
            if !all.contains(&label) {
                all.push(label);
            }
        }
        let help = match nearest(name, all.iter().copied()) {
            _ if self.interface.argument(name).is_some() => {
                format!("it is an argument: --arg {name}=VALUE")
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if symbols().any(|s| s.name == name) => "it is a label of bundles".to_owned(),
            None if all.is_empty() => {
                "the program has none; a word address works too: --load 100=in.npy".to_owned()
            }
            None => format!("there are {}", all[..all.len().min(20)].join(", ")),
        };
        let array = match self.interface.arrays.is_empty() {
            true => String::new(),
            false => format!("`{}` has no array `{name}`, and ", self.kernel),
        };
        format!("{array}there is no label `{name}` of local memory; {help}")
    }

    /// Refuses an array that reaches beyond the space at its label, or beyond local memory.
    pub(super) fn check_space(
        &self,
        place: &str,
        name: &str,
        placed: &PlacedArray,
    ) -> Result<(), Problem> {
        let words = self.core.lmem_words();
        let is_label = |s: &&Symbol| s.kind == SymbolKind::Word && s.value > placed.base as i64;
        let is_labelled =
            self.image.symbols.iter().any(|s| {
                s.kind == SymbolKind::Word && s.name == name && s.value == placed.base as i64
            });
        let next = self.image.symbols.iter().filter(is_label).min_by_key(|symbol| symbol.value);
        let (end, until) = match next {
            Some(symbol) if is_labelled => {
                (symbol.value as usize, format!("up to `{}`", symbol.name))
            }
            _ => (words, "up to the end of local memory".to_owned()),
        };
        let (needed, space) = (placed.words(), end.saturating_sub(placed.base));
        if placed.base <= words && needed <= space {
            return Ok(());
        }
        let message = format!(
            "{} elements of {} take {needed} words of a section from word {} on, and there are {space} {until}",
            placed.count(),
            placed.element.name(),
            placed.base
        );
        Err(Problem::new(place, message))
    }
}
