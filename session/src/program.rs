//! Programs of CP2 from all their forms: assembly source, objects, `.hex`, recordings.

use crate::environment::Environment;
use crate::recorded::{self, RecordedPrograms};
use cp2_asm::diagnostic::{Diagnostic, count_errors};
use cp2_asm::expansion::Expansions;
use cp2_asm::image::{Image, SymbolKind};
use cp2_asm::object_file::{self, ObjectError};
use cp2_asm::sched::Store;
use cp2_asm::{Assembled, Loader, Options, Scheduled, Sources};
use cp2_isa::{BundleAddress, Core};
use cp2_recording::{Recorder, Recording};
use std::fmt;

/// The form in which the bytes of a program are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Assembly source.
    Source,
    /// An ELF object, as `cp2 asm` writes it.
    Object,
    /// `.hex`: the digits of a bundle in each line.
    Hex,
}

impl Form {
    /// Returns the form of a file by its name and what it holds: ELF is known by its first bytes, `.hex` by its ending, and
    /// all else is source.
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

/// A program for a core, ready to be loaded, with the texts that its bundles come from. It is not changed by runs, and many
/// of them, on several threads, may have it at once.
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
    /// Assembles one text for a core, its linear regions scheduled. The text may include nothing; see
    /// [`Program::from_sources`].
    ///
    /// # Errors
    /// The text does not assemble, or has no bundle.
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

    /// Assembles texts, each with its name, into one program. `include` gives the name and the text of a file that one of
    /// them includes. The program may have no bundle: see [`Program::with_bundles`].
    ///
    /// # Errors
    /// The texts do not assemble.
    pub fn from_sources(
        environment: &Environment,
        core: &Core,
        texts: Vec<(String, String)>,
        include: &mut Loader<'_>,
    ) -> Result<Self, ProgramError> {
        let mut sources = Sources::default();
        let add = |(name, text)| sources.add(name, text);
        let roots: Vec<u32> = texts.into_iter().map(add).collect();
        let mut kept = environment.store();
        let store = kept.as_mut().map(|kept| kept as &mut dyn Store);
        let options = Options { core: *core, store };
        match cp2_asm::assemble_regions(&mut sources, &roots, include, options) {
            Ok(Assembled { image, warnings, regions, expansions }) => Ok(Self {
                core: *core,
                form: Some(Form::Source),
                image,
                sources,
                regions,
                expansions,
                warnings,
            }),
            Err(diagnostics) => {
                Err(ProgramError::Refused(Box::new(Refusal { diagnostics, sources })))
            }
        }
    }

    /// Reads an object that was made for this core, or for one whose programs run on it.
    ///
    /// # Errors
    /// The bytes are no object of CP2, or one that asks for more than the core has.
    pub fn from_object(core: &Core, name: &str, bytes: &[u8]) -> Result<Self, ProgramError> {
        let image = object_file::read(bytes, core);
        let image = image.map_err(|error| ProgramError::Object { name: name.to_owned(), error })?;
        Ok(Self::of_image(core, Some(Form::Object), image, Sources::default()))
    }

    /// Reads the text of a `.hex` file.
    ///
    /// # Errors
    /// Lines that are no bundles, or more of them than the core has places for.
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

    /// Reads the bytes of a file in a form; see [`Form::of`].
    ///
    /// # Errors
    /// Errors of the function for that form; the bytes are no text where the form is one; or the program has no bundle.
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

    /// Returns the programs of a recording as one; `None` if no program was kept in the recording.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn from_recording(
        recording: &mut Recording,
    ) -> Result<Option<Self>, recorded::RecordedProgramError> {
        let core = *recording.core();
        let RecordedPrograms { image, sources } = recorded::of(recording)?;
        let is_there = !image.kernels.is_empty();
        Ok(is_there.then(|| Self::of_image(&core, None, image, sources)))
    }

    /// Creates a program of which the image is known, with the texts of its files as far as they are at hand.
    pub fn of_image(core: &Core, form: Option<Form>, image: Image, sources: Sources) -> Self {
        let (regions, expansions, warnings) = (Vec::new(), Expansions::new(), Vec::new());
        Self { core: *core, form, image, sources, regions, expansions, warnings }
    }

    /// Returns the program, if it has a bundle to run.
    ///
    /// # Errors
    /// The program has no bundle.
    pub fn with_bundles(self, name: &str) -> Result<Self, ProgramError> {
        if self.image.kernels.iter().all(|kernel| kernel.words.is_empty()) {
            return Err(ProgramError::Empty { name: name.to_owned() });
        }
        Ok(self)
    }

    /// Returns the core that the program is for.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the form that the program was read from; `None` for the programs of a recording.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// Returns the image: kernels, data, symbols and lines.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Returns the texts that the program was made from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the schedules of the program's linear regions, in the order of their addresses, if the program was assembled
    /// now.
    pub fn regions(&self) -> &[Scheduled] {
        &self.regions
    }

    /// Returns the bundles that came out of macros and repetitions, if the program was assembled now.
    pub fn expansions(&self) -> &Expansions {
        &self.expansions
    }

    /// Returns the warnings of the assembler.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether the form of the program can tell what its linear code relies on, so that a checked run holds the callers of
    /// that code to it: source and objects can, `.hex` cannot.
    pub fn has_promises(&self) -> bool {
        self.form != Some(Form::Hex)
    }

    /// Returns the bundle that a kernel, a label or an address names; the begin of the first kernel if `place` names none.
    ///
    /// # Errors
    /// There is no such kernel and no such label, and it is no address of instruction memory.
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

    /// Keeps the program in a recording that has begun, so that the recording tells labels and lines.
    ///
    /// # Errors
    /// The program has a symbol or a size that no object can hold.
    pub fn keep_in(&self, recorder: &Recorder) -> Result<(), ProgramError> {
        let kept =
            recorded::to_recorded(&self.image, &self.sources).map_err(ProgramError::Unkept)?;
        recorder.program(&kept);
        Ok(())
    }
}

/// Diagnostics of texts, with the texts that they point into.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Errors and warnings, in the order of the texts; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts, by the numbers that the places of diagnostics have.
    pub sources: Sources,
}

impl Refusal {
    /// Returns the number of errors, those included that are not among the diagnostics because there are too many.
    pub fn errors(&self) -> usize {
        count_errors(&self.diagnostics)
    }
}

/// The reason why a file or a text gave no program that can run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// The text is wrong at the places that the diagnostics tell.
    Refused(Box<Refusal>),
    /// The bytes are no object of CP2, or one for another core.
    Object {
        /// The name of the file.
        name: String,
        /// The error in the object.
        error: ObjectError,
    },
    /// A file that should be a text is not UTF-8.
    NotText {
        /// The name of the file.
        name: String,
        /// The first byte that belongs to no character.
        byte: usize,
    },
    /// There is nothing to run.
    Empty {
        /// The name of the file.
        name: String,
    },
    /// A recording cannot keep the program: it fits no object.
    Unkept(ObjectError),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => {
                let Refusal { diagnostics, sources } = refusal.as_ref().clone();
                cp2_asm::AssemblyError { sources, diagnostics }.fmt(f)
            }
            Self::Object { name, error } => write!(f, "{name}: {error}"),
            Self::NotText { name, byte } => {
                write!(f, "{name}: byte {byte} is not UTF-8 text; is this a text file?")
            }
            Self::Empty { name } => write!(f, "{name}: the program has no bundle"),
            Self::Unkept(error) => write!(f, "the program cannot be kept in a recording: {error}"),
        }
    }
}

impl std::error::Error for ProgramError {}

/// A place to start at that a program does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    /// The place that was asked for, as the user wrote it.
    pub place: String,
    /// Number of bundles that instruction memory has: addresses are below it.
    pub bundles: usize,
    /// Names of the kernels that the program has.
    pub kernels: Vec<String>,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, bundles, kernels } = self;
        write!(
            f,
            "--entry {place}: no kernel or label of this name, and no bundle address from 0 to {}; the kernels are: {}",
            bundles - 1,
            kernels.join(", ")
        )
    }
}

impl std::error::Error for EntryError {}
