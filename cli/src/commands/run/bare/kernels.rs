//! Programs of CP2 that a program of the control processor loads: their names for what instruction memory holds. A name
//! is told only where all bundles of its kernel are at their addresses, so a source that is another version of what was
//! loaded tells nothing.

use crate::args::{self, CacheChoice, Format, Run};
use crate::input::program;
use crate::process::exit::{Failure, Outcome, bad_input, complain, usage};
use cp2_analysis::words::place_text;
use cp2_asm::image::Image;
use cp2_asm::sites::BundleNames;
use cp2_emu::Cp2;
use cp2_isa::{BundleAddress, Core};
use cp2_k64::elf::cp2_objects;
use cp2_recording::Recorder;
use cp2_session::Program;
use cp2_session::arrays::number;
use std::path::{Path, PathBuf};

/// Returns the file that an argument of `--cp2` names, and the address of its first bundle if it tells one; a file may
/// have `@` in its name.
fn argument(text: &str) -> Outcome<(PathBuf, Option<BundleAddress>)> {
    let Some((file, address)) = text.rsplit_once('@').filter(|_| !Path::new(text).exists()) else {
        return Ok((text.into(), None));
    };
    let address = number(address).and_then(|address| u16::try_from(address).ok());
    match address.filter(|_| !file.is_empty()) {
        Some(address) => Ok((file.into(), Some(BundleAddress(address)))),
        None => Err(usage(format!(
            "--cp2 {text}: write FILE@ADDRESS, where ADDRESS is that of the first bundle, such as kernel.s@16"
        ))),
    }
}

/// Returns the files that `--cp2` names.
pub(super) fn files(arguments: &Run) -> Outcome<Vec<PathBuf>> {
    arguments.process.cp2.iter().map(|text| Ok(argument(text)?.0)).collect()
}

/// Programs of CP2 whose names a run tells, the most important last.
pub(in crate::commands) struct LoadedKernels {
    programs: Vec<Program>,
    core: Core,
}

impl LoadedKernels {
    /// Reads the objects that the file of a program carries.
    pub(in crate::commands) fn carried((name, bytes): (&str, &[u8]), core: &Core) -> Self {
        let mut programs = Vec::new();
        for (section, object) in cp2_objects(bytes) {
            match Program::from_object(core, &format!("{name}: {section}"), &object) {
                Ok(program) => programs.push(program),
                // The program runs without it.
                Err(e) => complain(format!("cp2: note: {e}; its names are not told")),
            }
        }
        Self { programs, core: *core }
    }

    /// Reads the objects that the file of a program carries, and the programs that `--cp2` names.
    pub(super) fn read(arguments: &Run, of: (&str, &[u8]), core: &Core) -> Outcome<Self> {
        let mut loaded = Self::carried(of, core);
        for text in &arguments.process.cp2 {
            let (path, first) = argument(text)?;
            let cache = CacheChoice { no_cache: arguments.start.cache.no_cache };
            let choice = args::Program { program: path, format: Format::Auto, cache };
            let program = program::load(&choice, core)?;
            loaded.programs.push(match first {
                Some(first) => moved(&program, first, core).map_err(|e| wrong(text, e))?,
                None => program,
            });
        }
        Ok(loaded)
    }

    /// Keeps the programs in a recording, whose readers find for each cycle which of them was there.
    pub(in crate::commands) fn keep_in(&self, recorder: &Recorder) -> Outcome<()> {
        self.programs.iter().try_for_each(|program| program.keep_in(recorder).map_err(bad_input))
    }

    /// Returns the place in the source of the bundle at an address, if the kernel that has it there is in instruction
    /// memory now.
    pub(super) fn place(&self, cp2: &Cp2, address: BundleAddress) -> Option<String> {
        let is_there = |image: &&Image| {
            image
                .kernel_at(address)
                .is_some_and(|kernel| cp2.state.iram.get(kernel.range()) == Some(&kernel.words[..]))
        };
        let image = self.programs.iter().rev().map(Program::image).find(is_there)?;
        Some(place_text(&BundleNames::new(image, &self.core), address))
    }
}

fn wrong(text: &str, message: &str) -> Failure {
    bad_input(format!("--cp2 {text}: {message}"))
}

/// Returns a program with its first bundle at another address.
fn moved(program: &Program, first: BundleAddress, core: &Core) -> Result<Program, &'static str> {
    let image = program.image().moved(first);
    let image = image.filter(|image| {
        image.kernels.iter().all(|kernel| kernel.range().end <= core.iram_bundles())
    });
    let image = image.ok_or("the program ends beyond instruction memory there")?;
    Ok(Program::of_image(core, program.form(), image, program.sources().clone()))
}
