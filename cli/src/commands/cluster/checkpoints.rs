//! Folders of checkpoints: a folder for each checkpoint, of which the last one stays, and the file `last` with its number.

use crate::args::cluster::ClusterKeeping;
use crate::process::exit::{Failure, Outcome, usage};
use crate::storage::files;
use cp2_cluster::{CheckpointPart, CheckpointStore};
use cp2_cluster_procedures::RunCheckpoints;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Returns the checkpoints that are asked for.
pub(super) fn of(arguments: &ClusterKeeping) -> Outcome<Option<RunCheckpoints>> {
    let Some(folder) = arguments.checkpoint.clone() else { return Ok(None) };
    if files::is_standard(&folder) {
        return Err(usage("--checkpoint -: give the name of a folder"));
    }
    let interval = Duration::from_secs(arguments.interval);
    let times = Mutex::new(Times { last: Instant::now(), began: None, took: Duration::ZERO });
    let store = Arc::new(CheckpointFolder { folder, interval, times });
    Ok(Some(RunCheckpoints { store, resumes: arguments.resume }))
}

/// Folder of checkpoints, of which one is made every interval.
struct CheckpointFolder {
    folder: PathBuf,
    interval: Duration,
    times: Mutex<Times>,
}

/// Times of checkpoints on this computer.
#[derive(Debug)]
struct Times {
    /// End of the last one, or of the begin.
    last: Instant,
    /// Begin of the one that is made.
    began: Option<Instant>,
    /// Time that the last one took.
    took: Duration,
}

/// Times are left out: they differ between processes that do a run together.
impl fmt::Debug for CheckpointFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, interval, .. } = self;
        f.debug_struct("CheckpointFolder")
            .field("folder", folder)
            .field("interval", interval)
            .finish()
    }
}

fn sentence(failure: &Failure) -> String {
    failure.plain()
}

impl CheckpointFolder {
    fn times(&self) -> std::sync::MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, number: u64) -> PathBuf {
        self.folder.join(number.to_string())
    }

    fn cannot(path: &Path, error: &std::io::Error) -> String {
        format!("{}: {error}", path.display())
    }

    /// Removes the checkpoints of other numbers: their parts and folders, and nothing else.
    fn remove_others(&self, number: u64) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let of = name.to_str().and_then(|name| name.parse::<u64>().ok());
            if of.is_none_or(|of| of == number) {
                continue;
            }
            let parts = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
            for part in parts {
                let name = part.file_name();
                let is_part =
                    |name: &str| name.starts_with("rank-") || ["about", "network"].contains(&name);
                if name.to_str().is_some_and(is_part) {
                    // What cannot be removed stays, and harms nobody.
                    let _ = std::fs::remove_file(part.path());
                }
            }
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

impl CheckpointStore for CheckpointFolder {
    /// Whether the interval is over; at most half of a run goes to checkpoints.
    fn is_due(&self) -> bool {
        let times = self.times();
        let since = times.last.elapsed();
        since + times.took >= self.interval && since >= times.took
    }

    fn save(&self, number: u64, part: CheckpointPart, bytes: &[u8]) -> Result<(), String> {
        self.times().began.get_or_insert_with(Instant::now);
        let folder = self.of(number);
        std::fs::create_dir_all(&folder).map_err(|e| Self::cannot(&folder, &e))?;
        files::write(&folder.join(part.to_string()), bytes).map_err(|e| sentence(&e))
    }

    fn complete(&self, number: u64) -> Result<(), String> {
        let text = format!("{number}\n");
        files::write(&self.folder.join("last"), text.as_bytes()).map_err(|e| sentence(&e))?;
        self.remove_others(number);
        let mut times = self.times();
        times.took = times.began.take().map_or(Duration::ZERO, |began| began.elapsed());
        times.last = Instant::now();
        Ok(())
    }

    fn last(&self) -> Result<u64, String> {
        let path = self.folder.join("last");
        let text = files::read(&path).map_err(|e| sentence(&e))?;
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        number.ok_or_else(|| format!("{}: this is no number of a checkpoint", path.display()))
    }

    fn load(&self, number: u64, part: CheckpointPart) -> Result<Vec<u8>, String> {
        files::read(&self.of(number).join(part.to_string())).map_err(|e| sentence(&e))
    }
}
