//! Codes of directives, of memories and of control flow: C04.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0401",
        error,
        "unknown directive",
        "no such directive",
        "A line that begins with a dot is a directive, and there is none of this name."
    ),
    row!(
        "C0402",
        error,
        "end without an open block",
        "no such block is open",
        "`.endm`, `.endr`, `.else`, `.endif` and `.endallow` belong to the innermost block that is \
         open. No block is open here, or one of another kind."
    ),
    row!(
        "C0403",
        error,
        "block that is never closed",
        "opened here",
        "`.macro` ends with `.endm`, `.rept` with `.endr`, `.if` with `.endif`, `.allow` with \
         `.endallow`, each in the file or macro body that it begins in."
    ),
    row!(
        "C0404",
        error,
        "name of a macro or parameter that is already in use",
        "already in use",
        "A macro cannot have the name of an operation or of another macro, and its parameters \
         differ from each other."
    ),
    row!(
        "C0405",
        error,
        "expansion too deep",
        "too deep",
        "At most 64 macro calls, repetitions and included files may be open at once. A macro \
         that calls itself needs an `.if` that ends it."
    ),
    row!(
        "C0406",
        error,
        "expansion too large",
        "too large",
        "Macros and repetitions may make at most 16 MiB of text, more than any program that fits \
         needs."
    ),
    row!(
        "C0407",
        error,
        "wrong number of macro arguments",
        "wrong number of arguments",
        "A call gives an argument for every parameter; those with a default may be left out from \
         the end, or left empty."
    ),
    row!(
        "C0408",
        error,
        "included file cannot be read",
        "cannot be read",
        "The name is looked for relative to the file that includes it."
    ),
    row!(
        "C0409",
        error,
        "file includes itself",
        "is being read already",
        "The file is being included already, here or further out."
    ),
    row!(
        "C0410",
        error,
        "kernel defined twice",
        "defined again",
        "A kernel is one run of bundles; its name is unique in the program."
    ),
    row!(
        "C0411",
        error,
        "empty kernel or file",
        "empty",
        "A kernel has at least one bundle, and so has a `.hex` file."
    ),
    row!(
        "C0412",
        error,
        "wrong memory",
        "not in this memory",
        "Bundles belong to instruction memory and data to local memory. `.kernel` and `.code` \
         switch to instruction memory, `.lmem` to local memory."
    ),
    row!(
        "C0413",
        error,
        "instruction memory is full",
        "does not fit",
        "Instruction memory has {bundles} bundles."
    ),
    row!(
        "C0414",
        error,
        "local memory is full",
        "do not fit",
        "The local memory of a section has {words} words."
    ),
    row!(
        "C0415",
        error,
        "kernels overlap",
        "begins inside another",
        "Two kernels have bundles at the same address, because an `.org` placed one onto the \
         other."
    ),
    row!(
        "C0416",
        error,
        "data overlap",
        "placed onto other data",
        "A word of local memory is given a value twice. Data of `.lmem all` go to every section, \
         so data of one section must lie elsewhere."
    ),
    row!(
        "C0417",
        error,
        "`.org` goes back",
        "goes back",
        "Within a kernel the location counter moves up only; the bundles that are passed over \
         become `nop`."
    ),
    row!(
        "C0418",
        error,
        "wrong argument of a directive",
        "not one of the choices",
        "`.lmem` takes all or 0 to 3, `.dmabank` takes a bank from 0 to {last-bank}, both (of more \
         banks: all) or none, `.live` takes registers f0 to f{last-fpr} and rising ranges of them, \
         `.complex` and `.pair` take two values for each word. `.disjoint` takes two or more \
         different sets, `.assign` one register for each virtual one, and one that an operation \
         uses."
    ),
    row!(
        "C0419",
        error,
        "code that cannot be allowed",
        "cannot be allowed",
        "`@allow` and `.allow` take codes of the linter (C05..), C0310 for an undefined \
         `.bundle`, the control-flow rules C0450 to C0455, which the machine answers with an \
         error, and codes of checked runs (C08..) with a reason: `@allow(C0801 \"why\")`."
    ),
    row!(
        "C0420",
        error,
        "value of a directive out of range",
        "out of range",
        "Addresses, counts and alignments lie within the memory, counts are not negative, values \
         of `.pair` fit in 32 bits."
    ),
    row!(
        "C0421",
        error,
        "declared twice",
        "already declared",
        "The arguments and arrays of a kernel have different names, each argument a register of \
         its own, and each word such as `min=` occurs once in a line."
    ),
    row!(
        "C0422",
        error,
        "invalid place of an argument or an array",
        "invalid place",
        "An argument is in a register f, g, a, n, m or i, in half an FPR, or in `rind`, `rstep` or \
         `rmask`. An array begins at the label of local memory that has its name, or where `at=` says: \
         at a word, or at the address in a g or an a register."
    ),
    row!(
        "C0423",
        error,
        "malformed declaration",
        "not understood",
        "`.arg` takes a type of elements for an FPR, and `min=`, `max=`, `multiple=` and `default=` for \
         whole numbers. `.array` takes `in`, `out` or `inout`, a type, a size for each axis, and \
         `layout=`, `pack=` and `at=`. Sizes are numbers from 1, or made of arguments with `+`, `-`, \
         `*` and `/`."
    ),
    row!(
        "C0450",
        allowed,
        "control operation in a delay slot",
        "in a delay slot",
        "The bundle after `jump`, `jumpi`, `call`, `calli` or `ret` issues before the flow goes on \
         elsewhere. A jump, call, `ret`, `do`, `enddo`, `stop`, `sync` or `run` there stops the \
         machine with an error."
    ),
    row!(
        "C0451",
        allowed,
        "control operation at the end of a loop",
        "at the end of a loop",
        "The body of `do` and `doi` goes to the bundle after `end`. Neither the bundle at `end` \
         nor the one after it may hold a jump, call, `ret`, `do`, `enddo`, `stop`, `sync` or \
         `run`."
    ),
    row!(
        "C0452",
        allowed,
        "end of a loop in a delay slot",
        "its delay slot ends a loop",
        "The decision to repeat a loop and a jump would take effect in the same cycle. A jump may \
         not issue directly before a loop's `end`."
    ),
    row!(
        "C0453",
        allowed,
        "outer loop ends before the inner one",
        "ends too late",
        "The `end` of an outer loop is at least one bundle behind the `end` of an inner loop, \
         two if the inner loop's count can be 0."
    ),
    row!(
        "C0454",
        allowed,
        "loop ends before it starts",
        "ends before it starts",
        "The body of a loop starts at the bundle after `do`; its `end` is that bundle or a later \
         one."
    ),
    row!(
        "C0455",
        allowed,
        "`run` in a kernel",
        "only from the host FIFO",
        "`run` and `runi` start a kernel and come from the control processor through the host \
         FIFO."
    ),
    row!(
        none "C0460",
        error,
        "not an object file of CP2",
        "",
        "The file is damaged, is not a big-endian ELF64 program of CP2, or an image cannot be \
         written as one. Objects are described in the book under object files.";
        "an object is binary; the tests damage one"
    ),
];
