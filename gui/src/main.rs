//! `cp2-view`: the window. `cp2 view` starts it with the same arguments.

use clap::Parser;
use cp2_gui::app::{App, RunLink, Wish, link_cycles};
use cp2_gui::worker::{Origin, Settings};
use cp2_isa::Cycle;
use std::path::PathBuf;
use std::process::ExitCode;

/// Open a window over a run of CP2: every cycle, forward and back
///
/// Without a file, the window shows a page of examples.
#[derive(Debug, Parser)]
#[command(
    name = "cp2 view",
    version,
    after_help = "Examples:\n  cp2 view examples/axpy.s\n  cp2 run fft.s --record run.cp2rec; cp2 view run.cp2rec --cycles 5000..5040\n  \
                  cp2 view 'run.cp2rec#cycles=5000..5040&view=registers'\n  \
                  cp2 view examples/axpy.s --compare examples/axpy.s --set core.arithmetic_latency=4\n\
                  Press F1 in the window for the list of keys."
)]
struct Arguments {
    /// A recording (`cp2 run --record`), assembly source, an object, or `.hex`; a program is run and
    /// recorded into a temporary file first. A place may follow: `FILE#cycles=A..B&view=NAME`, as Ctrl+L copies it
    #[arg(value_parser = RunLink::read)]
    file: Option<RunLink>,
    /// A kernel that comes with cp2, by its name (`cp2 kernels list`), in place of a file
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    kernel: Option<String>,
    /// Number of vectors of random data, for a kernel that takes it
    #[arg(long, value_name = "N", requires = "kernel")]
    vectors: Option<u64>,
    /// Compare with another recording or program, which is shown as the run before the change
    #[arg(long, value_name = "FILE", requires = "file")]
    compare: Option<PathBuf>,
    /// Machine around CP2: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine file (TOML); CP2
    /// alone if absent
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,
    /// Change a number of the machine, such as `core.arithmetic_latency=4`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Switch on extensions of the architecture, by name, separated by commas; may be repeated
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',')]
    enable: Vec<String>,
    /// State of a program before its run (JSON)
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Load a `.npy` array before the run of a program, and of the one that it is compared with, as `cp2 run` does;
    /// may be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    load: Vec<String>,
    /// Store an array as `.npy` after a run that stops, as `cp2 run` does; may be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    store: Vec<String>,
    /// Set an argument that the kernel declares (`.arg`), or a register, of both programs; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    arg: Vec<String>,
    /// Start a program at this place: a kernel, a label or a bundle address; the first kernel if absent
    #[arg(long, value_name = "PLACE")]
    entry: Option<String>,
    /// Stop the run of a program after this many cycles
    #[arg(long, value_name = "N", default_value_t = cp2_session::MOST_CYCLES)]
    max_cycles: u64,
    /// Show these cycles first, counted from reset, from A on and before B. Example: `--cycles 1000..1200`
    #[arg(long, value_name = "A..B", value_parser = link_cycles)]
    cycles: Option<(Cycle, Cycle)>,
    /// Show this view in front
    #[arg(long, value_name = "VIEW", value_enum)]
    view: Option<cp2_gui::app::Pane>,
    /// Start without the saved layout and settings of the last session
    #[arg(long)]
    fresh: bool,
    /// Pan for so many frames, print the processor time of a frame, and end
    #[arg(long, value_name = "FRAMES", hide = true)]
    measure: Option<u32>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let plain = Settings {
        init: arguments.init,
        load: arguments.load,
        arg: arguments.arg,
        entry: arguments.entry,
        max_cycles: arguments.max_cycles,
        ..Settings::default()
    };
    let settings = Settings {
        machine: arguments.machine,
        enable: arguments.enable,
        set: arguments.set,
        store: arguments.store,
        ..plain.clone()
    };
    let example = |name| cp2_gui::worker::Example { name, vectors: arguments.vectors };
    let link = arguments.file;
    let place = link.as_ref().map(|link| (link.cycles, link.pane));
    let (linked_cycles, linked_pane) = place.unwrap_or_default();
    let origin = match (link, arguments.kernel) {
        (Some(link), _) => Some(Origin::File(link.file, settings)),
        (None, Some(name)) => Some(Origin::Kernel(example(name), settings)),
        (None, None) => None,
    };
    let base = arguments.compare.map(|path| {
        // What was recorded has its data; what cannot be read is told when it is opened.
        let is_recording = cp2_gui::worker::is_recording(&path).unwrap_or(false);
        Origin::File(path, if is_recording { Settings::default() } else { plain })
    });
    let wish = Wish {
        origin,
        base,
        cycles: arguments.cycles.or(linked_cycles),
        pane: arguments.view.or(linked_pane),
        measure: arguments.measure,
    };
    match App::run(wish, arguments.fresh) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!(
                "cp2 view: error: cannot open a window: {e}. The viewer needs a graphical display; \
                 without one, use `cp2 trace`, `cp2 stats` and `cp2 why`."
            );
            ExitCode::from(70)
        }
    }
}
