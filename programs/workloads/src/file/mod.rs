//! Workload files: a user's own kernels, arrays and expected results as a TOML file, which every command takes in place of
//! the name of a workload (`specs/src/workload-files.md`). Files and other programs are the caller's business.
//!
//! - `keys`, `read`, `arguments`: the keys of a file; `includes`, `place`: other files;
//! - `declared`: arrays that its programs name; `arrays`, `generate`: where values come from;
//! - `kernel`: a run of a variant on CP2 alone; `pages`: its page scheme; `machine`: a run on a machine by it;
//! - `results`: what a run gave, compared with what is expected; `report`, `machine_report`: text and JSON;
//! - `host_c`: the host program in C for a run on a machine;
//! - `workload`: all that as a [`Workload`], whole or a variant of it.

mod arguments;
mod arrays;
mod declared;
mod generate;
mod host_c;
mod includes;
mod kernel;
mod keys;
mod machine;
mod machine_report;
mod pages;
mod place;
mod read;
mod report;
mod results;
mod workload;

pub use host_c::HostInC;
pub use keys::{WORKLOAD_KEYS, WorkloadKey, WorkloadTable};
pub use read::array_of;

use arrays::FileArray;
use cp2_asm::diagnostic::Sources;
use cp2_isa::machine::Switch;
use cp2_session::npy::Array;
use cp2_session::workload::{Platform, Workload};
use cp2_session::{Form, Refusal};
use declared::Declared;
use includes::Includes;
use pages::FilePass;
use serde_json::Value;
use std::fmt;
use std::hash::Hasher as _;
use std::sync::{Arc, Mutex, PoisonError};
use twox_hash::XxHash64;

/// The surroundings of a workload file: other files that it names, and programs that it starts. The caller provides them, so
/// that it decides what may be read and started.
pub trait Surroundings: Send + Sync {
    /// Returns the file at `path`, which is seen from the folder of the file `from`: its name for messages, and its
    /// bytes.
    ///
    /// # Errors
    /// The file cannot be read; the message says why.
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String>;

    /// Starts a program in the folder of the file `from` and waits for its end. `command` is the program and its
    /// arguments, in which `{NAME}` stands for the path of a `.npy` file with the array of that name in `arrays`.
    fn run(&self, from: &str, command: &[String], arrays: &[(String, Array)]) -> CommandVerdict;
}

/// Whether a workload file may start the program that it names to check results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandPolicy {
    /// The program is started.
    Allowed,
    /// The program is not started, so that nothing but expected results checks the run.
    Refused,
}

impl From<bool> for CommandPolicy {
    fn from(is_allowed: bool) -> Self {
        if is_allowed { Self::Allowed } else { Self::Refused }
    }
}

/// The verdict of a program that checks the results of a workload file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandVerdict {
    /// The results are right: the program ended with the exit code 0.
    Right,
    /// The results are wrong: the program ended with another exit code; the message says with which, and what it said.
    Wrong(String),
    /// The program cannot be started, so that nothing has checked the results; the message says why.
    NotStarted(String),
    /// The program was not started, because the user has not allowed it.
    NotRun,
}

/// A program that computes what a workload file asks for: one of its variants.
#[derive(Clone, Debug)]
struct Variant {
    /// Name of the variant, by which reports tell it from the others.
    name: String,
    code: Code,
    /// Name of the kernel or label at which the program starts; `None` for its first kernel.
    entry: Option<String>,
    /// Extensions that the program needs.
    needs: Vec<Switch>,
    /// Values of arguments that this variant takes beside those of the file.
    arguments: Vec<(String, String)>,
}

/// The origin of the program of a variant.
#[derive(Clone, Debug)]
enum Code {
    /// A file.
    File {
        /// Name of the file, for messages.
        name: String,
        bytes: Vec<u8>,
        form: Form,
        /// Files that a source includes.
        includes: Includes,
    },
    /// The kernel of this name that comes with the program.
    Shipped(String),
}

/// A workload that was read from a file, with all arrays that it names. [`WorkloadFile::open`] reads it.
pub struct WorkloadFile {
    /// Name of the file, as the caller gave it.
    path: String,
    name: String,
    summary: String,
    variants: Vec<Variant>,
    /// Values of arguments of the kernel: the name and the text of the value.
    arguments: Vec<(String, String)>,
    arrays: Vec<FileArray>,
    /// Passes by which a machine goes through the arrays; empty for one page with all of them.
    passes: Vec<FilePass>,
    /// Arrays that the programs declare.
    declared: Declared,
    /// Program that checks the results, and its arguments; `None` if there is none.
    command: Option<Vec<String>>,
    surroundings: Arc<dyn Surroundings>,
    /// Names of all files that were read, this one first.
    files: Vec<String>,
    digest: u64,
}

/// Surroundings that note the name of every file that is read.
struct Noting<'a> {
    around: &'a dyn Surroundings,
    names: Mutex<Vec<String>>,
}

impl Surroundings for Noting<'_> {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let file = self.around.read(from, path)?;
        self.names.lock().unwrap_or_else(PoisonError::into_inner).push(file.0.clone());
        Ok(file)
    }

    fn run(&self, from: &str, command: &[String], arrays: &[(String, Array)]) -> CommandVerdict {
        self.around.run(from, command, arrays)
    }
}

impl fmt::Debug for WorkloadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkloadFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl WorkloadFile {
    /// Reads a workload file from its text, and all files that it names through `surroundings`. `path` is the name of
    /// the file, from which the others are seen.
    ///
    /// # Errors
    /// The text is no TOML, has a key or a value that a workload file does not take, or names a file that cannot be read:
    /// all diagnostics, in the order of the text, with the text.
    pub fn open(
        path: &str,
        text: &str,
        surroundings: &Arc<dyn Surroundings>,
    ) -> Result<Self, Box<Refusal>> {
        let mut sources = Sources::default();
        let file = sources.add(path, text);
        let noting = Noting { around: &**surroundings, names: Mutex::new(vec![path.to_owned()]) };
        let made = cp2_toml::read(&sources, file, |reader, top| {
            read::workload_file(reader, top, path, (surroundings, &noting))
        });
        let files = noting.names.into_inner().unwrap_or_else(PoisonError::into_inner);
        match made {
            Ok(file) => Ok(Self { digest: file.digest_of(text), files, ..file }),
            Err(diagnostics) => Err(Box::new(Refusal { diagnostics, sources })),
        }
    }

    /// Returns the workload of the file on a platform.
    ///
    /// # Errors
    /// The file has passes over arrays in system memory, which CP2 alone has not; the message says what to do.
    pub fn on(self: &Arc<Self>, platform: Platform) -> Result<Arc<dyn Workload>, String> {
        if platform == Platform::Cp2 && self.has_passes() {
            return Err(format!(
                "{} has passes over arrays in system memory, so it needs a machine: --machine vm7",
                self.path
            ));
        }
        Ok(Arc::new(workload::OfFile::new(Arc::clone(self), platform)))
    }

    /// Whether the file has passes over arrays in system memory, so that it needs a machine.
    pub fn has_passes(&self) -> bool {
        !self.passes.is_empty()
    }

    /// Whether the file expects results, with which those of a run are compared.
    pub fn has_expected(&self) -> bool {
        self.arrays.iter().any(|array| array.expected.is_some())
    }

    /// Whether the file names a command that checks results.
    pub fn has_command(&self) -> bool {
        self.command.is_some()
    }

    /// Returns the values that an array has before the run; `None` if the file gives it none.
    pub fn values(&self, name: &str) -> Option<&Array> {
        self.array(name)?.values.as_ref()
    }

    /// Returns the JSON Schema of the report of a run of any workload file.
    pub fn report_schema() -> Value {
        let both = [report::report_schema(), machine_report::report_schema()];
        cp2_document::whole("Report of `cp2 kernels run FILE --json`", &both)
    }

    /// Returns an XXH64 digest of the text of the file and of all files that were read for it.
    fn digest_of(&self, text: &str) -> u64 {
        let mut digest = XxHash64::with_seed(0);
        digest.write(text.as_bytes());
        for variant in &self.variants {
            if let Code::File { bytes, includes, .. } = &variant.code {
                digest.write(bytes);
                includes.hash_into(&mut digest);
            }
        }
        for array in &self.arrays {
            let expected = array.expected.as_ref().map(|expected| &expected.array);
            for array in array.values.iter().chain(expected) {
                digest.write(format!("{} {:?}", array.kind, array.shape).as_bytes());
                digest.write(array.bytes());
            }
        }
        digest.finish()
    }

    /// Returns the array of this name; `None` if the file has none.
    fn array(&self, name: &str) -> Option<&FileArray> {
        self.arrays.iter().find(|array| array.name == name)
    }
}
