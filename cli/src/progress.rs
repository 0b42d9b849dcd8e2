//! Bars for long work, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A bar on standard error; nothing if that is no terminal. It goes away when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar that counts `unit`s up to `total`.
    pub(crate) fn new(unit: &str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(5));
        let template = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{eta}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        // Short work draws nothing.
        bar.enable_steady_tick(Duration::from_secs(1));
        Self(bar)
    }

    /// The time that work of unknown length takes.
    pub(crate) fn working(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed} so far") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_secs(1));
        Self(bar)
    }

    /// Shows how much is done.
    pub(crate) fn at(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Shows how much of how much is done.
    pub(crate) fn of(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
