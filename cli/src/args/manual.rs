//! Arguments of the commands that begin a project and explain: `cp2 new`, `explain`, `isa`, `schema`, `completions`, `man`.

use super::CoreChoice;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cp2_workloads::project::{ProjectTemplate, TEMPLATES};
use std::path::PathBuf;

/// Begin a project: a folder with a kernel, its data, its expected result, and a test
///
/// `cp2 test` passes in the new folder, and work.toml there is a workload that every command takes; its README.md lists
/// the commands. A folder that exists is refused.
#[derive(Debug, Args)]
#[command(after_help = "Examples: cp2 new mine; cp2 new lowpass --template fir")]
pub(crate) struct New {
    /// Folder to make; its name, with `_` for `-`, becomes the name of the kernel
    pub(crate) folder: PathBuf,
    /// Kernel to begin with
    #[arg(long, value_parser = template(), default_value = TEMPLATES[0].name)]
    pub(crate) template: &'static ProjectTemplate,
}

/// Returns the parser of the name of a template.
fn template() -> impl TypedValueParser<Value = &'static ProjectTemplate> {
    let value = |template: &ProjectTemplate| PossibleValue::new(template.name).help(template.about);
    PossibleValuesParser::new(TEMPLATES.iter().map(value)).try_map(|name| {
        TEMPLATES.iter().find(|template| template.name == name).ok_or("no such template")
    })
}

/// Explain a diagnostic code, such as C0501, or an operation, such as psmadd
///
/// For an operation it prints what `cp2 isa` prints.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Diagnostic code or mnemonic; if absent, all codes are listed
    pub(crate) code: Option<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
}

/// Explain an operation: operands, meaning, exceptions, latencies, and a worked example
///
/// Without a mnemonic it prints the reference page of all operations (Markdown). In examples HI:LO are the halves of 64
/// bits, as floats if they have a decimal point; {a, b, c, d} are the values of sections 0 to 3; `[100]` is a word of
/// local memory. Registers and words that are not named are 0, or as reset leaves them.
#[derive(Debug, Args)]
#[command(after_help = "Examples: cp2 isa psmadd; cp2 isa c.lt.ps; cp2 isa psprmsgn --json")]
pub(crate) struct Isa {
    /// Mnemonic; `psprmsgn` explains both forms, and a comparison may have its relation and format, as in c.lt.ps
    #[arg(value_name = "MNEMONIC")]
    pub(crate) operation: Option<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Print JSON; without a mnemonic for all operations
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the JSON Schema of a report or a file
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Name of the report or file; if absent, all names are listed
    pub(crate) name: Option<String>,
}

/// Print the script with which a shell completes commands and options
///
/// For bash: `cp2 completions bash > ~/.local/share/bash-completion/completions/cp2`; zsh: `cp2 completions zsh >
/// DIR/_cp2`, a folder of `fpath`; fish: `cp2 completions fish > ~/.config/fish/completions/cp2.fish`;
/// PowerShell: `cp2 completions powershell >> $PROFILE`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell to make the script for
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages, one for each command
///
/// Example: `cp2 man ~/.local/share/man/man1`, then `man cp2-run`. The folder is made if it does not exist.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder for `cp2.1`, `cp2-run.1` and so on; if absent, the page of cp2 itself is printed
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Serve an editor: findings as one types, what words mean, cycles and intervals beside the lines
///
/// Speaks the Language Server Protocol on the standard streams; the editor starts it. What it says of latencies, registers and
/// extensions is of the machine that the options name.
#[cfg(feature = "lsp")]
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 lsp --machine vm7")]
pub(crate) struct Lsp {
    #[command(flatten)]
    pub(crate) core: super::CoreChoice,
}
