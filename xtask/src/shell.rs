//! Commands, run as a person would type them, and what is said when one fails.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The outcome of a task: an error is a sentence for the one who called it.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Returns a function that makes a message of an error of a file, told with what was tried.
pub(crate) fn cannot<'a>(what: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> String + 'a {
    move |error| format!("cannot {what} {}: {error}", path.display())
}

/// A command that is about to be run.
pub(crate) struct Call {
    words: Vec<String>,
    environment: Vec<(&'static str, OsString)>,
    code: i32,
    to: Option<PathBuf>,
    on_failure: String,
}

/// Creates a command whose words are separated by spaces.
pub(crate) fn call(line: &str) -> Call {
    let empty = Call {
        words: Vec::new(),
        environment: Vec::new(),
        code: 0,
        to: None,
        on_failure: String::new(),
    };
    empty.words(line)
}

impl Call {
    /// Adds words, separated by spaces.
    pub(crate) fn words(mut self, line: &str) -> Self {
        self.words.extend(line.split_whitespace().map(str::to_owned));
        self
    }

    /// Adds one word, which may have spaces.
    pub(crate) fn word(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    /// Adds a path as one word.
    pub(crate) fn path(self, path: &Path) -> Self {
        self.word(path.display().to_string())
    }

    /// Sets a variable of the environment of the command.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Sets the file to which the standard output of the command goes.
    pub(crate) fn to(mut self, path: &Path) -> Self {
        self.to = Some(path.to_owned());
        self
    }

    /// Sets the advice to the caller if the command fails.
    pub(crate) fn or(mut self, advice: impl Into<String>) -> Self {
        self.on_failure = advice.into();
        self
    }

    /// Returns the command as it is typed.
    fn line(&self) -> String {
        let variables = self.environment.iter().filter(|(name, _)| *name != "PATH");
        let mut words: Vec<String> =
            variables.map(|(name, value)| format!("{name}={}", value.display())).collect();
        words.extend(self.words.iter().cloned());
        let mut line = words.join(" ");
        if let Some(path) = &self.to {
            line += &format!(" > {}", path.display());
        }
        line
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).env("CARGO_TERM_COLOR", "never");
        // These variables are set by the cargo that started this program, for this program.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME"] {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn cannot_start(&self, error: &std::io::Error) -> String {
        format!("`{}` cannot be started: {error}; is {} installed?", self.line(), self.words[0])
    }

    fn judge(&self, code: Option<i32>) -> Outcome {
        if code == Some(self.code) {
            return Ok(());
        }
        let how = code.map_or("was killed".to_owned(), |code| format!("ended with code {code}"));
        let advice = if self.on_failure.is_empty() { "" } else { "\n" };
        Err(format!("`{}` {how}{advice}{}", self.line(), self.on_failure))
    }

    /// Runs the command to its end, told before; what it prints is shown.
    pub(crate) fn run(&self) -> Outcome {
        println!("$ {}", self.line());
        self.run_untold()
    }

    /// Runs the command without a word before.
    pub(crate) fn run_untold(&self) -> Outcome {
        let mut command = self.command();
        if let Some(path) = &self.to {
            command.stdout(File::create(path).map_err(cannot("write", path))?);
        }
        let status = command.status().map_err(|e| self.cannot_start(&e))?;
        self.judge(status.code())
    }

    /// Runs the command; what it prints is shown and kept in a file.
    pub(crate) fn run_with_log(&self, log: &Path) -> Outcome {
        println!("$ {}", self.line());
        let pipe = || std::io::pipe().map_err(|e| format!("no pipe: {e}"));
        let mut file = File::create(log).map_err(cannot("write", log))?;
        let (reader, writer) = pipe()?;
        let errors = writer.try_clone().map_err(|e| format!("no pipe: {e}"))?;
        let mut command = self.command();
        command.stdout(writer).stderr(errors);
        let mut child = command.spawn().map_err(|e| self.cannot_start(&e))?;
        // The writing ends of the pipe that are here would keep it open.
        drop(command);
        for line in BufReader::new(reader).split(b'\n') {
            let mut line = line.map_err(cannot("read what is printed for", log))?;
            line.push(b'\n');
            let _ = std::io::stdout().write_all(&line);
            file.write_all(&line).map_err(cannot("write", log))?;
        }
        let status = child.wait().map_err(|e| self.cannot_start(&e))?;
        self.judge(status.code())
    }

    /// Runs the command without a word before, and returns what it prints.
    pub(crate) fn text(&self) -> Outcome<String> {
        let output = self.command().stderr(Stdio::inherit()).output();
        let output = output.map_err(|e| self.cannot_start(&e))?;
        self.judge(output.status.code())?;
        String::from_utf8(output.stdout).map_err(|_| format!("`{}` prints no text", self.line()))
    }

    /// Whether the command succeeds; nothing of it is shown.
    pub(crate) fn succeeds(&self) -> bool {
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

/// Runs commands side by side, as many as there are cores.
pub(crate) fn together(calls: &[Call]) -> Outcome {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || -> Outcome {
        loop {
            let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(call) = calls.get(i) else { return Ok(()) };
            call.run()?;
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a worker of this program panicked".to_owned()))
        })
    })
}
