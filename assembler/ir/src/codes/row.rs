//! A row of the table, and how one is written.

use super::numbers;
use crate::diagnostic::Severity;
use cp2_isa::Core;

/// A row of the table of diagnostic codes: one kind of mistake, with its title, explanation and examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// The code itself, such as `C0101`.
    pub code: &'static str,
    /// Tool that reports the code.
    pub tool: Tool,
    /// Least severity of a diagnostic with the code; a tool may report a warning as an error.
    pub severity: Severity,
    /// True if `@allow` and `.allow` in the source silence the code.
    pub allowable: bool,
    /// Name of the mistake in one line, for lists of the codes.
    pub title: &'static str,
    /// Text beside the caret, which marks the place in the printed source line, of a diagnostic that brings no text of
    /// its own.
    pub caret: &'static str,
    /// Explanation of the code in one paragraph. Names in braces stand for numbers of the core, which
    /// [`DiagnosticCode::text_for`] puts in.
    pub text: &'static str,
    /// Example of a text with the mistake, and of one without it.
    pub example: CodeExample,
}

impl DiagnosticCode {
    /// Returns the explanation of the code, with the sizes and latencies of a core in place of the names in braces.
    pub fn text_for(&self, core: &Core) -> String {
        numbers::for_core(self.text, core)
    }
}

/// The tool that reports a diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The assembler, with scheduler, checker of schedules, and reader of object files.
    Assembler,
    /// The linter (`cp2 lint`), which reports the code without a request.
    Linter,
    /// The linter (`cp2 lint`), only on request: the meaning of the program rests on a rule that the sources on CP2
    /// leave open.
    OpenRules,
    /// The reader and runner of DMA descriptors: tables that tell the DMA channel what to transfer.
    Descriptors,
    /// A checked run (`cp2 run --check`, `cp2 test`), which watches a run for undefined values, stray stores and broken
    /// promises.
    Sanitizer,
    /// The reader of workload files: a user's own kernels and arrays as a TOML file.
    Workloads,
    /// The associative STAR machine (`cp2 star`): the checker of its programs, a run of one, the readers of graphs.
    Star,
    /// The loop nests (`cp2 loops`): the reader of their texts, and the analysis of what it has read.
    Nests,
}

/// The examples of a diagnostic code: two texts of the same kind, the first with the mistake and the second without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeExample {
    /// Source text. A line `; file: NAME` in it begins another file: one that is assembled too if its name ends in
    /// `.s`, else one that can be included.
    Source {
        /// Text that is reported with this code and no other.
        wrong: &'static str,
        /// Text like the wrong one that is reported with no code.
        right: &'static str,
    },
    /// Text of a `.hex` file, for mistakes that source text cannot contain.
    Hex {
        /// Text that is reported with this code and no other.
        wrong: &'static str,
        /// Text like the wrong one that is reported with no code.
        right: &'static str,
    },
    /// Text of a TOML file, with DMA descriptors or with a workload.
    Toml {
        /// Text that is reported with this code and no other.
        wrong: &'static str,
        /// Text like the wrong one that is reported with no code.
        right: &'static str,
    },
    /// Text of a program of the STAR machine; some mistakes show only in a run.
    Star {
        /// Text that is reported with this code and no other.
        wrong: &'static str,
        /// Text like the wrong one that is reported with no code.
        right: &'static str,
    },
    /// Text of a loop nest, in the subset of C.
    Nest {
        /// Text that is reported with this code and no other.
        wrong: &'static str,
        /// Text like the wrong one that is reported with no code.
        right: &'static str,
    },
    /// No example: the reason why no text shows the code.
    None(&'static str),
}

impl CodeExample {
    /// Returns the text with the mistake and the text without it, in this order; `None` if no text shows the code.
    pub fn texts(&self) -> Option<(&'static str, &'static str)> {
        match *self {
            Self::Source { wrong, right }
            | Self::Hex { wrong, right }
            | Self::Toml { wrong, right }
            | Self::Star { wrong, right }
            | Self::Nest { wrong, right } => Some((wrong, right)),
            Self::None(_) => None,
        }
    }
}

/// Creates the row of an error of the assembler.
pub(super) const fn error(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    let (tool, severity, allowable) = (Tool::Assembler, Severity::Error, false);
    DiagnosticCode { code, tool, severity, allowable, title, caret, text, example }
}

/// Creates the row of an error of the assembler that the source may keep.
pub(super) const fn allowed(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { allowable: true, ..error(code, title, caret, text, example) }
}

/// Creates the row of a warning of the assembler.
pub(super) const fn warning(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { severity: Severity::Warning, ..error(code, title, caret, text, example) }
}

/// Creates the row of a lint that is a warning; each finding has a text of its own at the caret.
pub(super) const fn lint(
    code: &'static str,
    title: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    let (severity, allowable) = (Severity::Warning, true);
    DiagnosticCode {
        tool: Tool::Linter,
        severity,
        allowable,
        title,
        caret: "",
        text,
        example,
        code,
    }
}

/// Creates the row of a lint about what the machine stops on, which is an error.
pub(super) const fn fatal(
    code: &'static str,
    title: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { severity: Severity::Error, ..lint(code, title, text, example) }
}

/// Creates the row of a lint about a rule that the sources leave open.
pub(super) const fn open(
    code: &'static str,
    title: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::OpenRules, ..lint(code, title, text, example) }
}

/// Creates the row of an error in DMA descriptors or of the channel.
pub(super) const fn descriptors(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::Descriptors, ..error(code, title, caret, text, example) }
}

/// Creates the row of an error in a workload file.
pub(super) const fn workloads(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::Workloads, ..error(code, title, caret, text, example) }
}

/// Creates the row of an error of the STAR machine.
pub(super) const fn star(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::Star, ..error(code, title, caret, text, example) }
}

/// Creates the row of an error in a loop nest.
pub(super) const fn nests(
    code: &'static str,
    title: &'static str,
    caret: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::Nests, ..error(code, title, caret, text, example) }
}

/// Returns a code that a checked run finds.
pub(super) const fn checked(
    code: &'static str,
    title: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { tool: Tool::Sanitizer, ..fatal(code, title, text, example) }
}

/// Returns a code that ends a checked run.
pub(super) const fn promised(
    code: &'static str,
    title: &'static str,
    text: &'static str,
    example: CodeExample,
) -> DiagnosticCode {
    DiagnosticCode { allowable: false, ..checked(code, title, text, example) }
}

/// The text of an example: `assembler/codes/CODE.wrong.s` and the like.
macro_rules! example {
    ($code:literal, $name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../codes/", $code, $name))
    };
}
pub(super) use example;

/// Code, kind, texts. The examples are the source files of the code's name; `hex`, `toml`, `star` or `nest` if they
/// are such files, `none` with a reason if there are none.
macro_rules! row {
    ($code:literal, $kind:ident, $($text:literal),+) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::Source {
            wrong: $crate::codes::row::example!($code, ".wrong.s"),
            right: $crate::codes::row::example!($code, ".right.s"),
        })
    };
    (hex $code:literal, $kind:ident, $($text:literal),+) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::Hex {
            wrong: $crate::codes::row::example!($code, ".wrong.hex"),
            right: $crate::codes::row::example!($code, ".right.hex"),
        })
    };
    (toml $code:literal, $kind:ident, $($text:literal),+) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::Toml {
            wrong: $crate::codes::row::example!($code, ".wrong.toml"),
            right: $crate::codes::row::example!($code, ".right.toml"),
        })
    };
    (star $code:literal, $kind:ident, $($text:literal),+) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::Star {
            wrong: $crate::codes::row::example!($code, ".wrong.star"),
            right: $crate::codes::row::example!($code, ".right.star"),
        })
    };
    (nest $code:literal, $kind:ident, $($text:literal),+) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::Nest {
            wrong: $crate::codes::row::example!($code, ".wrong.c"),
            right: $crate::codes::row::example!($code, ".right.c"),
        })
    };
    (none $code:literal, $kind:ident, $($text:literal),+; $why:literal) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::None($why))
    };
}
pub(super) use row;
