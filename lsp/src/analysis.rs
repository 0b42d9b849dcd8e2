//! The assembler, the linter and the scheduler on a text, or the reader of its language: findings and schedules, made in a thread of its own,
//! so that the server answers meanwhile.

use crate::language::TextLanguage;
use crate::machine_file;
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_asm::linear::Region;
use cp2_asm::sched::{Hint, RegionReport, ScheduledBundle, hints};
use cp2_isa::Core;
use cp2_nest::read_nest;
use cp2_session::npy::Array;
use cp2_session::{Environment, Program, ProgramError};
use cp2_star::language::{check, parse};
use cp2_workloads::file::{CommandVerdict, Surroundings, WorkloadFile};
use crossbeam_channel::{Receiver, Sender};
use std::path::PathBuf;
use std::sync::Arc;

/// Most operations of a region for which promises are tried at each change.
const MOST_FOR_HINTS: usize = 600;

/// A text to be analysed.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Name of the document in the protocol.
    pub(crate) uri: String,
    /// Path of its file, if it has one: the texts that it includes are looked for beside it.
    pub(crate) path: Option<PathBuf>,
    pub(crate) version: i32,
    pub(crate) text: String,
}

/// A scheduled region of the text.
#[derive(Debug)]
pub(crate) struct AnalysedRegion {
    pub(crate) region: Region,
    pub(crate) bundles: Vec<ScheduledBundle>,
    pub(crate) report: RegionReport,
    /// Hints for each innermost loop.
    pub(crate) hints: Vec<Vec<Hint>>,
}

/// Findings and schedules of one version of a text.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) uri: String,
    pub(crate) version: i32,
    /// Texts to which places refer; the document has number 0.
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) regions: Vec<AnalysedRegion>,
}

/// Analyses texts until the sender of jobs is gone. Of jobs that wait for the same document only the last is done.
pub(crate) fn work(core: Core, jobs: &Receiver<Job>, results: &Sender<Analysis>) {
    let environment = Environment::new();
    let mut waiting: Vec<Job> = Vec::new();
    loop {
        if waiting.is_empty() {
            let Ok(job) = jobs.recv() else { return };
            waiting.push(job);
        }
        for job in jobs.try_iter() {
            waiting.retain(|other| other.uri != job.uri);
            waiting.push(job);
        }
        let job = waiting.remove(0);
        if results.send(analyse(&environment, &core, job)).is_err() {
            return;
        }
    }
}

/// Returns name and text of a file that a text includes, looked for beside the one that includes it; `document` is the name of the text's own
/// file, which the loader calls by nothing.
fn include(document: &str, from: &str, name: &str) -> Result<(String, String), String> {
    let (name, bytes) = file_beside(if from.is_empty() { document } else { from }, name)?;
    let text = cp2_files::text(bytes).map_err(|error| error.to_string())?;
    Ok((name, text))
}

/// Returns name and bytes of a file that the file `from` names.
fn file_beside(from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
    if from.is_empty() {
        return Err("a text that is in no file names no other".to_owned());
    }
    let path = cp2_files::path_beside(from, path);
    let bytes = cp2_files::regular(&path).map_err(|error| error.to_string())?;
    Ok((path.to_string_lossy().into_owned(), bytes))
}

/// The files around a workload file. No program is started.
struct FilesAround;

impl Surroundings for FilesAround {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        file_beside(from, path)
    }

    fn run(&self, _: &str, _: &[String], _: &[(String, Array)]) -> CommandVerdict {
        CommandVerdict::NotRun
    }
}

fn analyse(environment: &Environment, core: &Core, job: Job) -> Analysis {
    let language = TextLanguage::of(&job.uri, &job.text);
    let name = job.path.as_deref().map(|path| path.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let mut sources = Sources::default();
    sources.add(name.as_str(), job.text.as_str());
    let diagnostics = match language {
        TextLanguage::Assembly => return of_assembly(environment, core, job, &name),
        TextLanguage::Star => match parse(&sources, 0) {
            Ok(tree) => check(&tree, 0).err().unwrap_or_default(),
            Err(diagnostics) => diagnostics,
        },
        TextLanguage::Machine => machine_file::findings(&sources),
        TextLanguage::Workload => {
            let around: Arc<dyn Surroundings> = Arc::new(FilesAround);
            match WorkloadFile::open(&name, &job.text, &around) {
                Ok(_) => Vec::new(),
                Err(refusal) => {
                    sources = refusal.sources;
                    refusal.diagnostics
                }
            }
        }
        TextLanguage::Nest => read_nest(&sources, 0).err().unwrap_or_default(),
        TextLanguage::Other => Vec::new(),
    };
    let Job { uri, version, .. } = job;
    Analysis { uri, version, sources, diagnostics, regions: Vec::new() }
}

fn of_assembly(environment: &Environment, core: &Core, job: Job, name: &str) -> Analysis {
    let Job { uri, version, text, .. } = job;
    let loader = &mut |from: &str, included: &str| include(name, from, included);
    let texts = vec![(name.to_owned(), text)];
    let none = Analysis {
        uri,
        version,
        sources: Sources::default(),
        diagnostics: Vec::new(),
        regions: Vec::new(),
    };
    match Program::from_sources(environment, core, texts, loader) {
        Ok(program) => {
            let mut diagnostics = program.warnings().to_vec();
            let options = cp2_lint::Options { core: *core, undefined: false };
            let findings = cp2_lint::lint_for(program.image(), &options);
            let (image, sources) = (program.image(), program.sources());
            diagnostics.extend(cp2_lint::diagnostics(
                &findings,
                image,
                sources,
                program.expansions(),
            ));
            let regions = program.regions().iter().map(|scheduled| {
                let is_small = scheduled.region.ops.len() <= MOST_FOR_HINTS;
                let tried = is_small.then(|| hints(core, &scheduled.region, &scheduled.report));
                AnalysedRegion {
                    region: scheduled.region.clone(),
                    bundles: scheduled.bundles.clone(),
                    report: scheduled.report.clone(),
                    hints: tried.and_then(Result::ok).unwrap_or_default(),
                }
            });
            let regions = regions.collect();
            Analysis { sources: sources.clone(), diagnostics, regions, ..none }
        }
        Err(ProgramError::Refused(refusal)) => {
            Analysis { sources: refusal.sources, diagnostics: refusal.diagnostics, ..none }
        }
        Err(_) => none,
    }
}
