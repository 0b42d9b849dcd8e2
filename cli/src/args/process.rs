//! Arguments of `cp2 run --user`.

use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use cp2_k64::isa::Release;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A Linux program on the control processor.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProcessChoice {
    /// Run a statically linked Linux program for big-endian mips64 (n64 ABI) on the control processor, without
    /// CP2 and without time. The exit code is that of the program; 3 if the file is not such a program or has an unknown
    /// instruction, 4 at any other fault, 5 at the limit of instructions, 128 plus its number for a signal that the
    /// program sends itself. Words behind PROGRAM are its own. Example: `cp2 run --user --folder data a.elf 10 in.txt`
    #[arg(long, help_heading = "Control processor", conflicts_with_all = [
        "format", "no_cache", "machine", "enable", "set", "init", "load", "store", "arg", "max_cycles", "entry", "dump",
        "interface", "engine", "trace", "trace_values", "trace_cycles", "trace_limit", "profile",
        "profile_folded", "record", "check", "json", "dump_config",
    ])]
    pub(crate) user: bool,
    /// Folder that the program sees as `/`, to read and write; if absent the program sees no files. Links that lead out
    /// of the folder and devices are refused
    #[arg(long, value_name = "DIR", requires = "user", help_heading = "Control processor")]
    pub(crate) folder: Option<PathBuf>,
    /// Variable of the environment of the program, which is empty otherwise; of two with one name the last counts. May be
    /// repeated. Example: `--env LC_ALL=C --env HOME=/`
    #[arg(long, value_name = "NAME=VALUE", requires = "user", value_parser = variable(), help_heading = "Control processor")]
    pub(crate) env: Vec<OsString>,
    /// Memory of the program in MiB, 16 to 65536; 1024 if absent
    #[arg(long, value_name = "MIB", requires = "user", help_heading = "Control processor",
        value_parser = clap::value_parser!(u64).range(16..=65536))]
    pub(crate) memory: Option<u64>,
    /// Stop after this many instructions, with exit code 5; a branch and its delay slot are done together. No limit if absent
    #[arg(long, value_name = "N", requires = "user", help_heading = "Control processor")]
    pub(crate) max_instructions: Option<u64>,
    /// Release of MIPS64 of the control processor
    #[arg(long, value_name = "N", value_parser = release(), default_value = "2", help_heading = "Control processor")]
    pub(crate) release: Release,
    /// Wait for gdb on this port of the loopback interface, to debug a program of the control processor; 0 takes a free
    /// port and prints it. Example: `gdb-multiarch a.elf -ex 'target remote :1234'`. In gdb `monitor help` lists what gdb
    /// has no command for; `reverse-step` and `reverse-continue` go back, but not with `--user` or `--record`
    #[arg(long, value_name = "PORT", help_heading = "Control processor")]
    pub(crate) gdb: Option<u16>,
    /// Program of CP2 that a program for the bare control processor loads: assembly source, object or `.hex`. Faults and
    /// recordings tell its kernels, labels and lines wherever instruction memory holds exactly its bundles. ADDRESS is
    /// the place of its first bundle, if that is not the one in FILE. Objects that the program carries (`CP2_OBJECT` of
    /// `cp2.h`) need no option. May be repeated
    #[arg(
        long,
        value_name = "FILE[@ADDRESS]",
        conflicts_with = "user",
        help_heading = "Control processor"
    )]
    pub(crate) cp2: Vec<String>,
    /// On the bare machine: every instruction of the control processor takes one cycle, in place of the time that
    /// pipeline and caches of the machine give
    #[arg(long, conflicts_with = "user", help_heading = "Control processor")]
    pub(crate) functional: bool,
    /// On the bare machine: print on standard error how many cycles the run took and, without `--functional`, in how
    /// many of them the processor waited, and for what. Example: `cp2 run --time --machine vm9 a.elf`
    #[arg(long, conflicts_with = "user", help_heading = "Control processor")]
    pub(crate) time: bool,
    /// Arguments of the program; behind `--`, or behind PROGRAM where `--user` stands before it
    #[arg(
        last = true,
        value_name = "ARGUMENT",
        requires = "user",
        help_heading = "Control processor"
    )]
    pub(crate) arguments: Vec<OsString>,
}

impl ProcessChoice {
    /// Returns the environment of the program: of variables with the same name the last one.
    pub(crate) fn environment(&self) -> Vec<OsString> {
        let is_last = |(at, variable): &(usize, &OsString)| {
            self.env[at + 1..].iter().all(|later| name(later) != name(variable))
        };
        self.env.iter().enumerate().filter(is_last).map(|(_, variable)| variable.clone()).collect()
    }

    /// Returns an option that only a Linux program has, if one was given. The parser misses it beside an option that
    /// `--user` conflicts with.
    pub(crate) fn given_for_linux(&self) -> Option<&'static str> {
        let given = [
            ("--folder", self.folder.is_some()),
            ("--env", !self.env.is_empty()),
            ("--memory", self.memory.is_some()),
            ("--max-instructions", self.max_instructions.is_some()),
            ("arguments behind `--`", !self.arguments.is_empty()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Whether one of these options was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--gdb", self.gdb.is_some()),
            ("--cp2", !self.cp2.is_empty()),
            ("--functional", self.functional),
            ("--time", self.time),
            ("--release", self.release != Release::default()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// Variables of an environment, which may be bytes that are no text.
fn variable() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().try_map(|variable| match name(&variable) {
        Some(_) => Ok(variable),
        None => Err("a variable is NAME=VALUE, with a name that is not empty"),
    })
}

/// Returns the name of a variable, which is all before the first `=`; none if that is nothing.
fn name(variable: &OsStr) -> Option<&[u8]> {
    let bytes = variable.as_encoded_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=')?;
    (end > 0).then(|| &bytes[..end])
}

/// Releases by their number.
fn release() -> impl TypedValueParser<Value = Release> {
    let first = PossibleValue::new("1").help("without the instructions of later releases");
    let second =
        PossibleValue::new("2").help("needed by the C libraries of Debian, for any -march");
    PossibleValuesParser::new([first, second])
        .map(|name| if name == "1" { Release::R1 } else { Release::R2 })
}
