//! C0508, C0512, C0513: what a single bundle shows, whatever is around it.

use super::finding::Finding;
use super::program::Program;
use cp2_isa::rules::address::first_word;
use cp2_isa::{Address, Bundle, BundleAddress, control, control_name};

/// The findings of an image.
pub(super) fn findings(program: &Program<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (address, decoded) in program.bundles() {
        let bundle = &decoded.bundle;
        findings.extend(useless_predicate(address, bundle));
        findings.extend(odd_pair(address, bundle));
        findings.extend(move_without_effect(address, bundle));
    }
    findings
}

/// A predicate that neither operation obeys.
fn useless_predicate(address: BundleAddress, bundle: &Bundle) -> Option<Finding> {
    if bundle.cc == 0 || bundle.obeys_predicate() {
        return None;
    }
    let text = format!("`if(cc{})` on a bundle in which no operation obeys it", bundle.cc);
    Some(
        Finding::new("C0508", address, text)
            .label("this is executed in every section")
            .help("remove the predicate; load or compute aside and take over with `if(...) copy`"),
    )
}

/// Two words from an odd address: the lowest bit is ignored.
fn odd_pair(address: BundleAddress, bundle: &Bundle) -> Option<Finding> {
    let access = bundle.exch.memory_access()?;
    let Address::Word(word) = access.address else { return None };
    let first = first_word(word, access.words.into());
    (first != word).then(|| {
        let name = bundle.exch.op.row().name;
        let text = format!("`{name}` of two words at the odd address {word}");
        Finding::new("C0512", address, text)
            .label(format!("words {first} and {word} are meant to the machine"))
            .help(format!("write {first}, or use two single accesses"))
    })
}

/// A `move` to a register that only the machine writes.
fn move_without_effect(address: BundleAddress, bundle: &Bundle) -> Option<Finding> {
    let number = bundle.exch.control_written()?;
    let is_fixed = matches!(number, control::PC | control::PSP | control::LSP);
    is_fixed.then(|| {
        let name = control_name(number);
        Finding::new("C0513", address, format!("`move` to {name} has no effect"))
            .label(format!("{name} can only be read"))
            .help("use `jump`, `call` or `ret` to change the flow")
    })
}
