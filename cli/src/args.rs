//! Types of the arguments; their comments are the help texts.

#[cfg(feature = "cluster")]
pub(crate) mod cluster;
mod dma;
#[cfg(feature = "explore")]
mod explore;
mod fmt;
#[cfg(feature = "gpu")]
mod gpu;
pub(crate) mod guest;
#[cfg(test)]
mod hostile;
mod kernels;
mod lab;
mod look;
#[cfg(feature = "loops")]
mod loops;
mod manual;
mod process;
pub(crate) mod star;
mod sweep;
mod trace;
mod watch;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
#[cfg(feature = "cluster")]
pub(crate) use cluster::Cluster;
use cp2_document::width::WIDTH;
use cp2_isa::machine::Switch;
use cp2_session::Engine;
pub(crate) use dma::{ChainForm, ChainFormat, Dma};
#[cfg(feature = "explore")]
pub(crate) use explore::Explore;
pub(crate) use fmt::Fmt;
#[cfg(feature = "gpu")]
pub(crate) use gpu::{Gpu, GpuDeviceChoice, GpuMeasure, GpuNpb, GpuRun, search as gpu_search};
pub(crate) use kernels::{Bench, EmitHost, KeepingChoice, KernelRun, Kernels};
pub(crate) use lab::{Estimate, Roofline, WhatIf};
pub(crate) use look::{Debug, Diff, Path, Report, Stats, StepChoice, View, Why};
#[cfg(feature = "loops")]
pub(crate) use loops::{Loops, LoopsDialect, LoopsStorage};
#[cfg(feature = "lsp")]
pub(crate) use manual::Lsp;
pub(crate) use manual::{Completions, Explain, Isa, Man, New, Schema};
pub(crate) use process::ProcessChoice;
pub(crate) use star::{GraphFormatChoice, Star};
use std::ffi::OsString;
use std::path::PathBuf;
pub(crate) use sweep::{Costs, Optimize, Sweep, SweepCommand};
pub(crate) use trace::Trace;
pub(crate) use watch::{Cycles, ProfileChoice, Size, TraceChoice};

const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 a check found something, 2 wrong usage, 3 bad input,
4 the program that ran stopped with an error, 5 cycle limit, 70 internal error.";

/// Assemble, run and explain programs of the CP2 coprocessor, exact to the cycle.
#[derive(Debug, Parser)]
#[command(name = "cp2", version, after_help = EXIT_CODES, propagate_version = true, term_width = WIDTH)]
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
    Fmt(Fmt),
    Lint(Lint),
    Sched(Sched),
    Run(Box<Run>),
    Trace(Box<Trace>),
    Stats(Box<Stats>),
    Diff(Box<Diff>),
    Why(Box<Why>),
    Path(Box<Path>),
    Debug(Box<Debug>),
    #[cfg(feature = "explore")]
    Explore(Box<Explore>),
    Report(Box<Report>),
    Dma(Box<Dma>),
    View(View),
    #[command(subcommand)]
    Kernels(Kernels),
    Star(Box<Star>),
    #[cfg(feature = "gpu")]
    #[command(subcommand)]
    Gpu(Gpu),
    #[cfg(feature = "cluster")]
    #[command(subcommand)]
    Cluster(Cluster),
    #[cfg(feature = "loops")]
    Loops(Loops),
    #[cfg(feature = "lsp")]
    Lsp(Lsp),
    Bench(Bench),
    Estimate(Box<Estimate>),
    Roofline(Roofline),
    #[command(name = "whatif")]
    WhatIf(Box<WhatIf>),
    Sweep(Box<Sweep>),
    Optimize(Optimize),
    Costs(Box<Costs>),
    Test(Test),
    New(New),
    Explain(Explain),
    Isa(Isa),
    Schema(Schema),
    Completions(Completions),
    Man(Man),
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
    /// Neither read nor write the cache folder: schedule linear code and translate kernels anew
    ///
    /// The cache folder is `cp2/schedules` in the user's cache folder, or the one that CP2_CACHE_DIR names. `cp2 kernels run`
    /// keeps machine code there, which the next run executes: a user who can write to the folder, or replace it, can make
    /// this program run any code. So machine code is kept only if the folder belongs to the user and not everybody may
    /// write to it.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Whether a workload file may start programs.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CommandChoice {
    /// Let a workload file start the program that it names to check its results; without this no file starts any
    #[arg(long)]
    pub(crate) allow_commands: bool,
}

/// Assemble source files into an object
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 asm fir.s -o fir.o\n          cp2 asm main.s library.s -o program.hex --listing program.txt"
)]
pub(crate) struct Asm {
    /// Source files; `-` reads standard input. Labels are local to a file unless `.global` exports them
    #[arg(required = true)]
    pub(crate) sources: Vec<PathBuf>,
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Form of the output; if absent, that of its name: hexadecimal text (`.hex`), a header of C (`.h`), else an object
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// Write a listing too: address, word, text and source line of every bundle; for every pipelined loop also its
    /// kernel by cycle and slot and the lifetimes of its registers. `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    /// Write the symbols too, with addresses and sizes in bundles and words: as JSON if the name ends in `.json`,
    /// else as text; `-` is text on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known: KnownFiles,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
}

/// Files of schedules that are written, and compared with.
#[derive(Debug, Args)]
pub(crate) struct SavedSchedules {
    /// Write the best schedule of each loop to a file, as certificates: texts that `--certificate` reads; with `--exact` only
    /// those that the solver found. A search with `--exact` that begins with one goes on where the last search ended
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Tell how the schedules differ from those that this file of certificates has: intervals, operations that moved,
    /// registers
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) against: Option<PathBuf>,
}

/// Schedules of loops that are known before anything is searched.
#[derive(Debug, Args)]
pub(crate) struct KnownFiles {
    /// Certificates of schedules, as `cp2 sched --save` writes them: a loop that one is for takes its schedule, after the
    /// same checks, instead of being searched; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Vec<PathBuf>,
    /// Search all loops, also those whose schedules come with `cp2`
    #[arg(long)]
    pub(crate) anew: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// ELF64 object
    Object,
    /// Hexadecimal text: a bundle of 16 digits per line, from IRAM 0
    Hex,
    /// Header of C for programs of the control processor
    C,
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
/// A finding in lines that macros or repetitions expand several times is printed once, with the address, the operation
/// and the iteration of the first bundle and the addresses of the others. JSON has every bundle.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Assembly sources, which are linted together as `cp2 asm` assembles them, or one object or `.hex`; `-`
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
    /// Print the findings as JSON, errors of the assembler included
    #[arg(long)]
    pub(crate) json: bool,
    /// Also report what depends on rules that the model library leaves open or gets wrong (codes from C0520 on)
    #[arg(long)]
    pub(crate) undefined: bool,
}

/// The machine that a program is made for.
#[derive(Clone, Debug, Args)]
pub(crate) struct CoreChoice {
    /// Machine whose core the program is made for: `vm7`, `vm9` or a machine file (TOML); the core of `vm7`
    /// if absent
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
    /// Switch on extensions of the architecture, by name, some with a size after `=`: `word-access,more-fprs=128`.
    /// The page "Extensions" of the book lists the names. May be repeated
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',')]
    pub(crate) enable: Vec<Switch>,
    /// Change a number of the machine, such as `memory.clock_mhz=800`, after `--enable` has acted. Without
    /// `--machine` only keys of `core` and `extensions`. `cp2 run --machine vm9 --dump-config` prints all keys. May be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Report how linear code was scheduled: bounds, interval, registers, cycles
///
/// Exit code 1 if a predicted number of cycles differs from the engine.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("solver").args(["exact", "why"]).multiple(true))]
#[command(after_help = "Example: cp2 sched examples/axpy.s --listing")]
pub(crate) struct Sched {
    /// Assembly source with linear regions (`.linear`); `-` reads standard input
    pub(crate) source: PathBuf,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    #[command(flatten)]
    pub(crate) known: KnownFiles,
    /// Look for better schedules of loops with a solver, or for a proof that there are none; the checker and the engine
    /// look at what is found
    #[arg(long)]
    pub(crate) exact: bool,
    /// Tell, for each loop, what forbids a shorter interval, or that it is open; implies `--exact`
    #[arg(long)]
    pub(crate) why: bool,
    /// Most conflicts to which the solver comes for a loop, with `--exact` or `--why`; a thousand take a second or two
    /// in a loop of 900 operations
    #[arg(long, value_name = "N", requires = "solver", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) conflicts: u64,
    #[command(flatten)]
    pub(crate) saved: SavedSchedules,
    /// Print the bundles too, with their addresses, the source lines of both slots and the operations
    #[arg(long, conflicts_with = "json")]
    pub(crate) bundles: bool,
    /// Print the pipelined loops as tables too: operation, stage and iteration in every cycle and slot of the
    /// kernel, and which register holds which value when; JSON always has them
    #[arg(long, conflicts_with = "json")]
    pub(crate) listing: bool,
    /// Do not search for promises that would make loops faster; the search schedules every loop several times
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
#[command(
    after_help = "Examples: cp2 run examples/twelve.s --profile\n          cp2 run fir.s --load x=x.npy --load h=h.npy --store y=y.npy\n          cp2 run fir.s --record run.cp2rec\n          cp2 run scale.elf --load x=x.npy --store y=y.npy:float32:shape=256"
)]
pub(crate) struct Run {
    /// Assembly source, object, or `.hex`; `-` reads standard input. An executable ELF file for MIPS runs on the
    /// control processor, which drives CP2; with `--user` it runs as a Linux program
    #[arg(required_unless_present = "dump_config")]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) process: ProcessChoice,
    /// Form of the program
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) start: Start,
    /// Print the machine file that `--machine`, `--enable` and `--set` give, and run nothing
    #[arg(long, requires = "machine", conflicts_with_all = [
        "program", "format", "no_cache", "init", "dump", "max_cycles", "entry", "engine", "trace", "trace_values",
        "trace_cycles", "trace_limit", "profile", "profile_folded", "json", "load", "store", "arg",
        "record",
    ])]
    pub(crate) dump_config: bool,
    /// Write the state after the run (JSON), however the run ends; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) dump: Option<PathBuf>,
    /// Print the arguments and arrays that the program's kernels declare, and run nothing
    #[arg(long, conflicts_with_all = [
        "init", "dump", "load", "store", "arg", "max_cycles", "entry", "engine", "trace", "trace_values",
        "trace_cycles", "trace_limit", "profile", "profile_folded", "record", "dump_config",
    ])]
    pub(crate) interface: bool,
    /// Engine that runs the program; the reference engine runs the cycles that are traced
    #[arg(long, value_parser = engine(), default_value = Engine::default().name())]
    pub(crate) engine: Engine,
    /// Record the run, so that `cp2 trace`, `cp2 stats` and others can show every cycle of it later. 100 million cycles
    /// take a few MB and at most a third more time. If the run is interrupted, the file can be read up to its last
    /// checkpoint
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Check the run. Reports each place once, with its line and how often: a store, a predicate, an address, a count
    /// or a result that uses a value which nothing has written; a store outside of arrays; a double access at an odd
    /// address. A broken promise of linear code (`min=` and `multiple=` of loops, `.disjoint`, `.even`) ends the run.
    /// Exit code 1 if something was found. `@allow(C0801 "why")` in the source permits a place. `.hex` is not
    /// possible, since it has neither promises nor arrays; objects have them
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) trace: TraceChoice,
    #[command(flatten)]
    pub(crate) profile: ProfileChoice,
}

/// Begin of a program, and the limit of its run.
#[derive(Clone, Debug, Args)]
pub(crate) struct Start {
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    /// State before the run (JSON), as `--dump` writes it; `cp2 schema state` describes it
    #[arg(long, value_name = "FILE")]
    pub(crate) init: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) arrays: Arrays,
    /// Set an argument that the kernel declares (`.arg`), or a register: `n=512`, `a=0.5`, `w=0.5:-1.0` for a
    /// complex one, `g2=0x200`; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) arg: Vec<String>,
    /// Stop after this many cycles, `run` and `trace` with exit code 5; if absent 100000000, and 10000000000 for
    /// programs of the control processor
    #[arg(long, value_name = "N")]
    pub(crate) max_cycles: Option<u64>,
    /// Start at this place: a kernel, a label or a bundle address; the first kernel if absent
    #[arg(long, value_name = "PLACE")]
    pub(crate) entry: Option<String>,
}

/// Arrays of a user.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arrays {
    /// Load a `.npy` array before the run, after the program's data and `--init`. PLACE is an array that the kernel
    /// declares (`.array`), a label of local memory, or a word address. OPTIONs: a layout (`all`, `blocks`,
    /// `interleaved`, `interleaved/N`, `s0`..`s3`), a packing of 32-bit elements (`pairs`, `low`, `high`, `both`),
    /// `as=TYPE` to convert, `nan` to permit NaN where a conversion refuses it. Example:
    /// x=in.npy:blocks:as=float32. In a program of the control processor PLACE is a global variable or a physical
    /// address, and there are no layouts and packings. May be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) load: Vec<OsString>,
    /// Store an array as `.npy` after a run that stops. PLACE, layouts and packings are those of `--load`. If the kernel
    /// does not declare the array, give its TYPE in memory (`float32`, `complex64`, `int32`, `uint32`, `int64`,
    /// `uint64`) and `shape=AxB` too; of a program of the control processor always. Example:
    /// y=out.npy:blocks:complex64:shape=4x256. May be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) store: Vec<OsString>,
}

fn engine() -> impl TypedValueParser<Value = Engine> {
    let value = |e: Engine| PossibleValue::new(e.name()).help(e.description());
    let names = PossibleValuesParser::new(Engine::ALL.map(value));
    names.try_map(|name| Engine::from_name(&name).ok_or("no such engine"))
}

/// Test assembly sources: compare what they do with what their comments expect
///
/// A comment `; KEYWORD: ...` is a directive: `; run: g0=3` runs the program on all engines, which have to
/// agree; `; state: g1 = 5`, `; cycles: 41`, `; end: stop 7` are expected results of the run; `; error: 12 C0302`,
/// `; lint: none`, `; schedule: ii=5` are expected of assembler, linter and scheduler for the lines above. `--bless`
/// replaces a value `?` by the one found. The page "File tests" of the book lists all directives.
///
/// Exit code 1 if something is not as expected, 3 if a directive or a file cannot be read.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Assembly sources, and folders that are searched for sources (`.s`) at any depth; `-` reads standard input. If
    /// absent, in a project (`cp2 new`), the sources that its `cp2.toml` names
    pub(crate) paths: Vec<PathBuf>,
    /// Replace what the comments expect by what was found, and change nothing else
    #[arg(long)]
    pub(crate) bless: bool,
    /// Run on this engine only; on all engines if absent
    #[arg(long, value_parser = engine())]
    pub(crate) engine: Option<Engine>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
