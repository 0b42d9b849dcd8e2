//! Meanings of colours in the viewer. The colours themselves are those of `cp2_analysis::palette`, so that one thing has one
//! colour in the viewer, in reports and in figures.

use cp2_analysis::palette::{self, Colour};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// A colour on a dark ground and on a light one.
pub type Pair = [Rgb; 2];

/// Meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// Cycle of a kernel.
    Kernel(Cause),
    /// Cycle of the channel.
    Channel(ChannelCause),
    /// Cycle in which no kernel runs.
    Idle,
    /// Act of the host.
    Host,
    /// Selection, and the cursor.
    Accent,
    /// Hazard that the linter found.
    Hazard,
    /// Count that is better than before.
    Better,
    /// Count that is worse than before.
    Worse,
}

impl Hue {
    /// Returns the colours on dark and light ground, as the crate of analyses has them.
    pub fn pair(self) -> Pair {
        let colour = match self {
            Self::Kernel(cause) => palette::of_cause(cause),
            Self::Channel(cause) => palette::of_channel(cause),
            Self::Idle => palette::NEUTRAL,
            Self::Host => palette::HOST,
            Self::Accent => palette::MARK,
            Self::Hazard | Self::Worse => palette::WORSE,
            Self::Better => palette::BETTER,
        };
        [Colour::rgb(colour.dark), Colour::rgb(colour.light)]
    }
}

/// Returns a short name of a cause, for legends.
pub const fn kernel_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Both => "both slots",
        Cause::Arithmetic => "arithmetic only",
        Cause::Exchange => "exchange only",
        Cause::Empty => "empty",
        Cause::Nullified => "nullified",
        Cause::SyncHold => "sync hold",
    }
}

/// Returns the brightness as the eye sees it, from 0 to 1 (WCAG 2).
pub fn luminance([r, g, b]: Rgb) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Returns the contrast of two colours, from 1 to 21 (WCAG 2).
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_stands_out_from_its_ground() {
        let grounds = [[18, 22, 29], [250, 251, 252]];
        for cause in Cause::ALL {
            for (colour, ground) in Hue::Kernel(cause).pair().into_iter().zip(grounds) {
                assert!(contrast(colour, ground) >= 3.0, "{cause:?} {}", contrast(colour, ground));
            }
        }
        for hue in [Hue::Accent, Hue::Hazard, Hue::Host, Hue::Better, Hue::Worse] {
            for (colour, ground) in hue.pair().into_iter().zip(grounds) {
                assert!(contrast(colour, ground) >= 3.0, "{hue:?} {}", contrast(colour, ground));
            }
        }
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        assert!((contrast([0, 0, 0], [255, 255, 255]) - 21.0).abs() < 1e-9);
        assert!((contrast([9, 9, 9], [9, 9, 9]) - 1.0).abs() < 1e-9);
    }
}
