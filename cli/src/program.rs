//! Programs from files: source, objects and `.hex`.

use crate::args::{Format, Program};
use crate::exit::{Exit, Failure, Outcome, bad_input};
use crate::files;
use cp2_asm::diagnostic::{Diagnostic, Severity, Sources};
use cp2_asm::image::Image;
use cp2_asm::render::{Style, render_all};
use std::io::IsTerminal as _;
use std::path::{Component, Path, PathBuf};

/// A program and the texts that its places refer to.
pub(crate) struct Loaded {
    pub(crate) image: Image,
    pub(crate) sources: Sources,
}

fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

fn format_of(program: &Program, bytes: &[u8]) -> Format {
    match program.format {
        Format::Auto if is_object(bytes) => Format::Object,
        Format::Auto if program.program.extension().is_some_and(|e| e == "hex") => Format::Hex,
        Format::Auto => Format::Source,
        given => given,
    }
}

/// Reads a program, whatever its form.
pub(crate) fn load(program: &Program) -> Outcome<Loaded> {
    let bytes = files::read(&program.program)?;
    let name = program.program.display().to_string();
    match format_of(program, &bytes) {
        Format::Object => {
            let image = cp2_asm::object_file::read(&bytes)
                .map_err(|e| bad_input(format!("{name}: {e}")))?;
            Ok(Loaded { image, sources: Sources::default() })
        }
        Format::Hex => {
            let text = utf8(&name, bytes)?;
            let mut sources = Sources::default();
            let file = sources.add(name, text);
            match cp2_asm::hex::read(&sources, file) {
                Ok(image) => Ok(Loaded { image, sources }),
                Err(diagnostics) => Err(refused(&diagnostics, &sources)),
            }
        }
        Format::Auto | Format::Source => assemble(&[program.program.as_path()]),
    }
}

fn utf8(name: &str, bytes: Vec<u8>) -> Outcome<String> {
    String::from_utf8(bytes).map_err(|e| {
        bad_input(format!(
            "{name}: byte {} is not UTF-8 text; is this an assembly source?",
            e.utf8_error().valid_up_to()
        ))
    })
}

/// Assembles files into one image; prints warnings.
pub(crate) fn assemble(paths: &[&Path]) -> Outcome<Loaded> {
    let mut sources = Sources::default();
    let mut roots = Vec::new();
    for path in paths {
        let name = if files::is_standard(path) {
            "<stdin>".to_owned()
        } else {
            path.display().to_string()
        };
        let text = utf8(&name, files::read(path)?)?;
        roots.push(sources.add(name, text));
    }
    let mut include = |from: &str, path: &str| {
        let found = normalized(&Path::new(from).parent().unwrap_or(Path::new("")).join(path));
        std::fs::read_to_string(&found)
            .map(|text| (found.display().to_string(), text))
            .map_err(|e| e.to_string())
    };
    match cp2_asm::assemble(&mut sources, &roots, &mut include) {
        Ok((image, warnings)) => {
            eprint!("{}", rendered(&warnings, &sources));
            Ok(Loaded { image, sources })
        }
        Err(diagnostics) => Err(refused(&diagnostics, &sources)),
    }
}

/// A path without `.` and `name/..`, so that a file has one name however it is included.
fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Diagnostics as text, with colours on a terminal.
pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let style = if colours { Style::Color } else { Style::Plain };
    render_all(diagnostics, sources, style)
}

fn refused(diagnostics: &[Diagnostic], sources: &Sources) -> Failure {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let plural = if errors == 1 { "" } else { "s" };
    let message = format!(
        "{}\ncp2: {errors} error{plural}; `cp2 explain CODE` tells more",
        rendered(diagnostics, sources)
    );
    Failure { exit: Exit::BadInput, message }
}
