//! Codes of TOML files that users write (descriptors, workloads), and of the channel that runs descriptors: C07.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        toml "C0701",
        descriptors,
        "not TOML",
        "not TOML from here on",
        "A file of descriptors or of a workload is TOML: tables in brackets, `key = value` in each line. \
         Strings stand in quotes, whole numbers may be hexadecimal after `0x` or binary after \
         `0b`."
    ),
    row!(
        toml "C0702",
        descriptors,
        "unknown key",
        "not known here",
        "Each table has its own keys, and each kind of descriptor its own fields: a get has \
         no `flow`, a put no `pattern`. The message lists the keys that are known, and the help \
         the nearest of them."
    ),
    row!(
        toml "C0703",
        descriptors,
        "wrong value of a field",
        "wrong value",
        "The value is of another type than the field takes, or a word that it does not know. The \
         message gives the value and what the field takes."
    ),
    row!(
        toml "C0704",
        descriptors,
        "number out of range",
        "out of range",
        "The number is not among those that the key takes, which the message gives. In a file of \
         descriptors it does not fit into the bits of its field, or is not a multiple of what the \
         field counts in: `specs/src/dma.md` has the bits."
    ),
    row!(
        toml "C0705",
        descriptors,
        "missing key",
        "a key is missing",
        "The table means nothing without this key. In a descriptor steps and counts may be absent (no \
         step, a count of 1), and flags (false)."
    ),
    row!(
        hex "C0706",
        descriptors,
        "malformed word of a .hex file of descriptors",
        "not a word of 16 hexadecimal digits",
        "A `.hex` file of descriptors is words of 16 hexadecimal digits between blanks and \
         line ends; comments begin with `;` or `#`."
    ),
    row!(
        hex "C0707",
        descriptors,
        "incomplete descriptor",
        "incomplete descriptor",
        "A descriptor is 8 words of 64 bits, and a table has at least one."
    ),
    row!(
        toml "C0710",
        descriptors,
        "the channel stopped with a fault",
        "the channel stopped here",
        "The channel refused this descriptor or an access of it. Beats that had moved stay. The \
         message gives the cycle, the field or the address, and the limit."
    ),
    row!(
        toml "C0711",
        descriptors,
        "the chain does not come to its end",
        "the channel does not come to its end here",
        "The channel waits for a `start_dma` that never comes, or goes on from descriptor to \
         descriptor beyond `--max-cycles`. `--release` gives `start_dma` in cycles, \
         `--release-after` some cycles into every wait; `stop = true` ends a chain behind a \
         descriptor."
    ),
];
