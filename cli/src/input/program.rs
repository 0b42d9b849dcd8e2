//! Programs from files: source, objects and `.hex`.

use crate::args::{self, CacheChoice, Format};
use crate::process::colour::{self, Stream};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::process::progress::Progress;
use crate::storage::cache::Cache;
use crate::storage::files;
use cp2_asm::diagnostic::{Diagnostic, Sources, count_errors};
use cp2_asm::render::render_all;
use cp2_asm::sched::KnownSchedules;
use cp2_isa::Core;
#[cfg(feature = "explore")]
use cp2_session::store::MemoryStore;
use cp2_session::{Environment, Form, Program, ProgramError};
use std::path::{Path, PathBuf};

/// Returns the form of a program that the arguments say, or that the file has.
pub(crate) fn form_of(program: &args::Program, bytes: &[u8]) -> Form {
    match program.format {
        Format::Auto => Form::of(&program.program.to_string_lossy(), bytes),
        Format::Source => Form::Source,
        Format::Object => Form::Object,
        Format::Hex => Form::Hex,
    }
}

/// Reads a program for a core, whatever its form, that has at least one bundle.
pub(crate) fn load(program: &args::Program, core: &Core) -> Outcome<Program> {
    load_bytes(program, bytes_of(&program.program)?, core)
}

/// Reads the bytes of a program; refuses a TOML file, which is none.
pub(crate) fn bytes_of(path: &Path) -> Outcome<Vec<u8>> {
    let bytes = files::read(path)?;
    if !cp2_files::is_toml(path) {
        return Ok(bytes);
    }
    let name = name_of(path);
    let is_workload = String::from_utf8_lossy(&bytes).contains("[[variant]]");
    Err(bad_input(match is_workload {
        true => format!(
            "{name}: this is a workload file, and no program; `cp2 kernels run {name}` runs it"
        ),
        false => format!(
            "{name}: this is a TOML file, and no program; give a source, an object or `.hex`"
        ),
    }))
}

/// Reads a program from the bytes of its file, as [`load`] does.
pub(crate) fn load_bytes(program: &args::Program, bytes: Vec<u8>, core: &Core) -> Outcome<Program> {
    let name = name_of(&program.program);
    if cp2_k64::elf::is_mips(&bytes) {
        return Err(bad_input(format!(
            "{name}: a program for the control processor; run it with `cp2 run`, from a file, and record it with --record"
        )));
    }
    let form = form_of(program, &bytes);
    let progress = (form == Form::Source).then(|| assembling(&name));
    let environment = environment(program.cache);
    let loaded = Program::from_bytes(&environment, core, (&name, bytes, form), &mut include);
    drop(progress);
    made(loaded)
}

/// Returns the environment in which programs are made, with the user's cache if it is to be used.
pub(crate) fn environment(cache: CacheChoice) -> Environment {
    match of_user(cache) {
        Some(cache) => Environment::with_store(Box::new(cache)),
        None => Environment::new(),
    }
}

fn of_user(cache: CacheChoice) -> Option<Cache> {
    if cache.no_cache { None } else { Cache::of_user() }
}

/// Returns the environment of texts that are being written: what they have in common is kept in memory, and what the user's cache has is
/// taken from there.
#[cfg(feature = "explore")]
pub(crate) fn writing_environment(cache: CacheChoice) -> Environment {
    Environment::with_store(Box::new(match of_user(cache) {
        Some(cache) => MemoryStore::over(Box::new(cache)),
        None => MemoryStore::default(),
    }))
}

/// Shows a bar while texts are assembled.
fn assembling(names: &str) -> Progress {
    Progress::working(&format!("assembling {names}"))
}

/// Prints the warnings of a program and returns it, or the failure that there is none.
fn made(program: Result<Program, ProgramError>) -> Outcome<Program> {
    let program = program.map_err(|error| match error {
        ProgramError::Refused(refusal) => refused(&refusal.diagnostics, &refusal.sources),
        error => bad_input(error),
    })?;
    Ok(warned(program))
}

/// Prints what the assembler warns of, and returns the program.
pub(crate) fn warned(program: Program) -> Program {
    if !program.warnings().is_empty() {
        complain(rendered(program.warnings(), program.sources()));
    }
    program
}

pub(crate) fn name_of(path: &Path) -> String {
    if files::is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads a source; returns its name and its text.
pub(crate) fn text(path: &Path) -> Outcome<(String, String)> {
    let name = name_of(path);
    let text = utf8(&name, files::read(path)?)?;
    Ok((name, text))
}

/// Reads source files and assembles them for a core, with schedules that are known; errors of all files are told.
pub(crate) fn assemble_files(
    core: &Core,
    paths: &[PathBuf],
    (cache, known): (CacheChoice, &KnownSchedules),
) -> Outcome<Program> {
    let read = |path: &PathBuf| {
        let name = name_of(path);
        let text = utf8(&name, bytes_of(path)?)?;
        Ok((name, text))
    };
    let (texts, failures): (Vec<_>, Vec<Outcome<_>>) =
        paths.iter().map(read).partition(Outcome::is_ok);
    let mut messages: Vec<String> =
        failures.into_iter().filter_map(Result::err).map(|f: Failure| f.message).collect();
    let environment = environment(cache).with_schedules(known.clone());
    let assembled = made(assemble_in(&environment, core, texts.into_iter().flatten().collect()));
    if messages.is_empty() {
        let names: Vec<_> = paths.iter().map(|path| name_of(path)).collect();
        return assembled?.with_bundles(&names.join(", ")).map_err(bad_input);
    }
    messages.extend(assembled.err().map(|f| f.message));
    Err(Failure { exit: Exit::BadInput, message: messages.join("\n") })
}

/// Assembles the source files of a program once more, from the texts that it has, behind bundles that move them; `None` if
/// there is no room for these.
pub(crate) fn assemble_moved(
    program: &Program,
    core: &Core,
    paths: &[PathBuf],
    (cache, known): (CacheChoice, &KnownSchedules),
) -> Option<Program> {
    let mut texts = vec![("before".to_owned(), cp2_asm::c_header::source_before())];
    for path in paths {
        let name = name_of(path);
        let text = program.sources().text_of(&name)?.to_owned();
        texts.push((name, text));
    }
    assemble_in(&environment(cache).with_schedules(known.clone()), core, texts).ok()
}

/// Assembles texts, each with its name, into one program; returns errors and warnings as they are.
pub(crate) fn assemble(
    core: &Core,
    texts: Vec<(String, String)>,
    cache: CacheChoice,
) -> Result<Program, ProgramError> {
    assemble_in(&environment(cache), core, texts)
}

fn assemble_in(
    environment: &Environment,
    core: &Core,
    texts: Vec<(String, String)>,
) -> Result<Program, ProgramError> {
    let names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let _progress = assembling(&names.join(", "));
    Program::from_sources(environment, core, texts, &mut include)
}

pub(crate) fn utf8(name: &str, bytes: Vec<u8>) -> Outcome<String> {
    String::from_utf8(bytes).map_err(|e| {
        bad_input(format!(
            "{name}: byte {} is not UTF-8 text; is this a text file?",
            e.utf8_error().valid_up_to()
        ))
    })
}

/// Reads a file that another one includes; returns its name and its text.
pub(crate) fn include(from: &str, path: &str) -> Result<(String, String), String> {
    let found = cp2_files::path_beside(from, path);
    cp2_files::included(&found)
        .map(|text| (found.display().to_string(), text))
        .map_err(|e| e.to_string())
}

/// Reads the bytes of a file that another one names.
pub(crate) fn bytes_beside(from: &str, path: &str) -> Result<Vec<u8>, String> {
    let found = cp2_files::path_beside(from, path);
    cp2_files::regular(&found).map_err(|e| files::cannot_read(&found, &e).plain())
}

/// Returns diagnostics as text for standard error, with colours where it has them.
pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    rendered_on(Stream::Error, diagnostics, sources)
}

/// Returns diagnostics as text for a stream, with colours where it has them.
pub(crate) fn rendered_on(stream: Stream, diagnostics: &[Diagnostic], sources: &Sources) -> String {
    render_all(diagnostics, sources, colour::style(stream))
}

pub(crate) fn refused(diagnostics: &[Diagnostic], sources: &Sources) -> Failure {
    let errors = count_errors(diagnostics);
    let plural = if errors == 1 { "" } else { "s" };
    let shown = match diagnostics.iter().map(|d| d.left_out).sum() {
        0 => String::new(),
        left_out => format!(", of which the first {} are shown", errors - left_out),
    };
    let message = format!(
        "{}\ncp2: {errors} error{plural}{shown}; `cp2 explain CODE` explains a code",
        rendered(diagnostics, sources)
    );
    Failure { exit: Exit::BadInput, message }
}
