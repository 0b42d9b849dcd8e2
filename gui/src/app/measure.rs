//! Measures how long a run takes to open, how long a view takes until it is sharp, and what a frame costs while the view pans
//! on its own: of frames the processor time of the process, since others use the machine as well.

use crate::model::session::Session;
use egui::Context;
use std::time::{Duration, Instant};

/// Number of frames before the first that counts.
const WARM: u32 = 30;

/// Part of the run at whose place the view is magnified.
const PLACE: f64 = 0.37;

/// Measurement under way.
pub(super) struct Measure {
    frames: u32,
    done: u32,
    began: Option<(Duration, Instant)>,
    /// Begin of the program, and the time from there until the run was open.
    start: Instant,
    opened: Option<Duration>,
    /// Times from a change of the view until nothing in it was missing, and the begin of the one under way.
    sharp: Vec<Duration>,
    changed: Option<Instant>,
}

/// Returns the user and system time of this process.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|t| t.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

impl Measure {
    pub(super) fn new(frames: u32) -> Self {
        let (start, sharp) = (Instant::now(), Vec::new());
        Self { frames, done: 0, began: None, start, opened: None, sharp, changed: None }
    }

    /// Magnifies the view by powers of two, each time once the view before is sharp; returns whether all were looked at.
    fn magnify(&mut self, session: &mut Session) -> bool {
        if let Some(changed) = self.changed {
            if session.run.as_ref().is_none_or(|run| !run.is_sharp()) {
                return false;
            }
            self.sharp.push(changed.elapsed());
        }
        let whole = session.view.whole();
        let length = (whole.end - whole.start) as f64;
        let span = length * 0.5_f64.powi(self.sharp.len() as i32 + 1);
        if span < 16.0 {
            if self.changed.take().is_some() {
                session.view.fit();
            }
            return true;
        }
        let middle = whole.start.0 as f64 + PLACE * length;
        session.view.show(middle - span / 2.0, middle + span / 2.0);
        self.changed = Some(Instant::now());
        false
    }

    /// Prints the times until the run was open and views were sharp.
    fn print_waits(&self) {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let most = self.sharp.iter().copied().max().unwrap_or_default();
        let sum: Duration = self.sharp.iter().sum();
        println!(
            "open after {:.0} ms; {} views sharp after {:.0} ms on average, {:.0} ms at most",
            ms(self.opened.unwrap_or_default()),
            self.sharp.len(),
            ms(sum) / self.sharp.len().max(1) as f64,
            ms(most)
        );
    }

    /// Pans by a two-hundredth of the view; behind the last frame the window closes.
    pub(super) fn frame(&mut self, ctx: &Context, session: &mut Session) {
        ctx.request_repaint();
        let end = session.view.whole().end;
        if self.opened.is_none() && session.opened().is_some() {
            self.opened = Some(self.start.elapsed());
        }
        let is_counted = session.run.as_ref().is_some_and(|run| run.heat.covered.end >= end);
        if session.opened().is_none() || !is_counted {
            return;
        }
        if self.done == 0 && !self.magnify(session) {
            return;
        }
        if self.done == 0 && session.view.span() > 0.9 * end.0 as f64 {
            // Panning needs something beside the view.
            session.view.zoom(0.5, 0.0);
        }
        self.done += 1;
        if self.done == WARM {
            self.began = Some((processor_time(), Instant::now()));
        }
        let at_end = session.view.begin() + session.view.span() > 0.98 * end.0 as f64;
        let step = session.view.span() / 200.0;
        session.view.pan(if at_end { -0.4 * end.0 as f64 } else { step });
        if self.done == WARM + self.frames
            && let Some((processor, clock)) = self.began
        {
            self.print_waits();
            let per = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(self.frames);
            println!(
                "{} frames of {:.0} cycles: {:.2} ms of processor time each, {:.2} ms by the clock",
                self.frames,
                session.view.span(),
                per(processor_time().saturating_sub(processor)),
                per(clock.elapsed())
            );
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }
}
