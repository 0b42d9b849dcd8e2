//! The numbers of a core in texts: what explanations say of latencies and sizes.

use cp2_isa::Core;
use cp2_isa::rules::landing::together_at;

/// Returns the text for a core: a name in braces stands for its number. A name that is in no table stays.
pub(super) fn for_core(text: &str, core: &Core) -> String {
    let mut out = text.to_owned();
    for (name, number) in numbers(core) {
        out = out.replace(&format!("{{{name}}}"), &number);
    }
    out
}

/// Returns the names of the numbers, each with its number on a core.
fn numbers(core: &Core) -> impl Iterator<Item = (&'static str, String)> {
    let l = core.latencies();
    let distance = |distance: u32| distance as usize;
    let meets_load = together_at(l.arithmetic, l.load).map(|d| format!("{d} bundles"));
    let numbers = [
        ("arithmetic", distance(l.arithmetic)),
        ("load", distance(l.load)),
        ("load-to-psprmsgn", distance(l.load_to_permute)),
        ("psprmsgn", distance(l.permute)),
        ("mtfpr", distance(l.to_fpr)),
        ("condition", distance(l.condition)),
        ("gpr-to-do", distance(l.gpr_to_loop)),
        ("gpr-to-stop", distance(l.gpr_to_stop)),
        ("comm", distance(l.comm_to_status)),
        ("before-mtc-lands", distance(l.condition).saturating_sub(2)),
        ("loops", core.loop_depth()),
        ("loops+1", core.loop_depth() + 1),
        ("bundles", core.iram_bundles()),
        ("words", core.lmem_words()),
        ("bits", core.address_bits() as usize),
        ("last-bank", core.banks() - 1),
        ("last-fpr", core.fprs() - 1),
    ];
    let as_text = numbers.into_iter().map(|(name, number)| (name, number.to_string()));
    as_text.chain([("meets-load", meets_load.unwrap_or("no bundles".to_owned()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;
    use cp2_isa::CoreNumbers;

    #[test]
    fn every_name_in_a_text_has_a_number() {
        for code in codes::all() {
            let text = code.text_for(&Core::CP2);
            // `f{2*k}` is the language's own.
            assert!(!text.replace("`f{2*k}`", "").contains('{'), "{}: {text}", code.code);
        }
    }

    #[test]
    fn distances_are_those_of_the_core() {
        let text = "{arithmetic} {load} {condition} {meets-load} {loops+1} {bits}";
        assert_eq!(for_core(text, &Core::CP2), "8 3 7 5 bundles 16 13");
        let numbers = CoreNumbers {
            arithmetic_latency: 4,
            load_latency: 6,
            loop_stack: 2,
            local_memory_words: 1024,
            ..*Core::CP2.numbers()
        };
        assert_eq!(for_core(text, &Core::new(numbers).unwrap()), "4 6 3 no bundles 3 10");
    }
}
