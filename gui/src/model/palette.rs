//! Colours by cause, as data: the visual language that viewer and reports share. Each colour is for a dark and
//! for a light ground; text in the colour of the ground is readable on it.

use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// A colour on a dark ground and on a light one.
pub type Pair = [Rgb; 2];

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// A cycle of a kernel.
    Kernel(Cause),
    /// A cycle of the channel.
    Channel(ChannelCause),
    /// No kernel runs.
    Idle,
    /// What the host did.
    Host,
    /// What is selected, and the cursor.
    Accent,
    /// A hazard.
    Hazard,
    /// Better than before.
    Better,
    /// Worse than before.
    Worse,
}

impl Hue {
    /// Its colours.
    pub const fn pair(self) -> Pair {
        match self {
            Self::Kernel(Cause::Both) => [[46, 196, 134], [16, 140, 92]],
            Self::Kernel(Cause::Arithmetic) => [[88, 156, 255], [36, 104, 214]],
            Self::Kernel(Cause::Exchange) => [[240, 176, 64], [184, 118, 8]],
            Self::Kernel(Cause::Empty) => [[116, 128, 146], [128, 138, 152]],
            Self::Kernel(Cause::Nullified) => [[176, 124, 232], [130, 76, 196]],
            Self::Kernel(Cause::SyncHold) => [[236, 96, 96], [200, 52, 56]],
            Self::Channel(ChannelCause::Beat) => [[56, 196, 220], [10, 138, 164]],
            Self::Channel(ChannelCause::Memory) => [[104, 124, 184], [112, 128, 184]],
            Self::Channel(ChannelCause::SetUp) => [[150, 162, 180], [118, 130, 148]],
            Self::Channel(ChannelCause::Fetch) => [[190, 190, 170], [140, 138, 112]],
            Self::Channel(ChannelCause::Sync) => [[176, 124, 232], [130, 76, 196]],
            Self::Channel(ChannelCause::Conflict) => [[255, 122, 82], [214, 76, 28]],
            Self::Channel(ChannelCause::Idle) | Self::Idle => [[52, 60, 74], [216, 221, 228]],
            Self::Host => [[232, 132, 196], [180, 60, 134]],
            Self::Accent => [[255, 214, 92], [202, 112, 0]],
            Self::Hazard => [[255, 122, 82], [206, 66, 22]],
            Self::Better => [[46, 196, 134], [16, 140, 92]],
            Self::Worse => [[236, 96, 96], [200, 52, 56]],
        }
    }
}

/// A short name of a cause, for legends.
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

/// Brightness as the eye sees it, from 0 to 1 (WCAG 2).
pub fn luminance([r, g, b]: Rgb) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Contrast of two colours, from 1 to 21 (WCAG 2).
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
