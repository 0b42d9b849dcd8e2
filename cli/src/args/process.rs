//! Arguments of `cp2 run --user`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cp2_k64::isa::Release;
use std::path::PathBuf;

/// A Linux program on the control processor.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProcessChoice {
    /// Run a statically linked Linux program for big-endian mips64 (n64 ABI) on the control processor, without
    /// CP2 and without time. The exit code is the program's own; 3 if the file is no such program or has an
    /// unknown instruction, 4 at any other fault, 5 at the limit, 128 and the number of a signal that it sends
    /// itself. Example: `cp2 run --user --folder data a.elf -- 10 in.txt`
    #[arg(long, help_heading = "Control processor", conflicts_with_all = [
        "format", "no_cache", "machine", "enable", "set", "init", "load", "store", "arg", "max_cycles", "entry", "dump",
        "interface", "engine", "trace", "trace_values", "trace_cycles", "trace_limit", "profile",
        "profile_folded", "record", "check", "json", "dump_config",
    ])]
    pub(crate) user: bool,
    /// Folder that the program sees as `/`, to read and write; no files if absent. No link leads out of it, and
    /// it has no devices
    #[arg(long, value_name = "DIR", requires = "user", help_heading = "Control processor")]
    pub(crate) folder: Option<PathBuf>,
    /// Memory of the program in MiB
    #[arg(long, value_name = "MIB", requires = "user", default_value_t = 1024, help_heading = "Control processor",
        value_parser = clap::value_parser!(u64).range(16..=65536))]
    pub(crate) memory: u64,
    /// Stop after this many instructions, with exit code 5; no limit if absent
    #[arg(long, value_name = "N", requires = "user", help_heading = "Control processor")]
    pub(crate) max_instructions: Option<u64>,
    /// Release of MIPS64 that the control processor has
    #[arg(long, value_name = "N", value_parser = release(), default_value = "2", help_heading = "Control processor")]
    pub(crate) release: Release,
    /// Let gdb debug a program for the bare control processor: wait for it on this port of the loopback interface (0
    /// takes a free one, which is told). Example: `gdb-multiarch a.elf -ex 'target remote :1234'`; `monitor help`
    /// tells what there is of CP2, `reverse-step` and `reverse-continue` go back, but not beside `--record`
    #[arg(long, value_name = "PORT", conflicts_with = "user", help_heading = "Control processor")]
    pub(crate) gdb: Option<u16>,
    /// On the bare machine: let every instruction of the control processor take one cycle, instead of the time that
    /// pipeline and caches of the machine take
    #[arg(long, conflicts_with = "user", help_heading = "Control processor")]
    pub(crate) functional: bool,
    /// On the bare machine: tell on standard error how many cycles the run took and, unless it is functional, why the
    /// processor stood still in how many of them. Example: `cp2 run --time --machine vm9 a.elf`
    #[arg(long, conflicts_with = "user", help_heading = "Control processor")]
    pub(crate) time: bool,
    /// Arguments of the program, after `--`
    #[arg(
        last = true,
        value_name = "ARGUMENT",
        requires = "user",
        help_heading = "Control processor"
    )]
    pub(crate) arguments: Vec<String>,
}

impl ProcessChoice {
    /// Whether one of these options was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--gdb", self.gdb.is_some()),
            ("--functional", self.functional),
            ("--time", self.time),
            ("--release", self.release != Release::default()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// Releases by their number.
fn release() -> impl TypedValueParser<Value = Release> {
    let first = PossibleValue::new("1").help("without what came later");
    let second =
        PossibleValue::new("2").help("what Debian's libraries of C need, whatever -march says");
    PossibleValuesParser::new([first, second])
        .map(|name| if name == "1" { Release::R1 } else { Release::R2 })
}
