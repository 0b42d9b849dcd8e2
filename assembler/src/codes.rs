//! Every code that a diagnostic can have: its title, what it means, an example and its remedy. The
//! linter keeps its own (C05..) in `lint::codes`; [`explain`] knows both.

use crate::lint;
use cp2_isa::Core;

/// What there is to say about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// `C0101`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// One paragraph. Numbers of the core are names in braces; [`Explanation::text_for`] puts them in.
    pub text: &'static str,
    /// Source that has the error. A line `; file: NAME` begins another file: one that is assembled
    /// too if its name ends in `.s`, and one that can be included otherwise.
    pub wrong: &'static str,
    /// The same, in order.
    pub right: &'static str,
}

impl Explanation {
    /// The text, with the numbers of a core.
    pub fn text_for(&self, core: &Core) -> String {
        crate::core_text::for_core(self.text, core)
    }
}

/// An entry of the table: the explanation, and the text at the caret where a diagnostic has none.
struct Entry {
    explanation: Explanation,
    caret: &'static str,
}

const fn entry(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    wrong: &'static str,
    right: &'static str,
) -> Entry {
    Entry { explanation: Explanation { code, title, text, wrong, right }, caret }
}

/// The explanation of a code, of the assembler or of the linter.
pub fn explain(code: &str) -> Option<Explanation> {
    all().find(|e| e.code == code)
}

/// Every code, ascending.
pub fn all() -> impl Iterator<Item = Explanation> {
    let (before, after): (Vec<_>, Vec<_>) =
        of_assembler().partition(|e| e.code < lint::codes::CODES[0].code);
    before.into_iter().chain(lint::codes::CODES.iter().copied()).chain(after)
}

/// The codes of the assembler itself.
pub fn of_assembler() -> impl Iterator<Item = Explanation> {
    ENTRIES.iter().map(|e| e.explanation)
}

/// Text at the caret of a diagnostic that has no better one.
pub(crate) fn caret(code: &str) -> &'static str {
    ENTRIES.iter().find(|e| e.explanation.code == code).map_or("", |e| e.caret)
}

/// Whether `@allow` accepts a code; otherwise why not.
pub(crate) fn allowable(code: &str) -> Result<(), String> {
    let digits = code.strip_prefix('C').filter(|d| d.len() == 4);
    let Some(number) = digits.and_then(|d| d.parse::<u32>().ok()) else {
        return Err(format!("`{code}` is no code"));
    };
    match number {
        310 | 450..=459 | 500..=599 => Ok(()),
        _ => Err(format!("`{code}` cannot be allowed")),
    }
}

const ENTRIES: &[Entry] = &[
    entry(
        "C0101",
        "unexpected text",
        "not understood from here on",
        "A line is labels, then a bundle, a directive or a macro call, then a comment. The message \
         tells what could stand at the caret.",
        "    cadd f1, f2, f3 ldo f4, (r0)+2\n",
        "    cadd f1, f2, f3 | ldo f4, (r0)+2\n",
    ),
    entry(
        "C0102",
        "malformed number",
        "no number",
        "Numbers are decimal, hexadecimal after `0x` or binary after `0b`, at most 64 bits; `_` may \
         separate digits. Floats are decimal, with a fraction or an exponent.",
        "    addi f1, f2, 0b12\n",
        "    addi f1, f2, 0b1_0000_0010\n",
    ),
    entry(
        "C0103",
        "malformed file name",
        "no file name in quotes",
        "The name of an included file stands in quotes that are closed in the same line, and is not \
         empty.",
        ".include \"part.inc\n    nop\n",
        ".include \"part.inc\"\n    nop\n; file: part.inc\n.equ n, 4\n",
    ),
    entry(
        "C0105",
        "bundle without an operation",
        "nothing to do here",
        "One side of `|` may be left out, not both, and a predicate needs something to apply to. A \
         bundle that does nothing is `nop`.",
        "    if(cc3) |\n",
        "    nop\n",
    ),
    entry(
        "C0106",
        "predicate in the middle of a bundle",
        "belongs to the front",
        "A bundle has one predicate. It stands before both operations and enables sections for the \
         arithmetic operation and for `psprmsgn`.",
        "    nop | if(cc3) psprmsgn f0, f2, 0, 1, 2, 3\n",
        "    if(cc3) nop | psprmsgn f0, f2, 0, 1, 2, 3\n",
    ),
    entry(
        "C0107",
        "more than two slots",
        "one slot too many",
        "A bundle has an arithmetic and an exchange operation, with one `|` between them.",
        "    cadd f1, f2, f3 | lwi f4, 0 | lwi f5, 1\n",
        "    cadd f1, f2, f3 | lwi f4, 0\n    | lwi f5, 1\n",
    ),
    entry(
        "C0108",
        "unknown name after a backslash",
        "stands for nothing here",
        "`\\name` is replaced by an argument of the macro whose body the line is in, or by the \
         number of an iteration of `.rept`. Outside of both, or with another name, it means \
         nothing.",
        ".macro load reg\n    lwi f\\regg, 0\n.endm\n    load 1\n",
        ".macro load reg\n    lwi f\\reg, 0\n.endm\n    load 1\n",
    ),
    entry(
        "C0109",
        "too many open brackets",
        "one bracket too many",
        "At most 64 brackets of an expression may be open at once.",
        "    addi f1, f2, (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))\n",
        "    addi f1, f2, ((1))\n",
    ),
    entry(
        "C0110",
        "unknown annotation",
        "not `@allow(...)`",
        "After the operations of a bundle `@allow(CODE, ...)` may stand; it tells the linter that \
         what it would report is deliberate.",
        "    nop @deny(C0501)\n",
        "    nop @allow(C0501)\n",
    ),
    entry(
        "C0111",
        "malformed line of a .hex file",
        "no bundle",
        "A line of a `.hex` file is one bundle, written as 16 hexadecimal digits; comments begin with \
         `;` or `#`, and empty lines count for nothing.",
        "00000000040000\n",
        "0000000004000000\n",
    ),
    entry(
        "C0201",
        "undefined symbol",
        "not defined",
        "The name is no label, no `.equ` and no kernel of this file and what it includes, and no \
         `.global` symbol of another file. It is reported once for each file.",
        "    jumpi lop\n    nop\nloop:\n    stopi 0\n",
        "    jumpi loop\n    nop\nloop:\n    stopi 0\n",
    ),
    entry(
        "C0202",
        "symbol defined twice",
        "defined again",
        "Labels, constants and kernels share one set of names in a file and what it includes; a \
         `.global` symbol is unique in the whole program. In a macro `name\\@` makes a label \
         unique.",
        "a:  nop\na:  nop\n",
        "a:  nop\nb:  nop\n",
    ),
    entry(
        "C0203",
        "name of the machine used for a symbol",
        "taken",
        "Names that read as registers with any number (`f1`, `n16`, `cc9`), names of control \
         registers, `all`, `fcsr`, `fccr`, `if`, `inf` and `nan` cannot be symbols.",
        ".equ n1, 64\n    nop\n",
        ".equ count1, 64\n    nop\n",
    ),
    entry(
        "C0204",
        "result out of 64 bits",
        "overflows",
        "Expressions are computed exactly; every intermediate result lies between -2^63 and 2^64 - 1.",
        ".equ big, 0xffffffffffffffff * 2\n    nop\n",
        ".equ big, 0x7fffffffffffffff * 2\n    nop\n",
    ),
    entry(
        "C0205",
        "division by zero",
        "the divisor is 0",
        "`/` and `%` need a divisor that is not 0.",
        ".equ n, 0\n.equ half, 8 / n\n    nop\n",
        ".equ n, 2\n.equ half, 8 / n\n    nop\n",
    ),
    entry(
        "C0206",
        "circular definition",
        "needs itself",
        "A constant may use symbols that are defined later, but its value must not depend on itself, \
         nor on a chain of more than 200 such definitions.",
        ".equ a, b + 1\n.equ b, a - 1\n    nop\n",
        ".equ a, b + 1\n.equ b, 1\n    nop\n",
    ),
    entry(
        "C0207",
        "no integer",
        "no integer",
        "An integer is needed, and the expression is a float or a register. `f32(x)` gives the bits of \
         a float in single precision; a register's number can be computed: `f{2*k}`.",
        "    li3 f1, 1.5\n",
        "    li3 f1, f32(1.5) >> 16\n",
    ),
    entry(
        "C0208",
        "unknown function",
        "no function",
        "The functions are abs(x), bitrev(x, bits), f32(x), log2(x), max(...), min(...), or(...).",
        "    addi f1, f2, sqrt(4)\n",
        "    addi f1, f2, log2(4)\n",
    ),
    entry(
        "C0209",
        "wrong argument",
        "wrong argument",
        "A function has the wrong number of arguments or is not defined for them, or a shift is not by \
         0 to 63 bits.",
        "    addi f1, f2, log2(0)\n",
        "    addi f1, f2, log2(1)\n",
    ),
    entry(
        "C0210",
        "value not known yet",
        "not known yet",
        "The values of `.if`, `.rept`, `.org`, `.align`, `.zero`, `.lmem` and `.dmabank` decide what \
         the lines after them are, so they may use only symbols that are defined before them.",
        ".rept n\n    nop\n.endr\n.equ n, 3\n",
        ".equ n, 3\n.rept n\n    nop\n.endr\n",
    ),
    entry(
        "C0211",
        "exported symbol not defined",
        "not defined in this file",
        "`.global` makes a symbol that this file defines visible to the others. To use the symbol of \
         another file nothing has to be declared.",
        ".global entry\n    nop\n",
        ".global entry\nentry:\n    nop\n",
    ),
    entry(
        "C0212",
        "local symbol hides a global one",
        "hides the global symbol",
        "A warning: the file defines a symbol of its own whose name another file has made global. In \
         this file the name means the local one.",
        "size_of: nop\n; file: other.s\n.equ size_of, 5\n.global size_of\n",
        "size: nop\n; file: other.s\n.equ size_of, 5\n.global size_of\n",
    ),
    entry(
        "C0301",
        "unknown operation",
        "no such operation",
        "The word is no operation of CP2 and no macro that has been defined before. Comparisons are \
         written `c.RELATION.FORMAT`.",
        "    camdd f1, f2, f3\n",
        "    cmadd f1, f2, f3\n",
    ),
    entry(
        "C0302",
        "wrong number of operands",
        "wrong number of operands",
        "Every operation has a fixed number of operands; the help shows how it is written.",
        "    cadd f1, f2\n",
        "    cadd f1, f1, f2\n",
    ),
    entry(
        "C0303",
        "wrong operand",
        "another operand is needed",
        "The operand is of a kind that the operation does not take here: another register file, a \
         number instead of a register, an address that steps in another way, `all` where one section \
         is needed.",
        "    cadd f1, f2, g3\n",
        "    cadd f1, f2, f3\n",
    ),
    entry(
        "C0304",
        "register that does not exist",
        "does not exist",
        "There are f0..f{last-fpr}, g0..g15, i0..i15, address sets r0..r15 with a0..a15, n0..n15, m0..m15, \
         condition codes cc0..cc7 and sections s0..s3.",
        "    cadd f1, f2, f64\n",
        "    cadd f1, f2, f63\n",
    ),
    entry(
        "C0305",
        "value out of range",
        "out of range",
        "The value does not fit in the field of the bundle that holds it. Nothing is cut off silently.",
        "    addi f1, f2, 2048\n",
        "    addi f1, f2, 2047\n",
    ),
    entry(
        "C0306",
        "operation on the wrong side of `|`",
        "wrong side",
        "Arithmetic operations stand before the `|`, exchange and control operations after it. An \
         operation alone in its line needs no `|`.",
        "    lwi f1, 0 | cadd f2, f3, f4\n",
        "    cadd f2, f3, f4 | lwi f1, 0\n",
    ),
    entry(
        "C0307",
        "step of another address set",
        "another set's step",
        "The address of a set steps by the Nn of the same set: `(r1)+n1`, `(r1)-n1`.",
        "    lwnp f1, (r1)+n2\n",
        "    lwnp f1, (r1)+n1\n",
    ),
    entry(
        "C0308",
        "no register after the last",
        "needs the next register too",
        "The operation uses a register and the one after it, and f{last-fpr} has none after it.",
        "    ldi f63, 0\n",
        "    ldi f62, 0\n",
    ),
    entry(
        "C0309",
        "one register written twice",
        "writes one register twice",
        "An operation with two destinations needs two registers for them.",
        "    caddsub f1, f2, f3, f1\n",
        "    caddsub f1, f2, f3, f4\n",
    ),
    entry(
        "C0310",
        "word that is no bundle",
        "undefined",
        "The word given by `.bundle` is undefined: an unknown opcode, a register after f{last-fpr}, a control \
         register or section that does not exist. The machine stops on it with an error. For tests \
         of just that, `@allow(C0310)` keeps the word.",
        "    .bundle 0xff00000000000000\n",
        "    .bundle 0xff00000000000000 @allow(C0310)\n",
    ),
    entry(
        "C0311",
        "pairwise comparison into cc7",
        "needs the next condition code too",
        "A pairwise comparison sets a condition code and the one after it, and cc7 is the last.",
        "    c.lt.ps cc7, f1, f2\n",
        "    c.lt.ps cc6, f1, f2\n",
    ),
    entry(
        "C0312",
        "address of the other memory",
        "address in another memory",
        "A label of local memory stands where a bundle's address is needed, or the other way round.",
        "    lwi f1, here\nhere:\n    stopi 0\n",
        "    lwi f1, data\n    stopi 0\n.lmem all\ndata: .quad 1\n",
    ),
    entry(
        "C0313",
        "`move` to stopcode",
        "only `stop` and `stopi` write it",
        "STOPCODE is the operand of the last `stop`; a `move` to it has no meaning, and the model stops \
         with an error there. A kernel hands a value to its host by `stop`, by COMM or in memory.",
        "    move stopcode, g1\n    stopi 0\n",
        "    stop g1\n",
    ),
    entry(
        "C0401",
        "unknown directive",
        "no such directive",
        "A line that begins with a dot is a directive, and there is none of this name.",
        ".equal n, 3\n    nop\n",
        ".equ n, 3\n    nop\n",
    ),
    entry(
        "C0402",
        "end without a beginning",
        "closes nothing",
        "`.endm`, `.endr`, `.else`, `.endif` and `.endallow` belong to the innermost block that is open, \
         and none is, or one of another kind.",
        "    nop\n.endr\n",
        ".rept 2\n    nop\n.endr\n",
    ),
    entry(
        "C0403",
        "block that is never closed",
        "opened here",
        "`.macro` ends with `.endm`, `.rept` with `.endr`, `.if` with `.endif`, `.allow` with \
         `.endallow`, each in the file or macro body that it begins in.",
        "    nop\n.rept 2\n    nop\n",
        "    nop\n.rept 2\n    nop\n.endr\n",
    ),
    entry(
        "C0404",
        "name of a macro or parameter that is taken",
        "taken",
        "A macro cannot have the name of an operation or of another macro, and its parameters differ \
         from each other.",
        ".macro cadd x\n    nop\n.endm\n    nop\n",
        ".macro cadd2 x\n    nop\n.endm\n    nop\n",
    ),
    entry(
        "C0405",
        "expansion too deep",
        "too deep",
        "At most 64 macro calls, repetitions and included files may be open at once. A macro that calls \
         itself needs an `.if` that ends it.",
        ".macro again\n    again\n.endm\n    nop\n    again\n",
        ".macro again n\n.if \\n\n    nop\n    again \\n-1\n.endif\n.endm\n    again 3\n",
    ),
    entry(
        "C0406",
        "expansion too large",
        "too large",
        "Macros and repetitions may make at most 16 MiB of text, more than any program that fits needs.",
        ".rept 100000000\n.endr\n    nop\n",
        ".rept 1000\n.endr\n    nop\n",
    ),
    entry(
        "C0407",
        "wrong number of macro arguments",
        "wrong number of arguments",
        "A call gives an argument for every parameter; those with a default may be left out from the \
         end, or left empty.",
        ".macro add2 x, y\n    add f\\x, f\\x, f\\y\n.endm\n    add2 1\n",
        ".macro add2 x, y=0\n    add f\\x, f\\x, f\\y\n.endm\n    add2 1\n",
    ),
    entry(
        "C0408",
        "included file cannot be read",
        "cannot be read",
        "The name is looked for relative to the file that includes it.",
        ".include \"missing.inc\"\n    nop\n",
        ".include \"part.inc\"\n    nop\n; file: part.inc\n.equ n, 4\n",
    ),
    entry(
        "C0409",
        "file includes itself",
        "is being read already",
        "The file is being included already, here or further out.",
        "    nop\n.include \"part.inc\"\n; file: part.inc\n.include \"part.inc\"\n",
        "    nop\n.include \"part.inc\"\n; file: part.inc\n.equ n, 4\n",
    ),
    entry(
        "C0410",
        "kernel begun twice",
        "begun again",
        "A kernel is one run of bundles; its name is unique in the program.",
        ".kernel a\n    nop\n.kernel a\n    nop\n",
        ".kernel a\n    nop\n.kernel b\n    nop\n",
    ),
    entry(
        "C0411",
        "nothing in it",
        "empty",
        "A kernel has at least one bundle, and so has a `.hex` file.",
        ".kernel a\n.kernel b\n    nop\n",
        ".kernel a\n    nop\n.kernel b\n    nop\n",
    ),
    entry(
        "C0412",
        "wrong memory",
        "not in this memory",
        "Bundles belong to instruction memory and data to local memory. `.kernel` and `.code` lead to \
         the first, `.lmem` to the second.",
        "    nop\n    .quad 1\n",
        "    nop\n.lmem all\n    .quad 1\n",
    ),
    entry(
        "C0413",
        "instruction memory is full",
        "does not fit",
        "Instruction memory has {bundles} bundles.",
        ".rept 8193\n    nop\n.endr\n",
        ".rept 8192\n    nop\n.endr\n",
    ),
    entry(
        "C0414",
        "local memory is full",
        "do not fit",
        "The local memory of a section has {words} words.",
        "    nop\n.lmem all\n    .zero 8193\n",
        "    nop\n.lmem all\n    .zero 8192\n",
    ),
    entry(
        "C0415",
        "kernels overlap",
        "begins inside another",
        "Two kernels have bundles at the same address, because an `.org` placed one onto the other.",
        ".kernel a\n    nop\n    nop\n.kernel b\n.org 1\n    nop\n",
        ".kernel a\n    nop\n    nop\n.kernel b\n.org 2\n    nop\n",
    ),
    entry(
        "C0416",
        "data overlap",
        "placed onto other data",
        "A word of local memory is given a value twice. Data of `.lmem all` go to every section, so data \
         of one section must lie elsewhere.",
        "    nop\n.lmem all\n    .quad 1\n.lmem 2\n    .quad 2\n",
        "    nop\n.lmem all\n    .quad 1\n.lmem 2\n.org 1\n    .quad 2\n",
    ),
    entry(
        "C0417",
        "`.org` goes back",
        "goes back",
        "Within a kernel the location counter moves up only; the bundles that are passed over become \
         `nop`.",
        "    nop\n    nop\n.org 1\n    nop\n",
        "    nop\n    nop\n.org 3\n    nop\n",
    ),
    entry(
        "C0418",
        "wrong argument of a directive",
        "not one of the choices",
        "`.lmem` takes all or 0 to 3, `.dmabank` takes a bank from 0 to {last-bank}, both (of more banks: all) or none, `.live` takes registers f0 to \
         f{last-fpr} and rising ranges of them, `.complex` and `.pair` take two values for each word.",
        "    nop\n.lmem 4\n",
        "    nop\n.lmem 3\n",
    ),
    entry(
        "C0419",
        "code that cannot be allowed",
        "cannot be allowed",
        "`@allow` and `.allow` take codes of the linter (C05..), C0310 for an undefined `.bundle`, and the \
         control-flow rules C0450 to C0455, which the machine answers with an error.",
        "    nop @allow(C0305)\n",
        "    nop @allow(C0501)\n",
    ),
    entry(
        "C0420",
        "value of a directive out of range",
        "out of range",
        "Addresses, counts and alignments lie within the memory, counts are not negative, values of \
         `.pair` fit in 32 bits.",
        ".org 8192\n    nop\n",
        ".org 8191\n    nop\n",
    ),
    entry(
        "C0450",
        "control operation in a delay slot",
        "in a delay slot",
        "The bundle after `jump`, `jumpi`, `call`, `calli` or `ret` issues before the flow goes on \
         elsewhere. A jump, call, `ret`, `do`, `enddo`, `stop`, `sync` or `run` there is an error of \
         the machine.",
        "    jumpi out\n    sync\nout:\n    stopi 0\n",
        "    jumpi out\n    nop\nout:\n    sync\n    stopi 0\n",
    ),
    entry(
        "C0451",
        "control operation at the end of a loop",
        "at the end of a loop",
        "The body of `do` and `doi` goes to the bundle after `end`. Neither the bundle at `end` nor the \
         one after it may hold a jump, call, `ret`, `do`, `enddo`, `stop`, `sync` or `run`.",
        "    doi 4, last\n    nop\nlast:\n    sync\n    nop\n    stopi 0\n",
        "    doi 4, last\n    sync\nlast:\n    nop\n    nop\n    stopi 0\n",
    ),
    entry(
        "C0452",
        "end of a loop in a delay slot",
        "its delay slot ends a loop",
        "The decision to repeat a loop and a jump would take effect at once. A jump may not stand right \
         before a loop's `end`.",
        "    doi 4, last\n    enddo\n    jumpi out\nlast:\n    nop\n    nop\nout:\n    stopi 0\n",
        "    doi 4, last\n    enddo\n    jumpi out\n    nop\nlast:\n    nop\n    nop\nout:\n    stopi 0\n",
    ),
    entry(
        "C0453",
        "outer loop ends before the inner one",
        "ends too late",
        "The `end` of an outer loop is at least one bundle behind the `end` of an inner loop, two if the \
         inner loop's count can be 0.",
        "    doi 4, last\n    doi 4, last\n    nop\nlast:\n    nop\n    nop\n    stopi 0\n",
        "    doi 4, outer\n    doi 4, inner\n    nop\ninner:\n    nop\nouter:\n    nop\n    nop\n    stopi 0\n",
    ),
    entry(
        "C0454",
        "loop ends before it starts",
        "ends before it starts",
        "The body of a loop starts at the bundle after `do`; its `end` is that bundle or a later one.",
        "back:\n    nop\n    doi 4, back\n    nop\n    nop\n    stopi 0\n",
        "    nop\n    doi 4, last\nlast:\n    nop\n    nop\n    stopi 0\n",
    ),
    entry(
        "C0455",
        "`run` in a kernel",
        "only from the host FIFO",
        "`run` and `runi` start a kernel and come from the control processor through the host FIFO.",
        "    runi there\n    nop\nthere:\n    stopi 0\n",
        "    jumpi there\n    nop\nthere:\n    stopi 0\n",
    ),
    entry(
        "C0460",
        "no object file of CP2",
        "",
        "The file is damaged, is no big-endian ELF64 program of CP2, or an image cannot be written as \
         one. Objects are described in the book under object files.",
        "",
        "",
    ),
    entry(
        "C0601",
        "not in linear code",
        "not in linear code",
        "Between `.linear` and `.endlinear` stand operations, one a line, that the scheduler orders. \
         Labels, places, `|`, control operations and moves of the control registers that tell where \
         the program is do not go with that.",
        ".linear\n    cadd %x, f0, f1\n    jumpi 0\n.endlinear\n    stopi 0\n",
        ".linear\n    cadd %x, f0, f1\n    copy f2, %x\n.endlinear\n    jumpi 0\n    nop\n",
    ),
    entry(
        "C0602",
        "virtual register outside of linear code",
        "no register of the machine",
        "`%name` stands for a register that the scheduler chooses; that happens in linear code only.",
        "    cadd f0, f1, %x\n    stopi 0\n",
        "    cadd f0, f1, f2\n    stopi 0\n",
    ),
    entry(
        "C0603",
        "virtual register without a value",
        "nothing has written it",
        "A virtual register has no value at the start of its region. Operations that change a part of \
         a register, or some sections only, may be the first to write it.",
        ".linear\n    cadd f0, f1, %x\n.endlinear\n    stopi 0\n",
        ".linear\n    copy %x, f2\n    cadd f0, f1, %x\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0604",
        "registers that cannot be neighbours",
        "no neighbours",
        "An operation that takes a register and the next one names both, `%a:%b`. A virtual register \
         has one successor and one predecessor in the whole region; physical ones are fN and fN+1.",
        ".linear\n    ldi %a:%b, 0\n    ldi %a:%c, 2\n    cadd f0, %b, %c\n.endlinear\n    stopi 0\n",
        ".linear\n    ldi %a:%b, 0\n    ldi %d:%c, 2\n    cadd f0, %b, %c\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0605",
        "registers do not suffice",
        "no register is left",
        "More values are alive at once than there are registers, or no row of neighbouring registers is \
         free. `.keep` and physical registers that the region names are not free for others.",
        ".linear\n    .keep f0-f62\n    lwi %a, 0\n    lwi %b, 1\n    cadd %c, %a, %b\n    swi %c, 2\n.endlinear\n    stopi 0\n",
        ".linear\n    .keep f0-f61\n    lwi %a, 0\n    lwi %b, 1\n    cadd %c, %a, %b\n    swi %c, 2\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0606",
        "loop that cannot be",
        "no such loop",
        "A fixed count is at least 1. A count in a general register is not changed in the loop; \
         `min=N` and `multiple=N` promise what it is.",
        ".linear\n    .loop 0\n    copy f0, f1\n    .endloop\n.endlinear\n    stopi 0\n",
        ".linear\n    .loop 4\n    copy f0, f1\n    .endloop\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0607",
        "loop without a scratch register",
        "needs `.scratch`",
        "The count of a software-pipelined loop is computed from the one that is given. The scheduler \
         needs a general register for it that the kernel does not use.",
        ".linear\n    .loop 5000\n    lwo %x, (r0)+1\n    psadd %y, %x, %x\n    swo %y, (r1)+1\n    .endloop\n.endlinear\n    stopi 0\n",
        ".linear\n    .scratch g15\n    .loop 5000\n    lwo %x, (r0)+1\n    psadd %y, %x, %x\n    swo %y, (r1)+1\n    .endloop\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0608",
        "linear code begun or ended in the wrong place",
        "does not fit here",
        "`.linear` ends with `.endlinear` and `.loop` with `.endloop`, in the same file; a loop has at \
         least one operation. The directives of linear code stand in a region.",
        ".linear\n    .loop 4\n    copy f0, f1\n.endlinear\n    stopi 0\n",
        ".linear\n    .loop 4\n    copy f0, f1\n    .endloop\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0609",
        "schedule refuted",
        "this region",
        "The checker has run the scheduled bundles and the operations as they were written, and they \
         do not do the same. The scheduler has a bug; nothing has been assembled.",
        "",
        "",
    ),
    entry(
        "C0610",
        "promises that cannot hold",
        "cannot hold",
        "`.disjoint` names address sets of which no two ever reach the same word, and in this region \
         two of them do, wherever they start.",
        ".linear\n    .disjoint r0, r1\n    move a1, a0\n    lwo %x, (r0)+1\n    swo %x, (r1)+1\n.endlinear\n    stopi 0\n",
        ".linear\n    .disjoint r0, r1\n    lwo %x, (r0)+1\n    swo %x, (r1)+1\n.endlinear\n    stopi 0\n",
    ),
    entry(
        "C0611",
        "linear code begun too early",
        "begins too early",
        "The schedule of a region takes it that everything issued before has landed where the region \
         reads or writes it, the registers that the scheduler chooses among it.",
        "    lwi f2, 0\n.linear\n    psadd f1, f2, f2\n.endlinear\n    stopi 0\n",
        "    lwi f2, 0\n    nop\n    nop\n.linear\n    psadd f1, f2, f2\n.endlinear\n    stopi 0\n",
    ),
];
