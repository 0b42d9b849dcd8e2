//! The linter's codes: title, explanation and a pair of examples for each.

use crate::codes::Explanation;

/// Every code of the linter, ascending.
pub const CODES: &[Explanation] = &[
    Explanation {
        code: "C0501",
        title: "register read before its value arrives",
        text: "CP2 has no interlocks: until the result of an operation has arrived, a read of its \
               register gives the old value. An arithmetic result takes {arithmetic} cycles, a load {load} \
               (to `psprmsgn` {load-to-psprmsgn}), `psprmsgn` {psprmsgn}, `mtfpr` {mtfpr}, a \
               condition code or FCSR {condition}, whoever reads it and whether a comparison, a \
               flag or `mtc` wrote it, a general register {gpr-to-do} to `do` and `call` and \
               {gpr-to-stop} to `stop` and `run`. In STATUS, flags are at once, what a `mtc` to \
               fcsr makes of them after {condition} cycles, and the bits of COMM after {comm}. The report gives \
               the distance that was found on the shortest path and the one that is needed.",
        wrong: ".kernel k\n    lwi f1, 0\n    nop\n    psadd f2, f1, f1\n    stopi 0\n",
        right: ".kernel k\n    lwi f1, 0\n    nop\n    nop\n    psadd f2, f1, f1\n    stopi 0\n",
    },
    Explanation {
        code: "C0502",
        title: "two writes land on one register in one cycle",
        text: "A slow and a fast operation write one register so that both results land in the \
               same cycle, and one of them is lost. Of an arithmetic result (`mfc` too) and a load \
               {meets-load} behind it the arithmetic result stays, though it was issued first; only \
               a `psprmsgn` {load-to-psprmsgn} bundles behind the load sees what was loaded. Against `psprmsgn` and \
               `mtfpr` the one that was issued later stays. An elementary function writes half of a \
               register and defends that half; the other half is that of the load.",
        wrong: ".kernel k\n    psadd f1, f2, f3\n    nop\n    nop\n    nop\n    nop\n    lwi f1, 0\n    stopi 0\n",
        right: ".kernel k\n    psadd f1, f2, f3\n    nop\n    nop\n    nop\n    nop\n    nop\n    nop\n    nop\n    swi f1, 1\n    lwi f1, 0\n    stopi 0\n",
    },
    Explanation {
        code: "C0503",
        title: "writes to one register land out of order",
        text: "An operation that was issued later lands earlier, and then the older, slower result \
               replaces it. After both, the register holds the older result. The same is said of \
               the two halves of one bundle, and of a `move` to STATUS up to {before-mtc-lands} bundles behind a \
               `mtc` to fcsr, which replaces the flags in STATUS when it lands.",
        wrong: ".kernel k\n    psadd f1, f2, f3\n    nop\n    lwi f1, 0\n    stopi 0\n",
        right: ".kernel k\n    psadd f1, f2, f3\n    nop\n    lwi f4, 0\n    stopi 0\n",
    },
    Explanation {
        code: "C0504",
        title: "result never read",
        text: "On every path the register is overwritten before anything reads it, or the kernel \
               stops and `.live` does not name the register. An operation with several results is \
               reported if none is read, `caddsub` and `psaddsub` also if one is not. A result in \
               cc0 is always lost.",
        wrong: ".kernel k\n    lwi f1, 0\n    lwi f1, 1\n    nop\n    nop\n    swi f1, 2\n    stopi 0\n",
        right: ".kernel k\n    lwi f1, 0\n    lwi f2, 1\n    nop\n    nop\n    swi f2, 2\n    stopi 0\n",
    },
    Explanation {
        code: "C0505",
        title: "misuse of a hardware loop",
        text: "The body of a loop goes to the bundle after `end` (its delay slot), and the decision \
               to repeat is made when `end` issues. Reported are: a jump or call to the delay slot, \
               a jump into a body whose loop is not active, a jump or return that leaves a loop \
               without `enddo`, a body that ends outside its kernel or before it begins, an inner \
               loop that does not end before the outer one, more than {loops} loops in each other, and \
               `enddo` with no loop.",
        wrong: ".kernel k\n    doi 4, last\n    psadd f1, f2, f3\n    jumpi out\n    nop\n    nop\nlast:\n    nop\n    nop\nout:\n    stopi 0\n",
        right: ".kernel k\n    doi 4, last\n    psadd f1, f2, f3\n    enddo\n    jumpi out\n    nop\n    nop\nlast:\n    nop\n    nop\nout:\n    stopi 0\n",
    },
    Explanation {
        code: "C0506",
        title: "control operation where none is allowed",
        text: "A jump, call, `ret`, `do`, `enddo`, `stop` or `sync` in a delay slot, at a loop's \
               `end` or after it, a jump whose delay slot is a loop's `end`, and `run` in a \
               kernel. The machine has no meaning for these and the model stops with an error. \
               The assembler refuses them; the linter finds them in images from elsewhere.",
        wrong: ".kernel k\n    jumpi out\n    stopi 1\nout:\n    stopi 0\n",
        right: ".kernel k\n    jumpi out\n    nop\nout:\n    stopi 0\n",
    },
    Explanation {
        code: "C0507",
        title: "use of a bank while the DMA may use it",
        text: "`.dmabank` says which bank of local memory the DMA may use while the code after it \
               runs. Here a load or store certainly reaches that bank: its address is immediate, \
               or follows from the `clr`, `seti`, `move` and steps before it.",
        wrong: ".kernel k\n.dmabank 0\n    lwi f1, 100\n.dmabank none\n    stopi 0\n",
        right: ".kernel k\n.dmabank 0\n    lwi f1, 4196\n.dmabank none\n    stopi 0\n",
    },
    Explanation {
        code: "C0508",
        title: "predicate that nothing obeys",
        text: "Only arithmetic operations other than `qsdot`, and `psprmsgn`, obey the predicate of \
               their bundle. In this bundle neither half does, so all sections execute it.",
        wrong: ".kernel k\n    if(cc1) | lwi f1, 0\n    stopi 0\n",
        right: ".kernel k\n    if(cc1) copy f1, f2\n    stopi 0\n",
    },
    Explanation {
        code: "C0509",
        title: "bundles that are never reached",
        text: "No path from the start of a kernel or from an exported label leads here. `nop`s are \
               taken for padding. Nothing is said if some jump or call goes through a register.",
        wrong: ".kernel k\n    stopi 0\n    lwi f1, 0\n",
        right: ".kernel k\n    lwi f1, 0\n    stopi 0\n",
    },
    Explanation {
        code: "C0510",
        title: "flow runs out of the program",
        text: "After this bundle comes an address where no kernel of the image has a bundle. What \
               was left in instruction memory would be executed.",
        wrong: ".kernel k\n    lwi f1, 0\n",
        right: ".kernel k\n    lwi f1, 0\n    stopi 0\n",
    },
    Explanation {
        code: "C0511",
        title: "word that is no bundle is reached",
        text: "The flow comes to a word whose operation or operands the machine does not have; the \
               model stops with an error there. The assembler never writes such a word.",
        wrong: "",
        right: "",
    },
    Explanation {
        code: "C0512",
        title: "two words from an odd address",
        text: "Accesses of two words ignore the lowest bit of the address, so an odd immediate \
               address means the even one before it.",
        wrong: ".kernel k\n    ldi f0, 5\n    stopi 0\n",
        right: ".kernel k\n    ldi f0, 4\n    stopi 0\n",
    },
    Explanation {
        code: "C0513",
        title: "`move` without effect",
        text: "PC, PSP and LSP can be read by `move`; a `move` to them does nothing.",
        wrong: ".kernel k\n    move psp, g1\n    stopi 0\n",
        right: ".kernel k\n    move g1, psp\n    stopi 0\n",
    },
    Explanation {
        code: "C0520",
        title: "negative step of a bit-reversed address set",
        text: "With Mn = 0 an offset below 0 is subtracted in bit-reversed order, as -Nn is. The \
               model library has this case but never comes to it: its offset arrives unsigned, so \
               it adds the reversed offset modulo {words}. What the hardware does is open. Told as \
               \"may\" where the mode is not known.",
        wrong: ".kernel k\n    clr r1\n    seti m1, 0\n    lwo f1, (r1)-2\n    stopi 0\n",
        right: ".kernel k\n    clr r1\n    seti m1, 0\n    seti n1, 2\n    lwnm f1, (r1)-n1\n    stopi 0\n",
    },
    Explanation {
        code: "C0521",
        title: "STATUS read behind a `mtc` to fccr",
        text: "A `mtc` to fccr leaves STATUS alone. In the model library it sets STATUS.FPE to 0, \
               which loses sticky flags. The host reads STATUS too; that is not told.",
        wrong: ".kernel k\n    mtc f1, fccr\n    sync\n    move g1, status\n    stopi 0\n",
        right: ".kernel k\n    move g1, status\n    mtc f1, fccr\n    stopi 0\n",
    },
    Explanation {
        code: "C0522",
        title: "flags raised while a `mtc` to fcsr is under way",
        text: "When a `mtc` to fcsr lands, STATUS.FPE becomes what it writes and what was raised \
               behind it. The model library drops what was raised since the `mtc` was issued. \
               Reported is a read of STATUS behind such flags.",
        wrong: ".kernel k\n    mtc f1, fcsr\n    psmul f2, f3, f3\n    sync\n    move g1, status\n    stopi 0\n",
        right: ".kernel k\n    mtc f1, fcsr\n    sync\n    psmul f2, f3, f3\n    move g1, status\n    stopi 0\n",
    },
    Explanation {
        code: "C0523",
        title: "index register read in the next bundle",
        text: "`move` and `mtfpr` see an index register one bundle after its write, as they see a \
               general register. The model library shows the old value there and notes that it \
               should not.",
        wrong: ".kernel k\n    move i1, g1\n    mtfpr f1, i1, all\n    stopi 0\n",
        right: ".kernel k\n    move i1, g1\n    nop\n    mtfpr f1, i1, all\n    stopi 0\n",
    },
    Explanation {
        code: "C0524",
        title: "address register read in the bundle after a wide value",
        text: "An, Nn and Mn have {bits} bits. In the model library a `move` one bundle after the write \
               shows 16 bits of the value, later {bits}. Told as \"may\" where the value is not known.",
        wrong: ".kernel k\n    seti g1, 0x3000\n    move a1, g1\n    move g2, a1\n    stopi 0\n",
        right: ".kernel k\n    seti g1, 0x1000\n    move a1, g1\n    move g2, a1\n    stopi 0\n",
    },
    Explanation {
        code: "C0525",
        title: "one loop too many right behind the last",
        text: "Loop {loops+1} in each other sets LOE and replaces the innermost loop. The model \
               library notices that its stack is full three bundles after loop {loops}; before that it writes \
               behind the stack.",
        wrong: ".kernel k\n.rept 16, k\n    doi 2, body + 15 - \\k\n.endr\nbody:\n.rept 17\n    nop\n.endr\n    stopi 0\n",
        right: ".kernel k\n.rept 15, k\n    doi 2, body + 14 - \\k\n.endr\nbody:\n.rept 16\n    nop\n.endr\n    stopi 0\n",
    },
    Explanation {
        code: "C0526",
        title: "control operation in a nullified bundle",
        text: "A loop with a count of 0 nullifies the bundle behind its `do`, whatever that holds. \
               In the model library `sync`, `stop`, `run`, `enddo`, `start_dma` and a `do` with \
               count 0 act there all the same, and then the next bundle is nullified too. Told as \
               \"may\" where the count is not known.",
        wrong: ".kernel k\n    doi 0, last\n    start_dma\nlast:\n    nop\n    nop\n    stopi 0\n",
        right: ".kernel k\n    doi 4, last\n    start_dma\nlast:\n    nop\n    nop\n    stopi 0\n",
    },
    Explanation {
        code: "C0527",
        title: "operation in front of `enddo` or a stop",
        text: "Operations act in the order of the program. In the model library `enddo` and stops \
               act when they issue, before the bundle in front: a `move` from lc or la there sees \
               the loop around, one from stopcode the new code; a `do` there is not ended; a `move` \
               to status there overwrites LUE.",
        wrong: ".kernel k\n    doi 4, last\n    nop\n    move g1, lc\n    enddo\n    nop\nlast:\n    nop\n    nop\n    stopi 0\n",
        right: ".kernel k\n    doi 4, last\n    move g1, lc\n    nop\n    enddo\n    nop\nlast:\n    nop\n    nop\n    stopi 0\n",
    },
    Explanation {
        code: "C0528",
        title: "loop count of more than 32 bits",
        text: "The count of `do` is the low 32 bits of its register. Where these are 0 and the \
               others are not, the model library executes the bundle behind the `do` and then \
               leaves; here that bundle is nullified. Told as \"may\" where the count is not known.",
        wrong: ".kernel k\n    do g1, last\n    nop\nlast:\n    nop\n    nop\n    stopi 0\n",
        right: ".kernel k\n    seti g1, 4\n    nop\n    do g1, last\n    nop\nlast:\n    nop\n    nop\n    stopi 0\n",
    },
    Explanation {
        code: "C0529",
        title: "`move` to control of more than the rounding mode",
        text: "A kernel's `move` to control changes the rounding mode alone. The model library \
               writes 32 bits: ST stops at once, RS resets, I changes the coefficients. A value of \
               0 to 3 is not reported, though the library clears I with it. Told as \"may\" where \
               the value is not known.",
        wrong: ".kernel k\n    seti g1, 0x8001\n    move control, g1\n    stopi 0\n",
        right: ".kernel k\n    seti g1, 1\n    move control, g1\n    stopi 0\n",
    },
    Explanation {
        code: "C0530",
        title: "`move` to status",
        text: "A `move` to status writes FPE, POE, PUE, LOE and LUE. The model library writes every \
               bit, RUN too, and goes on.",
        wrong: ".kernel k\n    move status, g1\n    stopi 0\n",
        right: ".kernel k\n    mtc f1, fcsr\n    stopi 0\n",
    },
    Explanation {
        code: "C0531",
        title: "`move` to lc or la that is not kept",
        text: "With no active loop lc and la read 0 and are not written, and la has no bits but end \
               and start. The model library keeps what is written. Told as \"may\" in procedures, \
               which may be called from a loop.",
        wrong: ".kernel k\n    move lc, g1\n    stopi 0\n",
        right: ".kernel k\n    seti g1, 1\n    doi 4, last\n    move lc, g1\nlast:\n    nop\n    nop\n    stopi 0\n",
    },
    Explanation {
        code: "C0532",
        title: "`move` of 0 to lc",
        text: "0 in lc ends the loop, as 1 does. In the model library it makes 2^32 iterations. \
               Told as \"may\" where the value is not known.",
        wrong: ".kernel k\n    seti g1, 0\n    doi 4, last\n    move lc, g1\nlast:\n    nop\n    nop\n    stopi 0\n",
        right: ".kernel k\n    seti g1, 1\n    doi 4, last\n    move lc, g1\nlast:\n    nop\n    nop\n    stopi 0\n",
    },
    Explanation {
        code: "C0533",
        title: "flow that the machine refuses and the library follows",
        text: "Control operations in delay slots, at the end of a loop and behind it, jumps whose \
               delay slot is a loop's end, loops that end before they begin or behind the loop \
               around them: an error here. The model library executes them, in whatever way comes \
               out. Also told where the assembler was told to allow them.",
        wrong: ".kernel k\n    jumpi out\n    stopi 1 @allow(C0450)\nout:\n    stopi 0\n",
        right: ".kernel k\n    jumpi out\n    nop\nout:\n    stopi 0\n",
    },
    Explanation {
        code: "C0534",
        title: "one register as both destinations",
        text: "An error here, and refused by the assembler. In the model library D stays for \
               `caddsub`, `psaddsub` and `swap64`, and the second destination for the others.",
        wrong: ".kernel k\n    .bundle 0x220420c100000000 @allow(C0310)\n    stopi 0\n",
        right: ".kernel k\n    psaddsub f1, f2, f3, f4\n    stopi 0\n",
    },
    Explanation {
        code: "C0535",
        title: "pairwise comparison into cc7",
        text: "An error here, and refused by the assembler. The model library writes a ninth \
               condition code.",
        wrong: ".kernel k\n    .bundle 0x025c108200000000 @allow(C0310)\n    stopi 0\n",
        right: ".kernel k\n    c.lt.ps cc6, f1, f2\n    stopi 0\n",
    },
    Explanation {
        code: "C0536",
        title: "`mtfpr` to section 5, 6 or 7",
        text: "An error here, and refused by the assembler. In the model library it does nothing.",
        wrong: ".kernel k\n    .bundle 0x0000000018022005 @allow(C0310)\n    stopi 0\n",
        right: ".kernel k\n    mtfpr f1, g1, all\n    stopi 0\n",
    },
    Explanation {
        code: "C0537",
        title: "`run` in a kernel",
        text: "An error here, and refused by the assembler. The model library goes on at its \
               operand.",
        wrong: ".kernel k\n    runi 0 @allow(C0455)\n",
        right: ".kernel k\n    jumpi out\n    nop\nout:\n    stopi 0\n",
    },
    Explanation {
        code: "C0538",
        title: "`move` to stopcode",
        text: "Only a stop writes STOPCODE. A `move` to it is an error here, and refused by the \
               assembler; the model library writes the register.",
        wrong: ".kernel k\n    .bundle 0x0000000000962010 @allow(C0310)\n    stopi 0\n",
        right: ".kernel k\n    stop g1\n",
    },
];

/// The first code of those that are reported on request only.
pub const FIRST_UNDEFINED: &str = "C0520";

/// The entry of a code.
pub fn code(code: &str) -> Option<&'static Explanation> {
    CODES.iter().find(|entry| entry.code == code)
}
