//! Codes of the linter about rules that the sources leave open: C0520 and up, on request.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0520",
        open,
        "negative step of a bit-reversed address set",
        "With Mn = 0 an offset below 0 is subtracted in bit-reversed order, as -Nn is. The model \
         library has this case but never reaches it: its offset arrives unsigned, so it adds the \
         reversed offset modulo {words}. What the hardware does is open. Reported as \"may\" where \
         the mode is not known."
    ),
    row!(
        "C0521",
        open,
        "STATUS read behind a `mtc` to fccr",
        "A `mtc` to fccr leaves STATUS alone. In the model library it sets STATUS.FPE to 0, which \
         loses sticky flags. The host reads STATUS too; that is not reported."
    ),
    row!(
        "C0522",
        open,
        "flags raised while a `mtc` to fcsr is under way",
        "When a `mtc` to fcsr lands, STATUS.FPE becomes what it writes and what was raised \
         behind it. The model library drops what was raised since the `mtc` was issued. Reported \
         is a read of STATUS behind such flags."
    ),
    row!(
        "C0523",
        open,
        "index register read in the next bundle",
        "`move` and `mtfpr` see an index register one bundle after its write, as they see a \
         general register. The model library shows the old value there and notes that it should \
         not."
    ),
    row!(
        "C0524",
        open,
        "address register read in the bundle after a wide value",
        "An, Nn and Mn have {bits} bits. In the model library a `move` one bundle after the write \
         shows 16 bits of the value, later {bits}. Reported as \"may\" where the value is not \
         known."
    ),
    row!(
        "C0525",
        open,
        "one loop too many right behind the last",
        "Loop {loops+1} in each other sets LOE and replaces the innermost loop. The model \
         library notices that its stack is full three bundles after loop {loops}; before that it \
         writes behind the stack."
    ),
    row!(
        "C0526",
        open,
        "control operation in a nullified bundle",
        "A loop with a count of 0 nullifies the bundle behind its `do`, whatever that holds. In \
         the model library `sync`, `stop`, `run`, `enddo`, `start_dma` and a `do` with count 0 act \
         there all the same, and then the next bundle is nullified too. Reported as \"may\" where \
         the count is not known."
    ),
    row!(
        "C0527",
        open,
        "operation in front of `enddo` or a stop",
        "Operations act in the order of the program. In the model library `enddo` and stops act \
         when they issue, before the bundle in front: a `move` from lc or la there sees the loop \
         around, one from stopcode the new code; a `do` there is not ended; a `move` to status \
         there overwrites LUE."
    ),
    row!(
        "C0528",
        open,
        "loop count of more than 32 bits",
        "The count of `do` is the low 32 bits of its register. Where these are 0 and the others \
         are not, the model library executes the bundle behind the `do` and then leaves the loop; \
         here that bundle is nullified. Reported as \"may\" where the count is not known."
    ),
    row!(
        "C0529",
        open,
        "`move` to control of more than the rounding mode",
        "A kernel's `move` to control changes the rounding mode alone. The model library writes 32 \
         bits: ST stops at once, RS resets, I changes the coefficients. A value of 0 to 3 is not \
         reported, though the library clears I with it. Reported as \"may\" where the value is not \
         known."
    ),
    row!(
        "C0530",
        open,
        "`move` to status",
        "A `move` to status writes FPE, POE, PUE, LOE and LUE. The model library writes every \
         bit, RUN too, and goes on."
    ),
    row!(
        "C0531",
        open,
        "`move` to lc or la that is not kept",
        "With no active loop lc and la read 0 and are not written, and la has no bits but end and \
         start. The model library keeps what is written. Reported as \"may\" in procedures, which \
         may be called from a loop."
    ),
    row!(
        "C0532",
        open,
        "`move` of 0 to lc",
        "0 in lc ends the loop, as 1 does. In the model library it makes 2^32 iterations. Reported \
         as \"may\" where the value is not known."
    ),
    row!(
        "C0533",
        open,
        "flow that the machine refuses and the library follows",
        "Control operations in delay slots, at the end of a loop and behind it, jumps whose delay \
         slot is a loop's end, loops that end before they begin or behind the loop around them: an \
         error here. The model library executes them; what follows is not defined. Also reported \
         where the source allows them."
    ),
    row!(
        "C0534",
        open,
        "one register as both destinations",
        "An error here, and refused by the assembler. In the model library D stays for \
         `caddsub`, `psaddsub` and `swap64`, and the second destination for the others."
    ),
    row!(
        "C0535",
        open,
        "pairwise comparison into cc7",
        "An error here, and refused by the assembler. The model library writes a ninth condition \
         code."
    ),
    row!(
        "C0536",
        open,
        "`mtfpr` to section 5, 6 or 7",
        "An error here, and refused by the assembler. In the model library it does nothing."
    ),
    row!(
        "C0537",
        open,
        "`run` in a kernel",
        "An error here, and refused by the assembler. The model library goes on at its operand."
    ),
    row!(
        "C0538",
        open,
        "`move` to stopcode",
        "Only a stop writes STOPCODE. A `move` to it is an error here, and refused by the \
         assembler; the model library writes the register."
    ),
];
