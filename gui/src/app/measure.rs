//! Measures what a frame costs while the view pans on its own: processor time of the process, since others use the
//! machine as well.

use crate::model::session::Session;
use egui::Context;
use std::time::{Duration, Instant};

/// Number of frames before the first that counts.
const WARM: u32 = 30;

/// Measurement under way.
pub(super) struct Measure {
    frames: u32,
    done: u32,
    began: Option<(Duration, Instant)>,
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
        Self { frames, done: 0, began: None }
    }

    /// Pans by a two-hundredth of the view; behind the last frame the window closes.
    pub(super) fn frame(&mut self, ctx: &Context, session: &mut Session) {
        ctx.request_repaint();
        let end = session.view.whole().end;
        let is_counted = session.run.as_ref().is_some_and(|run| run.heat.covered.end >= end);
        if session.opened().is_none() || !is_counted {
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
