//! `cp2 explore`: a source in the browser.

use crate::args::{Changes, Explore, MachineChoice};
use crate::input::arrays::Wanted;
use crate::input::{machine, program};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_explore::{
    ExploreError, ExploreServer, Explorer, ExplorerHost, ExplorerStart, MachineWish,
};
use cp2_isa::Core;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Text of a page that no file was named for.
const EXAMPLE: &str = include_str!("../../../examples/axpy.s");
/// Text of a file that is not there yet.
const EMPTY: &str = "        .kernel new\n        stopi   0\n";
/// Number of cycles after which a run is ended if nothing else is asked for; a run follows every change of the text.
const MOST_CYCLES: u64 = 1_000_000;

/// Files and machines of the command line.
struct Host {
    path: Option<PathBuf>,
}

/// Returns the text of a failure as a page shows it.
fn sentence(failure: &Failure) -> String {
    failure.plain()
}

impl ExplorerHost for Host {
    fn machine(&self, wish: &MachineWish) -> Result<(Option<MachineConfig>, Core), String> {
        let switch = |text: &String| text.parse().map_err(|e| format!("--enable {text}: {e}"));
        let enable = wish.enable.iter().map(switch).collect::<Result<_, String>>()?;
        let changes = Changes { enable, set: wish.set.clone() };
        let machine = Some(wish.machine.clone()).filter(|name| !name.is_empty());
        let choice = MachineChoice { machine, changes };
        machine::with_core(&choice).map_err(|failure| sentence(&failure))
    }

    fn include(&self, from: &str, name: &str) -> Result<(String, String), String> {
        if from.is_empty() {
            return Err("a text that is in no file names no other".to_owned());
        }
        program::include(from, name)
    }

    fn read(&self) -> Result<Option<String>, String> {
        let Some(path) = &self.path else { return Ok(None) };
        match cp2_files::regular(path) {
            Ok(bytes) => {
                let text = program::utf8(&program::name_of(path), bytes);
                text.map(Some).map_err(|failure| sentence(&failure))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(sentence(&files::cannot_read(path, &error))),
        }
    }

    fn write(&self, text: &str) -> Result<(), String> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        files::write(path, text.as_bytes()).map_err(|failure| sentence(&failure))
    }
}

pub(crate) fn explore(arguments: &Explore) -> Outcome {
    let (source, start) = (arguments.source.as_deref(), &arguments.start);
    if source.is_some_and(files::is_standard) {
        return Err(usage(
            "a source that is explored is a file: standard input cannot be saved to",
        ));
    }
    files::check(&[source], &[arguments.output.as_deref()])?;
    let host = Host { path: source.map(Path::to_owned) };
    let explorer = explorer(arguments, host)?;
    if let Some(output) = &arguments.output {
        let page = explorer.shared_page(&explorer.first_wish());
        files::write(output, page.as_bytes())?;
        return Ok(Exit::Success);
    }
    if !start.arrays.store.is_empty() {
        return Err(usage("--store: `cp2 explore` stores no arrays; `cp2 run` does"));
    }
    serve(explorer, arguments.port.unwrap_or(0), source)
}

fn serve(explorer: Explorer, port: u16, source: Option<&Path>) -> Outcome {
    let mut server = ExploreServer::start(explorer, port).map_err(|error| match error {
        ExploreError::Port(_) => usage(error),
        ExploreError::System(_) => bad_input(error),
    })?;
    let what = source.map_or("an example".to_owned(), |path| path.display().to_string());
    files::print(format!("{}\n", server.address()).as_bytes())?;
    std::io::stdout().flush().map_err(|e| bad_input(format!("standard output: {e}")))?;
    crate::process::exit::complain(format!(
        "cp2: {what} is at this address until Ctrl-C; only browsers of this computer reach it"
    ));
    server.wait().map_err(|error| bad_input(format!("the explorer cannot go on: {error}")))?;
    Ok(Exit::Success)
}

/// Returns the explorer that the arguments ask for.
fn explorer(arguments: &Explore, host: Host) -> Outcome<Explorer> {
    let start = &arguments.start;
    let text = match host.read().map_err(bad_input)? {
        Some(text) => text,
        None if arguments.source.is_some() && arguments.output.is_some() => {
            let path = program::name_of(arguments.source.as_deref().unwrap_or(Path::new("")));
            return Err(bad_input(format!("cannot read {path}: there is no such file")));
        }
        None if arguments.source.is_some() => {
            let folder = arguments.source.as_deref().and_then(Path::parent);
            let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                let name = folder.display();
                return Err(bad_input(format!(
                    "the file cannot be written later: there is no folder {name}; make it, or give another name"
                )));
            }
            EMPTY.to_owned()
        }
        None => EXAMPLE.to_owned(),
    };
    let MachineChoice { machine: name, changes } = &start.machine;
    let mut machines: Vec<String> = PRESETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    machines.extend(name.clone().filter(|name| MachineConfig::preset(name).is_none()));
    let on = MachineWish {
        machine: name.clone().unwrap_or_default(),
        enable: changes.enable.iter().map(ToString::to_string).collect(),
        set: changes.set.clone(),
    };
    // A machine that there is not is told before a page is.
    host.machine(&on).map_err(bad_input)?;
    let wanted = Wanted::read(&start.arrays, &start.arg)?;
    let arrays = wanted.request()?;
    let state = match &start.init {
        Some(path) => {
            let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
            Some(serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?)
        }
        None => None,
    };
    let begin = ExplorerStart {
        file: arguments.source.as_deref().map(program::name_of),
        text,
        on,
        machines,
        arrays,
        state,
        entry: start.entry.clone(),
        max_cycles: start.max_cycles.unwrap_or(MOST_CYCLES),
    };
    let environment = program::writing_environment(start.cache);
    Ok(Explorer::new(begin, Box::new(host), environment))
}
