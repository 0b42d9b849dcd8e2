//! Origins and files of recordings: what is asked for, the command line that makes the same, and why there is no
//! recording.

use cp2_emu::state::State;
use cp2_recording::{Recording, RecordingError};
use cp2_session::{Engine, Environment, MOST_CYCLES};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempPath;

/// Reason why there is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line that says what is wrong.
    pub what: String,
    /// Text that says more of what is wrong, and what can be done.
    pub detail: String,
}

impl Failure {
    pub(crate) fn new(what: &str, detail: &str) -> Self {
        Self { what: what.to_owned(), detail: detail.to_owned() }
    }

    pub(crate) fn of(what: &str, error: &dyn std::fmt::Display) -> Self {
        Self { what: what.to_owned(), detail: error.to_string() }
    }
}

/// Settings with which a program is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The machine around CP2, a name or a file; CP2 alone if absent.
    pub machine: Option<String>,
    /// Extensions that are switched on, by name.
    pub enable: Vec<String>,
    /// Numbers of the machine that are changed, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// State before the run, a file.
    pub init: Option<PathBuf>,
    /// Arrays that are loaded, as `PLACE=FILE[:OPTION...]`.
    pub load: Vec<String>,
    /// Arrays that are stored when the run has stopped, as `PLACE=FILE[:OPTION...]`.
    pub store: Vec<String>,
    /// Arguments of the kernel and registers, as `NAME=VALUE`.
    pub arg: Vec<String>,
    /// Kernel, label or address at which the program starts; the first kernel if absent.
    pub entry: Option<String>,
    /// Cycles after which the run ends.
    pub max_cycles: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            machine: None,
            enable: Vec::new(),
            set: Vec::new(),
            init: None,
            load: Vec::new(),
            store: Vec::new(),
            arg: Vec::new(),
            entry: None,
            max_cycles: MOST_CYCLES,
        }
    }
}

impl Settings {
    /// Returns the name of the first option that a recording cannot honour.
    pub(crate) fn for_programs(&self) -> Option<&'static str> {
        let Self { machine, enable, set, init, load, store, arg, entry, max_cycles } = self;
        let given = [
            ("--machine", machine.is_some()),
            ("--enable", !enable.is_empty()),
            ("--set", !set.is_empty()),
            ("--init", init.is_some()),
            ("--load", !load.is_empty()),
            ("--store", !store.is_empty()),
            ("--arg", !arg.is_empty()),
            ("--entry", entry.is_some()),
            ("--max-cycles", *max_cycles != Origin::usual_limit()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// Returns the name of the first option that a kernel of cp2 cannot honour.
    pub(crate) fn for_user_programs(&self) -> Option<&'static str> {
        let core = Self { machine: None, enable: Vec::new(), set: Vec::new(), ..self.clone() };
        core.for_programs()
    }
}

/// A kernel or a procedure that comes with cp2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Name of the kernel or procedure.
    pub name: String,
    /// Vectors that it works on, if it asks for their number.
    pub vectors: Option<u64>,
}

/// Origin of a recording.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A recording, a program or a source.
    File(PathBuf, Settings),
    /// A source that stands in no file, or was changed: its name, its text, and what registers and memory held in the first
    /// cycle of the run that it is compared with.
    Text(String, String, Option<Arc<State>>, Settings),
    /// A kernel that comes with cp2.
    Kernel(Example, Settings),
}

impl Origin {
    /// Returns the settings with which the program is run.
    pub fn settings(&self) -> &Settings {
        match self {
            Self::File(_, settings) | Self::Text(.., settings) | Self::Kernel(_, settings) => {
                settings
            }
        }
    }

    /// Returns the origin with other settings.
    pub fn with(&self, new: Settings) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::File(_, settings) | Self::Text(.., settings) | Self::Kernel(_, settings) => {
                *settings = new;
            }
        }
        other
    }

    pub(crate) fn title(&self) -> String {
        let name = match self {
            Self::File(path, _) => path.file_name().unwrap_or_default().to_string_lossy().into(),
            Self::Text(name, ..) => cp2_asm::sites::short(name).to_owned(),
            Self::Kernel(example, _) => example.name.clone(),
        };
        let Settings { machine, enable, set, .. } = self.settings();
        let around = machine.iter().map(|m| format!(" on {m}"));
        let around = around.chain(enable.iter().chain(set).map(|s| format!(" {s}")));
        name + &around.collect::<String>()
    }

    /// Returns the command line that makes the same recording.
    pub(crate) fn command(&self) -> String {
        let Settings { machine, enable, set, init, load, store, arg, entry, max_cycles } =
            self.settings();
        let mut command = match self {
            Self::File(path, _) => format!("cp2 run {}", quoted(&path.display().to_string())),
            Self::Text(name, ..) => format!("cp2 run {}", quoted(name)),
            Self::Kernel(Example { name, vectors }, _) => {
                let vectors = vectors.map(|n| format!(" --vectors {n}")).unwrap_or_default();
                format!("cp2 kernels run {name}{vectors}")
            }
        };
        let mut add = |option: &str, value: &str| {
            command += &format!(" {option} {}", quoted(value));
        };
        machine.iter().for_each(|machine| add("--machine", machine));
        enable.iter().for_each(|name| add("--enable", name));
        set.iter().for_each(|set| add("--set", set));
        init.iter().for_each(|path| add("--init", &path.display().to_string()));
        load.iter().for_each(|load| add("--load", load));
        arg.iter().for_each(|arg| add("--arg", arg));
        store.iter().for_each(|store| add("--store", store));
        entry.iter().for_each(|entry| add("--entry", entry));
        if *max_cycles != Self::usual_limit() && !matches!(self, Self::Kernel(..)) {
            add("--max-cycles", &max_cycles.to_string());
        }
        command + " --record run.cp2rec"
    }

    fn usual_limit() -> u64 {
        Settings::default().max_cycles
    }
}

/// Returns a word as it stands on a command line, in quotation marks where needed.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// File of a recording. A temporary file, of a recording that was made here, is removed when the last user drops it.
#[derive(Debug)]
pub struct Stored {
    pub(crate) path: PathBuf,
    pub(crate) _temporary: Option<TempPath>,
}

impl Stored {
    /// Opens the recording.
    pub(crate) fn open(&self) -> Result<Recording, RecordingError> {
        Recording::open(File::open(&self.path)?, Environment::new().engine(Engine::default()))
    }
}
