//! C0508, C0513: what a single bundle shows, whatever is around it.

use super::finding::Finding;
use super::program::Program;
use cp2_isa::{Bundle, BundleAddress, control, control_name};

/// Returns the findings of an image.
pub(super) fn findings(program: &Program<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (address, decoded) in program.bundles() {
        let bundle = &decoded.bundle;
        findings.extend(useless_predicate(address, bundle));
        findings.extend(move_without_effect(address, bundle));
    }
    findings
}

/// Reports a predicate that neither operation obeys.
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

/// Reports a `move` to a register that only the machine writes.
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
