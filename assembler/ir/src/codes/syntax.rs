//! Codes of the text itself and of values: C01 and C02.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0101",
        error,
        "unexpected text",
        "not understood from here on",
        "A line is labels, then a bundle, a directive or a macro call, then a comment. The \
         message tells what could stand at the caret."
    ),
    row!(
        "C0102",
        error,
        "malformed number",
        "not a number",
        "Numbers are decimal, hexadecimal after `0x` or binary after `0b`, at most 64 bits; `_` \
         may separate digits. Floats are decimal, with a fraction or an exponent."
    ),
    row!(
        "C0103",
        error,
        "malformed file name",
        "not a file name in quotes",
        "The name of an included file is written in quotes that close on the same line. It is not \
         empty."
    ),
    row!(
        "C0105",
        error,
        "bundle without an operation",
        "no operation",
        "A bundle has an operation on at least one side of `|`, also behind a predicate. A bundle \
         that does nothing is `nop`."
    ),
    row!(
        "C0106",
        error,
        "predicate in the middle of a bundle",
        "belongs at the front of the bundle",
        "A bundle has one predicate. It is written before both operations and enables sections for \
         the arithmetic operation and for `psprmsgn`."
    ),
    row!(
        "C0107",
        error,
        "more than two slots",
        "one slot too many",
        "A bundle has an arithmetic and an exchange operation, with one `|` between them."
    ),
    row!(
        "C0108",
        error,
        "unknown name after a backslash",
        "unknown name",
        "`\\name` is replaced by an argument of the macro whose body the line is in, or by the \
         number of an iteration of `.rept`. Outside of both, or with another name, it is an error."
    ),
    row!(
        "C0109",
        error,
        "too many open brackets",
        "one bracket too many",
        "At most 64 brackets of an expression may be open at once."
    ),
    row!(
        "C0110",
        error,
        "unknown annotation",
        "not `@allow(...)`",
        "The only annotation is `@allow(CODE, ...)`, after the operations of a bundle. It tells \
         the linter that a finding with the code is deliberate."
    ),
    row!(
        hex "C0111",
        error,
        "malformed line of a .hex file",
        "not a bundle",
        "A line of a `.hex` file is one bundle, written as 16 hexadecimal digits; comments begin \
         with `;` or `#`, and empty lines are ignored."
    ),
    row!(
        "C0201",
        error,
        "undefined symbol",
        "not defined",
        "No label, `.equ` or kernel of this file or of a file that it includes has this name, and \
         no `.global` symbol of another file. A name is reported once for each file."
    ),
    row!(
        "C0202",
        error,
        "symbol defined twice",
        "defined again",
        "Labels, constants and kernels share one set of names in a file and what it includes; a \
         `.global` symbol is unique in the whole program. In a macro `name\\@` makes a label \
         unique."
    ),
    row!(
        "C0203",
        error,
        "reserved name used for a symbol",
        "reserved",
        "Names that read as registers with any number (`f1`, `n16`, `cc9`), names of control \
         registers, `all`, `fcsr`, `fccr`, `if`, `inf` and `nan` are reserved and cannot be \
         symbols."
    ),
    row!(
        "C0204",
        error,
        "result that does not fit in 64 bits",
        "overflows",
        "Expressions are computed exactly; every intermediate result lies between -2^63 and 2^64 \
         - 1."
    ),
    row!(
        "C0205",
        error,
        "division by zero",
        "the divisor is 0",
        "`/` and `%` need a divisor that is not 0."
    ),
    row!(
        "C0206",
        error,
        "circular definition",
        "needs itself",
        "A constant may use symbols that are defined later, but its value must not depend on \
         itself, directly or through others."
    ),
    row!(
        "C0207",
        error,
        "not an integer",
        "not an integer",
        "An integer is needed, and the expression is a float or a register. `f32(x)` gives the \
         bits of a float in single precision; a register's number can be computed: `f{2*k}`."
    ),
    row!(
        "C0208",
        error,
        "unknown function",
        "unknown function",
        "The functions are abs(x), bitrev(x, bits), f32(x), log2(x), max(...), min(...), \
         or(...)."
    ),
    row!(
        "C0209",
        error,
        "wrong argument",
        "wrong argument",
        "A function has the wrong number of arguments or is not defined for them, or a shift is \
         not by 0 to 63 bits."
    ),
    row!(
        "C0210",
        error,
        "value not known yet",
        "not known yet",
        "The values of `.if`, `.rept`, `.org`, `.align`, `.zero`, `.lmem` and `.dmabank` decide \
         what the lines after them are, so they may use only symbols that are defined before \
         them."
    ),
    row!(
        "C0211",
        error,
        "exported symbol not defined",
        "not defined in this file",
        "`.global` makes a symbol that this file defines visible to the others. To use the \
         symbol of another file nothing has to be declared."
    ),
    row!(
        "C0212",
        warning,
        "local symbol hides a global one",
        "hides the global symbol",
        "The file defines a symbol whose name another file has made global. In this file the name \
         means the local symbol."
    ),
];
