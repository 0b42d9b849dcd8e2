//! The colours of causes, sources and events, as data. The viewer, reports and figures all take them from here, so that
//! the same thing has the same colour everywhere. They are chosen for light and dark backgrounds, and can be told apart
//! with red-green colour blindness (after Okabe and Ito).

use crate::history::ValueSource;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;

/// A colour for displays: one on a light background and one on a dark one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Colour on a light background, as `#rrggbb`.
    pub light: &'static str,
    /// Colour on a dark background, as `#rrggbb`.
    pub dark: &'static str,
}

impl Colour {
    const fn new(light: &'static str, dark: &'static str) -> Self {
        Self { light, dark }
    }

    /// Returns red, green and blue, 0 to 255, of a colour written as `#rrggbb`; a part that is malformed is 0.
    pub fn rgb(text: &str) -> [u8; 3] {
        let part = |k: usize| text.get(1 + 2 * k..3 + 2 * k);
        [0, 1, 2].map(|k| part(k).and_then(|t| u8::from_str_radix(t, 16).ok()).unwrap_or_default())
    }
}

/// The colour of the ground of pictures and pages.
pub const GROUND: Colour = Colour::new("#ffffff", "#1d2025");
/// The colour of what is written on [`GROUND`].
pub const INK: Colour = Colour::new("#1b1f24", "#e8ecf0");
/// The colour of what is written on [`GROUND`] beside the main thing.
pub const MUTED: Colour = Colour::new("#5c6670", "#a4adb8");
/// The colour of things without a colour of their own: axes, borders, cycles in which no kernel ran.
pub const NEUTRAL: Colour = Colour::new("#d5d8dc", "#4a4f57");
/// The colour of marks, such as the cursor and the first difference of two runs.
pub const MARK: Colour = Colour::new("#c2185b", "#ff6ea9");
/// The colour of a part that takes more cycles than in the run that it is compared with.
pub const WORSE: Colour = Colour::new("#c0392b", "#ff7f6e");
/// The colour of a part that takes fewer cycles than in the run that it is compared with.
pub const BETTER: Colour = Colour::new("#00795c", "#3fd6a8");
/// The colour of actions of the host in pictures of a run.
pub const HOST: Colour = Colour::new("#8a6bbf", "#b79af0");
/// The colour of a value that was an input, there before the run began.
pub const INPUT: Colour = Colour::new("#e9c46a", "#b8912f");

/// The colours of the banks of local memory, by the number of the bank modulo 4.
pub const BANKS: [Colour; 4] = [
    Colour::new("#0072b2", "#4aa8e0"),
    Colour::new("#d55e00", "#ff8a3d"),
    Colour::new("#007a5a", "#2fd0a0"),
    Colour::new("#a34f87", "#e59cc4"),
];

/// Returns the colour of a cycle of CP2 with this cause.
pub const fn of_cause(cause: Cause) -> Colour {
    match cause {
        Cause::Both => Colour::new("#009e73", "#2fd0a0"),
        Cause::Arithmetic => Colour::new("#2a8fd0", "#6cc4f5"),
        Cause::Exchange => Colour::new("#b97f00", "#ffb733"),
        Cause::Empty => Colour::new("#868e98", "#747c88"),
        Cause::Nullified => Colour::new("#bb5f94", "#e59cc4"),
        Cause::SyncHold => Colour::new("#d55e00", "#ff8a3d"),
    }
}

/// Returns the colour of a cycle of the DMA channel with this cause.
pub const fn of_channel(cause: ChannelCause) -> Colour {
    match cause {
        ChannelCause::Idle => NEUTRAL,
        ChannelCause::SetUp => Colour::new("#9fb8d9", "#54739c"),
        ChannelCause::Fetch => Colour::new("#7593c2", "#7fa0d6"),
        ChannelCause::Sync => Colour::new("#c9a0dc", "#9a6fb3"),
        ChannelCause::Memory => Colour::new("#f0b67f", "#b97c3e"),
        ChannelCause::Beat => Colour::new("#0072b2", "#4aa8e0"),
        ChannelCause::Conflict => Colour::new("#a61c3c", "#ff5c7a"),
    }
}

/// Returns the background colour of a value that comes from this source.
pub const fn of_source(source: &ValueSource) -> Colour {
    match source {
        ValueSource::Operation(_) => Colour::new("#dbeef9", "#24506b"),
        ValueSource::Beat(..) => Colour::new("#cfe1f2", "#0b4a75"),
        ValueSource::Act(_) | ValueSource::Host(_) => Colour::new("#e6dcf5", "#503a78"),
        ValueSource::Begin => Colour::new("#f7e7c0", "#6b541b"),
        ValueSource::Unsearched(_) => NEUTRAL,
    }
}

/// The colours of a heat map of source lines, from no cycles (pale) to all cycles (strong).
pub const HEAT: [Colour; 6] = [
    Colour::new("#ffffff", "#1d2025"),
    Colour::new("#fdf1dc", "#33291c"),
    Colour::new("#fbdcae", "#55401f"),
    Colour::new("#f7b96d", "#815b20"),
    Colour::new("#ec8a34", "#b97822"),
    Colour::new("#cf5a13", "#f29a35"),
];

/// Returns the colour of [`HEAT`] for a share of the cycles, clamped to 0 to 1. The index grows with the square root of
/// the share, so that small shares differ too.
pub fn heat(share: f64) -> Colour {
    let top = HEAT.len() - 1;
    HEAT[((share.clamp(0.0, 1.0).sqrt() * top as f64).ceil() as usize).min(top)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of a colour, as the guidelines of the W3C count contrast.
    fn luminance(colour: &str) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = Colour::rgb(colour).map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn marks_are_seen_on_both_grounds() {
        for text in [INK, MUTED] {
            assert!(contrast(text.light, GROUND.light) >= 4.5, "{text:?}");
            assert!(contrast(text.dark, GROUND.dark) >= 4.5, "{text:?}");
        }
        for mark in [MARK, WORSE, BETTER, HOST] {
            assert!(contrast(mark.light, "#ffffff") >= 3.0, "{mark:?}");
            assert!(contrast(mark.dark, "#1d2025") >= 3.0, "{mark:?}");
        }
    }

    #[test]
    fn causes_are_seen_on_both_grounds() {
        for colour in Cause::ALL.map(of_cause) {
            assert!(contrast(colour.light, "#fafbfc") >= 3.0, "{colour:?}");
            assert!(contrast(colour.dark, "#1d2025") >= 3.0, "{colour:?}");
        }
    }

    #[test]
    fn causes_have_colours_of_their_own() {
        let mut all: Vec<_> = Cause::ALL.map(of_cause).map(|c| c.light).into();
        all.extend(ChannelCause::ALL.map(of_channel).map(|c| c.light));
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
    }

    #[test]
    fn more_is_hotter() {
        assert_eq!((heat(0.0), heat(1.0)), (HEAT[0], HEAT[5]));
        assert_eq!(heat(1e-6), HEAT[1]);
    }
}
