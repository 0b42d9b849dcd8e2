//! Arguments of `cp2 fmt`.

use clap::Args;
use std::path::PathBuf;

/// Lay sources out: columns, blanks and empty lines; words and comments stay
///
/// Labels begin at column 1, operations and directives at 9, operands at 17, comments behind code in one column as long
/// as line follows line. A source that has this layout is not written. Programs of the STAR machine (`.star`) have
/// one statement a line, indented by four blanks a level.
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Assembly sources (`.s`) and programs of the STAR machine (`.star`), which are written anew; `-` reads standard input and writes standard output
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// Write nothing; print the first line of each source that would change, and end with exit code 1 if there is one
    #[arg(long)]
    pub(crate) check: bool,
}
