//! SIGINT and SIGTERM. A command ends at once, with no unfinished file left behind and exit code 130 or
//! 143; one that promised to write something however it ends does so first, and a second signal ends that
//! too. Where there are no such signals the system ends the process as it does any other.

use crate::process::exit::Exit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Number of the signal that came, 0 if none has.
static CAME: AtomicI32 = AtomicI32::new(0);
/// Whether the command ends by itself when a signal has come.
static FINISHES: AtomicBool = AtomicBool::new(false);
/// Sentence that a command which a signal ends tells the user, such as how to go on.
static ADVICE: OnceLock<&str> = OnceLock::new();

/// Waits for signals from now on, in a thread of its own.
#[cfg(unix)]
pub(crate) fn watch() {
    // Without the thread the system's own handling remains, which ends the process too.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let is_first = CAME.swap(signal, Ordering::SeqCst) == 0;
            if is_first && FINISHES.load(Ordering::SeqCst) {
                continue;
            }
            crate::storage::unfinished::remove_all();
            if let Some(advice) = ADVICE.get() {
                crate::process::exit::complain(format!("\ncp2: {advice}"));
            }
            std::process::exit(exit(signal).code().into());
        }
    });
}

/// Does nothing: there are no such signals on this system.
#[cfg(not(unix))]
pub(crate) fn watch() {}

/// Sets the sentence that the user is told if a signal ends the command; the first one stands.
pub(crate) fn advise(advice: &'static str) {
    let _ = ADVICE.set(advice);
}

/// Returns the end of a command that this signal ended.
pub(crate) fn exit(signal: i32) -> Exit {
    if signal == SIGTERM { Exit::Terminate } else { Exit::Interrupt }
}

/// Sets whether from now on the first signal ends nothing, because the command asks for it; returns whether it did before.
pub(crate) fn hold(holds: bool) -> bool {
    FINISHES.swap(holds, Ordering::SeqCst)
}

/// Guard of a command that finishes its work: while it lives, the first signal ends nothing, and the command asks for it.
pub(crate) struct Finishing(());

impl Finishing {
    /// Creates the guard; from now on the first signal ends nothing.
    pub(crate) fn begin() -> Self {
        hold(true);
        Self(())
    }

    /// Returns the signal that came, if one has.
    pub(crate) fn came(&self) -> Option<i32> {
        came()
    }
}

/// Returns the signal that came, if one has, and forgets it.
pub(crate) fn take() -> Option<i32> {
    Some(CAME.swap(0, Ordering::SeqCst)).filter(|&signal| signal != 0)
}

/// Returns the signal that came, if one has.
pub(crate) fn came() -> Option<i32> {
    Some(CAME.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

impl Drop for Finishing {
    fn drop(&mut self) {
        hold(false);
    }
}
