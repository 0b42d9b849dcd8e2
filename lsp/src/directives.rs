//! The directives of the language with their forms, meanings, and the words that may stand behind them.

/// Form of a directive.
#[derive(Clone, Copy)]
pub(crate) struct DirectiveForm {
    /// Name without its dot.
    pub(crate) name: &'static str,
    /// Directive with its arguments.
    pub(crate) written: &'static str,
    /// Meaning in one line.
    pub(crate) meaning: &'static str,
    /// Keys and words that the arguments may have, names of registers and symbols left out.
    pub(crate) words: &'static [&'static str],
    /// Letters of the registers that the arguments may have.
    pub(crate) registers: &'static [&'static str],
}

const fn form(name: &'static str, written: &'static str, meaning: &'static str) -> DirectiveForm {
    DirectiveForm { name, written, meaning, words: &[], registers: &[] }
}

/// Returns a form with words and letters of registers that its arguments may have.
const fn with(
    form: DirectiveForm,
    words: &'static [&'static str],
    registers: &'static [&'static str],
) -> DirectiveForm {
    DirectiveForm { words, registers, ..form }
}

/// All directives.
pub(crate) const DIRECTIVE_FORMS: [DirectiveForm; 36] = [
    form("equ", ".equ NAME, EXPRESSION", "gives a name to a value"),
    form(
        "macro",
        ".macro NAME PARAMETER[=DEFAULT], ...",
        "begins a macro; `\\PARAMETER` in it is the text of an argument",
    ),
    form("endm", ".endm", "ends a macro"),
    form(
        "rept",
        ".rept COUNT[, NAME]",
        "repeats the lines up to `.endr`; `\\NAME` in them is the number of the iteration, from 0",
    ),
    form("endr", ".endr", "ends a repetition"),
    form("if", ".if EXPRESSION", "begins lines that are assembled if the value is not 0"),
    form("else", ".else", "begins lines that are assembled if the value of `.if` is 0"),
    form("endif", ".endif", "ends the lines of `.if`"),
    form(
        "include",
        ".include \"FILE\"",
        "reads a file, looked for beside this one, in place of the line",
    ),
    form("kernel", ".kernel NAME", "begins a kernel at the current bundle address"),
    form("code", ".code", "goes back to the current kernel after data"),
    with(
        form(
            "lmem",
            ".lmem all | .lmem sN",
            "the following data are for every section, or for one",
        ),
        &["all"],
        &["s"],
    ),
    form(
        "org",
        ".org ADDRESS",
        "moves the location counter, of code or of the current local memory",
    ),
    form("align", ".align N", "moves the location counter up to a multiple of N"),
    form("quad", ".quad VALUE, ...", "64-bit words"),
    form(
        "complex",
        ".complex RE, IM, ...",
        "words of two floats in single precision, the real part high",
    ),
    form("pair", ".pair HI, LO, ...", "words of two 32-bit integers"),
    form("zero", ".zero N", "N zero words"),
    form("bundle", ".bundle VALUE[, UPPER]", "a bundle as a number, or as those of its two words"),
    form(
        "global",
        ".global NAME, ...",
        "makes names visible in all files that are assembled together",
    ),
    with(
        form(
            "live",
            ".live fN, ...",
            "FPRs that hold results when the kernel stops, for the linter",
        ),
        &[],
        &["f"],
    ),
    with(
        form(
            "arg",
            ".arg NAME, REGISTER[, TYPE][, min=N][, max=N][, multiple=N][, default=N]",
            "an argument that the caller puts into a register",
        ),
        &[
            "float32",
            "complex64",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "min=",
            "max=",
            "multiple=",
            "default=",
        ],
        &["g", "a", "n", "m", "i", "f"],
    ),
    with(
        form(
            "array",
            ".array NAME, in|out|inout, TYPE, SIZE, ...[, layout=L][, pack=P][, at=PLACE]",
            "an array in local memory, with a size for each axis",
        ),
        &[
            "in",
            "out",
            "inout",
            "float32",
            "complex64",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "layout=",
            "pack=",
            "at=",
        ],
        &["g", "a"],
    ),
    with(
        form(
            "dmabank",
            ".dmabank none | N, ...",
            "banks that the DMA channel may use while the following bundles issue, for the linter",
        ),
        &["none"],
        &[],
    ),
    form("allow", ".allow CODE, ...", "silences findings up to `.endallow`"),
    form("endallow", ".endallow", "ends `.allow`"),
    form("requires", ".requires EXTENSION, ...", "extensions that the program needs"),
    form("linear", ".linear [NAME]", "begins linear code, which the scheduler turns into bundles"),
    form("endlinear", ".endlinear", "ends linear code"),
    with(
        form(
            "loop",
            ".loop COUNT[, min=N][, multiple=N][, expected=N]",
            "begins a loop of linear code; `min=` and `multiple=` are promises about a count in a register, `expected=` is what it usually is",
        ),
        &["min=", "multiple=", "expected="],
        &["g"],
    ),
    form("endloop", ".endloop", "ends a loop of linear code"),
    with(
        form(
            "disjoint",
            ".disjoint rI, rJ, ...[, abs][, sections]",
            "promises that no two of these ever reach the same word",
        ),
        &["abs", "sections"],
        &["r"],
    ),
    with(
        form("even", ".even rK, ...", "promises that An is even where the region begins"),
        &[],
        &["r"],
    ),
    with(
        form("keep", ".keep fN, fN-fM, ...", "registers that the scheduler leaves alone"),
        &[],
        &["f"],
    ),
    with(
        form(
            "scratch",
            ".scratch gN",
            "a general register that the scheduler may use for counts of loops",
        ),
        &[],
        &["g"],
    ),
    with(
        form("assign", ".assign %x, fN", "makes a virtual register this register of the machine"),
        &[],
        &["f"],
    ),
];

/// Returns the form of a directive by its name without the dot.
pub(crate) fn directive_form(name: &str) -> Option<&'static DirectiveForm> {
    DIRECTIVE_FORMS.iter().find(|form| form.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_directive_of_the_language_has_a_form() {
        let forms: BTreeSet<&str> = DIRECTIVE_FORMS.iter().map(|form| form.name).collect();
        assert_eq!(forms, cp2_asm::outline::directives().iter().copied().collect());
        for form in &DIRECTIVE_FORMS {
            assert!(form.written.starts_with(&format!(".{}", form.name)), "{}", form.written);
        }
    }
}
