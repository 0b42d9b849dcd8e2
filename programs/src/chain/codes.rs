//! The codes of what can be wrong in a file of descriptors, as `cp2 explain` prints them. Those of
//! programs are the assembler's.

use cp2_asm::codes::Explanation;

pub(super) const NO_TOML: &str = "C0701";
pub(super) const UNKNOWN: &str = "C0702";
pub(super) const WRONG_TYPE: &str = "C0703";
pub(super) const OUT_OF_RANGE: &str = "C0704";
pub(super) const MISSING: &str = "C0705";
pub(super) const NO_WORD: &str = "C0706";
pub(super) const NOT_WHOLE: &str = "C0707";
/// The channel stopped at a descriptor.
pub const FAULT: &str = "C0710";
/// The channel waits for `start_dma`, or goes on beyond the limit of cycles.
pub const ENDLESS: &str = "C0711";

const GET: &str = "[[descriptor]]\nkind = \"get\"\nmemory = { base = 0x1000, burst = 8 }\nlocal = { base = 0, x = { step = 2, count = 8 } }\npattern = \"broadcast\"\nstop = true\n";

const TABLE: &str = "a600000000000000 0000000000000000 0000000000000000 0000000000000000\n0000000000000000 0000000000000000 0000000000000000 0000000000000000\n";

/// All of them, ascending.
pub const CODES: [Explanation; 9] = [
    Explanation {
        code: NO_TOML,
        title: "no TOML",
        text: "A file of descriptors is TOML: tables in brackets, `key = value` in each line. Strings stand in quotes, whole numbers may be hexadecimal after `0x` or binary after `0b`.",
        wrong: "[[descriptor]]\nkind = get\n",
        right: GET,
    },
    Explanation {
        code: UNKNOWN,
        title: "unknown key",
        text: "Each table has its own keys, and each kind of descriptor its own fields: a get has no `flow`, a put no `pattern`. The message lists the keys that are known.",
        wrong: "[[descriptor]]\nkind = \"get\"\nflow = 1\n",
        right: GET,
    },
    Explanation {
        code: WRONG_TYPE,
        title: "not what a field takes",
        text: "The value is of another type than the field takes, or a word that it does not know. The message tells both.",
        wrong: "[[descriptor]]\nkind = \"fetch\"\n",
        right: GET,
    },
    Explanation {
        code: OUT_OF_RANGE,
        title: "number out of range",
        text: "The number does not fit into the bits of its field, or is no multiple of what the field counts in. `specs/src/dma.md` has the bits.",
        wrong: "[[descriptor]]\nkind = \"get\"\nmemory = { base = 0x1000, burst = 64 }\n",
        right: GET,
    },
    Explanation {
        code: MISSING,
        title: "missing key",
        text: "The descriptor means nothing without this key. Steps and counts may be absent (no step, a count of 1), and flags (false).",
        wrong: "[[descriptor]]\nmemory = { base = 0x1000, burst = 8 }\n",
        right: GET,
    },
    Explanation {
        code: NO_WORD,
        title: "malformed word of a .hex file of descriptors",
        text: "A `.hex` file of descriptors is words of 16 hexadecimal digits between blanks and line ends; comments begin with `;` or `#`.",
        wrong: "80000000\n",
        right: TABLE,
    },
    Explanation {
        code: NOT_WHOLE,
        title: "no whole descriptors",
        text: "A descriptor is 8 words of 64 bits, and a table has at least one.",
        wrong: "8000000000000000\n",
        right: TABLE,
    },
    Explanation {
        code: FAULT,
        title: "the channel stopped with a fault",
        text: "The channel refused this descriptor or an access of it. Beats that had moved stay. The message tells the cycle, the field or the address, and the limit.",
        wrong: "[[descriptor]]\nkind = \"get\"\nmemory = { base = 0x1004, burst = 8 } # VM7 and VM9 take multiples of 16\nlocal = { base = 0, x = { step = 2, count = 8 } }\npattern = \"broadcast\"\nstop = true\n",
        right: GET,
    },
    Explanation {
        code: ENDLESS,
        title: "the chain does not come to its end",
        text: "The channel waits for a `start_dma` that nobody gives, or goes on from descriptor to descriptor beyond `--max-cycles`. `--release` gives `start_dma` in cycles, `--release-after` some cycles into every wait; `stop = true` ends a chain behind a descriptor.",
        wrong: "[[descriptor]]\nkind = \"jump\"\ntarget = \"relative\" # by 0: to itself, again and again\nindex = \"i0.low\"\n",
        right: "[[descriptor]]\nkind = \"jump\"\ntarget = \"relative\"\nindex = \"i0.low\"\nstop = true\n",
    },
];
