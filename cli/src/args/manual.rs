//! Arguments of the commands that begin a project and explain: `cp2 new`, `explain`, `isa`, `schema`, `completions`, `man`.

use super::CoreChoice;
use clap::Args;
use std::path::PathBuf;

/// Begin a project: a folder with a kernel, data, the result that is expected, and a test
///
/// `cp2 test` in the folder passes; its README.md tells the commands. A folder that exists is refused.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder; its name, `_` for `-`, is that of the kernel
    pub(crate) folder: PathBuf,
}

/// Explain a diagnostic code, such as C0501, or an operation, such as psmadd
///
/// An operation is explained as `cp2 isa` does it.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code or the mnemonic; all codes are listed if it is absent
    pub(crate) code: Option<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
}

/// Tell what an operation does: operands, meaning, exceptions, latencies, and a worked example
///
/// Without a mnemonic the reference page of all operations is printed (Markdown). In examples HI:LO are the halves of
/// 64 bits, as floats if a point stands in them, {a, b, c, d} the values of sections 0 to 3, `[100]` is a word of local
/// memory. What is not told before is 0 or what reset gives.
#[derive(Debug, Args)]
#[command(after_help = "Examples: cp2 isa psmadd; cp2 isa c.lt.ps; cp2 isa psprmsgn --json")]
pub(crate) struct Isa {
    /// The mnemonic; `psprmsgn` tells of both forms, and a comparison may have its relation and format
    #[arg(value_name = "MNEMONIC")]
    pub(crate) operation: Option<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Print JSON; without a mnemonic of all operations
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the JSON Schema of a report or a file
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Report or file whose schema is printed; all are listed if absent
    pub(crate) name: Option<String>,
}

/// Print the completions of a shell
///
/// For bash: `cp2 completions bash > ~/.local/share/bash-completion/completions/cp2`; zsh: `cp2 completions zsh >
/// DIR/_cp2`, a folder of `fpath`; fish: `cp2 completions fish > ~/.config/fish/completions/cp2.fish`;
/// PowerShell: `cp2 completions powershell >> $PROFILE`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages, one for each command
///
/// Example: `cp2 man ~/.local/share/man/man1`, then `man cp2-run`. The folder is made if there is none.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder for `cp2.1`, `cp2-run.1` and so on; if absent the page of cp2 goes to standard output
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}
