//! Codes of the associative STAR machine: its programs, its runs, its graphs: C10.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        star "C1001",
        star,
        "a word or mark that is not expected",
        "not expected here",
        "A program is declarations and procedures. A statement ends with `;`, a block stands in \
         braces. The message says what could stand here, and the help the nearest word of the \
         language. The page \"The STAR machine\" of the book has the grammar."
    ),
    row!(
        star "C1002",
        star,
        "malformed number",
        "not a number",
        "Numbers are decimal, at most 9223372036854775807. The bits of a word stand behind `0b`, \
         its first position first. `_` may separate digits."
    ),
    row!(
        star "C1003",
        star,
        "a name that is taken",
        "taken already",
        "A name means one thing: neither another variable that is seen here has it, nor a \
         procedure, nor the language. `n` is the number of rows, `h` the number of bits of a \
         weight."
    ),
    row!(
        star "C1004",
        star,
        "unknown name",
        "there is nothing of this name",
        "No variable, procedure, function or source of an input has the name. Upper and lower \
         case differ. The help has the nearest name."
    ),
    row!(
        star "C1005",
        star,
        "wrong type",
        "of another type",
        "The types are slice (a bit for each row), word, table, int and bool. `SOME` and \
         comparisons give a bool, `FND` and a bit `Y(i)` an int. `CONVERT` makes a slice of a \
         word of n bits, and back. What changes a variable is a statement, what gives a value an \
         expression."
    ),
    row!(
        star "C1006",
        star,
        "lengths that differ",
        "another length",
        "Both operands of an operation have the same length, a comparand has a bit for each \
         column of its table, and tables that are compared are as wide as each other. Lengths are \
         compared as formulas in n and h, so `n` is not `h` in any run. A length that is a \
         number, or that only the run tells, is compared in the run."
    ),
    row!(
        star "C1007",
        star,
        "wrong number of arguments",
        "arguments are missing or too many",
        "The message has how the call is written. `LESS` of two words is a bool; `LESS` of four \
         arguments is a procedure of the library."
    ),
    row!(
        star "C1008",
        star,
        "a variable that cannot be changed here",
        "cannot be changed here",
        "Inputs, parameters without `var` and the numbers of loops are read only. A result of a \
         procedure goes to a variable, and no variable takes two results of one call."
    ),
    row!(
        star "C1009",
        star,
        "something that passes of `forall` cannot do",
        "not possible in `forall`",
        "All passes of `forall` happen at once. A pass changes variables that are declared in it, \
         and the column of its own number, `COL(i, T)`; what it reads of T is as it was before."
    ),
    row!(
        star "C1010",
        star,
        "procedures that do not make a program",
        "the procedures do not go together",
        "A run begins with `main`, which has no parameters. No procedure calls itself, directly \
         or through others, since the machine has no stack."
    ),
    row!(
        star "C1011",
        star,
        "an operation that the machine refuses",
        "refused here",
        "Positions, rows and columns count from 1. The message has the number and the limit. A \
         sum of words that does not fit is refused, since infinity, all ones, would become a \
         small number."
    ),
    row!(
        star "C1012",
        star,
        "a requirement of the program does not hold",
        "this does not hold",
        "`require` ends the run with its message where its condition is false."
    ),
    row!(
        star "C1013",
        star,
        "too many statements",
        "the run ended here",
        "The run has carried out as many statements as `--max-statements` allows; the program may \
         not come to an end."
    ),
    row!(
        none "C1014",
        star,
        "an input without a fitting value",
        "this input has no fitting value",
        "The value of an input comes from a graph (`from arcs`, `heads`, `weights`), from \
         `--source`, or from `--load` and `--arg`. It has the type of the variable, a slice or \
         table as many rows as the graph has vertices.";
        "the value comes from outside of the program"
    ),
    row!(
        none "C1021",
        star,
        "a line of a graph that is not understood",
        "not understood",
        "DIMACS `.gr` has lines `c`, `p sp VERTICES ARCS` and `a TAIL HEAD WEIGHT`; a SNAP list \
         has `FROM TO`; Matrix Market is read in the format coordinate, with whole weights.";
        "the mistake is in a graph, not in a program"
    ),
    row!(
        none "C1022",
        star,
        "a vertex that is not there",
        "no such vertex",
        "Vertices count from 1 to the number that the graph announces; in a SNAP list any number \
         is a vertex. Insertions name vertices as the text of the graph does, and join two \
         different ones.";
        "the mistake is in a graph, not in a program"
    ),
    row!(
        none "C1023",
        star,
        "a weight that is not possible",
        "not possible",
        "A weight is a whole number from 0 to 2^h - 2 for h bits, since all ones stand for no \
         arc. `--bits` gives weights more bits.";
        "the mistake is in a graph, not in a program"
    ),
    row!(
        none "C1024",
        star,
        "a graph of an impossible size",
        "not possible",
        "A graph has at least one vertex and at most 1048576; tables of it have to fit memory \
         besides.";
        "the mistake is in a graph, not in a program"
    ),
];
