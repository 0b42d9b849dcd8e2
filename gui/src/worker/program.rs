//! Programs from files and texts: source, objects, `.hex`.

use crate::model::program::{Loop, Program};
use crate::worker::origin::Failure;
use cp2_asm::diagnostic::Sources;
use cp2_asm::image::Image;
use cp2_asm::{Options, Scheduled, listing};
use cp2_isa::Core;
use cp2_session::recorded::Recorded;
use std::path::Path;

/// A program with the texts that it was made from.
pub(crate) struct Loaded {
    pub(crate) image: Image,
    pub(crate) sources: Sources,
    regions: Vec<Scheduled>,
}

/// Reads a program from a file, whatever its form.
pub(crate) fn read(path: &Path, core: &Core) -> Result<Loaded, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|e| Failure::of(&format!("{} cannot be read", path.display()), &e))?;
    let name = path.display().to_string();
    if bytes.starts_with(b"\x7fELF") {
        return object(&bytes, core).map_err(|e| Failure::of(&name, &e));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let what = format!("{name} is neither a recording nor a program");
        Failure::new(
            &what,
            "It is no text. Recordings come from `cp2 run --record`, objects from `cp2 asm`.",
        )
    })?;
    if path.extension().is_some_and(|e| e == "hex") {
        let mut sources = Sources::default();
        let file = sources.add(&name, text);
        return match cp2_asm::hex::read(&sources, file, core) {
            Ok(image) => Ok(Loaded { image, sources, regions: Vec::new() }),
            Err(diagnostics) => Err(refused(&name, &cp2_asm::Failure { sources, diagnostics })),
        };
    }
    assemble(&name, text, core)
}

/// Reads an object.
pub(crate) fn object(
    bytes: &[u8],
    core: &Core,
) -> Result<Loaded, cp2_asm::object_file::ObjectError> {
    let image = cp2_asm::object_file::read(bytes, core)?;
    Ok(Loaded { image, sources: Sources::default(), regions: Vec::new() })
}

/// The programs of a recording, if there are some.
pub(crate) fn kept(Recorded { image, sources }: Recorded) -> Option<Loaded> {
    let is_there = !image.kernels.is_empty();
    is_there.then(|| Loaded { image, sources, regions: Vec::new() })
}

/// Assembles a text; what it includes is read from files.
pub(crate) fn assemble(name: &str, text: String, core: &Core) -> Result<Loaded, Failure> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut include = |from: &str, path: &str| {
        let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let text = std::fs::read_to_string(&found).map_err(|e| e.to_string())?;
        Ok((found.display().to_string(), text))
    };
    let options = Options { core: *core, store: None };
    match cp2_asm::assemble_regions(&mut sources, &[root], &mut include, options) {
        Ok(done) => Ok(Loaded { image: done.image, sources, regions: done.regions }),
        Err(diagnostics) => Err(refused(name, &cp2_asm::Failure { sources, diagnostics })),
    }
}

fn refused(name: &str, failure: &cp2_asm::Failure) -> Failure {
    let errors = cp2_asm::diagnostic::count_errors(&failure.diagnostics);
    let plural = if errors == 1 { "error" } else { "errors" };
    Failure::new(&format!("{name} does not assemble: {errors} {plural}"), &failure.to_string())
}

/// The text of a source file, from what was assembled, or from a file, also beside a recording.
fn text(sources: &Sources, name: &str, beside: Option<&Path>) -> Option<String> {
    let known = sources.text_of(name).map(str::to_owned);
    let direct = || std::fs::read_to_string(name).ok();
    let next_to = || std::fs::read_to_string(beside?.join(Path::new(name).file_name()?)).ok();
    known.or_else(direct).or_else(next_to)
}

/// A program for people. Of one that was read without its source the schedules are found by assembling it
/// again, if that gives the same bundles.
pub(crate) fn view(loaded: &Loaded, core: &Core, beside: Option<&Path>) -> Program {
    let Loaded { image, sources, regions } = loaded;
    let mut program = Program::new(image, core, |name| text(sources, name, beside));
    program.loops = loops(regions, sources);
    if regions.is_empty()
        && let Some(file) = image.files.first()
        && let Some(text) = text(sources, file, beside)
        && let Ok(again) = assemble(file, text, core)
        && again.image.kernels == image.kernels
    {
        program.loops = loops(&again.regions, &again.sources);
    }
    program
}

fn loops(regions: &[Scheduled], sources: &Sources) -> Vec<Loop> {
    let mut loops = Vec::new();
    for region in regions {
        for block in &region.report.blocks {
            let Some((start, rows)) = listing::kernel(region, block, sources) else { continue };
            let place = block.span.as_ref().map_or(String::new(), |span| {
                let (line, _) = sources.line_column(span);
                format!("{}:{line}", cp2_asm::places::short(sources.name(span.file)))
            });
            let least = block.resource_bound.max(block.recurrence_bound.cycles);
            loops.push(Loop {
                place,
                interval: (block.ii.unwrap_or(0), least),
                stages: block.stages,
                unroll: block.unroll,
                start,
                rows,
            });
        }
    }
    loops
}
