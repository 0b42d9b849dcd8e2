//! A row of the table, and how one is written.

use super::numbers;
use crate::diagnostic::Severity;
use cp2_isa::Core;

/// A code of a diagnostic, and what there is to say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// `C0101`.
    pub code: &'static str,
    /// Tool that finds the code.
    pub tool: Tool,
    /// Severity, at least.
    pub severity: Severity,
    /// Whether `@allow` and `.allow` silence the code.
    pub allowable: bool,
    /// Title, in one line.
    pub title: &'static str,
    /// Text at the caret of a diagnostic that has no better one.
    pub caret: &'static str,
    /// Text of one paragraph. Numbers of the core are names in braces; [`DiagnosticCode::text_for`] puts them in.
    pub text: &'static str,
    /// Example that has the code, and one that has not.
    pub example: CodeExample,
}

impl DiagnosticCode {
    /// Returns the text, with the numbers of a core.
    pub fn text_for(&self, core: &Core) -> String {
        numbers::for_core(self.text, core)
    }
}

/// A tool that finds a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The assembler with scheduler, checker and object files.
    Assembler,
    /// The linter.
    Linter,
    /// The linter, on request: the meaning rests on a rule that the sources leave open.
    OpenRules,
    /// The tool that reads and runs DMA descriptors.
    Descriptors,
    /// Checked runs: `cp2 run --check` and `cp2 test`.
    Sanitizer,
}

/// A pair of examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeExample {
    /// Source. A line `; file: NAME` begins another file: one that is assembled too if its name ends
    /// in `.s`, and one that can be included otherwise.
    Source {
        /// Text that has the code, and no other.
        wrong: &'static str,
        /// Text like the wrong one that has no code.
        right: &'static str,
    },
    /// A `.hex` file, for what source cannot say.
    Hex {
        /// Text that has the code, and no other.
        wrong: &'static str,
        /// Text like the wrong one that has no code.
        right: &'static str,
    },
    /// A file of DMA descriptors.
    Toml {
        /// Text that has the code, and no other.
        wrong: &'static str,
        /// Text like the wrong one that has no code.
        right: &'static str,
    },
    /// No text shows the code, for this reason.
    None(&'static str),
}

impl CodeExample {
    /// Returns the wrong and the right text; `None` if no text shows the code.
    pub fn texts(&self) -> Option<(&'static str, &'static str)> {
        match *self {
            Self::Source { wrong, right }
            | Self::Hex { wrong, right }
            | Self::Toml { wrong, right } => Some((wrong, right)),
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

/// Code, kind, texts. The examples are the source files of the code's name; `hex` or `toml` if they
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
    (none $code:literal, $kind:ident, $($text:literal),+; $why:literal) => {
        $crate::codes::row::$kind($code, $($text),+, $crate::codes::row::CodeExample::None($why))
    };
}
pub(super) use row;
