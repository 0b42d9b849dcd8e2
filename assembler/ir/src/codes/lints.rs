//! Codes of the linter: C0501 to C0519.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0501",
        lint,
        "register read before its value arrives",
        "CP2 has no interlocks: until the result of an operation has arrived, a read of its \
         register gives the old value. An arithmetic result takes {arithmetic} cycles, a load \
         {load} (to `psprmsgn` {load-to-psprmsgn}), `psprmsgn` {psprmsgn}, `mtfpr` {mtfpr}, a \
         condition code or FCSR {condition}, whoever reads it and whether a comparison, a flag or \
         `mtc` wrote it, a general register {gpr-to-do} to `do` and `call` and {gpr-to-stop} to \
         `stop` and `run`. STATUS shows flags at once, what a `mtc` to fcsr makes of them after \
         {condition} cycles, and the bits of COMM after {comm}. The report gives the distance that \
         was found on the shortest path and the one that is needed."
    ),
    row!(
        "C0502",
        lint,
        "two writes land on one register in one cycle",
        "A slow and a fast operation write one register so that both results land in the same \
         cycle, and one of them is lost. Of an arithmetic result (`mfc` too) and a load \
         {meets-load} behind it the arithmetic result stays, though it was issued first; only a \
         `psprmsgn` {load-to-psprmsgn} bundles behind the load sees what was loaded. Against \
         `psprmsgn` and `mtfpr` the one that was issued later stays. An elementary function \
         writes half of a register and defends that half; the other half is that of the load."
    ),
    row!(
        "C0503",
        lint,
        "writes to one register land out of order",
        "An operation that was issued later lands earlier, and then the older, slower result \
         replaces it. After both, the register holds the older result. The same holds for the two \
         halves of one bundle, and for a `move` to STATUS up to {before-mtc-lands} bundles behind a \
         `mtc` to fcsr, which replaces the flags in STATUS when it lands."
    ),
    row!(
        "C0504",
        lint,
        "result never read",
        "On every path the register is overwritten before anything reads it, or the kernel stops \
         and `.live` does not name the register. An operation with several results is reported \
         if none is read, `caddsub` and `psaddsub` also if one is not. A result in cc0 is always \
         lost."
    ),
    row!(
        "C0505",
        lint,
        "misuse of a hardware loop",
        "The body of a loop goes to the bundle after `end` (its delay slot), and the decision to \
         repeat is made when `end` issues. Reported are: a jump or call to the delay slot, a \
         jump into a body whose loop is not active, a jump or return that leaves a loop without \
         `enddo`, a body that ends outside its kernel or before it begins, an inner loop that \
         does not end before the outer one, more than {loops} loops in each other, and `enddo` \
         with no loop."
    ),
    row!(
        hex "C0506",
        fatal,
        "control operation where none is allowed",
        "A jump, call, `ret`, `do`, `enddo`, `stop` or `sync` in a delay slot, at a loop's `end` \
         or after it, a jump whose delay slot is a loop's `end`, and `run` in a kernel. The \
         machine has no meaning for these and the model stops with an error. The assembler \
         refuses them; the linter finds them in images from elsewhere."
    ),
    row!(
        "C0507",
        lint,
        "use of a bank while the DMA may use it",
        "`.dmabank` says which bank of local memory the DMA may use while the code after it \
         runs. Here a load or store certainly reaches that bank: its address is immediate, or \
         follows from the `clr`, `seti`, `move` and steps before it."
    ),
    row!(
        "C0508",
        lint,
        "predicate that nothing obeys",
        "Only arithmetic operations other than `qsdot`, `psprmsgn`, and the loads and stores of the \
         extensions conditional-memory and section-counters obey the predicate of their bundle. In \
         this bundle neither half does, so all sections execute it. In linear code, where the \
         scheduler makes the bundles, such a predicate is an error."
    ),
    row!(
        "C0509",
        lint,
        "bundles that are never reached",
        "No path from the start of a kernel or from an exported label leads here. `nop`s count as \
         padding. Nothing is reported if some jump or call goes through a register."
    ),
    row!(
        "C0510",
        lint,
        "flow runs out of the program",
        "After this bundle comes an address where no kernel of the image has a bundle. What was \
         left in instruction memory would be executed."
    ),
    row!(
        "C0511",
        fatal,
        "word that is not a bundle is reached",
        "The flow comes to a word whose operation or operands the machine does not have; the \
         model stops with an error there. The assembler writes such a word only where \
         `@allow(C0310)` keeps one."
    ),
    row!(
        "C0512",
        lint,
        "two words from an odd address",
        "Accesses of two words ignore the lowest bit of the address, so an odd address means the \
         even one before it: the element there is moved in place of the one behind. The address is \
         immediate, or follows from the `clr`, `seti`, `move` and steps before it; an array that \
         the kernel declares with `at=gK` or `at=aK` begins at an even word."
    ),
    row!(
        "C0513",
        lint,
        "`move` without effect",
        "PC, PSP and LSP can be read by `move`; a `move` to them does nothing."
    ),
    row!(
        "C0514",
        lint,
        "promise of linear code that is broken",
        "The values that follow from the `clr`, `seti`, `move` and steps before it show that a \
         promise does not hold: two sets of a `.disjoint` reach one word, the address of a set of \
         `.even` is odd, or the count of a loop is below `min=` or not a multiple of `multiple=`. \
         The schedule relies on it and gives other results than the lines. `cp2 run --check` finds \
         what only a run shows."
    ),
];
