//! Codes of checked runs: C08. What counts as written is said in `specs/src/checks.md`.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0801",
        checked,
        "undefined value is stored",
        "A store takes bits of a register that nothing has written, or that were computed from such \
         bits. Loads and arithmetic may meet undefined values, as a pipelined loop does that reads past an \
         array and drops what it gets; here the value stays."
    ),
    row!(
        "C0802",
        checked,
        "undefined condition code decides",
        "An operation obeys a condition code that no comparison has written, or that was computed \
         from values that nothing has written: which sections execute is left to chance."
    ),
    row!(
        "C0803",
        checked,
        "undefined address",
        "A load or store takes its address from a register that nothing has written, or that was \
         computed from such bits. After reset address registers are 0 in the model alone."
    ),
    row!(
        "C0804",
        checked,
        "undefined value decides the flow",
        "The count of a loop, the target of a jump or call, or the rounding mode comes from a \
         register that nothing has written, or was computed from such bits."
    ),
    row!(
        "C0805",
        checked,
        "undefined result",
        "What the caller gets is undefined: the stop code, COMM, STATUS, or elements of an array that \
         the kernel declares as `out` or `inout` and has not written when it stops. The place of an \
         element is the bundle that stops."
    ),
    row!(
        "C0806",
        checked,
        "store outside of all arrays",
        "The kernel declares its arrays, and stores into a word that belongs to none of them, nor \
         to data of the program or to what was loaded. Scratch space is declared with a label and \
         `.zero`."
    ),
    row!(
        "C0807",
        checked,
        "two words from an odd address",
        "An access of two words ignores the lowest bit of the address, so it moves the word before \
         instead of the word behind: elements are lost. `.even` promises that an address is even."
    ),
    row!(
        "C0808",
        promised,
        "broken promise of linear code",
        "The run does what a region promises that it does not: a count below `min=` or not a \
         multiple of `multiple=`, an odd address of an `.even` set, two sets of `.disjoint` that \
         reach the same word. What the scheduler made of the region may be wrong then, so the run \
         ends."
    ),
];
