//! Command lines that nobody meant, in process: whatever the arguments, the parser gives them or an error that
//! ends with exit code 2 and says something. Real processes are in `cli/tests/cli/hostile.rs`.
//!
//! `CP2_PROGRAMS=200000 CP2_BEGIN=1 cargo test --release -p cp2 hostile -- --nocapture` tests more.

use super::Arguments;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _};
use cp2_session::random::split_mix_64;
use std::ffi::OsString;

/// Command lines without `CP2_PROGRAMS`.
const USUAL: u64 = 1500;

/// The SplitMix64 sequence of a seed.
struct SplitMix64(u64);

impl SplitMix64 {
    fn below(&mut self, n: usize) -> usize {
        (split_mix_64(&mut self.0) >> 32) as usize % n.max(1)
    }
}

const VALUES: [&str; 44] = [
    "a.s",
    "-",
    "--",
    "",
    " ",
    "0",
    "1",
    "-1",
    "64",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "0x10",
    "nan",
    "a=b",
    "=",
    "core.arithmetic_latency=4",
    "core.x=",
    "..",
    "1..",
    "..1",
    "3..5",
    "5..3",
    "1GiB",
    "none",
    "99999999GiB",
    "auto",
    "always",
    "vm7",
    "vm9",
    "reference",
    "fast",
    "bash",
    "C0302",
    "fft64",
    "no such",
    "x@",
    "@",
    "x@0+4",
    "x@1+",
    "curdsc=2",
    "1,2,3",
    "\u{e9}\u{1f600}",
    "a\nb",
];

/// Returns a value that an argument takes, or one that it may not.
fn value(sequence: &mut SplitMix64, argument: Option<&Arg>) -> OsString {
    let possible = argument.map(|a| a.get_possible_values()).unwrap_or_default();
    if !possible.is_empty() && sequence.below(3) > 0 {
        return possible[sequence.below(possible.len())].get_name().into();
    }
    #[cfg(unix)]
    if sequence.below(40) == 0 {
        use std::os::unix::ffi::OsStringExt as _;
        return OsString::from_vec(vec![0xff, 0xfe, b'a']);
    }
    VALUES[sequence.below(VALUES.len())].into()
}

/// Adds an option of a command to the line, in one of the ways to write it.
fn option(sequence: &mut SplitMix64, argument: &Arg, line: &mut Vec<OsString>) {
    let name = match (argument.get_long(), argument.get_short()) {
        (_, Some(short)) if sequence.below(2) == 0 => format!("-{short}"),
        (Some(long), _) => format!("--{long}"),
        _ => return line.push(value(sequence, Some(argument))),
    };
    let takes = argument.get_action().takes_values();
    match sequence.below(12) {
        // A value that is missing, or that the option does not take.
        0 => line.push(name.into()),
        1 => line.push(format!("{name}=x").into()),
        2 if takes => {
            let mut joined = OsString::from(name + "=");
            joined.push(value(sequence, Some(argument)));
            line.push(joined);
        }
        _ => {
            line.push(name.into());
            line.extend(takes.then(|| value(sequence, Some(argument))));
        }
    }
}

/// Returns a command line: commands from the top down, then options, values and words from elsewhere.
fn command_line(sequence: &mut SplitMix64, root: &Command) -> Vec<OsString> {
    let mut line = vec![OsString::from("cp2")];
    let mut command = root;
    while command.has_subcommands() && sequence.below(20) > 0 {
        let all: Vec<&Command> = command.get_subcommands().collect();
        command = all[sequence.below(all.len())];
        line.push(command.get_name().into());
    }
    let arguments: Vec<&Arg> = command.get_arguments().collect();
    for _ in 0..sequence.below(6) {
        match sequence.below(8) {
            0 => line.push(value(sequence, None)),
            1 => line
                .push(["--jsn", "--trace=", "-x", "--help", "-V", "---"][sequence.below(6)].into()),
            _ if arguments.is_empty() => {}
            _ => {
                let argument = arguments[sequence.below(arguments.len())];
                option(sequence, argument, &mut line);
            }
        }
    }
    if sequence.below(10) == 0 {
        let place = 1 + sequence.below(line.len());
        line.insert(place.min(line.len()), value(sequence, None));
    }
    line
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn hostile_command_lines_are_refused_with_exit_code_2() {
    let mut root = Arguments::command();
    root.build();
    let begin = number("CP2_BEGIN", 0);
    let mut counts = [0_u64; 3];
    for n in begin..begin + number("CP2_PROGRAMS", USUAL) {
        let line = command_line(&mut SplitMix64(n.wrapping_mul(0x2545_f491_4f6c_dd1d)), &root);
        let parsed = root.clone().try_get_matches_from(&line);
        match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
            Ok(arguments) => {
                assert!(!format!("{arguments:?}").is_empty());
                counts[0] += 1;
            }
            Err(error) => {
                let text = error.render().to_string();
                let is_asked = error.exit_code() == 0;
                assert!(is_asked || error.exit_code() == 2, "{n}: {line:?}: {text}");
                // A command without a subcommand is answered with its help.
                let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
                let says_why = is_asked || is_help || text.starts_with("error: ");
                assert!(says_why, "{n}: {line:?}: {text}");
                counts[if is_asked { 1 } else { 2 }] += 1;
            }
        }
    }
    println!(
        "command lines: {} parsed, {} help or version, {} refused",
        counts[0], counts[1], counts[2]
    );
    assert!(counts.iter().all(|&n| n > 0), "{counts:?}");
}

/// Runs clap's own checks of the types of arguments: no name twice, defaults that parse, conflicts that exist.
#[test]
fn the_arguments_are_well_formed() {
    Arguments::command().debug_assert();
}
