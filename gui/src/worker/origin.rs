//! Origins of recordings: what is asked for, with which settings, the command line that makes the same recording, and
//! why there is none.

use cp2_emu::state::State;
use cp2_recording::{Recording, RecordingError};
use cp2_session::{Engine, Environment, MOST_CYCLES};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempPath;

/// The reason why a recording could not be made or opened, as two texts for the person at the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Headline: what is wrong, in a line.
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

/// The settings with which a program is run, as the options of `cp2 run` give them.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Name of the machine around CP2, or path of a machine file; `None` for CP2 alone.
    pub machine: Option<String>,
    /// Names of the extensions of the architecture that are switched on.
    pub enable: Vec<String>,
    /// Numbers of the machine that are changed, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// Path of a state file with the contents of registers and memories before the run; `None` for those after reset.
    pub init: Option<PathBuf>,
    /// Arrays that are loaded before the run, as `PLACE=FILE[:OPTION...]`.
    pub load: Vec<String>,
    /// Arrays that are stored in files when the run has stopped by itself, as `PLACE=FILE[:OPTION...]`.
    pub store: Vec<String>,
    /// Values of arguments of the kernel and of registers, as `NAME=VALUE`.
    pub arg: Vec<String>,
    /// Kernel, label or bundle address at which the program starts; `None` for the first kernel.
    pub entry: Option<String>,
    /// Number of cycles after which the run is ended.
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

/// A kernel or a procedure that comes with cp2, which the viewer can run and record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Name of the kernel or procedure.
    pub name: String,
    /// Number of vectors that it works on; `None` for its own default, or if it takes no such number.
    pub vectors: Option<u64>,
}

/// The origin of a recording: the file that is opened, or the program or kernel that is run and recorded.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file: a recording that is opened, or a program (source, object or `.hex`) that is run with these settings.
    File(PathBuf, Settings),
    /// A source text, such as one that was changed in the viewer: its name, the text, the registers and memories before
    /// the run (`None` for those after reset), and the settings with which it is run.
    Text(String, String, Option<Arc<State>>, Settings),
    /// A kernel or a procedure that comes with cp2, and the settings with which it is run.
    Kernel(Example, Settings),
}

impl Origin {
    /// Returns the settings with which the program or kernel is run: machine, arrays, arguments, start and limit of
    /// cycles.
    pub fn settings(&self) -> &Settings {
        match self {
            Self::File(_, settings) | Self::Text(.., settings) | Self::Kernel(_, settings) => {
                settings
            }
        }
    }

    /// Returns the same origin with other settings.
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

/// The file of a recording. If the recording was made by the viewer, the file is temporary, and is removed when this
/// value is dropped.
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
