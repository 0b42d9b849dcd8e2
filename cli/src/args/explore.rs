//! Arguments of `cp2 explore`.

use super::Start;
use clap::Args;
use std::path::PathBuf;

/// Explore a source in the browser: bundles, schedules, cycles and registers beside it, while it is typed
///
/// Prints the address of a page, which only browsers of this computer reach, and only by this address. On its left is the source, on
/// its right what becomes of it: the schedule and the bundles, with the colours of the lines that they come from; what the cycles were spent
/// on; registers at any cycle; other machines beside this one. The file is written only when the page is told to save. Ctrl-C ends the
/// explorer; the text stays in the page.
///
/// A kernel with arguments runs with those of `--arg` and of the page, else with values that it allows; arrays that no `--load` gives are as
/// memory is after reset.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 explore examples/axpy.s\n          cp2 explore fir.s --machine vm9 --load x=x.npy --load h=h.npy\n          cp2 explore fir.s --output fir.html"
)]
pub(crate) struct Explore {
    /// Assembly source; a small example if absent. A name without a file begins a new one
    pub(crate) source: Option<PathBuf>,
    /// Port of this computer; if absent, the system chooses one
    #[arg(long, value_name = "PORT", conflicts_with = "output")]
    pub(crate) port: Option<u16>,
    /// Write the page with all that is told of the source to a file that needs no other one, and serve nothing; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) start: Start,
}
