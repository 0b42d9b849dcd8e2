//! Codes of loop nests: texts of the subset of C, and what is asked of them: C11.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        nest "C1101",
        nests,
        "a word or mark that is not expected",
        "not expected here",
        "A nest is a function `void name(int N, float A[N])` of loops and assignments. The message \
         says what could stand here. The page \"Loop nests\" of the book has the grammar."
    ),
    row!(
        nest "C1102",
        nests,
        "malformed number",
        "not a number of this kind",
        "Indices, bounds and sizes are whole numbers, decimal or behind `0x`; a number that begins \
         with 0 would be octal in C and is refused. Values are numbers of C: `0.5` is a double, \
         `0.5f` a float."
    ),
    row!(
        nest "C1103",
        nests,
        "a name that is taken",
        "taken already",
        "A name is declared once in a block. A block within may declare it anew."
    ),
    row!(
        nest "C1104",
        nests,
        "unknown name",
        "there is nothing of this name here",
        "A name is a parameter of the function, the index of a loop that is open, or something \
         declared before. A parameter that a size uses stands before it. The help has the nearest \
         name."
    ),
    row!(
        nest "C1105",
        nests,
        "wrong type, or wrong number of indices",
        "does not fit",
        "Sizes and indices are of type int; arrays of float, double or float complex with all sizes \
         written down. An element has as many indices as its array has sizes, at most 6."
    ),
    row!(
        nest "C1106",
        nests,
        "an index, bound or condition that is not affine",
        "this part is not affine",
        "Indices, bounds, sizes and conditions are sums of whole multiples of indices and \
         parameters, and a number. What an array holds, products of variables, division, \
         remainders and powers are not, because no dependence could be told before the run. The \
         help has the nearest form that can be analysed."
    ),
    row!(
        nest "C1107",
        nests,
        "a loop that does not count up by 1",
        "loops count up by 1",
        "A loop is `for (int i = L; i < U; i++)`; `<=` is taken too. L may be max(...), U min(...), \
         and conditions may be joined by `&&`."
    ),
    row!(
        nest "C1108",
        nests,
        "a statement or value that the subset does not have",
        "not part of the subset",
        "Statements are loops, `if`, declarations and assignments by = += -= *= /=. Values have \
         + - * / and the functions fabs, sqrt, fmin and fmax. Whatever else could change a value \
         that the analysis does not see."
    ),
    row!(
        nest "C1109",
        nests,
        "a pointer",
        "may point into another array",
        "Arrays are parameters with their sizes, and two of them share no element: a run refuses \
         arrays that overlap. A pointer could point into any of them, so no statement would be \
         independent of another."
    ),
    row!(
        nest "C1110",
        nests,
        "a function that is not known, or with a wrong number of arguments",
        "no such call",
        "The functions are fabs, sqrt, fmin and fmax in double, those with an `f` at their end in \
         float, and min and max of any numbers."
    ),
    row!(
        nest "C1111",
        nests,
        "something that cannot be assigned",
        "cannot be assigned",
        "Elements of arrays that are not `const` are assigned, and variables that the function \
         declares. Loops alone change indices; parameters stay as they are given."
    ),
    row!(
        nest "C1112",
        nests,
        "a pragma that means nothing here",
        "means nothing here",
        "`#pragma loops map(e, ...)` before an assignment says its thread numbers, \
         `forbid(expand, reduce, tile)` forbids transformations, `assume(condition)` outside of \
         loops says what holds of parameters. Pragmas of other tools are passed over."
    ),
    row!(
        nest "C1113",
        nests,
        "a number that is too large",
        "too large",
        "Coefficients and constants of affine forms are at most 2147483647, so that sums of them \
         are exact."
    ),
    row!(
        nest "C1121",
        nests,
        "an element outside of its array",
        "outside of the array",
        "For some parameters that the nest admits, an index is below 0, or not below the size of \
         the array. The message has the smallest such parameters. Sizes, bounds of loops and \
         `#pragma loops assume(...)` say which there are."
    ),
    row!(
        nest "C1122",
        nests,
        "thread numbers that cannot be",
        "not possible",
        "A map that a pragma demands keeps instances that depend on each other in one thread, and \
         its numbers are 0 or more on all instances."
    ),
    row!(
        none "C1123",
        nests,
        "a nest that does not run on CP2",
        "not possible on CP2",
        "Code for CP2 has one assignment of floats in loops whose bounds are the same for all \
         threads, with + - * and fabsf, and its arrays fit local memory. The message says what is \
         missing, and the help what would do.";
        "the mistake shows only where a run on CP2 is asked for"
    ),
];
