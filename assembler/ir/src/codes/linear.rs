//! Codes of linear code, its scheduler and its checker: C06.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        "C0601",
        error,
        "not possible in linear code",
        "not possible in linear code",
        "Between `.linear` and `.endlinear` each line is one operation, and the scheduler orders \
         them. Labels, directives that place bundles, `|`, `@allow`, control operations and moves \
         of the control registers that tell where the program is cannot be used there."
    ),
    row!(
        "C0602",
        error,
        "virtual register outside of linear code",
        "not a register of the machine",
        "`%name` stands for a register that the scheduler chooses; that happens in linear code \
         only."
    ),
    row!(
        "C0603",
        error,
        "virtual register without a value",
        "nothing has written it",
        "A virtual register has no value at the start of its region. Operations that change a part \
         of a register, or some sections only, may be the first to write it, except conditional \
         loads: which sections keep the old value is known only when they run."
    ),
    row!(
        "C0604",
        error,
        "registers that cannot be neighbours",
        "not neighbours",
        "An operation that takes a register and the next one names both, `%a:%b`. A virtual \
         register has one successor and one predecessor in the whole region; physical ones are \
         fN and fN+1."
    ),
    row!(
        "C0605",
        error,
        "not enough registers",
        "no register is left",
        "More values are alive at once than there are registers, or no row of neighbouring \
         registers is free. `.keep` and physical registers that the region names are not free \
         for others."
    ),
    row!(
        "C0606",
        error,
        "invalid loop",
        "invalid loop",
        "A fixed count is at least 1. The loop must not change the general register that holds its \
         count; `min=N` and `multiple=N` are promises about that count, and `expected=N`, at least the \
         least count, is the one for which the schedule takes the fewest cycles."
    ),
    row!(
        "C0607",
        error,
        "loop without a scratch register",
        "needs `.scratch`",
        "The count of a software-pipelined loop is computed from the one that is given. The \
         scheduler needs a general register for it that the kernel does not use."
    ),
    row!(
        "C0608",
        error,
        "linear code begun or ended in the wrong place",
        "not possible here",
        "`.linear` ends with `.endlinear` and `.loop` with `.endloop`, in the same file; a loop \
         has at least one operation. The directives of linear code stand in a region."
    ),
    row!(
        none "C0609",
        error,
        "wrong schedule",
        "this region",
        "The checker has run the scheduled bundles and the operations as they were written, and \
         the results differ. This is a bug of the scheduler; nothing has been assembled.";
        "it is a bug of the scheduler"
    ),
    row!(
        "C0610",
        error,
        "promises that cannot hold",
        "cannot hold",
        "`.disjoint` names address sets of which no two ever reach the same word, and in this \
         region two of them do, wherever they start. Or a region sets the count of a loop itself, \
         to a value that `min=` or `multiple=` of the loop rule out."
    ),
    row!(
        "C0611",
        error,
        "linear code begun too early",
        "begins too early",
        "The schedule of a region assumes that results of earlier operations have landed in every \
         register that the region reads or writes. The registers that the scheduler chooses are \
         among them."
    ),
    row!(
        "C0612",
        error,
        "linear code that is too large",
        "is too large",
        "The lines between two loop directives are scheduled as a whole: at most 4096 operations, and at \
         most a million pairs of accesses of which one stores and that may meet."
    ),
];
