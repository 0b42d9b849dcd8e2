//! Cores at random for random regions, and whether a core is right to refuse one.

use crate::dice::Dice;
use cp2_asm::{Diagnostic, Options, Scheduled, Sources, assemble_regions};
use cp2_isa::{Core, CoreNumbers, Extensions};

/// The core with this number.
pub(crate) fn random(number: u64) -> Core {
    let mut dice = Dice::new(number);
    let mut number = |low, high| dice.between(low, high) as u32;
    let numbers = CoreNumbers {
        fprs: if number(0, 3) == 0 { number(65, 256) } else { number(16, 64) },
        local_memory_words: 1024 << number(0, 5),
        arithmetic_latency: number(2, 12),
        load_latency: number(2, 6),
        psprmsgn_latency: number(1, 6),
        mtfpr_latency: number(1, 6),
        extensions: known_extensions(number(0, 31)),
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).expect("numbers within their limits")
}

/// A set of those extensions that the sequential interpreter knows.
fn known_extensions(bits: u32) -> Extensions {
    let known = [
        Extensions::WORD_ACCESS,
        Extensions::CONDITIONAL_MEMORY,
        Extensions::FFT_DIRECTION,
        Extensions::SECTION_ADDRESSING,
        Extensions::SECTION_COUNTERS,
    ];
    let chosen = known.into_iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1);
    chosen.map(|(_, extension)| extension).collect()
}

/// The regions of a text, scheduled for a core.
pub(crate) fn regions(core: Core, text: &str) -> Result<Vec<Scheduled>, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let root = sources.add("random.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    Ok(assemble_regions(&mut sources, &[root], &mut none, options)?.regions)
}

/// Reason for which a core refuses a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// The core is too small: with all registers and words that the encoding reaches it would not refuse the region.
    Size(&'static str),
    /// The largest core with the same latencies would refuse the region too: more values are under way than there are
    /// registers, neighbours of a register of `.assign` are taken or are the other destination of an operation, or a promise
    /// cannot hold.
    Anywhere(&'static str),
}

/// Whether a diagnostic can be reported for a region on every core.
pub(crate) fn is_anywhere(d: &Diagnostic) -> bool {
    matches!(d.code, "C0309" | "C0604" | "C0605" | "C0610")
}

/// Returns the reason for which a core refuses a region with these diagnostics, or what is wrong with that.
pub(crate) fn judge(core: Core, text: &str, refused: &[Diagnostic]) -> Result<Refusal, String> {
    // Registers and words that the core lacks, values that find no register or no neighbours among
    // those that it has, and sets that meet in its small memory. What else is said follows from these,
    // or the largest core would say it as well.
    let is_size =
        |d: &&Diagnostic| matches!(d.code, "C0303" | "C0304" | "C0604" | "C0605" | "C0610");
    let refuted = refused.iter().find(|d| d.code == "C0609");
    let Some(first) = refused.iter().find(is_size).filter(|_| refuted.is_none()) else {
        let all: Vec<_> = refused.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
        return Err(all.join("; "));
    };
    let largest = CoreNumbers {
        fprs: core.numbers().fprs.max(Core::CP2.numbers().fprs),
        local_memory_words: Core::WIDEST.numbers().local_memory_words,
        ..*core.numbers()
    };
    let largest = Core::new(largest).expect("numbers within their limits");
    match regions(largest, text) {
        Ok(_) if core == largest => Err(format!("{}: {}", first.code, first.message)),
        Ok(_) => Ok(Refusal::Size(first.code)),
        Err(all) if all.iter().all(is_anywhere) => Ok(Refusal::Anywhere(all[0].code)),
        Err(all) => {
            let all: Vec<_> = all.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
            let (code, message) = (first.code, &first.message);
            Err(format!("{code}: {message}, on a large core: {}", all.join("; ")))
        }
    }
}
