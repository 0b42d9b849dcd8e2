//! Folders of sweeps that threads of this process write. A sweep that was ended may have points under way for a while, and the
//! one that goes on in its folder waits for them.

use crate::guard::LOOK;
use crate::watch::Watch;
use cp2_lab::sweep::Shard;
use pyo3::Python;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Shares that are being run. The list is locked with the interpreter's lock held only, so that no fork finds it locked.
static BUSY: Mutex<Vec<Share>> = Mutex::new(Vec::new());

/// A share: process, for a child has the list of its parent, folder, number of the share and of all.
type Share = (u32, PathBuf, u64, u64);

/// The right to run a share, for as long as it is there.
pub(super) struct Turn(Share);

impl Turn {
    /// Waits until no other thread of this process runs the share. `None` if the work is to end before.
    pub(super) fn wait(folder: &Path, shard: Shard, watch: &Watch) -> Option<Self> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let share = (std::process::id(), folder, shard.number, shard.of);
        let is_free = || {
            changed(|busy| {
                let is_free = !busy.contains(&share);
                if is_free {
                    busy.push(share.clone());
                }
                is_free
            })
        };
        while !watch.is_ended() {
            if is_free() {
                return Some(Self(share));
            }
            std::thread::sleep(LOOK);
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        changed(|busy| busy.retain(|share| *share != self.0));
    }
}

/// Does something with the list.
fn changed<T>(change: impl FnOnce(&mut Vec<Share>) -> T) -> T {
    Python::attach(|_| change(&mut BUSY.lock().unwrap_or_else(PoisonError::into_inner)))
}
