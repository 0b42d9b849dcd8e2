//! Bars for long work, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time that work has to go on before the time that is left is told: until then it is a guess.
const SEEN: Duration = Duration::from_secs(1);

/// Pace of work from its first report on: neither what was made ready before, nor what a checkpoint had of it, tells how long
/// the rest takes.
#[derive(Debug, Default)]
struct Pace {
    /// Amount that was done at the first report, and the time of that.
    first: Option<(u64, Duration)>,
}

impl Pace {
    /// Returns the time that is left when `done` of `total` is done at a moment; none if that is not known yet.
    fn left(&mut self, done: u64, total: u64, now: Duration) -> Option<Duration> {
        let (before, since) = match self.first {
            // Work of another stage has a pace of its own.
            Some((before, since)) if before <= done => (before, since),
            _ => *self.first.insert((done, now)),
        };
        let elapsed = now.saturating_sub(since);
        if elapsed < SEEN || done == before {
            return None;
        }
        let share = total.saturating_sub(done) as f64 / (done - before) as f64;
        // A share without bounds is no time.
        Duration::try_from_secs_f64(elapsed.as_secs_f64() * share).ok()
    }
}

/// Returns the text for the time that is left.
fn left_text(left: Option<Duration>) -> String {
    left.map_or(String::new(), |left| format!(", {} left", indicatif::HumanDuration(left)))
}

/// Bar on standard error; nothing if that is no terminal. The bar goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Template of the bar once its length is known.
    template: String,
    pace: Mutex<Pace>,
    begin: Instant,
}

impl Progress {
    /// Creates a bar that counts `unit`s up to `total`; 0 if that is not known yet.
    pub(crate) fn new(unit: &str, total: u64) -> Self {
        let template =
            format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}{{prefix}}{{msg}}");
        Self::of_template(template, total)
    }

    /// Creates a bar that tells the share of work that is done.
    pub(crate) fn share() -> Self {
        Self::of_template("{wide_bar} {percent} %{msg}".to_owned(), 0)
    }

    /// Creates a display of the time that work of unknown length takes.
    pub(crate) fn working(what: &str) -> Self {
        Self::waiting(what, String::new())
    }

    /// Creates a display of the `unit`s that are done of work of unknown length; a limit is no length.
    pub(crate) fn counting(unit: &str) -> Self {
        let progress = Self::waiting("", String::new());
        let template = format!("{{spinner}} {{human_pos}} {unit}, {{elapsed}} so far");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            progress.bar.set_style(style);
        }
        progress
    }

    fn of_template(template: String, total: u64) -> Self {
        let progress = Self::waiting("getting ready", template);
        if total > 0 {
            progress.of(0, total);
        }
        progress
    }

    /// Creates a display without a bar, which would be full without a length.
    fn waiting(what: &str, template: String) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed} so far") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        // Short work draws nothing.
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, template, pace: Mutex::default(), begin: Instant::now() }
    }

    /// Shows a text behind the amount.
    #[cfg(feature = "gpu")]
    pub(crate) fn beside(&self, text: String) {
        self.bar.set_prefix(text);
    }

    /// Shows how much is done.
    pub(crate) fn at(&self, done: u64) {
        match self.bar.length() {
            Some(total) => self.of(done, total),
            None => self.bar.set_position(done),
        }
    }

    /// Shows that `done` of `total` is done.
    pub(crate) fn of(&self, done: u64, total: u64) {
        if total == 0 {
            return;
        }
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let left = pace.left(done, total, self.begin.elapsed());
        // Before the template, which would show the message of the waiting.
        self.bar.set_message(left_text(left));
        if self.bar.length().is_none()
            && let Ok(style) = ProgressStyle::with_template(&self.template)
        {
            self.bar.set_style(style);
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A procedure is made ready for 2 s, its machine begins at 0 of its cycles, and half of them take 2 s.
    #[test]
    fn what_comes_before_the_work_is_not_in_its_pace() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(0, 1_000_000, ms(2000)), None);
        assert_eq!(pace.left(10, 1_000_000, ms(2050)), None, "the first step tells nothing");
        assert_eq!(pace.left(500_000, 1_000_000, ms(4000)), Some(ms(2000)));
        assert_eq!(pace.left(1_000_000, 1_000_000, ms(6000)), Some(ms(0)));
    }

    /// The calls before a checkpoint take a second; the last tenth of the work goes on at its own pace.
    #[test]
    fn what_a_checkpoint_had_is_not_in_the_pace() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(900, 1000, ms(1000)), None);
        assert_eq!(pace.left(910, 1000, ms(3000)), Some(ms(18_000)));
    }

    #[test]
    fn work_that_begins_anew_has_a_pace_of_its_own() {
        let mut pace = Pace::default();
        pace.left(90, 100, ms(0));
        assert_eq!(pace.left(0, 100, ms(5000)), None);
        assert_eq!(pace.left(50, 100, ms(7000)), Some(ms(2000)));
        assert_eq!(pace.left(50, u64::MAX, ms(u64::MAX)), None, "no time is so long");
    }

    #[test]
    fn a_bar_is_drawn_once_its_length_is_known() {
        for progress in [Progress::new("steps", 0), Progress::share(), Progress::working("waiting")]
        {
            assert_eq!(progress.bar.length(), None, "a bar of length 0 is full");
            progress.of(0, 0);
            assert_eq!(progress.bar.length(), None);
        }
        let progress = Progress::counting("cycles");
        progress.at(5);
        assert_eq!((progress.bar.length(), progress.bar.position()), (None, 5));
        let progress = Progress::new("files", 4);
        assert_eq!((progress.bar.length(), progress.bar.position()), (Some(4), 0));
        progress.at(1);
        assert_eq!((progress.bar.length(), progress.bar.position()), (Some(4), 1));
        assert_eq!(left_text(None), "");
        assert_eq!(left_text(Some(ms(3000))), ", 3 seconds left");
    }
}
