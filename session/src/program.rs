//! Programs of CP2 from all their forms: assembly source, objects, `.hex` files, and recordings.

pub(crate) mod error;

pub use error::{EntryError, ProgramError, ProgramParts, Refusal};

use crate::environment::Environment;
use crate::error::KernelError;
use crate::recorded::{self, RecordedPrograms};
use cp2_asm::diagnostic::Diagnostic;
use cp2_asm::expansion::Expansions;
use cp2_asm::image::{Image, SymbolKind};
use cp2_asm::object_file;
use cp2_asm::sched::Store;
use cp2_asm::{Assembled, FailedAssembly, Loader, Options, Scheduled, Sources};
use cp2_isa::{BundleAddress, Core};
use cp2_recording::{Recorder, Recording};
use std::borrow::Cow;

/// The form in which the bytes of a program are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Assembly source, as text.
    Source,
    /// An ELF object, as `cp2 asm` writes it.
    Object,
    /// A `.hex` file: a text with a bundle in each line, as hexadecimal digits.
    Hex,
}

impl Form {
    /// Returns the form of a file with this name and these bytes: an object if it begins as an ELF file, `.hex` if the
    /// name ends so, and source otherwise.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        if bytes.starts_with(b"\x7fELF") {
            Self::Object
        } else if std::path::Path::new(name).extension().is_some_and(|ending| ending == "hex") {
            Self::Hex
        } else {
            Self::Source
        }
    }
}

/// A program for one core, ready to be loaded: its image, and the texts that its bundles come from. Made by the
/// functions `from_...` from source, objects, `.hex` files and recordings. Runs do not change it, so many runs, on
/// several threads, may use it at once.
#[derive(Clone, Debug)]
pub struct Program {
    core: Core,
    form: Option<Form>,
    image: Image,
    sources: Sources,
    regions: Vec<Scheduled>,
    expansions: Expansions,
    warnings: Vec<Diagnostic>,
}

impl Program {
    /// Assembles one text for a core, and schedules its regions of linear code. The text may not include files;
    /// [`Program::from_sources`] allows that. `name` names the text in messages.
    ///
    /// # Errors
    /// [`ProgramError::Refused`] if the text does not assemble, [`ProgramError::Empty`] if it has no bundle.
    pub fn from_source(
        environment: &Environment,
        core: &Core,
        name: &str,
        text: &str,
    ) -> Result<Self, ProgramError> {
        let none = &mut |_: &str, _: &str| Err("no files can be included here".to_owned());
        let texts = vec![(name.to_owned(), text.to_owned())];
        let program = Self::from_sources(environment, core, texts, none)?;
        program.with_bundles(name)
    }

    /// Assembles texts, each a pair of name and text, into one program. `include` returns the name and the text of a
    /// file that a text includes. The program may have no bundle; [`Program::with_bundles`] refuses that.
    ///
    /// # Errors
    /// [`ProgramError::Refused`] if the texts do not assemble.
    pub fn from_sources(
        environment: &Environment,
        core: &Core,
        texts: Vec<(String, String)>,
        include: &mut Loader<'_>,
    ) -> Result<Self, ProgramError> {
        Self::or_parts(environment, core, texts, include)
            .map_err(|failed| ProgramError::Refused(Box::new(failed.refusal)))
    }

    /// Assembles source texts as [`Program::from_sources`] does; if they have errors, what was placed in spite of them comes back
    /// with these.
    ///
    /// # Errors
    /// The errors of the texts, with the parts of the program that are known.
    pub fn or_parts(
        environment: &Environment,
        core: &Core,
        texts: Vec<(String, String)>,
        include: &mut Loader<'_>,
    ) -> Result<Self, Box<ProgramParts>> {
        let mut sources = Sources::default();
        let add = |(name, text)| sources.add(name, text);
        let roots: Vec<u32> = texts.into_iter().map(add).collect();
        let mut kept = environment.store();
        let store = kept.as_mut().map(|kept| kept as &mut dyn Store);
        let known = Cow::Borrowed(environment.known());
        let options = Options { core: *core, store, known, interrupt: environment.interrupt() };
        match cp2_asm::assemble_or_parts(&mut sources, &roots, include, options) {
            Ok(Assembled { image, warnings, regions, expansions }) => Ok(Self {
                core: *core,
                form: Some(Form::Source),
                image,
                sources,
                regions,
                expansions,
                warnings,
            }),
            Err(failed) => {
                let FailedAssembly { diagnostics, image, regions, is_placed } = *failed;
                let refusal = Refusal { diagnostics, sources };
                Err(Box::new(ProgramParts { refusal, image, regions, is_placed }))
            }
        }
    }

    /// Reads an object (ELF, as `cp2 asm` writes it) that was made for this core, or for another one whose programs run
    /// on it. `name` names the file in messages.
    ///
    /// # Errors
    /// [`ProgramError::Object`] if the bytes are no object of CP2, or the object needs more than the core has.
    pub fn from_object(core: &Core, name: &str, bytes: &[u8]) -> Result<Self, ProgramError> {
        let image = object_file::read(bytes, core);
        let image = image.map_err(|error| ProgramError::Object { name: name.to_owned(), error })?;
        Ok(Self::of_image(core, Some(Form::Object), image, Sources::default()))
    }

    /// Reads the text of a `.hex` file, with a bundle in each line as hexadecimal digits. `name` names the file in
    /// messages.
    ///
    /// # Errors
    /// [`ProgramError::Refused`] if a line is no bundle, or there are more bundles than the core's instruction memory
    /// holds.
    pub fn from_hex(core: &Core, name: &str, text: &str) -> Result<Self, ProgramError> {
        let mut sources = Sources::default();
        let file = sources.add(name, text);
        match cp2_asm::hex::read(&sources, file, core) {
            Ok(image) => Ok(Self::of_image(core, Some(Form::Hex), image, sources)),
            Err(diagnostics) => {
                Err(ProgramError::Refused(Box::new(Refusal { diagnostics, sources })))
            }
        }
    }

    /// Makes a program from the bytes of a file: its name, its bytes, and their form, which [`Form::of`] tells.
    /// `include` returns the name and the text of a file that a source includes.
    ///
    /// # Errors
    /// The errors of the function for that form; [`ProgramError::NotText`] if source or `.hex` is not UTF-8;
    /// [`ProgramError::Empty`] if the program has no bundle.
    pub fn from_bytes(
        environment: &Environment,
        core: &Core,
        (name, bytes, form): (&str, Vec<u8>, Form),
        include: &mut Loader<'_>,
    ) -> Result<Self, ProgramError> {
        let text = |bytes| {
            String::from_utf8(bytes).map_err(|e| ProgramError::NotText {
                name: name.to_owned(),
                byte: e.utf8_error().valid_up_to(),
            })
        };
        let program = match form {
            Form::Object => Self::from_object(core, name, &bytes)?,
            Form::Hex => Self::from_hex(core, name, &text(bytes)?)?,
            Form::Source => {
                let texts = vec![(name.to_owned(), text(bytes)?)];
                Self::from_sources(environment, core, texts, include)?
            }
        };
        program.with_bundles(name)
    }

    /// Makes a program from the bytes of a file as [`Program::from_bytes`] does, once for all threads that share a
    /// [`Shelf`](crate::reuse::Shelf). `key` has to tell everything on which the program depends beside the core, the
    /// files that it includes too: a program that the shelf of the environment has under this key is not made again.
    ///
    /// # Errors
    /// [`KernelError::Program`] with the errors of [`Program::from_bytes`].
    pub fn shelved(
        environment: &Environment,
        core: &Core,
        key: &str,
        (name, bytes, form): (&str, &[u8], Form),
        include: &mut Loader<'_>,
    ) -> Result<Self, KernelError> {
        let mut make = || {
            let program =
                Self::from_bytes(environment, core, (name, bytes.to_vec(), form), include);
            program.map_err(|error| KernelError::Program(Box::new(error)))
        };
        if !environment.is_reusing() {
            return make();
        }
        let (image, sources) = environment.shelved_program(core, (name, key), || {
            let program = make()?;
            Ok((program.image().clone(), program.sources().clone()))
        })?;
        let (image, sources) = (Image::clone(&image), Sources::clone(&sources));
        Ok(Self::of_image(core, Some(form), image, sources))
    }

    /// Returns the programs that a recording keeps, as one program that has each kernel at its own bundle address
    /// ([`recorded::of`]); `None` if it keeps none. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording, or a program in it, is damaged.
    pub fn from_recording(
        recording: &mut Recording,
    ) -> Result<Option<Self>, recorded::RecordedProgramError> {
        let core = *recording.core();
        let RecordedPrograms { image, sources } = recorded::of(recording)?;
        let is_there = !image.kernels.is_empty();
        Ok(is_there.then(|| Self::of_image(&core, None, image, sources)))
    }

    /// Creates a program from an image that is assembled or read already, without schedules and warnings. `form` is the
    /// form of the file that the image was read from, `None` for no file; `sources` are the texts of its source files,
    /// as far as they are at hand.
    pub fn of_image(core: &Core, form: Option<Form>, image: Image, sources: Sources) -> Self {
        let (regions, expansions, warnings) = (Vec::new(), Expansions::new(), Vec::new());
        Self { core: *core, form, image, sources, regions, expansions, warnings }
    }

    /// Returns the program, if it has a bundle to run. `name` names its file in the error.
    ///
    /// # Errors
    /// [`ProgramError::Empty`] if the program has no bundle.
    pub fn with_bundles(self, name: &str) -> Result<Self, ProgramError> {
        if self.image.kernels.iter().all(|kernel| kernel.words.is_empty()) {
            return Err(ProgramError::Empty { name: name.to_owned() });
        }
        Ok(self)
    }

    /// Returns the core that the program was made for.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the form that the program was read from; `None` if it comes from a recording or an image.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// Returns the image of the program: kernels, data, symbols, source lines, promises.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Returns the texts that the program was made from, as far as they are known; an object has none.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the schedules of the program's regions of linear code (`.linear`), in the order of their addresses;
    /// empty if the program was not assembled from source by this process.
    pub fn regions(&self) -> &[Scheduled] {
        &self.regions
    }

    /// Returns, by bundle address, the macros and repetitions that bundles came out of; empty if the program was not
    /// assembled from source by this process.
    pub fn expansions(&self) -> &Expansions {
        &self.expansions
    }

    /// Returns the warnings of the assembler; empty if the program was not assembled from source.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether the form of the program can tell the promises of its linear code, statements of its author about values
    /// that the schedule relies on, so that a run can be checked against them: all forms can, except for `.hex`.
    pub fn has_promises(&self) -> bool {
        self.form != Some(Form::Hex)
    }

    /// Returns the address of the bundle that `place` names: a kernel, a label, or a decimal bundle address. Without a
    /// place it is the first bundle of the first kernel; 0 if there is no kernel.
    ///
    /// # Errors
    /// [`EntryError`] if `place` is no kernel, no label and no address of instruction memory.
    pub fn entry(&self, place: Option<&str>) -> Result<BundleAddress, EntryError> {
        let Some(place) = place else {
            return Ok(self.image.kernels.first().map_or(BundleAddress::default(), |k| k.start));
        };
        if let Some(kernel) = self.image.kernel(place) {
            return Ok(kernel.start);
        }
        let mut labels = self.image.symbols.iter().filter(|s| s.kind == SymbolKind::Bundle);
        let label = labels.find(|s| s.name == place).and_then(|s| u16::try_from(s.value).ok());
        let address = label.or_else(|| place.parse().ok()).map(BundleAddress);
        let bundles = self.core.iram_bundles();
        address.filter(|address| address.index() < bundles).ok_or_else(|| EntryError {
            place: place.to_owned(),
            bundles,
            kernels: self.image.kernels.iter().map(|kernel| kernel.name.clone()).collect(),
        })
    }

    /// Keeps the program in a recording that has begun, so that the recording tells labels and source lines.
    ///
    /// # Errors
    /// [`ProgramError::Unkept`] if the program has a symbol or a size that no object can hold.
    pub fn keep_in(&self, recorder: &Recorder) -> Result<(), ProgramError> {
        let kept =
            recorded::to_recorded(&self.image, &self.sources).map_err(ProgramError::Unkept)?;
        recorder.program(&kept);
        Ok(())
    }
}
