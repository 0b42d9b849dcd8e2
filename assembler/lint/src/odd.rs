//! C0512: accesses of two words at odd addresses, whose lowest bit the machine ignores: immediate ones, and those that
//! follow from constants, labels and declared arrays.

use super::finding::Finding;
use super::flow::Graph;
use super::program::Program;
use super::trace::Trace;
use cp2_ir::image::SymbolKind;
use cp2_isa::{Address, Bundle, BundleAddress, WordAddress};

/// Returns the findings of an image.
pub(super) fn findings(graph: &Graph<'_>, trace: &Trace) -> Vec<Finding> {
    let program = graph.program;
    let one = |(at, bundle)| {
        let immediate = immediate(bundle).map(Some);
        let word = immediate.or_else(|| trace.odd.get(&at).copied())?;
        Some(finding(program, (at, bundle), word))
    };
    program.bundles().map(|(at, decoded)| (at, &decoded.bundle)).filter_map(one).collect()
}

/// Returns the odd address that stands in the bundle itself.
fn immediate(bundle: &Bundle) -> Option<WordAddress> {
    let access = bundle.exch.memory_access().filter(|access| access.words == 2)?;
    match access.address {
        Address::Word(word) if word.0 & 1 == 1 => Some(word),
        _ => None,
    }
}

/// Reports an access to two words at an odd address. `word` is the address, if more of it is known than that it is odd.
fn finding(
    program: &Program<'_>,
    (at, bundle): (BundleAddress, &Bundle),
    word: Option<WordAddress>,
) -> Finding {
    let name = bundle.exch.op.row().name;
    let which = match word {
        Some(word) => format!("the odd address {word}{}", symbol(program, word)),
        None => "an odd address".to_owned(),
    };
    let (label, help) = match word {
        Some(WordAddress(word)) => (
            format!("the machine moves words {} and {word}", word - 1),
            format!("write {}, or use two single accesses", word - 1),
        ),
        None => (
            "the machine moves the even word before it and this one".to_owned(),
            "step to an even address first, or use two single accesses".to_owned(),
        ),
    };
    let is_followed = !matches!(bundle.exch.address(), Some(Address::Word(_)));
    let help = match word {
        Some(_) if is_followed => {
            "begin the data at an even word (`.align 2`), step by even numbers, or use single accesses"
                .to_owned()
        }
        _ => help,
    };
    Finding::new("C0512", at, format!("`{name}` of two words at {which}")).label(label).help(help)
}

/// Returns the label at or before a word, with the distance from it; nothing without one.
fn symbol(program: &Program<'_>, word: WordAddress) -> String {
    let symbols = program.image.symbols.iter().filter(|s| s.kind == SymbolKind::Word);
    let before = symbols.filter(|s| s.value <= i64::from(word.0)).max_by_key(|s| s.value);
    match before.map(|s| (&s.name, i64::from(word.0) - s.value)) {
        Some((name, 0)) => format!(", `{name}`"),
        Some((name, behind)) => format!(", `{name}+{behind}`"),
        None => String::new(),
    }
}
