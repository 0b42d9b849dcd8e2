//! Scales of axes: where a value lies on the sheet, and the ticks with their numbers.

use cp2_document::width::grouped;

/// Scale of an axis: its values between two places of the sheet, linear or logarithmic, with ticks.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    is_log: bool,
    /// Ends of the axis; of a logarithmic one their logarithms to the base of 10.
    range: [f64; 2],
    /// Places of the ends on the sheet, in pixels.
    pub(super) places: [f64; 2],
    /// Distance of ticks of a linear axis.
    step: f64,
}

impl Scale {
    /// Returns a logarithmic scale with all values that are greater than 0.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, places: [f64; 2]) -> Self {
        let [low, high] = ends(values.filter(|x| *x > 0.0)).unwrap_or([1.0, 10.0]);
        let [low, high] = if low < high { [low, high] } else { [low / 2.0, low.max(1e-9) * 2.0] };
        let [low, high] = [low.log10(), high.log10()];
        let range = [low - 0.04 * (high - low), high + 0.07 * (high - low)];
        Self { is_log: true, range, places, step: 0.0 }
    }

    /// Returns a linear scale with all values and a little room. It begins at 0 where that costs less than a quarter of the axis.
    pub(super) fn linear(values: impl Iterator<Item = f64>, places: [f64; 2]) -> Self {
        let [low, high] = ends(values).unwrap_or([0.0, 1.0]);
        let low = if low > 0.0 && low < 0.25 * high { 0.0 } else { low };
        let room = (0.06 * (high - low)).max(0.0002 * high.abs()).max(1e-9);
        let start = if low == 0.0 { 0.0 } else { low - room };
        Self::between([start, high + room], places)
    }

    /// Returns the linear scale that goes from one value to another.
    pub(super) fn between(range: [f64; 2], places: [f64; 2]) -> Self {
        let pixels = (places[1] - places[0]).abs();
        let step = step((range[1] - range[0]) / (pixels / 84.0).clamp(2.0, 8.0));
        Self { is_log: false, range, places, step }
    }

    /// Returns the place of a value on the sheet.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.is_log { value.max(1e-30).log10() } else { value };
        let share = (value - self.range[0]) / (self.range[1] - self.range[0]);
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    /// Returns the values of the ticks with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let [start, end] = self.range;
        if !self.is_log {
            let (first, last) =
                ((start / self.step).ceil() as i64, (end / self.step).floor() as i64);
            let decimals = (-self.step.log10()).ceil().max(0.0) as usize;
            let tick = |k: i64| (k as f64 * self.step, written(k as f64 * self.step, decimals));
            return (first..=last).map(tick).collect();
        }
        // Below 0.8 of a decade 1 to 9 and 1.5 are ticks, below four and a half decades 1, 2 and 5, else 1 alone.
        let parts: &[f64] = match end - start {
            span if span < 0.8 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            span if span < 4.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let decades = start.floor() as i32..=end.ceil() as i32;
        let all = decades.flat_map(|e| parts.iter().map(move |part| (part * 10_f64.powi(e), e)));
        let inside: Vec<_> =
            all.filter(|(value, _)| (start..=end).contains(&value.log10())).collect();
        if inside.len() < 2 {
            // A small part of a decade is nearly linear.
            return Self::between([start, end].map(|x| 10_f64.powf(x)), self.places).ticks();
        }
        let tick = |(value, e): (f64, i32)| (value, written(value, (1 - e).max(0) as usize));
        inside.into_iter().map(tick).collect()
    }
}

/// Returns the least and the greatest of the values that are numbers; `None` if there are none.
fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|x| x.is_finite());
    finite.fold(None, |ends: Option<[f64; 2]>, x| {
        Some(ends.map_or([x, x], |[low, high]| [low.min(x), high.max(x)]))
    })
}

/// Returns a step of 1, 2 or 5 times a power of ten that is at least `least`.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-12).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= least).unwrap_or(least)
}

/// Returns a number with at most so many decimals, none of which is a 0 at the end, and with its digits in groups.
fn written(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    };
    match text.parse::<u64>() {
        Ok(whole) if whole >= 10_000 => grouped(whole),
        _ if text == "-0" => "0".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_close_are_drawn_apart() {
        let scale = Scale::linear([1.0, 1.0035, 1.005].into_iter(), [0.0, 600.0]);
        assert!(scale.place(1.005) - scale.place(1.0) > 450.0);
        let mut written: Vec<String> = scale.ticks().into_iter().map(|(_, text)| text).collect();
        let count = written.len();
        written.dedup();
        assert!(count >= 3 && written.len() == count, "{written:?}");
    }

    #[test]
    fn a_value_alone_has_an_axis_too() {
        for value in [0.0, 1.0, -3.0, 1e9] {
            let scale = Scale::linear([value].into_iter(), [0.0, 600.0]);
            assert!((0.0..=600.0).contains(&scale.place(value)), "{scale:?}");
            assert!(scale.place(value).is_finite() && !scale.ticks().is_empty(), "{scale:?}");
            let scale = Scale::logarithmic([value].into_iter(), [0.0, 600.0]);
            assert!(!scale.ticks().is_empty(), "{scale:?}");
            let close = [value, 1.3 * value].into_iter();
            assert!(Scale::logarithmic(close, [0.0, 600.0]).ticks().len() > 1, "{value}");
        }
    }

    #[test]
    fn ticks_are_written_shortly() {
        let texts =
            |scale: &Scale| scale.ticks().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let scale = Scale::logarithmic([0.02, 30.0].into_iter(), [0.0, 600.0]);
        assert_eq!(
            texts(&scale),
            ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]
        );
        let scale = Scale::linear([0.0, 50_000.0].into_iter(), [0.0, 600.0]);
        assert_eq!(
            texts(&scale),
            [
                "0",
                "10\u{2009}000",
                "20\u{2009}000",
                "30\u{2009}000",
                "40\u{2009}000",
                "50\u{2009}000"
            ]
        );
    }
}
