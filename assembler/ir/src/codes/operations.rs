//! Codes of operations and their operands: C03.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0301",
        error,
        "unknown operation",
        "no such operation",
        "The name is neither an operation of CP2 nor a macro that is defined before this line. \
         Comparisons are written `c.RELATION.FORMAT`."
    ),
    row!(
        "C0302",
        error,
        "wrong number of operands",
        "wrong number of operands",
        "Every operation has a fixed number of operands; the help shows how it is written."
    ),
    row!(
        "C0303",
        error,
        "wrong operand",
        "wrong operand",
        "The operand is of a kind that the operation does not take here: another register file, \
         a number instead of a register, an address that steps in another way, `all` where one \
         section is needed."
    ),
    row!(
        "C0304",
        error,
        "register that does not exist",
        "does not exist",
        "There are f0..f{last-fpr}, g0..g15, i0..i15, address sets r0..r15 with a0..a15, \
         n0..n15, m0..m15, condition codes cc0..cc7 and sections s0..s3."
    ),
    row!(
        "C0305",
        error,
        "value out of range",
        "out of range",
        "The value does not fit in the field of the bundle that holds it. The assembler never \
         truncates a value."
    ),
    row!(
        "C0306",
        error,
        "operation on the wrong side of `|`",
        "wrong side",
        "Arithmetic operations are written before the `|`, exchange and control operations after \
         it. An operation alone on its line needs no `|`."
    ),
    row!(
        "C0307",
        error,
        "step of another address set",
        "another set's step",
        "The address of a set steps by the Nn of the same set: `(r1)+n1`, `(r1)-n1`."
    ),
    row!(
        "C0308",
        error,
        "no register after the last",
        "needs the next register too",
        "The operation uses a register and the one after it, and f{last-fpr} has none after it."
    ),
    row!(
        "C0309",
        error,
        "one register written twice",
        "writes one register twice",
        "An operation with two destinations needs two registers for them."
    ),
    row!(
        "C0310",
        allowed,
        "word that is not a bundle",
        "undefined",
        "The word given by `.bundle` is undefined: an unknown opcode, a register after \
         f{last-fpr}, a control register or section that does not exist. The machine stops on it \
         with an error. `@allow(C0310)` keeps the word, for tests of that error."
    ),
    row!(
        "C0311",
        error,
        "pairwise comparison into cc7",
        "needs the next condition code too",
        "A pairwise comparison sets a condition code and the one after it, and cc7 is the last."
    ),
    row!(
        "C0312",
        error,
        "address of the other memory",
        "address in another memory",
        "A label of local memory is used where the address of a bundle is needed, or the other way \
         round."
    ),
    row!(
        "C0313",
        error,
        "`move` to stopcode",
        "only `stop` and `stopi` write it",
        "STOPCODE is the operand of the last `stop`; a `move` to it has no meaning, and the model \
         stops with an error there. A kernel passes a value to its host by `stop`, by COMM or in \
         memory."
    ),
    row!(
        "C0314",
        error,
        "extension that the machine does not have",
        "needs an extension that is off",
        "An operation, a form of one, or a program that says so with `.requires` needs an extension \
         of the architecture. `--enable NAME`, or a machine file with the key of section \
         [extensions], gives a machine that has it. An object records what it needs."
    ),
    row!(
        "C0315",
        error,
        "unknown extension",
        "not an extension",
        "`.requires` names extensions of the architecture that the program relies on, with \
         commas between them."
    ),
];
