//! Meanings of the colours of the viewer. The colours are those of `cp2_analysis::palette`, so that a thing has the
//! same colour in the viewer, in reports and in figures.

use cp2_analysis::palette::{self, Colour};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;

/// A colour: red, green and blue, each from 0 to 255.
pub type Rgb = [u8; 3];

/// A colour in two versions: for a dark background, then for a light one.
pub type Pair = [Rgb; 2];

/// The meaning of a colour in the viewer, for which [`Hue::pair`] gives the colour itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// A cycle in which a kernel runs, by its cause.
    Kernel(Cause),
    /// A cycle of the DMA channel, by its cause.
    Channel(ChannelCause),
    /// A cycle in which no kernel runs.
    Idle,
    /// An act of the host, an action before a cycle.
    Host,
    /// A name in time, by its number.
    Name(usize),
    /// The selection and the cursor.
    Accent,
    /// A finding of the linter on a bundle.
    Hazard,
    /// A number that is better than in the run that is compared with.
    Better,
    /// A number that is worse than in the run that is compared with.
    Worse,
}

impl Hue {
    /// Returns the colour that has this meaning, for a dark background and for a light one.
    pub fn pair(self) -> Pair {
        let colour = match self {
            Self::Kernel(cause) => palette::of_cause(cause),
            Self::Channel(cause) => palette::of_channel(cause),
            Self::Idle => palette::NEUTRAL,
            Self::Host => palette::HOST,
            Self::Name(number) => palette::BANKS[number % palette::BANKS.len()],
            Self::Accent => palette::MARK,
            Self::Hazard | Self::Worse => palette::WORSE,
            Self::Better => palette::BETTER,
        };
        [Colour::rgb(colour.dark), Colour::rgb(colour.light)]
    }
}

/// Returns a short name of a cause, the reason for which a cycle of a kernel passed, for legends.
pub const fn kernel_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Both => "Both slots",
        Cause::Arithmetic => "Arithmetic only",
        Cause::Exchange => "Exchange only",
        Cause::Empty => "Empty bundle",
        Cause::Nullified => "Nullified",
        Cause::SyncHold => "Held by sync",
    }
}

/// Returns the relative luminance of a colour, its brightness as the eye sees it, from 0 for black to 1 for white (WCAG
/// 2).
pub fn luminance([r, g, b]: Rgb) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Returns the contrast ratio of two colours, from 1 for equal luminance to 21 for black and white (WCAG 2). Their
/// order does not matter.
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
