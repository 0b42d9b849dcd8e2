//! Procedures of the library that go through tables column by column in local memory: searches and arithmetic. Each keeps some slices
//! in registers and does the same to each word of a column.

use super::layout::{SliceLayout, check_rows};
use super::pivots::pair;
use crate::linear_text::LinearText;
use cp2_isa::Core;
use cp2_session::error::KernelError;

/// A procedure on the columns of two tables T and F, or of T and a word as long as a row, in rows of a slice X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnProcedure {
    /// `HIT`, `MATCH`: rows equal in both.
    Equal,
    /// `SETMIN`, `LESS`: rows less in T than in F.
    Less,
    /// `SETMAX`, `GREAT`: rows greater in T than in F.
    Greater,
    /// `ADDV`, `ADDC`: sums in rows of X and 0 in others, and the rows whose sum does not fit.
    Add,
    /// `SUBTV`, `SUBTC`: differences in rows of X and 0 in others, and the rows whose difference is negative.
    Subtract,
    /// `TMERGE`, `WMERGE`: rows of X from T, others from F.
    Merge,
    /// `GEL`: rows greater in T than in F, and rows less, both.
    Apart,
    /// `ADDC1`: sums in rows of X and T in others, and the rows whose sum does not fit.
    AddInside,
    /// `SUBTC1`: differences in rows of X and T in others, and the rows whose difference is negative.
    SubtractInside,
}

/// Lines of GEL: both slices keep what the columns behind have decided where T and F are equal.
const APART: &[&str] = &[
    "xor %d, %t, %f",
    "and %g, %d, %t",
    "and %h, %d, %f",
    "not %e, %d",
    "and %c, %e, %b",
    "or %b, %g, %c",
    "and %i, %e, %y",
    "or %y, %h, %i",
];
/// Lines of ADDC1: a result differs from T where the other operand and the carry do.
const ADD_INSIDE: &[&str] = &[
    "xor %r, %f, %b",
    "and %m, %r, %x",
    "xor %s, %t, %m",
    "and %g, %t, %f",
    "or %o, %t, %f",
    "and %c, %o, %b",
    "or %b, %g, %c",
];
/// Lines of SUBTC1, made in the same way.
const SUBTRACT_INSIDE: &[&str] = &[
    "xor %r, %f, %b",
    "and %m, %r, %x",
    "xor %s, %t, %m",
    "xor %p, %t, %f",
    "and %g, %p, %f",
    "not %e, %p",
    "and %c, %e, %b",
    "or %b, %g, %c",
];

impl ColumnProcedure {
    /// All procedures.
    pub const ALL: [Self; 9] = [
        Self::Equal,
        Self::Less,
        Self::Greater,
        Self::Add,
        Self::Subtract,
        Self::Merge,
        Self::Apart,
        Self::AddInside,
        Self::SubtractInside,
    ];

    /// Returns the name of the kernel for a table and a word if `is_of_word`, else for two tables; `None` if the library has no such
    /// procedure.
    pub fn name(self, is_of_word: bool) -> Option<&'static str> {
        let [tables, word] = match self {
            Self::Equal => [Some("star_hit"), Some("star_match")],
            Self::Less => [Some("star_setmin"), Some("star_less")],
            Self::Greater => [Some("star_setmax"), Some("star_great")],
            Self::Add => [Some("star_addv"), Some("star_addc")],
            Self::Subtract => [Some("star_subtv"), Some("star_subtc")],
            Self::Merge => [Some("star_tmerge"), Some("star_wmerge")],
            Self::Apart => [None, Some("star_gel")],
            Self::AddInside => [None, Some("star_addc1")],
            Self::SubtractInside => [None, Some("star_subtc1")],
        };
        if is_of_word { word } else { tables }
    }

    /// Returns all procedures of the library, each with whether an operand is a word.
    pub fn library() -> impl Iterator<Item = (Self, bool)> {
        let forms = Self::ALL.into_iter().flat_map(|p| [(p, false), (p, true)]);
        forms.filter(|(procedure, is_of_word)| procedure.name(*is_of_word).is_some())
    }

    /// Whether the procedure gives a table, and not a slice alone.
    pub fn gives_table(self) -> bool {
        use ColumnProcedure as P;
        matches!(self, P::Add | P::Subtract | P::Merge | P::AddInside | P::SubtractInside)
    }

    /// Whether a slice goes from column to column: carries, or what is known so far.
    pub fn has_carry(self) -> bool {
        self != Self::Merge
    }

    /// Whether a second slice goes from column to column.
    fn has_other_carry(self) -> bool {
        self == Self::Apart
    }

    /// Returns the operations of a chain in a column, one behind the other, and all operations on a word of a column.
    pub(super) fn operations(self) -> [usize; 2] {
        match self {
            Self::Equal => [1, 2],
            Self::Less | Self::Greater => [2, 5],
            Self::Add | Self::Subtract => [2, 7],
            Self::Merge => [0, 3],
            Self::AddInside => [2, 7],
            Self::Apart | Self::SubtractInside => [2, 8],
        }
    }

    /// Returns what is done to a word of a column: `t` and `f` are read, `b` is the slice that goes on, `s` the result.
    fn lines(self) -> &'static [&'static str] {
        match self {
            Self::Equal => &["xor %d, %t, %f", "or %b, %b, %d"],
            // Where T and F differ, one of them decides; else what the columns behind have decided stays.
            Self::Less => &[
                "xor %d, %t, %f",
                "and %g, %d, %f",
                "not %e, %d",
                "and %c, %e, %b",
                "or %b, %g, %c",
            ],
            Self::Greater => &[
                "xor %d, %t, %f",
                "and %g, %d, %t",
                "not %e, %d",
                "and %c, %e, %b",
                "or %b, %g, %c",
            ],
            Self::Add => &[
                "xor %p, %t, %f",
                "xor %q, %p, %b",
                "and %s, %q, %x",
                "and %g, %t, %f",
                "or %o, %t, %f",
                "and %c, %o, %b",
                "or %b, %g, %c",
            ],
            Self::Subtract => &[
                "xor %p, %t, %f",
                "xor %q, %p, %b",
                "and %s, %q, %x",
                "and %g, %p, %f",
                "not %e, %p",
                "and %c, %e, %b",
                "or %b, %g, %c",
            ],
            Self::Merge => &["xor %d, %t, %f", "and %c, %d, %x", "xor %s, %f, %c"],
            Self::Apart => APART,
            Self::AddInside => ADD_INSIDE,
            Self::SubtractInside => SUBTRACT_INSIDE,
        }
    }

    /// Returns the name of the operand that is a word in the form for a word: bits that all rows share.
    fn word_operand(self) -> &'static str {
        if self == Self::Merge { "t" } else { "f" }
    }
}

/// Kernel of a procedure for tables of `columns` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnKernel {
    /// The procedure.
    pub procedure: ColumnProcedure,
    /// Whether one operand is a word.
    pub is_of_word: bool,
    /// Place of the columns.
    pub layout: SliceLayout,
    /// Number of columns.
    pub columns: usize,
}

impl ColumnKernel {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.procedure.name(self.is_of_word).unwrap_or("star_columns")
    }

    /// Refuses more words of a column than registers hold.
    ///
    /// # Errors
    /// There are more rows: how many, and the limit.
    pub(super) fn check(self) -> Result<(), KernelError> {
        check_rows(self.layout, 16)
    }

    /// Returns the number of slices of results.
    pub fn result_slices(self) -> usize {
        usize::from(self.procedure.has_carry()) + usize::from(self.procedure.has_other_carry())
    }

    /// Returns the words of local memory of the operand that may be a word: all ones or all zeros for each bit.
    pub fn second_words(self) -> usize {
        self.columns * if self.is_of_word { 1 } else { self.layout.words() }
    }

    /// Returns the fewest cycles of a column: the fuller slot, or the chain from column to column.
    pub fn bound(self, core: &Core) -> usize {
        let (w, [chain, operations]) = (self.layout.words(), self.procedure.operations());
        let second = if self.is_of_word { 1 } else { w / 2 };
        let stores = if self.procedure.gives_table() { w / 2 } else { 0 };
        let chain = chain * core.latencies().arithmetic as usize;
        (operations * w).max(w / 2 + second + stores).max(chain)
    }

    /// Returns the text of the kernel. It takes in `g0` the address of T, in `g1` that of F or of the word, in `g2` that of X, in
    /// `g3` that of the table of results, in `g4` that of the slice of results, behind which the second one lies if there are two; all
    /// even and apart. GEL has no X: it takes the slice of all rows there.
    pub fn source(self) -> String {
        let head = format!(
            "; {}: {} columns of {} words; generated by programs/kernels/src/star/columns.rs.
        .kernel {}
        move    a0, g0
        move    a1, g1
        move    a2, g2
        move    a3, g3
        move    a4, g4
.linear
        .even   r0, r2, r3, r4{}
        .disjoint r0, r1, r2, r3, r4
",
            self.name(),
            self.columns,
            self.layout.words(),
            self.name(),
            if self.is_of_word { "" } else { ", r1" }
        );
        let mut code = LinearText::default();
        self.code(&mut code);
        code.to_kernel(&head)
    }

    fn code(self, code: &mut LinearText) {
        let w = self.layout.words();
        let words = || (0..w).step_by(2);
        let (of_words, one) = (w as i64, if self.is_of_word { 1 } else { w as i64 });
        let last = self.columns as i64 - 1;
        // A word goes by the second address set.
        let (first, second) = match self.is_of_word && self.procedure.word_operand() == "t" {
            true => ("%f", "%t"),
            false => ("%t", "%f"),
        };
        // GEL has no use for the slice before the end, and few registers for it.
        let loads_late = self.procedure.has_other_carry();
        for word in words() {
            if !loads_late {
                code.access("ld", pair("%x", word), 2, word as i64);
            }
            code.line(format!("clear %b{word}, %b{}", word + 1));
            if self.procedure.has_other_carry() {
                code.line(format!("clear %y{word}, %y{}", word + 1));
            }
        }
        for (set, step) in [(0, of_words), (1, one), (3, of_words)] {
            code.leave_at(set, last * step);
        }
        code.begin_loop(self.columns);
        for word in words() {
            code.access("ld", pair(first, word), 0, word as i64);
            if !self.is_of_word {
                code.access("ld", pair(second, word), 1, word as i64);
            }
        }
        if self.is_of_word {
            code.access("lw", second, 1, 0);
        }
        for word in 0..w {
            self.lines_of_word(code, word);
        }
        if self.procedure.gives_table() {
            words().for_each(|word| code.access("sd", pair("%s", word), 3, word as i64));
        }
        for (set, step) in [(0, of_words), (1, one), (3, of_words)] {
            code.leave_at(set, -step);
        }
        code.end_loop();
        if loads_late {
            words().for_each(|word| code.access("ld", pair("%x", word), 2, word as i64));
        }
        if self.procedure.has_carry() {
            for word in 0..w {
                code.line(format!("and %z{word}, %b{word}, %x{word}"));
                if self.procedure == ColumnProcedure::Equal {
                    code.line(format!("xor %z{word}, %z{word}, %x{word}"));
                }
            }
            words().for_each(|word| code.access("sd", pair("%z", word), 4, word as i64));
        }
        if self.procedure.has_other_carry() {
            (0..w).for_each(|word| code.line(format!("and %l{word}, %y{word}, %x{word}")));
            words().for_each(|word| code.access("sd", pair("%l", word), 4, (w + word) as i64));
        }
    }

    /// Writes what is done to a word of a column: registers of the lines get its number, but a word's, which all share.
    fn lines_of_word(self, code: &mut LinearText, word: usize) {
        for line in self.procedure.lines() {
            let register =
                |part: &str| match part.strip_prefix('%').map(|n| n.trim_end_matches(',')) {
                    Some(name) if !(self.is_of_word && name == self.procedure.word_operand()) => {
                        part.replacen(name, &format!("{name}{word}"), 1)
                    }
                    _ => part.to_owned(),
                };
            let parts: Vec<String> = line.split(' ').map(register).collect();
            code.line(parts.join(" "));
        }
    }
}
