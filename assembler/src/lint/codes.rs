//! The linter's codes: title, explanation and a pair of examples for each.

use crate::codes::Explanation;

/// Every code of the linter, ascending.
pub const CODES: &[Explanation] = &[
    Explanation {
        code: "C0501",
        title: "register read before its value arrives",
        text: "CP2 has no interlocks: until the result of an operation has arrived, a read of its \
               register gives the old value. An arithmetic result takes 8 cycles, a load, `mtfpr` \
               or `psprmsgn` 3 (a load to `psprmsgn` 2), a condition code or FCSR 7, whoever reads \
               it and whether a comparison, a flag or `mtc` wrote it, a general register 2 to `do` \
               and `call` and 3 to `stop` and `run`. In STATUS, flags are at once, what a `mtc` to \
               fcsr makes of them after 7 cycles, and the bits of COMM after 2. The report gives \
               the distance that was found on the shortest path and the one that is needed.",
        wrong: ".kernel k\n    lwi f1, 0\n    nop\n    psadd f2, f1, f1\n    stopi 0\n",
        right: ".kernel k\n    lwi f1, 0\n    nop\n    nop\n    psadd f2, f1, f1\n    stopi 0\n",
    },
    Explanation {
        code: "C0502",
        title: "two writes land on one register in one cycle",
        text: "A slow and a fast operation write one register so that both results land in the \
               same cycle, and one of them is lost. Of an arithmetic result (`mfc` too) and a load \
               five bundles behind it the arithmetic result stays, though it was issued first; only \
               a `psprmsgn` two bundles behind the load sees what was loaded. Against `psprmsgn` and \
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
               the two halves of one bundle, and of a `move` to STATUS up to five bundles behind a \
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
               loop that does not end before the outer one, more than 15 loops in each other, and \
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
];

/// The entry of a code.
pub fn code(code: &str) -> Option<&'static Explanation> {
    CODES.iter().find(|entry| entry.code == code)
}
