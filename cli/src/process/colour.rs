//! Colours of output: `--color` and `NO_COLOR` choose them, and if neither says, only terminals have them.

use crate::args::ColorChoice;
use cp2_asm::render::Style;
use std::io::IsTerminal as _;
use std::sync::OnceLock;

/// Choice that `--color` made.
static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// Standard stream to which text goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Output,
    Error,
}

/// Keeps the choice of `--color` for the whole process.
pub(crate) fn choose(choice: ColorChoice) {
    // Nobody chooses twice.
    let _ = CHOICE.set(choice);
}

/// Returns the style of text on a stream.
pub(crate) fn style(stream: Stream) -> Style {
    let is_terminal = || match stream {
        Stream::Output => std::io::stdout().is_terminal(),
        Stream::Error => std::io::stderr().is_terminal(),
    };
    // An empty NO_COLOR says nothing: no-color.org.
    let is_unwanted = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let coloured = match CHOICE.get().copied().unwrap_or_default() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal() && !is_unwanted(),
    };
    if coloured { Style::Color } else { Style::Plain }
}

/// Returns the choice of colours for the parser of arguments, before it has parsed any: its own messages have colours too.
pub(crate) fn of_arguments() -> clap::ColorChoice {
    let arguments: Vec<_> = std::env::args_os().skip(1).take_while(|a| a != "--").collect();
    let said = arguments.iter().enumerate().find_map(|(k, argument)| {
        let argument = argument.to_str()?;
        match argument.strip_prefix("--color")? {
            "" => arguments.get(k + 1)?.to_str(),
            value => value.strip_prefix('='),
        }
    });
    match said {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}
