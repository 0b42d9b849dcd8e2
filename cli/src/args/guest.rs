//! Arguments of a Linux program of `cp2 run --user`: all words behind its name are its own, as with qemu and valgrind, with
//! or without `--` between.

use clap::Command;
use std::ffi::OsString;

/// Returns the words of a command line with `--` behind the program of `run --user`, if it is not there.
pub(crate) fn divide(words: Vec<OsString>, command: &Command) -> Vec<OsString> {
    match program_of_user(&words, command) {
        Some(at) if words.get(at + 1).is_some_and(|word| word != "--") => {
            let mut divided = words;
            divided.insert(at + 1, "--".into());
            divided
        }
        _ => words,
    }
}

/// Returns the place of the program of `run --user`: the first word behind both that is no option, nor the value of one.
fn program_of_user(words: &[OsString], command: &Command) -> Option<usize> {
    let run = next_word(words, 1, command)?;
    let subcommand = command.find_subcommand("run").filter(|_| words[run] == "run")?;
    let program = next_word(words, run + 1, subcommand)?;
    words[run + 1..program].iter().any(|word| word == "--user").then_some(program)
}

/// Returns the place of the first word from `first` on that is neither an option of a command nor the value of one; `None`
/// if there is none, or `--` comes before it.
fn next_word(words: &[OsString], first: usize, command: &Command) -> Option<usize> {
    let mut at = first;
    loop {
        let word = words.get(at)?.to_string_lossy();
        if word == "--" {
            return None;
        }
        if !word.starts_with('-') || word == "-" {
            return Some(at);
        }
        at += if has_value_behind(&word, command) { 2 } else { 1 };
    }
}

/// Whether the word behind an option is its value.
fn has_value_behind(word: &str, command: &Command) -> bool {
    let is_named = |argument: &&clap::Arg| match word.strip_prefix("--") {
        Some(name) => argument.get_long() == Some(name),
        None => argument.get_short() == word.chars().nth(1) && word.len() == 2,
    };
    let argument = command.get_arguments().find(is_named);
    argument.is_some_and(|argument| argument.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::divide;
    use crate::args::Arguments;
    use clap::CommandFactory as _;

    fn divided(line: &str) -> String {
        let words = line.split(' ').map(Into::into).collect();
        let divided = divide(words, &Arguments::command());
        divided.join(" ".as_ref()).into_string().expect("text")
    }

    #[test]
    fn words_behind_the_program_of_user_are_its_own() {
        for (line, expected) in [
            ("cp2 run --user a.elf 10 --x", "cp2 run --user a.elf -- 10 --x"),
            ("cp2 run --user a.elf -- 10", "cp2 run --user a.elf -- 10"),
            (
                "cp2 run --user --folder data a.elf --help",
                "cp2 run --user --folder data a.elf -- --help",
            ),
            (
                "cp2 --color never run --folder=d --user a.elf -n",
                "cp2 --color never run --folder=d --user a.elf -- -n",
            ),
            (
                "cp2 run --user --env A=b --env=C=d a.elf --env E=f",
                "cp2 run --user --env A=b --env=C=d a.elf -- --env E=f",
            ),
            ("cp2 run --user a.elf", "cp2 run --user a.elf"),
            ("cp2 run a.elf --user 10", "cp2 run a.elf --user 10"),
            ("cp2 run a.s --machine vm7", "cp2 run a.s --machine vm7"),
            ("cp2 sched --user a.elf 1", "cp2 sched --user a.elf 1"),
        ] {
            assert_eq!(divided(line), expected, "{line}");
        }
    }
}
