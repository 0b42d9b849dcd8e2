//! `cp2 fmt`.

use crate::args::Fmt;
use crate::input::program;
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use cp2_asm::diagnostic::Sources;
use cp2_star::language::parse;
use std::path::Path;

pub(crate) fn fmt(arguments: &Fmt) -> Outcome {
    let inputs: Vec<_> = arguments.sources.iter().map(|path| Some(path.as_path())).collect();
    files::check(&inputs, &[])?;
    arguments.sources.iter().try_for_each(|path| check_name(path))?;
    // All of them are read before one is written.
    let sources = arguments.sources.iter().map(|path| {
        let text = source(path)?;
        let formatted = formatted(path, &text)?;
        Ok([text, formatted])
    });
    let sources = sources.collect::<Outcome<Vec<_>>>()?;
    let mut report = String::new();
    for (path, [old, new]) in arguments.sources.iter().zip(&sources) {
        let is_standard = files::is_standard(path);
        match (arguments.check, new == old) {
            (false, _) if is_standard => files::print(new.as_bytes())?,
            (_, true) => {}
            (true, false) => report += &difference(path, old, new),
            (false, false) => files::write(path, new.as_bytes())?,
        }
    }
    files::print(report.as_bytes())?;
    Ok(if report.is_empty() { Exit::Success } else { Exit::Check })
}

/// Refuses a file that is no source by its name: it would not be the same in another layout.
fn check_name(path: &Path) -> Outcome<()> {
    let is_source = path.extension().is_some_and(|end| end == "s" || end == "star");
    if is_source || files::is_standard(path) {
        return Ok(());
    }
    let shown = path.display();
    Err(bad_input(format!(
        "{shown} is no source by its name: `cp2 fmt` writes files that end with `.s` or `.star`; `cp2 fmt - <{shown}` prints any assembly source"
    )))
}

/// Reads a source.
fn source(path: &Path) -> Outcome<String> {
    let bytes = files::read(path)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let shown = path.display();
        bad_input(format!("{shown}:{line}: this is no UTF-8 text, so no assembly source"))
    })
}

/// Returns a source in its layout: a program of the STAR machine by its name, else an assembly source.
fn formatted(path: &Path, text: &str) -> Outcome<String> {
    if path.extension().is_none_or(|end| end != "star") {
        return Ok(cp2_asm::formatted(text));
    }
    let mut sources = Sources::default();
    sources.add(path.display().to_string(), text);
    let tree = parse(&sources, 0).map_err(|problems| program::refused(&problems, &sources))?;
    Ok(cp2_asm::with_line_ends(text, cp2_star::language::format(&tree)))
}

/// Returns the first line of a source that would change, as it is and as it would be.
fn difference(path: &Path, text: &str, formatted: &str) -> String {
    let is_alike = |(old, new): &(&str, &str)| old == new;
    let alike = text.lines().zip(formatted.lines()).take_while(is_alike).count();
    let line = |text: &str| text.lines().nth(alike).unwrap_or("").to_owned();
    let place = format!("{}:{}", path.display(), alike + 1);
    let [old, new] = [line(text), line(formatted)];
    if old == new {
        return format!("{place}: the ends of lines or of the file would change\n");
    }
    format!("{place}: would change\n  - {old}\n  + {new}\n")
}
