//! Workloads by their names: those of the catalogue, and those that a caller finds elsewhere, such as in files.

use crate::inputs::LabError;
use crate::key::nearest;
use cp2_session::workload::{Platform, Workload};
use cp2_workloads::catalogue;
use std::sync::Arc;

/// Function that finds a workload outside of the catalogue, such as in a file. It takes the platform and the name, and
/// returns `None` if the name does not say that the workload is elsewhere, so that the catalogue has to have it; else
/// the workload, or an error that says why there is none.
pub type FindWorkload<'a> =
    &'a mut dyn FnMut(Platform, &str) -> Option<Result<Arc<dyn Workload>, LabError>>;

/// Returns the workload of this name on a platform: the one that `elsewhere` finds, or that of the catalogue.
///
/// # Errors
/// There is no such workload; the message names the nearest of the catalogue, or is that of `elsewhere`.
pub fn find(
    platform: Platform,
    name: &str,
    elsewhere: FindWorkload<'_>,
) -> Result<Arc<dyn Workload>, LabError> {
    if let Some(found) = elsewhere(platform, name) {
        return found;
    }
    catalogue::find(platform, name).ok_or_else(|| {
        let what = if platform == Platform::Machine { "procedure" } else { "kernel" };
        no_such(what, name, &[platform])
    })
}

/// Returns the workloads of this name on both platforms, at least one: a kernel on CP2 alone, a procedure, or both.
///
/// # Errors
/// There is neither; the message names the nearest of the catalogue, or is that of `elsewhere`.
pub fn find_all(
    name: &str,
    elsewhere: FindWorkload<'_>,
) -> Result<Vec<Arc<dyn Workload>>, LabError> {
    let platforms = [Platform::Cp2, Platform::Machine];
    let mut all = Vec::new();
    let mut refused = None;
    for platform in platforms {
        match elsewhere(platform, name) {
            Some(Ok(workload)) => all.push(workload),
            // The first refusal tells what is wrong, a further one that there is no other platform.
            Some(Err(error)) => {
                refused.get_or_insert(error);
            }
            None => all.extend(catalogue::find(platform, name)),
        }
    }
    match (all.is_empty(), refused) {
        (true, Some(refused)) => Err(refused),
        (true, None) => Err(no_such("kernel and no procedure", name, &platforms)),
        (false, _) => Ok(all),
    }
}

/// Returns the error that there is no workload of a name; `what` says which kind.
fn no_such(what: &str, name: &str, platforms: &[Platform]) -> LabError {
    let all = platforms.iter().flat_map(|&platform| catalogue::workloads(platform));
    let names: Vec<String> = all.map(|workload| workload.about().name).collect();
    let near = nearest(name, names.iter().map(String::as_str));
    LabError::new(format!("there is no {what} `{name}`; the nearest is {near}"))
}
