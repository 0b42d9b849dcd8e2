//! Types of the arguments; their comments are the help texts.

mod dma;
#[cfg(test)]
mod hostile;
mod kernels;
mod lab;
mod look;
mod manual;
mod process;
mod sweep;
mod trace;
mod watch;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use cp2_isa::machine::Switch;
use cp2_session::Engine;
pub(crate) use dma::{ChainForm, ChainFormat, Dma};
pub(crate) use kernels::{Bench, KernelRun, Kernels};
pub(crate) use lab::{Estimate, Roofline, WhatIf};
pub(crate) use look::{Diff, Report, Stats, Why};
pub(crate) use manual::{Completions, Explain, Isa, Man, New, Schema};
pub(crate) use process::ProcessChoice;
use std::ffi::OsString;
use std::path::PathBuf;
pub(crate) use sweep::{Optimize, Sweep, SweepCommand};
pub(crate) use trace::Trace;
pub(crate) use watch::{Cycles, ProfileChoice, Size, TraceChoice};

const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 a check found something, 2 wrong usage, 3 bad input,
4 the program that ran stopped with an error, 5 cycle limit, 70 internal error.";

/// Assemble, run and explain programs of the CP2 coprocessor, exact to the cycle.
#[derive(Debug, Parser)]
#[command(name = "cp2", version, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Arguments {
    /// Colours of messages; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Asm(Asm),
    Dis(Dis),
    Lint(Lint),
    Sched(Sched),
    Run(Box<Run>),
    Trace(Box<Trace>),
    Stats(Box<Stats>),
    Diff(Box<Diff>),
    Why(Box<Why>),
    Report(Box<Report>),
    Dma(Box<Dma>),
    View(View),
    #[command(subcommand)]
    Kernels(Kernels),
    Bench(Bench),
    Estimate(Box<Estimate>),
    Roofline(Roofline),
    #[command(name = "whatif")]
    WhatIf(Box<WhatIf>),
    Sweep(Box<Sweep>),
    Optimize(Optimize),
    Test(Test),
    New(New),
    Explain(Explain),
    Isa(Isa),
    Schema(Schema),
    Completions(Completions),
    Man(Man),
}

/// Look at runs in a window: timeline, source, registers, where values came from, comparisons
///
/// Starts the viewer `cp2-view`, which stands beside this program or in PATH, with all arguments: a recording, a
/// program or a source file, and options. `cp2 view --help` lists them. It is built with `cargo build --release -p
/// cp2-gui`.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Example: cp2 view examples/axpy.s"
)]
pub(crate) struct View {
    /// Arguments of the viewer
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// Condition under which text has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether schedules of linear code, programs and translated code are kept from run to run.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CacheChoice {
    /// Schedule linear code and translate anew, and keep nothing: neither read nor write the cache folder
    ///
    /// The cache folder is `cp2/schedules` in the user's cache folder, or the one that CP2_CACHE_DIR names. `cp2 kernels run`
    /// keeps machine code there, which the next run executes: whoever can write in the folder, or replace it, can make this
    /// program run anything. It is done only where the folder belongs to the user and not everybody may write in it.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Assemble source files into an object
#[derive(Debug, Args)]
pub(crate) struct Asm {
    /// Source files; `-` reads standard input. Labels are local to a file unless `.global`
    #[arg(required = true)]
    pub(crate) sources: Vec<PathBuf>,
    /// File to write; `-` is standard output
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// Form of the output; if absent the name of the output decides: `.hex`, else an object
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// Write a listing too: address, word, bundle and source line of every bundle, and for every loop that
    /// was pipelined its kernel by cycle and slot and the lifetimes of its registers; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    /// Write the symbols with addresses and sizes too, in bundles and words: as JSON if the name ends in
    /// `.json`, else as text; `-` is text on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// ELF64 object
    Object,
    /// Hexadecimal text: a bundle of 16 digits per line, from IRAM 0
    Hex,
}

/// Form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// By content and name: ELF, `.hex`, else source
    Auto,
    /// Assembly source
    Source,
    /// ELF64 object
    Object,
    /// Hexadecimal text: a bundle of 16 digits per line
    Hex,
}

/// A program to read.
#[derive(Debug, Args)]
pub(crate) struct Program {
    /// Assembly source, object, or `.hex`; `-` reads standard input
    pub(crate) program: PathBuf,
    /// Form of the program
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
}

/// Disassemble a program into source that assembles back to it
#[derive(Debug, Args)]
pub(crate) struct Dis {
    #[command(flatten)]
    pub(crate) program: Program,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// File to write; standard output if absent
    #[arg(short, long)]
    pub(crate) output: Option<PathBuf>,
}

/// Find hazards of the exposed pipeline; exit code 1 if there are any
///
/// What macros and repetitions make of the same lines is told once, with the address, the operation and the
/// iteration of the first bundle and the addresses of the others. JSON has every bundle.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Assembly sources, which are linted together as `cp2 asm` takes them, or one object or `.hex`; `-`
    /// reads standard input
    #[arg(required = true)]
    pub(crate) programs: Vec<PathBuf>,
    /// Form of the program
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Write the findings as SARIF 2.1.0; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Print the findings as JSON; errors of the assembler too, if there are any
    #[arg(long)]
    pub(crate) json: bool,
    /// Also name what depends on rules that the model library leaves open or gets wrong (C0520 and up)
    #[arg(long)]
    pub(crate) undefined: bool,
}

/// The machine that a program is made for.
#[derive(Debug, Args)]
pub(crate) struct CoreChoice {
    /// Machine whose core the program is made for: `vm7`, `vm9` or a machine file (TOML); the numbers
    /// of `vm7` if absent
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: Option<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

/// The machine to run on.
#[derive(Clone, Debug, Args)]
pub(crate) struct MachineChoice {
    /// Machine around CP2: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine
    /// file (TOML); CP2 alone if absent
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: Option<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

/// Changes of a machine.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Changes {
    /// Switch extensions of the architecture on, by name, a size behind `=`: `word-access,more-fprs=128`. A name that
    /// there is not is refused with the list of all. May be repeated
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',')]
    pub(crate) enable: Vec<Switch>,
    /// Change a number of the machine, such as `memory.clock_mhz=800`; may be repeated, and comes after
    /// `--enable`. Without `--machine` numbers of `core` and `extensions` only
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Tell how linear code was scheduled: bounds, interval, registers, cycles; exit code 1 if a
/// prediction differs from the engine
#[derive(Debug, Args)]
pub(crate) struct Sched {
    /// Assembly source with linear regions (`.linear`); `-` reads standard input
    pub(crate) source: PathBuf,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Find the least initiation interval of small loops with a SAT solver
    #[arg(long)]
    pub(crate) exact: bool,
    /// Print the bundles too: address, source lines of both slots, operations
    #[arg(long, conflicts_with = "json")]
    pub(crate) bundles: bool,
    /// Print the pipelined loops as tables too: operation, stage and iteration in every cycle and slot of
    /// the kernel, and which register holds which value when; JSON has them always
    #[arg(long, conflicts_with = "json")]
    pub(crate) listing: bool,
    /// Do not look for promises that would make loops faster: it takes a few schedules of every loop
    #[arg(long)]
    pub(crate) no_hints: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
}

/// Run a program to its `stop`, exact to the cycle, and report where the cycles went
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Assembly source, object, or `.hex`; `-` reads standard input. An executable ELF file for MIPS runs on the
    /// control processor, which drives CP2; with `--user` as a Linux program
    #[arg(required_unless_present = "dump_config")]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) process: ProcessChoice,
    /// Form of the program
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) start: Start,
    /// Print the machine file that `--machine` and `--set` give, and run nothing
    #[arg(long, requires = "machine", conflicts_with_all = [
        "program", "format", "no_cache", "init", "dump", "max_cycles", "entry", "engine", "trace", "trace_values",
        "trace_cycles", "trace_limit", "profile", "profile_folded", "json", "load", "store", "arg",
        "record",
    ])]
    pub(crate) dump_config: bool,
    /// Write the state after the run (JSON); `-` is standard output. Written however the run ends
    #[arg(long, value_name = "FILE")]
    pub(crate) dump: Option<PathBuf>,
    /// Print the arguments and arrays that the program's kernels declare, and run nothing
    #[arg(long, conflicts_with_all = [
        "init", "dump", "load", "store", "arg", "max_cycles", "entry", "engine", "trace", "trace_values",
        "trace_cycles", "trace_limit", "profile", "profile_folded", "record", "dump_config",
    ])]
    pub(crate) interface: bool,
    /// Engine that runs the program; a traced run is the reference engine's
    #[arg(long, value_parser = engine(), default_value = Engine::default().name())]
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) trace: TraceChoice,
    #[command(flatten)]
    pub(crate) profile: ProfileChoice,
    /// Record the run, so that every cycle of it can be looked at later with `cp2 trace` and `cp2 stats`.
    /// A few MB for 100 million cycles, and at most a third more time. The file grows under its name; what
    /// is there when the run is interrupted can be read up to the last checkpoint
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Check the run: values that nothing has written and that reach a store, a predicate, an address, a count or
    /// a result, stores outside of arrays, double accesses at odd addresses, each place once with its line and how
    /// often; and what linear code promises (`min=` and `multiple=` of loops, `.disjoint`, `.even`), where the run
    /// ends. Exit code 1 if something was found. `@allow(C0801 "why")` keeps what is meant. `.hex` has neither
    /// promises nor arrays, objects have them
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Begin of a program, and the limit of its run.
#[derive(Clone, Debug, Args)]
pub(crate) struct Start {
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    /// State before the run (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) init: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) arrays: Arrays,
    /// Set an argument that the kernel declares (`.arg`), or a register: `n=512`, `a=0.5`, `w=0.5:-1.0` for a
    /// complex one, `g2=0x200`; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) arg: Vec<String>,
    /// Stop after this many cycles, `run` and `trace` with exit code 5; 100000000 if absent, for programs of the
    /// control processor 10000000000
    #[arg(long, value_name = "N")]
    pub(crate) max_cycles: Option<u64>,
    /// Place to start at: a kernel, a label or a bundle address; the first kernel if absent
    #[arg(long, value_name = "PLACE")]
    pub(crate) entry: Option<String>,
}

/// Arrays of a user.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arrays {
    /// Load a `.npy` array before the run, after data and `--init`. PLACE is an array that the kernel declares
    /// (`.array`), a label of local memory, or a word address. OPTIONs: a layout (`all`, `blocks`,
    /// `interleaved`, `interleaved/N`, `s0`..`s3`), a packing of 32-bit elements (`pairs`, `low`, `high`,
    /// `both`), `as=TYPE` to convert, `nan`. Example: x=in.npy:blocks:as=float32. May be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) load: Vec<OsString>,
    /// Store an array as `.npy` after a run that stops. PLACE and layouts as for --load; besides the TYPE in
    /// memory (`float32`, `complex64`, `int32`, `uint32`, `int64`, `uint64`) and `shape=AxB`, where the kernel
    /// does not declare them. Example: y=out.npy:blocks:complex64:shape=4x256. May be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) store: Vec<OsString>,
}

fn engine() -> impl TypedValueParser<Value = Engine> {
    let value = |e: Engine| PossibleValue::new(e.name()).help(e.description());
    let names = PossibleValuesParser::new(Engine::ALL.map(value));
    names.try_map(|name| Engine::from_name(&name).ok_or("no such engine"))
}

/// Test assembly sources against what their comments say they do
///
/// A comment `; KEYWORD: ...` is a directive: `; run: g0=3` runs the program on all engines, which have to
/// agree; `; state: g1 = 5`, `; cycles: 41`, `; end: stop 7` say what the run gives; `; error: 12 C0302`,
/// `; lint: none`, `; schedule: ii=5` what assembler, linter and scheduler say of the lines above. `?` for a
/// value is filled in by `--bless`. The page "File tests" of the book lists all directives.
///
/// Exit code 1 if something is not as expected, 3 if a directive or a file cannot be read.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Assembly sources, and folders with sources (`.s`) in them and below; `-` reads standard input. In a
    /// project (`cp2 new`) what its `cp2.toml` names, if absent
    pub(crate) paths: Vec<PathBuf>,
    /// Write what was found in place of what was expected, and change nothing else
    #[arg(long)]
    pub(crate) bless: bool,
    /// Run on this engine only; on both if absent
    #[arg(long, value_parser = engine())]
    pub(crate) engine: Option<Engine>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
