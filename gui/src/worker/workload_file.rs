//! Workload files, read for the viewer, which starts no program for them.

use crate::worker::origin::Failure;
use cp2_asm::render::{Style, render_all};
use cp2_session::npy::Array;
use cp2_session::workload::{Platform, Workload};
use cp2_workloads::file::{CommandVerdict, Surroundings, WorkloadFile};
use std::path::Path;
use std::sync::Arc;

/// The files around a workload file.
struct Around;

impl Surroundings for Around {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let name = found.display().to_string();
        match cp2_files::regular(&found) {
            Ok(bytes) => Ok((name, bytes)),
            Err(e) => Err(format!("{name}: {e}")),
        }
    }

    fn run(&self, _: &str, _: &[String], _: &[(String, Array)]) -> CommandVerdict {
        CommandVerdict::NotRun
    }
}

/// Returns the workload of the file at `path`.
pub(super) fn open(path: &Path, has_machine: bool) -> Result<Arc<dyn Workload>, Failure> {
    let what = format!("Cannot open {}", path.display());
    let text =
        cp2_files::regular(path).and_then(cp2_files::text).map_err(|e| Failure::of(&what, &e))?;
    let around: Arc<dyn Surroundings> = Arc::new(Around);
    match WorkloadFile::open(&path.to_string_lossy(), &text, &around) {
        Ok(file) => {
            let platform = if has_machine { Platform::Machine } else { Platform::Cp2 };
            Arc::new(file).on(platform).map_err(|message| Failure::new(&what, &message))
        }
        Err(refusal) => {
            let detail = render_all(&refusal.diagnostics, &refusal.sources, Style::Plain);
            Err(Failure::new(&what, &detail))
        }
    }
}
