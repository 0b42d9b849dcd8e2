//! Programs from files: source, objects and `.hex`.

use crate::args::{CacheChoice, Format, Program};
use crate::cache::Cache;
use crate::colour::{self, Stream};
use crate::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::files;
use crate::progress::Progress;
use cp2_asm::diagnostic::{Diagnostic, Sources, count_errors};
use cp2_asm::expansion::Expansions;
use cp2_asm::image::Image;
use cp2_asm::render::render_all;
use cp2_asm::{Assembled, Options, Scheduled};
use cp2_isa::Core;
use std::path::{Component, Path, PathBuf};

/// A program and the texts that its places refer to.
pub(crate) struct Loaded {
    pub(crate) image: Image,
    pub(crate) sources: Sources,
    /// Linear regions of assembly source.
    pub(crate) regions: Vec<Scheduled>,
    /// Bundles of assembly source that came out of macros and repetitions.
    pub(crate) expansions: Expansions,
    /// The form can tell what linear code promises.
    pub(crate) has_promises: bool,
}

impl Loaded {
    fn without_source(image: Image, sources: Sources, has_promises: bool) -> Self {
        Self { image, sources, regions: Vec::new(), expansions: Expansions::new(), has_promises }
    }
}

fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

pub(crate) fn format_of(program: &Program, bytes: &[u8]) -> Format {
    match program.format {
        Format::Auto if is_object(bytes) => Format::Object,
        Format::Auto if program.program.extension().is_some_and(|e| e == "hex") => Format::Hex,
        Format::Auto => Format::Source,
        given => given,
    }
}

/// Reads a program for a core, whatever its form, that has at least one bundle.
pub(crate) fn load(program: &Program, core: &Core) -> Outcome<Loaded> {
    load_bytes(program, files::read(&program.program)?, core)
}

/// As [`load`], of what its file holds.
pub(crate) fn load_bytes(program: &Program, bytes: Vec<u8>, core: &Core) -> Outcome<Loaded> {
    let name = name_of(&program.program);
    if cp2_k64::elf::is_mips(&bytes) {
        return Err(bad_input(format!(
            "{name}: a program for the control processor, which `cp2 run` runs from a file, and records with --record"
        )));
    }
    let loaded = match format_of(program, &bytes) {
        Format::Object => {
            let image = cp2_asm::object_file::read(&bytes, core)
                .map_err(|e| bad_input(format!("{name}: {e}")))?;
            Loaded::without_source(image, Sources::default(), true)
        }
        Format::Hex => {
            let mut sources = Sources::default();
            let file = sources.add(&name, utf8(&name, bytes)?);
            match cp2_asm::hex::read(&sources, file, core) {
                Ok(image) => Loaded::without_source(image, sources, false),
                Err(diagnostics) => return Err(refused(&diagnostics, &sources)),
            }
        }
        Format::Auto | Format::Source => {
            let text = utf8(&name, bytes)?;
            assembled(core, vec![(name.clone(), text)], program.cache)?
        }
    };
    check_bundles(&loaded.image, &name)?;
    Ok(loaded)
}

/// Refuses a program that cannot run.
pub(crate) fn check_bundles(image: &Image, name: &str) -> Outcome<()> {
    if image.kernels.iter().all(|k| k.words.is_empty()) {
        return Err(bad_input(format!("{name}: the program has no bundle")));
    }
    Ok(())
}

pub(crate) fn name_of(path: &Path) -> String {
    if files::is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The name and the text of a source.
pub(crate) fn text(path: &Path) -> Outcome<(String, String)> {
    let name = name_of(path);
    let text = utf8(&name, files::read(path)?)?;
    Ok((name, text))
}

/// Reads source files and assembles them for a core; errors of all of them are told.
pub(crate) fn assemble_files(
    core: &Core,
    paths: &[PathBuf],
    cache: CacheChoice,
) -> Outcome<Loaded> {
    let read = |path: &PathBuf| text(path);
    let (texts, failures): (Vec<_>, Vec<Outcome<_>>) =
        paths.iter().map(read).partition(Outcome::is_ok);
    let mut messages: Vec<String> =
        failures.into_iter().filter_map(Result::err).map(|f: Failure| f.message).collect();
    let assembled = assembled(core, texts.into_iter().flatten().collect(), cache);
    if messages.is_empty() {
        let loaded = assembled?;
        let names: Vec<_> = paths.iter().map(|path| name_of(path)).collect();
        check_bundles(&loaded.image, &names.join(", "))?;
        return Ok(loaded);
    }
    messages.extend(assembled.err().map(|f| f.message));
    Err(Failure { exit: Exit::BadInput, message: messages.join("\n") })
}

pub(crate) fn utf8(name: &str, bytes: Vec<u8>) -> Outcome<String> {
    String::from_utf8(bytes).map_err(|e| {
        bad_input(format!(
            "{name}: byte {} is not UTF-8 text; is this a text file?",
            e.utf8_error().valid_up_to()
        ))
    })
}

/// Assembles texts, each with its name, into one image; prints warnings.
fn assembled(core: &Core, texts: Vec<(String, String)>, cache: CacheChoice) -> Outcome<Loaded> {
    let result = assemble(core, texts, cache);
    result.map_err(|(diagnostics, sources)| refused(&diagnostics, &sources))
}

/// Why texts do not assemble.
pub(crate) type Errors = (Vec<Diagnostic>, Sources);

/// As [`assembled`]; gives the errors as they are.
pub(crate) fn assemble(
    core: &Core,
    texts: Vec<(String, String)>,
    cache: CacheChoice,
) -> Result<Loaded, Errors> {
    let mut sources = Sources::default();
    let roots: Vec<u32> = texts.into_iter().map(|(name, text)| sources.add(name, text)).collect();
    let mut include = include;
    let mut cache = if cache.no_cache { None } else { Cache::of_user() };
    let store = cache.as_mut().map(|cache| cache as &mut dyn cp2_asm::sched::Store);
    let options = Options { core: *core, store };
    let names: Vec<&str> = sources.names().collect();
    let progress = Progress::working(&format!("assembling {}", names.join(", ")));
    let assembled = cp2_asm::assemble_regions(&mut sources, &roots, &mut include, options);
    drop(progress);
    match assembled {
        Ok(Assembled { image, warnings, regions, expansions }) => {
            if !warnings.is_empty() {
                complain(rendered(&warnings, &sources));
            }
            Ok(Loaded { image, sources, regions, expansions, has_promises: true })
        }
        Err(diagnostics) => Err((diagnostics, sources)),
    }
}

/// The name and the text of a file that another one includes.
pub(crate) fn include(from: &str, path: &str) -> Result<(String, String), String> {
    let found = normalized(&Path::new(from).parent().unwrap_or(Path::new("")).join(path));
    files::read_text(&found)
        .map(|text| (found.display().to_string(), text))
        .map_err(|e| e.to_string())
}

/// The bytes of a file that another one names.
pub(crate) fn bytes_beside(from: &str, path: &str) -> Result<Vec<u8>, String> {
    let found = normalized(&Path::new(from).parent().unwrap_or(Path::new("")).join(path));
    files::read(&found).map_err(|failure| failure.message.replace("cp2: error: ", ""))
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

/// Diagnostics as text for standard error, with colours where it has them.
pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    rendered_on(Stream::Error, diagnostics, sources)
}

/// The same for any stream.
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
        "{}\ncp2: {errors} error{plural}{shown}; `cp2 explain CODE` tells more",
        rendered(diagnostics, sources)
    );
    Failure { exit: Exit::BadInput, message }
}
